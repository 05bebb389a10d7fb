//! Cut points on lattice edges, and lattice points moved to those that are too near.
//!
//! A cut point nearer to an end of its edge than a share α of the edge violates that lattice
//! point. Lattice points that are violated move to the cut point, one after the other, and are on the
//! surface then: their edges have no cut points any more. What is left is well away from both
//! ends, and so no tet is flat.
//!
//! - Implements: [Labelle07 abstract], cut points and warping.
//! - Deviates: of several cut points that violate a point, the nearest is taken;
//!   [Labelle07 abstract] does not say which.
//!
//! | here          | paper   | meaning                                |
//! |---------------|---------|----------------------------------------|
//! | `ALPHA_LONG`  | α_long  | share of a long edge, length `size`    |
//! | `ALPHA_SHORT` | α_short | share of a short one, √3/2 of `size`   |

use super::bcc::{Lattice, Point, STEPS, is_long};
use super::shell::Shell;
use super::stencil::Sign;
use crate::math::Vec3;
use crate::par;

/// Share of a long edge within which a cut point violates an end.
const ALPHA_LONG: f64 = 0.24999;

/// Share of a short edge within which a cut point violates an end.
const ALPHA_SHORT: f64 = 0.41189;

/// Parts into which work is divided; the result does not depend on it.
const CHUNKS: usize = 64;

/// Where the surface crosses a lattice edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// Numbers of the ends: inside, outside.
    pub ends: [u32; 2],
    /// Share of the way from the end inside.
    pub share: f64,
}

/// Signs of all lattice points, and where they are when they have moved.
pub(super) struct Warped {
    /// By number of the lattice point.
    pub signs: Vec<Sign>,
    /// Those that moved with their new positions, m; ascending.
    pub moved: Vec<(u32, Vec3)>,
    /// All cut_points, ascending by their ends; those at points on the surface are void.
    pub cut_points: Vec<Cut>,
}

/// Share of an edge within which a cut point violates an end; the edge is given by its step.
pub(super) fn violation_distance(step: Point) -> f64 {
    if is_long(step, [0; 3]) { ALPHA_LONG } else { ALPHA_SHORT }
}

impl Warped {
    /// Finds signs and cut_points, and moves the points that are violated, in the order of numbers.
    pub(super) fn new(lattice: &Lattice, shell: &Shell) -> Warped {
        let mut signs = signs(lattice, shell);
        let mut cut_points = cut_edges(lattice, &signs);
        let offsets = par::even_offsets(cut_points.len(), CHUNKS);
        par::chunks(&mut cut_points, &offsets, |_, cut_points| {
            for cut in cut_points {
                let [inside, outside] =
                    cut.ends.map(|end| lattice.position(lattice.point(end as usize)));
                cut.share = shell.leave(inside, outside);
            }
        });
        let moved = warp(lattice, &cut_points, &mut signs);
        Warped { signs, moved, cut_points }
    }

    /// Where a lattice point is after warping, m.
    pub(super) fn position(&self, lattice: &Lattice, number: u32) -> Vec3 {
        match self.moved.binary_search_by_key(&number, |entry| entry.0) {
            Ok(at) => self.moved[at].1,
            Err(_) => lattice.position(lattice.point(number as usize)),
        }
    }

    /// The number of the cut between two points, if there is one.
    pub(super) fn cut(&self, ends: [u32; 2]) -> Option<usize> {
        self.cut_points.binary_search_by_key(&ends, |cut| cut.ends).ok()
    }
}

impl Cut {
    /// Where it is, m.
    pub(super) fn position(&self, lattice: &Lattice) -> Vec3 {
        let [inside, outside] = self.ends.map(|end| lattice.position(lattice.point(end as usize)));
        inside + self.share * (outside - inside)
    }
}

/// Inside or outside for every lattice point, row by row.
fn signs(lattice: &Lattice, shell: &Shell) -> Vec<Sign> {
    let mut inside = vec![false; lattice.len()];
    let row_len = lattice.row_len();
    let rows = par::even_offsets(lattice.len() / row_len, CHUNKS);
    let offsets: Vec<_> = rows.iter().map(|row| row * row_len).collect();
    par::chunks(&mut inside, &offsets, |number, chunk| {
        for (k, row) in chunk.chunks_mut(row_len).enumerate() {
            let first = lattice.point(offsets[number] + k * row_len);
            shell.insides(lattice.position(first), lattice.size, row);
        }
    });
    inside.into_iter().map(|inside| if inside { Sign::Inside } else { Sign::Outside }).collect()
}

/// All edges from inside to outside, ascending; where they are cut is not known yet.
fn cut_edges(lattice: &Lattice, signs: &[Sign]) -> Vec<Cut> {
    let mut cut_points = Vec::new();
    for (number, _) in signs.iter().enumerate().filter(|(_, sign)| **sign == Sign::Inside) {
        let point = lattice.point(number);
        let start = cut_points.len();
        for step in STEPS {
            let Some(other) = lattice.neighbour(point, step) else { continue };
            let other = lattice.index(other);
            if signs[other] == Sign::Outside {
                cut_points.push(Cut { ends: [number as u32, other as u32], share: 0.0 });
            }
        }
        cut_points[start..].sort_unstable_by_key(|cut| cut.ends);
    }
    cut_points
}

/// Moves violated points to their nearest cut points; returns them with their new positions.
fn warp(lattice: &Lattice, cut_points: &[Cut], signs: &mut [Sign]) -> Vec<(u32, Vec3)> {
    let of_ends = cut_points.iter().enumerate().flat_map(|(k, cut)| cut.ends.map(|end| (end, k)));
    let mut at_points: Vec<(u32, usize)> = of_ends.collect();
    at_points.sort_unstable();
    let mut moved = Vec::new();
    for group in at_points.chunk_by(|a, b| a.0 == b.0) {
        let point = group[0].0;
        let mut nearest: Option<(f64, usize)> = None;
        for &(_, k) in group {
            let cut = cut_points[k];
            if cut.ends.iter().any(|&end| signs[end as usize] == Sign::Surface) {
                continue;
            }
            let [inside, outside] = cut.ends.map(|end| lattice.point(end as usize));
            let step: Point = std::array::from_fn(|axis| outside[axis] - inside[axis]);
            let share = if cut.ends[0] == point { cut.share } else { 1.0 - cut.share };
            let length = Vec3::from(step.map(f64::from)).length();
            let violates = share < violation_distance(step);
            if violates && nearest.is_none_or(|(distance, _)| share * length < distance) {
                nearest = Some((share * length, k));
            }
        }
        if let Some((_, k)) = nearest {
            signs[point as usize] = Sign::Surface;
            moved.push((point, cut_points[k].position(lattice)));
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::ball::ball;
    use crate::mesh::tet::TetMesh;

    fn warped() -> (Lattice, Shell, Warped) {
        let (mesh, _) = TetMesh::from_raw(ball(1.0, 6).unwrap()).unwrap();
        let shell = Shell::new(mesh.positions(), mesh.surface());
        let lattice = Lattice::around(shell.bounds(), 0.3, 1e6).unwrap();
        let warped = Warped::new(&lattice, &shell);
        (lattice, shell, warped)
    }

    #[test]
    fn cut_points_that_are_left_are_far_from_both_ends() {
        let (lattice, shell, warped) = warped();
        let on_surface = |end: u32| warped.signs[end as usize] == Sign::Surface;
        let mut left = 0;
        for cut in &warped.cut_points {
            assert!(shell.distance(cut.position(&lattice)) < 1e-14);
            if cut.ends.iter().any(|&end| on_surface(end)) {
                continue;
            }
            left += 1;
            let [a, b] = cut.ends.map(|end| lattice.point(end as usize));
            let near = if is_long(a, b) { ALPHA_LONG } else { ALPHA_SHORT };
            assert!((near..=1.0 - near).contains(&cut.share), "{cut:?}");
        }
        assert!(left > 0 && !warped.moved.is_empty());
    }

    #[test]
    fn moved_points_are_on_the_surface_and_near_their_places() {
        let (lattice, shell, warped) = warped();
        let count = warped.signs.iter().filter(|sign| **sign == Sign::Surface).count();
        assert_eq!(count, warped.moved.len());
        for &(number, position) in &warped.moved {
            assert!(shell.distance(position) < 1e-14);
            assert_eq!(warped.position(&lattice, number), position);
            let from = lattice.position(lattice.point(number as usize));
            let most = (ALPHA_SHORT * 0.75_f64.sqrt()).max(ALPHA_LONG) * lattice.size;
            assert!(position.distance(from) <= most);
        }
    }
}
