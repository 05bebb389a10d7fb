//! A solid ring.

use std::f64::consts::TAU;

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::generate::prism::cut_prisms;
use crate::mesh::generate::sectors::Sectors;
use crate::mesh::generate::{
    GenerateError, check_below, check_count, check_length, finish, room_for,
};
use crate::mesh::raw::RawMesh;

/// Sectors of the cross-section; six make its triangles nearly equilateral.
const SECTORS: u32 = 6;

/// Parameters of a solid ring around y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorusSettings {
    /// From the axis to the middle of the tube, m.
    pub ring_radius: f64,
    /// Radius of the tube, m; below `ring_radius`, so that a hole stays.
    pub tube_radius: f64,
    /// Segments around the axis, at least 3.
    pub around: u32,
    /// Rings in the round cross-section; the outermost has six times as many edges.
    pub rings: u32,
}

/// A solid ring around y, its surface vertices on the torus.
///
/// 18 · `rings`² · `around` tets. The volume is `around · sin(2π / around) · ring_radius`
/// times the cross-section, `3 rings · sin(π / (3 rings)) · tube_radius²`: second order in both.
/// Up to four rings, segments about as long as a ring is wide have dihedral angles of at
/// least 31° if `tube_radius` is a quarter of `ring_radius`, 25° if it is two fifths; with
/// many rings 29° and 22°.
pub fn torus(settings: &TorusSettings) -> Result<RawMesh, GenerateError> {
    let TorusSettings { ring_radius, tube_radius, around, rings } = *settings;
    check_count("segments around the torus", around, 3)?;
    check_count("rings in the tube of the torus", rings, 1)?;
    check_length("the ring radius of the torus", ring_radius)?;
    check_length("the tube radius of the torus", tube_radius)?;
    check_below("the tube radius of the torus", tube_radius, "the ring radius", ring_radius)?;
    let mut tets = room_for(&[3, SECTORS, rings, rings, around].map(u64::from))?;

    let section = Sectors { count: SECTORS, rings };
    let mut positions = Vec::with_capacity((section.points() * around) as usize);
    for segment in 0..around {
        let (sin, cos) = libm::sincos(TAU * f64::from(segment) / f64::from(around));
        positions.extend(section.places().map(|(ring, step)| {
            // The middle has no steps; any angle will do.
            let steps = f64::from((SECTORS * ring).max(1));
            let (up, out) = libm::sincos(TAU * f64::from(step) / steps);
            let radius = tube_radius * f64::from(ring) / f64::from(rings);
            let from_axis = ring_radius + radius * out;
            Vec3::new(from_axis * cos, radius * up, from_axis * sin)
        }));
    }
    let vertex_at =
        |segment: u32, point: u32| VertexId(segment % around * section.points() + point);
    cut_prisms(&section.triangles(), around, vertex_at, &mut tets);
    finish(positions, tets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{
        RING_LIKE, SECOND_ORDER, check_angle_at_least, check_close, measure, slope,
    };

    const RING: TorusSettings =
        TorusSettings { ring_radius: 1.0, tube_radius: 0.4, around: 24, rings: 2 };

    #[track_caller]
    fn check(settings: &TorusSettings, vertices: usize, tets: usize) -> f64 {
        let mesh = torus(settings).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets));
        let measured = measure(&mesh);
        assert_eq!(measured.euler, RING_LIKE);
        // Edges between two cross-sections are parallel, as long as the middle between
        // them is far from the axis: Pappus with 2π replaced by around · sin(2π / around).
        let (around, edges) = (f64::from(settings.around), f64::from(6 * settings.rings));
        let section =
            0.5 * edges * libm::sin(TAU / edges) * crate::math::powi(settings.tube_radius, 2);
        check_close(
            measured.volume,
            around * libm::sin(TAU / around) * settings.ring_radius * section,
        );
        measured.volume
    }

    #[test]
    fn prisms_are_counted_by_hand() {
        // A hexagon: 7 points and 6 triangles. Two rings: 1 + 6 + 12 and 24.
        check(&TorusSettings { around: 3, rings: 1, ..RING }, 3 * 7, 3 * 6 * 3);
        check(&RING, 24 * 19, 24 * 24 * 3);
        check(&TorusSettings { around: 31, rings: 3, ..RING }, 31 * 37, 31 * 54 * 3);
    }

    #[test]
    fn the_volume_converges_at_second_order() {
        let error = |rings: u32| {
            let (around, n) = (12 * rings, rings as usize);
            let vertices = 12 * n * (1 + 3 * n * (n + 1));
            let settings = TorusSettings { around, rings, ..RING };
            TAU * 0.5 * TAU * 0.16 - check(&settings, vertices, 12 * n * 18 * n * n)
        };
        assert!(SECOND_ORDER.contains(&slope(error(2), error(4))));
    }

    #[test]
    fn the_outermost_vertices_lie_on_the_torus() {
        let mesh = torus(&RING).unwrap();
        for section in mesh.positions.chunks(19) {
            for p in &section[7..] {
                check_close(libm::hypot(libm::hypot(p.x, p.z) - 1.0, p.y), 0.4);
            }
        }
    }

    #[test]
    fn segments_as_long_as_rings_are_wide_have_the_angles_stated() {
        let angle = |tube_radius, around, rings| {
            let settings = TorusSettings { tube_radius, around, rings, ..RING };
            measure(&torus(&settings).unwrap()).min_dihedral
        };
        for rings in 1..=4 {
            check_angle_at_least(angle(0.25, 24 * rings, rings), 31.0);
            check_angle_at_least(angle(0.4, 12 * rings, rings), 25.0);
        }
    }

    #[test]
    fn faults_name_the_argument() {
        let refusal = |settings| torus(&settings).unwrap_err().to_string();
        assert_eq!(
            refusal(TorusSettings { tube_radius: 1.5, ..RING }),
            "the tube radius of the torus is 1.5 m, expected less than the ring radius, 1.0 m"
        );
        assert_eq!(
            refusal(TorusSettings { around: 2, ..RING }),
            "segments around the torus: 2 asked for, at least 3 needed"
        );
        // The tube vanishes in the rounding of the ring.
        let thin = TorusSettings { tube_radius: 1e-17, ..RING };
        assert!(refusal(thin).contains("too unlike"), "{}", refusal(thin));
        assert!(torus(&TorusSettings { rings: 0, ..RING }).is_err());
        assert!(torus(&TorusSettings { rings: u32::MAX, around: u32::MAX, ..RING }).is_err());
        assert!(torus(&TorusSettings { ring_radius: f64::NAN, ..RING }).is_err());
    }
}
