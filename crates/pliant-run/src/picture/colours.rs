//! Ten colours for any number of bodies, different among neighbours.

use pliant::math::{Aabb, Vec3};
use pliant_scene::loaded::BodyInfo;

/// Colours that there are.
pub const COLOURS: usize = 10;

/// Bodies nearer to each other than this part of the larger one's diagonal are neighbours.
const NEAR: f64 = 0.25;

/// Of more bodies than this, neighbours are not compared: it takes the square of their number.
const MOST: usize = 4_000;

/// The number of a colour for each body, the same for the same boxes on every machine.
///
/// A body takes the colour of its index, or the next that no neighbour before it has in any of
/// the given moments; where neighbours have all ten, the one that fewest of them have.
/// `moments` are positions of all vertices, m.
pub fn colours(bodies: &[BodyInfo], moments: &[Vec<[f32; 3]>]) -> Vec<usize> {
    if bodies.len() <= COLOURS || bodies.len() > MOST {
        return (0..bodies.len()).map(|index| index % COLOURS).collect();
    }
    let boxes: Vec<Vec<Aabb>> = moments.iter().map(|moment| boxes(bodies, moment)).collect();
    let near = |a: usize, b: usize| boxes.iter().any(|boxes| are_near(&boxes[a], &boxes[b]));
    let mut chosen: Vec<usize> = Vec::with_capacity(bodies.len());
    for index in 0..bodies.len() {
        let mut users = [0; COLOURS];
        for (other, colour) in chosen.iter().enumerate() {
            users[*colour] += usize::from(near(index, other));
        }
        let in_order = (0..COLOURS).map(|k| (index + k) % COLOURS);
        chosen.push(in_order.min_by_key(|colour| users[*colour]).unwrap_or(0));
    }
    chosen
}

fn boxes(bodies: &[BodyInfo], positions: &[[f32; 3]]) -> Vec<Aabb> {
    let own = |body: &BodyInfo| positions.get(body.vertices.clone()).unwrap_or(&[]);
    let points = |body| own(body).iter().map(|p| Vec3::from(p.map(f64::from)));
    bodies.iter().map(|body| Aabb::around(points(body).filter(|p| p.is_finite()))).collect()
}

fn are_near(a: &Aabb, b: &Aabb) -> bool {
    let size = (a.max - a.min).length().max((b.max - b.min).length());
    let gap = (a.min - b.max).max(b.min - a.max);
    gap.max_element() < NEAR * size
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(vertex: usize) -> BodyInfo {
        BodyInfo {
            name: format!("b{vertex}"),
            kind: "particles".to_string(),
            vertices: 2 * vertex..2 * vertex + 2,
            tets: 0,
            triangles: vec![],
            rings: vec![],
            edges: vec![],
            held: false,
        }
    }

    /// Bodies of 1 m along x, at the given places, m.
    fn at(places: &[f32]) -> (Vec<BodyInfo>, Vec<[f32; 3]>) {
        let positions = places.iter().flat_map(|x| [[*x, 0.0, 0.0], [*x + 1.0, 0.0, 0.0]]);
        ((0..places.len()).map(body).collect(), positions.collect())
    }

    #[test]
    fn few_bodies_have_the_colours_of_their_indices() {
        let (bodies, positions) = at(&[0.0; 10]);
        assert_eq!(colours(&bodies, &[positions]), (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn neighbours_differ_where_indices_would_repeat() {
        // The eleventh body would have colour 0, and lies beside body 0: it takes the next free.
        let mut places: Vec<f32> = (0..10).map(|k| 100.0 * k as f32).collect();
        places.push(1.1);
        let (bodies, positions) = at(&places);
        assert_eq!(colours(&bodies, std::slice::from_ref(&positions))[10], 1);
        // Beside body 1 in a later moment, too: the one after.
        let (_, mut later) = at(&places);
        later[20] = [101.1, 0.0, 0.0];
        later[21] = [102.1, 0.0, 0.0];
        assert_eq!(colours(&bodies, &[positions, later])[10], 2);
    }

    #[test]
    fn positions_that_are_missing_or_not_finite_are_no_reason_to_stop() {
        let (bodies, _) = at(&[0.0; 12]);
        assert_eq!(colours(&bodies, &[vec![]]).len(), 12);
        assert_eq!(colours(&bodies, &[vec![[f32::NAN; 3]; 24]]).len(), 12);
        assert!(colours(&[], &[]).is_empty());
    }
}
