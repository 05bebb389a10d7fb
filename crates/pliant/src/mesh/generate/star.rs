//! A star-shaped prism: a polygon with a tip on each side.

use std::f64::consts::TAU;

use crate::id::VertexId;
use crate::math::{Vec2, Vec3};
use crate::mesh::generate::lattice::spread;
use crate::mesh::generate::prism::cut_prisms;
use crate::mesh::generate::sectors::Sectors;
use crate::mesh::generate::{
    GenerateError, check_below, check_count, check_length, finish, room_for,
};
use crate::mesh::raw::RawMesh;

/// Parameters of a star in the x–z plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarSettings {
    /// Number of tips, at least 3.
    pub tips: u32,
    /// From the axis to the tips, m.
    pub outer_radius: f64,
    /// From the axis to the notches, m; below `outer_radius · cos(π / tips)`.
    pub inner_radius: f64,
    /// Extent along y, m.
    pub thickness: f64,
    /// Cells along each edge between a tip and a notch.
    pub cells: u32,
    /// Cells along y.
    pub layers: u32,
}

/// A star-shaped prism along y; the first tip points along z.
///
/// 6 · `tips` · `cells`² · `layers` tets. The outline turns inwards at each notch.
/// A pentagram (`inner_radius` 0.38 of `outer_radius`) with layers as thick as its
/// triangles are wide has dihedral angles of at least 30°.
pub fn star(settings: &StarSettings) -> Result<RawMesh, GenerateError> {
    let StarSettings { tips, outer_radius, inner_radius, thickness, cells, layers } = *settings;
    check_count("tips of the star", tips, 3)?;
    check_count("cells along an edge of the star", cells, 1)?;
    check_count("layers of the star", layers, 1)?;
    check_length("the outer radius of the star", outer_radius)?;
    check_length("the inner radius of the star", inner_radius)?;
    check_length("the thickness of the star", thickness)?;
    // At the limit the notch lies on the line between its tips.
    let limit = outer_radius * libm::cos(0.5 * TAU / f64::from(tips));
    check_below(
        "the inner radius of the star",
        inner_radius,
        "the distance of the line between two tips",
        limit,
    )?;
    let mut tets = room_for(&[6, tips, cells, cells, layers].map(u64::from))?;

    let outline = Outline { middle: Sectors { count: tips, rings: cells } };
    let points = outline.points(inner_radius, outer_radius);
    let mut positions = Vec::with_capacity(points.len() * (layers as usize + 1));
    for layer in 0..=layers {
        let height = spread(layer, layers, thickness);
        positions.extend(points.iter().map(|p| Vec3::new(p.y, height, p.x)));
    }
    let vertex_at = |layer: u32, point: u32| VertexId(layer * points.len() as u32 + point);
    cut_prisms(&outline.triangles(), layers, vertex_at, &mut tets);
    finish(positions, tets)
}

/// The plane mesh: the polygon of the notches, then one triangle of rows for each tip.
struct Outline {
    /// The polygon: a sector per tip, a ring per cell.
    middle: Sectors,
}

impl Outline {
    /// Where the points lie, m, in the order of their numbers; the first tip on the x axis.
    fn points(&self, inner_radius: f64, outer_radius: f64) -> Vec<Vec2> {
        let Sectors { count: tips, rings: cells } = self.middle;
        let (whole, turn) = (f64::from(cells), TAU / f64::from(tips));
        let notch = |n: u32| inner_radius * Vec2::from_angle(turn * (f64::from(n % tips) - 0.5));
        let in_middle = |(ring, step): (u32, u32)| {
            let (sector, along) = (step / ring.max(1), step % ring.max(1));
            let (a, b) = (notch(sector), notch(sector + 1));
            (a * f64::from(ring - along) + b * f64::from(along)) / whole
        };
        let mut points: Vec<Vec2> = self.middle.places().map(in_middle).collect();
        for n in 0..tips {
            let tip = outer_radius * Vec2::from_angle(turn * f64::from(n));
            for row in 1..=cells {
                points.extend((0..=cells - row).map(|step| {
                    let (a, b) = (f64::from(cells - row - step), f64::from(step));
                    (a * notch(n) + b * notch(n + 1) + f64::from(row) * tip) / whole
                }));
            }
        }
        points
    }

    /// Number of a point in a tip; row 0 belongs to the polygon too.
    fn tip_point(&self, tip: u32, row: u32, step: u32) -> u32 {
        let cells = self.middle.rings;
        if row == 0 {
            return self.middle.point(cells, tip * cells + step);
        }
        // Row r has cells + 1 − r points; above row 0 stand cells · (cells + 1) / 2 in all.
        let rest = (cells + 1 - row) * (cells + 2 - row) / 2;
        self.middle.points() + (tip + 1) * cells * (cells + 1) / 2 - rest + step
    }

    /// Corners of all triangles, counter-clockwise.
    fn triangles(&self) -> Vec<[u32; 3]> {
        let Sectors { count: tips, rings: cells } = self.middle;
        let mut triangles = self.middle.triangles();
        for tip in 0..tips {
            let at = |row, step| self.tip_point(tip, row, step);
            for row in 0..cells {
                for step in 0..cells - row {
                    triangles.push([at(row, step), at(row + 1, step), at(row, step + 1)]);
                }
                for step in 1..cells - row {
                    triangles.push([at(row, step), at(row + 1, step - 1), at(row + 1, step)]);
                }
            }
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{BALL_LIKE, check_angle_at_least, check_close, measure};

    /// A pentagram to two digits, its layer about as thick as its triangles are wide.
    const PENTAGRAM: StarSettings = StarSettings {
        tips: 5,
        outer_radius: 1.0,
        inner_radius: 0.38,
        thickness: 0.4,
        cells: 1,
        layers: 1,
    };

    #[track_caller]
    fn check(settings: &StarSettings, vertices: usize, tets: usize) {
        let mesh = star(settings).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets));
        let measured = measure(&mesh);
        assert_eq!(measured.euler, BALL_LIKE);
        // 2·tips triangles from the middle to a tip and a notch beside it.
        let turn = 0.5 * TAU / f64::from(settings.tips);
        let triangle = 0.5 * settings.outer_radius * settings.inner_radius * libm::sin(turn);
        let area = 2.0 * f64::from(settings.tips) * triangle;
        check_close(measured.volume, area * settings.thickness);
    }

    #[test]
    fn prisms_are_counted_by_hand() {
        // Middle, 5 notches, 5 tips; 5 triangles in the pentagon, 5 in the tips.
        check(&PENTAGRAM, 2 * 11, 3 * 10);
        // Two cells: 1 + 5 + 10 points in the pentagon, 2 + 1 in each tip; 4 times the triangles.
        check(&StarSettings { cells: 2, layers: 3, ..PENTAGRAM }, 4 * 31, 3 * 40 * 3);
        // 1 + 3·(1 + 2 + 3 + 4) in the triangle, 4 + 3 + 2 + 1 in each tip.
        let three = StarSettings { tips: 3, inner_radius: 0.3, cells: 4, ..PENTAGRAM };
        check(&three, 2 * 61, 3 * 2 * 3 * 16);
        check(&StarSettings { tips: 12, cells: 3, ..PENTAGRAM }, 2 * (1 + 12 * 12), 3 * 24 * 9);
    }

    #[test]
    fn the_first_tip_points_along_z() {
        let mesh = star(&PENTAGRAM).unwrap();
        assert_eq!(mesh.positions[6], Vec3::new(0.0, -0.2, 1.0));
    }

    #[test]
    fn a_pentagram_has_the_angle_stated() {
        for cells in [1, 2, 5] {
            let settings = StarSettings { cells, layers: cells, ..PENTAGRAM };
            check_angle_at_least(measure(&star(&settings).unwrap()).min_dihedral, 30.0);
        }
    }

    #[test]
    fn faults_name_the_argument() {
        let refusal = |settings| star(&settings).unwrap_err().to_string();
        assert_eq!(
            refusal(StarSettings { tips: 2, ..PENTAGRAM }),
            "tips of the star: 2 asked for, at least 3 needed"
        );
        // cos(π/5) = 0.809: from there on the star is convex.
        let convex = refusal(StarSettings { inner_radius: 0.81, ..PENTAGRAM });
        assert!(convex.starts_with("the inner radius of the star is 0.81 m"), "{convex}");
        assert!(star(&StarSettings { inner_radius: 0.80, ..PENTAGRAM }).is_ok());
        assert!(star(&StarSettings { cells: 0, ..PENTAGRAM }).is_err());
        assert!(star(&StarSettings { layers: 0, ..PENTAGRAM }).is_err());
        assert!(star(&StarSettings { tips: u32::MAX, ..PENTAGRAM }).is_err());
        let most = StarSettings { tips: u32::MAX, cells: u32::MAX, layers: u32::MAX, ..PENTAGRAM };
        assert!(star(&most).is_err());
        assert!(star(&StarSettings { thickness: f64::NAN, ..PENTAGRAM }).is_err());
    }
}
