//! Isosurface stuffing: a closed surface filled with tets of bounded dihedral angles.
//!
//! A body-centred cubic lattice covers the surface. Lattice points are inside or outside by the
//! winding number of the surface, and lattice edges from inside to outside are cut where they
//! leave it. Lattice points too near to a cut point move onto it, and each lattice tet that
//! reaches inside gives one to three tets by a table of stencils. The bounds on the angles hold
//! for any surface. The rest depends on `size`: features thinner than that get lost, and sharp
//! edges are cut off.
//!
//! - Implements: [Labelle07 abstract].
//! - Deviates: the lattice is uniform, without the grading of [Labelle07 abstract]; the isosurface is
//!   the boundary of where a triangle surface winds around, and cut points are exact crossings.

mod bcc;

mod shell;

mod stencil;

mod warp;

#[cfg(test)]
mod tests;

use crate::id::{VertexId, at};
use crate::math::Vec3;
use crate::mesh::quality::dihedral_cosines;
use crate::mesh::surface::Surface;
use crate::mesh::tet::{TetMesh, TetMeshError};
use crate::mesh::{manifold, meeting};
use crate::par;
use bcc::{Lattice, Point};
use shell::Shell;
use stencil::{Sign, Stencil};
use warp::Warped;

/// Smallest dihedral angle of any mesh made here, rad: 9.3171°.
///
/// - Implements: [Labelle07 thm. 1], for the parameters of `warp`.
pub const MIN_DIHEDRAL: f64 = 9.3171 * std::f64::consts::PI / 180.0;

/// Largest dihedral angle of any mesh made here, rad: 161.6432°.
///
/// - Implements: [Labelle07 thm. 1], for the parameters of `warp`.
pub const MAX_DIHEDRAL: f64 = 161.6432 * std::f64::consts::PI / 180.0;

/// Most tets that are made.
pub const MAX_TETS: u64 = 5_000_000;

/// Most lattice points that are looked at: 6 bytes for each.
const MAX_POINTS: f64 = (1 << 26) as f64;

/// Tets of a cell of the lattice.
const TETS_PER_CELL: f64 = 12.0;

/// Tets more than those of the volume, over area divided by the square of `size`; measured.
const TETS_PER_AREA: f64 = 2.0;

/// Share of the volume whose loss is worth a notice: sharp edges alone lose less.
const LOST_VOLUME: f64 = 0.1;

/// Parts into which work is divided; the result does not depend on it.
const CHUNKS: usize = 64;

/// Counts from here on are shown as powers of ten.
const WRITTEN_OUT: f64 = 1e12;

/// A lattice point without a vertex.
const NO_VERTEX: u32 = u32::MAX;

/// How fine the tets are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingSettings {
    /// Long edge of the lattice, m: tets have edges of about 0.87 to 1 times this.
    pub size: f64,
}

/// A surface filled with tets.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuffed {
    /// The tets.
    pub mesh: TetMesh,
    /// How good they are.
    pub stats: StuffingStats,
    /// What a careful user would want to know, one sentence each.
    pub notices: Vec<String>,
}

/// How good tets are, and how near to the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffingStats {
    /// Smallest dihedral angle, rad.
    pub min_dihedral: f64,
    /// Largest dihedral angle, rad.
    pub max_dihedral: f64,
    /// Largest distance of a boundary vertex of the tets to the surface given, m.
    pub boundary_distance: f64,
    /// Largest distance of a vertex of the surface given to the boundary of the tets, m: large
    /// where features got lost.
    pub surface_distance: f64,
    /// Volume that the surface given encloses, m³; overlaps of it count twice.
    pub surface_volume: f64,
    /// Volume of the tets, m³.
    pub volume: f64,
}

/// Why a surface is not filled with tets.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StuffingError {
    /// A size that is zero, negative or not finite.
    #[error("the size is {size:?} m, expected a positive finite length")]
    BadSize {
        /// As given, m.
        size: f64,
    },
    /// The lattice is too coarse for the body.
    #[error("a size of {size:?} m leaves nothing inside: the box of the body has edges of {0:?}, {1:?} and {2:?} m", extent.x, extent.y, extent.z)]
    NothingInside {
        /// As given, m.
        size: f64,
        /// Edges of the box around the body, m.
        extent: Vec3,
    },
    /// More tets than [`MAX_TETS`].
    #[error("a size of {size:?} m makes about {} tets, at most {MAX_TETS} are made", estimate(*tets))]
    TooManyTets {
        /// As given, m.
        size: f64,
        /// Estimated before any is made; infinite beyond all numbers.
        tets: f64,
    },
    /// A lattice that is too large for what it holds.
    #[error("a size of {size:?} m makes too many lattice points in the box of the body, whose edges have {0:?}, {1:?} and {2:?} m", extent.x, extent.y, extent.z)]
    TooManyPoints {
        /// As given, m.
        size: f64,
        /// Edges of the box around the body, m.
        extent: Vec3,
    },
    /// Coordinates so large that rounding spoils the tets.
    #[error("the size is too small for the coordinates: {error}")]
    Rounding {
        /// What is wrong with the tets.
        error: TetMeshError,
    },
}

/// An estimated count in words, with the digits that an estimate has.
fn estimate(count: f64) -> String {
    match count {
        _ if count < WRITTEN_OUT => format!("{count:.0}"),
        _ if count.is_finite() => format!("{count:.1e}"),
        _ => "1e308 and more".to_owned(),
    }
}

/// Fills a closed surface with tets of about `size`.
///
/// What the surface winds around counts as inside, overlaps of the surface with itself too. The
/// boundary of the tets has its vertices on the surface. Vertices are those of the lattice and the
/// cut points in the order of the tets. The same bits for any number of threads.
pub fn stuffed(surface: &Surface, settings: StuffingSettings) -> Result<Stuffed, StuffingError> {
    let size = settings.size;
    let usable = size > 0.0 && size.is_finite();
    if !usable {
        return Err(StuffingError::BadSize { size });
    }
    let shell = Shell::new(surface.positions(), surface.triangles());
    let extent = shell.bounds().size();
    // The lattice is centred: its innermost points are a quarter of an edge from the middle.
    if size > 2.0 * extent.max_element() {
        return Err(StuffingError::NothingInside { size, extent });
    }
    let cells = surface.volume() / size / size / size;
    let tets = TETS_PER_CELL * cells + TETS_PER_AREA * (shell.area() / size / size);
    if tets > MAX_TETS as f64 {
        return Err(StuffingError::TooManyTets { size, tets });
    }
    let lattice = Lattice::around(shell.bounds(), size, MAX_POINTS)
        .ok_or(StuffingError::TooManyPoints { size, extent })?;
    let warped = Warped::new(&lattice, &shell);
    let filling = fill(&lattice, &warped);
    if filling.tets.is_empty() {
        return Err(StuffingError::NothingInside { size, extent });
    }
    if filling.tets.len() as u64 > MAX_TETS {
        return Err(StuffingError::TooManyTets { size, tets: filling.tets.len() as f64 });
    }
    let mesh = TetMesh::new(filling.positions, filling.tets, Vec::new())
        .map_err(|error| StuffingError::Rounding { error })?;
    let stats = measure(surface, &shell, &mesh);
    let mut notices = notices(surface, &mesh);
    notices.extend(lost_features(stats, size));
    Ok(Stuffed { mesh, stats, notices })
}

/// Tets and their vertices.
#[derive(Default)]
struct Filling {
    positions: Vec<Vec3>,
    tets: Vec<[VertexId; 4]>,
}

/// The tets of all stencils; ends early beyond the most there may be.
fn fill(lattice: &Lattice, warped: &Warped) -> Filling {
    let mut filling = Filling::default();
    let mut of_point = vec![NO_VERTEX; lattice.len()];
    let mut of_cut = vec![NO_VERTEX; warped.cut_points.len()];
    lattice.each_tet(|corners: [Point; 4]| {
        let numbers = corners.map(|corner| lattice.index(corner));
        let signs = numbers.map(|number| warped.signs[number]);
        let wanted = signs.contains(&Sign::Inside) && filling.tets.len() as u64 <= MAX_TETS;
        if !wanted {
            return;
        }
        for tet in Stencil::of(corners, signs).tets() {
            let tet = tet.map(|[a, b]| {
                let positions = &mut filling.positions;
                let ends = [numbers[a] as u32, numbers[b] as u32];
                match (a != b).then(|| warped.cut(ends)).flatten() {
                    Some(cut) => vertex(&mut of_cut[cut], positions, || {
                        warped.cut_points[cut].position(lattice)
                    }),
                    None => vertex(&mut of_point[ends[0] as usize], positions, || {
                        warped.position(lattice, ends[0])
                    }),
                }
            });
            filling.tets.push(tet);
        }
    });
    filling
}

/// The vertex in a place of its own; made when there is none yet.
fn vertex(slot: &mut u32, positions: &mut Vec<Vec3>, place: impl FnOnce() -> Vec3) -> VertexId {
    if *slot == NO_VERTEX {
        *slot = positions.len() as u32;
        positions.push(place());
    }
    VertexId(*slot)
}

fn measure(surface: &Surface, shell: &Shell, mesh: &TetMesh) -> StuffingStats {
    let (mut least, mut most) = (1.0_f64, -1.0_f64);
    for tet in mesh.tets() {
        let corners = tet.map(|v| at(mesh.positions(), v));
        // A face without a normal would be both: an angle of 0° and one of 180°.
        for cosine in dihedral_cosines(corners).unwrap_or([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) {
            (least, most) = (least.min(cosine), most.max(cosine));
        }
    }
    let boundary = Shell::new(mesh.positions(), mesh.surface());
    let to_surface = farthest(mesh.positions(), mesh.surface(), shell);
    let to_boundary = farthest(surface.positions(), surface.triangles(), &boundary);
    StuffingStats {
        min_dihedral: libm::acos(most.min(1.0)),
        max_dihedral: libm::acos(least.max(-1.0)),
        boundary_distance: to_surface,
        surface_distance: to_boundary,
        surface_volume: surface.volume(),
        volume: mesh.volume(),
    }
}

/// Largest distance of a corner of triangles to another surface, m.
fn farthest(positions: &[Vec3], triangles: &[[VertexId; 3]], other: &Shell) -> f64 {
    let mut corners: Vec<VertexId> = triangles.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    let mut distances: Vec<(VertexId, f64)> = corners.into_iter().map(|v| (v, 0.0)).collect();
    let offsets = par::even_offsets(distances.len(), CHUNKS);
    par::chunks(&mut distances, &offsets, |_, chunk| {
        for (vertex, distance) in chunk {
            *distance = other.distance(at(positions, *vertex));
        }
    });
    distances.into_iter().fold(0.0, |most, (_, distance)| most.max(distance))
}

/// Notice on thin walls and tips that got lost; sharp edges, which are cut off, alone draw none.
fn lost_features(stats: StuffingStats, size: f64) -> Option<String> {
    let StuffingStats { surface_volume, volume, surface_distance, .. } = stats;
    let lost = (surface_volume - volume) / surface_volume;
    let what = match (lost > LOST_VOLUME, surface_distance > size) {
        (false, false) => return None,
        (true, _) => format!("{:.0} % of the volume is lost", 100.0 * lost),
        (false, true) => "features are lost".to_owned(),
    };
    Some(format!(
        "{what}: walls and tips thinner than the size of {size:?} m are gone, up to \
         {surface_distance:.3} m from the tets; a smaller size keeps them"
    ))
}

fn notices(surface: &Surface, mesh: &TetMesh) -> Vec<String> {
    let mut notices = Vec::new();
    let meeting = meeting::meeting_pairs(surface.positions(), surface.triangles());
    let count = meeting.found.len();
    if count > 0 {
        let more = if meeting.ended_early { " or more" } else { "" };
        notices.push(format!(
            "the surface meets itself at {count}{more} pairs of triangles: inside is where its winding number is above ½"
        ));
    }
    let form = manifold::form(mesh.positions().len(), mesh.surface());
    let (edges, vertices) = (form.non_manifold.len(), form.pinched.len());
    if edges + vertices > 0 {
        notices.push(format!(
            "the boundary of the tets has {edges} edges and {vertices} vertices that are not manifold: parts touch there; a smaller size may separate them"
        ));
    }
    notices
}
