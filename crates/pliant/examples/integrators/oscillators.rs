//! Oscillators: springs, and scenes of them that have closed forms.

use std::error::Error;

use pliant::body::keyframes::{Keyframe, Keyframes};
use pliant::body::pins::PinPath;
use pliant::body::soft::{MassError, Masses, State};
use pliant::force::gravity::Gravity;
use pliant::force::{Corners, Form, Material, Tangent};
use pliant::id::VertexId;
use pliant::integrate::System;
use pliant::math::{Mat3, Quat, Vec3};

/// Springs with dampers, all alike.
#[derive(Clone, Debug)]
pub struct Springs {
    /// Ends of each.
    pairs: Vec<[VertexId; 2]>,
    /// Rest length of each, m.
    lengths: Vec<f64>,
    /// N/m.
    stiffness: f64,
    /// N·s/m.
    damping: f64,
}

impl Springs {
    /// Springs that are at rest in `positions`.
    pub fn new(pairs: Vec<[VertexId; 2]>, positions: &[Vec3], [k, c]: [f64; 2]) -> Springs {
        let length = |[a, b]: &[VertexId; 2]| positions[a.index()].distance(positions[b.index()]);
        let lengths = pairs.iter().map(length).collect();
        Springs { pairs, lengths, stiffness: k, damping: c }
    }
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Material<2> for Springs {
    fn count(&self) -> usize {
        self.pairs.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 2] {
        self.pairs[element]
    }

    fn energy(&self, element: usize, at: &Corners<2>) -> f64 {
        let stretch = at.positions[1].distance(at.positions[0]) - self.lengths[element];
        0.5 * self.stiffness * stretch * stretch
    }

    fn forces(&self, element: usize, at: &Corners<2>) -> [Vec3; 2] {
        let apart = at.positions[1] - at.positions[0];
        let Some(along) = apart.try_normalize() else { return [Vec3::ZERO; 2] };
        let parting = (at.velocities[1] - at.velocities[0]).dot(along);
        let stretch = apart.length() - self.lengths[element];
        let force = (self.stiffness * stretch + self.damping * parting) * along;
        [force, -force]
    }

    fn tangent(&self, element: usize, at: &Corners<2>, tangent: Tangent) -> [[Mat3; 2]; 2] {
        let apart = at.positions[1] - at.positions[0];
        let Some(along) = apart.try_normalize() else { return [[Mat3::ZERO; 2]; 2] };
        let (axial, length) = (outer(along, along), apart.length());
        let across = Mat3::IDENTITY - axial;
        let slack = 1.0 - self.lengths[element] / length;
        let stiff = match tangent.form {
            Form::Definite => self.stiffness * (axial + slack.max(0.0) * across),
            Form::Exact => {
                let by = at.velocities[1] - at.velocities[0];
                let turning = outer(along, across * by) + by.dot(along) * across;
                self.stiffness * (axial + slack * across) + self.damping / length * turning
            }
        };
        let block = tangent.stiffness * stiff + tangent.damping * self.damping * axial;
        [[block, -block], [-block, block]]
    }
}

/// A spring with damper from every vertex to the origin, at rest there.
#[derive(Clone, Debug)]
pub struct Tethers {
    /// Number of vertices.
    pub count: usize,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

impl Material<1> for Tethers {
    fn count(&self) -> usize {
        self.count
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [VertexId(element as u32)]
    }

    fn energy(&self, _element: usize, at: &Corners<1>) -> f64 {
        0.5 * self.stiffness * at.positions[0].length_squared()
    }

    fn forces(&self, _element: usize, at: &Corners<1>) -> [Vec3; 1] {
        [-self.stiffness * at.positions[0] - self.damping * at.velocities[0]]
    }

    fn tangent(&self, _element: usize, _at: &Corners<1>, tangent: Tangent) -> [[Mat3; 1]; 1] {
        let amount = tangent.stiffness * self.stiffness + tangent.damping * self.damping;
        [[Mat3::from_diagonal(Vec3::splat(amount))]]
    }
}

/// A scene to step.
#[derive(Debug)]
pub struct Scene {
    /// Masses, forces and pins.
    pub system: System,
    /// Where it starts.
    pub state: State,
}

impl Scene {
    fn new(state: State, masses: Vec<f64>) -> Result<Scene, MassError> {
        let masses = Masses::new(masses)?;
        let system = System { masses, ..System::default() };
        Ok(Scene { system, state })
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        let potential = self.system.forces.energy(self.state.motion());
        self.state.kinetic(&self.system.masses) + potential
    }
}

/// One kilogram on a tether, pulled out by 1 m.
pub fn oscillator([stiffness, damping]: [f64; 2]) -> Result<Scene, MassError> {
    let mut scene = Scene::new(State::at_rest(vec![Vec3::X]), vec![1.0])?;
    scene.system.forces.push(Tethers { count: 1, stiffness, damping });
    Ok(scene)
}

/// Two masses, kg, 1 m apart on x, with a spring at rest, that part with 1 m/s.
pub fn pair(masses: [f64; 2], spring: [f64; 2]) -> Result<Scene, MassError> {
    let mut state = State::at_rest(vec![Vec3::ZERO, Vec3::X]);
    state.velocities[1] = Vec3::X;
    let mut scene = Scene::new(state, masses.to_vec())?;
    let ends = vec![[VertexId(0), VertexId(1)]];
    scene.system.forces.push(Springs::new(ends, &scene.state.positions, spring));
    Ok(scene)
}

/// The same pair, 1 kg each; the first moves at 2 m/s, the second starts at rest.
pub fn pulled_pair(spring: [f64; 2]) -> Result<Scene, Box<dyn Error>> {
    let mut scene = pair([1.0, 1.0], spring)?;
    let at =
        |time: f64| Keyframe { time, position: -2.0 * time * Vec3::X, rotation: Quat::IDENTITY };
    let path = PinPath { motion: Keyframes::new(vec![at(0.0), at(100.0)])?, pivot: Vec3::ONE };
    scene.system.pins.add_moving(&[VertexId(0)], &scene.state.positions, path)?;
    scene.state.velocities = vec![-2.0 * Vec3::X, Vec3::ZERO];
    Ok(scene)
}

/// Vertices along each side of a net.
const SIDE: u32 = 4;

/// A net of 4 × 4 masses of 0.1 kg, 0.1 m apart, with springs.
///
/// Springs run along sides and diagonals. It is level, sheared into a plane that no axis favours,
/// and falls.
pub fn net(spring: [f64; 2]) -> Result<Scene, MassError> {
    let id = |i: u32, j: u32| VertexId(i * SIDE + j);
    let (mut positions, mut pairs) = (Vec::new(), Vec::new());
    for i in 0..SIDE {
        for j in 0..SIDE {
            positions.push(0.1 * Vec3::new(f64::from(i), f64::from(j), 0.2 * f64::from(i * j)));
            let neighbours = [(i + 1, j), (i, j + 1), (i + 1, j + 1)];
            let inside = neighbours.into_iter().filter(|(i, j)| *i < SIDE && *j < SIDE);
            pairs.extend(inside.map(|(k, l)| [id(i, j), id(k, l)]));
            if i + 1 < SIDE && j > 0 {
                pairs.push([id(i, j), id(i + 1, j - 1)]);
            }
        }
    }
    let masses = vec![0.1; positions.len()];
    let springs = Springs::new(pairs, &positions, spring);
    let gravity = Gravity::new(-9.81 * Vec3::Z, &masses);
    let mut scene = Scene::new(State::at_rest(positions), masses)?;
    scene.system.forces.push(springs);
    scene.system.forces.push(gravity);
    Ok(scene)
}

/// A net pinned at two corners.
pub fn hung_net(spring: [f64; 2]) -> Result<Scene, MassError> {
    let mut scene = net(spring)?;
    for corner in [0, SIDE - 1] {
        let corners = [VertexId(corner)];
        // The net has these corners.
        let _ = scene.system.pins.add_still(&corners, &scene.state.positions);
    }
    Ok(scene)
}

/// A net thrown with a spin and a wobble.
pub fn thrown_net(spring: [f64; 2]) -> Result<Scene, MassError> {
    let mut scene = net(spring)?;
    let State { positions, velocities, .. } = &mut scene.state;
    for (k, velocity) in velocities.iter_mut().enumerate() {
        let spin = Vec3::new(1.0, -2.0, 3.0).cross(positions[k]);
        *velocity = Vec3::new(2.0, 1.0, 4.0) + spin + 0.1 * libm::sin(k as f64) * Vec3::Y;
    }
    Ok(scene)
}

/// A chain of masses of 1 kg, 1 m apart, at rest; the first is off by 0.125 m.
pub fn chain(count: u32, spring: [f64; 2]) -> Result<Scene, MassError> {
    let positions: Vec<_> = (0..count).map(|k| f64::from(k) * Vec3::X).collect();
    let pairs = (1..count).map(|k| [VertexId(k - 1), VertexId(k)]).collect();
    let springs = Springs::new(pairs, &positions, spring);
    let mut scene = Scene::new(State::at_rest(positions), vec![1.0; count as usize])?;
    scene.state.positions[0].x = 0.125;
    scene.system.forces.push(springs);
    Ok(scene)
}
