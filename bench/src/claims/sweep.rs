//! What is varied: length of a step, density of the meshes.

/// Steps per simulated second, 1/s.
pub const RATES: [u32; 6] = [30, 60, 120, 240, 480, 960];

/// Cells along each edge of a cube.
pub const CELLS: [u32; 4] = [2, 3, 5, 8];

/// A scene with something changed.
#[derive(Clone)]
pub struct Variation {
    /// Name of the variation.
    pub name: String,
    /// Values set.
    pub sets: Vec<String>,
}

impl Variation {
    /// Values set under a name.
    pub fn new(name: impl Into<String>, sets: Vec<String>) -> Variation {
        Variation { name: name.into(), sets }
    }

    /// The values with some more.
    pub fn with(&self, more: &[String]) -> Vec<String> {
        self.sets.iter().chain(more).cloned().collect()
    }
}

/// So many steps a second.
pub fn step(rate: u32) -> Variation {
    Variation::new(format!("1/{rate} s"), vec![format!("dt={:?}", 1.0 / f64::from(rate))])
}

/// Two cubes of so many cells along each edge.
pub fn cells(count: u32) -> Variation {
    let set = |body: u32| format!("bodies.{body}.mesh.cells=[{count}, {count}, {count}]");
    Variation::new(format!("{count} cells"), vec![set(0), set(1)])
}

/// The value that selects a response.
pub fn response(name: &str) -> String {
    format!("response={name}")
}
