//! What contact asks for, done: shifts of bodies and vertices, and impulses.

use crate::body::soft::State;
use crate::contact::output::{ContactOutput, RigidShift};
use crate::integrate::System;

/// Shifts and pushes; what is asked of a vertex of a rigid body is done to the body.
pub(crate) fn apply_output(output: &ContactOutput, system: &System, state: &mut State) {
    let System { bodies, rigids, masses, .. } = system;
    let State { positions, velocities, rigids: states, .. } = &mut *state;
    let (members, masses) = (rigids.entries(), masses.of());
    for shift in &output.rigid_shifts {
        match rigids.index(shift.body) {
            Some(place) => {
                let RigidShift { centre, turn, shift, .. } = *shift;
                members[place].shift(&mut states[place], centre, turn, shift);
            }
            None => shift.apply(&mut positions[bodies.vertices(shift.body)]),
        }
    }
    for (vertex, shift) in &output.shifts {
        let v = vertex.index();
        match rigids.index_of(*vertex) {
            Some(place) => {
                members[place].nudge(&mut states[place], positions[v], masses[v], *shift);
            }
            None => positions[v] += *shift,
        }
    }
    for (vertex, impulse) in &output.impulses {
        let v = vertex.index();
        match rigids.index_of(*vertex) {
            Some(place) => states[place].push(&members[place].body, positions[v], *impulse),
            None => velocities[v] += *impulse / masses[v],
        }
    }
    rigids.write(state);
}
