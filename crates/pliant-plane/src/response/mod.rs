//! Contact of outlines in the plane z = 0.
//!
//! Outlines are bodies whose vertices lie in the flat arrays like all others, rigid, soft or
//! pinned. Responses query a [`Backend`] for all pairs that may meet: [`penalty`] pushes what
//! is inside out again, [`impulse`] never lets anything in. Outlines meet only each other, and
//! none meets itself.
//!
//! `contact_point` has the effective mass and velocity of a point of a boundary, `penalty_pairs` the exit
//! direction of what is deep inside.

pub mod contact_point;

pub mod penalty_pairs;

pub mod penalty;

pub mod impulse;

use crate::outline::{OutlineError, Outlines};
use crate::pairs::NearPairs;
use crate::rect::Rect;
use crate::{Backend, BackendError, MOST_COORDINATE, Pair, ProximityQuery, ProximityResult};
use pliant::body::pins::Pins;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::Masses;
use pliant::body::{Bodies, BodyKind};
use pliant::contact::response::{ResponseError, StepContext};
use pliant::force::StepRejection;
use pliant::id::{BodyId, VertexId};
use pliant::math::{Vec2, Vec3};

/// Why a response of outlines cannot be set up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutlinesError {
    /// Rings that make no outline.
    #[error("body {body}: {error}")]
    Outline {
        /// The body.
        body: BodyId,
        /// What is wrong with its rings.
        error: OutlineError,
    },
    /// A setting outside its range.
    #[error("{0}")]
    Setting(ResponseError),
    /// Outlines that share points where none may.
    #[error("bodies {a} and {b} overlap or touch at the start: with impulses all must be apart")]
    Overlap {
        /// One of them.
        a: BodyId,
        /// The other.
        b: BodyId,
    },
    /// A backend that failed.
    #[error("{0}")]
    Backend(BackendError),
}

/// Mass and inertia of a rigid outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamina {
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about z, through the centre, kg·m².
    pub inertia: f64,
}

/// Which outlines there are, and which pairs do not interact.
#[derive(Clone, Copy, Debug)]
pub struct Cast<'a> {
    /// All bodies of the scene.
    pub bodies: &'a Bodies,
    /// Vertices at rest, m.
    pub rest: &'a [Vec3],
    /// Which of them are rigid.
    pub rigids: &'a RigidBodySet,
    /// Bodies that pass through each other, the smaller number first.
    pub apart: &'a [(BodyId, BodyId)],
}

/// All outlines of a scene at one time, and the backend for queries of them.
#[derive(Debug)]
pub struct Flat {
    /// The backend for queries.
    backend: Box<dyn Backend>,
    /// The outlines where they are now, m.
    outlines: Outlines,
    /// Vertex of each point of the outlines.
    vertices: Vec<VertexId>,
    /// Outline of each point.
    owners: Vec<u32>,
    /// Body of each outline.
    bodies: Vec<BodyId>,
    /// Mass and inertia of each outline; `None` where it is not rigid.
    laminas: Vec<Option<Lamina>>,
    /// Shorter side of the box around each outline at rest, m.
    sizes: Vec<f64>,
    /// Centre of mass of each rigid outline, m; zero for others.
    centres: Vec<Vec2>,
    /// Whether a vertex of the scene is pinned.
    held: Vec<bool>,
    /// Which pairs may meet.
    near: NearPairs,
    /// One for each of those pairs.
    answers: Vec<ProximityResult>,
    /// The first failure of the backend's device, as a rejection reports it.
    fault: Option<&'static str>,
}

impl Flat {
    /// The outlines among the bodies of a scene, and the backend to query.
    pub fn new(cast: Cast<'_>, backend: Box<dyn Backend>) -> Result<Flat, OutlinesError> {
        let Cast { bodies, rest, rigids, apart } = cast;
        let mut flat = Flat {
            backend,
            outlines: Outlines::default(),
            vertices: Vec::new(),
            owners: Vec::new(),
            bodies: Vec::new(),
            laminas: Vec::new(),
            sizes: Vec::new(),
            centres: Vec::new(),
            held: vec![false; bodies.vertex_count()],
            near: NearPairs::default(),
            answers: Vec::new(),
            fault: None,
        };
        for body in bodies.ids().filter(|body| bodies.kind(*body) == BodyKind::Outline) {
            let place = |v: &VertexId| rest[v.index()].truncate();
            let rings: Vec<Vec<Vec2>> =
                bodies.rings(body).iter().map(|ring| ring.iter().map(place).collect()).collect();
            let pushed = flat.outlines.push_given(&rings);
            pushed.map_err(|error| OutlinesError::Outline { body, error })?;
            let outline = flat.bodies.len() as u32;
            let points = bodies.rings(body).iter().flatten();
            flat.vertices.extend(points);
            flat.owners.resize(flat.vertices.len(), outline);
            flat.bodies.push(body);
            let size = Rect::around(rings.iter().flatten().copied()).size();
            flat.sizes.push(size.min_element());
            flat.laminas.push(rigids.index(body).map(|place| {
                let rigid = &rigids.entries()[place].body;
                Lamina { mass: rigid.mass, inertia: rigid.moments.z }
            }));
        }
        flat.centres.resize(flat.bodies.len(), Vec2::ZERO);
        let place = |body: BodyId| flat.bodies.binary_search(&body).ok().map(|k| k as u32);
        let apart = apart.iter().filter_map(|(a, b)| Some(Pair { a: place(*a)?, b: place(*b)? }));
        flat.near = NearPairs::without(apart);
        Ok(flat)
    }

    /// Number of outlines.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Takes over all positions.
    fn place(&mut self, context: StepContext<'_>) {
        let StepContext { bodies, motion, masses, pins, .. } = context;
        for (point, vertex) in self.outlines.points_mut().iter_mut().zip(&self.vertices) {
            *point = motion.positions[vertex.index()].truncate();
        }
        self.hold(pins);
        for (outline, lamina) in self.laminas.iter().enumerate() {
            if lamina.is_some() {
                let own = bodies.vertices(self.bodies[outline]);
                self.centres[outline] = centre(&motion.positions[own.clone()], masses, own.start);
            }
        }
    }

    fn hold(&mut self, pins: &Pins) {
        self.held.fill(false);
        pins.vertices().iter().for_each(|vertex| self.held[vertex.index()] = true);
    }

    /// Queries all pairs whose boxes are at most `reach` m apart.
    fn query(&mut self, question: &ProximityQuery, reach: f64) -> Result<(), BackendError> {
        self.near.find(&self.outlines, reach);
        self.backend.query(&self.outlines, self.near.pairs(), question, &mut self.answers)
    }

    /// Each pair that was queried, with its result.
    fn found(&self) -> impl Iterator<Item = (Pair, &ProximityResult)> {
        self.near.pairs().iter().copied().zip(&self.answers)
    }
}

/// Rejects a step that cannot be judged, as the backend failed.
///
/// What names no vertex is reported at the first. A device that fails has no value to report,
/// but a text, and that of the first failure counts: the later ones follow from it.
fn refused(flat: &mut Flat, error: &BackendError) -> StepRejection {
    let (point, what, value, limit) = match *error {
        BackendError::NotFinite { point, position, .. }
        | BackendError::TooFar { point, position, .. } => {
            let [x, y] = position.to_array().map(f64::abs);
            // The larger one, or the one that is NaN.
            let value = if x <= y || y.is_nan() { y } else { x };
            (point, "a coordinate of", value, MOST_COORDINATE)
        }
        BackendError::Bound { error } => (0, "outlines asked about with an error of", error, 0.0),
        BackendError::ContactDistance { distance } => {
            (0, "outlines asked about with a contact distance of", distance, 0.0)
        }
        BackendError::Pair { a, b, count, .. } => {
            (0, "a pair of outlines that is not there, number", f64::from(a.max(b)), count as f64)
        }
        BackendError::Device { ref what } => {
            // Rejections hold static texts; leaking one more for each scene does not matter.
            let reported = || {
                let text = format!("where no distances are reported ({what}): a distance of");
                &*text.leak()
            };
            (0, *flat.fault.get_or_insert_with(reported), f64::NAN, 0.0)
        }
    };
    let vertex = flat.vertices.get(point).copied().unwrap_or(VertexId(0));
    StepRejection { vertex, what, value, limit }
}

/// Centre of mass of some vertices, m, the first of which has number `start`.
fn centre(positions: &[Vec3], masses: &Masses, start: usize) -> Vec2 {
    let own = masses.of()[start..start + positions.len()].iter();
    // From the first vertex, so that a body far from the origin keeps its digits.
    let from = positions.first().copied().unwrap_or(Vec3::ZERO);
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for (position, mass) in positions.iter().zip(own) {
        sum += *mass * (*position - from);
        total += mass;
    }
    (from + sum / total).truncate()
}

#[cfg(test)]
mod tests;
