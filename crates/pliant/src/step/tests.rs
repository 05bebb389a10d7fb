//! What holds for every step.

use super::*;
use crate::body::soft::Masses;
use crate::force::{Corners, Material, StepRejection, Tangent};
use crate::integrate::euler::{Euler, EulerKind};
use crate::math::Mat3;

/// Refuses ways longer than `most` metres that begin before `until`.
#[derive(Debug)]
struct Leash {
    until: f64,
    most: f64,
}

impl Material<1> for Leash {
    fn count(&self) -> usize {
        1
    }

    fn vertices(&self, _element: usize) -> [VertexId; 1] {
        [VertexId(0)]
    }

    fn energy(&self, _element: usize, _at: &Corners<1>) -> f64 {
        0.0
    }

    fn forces(&self, _element: usize, _at: &Corners<1>) -> [Vec3; 1] {
        [Vec3::ZERO]
    }

    fn tangent(&self, _element: usize, _at: &Corners<1>, _tangent: Tangent) -> [[Mat3; 1]; 1] {
        [[Mat3::ZERO]]
    }

    fn refusal(&self, _: usize, before: &Corners<1>, after: &Corners<1>) -> Option<StepRejection> {
        let way = (after.positions[0] - before.positions[0]).length();
        let bound = before.positions[0].x < self.until && way > self.most;
        let vertex = VertexId(0);
        bound.then_some(StepRejection { vertex, what: "a way of", value: way, limit: self.most })
    }

    fn refuses(&self) -> bool {
        true
    }
}

/// A vertex that flies along x at 1 m/s from the origin.
fn flight(leash: Leash, max_halvings: u32) -> (Result<StepReport, StepError>, State) {
    let masses = Masses::new(vec![1.0]).unwrap();
    let mut system = System { masses, ..System::default() };
    system.forces.push(leash);
    let mut state = State::at_rest(vec![Vec3::ZERO]);
    state.velocities[0] = Vec3::X;
    let mut stepper =
        Stepper::new(Box::new(Euler::new(EulerKind::Symplectic))).with_halvings(max_halvings);
    (stepper.step(&mut system, &mut state, 1.0), state)
}

#[test]
fn a_step_is_cut_into_parts_that_are_allowed_and_add_up() {
    for (most, parts) in [(1.0, 1), (0.5, 2), (0.3, 4), (0.01, 128)] {
        let (report, state) = flight(Leash { until: 9.0, most }, 10);
        let report = report.unwrap();
        assert_eq!((report.substeps, report.halvings > 0), (parts, parts > 1));
        assert_eq!((state.positions[0], state.time), (Vec3::X, 1.0));
    }
}

#[test]
fn parts_grow_again_where_they_may() {
    // 16 parts of 1/64 to 0.25 m; then 1/32, 1/16, 1/8, 1/4, and 1/4 and 1/32 are left.
    let (report, state) = flight(Leash { until: 0.25, most: 1.0 / 64.0 }, 10);
    assert_eq!(report.unwrap().substeps, 22);
    assert_eq!((state.positions[0], state.time), (Vec3::X, 1.0));
}

#[test]
fn what_no_part_allows_is_told_with_numbers_and_changes_nothing() {
    let (report, state) = flight(Leash { until: 9.0, most: 0.1 }, 3);
    let error = report.unwrap_err();
    let wanted = "a step of 0.125 s, after 3 halvings, takes vertex 0 of body 0 to a way of 0.125 m, beyond 0.1 m";
    assert_eq!(error.to_string(), wanted);
    assert_eq!((state.positions[0], state.velocities[0], state.time), (Vec3::ZERO, Vec3::X, 0.0));
}

#[test]
fn a_step_that_leads_nowhere_is_not_cut() {
    let masses = Masses::new(vec![1.0]).unwrap();
    let mut system = System { masses, ..System::default() };
    let mut state = State::at_rest(vec![Vec3::ZERO]);
    let mut stepper = Stepper::new(Box::new(Euler::new(EulerKind::Symplectic))).with_halvings(70);
    let found = stepper.step(&mut system, &mut state, -1.0);
    assert_eq!(found, Err(StepError::TimeStep { dt: -1.0 }));
}
