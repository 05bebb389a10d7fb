//! The backend of CPU images: what [Hoff01 §2] does with graphics hardware, in memory.
//!
//! A pair is localised by its boxes. Whether two intersect is exact: boxes name the segments to
//! test against each other, and where none meet, a vertex of each ring decides which outline
//! holds the other. Depths, contacts and separation
//! are read off exact signed fields in windows whose pixels follow from the error bound; the
//! area is summed over rows of pixels. Lengths are within the error; where it is too small
//! for images, segments are used instead, with a notice.
//!
//! | query       | image                       | pixel's half diagonal | error at most |
//! |-------------|-----------------------------|-----------------------|---------------|
//! | penetration | field of the other          | D                     | D             |
//! | contacts    | field of b at a's boundary  | 0.8 D                 | D             |
//! | separation  | the same                    | 0.8 D                 | D             |
//! | area        | rows √2 D high              | –                     | 0.71 D · perimeters |

mod meeting;

mod probe;

mod depth;

mod near;

mod contact;

use pliant::math::Vec2;
use pliant::par;

use super::boundary::PointLocation;
use super::exact::Exact;
use super::exact::tree::{Boxes, View};
use super::field::Window;
use super::outline::Outlines;
use super::patch::Patches;
use super::raster::rows::{RowGroups, Spans};
use super::rect::Rect;
use super::{
    Backend, BackendError, Cause, LeastTranslation, Notice, Pair, Place, ProximityQuery,
    ProximityResult, least, prepare,
};

use contact::Flag;
use meeting::{Extent, Meeting};
use near::{Near, Search, SearchMode};
use probe::Probes;

/// Most pixels that images of one pair may have, were they drawn at once.
const MOST_PIXELS: f64 = (1_u64 << 34) as f64;

/// Most rows of pixels that an area is summed over.
const MOST_ROWS: f64 = (1_u64 << 22) as f64;

/// Rows of pixels that are cut at once.
const ROWS: u32 = 1024;

/// Crossings of rows that are kept at once: so many, or so many for each segment.
const CROSSINGS: [usize; 2] = [1 << 16, 8];

/// Least error, relative to the largest coordinate, for which pixels have digits to differ in.
const LEAST_ERROR: f64 = 1e-11;

/// The backend of images on the CPU.
///
/// Keeps its memory from one query to the next. With threads the pairs are divided among
/// them; results stay bitwise the same.
#[derive(Debug, Default)]
pub struct Images {
    /// Box of each outline, m.
    boxes: Vec<Rect>,
    /// Boxes of their segments.
    tree: Boxes,
    /// One for each thread.
    scratch: Vec<Scratch>,
}

/// Scratch memory for one pair after the other.
#[derive(Debug, Default)]
struct Scratch {
    /// Boxes of a and b, m.
    boxes: [Rect; 2],
    /// Where the boundaries meet, along a.
    meetings: Vec<Meeting>,
    /// The same, connected.
    patches: Patches,
    /// Rows of a and b.
    spans: [Spans; 2],
    groups: RowGroups,
    /// Points to be read.
    probes: Probes,
    /// Where on its boundary each probe is.
    places: Vec<Place>,
    /// Where segments of one side are cut by the other.
    cuts: Vec<(u32, f64)>,
    /// The pieces of a near b.
    near: Near,
    /// For each piece what is known of it.
    flags: Vec<Flag>,
    /// Fallback for what images cannot resolve.
    exact: Exact,
    /// Positions in the thread's pairs that are left to the fallback, and why.
    left: Vec<(usize, Cause)>,
    /// Those pairs.
    asked: Vec<Pair>,
    /// The results of the fallback.
    found: Vec<ProximityResult>,
}

impl Images {
    /// Sets the number of threads; at least one.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.resize_with(threads.max(1), Scratch::default);
    }
}

impl Backend for Images {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn query(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut Vec<ProximityResult>,
    ) -> Result<(), BackendError> {
        prepare(outlines, pairs, question, answers)?;
        if self.scratch.is_empty() {
            self.set_threads(1);
        }
        self.boxes.clear();
        let points = |outline| outlines.points()[outlines.range(outline)].iter().copied();
        self.boxes.extend((0..outlines.len()).map(|outline| Rect::around(points(outline))));
        // Threads that have no pair of their own help with the windows of the others.
        let own = self.scratch.len().min(pairs.len()).max(1);
        let helping = self.scratch.len() / own;
        self.scratch.iter_mut().for_each(|scratch| scratch.probes.set_threads(helping));
        self.tree.build(outlines);
        let view = View { outlines, boxes: &self.tree };
        let job = Job { outlines, view, question, boxes: &self.boxes };
        job.share(&mut self.scratch[..own], pairs, answers);
        Ok(())
    }
}

/// The region that matters for a pair: where both boxes, made larger, overlap.
fn localise([a, b]: [Rect; 2], margin: f64) -> Option<Rect> {
    let region = a.common(b).grown(margin);
    (!region.is_empty()).then_some(region)
}

/// What all pairs of one call share.
#[derive(Clone, Copy)]
struct Job<'a> {
    /// The set of outlines.
    outlines: &'a Outlines,
    /// The same with boxes of segments.
    view: View<'a>,
    /// The query.
    question: &'a ProximityQuery,
    /// Box of each outline, m.
    boxes: &'a [Rect],
}

impl Job<'_> {
    /// Divides the pairs among the scratches, one per thread.
    fn share(&self, scratch: &mut [Scratch], pairs: &[Pair], answers: &mut [ProximityResult]) {
        if let [scratch] = scratch {
            scratch.left.clear();
            scratch.asked.clear();
            for (at, (&pair, answer)) in pairs.iter().zip(answers.iter_mut()).enumerate() {
                if let Err(cause) = self.by_images(pair, scratch, answer) {
                    scratch.left.push((at, cause));
                    scratch.asked.push(pair);
                }
            }
            self.by_segments(scratch, answers);
            return;
        }
        let (few, half) = (scratch.len() / 2, pairs.len() * (scratch.len() / 2) / scratch.len());
        let (scratch, scratch_high) = scratch.split_at_mut(few);
        let (answers, answers_high) = answers.split_at_mut(half);
        par::both(
            || self.share(scratch, &pairs[..half], answers),
            || self.share(scratch_high, &pairs[half..], answers_high),
        );
    }

    /// Queries by segments the pairs that images could not resolve.
    fn by_segments(&self, scratch: &mut Scratch, answers: &mut [ProximityResult]) {
        let Scratch { exact, left, asked, found, .. } = scratch;
        if left.is_empty() {
            return;
        }
        let reported = exact.query(self.outlines, asked, self.question, found);
        debug_assert!(reported.is_ok(), "a question that was good before: {reported:?}");
        let error = self.question.error;
        for (&(at, cause), exact) in left.iter().zip(found) {
            std::mem::swap(&mut answers[at], exact);
            answers[at].notices.push(Notice::Exact { error, cause });
        }
    }

    /// Queries by images, or leaves an unfinished result and returns the cause.
    fn by_images(
        &self,
        pair: Pair,
        scratch: &mut Scratch,
        answer: &mut ProximityResult,
    ) -> Result<(), Cause> {
        let (outlines, question, wanted) = (self.outlines, self.question, self.question.flags);
        let both = [pair.a as usize, pair.b as usize];
        scratch.boxes = both.map(|outline| self.boxes[outline]);
        scratch.meetings.clear();
        scratch.patches.clear();
        let corners = scratch.boxes.into_iter().flat_map(|rect| [rect.min, rect.max]);
        let size = corners.fold(0.0, |size: f64, corner| size.max(corner.abs().max_element()));
        if question.error < LEAST_ERROR * size {
            return Err(Cause::Digits { bits: f64::MANTISSA_DIGITS });
        }
        if let Some(region) = localise(scratch.boxes, 0.0) {
            let rows = region.size().y / question.error;
            let pixels = Window::pixels_over([region.min, region.max], question.error);
            if pixels > MOST_PIXELS {
                return Err(Cause::Pixels { pixels });
            }
            if rows > MOST_ROWS {
                return Err(Cause::Rows { rows });
            }
            answer.intersects = self.intersect(both, scratch);
            if answer.intersects && wanted.area {
                answer.overlap_area = self.area(both, region, scratch);
            }
            if answer.intersects && (wanted.vertices || wanted.samples) {
                depth::penetrations(self.view, both, question, scratch, answer);
            }
            if answer.intersects && wanted.separates() {
                answer.least_translation = self.separate(both, scratch);
            }
        }
        if wanted.contacts && localise(scratch.boxes, 0.5 * question.contact_distance).is_some() {
            self.search(both, question.contact_distance, SearchMode::Within, scratch)?;
            let Scratch { near, meetings, patches, flags, .. } = scratch;
            let boundary = contact::NearBoundary {
                view: self.view,
                pair: both,
                near,
                meetings,
                patches,
                intersects: answer.intersects,
            };
            boundary.contacts(question.contact_distance, flags, &mut answer.contacts);
        }
        if wanted.separation && !answer.intersects {
            let distance = near::upper_bound(outlines, both);
            self.search(both, distance, SearchMode::Nearest, scratch)?;
            answer.separation = contact::separation(outlines, &scratch.near);
            if answer.separation.is_none() {
                return Err(Cause::Unread);
            }
        }
        Ok(())
    }

    /// Connects the meetings of a pair that intersects; its least translation, if wanted.
    fn separate(&self, pair: [usize; 2], scratch: &mut Scratch) -> Option<LeastTranslation> {
        let Scratch { meetings, patches, .. } = scratch;
        let spot = |outline: usize, point: Vec2| self.view.spot(outline, point);
        if !meetings.is_empty() {
            patches.find(self.outlines, pair, meetings.iter().copied(), spot);
        }
        least::of_pair(self.outlines, pair, patches, self.question.flags)
    }

    fn search(
        &self,
        pair: [usize; 2],
        distance: f64,
        pursuit: SearchMode,
        scratch: &mut Scratch,
    ) -> Result<(), Cause> {
        let (target, error) = (scratch.boxes[1], self.question.error);
        let search = Search { pair, target, distance, error, pursuit };
        scratch.near.search(self.view, &search, &mut scratch.probes)
    }

    /// Whether two outlines share a point; exact.
    ///
    /// Leaves meetings in the scratch.
    fn intersect(&self, pair: [usize; 2], scratch: &mut Scratch) -> bool {
        let (outlines, wanted) = (self.outlines, self.question.flags);
        let all = wanted.samples || wanted.separates();
        let extent = if all { Extent::All } else { Extent::First };
        meeting::meetings(self.view, pair, extent, &mut scratch.meetings);
        // Where no boundaries meet, a ring is inside whole or not at all.
        let holds = |outer: usize, inner: usize| {
            let mut firsts = outlines.rings(inner).map(|ring| outlines.points()[ring.start]);
            firsts.any(|first| self.view.spot(outer, first) == PointLocation::Inside)
        };
        let [a, b] = pair;
        !scratch.meetings.is_empty() || holds(a, b) || holds(b, a)
    }

    /// Area that both cover, m², as the sum of the lengths that rows of pixels have in both.
    ///
    /// Within a row the length changes by no more than the boundaries go across, so that
    /// the middle of the row is off by at most half its height times that.
    fn area(&self, pair: [usize; 2], region: Rect, scratch: &mut Scratch) -> f64 {
        let whole = Window::over([region.min, region.max], self.question.error, 0);
        let segments: usize = pair.iter().map(|&at| self.outlines.range(at).len()).sum();
        let most = CROSSINGS[0].max(CROSSINGS[1] * segments);
        let mut sum = 0.0;
        for first in (0..whole.height).step_by(ROWS as usize) {
            let corner = whole.corner + Vec2::new(0.0, f64::from(first) * whole.pixel);
            let height = ROWS.min(whole.height - first);
            let window = Window { corner, height, ..whole };
            let mut part = 0.0;
            let Scratch { spans, groups, .. } = &mut *scratch;
            groups.visit(self.outlines, pair, &window, most, |rows| {
                for (outline, spans) in pair.into_iter().zip(&mut *spans) {
                    spans.draw(self.outlines, outline, &window, rows.clone());
                }
                let [a, b] = &*spans;
                rows.for_each(|row| part += a.shared(b, row));
            });
            sum += part;
        }
        whole.pixel * sum
    }
}

#[cfg(test)]
mod tests;
