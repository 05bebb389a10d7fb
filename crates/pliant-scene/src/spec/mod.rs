//! The keys of a scene file.
//!
//! The doc comment of a key becomes its description in the JSON schema and in the book, so
//! each says its unit.

pub mod body;

pub mod contact;

pub mod joint;

pub mod obstacle;

pub mod outline;

pub mod shape;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::{Body, Material, Mesh};
pub use contact::{Contact, Response};
pub use joint::Joint;
pub use obstacle::Obstacle;
use shape::{Matching, Spin};

/// A scene: bodies, what they meet, and how time passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Name of the scene; that of the file without its ending when left out. Unit: none.
    #[serde(default)]
    pub name: String,
    /// What is to be seen, its first line in lists. Unit: none.
    #[serde(default)]
    pub description: String,
    /// Time to simulate, s; positive.
    pub duration: f64,
    /// Time step, s; positive.
    pub dt: f64,
    /// Acceleration of everything, m/s².
    #[serde(default = "gravity")]
    pub gravity: [f64; 3],
    /// Contact between bodies; left out, `constraint` where the integrator can solve it
    /// (`implicit-euler` with `newton_iterations` 0), otherwise `none`.
    #[serde(default)]
    pub response: Option<Response>,
    /// What the response is made of.
    #[serde(default)]
    pub contact: Contact,
    /// Start of all random numbers of patterns without a seed of their own, count.
    #[serde(default)]
    pub seed: u32,
    /// Names for values, to be set from outside and used as `"=name"`; any unit.
    #[serde(default, skip_serializing)]
    pub parameters: BTreeMap<String, Parameter>,
    /// How steps are made.
    #[serde(default)]
    pub integrator: Integrator,
    /// What is written down, and when.
    #[serde(default)]
    pub record: Record,
    /// What moves; at least one.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// What bodies meet.
    #[serde(default)]
    pub obstacles: Vec<Obstacle>,
    /// What holds rigid bodies together.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// Constant forces.
    #[serde(default)]
    pub loads: Vec<Load>,
    /// Air around all vertices; none when left out.
    #[serde(default)]
    pub drag: Option<Drag>,
    /// What draws all vertices back to a place; nothing when left out.
    #[serde(default)]
    pub attractor: Option<Attractor>,
}

fn gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// Value of a parameter: a number, a word or boolean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parameter {
    /// Any unit.
    Number(f64),
    /// A word.
    Word(String),
    /// True or false.
    Flag(bool),
}

/// Ways to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorKind {
    /// Order 1; gains energy.
    ExplicitEuler,
    /// Order 1; keeps energy on average.
    SymplecticEuler,
    /// Order 2, explicit.
    Midpoint,
    /// Order 4, explicit.
    Rk4,
    /// Order 2, or 1 with damping: Verlet with backward velocities.
    Verlet,
    /// Order 2 with damping too: Verlet with central velocities.
    VerletCentral,
    /// Order 1; stable at any step, damps what is fast; solves contacts with the materials.
    #[default]
    ImplicitEuler,
    /// Order 2, implicit; damps nothing by itself.
    ImplicitMidpoint,
    /// Order 2, implicit; damps only what is very fast.
    Bdf2,
    /// Verlet with constraints on positions.
    Pbd,
}

/// How the implicit steps solve their linear equations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Preconditioned conjugate gradients.
    #[default]
    Pcg,
    /// Sparse Cholesky factors; needs a program built with the feature `direct`.
    Cholesky,
}

/// How steps are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Integrator {
    /// Method.
    pub kind: IntegratorKind,
    /// Equal parts that each step is made in, count; at least 1. Contact is looked for in
    /// each.
    pub substeps: u32,
    /// Times that a refused or unsolved step may be halved, count; at most 62. Left out, 4
    /// with the response `constraint` and 0 with others.
    pub max_halvings: Option<u32>,
    /// Newton iterations at most, count; 0 solves one linear system per step. For the
    /// implicit kinds.
    pub newton_iterations: u32,
    /// What may be left of the equations, relative to their start, unit 1. For the implicit
    /// kinds.
    pub tolerance: f64,
    /// Solver of the linear equations. For the implicit kinds.
    pub solver: Solver,
    /// Iterations of the linear solver at most, count. For the implicit kinds.
    pub iterations: u32,
    /// Sweeps over all constraints at most, count. For `pbd`.
    pub sweeps: u32,
    /// Violation of a constraint that may stay, m. For `pbd`.
    pub slack: f64,
    /// Whether rigid bodies that have come to rest sleep until something meets them, boolean. For
    /// `implicit-euler` with `newton_iterations` 0.
    pub sleep: bool,
    /// When shapes are matched; left out, with the step for the implicit kinds, otherwise after
    /// it.
    pub matching: Option<Matching>,
    /// What a match after the step does to a free spin; with the step it is kept.
    pub spin: Spin,
}

impl Default for Integrator {
    fn default() -> Integrator {
        Integrator {
            kind: IntegratorKind::default(),
            substeps: 1,
            max_halvings: None,
            newton_iterations: 0,
            tolerance: 1e-6,
            solver: Solver::default(),
            iterations: 1000,
            sweeps: 100,
            slack: 1e-6,
            sleep: true,
            matching: None,
            spin: Spin::default(),
        }
    }
}

/// What is written down, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// A row and a frame every this many steps, count; instead of `rate`.
    pub every: Option<u32>,
    /// Rows and frames per simulated second, Hz, as near as whole steps come; 60 when
    /// neither is given.
    pub rate: Option<f64>,
    /// A checkpoint every this many steps, count; one per simulated second when left out.
    pub checkpoint: Option<u32>,
}

/// A constant force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Name of the body; of a pattern that of all its bodies. Unit: none.
    pub body: String,
    /// On each of `vertices`, N, or on the whole body, shared by mass.
    pub force: [f64; 3],
    /// Vertices it acts on, numbers within the body from 0; the whole body when left out.
    #[serde(default)]
    pub vertices: Option<Vec<u32>>,
}

/// Air that holds vertices back, or carries them along.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// How drag grows with speed.
    #[serde(default)]
    pub law: DragLaw,
    /// Of each vertex, N·s/m with the linear law, N·s²/m² with the quadratic; at least 0.
    pub coefficient: f64,
    /// Velocity of the air, m/s.
    #[serde(default)]
    pub wind: [f64; 3],
}

/// A pull to a place that grows with the distance, so that bodies stay together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attractor {
    /// Where nothing is pulled, m.
    #[serde(default)]
    pub centre: [f64; 3],
    /// Of swings along x, y and z, rad/s; at least 0.
    pub rates: [f64; 3],
}

/// How drag grows with speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DragLaw {
    /// In proportion.
    #[default]
    Linear,
    /// With the square.
    Quadratic,
}
