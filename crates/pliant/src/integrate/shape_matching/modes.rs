//! The nine modes of a quadratic group: stretch, shear, bend and twist.
//!
//! | here      | paper | meaning                                                     |
//! |-----------|-------|-------------------------------------------------------------|
//! | `values`  | q̃     | x, y, z, x², y², z², xy, yz, zx of each vertex              |
//! | `inverse` | Ã_qq  | pseudo-inverse of Σ w q̃ q̃ᵀ, 1/kg                            |
//! | `scale`   |       | distance of the farthest vertex, the unit length of q̃, m    |

use crate::integrate::shape_matching::cluster::{FLAT, Member};
use crate::math::inverse::pseudo_inverse;
use crate::math::{Mat3, Vec3};

/// Modes of a group.
pub(crate) const COUNT: usize = 9;

/// Coordinates and their products for every vertex of a group.
#[derive(Clone, Debug)]
pub(crate) struct Modes {
    /// Of each vertex, less their weighted mean.
    values: Vec<[f64; COUNT]>,
    /// 1/kg.
    inverse: [[f64; COUNT]; COUNT],
    /// m.
    scale: f64,
}

impl Modes {
    /// Modes of a shape given by offsets from its centre.
    pub(crate) fn new(members: &[Member], offsets: &[Vec3]) -> Modes {
        let values = Vec::with_capacity(members.len());
        let mut modes = Modes { values, inverse: [[0.0; COUNT]; COUNT], scale: 1.0 };
        modes.set(members, offsets);
        modes
    }

    /// The modes of another shape of the same vertices; allocates nothing.
    ///
    /// - Deviates: takes the mean off each mode; [Muller05 §4.3] does not, and its goals drift.
    pub(crate) fn set(&mut self, members: &[Member], offsets: &[Vec3]) {
        let farthest = offsets.iter().fold(0.0_f64, |most, q| most.max(q.length()));
        self.scale = if farthest > 0.0 { farthest } else { 1.0 };
        self.values.clear();
        self.values.extend(offsets.iter().map(|offset| products(*offset / self.scale)));
        let (mut mean, mut mass) = ([0.0; COUNT], 0.0);
        for (member, value) in members.iter().zip(&self.values) {
            mean.iter_mut().zip(value).for_each(|(sum, x)| *sum += member.weight * x);
            mass += member.weight;
        }
        let mut square = [[0.0; COUNT]; COUNT];
        for (member, value) in members.iter().zip(&mut self.values) {
            value.iter_mut().zip(&mean).for_each(|(x, sum)| *x -= sum / mass);
            for (row, a) in square.iter_mut().zip(&*value) {
                row.iter_mut().zip(&*value).for_each(|(sum, b)| *sum += member.weight * a * b);
            }
        }
        self.inverse = pseudo_inverse(square, FLAT).rows;
    }

    /// Displacement by each mode of vertices at `places`, m, relative to their centre.
    ///
    /// `blend` is the share of the best match; the rest is the rotation.
    pub(crate) fn matched(
        &self,
        members: &[Member],
        places: impl Iterator<Item = Vec3>,
        rotation: Mat3,
        blend: f64,
    ) -> [Vec3; COUNT] {
        let mut mixed = [Vec3::ZERO; COUNT];
        for ((member, value), place) in members.iter().zip(&self.values).zip(places) {
            let heavy = member.weight * place;
            mixed.iter_mut().zip(value).for_each(|(sum, x)| *sum += *x * heavy);
        }
        let rigid = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        std::array::from_fn(|k| {
            let best: Vec3 = (0..COUNT).map(|j| self.inverse[k][j] * mixed[j]).sum();
            let turned = rigid.get(k).map_or(Vec3::ZERO, |axis| self.scale * *axis);
            blend * best + (1.0 - blend) * turned
        })
    }

    /// Weight of the position of one vertex in the match at another, 1/kg.
    pub(crate) fn shared(&self, a: usize, b: usize) -> f64 {
        let row =
            |k: usize| -> f64 { (0..COUNT).map(|j| self.inverse[k][j] * self.values[b][j]).sum() };
        (0..COUNT).map(|k| self.values[a][k] * row(k)).sum()
    }

    /// The modes of a vertex, less their weighted mean.
    pub(crate) fn values(&self, member: usize) -> &[f64; COUNT] {
        &self.values[member]
    }

    /// Weights of the modes of two vertices in the match, 1/kg.
    pub(crate) fn inverse(&self) -> &[[f64; COUNT]; COUNT] {
        &self.inverse
    }

    /// Offset of a vertex from the centre under these modes, m.
    pub(crate) fn offset(&self, member: usize, modes: &[Vec3; COUNT]) -> Vec3 {
        modes.iter().zip(&self.values[member]).map(|(mode, x)| *x * *mode).sum()
    }
}

/// x, y, z, x², y², z², xy, yz, zx.
fn products(q: Vec3) -> [f64; COUNT] {
    [q.x, q.y, q.z, q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::VertexId;

    /// Corners, middles and centre of a cube, 27 in all.
    fn grid() -> (Vec<Member>, Vec<Vec3>) {
        let at = |k: usize| Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64);
        let offsets: Vec<Vec3> = (0..27).map(|k| at(k) - Vec3::ONE).collect();
        let member = |k: usize| Member { vertex: VertexId(k as u32), weight: 0.5 };
        ((0..27).map(member).collect(), offsets)
    }

    #[test]
    fn what_is_quadratic_is_matched_exactly() {
        let (members, offsets) = grid();
        let modes = Modes::new(&members, &offsets);
        let bent = |q: Vec3| Vec3::new(q.x + 0.1 * q.z * q.z, 1.2 * q.y, q.z + 0.3 * q.x * q.y);
        let mean: Vec3 = offsets.iter().map(|q| bent(*q)).sum::<Vec3>() / 27.0;
        let places = offsets.iter().map(|q| bent(*q) - mean);
        let found = modes.matched(&members, places, Mat3::IDENTITY, 1.0);
        for (k, offset) in offsets.iter().enumerate() {
            let goal = modes.offset(k, &found);
            assert!(goal.abs_diff_eq(bent(*offset) - mean, 1e-13), "{k} {goal}");
        }
    }

    #[test]
    fn without_a_share_of_the_match_goals_are_rigid() {
        let (members, offsets) = grid();
        let modes = Modes::new(&members, &offsets);
        let turn = Mat3::from_rotation_z(0.4);
        let found = modes.matched(&members, offsets.iter().map(|q| 2.0 * *q), turn, 0.0);
        for (k, offset) in offsets.iter().enumerate() {
            assert!(modes.offset(k, &found).abs_diff_eq(turn * *offset, 1e-14));
        }
    }

    #[test]
    fn flat_shapes_have_fewer_modes_and_are_matched_too() {
        let (mut members, mut offsets) = grid();
        members.truncate(9);
        offsets.truncate(9);
        offsets.iter_mut().for_each(|q| q.z = 0.0);
        let modes = Modes::new(&members, &offsets);
        let places = offsets.iter().map(|q| 1.5 * *q);
        let found = modes.matched(&members, places, Mat3::IDENTITY, 1.0);
        for (k, offset) in offsets.iter().enumerate() {
            assert!(modes.offset(k, &found).abs_diff_eq(1.5 * *offset, 1e-13));
        }
    }
}
