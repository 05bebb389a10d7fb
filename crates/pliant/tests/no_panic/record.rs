//! Measures of a run.

use pliant::body::Bodies;
use pliant::force::deformation::von_mises;
use pliant::id::BodyId;
use pliant::integrate::StepReport;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::math::Vec3;
use pliant::profile::{Profiler, ProfilerRef, Stage, StageTimer};
use pliant::record::body_row::{BodyMotion, body_energies, motion_kinds};
use pliant::record::contact_load::ContactLoads;
use pliant::record::energy::EnergyLedger;
use pliant::record::fields::{TetDeformations, contact_pressures};
use pliant::record::overlap::{Measure, Overlap};
use pliant::record::row::SeriesRow;
use pliant::snapshot::Snapshot;
use pliant::step::{Simulation, Stepper};
use proptest::prelude::*;

use crate::force::forces;
use crate::{Scene, body, config, disturbed, number, vectors};

/// Counts nothing.
#[derive(Debug)]
struct Deaf;

impl Profiler for Deaf {
    fn begin(&self, _stage: Stage) {}

    fn end(&self, _stage: Stage) {}
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn overlap_is_measured_or_unknown(
        (first, second) in (disturbed(Scene::new().rest), disturbed(Scene::new().rest)),
        pairs in prop::collection::vec((body(), body()), 0..4),
    ) {
        let scene = Scene::new();
        let mut measure = Measure::new(&first, &scene.bodies).leaving_out(pairs);
        let _ = measure.measure(&second, &scene.bodies);
        let _ = (measure.penetrating(), measure.crossing_pairs());
        measure.depths(&second, &scene.bodies, &mut Vec::new());
        measure.depths(first.get(1..).unwrap_or_default(), &scene.bodies, &mut Vec::new());
        let others = Bodies::of_particles([16]).unwrap();
        prop_assert!(measure.measure(&scene.rest, &others).max_depth.is_nan());
    }

    #[test]
    fn ledgers_and_rows_take_any_state(
        (positions, velocities) in (disturbed(Scene::new().rest), disturbed(vec![Vec3::ZERO; 16])),
        (size, dt, gain) in (number(), number(), number()),
        numbers in prop::collection::vec(number(), 0..10),
    ) {
        let scene = Scene::new();
        let mut system = scene.system();
        system.forces = forces(&scene);
        let stepper = Stepper::new(Box::new(Euler::new(EulerKind::Symplectic)));
        let mut simulation = Simulation::new(scene.state(), system, stepper);
        simulation.state.positions = positions;
        simulation.state.velocities = velocities;
        let mut ledger = EnergyLedger::new(&simulation, size, dt);
        let report = StepReport { energy_input: gain, ..StepReport::default() };
        ledger.pass(&report);
        let _ = (ledger.enter(&simulation, &report), ledger.input());
        let mut snapshot = Snapshot::default();
        ledger.save(&mut snapshot);
        let _ = ledger.restore(&mut Snapshot::from_numbers(numbers));
        let _ = SeriesRow::of(&simulation, Overlap::default()).values();
        let energy = body_energies(&simulation, &mut Vec::new());
        let _ = SeriesRow::with_energy(&simulation, Overlap::default(), energy);
        let kinds = motion_kinds(&simulation);
        let _ = kinds.first().map(|kind| kind.name());
        for body in simulation.system.bodies.ids().chain([BodyId(99)]) {
            let _ = BodyMotion::of(&simulation, body);
        }
        TetDeformations::new(&simulation.system.bodies).visit(&simulation, |_, deformation| {
            let _ = (von_mises(deformation.cauchy()), deformation.green());
        });
        contact_pressures(&simulation, dt, &mut Vec::new());
        let mut loads = ContactLoads::default();
        loads.update(&simulation, dt);
        loads.set(loads.obstacles().to_vec(), loads.bodies().to_vec());
    }

    #[test]
    fn snapshots_hold_any_number(numbers in prop::collection::vec(number(), 0..12), list in vectors(3)) {
        let mut snapshot = Snapshot::from_numbers(numbers);
        let mut vectors = Vec::new();
        let _ = (snapshot.read_vectors("test", &mut vectors), snapshot.read("test"));
        let _ = (snapshot.is_read(), snapshot.numbers());
        snapshot.write(f64::NAN);
        snapshot.write_vectors(&list);
        snapshot.clear();
    }
}

#[test]
fn timers_end() {
    let profiler: ProfilerRef = Some(std::sync::Arc::new(Deaf));
    drop(StageTimer::new(&profiler, Stage::Force));
    drop(StageTimer::new(&None, Stage::Force));
    assert_eq!(Stage::Force.name(), "force");
}
