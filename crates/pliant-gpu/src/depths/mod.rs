//! Which points are inside, what is nearest to them, and which segments cross: one pass.
//!
//! One thread for each segment of a chunk and the point it begins at. It walks the boxes
//! of the other outline's chunks and opens those that matter. A result that rounding
//! could change is marked as unsure, and the CPU decides it with the exact predicates:
//!
//! - Inside: a comparison of two rounded heights is that of an outline moved by no more
//!   than the rounding, consistently for both segments at a point. A cross product is
//!   taken only where the box of a segment holds the point; its sign is wrong only within
//!   rounding of the segment. So a wrong result is one for a point within the margin of
//!   the boundary, and all of those are marked.
//! - Crossing: a product of differences, each wrong by at most 2e, is wrong by at most
//!   2e times the sum of the four and 8e², and its rounding by less than e times the sum; the
//!   bound is 4e times the sum and 2e.
//! - Nearest: a distance is wrong by at most the margin, so the segment taken for the
//!   nearest is farther than the nearest by at most two. The CPU measures it again in f64.

use bytemuck::{Pod, Zeroable};

use crate::GpuError;
use crate::chunk::{CHUNK, Chunks};
use crate::device::{Device, Kept, Part, stride};

/// Inside or not, and the nearest segment of what is.
pub const INSIDE: u32 = 1;
/// Whether segments cross; the unsure ones are listed.
pub const CROSS: u32 = 2;
/// Crossings that are sure are listed too.
pub const LIST: u32 = 4;
/// Segments within reach are listed.
pub const NEAR: u32 = 8;
/// The nearest segment of every point, and the nearest of them all.
pub const NEAREST: u32 = 16;

/// Kind of a candidate that rounding leaves open.
pub const UNSURE: u32 = 0;

/// Bit of a pair of which a crossing is sure.
pub const CROSSED: u32 = 1;
/// Bit of a pair for which a thread took too many turns: nothing is known of it.
pub const GAVE_UP: u32 = 2;

/// Margin of a distance in errors of a coordinate, as in the kernel.
pub const MARGIN: f64 = 8.0;

/// Workgroups side by side in a dispatch, as in the kernel.
const GROUPS: u32 = 32768;

/// Room for candidates at first.
const CANDIDATES: u64 = 4096;

/// Candidates beyond which a query is left to segments, as in the kernel.
const MOST_LISTED: u32 = 1 << 24;

/// One chunk against one other outline, as the kernel reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Task {
    /// The chunk whose points are tested, an index.
    pub chunk: u32,
    /// First chunk of the other outline, an index.
    pub other: u32,
    /// Number of chunks of the other outline.
    pub others: u32,
    /// Position of the pair in the query.
    pub pair: u32,
    /// From the middle of the other outline to that of the own one, scaled.
    pub offset: [f32; 2],
    /// Bound of the error of a coordinate, scaled.
    pub error: f32,
    /// Distance up to which segments are listed as near, scaled.
    pub reach: f32,
    /// What to find, bits.
    pub modes: u32,
    /// Padding; keeps the stride.
    pub spare: u32,
}

/// Two segments that meet, may meet, or are near.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct Candidate {
    /// Position of the pair in the query.
    pub pair: u32,
    /// The own outline's segment, an index.
    pub own: u32,
    /// The other outline's segment, an index.
    pub other: u32,
    /// What is known of the two, a code.
    pub kind: u32,
}

/// What a task found for its chunk.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Found {
    /// Points that are inside or unsure, bits.
    pub inside: u32,
    /// Points that are unsure, bits.
    pub unsure: u32,
    /// The least squared distance, bits of an f32, scaled; all ones without one.
    pub least: u32,
    /// The point that has it, counted in the chunk.
    pub least_thread: u32,
}

/// What was read back, borrowed from the mapped buffer.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// For each thread of each task the nearest segment, an index.
    pub sites: &'a [u32],
    /// One for each task.
    pub found: &'a [Found],
    /// For each pair bits: [`CROSSED`] where a crossing is sure, [`GAVE_UP`].
    pub crossed: &'a [u32],
    /// All candidates, in no order.
    pub list: &'a [Candidate],
}

/// The pass; keeps its memory.
#[derive(Debug)]
pub struct Depths {
    /// The kernel.
    kernel: wgpu::ComputePipeline,
    /// Points, chunks, tasks, number of tasks, sites, found, crossed, listed, list.
    kept: [Kept; 9],
    /// Number of candidates that are read back: a little more than there were last time.
    room: u64,
    /// What the kernel is bound to, until a buffer grows.
    bound: Option<wgpu::BindGroup>,
}

impl Depths {
    /// Compiles the kernel.
    pub fn new(device: &Device) -> Depths {
        let kernel = device.kernel(include_str!("depths.wgsl"), "depths");
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let kept = [
            Kept::storage("points of outlines"),
            Kept::storage("boxes of outlines"),
            Kept::storage("tasks"),
            Kept::new("counts", uniform),
            Kept::storage("nearest segments"),
            Kept::storage("points inside"),
            Kept::storage("pairs"),
            Kept::storage("counts of candidates"),
            Kept::storage("candidates"),
        ];
        Depths { kernel, kept, room: CANDIDATES, bound: None }
    }

    /// Does all tasks in one submission and passes on what they found; again, with more
    /// room, when there were more candidates than room, up to the most that are allowed.
    pub fn run<R>(
        &mut self,
        device: &mut Device,
        chunks: &Chunks,
        tasks: &[Task],
        pairs: usize,
        look: impl FnOnce(Seen<'_>) -> R,
    ) -> Result<R, GpuError> {
        let mut look = Some(look);
        loop {
            let word = size_of::<u32>();
            let sizes =
                [tasks.len() * CHUNK * word, tasks.len() * size_of::<Found>(), pairs * word, word];
            let mut grown = self.kept[0].write(device, &chunks.slots)?;
            grown |= self.kept[1].write(device, &chunks.chunks)?;
            grown |= self.kept[2].write(device, tasks)?;
            grown |= self.kept[3].write(device, &[tasks.len() as u32, device.turns, 0, 0])?;
            for (kept, bytes) in self.kept[4..8].iter_mut().zip(sizes) {
                grown |= kept.reserve(&device.device, bytes as u64)?;
            }
            grown |= self.kept[8].reserve(&device.device, self.room * stride::<Candidate>())?;
            if grown || self.bound.is_none() {
                self.bound = Some(self.bind(device)?);
            }
            let outcome = self.submit(device, tasks.len() as u32, sizes, &mut look)?;
            match outcome {
                Ok((seen, listed)) => {
                    self.room = CANDIDATES.max(u64::from(listed).next_power_of_two());
                    return Ok(seen);
                }
                Err(needed) if needed >= MOST_LISTED => {
                    let [need, limit] =
                        [needed, MOST_LISTED].map(|count| u64::from(count) * stride::<Candidate>());
                    return Err(GpuError::TooLarge { what: "candidates", need, limit });
                }
                Err(needed) => self.room = u64::from(needed).next_power_of_two(),
            }
        }
    }

    /// Points and chunks as they are on the GPU since the last run.
    pub fn uploaded(&self) -> Result<[&wgpu::Buffer; 2], GpuError> {
        Ok([self.kept[0].get()?, self.kept[1].get()?])
    }

    fn bind(&self, device: &Device) -> Result<wgpu::BindGroup, GpuError> {
        let buffers: Vec<&wgpu::Buffer> =
            self.kept.iter().map(Kept::get).collect::<Result<_, _>>()?;
        let resources: Vec<wgpu::BindingResource<'_>> =
            buffers.iter().map(|buffer| buffer.as_entire_binding()).collect();
        Ok(device.bind(&self.kernel.get_bind_group_layout(0), &resources))
    }

    /// One submission: what was found and the number of candidates, or that number alone when
    /// there was too little room for them.
    fn submit<R>(
        &self,
        device: &mut Device,
        tasks: u32,
        sizes: [usize; 4],
        look: &mut Option<impl FnOnce(Seen<'_>) -> R>,
    ) -> Result<Result<(R, u32), u32>, GpuError> {
        let mut work = device.begin();
        for kept in &self.kept[6..8] {
            work.clear_buffer(kept.get()?, 0, None);
        }
        {
            let mut pass = work.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.kernel);
            pass.set_bind_group(0, &self.bound, &[]);
            pass.dispatch_workgroups(tasks.min(GROUPS), tasks.div_ceil(GROUPS), 1);
        }
        let list = self.kept[8].get()?;
        let [sites, found, crossed, listed] = sizes;
        let mut parts = Vec::with_capacity(5);
        for (kept, bytes) in self.kept[4..8].iter().zip(sizes) {
            parts.push(Part { buffer: kept.get()?, start: 0, bytes: bytes as u64 });
        }
        parts.push(Part { buffer: list, start: 0, bytes: self.room * stride::<Candidate>() });
        device.finish(work, &parts, |bytes| {
            let (of_sites, rest) = bytes.split_at(sites);
            let (of_found, rest) = rest.split_at(found);
            let (of_crossed, rest) = rest.split_at(crossed);
            let (of_listed, rest) = rest.split_at(listed);
            let count = bytemuck::cast_slice::<u8, u32>(of_listed)[0];
            let list: &[Candidate] = bytemuck::cast_slice(rest);
            match (list.get(..count as usize), look.take()) {
                (Some(list), Some(look)) => {
                    let seen = Seen {
                        sites: bytemuck::cast_slice(of_sites),
                        found: bytemuck::cast_slice(of_found),
                        crossed: bytemuck::cast_slice(of_crossed),
                        list,
                    };
                    Ok((look(seen), count))
                }
                (_, kept) => {
                    *look = kept;
                    Err(count)
                }
            }
        })
    }
}
