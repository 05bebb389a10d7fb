//! Surfaces of obstacles, for pictures.

use std::f64::consts::{PI, TAU};

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::Shape;
use pliant::math::{Aabb, Quat, Vec3};
use pliant::mesh::surface::Surface;

use super::rotation;
use crate::loaded::RenderMesh;
use crate::spec::body::Keyframe;

/// Segments of a full circle.
const AROUND: u32 = 48;

/// Cells of a plane along each edge: parts of it can be left out.
const CELLS: u32 = 32;

/// How far endless things reach, in sizes of the scene.
const REACH: f64 = 4.0;

/// A triangle belongs to an intersection up to this distance from it, in edges of its own.
const NEAR: f64 = 0.25;

/// Triangles in a space of their own.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// m.
    pub positions: Vec<Vec3>,
    /// Corners, counted from 0.
    pub triangles: Vec<[u32; 3]>,
}

/// How large endless things are shown, m.
pub fn extent(positions: &[Vec3]) -> f64 {
    let size = Aabb::around(positions.iter().copied()).size();
    (REACH * size.max_element()).max(1.0)
}

/// A square of the plane z = 0.
pub fn plane(extent: f64) -> Sheet {
    let at = |k: u32| extent * (f64::from(k) / f64::from(CELLS) - 0.5);
    mesh_of([CELLS, CELLS], |i, j| Vec3::new(at(i), at(j), 0.0))
}

/// The faces of a box.
pub fn cuboid(size: Vec3) -> Sheet {
    let mut all = Sheet::default();
    let turns = [
        Quat::IDENTITY,
        Quat::from_rotation_x(PI),
        Quat::from_rotation_x(0.5 * PI),
        Quat::from_rotation_x(-0.5 * PI),
        Quat::from_rotation_y(0.5 * PI),
        Quat::from_rotation_y(-0.5 * PI),
    ];
    let cells = CELLS / 4;
    let at = |k: u32| f64::from(k) / f64::from(cells) - 0.5;
    for turn in turns {
        let face = mesh_of([cells, cells], |i, j| size * (turn * Vec3::new(at(i), at(j), 0.5)));
        all.append(&face);
    }
    all
}

/// A ball pulled apart along z.
pub fn capsule(radius: f64, length: f64) -> Sheet {
    // An even number of rows, the two in the middle at the ends of the segment.
    let rows = AROUND / 2 + 1;
    let profile = |row: u32| {
        let below = row < rows.div_ceil(2);
        let (k, end) = if below { (row, -0.5) } else { (row - 1, 0.5) };
        let angle = PI * (f64::from(k) / f64::from(rows - 1) - 0.5);
        (radius * libm::cos(angle), radius * libm::sin(angle) + end * length)
    };
    revolve(rows, profile)
}

/// A cylinder around z with flat ends.
pub fn cylinder(radius: f64, length: f64) -> Sheet {
    let half = 0.5 * length;
    revolve(3, |row| [(0.0, -half), (radius, -half), (radius, half), (0.0, half)][row as usize])
}

/// A ring around z.
pub fn torus(ring_radius: f64, tube_radius: f64) -> Sheet {
    revolve(AROUND, |row| {
        let angle = TAU * f64::from(row) / f64::from(AROUND);
        (ring_radius + tube_radius * libm::cos(angle), tube_radius * libm::sin(angle))
    })
}

/// The triangles of a surface.
pub fn of_surface(surface: &Surface) -> Sheet {
    let triangles = surface.triangles().iter().map(|t| t.map(|v| v.0)).collect();
    Sheet { positions: surface.positions().to_vec(), triangles }
}

/// All parts in one space.
pub fn union(parts: &[(Pose, Sheet)]) -> Sheet {
    let mut all = Sheet::default();
    for (pose, sheet) in parts {
        let positions = sheet.positions.iter().map(|p| pose.world_from_body(*p)).collect();
        all.append(&Sheet { positions, triangles: sheet.triangles.clone() });
    }
    all
}

/// What lies on the surface of an intersection.
pub fn within(parts: &[(Pose, Sheet)], whole: &impl Shape) -> Sheet {
    let mut all = union(parts);
    let Sheet { positions, triangles } = &mut all;
    triangles.retain(|triangle| {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        whole.distance((a + b + c) / 3.0) <= NEAR * (b - a).length().max((c - a).length())
    });
    all
}

/// A sheet in the world at the start, with the poses of one that moves.
pub fn place(name: &str, sheet: &Sheet, motion: &Keyframes, frames: &[Keyframe]) -> RenderMesh {
    let pose = motion.pose(0.0);
    let positions = sheet.positions.iter().map(|p| pose.world_from_body(*p).as_vec3().to_array());
    let at = |frame: &Keyframe| (frame.time, frame.position, rotation(frame.rotation).to_array());
    let moves = frames.len() > 1;
    RenderMesh {
        name: name.to_owned(),
        positions: positions.collect(),
        triangles: sheet.triangles.clone(),
        poses: if moves { frames.iter().map(at).collect() } else { Vec::new() },
    }
}

impl Sheet {
    fn append(&mut self, other: &Sheet) {
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| first + v)));
    }
}

/// A profile (distance from the axis, height), m, turned around z; it runs upwards outside.
fn revolve(rows: u32, profile: impl Fn(u32) -> (f64, f64)) -> Sheet {
    mesh_of([AROUND, rows], |around, row| {
        let (radius, height) = profile(row);
        let angle = TAU * f64::from(around) / f64::from(AROUND);
        Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), height)
    })
}

/// A grid of cells, each cut in two; counter-clockwise where i, j and the normal are.
fn mesh_of([nx, ny]: [u32; 2], at: impl Fn(u32, u32) -> Vec3) -> Sheet {
    let mut sheet = Sheet::default();
    for j in 0..=ny {
        sheet.positions.extend((0..=nx).map(|i| at(i, j)));
    }
    let vertex = |i: u32, j: u32| i + (nx + 1) * j;
    for (i, j) in (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j))) {
        let [a, b] = [vertex(i, j), vertex(i + 1, j)];
        let [c, d] = [vertex(i + 1, j + 1), vertex(i, j + 1)];
        sheet.triangles.extend([[a, b, c], [a, c, d]]);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::obstacle::{Combined, Cuboid, Part, Revolved};

    /// Volume within outward triangles, m³.
    fn volume(sheet: &Sheet) -> f64 {
        let corner = |v: u32| sheet.positions[v as usize];
        let of = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0;
        sheet.triangles.iter().map(of).sum()
    }

    #[track_caller]
    fn check(sheet: &Sheet, shape: &impl Shape, expected: f64) {
        let off = sheet.positions.iter().map(|p| shape.distance(*p).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off}");
        let found = volume(sheet);
        // Chords of a circle of 48 segments: 1 − sin(τ/48)/(τ/48) is 0.3 %, twice for a ball.
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }

    #[test]
    fn skins_lie_on_their_shapes_and_look_outward() {
        let ball = 4.0 / 3.0 * PI * 0.125;
        check(&capsule(0.5, 0.0), &Revolved::sphere(0.5).unwrap(), ball);
        let long = ball + PI * 0.25 * 2.0;
        check(&capsule(0.5, 2.0), &Revolved::capsule(0.5, 2.0).unwrap(), long);
        let torus_volume = 2.0 * PI * PI * 0.09;
        check(&torus(1.0, 0.3), &Revolved::torus(1.0, 0.3).unwrap(), torus_volume);
        let size = Vec3::new(1.0, 2.0, 3.0);
        check(&cuboid(size), &Cuboid::new(size).unwrap(), 6.0);
        assert!((volume(&cylinder(0.5, 2.0)) / (PI * 0.5) - 1.0).abs() < 0.01);
    }

    #[test]
    fn an_intersection_shows_what_all_parts_hold() {
        let size = Vec3::ONE;
        let ball = || Revolved::sphere(0.6).unwrap();
        let parts = vec![
            Part::new(Cuboid::new(size).unwrap(), Pose::IDENTITY),
            Part::new(ball(), Pose::IDENTITY),
        ];
        let whole = Combined::intersection(parts).unwrap();
        let sheets = [(Pose::IDENTITY, cuboid(size)), (Pose::IDENTITY, capsule(0.6, 0.0))];
        let sheet = within(&sheets, &whole);
        let far =
            sheet.triangles.iter().flatten().map(|v| whole.distance(sheet.positions[*v as usize]));
        let far = far.fold(0.0, f64::max);
        assert!(far < 0.15 && sheet.triangles.len() > 100, "{far} {}", sheet.triangles.len());
    }
}
