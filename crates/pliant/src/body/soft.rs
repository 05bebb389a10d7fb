//! State and masses of soft bodies: positions, velocities, kilograms.

use crate::body::rigid::RigidState;
use crate::id::VertexId;
use crate::math::{Vec3, tet_volume};
use crate::snapshot::{Snapshot, SnapshotError};

/// Positions and velocities of everything, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct StateView<'a> {
    /// Of all vertices in body order, world space, m.
    pub positions: &'a [Vec3],
    /// Of the same vertices, m/s.
    pub velocities: &'a [Vec3],
    /// Since the start, s; keyframes are evaluated at it.
    pub time: f64,
}

/// The state of a scene, which changes from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Of all vertices in body order, world space, m.
    pub positions: Vec<Vec3>,
    /// Of the same vertices, m/s.
    pub velocities: Vec<Vec3>,
    /// Rigid bodies, ascending by body; their vertices are above too.
    pub rigids: Vec<RigidState>,
    /// Since the start, s.
    pub time: f64,
}

impl State {
    /// Vertices at rest at time 0.
    pub fn at_rest(positions: Vec<Vec3>) -> State {
        let velocities = vec![Vec3::ZERO; positions.len()];
        State { positions, velocities, rigids: Vec::new(), time: 0.0 }
    }

    /// Takes over the values of another, without allocating where the sizes agree.
    pub fn copy_from(&mut self, other: &State) {
        self.positions.clone_from(&other.positions);
        self.velocities.clone_from(&other.velocities);
        self.rigids.clone_from(&other.rigids);
        self.time = other.time;
    }

    /// Writes all values.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        memory.write_vectors(&self.positions);
        memory.write_vectors(&self.velocities);
        self.rigids.iter().for_each(|rigid| rigid.save(memory));
        memory.write(self.time);
    }

    /// Reads what [`State::save`] wrote for as many rigid bodies.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        memory.read_vectors("the state", &mut self.positions)?;
        memory.read_vectors("the state", &mut self.velocities)?;
        self.rigids.iter_mut().try_for_each(|rigid| rigid.restore(memory))?;
        self.time = memory.read("the state")?;
        Ok(())
    }

    /// The same, borrowed.
    pub fn motion(&self) -> StateView<'_> {
        StateView { positions: &self.positions, velocities: &self.velocities, time: self.time }
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self, masses: &Masses) -> f64 {
        let terms = self.velocities.iter().zip(masses.of());
        terms.map(|(v, m)| 0.5 * m * v.length_squared()).sum()
    }

    /// Momentum, kg·m/s.
    pub fn momentum(&self, masses: &Masses) -> Vec3 {
        self.velocities.iter().zip(masses.of()).map(|(v, m)| *m * *v).sum()
    }

    /// Angular momentum about a point, kg·m²/s.
    pub fn angular_momentum(&self, masses: &Masses, about: Vec3) -> Vec3 {
        let vertices = self.positions.iter().zip(&self.velocities).zip(masses.of());
        vertices.map(|((x, v), m)| *m * (*x - about).cross(*v)).sum()
    }

    /// Centre of mass, m; NaN without vertices.
    pub fn centre(&self, masses: &Masses) -> Vec3 {
        let sum: Vec3 = self.positions.iter().zip(masses.of()).map(|(x, m)| *m * *x).sum();
        sum / masses.total()
    }
}

/// Why masses are rejected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// A mass that is zero, negative or NaN.
    #[error("vertex {vertex} has mass {mass} kg: masses must be positive and finite")]
    Mass {
        /// First such vertex, counted in the scene.
        vertex: VertexId,
        /// Its mass, kg.
        mass: f64,
    },
    /// A density that is zero, negative or NaN.
    #[error("tet {tet} has density {density} kg/m³: densities must be positive and finite")]
    Density {
        /// First such tet.
        tet: usize,
        /// Its density, kg/m³.
        density: f64,
    },
    /// A tet whose rest shape has no volume.
    #[error("tet {tet} has volume {volume} m³ at rest: it must be positive")]
    Volume {
        /// First such tet.
        tet: usize,
        /// Its signed volume, m³.
        volume: f64,
    },
    /// A corner that does not exist.
    #[error("tet {tet} names vertex {vertex}, there are {count}")]
    NoSuchVertex {
        /// First such tet.
        tet: usize,
        /// Its corner.
        vertex: VertexId,
        /// Vertices.
        count: usize,
    },
    /// A vertex that belongs to no tet.
    #[error("vertex {vertex} belongs to no tet and gets no mass: remove it")]
    Loose {
        /// First such vertex.
        vertex: VertexId,
    },
}

/// Masses of all vertices, positive and finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Masses {
    masses: Vec<f64>,
}

impl Masses {
    /// Given masses, kg.
    pub fn new(masses: Vec<f64>) -> Result<Masses, MassError> {
        let bad = |mass: &f64| !(*mass > 0.0 && mass.is_finite());
        match masses.iter().position(bad) {
            Some(k) => Err(MassError::Mass { vertex: VertexId(k as u32), mass: masses[k] }),
            None => Ok(Masses { masses }),
        }
    }

    /// Lumped masses: a quarter of each tet's mass to each of its corners.
    ///
    /// `density_of` returns the density of a tet, kg/m³.
    pub fn of_tets(
        rest: &[Vec3],
        tets: &[[VertexId; 4]],
        density_of: impl Fn(usize) -> f64,
    ) -> Result<Masses, MassError> {
        let mut masses = vec![0.0; rest.len()];
        for (index, tet) in tets.iter().enumerate() {
            if let Some(&vertex) = tet.iter().find(|v| v.index() >= rest.len()) {
                let count = rest.len();
                return Err(MassError::NoSuchVertex { tet: index, vertex, count });
            }
            let (density, volume) = (density_of(index), tet_volume(tet.map(|v| rest[v.index()])));
            if !(density > 0.0 && density.is_finite()) {
                return Err(MassError::Density { tet: index, density });
            }
            if !(volume > 0.0 && volume.is_finite()) {
                return Err(MassError::Volume { tet: index, volume });
            }
            tet.iter().for_each(|v| masses[v.index()] += 0.25 * density * volume);
        }
        match masses.iter().position(|mass| *mass == 0.0) {
            Some(k) => Err(MassError::Loose { vertex: VertexId(k as u32) }),
            None => Masses::new(masses),
        }
    }

    /// Of each vertex, kg.
    pub fn of(&self) -> &[f64] {
        &self.masses
    }

    /// Of all vertices, kg.
    pub fn total(&self) -> f64 {
        self.masses.iter().sum()
    }
}

/// Share of each vertex in the mass of a sheet: by the area of the triangles around it.
///
/// All alike where a vertex has no triangle with an area. Triangles that name a vertex which
/// does not exist are left out.
pub fn area_shares(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; positions.len()];
    for triangle in triangles {
        if triangle.iter().any(|v| v.index() >= positions.len()) {
            continue;
        }
        let [a, b, c] = triangle.map(|v| positions[v.index()]);
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|v| areas[v.index()] += third);
    }
    let total: f64 = areas.iter().sum();
    if areas.iter().all(|area| *area > 0.0) {
        areas.into_iter().map(|area| area / total).collect()
    } else {
        vec![(positions.len() as f64).recip(); positions.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];

    #[test]
    fn a_tet_weighs_a_quarter_at_each_corner() {
        let masses = Masses::of_tets(&CORNERS, &[TET], |_| 12.0).unwrap();
        assert_eq!(masses.of(), [0.5; 4]); // 12 kg/m³ · 1/6 m³ / 4
        assert_eq!(masses.total(), 2.0);
    }

    #[test]
    fn a_sheet_is_shared_by_area_and_points_alike() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(3.0, 1.0, 0.0)];
        let sheet = [[0, 1, 2], [1, 3, 2]].map(|triangle| triangle.map(VertexId));
        // Areas 1/2 and 3/2: vertices 0 and 3 have a third of one, 1 and 2 of both.
        let expected = [0.5, 2.0, 2.0, 1.5].map(|area| area / 6.0);
        let shares = area_shares(&corners, &sheet);
        assert!(shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{shares:?}");
        assert_eq!(area_shares(&corners, &sheet[..1]), [0.25; 4]);
        assert_eq!(area_shares(&corners[..3], &sheet), area_shares(&corners[..3], &sheet[..1]));
        assert!(area_shares(&[], &sheet).is_empty());
    }

    #[test]
    fn what_cannot_move_is_named() {
        let message = |found: Result<Masses, MassError>| found.unwrap_err().to_string();
        assert!(message(Masses::new(vec![1.0, 0.0])).starts_with("vertex 1 has mass 0 kg"));
        assert!(message(Masses::new(vec![f64::NAN])).starts_with("vertex 0 has mass NaN kg"));
        let heavy = Masses::of_tets(&CORNERS, &[TET], |_| -1.0);
        assert!(message(heavy).starts_with("tet 0 has density -1 kg/m³"));
        let inside_out = Masses::of_tets(&CORNERS, &[[TET[0], TET[2], TET[1], TET[3]]], |_| 1.0);
        assert!(message(inside_out).starts_with("tet 0 has volume -0.16"));
        let short = Masses::of_tets(&CORNERS[..3], &[TET], |_| 1.0);
        assert_eq!(message(short), "tet 0 names vertex 3, there are 3");
        let five = [CORNERS.to_vec(), vec![Vec3::ONE]].concat();
        assert!(message(Masses::of_tets(&five, &[TET], |_| 1.0)).starts_with("vertex 4 belongs"));
    }

    #[test]
    fn momenta_are_sums_over_vertices() {
        let masses = Masses::new(vec![1.0, 3.0]).unwrap();
        let state = State {
            positions: vec![Vec3::X, -Vec3::X],
            velocities: vec![Vec3::Y, -Vec3::Y],
            ..State::default()
        };
        assert_eq!(state.kinetic(&masses), 2.0);
        assert_eq!(state.momentum(&masses), -2.0 * Vec3::Y);
        assert_eq!(state.angular_momentum(&masses, Vec3::ZERO), 4.0 * Vec3::Z);
        assert_eq!(state.centre(&masses), -0.5 * Vec3::X);
    }
}
