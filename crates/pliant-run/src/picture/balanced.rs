//! The contact surface of a frame where the pressures of both sides balance, to be drawn.
//!
//! Stages 3 and 4 of [`pliant_papers::surface`], with the materials of the run's own scene: vertices
//! inside and the triangles that they go to, moved towards each other until both resist alike.

use pliant::body::soft::StateView;
use pliant::math::Vec3;
use pliant::step::Simulation;
use pliant_papers::surface::SurfaceSettings;
use pliant_papers::surface::balance::Balance;
use pliant_papers::surface::region::Region;
use pliant_papers::surface::triangles::Touches;

use super::overlays::{Mark, Overlay};

/// Of the surface, sRGB.
const BLUE: [u8; 3] = [32, 80, 208];

/// Of vertices that come to lie on it, sRGB.
const RED: [u8; 3] = [200, 38, 60];

/// Iterations: fractions are found to 2⁻²⁰.
const ITERATIONS: u32 = 20;

/// The balanced surface of a frame of the run that `simulation` begins; `Err` says why there is none.
pub fn balanced(simulation: &Simulation, frame: &[[f32; 3]]) -> Result<Overlay, String> {
    let system = &simulation.system;
    let count = system.bodies.vertex_count();
    let Some(own) = frame.get(..count) else {
        return Err(format!("the frame has {} vertices, the scene {count}", frame.len()));
    };
    let mut positions: Vec<Vec3> = own.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
    let still = vec![Vec3::ZERO; count];
    let settings = SurfaceSettings { iterations: ITERATIONS, ..SurfaceSettings::default() };
    let SurfaceSettings { depth, corrections, .. } = settings;
    let mut touches = Touches::new(&simulation.state.positions, &system.bodies)
        .map_err(|error| error.to_string())?;
    let found = touches.find(&positions, &system.bodies, depth, corrections);
    found.map_err(|error| error.to_string())?;
    let (mut region, mut balance) = (Region::default(), Balance::default());
    region.find(&positions, &system.bodies, touches.list(), &system.pins, corrections);
    let motion =
        StateView { positions: &positions, velocities: &still, time: simulation.state.time };
    balance.search(motion, &system.forces, touches.list(), &region, settings);
    let before = positions.clone();
    for (vertex, way) in region.moved().iter().zip(balance.ways()) {
        positions[vertex.index()] += *way;
    }
    let mut marks = Vec::new();
    for touch in touches.list() {
        let corners = touch.corners.map(|v| positions[v.index()]);
        let sides = [[0, 1], [1, 2], [2, 0]].map(|[a, b]| [corners[a], corners[b]]);
        marks.extend(sides.map(|ends| Mark::Line { ends, colour: BLUE }));
    }
    for touch in touches.list() {
        let [from, to] = [&before, &positions].map(|all| all[touch.vertex.index()]);
        marks.push(Mark::Line { ends: [from, to], colour: RED });
        marks.push(Mark::Dot { point: to, size: 0.7, colour: RED });
    }
    Ok(Overlay { name: "balanced contact surface", colour: BLUE, marks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;

    #[test]
    fn the_surface_of_two_cubes_lies_between_their_faces() {
        let sets = ["overlap=0.2", "tilt=0"].map(str::to_owned);
        let built = scene::load("two-cubes", &sets).unwrap();
        let simulation = built.world.simulation();
        let frame: Vec<[f32; 3]> =
            simulation.state.positions.iter().map(|p| p.as_vec3().to_array()).collect();
        let found = balanced(simulation, &frame).unwrap();
        let dots: Vec<Vec3> = found.marks.iter().filter_map(dot).collect();
        assert!(dots.len() > 4, "{}", dots.len());
        let mean = simulation.state.positions.iter().sum::<Vec3>()
            / simulation.state.positions.len() as f64;
        // They overlap by 0.2 m along x: their faces lie 0.1 m from the middle, and the surface
        // between them. Each vertex is balanced by itself, so it is not flat.
        let from_middle: Vec<f64> = dots.iter().map(|p| (p.x - mean.x).abs()).collect();
        assert!(from_middle.iter().all(|x| *x < 0.105), "{from_middle:?}");
        let between = from_middle.iter().filter(|x| **x < 0.0999).count();
        assert!(2 * between > dots.len(), "{between} of {}: {from_middle:?}", dots.len());
        assert!(balanced(simulation, &frame[1..]).unwrap_err().contains("the scene"));
    }

    fn dot(mark: &Mark) -> Option<Vec3> {
        match mark {
            Mark::Dot { point, .. } => Some(*point),
            Mark::Line { .. } => None,
        }
    }
}
