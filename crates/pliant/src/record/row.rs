//! One row of the time series: energies, momenta and overlap of a scene.

use crate::math::Vec3;
use crate::record::energy::Energy;
use crate::record::overlap::Overlap;
use crate::step::Simulation;

/// Energies, momenta, speeds and overlap at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesRow {
    /// Since the start, s.
    pub time: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Elastic energy, J.
    pub elastic: f64,
    /// Gravitational energy, J; 0 at the origin.
    pub gravitational: f64,
    /// Momentum, kg·m/s.
    pub momentum: Vec3,
    /// Angular momentum about the origin, kg·m²/s.
    pub angular: Vec3,
    /// Root of the mean square of the vertices' speeds, weighed by mass, m/s.
    pub rms_speed: f64,
    /// Speed of the fastest vertex, m/s.
    pub max_speed: f64,
    /// Penetrating vertices, edge crossings and inverted tets.
    pub overlap: Overlap,
    /// Energy that sources put in since the row before, J; a bound from above.
    pub energy_input: f64,
    /// Steps since the row before whose contacts did not converge.
    pub unconverged: u64,
}

impl SeriesRow {
    /// Names of the columns, in the order of [`SeriesRow::values`].
    pub const COLUMNS: [&'static str; 18] = [
        "time",
        "kinetic",
        "elastic",
        "gravitational",
        "momentum_x",
        "momentum_y",
        "momentum_z",
        "angular_x",
        "angular_y",
        "angular_z",
        "rms_speed",
        "max_speed",
        "penetrating_vertices",
        "edge_crossings",
        "max_depth",
        "inverted_tets",
        "energy_input",
        "unconverged",
    ];

    /// The row of a simulation now, with the overlap that was measured of it.
    ///
    /// What happened since the row before is left 0.
    pub fn of(simulation: &Simulation, overlap: Overlap) -> SeriesRow {
        SeriesRow::with_energy(simulation, overlap, Energy::of(simulation))
    }

    /// The same with the energies that were measured of it.
    pub fn with_energy(simulation: &Simulation, overlap: Overlap, energy: Energy) -> SeriesRow {
        let Simulation { state, system, .. } = simulation;
        let Energy { kinetic, elastic, gravitational } = energy;
        let total = system.masses.total();
        let speeds = state.velocities.iter().map(|v| v.length());
        SeriesRow {
            time: state.time,
            kinetic,
            elastic,
            gravitational,
            momentum: state.momentum(&system.masses),
            angular: system.rigids.angular_momentum(state, &system.masses, Vec3::ZERO),
            rms_speed: if total > 0.0 { (2.0 * kinetic / total).sqrt() } else { 0.0 },
            max_speed: speeds.fold(0.0, f64::max),
            overlap,
            energy_input: 0.0,
            unconverged: 0,
        }
    }

    /// All values; counts as numbers.
    pub fn values(&self) -> [f64; SeriesRow::COLUMNS.len()] {
        let (momentum, angular, overlap) = (self.momentum, self.angular, self.overlap);
        [
            self.time,
            self.kinetic,
            self.elastic,
            self.gravitational,
            momentum.x,
            momentum.y,
            momentum.z,
            angular.x,
            angular.y,
            angular.z,
            self.rms_speed,
            self.max_speed,
            overlap.penetrating_vertices as f64,
            overlap.edge_crossings as f64,
            overlap.max_depth,
            overlap.inverted_tets as f64,
            self.energy_input,
            self.unconverged as f64,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::soft::{Masses, State};
    use crate::body::{Bodies, Mesh};
    use crate::force::gravity::Gravity;
    use crate::force::spring::{SpringLaw, SpringSettings, Springs};
    use crate::id::VertexId;
    use crate::integrate::System;
    use crate::integrate::rk4::Rk4;
    use crate::step::Stepper;
    use std::sync::Arc;

    #[test]
    fn a_row_adds_up_by_hand() {
        let rest = vec![Vec3::ZERO, Vec3::X];
        let edges = [[VertexId(0), VertexId(1)]];
        let masses = Masses::new(vec![1.0, 3.0]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(Gravity::new(-10.0 * Vec3::Z, system.masses.of()));
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 8.0, damping: 0.0 };
        system.forces.push(Springs::along(&rest, &edges, settings).unwrap());
        let state = State {
            positions: vec![Vec3::Z, Vec3::Z + 1.5 * Vec3::X],
            velocities: vec![Vec3::ZERO, 2.0 * Vec3::Y],
            rigids: Vec::new(),
            time: 0.25,
        };
        system.bodies = Arc::new(Bodies::from_meshes(&[Mesh::SpringNetwork(2, &edges)]).unwrap());
        let simulation = Simulation::new(state, system, Stepper::new(Box::new(Rk4::new())));
        let overlap = Overlap { penetrating_vertices: 7, ..Overlap::default() };
        let row = SeriesRow::of(&simulation, overlap);
        assert_eq!((row.time, row.kinetic), (0.25, 0.5 * 3.0 * 4.0));
        assert_eq!((row.elastic, row.gravitational), (0.5 * 8.0 * 0.25, 4.0 * 10.0));
        assert_eq!(row.momentum, 6.0 * Vec3::Y);
        // (1.5, 0, 1) × (0, 6, 0)
        assert_eq!(row.angular, Vec3::new(-6.0, 0.0, 9.0));
        assert_eq!((row.rms_speed, row.max_speed), (3.0_f64.sqrt(), 2.0)); // √(3 · 4 / 4)
        assert_eq!(row.values()[12], 7.0);
        assert_eq!(row.values()[6..10], [0.0, -6.0, 0.0, 9.0]);
    }
}
