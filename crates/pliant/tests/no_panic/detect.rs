//! Which vertices and tets overlap.

use pliant::detect::boxes::{Bounds, rounded};
use pliant::detect::cells::{Block, Cells, Sorted, cell_at};
use pliant::detect::crossing::crossing_pairs;
use pliant::detect::pairs::{Sweep, neighbours};
use pliant::detect::tets::{overlapping_tets, tets_overlap};
use pliant::detect::{Overlaps, Scope, brute, edges, union};
use pliant::math::{Aabb, Vec3};
use pliant::mesh::topology::Csr;
use proptest::prelude::*;

use crate::{Scene, body, cells, config, disturbed, vector, vectors, vertex};

/// Vertices inside bodies, some of which do not exist.
pub fn overlaps() -> impl Strategy<Value = Overlaps> {
    let pairs = prop::collection::vec((vertex(), body()), 0..5);
    pairs.prop_map(|pairs| Overlaps::from_sorted(&pairs))
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn references_take_any_positions(
        positions in disturbed(Scene::new().rest),
        (point, a, b, id) in (vector(), vertex(), vertex(), body()),
        (loose, tets) in (vectors(6), cells::<4>(4)),
    ) {
        let scene = Scene::new();
        let found = brute::overlaps(&positions, &scene.bodies);
        let _ = brute::exit([a, b], &[id], &positions, &scene.bodies);
        let _ = brute::is_inside(point, &positions, &scene.bodies, id);
        let _ = overlapping_tets(&positions, &scene.bodies);
        let _ = crossing_pairs(&positions, &scene.bodies, &found);
        let _ = union::is_inside(point, &loose, &tets);
        for tet in &tets {
            let _ = union::is_held(point, &loose, *tet);
        }
    }

    #[test]
    fn crossings_take_any_list(positions in disturbed(Scene::new().rest), given in overlaps()) {
        let _ = crossing_pairs(&positions, &Scene::new().bodies, &given);
    }

    #[test]
    fn geometry_takes_any_number(
        points in prop::collection::vec(vector(), 8),
        low in [any::<i64>(), any::<i64>(), any::<i64>()],
        high in [any::<i64>(), any::<i64>(), any::<i64>()],
    ) {
        let _ = tets_overlap([points[0], points[1], points[2], points[3]], [points[4], points[5], points[6], points[7]]);
        let exits = (0..4).filter_map(|k| edges::exit(points[k], points[k + 1], [points[5], points[6], points[7]], k as u32));
        let _ = edges::nearest(exits);
        let scene = Scene::new();
        let grid = Cells::new(&points, &scene.bodies);
        let _ = (grid.coordinates(points[0]), grid.reach(), grid.cell(points[1]), cell_at(points[2]));
        let block = grid.block(Aabb { min: points[3], max: points[4] });
        let wild = Block { low, high };
        let _ = (block.holds(low), wild.holds(high));
        let sorted = Sorted::new(points.iter().map(|p| (grid.cell(*p), 7)).collect());
        sorted.within(block, |_, _| {});
        sorted.within(wild, |_, _| {});
        let boxes: Vec<Bounds> = points.windows(2).map(|p| Bounds { low: rounded(p[0]), high: rounded(p[1]) }).collect();
        neighbours(&boxes, &mut Sweep::default(), &mut Csr::default());
        let _ = Scope::ALL.map(Scope::name);
        let _ = Vec3::ZERO;
    }
}
