//! What the stages of contact find, as dots and lines to be drawn over bodies.
//!
//! Border points, crossings, exit directions and rings are those of [`pliant::depth`]; the contact
//! surface is what [`crate::surface`] starts from: vertices that go to triangles of the other
//! body, along their exit directions.

use pliant::body::Bodies;
use pliant::depth::{DepthSettings, Penetrations, Resolved};
use pliant::detect::edges::{exit, nearest};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Aabb, Vec3};
use pliant::mesh::closest::closest_point;

use crate::surface::Corrections;
use crate::surface::triangles::Touches;

/// Colours, sRGB.
const RED: [u8; 3] = [200, 38, 60];
const ORANGE: [u8; 3] = [230, 130, 20];
/// Of contacts.
pub const GREEN: [u8; 3] = [16, 128, 64];
const BLUE: [u8; 3] = [32, 80, 208];

/// Colours of rings from the border inwards; the last of all deeper ones.
const RINGS: [[u8; 3]; 6] =
    [[200, 38, 60], [230, 130, 20], [222, 190, 30], [70, 160, 70], [40, 120, 200], [110, 60, 170]];

/// Length of the normals of contacts, relative to the diagonal of what is drawn.
pub const NORMAL: f64 = 0.05;

/// What can be drawn over a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayKind {
    /// Colliding vertices with an edge that leads out.
    Border,
    /// Where those edges meet the surface, and the edges.
    Crossings,
    /// From colliding vertices along their directions by their depths.
    Exits,
    /// From colliding vertices to the nearest point of the surfaces they are behind.
    Closest,
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
    pub const ALL: [OverlayKind; 8] = [
        OverlayKind::Surface,
        OverlayKind::Balanced,
        OverlayKind::Exits,
        OverlayKind::Closest,
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
            OverlayKind::Closest => "closest",
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

/// Bodies at one time, with the exit directions of all vertices inside others.
#[derive(Clone, Copy, Debug)]
pub struct FoundOverlaps<'a> {
    /// Topology.
    pub bodies: &'a Bodies,
    /// World space, m.
    pub positions: &'a [Vec3],
    /// What was found of them.
    pub found: &'a Penetrations,
}

impl FoundOverlaps<'_> {
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
            OverlayKind::Closest => {
                Overlay { name: "closest surface points", colour: ORANGE, marks: self.closest() }
            }
            OverlayKind::Crossings => {
                Overlay { name: "crossings", colour: ORANGE, marks: self.crossings() }
            }
            OverlayKind::Surface => {
                Overlay { name: "contact surface", colour: BLUE, marks: self.contact_surface() }
            }
            OverlayKind::Contacts | OverlayKind::Balanced => contacts(&[], self.positions),
        }
    }

    fn place(&self, vertex: VertexId) -> Vec3 {
        self.positions[vertex.index()]
    }

    /// From each colliding vertex to the nearest surface point of the bodies that it is in.
    ///
    /// Every triangle of these bodies is looked at.
    ///
    /// - Implements: [Heidelberger04 fig. 1], left.
    fn closest(&self) -> Vec<Mark> {
        let Penetrations { resolved, unresolved, .. } = self.found;
        let lost = unresolved.iter().map(|entry| (entry.vertex, entry.into));
        let all = resolved.iter().map(|entry| (entry.vertex, entry.into)).chain(lost);
        let line = |(vertex, into)| {
            let from = self.place(vertex);
            let of =
                |body: &BodyId| self.bodies.triangles()[self.bodies.triangles_of(*body)].iter();
            let triangles = self.found.bodies(into).iter().flat_map(of);
            let points = triangles.map(|t| closest_point(from, t.map(|v| self.place(v))));
            let nearer =
                |a: &Vec3, b: &Vec3| a.distance_squared(from).total_cmp(&b.distance_squared(from));
            let to = points.min_by(nearer)?;
            Some(Mark::Line { ends: [from, to], colour: ORANGE })
        };
        all.filter_map(line).collect()
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
        let Ok(mut touches) = Touches::new(self.positions, self.bodies) else {
            return Vec::new();
        };
        let (settings, corrections) = (DepthSettings::default(), Corrections::default());
        if touches.find(self.positions, self.bodies, settings, corrections).is_err() {
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

/// Points and normals of contacts that press, for bodies at these positions, m.
pub fn contacts(touching: &[(Vec3, Vec3)], positions: &[Vec3]) -> Overlay {
    let around = Aabb::around(positions.iter().copied().filter(|p| p.is_finite()));
    let length = NORMAL * (around.max - around.min).length();
    let marks = touching.iter().flat_map(|&(point, normal)| {
        let ends = [point, point + length * normal];
        [Mark::Line { ends, colour: GREEN }, Mark::Dot { point, size: 0.8, colour: GREEN }]
    });
    Overlay { name: "contacts", colour: GREEN, marks: marks.collect() }
}
