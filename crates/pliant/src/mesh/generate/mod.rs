//! Generators of bodies from a few parameters.
//!
//! Every generator returns a conforming mesh: all tets positive, every inner face
//! shared by two of them, every vertex used, all tets in region 0, no triangles.
//! Bodies are centred at the origin. Whatever has an axis has y for it: sheets,
//! rings and stars lie flat in the x–z plane.
//!
//! | body          | tets                       | smallest dihedral angle                |
//! |---------------|----------------------------|----------------------------------------|
//! | `cuboid`      | 5 or 6 a cell              | 54.7° or 45° in cubes                  |
//! | `membrane`    | 5 or 6 a cell              | 15.7° or 11.3° in cells 5 : 1 : 5      |
//! | `l_block`     | 5 or 6 a cell              | 54.7° or 45° in cubes                  |
//! | `tube`        | 6 a cell                   | 38° in a thin wall, 23° in a thick one |
//! | `torus`       | 18 · rings² · around       | 29° in a thin ring, 22° in a thick one |
//! | `star`        | 6 · tips · cells² · layers | 30° in a pentagram                     |
//! | `icosahedron` | 20                         | 69°                                    |
//! | `ball`        | 20 · layers³               | 36° at every resolution                |
//!
//! `stuffing` fills any closed surface instead, where it is: about 12 tets for the cube of the
//! size asked for, with dihedral angles of at least 9.3°.

use crate::id::{TetId, VertexId, at};
use crate::math::{Vec3, tet_volume};
use crate::mesh::raw::RawMesh;

pub mod lattice;

pub mod cuboid;

pub mod membrane;

pub mod l_block;

pub mod tube;

mod prism;

mod sectors;

pub mod torus;

pub mod star;

pub mod icosahedron;

pub mod ball;

pub mod stuffing;

/// Largest number of tets that is generated: 2.5 GiB of corners and regions.
///
/// Each vertex belongs to a tet, so there are at most 2²⁹, which fits a [`VertexId`].
pub const MAX_TETS: u64 = 1 << 27;

/// Why a body cannot be made from the numbers given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A length that is zero, negative or not finite.
    #[error("{what} is {value:?} m, expected a positive finite length")]
    BadLength {
        /// The length meant.
        what: &'static str,
        /// As given, m.
        value: f64,
    },
    /// A length that leaves no room for the body.
    #[error("{what} is {value:?} m, expected less than {limit_name}, {limit:?} m")]
    TooLong {
        /// The length meant.
        what: &'static str,
        /// As given, m.
        value: f64,
        /// What bounds it.
        limit_name: &'static str,
        /// The bound itself, m.
        limit: f64,
    },
    /// A count below the fewest that make a body.
    #[error("{what}: {value} asked for, at least {least} needed")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// As given.
        value: u32,
        /// The fewest allowed.
        least: u32,
    },
    /// More tets than [`MAX_TETS`].
    #[error("{tets} tets asked for, at most {MAX_TETS} are generated")]
    TooMany {
        /// Tets that the counts multiply to.
        tets: u128,
    },
    /// Lengths that f64 cannot distinguish, or whose product it cannot hold.
    #[error(
        "tet {tet} has volume {volume:?} m³: the lengths are too small, too large or too unlike"
    )]
    Flat {
        /// The first such tet.
        tet: TetId,
        /// Its volume as computed, m³: not positive, or not finite.
        volume: f64,
    },
}

/// Sets the region of each tet by a rule on its centroid, m; NaN where a corner is lacking.
///
/// ```
/// use pliant::mesh::generate::{assign_regions, cuboid::cuboid, lattice::TetSplit};
/// use pliant::math::Vec3;
///
/// // Region 1 is the half of the bar with positive x.
/// let mut bar = cuboid([4, 1, 1], Vec3::new(4.0, 1.0, 1.0), TetSplit::Six)?;
/// assign_regions(&mut bar, |centroid| u32::from(centroid.x > 0.0));
/// assert_eq!(bar.regions.iter().filter(|&&region| region == 1).count(), 12);
/// # Ok::<(), pliant::mesh::generate::GenerateError>(())
/// ```
pub fn assign_regions(mesh: &mut RawMesh, region_of: impl Fn(Vec3) -> u32) {
    let centroid = |tet: &[VertexId; 4]| {
        let [v0, v1, v2, v3] = tet.map(|v| at(&mesh.positions, v));
        (v0 + v1 + v2 + v3) / 4.0
    };
    mesh.regions = mesh.tets.iter().map(|tet| region_of(centroid(tet))).collect();
}

/// Accepts positive finite lengths.
fn check_length(what: &'static str, value: f64) -> Result<(), GenerateError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(GenerateError::BadLength { what, value })
}

/// Accepts lengths below a named limit.
fn check_below(
    what: &'static str,
    value: f64,
    limit_name: &'static str,
    limit: f64,
) -> Result<(), GenerateError> {
    if value < limit {
        return Ok(());
    }
    Err(GenerateError::TooLong { what, value, limit_name, limit })
}

/// Accepts counts of at least `least`.
fn check_count(what: &'static str, value: u32, least: u32) -> Result<(), GenerateError> {
    if value >= least {
        return Ok(());
    }
    Err(GenerateError::TooFew { what, value, least })
}

/// An empty list with room for as many tets as the counts multiply to.
///
/// At most [`MAX_TETS`]; from here on vertices can be numbered in u32.
fn room_for(factors: &[u64]) -> Result<Vec<[VertexId; 4]>, GenerateError> {
    let tets = factors.iter().fold(1_u128, |tets, &factor| tets.saturating_mul(factor.into()));
    if tets > MAX_TETS.into() {
        return Err(GenerateError::TooMany { tets });
    }
    Ok(Vec::with_capacity(tets as usize))
}

/// Puts the parts together once every tet has proved positive.
fn finish(positions: Vec<Vec3>, tets: Vec<[VertexId; 4]>) -> Result<RawMesh, GenerateError> {
    for (tet, corners) in tets.iter().enumerate() {
        let volume = tet_volume(corners.map(|v| positions[v.index()]));
        let sound = volume > 0.0 && volume.is_finite();
        if !sound {
            return Err(GenerateError::Flat { tet: TetId(tet as u32), volume });
        }
    }
    let regions = vec![0; tets.len()];
    Ok(RawMesh { positions, tets, regions, ..RawMesh::default() })
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::mesh::generate::lattice::TetSplit;

    /// Euler characteristic of a surface without holes, such as a sphere's.
    pub const BALL_LIKE: i64 = 2;
    /// Euler characteristic of a surface with one hole through it.
    pub const RING_LIKE: i64 = 0;
    /// Slopes that count as second order.
    pub const SECOND_ORDER: Range<f64> = 1.95..2.05;
    /// Rounding of a sum over some thousand tets, relative to the sum.
    const ROUNDING: f64 = 1e-12;
    /// Rounding of an angle near 0°, where the cosine is flat, rad.
    const ANGLE_ROUNDING: f64 = 1e-9;

    /// What a sound mesh measures.
    pub struct Measured {
        /// Sum over all tets, m³.
        pub volume: f64,
        /// Smallest angle between two faces of a tet, rad.
        pub min_dihedral: f64,
        /// Largest angle between two faces of a tet, rad.
        pub max_dihedral: f64,
        /// Euler characteristic of the boundary.
        pub euler: i64,
        /// Triangles of the boundary.
        pub boundary_faces: usize,
    }

    /// Panics unless the mesh keeps what this module promises.
    #[track_caller]
    pub fn measure(mesh: &RawMesh) -> Measured {
        assert!(mesh.triangles.is_empty() && mesh.notices.is_empty());
        assert_eq!(mesh.regions, vec![0; mesh.tets.len()]);
        check_vertices(mesh);
        let (mut whole, mut min_dihedral, mut max_dihedral) = (0.0, f64::MAX, 0.0);
        for tet in &mesh.tets {
            let corners = tet.map(|v| mesh.positions[v.index()]);
            let volume = tet_volume(corners);
            assert!(volume > 0.0, "{tet:?} has volume {volume}");
            whole += volume;
            let angles = dihedrals(corners);
            min_dihedral = angles.into_iter().fold(min_dihedral, f64::min);
            max_dihedral = angles.into_iter().fold(max_dihedral, f64::max);
        }
        let boundary = boundary(mesh);
        let (euler, boundary_faces) = (euler(&boundary), boundary.len());
        Measured { volume: whole, min_dihedral, max_dihedral, euler, boundary_faces }
    }

    /// Every vertex belongs to a tet and no two coincide.
    #[track_caller]
    fn check_vertices(mesh: &RawMesh) {
        let mut used: Vec<VertexId> = mesh.tets.concat();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), mesh.positions.len(), "unreferenced vertices");
        let mut places: Vec<[f64; 3]> = mesh.positions.iter().map(|p| p.to_array()).collect();
        places.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
        assert!(places.windows(2).all(|pair| pair[0] != pair[1]), "vertices coincide");
    }

    /// Faces of one tet alone, outward; all others must be shared by two, face to face.
    #[track_caller]
    fn boundary(mesh: &RawMesh) -> Vec<[VertexId; 3]> {
        let mut faces = Vec::new();
        for &[v0, v1, v2, v3] in &mesh.tets {
            for face in [[v0, v2, v1], [v0, v1, v3], [v0, v3, v2], [v1, v2, v3]] {
                let mut corners = face;
                corners.sort_unstable();
                let [a, b, c] = corners;
                faces.push((corners, [[a, b, c], [b, c, a], [c, a, b]].contains(&face), face));
            }
        }
        faces.sort_unstable();
        let mut alone = Vec::new();
        for shared in faces.chunk_by(|a, b| a.0 == b.0) {
            match shared {
                [(_, _, face)] => alone.push(*face),
                [(_, first_turn, _), (_, turn, _)] => {
                    assert_ne!(first_turn, turn, "two tets on one side: {shared:?}")
                }
                _ => panic!("a face of more than two tets: {shared:?}"),
            }
        }
        alone
    }

    /// Corners − edges + faces of a surface, each of whose edges joins two faces.
    #[track_caller]
    fn euler(faces: &[[VertexId; 3]]) -> i64 {
        let mut edges: Vec<[VertexId; 2]> =
            faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        let mut backward: Vec<[VertexId; 2]> = edges.iter().map(|&[a, b]| [b, a]).collect();
        edges.sort_unstable();
        backward.sort_unstable();
        assert!(edges.windows(2).all(|pair| pair[0] != pair[1]), "an edge runs twice");
        assert_eq!(edges, backward, "the boundary is open");
        let mut corners = faces.concat();
        corners.sort_unstable();
        corners.dedup();
        corners.len() as i64 - edges.len() as i64 / 2 + faces.len() as i64
    }

    /// Angles between the faces of a tet, rad.
    fn dihedrals([v0, v1, v2, v3]: [Vec3; 4]) -> [f64; 6] {
        let normal = |a: Vec3, b: Vec3, c: Vec3| (b - a).cross(c - a).try_normalize().unwrap();
        let outward =
            [normal(v0, v2, v1), normal(v0, v1, v3), normal(v0, v3, v2), normal(v1, v2, v3)];
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        pairs.map(|(a, b)| libm::acos((-outward[a].dot(outward[b])).clamp(-1.0, 1.0)))
    }

    /// Positive numbers that are equal but for rounding.
    #[track_caller]
    pub fn check_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < ROUNDING * expected, "{found} is not {expected}");
    }

    /// Angles in rad that are equal but for rounding.
    #[track_caller]
    pub fn check_angle(found: f64, expected: f64) {
        let (found_deg, expected_deg) = (found.to_degrees(), expected.to_degrees());
        assert!((found - expected).abs() < ANGLE_ROUNDING, "{found_deg}° is not {expected_deg}°");
    }

    /// An angle in rad against a bound in degrees.
    #[track_caller]
    pub fn check_angle_at_least(found: f64, least_deg: f64) {
        assert!(found.to_degrees() >= least_deg, "{}° is below {least_deg}°", found.to_degrees());
    }

    /// Order of convergence from the errors at one resolution and at twice that.
    pub fn slope(coarse: f64, fine: f64) -> f64 {
        libm::log2(coarse / fine)
    }

    /// The bits of all coordinates.
    fn bits(mesh: &RawMesh) -> Vec<[u64; 3]> {
        mesh.positions.iter().map(|p| p.to_array().map(f64::to_bits)).collect()
    }

    /// One body of each kind with every length multiplied by `scale`.
    fn one_of_each(scale: f64) -> Vec<Result<RawMesh, GenerateError>> {
        let [s, small] = [scale, 0.25 * scale];
        vec![
            cuboid::cuboid([3, 2, 1], Vec3::new(s, 0.7 * s, 0.3 * s), TetSplit::Five),
            cuboid::cuboid([1, 2, 3], Vec3::splat(s), TetSplit::Six),
            membrane::membrane(&membrane::MembraneSettings {
                size: [s, 0.9 * s],
                thickness: 0.1 * s,
                cells: [4, 5],
                layers: 2,
                cut: TetSplit::Five,
            }),
            l_block::l_block(&l_block::LBlockSettings {
                arms: [s, 0.9 * s],
                width: small,
                cells_along: [3, 2],
                cells_across: 1,
                cut: TetSplit::Six,
            }),
            tube::tube(&tube::TubeSettings {
                inner_radius: small,
                outer_radius: 0.6 * s,
                length: s,
                around: 7,
                through: 2,
                along: 3,
            }),
            torus::torus(&torus::TorusSettings {
                ring_radius: s,
                tube_radius: small,
                around: 11,
                rings: 2,
            }),
            star::star(&star::StarSettings {
                tips: 6,
                outer_radius: s,
                inner_radius: small,
                thickness: small,
                cells: 2,
                layers: 2,
            }),
            icosahedron::icosahedron(s),
            ball::ball(s, 4),
        ]
    }

    #[test]
    fn the_same_call_gives_the_same_bits_and_twice_the_size_twice_the_positions() {
        for ((a, b), large) in
            one_of_each(0.3).into_iter().zip(one_of_each(0.3)).zip(one_of_each(0.6))
        {
            let (a, b, large) = (a.unwrap(), b.unwrap(), large.unwrap());
            measure(&a);
            assert_eq!(bits(&a), bits(&b));
            assert_eq!((&a.tets, &a.regions), (&b.tets, &b.regions));
            assert_eq!(a.tets, large.tets);
            // A power of two goes through every product and root unrounded.
            let doubled: Vec<Vec3> = a.positions.iter().map(|&p| 2.0 * p).collect();
            assert_eq!(doubled, large.positions);
        }
    }

    #[test]
    fn no_length_that_is_none_makes_a_body() {
        for scale in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for body in one_of_each(scale) {
                assert!(matches!(body, Err(GenerateError::BadLength { .. })), "{body:?}");
            }
        }
    }

    #[test]
    fn lengths_beyond_what_f64_can_multiply_are_refused() {
        for scale in [1e-120, 1e-310, 1e120, 1e308] {
            for body in one_of_each(scale) {
                assert!(matches!(body, Err(GenerateError::Flat { .. })), "{scale}: {body:?}");
            }
        }
    }

    #[test]
    fn regions_follow_the_centroid() {
        let mut mesh = cuboid::cuboid([2, 1, 1], Vec3::new(2.0, 1.0, 1.0), TetSplit::Six).unwrap();
        assign_regions(&mut mesh, |centroid| if centroid.x < 0.0 { 3 } else { 7 });
        assert_eq!(mesh.regions, [[3; 6], [7; 6]].concat());
        let mut empty = RawMesh::default();
        assign_regions(&mut empty, |_| 1);
        assert!(empty.regions.is_empty());
    }

    #[test]
    #[should_panic(expected = "an edge runs twice")]
    fn a_crack_between_cells_is_seen() {
        // The cell at odd x cut like the one at even x: the diagonals cross.
        let mut mesh = cuboid::cuboid([2, 1, 1], Vec3::ONE, TetSplit::Five).unwrap();
        let right = |v: VertexId| VertexId(v.0 + 1);
        for tet in 0..5 {
            mesh.tets[5 + tet] = mesh.tets[tet].map(right);
        }
        measure(&mesh);
    }

    #[test]
    #[should_panic(expected = "two tets on one side")]
    fn a_tet_held_twice_is_seen() {
        let mut mesh = cuboid::cuboid([1, 1, 1], Vec3::ONE, TetSplit::Six).unwrap();
        let again = mesh.tets[0];
        mesh.tets.push(again);
        mesh.regions.push(0);
        measure(&mesh);
    }
}
