//! Where the two sides of each joint are, by the vertices of their bodies.

use pliant::body::soft::State;
use pliant::math::{Mat3, Vec3};
use pliant_scene::loaded::LoadedScene;

/// A point of a body, by three of its vertices.
struct Anchor {
    vertices: [usize; 3],
    /// On the axes of these, m.
    place: Vec3,
}

/// The two sides of every joint; a hook in the world has a place alone.
pub struct Anchors {
    pairs: Vec<(Anchor, Result<Anchor, Vec3>)>,
}

impl Anchors {
    /// Of a scene before its first step.
    pub fn of(built: &LoadedScene) -> Anchors {
        let simulation = built.world.simulation();
        let (entries, positions) =
            (simulation.system.rigids.entries(), &simulation.state.positions);
        let anchor = |body: usize, at: Vec3| {
            let own = entries[body].vertices.clone();
            let first = positions[own.start];
            let most = |value: &dyn Fn(usize) -> f64| {
                own.clone().max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(own.start)
            };
            let second = most(&|v| positions[v].distance(first));
            let along = positions[second] - first;
            let third = most(&|v| along.cross(positions[v] - first).length());
            let vertices = [own.start, second, third];
            let place = axes(vertices, positions).transpose() * (at - first);
            Anchor { vertices, place }
        };
        let joints = simulation.system.joints.list().iter();
        let pairs = joints.map(|joint| {
            let [a, b] = joint.anchors;
            let other = joint.bodies.1.map_or(Err(b), |body| Ok(anchor(body, b)));
            (anchor(joint.bodies.0, a), other)
        });
        Anchors { pairs: pairs.collect() }
    }

    /// Distance of the two sides of a joint at most, m; none without joints.
    pub fn largest_gap(&self, state: &State) -> Option<f64> {
        let gaps = self.pairs.iter().map(|(first, second)| {
            let other = match second {
                Ok(anchor) => anchor.now(&state.positions),
                Err(place) => *place,
            };
            first.now(&state.positions).distance(other)
        });
        gaps.max_by(f64::total_cmp)
    }
}

impl Anchor {
    fn now(&self, positions: &[Vec3]) -> Vec3 {
        positions[self.vertices[0]] + axes(self.vertices, positions) * self.place
    }
}

/// Unit axes by three vertices; zeros where they are on a line.
fn axes(vertices: [usize; 3], positions: &[Vec3]) -> Mat3 {
    let [a, b, c] = vertices.map(|vertex| positions[vertex]);
    let x = (b - a).try_normalize().unwrap_or_default();
    let z = x.cross(c - a).try_normalize().unwrap_or_default();
    Mat3::from_cols(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::Quat;

    #[test]
    fn an_anchor_moves_with_its_body() {
        let rest = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.5), Vec3::new(0.3, 1.0, 0.0)];
        let at = Vec3::new(0.4, -0.7, 0.9);
        let place = axes([0, 1, 2], &rest).transpose() * at;
        let anchor = Anchor { vertices: [0, 1, 2], place };
        let (turn, shift) = (Quat::from_rotation_y(0.8), Vec3::new(3.0, 1.0, -2.0));
        let moved = rest.map(|point| turn * point + shift);
        assert!(anchor.now(&moved).abs_diff_eq(turn * at + shift, 1e-12));
    }
}
