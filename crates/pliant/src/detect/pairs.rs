//! Which bodies come near each other: those whose boxes meet.

use crate::detect::boxes::Bounds;
use crate::id::BodyId;
use crate::mesh::topology::Rows;

/// For each body the others whose boxes meet its own, ascending.
///
/// Sorted along x and swept: every body meets only those that begin before it ends.
pub fn neighbours(boxes: &[Bounds], scratch: &mut Sweep, found: &mut Rows<BodyId>) {
    let Sweep { order, pairs, sorted, starts } = scratch;
    order.clear();
    order.extend(
        (0..boxes.len() as u32).filter(|&b| boxes[b as usize].low.x <= boxes[b as usize].high.x),
    );
    order.sort_unstable_by(|&a, &b| {
        boxes[a as usize].low.x.total_cmp(&boxes[b as usize].low.x).then(a.cmp(&b))
    });
    pairs.clear();
    for (place, &a) in order.iter().enumerate() {
        let near = boxes[a as usize];
        for &b in &order[place + 1..] {
            let other = boxes[b as usize];
            if other.low.x > near.high.x {
                break;
            }
            if near.meets(other) {
                pairs.push((a, BodyId(b)));
                pairs.push((b, BodyId(a)));
            }
        }
    }
    // Whoever is near somebody is near to them too: sorted by one body and then, which keeps
    // that order, by the other, rows ascend in both.
    bucket(boxes.len(), pairs, starts, sorted);
    pairs.iter_mut().zip(&*sorted).for_each(|(pair, &(a, b))| *pair = (b.0, BodyId(a)));
    bucket(boxes.len(), pairs, starts, sorted);
    found.refill(boxes.len(), sorted);
}

/// Sorts pairs by their first numbers, which are below `count`, and keeps the order of equals.
fn bucket(
    count: usize,
    pairs: &[(u32, BodyId)],
    starts: &mut Vec<u32>,
    sorted: &mut Vec<(u32, BodyId)>,
) {
    starts.clear();
    starts.resize(count + 1, 0);
    pairs.iter().for_each(|pair| starts[pair.0 as usize + 1] += 1);
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    sorted.clear();
    sorted.resize(pairs.len(), (0, BodyId(0)));
    for &pair in pairs {
        let next = &mut starts[pair.0 as usize];
        sorted[*next as usize] = pair;
        *next += 1;
    }
}

/// Memory of [`neighbours`].
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<u32>,
    pairs: Vec<(u32, BodyId)>,
    sorted: Vec<(u32, BodyId)>,
    starts: Vec<u32>,
}
