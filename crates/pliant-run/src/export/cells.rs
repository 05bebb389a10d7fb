//! What of a run's bodies and obstacles other programs draw: triangles, lines, points.

use pliant::id::VertexId;
use pliant_scene::loaded::{BodyInfo, RunInfo};

use crate::picture::model::placed;

/// VTK's number of a point as a cell.
const POINT: u8 = 1;

/// VTK's number of a line.
const LINE: u8 = 3;

/// VTK's number of a triangle.
const TRIANGLE: u8 = 5;

/// VTK's number of a tet.
const TET: u8 = 10;

/// What a body is drawn as.
pub(super) enum Drawn {
    /// Corners of triangles.
    Triangles(Vec<[u32; 3]>),
    /// Ends of lines: edges, or the sides of rings.
    Lines(Vec<[u32; 2]>),
    /// Points.
    Points(Vec<u32>),
}

impl Drawn {
    /// Triangles where there are any, else rings and edges, else all vertices.
    pub(super) fn new(body: &BodyInfo) -> Drawn {
        if !body.triangles.is_empty() {
            return Drawn::Triangles(body.triangles.clone());
        }
        let side = |ring: &[u32], k: usize| [ring[k], ring[(k + 1) % ring.len()]];
        let sides = body.rings.iter().flat_map(|ring| (0..ring.len()).map(|k| side(ring, k)));
        let lines: Vec<[u32; 2]> = sides.chain(body.edges.iter().copied()).collect();
        match lines.is_empty() {
            false => Drawn::Lines(lines),
            true => Drawn::Points(body.vertices.clone().map(|vertex| vertex as u32).collect()),
        }
    }

    /// All corners, one cell after the other.
    pub(super) fn corners(&self) -> &[u32] {
        match self {
            Drawn::Triangles(triangles) => triangles.as_flattened(),
            Drawn::Lines(lines) => lines.as_flattened(),
            Drawn::Points(points) => points,
        }
    }

    /// Corners of each cell, and VTK's number of its kind.
    fn kind(&self) -> (usize, u8) {
        match self {
            Drawn::Triangles(_) => (3, TRIANGLE),
            Drawn::Lines(_) => (2, LINE),
            Drawn::Points(_) => (1, POINT),
        }
    }
}

/// The cells of all bodies, as VTK lists them.
#[derive(Default)]
pub(super) struct CellLists {
    pub(super) corners: Vec<u32>,
    pub(super) ends: Vec<u64>,
    pub(super) kinds: Vec<u8>,
    /// Tet of each cell in the recording; none of another cell.
    pub(super) tets: Vec<Option<u32>>,
}

impl CellLists {
    /// Bodies with recorded tets as tets, others as they are drawn; fine surfaces in any case.
    pub(super) fn new(info: &RunInfo) -> CellLists {
        let (mut lists, mut first) = (CellLists::default(), 0);
        for (body, index) in info.bodies.iter().zip(0_u32..) {
            let own = first..first + body.tets;
            first = own.end;
            let tets = info.recorded.tets.get(own.clone()).unwrap_or(&[]);
            if !tets.is_empty() {
                lists.add(tets.as_flattened(), (4, TET));
                lists.tets.extend(own.map(|tet| Some(tet as u32)));
            }
            let carries = info.carried.iter().any(|surface| surface.bodies.contains(&index));
            if tets.is_empty() || carries {
                let drawn = Drawn::new(body);
                lists.add(drawn.corners(), drawn.kind());
            }
            lists.tets.resize(lists.kinds.len(), None);
        }
        lists
    }

    /// Adds triangles of obstacles, whose points follow those of the bodies.
    pub(super) fn add_obstacles(&mut self, info: &RunInfo, vertices: usize) {
        let mut first = vertices as u32;
        for obstacle in &info.obstacles {
            let corners: Vec<u32> =
                obstacle.triangles.as_flattened().iter().map(|corner| corner + first).collect();
            self.add(&corners, (3, TRIANGLE));
            first += obstacle.positions.len() as u32;
        }
        self.tets.resize(self.kinds.len(), None);
    }

    fn add(&mut self, corners: &[u32], (size, kind): (usize, u8)) {
        let (cells, start) = (corners.len() / size, self.corners.len());
        self.corners.extend(corners);
        self.ends.extend((1..=cells).map(|cell| (start + size * cell) as u64));
        self.kinds.extend(std::iter::repeat_n(kind, cells));
    }
}

/// Points of all obstacles at a time, in order, m.
pub(super) fn obstacle_points(info: &RunInfo, time: f64) -> Vec<[f32; 3]> {
    let all = info.obstacles.iter().flat_map(|obstacle| placed(obstacle, time));
    all.map(|point| point.to_array().map(|number| number as f32)).collect()
}

/// Body of each vertex of a frame as read; `u32::MAX` for one of none.
pub(super) fn body_of_vertex(info: &RunInfo, vertices: usize) -> Vec<u32> {
    let mut bodies = vec![u32::MAX; vertices];
    let fine = vertices.saturating_sub(info.carried_vertices());
    for (index, body) in info.bodies.iter().enumerate() {
        let carried = info.carried_range(index, fine).unwrap_or_default();
        for own in [body.vertices.clone(), carried] {
            bodies[own].fill(index as u32);
        }
    }
    bodies
}

/// Some vertices of a run under new numbers, in the old order.
pub(super) struct Kept {
    /// Old numbers.
    pub(super) vertices: Vec<u32>,
    /// The least of them.
    first: u32,
    /// New number of each old one from `first` on; that of one left out means nothing.
    numbers: Vec<u32>,
}

impl Kept {
    /// Keeps the vertices that are named.
    pub(super) fn new<'a>(named: impl Iterator<Item = &'a u32> + Clone) -> Kept {
        let first = named.clone().min().copied().unwrap_or(0);
        let end = named.clone().max().map_or(0, |&last| last as usize + 1);
        let mut used = vec![false; end.saturating_sub(first as usize)];
        named.for_each(|&vertex| used[(vertex - first) as usize] = true);
        let (mut vertices, mut numbers) = (Vec::new(), vec![0; used.len()]);
        for (place, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            numbers[place] = vertices.len() as u32;
            vertices.push(first + place as u32);
        }
        Kept { vertices, first, numbers }
    }

    /// The new number of a vertex that is kept.
    pub(super) fn number(&self, vertex: u32) -> u32 {
        self.numbers[(vertex - self.first) as usize]
    }

    /// A triangle in the new numbers.
    pub(super) fn triangle(&self, corners: [u32; 3]) -> [VertexId; 3] {
        corners.map(|corner| VertexId(self.number(corner)))
    }
}
