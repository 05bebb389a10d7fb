//! The keys of a scene file.
//!
//! The doc comment of a key becomes its description in the JSON schema and in the book, so
//! each dimensional number names its unit.

pub mod body;

pub mod contact;

pub mod joint;

pub mod obstacle;

pub mod outline;

pub mod preset;

pub mod shape;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::{Body, Material, Mesh};
pub use contact::{Contact, Response};
pub use joint::Joint;
pub use obstacle::Obstacle;
use shape::{Matching, Polar, Spin};

/// A scene: bodies, obstacles, joints, and how steps are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Name of the scene; that of the file without its ending when left out.
    #[serde(default)]
    pub name: String,
    /// Description; its first line is shown in lists.
    #[serde(default)]
    pub description: String,
    /// Folder that mesh and outline files count from, itself from that of the scene file; that one
    /// when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
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
    /// Settings of the contact response.
    #[serde(default)]
    pub contact: Contact,
    /// Random seed of patterns without a seed of their own.
    #[serde(default)]
    pub seed: u32,
    /// Parameters, to be set with `--set` and used as `"=name"`; any unit.
    #[serde(default, skip_serializing)]
    pub parameters: BTreeMap<String, Parameter>,
    /// Ranges of parameters, by name; a value outside is refused.
    #[serde(default, skip_serializing)]
    pub ranges: BTreeMap<String, ParameterRange>,
    /// How steps are made.
    #[serde(default)]
    pub integrator: Integrator,
    /// What is recorded, and when.
    #[serde(default)]
    pub record: Record,
    /// Bodies; at least one.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// Obstacles.
    #[serde(default)]
    pub obstacles: Vec<Obstacle>,
    /// Joints.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// Constant forces.
    #[serde(default)]
    pub loads: Vec<Load>,
    /// Drag on all vertices; none when left out.
    #[serde(default)]
    pub drag: Option<Drag>,
    /// Attraction of all vertices to a point; none when left out.
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

/// Values of a parameter that make sense in the scene, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterRange {
    /// The least, in the unit of the parameter; none when left out.
    #[serde(default)]
    pub min: Option<f64>,
    /// The largest, in the unit of the parameter; none when left out.
    #[serde(default)]
    pub max: Option<f64>,
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
    /// Substeps of each step; at least 1. Contacts are detected in each.
    pub substeps: u32,
    /// Times that a rejected or unconverged step may be halved; at most 62. Left out, 12
    /// with the response `constraint` and 0 with others.
    pub max_halvings: Option<u32>,
    /// Newton iterations at most; 0 solves one linear system per step. For the
    /// implicit kinds.
    pub newton_iterations: u32,
    /// Relative residual at which solvers stop. For the implicit kinds.
    pub tolerance: f64,
    /// Solver of the linear equations. For the implicit kinds.
    pub solver: Solver,
    /// Iterations of the linear solver at most. For the implicit kinds.
    pub iterations: u32,
    /// Sweeps over all constraints at most. For `pbd`.
    pub sweeps: u32,
    /// Violation of a constraint that may stay, m. For `pbd`.
    pub slack: f64,
    /// Whether rigid bodies that have come to rest sleep until something touches them. For
    /// `implicit-euler` with `newton_iterations` 0.
    pub sleep: bool,
    /// When shapes are matched; left out, with the step for the implicit kinds, otherwise after
    /// it.
    pub matching: Option<Matching>,
    /// Effect of a match after the step on a free spin; with the step it is kept.
    pub spin: Spin,
    /// How the rotation of a shape is found.
    pub polar: Polar,
    /// How rigid bodies turn between contacts.
    pub free_motion: FreeMotion,
}

/// How rigid bodies turn between contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FreeMotion {
    /// Order 2; keeps energy and angular momentum.
    #[default]
    Conserving,
    /// Order 1: the lecture's scheme with the gyroscopic term it leaves out; gains energy.
    Gyroscopic,
    /// Order 1: the lecture's scheme as printed; keeps the spin, not the angular momentum.
    Plain,
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
            polar: Polar::default(),
            free_motion: FreeMotion::default(),
        }
    }
}

/// What is recorded, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// A row and a frame every this many steps; instead of `rate`.
    pub every: Option<u32>,
    /// Rows and frames per simulated second, Hz, as near as whole steps come; 60 when
    /// neither is given.
    pub rate: Option<f64>,
    /// A checkpoint every this many steps; one per simulated second when left out.
    pub checkpoint: Option<u32>,
    /// Whether there is a table `contacts.csv`, a row per contact that presses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contacts: bool,
    /// Whether the recording has the tets of all bodies, for exports; fields of tets bring them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tets: bool,
    /// Fields in each frame of the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
}

/// A field that a recording can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Velocity of each vertex, m/s.
    Velocity,
    /// Depth of each vertex inside other bodies, m; 0 outside.
    Depth,
    /// Contact pressure at each vertex, Pa: normal force over the area of its surface.
    #[serde(rename = "pressure")]
    ContactPressure,
    /// Cauchy stress of each tet, Pa: xx, yy, zz, xy, yz, zx.
    Stress,
    /// Green strain of each tet: xx, yy, zz, xy, yz, zx.
    Strain,
}

impl Field {
    /// All fields.
    pub const ALL: [Field; 5] =
        [Field::Velocity, Field::Depth, Field::ContactPressure, Field::Stress, Field::Strain];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Field::Velocity => "velocity",
            Field::Depth => "depth",
            Field::ContactPressure => "pressure",
            Field::Stress => "stress",
            Field::Strain => "strain",
        }
    }

    /// Its unit; empty where it has none.
    pub fn unit(self) -> &'static str {
        match self {
            Field::Velocity => "m/s",
            Field::Depth => "m",
            Field::ContactPressure | Field::Stress => "Pa",
            Field::Strain => "",
        }
    }

    /// Whether it is of tets, not of vertices.
    pub fn is_of_tets(self) -> bool {
        matches!(self, Field::Stress | Field::Strain)
    }

    /// Numbers per vertex or tet.
    pub fn components(self) -> usize {
        match self {
            Field::Velocity => 3,
            Field::Depth | Field::ContactPressure => 1,
            Field::Stress | Field::Strain => 6,
        }
    }
}

/// A constant force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Name of the body; of a pattern that of all its bodies.
    pub body: String,
    /// On each of `vertices`, N, or on the whole body, shared by mass.
    pub force: [f64; 3],
    /// Vertices it acts on, numbers within the body from 0; the whole body when left out.
    #[serde(default)]
    pub vertices: Option<Vec<u32>>,
}

/// Drag of the air on vertices, with wind.
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

/// A harmonic attraction to a point, so that bodies stay together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attractor {
    /// The point of attraction, m.
    #[serde(default)]
    pub centre: [f64; 3],
    /// Angular frequencies along x, y and z, rad/s; at least 0.
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
