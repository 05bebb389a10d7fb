//! What the stages of contact find in a frame, to be drawn over its picture.
//!
//! The marks are those of [`pliant_papers::overlay`]. A recording with tets (`record.tets = true`) gives what a
//! step would find; without them surface edges stand for tet edges, and what lies deep has no
//! way out. Contact rows are those of `contacts.csv`.

use pliant::body::{Bodies, Mesh};
use pliant::depth::{DepthSettings, Penetrations, penetrations};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant_papers::overlay::{self, FoundOverlaps};
pub use pliant_papers::overlay::{Mark, Overlay, OverlayKind};
use pliant_scene::loaded::RunInfo;

use crate::player::mesh::drawn;
use crate::run::contacts::ContactRow;

/// A frame as bodies that stages can be run on.
pub struct FrameBodies {
    bodies: Bodies,
    positions: Vec<Vec3>,
    found: Penetrations,
    /// Whether any body has no tets.
    hollow: bool,
}

impl FrameBodies {
    /// From a frame and the first one, in which no body is deformed beyond repair.
    ///
    /// Bodies without a closed surface are left out; `None` where nothing is left.
    pub fn new(info: &RunInfo, first: &[[f32; 3]], now: &[[f32; 3]]) -> Option<FrameBodies> {
        let mesh = drawn(info, now.len());
        let vector = |p: &[f32; 3]| Vec3::from(p.map(f64::from));
        let (mut meshes, mut positions, mut hollow) = (Vec::new(), Vec::new(), false);
        let mut tets_before = 0;
        for (body, skin) in info.bodies.iter().zip(&mesh.bodies) {
            let own = info.recorded.tets.get(tets_before..tets_before + body.tets);
            tets_before += body.tets;
            let tets = own.unwrap_or_default();
            let range = body.vertices.clone();
            let solid = if tets.is_empty() { None } else { solid(tets, range.clone(), first) };
            if let Some(solid) = solid {
                positions.extend(now.get(range)?.iter().map(vector));
                meshes.push(Shape::Tets(solid));
                continue;
            }
            let own = &mesh.source[skin.first..skin.first + skin.count];
            let base = skin.first as u32;
            let raw = RawMesh {
                positions: own.iter().filter_map(|v| first.get(*v as usize)).map(vector).collect(),
                triangles: skin.triangles.iter().map(|t| t.map(|v| VertexId(v - base))).collect(),
                ..RawMesh::default()
            };
            if let Ok((surface, _)) = Surface::from_raw(raw) {
                positions.extend(own.iter().filter_map(|v| now.get(*v as usize)).map(vector));
                meshes.push(Shape::Surface(surface));
                hollow = true;
            }
        }
        let parts: Vec<Mesh<'_>> = meshes.iter().map(Shape::borrow).collect();
        let bodies = Bodies::from_meshes(&parts).ok().filter(|bodies| bodies.len() > 1)?;
        let found = penetrations(&positions, &bodies, DepthSettings::default()).ok()?;
        Some(FrameBodies { bodies, positions, found, hollow })
    }

    /// What the caller should know.
    pub fn notice(&self) -> Option<String> {
        let lost = self.found.unresolved.len();
        (self.hollow && lost > 0).then(|| {
            format!(
                "{lost} vertices inside other bodies have no way out, as the recording has \
                 surfaces alone; `record.tets = true` in the scene records tets"
            )
        })
    }

    /// The marks of one kind; none of those that a frame alone does not have.
    pub fn overlay(&self, kind: OverlayKind) -> Overlay {
        let FrameBodies { bodies, positions, found, .. } = self;
        FoundOverlaps { bodies, positions, found }.overlay(kind)
    }
}

/// The tets of one body, from its first positions.
fn solid(tets: &[[u32; 4]], range: std::ops::Range<usize>, first: &[[f32; 3]]) -> Option<TetMesh> {
    let base = range.start as u32;
    let count = range.len();
    let own = |v: u32| v.checked_sub(base).filter(|v| (*v as usize) < count).map(VertexId);
    let corners = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(own);
        Some([a?, b?, c?, d?])
    };
    let raw = RawMesh {
        positions: first.get(range)?.iter().map(|p| Vec3::from(p.map(f64::from))).collect(),
        tets: tets.iter().map(corners).collect::<Option<_>>()?,
        ..RawMesh::default()
    };
    let (mesh, _) = TetMesh::from_raw(raw).ok()?;
    (mesh.positions().len() == count).then_some(mesh)
}

/// A mesh that is usable.
enum Shape {
    Tets(TetMesh),
    Surface(Surface),
}

impl Shape {
    fn borrow(&self) -> Mesh<'_> {
        match self {
            Shape::Tets(mesh) => Mesh::Tets(mesh),
            Shape::Surface(mesh) => Mesh::Surface(mesh),
        }
    }
}

/// Contacts of a table at one time, for bodies at these positions, m.
pub fn contacts(rows: &[ContactRow], positions: &[[f32; 3]]) -> Overlay {
    let touching: Vec<(Vec3, Vec3)> = rows.iter().map(|row| (row.point, row.normal)).collect();
    let points: Vec<Vec3> = positions.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
    overlay::contacts(&touching, &points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_papers::overlay::GREEN;
    use pliant_scene::loaded::{BodyInfo, Recorded};

    /// A tet over another, its tip 0.25 m below the other's top; with tets or without.
    fn frame(tets: Vec<[u32; 4]>) -> (RunInfo, Vec<[f32; 3]>) {
        let body = |name: &str, first: u32| BodyInfo {
            name: name.to_owned(),
            kind: "tets".to_owned(),
            vertices: first as usize..first as usize + 4,
            tets: 1,
            triangles: [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
                .map(|t| t.map(|v: u32| v + first))
                .to_vec(),
            rings: vec![],
            edges: vec![],
            held: false,
        };
        let info = RunInfo {
            scene: "tets".to_owned(),
            description: String::new(),
            response: "none".to_owned(),
            integrator: "verlet".to_owned(),
            dt: 1.0,
            steps: 1,
            record_every: 1,
            checkpoint_every: 1,
            gravity: [0.0; 3],
            bodies: vec![body("lower", 0), body("upper", 4)],
            obstacles: vec![],
            recorded: Recorded { tets, ..Recorded::default() },
            carried: vec![],
        };
        let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
        let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
        (info, lower.into_iter().chain(upper).collect())
    }

    fn tip(mark: &Mark) -> Vec3 {
        match mark {
            Mark::Dot { point, .. } => *point,
            Mark::Line { ends, .. } => ends[0],
        }
    }

    #[test]
    fn the_stages_of_a_tip_in_a_face_are_where_they_should_be() {
        let with_tets = vec![[0, 2, 1, 3], [4, 6, 5, 7]];
        for tets in [with_tets, vec![]] {
            let (info, now) = frame(tets);
            let frame = FrameBodies::new(&info, &now, &now).unwrap();
            let point = Vec3::new(0.75, 0.75, -0.25);
            let [border, rings, exits] =
                [OverlayKind::Border, OverlayKind::Rings, OverlayKind::Exits]
                    .map(|kind| frame.overlay(kind).marks);
            assert_eq!([border.len(), rings.len(), exits.len()], [1, 1, 1]);
            assert_eq!([tip(&border[0]), tip(&exits[0])], [point; 2]);
            // The face is nearer than all others.
            let [Mark::Line { ends, .. }] = frame.overlay(OverlayKind::Closest).marks[..] else {
                panic!("one line")
            };
            assert_eq!(ends[0], point);
            assert!(ends[1].distance(Vec3::new(0.75, 0.75, 0.0)) < 1e-12, "{ends:?}");
            // Three edges lead out through the face z = 0, a line and a dot each.
            let crossings = frame.overlay(OverlayKind::Crossings).marks;
            assert_eq!(crossings.len(), 6);
            for mark in crossings.iter().filter(|mark| matches!(mark, Mark::Dot { .. })) {
                assert!(tip(mark).z.abs() < 1e-12, "{mark:?}");
            }
            // One contact triangle, one way and its dot.
            assert_eq!(frame.overlay(OverlayKind::Surface).marks.len(), 5);
            assert_eq!(frame.notice(), None);
        }
    }

    #[test]
    fn frames_without_two_closed_bodies_have_no_stages() {
        let (mut info, now) = frame(vec![]);
        info.bodies.pop();
        assert!(FrameBodies::new(&info, &now, &now).is_none());
        assert!(FrameBodies::new(&info, &[], &[]).is_none());
    }

    #[test]
    fn contacts_have_a_dot_and_a_normal() {
        let row = ContactRow { time: 0.0, point: Vec3::X, normal: Vec3::Z, force: Vec3::Z };
        let marks = contacts(&[row], &[[0.0; 3], [0.0, 0.0, 10.0]]).marks;
        let ends = [Vec3::X, Vec3::new(1.0, 0.0, 0.5)];
        assert_eq!(marks[0], Mark::Line { ends, colour: GREEN });
        assert_eq!(tip(&marks[1]), Vec3::X);
    }

    #[test]
    fn every_kind_has_a_word() {
        for kind in OverlayKind::ALL {
            assert_eq!(OverlayKind::of(kind.name()), Some(kind));
        }
        assert_eq!(OverlayKind::of("Border"), None);
    }
}
