//! A hollow cylinder.

use std::f64::consts::TAU;

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::generate::lattice::{TetSplit, cut_cells, indices, spread};
use crate::mesh::generate::{
    GenerateError, check_below, check_count, check_length, finish, room_for,
};
use crate::mesh::raw::RawMesh;

/// Parameters of a hollow cylinder around y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubeSettings {
    /// Radius of the hole, m; below `outer_radius`.
    pub inner_radius: f64,
    /// Radius of the outside, m.
    pub outer_radius: f64,
    /// Extent along y, m.
    pub length: f64,
    /// Segments around the axis, at least 3.
    pub around: u32,
    /// Cells through the wall.
    pub through: u32,
    /// Cells along the axis.
    pub along: u32,
}

/// A hollow cylinder around y with all its vertices on circles.
///
/// Six tets a cell ([`TetSplit::Six`]: any number of segments closes). The volume is
/// `around / 2 · sin(2π / around) · (outer² − inner²) · length`: second order in 1 / `around`.
/// Cells about as thick as wide have dihedral angles of at least 38° if the hole has
/// four fifths of the outer radius, 23° if it has half.
pub fn tube(settings: &TubeSettings) -> Result<RawMesh, GenerateError> {
    let TubeSettings { inner_radius, outer_radius, length, around, through, along } = *settings;
    check_count("segments around the tube", around, 3)?;
    check_count("cells through the wall of the tube", through, 1)?;
    check_count("cells along the tube", along, 1)?;
    check_length("the inner radius of the tube", inner_radius)?;
    check_length("the outer radius of the tube", outer_radius)?;
    check_length("the length of the tube", length)?;
    check_below("the inner radius of the tube", inner_radius, "the outer radius", outer_radius)?;
    let mut tets = room_for(&[TetSplit::Six.tets(), around, through, along].map(u64::from))?;

    // Axes of the lattice: through the wall, along y, around from x to z; right-handed.
    let position = |[i, j, k]: [u32; 3]| {
        let outward = f64::from(i) / f64::from(through);
        let radius = inner_radius * (1.0 - outward) + outer_radius * outward;
        let (sin, cos) = libm::sincos(TAU * f64::from(k) / f64::from(around));
        Vec3::new(radius * cos, spread(j, along, length), radius * sin)
    };
    let positions = indices([through + 1, along + 1, around]).map(position).collect();
    let vertex_at =
        |[i, j, k]: [u32; 3]| VertexId(i + (through + 1) * (j + (along + 1) * (k % around)));
    cut_cells(indices([through, along, around]), TetSplit::Six, vertex_at, &mut tets);
    finish(positions, tets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{
        RING_LIKE, SECOND_ORDER, check_angle_at_least, check_close, measure, slope,
    };

    const PIPE: TubeSettings = TubeSettings {
        inner_radius: 0.5,
        outer_radius: 1.0,
        length: 2.0,
        around: 12,
        through: 1,
        along: 4,
    };

    #[track_caller]
    fn check(settings: &TubeSettings, vertices: usize, tets: usize) -> f64 {
        let mesh = tube(settings).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets));
        let measured = measure(&mesh);
        assert_eq!(measured.euler, RING_LIKE);
        // A ring of trapezoids: the outer polygon less the inner one, times the length.
        let around = f64::from(settings.around);
        let polygon = |radius: f64| 0.5 * around * libm::sin(TAU / around) * radius * radius;
        let area = polygon(settings.outer_radius) - polygon(settings.inner_radius);
        check_close(measured.volume, area * settings.length);
        measured.volume
    }

    #[test]
    fn cells_are_counted_by_hand() {
        check(&TubeSettings { around: 3, along: 1, ..PIPE }, 3 * 2 * 2, 6 * 3);
        check(&PIPE, 12 * 2 * 5, 6 * 12 * 4);
        check(&TubeSettings { around: 7, through: 2, ..PIPE }, 7 * 3 * 5, 6 * 7 * 2 * 4);
    }

    #[test]
    fn the_volume_converges_at_second_order() {
        let error = |around| {
            let count = around as usize;
            let volume = check(&TubeSettings { around, ..PIPE }, count * 2 * 5, 6 * count * 4);
            0.5 * TAU * (1.0 - 0.25) * 2.0 - volume
        };
        assert!(SECOND_ORDER.contains(&slope(error(16), error(32))));
    }

    #[test]
    fn wall_vertices_lie_on_their_circles() {
        let mesh = tube(&PIPE).unwrap();
        for (index, p) in mesh.positions.iter().enumerate() {
            check_close(libm::hypot(p.x, p.z), [0.5, 1.0][index % 2]);
        }
    }

    #[test]
    fn near_cubic_cells_have_the_angles_stated() {
        check_angle_at_least(measure(&tube(&PIPE).unwrap()).min_dihedral, 23.0);
        let thin = TubeSettings { inner_radius: 0.8, around: 28, along: 10, ..PIPE };
        check_angle_at_least(measure(&tube(&thin).unwrap()).min_dihedral, 38.0);
    }

    #[test]
    fn faults_name_the_argument() {
        let refusal = |settings| tube(&settings).unwrap_err().to_string();
        assert_eq!(
            refusal(TubeSettings { around: 2, ..PIPE }),
            "segments around the tube: 2 asked for, at least 3 needed"
        );
        assert_eq!(
            refusal(TubeSettings { inner_radius: 1.0, ..PIPE }),
            "the inner radius of the tube is 1.0 m, expected less than the outer radius, 1.0 m"
        );
        // One step of f64 is left for the wall: its tets come out flat.
        let thin = TubeSettings { inner_radius: 1.0_f64.next_down(), through: 3, ..PIPE };
        assert!(refusal(thin).contains("too unlike"), "{}", refusal(thin));
        assert!(tube(&TubeSettings { through: 0, ..PIPE }).is_err());
        assert!(tube(&TubeSettings { along: u32::MAX, around: u32::MAX, ..PIPE }).is_err());
        assert!(tube(&TubeSettings { length: f64::NAN, ..PIPE }).is_err());
    }
}
