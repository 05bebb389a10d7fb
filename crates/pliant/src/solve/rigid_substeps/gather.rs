//! Contact points of a pair of bodies, grouped into patches.
//!
//! Rows with nearly one normal whose points are in one plane form a patch. Of more than four
//! points the extreme ones stand for all: between them the gap is an affine function of the
//! place. Points that are nearer than this function says, as at a rounded surface, form further
//! patches.

use crate::contact::Contact;
use crate::math::Vec3;
use crate::solve::rigid_substeps::patch::MOST;

/// Least cosine of the angle between the normals of a patch: 1e-3 rad.
const ALONG: f64 = 1.0 - 5e-7;

/// Distance from the plane of a patch, per size.
const FLAT: f64 = 1e-3;

/// A gap below the affine function of the others, per offset, that makes a patch of its own.
const NEARER: f64 = 0.05;

/// A contact as a point of a patch; the first side is the first of its pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPoint {
    /// Its number in the step.
    pub contact: u32,
    /// 1 where the contact has the sides in the same order, −1 otherwise.
    pub sign: f64,
    /// Halfway between the sides; on the first where the second is an obstacle, m.
    pub at: Vec3,
    /// Unit, from the second side to the first.
    pub normal: Vec3,
    /// Beyond the offset, m.
    pub gap: f64,
    /// Of an obstacle on the second side, m/s.
    pub surface_velocity: Vec3,
    /// Least speed after an impact, m/s; 0 for none.
    pub bounce: f64,
    pub friction: f64,
    /// Gap at which contact begins, m.
    pub offset: f64,
    /// Size of the smaller body, m.
    pub size: f64,
}

impl ContactPoint {
    pub fn new(number: u32, contact: &Contact, positions: &[Vec3]) -> ContactPoint {
        let [first, second] = contact.places(positions);
        let (sign, at) = match contact.bodies {
            (a, Some(b)) => (if a < b { 1.0 } else { -1.0 }, 0.5 * (first + second)),
            (_, None) => (1.0, first),
        };
        ContactPoint {
            contact: number,
            sign,
            at,
            normal: sign * contact.normal,
            gap: contact.gap - contact.offset,
            surface_velocity: contact.surface_velocity,
            bounce: contact.bounce,
            friction: contact.friction,
            offset: contact.offset,
            size: contact.size,
        }
    }

    /// Whether it lies in a plane with another and looks the same way.
    fn is_flat_with(&self, other: &ContactPoint) -> bool {
        let flat = FLAT * self.size;
        // Where a gap is wide, the points of one of the sides are in a plane, not those halfway.
        let (way, lift) = (self.normal.dot(other.at - self.at), 0.5 * (other.gap - self.gap));
        self.normal.dot(other.normal) >= ALONG
            && self.friction == other.friction
            && [way, way - lift, way + lift].iter().any(|off| off.abs() <= flat)
    }
}

/// Groups the points of a pair; `emit` gets those of each patch, at most [`MOST`].
///
/// `points` ends up empty.
pub(super) fn patches(
    points: &mut Vec<ContactPoint>,
    group: &mut Vec<ContactPoint>,
    mut emit: impl FnMut(&mut [ContactPoint]),
) {
    // Mostly all points of a pair are one patch.
    if let [first, others @ ..] = &points[..]
        && others.len() < MOST
        && others.iter().all(|point| first.is_flat_with(point))
    {
        emit(points);
        points.clear();
    }
    while let Some(first) = points.first().copied() {
        group.clear();
        points.retain(|point| {
            let is_in = point.contact == first.contact || first.is_flat_with(point);
            if is_in {
                group.push(*point);
            }
            !is_in
        });
        while group.len() > MOST {
            split_extreme(group, &mut emit);
        }
        if !group.is_empty() {
            emit(group);
        }
    }
}

/// Emits the extreme points of a group and leaves those that are nearer than they say.
fn split_extreme(group: &mut Vec<ContactPoint>, emit: &mut impl FnMut(&mut [ContactPoint])) {
    let mut chosen = extreme(group);
    chosen.sort_unstable();
    let (mut picked, mut count) = ([group[0]; MOST], 0);
    for (k, place) in chosen.iter().enumerate() {
        if k == 0 || chosen[k - 1] != *place {
            picked[count] = group[*place];
            count += 1;
        }
    }
    let picked = &mut picked[..count];
    let plane = GapPlane::of(picked);
    let mut number = 0;
    group.retain(|point| {
        let is_chosen = chosen.contains(&number);
        number += 1;
        !is_chosen && point.gap < plane.gap(point.at) - NEARER * point.offset
    });
    emit(picked);
}

/// The four extreme points of a group, of which some may be the same.
fn extreme(group: &[ContactPoint]) -> [usize; MOST] {
    let normal = group[0].normal;
    let axis = normal.any_orthonormal_vector();
    let aside = normal.cross(axis);
    let most = |value: &dyn Fn(&ContactPoint) -> f64| {
        let mut best = 0;
        for (k, point) in group.iter().enumerate() {
            if value(point) > value(&group[best]) {
                best = k;
            }
        }
        best
    };
    let first = most(&|point| axis.dot(point.at) + 0.3 * aside.dot(point.at));
    let start = group[first].at;
    let second = most(&|point| point.at.distance_squared(start));
    let across = normal.cross(group[second].at - start);
    let third = most(&|point| across.dot(point.at - start));
    let fourth = most(&|point| -across.dot(point.at - start));
    [first, second, third, fourth]
}

/// Gap as an affine function of the place.
struct GapPlane {
    centre: Vec3,
    gap: f64,
    slope: Vec3,
}

impl GapPlane {
    /// Fitted to some points, at least one.
    fn of(points: &[ContactPoint]) -> GapPlane {
        let share = (points.len() as f64).recip();
        let centre = share * points.iter().map(|point| point.at).sum::<Vec3>();
        let gap = share * points.iter().map(|point| point.gap).sum::<f64>();
        let normal = points[0].normal;
        let axes = [normal.any_orthonormal_vector(), Vec3::ZERO];
        let axes = [axes[0], normal.cross(axes[0])];
        let (mut xx, mut xy, mut yy, mut xg, mut yg) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for point in points {
            let [x, y] = axes.map(|axis| axis.dot(point.at - centre));
            xx += x * x;
            xy += x * y;
            yy += y * y;
            xg += x * (point.gap - gap);
            yg += y * (point.gap - gap);
        }
        // So that points on a line have a slope along it only.
        let little = 1e-9 * (xx + yy) + f64::MIN_POSITIVE;
        let (xx, yy) = (xx + little, yy + little);
        let determinant = xx * yy - xy * xy;
        let (u, v) = ((yy * xg - xy * yg) / determinant, (xx * yg - xy * xg) / determinant);
        GapPlane { centre, gap, slope: u * axes[0] + v * axes[1] }
    }

    fn gap(&self, at: Vec3) -> f64 {
        self.gap + self.slope.dot(at - self.centre)
    }
}
