//! The commands of a worker, and the answers to them.

use serde::{Deserialize, Serialize};

/// A command.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// The built-in scenes, and the words for responses, integrators and materials.
    Catalogue,
    /// Loads a scene from its text; the bodies are in the arrays.
    Load {
        /// Name of the file or of the built-in scene.
        name: String,
        /// TOML; that of the built-in scene of this name when left out.
        #[serde(default)]
        text: Option<String>,
        /// Values set from outside, `name=value` each.
        #[serde(default)]
        sets: Vec<String>,
    },
    /// Loads the same scene with other values set and keeps positions, velocities and time.
    Switch {
        /// Values set from outside, in place of those before.
        sets: Vec<String>,
        /// TOML in place of that before, with more bodies after those that were there.
        #[serde(default)]
        text: Option<String>,
    },
    /// Makes steps, up to a number and for about a time.
    Step {
        /// Steps at most.
        count: u32,
        /// No further step begins after this time, ms.
        #[serde(default = "forever")]
        budget: f64,
    },
    /// Positions of all drawn vertices, then a number for each.
    Frame {
        /// What the numbers are.
        #[serde(default)]
        colour: Colour,
    },
    /// Energy, momentum and overlap, measured exactly.
    Measure,
    /// BLAKE3 of the state.
    Digest,
    /// Marks of the stages of contact.
    Overlays {
        /// Which.
        kinds: Vec<String>,
    },
    /// The distance field of an outline.
    Field {
        /// Number of the body; the union of all when left out.
        #[serde(default)]
        body: Option<usize>,
        /// Lower left and upper right corner, m.
        window: [[f64; 2]; 2],
        /// Pixels along the longer side, at most.
        pixels: u32,
    },
    /// Takes hold of a body at a point.
    Grab {
        /// Number of the body.
        body: usize,
        /// m.
        point: [f64; 3],
    },
    /// Pulls what is held to a point.
    Drag {
        /// m.
        point: [f64; 3],
    },
    /// Lets go of what is held; it keeps its velocity.
    Release,
    /// Pins the vertex of a soft body nearest to a point, or holds a rigid body there.
    Pin {
        /// Number of the body.
        body: usize,
        /// m.
        point: [f64; 3],
    },
    /// Takes all pins away that [`Command::Pin`] has set, and leaves those of the scene.
    Unpin,
    /// Takes all bodies out of each other at once.
    Separate,
    /// Begins to record frames.
    Record,
    /// Ends it; the recording is in the bytes.
    TakeRecording {
        /// The file format.
        format: Download,
        /// sRGB of bodies, from the first again after the last.
        #[serde(default)]
        colours: Vec<[u8; 3]>,
    },
    /// Reads a file put there before, and makes a body of the scene of it, or a scene.
    Drop {
        /// Its name.
        name: String,
    },
    /// Forgets the files put there.
    ForgetFiles,
}

fn forever() -> f64 {
    f64::INFINITY
}

/// The number of each vertex in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    /// None.
    #[default]
    Body,
    /// Speed, m/s.
    Speed,
    /// Depth inside other bodies, m; 0 outside.
    Depth,
    /// Contact pressure, Pa.
    #[serde(rename = "pressure")]
    ContactPressure,
    /// Von Mises stress, Pa, the mean of the tets around a vertex; 0 where none has a material.
    Stress,
}

/// What a recording is downloaded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Download {
    /// What `pliant view` and `pliant info` read.
    Recording,
    /// Binary glTF.
    Glb,
}

/// Why a command was not done: one sentence.
#[derive(Clone, Debug, Serialize, thiserror::Error)]
#[error("{error}")]
pub struct Refusal {
    /// Without a full stop.
    pub error: String,
}

impl Refusal {
    /// From anything that has a text.
    #[expect(clippy::needless_pass_by_value, reason = "takes errors and texts alike")]
    pub fn new(error: impl ToString) -> Refusal {
        Refusal { error: error.to_string() }
    }
}

/// What steps did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stepped {
    /// Steps made.
    pub steps: u32,
    /// Since the start, s.
    pub time: f64,
    /// Iterations of solvers in the last step.
    pub iterations: Iterations,
    /// Steps whose contacts did not converge.
    pub unconverged: usize,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Time of stages in all steps, in the order of [`pliant::profile::Stage::ALL`], ms.
    pub stages: [f64; 6],
    /// Why the next step cannot be made.
    pub failed: Option<String>,
}

/// What became of bodies that were separated.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Separated {
    /// Pairs that overlapped or were too near.
    pub before: usize,
    /// Pairs of these that were apart, and only nearer than the gap.
    pub near: usize,
    /// Pairs that still do.
    pub left: usize,
    /// Distance between any two, m.
    pub gap: f64,
    /// Largest movement of a vertex, m.
    pub moved: f64,
    /// Bodies that were deformed.
    pub soft: usize,
}

/// Iterations of the solvers in one step.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Iterations {
    /// Newton iterations.
    pub newton: usize,
    /// Of the linear solver.
    pub linear: usize,
    /// Sweeps over contacts.
    pub sweeps: usize,
    /// Outer iterations over contacts.
    pub outer: usize,
}
