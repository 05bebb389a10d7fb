//! A contact patch: up to four contact points of a pair in one plane, as one block of six.
//!
//! The relative motion of the two sides at the centre of the patch, on the axes of the patch,
//! is the six-vector r = (uₙ, w₁, w₂, u₁, u₂, wₙ) of velocities u and spins w. Whatever the
//! points press, they change it by K ΔW for a wrench ΔW on the same axes.
//!
//! | here           | formula      | meaning                                              |
//! |----------------|--------------|------------------------------------------------------|
//! | `k`            | K = J M⁻¹ Jᵀ | relative motion per wrench at the centre             |
//! | `k_inv`        | K⁻¹          | wrench per relative motion                           |
//! | `x`, `y`       | xᵢ, yᵢ       | points in the plane, from the centre, m              |
//! | row of a point | (1, yᵢ, −xᵢ) | its speed along the normal, of (uₙ, w₁, w₂)          |
//! | `spread`       | Q            | P (Pᵀ P)⁻¹: shares a wrench out, and fits speeds     |
//! | `null`         | ν            | impulses of four points that have no effect together |

use std::cmp::Ordering;

use crate::contact::point_force::PointForce;
use crate::math::{Mat3, Vec3, skew};
use crate::solve::rigid_substeps::gather::ContactPoint;

/// Points of a patch at most.
pub(super) const MOST: usize = 4;

/// Square of the thickness of points over that of their extent below which they are a line.
const THIN: f64 = 1e-3;

/// Rise by a turn, per offset, from which on a closed patch has gaps again.
const LIFTED: f64 = 1e-3;

/// Velocity and spin, or displacement and small rotation, of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Motion {
    pub linear: Vec3,
    pub angular: Vec3,
}

/// A body as the solver sees it; an obstacle and a body that is held have zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverBody {
    /// 1/kg.
    pub inv_mass: f64,
    /// World axes, 1/(kg·m²).
    pub inv_inertia: Mat3,
}

impl SolverBody {
    /// What nothing moves.
    pub const FIXED: SolverBody = SolverBody { inv_mass: 0.0, inv_inertia: Mat3::ZERO };
}

/// Impulses of a patch, N·s and N·m·s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PatchImpulse {
    /// Of each point along the normal; not negative.
    pub normals: [f64; MOST],
    /// On both axes in the plane.
    pub tangent: [f64; 2],
    /// About the normal.
    pub twist: f64,
}

impl PatchImpulse {
    /// The wrench at the centre, in the order of the relative motion.
    #[inline]
    pub fn wrench(&self, patch: &Patch) -> [f64; 6] {
        let mut wrench = [0.0, 0.0, 0.0, self.tangent[0], self.tangent[1], self.twist];
        for ((normal, x), y) in self.normals.iter().zip(patch.x).zip(patch.y) {
            wrench[0] += normal;
            wrench[1] += y * normal;
            wrench[2] -= x * normal;
        }
        wrench
    }

    /// All points together along the normal.
    pub fn pressure(&self) -> f64 {
        let [a, b, c, d] = self.normals;
        a + b + c + d
    }

    #[inline]
    pub fn add(&mut self, other: &PatchImpulse) {
        for (own, more) in self.normals.iter_mut().zip(other.normals) {
            *own += more;
        }
        self.tangent[0] += other.tangent[0];
        self.tangent[1] += other.tangent[1];
        self.twist += other.twist;
    }

    /// Multiplies all by a factor.
    pub fn scale(&mut self, factor: f64) {
        self.normals.iter_mut().chain(&mut self.tangent).for_each(|own| *own *= factor);
        self.twist *= factor;
    }
}

/// Up to four points in one plane, with what their impulses do.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// Entries of the two bodies; from the second to the first goes the normal.
    pub sides: [u32; 2],
    /// Points in use.
    pub count: usize,
    /// Whether its points span a plane, so that all can be solved at once.
    pub is_weldable: bool,
    /// The same, whatever the bodies are.
    spans: bool,
    /// Whether the inverses of blocks of K are filled in.
    has_parts: bool,
    /// Whether no point has a gap left and no surface moves: nothing may close.
    pub is_closed: bool,
    pub normal: Vec3,
    pub tangents: [Vec3; 2],
    /// From the centres of mass to the centre of the patch, m.
    pub arms: [Vec3; 2],
    pub friction: f64,
    pub x: [f64; MOST],
    pub y: [f64; MOST],
    /// From the centre, m.
    pub radii: [f64; MOST],
    pub spread: [[f64; 3]; MOST],
    pub null: [f64; MOST],
    pub k_inv: [[f64; 6]; 6],
    pub impulse: PatchImpulse,
    /// Gaps beyond the offset at the start of the step, m; 0 for points not in use.
    pub gaps: [f64; MOST],
    pub k: [[f64; 6]; 6],
    /// Effective mass of each point along the normal, kg; after [`Patch::fill_parts`], as the
    /// next two inverses.
    pub point_masses: [f64; MOST],
    /// Inverse of the block of (uₙ, w₁, w₂).
    pub normal_inv: Mat3,
    /// Least speed of each point in the present substep, m/s.
    pub targets: [f64; MOST],
    /// Inverse of the block of (u₁, u₂): its corner, side and corner, kg.
    pub tangent_inv: [f64; 3],
    /// Sum of the impulses of all substeps so far.
    pub total: PatchImpulse,
    /// Speed of the second side along the normal at each point, where it is an obstacle, m/s.
    pub surface_normal: [f64; MOST],
    /// Its velocity on the axes in the plane, m/s, and its spin about the normal, rad/s.
    pub surface_tangent: [f64; 3],
    /// Least speed of each point after an impact, m/s; 0 for none.
    pub bounces: [f64; MOST],
    /// Contact of each point.
    pub contacts: [u32; MOST],
    /// 1 where the contact has the sides in the same order, −1 otherwise.
    pub signs: [f64; MOST],
    /// Gap at which contact begins, m.
    pub offset: f64,
    /// Size of the smaller body, m.
    pub size: f64,
    /// Centre of the patch, m.
    pub centre: Vec3,
    /// How long it has been pressed, s.
    pub age: f64,
    /// Number of the obstacle on the second side; 0 for a body.
    pub obstacle: u32,
    /// Speeds by which targets may be off one plane and count as on it, m/s.
    pub rough: f64,
}

/// Points sorted around their centre.
fn sort_around(points: &mut [ContactPoint], centre: Vec3, tangents: [Vec3; 2]) {
    // Grows with the angle from 0 to 4.
    let turn = |point: &ContactPoint| {
        let arm = point.at - centre;
        let (x, y) = (arm.dot(tangents[0]), arm.dot(tangents[1]));
        let share = y / (x.abs() + y.abs()).max(f64::MIN_POSITIVE);
        if x >= 0.0 { 1.0 + share } else { 3.0 - share }
    };
    let mut turns = [0.0; MOST];
    for (turned, point) in turns.iter_mut().zip(&*points) {
        *turned = turn(point);
    }
    // Four at most.
    for end in 1..points.len().min(MOST) {
        for k in (1..=end).rev() {
            let order = turns[k - 1].total_cmp(&turns[k]);
            if order.then(points[k - 1].contact.cmp(&points[k].contact)) != Ordering::Greater {
                break;
            }
            turns.swap(k - 1, k);
            points.swap(k - 1, k);
        }
    }
}

impl Patch {
    /// The patch of some points of a pair, at least one and at most [`MOST`].
    ///
    /// `bodies` and `centres` are those of the two `sides`.
    pub fn new(
        points: &mut [ContactPoint],
        sides: [u32; 2],
        bodies: [&SolverBody; 2],
        centres: [Vec3; 2],
    ) -> Patch {
        let count = points.len().min(MOST);
        let points = &mut points[..count];
        let share = (count.max(1) as f64).recip();
        let centre = share * points.iter().map(|point| point.at).sum::<Vec3>();
        let sum: Vec3 = points.iter().map(|point| point.normal).sum();
        let normal = sum.try_normalize().unwrap_or(points[0].normal);
        let first = normal.any_orthonormal_vector();
        let tangents = [first, normal.cross(first)];
        sort_around(points, centre, tangents);
        let points = &*points;
        let of = |value: fn(&ContactPoint) -> f64| {
            std::array::from_fn(|i| points.get(i).map_or(0.0, value))
        };
        let along = |axis: Vec3| {
            std::array::from_fn(|i| points.get(i).map_or(0.0, |p| axis.dot(p.at - centre)))
        };
        let mut patch = Patch {
            sides,
            count,
            is_weldable: false,
            spans: false,
            has_parts: false,
            is_closed: points.iter().all(|p| p.gap <= 0.0 && p.surface_velocity == Vec3::ZERO),
            normal,
            tangents,
            arms: centres.map(|own| centre - own),
            friction: points[0].friction,
            x: along(tangents[0]),
            y: along(tangents[1]),
            radii: [0.0; MOST],
            spread: [[0.0; 3]; MOST],
            null: [0.0; MOST],
            k_inv: [[0.0; 6]; 6],
            impulse: PatchImpulse::default(),
            gaps: of(|point| point.gap),
            k: [[0.0; 6]; 6],
            point_masses: [0.0; MOST],
            normal_inv: Mat3::ZERO,
            targets: [0.0; MOST],
            tangent_inv: [0.0; 3],
            total: PatchImpulse::default(),
            surface_normal: [0.0; MOST],
            surface_tangent: [0.0; 3],
            bounces: of(|point| point.bounce),
            contacts: std::array::from_fn(|i| points.get(i).map_or(u32::MAX, |p| p.contact)),
            signs: of(|point| point.sign),
            offset: points[0].offset,
            size: points[0].size,
            centre,
            age: 0.0,
            obstacle: 0,
            rough: 0.0,
        };
        patch.move_surface(points);
        patch.fill(bodies);
        patch.span();
        patch
    }

    /// Notes how an obstacle on the second side moves.
    fn move_surface(&mut self, points: &[ContactPoint]) {
        if points.iter().all(|point| point.surface_velocity == Vec3::ZERO) {
            return;
        }
        let share = (points.len() as f64).recip();
        let mean = share * points.iter().map(|point| point.surface_velocity).sum::<Vec3>();
        let (mut turned, mut square) = (0.0, 0.0);
        for (i, point) in points.iter().enumerate() {
            self.surface_normal[i] = self.normal.dot(point.surface_velocity);
            let [u, v] = self.tangents.map(|axis| axis.dot(point.surface_velocity - mean));
            turned += self.x[i] * v - self.y[i] * u;
            square += self.x[i] * self.x[i] + self.y[i] * self.y[i];
        }
        let [u, v] = self.tangents.map(|axis| axis.dot(mean));
        self.surface_tangent = [u, v, if square > 0.0 { turned / square } else { 0.0 }];
    }

    /// Fills K, its inverse and those of its blocks.
    fn fill(&mut self, bodies: [&SolverBody; 2]) {
        let axes = Mat3::from_cols(self.normal, self.tangents[0], self.tangents[1]);
        let to_axes = axes.transpose();
        let mass = bodies[0].inv_mass + bodies[1].inv_mass;
        let mut linear = Mat3::from_diagonal(Vec3::splat(mass));
        let (mut angular, mut mixed) = (Mat3::ZERO, Mat3::ZERO);
        for (body, arm) in bodies.into_iter().zip(self.arms) {
            let inertia = to_axes * (body.inv_inertia * axes);
            let arm = skew(to_axes * arm);
            let turned = arm * inertia;
            linear -= turned * arm;
            mixed -= turned;
            angular += inertia;
        }
        set_blocks(&mut self.k, linear, mixed, angular);
        let angular_inv = angular.inverse();
        let through = mixed * angular_inv;
        let schur_inv = (linear - through * mixed.transpose()).inverse();
        let crossed = schur_inv * through;
        let angular_inv = angular_inv + through.transpose() * crossed;
        set_blocks(&mut self.k_inv, schur_inv, -crossed, angular_inv);
        self.is_weldable = self.k_inv.iter().flatten().all(|value| value.is_finite());
        for (radius, (x, y)) in self.radii.iter_mut().zip(self.x.iter().zip(&self.y)) {
            *radius = (x * x + y * y).sqrt();
        }
    }

    /// Takes another response, as of bodies that joints hold.
    pub fn refill(&mut self, k: [[f64; 6]; 6]) {
        self.k = k;
        let known = inverse_of_six(&k);
        self.k_inv = known.unwrap_or([[f64::NAN; 6]; 6]);
        self.is_weldable = self.spans && self.k_inv.iter().flatten().all(|value| value.is_finite());
        self.has_parts = false;
        self.fill_parts();
    }

    /// Fills the inverses of blocks of K, which what sticks does not need.
    pub fn fill_parts(&mut self) {
        if std::mem::replace(&mut self.has_parts, true) {
            return;
        }
        let k = &self.k;
        let block = |i: usize| Vec3::new(k[i][0], k[i][1], k[i][2]);
        self.normal_inv = Mat3::from_cols(block(0), block(1), block(2)).inverse();
        let determinant = k[3][3] * k[4][4] - k[3][4] * k[3][4];
        self.tangent_inv = [k[4][4] / determinant, -k[3][4] / determinant, k[3][3] / determinant];
        for i in 0..self.count {
            let (x, y) = (self.x[i], self.y[i]);
            let speed = |j: usize| k[0][j] + y * k[1][j] - x * k[2][j];
            self.point_masses[i] = (speed(0) + y * speed(1) - x * speed(2)).recip();
        }
        self.is_weldable &= self.normal_inv.is_finite();
    }

    /// Fills what shares wrenches out, where the points span a plane.
    fn span(&mut self) {
        let Patch { x, y, count, .. } = *self;
        let sum = |value: &dyn Fn(usize) -> f64| (0..count).map(value).sum::<f64>();
        let (xx, yy, xy) = (sum(&|i| x[i] * x[i]), sum(&|i| y[i] * y[i]), sum(&|i| x[i] * y[i]));
        let spans = count > 2 && xx * yy - xy * xy > 0.25 * THIN * (xx + yy) * (xx + yy);
        self.is_weldable &= spans;
        self.spans = spans;
        if !spans {
            return;
        }
        let (sx, sy) = (sum(&|i| x[i]), sum(&|i| y[i]));
        let square = Mat3::from_cols(
            Vec3::new(count as f64, sy, -sx),
            Vec3::new(sy, yy, -xy),
            Vec3::new(-sx, -xy, xx),
        );
        let inverse = square.inverse();
        for i in 0..count {
            self.spread[i] = (inverse * Vec3::new(1.0, y[i], -x[i])).to_array();
        }
        if count == MOST {
            // Signed areas of the other three.
            let area = |i: usize, j: usize, k: usize| {
                (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])
            };
            let null = [area(1, 2, 3), -area(0, 2, 3), area(0, 1, 3), -area(0, 1, 2)];
            let most = null.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            self.null = null.map(|value| value / most);
        }
    }

    /// Gives a point the force of one of the step before, N, but for its friction along the patch.
    pub fn take_over(&mut self, i: usize, old: &PointForce) {
        self.impulse.normals[i] = old.normal;
        if self.bears_twist() {
            self.impulse.twist += old.twist;
        }
        self.age = self.age.max(old.age);
    }

    /// Whether friction can hold it against a turn about its normal; on a single point it cannot.
    pub fn bears_twist(&self) -> bool {
        self.count > 1
    }

    /// Whether an obstacle on the second side does not move.
    pub fn is_still(&self) -> bool {
        self.surface_normal == [0.0; MOST] && self.surface_tangent == [0.0; 3]
    }

    /// Relative motion of the sides at the centre.
    #[inline]
    pub fn relative(&self, [a, b]: [&Motion; 2]) -> [f64; 6] {
        let (normal, [t1, t2]) = (self.normal, self.tangents);
        let linear =
            a.linear + a.angular.cross(self.arms[0]) - b.linear - b.angular.cross(self.arms[1]);
        let angular = a.angular - b.angular;
        [
            normal.dot(linear),
            t1.dot(angular),
            t2.dot(angular),
            t1.dot(linear),
            t2.dot(linear),
            normal.dot(angular),
        ]
    }

    /// Force and moment of a wrench on world axes, on the first side at the centre.
    #[inline]
    pub fn force(&self, wrench: &[f64; 6]) -> [Vec3; 2] {
        let (normal, [t1, t2]) = (self.normal, self.tangents);
        let force = wrench[0] * normal + wrench[3] * t1 + wrench[4] * t2;
        let moment = wrench[5] * normal + wrench[1] * t1 + wrench[2] * t2;
        [force, moment]
    }

    /// Speed of a point along the normal.
    #[inline]
    pub fn point_speed(&self, relative: &[f64; 6], i: usize) -> f64 {
        relative[0] + self.y[i] * relative[1] - self.x[i] * relative[2]
    }

    /// Gaps beyond the offset after displacements since the start, m; to second order in turns.
    ///
    /// An obstacle has moved for `elapsed` seconds.
    #[inline]
    pub fn gaps_after(&self, [a, b]: [&Motion; 2], elapsed: f64) -> [f64; MOST] {
        let way = |path: &Motion, arm: Vec3| {
            let turned = path.angular.cross(arm);
            path.linear + turned + 0.5 * path.angular.cross(turned)
        };
        let opening = self.normal.dot(way(a, self.arms[0]) - way(b, self.arms[1]));
        let angular = a.angular - b.angular;
        let [w1, w2] = self.tangents.map(|axis| axis.dot(angular));
        std::array::from_fn(|i| {
            let moved = opening + self.y[i] * w1 - self.x[i] * w2;
            self.gaps[i] + moved - elapsed * self.surface_normal[i]
        })
    }

    /// Whether turns of its sides have lifted a closed patch off by more than roundness.
    ///
    /// A body that turns about an edge keeps the edge where it is to the first order only: what
    /// the arc leaves open may close again.
    #[inline]
    pub fn is_lifted(&self, [a, b]: [&Motion; 2]) -> bool {
        let lift = |path: &Motion, arm: Vec3| {
            let turned = path.angular.length_squared();
            turned * turned * arm.length_squared()
        };
        let most = LIFTED * self.offset;
        lift(a, self.arms[0]).max(lift(b, self.arms[1])) > most * most
    }

    /// The force of each point, on world axes and seen from the first side, N·s.
    ///
    /// Their sum is exact. So is their moment about the normal, unless a point would leave its
    /// friction cone.
    pub fn shared_out(&self, impulse: &PatchImpulse) -> [(f64, Vec3); MOST] {
        let pressure = impulse.pressure();
        let mut shares = [(0.0, Vec3::ZERO); MOST];
        if pressure <= 0.0 {
            return shares;
        }
        let mean = |along: &[f64; MOST]| {
            let sum: f64 = along.iter().zip(impulse.normals).map(|(x, share)| x * share).sum();
            sum / pressure
        };
        let (mx, my) = (mean(&self.x), mean(&self.y));
        let [tx, ty] = impulse.tangent.map(|value| value / pressure);
        let arm = |i: usize| [self.x[i] - mx, self.y[i] - my];
        let square: f64 = (0..self.count)
            .map(|i| impulse.normals[i] * (arm(i)[0] * arm(i)[0] + arm(i)[1] * arm(i)[1]))
            .sum();
        let moment = impulse.twist - pressure * (mx * ty - my * tx);
        let mut rate = if square > 0.0 { moment / square } else { 0.0 };
        let most = self.friction * self.friction;
        for i in 0..self.count {
            let [x, y] = arm(i);
            let (u, v) = (tx - rate * y, ty + rate * x);
            if u * u + v * v > most {
                // The largest part of the turn that stays in the cone.
                let (a, b) = (x * x + y * y, ty * x - tx * y);
                let rest = (most - tx * tx - ty * ty).max(0.0);
                let root = (b * b + a * rest).sqrt();
                // Never to the other side: where nothing is left, rounding has a second root.
                let part = match rate.partial_cmp(&0.0) {
                    Some(Ordering::Greater) => (-b + root).max(0.0),
                    Some(Ordering::Less) => (-b - root).min(0.0),
                    _ => 0.0,
                };
                rate = if a > 0.0 { part / a } else { 0.0 };
            }
        }
        for (i, share) in shares.iter_mut().enumerate().take(self.count) {
            let ([x, y], normal) = (arm(i), impulse.normals[i]);
            let [t1, t2] = self.tangents;
            *share = (normal, normal * ((tx - rate * y) * t1 + (ty + rate * x) * t2));
        }
        shares
    }
}

/// Inverse of a symmetric matrix by its Cholesky factor; none where it is not definite.
fn inverse_of_six(k: &[[f64; 6]; 6]) -> Option<[[f64; 6]; 6]> {
    let mut factor = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            let done: f64 = (0..j).map(|m| factor[i][m] * factor[j][m]).sum();
            let rest = k[i][j] - done;
            if i == j {
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                factor[i][i] = rest.sqrt();
            } else {
                factor[i][j] = rest / factor[j][j];
            }
        }
    }
    // Column by column the inverse of the factor.
    let mut columns = [[0.0; 6]; 6];
    for (c, column) in columns.iter_mut().enumerate() {
        for i in c..6 {
            let done: f64 = (c..i).map(|m| factor[i][m] * column[m]).sum();
            let one = if i == c { 1.0 } else { 0.0 };
            column[i] = (one - done) / factor[i][i];
        }
    }
    let product = |i: usize, j: usize| (i.max(j)..6).map(|m| columns[i][m] * columns[j][m]).sum();
    Some(std::array::from_fn(|i| std::array::from_fn(|j| product(i, j))))
}

/// Writes blocks on the axes (n, t₁, t₂) in the order (uₙ, w₁, w₂, u₁, u₂, wₙ).
///
/// `mixed` has velocities by rows and spins by columns.
fn set_blocks(k: &mut [[f64; 6]; 6], linear: Mat3, mixed: Mat3, angular: Mat3) {
    /// Place of each velocity and each spin.
    const U: [usize; 3] = [0, 3, 4];
    const W: [usize; 3] = [5, 1, 2];
    let (linear, mixed, angular) =
        (linear.to_cols_array_2d(), mixed.to_cols_array_2d(), angular.to_cols_array_2d());
    for i in 0..3 {
        for j in 0..3 {
            k[U[i]][U[j]] = 0.5 * (linear[j][i] + linear[i][j]);
            k[W[i]][W[j]] = 0.5 * (angular[j][i] + angular[i][j]);
            k[U[i]][W[j]] = mixed[j][i];
            k[W[j]][U[i]] = mixed[j][i];
        }
    }
}
