//! The camera of a picture, and where points are projected in it.
//!
//! For a fixed direction, the eye comes as near as the picture's edges allow: the point
//! that touches an edge first is the one with the largest x + t·z, where t is the slope of
//! the edge. Left and right edge together give the sideways middle and the distance.

use pliant::math::Vec3;

use super::Camera;
use super::model::{diagonal, middle};

/// Height of half the picture per distance: 30° from bottom to top.
const SLOPE: f64 = 0.268;

/// Part of the picture that framed points may fill.
const FILLED: f64 = 0.86;

/// The eye stays this far from the nearest point, over the diagonal.
const KEEP_OFF: f64 = 0.3;

/// What is nearer than this part of the distance to the middle is cut off.
const NEAR: f64 = 1e-3;

/// The usual direction to the eye: to the right, to the front, up.
const FROM: [f64; 3] = [0.6, -1.0, 0.55];

/// Light comes from up, the left and the eye's side.
const LIGHT: [f64; 3] = [1.0, -0.75, 0.35];

/// A pinhole camera.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// World space, m.
    pub eye: Vec3,
    /// Unit vectors: right and up in the picture, and into it.
    pub axes: [Vec3; 3],
    /// What is up in the world, unit vector.
    pub up: Vec3,
    /// Unit vector towards the main light.
    pub light: Vec3,
    /// Middle of what is framed, world space, m.
    pub middle: Vec3,
    /// Length across what is framed, m; 1 where that is a point.
    pub extent: f64,
    /// Pixels per unit of slope.
    pub focal: f64,
    /// Nothing nearer is seen, m.
    pub near: f64,
    /// Width and height, pixels.
    pub size: [u32; 2],
}

/// A projected point in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// Right and down from the corner, pixels.
    pub at: [f64; 2],
    /// One over the distance along the view, 1/m: larger is nearer, and linear in the picture.
    pub nearness: f64,
}

impl Projection {
    /// The projection that frames all points.
    pub fn new(points: &[Vec3], camera: Camera, size: [u32; 2]) -> Projection {
        let up = direction(camera.up).unwrap_or(Vec3::Z);
        let back = camera.from.and_then(direction).unwrap_or_else(|| usual(up));
        let right = up.cross(back).try_normalize().unwrap_or_else(|| back.any_orthonormal_vector());
        let axes = [right, back.cross(right), -back];
        let focal = 0.5 * f64::from(size[1].min(size[0])) / SLOPE;
        let slopes = size.map(|side| FILLED * 0.5 * f64::from(side) / focal);
        let (middle, size_m) = (middle(points), diagonal(points));
        let extent = if size_m > 0.0 { size_m } else { 1.0 };
        let aim = Aim { middle, axes, slopes, extent };
        let eye = aim.eye(points);
        let level = (back - back.dot(up) * up).try_normalize().unwrap_or(axes[1]);
        let light = LIGHT[0] * up + LIGHT[1] * right + LIGHT[2] * level;
        Projection {
            eye,
            axes,
            up,
            light: light.try_normalize().unwrap_or(up),
            middle,
            extent,
            focal,
            near: NEAR * (middle - eye).length(),
            size,
        }
    }

    /// Distance of a point along the view, m.
    pub fn distance(&self, point: Vec3) -> f64 {
        (point - self.eye).dot(self.axes[2])
    }

    /// Where a point in front of the eye lies.
    pub fn project(&self, point: Vec3) -> Projected {
        let arm = point - self.eye;
        let nearness = 1.0 / arm.dot(self.axes[2]);
        let [x, y] = [arm.dot(self.axes[0]), -arm.dot(self.axes[1])];
        let [half_width, half_height] = self.size.map(|side| 0.5 * f64::from(side));
        let scale = self.focal * nearness;
        Projected { at: [half_width + scale * x, half_height + scale * y], nearness }
    }

    /// Direction from the eye through a place in the picture, of length 1 along the view.
    pub fn ray(&self, [x, y]: [f64; 2]) -> Vec3 {
        let [half_width, half_height] = self.size.map(|side| 0.5 * f64::from(side));
        let [right, up, ahead] = self.axes;
        ahead + (x - half_width) / self.focal * right - (y - half_height) / self.focal * up
    }
}

/// What the place of the eye follows from.
struct Aim {
    middle: Vec3,
    axes: [Vec3; 3],
    slopes: [f64; 2],
    extent: f64,
}

impl Aim {
    fn eye(&self, points: &[Vec3]) -> Vec3 {
        let [right, up, ahead] = self.axes;
        let mut touch = [[f64::NEG_INFINITY; 2]; 2];
        let mut nearest = 0.0_f64;
        for point in points {
            let arm = *point - self.middle;
            let z = -arm.dot(ahead);
            nearest = nearest.max(z);
            for (axis, along) in [arm.dot(right), arm.dot(up)].into_iter().enumerate() {
                let lift = self.slopes[axis] * z;
                touch[axis][0] = touch[axis][0].max(along + lift);
                touch[axis][1] = touch[axis][1].max(lift - along);
            }
        }
        if points.is_empty() {
            touch = [[self.extent; 2]; 2];
        }
        let [across, upward] = [0, 1].map(|axis| 0.5 * (touch[axis][0] - touch[axis][1]));
        let needed = [0, 1].map(|k| 0.5 * (touch[k][0] + touch[k][1]) / self.slopes[k]);
        let distance = needed[0].max(needed[1]).max(nearest + KEEP_OFF * self.extent);
        self.middle + across * right + upward * up - distance * ahead
    }
}

/// Front, right and above, whatever is up.
fn usual(up: Vec3) -> Vec3 {
    let side = if up.x.abs() < 0.9 { Vec3::X } else { Vec3::Y };
    let right = (side - side.dot(up) * up).try_normalize().unwrap_or(Vec3::X);
    let from = FROM[0] * right + FROM[1] * up.cross(right) + FROM[2] * up;
    from.try_normalize().unwrap_or(up)
}

/// A vector of any length as a direction.
fn direction(vector: [f64; 3]) -> Option<Vec3> {
    let vector = Vec3::from(vector);
    let largest = vector.abs().max_element();
    (largest > 0.0 && largest.is_finite()).then(|| vector / largest).and_then(Vec3::try_normalize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances are about 10 m, coordinates about 100 pixels.
    const TOLERANCE: f64 = 1e-9;

    fn corners() -> Vec<Vec3> {
        let signs = [-1.0, 1.0];
        let all = signs.into_iter().flat_map(|x| signs.map(|y| signs.map(|z| [x, y, z])));
        all.flatten().map(|[x, y, z]| Vec3::new(5.0 * x, y, 2.0 * z)).collect()
    }

    #[test]
    fn every_framed_point_is_in_the_picture_and_one_touches_its_border() {
        let directions =
            [None, Some([1.0, 0.0, 0.0]), Some([0.0, 0.0, 3.0]), Some([-1.0, 2.0, -5.0])];
        for (from, size) in
            directions.into_iter().zip([[300, 200], [200, 300], [64, 64], [900, 90]])
        {
            let projection =
                Projection::new(&corners(), Camera { from, ..Camera::default() }, size);
            let mut fill = 0.0_f64;
            for corner in corners() {
                let Projected { at, nearness } = projection.project(corner);
                assert!(nearness > 0.0);
                for axis in 0..2 {
                    let half = 0.5 * f64::from(size[axis]);
                    fill = fill.max((at[axis] - half).abs() / half);
                }
            }
            assert!((fill - FILLED).abs() < TOLERANCE, "{fill} {from:?}");
        }
    }

    #[test]
    fn rays_lead_back_to_what_is_projected() {
        let projection = Projection::new(&corners(), Camera::default(), [320, 200]);
        let point = Vec3::new(0.3, -0.7, 1.1);
        let Projected { at, nearness } = projection.project(point);
        let back = projection.eye + projection.ray(at) / nearness;
        assert!(back.abs_diff_eq(point, TOLERANCE), "{back}");
    }

    #[test]
    fn right_is_right_and_up_is_up() {
        // From the front, x runs to the right and z up; rows count from the top.
        let front = Camera { from: Some([0.0, -1.0, 0.0]), ..Camera::default() };
        let projection = Projection::new(&corners(), front, [200, 200]);
        let middle = projection.project(Vec3::ZERO).at;
        assert!(projection.project(Vec3::X).at[0] > middle[0]);
        assert!(projection.project(Vec3::Z).at[1] < middle[1]);
    }

    #[test]
    fn odd_directions_and_no_points_give_a_usual_lens() {
        let odd = [[0.0; 3], [f64::NAN, 0.0, 0.0], [f64::INFINITY, 0.0, 0.0]];
        for vector in odd {
            let camera = Camera { from: Some(vector), up: vector };
            let projection = Projection::new(&[], camera, [10, 10]);
            assert_eq!(projection.axes, Projection::new(&[], Camera::default(), [10, 10]).axes);
            assert!(projection.eye.is_finite() && projection.near > 0.0);
        }
        let down = Camera { from: Some([0.0, 0.0, 1e300]), ..Camera::default() };
        assert!(
            Projection::new(&[Vec3::X], down, [10, 10])
                .axes
                .iter()
                .all(|axis| axis.is_normalized())
        );
    }
}
