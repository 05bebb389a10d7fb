//! What the stages of contact find in a frame, to be drawn over its picture.
//!
//! Border points, crossings, exit directions and rings are those of [`pliant::depth`]; the contact
//! surface is what [`pliant_papers::surface`] starts from: vertices that go to triangles of the
//! other body, along their exit directions. A recording with tets (`record.tets = true`) gives what a
//! step would find; without them surface edges stand for tet edges, and what lies deep has no
//! way out. Contact rows are those of `contacts.csv`.

use pliant::body::{Bodies, Mesh};
use pliant::depth::{DepthSettings, Penetrations, Resolved, penetrations};
use pliant::detect::edges::{exit, nearest};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Aabb, Vec3};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant_papers::surface::Corrections;
use pliant_papers::surface::triangles::Touches;
use pliant_scene::loaded::RunInfo;

use crate::player::mesh::drawn;
use crate::run::contacts::ContactRow;

/// Colours, sRGB.
const RED: [u8; 3] = [200, 38, 60];
const ORANGE: [u8; 3] = [230, 130, 20];
const GREEN: [u8; 3] = [16, 128, 64];
const BLUE: [u8; 3] = [32, 80, 208];

/// Colours of rings from the border inwards; the last of all deeper ones.
const RINGS: [[u8; 3]; 6] =
    [[200, 38, 60], [230, 130, 20], [222, 190, 30], [70, 160, 70], [40, 120, 200], [110, 60, 170]];

/// Length of the normals of contacts, relative to the diagonal of what is drawn.
const NORMAL: f64 = 0.05;

/// What can be drawn over a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayKind {
    /// Colliding vertices with an edge that leads out.
    Border,
    /// Where those edges meet the surface, and the edges.
    Crossings,
    /// From colliding vertices along their directions by their depths.
    Exits,
    /// Colliding vertices, coloured by their steps from the border.
    Rings,
    /// Contacts that press, with their normals.
    Contacts,
    /// Triangles that colliding vertices go to, and how.
    Surface,
    /// The same where the pressures of both sides balance.
    Balanced,
}

impl OverlayKind {
    /// All kinds, in the order in which they are drawn.
    pub const ALL: [OverlayKind; 7] = [
        OverlayKind::Surface,
        OverlayKind::Balanced,
        OverlayKind::Exits,
        OverlayKind::Crossings,
        OverlayKind::Rings,
        OverlayKind::Border,
        OverlayKind::Contacts,
    ];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            OverlayKind::Border => "border",
            OverlayKind::Crossings => "crossings",
            OverlayKind::Exits => "exits",
            OverlayKind::Rings => "rings",
            OverlayKind::Contacts => "contacts",
            OverlayKind::Surface => "surface",
            OverlayKind::Balanced => "balanced",
        }
    }

    /// Whether it is found in a frame alone, without a table of contacts or materials.
    pub fn is_of_frame(self) -> bool {
        !matches!(self, OverlayKind::Contacts | OverlayKind::Balanced)
    }

    /// The kind of a word.
    pub fn of(word: &str) -> Option<OverlayKind> {
        OverlayKind::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

/// A dot or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A dot.
    Dot {
        /// World space, m.
        point: Vec3,
        /// Relative to the usual size.
        size: f64,
        /// sRGB.
        colour: [u8; 3],
    },
    /// A line.
    Line {
        /// World space, m.
        ends: [Vec3; 2],
        /// sRGB.
        colour: [u8; 3],
    },
}

/// Marks of one kind with their name.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// For the legend.
    pub name: &'static str,
    /// For the legend, sRGB.
    pub colour: [u8; 3],
    /// In the order in which they are drawn.
    pub marks: Vec<Mark>,
}

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
        let resolved = || self.found.resolved.iter();
        let dot = |entry: &Resolved, size: f64, colour: [u8; 3]| Mark::Dot {
            point: self.place(entry.vertex),
            size,
            colour,
        };
        match kind {
            OverlayKind::Border => {
                let border = resolved().filter(|entry| entry.ring == 0);
                let marks = border.map(|entry| dot(entry, 1.0, RED)).collect();
                Overlay { name: "border points", colour: RED, marks }
            }
            OverlayKind::Rings => {
                let colour = |ring: u32| RINGS[(ring as usize).min(RINGS.len() - 1)];
                let marks = resolved().map(|entry| dot(entry, 0.85, colour(entry.ring))).collect();
                Overlay { name: "rings, border first", colour: RINGS[1], marks }
            }
            OverlayKind::Exits => {
                let way = |entry: &Resolved| {
                    let from = self.place(entry.vertex);
                    let way = entry.penetration.depth * entry.penetration.direction;
                    Mark::Line { ends: [from, from + way], colour: RED }
                };
                Overlay {
                    name: "exit directions",
                    colour: RED,
                    marks: resolved().map(way).collect(),
                }
            }
            OverlayKind::Crossings => {
                Overlay { name: "crossings", colour: ORANGE, marks: self.crossings() }
            }
            OverlayKind::Surface => {
                Overlay { name: "contact surface", colour: BLUE, marks: self.contact_surface() }
            }
            OverlayKind::Contacts | OverlayKind::Balanced => contacts(&[], &[]),
        }
    }

    fn place(&self, vertex: VertexId) -> Vec3 {
        self.positions[vertex.index()]
    }

    /// Edges of border points that lead out, and where they meet the surfaces left.
    fn crossings(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        for entry in self.found.resolved.iter().filter(|entry| entry.ring == 0) {
            for &free in self.bodies.neighbours().row(entry.vertex.index()) {
                let ends = [free, entry.vertex].map(|v| self.place(v));
                if let Some(point) = self.left_at(free, ends, self.found.bodies(entry.into)) {
                    marks.push(Mark::Line { ends: [ends[1], point], colour: ORANGE });
                    marks.push(Mark::Dot { point, size: 0.8, colour: ORANGE });
                }
            }
        }
        marks
    }

    /// Where an edge from outside leaves the bodies; `None` where its free end is inside, too.
    fn left_at(&self, free: VertexId, ends: [Vec3; 2], into: &[BodyId]) -> Option<Vec3> {
        let at = self.found.resolved.binary_search_by_key(&free, |entry| entry.vertex);
        let lost = self.found.unresolved.binary_search_by_key(&free, |entry| entry.vertex);
        if at.is_ok() || lost.is_ok() {
            return None;
        }
        let around = Aabb::around(ends);
        let triangles = into.iter().flat_map(|body| self.bodies.triangles_of(*body));
        let exits = triangles.filter_map(|triangle| {
            let corners = self.bodies.triangles()[triangle].map(|v| self.place(v));
            let box_ = Aabb::around(corners);
            let apart = (box_.min - around.max).max(around.min - box_.max).max_element() > 0.0;
            if apart { None } else { exit(ends[0], ends[1], corners, triangle as u32) }
        });
        nearest(exits).map(|exit| exit.position)
    }

    /// Contact triangles, and how vertices go to them.
    fn contact_surface(&self) -> Vec<Mark> {
        let Ok(mut touches) = Touches::new(&self.positions, &self.bodies) else {
            return Vec::new();
        };
        let (settings, corrections) = (DepthSettings::default(), Corrections::default());
        if touches.find(&self.positions, &self.bodies, settings, corrections).is_err() {
            return Vec::new();
        }
        let mut marks = Vec::new();
        for touch in touches.list() {
            let corners = touch.corners.map(|v| self.place(v));
            let sides = [[0, 1], [1, 2], [2, 0]].map(|[a, b]| [corners[a], corners[b]]);
            marks.extend(sides.map(|ends| Mark::Line { ends, colour: BLUE }));
        }
        for touch in touches.list() {
            let from = self.place(touch.vertex);
            marks.push(Mark::Line { ends: [from, from + touch.way], colour: RED });
            marks.push(Mark::Dot { point: from, size: 0.7, colour: RED });
        }
        marks
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
    let points = positions.iter().map(|p| Vec3::from(p.map(f64::from)));
    let around = Aabb::around(points.filter(|p| p.is_finite()));
    let length = NORMAL * (around.max - around.min).length();
    let marks = rows.iter().flat_map(|row| {
        let ends = [row.point, row.point + length * row.normal];
        let dot = Mark::Dot { point: row.point, size: 0.8, colour: GREEN };
        [Mark::Line { ends, colour: GREEN }, dot]
    });
    Overlay { name: "contacts", colour: GREEN, marks: marks.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
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
