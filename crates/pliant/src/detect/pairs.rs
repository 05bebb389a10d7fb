//! Which bodies come near each other: those whose boxes meet.

use crate::detect::boxes::Bounds;
use crate::id::BodyId;
use crate::mesh::topology::Rows;

/// For each body the others whose boxes meet its own, ascending.
///
/// Sorted along x and swept: every body meets only those that begin before it ends.
pub fn neighbours(boxes: &[Bounds], scratch: &mut Sweep, found: &mut Rows<BodyId>) {
    let Sweep { order, pairs } = scratch;
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
    pairs.sort_unstable();
    found.refill(boxes.len(), pairs);
}

/// Memory of [`neighbours`].
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<u32>,
    pairs: Vec<(u32, BodyId)>,
}
