//! Bodies that overlap, taken apart: the same meshes with other positions, and a proof.
//!
//! ```text
//! bodies ─▶ judge (which overlap) ─▶ rigid (least translations) ─▶ judge ─▶ positions, report
//!                                  ╰▶ soft (least elastic energy) ╯
//! ```
//!
//! What is returned as free was judged by exact signs on the positions returned, by code that
//! shares nothing with the search. The same bits for any number of threads.
//!
//! # The files, in the order in which they stand below; each calls only those before it
//!
//! | file           | what it does                                            | calls                    |
//! |----------------|---------------------------------------------------------|--------------------------|
//! | `shape`        | a body as a closed surface, placed anew again and again |                          |
//! | `triangles`    | the nearest points of two triangles                     |                          |
//! | `judge`        | crossing, nested, near or apart, exactly                | shape, triangles         |
//! | `sweep`        | how far a body must go along a direction, on trees      | shape                    |
//! | `axis`         | the shortest way of one body out of another             | shape, sweep             |
//! | `program`      | least translations under rows between pairs             |                          |
//! | `rigid`        | translates: judge, a row for each pair, program, again  | judge, axis, program     |
//! | `undeformed`   | why a body was moved as it is                           |                          |
//! | `elastic`      | how a body gives way: as a whole, turning, elastically  |                          |
//! | `soft_rows`    | rows between points of two surfaces                     | axis, triangles          |
//! | `soft_body`    | a mesh on the cage that gives way for it                | elastic, soft_rows       |
//! | `soft_program` | displacements of least energy under such rows           | soft_body                |
//! | `soft`         | deforms from the start: judge, rows, program, again     | judge, soft_program      |
//! | `relax`        | pulls back from where all are free, every step judged   | soft (its task), judge   |
//! | `change`       | how far and how much each body was changed              | shape                    |
//! | `search`       | the three manners: which of rigid, soft, relax, and when | rigid, soft, relax, change |
//! | `overlap`      | pairs that overlap, with how deep, for the report       | judge, axis              |
//!
//! `search::Search::run` is the one that decides: rigid moves first and turns then by relax; auto
//! and soft move rigidly first too, deform by soft those that went far, and where that is worse
//! or fails pull back by relax from where rigid had put them.
//!
//! Rows aim a little beyond the gap, in each file by as much as its next approximation costs:
//! `AIM_BEYOND` of the whole search beyond what is judged at the end, `rigid::ROW_BEYOND` of
//! translations, which are exact up to rounding, and `soft::POINT_BEYOND` of single points, between
//! which a surface bends. Each program ends at a tolerance of its own: `rigid::SHIFT_TOLERANCE`,
//! `soft::DEFORM_TOLERANCE`, and `relax::PULL_TOLERANCE`, the widest, as its steps are judged.

mod shape;

mod triangles;

mod judge;

mod sweep;

mod axis;

mod program;

mod rigid;

mod undeformed;

mod elastic;

mod soft_rows;

mod soft_body;

mod soft_program;

mod soft;

mod relax;

mod change;

mod search;

mod overlap;

use std::ops::ControlFlow;
use std::str::FromStr;

pub use change::BodyChange;
pub use overlap::{Overlap, OverlapKind};
pub use undeformed::Undeformed;

use crate::body::Mesh;
use crate::choice::{UnknownName, from_name};
use crate::id::{TriangleId, VertexId};
use crate::math::Vec3;
use crate::mesh::meeting;
use judge::{Scene, Standing};
use search::{Found, Search};
use shape::{Placed, Shape};

/// The gap where none is given, in sizes of the smallest body.
pub const USUAL_GAP: f64 = 1e-3;

/// Movement, in sizes of a body, up to which it is moved as it is where it may be deformed.
pub const USUAL_SHARE: f64 = 0.05;

/// Change of its volume, over the volume, up to which a body is deformed by [`Manner::Auto`].
pub const MOST_VOLUME_CHANGE: f64 = 0.1;

/// Share of the gap by which the whole search aims beyond what is judged at the end.
const AIM_BEYOND: f64 = 1e-3;

/// Gap that is searched for where none is wanted, in sizes of the smallest body.
const TINY: f64 = 1e-9;

/// The largest gap, in sizes of the largest body.
const LARGEST_GAP: f64 = 1000.0;

/// Largest coordinate, m, and smallest size, m, for which products of four neither overflow nor
/// vanish.
const RANGE: [f64; 2] = [1e75, 1e-70];

/// How bodies may be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// Moved as they are.
    Rigid,
    /// Deformed with the least elastic energy, near their places.
    Soft,
    /// Moved as they are where a short way is enough, deformed otherwise, by at most
    /// [`MOST_VOLUME_CHANGE`] of their volume.
    #[default]
    Auto,
}

impl Manner {
    /// All values.
    pub const ALL: [Manner; 3] = [Manner::Rigid, Manner::Soft, Manner::Auto];

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Manner::Rigid => "rigid",
            Manner::Soft => "soft",
            Manner::Auto => "auto",
        }
    }
}

impl FromStr for Manner {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Manner, UnknownName> {
        from_name(given, &Manner::ALL, Manner::name)
    }
}

/// Whether a body may be moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mobility {
    /// It may be moved, and deformed where the manner says so.
    #[default]
    Free,
    /// It may be moved, but not deformed.
    Rigid,
    /// It stays where it is.
    Fixed,
}

/// What is done with a body that is inside another without touching its surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nesting {
    /// It is taken out.
    #[default]
    Separate,
    /// It stays inside, as nested shells are meant to; only surfaces are kept apart.
    Keep,
}

/// A body to be taken out of others.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Tets or a closed surface.
    pub mesh: Mesh<'a>,
    /// Where its vertices are, m; as many as the mesh has.
    pub positions: &'a [Vec3],
    /// Whether it may be moved.
    pub mobility: Mobility,
    /// What movement is shared by, kg; its volume where none is given, which must not be mixed.
    pub mass: Option<f64>,
}

impl<'a> Body<'a> {
    /// A body that may be moved and deformed.
    pub fn new(mesh: Mesh<'a>, positions: &'a [Vec3]) -> Body<'a> {
        Body { mesh, positions, mobility: Mobility::Free, mass: None }
    }
}

/// How bodies are separated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparateSettings {
    /// Distance between any two bodies, m; [`USUAL_GAP`] of the smallest body where none is given.
    pub gap: Option<f64>,
    /// What is added to the gap while searching, m, as for rounding that is still to come.
    pub margin: f64,
    /// How bodies may be changed.
    pub manner: Manner,
    /// What is done with nested bodies.
    pub nesting: Nesting,
    /// Movement, in sizes of a body, up to which [`Manner::Auto`] moves it as it is.
    pub share: f64,
}

impl Default for SeparateSettings {
    fn default() -> SeparateSettings {
        let (manner, nesting) = (Manner::default(), Nesting::default());
        SeparateSettings { gap: None, margin: 0.0, manner, nesting, share: USUAL_SHARE }
    }
}

/// Where bodies are after they were separated.
#[derive(Clone, Debug, PartialEq)]
pub struct Separation {
    /// Vertices of each body, m.
    pub positions: Vec<Vec<Vec3>>,
    /// Distance that was to be reached between any two, m.
    pub gap: f64,
    /// Pairs that overlapped or were nearer than the gap, ascending.
    pub before: Vec<Overlap>,
    /// Pairs that still do; empty when all are free.
    pub left: Vec<Overlap>,
    /// Pairs with one inside the other that were kept so, ascending.
    pub kept_nested: Vec<[usize; 2]>,
    /// How each body was changed.
    pub changes: Vec<BodyChange>,
    /// Iterations of the search.
    pub iterations: usize,
    /// Whether the caller stopped it.
    pub stopped: bool,
}

impl Separation {
    /// Whether no two bodies overlap or are nearer than the gap.
    pub fn is_free(&self) -> bool {
        self.left.is_empty()
    }
}

/// Why bodies cannot be separated, or not be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SeparateError {
    /// A mesh without inside.
    #[error("body {body} has no inside: only tets and closed surfaces can be separated")]
    NoInside {
        /// By index.
        body: usize,
    },
    /// Positions that are not those of the mesh.
    #[error("body {body} has {found} positions, its mesh has {expected} vertices")]
    PositionCount {
        /// By index.
        body: usize,
        /// Given.
        found: usize,
        /// Of the mesh.
        expected: usize,
    },
    /// A position that exact signs do not hold for.
    #[error("vertex {vertex} of body {body} is at {position}, which is not finite or too far out")]
    Position {
        /// By index.
        body: usize,
        /// The first such.
        vertex: VertexId,
        /// m.
        position: Vec3,
    },
    /// A body too small for exact signs.
    #[error("body {body} has a size of {size:e} m: volumes vanish; change the unit")]
    TooSmall {
        /// By index.
        body: usize,
        /// m.
        size: f64,
    },
    /// A gap that is none.
    #[error(
        "the gap is {gap}, it must be from 0 to {LARGEST_GAP} times the size of the largest body"
    )]
    Gap {
        /// As given.
        gap: f64,
    },
}

/// Separates bodies: the same meshes, moved as little as needed until none overlaps another.
///
/// Where that fails, as when fixed bodies overlap, `left` says which pairs still do.
pub fn separate(
    bodies: &[Body<'_>],
    settings: &SeparateSettings,
) -> Result<Separation, SeparateError> {
    separate_with(bodies, settings, &mut |_| ControlFlow::Continue(()))
}

/// How far a separation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Iterations done.
    pub iteration: usize,
    /// Pairs that overlap or are too near.
    pub pairs: usize,
}

/// The same, and calls `progress` in each iteration, which may stop it.
pub fn separate_with(
    bodies: &[Body<'_>],
    settings: &SeparateSettings,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Separation, SeparateError> {
    let shapes = shapes(bodies)?;
    let gap = gap(&shapes, settings)?;
    let start: Vec<Vec<Vec3>> = bodies.iter().map(|body| body.positions.to_vec()).collect();
    let placed = placed(&shapes, &start, gap);
    let nested = match settings.nesting {
        Nesting::Separate => Vec::new(),
        Nesting::Keep => nested_pairs(&shapes, &placed),
    };
    let before =
        overlap::measured(Scene { shapes: &shapes, placed: &placed, nested: &nested }, gap);
    let smallest = smallest(&shapes);
    let margin = settings.margin.clamp(0.0, LARGEST_GAP * smallest);
    let margin = if margin.is_nan() { 0.0 } else { margin };
    let aim = (gap * (1.0 + AIM_BEYOND)).max(TINY * smallest) + margin;
    let search = Search {
        bodies,
        shapes: &shapes,
        start: &start,
        nested: &nested,
        gap: aim,
        share: settings.share,
        most_volume_change: match settings.manner {
            Manner::Auto => MOST_VOLUME_CHANGE,
            Manner::Rigid | Manner::Soft => f64::INFINITY,
        },
    };
    let found = search
        .run(settings.manner, &mut |iteration, pairs| progress(Progress { iteration, pairs }));
    let Found { positions, manners, undeformed, iterations, stopped } = found;
    let placed = self::placed(&shapes, &positions, gap);
    let left = overlap::measured(Scene { shapes: &shapes, placed: &placed, nested: &nested }, gap);
    let mut changes = changes(bodies, &shapes, &positions, &manners);
    for (change, why) in changes.iter_mut().zip(undeformed) {
        // What did not move at all was not to be deformed.
        change.undeformed = why.filter(|_| change.largest_movement > 0.0);
    }
    Ok(Separation {
        positions,
        gap,
        before,
        left,
        kept_nested: nested,
        changes,
        iterations,
        stopped,
    })
}

/// Pairs of bodies that overlap or are nearer than the gap, where they are now.
///
/// Of pairs in `kept_nested`, ascending, only the surfaces are looked at.
pub fn overlaps(
    bodies: &[Body<'_>],
    gap: f64,
    kept_nested: &[[usize; 2]],
) -> Result<Vec<Overlap>, SeparateError> {
    let shapes = shapes(bodies)?;
    let gap = self::gap(&shapes, &SeparateSettings { gap: Some(gap), ..Default::default() })?;
    let positions: Vec<Vec<Vec3>> = bodies.iter().map(|body| body.positions.to_vec()).collect();
    let placed = placed(&shapes, &positions, gap);
    let scene = Scene { shapes: &shapes, placed: &placed, nested: kept_nested };
    Ok(overlap::measured(scene, gap))
}

/// Pairs of triangles of one surface that meet other than at corners and edges they share.
///
/// Ascending, at most 100 000; the triangles count in the surface of the mesh.
pub fn self_intersections(body: &Body<'_>) -> Vec<[TriangleId; 2]> {
    let triangles = match body.mesh {
        Mesh::Tets(mesh) => mesh.surface(),
        Mesh::Surface(mesh) => mesh.triangles(),
        Mesh::SpringNetwork(..) | Mesh::Particles(_) | Mesh::Outline(..) => return Vec::new(),
    };
    if triangles.iter().flatten().any(|v| v.index() >= body.positions.len()) {
        return Vec::new();
    }
    meeting::meeting_pairs(body.positions, triangles).found
}

/// What each body is, checked.
fn shapes(bodies: &[Body<'_>]) -> Result<Vec<Shape>, SeparateError> {
    let checked = |(body, given): (usize, &Body<'_>)| {
        let expected = match given.mesh {
            Mesh::Tets(mesh) => mesh.positions().len(),
            Mesh::Surface(mesh) => mesh.positions().len(),
            Mesh::SpringNetwork(..) | Mesh::Particles(_) | Mesh::Outline(..) => {
                return Err(SeparateError::NoInside { body });
            }
        };
        let found = given.positions.len();
        if found != expected {
            return Err(SeparateError::PositionCount { body, found, expected });
        }
        let is_bad = |p: &Vec3| !(p.is_finite() && p.abs().max_element() <= RANGE[0]);
        if let Some(index) = given.positions.iter().position(is_bad) {
            let (vertex, position) = (VertexId(index as u32), given.positions[index]);
            return Err(SeparateError::Position { body, vertex, position });
        }
        let shape = Shape::new(given.mesh, given.positions);
        let shape = shape.ok_or(SeparateError::NoInside { body })?;
        let size = shape.size;
        if size < RANGE[1] { Err(SeparateError::TooSmall { body, size }) } else { Ok(shape) }
    };
    bodies.iter().enumerate().map(checked).collect()
}

/// Size of the smallest body, m; 0 without any.
fn smallest(shapes: &[Shape]) -> f64 {
    let smallest = shapes.iter().map(|shape| shape.size).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 0.0 }
}

/// The distance to be reached, m.
fn gap(shapes: &[Shape], settings: &SeparateSettings) -> Result<f64, SeparateError> {
    let gap = settings.gap.unwrap_or(USUAL_GAP * smallest(shapes));
    let largest = shapes.iter().map(|shape| shape.size).fold(0.0, f64::max);
    let is_good = gap >= 0.0 && (gap <= LARGEST_GAP * largest || gap == 0.0 || shapes.is_empty());
    if is_good && gap.is_finite() { Ok(gap) } else { Err(SeparateError::Gap { gap }) }
}

/// Shapes with trees that reach as far as a gap, m.
fn placed(shapes: &[Shape], positions: &[Vec<Vec3>], gap: f64) -> Vec<Placed> {
    let both = shapes.iter().zip(positions);
    both.map(|(shape, positions)| shape.placed(positions.clone(), 0.51 * gap)).collect()
}

/// Pairs with one inside the other whose surfaces do not meet, ascending.
fn nested_pairs(shapes: &[Shape], placed: &[Placed]) -> Vec<[usize; 2]> {
    let judged = Scene { shapes, placed, nested: &[] }.judge(0.0);
    let is_nested =
        |standing: Standing| matches!(standing, Standing::FirstInside | Standing::SecondInside);
    judged.iter().filter(|judged| is_nested(judged.standing)).map(|judged| judged.pair).collect()
}

/// How each body was changed.
fn changes(
    bodies: &[Body<'_>],
    shapes: &[Shape],
    positions: &[Vec<Vec3>],
    manners: &[Manner],
) -> Vec<BodyChange> {
    let all = bodies.iter().zip(shapes).zip(positions).zip(manners);
    all.map(|(((body, shape), moved), manner)| BodyChange::between(body, shape, moved, *manner))
        .collect()
}
