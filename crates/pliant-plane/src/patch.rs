//! Where two boundaries meet: patches of contact, and the normal that separates each.
//!
//! Meetings cut both boundaries into arcs. Arcs of one outline inside the other, and the lengths
//! that both share, connect meetings to patches: a sliver where outlines overlap, a common border,
//! a corner on an edge. Within a patch the segments of both sides are compared: along a unit
//! vector n the segments of a lie below those of b by
//!
//! | here       | formula                 | meaning                                           |
//! |------------|-------------------------|---------------------------------------------------|
//! | `overlap`  | max b·n − min a·n       | way along n that takes a's segments off b's, m    |
//!
//! and the normal is the one of least overlap among the outward normals of b's segments and the
//! inward ones of a's. Segments count with their whole length: a sharp corner just inside an
//! edge leaves across the edge, however short the way beside it looks. Where boundaries only
//! share a border, the normal is the mean of b's along it, by length.
//!
//! - Deviates: [Hoff01 §2.2.4] takes the gradient of the distance field at a contact for its
//!   normal, which beside a crossing is that of one edge and may lie across the way apart;
//!   here the patch as a whole decides: `a_thousand_normals_separate_best_on_every_backend`.

use pliant::math::Vec2;

use super::Place;
use super::boundary::{PointLocation, outward};
use super::contact::{Part, mean_normal};
use super::least::LeastScratch;
use super::outline::Outlines;
use super::rect::Rect;
use super::segment::{place, shared};

/// Overlaps below this, relative to the coordinates, are rounding: the segments touch.
const TOUCHING: f64 = 1e-13;

/// Most directions tried for one patch; of more, evenly chosen ones.
const MOST_DIRECTIONS: usize = 512;

/// Two segments that share a point or a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The segment of a and the segment of b.
    pub segments: [u32; 2],
    /// For each where the shared part begins and ends, as shares of its way.
    pub along: [[f64; 2]; 2],
}

impl Meeting {
    /// The meeting of two segments that are known to meet.
    pub fn of(outlines: &Outlines, segments: [u32; 2]) -> Meeting {
        let [own, other] = segments.map(|at| outlines.segment(at as usize));
        Meeting { segments, along: shared(own, other) }
    }
}

/// Connected meetings, and what they say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Patch {
    /// Unit vector along which a leaves b; `None` where there is no such direction.
    normal: Option<Vec2>,
    /// Diagonal of the box around its meetings, m: its weight in a mean.
    extent: f64,
    /// Whether the outlines overlap there, not only touch.
    overlaps: bool,
}

/// Patches of a stretch that are kept without memory of their own.
const FEW: usize = 16;

/// The patches of one pair; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// Meetings, sorted along a.
    meetings: Vec<Meeting>,
    /// For each meeting another of its patch, or itself; the patch's number in the end.
    patch_of: Vec<u32>,
    /// Positions of meetings along one side.
    order: Vec<u32>,
    /// A meeting and a segment of its patch, for a and for b.
    segments: [Vec<(u32, u32)>; 2],
    /// Meetings at which an arc inside the other outline begins or ends.
    deep: Vec<u32>,
    /// In order of their first meetings.
    patches: Vec<Patch>,
    /// Whether a ring that meets nothing is inside the other outline.
    holds: bool,
    /// Normal of all contacts of the pair, where they have one in common.
    common: Option<Vec2>,
    /// First meeting of the patch of each meeting, and the number of each such patch.
    roots: Vec<u32>,
    numbers: Vec<u32>,
    borders: Vec<Border>,
    /// Segments of one patch, of a and of b.
    own: [Vec<u32>; 2],
    pub(super) least: LeastScratch,
}

/// Patches of one stretch, each once; a few of them without memory of their own.
#[derive(Clone, Debug, Default)]
struct PatchSet {
    few: [u32; FEW],
    count: usize,
    many: Vec<u32>,
}

impl PatchSet {
    fn insert(&mut self, patch: u32) {
        if self.few[..self.count].contains(&patch) {
            return;
        }
        if self.count < FEW {
            self.few[self.count] = patch;
            self.count += 1;
        } else {
            self.many.push(patch);
        }
    }

    /// All of them, ascending.
    fn sorted(&mut self) -> &[u32] {
        let few = &mut self.few[..self.count];
        if self.many.is_empty() {
            few.sort_unstable();
            return few;
        }
        self.many.extend_from_slice(few);
        self.many.sort_unstable();
        self.many.dedup();
        &self.many
    }
}

impl Patches {
    /// Forgets the pair before.
    pub fn clear(&mut self) {
        self.meetings.clear();
        self.patch_of.clear();
        self.patches.clear();
        self.holds = false;
        self.common = None;
    }

    /// Finds the patches of a pair from its meetings, in any order, each once.
    ///
    /// `spot` locates a point with respect to an outline.
    pub fn find(
        &mut self,
        outlines: &Outlines,
        pair: [usize; 2],
        meetings: impl IntoIterator<Item = Meeting>,
        spot: impl Fn(usize, Vec2) -> PointLocation,
    ) {
        self.clear();
        self.meetings.extend(meetings);
        self.meetings.sort_unstable_by_key(|meeting| meeting.segments);
        self.patch_of.extend(0..self.meetings.len() as u32);
        self.deep.clear();
        for side in 0..2 {
            self.segments[side].clear();
            let own = self.meetings.iter().map(|meeting| meeting.segments[side]);
            self.segments[side].extend((0..).zip(own));
            for ring in outlines.rings(pair[side]) {
                self.connect(outlines, side, ring, |point| spot(pair[1 - side], point));
            }
        }
        self.finish(outlines, toward(outlines, pair));
    }

    /// Whether the boundaries meet nowhere.
    pub fn is_empty(&self) -> bool {
        self.patches.is_empty()
    }

    /// Whether the outlines overlap, not only touch.
    pub fn overlaps(&self) -> bool {
        self.holds || self.patches.iter().any(|patch| patch.overlaps)
    }

    /// Gives all contacts of the pair one normal.
    ///
    /// For convex outlines that overlap: one direction is the shortest way apart for all.
    pub fn separate_along(&mut self, normal: Vec2) {
        self.common = Some(normal);
    }

    /// Normals of the patches, in order of their first meetings along a.
    pub fn normals(&self) -> impl Iterator<Item = Vec2> + Clone {
        self.patches.iter().filter_map(|patch| patch.normal)
    }

    /// Mean of the normals of all patches, by extent; `None` without any or where they cancel.
    pub fn mean(&self) -> Option<Vec2> {
        mean(self.patches.iter())
    }

    /// The normal of a stretch: the mean, by extent, of the patches that have a meeting on it.
    ///
    /// The outer `None` where no meeting lies on the stretch; the inner where normals cancel.
    pub fn on<'a>(&self, parts: impl Iterator<Item = &'a Part>) -> Option<Option<Vec2>> {
        if self.common.is_some() {
            return Some(self.common);
        }
        let mut found = PatchSet::default();
        for part in parts {
            let first = self.meetings.partition_point(|m| m.segments[0] < part.segment);
            let here = self.meetings[first..].iter().zip(&self.patch_of[first..]);
            let here = here.take_while(|(m, _)| m.segments[0] == part.segment);
            let on = |m: &Meeting| {
                let [from, to] = m.along[0];
                from <= part.along[1] && to >= part.along[0]
            };
            here.filter(|(m, _)| on(m)).for_each(|(_, patch)| found.insert(*patch));
        }
        let found = found.sorted();
        let patches = || found.iter().map(|at| &self.patches[*at as usize]);
        (!found.is_empty()).then(|| mean(patches()))
    }

    /// Connects the meetings of one ring that an arc inside the other outline joins.
    fn connect(
        &mut self,
        outlines: &Outlines,
        side: usize,
        ring: std::ops::Range<usize>,
        spot: impl Fn(Vec2) -> PointLocation,
    ) {
        let Patches { meetings, patch_of, order, segments, deep, .. } = self;
        let key = |at: u32| {
            let meeting = &meetings[at as usize];
            (meeting.segments[side], meeting.along[side])
        };
        order.clear();
        let all = 0..meetings.len() as u32;
        order.extend(all.filter(|&at| ring.contains(&(key(at).0 as usize))));
        if order.is_empty() {
            self.holds |= spot(outlines.points()[ring.start]) == PointLocation::Inside;
            return;
        }
        order.sort_unstable_by(|&p, &q| {
            let ((p, [from, _]), (q, [begin, _])) = (key(p), key(q));
            p.cmp(&q).then(from.total_cmp(&begin))
        });
        // Where what was met on a segment so far ends: a shared length may reach over the next.
        let mut reach = (u32::MAX, 0.0_f64);
        for (position, &at) in order.iter().enumerate() {
            let next = order[(position + 1) % order.len()];
            let ((segment, [_, to]), (last, [from, _])) = (key(at), key(next));
            let to = if reach.0 == segment { to.max(reach.1) } else { to };
            reach = (segment, to);
            let wraps = position + 1 == order.len();
            let arc = Arc {
                from: Place { segment, along: to },
                to: Place { segment: last, along: from },
                around: wraps && (last, from) <= (segment, to),
            };
            let location = arc.longest(outlines).map(&spot);
            if location == Some(PointLocation::Outside) {
                continue;
            }
            join(patch_of, at, next);
            if location == Some(PointLocation::Inside) {
                deep.push(at);
                segments[side].extend(arc.segments(outlines).map(|own| (at, own)));
            }
        }
    }

    /// Numbers the patches and finds their normals.
    fn finish(&mut self, outlines: &Outlines, toward: Vec2) {
        self.number();
        for at in &self.deep {
            self.patches[self.patch_of[*at as usize] as usize].overlaps = true;
        }
        for list in &mut self.segments {
            list.iter_mut().for_each(|(at, _)| *at = self.patch_of[*at as usize]);
            list.sort_unstable();
            list.dedup();
        }
        self.find_borders(outlines);
        let Patches { patches, borders, segments, own, .. } = self;
        for (number, (patch, border)) in (0..).zip(patches.iter_mut().zip(borders)) {
            for (own, list) in own.iter_mut().zip(&*segments) {
                let from = list.partition_point(|(at, _)| *at < number);
                let to = list.partition_point(|(at, _)| *at <= number);
                own.clear();
                own.extend(list[from..to].iter().map(|(_, segment)| *segment));
            }
            patch.overlaps |= border.same_side;
            patch.extent = border.rect.size().length();
            let sides = Sides { outlines, segments: [&own[0], &own[1]] };
            patch.normal = if patch.overlaps {
                sides.least(toward).map(|(_, normal)| normal)
            } else if border.length > 0.0 {
                mean_normal(border.weighted, border.length)
            } else {
                sides.touching(toward)
            };
        }
    }

    /// Numbers the patches in order of their first meetings.
    fn number(&mut self) {
        let Patches { meetings, patch_of, patches, roots, numbers, .. } = self;
        let count = meetings.len();
        roots.clear();
        roots.extend((0..count as u32).map(|at| root(patch_of, at)));
        numbers.clear();
        numbers.resize(count, u32::MAX);
        for &root in &*roots {
            if numbers[root as usize] == u32::MAX {
                numbers[root as usize] = patches.len() as u32;
                patches.push(Patch::default());
            }
        }
        for (own, root) in patch_of.iter_mut().zip(roots) {
            *own = numbers[*root as usize];
        }
    }

    /// What the meetings of each patch have in common.
    fn find_borders(&mut self, outlines: &Outlines) {
        self.borders.clear();
        self.borders.resize(self.patches.len(), Border::default());
        for (meeting, patch) in self.meetings.iter().zip(&self.patch_of) {
            let border = &mut self.borders[*patch as usize];
            let [own, other] = meeting.segments;
            let ends = outlines.segment(own as usize);
            let [from, to] = meeting.along[0];
            border.rect = border.rect.with(place(ends, from)).with(place(ends, to));
            let length = (to - from) * ends[0].distance(ends[1]);
            let [of_a, of_b] =
                [own, other].map(|segment| outward(outlines, Place { segment, along: 0.0 }));
            let Some((of_a, of_b)) = of_a.zip(of_b).filter(|_| length > 0.0) else { continue };
            if of_a.dot(of_b) > 0.0 {
                border.same_side = true;
            } else {
                border.weighted += length * of_b;
                border.length += length;
            }
        }
    }
}

/// The first meeting of the patch that a meeting belongs to.
fn root(patch_of: &mut [u32], mut at: u32) -> u32 {
    while patch_of[at as usize] != at {
        let above = patch_of[patch_of[at as usize] as usize];
        patch_of[at as usize] = above;
        at = above;
    }
    at
}

/// Makes two meetings part of one patch.
fn join(patch_of: &mut [u32], p: u32, q: u32) {
    let [p, q] = [p, q].map(|at| root(patch_of, at));
    patch_of[p.max(q) as usize] = p.min(q);
}

/// Lengths that both boundaries of a patch share.
#[derive(Clone, Copy, Debug)]
struct Border {
    /// Box around all meetings, m.
    rect: Rect,
    /// Sum of b's outward normals times the lengths they stand for, m.
    weighted: Vec2,
    /// Sum of those lengths, m.
    length: f64,
    /// Whether a and b lie on the same side of a shared length.
    same_side: bool,
}

impl Default for Border {
    fn default() -> Border {
        Border { rect: Rect::EMPTY, weighted: Vec2::ZERO, length: 0.0, same_side: false }
    }
}

/// Mean of the normals of patches, by extent, or plainly where none has any.
fn mean<'a>(patches: impl Iterator<Item = &'a Patch>) -> Option<Vec2> {
    let (mut weighted, mut extent, mut plain, mut count) = (Vec2::ZERO, 0.0, Vec2::ZERO, 0.0);
    for patch in patches {
        let Some(normal) = patch.normal else { continue };
        weighted += patch.extent * normal;
        extent += patch.extent;
        plain += normal;
        count += 1.0;
    }
    if count == 1.0 {
        return plain.try_normalize();
    }
    if extent > 0.0 { mean_normal(weighted, extent) } else { mean_normal(plain, count) }
}

/// A part of a ring between two meetings, without any between them.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from: Place,
    to: Place,
    /// Whether it goes past the ring's first point even where `to` does not lie before `from`.
    around: bool,
}

impl Arc {
    /// The segments it runs along, in order.
    fn segments(self, outlines: &Outlines) -> impl Iterator<Item = u32> {
        let mut at = Some(self.from.segment);
        let mut left = self.around && self.from.segment == self.to.segment;
        std::iter::from_fn(move || {
            let now = at?;
            at = if now == self.to.segment && !left {
                None
            } else {
                Some(outlines.next()[now as usize])
            };
            left = false;
            Some(now)
        })
    }

    /// The middle of its longest piece of a segment, m; `None` for an arc without length.
    ///
    /// Where a shared length ends is rounded: what is left beside it is no arc.
    fn longest(self, outlines: &Outlines) -> Option<Vec2> {
        let (mut best, mut most) = (None, 0.0);
        let mut first = true;
        let mut left = self.around && self.from.segment == self.to.segment;
        for segment in self.segments(outlines) {
            let from = if first { self.from.along } else { 0.0 };
            let is_last = segment == self.to.segment && !left;
            let to = if is_last { self.to.along } else { 1.0 };
            (first, left) = (false, false);
            let ends = outlines.segment(segment as usize);
            let length = (to - from) * ends[0].distance(ends[1]);
            let rounding = TOUCHING * ends[0].abs().max(ends[1].abs()).max_element();
            if length > rounding.max(most) {
                (best, most) = (Some(place(ends, 0.5 * (from + to))), length);
            }
        }
        best
    }
}

/// Way from the middle of b's box to that of a's, which decides between equally short translations.
///
/// Where both are one, larger outlines go one way and smaller ones the other.
pub fn toward(outlines: &Outlines, pair: [usize; 2]) -> Vec2 {
    let [a, b] = pair
        .map(|outline| Rect::around(outlines.points()[outlines.range(outline)].iter().copied()));
    let way = a.min.midpoint(a.max) - b.min.midpoint(b.max);
    if way != Vec2::ZERO {
        return way;
    }
    let [a, b] = [a, b].map(|rect| rect.size().length());
    if a >= b { Vec2::new(1.0, 0.5) } else { Vec2::new(-1.0, -0.5) }
}

/// Whether a way apart ranks before another: shorter, more towards, or first in a fixed order.
///
/// Seen from b the same translations, all turned round, rank in the same order.
pub fn ranks_before(p: (f64, Vec2), q: (f64, Vec2), toward: Vec2) -> bool {
    let line = |n: Vec2| if n.x > 0.0 || (n.x == 0.0 && n.y > 0.0) { n } else { -n };
    let key = |(distance, n): (f64, Vec2)| {
        let Vec2 { x, y } = line(n);
        [distance, -n.dot(toward), -x, -y]
    };
    key(p) < key(q)
}

/// Segments of both sides of a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides<'a> {
    pub outlines: &'a Outlines,
    /// Of a and of b.
    pub segments: [&'a [u32]; 2],
}

impl Sides<'_> {
    /// The direction along which the segments of a leave those of b soonest, and how far it is.
    fn least(self, toward: Vec2) -> Option<(f64, Vec2)> {
        let all = self.directions().map(|n| (self.overlap(n), n));
        all.reduce(|best, next| if ranks_before(next, best, toward) { next } else { best })
    }

    /// The mean of all directions along which they only touch.
    ///
    /// Where there is none, as for a tip in a corner that looks inward, that of all directions;
    /// where they cancel, the one of least overlap.
    pub(super) fn touching(self, toward: Vec2) -> Option<Vec2> {
        let points = self.segments.iter().copied().flatten();
        let far = points.fold(0.0_f64, |most, at| {
            most.max(self.outlines.points()[*at as usize].abs().max_element())
        });
        let free = self.directions().filter(|n| self.overlap(*n) <= TOUCHING * far);
        let (mut sum, mut count) = (Vec2::ZERO, 0.0);
        for (at, n) in free.clone().enumerate() {
            // Segments in one line give the same direction: it counts once.
            if !free.clone().take(at).any(|before| before.distance(n) < TOUCHING) {
                sum += n;
                count += 1.0;
            }
        }
        let (all, number) =
            self.directions().fold((Vec2::ZERO, 0.0), |(sum, k), n| (sum + n, k + 1.0));
        mean_normal(sum, count)
            .or_else(|| mean_normal(all, number))
            .or_else(|| self.least(toward).map(|(_, n)| n))
    }

    /// Outward normals of b's segments and inward ones of a's.
    fn directions(self) -> impl Iterator<Item = Vec2> + Clone {
        let [of_a, of_b] = self.segments;
        let stride = (of_a.len() + of_b.len()).div_ceil(MOST_DIRECTIONS);
        let normal = move |&segment: &u32| outward(self.outlines, Place { segment, along: 0.0 });
        let of_b = of_b.iter().filter_map(normal);
        let of_a = of_a.iter().filter_map(normal).map(|n| -n);
        of_b.chain(of_a).step_by(stride.max(1))
    }

    /// Way along a unit vector that takes the segments of a off those of b, m.
    fn overlap(self, n: Vec2) -> f64 {
        let [of_a, of_b] = self.segments.map(|list| {
            list.iter().flat_map(|at| self.outlines.segment(*at as usize)).map(|p| p.dot(n))
        });
        of_b.fold(f64::NEG_INFINITY, f64::max) - of_a.fold(f64::INFINITY, f64::min)
    }
}
