//! Fields on vertices and tets: contact pressure, and which tet is deformed how.

use crate::body::Bodies;
use crate::contact::carried::third_of_area;
use crate::force::StateView;
use crate::force::deformation::Deformation;
use crate::id::{VertexId, at};
use crate::step::Simulation;

/// Finds the tets of a scene by their corners.
#[derive(Clone, Debug, Default)]
pub struct TetDeformations {
    /// Corners, ascending, and the tet, all ascending.
    places: Vec<([VertexId; 4], u32)>,
}

impl TetDeformations {
    /// For the tets of a scene.
    pub fn new(bodies: &Bodies) -> TetDeformations {
        let key = |(k, tet): (usize, &[VertexId; 4])| (sorted(*tet), k as u32);
        let mut places: Vec<_> = bodies.tets().iter().enumerate().map(key).collect();
        places.sort_unstable();
        TetDeformations { places }
    }

    /// Visits how each tet is deformed that has an elastic law, by its number in the scene.
    pub fn visit(&self, simulation: &Simulation, mut visit: impl FnMut(usize, &Deformation)) {
        let Simulation { state, system, .. } = simulation;
        let motion: StateView<'_> = state.motion();
        if system.forces.check(motion).is_err() {
            return;
        }
        for force in system.forces.iter() {
            force.visit_deformations(motion, &mut |corners, deformation| {
                let corners = sorted(*corners);
                let place = self.places.binary_search_by_key(&corners, |(known, _)| *known);
                if let Ok(place) = place {
                    visit(self.places[place].1 as usize, deformation);
                }
            });
        }
    }
}

fn sorted(mut tet: [VertexId; 4]) -> [VertexId; 4] {
    tet.sort_unstable();
    tet
}

/// Fills `pressures` with the contact pressure at each vertex in the last step, Pa.
///
/// Normal forces of contacts that were solved with the step of `dt` seconds, shared by weight,
/// over a third of the area of the triangles around a vertex. Where contact is on a fine surface,
/// that is the area of what the vertex carries of it, so that inner vertices have a pressure too.
/// 0 at a vertex without area, as of triangles that are points.
pub fn contact_pressures(simulation: &Simulation, dt: f64, pressures: &mut Vec<f64>) {
    let Simulation { state, system, .. } = simulation;
    pressures.clear();
    pressures.resize(state.positions.len(), 0.0);
    for (contact, impulse) in &system.scratch.kept_contacts {
        for (vertex, weight) in contact.terms() {
            if let Some(force) = pressures.get_mut(vertex.index()) {
                *force += weight.abs() * impulse.normal / dt;
            }
        }
    }
    for (pressure, area) in pressures.iter_mut().zip(areas(simulation)) {
        *pressure = if area > 0.0 { *pressure / area } else { 0.0 };
    }
}

/// Area of what touches that each vertex has, m².
fn areas(simulation: &Simulation) -> Vec<f64> {
    let Simulation { state, system, stepper, .. } = simulation;
    if let Some(surfaces) = stepper.contact().and_then(|contact| contact.surfaces()) {
        return surfaces.areas(&state.positions);
    }
    let mut areas = vec![0.0; state.positions.len()];
    for triangle in system.bodies.triangles() {
        let third = third_of_area(triangle.map(|vertex| at(&state.positions, vertex)));
        for vertex in triangle {
            if let Some(area) = areas.get_mut(vertex.index()) {
                *area += third;
            }
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::deformation::von_mises;
    use crate::prelude::*;

    /// Stress of a strain of 1e-6 against Hooke's law, relative: terms of second order.
    const SMALL: f64 = 1e-4;

    #[test]
    fn a_stretched_block_has_the_stress_of_hookes_law() {
        for is_hookean in [false, true] {
            let mut world = World::new();
            let block = SoftBody::cuboid(Vec3::ONE, [2; 3]).young(1e5).poisson(0.25);
            let block = if is_hookean { block.neo_hookean() } else { block };
            world.add(block.density(1.0)).unwrap();
            world.assemble().unwrap();
            let strain = 1e-6;
            let simulation = world.simulation_mut();
            // Stretched along x, and turned: strain stays in the axes of the body at rest.
            let turn = Quat::from_rotation_z(0.3);
            let stretch = |p: &Vec3| turn * (*p + strain * p.x * Vec3::X);
            simulation.state.positions = simulation.state.positions.iter().map(stretch).collect();
            let tets = TetDeformations::new(&simulation.system.bodies);
            let mut seen = 0;
            tets.visit(simulation, |_, deformation| {
                seen += 1;
                let green = deformation.green();
                assert!((green[0] / strain - 1.0).abs() < SMALL, "{green:?}");
                assert!(green[1..].iter().all(|e| e.abs() < SMALL * strain), "{green:?}");
                // λ = E ν / ((1 + ν)(1 − 2ν)) = 4e4, μ = E / (2 (1 + ν)) = 4e4.
                let stress = deformation.cauchy();
                let [along, across] = [(4e4 + 8e4) * strain, 4e4 * strain];
                let (c, s) = (libm::cos(0.3), libm::sin(0.3));
                let expected = [
                    along * c * c + across * s * s,
                    along * s * s + across * c * c,
                    across,
                    (along - across) * c * s,
                    0.0,
                    0.0,
                ];
                for (found, expected) in stress.iter().zip(expected) {
                    assert!((found - expected).abs() < SMALL * along, "{stress:?} {expected:?}");
                }
                let mises = von_mises(stress);
                assert!((mises / (along - across) - 1.0).abs() < SMALL, "{mises}");
            });
            assert_eq!(seen, simulation.system.bodies.tets().len());
        }
    }

    #[test]
    fn pressure_times_area_is_the_weight() {
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
        let block = SoftBody::cuboid(Vec3::splat(0.2), [2; 3]).young(1e6).density(1000.0);
        world.add(block.damping(0.05).at(vec3(0.0, 0.0, 0.1))).unwrap();
        for _ in 0..200 {
            world.step().unwrap();
        }
        let mut pressures = Vec::new();
        contact_pressures(world.simulation(), world.time_step(), &mut pressures);
        let simulation = world.simulation();
        let mut force = 0.0;
        for triangle in simulation.system.bodies.triangles() {
            let [a, b, c] = triangle.map(|v| simulation.state.positions[v.index()]);
            let area = 0.5 * (b - a).cross(c - a).length();
            force += area / 3.0 * triangle.map(|v| pressures[v.index()]).iter().sum::<f64>();
        }
        let weight = 8e-3 * 1000.0 * 9.81;
        assert!((force / weight - 1.0).abs() < 1e-3, "{force} {weight}");
        assert!(pressures.iter().filter(|p| **p > 0.0).count() >= 4);
        assert!(pressures.iter().filter(|p| **p == 0.0).count() >= 18);
    }
}
