//! Preconditioned conjugate gradients (PCG) with block-diagonal preconditioning.
//!
//! | here        | usual | meaning                                      |
//! |-------------|-------|----------------------------------------------|
//! | `residual`  | r     | right-hand side minus A x                    |
//! | `corrected` | z     | residual through the preconditioner          |
//! | `direction` | p     | search direction                             |
//! | `image`     | A p   | change of the residual along it              |
//!
//! Rows of pinned vertices are kept at zero in all of them, as in the filtered method of
//! [Baraff98 §5.3].

use std::cmp::Ordering;
use std::ops::Range;

use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec2, Vec3};
use crate::solve::linear::{Linear, LinearSettings, Operator, SolveError, Solved, dot, in_lanes};

/// Residuals below this, N·s, have squares that vanish: nothing is left to solve.
const VANISHED: f64 = 1e-140;

/// Scratch memory of the solver, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pcg {
    /// Inverse diagonal blocks.
    inverses: Vec<Mat3>,
    residual: Vec<Vec3>,
    corrected: Vec<Vec3>,
    direction: Vec<Vec3>,
    image: Vec<Vec3>,
    groups: Vec<Whole>,
}

/// Bodies that can only move together: one unknown of the coarse correction.
#[derive(Clone, Copy, Debug)]
struct Whole {
    /// The body that names the group.
    group: BodyId,
    /// Sum of the residual over the group, N·s.
    left: Vec3,
    /// Sum of the group's diagonal blocks, kg.
    sum: Mat3,
    is_held: bool,
}

/// How far [`Pcg::solve_relative`] solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    /// Tolerance and iterations.
    pub settings: LinearSettings,
    /// Share of the residual at the start that may be left.
    pub share: f64,
}

impl Pcg {
    /// Improves `x` until the residual is small enough.
    ///
    /// - Implements: [Baraff98 §5.3].
    /// - Deviates: the preconditioner is the inverse of the diagonal blocks, not of the
    ///   diagonal.
    pub(crate) fn solve(
        &mut self,
        linear: Linear<'_>,
        settings: LinearSettings,
        x: &mut [Vec3],
    ) -> Result<Solved, SolveError> {
        let Linear { matrix, right, held, .. } = linear;
        let solved = self.iterate(matrix, right, held, settings, x)?;
        self.coarse_correction(linear, x);
        Ok(solved)
    }

    /// The same for a matrix-free operator, without the coarse correction.
    pub(crate) fn iterate(
        &mut self,
        matrix: &dyn Operator,
        right: &[Vec3],
        held: &[VertexId],
        settings: LinearSettings,
        x: &mut [Vec3],
    ) -> Result<Solved, SolveError> {
        self.take_diagonal(matrix, x.len());
        self.solve_relative(matrix, right, held, Goal { settings, share: 0.0 }, x)
    }

    /// Takes the diagonal blocks of this many rows as preconditioner.
    pub(crate) fn take_diagonal(&mut self, matrix: &dyn Operator, rows: usize) {
        self.inverses.clear();
        self.inverses.extend((0..rows).map(|row| matrix.diagonal(row).inverse()));
    }

    /// Replaces the preconditioner of a row by the inverse of this diagonal block.
    pub(crate) fn set_diagonal(&mut self, row: usize, block: Mat3) {
        self.inverses[row] = block.inverse();
    }

    /// Improves `x` until the residual is within tolerance, or `share` of its start.
    ///
    /// The preconditioner is the one that was taken last.
    pub(crate) fn solve_relative(
        &mut self,
        matrix: &dyn Operator,
        right: &[Vec3],
        held: &[VertexId],
        Goal { settings, share }: Goal,
        x: &mut [Vec3],
    ) -> Result<Solved, SolveError> {
        let stopped = |iterations, residual| SolveError::NotConverged {
            solver: "conjugate gradient",
            iterations,
            residual,
            tolerance: settings.tolerance,
        };
        debug_assert_eq!(self.inverses.len(), x.len(), "diagonal blocks of another matrix");
        self.start(matrix, right, held, x);
        // Pinned rows of the right-hand side mean nothing: they must not set the scale.
        let held_size: f64 = held.iter().map(|v| right[v.index()].length_squared()).sum();
        let size = (dot(right, right) - held_size).max(0.0).sqrt();
        // Without loads, what pinned vertices pull at the start sets it.
        let start = dot(&self.residual, &self.residual).sqrt();
        let size = size.max(start);
        if !size.is_finite() {
            return Err(stopped(0, size));
        }
        let goal = (settings.tolerance * size).max(share * start);
        self.precondition();
        self.direction.clone_from(&self.corrected);
        let mut descent = dot(&self.residual, &self.corrected);
        let mut left = start;
        let mut iterations = 0;
        loop {
            let relative = if size > 0.0 { left / size } else { left };
            if left <= goal || left <= VANISHED {
                return Ok(Solved { iterations, residual: relative });
            }
            matrix.multiply(&self.direction, &mut self.image);
            clear(&mut self.image, held);
            let curvature = dot(&self.direction, &self.image);
            // Not positive: the matrix is not definite, or not finite.
            let stuck = curvature.partial_cmp(&0.0) != Some(Ordering::Greater);
            if stuck || iterations == settings.iterations {
                return Err(stopped(iterations, relative));
            }
            let length = descent / curvature;
            let next;
            (next, left) = self.advance(length, x);
            let keep = next / descent;
            descent = next;
            for (direction, corrected) in self.direction.iter_mut().zip(&self.corrected) {
                *direction = *corrected + keep * *direction;
            }
            iterations += 1;
        }
    }

    /// Residual of the guess.
    fn start(&mut self, matrix: &dyn Operator, right: &[Vec3], held: &[VertexId], x: &[Vec3]) {
        let Pcg { residual, corrected, direction, image, .. } = self;
        for vector in [&mut *residual, corrected, direction, image] {
            vector.resize(x.len(), Vec3::ZERO);
        }
        matrix.multiply(x, image);
        for (residual, (right, image)) in residual.iter_mut().zip(right.iter().zip(&*image)) {
            *residual = *right - *image;
        }
        clear(residual, held);
    }

    /// Steps by `length` along the direction; returns r·z and the norm of r there.
    ///
    /// One pass for all vectors, with the sums that [`dot`] would give.
    fn advance(&mut self, length: f64, x: &mut [Vec3]) -> (f64, f64) {
        let Pcg { inverses, residual, corrected, direction, image, .. } = self;
        let ways = direction.iter().zip(&*image).zip(&*inverses);
        let rows = x.iter_mut().zip(residual).zip(corrected).zip(ways);
        let sums = rows.map(|(((x, residual), corrected), ((direction, image), inverse))| {
            *x += length * *direction;
            *residual -= length * *image;
            *corrected = *inverse * *residual;
            Vec2::new(residual.dot(*corrected), residual.dot(*residual))
        });
        let sums = in_lanes(sums);
        (sums.x, sums.y.sqrt())
    }

    /// Translates every free body so that its summed residual vanishes.
    ///
    /// What is left of the residual would otherwise change its momentum.
    pub(crate) fn coarse_correction(&mut self, linear: Linear<'_>, x: &mut [Vec3]) {
        let Linear { matrix, right, held, bodies } = linear;
        let is_free = |body: &Range<usize>| {
            let first = held.partition_point(|vertex| vertex.index() < body.start);
            held.get(first).is_none_or(|vertex| vertex.index() >= body.end)
        };
        if !bodies.ranges(x.len()).any(|body| is_free(&body)) {
            return;
        }
        self.image.resize(x.len(), Vec3::ZERO);
        matrix.multiply(x, &mut self.image);
        for body in bodies.ranges(x.len()).filter(is_free) {
            let (mut left, mut whole) = (Vec3::ZERO, Mat3::ZERO);
            for row in body.clone() {
                left += right[row] - self.image[row];
                matrix.row(row).1.iter().for_each(|block| whole += *block);
                matrix.term_sum(row).iter().for_each(|sum| whole += *sum);
            }
            let shift = whole.inverse() * left;
            if shift.is_finite() {
                x[body].iter_mut().for_each(|x| *x += shift);
            }
        }
    }

    /// The same for bodies that are coupled in the matrix.
    ///
    /// `coarse_dofs` are groups with the rows that move together, ascending by row; groups with a
    /// pinned row stay. A term of low rank must couple rows of one body only.
    pub(crate) fn move_groups(
        &mut self,
        Linear { matrix, right, held, .. }: Linear<'_>,
        coarse_dofs: &[(BodyId, VertexId)],
        x: &mut [Vec3],
    ) {
        if coarse_dofs.is_empty() {
            return;
        }
        let Pcg { image, groups, .. } = self;
        image.resize(x.len(), Vec3::ZERO);
        matrix.multiply(x, image);
        let none = |group| Whole { group, left: Vec3::ZERO, sum: Mat3::ZERO, is_held: false };
        groups.clear();
        for (group, row) in coarse_dofs {
            let found = groups.binary_search_by_key(group, |whole| whole.group);
            let place = found.unwrap_or_else(|place| {
                groups.insert(place, none(*group));
                place
            });
            let whole = &mut groups[place];
            whole.is_held |= held.binary_search(row).is_ok();
            whole.left += right[row.index()] - image[row.index()];
            let (columns, blocks) = matrix.row(row.index());
            for (column, block) in columns.iter().zip(blocks) {
                if coarse_dofs.binary_search_by_key(column, |(_, vertex)| *vertex).is_ok() {
                    whole.sum += *block;
                }
            }
            matrix.term_sum(row.index()).iter().for_each(|sum| whole.sum += *sum);
        }
        for (group, row) in coarse_dofs {
            let found = groups.binary_search_by_key(group, |whole| whole.group);
            let Some(whole) = found.ok().map(|k| &groups[k]).filter(|whole| !whole.is_held) else {
                continue;
            };
            let shift = whole.sum.inverse() * whole.left;
            if shift.is_finite() {
                x[row.index()] += shift;
            }
        }
    }

    fn precondition(&mut self) {
        let rows = self.corrected.iter_mut().zip(self.inverses.iter().zip(&self.residual));
        rows.for_each(|(corrected, (inverse, residual))| *corrected = *inverse * *residual);
    }
}

fn clear(vector: &mut [Vec3], held: &[VertexId]) {
    held.iter().for_each(|vertex| vector[vertex.index()] = Vec3::ZERO);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::offsets::BodyOffsets;
    use crate::solve::linear::tests::{net, residual_of};

    fn solve(
        held: &[VertexId],
        settings: LinearSettings,
    ) -> Result<(Vec<Vec3>, Solved), SolveError> {
        let (matrix, right) = net();
        let mut x = vec![Vec3::ZERO; right.len()];
        held.iter().for_each(|v| x[v.index()] = Vec3::ONE);
        let linear =
            Linear { matrix: &matrix, right: &right, held, bodies: &BodyOffsets::default() };
        let solved = Pcg::default().solve(linear, settings, &mut x)?;
        Ok((x, solved))
    }

    #[test]
    fn the_residual_is_as_small_as_it_says() {
        for held in [&[][..], &[VertexId(0), VertexId(7)]] {
            let settings = LinearSettings { tolerance: 1e-10, ..LinearSettings::default() };
            let (x, solved) = solve(held, settings).unwrap();
            assert!(residual_of(&x, held) <= 1e-10 && solved.residual <= 1e-10, "{solved:?}");
            assert!(solved.iterations > 3, "{solved:?}");
            assert!(held.iter().all(|v| x[v.index()] == Vec3::ONE));
        }
    }

    #[test]
    fn a_share_is_enough_where_it_is_asked_for() {
        let (matrix, right) = net();
        let settings = LinearSettings { tolerance: 1e-10, ..LinearSettings::default() };
        let mut pcg = Pcg::default();
        let mut iterations = [0; 3];
        // From rest the whole residual is lacking; another block for a row only changes the path.
        for (k, (share, block)) in [(0.1, 1.0), (0.1, 1e3), (0.0, 1e3)].into_iter().enumerate() {
            let mut x = vec![Vec3::ZERO; right.len()];
            pcg.take_diagonal(&matrix, right.len());
            if block != 1.0 {
                pcg.set_diagonal(3, block * Mat3::IDENTITY);
            }
            let solved =
                pcg.solve_relative(&matrix, &right, &[], Goal { settings, share }, &mut x).unwrap();
            let most = if share > 0.0 { share } else { 1e-10 };
            assert!(residual_of(&x, &[]) <= 1.001 * most, "{solved:?}");
            // One iteration fewer would not do.
            x.fill(Vec3::ZERO);
            let fewer = LinearSettings { iterations: solved.iterations - 1, ..settings };
            let refused = pcg
                .solve_relative(&matrix, &right, &[], Goal { settings: fewer, share }, &mut x)
                .unwrap_err();
            let too_much = |error: &SolveError| match error {
                SolveError::NotConverged { residual, .. } => *residual > most,
                SolveError::Mismatch(_) => false,
            };
            assert!(solved.residual <= most && too_much(&refused), "{solved:?} {refused:?}");
            iterations[k] = solved.iterations;
        }
        assert!(iterations[0] < iterations[1] && iterations[1] < iterations[2], "{iterations:?}");
    }

    #[test]
    fn an_unfinished_solution_is_an_error_with_numbers() {
        let settings = LinearSettings { tolerance: 1e-10, iterations: 2, ..Default::default() };
        let message = solve(&[], settings).unwrap_err().to_string();
        assert!(message.starts_with("the conjugate gradient solver stopped after 2 iterations"));
    }

    #[test]
    fn even_a_rough_solution_moves_a_body_as_a_whole_exactly() {
        let settings = LinearSettings { tolerance: 0.3, ..LinearSettings::default() };
        let (x, solved) = solve(&[], settings).unwrap();
        assert!(solved.residual > 1e-3, "{solved:?}");
        let (matrix, right) = net();
        let mut image = right.clone();
        matrix.multiply(&x, &mut image);
        let left: Vec3 = right.iter().zip(&image).map(|(right, image)| *right - *image).sum();
        // The right-hand sides sum to some 200, with rounding in every product.
        assert!(left.length() < 200.0 * 1e-14, "{left}");
    }
}
