//! Outlines as the GPU reads them: f32 around each outline's middle, in short runs with boxes.
//!
//! A chunk is a run of at most [`CHUNK`] consecutive segments of one ring. Its points lie
//! side by side with the end of the last segment behind them, so that a kernel needs no
//! index, and a ray that misses its box on the left crosses it as often, modulo two, as it
//! crosses the way between its two ends.
//!
//! Lengths are divided by a power of two above every half extent, so that they are below
//! one and squares neither overflow nor vanish. With u = 2⁻²⁴, a coordinate is rounded by
//! at most u times the half extent of its outline, the way between two middles by u times
//! its length, and their sum once more: [`coordinate_error`] is above all three together.

use bytemuck::{Pod, Zeroable};
use pliant::math::Vec2;
use pliant::par;
use pliant_plane::outline::Outlines;

/// Most segments of a chunk; threads of a workgroup.
pub const CHUNK: usize = 32;

/// Chunks that the work on the CPU is split into; threads take them as they can.
const PIECES: usize = 64;

/// Half the distance of 1 and the next f32: the relative rounding of one number.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// Below this, in scaled lengths, squares may vanish on a GPU that knows no subnormals.
const VANISHING: f64 = 1e-17;

/// Above this, in scaled lengths, squares of sums may overflow.
const OVERFLOWING: f64 = 1e17;

/// A run of consecutive segments, as the kernels read it; scaled lengths.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Chunk {
    /// Lower left corner of its box, scaled.
    pub low: [f32; 2],
    /// Upper right corner of its box, scaled.
    pub high: [f32; 2],
    /// Where its points begin, an index.
    pub slot: u32,
    /// Number of its segments.
    pub count: u32,
    /// The first segment's number among all outlines, an index.
    pub first: u32,
    /// Padding; keeps the stride.
    pub spare: u32,
}

/// Where an outline is, and which chunks are its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Lower left corner of its box, m.
    pub low: Vec2,
    /// Upper right corner of its box, m.
    pub high: Vec2,
    /// First chunk, an index.
    pub chunk: u32,
    /// Number of chunks.
    pub count: u32,
    /// First point among those the GPU reads, an index.
    slot: usize,
}

impl Shape {
    /// Middle of its box, m: what its points are measured from.
    pub fn middle(&self) -> Vec2 {
        self.low.midpoint(self.high)
    }

    /// Half of its box, m.
    pub fn half(&self) -> Vec2 {
        0.5 * (self.high - self.low)
    }

    /// Its chunks, as indices.
    pub fn chunks(&self) -> std::ops::Range<usize> {
        self.chunk as usize..(self.chunk + self.count) as usize
    }
}

/// All outlines, ready to be copied to the GPU.
#[derive(Debug, Default)]
pub struct Chunks {
    /// What lengths are divided by, m.
    pub unit: f64,
    /// Points of every ring, its first one again at the end, scaled.
    pub slots: Vec<[f32; 2]>,
    /// All chunks, outline after outline.
    pub chunks: Vec<Chunk>,
    /// One for each outline.
    pub shapes: Vec<Shape>,
    /// Where the chunks of `shapes` begin, then those of `slots`, indices.
    cuts: [Vec<usize>; 2],
}

impl Chunks {
    /// Fills all from outlines with finite points.
    pub fn fill(&mut self, outlines: &Outlines) {
        self.join(outlines);
        let count = self.shapes.len();
        let [of_shapes, of_slots] = &mut self.cuts;
        of_shapes.clear();
        of_shapes.extend((0..=PIECES).map(|piece| count * piece / PIECES));
        par::chunks(&mut self.shapes, of_shapes, |piece, shapes| {
            for (outline, shape) in (of_shapes[piece]..).zip(shapes) {
                let points = &outlines.points()[outlines.range(outline)];
                let seed = (Vec2::INFINITY, Vec2::NEG_INFINITY);
                (shape.low, shape.high) = (points.iter())
                    .fold(seed, |(low, high), point| (low.min(*point), high.max(*point)));
            }
        });
        let half = self.shapes.iter().fold(0.0, |most: f64, s| most.max(s.half().max_element()));
        self.unit = power_above(half);
        of_slots.clear();
        let start = |&at: &usize| self.shapes.get(at).map_or(self.slots.len(), |shape| shape.slot);
        of_slots.extend(of_shapes.iter().map(start));
        let (shapes, unit) = (&self.shapes, self.unit);
        par::chunks(&mut self.slots, of_slots, |piece, slots| {
            let mut at = 0;
            let range = of_shapes[piece]..of_shapes[piece + 1];
            for (outline, shape) in range.clone().zip(&shapes[range]) {
                let (middle, per_unit) = (shape.middle(), 1.0 / unit);
                for ring in outlines.rings(outline) {
                    let points = &outlines.points()[ring];
                    let around = points.iter().chain(points.first());
                    for (slot, point) in slots[at..].iter_mut().zip(around) {
                        *slot = scaled((*point - middle) * per_unit);
                    }
                    at += points.len() + 1;
                }
            }
        });
        self.box_chunks();
    }

    /// Lays out rings, chunks and shapes; neither points nor boxes yet.
    fn join(&mut self, outlines: &Outlines) {
        self.chunks.clear();
        self.shapes.clear();
        let mut slot = 0;
        for outline in 0..outlines.len() {
            let (chunk, first_slot) = (self.chunks.len(), slot);
            for ring in outlines.rings(outline) {
                let parts = ring.len().div_ceil(CHUNK);
                for part in 0..parts {
                    let [from, to] = [part, part + 1].map(|part| ring.len() * part / parts);
                    self.chunks.push(Chunk {
                        slot: (slot + from) as u32,
                        count: (to - from) as u32,
                        first: (ring.start + from) as u32,
                        ..Chunk::zeroed()
                    });
                }
                slot += ring.len() + 1;
            }
            let (chunk, count) = (chunk as u32, (self.chunks.len() - chunk) as u32);
            let (low, high) = (Vec2::ZERO, Vec2::ZERO);
            self.shapes.push(Shape { low, high, chunk, count, slot: first_slot });
        }
        self.slots.resize(slot, [0.0; 2]);
    }

    /// Finds the box of every chunk.
    fn box_chunks(&mut self) {
        let slots = &self.slots;
        let count = self.chunks.len();
        let cuts = &mut self.cuts[1];
        cuts.clear();
        cuts.extend((0..=PIECES).map(|piece| count * piece / PIECES));
        par::chunks(&mut self.chunks, cuts, |_, chunks| {
            for chunk in chunks {
                let start = chunk.slot as usize;
                let points = &slots[start..=start + chunk.count as usize];
                let [mut low, mut high] = [points[0]; 2];
                for point in points {
                    for axis in 0..2 {
                        low[axis] = low[axis].min(point[axis]);
                        high[axis] = high[axis].max(point[axis]);
                    }
                }
                (chunk.low, chunk.high) = (low, high);
            }
        });
    }

    /// The way from b's middle to a's, scaled, and the error of a coordinate between them.
    ///
    /// The error is not finite where f32 cannot hold the lengths.
    pub fn between(&self, a: usize, b: usize) -> (Vec2, f64) {
        let (a, b) = (&self.shapes[a], &self.shapes[b]);
        let way = (a.middle() - b.middle()) / self.unit;
        let half = a.half().max_element() + b.half().max_element();
        (way, coordinate_error(half / self.unit, way.abs().max_element()))
    }
}

/// Bound of the error of a coordinate, scaled; infinite where f32 cannot hold the lengths.
///
/// `half` is the sum of two half extents, `way` the distance of the middles, both scaled.
/// Rounding costs at most u (half + way) before and as much after the addition, and the
/// kernels' own sums as much again.
pub fn coordinate_error(half: f64, way: f64) -> f64 {
    let size = half + way;
    if size < OVERFLOWING { 4.0 * ROUNDING * size + VANISHING } else { f64::INFINITY }
}

/// As the GPU has it.
pub fn scaled(point: Vec2) -> [f32; 2] {
    [point.x as f32, point.y as f32]
}

/// The smallest power of two above a length; 1 where there is none.
pub fn power_above(length: f64) -> f64 {
    let power = libm::log2(length).floor() + 1.0;
    let above = libm::exp2(power);
    if above.is_normal() && (1.0 / above).is_normal() { above } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(count: usize, radius: f64) -> Vec<Vec2> {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
        (0..count).map(|k| radius * Vec2::from_angle(angle(k))).collect()
    }

    #[test]
    fn every_segment_is_in_one_chunk_and_its_ring_is_closed() {
        let mut outlines = Outlines::default();
        outlines.push(&[ring(100, 4.0), ring(3, 1.0)]).unwrap();
        outlines.push(&[ring(64, 2.0)]).unwrap();
        let mut chunks = Chunks::default();
        chunks.fill(&outlines);
        let mut next = 0;
        for (outline, shape) in chunks.shapes.iter().enumerate() {
            for chunk in &chunks.chunks[shape.chunks()] {
                assert_eq!(chunk.first as usize, next);
                assert!((1..=CHUNK).contains(&(chunk.count as usize)));
                for k in 0..chunk.count as usize {
                    let ends = outlines.segment(next + k);
                    for (end, point) in ends.into_iter().enumerate() {
                        let slot = chunks.slots[chunk.slot as usize + k + end];
                        let back = Vec2::new(f64::from(slot[0]), f64::from(slot[1]));
                        let back = shape.middle() + chunks.unit * back;
                        assert!(back.distance(point) < 4.0 * ROUNDING * chunks.unit, "{outline}");
                        assert!(
                            (0..2).all(|k| chunk.low[k] <= slot[k] && slot[k] <= chunk.high[k])
                        );
                    }
                }
                next += chunk.count as usize;
            }
        }
        assert_eq!(next, outlines.points().len());
        assert_eq!(chunks.chunks.len(), 4 + 1 + 2); // 100 in four, 3 in one, 64 in two
    }

    #[test]
    fn lengths_are_divided_by_a_power_of_two_above_them() {
        for (length, power) in [(0.7, 1.0), (1.0, 2.0), (5.0, 8.0), (1e-3, 1.0 / 512.0)] {
            assert_eq!(power_above(length), power);
        }
        assert_eq!(power_above(0.0), 1.0);
        assert_eq!(power_above(f64::MAX), 1.0);
        assert!(coordinate_error(1e300, 0.0).is_infinite());
    }
}
