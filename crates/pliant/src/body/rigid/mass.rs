//! Mass, centre and inertia of points, of what a surface encloses, and of tets.
//!
//! Shapes are sums of signed tets from a reference: first from the middle of the shape for volume
//! and centre, then from that centre for the inertia. No difference of large numbers is ever
//! taken, so a body far from the origin keeps its digits.
//!
//! | here     | lecture | meaning                               |
//! |----------|---------|---------------------------------------|
//! | `spread` | Σ m rrᵀ | second moment about the centre, kg·m² |

use crate::body::rigid::{NO_MOMENT, RigidError, TRIANGLE_ROUNDING, check_finite};
use crate::id::VertexId;
use crate::math::eigen::eigen;
use crate::math::{Aabb, Mat3, Vec3, outer_square, tet_volume};
use crate::mesh::{manifold, weld};

/// A volume below this share of area times size is rounding.
const FLAT: f64 = 1e-14;

/// Asymmetry of an inertia that counts as rounding, per largest entry.
const ASYMMETRY: f64 = 1e-12;

/// Mass, centre and inertia of a shape in the frame of its mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// About the centre, axes of the mesh, kg·m².
    pub inertia: Mat3,
}

impl MassProperties {
    /// Given values; rejected where no body has them.
    pub fn new(mass: f64, centre: Vec3, inertia: Mat3) -> Result<MassProperties, RigidError> {
        MassProperties { mass, centre, inertia }.check()
    }

    /// Of point masses, kg, at positions, m.
    ///
    /// - Implements: [Wang21 slide "What is an inertia tensor?"], Σ m (rᵀr 1 − r rᵀ).
    pub fn from_points(positions: &[Vec3], masses: &[f64]) -> Result<MassProperties, RigidError> {
        if positions.len() != masses.len() {
            let (positions, masses) = (positions.len(), masses.len());
            return Err(RigidError::MassCount { positions, masses });
        }
        if positions.is_empty() {
            return Err(RigidError::Nothing { what: "vertices" });
        }
        check_finite(positions)?;
        if let Some(k) = masses.iter().position(|m| !is_positive(*m)) {
            return Err(RigidError::PointMass { vertex: VertexId(k as u32), mass: masses[k] });
        }
        let middle = middle(positions.iter().copied());
        let points = || positions.iter().zip(masses);
        let mass: f64 = masses.iter().sum();
        let offset = points().map(|(&x, &m)| m * (x - middle)).sum::<Vec3>() / mass;
        let centre = middle + offset;
        let spread = points().map(|(&x, &m)| m * outer_square(x - centre)).sum();
        MassProperties::new(mass, centre, inertia(spread))
    }

    /// Of what a closed surface encloses, with a density, kg/m³.
    ///
    /// Triangles run counter-clockwise seen from outside; an inner piece that faces inward is
    /// a cavity. Copies of a vertex at the same place count as one.
    pub fn from_surface(
        positions: &[Vec3],
        triangles: &[[VertexId; 3]],
        density: f64,
    ) -> Result<MassProperties, RigidError> {
        check_cells(positions, triangles, "triangle", density)?;
        check_closed(positions, triangles)?;
        let corners = || triangles.iter().map(|t| t.map(|v| positions[v.index()]));
        let bounds = Aabb::around(corners().flatten());
        let middle = 0.5 * (bounds.min + bounds.max);
        let volume: f64 = signed_tets(corners(), middle).map(tet_volume).sum();
        let area: f64 = corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
        if volume.abs() <= FLAT * area * bounds.size().length() {
            return Err(RigidError::NoVolume { volume });
        }
        if volume < 0.0 {
            return Err(RigidError::InvertedOrientation { volume });
        }
        let centre = middle + centre_offset(signed_tets(corners(), middle), middle, volume);
        let spread = signed_tets(corners(), centre).map(|tet| tet_spread(tet, centre)).sum();
        MassProperties::new(density * volume, centre, density * inertia(spread))
    }

    /// Of tets with a density, kg/m³.
    ///
    /// Every tet must have positive volume; where tets overlap, mass counts twice.
    pub fn from_tets(
        positions: &[Vec3],
        tets: &[[VertexId; 4]],
        density: f64,
    ) -> Result<MassProperties, RigidError> {
        check_cells(positions, tets, "tet", density)?;
        let corners = || tets.iter().map(|t| t.map(|v| positions[v.index()]));
        let volumes = || corners().map(tet_volume);
        if let Some((tet, volume)) = volumes().enumerate().find(|(_, v)| !is_positive(*v)) {
            return Err(RigidError::Tet { tet, volume });
        }
        let volume: f64 = volumes().sum();
        let middle = middle(corners().flatten());
        let centre = middle + centre_offset(corners(), middle, volume);
        let spread = corners().map(|tet| tet_spread(tet, centre)).sum();
        MassProperties::new(density * volume, centre, density * inertia(spread))
    }

    /// The same shape with another mass, kg.
    pub fn with_mass(self, mass: f64) -> Result<MassProperties, RigidError> {
        MassProperties::new(mass, self.centre, self.inertia * (mass / self.mass))
    }

    /// The same values, if a body can have them.
    ///
    /// A flat body can: its largest moment is the sum of the others.
    pub(crate) fn check(self) -> Result<MassProperties, RigidError> {
        let MassProperties { mass, centre, inertia } = self;
        if !is_positive(mass) {
            return Err(RigidError::Mass { mass });
        }
        if !centre.is_finite() {
            return Err(RigidError::Centre { centre });
        }
        let largest = inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let symmetric = inertia.abs_diff_eq(inertia.transpose(), ASYMMETRY * largest);
        if !inertia.is_finite() || !symmetric {
            return Err(RigidError::Inertia { inertia });
        }
        let moments = eigen(inertia).values;
        if !is_positive(moments.z) || moments.z <= NO_MOMENT * moments.x {
            return Err(RigidError::StepContext { moments });
        }
        if moments.x > (1.0 + TRIANGLE_ROUNDING) * (moments.y + moments.z) {
            return Err(RigidError::Triangle { moments });
        }
        Ok(self)
    }
}

fn is_positive(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

/// Middle of the box around points, m.
fn middle(points: impl Iterator<Item = Vec3>) -> Vec3 {
    let bounds = Aabb::around(points);
    0.5 * (bounds.min + bounds.max)
}

/// Σ m (rᵀr 1 − r rᵀ) from Σ m r rᵀ.
fn inertia(spread: Mat3) -> Mat3 {
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    Mat3::from_diagonal(Vec3::splat(trace)) - spread
}

/// The tets of a point and each triangle; positive where the point is behind it.
fn signed_tets(
    triangles: impl Iterator<Item = [Vec3; 3]>,
    from: Vec3,
) -> impl Iterator<Item = [Vec3; 4]> {
    // The point comes first: its tet is positive where the triangle faces away from it.
    triangles.map(move |[a, b, c]| [from, a, b, c])
}

/// Centre of tets with a total volume, seen from `middle`, m.
fn centre_offset(tets: impl Iterator<Item = [Vec3; 4]>, middle: Vec3, volume: f64) -> Vec3 {
    let context = |tet: [Vec3; 4]| {
        let [a, b, c, d] = tet.map(|corner| corner - middle);
        0.25 * tet_volume([a, b, c, d]) * (a + b + c + d)
    };
    tets.map(context).sum::<Vec3>() / volume
}

/// ∫ r rᵀ dV over a signed tet, r from `centre`, m⁵.
fn tet_spread(tet: [Vec3; 4], centre: Vec3) -> Mat3 {
    let [a, b, c, d] = tet.map(|corner| corner - centre);
    let squares = outer_square(a) + outer_square(b) + outer_square(c) + outer_square(d);
    (squares + outer_square(a + b + c + d)) * (tet_volume([a, b, c, d]) / 20.0)
}

fn check_cells<const N: usize>(
    positions: &[Vec3],
    cells: &[[VertexId; N]],
    cell: &'static str,
    density: f64,
) -> Result<(), RigidError> {
    if !is_positive(density) {
        return Err(RigidError::Density { density });
    }
    if cells.is_empty() {
        return Err(RigidError::Nothing { what: if N == 3 { "triangles" } else { "tets" } });
    }
    check_finite(positions)?;
    let count = positions.len();
    for (number, corners) in cells.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|v| v.index() >= count) {
            return Err(RigidError::NoSuchVertex { cell, number, vertex, count });
        }
    }
    Ok(())
}

fn check_closed(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Result<(), RigidError> {
    let form = manifold::form(positions.len(), &weld::weld(positions, triangles));
    if let Some(&edge) = form.open.first() {
        return Err(RigidError::Open { edge, count: form.open.len() });
    }
    match form.inconsistent.first() {
        Some(&edge) => {
            Err(RigidError::InconsistentWinding { edge, count: form.inconsistent.len() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
