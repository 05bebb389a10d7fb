//! Newton's method with line search, for equations that are not linear.
//!
//! | here     | formula | meaning                                              |
//! |----------|---------|------------------------------------------------------|
//! | `base`   | w       | end velocities so far, m/s                           |
//! | `change` | δ       | what the linear equations would add, m/s             |
//! | `right`  | g       | M (v̂ − w) + γ f, what the equations lack, N·s        |
//! | `merit`  |         | energy whose slope by w is −g, J                     |

use crate::force::{Form, StateView, Tangent};
use crate::integrate::implicit::{Implicit, assemble, finish_matrix};
use crate::integrate::{StepError, StepReport, System};
use crate::math::{Mat3, Vec3};
use crate::profile::{Stage, StageTimer};
use crate::solve::linear::{Linear, dot};

/// Part of the predicted decrease that a shortened Newton step must bring.
const ENOUGH: f64 = 1e-4;
/// Times that a Newton step is halved before it is given up.
const MOST_HALVINGS: usize = 12;
/// Residual, relative to the right-hand side, at which slow progress means rounding.
const STALLED: f64 = 1e-8;
/// Part of a residual that is left after an iteration without progress to speak of.
const SLOW: f64 = 0.5;
/// Corrections of positions below this many units in the last place change nothing.
const LAST_PLACES: f64 = 4.0;

impl Implicit {
    /// Newton's method from the linearised solution, or from rest where that overshoots.
    pub(super) fn newton(
        &mut self,
        system: &mut System,
        iterations: usize,
        tolerance: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        // Held vertices move, the others wait: the shape that Newton starts from.
        self.base.clear();
        self.base.resize(self.ends.len(), Vec3::ZERO);
        for vertex in system.pins.vertices() {
            self.base[vertex.index()] = self.ends[vertex.index()];
        }
        self.linearised(system, None, report)?;
        let size = free_size(system, &self.right);
        let rounding = self.rounding(system).max(STALLED * size);
        self.change.clear();
        self.change.extend(self.ends.iter().zip(&self.base).map(|(end, base)| *end - *base));
        let (mut before, mut left) = (f64::INFINITY, self.search(system)?);
        report.newton += 1;
        for done in 1..=iterations {
            report.residual = if size > 0.0 { left / size } else { left };
            let as_good_as_it_gets = left > SLOW * before && left <= rounding;
            if left <= tolerance * size || self.is_rounding() || as_good_as_it_gets {
                return Ok(());
            }
            if done == iterations || self.taken == 0.0 {
                break;
            }
            before = left;
            left = self.correct(system, report)?;
            report.newton += 1;
        }
        let residual = report.residual;
        Err(StepError::NotConverged { solver: "Newton", iterations, residual, tolerance })
    }

    /// Residual that positions off by their last places would bring.
    ///
    /// A body at rest has forces that cancel, and nothing but this on the right-hand side.
    fn rounding(&self, system: &System) -> f64 {
        let Some(matrix) = system.forces.matrix() else { return 0.0 };
        let answer = |(row, place): (usize, &Vec3)| {
            let Mat3 { x_axis, y_axis, z_axis } = matrix.diagonal(row);
            let stiffness = x_axis.x + y_axis.y + z_axis.z;
            crate::math::powi(stiffness * place.length(), 2)
        };
        let sum: f64 = self.stage.positions.iter().enumerate().map(answer).sum();
        LAST_PLACES * f64::EPSILON * sum.sqrt() / self.stage.span
    }

    /// One Newton iteration; returns what is left.
    ///
    /// After a whole step the exact stiffness is tried first: where a body is compressed the
    /// definite one is too stiff, and slender bodies would take dozens of iterations.
    fn correct(&mut self, system: &mut System, report: &mut StepReport) -> Result<f64, StepError> {
        if self.taken == 1.0 {
            match self.solve_change(system, Form::Exact, report) {
                Ok(()) => {
                    let left = self.search(system)?;
                    if self.taken > 0.0 {
                        return Ok(left);
                    }
                }
                Err(StepError::NotConverged { iterations, .. }) => report.linear += iterations,
                Err(error) => return Err(error),
            }
        }
        self.solve_change(system, Form::Definite, report)?;
        self.search(system)
    }

    /// Solves A δ = g for the change of the end velocities.
    fn solve_change(
        &mut self,
        system: &mut System,
        form: Form,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Implicit { settings, solvers, stage, trial, right, change, zeros, .. } = self;
        change.fill(Vec3::ZERO);
        match form {
            Form::Exact => {
                zeros.resize(change.len(), Vec3::ZERO);
                assemble_exact(system, trial.motion(), zeros, stage.span)?;
            }
            Form::Definite => assemble(system, trial.motion(), stage.span)?,
        }
        let Some(matrix) = system.forces.matrix() else { return Ok(()) };
        let (held, bodies) = (system.pins.vertices(), system.bodies.offsets());
        let linear = Linear { matrix, right, held, bodies };
        let _timer = StageTimer::new(&system.profiler, Stage::Solve);
        report.linear += solvers.solve(linear, settings.linear, change)?.iterations;
        Ok(())
    }

    /// Goes along `change` from `base` as far as it helps, and returns what is left.
    ///
    /// Leaves the new residual g in `right` and the new place in `base`, `ends` and `trial`.
    fn search(&mut self, system: &System) -> Result<f64, StepError> {
        self.ends.clone_from(&self.base);
        let before = self.merit(system);
        let left_before = self.find_residual(system).unwrap_or(f64::INFINITY);
        // A change that leads up must not be taken for one that leads down.
        let slope = -dot(&self.right, &self.change).max(0.0);
        let mut length = 1.0;
        for _ in 0..=MOST_HALVINGS {
            for k in 0..self.ends.len() {
                self.ends[k] = self.base[k] + length * self.change[k];
            }
            let merit = self.merit(system);
            if let Ok(left) = self.find_residual(system) {
                let fewer = left <= (1.0 - ENOUGH * length) * left_before;
                if fewer || merit <= before + ENOUGH * length * slope {
                    self.base.clone_from(&self.ends);
                    self.taken = length;
                    return Ok(left);
                }
            }
            length *= 0.5;
        }
        // No way down: the caller judges what is there.
        self.ends.clone_from(&self.base);
        self.taken = 0.0;
        self.find_residual(system)
    }

    /// Puts `trial` at the end velocities.
    fn place_trial(&mut self) {
        let Implicit { stage, trial, ends, .. } = self;
        trial.positions.clear();
        let moved = stage.positions.iter().zip(&*ends);
        trial.positions.extend(moved.map(|(x, w)| *x + stage.span * *w));
        trial.velocities.clone_from(ends);
        trial.time = stage.time;
    }

    /// Fills `right` with g = M (v̂ − w) + γ f, and returns its size over free vertices.
    fn find_residual(&mut self, system: &System) -> Result<f64, StepError> {
        self.place_trial();
        let Implicit { stage, trial, ends, forces, right, .. } = self;
        system.sum_forces(trial.motion(), forces)?;
        right.clear();
        let change = stage.velocities.iter().zip(&*ends).zip(system.masses.of());
        right.extend(change.zip(&*forces).map(|(((v, w), m), f)| *m * (*v - *w) + stage.span * *f));
        system.pins.vertices().iter().for_each(|vertex| right[vertex.index()] = Vec3::ZERO);
        Ok(dot(right, right).sqrt())
    }

    /// Energy whose slope the residual is, damping at its present strength included, J.
    fn merit(&mut self, system: &System) -> f64 {
        self.place_trial();
        let Implicit { stage, trial, ends, forces, .. } = self;
        let inertia: f64 = {
            let terms = stage.velocities.iter().zip(&*ends).zip(system.masses.of());
            terms.map(|((v, w), m)| 0.5 * m * (*w - *v).length_squared()).sum()
        };
        let stored = system.forces.energy(trial.motion());
        system.forces.sum(trial.motion(), forces);
        let moving = dot(ends, forces);
        trial.velocities.fill(Vec3::ZERO);
        system.forces.sum(trial.motion(), forces);
        let lost = 0.5 * stage.span * (dot(ends, forces) - moving);
        inertia + stored + lost
    }

    /// Whether the last change is too small to move any coordinate.
    fn is_rounding(&self) -> bool {
        let largest = |vectors: &[Vec3]| {
            vectors.iter().fold(0.0, |most: f64, v| most.max(v.abs().max_element()))
        };
        let moved = self.stage.span * largest(&self.change);
        moved <= LAST_PLACES * f64::EPSILON * largest(&self.stage.positions)
    }
}

/// Builds A with the exact stiffness of what does not move, given zeros in `zeros`.
///
/// Symmetric where forces have an energy, and mostly definite where that is near its minimum.
/// Exact damping is neither, so that it keeps its definite form.
fn assemble_exact(
    system: &mut System,
    motion: StateView<'_>,
    zeros: &[Vec3],
    span: f64,
) -> Result<(), StepError> {
    let stiffness = Tangent { stiffness: span * span, damping: 0.0, form: Form::Exact };
    let damping = Tangent { stiffness: 0.0, damping: span, form: Form::Definite };
    system.forces.assemble(StateView { velocities: zeros, ..motion }, stiffness)?;
    system.forces.assemble_more(motion, damping);
    finish_matrix(system, motion.time)
}

/// Size of a vector over the vertices that are not held.
fn free_size(system: &System, vector: &[Vec3]) -> f64 {
    let held: f64 = system.pins.vertices().iter().map(|v| vector[v.index()].length_squared()).sum();
    (dot(vector, vector) - held).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use crate::body::soft::{Masses, State};
    use crate::force::{Corners, Material, Tangent};
    use crate::id::VertexId;
    use crate::integrate::implicit::{Equations, Implicit, ImplicitSettings};
    use crate::integrate::{Integrator, System};
    use crate::math::{Mat3, Vec3};

    /// Draws to the plane x = 0 with the same force from everywhere, N.
    #[derive(Debug)]
    struct Kink(f64);

    impl Material<1> for Kink {
        fn count(&self) -> usize {
            1
        }

        fn vertices(&self, _element: usize) -> [VertexId; 1] {
            [VertexId(0)]
        }

        fn energy(&self, _element: usize, at: &Corners<1>) -> f64 {
            self.0 * at.positions[0].x.abs()
        }

        fn forces(&self, _element: usize, at: &Corners<1>) -> [Vec3; 1] {
            [-self.0 * at.positions[0].x.signum() * Vec3::X]
        }

        fn tangent(&self, _element: usize, _at: &Corners<1>, _: Tangent) -> [[Mat3; 1]; 1] {
            [[Mat3::ZERO]]
        }
    }

    fn step(force: f64) -> Result<f64, String> {
        let masses = Masses::new(vec![1.0]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(Kink(force));
        let equations = Equations::Newton { iterations: 50, tolerance: 1e-6 };
        let settings = ImplicitSettings { equations, ..ImplicitSettings::default() };
        let mut state = State::at_rest(vec![Vec3::X]);
        let made = Implicit::new(settings).step(&mut system, &mut state, 1.0);
        made.map(|_| state.positions[0].x).map_err(|error| error.to_string())
    }

    #[test]
    fn equations_without_a_solution_are_an_error() {
        assert_eq!(step(0.25), Ok(0.75)); // ends before the plane: x = 1 − 1/4 · 1²
        // The step would end on the plane, where the force is not −10 N and not 10 N.
        let error = step(10.0).unwrap_err();
        assert!(error.starts_with("the Newton solver stopped after"), "{error}");
    }
}
