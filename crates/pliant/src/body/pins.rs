//! Vertices that are held, still or along keyframes.

use crate::id::VertexId;
use crate::math::Vec3;

/// Held vertices; none by default.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// Held vertices, ascending, each once.
    vertices: Vec<VertexId>,
    /// Where each is held, world space, m.
    places: Vec<Vec3>,
}

impl Pins {
    /// Holds vertices where they are in `positions`.
    pub fn still(mut vertices: Vec<VertexId>, positions: &[Vec3]) -> Pins {
        vertices.sort_unstable();
        vertices.dedup();
        vertices.retain(|v| v.index() < positions.len());
        let places = vertices.iter().map(|v| positions[v.index()]).collect();
        Pins { vertices, places }
    }

    /// Held vertices, ascending.
    pub fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// Where a held vertex is at a moment, m; `pin` counts in [`Pins::vertices`].
    pub fn place(&self, pin: usize, _time: f64) -> Vec3 {
        self.places[pin]
    }

    /// How fast a held vertex moves at a moment, m/s.
    pub fn velocity(&self, _pin: usize, _time: f64) -> Vec3 {
        Vec3::ZERO
    }

    /// Puts held vertices where they belong at a moment.
    pub fn hold(&self, time: f64, positions: &mut [Vec3], velocities: &mut [Vec3]) {
        for (pin, vertex) in self.vertices.iter().enumerate() {
            positions[vertex.index()] = self.place(pin, time);
            velocities[vertex.index()] = self.velocity(pin, time);
        }
    }
}
