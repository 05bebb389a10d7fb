//! Contacts from the pairs of segments that the GPU found near each other.
//!
//! The same as the reference implementation finds by testing all: a stretch ends where the
//! boundaries are farther apart than the contact distance, so nothing but what is near can
//! begin, end or decide it.

use pliant_plane::boundary::PointLocation;
use pliant_plane::contact::{Nearest, Stretch, Stretches};
use pliant_plane::locate::Locator;
use pliant_plane::outline::Outlines;
use pliant_plane::patch::Patches;
use pliant_plane::segment::near_one;
use pliant_plane::{Pair, ProximityResult};

use crate::depths::Candidate;

/// One contact for each stretch of a's boundary within `distance` of b's.
///
/// `list` holds all segments that may be as near, sorted by a's, `patches` where they meet.
pub fn contacts(
    locator: &Locator<'_>,
    pair: Pair,
    distance: f64,
    list: &[Candidate],
    patches: &Patches,
    answer: &mut ProximityResult,
) {
    let outlines = locator.outlines();
    let intersects = answer.intersects;
    let inside =
        |outline: u32, point| locator.spot(outline as usize, point) == PointLocation::Inside;
    let mut stretches = Stretches::default();
    let mut shares: Vec<[f64; 2]> = Vec::new();
    let mut nearest = Nearest::default();
    for ring in outlines.rings(pair.a as usize) {
        let from = list.partition_point(|near| (near.own as usize) < ring.start);
        let to = list.partition_point(|near| (near.own as usize) < ring.end);
        let list = &list[from..to];
        stretches.clear();
        for near in list.chunk_by(|p, q| p.own == q.own) {
            let segment = near[0].own as usize;
            let ends = outlines.segment(segment);
            let across = near.iter().map(|near| outlines.segment(near.other as usize));
            shares.clear();
            shares.extend(across.filter_map(|across| near_one(ends, across, distance)));
            stretches.add(segment, &mut shares);
        }
        let found = stretches.around(&ring);
        let mut one = |stretch| {
            offer(outlines, stretch, list, &mut nearest);
            nearest.contact(outlines, stretch, patches, |[on_a, on_b]| {
                [(pair.b, on_a), (pair.a, on_b)]
                    .map(|(outline, point)| intersects && inside(outline, point))
            })
        };
        answer.contacts.extend(found.filter_map(&mut one));
    }
}

/// Offers all that is near a stretch of b's boundary.
fn offer(outlines: &Outlines, stretch: Stretch<'_>, list: &[Candidate], nearest: &mut Nearest) {
    nearest.clear();
    for (order, part) in stretch.parts().enumerate() {
        let ends = part.ends(outlines);
        let from = list.partition_point(|near| near.own < part.segment);
        for near in list[from..].iter().take_while(|near| near.own == part.segment) {
            nearest.offer(outlines, part, ends, [order, near.other as usize]);
        }
    }
}
