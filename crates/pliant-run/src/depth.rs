//! How deep bodies from files penetrate each other: `pliant depth`.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use pliant::body::surface_point::SurfacePoint;
use pliant::body::{Bodies, BodiesError};
use pliant::choice::{UnknownName, from_name};
use pliant::depth::exits::ExitSearch;
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::{Closest, Nearest};
use pliant::depth::query::BodyExit;
use pliant::depth::{DepthSettings, Penetrations, Reason};
use pliant::detect::Overlaps;
use pliant::detect::crossing::crossing_pairs;
use pliant::id::{BodyId, MismatchError, VertexId};
use pliant::math::{Quat, Vec3};
use pliant::profile::{ProfilerRef, Stage, StageTimer};
use serde::{Serialize, Serializer};

use crate::body_file::BodyFileError;
use crate::check::Kind;

mod read;

mod timer;

use read::{BodyFile, Scene};
use timer::{DepthTimer, fastest};

pub use timer::Timings;

/// Limitation of surfaces, printed after the name.
const SURFACE: &str = "is a surface: vertices deeper than its edges reach may go unresolved";

/// How depth is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Consistent depth: neighbours agree.
    #[default]
    Consistent,
    /// To the nearest point of all penetrated surfaces.
    Closest,
}

impl Method {
    /// All values.
    pub const ALL: [Method; 2] = [Method::Consistent, Method::Closest];

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Method::Consistent => "consistent",
            Method::Closest => "closest",
        }
    }
}

impl FromStr for Method {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Method, UnknownName> {
        from_name(given, &Method::ALL, Method::name)
    }
}

/// How depth is measured, and on how many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// What depth is.
    pub method: Method,
    /// Settings of consistent depth; without effect on the closest feature.
    pub settings: DepthSettings,
    /// Threads to use, 1 or more; the result does not depend on it.
    pub threads: usize,
    /// Whether it is repeated to measure how long it takes.
    pub is_timed: bool,
}

/// Why depth cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum DepthError {
    /// A placement that cannot be.
    #[error("argument {body} cannot be placed: its scale must be positive and all numbers finite")]
    Placement {
        /// From 0.
        body: usize,
    },
    /// Nothing to penetrate.
    #[error("at least two bodies are needed, {count} given")]
    TooFewBodies {
        /// Files given.
        count: usize,
    },
    /// Positions that are not those of the bodies.
    #[error("{0}")]
    Mismatch(#[from] MismatchError),
    /// Weights without a meaning.
    #[error("the exponent is {exponent}, it must be finite and above 0")]
    Exponent {
        /// As given.
        exponent: f64,
    },
    /// A file that is no body.
    #[error(transparent)]
    File(#[from] BodyFileError),
    /// Coordinates so large that volumes overflow.
    #[error(
        "{}: vertex {vertex} is at [{:e}, {:e}, {:e}], where volumes overflow; change the unit",
        path.display(), position.x, position.y, position.z
    )]
    TooFar {
        /// The file.
        path: PathBuf,
        /// First such vertex.
        vertex: VertexId,
        /// Where it is, m.
        position: Vec3,
    },
    /// A mesh so small that volumes vanish.
    #[error("{}: the mesh is {extent:e} m large, volumes vanish; change the unit", path.display())]
    TooSmall {
        /// The file.
        path: PathBuf,
        /// Longest side of its box, m.
        extent: f64,
    },
    /// More bodies than fit into one scene.
    #[error(transparent)]
    Bodies(#[from] BodiesError),
}

/// The result for all bodies.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `consistent` or `closest`.
    pub method: &'static str,
    /// Power of the distance in the weights. `None` for the closest feature.
    pub exponent: Option<f64>,
    /// `scene` or `pairs`; `None` for the closest feature.
    pub scope: Option<&'static str>,
    /// `area`, `angle` or `face`; `None` for the closest feature.
    pub normals: Option<&'static str>,
    /// One entry per file, in the order given.
    pub bodies: Vec<BodyReport>,
    /// Bodies that overlap without any vertex inside, smaller number first; ascending.
    pub crossing_pairs: Vec<[u32; 2]>,
    /// What was left out, changed or should be known.
    pub notices: Vec<String>,
    /// How long it took, where that was asked for.
    pub timings_us: Option<Timings>,
}

/// One body and its colliding vertices.
#[derive(Clone, Debug, Serialize)]
pub struct BodyReport {
    /// The file's stem.
    pub name: String,
    /// Tets or a surface.
    pub kind: Kind,
    /// Vertices in the file; unreferenced ones too.
    pub vertices: usize,
    /// Tets.
    pub tets: usize,
    /// Colliding vertices with a depth, by vertex, then body.
    pub points: Vec<Point>,
    /// Colliding vertices without one, by vertex, then body.
    pub unresolved: Vec<Unknown>,
}

/// A colliding vertex with its way out.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Place in the file, from 0.
    pub vertex: u32,
    /// Bodies penetrated, from 0; ascending.
    pub into: Vec<u32>,
    /// Steps from the border; `None` for the closest feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<u32>,
    /// Way to go along `direction`, m.
    pub depth: f64,
    /// Unit vector, world space.
    pub direction: [f64; 3],
    /// Where it leaves; `None` only for a body without a surface.
    pub exit: Option<ExitReport>,
}

/// The place of another body's surface at which a vertex leaves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExitReport {
    /// The body that is left, from 0.
    pub body: u32,
    /// Corners of the triangle: places in that body's file, from 0.
    pub triangle: [u32; 3],
    /// Weights of the corners: none negative, sum 1.
    pub weights: [f64; 3],
}

impl ExitReport {
    /// None for a place that the bodies do not have.
    fn new(exit: SurfacePoint, bodies: &Bodies) -> Option<ExitReport> {
        let BodyExit { body, triangle, weights, .. } = BodyExit::new(exit, bodies)?;
        Some(ExitReport { body: body.0, triangle: triangle.map(|v| v.0), weights })
    }
}

/// A colliding vertex for which no way out is known.
#[derive(Clone, Debug, Serialize)]
pub struct Unknown {
    /// Place in the file, from 0.
    pub vertex: u32,
    /// Bodies penetrated, from 0; ascending.
    pub into: Vec<u32>,
    /// Why.
    #[serde(serialize_with = "reason_name")]
    pub reason: Reason,
}

/// Where a body is put: scaled, then turned, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Factor of all lengths; positive.
    pub scale: f64,
    /// Rotation about the origin of the file.
    pub rotation: Quat,
    /// Way it is moved, in the unit of the scaled file.
    pub position: Vec3,
}

impl Default for Placement {
    /// Where the file puts it.
    fn default() -> Placement {
        Placement { scale: 1.0, rotation: Quat::IDENTITY, position: Vec3::ZERO }
    }
}

impl Placement {
    fn apply(self, positions: &mut [Vec3]) {
        if self == Placement::default() {
            return;
        }
        for position in positions {
            *position = self.position + self.rotation * (self.scale * *position);
        }
    }

    fn check(self, body: usize) -> Result<(), DepthError> {
        let Placement { scale, rotation, position } = self;
        let is_good = scale > 0.0 && scale.is_finite();
        match is_good && rotation.is_finite() && position.is_finite() {
            true => Ok(()),
            false => Err(DepthError::Placement { body }),
        }
    }
}

/// Reads the bodies and finds the way out of every vertex that is inside another body.
pub fn depth(files: &[PathBuf], request: Request) -> Result<Report, DepthError> {
    depth_placed(files, &[], request)
}

/// The same with bodies that are placed; those without an entry are where their files put them.
pub fn depth_placed(
    files: &[PathBuf],
    placements: &[Placement],
    request: Request,
) -> Result<Report, DepthError> {
    for (body, placement) in placements.iter().enumerate() {
        placement.check(body)?;
    }
    if files.len() < 2 {
        return Err(DepthError::TooFewBodies { count: files.len() });
    }
    if request.method == Method::Consistent {
        check_exponent(request.settings.exponent)?;
    }
    let Scene { positions, bodies, files, mut notices } = read::read(files, placements)?;
    if request.method == Method::Consistent {
        let surfaces = files.iter().filter(|file| file.kind == Kind::Surface);
        notices.extend(surfaces.map(|file| format!("{} {SURFACE}", file.name)));
    }
    let (overlaps, mut found) = measure(&positions, &bodies, request)?;
    let pairs = crossing_pairs(&positions, &bodies, &overlaps);
    for (body, file) in found.bodies.iter_mut().zip(files) {
        body.describe(file);
    }
    found.crossing_pairs = pairs.into_iter().map(|pair| pair.map(|body| body.0)).collect();
    found.notices.splice(0..0, notices);
    Ok(found)
}

/// Whether weights with this power of the distance have a meaning.
pub fn check_exponent(exponent: f64) -> Result<(), DepthError> {
    let has_meaning = exponent.is_finite() && exponent > 0.0;
    if has_meaning { Ok(()) } else { Err(DepthError::Exponent { exponent }) }
}

/// The colliding vertices, and a report that knows nothing of files yet.
fn measure(
    positions: &[Vec3],
    bodies: &Bodies,
    request: Request,
) -> Result<(Overlaps, Report), MismatchError> {
    let Request { method, settings, threads, is_timed } = request;
    let mut report = Report::new(bodies, method, settings);
    let mut scratch = Scratch::new(positions, bodies)?;
    let mut overlaps = Overlaps::default();
    scratch.overlaps(positions, bodies, &mut overlaps)?;
    match method {
        Method::Consistent => {
            let mut penetrations = Penetrations::default();
            let mut query = |scratch: &mut Scratch| {
                scratch.penetrations(positions, bodies, settings, &mut penetrations)
            };
            if is_timed {
                let timer = Arc::new(DepthTimer::default());
                scratch.set_watcher(Some(timer.clone()));
                report.timings_us = Some(fastest(&timer, || query(&mut scratch))?);
                scratch.set_watcher(None);
            }
            if threads > 1 || !is_timed {
                scratch.set_threads(threads);
                query(&mut scratch)?;
            }
            let (mut search, mut exits) = (ExitSearch::new(), Vec::new());
            search.set_threads(threads);
            search.exits(positions, bodies, &penetrations, &mut exits);
            report.take(bodies, &penetrations, &exits);
        }
        Method::Closest => {
            let mut closest = Vec::new();
            let mut nearest = Nearest::new(positions, bodies)?;
            if is_timed {
                let timer = Arc::new(DepthTimer::default());
                let profiler: ProfilerRef = Some(timer.clone());
                report.timings_us = Some(fastest(&timer, || {
                    {
                        let _inside = StageTimer::new(&profiler, Stage::Detect);
                        scratch.overlaps(positions, bodies, &mut overlaps)?;
                    }
                    let _depth = StageTimer::new(&profiler, Stage::Depth);
                    nearest.penetrations(positions, bodies, &overlaps, &mut closest)
                })?);
            } else {
                nearest.penetrations(positions, bodies, &overlaps, &mut closest)?;
            }
            report.take_closest(positions, bodies, &overlaps, &closest);
        }
    }
    Ok((overlaps, report))
}

impl Report {
    fn new(bodies: &Bodies, method: Method, settings: DepthSettings) -> Report {
        let settings = (method == Method::Consistent).then_some(settings);
        Report {
            method: method.name(),
            exponent: settings.map(|settings| settings.exponent),
            scope: settings.map(|settings| settings.scope.name()),
            normals: settings.map(|settings| settings.normals.name()),
            bodies: bodies.ids().map(|_| BodyReport::new()).collect(),
            crossing_pairs: Vec::new(),
            notices: Vec::new(),
            timings_us: None,
        }
    }

    /// Sorts the penetrations of the scene to their bodies.
    fn take(
        &mut self,
        bodies: &Bodies,
        penetrations: &Penetrations,
        exits: &[Option<SurfacePoint>],
    ) {
        for (resolved, exit) in penetrations.resolved.iter().zip(exits) {
            let (body, vertex) = place(bodies, resolved.vertex);
            self.bodies[body].points.push(Point {
                vertex,
                into: numbers(penetrations.bodies(resolved.into)),
                ring: Some(resolved.ring),
                depth: resolved.penetration.depth,
                direction: resolved.penetration.direction.to_array(),
                exit: exit.and_then(|exit| ExitReport::new(exit, bodies)),
            });
        }
        for unresolved in &penetrations.unresolved {
            let (body, vertex) = place(bodies, unresolved.vertex);
            let into = numbers(penetrations.bodies(unresolved.into));
            let reason = unresolved.reason;
            self.bodies[body].unresolved.push(Unknown { vertex, into, reason });
        }
        if penetrations.missed_edges > 0 {
            let count = penetrations.missed_edges;
            self.notices.push(format!("edges that lead out, but cross no surface: {count}"));
        }
    }

    /// Sorts the closest features of the scene to their bodies.
    fn take_closest(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        overlaps: &Overlaps,
        ways: &[Closest],
    ) {
        for Closest { vertex, triangle, penetration } in ways {
            let Ok(row) = overlaps.vertices.binary_search(vertex) else { continue };
            let point = positions[vertex.index()];
            let mut into = overlaps.into.row(row).iter().copied();
            let left = into.find(|&body| bodies.triangles_of(body).contains(&triangle.index()));
            let exit =
                left.map(|body| SurfacePoint::nearest(point, positions, bodies, (body, *triangle)));
            let (body, vertex) = place(bodies, *vertex);
            self.bodies[body].points.push(Point {
                vertex,
                into: numbers(overlaps.into.row(row)),
                ring: None,
                depth: penetration.depth,
                direction: penetration.direction.to_array(),
                exit: exit.and_then(|exit| ExitReport::new(exit, bodies)),
            });
        }
    }
}

impl BodyReport {
    fn new() -> BodyReport {
        BodyReport {
            name: String::new(),
            kind: Kind::Tets,
            vertices: 0,
            tets: 0,
            points: Vec::new(),
            unresolved: Vec::new(),
        }
    }

    /// Adds what the file says; copies of a vertex share its result.
    fn describe(&mut self, file: BodyFile) {
        let BodyFile { name, kind, vertices, tets, copies } = file;
        let of = |vertex: u32| {
            let start = copies.partition_point(|pair| pair[0].0 < vertex);
            copies[start..].iter().take_while(move |pair| pair[0].0 == vertex).map(|pair| pair[1].0)
        };
        for index in 0..self.points.len() {
            let point = self.points[index].clone();
            self.points.extend(of(point.vertex).map(|vertex| Point { vertex, ..point.clone() }));
        }
        for index in 0..self.unresolved.len() {
            let known = self.unresolved[index].clone();
            let copies = of(known.vertex).map(|vertex| Unknown { vertex, ..known.clone() });
            self.unresolved.extend(copies);
        }
        self.points.sort_by_key(|point| (point.vertex, point.into.first().copied()));
        self.unresolved.sort_by_key(|known| (known.vertex, known.into.first().copied()));
        (self.name, self.kind, self.vertices, self.tets) = (name, kind, vertices, tets);
    }
}

/// Body of a vertex, and the vertex counted within it.
fn place(bodies: &Bodies, vertex: VertexId) -> (usize, u32) {
    let body = bodies.body_of(vertex);
    (body.index(), vertex.0 - bodies.vertices(body).start as u32)
}

fn numbers(bodies: &[BodyId]) -> Vec<u32> {
    bodies.iter().map(|body| body.0).collect()
}

fn reason_name<S: Serializer>(reason: &Reason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        for method in Method::ALL {
            assert_eq!(method.name().parse(), Ok(method));
        }
        let error = "deepest".parse::<Method>().unwrap_err();
        assert_eq!(error.to_string(), "\"deepest\" is unknown, expected consistent, closest");
    }
}
