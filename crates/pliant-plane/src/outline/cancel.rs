//! Segments that two rings share cancel: both their sides are alike.
//!
//! By the even–odd rule a segment that is there twice bounds nothing, as the border between
//! two countries of one map or the way into a hole and out again. What is left is joined to
//! rings anew: around every point an even number of segments ends, before and after.

use pliant::math::Vec2;

use super::OutlineNotice;

/// A segment with its ends in order, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Numbers of the ends among the different points, smaller first.
    ends: [u32; 2],
    /// Ring and place in it.
    at: [u32; 2],
}

/// Rings without the segments that occur twice, and a notice about it.
///
/// Rings without such segments stay as they are; the others become as many as it takes, after
/// them. Of a segment that occurs three times one is left. Points must be finite, and equal
/// neighbours are ignored.
pub fn cancel(rings: &[Vec<Vec2>]) -> (Vec<Vec<Vec2>>, Option<OutlineNotice>) {
    let (places, numbers) = numbered(rings);
    let mut sides = Vec::with_capacity(places.len());
    for (ring, points) in numbers.iter().enumerate() {
        let next = points.iter().cycle().skip(1);
        for (point, (&a, &b)) in points.iter().zip(next).enumerate() {
            if a != b {
                let at = [ring as u32, point as u32];
                sides.push(Side { ends: [a.min(b), a.max(b)], at });
            }
        }
    }
    sides.sort_unstable_by_key(|side| (side.ends, side.at));
    let mut broken = vec![false; rings.len()];
    let mut first: Option<[[u32; 2]; 2]> = None;
    let mut count = 0;
    let mut left: Vec<Side> = Vec::new();
    for same in sides.chunk_by(|p, q| p.ends == q.ends) {
        let (doubles, rest) = same.split_at(same.len() & !1);
        left.extend(rest);
        count += doubles.len();
        for pair in doubles.chunks(2) {
            let pair = [pair[0].at, pair[1].at];
            pair.iter().for_each(|at| broken[at[0] as usize] = true);
            first = Some(first.map_or(pair, |first| first.min(pair)));
        }
    }
    let Some([a, b]) = first else { return (rings.to_vec(), None) };
    left.retain(|side| broken[side.at[0] as usize]);
    left.sort_unstable_by_key(|side| side.at);
    let kept = rings.iter().zip(&broken).filter(|(_, broken)| !**broken);
    let mut joined: Vec<Vec<Vec2>> = kept.map(|(ring, _)| ring.clone()).collect();
    let walks = walks(&left, places.len());
    let place = |number: u32| places[number as usize];
    joined.extend(walks.into_iter().map(|walk| walk.into_iter().map(place).collect()));
    let [a, b] = [a, b].map(|at| at.map(|index| index as usize));
    let place = rings[a[0]][a[1]];
    (joined, Some(OutlineNotice::Doubled { a, b, place, count }))
}

/// All different points, and the rings by their numbers.
fn numbered(rings: &[Vec<Vec2>]) -> (Vec<Vec2>, Vec<Vec<u32>>) {
    // Adding zero makes a negative zero positive.
    let key = |point: &Vec2| (point.x + 0.0, point.y + 0.0);
    let order = |p: &Vec2, q: &Vec2| {
        let ((p_x, p_y), (q_x, q_y)) = (key(p), key(q));
        p_x.total_cmp(&q_x).then(p_y.total_cmp(&q_y))
    };
    let mut places: Vec<Vec2> = rings.iter().flatten().copied().collect();
    places.sort_unstable_by(order);
    places.dedup();
    let number = |point: &Vec2| {
        // Every point is among them; NaN is not, and harmless at 0.
        places.binary_search_by(|place| order(place, point)).unwrap_or(0) as u32
    };
    let numbers = rings.iter().map(|ring| ring.iter().map(number).collect()).collect();
    (places, numbers)
}

/// Closed walks that use every side once and no point twice.
fn walks(sides: &[Side], points: usize) -> Vec<Vec<u32>> {
    let mut at: Vec<(u32, u32)> = Vec::with_capacity(2 * sides.len());
    for (index, side) in sides.iter().enumerate() {
        at.extend(side.ends.map(|end| (end, index as u32)));
    }
    at.sort_unstable();
    let mut next: Vec<usize> =
        (0..=points as u32).map(|point| at.partition_point(|&(end, _)| end < point)).collect();
    let mut used = vec![false; sides.len()];
    let mut on_way = vec![false; points];
    let mut closed = Vec::new();
    for side in 0..sides.len() {
        if used[side] {
            continue;
        }
        let mut way = vec![sides[side].ends[0]];
        on_way[way[0] as usize] = true;
        while let Some(&here) = way.last() {
            let entry = &mut next[here as usize];
            let free = at[*entry..].iter().take_while(|(end, _)| *end == here);
            let free = free.map(|&(_, side)| side as usize).find(|&side| !used[side]);
            let Some(taken) = free else {
                on_way[here as usize] = false;
                way.pop();
                continue;
            };
            while at[*entry].0 == here && used[at[*entry].1 as usize] {
                *entry += 1;
            }
            used[taken] = true;
            let [a, b] = sides[taken].ends;
            let there = if a == here { b } else { a };
            if on_way[there as usize] {
                // The way has closed: what lies between is a ring of its own.
                let start = way.iter().rposition(|&point| point == there).unwrap_or(0);
                way[start + 1..].iter().for_each(|&point| on_way[point as usize] = false);
                closed.push(way[start..].to_vec());
                way.truncate(start + 1);
            } else {
                on_way[there as usize] = true;
                way.push(there);
            }
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::area;

    fn ring(points: &[(f64, f64)]) -> Vec<Vec2> {
        points.iter().map(|&point| Vec2::from(point)).collect()
    }

    fn rectangle(x: [f64; 2], y: [f64; 2]) -> Vec<Vec2> {
        ring(&[(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])])
    }

    fn areas(rings: &[Vec<Vec2>]) -> Vec<f64> {
        let mut areas: Vec<f64> = rings.iter().map(|ring| area(ring).abs()).collect();
        areas.sort_by(f64::total_cmp);
        areas
    }

    #[test]
    fn neighbours_become_one_and_others_stay() {
        let rings = [
            rectangle([0.0, 1.0], [0.0, 1.0]),
            rectangle([5.0, 6.0], [0.0, 1.0]),
            rectangle([1.0, 3.0], [0.0, 1.0]),
        ];
        let (joined, reported) = cancel(&rings);
        assert_eq!(joined[0], rings[1]);
        assert_eq!((joined.len(), joined[1].len()), (2, 6));
        assert_eq!(areas(&joined), [1.0, 3.0]);
        let Some(OutlineNotice::Doubled { a, b, count, .. }) = reported else { panic!() };
        assert_eq!((a, b, count), ([0, 1], [2, 3], 2));
    }

    #[test]
    fn a_country_within_a_hole_fills_it() {
        let hole = rectangle([1.0, 2.0], [1.0, 2.0]);
        let mut within = hole.clone();
        within.reverse();
        let (joined, _) = cancel(&[rectangle([0.0, 4.0], [0.0, 4.0]), hole, within]);
        assert_eq!(areas(&joined), [16.0]);
    }

    #[test]
    fn a_way_in_and_out_again_is_cut_off() {
        let (joined, reported) = cancel(&[ring(&[
            (0.0, 0.0),
            (4.0, 0.0),
            (4.0, 4.0),
            (6.0, 6.0),
            (4.0, 4.0),
            (0.0, 4.0),
        ])]);
        assert_eq!(areas(&joined), [16.0]);
        assert!(reported.is_some());
        // A hole reached by a cut from the outside, as old plotters want it.
        let cut = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)];
        let inner = [(3.0, 3.0), (3.0, 6.0), (6.0, 6.0), (6.0, 3.0)];
        let all = [&cut[..], &cut[..1], &inner[..], &inner[..1]].concat();
        assert_eq!(areas(&cancel(&[ring(&all)]).0), [9.0, 81.0]);
    }

    #[test]
    fn equal_rings_leave_nothing_and_a_third_stays() {
        let square = rectangle([0.0, 1.0], [0.0, 1.0]);
        assert_eq!(cancel(&[square.clone(), square.clone()]).0, Vec::<Vec<Vec2>>::new());
        assert_eq!(areas(&cancel(&vec![square; 3]).0), [1.0]);
    }

    #[test]
    fn a_grid_of_squares_becomes_its_outside() {
        let mut rings = Vec::new();
        for x in 0..20 {
            for y in 0..20 {
                let [x, y] = [x, y].map(f64::from);
                rings.push(rectangle([x, x + 1.0], [y, y + 1.0]));
            }
        }
        let (joined, _) = cancel(&rings);
        assert_eq!((joined.len(), joined[0].len()), (1, 80));
        assert_eq!(areas(&joined), [400.0]);
    }

    #[test]
    fn nothing_changes_where_nothing_is_doubled() {
        let rings = [rectangle([0.0, 1.0], [0.0, 1.0]), rectangle([1.0, 2.0], [1.0, 2.0])];
        assert_eq!(cancel(&rings), (rings.to_vec(), None));
        assert_eq!(cancel(&[]), (vec![], None));
    }
}
