//! Contacts of one pair of bodies: vertices near a surface, edges near edges.

use crate::body::{Bodies, BodyKind};
use crate::contact::edges::{
    BEYOND, EdgeEdgeGap, FLAT, arriving_gap, edge_edge_gap, is_bent, slides,
};
use crate::contact::features::Features;
use crate::contact::margin::Margin;
use crate::contact::near::{ClosestPoint, closest_point, terms};
use crate::contact::separating_slab::SeparatingSlab;
use crate::contact::shape::{Facets, FeatureEdge, Shape, grown, seen};
use crate::contact::{Contact, Feature};
use crate::detect::boxes::{Hits, Query};
use crate::id::{BodyId, VertexId, at};
use crate::math::{Aabb, Vec3};
use crate::mesh::normals::face_normal;

/// How many times longer an edge is than the flat edges that it may meet.
const LONGER: f64 = 1.5;

/// Share of the shorter edge by which edges in contact may have passed each other.
const EDGE_PAD: f64 = 0.1;

/// State of all bodies that the search of each pair reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchState<'a> {
    /// Of all vertices, world space, m.
    pub positions: &'a [Vec3],
    /// Topology of the bodies.
    pub bodies: &'a Bodies,
    /// Edges and surface vertices.
    pub features: &'a Features,
    /// Shape of each body; only those with neighbours are up to date.
    pub shapes: &'a [Shape],
    /// Box of each body, m.
    pub boxes: &'a [Aabb],
    /// Pairs of a vertex and a body that it is inside, ascending.
    pub inside: &'a [(VertexId, BodyId)],
    /// Origin of the f32 boxes, m.
    pub origin: Vec3,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
    /// Of all vertices, m/s.
    pub velocities: &'a [Vec3],
    /// Length of the step, s.
    pub dt: f64,
}

/// Two bodies with their search distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// The bodies.
    pub of: [BodyId; 2],
    /// Search distances.
    pub margin: Margin,
}

/// How far edges may have passed each other, m; the shorter one is `length` m long.
///
/// Never more than the smaller body's size: of two thin plates, one below the other, the
/// lower edges of the lower have not passed the upper edges of the upper.
#[inline]
pub(super) fn edge_depth(margin: Margin, length: f64) -> f64 {
    margin.reach.max((EDGE_PAD * length).min(margin.size))
}

impl SearchState<'_> {
    /// Appends contacts of the first body's outside vertices with the second's surface.
    ///
    /// Bodies without a surface contribute all vertices, outlines none, others their surface's.
    /// `may_meet` is true for points within the reach of the second body, and for some others.
    pub(crate) fn vertices(
        &self,
        pair: Pair,
        may_meet: impl Fn(Vec3) -> bool,
        found: &mut Vec<Contact>,
    ) {
        let ([a, b], Margin { reach, size, .. }) = (pair.of, pair.margin);
        let shape = &self.shapes[b.index()];
        if shape.facets.corners.is_empty() {
            return;
        }
        let space = grown(self.boxes[b.index()], reach);
        // Nets have no edges that would meet instead.
        let has_surface = self.bodies.kind(a).has_surface();
        let mut look = |vertex: VertexId| {
            let point = self.positions[vertex.index()];
            let is_near = space.contains(point) && may_meet(point);
            if !is_near || self.inside.binary_search(&(vertex, b)).is_ok() {
                return;
            }
            if let Some(closest_point) = closest_point(point, &shape.facets, reach, size)
                && (!has_surface
                    || self.is_nearest_of_neighbours(vertex, &closest_point, &shape.facets))
            {
                found.push(self.against(pair, vertex, &closest_point));
            }
        };
        match self.bodies.kind(a) {
            BodyKind::Outline => {}
            BodyKind::SpringNetwork | BodyKind::Particles => {
                self.bodies.vertices(a).for_each(|v| look(VertexId(v as u32)))
            }
            _ => self.features.surface_of(a).iter().for_each(|&v| look(v)),
        }
    }

    /// Whether no neighbour of a vertex is nearer to the edge or corner that it is nearest to.
    ///
    /// A vertex beside an edge would be pushed aside, by a normal that turns with the least
    /// movement, where really an edge or face of its own meets that edge. Above a face there is
    /// one normal only, and nothing to decide.
    fn is_nearest_of_neighbours(
        &self,
        vertex: VertexId,
        closest_point: &ClosestPoint,
        facets: &Facets,
    ) -> bool {
        let ClosestPoint { triangle, normal, .. } = *closest_point;
        let corners = facets.corners[triangle.index() - facets.first];
        if face_normal(corners).is_none_or(|face| face.dot(normal) > FLAT) {
            return true;
        }
        let point = self.positions[vertex.index()];
        self.bodies.neighbours().row(vertex.index()).iter().all(|other| {
            let way = self.positions[other.index()] - point;
            normal.dot(way) >= -BEYOND * way.length()
        })
    }

    /// Appends contacts between the edges of both bodies; true if some only arrive in the step.
    ///
    /// Bodies whose boxes are farther apart than they reach have none, whatever their edges
    /// seem to have passed.
    pub(crate) fn edges(
        &self,
        pair: Pair,
        slab: Option<&SeparatingSlab>,
        hits: &mut [Hits; 2],
        found: &mut Vec<Contact>,
    ) -> bool {
        let ([a, b], margin) = (pair.of, pair.margin);
        let [mine, theirs] = [a, b].map(|body| self.boxes[body.index()]);
        let mut arrives = false;
        if !grown(mine, margin.reach).meets(theirs) {
            return arrives;
        }
        let [one, other] = [a, b].map(|body| &self.shapes[body.index()]);
        let [near, nearer] = hits;
        let all = grown(theirs, edge_depth(margin, one.longest.min(other.longest)));
        for &place in one.boxes.meeting(&Query::new(seen(all, self.origin)), near) {
            let first = &one.feature_edges[place as usize];
            // What is within this edge's depth is within that of the shorter of two.
            let depth = edge_depth(margin, first.length.min(other.longest));
            let may_meet = |slab: &SeparatingSlab| {
                first.side.ends.iter().any(|end| slab.may_meet(0, *end, depth))
            };
            if !slab.is_none_or(may_meet) {
                continue;
            }
            let wide = seen(grown(first.around(), depth), self.origin);
            for &place in other.boxes.meeting(&Query::new(wide), nearer) {
                arrives |= self.meet(pair, [first, &other.feature_edges[place as usize]], found);
            }
        }
        self.long_edges(pair, [one, other], hits, found) || arrives
    }

    /// Appends contacts of feature edges with the flat edges of a surface.
    ///
    /// Of long edges with those of a finer surface, as between their ends nothing else of a flat
    /// face would meet them; and of all with those that are bent, which rise between the vertices
    /// of their faces.
    fn long_edges(
        &self,
        pair: Pair,
        shapes: [&Shape; 2],
        hits: &mut [Hits; 2],
        found: &mut Vec<Contact>,
    ) -> bool {
        let [near, nearer] = hits;
        let (offset, mut arrives) = (pair.margin.offset, false);
        for (first, flat) in [(0, 1), (1, 0)] {
            let [one, other] = [shapes[first], shapes[flat]];
            let shortest = LONGER * other.shortest_flat;
            let meets_bent = is_bent(other.highest_flat, offset);
            if one.longest <= shortest && !meets_bent {
                continue;
            }
            let theirs = self.boxes[pair.of[flat].index()];
            let all = grown(theirs, edge_depth(pair.margin, one.longest));
            for &place in one.boxes.meeting(&Query::new(seen(all, self.origin)), near) {
                let long = &one.feature_edges[place as usize];
                if long.length <= shortest && !meets_bent {
                    continue;
                }
                let depth = edge_depth(pair.margin, long.length);
                let wide = seen(grown(long.around(), depth), self.origin);
                for &place in other.flat_boxes.meeting(&Query::new(wide), nearer) {
                    let short = &other.flat_edges[place as usize];
                    if long.length > LONGER * short.length || is_bent(short.side.rise(), offset) {
                        let edges = if first == 0 { [long, short] } else { [short, long] };
                        arrives |= self.meet(pair, edges, found);
                    }
                }
            }
        }
        arrives
    }

    /// Appends the contact of two edges, if they have one; true if they only arrive in the step.
    #[inline]
    fn meet(
        &self,
        pair: Pair,
        [first, second]: [&FeatureEdge; 2],
        found: &mut Vec<Contact>,
    ) -> bool {
        let shorter = first.length.min(second.length);
        let (reach, depth) = (pair.margin.reach, edge_depth(pair.margin, shorter));
        let edges = [first.edge, second.edge];
        if let Some(met) = edge_edge_gap(&first.side, &second.side, reach, depth) {
            found.push(self.between(pair, edges, &met));
            return false;
        }
        let displacements = [first, second].map(|edge| self.displacements(edge));
        if !slides(displacements, shorter) {
            return false;
        }
        let arriving = arriving_gap(&first.side, &second.side, displacements, reach, depth);
        found.extend(arriving.map(|met| self.between(pair, edges, &met)));
        arriving.is_some()
    }

    /// Displacements of the ends of an edge in the step, m.
    #[inline]
    fn displacements(&self, edge: &FeatureEdge) -> [Vec3; 2] {
        let ends = self.features.edges[edge.edge as usize].ends;
        ends.map(|end| self.dt * at(self.velocities, end))
    }

    /// The contact of a vertex with a surface.
    pub(crate) fn against(
        &self,
        pair: Pair,
        vertex: VertexId,
        closest_point: &ClosestPoint,
    ) -> Contact {
        let ([own, other], Margin { offset, size, .. }) = (pair.of, pair.margin);
        let (vertices, weights) = terms(vertex, closest_point, self.bodies);
        Contact {
            feature: Feature::VertexBody(vertex, other),
            vertices,
            weights,
            count: 4,
            second: None,
            bodies: (own, Some(other)),
            normal: closest_point.normal,
            gap: closest_point.gap,
            surface_velocity: Vec3::ZERO,
            min_normal_velocity: 0.0,
            bounce: 0.0,
            friction: self.friction,
            offset,
            size,
        }
    }

    /// The contact of two edges.
    pub(super) fn between(
        &self,
        pair: Pair,
        edges: [u32; 2],
        edge_edge_gap: &EdgeEdgeGap,
    ) -> Contact {
        let ends = edges.map(|edge| self.features.edges[edge as usize].ends);
        let Margin { offset, size, .. } = pair.margin;
        let bare = Contact::of_edges(pair.of, edges, ends, edge_edge_gap, size);
        Contact { friction: self.friction, offset, ..bare }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::contact::search::{ContactQuery, ContactSettings, Search};
    use crate::force::StateView;
    use crate::math::Quat;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Coordinates are below 2 m: rounding stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    /// Gaps of the edge contacts of two blocks, the second turned about z and lifted.
    fn gaps(sizes: [Vec3; 2], turn: f64, lift: f64) -> Vec<f64> {
        gaps_of([1; 2], sizes, turn, lift)
    }

    /// The same with so many cells along each side of each block.
    fn gaps_of(cells: [u32; 2], sizes: [Vec3; 2], turn: f64, lift: f64) -> Vec<f64> {
        let found = edge_contacts(cells, sizes, (turn, lift), 0.0);
        let gaps = found.iter().map(|contact| {
            assert!(contact.normal.abs_diff_eq(-Vec3::Z, TOLERANCE), "{contact:?}");
            contact.gap
        });
        gaps.collect()
    }

    /// The edge contacts of two blocks, the first bent about x by a curvature, 1/m.
    fn edge_contacts(
        cells: [u32; 2],
        sizes: [Vec3; 2],
        (turn, lift): (f64, f64),
        curvature: f64,
    ) -> Vec<Contact> {
        let block = |k: usize| {
            let raw = cuboid([cells[k]; 3], sizes[k], TetSplit::Five).unwrap();
            TetMesh::from_raw(raw).unwrap().0
        };
        let [a, b] = [block(0), block(1)];
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&a), Mesh::Tets(&b)]).unwrap();
        let rest = [a.positions(), b.positions()].concat();
        let (turn, shift) = (Quat::from_rotation_z(turn), Vec3::new(0.02, 0.03, lift));
        let moved = b.positions().iter().map(|p| turn * *p + shift);
        let bent = a.positions().iter().map(|p| *p - 0.5 * curvature * p.y * p.y * Vec3::Z);
        let positions: Vec<_> = bent.chain(moved).collect();
        let velocities = vec![Vec3::ZERO; positions.len()];
        let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
        let (mut search, mut found) = (Search::new(&rest, &bodies).unwrap(), Vec::new());
        let settings = ContactSettings::default();
        let query = ContactQuery { motion, bodies: &bodies, obstacles: &[], settings, dt: 0.01 };
        search.find(query, &mut found).unwrap();
        found.retain(|contact| matches!(contact.feature, Feature::EdgeEdge(..)));
        found
    }

    #[test]
    fn edges_meet_from_their_reach_down_to_the_size_of_the_smaller_body() {
        // Bars across each other: two edges of each, 2 m long, cross at the height 0.3 m.
        let bars = [Vec3::new(2.0, 0.3, 0.3), Vec3::new(0.3, 2.0, 0.3)];
        // At rest a body of 0.3 m reaches 0.01 · 0.3 m; below 0.1 m edges run right through.
        for (lift, count) in [(0.3031, 0), (0.3029, 4), (0.2, 4), (0.101, 4), (0.099, 4), (0.02, 4)]
        {
            let found = gaps(bars, 0.0, lift);
            assert_eq!(found.len(), count, "{lift}");
            assert!(found.iter().all(|gap| (gap - (lift - 0.3)).abs() < TOLERANCE), "{found:?}");
        }
    }

    /// The edges of a bar across a plate of 8 by 8 cells: each crosses the seven lines of the top
    /// between its cells, and the diagonals of eight cells; and the two edges of the plate.
    #[test]
    fn a_long_edge_meets_the_flat_edges_of_a_fine_face() {
        let sizes = [Vec3::new(1.0, 1.0, 0.4), Vec3::new(0.3, 2.0, 0.4)];
        let found = gaps_of([8, 1], sizes, 0.0, 0.4 + 0.001);
        assert_eq!(found.len(), 2 * (7 + 8 + 2), "{found:?}");
        assert!(found.iter().all(|gap| (gap - 0.001).abs() < TOLERANCE), "{found:?}");
        // As long as each other: faces and vertices are enough.
        assert_eq!(gaps_of([8, 16], sizes, 0.0, 0.4 + 0.001).len(), 4);
    }

    /// Lines of the top 1/8 m apart rise by c/2 · (1/8 m)² above the corners beside them. For the
    /// bar of 0.3 m, whose contact offset is 1.5 mm, they are bent from c = 0.0096 1/m on.
    #[test]
    fn edges_of_the_same_length_meet_the_lines_of_a_face_that_bends() {
        let sizes = [Vec3::new(1.0, 1.0, 0.4), Vec3::new(0.3, 2.0, 0.4)];
        let count = |curvature: f64| {
            let found = edge_contacts([8, 16], sizes, (0.0, 0.4 + 0.001), curvature);
            assert!(found.iter().all(|contact| contact.gap > 0.0), "{found:?}");
            found.len()
        };
        assert_eq!(count(0.008), 4); // those of the two edges of the plate
        // The bar's two edges reach 3 mm down, to the lines at −1/4, −1/8, 0, 1/8, 1/4 m at least.
        assert!(count(0.04) >= 2 * 5, "{}", count(0.04));
    }

    #[test]
    fn plates_that_lie_on_each_other_have_not_passed() {
        let plates = [Vec3::new(1.0, 1.0, 0.01); 2];
        let found = gaps(plates, 0.8, 0.01 + 5e-5);
        assert_eq!(found.len(), 8);
        assert!(found.iter().all(|gap| (gap - 5e-5).abs() < TOLERANCE), "{found:?}");
    }
}
