//! The distance–area–volume solid: preserves edge lengths, areas and volumes of tets.
//!
//! Each edge, surface triangle and tet measures how far it is from its rest value, as a
//! dimensionless strain; its energy is half its stiffness times the strain squared. Areas
//! and volumes do what springs alone cannot: keep a skin, and turn an inverted tet back.
//!
//! | here        | paper | meaning                                        |
//! |-------------|-------|------------------------------------------------|
//! | `strain`    | C     | relative departure from the rest value         |
//! | `stiffness` | k     | energy scale of one element, J                 |
//! | `damping`   | k_d   | of the strain's rate, J·s                      |
//!
//! Stiffness is per element and in J: the same solid with elements of half the size needs
//! an eighth of it to stay as soft.

pub(crate) mod distance;

pub(crate) mod area;

pub(crate) mod volume;

mod constraint;

use crate::force::Forces;
use crate::force::plasticity::{Plasticity, PlasticityError};
use crate::force::spring::{SpringError, Springs};
use crate::id::VertexId;
use crate::math::Vec3;

pub use area::Areas;
pub use volume::Volumes;

/// Stiffness and damping of one kind of measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hold {
    /// J; not negative, 0 for none.
    pub stiffness: f64,
    /// J·s; not negative. Acts along the measure alone, so that both momenta stay.
    pub damping: f64,
}

/// Material of a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolidSettings {
    /// Of each edge of a tet, J and J·s.
    pub distance: Hold,
    /// Of each surface triangle, J and J·s.
    pub area: Hold,
    /// Of each tet, J and J·s.
    pub volume: Hold,
    /// How rest values drift; nothing drifts without.
    pub plasticity: Option<Plasticity>,
}

/// Why a solid cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// A stiffness or damping that is negative or not finite.
    #[error("the {what} is {value}: it must be finite and not negative")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// J, or J·s.
        value: f64,
    },
    /// A corner that does not exist.
    #[error("{what} {index} has corner {vertex}, but there are {count} vertices")]
    Vertex {
        /// Tet or triangle.
        what: &'static str,
        /// First such.
        index: usize,
        /// Its corner.
        vertex: VertexId,
        /// Number of vertices.
        count: usize,
    },
    /// A tet that is flat, inverted or not finite at rest.
    #[error("tet {tet} has volume {volume} m³ at rest: it must be positive and finite")]
    Volume {
        /// First such tet.
        tet: usize,
        /// m³.
        volume: f64,
    },
    /// A surface triangle without area at rest.
    #[error("triangle {triangle} has area {area} m² at rest: it must be positive and finite")]
    Area {
        /// First such triangle.
        triangle: usize,
        /// m².
        area: f64,
    },
    /// A value out of range once it is divided by the squared length of an edge.
    #[error("edges as springs: {0}")]
    Edge(#[from] SpringError),
    /// Invalid plasticity settings.
    #[error(transparent)]
    Plasticity(#[from] PlasticityError),
}

/// The three materials of a solid.
///
/// - Implements: [Teschner04 potential energies], [Teschner04 damping].
/// - Deviates: strains stay relative to the first rest values when those drift.
#[derive(Clone, Debug)]
pub struct Solid {
    /// All edges of the tets; strain (l − D₀)/D₀.
    pub distance: Springs,
    /// Surface triangles; strain (A − A₀)/A₀.
    pub area: Areas,
    /// Tets; strain (V − V₀)/Ṽ₀ with signed volumes.
    pub volume: Volumes,
}

impl Solid {
    /// A solid at rest where the vertices are in `rest`, world space, m.
    ///
    /// `surface` are the triangles whose areas are preserved, usually the boundary of the tets.
    pub fn new(
        rest: &[Vec3],
        tets: &[[VertexId; 4]],
        surface: &[[VertexId; 3]],
        settings: SolidSettings,
    ) -> Result<Solid, SolidError> {
        let SolidSettings { distance, area, volume, plasticity } = settings;
        check_hold(distance, "distance stiffness", "distance damping")?;
        check_hold(area, "area stiffness", "area damping")?;
        check_hold(volume, "volume stiffness", "volume damping")?;
        if let Some(plasticity) = plasticity {
            plasticity.check()?;
        }
        // Volumes first: a tet with volume has no edge without length.
        let volume = Volumes::new(rest, tets, volume, plasticity)?;
        let area = Areas::new(rest, surface, area, plasticity)?;
        let distance = distance::springs(rest, tets, distance, plasticity)?;
        Ok(Solid { distance, area, volume })
    }

    /// Appends distance, area and volume to the forces of a scene, in this order.
    pub fn push_to(self, forces: &mut Forces) {
        forces.push(self.distance);
        forces.push(self.area);
        forces.push(self.volume);
    }
}

fn check_hold(
    hold: Hold,
    stiffness: &'static str,
    damping: &'static str,
) -> Result<(), SolidError> {
    for (what, value) in [(stiffness, hold.stiffness), (damping, hold.damping)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(SolidError::Setting { what, value });
        }
    }
    Ok(())
}

/// Rejects elements with corners that do not exist.
fn check_corners<const N: usize>(
    what: &'static str,
    elements: &[[VertexId; N]],
    count: usize,
) -> Result<(), SolidError> {
    for (index, corners) in elements.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|corner| corner.index() >= count) {
            return Err(SolidError::Vertex { what, index, vertex, count });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];
    const FACE: [VertexId; 3] = [VertexId(0), VertexId(2), VertexId(1)];

    #[test]
    fn a_tet_has_six_edges_and_the_faces_that_are_asked_for() {
        let solid = Solid::new(&CORNERS, &[TET], &[FACE], SolidSettings::default()).unwrap();
        let mut forces = Forces::new();
        solid.push_to(&mut forces);
        let counts: Vec<usize> = forces
            .iter()
            .map(|force| {
                let mut count = 0;
                force.visit_elements(&mut |_| count += 1);
                count
            })
            .collect();
        assert_eq!(counts, [6, 1, 1]);
    }

    #[test]
    fn what_is_no_solid_is_named() {
        let with = |settings| Solid::new(&CORNERS, &[TET], &[FACE], settings).unwrap_err();
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let stiff = Hold { stiffness: bad, damping: 0.0 };
            let damped = Hold { stiffness: 0.0, damping: bad };
            let found = with(SolidSettings { area: stiff, ..SolidSettings::default() });
            assert!(found.to_string().starts_with(&format!("the area stiffness is {bad}")));
            let found = with(SolidSettings { volume: damped, ..SolidSettings::default() });
            assert!(found.to_string().starts_with(&format!("the volume damping is {bad}")));
        }
        let of = |tet, face| {
            let made = Solid::new(&CORNERS, &[tet], &[face], SolidSettings::default());
            made.unwrap_err().to_string()
        };
        let [v0, v1, v2, v3] = TET;
        assert!(of([v0, v2, v1, v3], FACE).starts_with("tet 0 has volume -0.16"));
        assert!(of([v0, v1, v2, v2], FACE).starts_with("tet 0 has volume 0 m³"));
        assert!(of(TET, [v0, v1, v1]).starts_with("triangle 0 has area 0 m²"));
        let far = VertexId(4);
        assert_eq!(of([v0, v1, v2, far], FACE), "tet 0 has corner 4, but there are 4 vertices");
        assert!(of(TET, [v0, v1, far]).starts_with("triangle 0 has corner 4"));
        let clay = Plasticity { yield_strain: 0.1, creep_rate: -1.0, max_drift: 0.1 };
        let found = with(SolidSettings { plasticity: Some(clay), ..SolidSettings::default() });
        assert!(found.to_string().starts_with("the creep rate is -1 1/s"));
    }
}
