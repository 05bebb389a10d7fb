//! Where everything is, as numbers to be drawn.

use pliant::math::Vec3;
use pliant::record::fields::contact_pressures;
use pliant_scene::loaded::CarriedSurface;
use serde::Serialize;

use crate::command::Colour;
use crate::live::Live;
use crate::topology::pose;

/// What the floats of a frame are.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    /// Since the start, s.
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Vertices: three positions each, then a number each where there is a colour.
    pub vertices: usize,
    /// Position and quaternion of each obstacle that moves, relative to its start; none of others.
    pub obstacles: Vec<Option<[f64; 7]>>,
}

impl Live {
    /// Fills positions of all vertices and of fine surfaces, m, then the numbers of a colour.
    pub fn frame(&mut self, colour: Colour, floats: &mut Vec<f32>) -> Frame {
        floats.clear();
        floats.extend(self.positions().iter().flat_map(|p| p.to_array().map(|x| x as f32)));
        let vertices = self.positions().len();
        let fine = self.carried(|live, vertex| live.positions()[vertex]);
        floats.extend(fine.iter().flat_map(|p| p.to_array().map(|x| x as f32)));
        let numbers = self.numbers(colour);
        if let Some(numbers) = numbers {
            floats.extend(numbers.iter().map(|x| *x as f32));
            let fine = self.carried(|_, vertex| Vec3::splat(numbers[vertex]));
            floats.extend(fine.iter().map(|x| x.x as f32));
        }
        let time = self.scene.world.time();
        let obstacles = self.scene.info.obstacles.iter().map(|mesh| pose(mesh, time)).collect();
        Frame { time, step: self.step, vertices: vertices + fine.len(), obstacles }
    }

    /// The number of each vertex.
    fn numbers(&mut self, colour: Colour) -> Option<Vec<f64>> {
        let simulation = self.scene.world.simulation();
        match colour {
            Colour::Body => None,
            Colour::Speed => Some(simulation.state.velocities.iter().map(|v| v.length()).collect()),
            Colour::Depth => Some(self.depths().to_vec()),
            Colour::Stress => Some(self.stresses()),
            Colour::ContactPressure => {
                let mut pressures = Vec::new();
                contact_pressures(simulation, self.scene.info.dt, &mut pressures);
                Some(pressures)
            }
        }
    }

    /// Sums over the carriers of each vertex of a fine surface.
    fn carried(&self, value: impl Fn(&Live, usize) -> Vec3) -> Vec<Vec3> {
        let info = &self.scene.info;
        let mut all = Vec::with_capacity(info.carried_vertices());
        for CarriedSurface { bodies, carriers, weights } in &info.carried {
            for body in bodies {
                let first = info.bodies.get(*body as usize).map_or(0, |body| body.vertices.start);
                all.extend(carriers.iter().zip(weights).map(|(carriers, weights)| {
                    let terms = carriers.iter().zip(weights);
                    terms
                        .map(|(v, w)| f64::from(*w) * value(self, first + *v as usize))
                        .sum::<Vec3>()
                }));
            }
        }
        all
    }
}
