//! How much of its displacement each vertex takes: a search for equal pressures.
//!
//! Stage 4 of [Spillmann05 §4.4]. All vertices start halfway; then the forces of the materials
//! are evaluated, and the side that presses harder gives way less. Each vertex
//! bisects by itself while its neighbours move: nothing guarantees that the search converges
//! (erratum S15), and after n iterations a fraction is known to 2⁻ⁿ at best.
//!
//! | here       | paper    | meaning                                                    |
//! |------------|----------|------------------------------------------------------------|
//! | `fraction` | –        | part of s that is taken                                    |
//! | `forces`   | F        | of materials at the trial positions, N                     |
//! | `mine`     | p_M      | pressure of the vertex against its way, Pa                 |
//! | `theirs`   | p_N      | pressure of the other side along it, Pa                    |

use crate::surface::region::{Displaced, Region, combined};
use crate::surface::triangles::SurfaceContact;
use crate::surface::{Corrections, Form, SurfaceSettings};
use pliant::body::soft::StateView;
use pliant::force::nearby::Nearby;
use pliant::force::{Forces, Store};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Pressures that differ by less than this part of the larger are equal: rounding.
const BALANCED: f64 = 1e-9;

/// Areas below this part of the surface around their vertices face nowhere.
const EDGEWISE: f64 = 1e-6;

/// Pressures of both sides of a displacement vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressures {
    /// Of the vertex, against its displacement, Pa.
    pub mine: f64,
    /// Of the other side, along it, Pa; infinite where all of it is pinned.
    pub theirs: f64,
}

/// The search; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    /// Part of its displacement that each displacement vertex takes.
    fractions: Vec<f64>,
    /// Where the search is, of all vertices, m.
    positions: Vec<Vec3>,
    /// Forces there on what is moved, N; on others they are not all.
    forces: Vec<Vec3>,
    /// Elements that what is moved belongs to.
    nearby: Nearby,
    /// Zeros, m/s.
    still: Vec<Vec3>,
    /// Way of each vertex that is moved, m.
    ways: Vec<Vec3>,
}

impl Balance {
    /// Way of each of [`Region::moved`], m.
    pub fn ways(&self) -> &[Vec3] {
        &self.ways
    }

    /// Part of its displacement that each of [`Region::list`] takes.
    pub fn fractions(&self) -> &[f64] {
        &self.fractions
    }

    /// Potential energy that moving along the ways stores, J.
    pub fn stored(&self, motion: StateView<'_>, forces: &Forces) -> f64 {
        let trial = StateView { positions: &self.positions, ..motion };
        forces.energy_nearby(&self.nearby, trial) - forces.energy_nearby(&self.nearby, motion)
    }

    /// Searches for the fractions; of the `iterations` the first is halfway.
    ///
    /// Contact triangles, weights and areas stay those of the start, and all vertices are
    /// moved at once (erratum S14). Only elements that touch what is moved are evaluated.
    ///
    /// - Implements: [Spillmann05 §4.4.1].
    /// - Erratum: printed steps go 1/2, 1/8, 1/16 (erratum S2): `printed_steps_miss_the_ends`.
    /// - Deviates: internal forces are those that store energy other than in height, at
    ///   velocity zero: neither weight nor dampers count.
    pub fn search(
        &mut self,
        motion: StateView<'_>,
        forces: &Forces,
        touches: &[SurfaceContact],
        region: &Region,
        settings: SurfaceSettings,
    ) {
        let SurfaceSettings { iterations, corrections, .. } = settings;
        self.fractions.clear();
        self.fractions.resize(region.list().len(), 0.5);
        self.positions.clear();
        self.positions.extend_from_slice(motion.positions);
        self.displace(motion, region);
        if region.list().is_empty() {
            return;
        }
        forces.find_nearby(region.moved(), &mut self.nearby);
        for iteration in 1..iterations {
            self.weigh(motion.time, forces);
            let extra = match corrections.steps {
                Form::Corrected => 1,
                Form::Printed => 2,
            };
            let step = pliant::math::powi(0.5, iteration as i32 + extra);
            for (place, displaced) in region.list().iter().enumerate() {
                let pressures = self.pressures(displaced, place, touches, region, corrections);
                self.fractions[place] += step * pressures.map_or(0.0, onward);
            }
            self.displace(motion, region);
        }
    }

    /// One more iteration, by a step of any size, after a search.
    #[cfg(test)]
    pub(super) fn advance(
        &mut self,
        motion: StateView<'_>,
        forces: &Forces,
        touches: &[SurfaceContact],
        region: &Region,
        step: f64,
    ) {
        self.weigh(motion.time, forces);
        for (place, displaced) in region.list().iter().enumerate() {
            let corrections = Corrections::default();
            let pressures = self.pressures(displaced, place, touches, region, corrections);
            self.fractions[place] += step * pressures.map_or(0.0, onward);
        }
        self.displace(motion, region);
    }

    /// Puts all vertices of the region where their fractions say.
    fn displace(&mut self, motion: StateView<'_>, region: &Region) {
        let Balance { fractions, positions, ways, .. } = self;
        ways.clear();
        for (number, vertex) in region.moved().iter().map(|v| v.index()).enumerate() {
            let places = region.places(number);
            let way = combined(places.map(|place| fractions[place] * region.list()[place].way));
            positions[vertex] = motion.positions[vertex] + way;
            ways.push(way);
        }
    }

    /// Evaluates the forces of all elements where nothing is displaced yet.
    #[cfg(test)]
    pub(super) fn weigh_at(&mut self, motion: StateView<'_>, forces: &Forces) {
        self.positions.clear();
        self.positions.extend_from_slice(motion.positions);
        self.weigh_here(forces);
    }

    /// Evaluates the forces of all elements where the search has ended.
    #[cfg(test)]
    pub(super) fn weigh_here(&mut self, forces: &Forces) {
        self.nearby_of_all(forces);
        self.weigh(0.0, forces);
    }

    #[cfg(test)]
    fn nearby_of_all(&mut self, forces: &Forces) {
        let all: Vec<_> = (0..self.positions.len() as u32).map(VertexId).collect();
        forces.find_nearby(&all, &mut self.nearby);
    }

    /// Forces found last, N; of vertices that are not moved a part.
    #[cfg(test)]
    pub(super) fn forces(&self) -> &[Vec3] {
        &self.forces
    }

    /// Evaluates the forces of the elements around what is moved.
    pub(super) fn weigh(&mut self, time: f64, forces: &Forces) {
        let Balance { positions, forces: found, still, nearby, .. } = self;
        found.clear();
        found.resize(positions.len(), Vec3::ZERO);
        still.resize(positions.len(), Vec3::ZERO);
        let trial = StateView { positions, velocities: still, time };
        forces.add_nearby(Store::Elastic, nearby, trial, found);
    }

    /// Pressures on both sides of a displacement vertex, under the forces found last.
    ///
    /// The comparison area is the surface around the vertex. On the other side all vertices
    /// with their contact triangle in it count, by their weights. Where those sum to less
    /// than 1 the corners of the vertex's own contact triangle make up for what lacks. `None`
    /// where there is nothing to compare: no way, no area that faces it, no vertex on the other
    /// side, or a vertex that is pinned.
    ///
    /// - Implements: [Spillmann05 eq. 2].
    /// - Erratum: printed, forces of the other side are averaged and divided by the area of
    ///   this one (erratum S4): `equal_stress_is_equal_pressure_at_any_density`.
    /// - Deviates: areas are counted as they face the way, so that a vertex on the edge of a
    ///   face has the pressure of the face; weights where [Spillmann05 §4.4.3] extends an
    ///   empty area, which it leaves open (erratum S12).
    pub fn pressures(
        &self,
        displaced: &Displaced,
        place: usize,
        touches: &[SurfaceContact],
        region: &Region,
        corrections: Corrections,
    ) -> Option<Pressures> {
        let along = displaced.way.try_normalize()?;
        let x = displaced.vertex;
        let mut side = Side { along, ..Side::default() };
        for &(touch, weight) in region.votes(place) {
            side.add(touches[touch as usize].vertex, weight, region, &self.forces);
        }
        let lacking = match corrections.sparse {
            Form::Corrected => (1.0 - side.weight).max(0.0),
            Form::Printed => f64::from(u8::from(side.weight == 0.0)),
        };
        if let Some(own) = displaced.own.filter(|_| lacking > 0.0) {
            let SurfaceContact { corners, weights, .. } = touches[own as usize];
            for (corner, weight) in corners.into_iter().zip(weights) {
                side.add(corner, lacking * weight, region, &self.forces);
            }
        }
        let resisting = -self.forces[x.index()].dot(along);
        if side.weight <= 0.0 {
            return None;
        }
        let (own, other) = match corrections.areas {
            Form::Corrected => (-region.area(x).dot(along), side.area),
            Form::Printed => (region.size(x), region.size(x) * side.weight),
        };
        let whole = match corrections.areas {
            Form::Corrected => side.size,
            Form::Printed => other,
        };
        let faces = own > EDGEWISE * region.size(x);
        if side.free <= 0.0 {
            return faces.then_some(Pressures { mine: resisting / own, theirs: f64::INFINITY });
        }
        let both = faces && other > EDGEWISE * whole;
        both.then(|| Pressures { mine: resisting / own, theirs: side.force / other })
    }
}

/// Sums over the vertices of the other side.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Unit, the way of the displacement vertex.
    along: Vec3,
    /// Sum of the weights.
    weight: f64,
    /// The same of vertices that are not pinned.
    free: f64,
    /// Weighted force along the way, N.
    force: f64,
    /// Weighted area that faces the way, m².
    area: f64,
    /// Weighted area, m².
    size: f64,
}

impl Side {
    fn add(&mut self, vertex: VertexId, weight: f64, region: &Region, forces: &[Vec3]) {
        self.weight += weight;
        self.free += if region.is_held(vertex) { 0.0 } else { weight };
        self.force += weight * forces[vertex.index()].dot(self.along);
        self.area += weight * region.area(vertex).dot(self.along);
        self.size += weight * region.size(vertex);
    }
}

/// Which way a fraction goes: 1 up, −1 down, 0 for pressures that are equal.
///
/// The side that presses harder gives way less: [Spillmann05 §4.4.1] does not say (erratum S9).
fn onward(Pressures { mine, theirs }: Pressures) -> f64 {
    if theirs == f64::INFINITY {
        return 1.0;
    }
    let difference = theirs - mine;
    if difference.abs() <= BALANCED * mine.abs().max(theirs.abs()) {
        0.0
    } else {
        difference.signum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::Bodies;
    use pliant::body::pins::Pins;
    use pliant::id::BodyId;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(2), VertexId(1), VertexId(3)];

    /// Pressures at vertex 0 of a tet, into whose upper face vertices of another poke.
    ///
    /// Vertex 0 collides too. Each of `weights` is that of one vertex, 4 or 5, with respect to
    /// vertex 0; with 0 its triangle is one that vertex 0 is not a corner of.
    fn at_corner(weights: [f64; 2], sparse: Form) -> Pressures {
        let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
        let upper = [[0.2, 0.3, -0.1], [0.5, 2.0, -0.1], [2.0, 0.2, -0.1], [0.5, 0.5, 4.0]];
        let positions: Vec<_> = lower.iter().chain(&upper).map(|p| Vec3::from(*p)).collect();
        let bodies = Bodies::from_tets(&[(4, &[TET]), (4, &[TET])]).unwrap();
        let (one, two) = (BodyId(0), BodyId(1));
        let poke = |vertex: u32, weight: f64| {
            let around = if weight > 0.0 { [0, 1, 2] } else { [1, 2, 3] };
            let weights = if weight > 0.0 { [weight, 1.0 - weight, 0.0] } else { [1.0, 0.0, 0.0] };
            let (corners, way) = (around.map(VertexId), 0.1 * Vec3::Z);
            let (vertex, direction, gap) = (VertexId(vertex), Vec3::Z, 0.0);
            SurfaceContact { vertex, own: two, other: one, way, direction, gap, corners, weights }
        };
        let own = SurfaceContact {
            vertex: VertexId(0),
            own: one,
            other: two,
            way: -0.1 * Vec3::Z,
            direction: -Vec3::Z,
            gap: 0.0,
            corners: [4, 5, 6].map(VertexId),
            weights: [0.25, 0.25, 0.5],
        };
        let touches = [own, poke(4, weights[0]), poke(5, weights[1])];
        let corrections = Corrections { sparse, ..Corrections::default() };
        let mut region = Region::default();
        region.find(&positions, &bodies, &touches, &Pins::default(), corrections);
        let mut balance = Balance { forces: vec![Vec3::Z; 8], ..Balance::default() };
        // Vertices of the upper tet push down with 1, 4 and 9 N.
        (0..3).for_each(|k| balance.forces[4 + k] = -f64::from((k as u32 + 1).pow(2)) * Vec3::Z);
        let displaced = region.list().iter().position(|d| d.vertex == VertexId(0)).unwrap();
        balance
            .pressures(&region.list()[displaced], displaced, &touches, &region, corrections)
            .unwrap()
    }

    /// How far the pressure jumps when a vertex leaves the comparison area, relative.
    fn jump(near: [f64; 2], gone: [f64; 2], sparse: Form) -> f64 {
        let (near, gone) = (at_corner(near, sparse), at_corner(gone, sparse));
        assert!((near.mine / gone.mine - 1.0).abs() < 1e-12);
        (near.theirs / gone.theirs - 1.0).abs()
    }

    #[test]
    fn pressure_is_continuous_when_a_vertex_leaves() {
        for form in [Form::Corrected, Form::Printed] {
            assert!(jump([1e-9, 0.8], [0.0, 0.8], form) < 1e-7);
        }
    }

    #[test]
    fn pressure_is_continuous_when_the_last_vertex_leaves() {
        assert!(jump([1e-9, 0.0], [0.0, 0.0], Form::Corrected) < 1e-7);
        assert!(jump([1e-9, 0.0], [0.0, 0.0], Form::Printed) > 0.1);
    }

    #[test]
    fn who_presses_harder_gives_way_less() {
        let of = |mine, theirs| onward(Pressures { mine, theirs });
        assert_eq!([of(2.0, 1.0), of(1.0, 2.0), of(3.0, 3.0 + 1e-12)], [-1.0, 1.0, 0.0]);
        assert_eq!([of(0.0, 0.0), of(1.0, f64::INFINITY)], [0.0, 1.0]);
    }
}
