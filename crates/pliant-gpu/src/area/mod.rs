//! Area that two outlines both cover, by rows.
//!
//! Along a row the covered length is exact but for rounding; rows stand √2 times the error
//! bound apart, or closer, at the middles of strips. Within a strip of height h the length
//! differs from that of its middle by no more than it varies, so the area is wrong by at
//! most h/2 times the variation of the length over all rows: the horizontal way along the
//! boundary of the overlap, which is no longer than both perimeters. With h = √2 d that
//! is 0.71 d times the perimeters, and the bound is d times.

use bytemuck::{Pod, Zeroable};
use pliant_plane::{Pair, ProximityResult};

use crate::GpuError;
use crate::chunk::{CHUNK, Chunks, scaled};
use crate::device::{Device, Kept, Part, stride};

/// Most rows of one pair: beyond, the area is left to segments.
const MOST_ROWS: f64 = 65536.0;

/// Most crossings of a row, as in the kernel.
const ROOM: f64 = 1024.0;

/// Comparisons of crossings that take as long as a test of a chunk's box.
const COMPARISONS: f64 = 1024.0;

/// Workgroups side by side in a dispatch, as in the kernel.
const GROUPS: u32 = 32768;

/// Parts of a unit in which lengths are counted, as in the kernel.
const PARTS: f64 = 8388608.0;

/// The value that the kernel writes when a row has more crossings than room.
const FULL: i32 = i32::MIN;

/// The rows of one pair, as the kernel reads them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Strip {
    /// First chunk and chunks of a, then of b: index, count, index, count.
    chunks: [u32; 4],
    /// From the middle of b to that of a, scaled.
    offset: [f32; 2],
    /// Height of the lowest row above the middle of b, scaled.
    lowest: f32,
    /// From one row to the next, scaled.
    step: f32,
}

/// Chunks of all outlines, here and on the GPU.
#[derive(Clone, Copy, Debug)]
pub struct UploadedChunks<'a> {
    /// The chunks.
    pub chunks: &'a Chunks,
    /// Their points on the GPU.
    pub points: &'a wgpu::Buffer,
    /// The chunks themselves on the GPU.
    pub records: &'a wgpu::Buffer,
}

/// The pass; keeps its memory.
#[derive(Debug)]
pub struct Areas {
    /// The kernel.
    kernel: wgpu::ComputePipeline,
    /// Strips on the GPU.
    strips: Kept,
    /// Rows on the GPU.
    rows: Kept,
    /// Covered length of each row, parts of a unit.
    lengths: Kept,
    /// Strips, laid out anew with every query.
    laid: Vec<Strip>,
    /// For each row its strip and its number in it.
    laid_rows: Vec<[u32; 2]>,
    /// For each strip its pair, its first row and the height of a row, m.
    owners: Vec<(u32, u32, f64)>,
    /// Pairs whose areas are left to segments, indices.
    left: Vec<u32>,
}

impl Areas {
    /// Compiles the kernel.
    pub fn new(device: &Device) -> Areas {
        Areas {
            kernel: device.kernel(include_str!("rows.wgsl"), "measure"),
            strips: Kept::storage("strips"),
            rows: Kept::storage("rows"),
            lengths: Kept::storage("lengths of rows"),
            laid: Vec::new(),
            laid_rows: Vec::new(),
            owners: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Pairs whose areas the last run left to segments: too many rows, or crossings in one.
    pub fn left(&self) -> &[u32] {
        &self.left
    }

    /// Fills the area of every pair that intersects, in one submission, but of those [`left`].
    ///
    /// [`left`]: Areas::left
    ///
    /// `error` is the bound of the query, m.
    pub fn run(
        &mut self,
        device: &mut Device,
        uploaded: UploadedChunks<'_>,
        pairs: &[Pair],
        error: f64,
        answers: &mut [ProximityResult],
    ) -> Result<(), GpuError> {
        let UploadedChunks { chunks, points, records } = uploaded;
        self.lay(chunks, pairs, error, device.tests as f64, answers);
        if self.laid.is_empty() {
            return Ok(());
        }
        self.strips.write(device, &self.laid)?;
        self.rows.write(device, &self.laid_rows)?;
        let count = self.laid_rows.len() as u32;
        let bytes = stride::<i32>() * u64::from(count);
        self.lengths.reserve(&device.device, bytes)?;
        let resources = [
            points.as_entire_binding(),
            records.as_entire_binding(),
            self.strips.get()?.as_entire_binding(),
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: self.rows.get()?,
                offset: 0,
                size: std::num::NonZeroU64::new(size_of_val(&self.laid_rows[..]) as u64),
            }),
            self.lengths.get()?.as_entire_binding(),
        ];
        let bound = device.bind(&self.kernel.get_bind_group_layout(0), &resources);
        let mut work = device.begin();
        {
            let mut pass = work.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.kernel);
            pass.set_bind_group(0, &bound, &[]);
            pass.dispatch_workgroups(count.min(GROUPS), count.div_ceil(GROUPS), 1);
        }
        let part = Part { buffer: self.lengths.get()?, start: 0, bytes };
        let (owners, left, unit) = (&self.owners, &mut self.left, chunks.unit);
        device.finish(work, &[part], |bytes| {
            let lengths: &[i32] = bytemuck::cast_slice(bytes);
            let ends = owners.iter().skip(1).map(|owner| owner.1).chain([count]);
            for (&(pair, first, height), end) in owners.iter().zip(ends) {
                let lengths = &lengths[first as usize..end as usize];
                if lengths.contains(&FULL) {
                    left.push(pair);
                    continue;
                }
                let sum: f64 = lengths.iter().map(|length| f64::from(*length)).sum();
                answers[pair as usize].overlap_area = (sum / PARTS * unit * height).max(0.0);
            }
        })
    }

    /// Lays out the rows of pairs that intersect; leaves pairs of too many rows, or of rows that
    /// take more than so many tests.
    fn lay(
        &mut self,
        chunks: &Chunks,
        pairs: &[Pair],
        error: f64,
        most_tests: f64,
        answers: &[ProximityResult],
    ) {
        self.left.clear();
        self.laid.clear();
        self.laid_rows.clear();
        self.owners.clear();
        for (at, (pair, answer)) in pairs.iter().zip(answers).enumerate() {
            if !answer.intersects {
                continue;
            }
            let [a, b] = [pair.a, pair.b].map(|outline| chunks.shapes[outline as usize]);
            let (low, high) = (a.low.y.max(b.low.y), a.high.y.min(b.high.y));
            let rows = ((high - low) / (2.0_f64.sqrt() * error)).ceil().max(1.0);
            let segments = (CHUNK as f64 * f64::from(a.count + b.count)).min(ROOM);
            if rows > MOST_ROWS || rows * segments * segments > COMPARISONS * most_tests {
                self.left.push(at as u32);
                continue;
            }
            let height = (high - low) / rows;
            let (way, _) = chunks.between(pair.a as usize, pair.b as usize);
            self.owners.push((at as u32, self.laid_rows.len() as u32, height));
            let strip = self.laid.len() as u32;
            self.laid_rows.extend((0..rows as u32).map(|row| [strip, row]));
            self.laid.push(Strip {
                chunks: [a.chunk, a.count, b.chunk, b.count],
                offset: scaled(way),
                lowest: ((low + 0.5 * height - b.middle().y) / chunks.unit) as f32,
                step: (height / chunks.unit) as f32,
            });
        }
    }
}
