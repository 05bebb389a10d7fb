//! A tet that stands with its tip in another, for hand-computed tests.

use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::{Masses, StateView};
use pliant::contact::response::StepContext;
use pliant::id::VertexId;
use pliant::math::Vec3;

const TET: [VertexId; 4] = [VertexId(0), VertexId(2), VertexId(1), VertexId(3)];
/// The tip that is inside.
pub const TIP: VertexId = VertexId(7);

/// A tet whose tip of 1 kg is 0.25 m below the upper face of another, at rest.
///
/// The face has corners of 2, 1 and 4 kg, and the way out meets it with the shares 0.5,
/// 0.25 and 0.25; the joint mass is 1 / (1 + 0.25 + 0.25 + 0.0625) = 0.64 kg.
pub struct VertexInFace {
    /// The lower tet and the upper one.
    pub bodies: Bodies,
    /// m.
    pub positions: Vec<Vec3>,
    /// m/s.
    pub velocities: Vec<Vec3>,
    /// kg.
    pub masses: Masses,
    /// None by default.
    pub pins: Pins,
    /// None.
    pub rigids: RigidBodySet,
}

impl VertexInFace {
    pub fn new() -> VertexInFace {
        let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
        let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
        VertexInFace {
            bodies: Bodies::from_tets(&[(4, &[TET]), (4, &[TET])]).unwrap(),
            positions: lower.iter().chain(&upper).map(|p| Vec3::from(*p)).collect(),
            velocities: vec![Vec3::ZERO; 8],
            masses: Masses::new(vec![2.0, 1.0, 4.0, 9.0, 9.0, 9.0, 9.0, 1.0]).unwrap(),
            pins: Pins::default(),
            rigids: RigidBodySet::default(),
        }
    }

    /// The same with a velocity of the tip, m/s.
    pub fn moving(tip: Vec3) -> VertexInFace {
        let mut poke = VertexInFace::new();
        poke.velocities[TIP.index()] = tip;
        poke
    }

    /// The same with the tip this high over the face, m; negative for inside.
    pub fn at_height(height: f64) -> VertexInFace {
        let mut poke = VertexInFace::new();
        poke.positions[TIP.index()].z = height;
        poke
    }

    /// As a response sees it, in steps of 0.1 s.
    pub fn context(&self) -> StepContext<'_> {
        let VertexInFace { bodies, positions, velocities, masses, pins, rigids } = self;
        let motion = StateView { positions, velocities, time: 0.0 };
        StepContext {
            bodies,
            motion,
            masses,
            pins,
            rigids,
            rigid_states: &[],
            dt: 0.1,
            profiler: &None,
        }
    }
}
