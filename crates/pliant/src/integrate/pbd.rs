//! Position-based dynamics (PBD) on top of Verlet: predict, then project.

use crate::body::soft::State;
use crate::integrate::constraint::{Constraints, PbdSettings, Relaxation};
use crate::integrate::verlet::{VelocityKind, Verlet};
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// Verlet's step with position constraints.
///
/// Positions are projected after the prediction, and the velocity takes part in the shift. At
/// the end the constraints that acted remove from the velocities what would violate them anew, so
/// that what hangs at rest has no velocity. A number of sweeps that did not suffice is no error:
/// [`Pbd::last`] reports what is left. [`StepReport::linear`] counts sweeps over positions.
///
/// - Implements: [Zachmann slide "Constraints"].
/// - Deviates: velocities are corrected as in [Andersen83 pp. 24–34]; the slide has none.
#[derive(Debug)]
pub struct Pbd {
    /// The integrator below.
    verlet: Verlet,
    constraints: Constraints,
    settings: PbdSettings,
    /// Inverse mass 1/m of each vertex, 0 for pinned ones, 1/kg.
    inv_masses: Vec<f64>,
    /// Positions before the projection, m.
    predicted: Vec<Vec3>,
    /// Whether each constraint moved something in this step.
    acted: Vec<bool>,
    last: [Relaxation; 2],
}

impl Pbd {
    /// Verlet's step of a kind, with constraints.
    pub fn new(kind: VelocityKind, constraints: Constraints, settings: PbdSettings) -> Pbd {
        Pbd {
            verlet: Verlet::new(kind),
            constraints,
            settings,
            inv_masses: Vec::new(),
            predicted: Vec::new(),
            acted: Vec::new(),
            last: [Relaxation::default(); 2],
        }
    }

    /// Statistics of the last step: of positions, m, and of velocities, m/s.
    pub fn last(&self) -> [Relaxation; 2] {
        self.last
    }

    /// Moves the predicted positions, and the velocities that lead there.
    fn relax_prediction(&mut self, system: &System, dt: f64) -> Relaxation {
        self.inv_masses.clear();
        self.inv_masses.extend(system.masses.of().iter().map(|mass| mass.recip()));
        for vertex in system.pins.vertices() {
            self.inv_masses[vertex.index()] = 0.0;
        }
        let time = self.verlet.next().time;
        let (positions, half) = self.verlet.predicted();
        self.predicted.clear();
        self.predicted.extend_from_slice(positions);
        let Pbd { constraints, inv_masses, settings, acted, .. } = self;
        let found = constraints.project_positions(positions, inv_masses, time, *settings, acted);
        for (k, velocity) in half.iter_mut().enumerate() {
            *velocity += (positions[k] - self.predicted[k]) / dt;
        }
        found
    }
}

impl Integrator for Pbd {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        system.check_step(state, dt)?;
        let (count, expected) = (state.positions.len(), self.constraints.vertex_count());
        if count != expected {
            return Err(StepError::Count { what: "constraints", count, expected });
        }
        self.verlet.predict(system, state, dt)?;
        let shifts = self.relax_prediction(system, dt);
        let report = self.verlet.settle(system, dt)?;
        let Pbd { verlet, constraints, inv_masses, acted, settings, .. } = self;
        let speeds = constraints.relax_velocities(verlet.next(), inv_masses, acted, dt, *settings);
        self.verlet.accept(system, state, dt)?;
        self.last = [shifts, speeds];
        let residual = if shifts.start > 0.0 { shifts.residual / shifts.start } else { 0.0 };
        Ok(StepReport { linear: shifts.sweeps, residual, hides_energy: true, ..report })
    }

    fn stable_step(&self) -> Option<f64> {
        self.verlet.stable_step()
    }

    fn save(&self, memory: &mut Snapshot) {
        self.verlet.save(memory);
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.verlet.restore(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::pins::Pins;
    use crate::body::soft::Masses;
    use crate::force::gravity::Gravity;
    use crate::id::VertexId;
    use crate::integrate::constraint::PositionConstraint;

    /// m/s².
    const G: f64 = 9.81;
    /// Time step, s.
    const DT: f64 = 1e-3;
    /// Of lengths of about 1 m that were projected to a millionth of a millimetre.
    const RELAXED: f64 = 1e-9;
    /// Of velocities then: ten times that length in one step, for what sweeps leave.
    const STILL: f64 = 10.0 * RELAXED / DT;
    /// Of the period of a pendulum, s: Verlet's error, (ω dt)²/24 of it, is far below.
    const PERIOD_TOLERANCE: f64 = 1e-5;
    /// Of a chain 30 s after its start, m and m/s; the slowest swing has all but gone.
    const SETTLED: f64 = 1e-3;
    fn link([a, b]: [u32; 2], length: f64) -> PositionConstraint {
        PositionConstraint::Distance { ends: [VertexId(a), VertexId(b)], length }
    }

    fn rope([a, b]: [u32; 2], length: f64) -> PositionConstraint {
        PositionConstraint::AtMost { ends: [VertexId(a), VertexId(b)], length }
    }

    /// Masses of 1 kg in a row, 1 m apart, that fall; the first is pinned.
    fn row(count: usize) -> (System, State) {
        let state = State::at_rest((0..count).map(|k| k as f64 * Vec3::X).collect());
        let masses = Masses::new(vec![1.0; count]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.pins = Pins::still(&[VertexId(0)], &state.positions).unwrap();
        system.forces.push(Gravity::new(-G * Vec3::Z, &vec![1.0; count]));
        (system, state)
    }

    fn relaxed(list: Vec<PositionConstraint>, count: usize, tolerance: f64) -> Pbd {
        let constraints = Constraints::new(list, Vec::new(), count).unwrap();
        let settings = PbdSettings { tolerance, sweeps: 1000 };
        Pbd::new(VelocityKind::Central, constraints, settings)
    }

    #[test]
    fn a_pendulum_swings_in_its_time() {
        let (mut system, mut state) = row(2);
        let angle = 0.05_f64;
        state.positions[1] = Vec3::new(libm::sin(angle), 0.0, -libm::cos(angle));
        let mut integrator = relaxed(vec![link([0, 1], 1.0)], 2, RELAXED);
        let (mut crossings, mut before) = (Vec::new(), state.positions[1].x);
        while crossings.len() < 3 {
            integrator.step(&mut system, &mut state, DT).unwrap();
            let x = state.positions[1].x;
            if x * before < 0.0 {
                crossings.push(state.time - DT * x / (x - before));
            }
            before = x;
        }
        // Period 2π √(l/g) (1 + θ²/16 + …).
        let expected = std::f64::consts::TAU / G.sqrt() * (1.0 + angle * angle / 16.0);
        let period = crossings[2] - crossings[0];
        assert!((period - expected).abs() < PERIOD_TOLERANCE, "{period} {expected}");
    }

    #[test]
    fn a_chain_hangs_and_comes_to_rest() {
        use crate::force::drag::{Drag, DragLaw};
        let (mut system, mut state) = row(6);
        system.forces.push(Drag::new(DragLaw::Linear, vec![4.0; 6], Vec3::ZERO).unwrap());
        let links = (0..5).map(|k| link([k, k + 1], 1.0)).collect();
        let mut integrator = relaxed(links, 6, 1e-7);
        for _ in 0..3000 {
            integrator.step(&mut system, &mut state, 0.01).unwrap();
        }
        for (k, (place, velocity)) in state.positions.iter().zip(&state.velocities).enumerate() {
            assert!(place.abs_diff_eq(-(k as f64) * Vec3::Z, SETTLED), "{k}: {place}");
            assert!(velocity.length() < SETTLED, "{k}: {velocity}");
        }
        let [shifts, speeds] = integrator.last();
        assert!(shifts.residual <= 1e-7 && speeds.residual <= 1e-5, "{shifts:?} {speeds:?}");
    }

    #[test]
    fn a_rope_goes_slack_and_catches() {
        let (mut system, mut state) = row(2);
        state.positions[1] = 0.5 * Vec3::Z; // half a metre above the pin
        let mut integrator = relaxed(vec![rope([0, 1], 1.0)], 2, RELAXED);
        let free = (2.0 * 1.5 / G).sqrt(); // s to fall 1.5 m
        while state.time < free - 0.01 {
            integrator.step(&mut system, &mut state, DT).unwrap();
        }
        let fallen = 0.5 - 0.5 * G * state.time * state.time;
        assert!((state.positions[1].z - fallen).abs() < RELAXED);
        for _ in 0..100 {
            integrator.step(&mut system, &mut state, DT).unwrap();
        }
        assert!(
            (state.positions[1].z + 1.0).abs() < RELAXED && state.velocities[1].z.abs() < STILL
        );
    }

    #[test]
    fn a_rising_floor_carries_what_lies_on_it() {
        let (mut system, mut state) = row(2);
        let floor = Box::new(|point: Vec3, time: f64| (point.z - 0.5 * time, Vec3::Z));
        let rules = vec![PositionConstraint::Outside { vertex: VertexId(1), obstacle: 0 }];
        let constraints = Constraints::new(rules, vec![floor], 2).unwrap();
        let settings = PbdSettings { tolerance: RELAXED, sweeps: 10 };
        let mut integrator = Pbd::new(VelocityKind::Central, constraints, settings);
        for _ in 0..1000 {
            integrator.step(&mut system, &mut state, DT).unwrap();
        }
        assert!(state.positions[1].abs_diff_eq(Vec3::new(1.0, 0.0, 0.5), RELAXED));
        assert!(state.velocities[1].abs_diff_eq(0.5 * Vec3::Z, STILL), "{}", state.velocities[1]);
        assert_eq!(state.positions[0], Vec3::ZERO); // the pinned one stays
    }

    #[test]
    fn a_state_of_another_scene_is_refused() {
        let (mut system, mut state) = row(3);
        let found = relaxed(vec![link([0, 1], 1.0)], 2, 1e-9).step(&mut system, &mut state, 0.1);
        assert_eq!(
            found.unwrap_err().to_string(),
            "the state has 3 vertices, the constraints were made for 2"
        );
    }
}
