//! Two fingers with motors hold a cube: forces of contact against motor and weight.

use pliant::math::Vec3;
use pliant::world::Collider;

use crate::engine::Ours;
use crate::rows::Amount;
use crate::settle::case::{self, CaseRow};

/// Friction and force of the motors, N.
const VARIANTS: [[f64; 2]; 2] = [[0.5, 20.0], [0.3, 14.0]];

/// Place of the cube among the bodies; the fingers come before it.
const CUBE: usize = 2;

/// Results of one run; forces are means over the last second, N.
#[derive(Default)]
pub struct GripperRow {
    /// Cost, convergence and overlap.
    pub case: CaseRow,
    /// What each motor gives at most.
    pub motor: f64,
    /// Normal forces of all contacts with each finger, magnitudes summed.
    pub normal: [f64; 2],
    /// Force of each finger on the cube along its motor's axis.
    pub push: [f64; 2],
    /// Friction forces of all contacts, magnitudes summed.
    pub friction: f64,
    /// Vertical force of both fingers on the cube.
    pub lift: f64,
    /// Weight of the cube.
    pub weight: f64,
    /// How far its centre sank since the start, m.
    pub sunk: f64,
}

/// What must hold with much friction and with little.
pub fn run(amount: Amount) -> Result<Vec<GripperRow>, String> {
    VARIANTS.into_iter().map(|variant| hold(variant, amount)).collect()
}

fn hold([friction, force]: [f64; 2], amount: Amount) -> Result<GripperRow, String> {
    let sets = [format!("friction={friction:?}"), format!("force={force:?}")];
    let mut ours = Ours::new("gripper", &sets)?;
    let start = centre(&ours)?;
    let (mut row, mut steps) = (GripperRow::default(), 0.0);
    let name = format!("μ {friction}, {force} N");
    let case = case::run(&name, &mut ours, amount.seconds, |ours| {
        row.add(ours);
        steps += 1.0;
    });
    let GripperRow { normal, push, friction, lift, .. } = row;
    let world = &ours.built.world;
    let mass = world.bodies().nth(CUBE).map(|cube| world.mass(cube));
    let mass = mass.ok_or("no cube")?.map_err(|error| error.to_string())?;
    Ok(GripperRow {
        motor: force,
        normal: normal.map(|sum| sum / steps),
        push: push.map(|sum| sum / steps),
        friction: friction / steps,
        lift: lift / steps,
        weight: mass * world.gravity().length(),
        sunk: (start - centre(&ours)?).z,
        case,
    })
}

impl GripperRow {
    /// Adds the forces of a step.
    fn add(&mut self, ours: &Ours) {
        let world = &ours.built.world;
        let bodies: Vec<_> = world.bodies().map(Collider::from).collect();
        let dt = world.time_step();
        for contact in world.contacts() {
            let sides = [Collider::from(contact.body), contact.other];
            let place = sides.map(|side| bodies.iter().position(|body| *body == side));
            // The force on the cube, and the finger that it comes from.
            let (force, finger) = match place {
                [Some(CUBE), Some(finger)] => (contact.impulse / dt, finger),
                [Some(finger), Some(CUBE)] => (-contact.impulse / dt, finger),
                _ => continue,
            };
            let normal = force.dot(contact.normal).abs();
            let inwards = if finger == 0 { Vec3::X } else { -Vec3::X };
            self.normal[finger] += normal;
            self.push[finger] += force.dot(inwards);
            self.friction += (force - force.dot(contact.normal) * contact.normal).length();
            self.lift += force.z;
        }
    }
}

/// Centre of the cube, m.
fn centre(ours: &Ours) -> Result<Vec3, String> {
    let world = &ours.built.world;
    let cube = world.bodies().nth(CUBE).ok_or("no cube")?;
    world.centre(cube).map_err(|error| error.to_string())
}
