//! What touches: the bodies of a run as its contact sees them.
//!
//! Where fine surfaces are used for contact, overlap is that of these surfaces; the boundary of the
//! tets below may overlap, and nobody sees it. Tets are judged as they are.

use pliant::body::Bodies;
use pliant::contact::carried::ContactSurfaces;
use pliant::math::Vec3;
use pliant::record::overlap::Overlap;
use pliant::step::Simulation;
use pliant_plane::overlap::Measure;

/// Measures the overlap of what touches.
#[derive(Debug)]
pub struct ContactMeasure {
    /// All bodies as they are.
    pub bodies: Measure,
    /// The same with fine surfaces in place of some, where contact uses them.
    fine: Option<Measure>,
}

impl ContactMeasure {
    /// Prepares for a run.
    pub fn new(simulation: &Simulation) -> ContactMeasure {
        let apart = simulation.system.rigids.attached_pairs();
        let of = |positions: &[Vec3], bodies: &Bodies| {
            Measure::new(positions, bodies).leaving_out(apart.clone())
        };
        let positions = &simulation.state.positions;
        let fine = surfaces(simulation).map(|s| of(&s.place(positions), s.bodies()));
        ContactMeasure { bodies: of(positions, &simulation.system.bodies), fine }
    }

    /// Measures the present state.
    pub fn measure(&mut self, simulation: &Simulation) -> Overlap {
        let positions = &simulation.state.positions;
        let overlap = self.bodies.measure(positions, &simulation.system.bodies);
        match (&mut self.fine, surfaces(simulation)) {
            (Some(fine), Some(surfaces)) => {
                let touching = fine.measure(&surfaces.place(positions), surfaces.bodies());
                let Overlap { inverted_tets, non_finite_bodies, .. } = overlap;
                Overlap { inverted_tets, non_finite_bodies, ..touching }
            }
            _ => overlap,
        }
    }

    /// Vertices inside each body's others, counted into `counts`, when last measured.
    pub fn count_penetrating(&self, simulation: &Simulation, counts: &mut [usize]) {
        counts.fill(0);
        let (measure, bodies) = match (&self.fine, surfaces(simulation)) {
            (Some(fine), Some(surfaces)) => (fine, surfaces.bodies()),
            _ => (&self.bodies, &*simulation.system.bodies),
        };
        for vertex in measure.penetrating() {
            if let Some(count) = counts.get_mut(bodies.body_of(vertex).index()) {
                *count += 1;
            }
        }
    }

    /// Two bodies whose edges cross, when last measured; where none do, the one with most vertices
    /// inside others.
    pub fn overlapping(&self, simulation: &Simulation) -> Vec<usize> {
        let touching = self.fine.as_ref().unwrap_or(&self.bodies);
        if let Some((a, b)) = touching.crossing_pairs().first() {
            return vec![a.index(), b.index()];
        }
        let mut counts = vec![0; simulation.system.bodies.len()];
        self.count_penetrating(simulation, &mut counts);
        let most = counts.iter().copied().max().unwrap_or(0);
        counts.iter().position(|count| most > 0 && *count == most).into_iter().collect()
    }
}

/// Places of all that touches, m.
pub fn places(simulation: &Simulation) -> Vec<Vec3> {
    let positions = &simulation.state.positions;
    surfaces(simulation).map_or_else(|| positions.clone(), |surfaces| surfaces.place(positions))
}

fn surfaces(simulation: &Simulation) -> Option<&ContactSurfaces> {
    simulation.stepper.contact()?.surfaces()
}
