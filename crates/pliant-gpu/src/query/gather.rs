//! The result of one pair from what the GPU found, in f64.

use std::ops::Range;

use pliant::math::Vec2;
use pliant_plane::boundary::{PointLocation, direction, outward};
use pliant_plane::least;
use pliant_plane::locate::Locator;
use pliant_plane::outline::Outlines;
use pliant_plane::patch::{Meeting, Patches};
use pliant_plane::samples::{self, MOST_SAMPLES};
use pliant_plane::segment::{crossing, meet, nearest_along, place};
use pliant_plane::{Pair, Penetration, Place, ProximityQuery, ProximityResult, Separation, Side};

use crate::chunk::{CHUNK, Chunks};
use crate::depths::{CROSSED, Candidate, INSIDE, Seen, Task, UNSURE};

use super::contacts::contacts;

/// Everything that a result is made from.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The outlines.
    pub outlines: &'a Outlines,
    /// Where points are that rounding leaves open.
    pub locator: &'a Locator<'a>,
    /// The query.
    pub question: &'a ProximityQuery,
    /// The outlines as the GPU has them.
    pub chunks: &'a Chunks,
    /// The tasks of the GPU.
    pub tasks: &'a [Task],
    /// What it found.
    pub seen: Seen<'a>,
    /// Candidates, sorted.
    pub list: &'a [Candidate],
}

impl Gather<'_> {
    /// Fills the result of the pair at a position, from a range of tasks.
    pub fn pair(&self, at: usize, pair: Pair, tasks: Range<usize>, answer: &mut ProximityResult) {
        if tasks.is_empty() {
            return;
        }
        let from = self.list.partition_point(|candidate| candidate.pair < at as u32);
        let to = self.list.partition_point(|candidate| candidate.pair <= at as u32);
        let list = &self.list[from..to];
        let wanted = self.question.flags;
        let meets = |candidate: &&Candidate| {
            let [own, other] = [candidate.own, candidate.other]
                .map(|segment| self.outlines.segment(segment as usize));
            meet(own, other)
        };
        let unsure = |candidate: &&Candidate| candidate.kind == UNSURE;
        let crossed =
            self.seen.crossed[at] & CROSSED != 0 || list.iter().filter(unsure).any(|c| meets(&c));
        answer.intersects = crossed;
        let own = self.chunks.shapes[pair.a as usize].chunks();
        let split = tasks.start
            + self.tasks[tasks.clone()].partition_point(|t| own.contains(&(t.chunk as usize)));
        let sides = [(Side::A, tasks.start..split, pair.b), (Side::B, split..tasks.end, pair.a)];
        if wanted.samples {
            let crossings: Vec<[u32; 2]> =
                list.iter().filter(meets).map(|c| [c.own, c.other]).collect();
            self.with_samples(&sides, crossings, answer);
        } else {
            for (side, tasks, other) in &sides {
                self.vertices(*side, tasks.clone(), *other as usize, answer);
            }
        }
        if wanted.separation && !answer.intersects {
            answer.separation = self.separation(tasks.clone(), split);
        }
        let mut patches = Patches::default();
        if wanted.separates() && answer.intersects {
            self.find_patches(pair, list, &mut patches);
            let both = [pair.a as usize, pair.b as usize];
            answer.least_translation = least::of_pair(self.outlines, both, &mut patches, wanted);
        }
        if wanted.contacts {
            let distance = self.question.contact_distance;
            contacts(self.locator, pair, distance, list, &patches, answer);
        }
    }

    /// Connects the meetings among candidates to patches.
    fn find_patches(&self, pair: Pair, list: &[Candidate], patches: &mut Patches) {
        let mut met: Vec<[u32; 2]> = list.iter().map(|near| [near.own, near.other]).collect();
        met.dedup();
        met.retain(|segments| {
            let [own, other] = segments.map(|at| self.outlines.segment(at as usize));
            meet(own, other)
        });
        if !met.is_empty() {
            let met = met.into_iter().map(|segments| Meeting::of(self.outlines, segments));
            let both = [pair.a as usize, pair.b as usize];
            let spot = |outline: usize, point: Vec2| self.locator.spot(outline, point);
            patches.find(self.outlines, both, met, spot);
        }
    }

    /// Whether thread `bit` of a task has a point inside; exact.
    fn inside(&self, task: usize, bit: u32, other: usize) -> bool {
        let found = self.seen.found[task];
        if found.inside >> bit & 1 == 0 {
            return false;
        }
        let point = self.point(task, bit);
        let unsure = found.unsure >> bit & 1 == 1;
        !unsure || self.locator.spot(other, self.outlines.points()[point]) == PointLocation::Inside
    }

    /// The point of thread `bit` of a task, an index.
    fn point(&self, task: usize, bit: u32) -> usize {
        (self.chunks.chunks[self.tasks[task].chunk as usize].first + bit) as usize
    }

    /// Depths of the vertices of one side; finds out whether any is inside.
    fn vertices(&self, of: Side, tasks: Range<usize>, other: usize, answer: &mut ProximityResult) {
        for task in tasks {
            let mut left = self.seen.found[task].inside;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                if self.inside(task, bit, other) {
                    answer.intersects = true;
                    if self.question.flags.vertices {
                        answer.penetration.extend(self.penetration(of, task, bit));
                    }
                }
            }
        }
    }

    /// Depth and way out of a vertex that is inside.
    fn penetration(&self, of: Side, task: usize, bit: u32) -> Option<Penetration> {
        let segment = self.point(task, bit) as u32;
        let position = self.outlines.points()[segment as usize];
        let at = Place { segment, along: 0.0 };
        let site = self.seen.sites[task * CHUNK + bit as usize];
        measured(self.outlines, Penetration { of, at, ..empty(position) }, site)
    }

    /// Depths of vertices, and samples still to be measured, of both sides.
    fn with_samples(
        &self,
        sides: &[(Side, Range<usize>, u32); 2],
        mut crossings: Vec<[u32; 2]>,
        answer: &mut ProximityResult,
    ) {
        let mut asked = 0.0;
        for (of, tasks, other) in sides {
            for task in tasks.clone().filter(|&task| self.tasks[task].modes & INSIDE != 0) {
                let count = self.chunks.chunks[self.tasks[task].chunk as usize].count;
                for bit in 0..count {
                    let inside = self.inside(task, bit, *other as usize);
                    answer.intersects |= inside;
                    if inside && self.question.flags.vertices {
                        answer.penetration.extend(self.penetration(*of, task, bit));
                    }
                    let segment = self.point(task, bit);
                    let begins =
                        if inside { PointLocation::Inside } else { PointLocation::Outside };
                    let stretches = self.stretches(segment, &crossings, *other as usize, begins);
                    for stretch in stretches {
                        asked += self.samples(*of, segment, stretch, asked, answer);
                    }
                }
            }
            // From here on seen from b.
            crossings.iter_mut().for_each(|[own, other]| std::mem::swap(own, other));
            crossings.sort_unstable();
        }
        samples::describe(asked, self.question.error, answer);
    }

    /// The parts of a segment inside the other outline, as shares of its way.
    fn stretches(
        &self,
        segment: usize,
        crossings: &[[u32; 2]],
        other: usize,
        begins: PointLocation,
    ) -> Vec<Range<f64>> {
        let from = crossings.partition_point(|[own, _]| (*own as usize) < segment);
        let to = crossings.partition_point(|[own, _]| *own as usize <= segment);
        if from == to {
            // Met by nothing, it is on the side on which it begins.
            return if begins == PointLocation::Inside {
                std::iter::once(0.0..1.0).collect()
            } else {
                Vec::new()
            };
        }
        let ends = self.outlines.segment(segment);
        let mut cuts = vec![0.0, 1.0];
        for &[_, across] in &crossings[from..to] {
            let across = self.outlines.segment(across as usize);
            match crossing(ends, across) {
                Some([along, _]) => cuts.push(along),
                None => cuts.extend(across.map(|end| nearest_along(ends, end))),
            }
        }
        cuts.sort_by(f64::total_cmp);
        let middle = |cut: &[f64]| place(ends, 0.5 * (cut[0] + cut[1]));
        let parts = cuts.windows(2).filter(|cut| cut[1] > cut[0]);
        let inside =
            parts.filter(|cut| self.locator.spot(other, middle(cut)) == PointLocation::Inside);
        inside.map(|cut| cut[0]..cut[1]).collect()
    }

    /// Adds the samples of a stretch, unmeasured, while there is room; returns their number.
    fn samples(
        &self,
        of: Side,
        segment: usize,
        stretch: Range<f64>,
        asked: f64,
        answer: &mut ProximityResult,
    ) -> f64 {
        let ends = self.outlines.segment(segment);
        let length = (stretch.end - stretch.start) * ends[0].distance(ends[1]);
        let parts = samples::parts(length, self.question.error);
        if asked + parts - 1.0 <= MOST_SAMPLES as f64 {
            let part = (stretch.end - stretch.start) / parts;
            for k in 1..parts as usize {
                let along = stretch.start + k as f64 * part;
                let at = Place { segment: segment as u32, along };
                answer.penetration.push(Penetration { of, at, ..empty(place(ends, along)) });
            }
        }
        parts - 1.0
    }

    /// The shortest way between the boundaries, of the points that f32 takes for closest.
    fn separation(&self, tasks: Range<usize>, split: usize) -> Option<Separation> {
        let least = tasks.min_by_key(|&task| self.seen.found[task].least)?;
        let bit = self.seen.found[least].least_thread;
        let site = *self.seen.sites.get(least * CHUNK + bit as usize)?;
        let on_own = self.outlines.points()[self.point(least, bit)];
        let ends = self.outlines.segment(site as usize);
        let on_other = place(ends, nearest_along(ends, on_own));
        let [on_a, on_b] = if least < split { [on_own, on_other] } else { [on_other, on_own] };
        Some(Separation { distance: on_a.distance(on_b), on_a, on_b })
    }
}

/// A penetration of which only the position is known.
fn empty(position: Vec2) -> Penetration {
    let place = Place { segment: u32::MAX, along: 0.0 };
    let (depth, direction) = (0.0, Vec2::ZERO);
    Penetration { of: Side::A, at: place, position, depth, direction, out: place }
}

/// A penetration measured to the segment that is nearest; `None` without a way out, or for a
/// sample that rounding put inside.
pub fn measured(outlines: &Outlines, found: Penetration, site: u32) -> Option<Penetration> {
    let ends = outlines.segment(site as usize);
    let out = Place { segment: site, along: nearest_along(ends, found.position) };
    let exit = place(ends, out.along);
    let way = direction(exit - found.position, found.position);
    if way.is_none() && found.at.along != 0.0 {
        // A sample of a border that both share is inside by rounding alone.
        return None;
    }
    let direction = way.or_else(|| outward(outlines, out))?;
    Some(Penetration { depth: exit.distance(found.position), direction, out, ..found })
}
