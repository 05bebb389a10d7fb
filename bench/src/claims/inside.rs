//! Vertices inside other bodies, and how far each is from the nearest surface.

use pliant::depth::fused::Scratch;
use pliant::depth::nearest::Nearest;
use pliant::detect::Overlaps;
use pliant::id::BodyId;
use pliant::step::Simulation;

/// One vertex inside others.
pub struct Inside {
    /// Whose vertex it is.
    pub owner: BodyId,
    /// The bodies it is inside of.
    pub into: Vec<BodyId>,
    /// Distance to the nearest surface that it is behind, m.
    pub depth: f64,
}

/// All vertices inside other bodies now.
pub fn inside(simulation: &Simulation) -> Vec<Inside> {
    let (positions, bodies) = (&simulation.state.positions[..], &simulation.system.bodies);
    let (mut overlaps, mut found) = (Overlaps::default(), Vec::new());
    // A simulation has a position of each vertex: lists that do not fit are left empty.
    if let (Ok(mut scratch), Ok(mut nearest)) =
        (Scratch::new(positions, bodies), Nearest::new(positions, bodies))
    {
        let _ = scratch.overlaps(positions, bodies, &mut overlaps);
        let _ = nearest.penetrations(positions, bodies, &overlaps, &mut found);
    }
    let owner = |vertex: usize| bodies.ids().find(|body| bodies.vertices(*body).contains(&vertex));
    let mut depths = found.iter().peekable();
    let all = overlaps.vertices.iter().zip(overlaps.into.iter());
    let one = all.filter_map(|(vertex, into)| {
        let depth = depths.next_if(|closest| closest.vertex == *vertex)?.penetration.depth;
        Some(Inside { owner: owner(vertex.index())?, into: into.to_vec(), depth })
    });
    one.collect()
}

/// The deepest of some, m; 0 when there are none.
pub fn deepest<'a>(all: impl Iterator<Item = &'a Inside>) -> f64 {
    all.map(|one| one.depth).fold(0.0, f64::max)
}
