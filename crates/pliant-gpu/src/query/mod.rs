//! The GPU as a backend: many pairs in one submission, unsure cases on the CPU.
//!
//! The CPU lays out the outlines, splits pairs into tasks and drops those whose boxes are
//! apart; the GPU does all tasks at once; the CPU takes the points that the GPU named and
//! measures them in f64. So every depth is that of a segment which f32 takes for the nearest:
//! within two margins of the exact depth; a query with a smaller bound falls back to segments
//! alone, with a notice.

mod contacts;

mod gather;

mod images;

mod samples;

use bytemuck::Zeroable;
use pliant::par;
use pliant_plane::exact::Exact;
use pliant_plane::locate::Locator;
use pliant_plane::outline::Outlines;
use pliant_plane::{
    Backend, BackendError, Cause, Notice, Pair, ProximityQuery, ProximityResult, QueryFlags,
    prepare,
};

use crate::GpuError;
use crate::area::{Areas, UploadedChunks};
use crate::chunk::{Chunk, Chunks, scaled};
use crate::depths::{CROSS, Candidate, Depths, GAVE_UP, INSIDE, LIST, MARGIN, NEAR, NEAREST, Task};
use crate::device::{CHOICE, Device};
use crate::field::Fields;
use crate::overlap::Overlaps;

use gather::Gather;
use samples::SampledPairs;

/// Chunks that the results are split into; threads take them as they can.
const PIECES: usize = 64;

/// How depths are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthsBy {
    /// A kernel finds the nearest segment of every point.
    #[default]
    Points,
    /// Points are interpolated in images of the distance, as in the paper.
    Images,
}

/// Settings of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuerySettings {
    /// How depths are found; both ways keep the bound, the first is faster.
    pub depths: DepthsBy,
}

/// A GPU as a backend for proximity queries of outlines.
#[derive(Debug)]
pub struct Gpu {
    /// Settings of queries.
    pub settings: QuerySettings,
    /// The GPU itself.
    pub(crate) device: Device,
    /// The pass behind depths, crossings and nearest segments.
    depths: Depths,
    /// The pass behind areas.
    areas: Areas,
    /// What is laid out for it anew with every query.
    plan: Plan,
    /// Fallback by segments for what the GPU cannot resolve.
    segments: Segments,
    /// The fields made last.
    pub(crate) fields: Fields,
    /// What overlaps are rendered with.
    pub(crate) overlaps: Overlaps,
}

/// The exact backend with the memory of its queries.
#[derive(Debug, Default)]
struct Segments {
    /// The backend.
    exact: Exact,
    /// Pairs to query.
    pairs: Vec<Pair>,
    /// What was found of them.
    answers: Vec<ProximityResult>,
}

/// A query as it is laid out for the GPU.
#[derive(Debug, Default)]
struct Plan {
    /// The outlines.
    chunks: Chunks,
    /// What the GPU is to do, pair after pair, a's chunks before b's.
    tasks: Vec<Task>,
    /// First task of each pair, and the number of tasks at the end, indices.
    starts: Vec<u32>,
    /// Pairs that fall back to segments, indices, and why.
    exact: Vec<(u32, Cause)>,
    /// Candidates, sorted.
    list: Vec<Candidate>,
    /// Where the chunks of the results begin, indices.
    cuts: Vec<usize>,
}

impl Gpu {
    /// Opens the GPU that the environment variable [`CHOICE`] names by a part of its
    /// name, or the best there is: a real one, or one in software.
    pub fn new() -> Result<Gpu, GpuError> {
        let asked = std::env::var(CHOICE).ok().filter(|name| !name.is_empty());
        Gpu::named(asked.as_deref())
    }

    /// Opens the GPU whose name holds this part, in any case of letters, or the best.
    pub fn named(part: Option<&str>) -> Result<Gpu, GpuError> {
        let device = Device::open(part)?;
        let depths = Depths::new(&device);
        let fields = Fields::new(&device);
        let areas = Areas::new(&device);
        let (settings, plan, segments, overlaps) = Default::default();
        Ok(Gpu { settings, device, depths, areas, plan, segments, fields, overlaps })
    }

    /// Name of the GPU and of its driver.
    pub fn adapter(&self) -> &str {
        self.device.name()
    }

    /// Time the GPU took for the last submission, s; `None` where it has no clock.
    pub fn device_seconds(&self) -> Option<f64> {
        self.device.seconds
    }

    /// Numbers of submissions and of bytes read back so far.
    pub fn traffic(&self) -> [u64; 2] {
        self.device.traffic
    }
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn query(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut Vec<ProximityResult>,
    ) -> Result<(), BackendError> {
        prepare(outlines, pairs, question, answers)?;
        self.plan.fill(outlines, pairs, question, self.device.tests);
        match self.by_gpu(outlines, pairs, question, answers) {
            Ok(()) => {}
            // What was found so far goes: segments fill in all of it.
            Err(GpuError::TooLarge { need, limit, .. }) => {
                let [need, limit] = [need, limit].map(|bytes| bytes as f64);
                self.plan.leave(Cause::Memory { need, limit });
            }
            Err(error) => return Err(error.into()),
        }
        self.by_segments(outlines, pairs, question, answers)
    }
}

impl Gpu {
    /// Queries all pairs that the plan has tasks for.
    fn by_gpu(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut [ProximityResult],
    ) -> Result<(), GpuError> {
        let by = self.settings.depths;
        let Gpu { device, depths, areas, plan, .. } = self;
        let Plan { chunks, tasks, starts, exact, list, cuts } = plan;
        let locator = &Locator::new(outlines);
        if !tasks.is_empty() {
            depths.run(device, chunks, tasks, pairs.len(), |seen| {
                list.clear();
                list.extend_from_slice(seen.list);
                // Threads list in no order; sorted, the results are the same every time.
                list.sort_unstable();
                let gave_up = (0..).zip(seen.crossed).filter(|(_, bits)| **bits & GAVE_UP != 0);
                exact.extend(gave_up.map(|(at, _)| (at, Cause::Turns)));
                let gather = Gather { outlines, locator, question, chunks, tasks, seen, list };
                cuts.clear();
                cuts.extend((0..=PIECES).map(|piece| pairs.len() * piece / PIECES));
                par::chunks(answers, cuts, |piece, answers| {
                    for (at, answer) in (cuts[piece]..).zip(answers) {
                        let tasks = starts[at] as usize..starts[at + 1] as usize;
                        gather.pair(at, pairs[at], tasks, answer);
                    }
                });
            })?;
        }
        if question.flags.samples {
            let sampled = SampledPairs { outlines, chunks, pairs };
            samples::measure(device, depths, sampled, answers, exact)?;
        }
        if question.flags.area && !tasks.is_empty() {
            let [points, records] = depths.uploaded()?;
            let uploaded = UploadedChunks { chunks, points, records };
            areas.run(device, uploaded, pairs, question.error, answers)?;
            let left = self.areas_left(outlines, pairs, question, answers);
            left.map_err(|error| GpuError::Device { what: error.to_string() })?;
        }
        if by == DepthsBy::Images {
            images::measure(self, outlines, pairs, question.error, answers)?;
        }
        Ok(())
    }

    /// Finds the areas by segments that rows left open.
    fn areas_left(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut [ProximityResult],
    ) -> Result<(), BackendError> {
        let flags = QueryFlags { area: true, vertices: false, ..QueryFlags::DEPTHS };
        let left = self.areas.left();
        let pairs = left.iter().map(|&at| pairs[at as usize]);
        let found = self.segments.query(outlines, pairs, &ProximityQuery { flags, ..*question })?;
        for (&at, exact) in left.iter().zip(found) {
            answers[at as usize].overlap_area = exact.overlap_area;
        }
        Ok(())
    }

    /// Queries the pairs that the GPU could not resolve, or gave up, by segments alone.
    fn by_segments(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut [ProximityResult],
    ) -> Result<(), BackendError> {
        let exact = &self.plan.exact;
        let left = exact.iter().map(|&(at, _)| pairs[at as usize]);
        let found = self.segments.query(outlines, left, question)?;
        for (&(at, cause), found) in exact.iter().zip(found) {
            let answer = &mut answers[at as usize];
            std::mem::swap(answer, found);
            answer.notices.push(Notice::Exact { error: question.error, cause });
        }
        Ok(())
    }
}

impl Segments {
    /// Queries some pairs, in their order.
    fn query(
        &mut self,
        outlines: &Outlines,
        some: impl Iterator<Item = Pair>,
        question: &ProximityQuery,
    ) -> Result<&mut [ProximityResult], BackendError> {
        let Segments { exact, pairs, answers } = self;
        pairs.clear();
        pairs.extend(some);
        if pairs.is_empty() {
            return Ok(&mut []);
        }
        exact.query(outlines, pairs, question, answers)?;
        Ok(answers)
    }
}

impl Plan {
    /// Lays out outlines and tasks.
    ///
    /// Pairs that take more than `most` tests of boxes are left to segments.
    fn fill(&mut self, outlines: &Outlines, pairs: &[Pair], question: &ProximityQuery, most: u64) {
        self.chunks.fill(outlines);
        self.tasks.clear();
        self.starts.clear();
        self.exact.clear();
        for (at, &Pair { a, b }) in pairs.iter().enumerate() {
            self.starts.push(self.tasks.len() as u32);
            let (way, error) = self.chunks.between(a as usize, b as usize);
            let enough = 2.0 * MARGIN * error * self.chunks.unit <= question.error;
            if !enough {
                self.exact.push((at as u32, Cause::Digits { bits: f32::MANTISSA_DIGITS }));
                continue;
            }
            let [of_a, of_b] =
                [a, b].map(|side| u64::from(self.chunks.shapes[side as usize].count));
            let tests = 2 * of_a * of_b;
            if tests > most {
                self.exact.push((at as u32, Cause::Tests { tests: tests as f64 }));
                continue;
            }
            let near = self.near(a as usize, b as usize, 0.0);
            let reach = question.contact_distance / self.chunks.unit + MARGIN * error;
            let touching = question.flags.contacts
                && self.near(a as usize, b as usize, question.contact_distance);
            for (sign, sides) in [(1.0, [a, b]), (-1.0, [b, a])] {
                let bit = |wanted: bool, bit: u32| if wanted { bit } else { 0 };
                let modes = bit(near, INSIDE)
                    | bit(near && sign > 0.0, CROSS)
                    | bit(question.flags.samples || question.flags.separates(), LIST)
                    | bit(touching && sign > 0.0, NEAR)
                    | bit(question.flags.separation, NEAREST);
                if modes & !LIST != 0 {
                    let asks = Task {
                        pair: at as u32,
                        offset: scaled(sign * way),
                        error: error as f32,
                        reach: if touching { reach as f32 } else { 0.0 },
                        modes,
                        ..Task::zeroed()
                    };
                    self.side(asks, sides);
                }
            }
        }
        self.starts.push(self.tasks.len() as u32);
    }

    /// Leaves all pairs to segments that are not left already.
    fn leave(&mut self, cause: Cause) {
        self.exact.sort_unstable_by_key(|&(at, _)| at);
        let known: Vec<u32> = self.exact.iter().map(|&(at, _)| at).collect();
        let pairs = 0..self.starts.len() as u32 - 1;
        let others = pairs.filter(|at| known.binary_search(at).is_err());
        self.exact.extend(others.map(|at| (at, cause)));
    }

    /// Whether two outlines may be within a distance of each other, by their boxes.
    fn near(&self, a: usize, b: usize, distance: f64) -> bool {
        let [a, b] = [a, b].map(|outline| &self.chunks.shapes[outline]);
        let gap = (a.low - b.high).max(b.low - a.high);
        gap.max_element() <= distance
    }

    /// The tasks of one side of a pair: its chunks near the other's box.
    fn side(&mut self, asks: Task, [own, other]: [u32; 2]) {
        let [own, other] = [own, other].map(|outline| self.chunks.shapes[outline as usize]);
        let reach = f64::from(asks.reach).max(MARGIN * f64::from(asks.error));
        let (half, offset) = (scaled(other.half() / self.chunks.unit + reach), asks.offset);
        for chunk in own.chunks() {
            let Chunk { low, high, .. } = self.chunks.chunks[chunk];
            let apart = |k: usize| low[k] + offset[k] > half[k] || high[k] + offset[k] < -half[k];
            if asks.modes & NEAREST == 0 && (apart(0) || apart(1)) {
                continue;
            }
            let (chunk, others) = (chunk as u32, other.count);
            self.tasks.push(Task { chunk, other: other.chunk, others, ..asks });
        }
    }
}
