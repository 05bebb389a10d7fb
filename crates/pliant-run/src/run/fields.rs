//! Numbers of the fields in each frame of a recording, as the scene asks for them.
//!
//! Velocity, m/s, depth inside other bodies, m, and contact pressure, Pa, of each vertex; Cauchy
//! stress, Pa, and Green strain of each tet. What is not known is NaN: pressure where contacts are
//! not solved with the step and before the first one, stress and strain of tets without a law.

use pliant::force::deformation::{Deformation, SYMMETRIC};
use pliant::record::fields::{TetDeformations, contact_pressures};
use pliant::step::Simulation;
use pliant_plane::overlap::Measure;
use pliant_scene::loaded::LoadedScene;
use pliant_scene::spec::Field;

/// Computes the fields; keeps its memory from frame to frame.
#[derive(Debug)]
pub(super) struct FieldValues {
    fields: Vec<Field>,
    tets: TetDeformations,
    tet_count: usize,
    numbers: Vec<f64>,
    values: Vec<f32>,
}

impl FieldValues {
    /// The fields that a scene asks for.
    pub fn new(built: &LoadedScene) -> FieldValues {
        let (bodies, recorded) = (&built.world.simulation().system.bodies, &built.info.recorded);
        let needs_tets = recorded.fields.iter().any(|field| field.is_of_tets());
        FieldValues {
            fields: recorded.fields.clone(),
            tets: if needs_tets { TetDeformations::new(bodies) } else { Default::default() },
            tet_count: bodies.tets().len(),
            numbers: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Whether the contacts of the last step are needed, which no checkpoint has.
    pub fn needs_contacts(&self) -> bool {
        self.fields.contains(&Field::ContactPressure)
    }

    /// All numbers, field by field; `measure` has just measured this state.
    pub fn compute(&mut self, built: &LoadedScene, measure: &mut Measure) -> &[f32] {
        let simulation = built.world.simulation();
        let (state, bodies) = (&simulation.state, &simulation.system.bodies);
        self.values.clear();
        for field in self.fields.clone() {
            match field {
                Field::Velocity => {
                    let numbers = state.velocities.iter().flat_map(|v| v.to_array());
                    self.values.extend(numbers.map(|number| number as f32));
                    continue;
                }
                Field::Depth => measure.depths(&state.positions, bodies, &mut self.numbers),
                Field::ContactPressure => self.pressures(simulation, built.info.dt),
                Field::Stress => self.deformations(simulation, Deformation::cauchy),
                Field::Strain => self.deformations(simulation, Deformation::green),
            }
            self.values.extend(self.numbers.iter().map(|number| *number as f32));
        }
        &self.values
    }

    fn pressures(&mut self, simulation: &Simulation, dt: f64) {
        contact_pressures(simulation, dt, &mut self.numbers);
        if simulation.stepper.contact().is_none() || simulation.state.time == 0.0 {
            self.numbers.fill(f64::NAN);
        }
    }

    fn deformations(
        &mut self,
        simulation: &Simulation,
        listed: impl Fn(&Deformation) -> [f64; SYMMETRIC],
    ) {
        let FieldValues { tets, tet_count, numbers, .. } = self;
        numbers.clear();
        numbers.resize(SYMMETRIC * *tet_count, f64::NAN);
        tets.visit(simulation, |tet, deformation| {
            numbers[SYMMETRIC * tet..SYMMETRIC * (tet + 1)].copy_from_slice(&listed(deformation));
        });
    }
}
