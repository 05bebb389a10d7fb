//! How deep vertices of outlines are inside others, and where boundaries touch.

use pliant::math::{Vec2, Vec3};
use pliant_plane::exact::Exact;
use pliant_plane::outline::Outlines;
use pliant_plane::pairs::NearPairs;
use pliant_plane::{Backend, ProximityQuery, ProximityResult, QueryFlags};

use super::mesh::DrawnMesh;
use super::penetration::Inside;

/// Vertices of rings and boundaries, of what is wanted here.
const WANTED: QueryFlags = QueryFlags { contacts: true, ..QueryFlags::DEPTHS };

/// Finds penetrating vertices and contacts between outlines.
#[derive(Debug, Default)]
pub struct OutlineSearch {
    outlines: Outlines,
    /// Drawn vertex of each point.
    source: Vec<u32>,
    near: NearPairs,
    exact: Exact,
    answers: Vec<ProximityResult>,
}

impl OutlineSearch {
    /// For bodies at their first positions; `None` with fewer than two outlines.
    pub fn new(mesh: &DrawnMesh, positions: &[Vec3]) -> Option<OutlineSearch> {
        let mut search = OutlineSearch::default();
        for body in mesh.bodies.iter().filter(|body| body.triangles.is_empty()) {
            let place = |v: &u32| positions[*v as usize].truncate();
            let rings: Vec<Vec<Vec2>> =
                body.rings.iter().map(|ring| ring.iter().map(place).collect()).collect();
            if search.outlines.push_given(&rings).is_ok() {
                search.source.extend(body.rings.iter().flatten());
            }
        }
        (search.outlines.len() > 1).then_some(search)
    }

    /// Vertices deeper than `least`, m, ascending, and contacts of gaps up to `reach`, m: place
    /// and unit normal each.
    pub fn at(
        &mut self,
        positions: &[Vec3],
        least: f64,
        reach: f64,
    ) -> (Vec<Inside>, Vec<[Vec3; 2]>) {
        let (mut inside, mut contacts) = (Vec::new(), Vec::new());
        for (point, vertex) in self.outlines.points_mut().iter_mut().zip(&self.source) {
            *point = positions[*vertex as usize].truncate();
        }
        let query = ProximityQuery { error: least, contact_distance: reach, flags: WANTED };
        let pairs = self.near.find(&self.outlines, reach);
        if self.exact.query(&self.outlines, pairs, &query, &mut self.answers).is_err() {
            return (inside, contacts);
        }
        for answer in &self.answers {
            let vertices = answer.penetration.iter().filter(|found| found.at.along == 0.0);
            inside.extend(vertices.filter(|found| found.depth > least).map(|found| Inside {
                vertex: self.source[found.at.segment as usize],
                depth: found.depth,
                direction: found.direction.extend(0.0),
            }));
            let arrow = |c: &pliant_plane::Contact| [c.position.extend(0.0), c.normal.extend(0.0)];
            contacts.extend(answer.contacts.iter().map(arrow));
        }
        // Of a vertex inside several outlines the deepest stays.
        inside.sort_by(|a, b| a.vertex.cmp(&b.vertex).then(b.depth.total_cmp(&a.depth)));
        inside.dedup_by_key(|found| found.vertex);
        (inside, contacts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::DrawnBody;
    use super::*;

    /// Two unit squares, the second shifted.
    fn squares(shift: Vec3) -> (DrawnMesh, Vec<Vec3>) {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let square = corners.map(|[x, y]| Vec3::new(x, y, 0.0));
        let positions = square.into_iter().chain(square.map(|corner| corner + shift)).collect();
        let body = |first: u32| DrawnBody {
            first: first as usize,
            count: 4,
            rings: vec![(first..first + 4).collect()],
            ..DrawnBody::default()
        };
        (DrawnMesh { source: (0..8).collect(), bodies: vec![body(0), body(4)] }, positions)
    }

    #[test]
    fn corners_inside_leave_by_the_nearest_side() {
        let (mesh, positions) = squares(Vec3::new(0.9, 0.8, 0.0));
        let (inside, _) = OutlineSearch::new(&mesh, &positions).unwrap().at(&positions, 1e-6, 0.01);
        // (1, 1) is 0.1 behind the second's left side, (0.9, 0.8) as far behind the first's right.
        let found: Vec<(u32, Vec3)> = inside.iter().map(|i| (i.vertex, i.direction)).collect();
        assert_eq!(found, [(2, -Vec3::X), (4, Vec3::X)]);
        assert!(inside.iter().all(|inside| (inside.depth - 0.1).abs() < 1e-6), "{inside:?}");
    }

    #[test]
    fn sides_that_nearly_touch_are_in_contact_within_reach_only() {
        let (mesh, positions) = squares(Vec3::new(1.005, 0.0, 0.0));
        let mut search = OutlineSearch::new(&mesh, &positions).unwrap();
        let (inside, contacts) = search.at(&positions, 1e-6, 0.01);
        assert!(inside.is_empty() && !contacts.is_empty(), "{inside:?}");
        for [place, normal] in contacts {
            assert!((place.x - 1.0025).abs() < 1e-5 && normal.x < -0.999, "{place} {normal}");
        }
        assert!(search.at(&positions, 1e-6, 0.001).1.is_empty());
    }

    #[test]
    fn one_outline_needs_no_search() {
        let (mut mesh, positions) = squares(Vec3::X);
        mesh.bodies.pop();
        assert!(OutlineSearch::new(&mesh, &positions).is_none());
    }
}
