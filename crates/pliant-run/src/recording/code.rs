//! Frames as bytes: predict, take the difference, sort by weight of the byte, compress.
//!
//! The bits of an f32 become an integer that grows with the value, so that near values
//! have near numbers and all arithmetic is exact. With a, b, c the numbers of the same
//! coordinate one, two and three frames before, a frame is predicted by
//!
//! | order | prediction                                                |
//! |-------|-----------------------------------------------------------|
//! | 0     | the vertex before in the same frame, 0 for the first      |
//! | 1     | a                                                         |
//! | 2     | 2a − b, as if velocity stayed                             |
//! | 3     | 3a − 3b + c, as if acceleration stayed                    |
//!
//! modulo 2³². What is missed, d, is folded to 2d or −2d − 1, and the four bytes of all numbers
//! are laid out lowest first: all x, all y, all z of a byte before the next one.

/// Frames that predictions look back at.
pub const MOST_ORDER: usize = 3;

/// How hard zstd tries: higher levels cost more time than they save bytes.
const LEVEL: i32 = 1;

/// Numbers that are looked at to choose an order, about.
const SAMPLE: usize = 1500;

/// Bits of an f32 as a number that grows with the value.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn from_ordered(number: u32) -> f32 {
    f32::from_bits(if number >> 31 == 1 { number & !(1 << 31) } else { !number })
}

/// Small numbers of either sign become small numbers.
fn fold(missed: u32) -> u32 {
    (missed << 1) ^ (missed.cast_signed() >> 31).cast_unsigned()
}

fn unfold(folded: u32) -> u32 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}

/// The frames before, newest first.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Numbers of all x, then all y, then all z, of each frame.
    frames: [Vec<u32>; MOST_ORDER],
    /// How many of them are there.
    count: usize,
}

impl Past {
    /// Forgets all, as before a frame that stands alone.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Highest order that can be predicted for so many vertices.
    fn order(&self, count: usize) -> usize {
        let seen = self.frames[..self.count].iter();
        seen.take_while(|frame| frame.len() == 3 * count).count()
    }

    /// The numbers of the newest frame, to be filled; the others move back.
    fn turn(&mut self) -> &mut Vec<u32> {
        self.frames.rotate_right(1);
        self.count = (self.count + 1).min(MOST_ORDER);
        &mut self.frames[0]
    }

    /// The prediction of an order above 0, place by place.
    fn predict(&self, order: usize, count: usize, mut tell: impl FnMut(usize, u32)) {
        let [a, b, c] = self.frames.each_ref().map(|frame| frame.get(..count).unwrap_or(&[]));
        let places = 0..count;
        match order {
            1 => places.for_each(|k| tell(k, a[k])),
            2 => places.for_each(|k| tell(k, a[k].wrapping_mul(2).wrapping_sub(b[k]))),
            _ => places.for_each(|k| {
                tell(k, a[k].wrapping_sub(b[k]).wrapping_mul(3).wrapping_add(c[k]));
            }),
        }
    }
}

/// Packs frames; keeps its memory from frame to frame.
pub struct Packer {
    past: Past,
    numbers: Vec<u32>,
    /// What predictions missed, folded.
    misses: Vec<u32>,
    bytes: Vec<u8>,
    packed: Vec<u8>,
    zstd: zstd::bulk::Compressor<'static>,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Packer").field("past", &self.past).finish_non_exhaustive()
    }
}

impl Packer {
    /// One that has seen the frames of `past`.
    pub fn new(past: Past) -> std::io::Result<Packer> {
        let zstd = zstd::bulk::Compressor::new(LEVEL)?;
        let (numbers, misses) = (Vec::new(), Vec::new());
        Ok(Packer { past, numbers, misses, bytes: Vec::new(), packed: Vec::new(), zstd })
    }

    /// Makes the next frame stand alone.
    pub fn forget(&mut self) {
        self.past.clear();
    }

    /// The order that was chosen, and the packed bytes.
    pub fn pack(
        &mut self,
        positions: impl ExactSizeIterator<Item = [f32; 3]>,
    ) -> std::io::Result<(usize, &[u8])> {
        let count = positions.len();
        self.numbers.clear();
        self.numbers.resize(3 * count, 0);
        for (vertex, position) in positions.enumerate() {
            for (axis, value) in position.into_iter().enumerate() {
                self.numbers[axis * count + vertex] = ordered(value);
            }
        }
        let order = self.best_order(count);
        self.miss(order, count);
        self.spread();
        self.past.turn().clone_from(&self.numbers);
        self.packed.resize(zstd::zstd_safe::compress_bound(self.bytes.len()), 0);
        let length = self.zstd.compress_to_buffer(&self.bytes, &mut self.packed[..])?;
        Ok((order, &self.packed[..length]))
    }

    /// The order whose misses have the fewest bits, judged by a sample.
    fn best_order(&self, count: usize) -> usize {
        let most = self.past.order(count);
        if most < 2 {
            return most;
        }
        let stride = (3 * count / SAMPLE).max(1);
        let [a, b, c] = self.past.frames.each_ref().map(Vec::as_slice);
        // Of a frame that is not there, any numbers do: its order is not used.
        let c = if most == MOST_ORDER { c } else { b };
        let mut bits = [0; MOST_ORDER];
        for k in (0..3 * count).step_by(stride) {
            let once = self.numbers[k].wrapping_sub(a[k]);
            let speed = a[k].wrapping_sub(b[k]);
            let twice = once.wrapping_sub(speed);
            let thrice = twice.wrapping_sub(speed.wrapping_sub(b[k].wrapping_sub(c[k])));
            for (sum, miss) in bits.iter_mut().zip([once, twice, thrice]) {
                *sum += u64::from(32 - fold(miss).leading_zeros());
            }
        }
        (1..=most).min_by_key(|order| bits[order - 1]).unwrap_or(0)
    }

    /// Fills the misses.
    fn miss(&mut self, order: usize, count: usize) {
        let Packer { past, numbers, misses, .. } = self;
        misses.clear();
        misses.resize(3 * count, 0);
        if order > 0 {
            past.predict(order, 3 * count, |place, predicted| {
                misses[place] = fold(numbers[place].wrapping_sub(predicted));
            });
            return;
        }
        let mut before = 0;
        for (place, (miss, number)) in misses.iter_mut().zip(numbers).enumerate() {
            let predicted = if place.is_multiple_of(count) { 0 } else { before };
            *miss = fold(number.wrapping_sub(predicted));
            before = *number;
        }
    }

    /// Sorts the bytes of the misses by their weight.
    fn spread(&mut self) {
        let Packer { misses, bytes, .. } = self;
        bytes.clear();
        bytes.resize(4 * misses.len(), 0);
        for (weight, layer) in bytes.chunks_exact_mut(misses.len().max(1)).enumerate() {
            for (byte, miss) in layer.iter_mut().zip(&*misses) {
                *byte = (miss >> (8 * weight)) as u8;
            }
        }
    }
}

/// Unpacks frames in the order in which they were packed.
#[derive(Default)]
pub struct Unpacker {
    past: Past,
    bytes: Vec<u8>,
    zstd: zstd::bulk::Decompressor<'static>,
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Unpacker").field("past", &self.past).finish_non_exhaustive()
    }
}

impl Unpacker {
    /// Forgets the frames seen.
    pub fn forget(&mut self) {
        self.past.clear();
    }

    /// The frames seen, for a packer that continues.
    pub fn into_past(self) -> Past {
        self.past
    }

    /// Takes the next frame in; `None` when these bytes cannot be one.
    pub fn unpack(&mut self, order: usize, count: usize, packed: &[u8]) -> Option<()> {
        if order > self.past.order(count) {
            return None;
        }
        let size = count.checked_mul(12)?;
        self.bytes.clear();
        self.bytes.try_reserve_exact(size).ok()?;
        self.bytes.resize(size, 0);
        if self.zstd.decompress_to_buffer(packed, &mut self.bytes[..]).ok()? != size {
            return None;
        }
        let mut numbers: Vec<u32> = vec![0; 3 * count];
        for (weight, bytes) in self.bytes.chunks_exact((3 * count).max(1)).enumerate() {
            for (number, byte) in numbers.iter_mut().zip(bytes) {
                *number |= u32::from(*byte) << (8 * weight);
            }
        }
        numbers.iter_mut().for_each(|number| *number = unfold(*number));
        if order > 0 {
            self.past.predict(order, 3 * count, |place, predicted| {
                numbers[place] = numbers[place].wrapping_add(predicted);
            });
        } else {
            for place in (1..3 * count).filter(|place| !place.is_multiple_of(count)) {
                numbers[place] = numbers[place].wrapping_add(numbers[place - 1]);
            }
        }
        *self.past.turn() = numbers;
        Some(())
    }

    /// Positions of the newest frame; empty before the first.
    pub fn positions(&self) -> Vec<[f32; 3]> {
        let [numbers, ..] = &self.past.frames[..self.past.count] else { return Vec::new() };
        let count = numbers.len() / 3;
        let at = |axis: usize, vertex: usize| from_ordered(numbers[axis * count + vertex]);
        (0..count).map(|vertex| [at(0, vertex), at(1, vertex), at(2, vertex)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames that move, jump, stand still, and hold every odd value there is.
    fn frames() -> Vec<Vec<[f32; 3]>> {
        let odd = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::MIN, f32::MIN_POSITIVE, 1e-45, -1.0];
        let moving = (0..12).map(|k| {
            let t = k as f32 / 60.0;
            let place = |v: u32| [v as f32 * 0.1, libm::sinf(v as f32 + t), 1.0 - 4.9 * t * t];
            (0..50).map(place).collect()
        });
        let jump = (0..50).map(|v| [odd[v % 8], odd[(v + 3) % 8], -odd[(v + 5) % 8]]).collect();
        let mut all: Vec<Vec<[f32; 3]>> = moving.collect();
        all.insert(7, jump);
        all.push(all[11].clone());
        all
    }

    #[test]
    fn every_bit_comes_back_whatever_the_order() {
        let (mut packer, mut unpacker) =
            (Packer::new(Past::default()).unwrap(), Unpacker::default());
        let mut orders = [0; MOST_ORDER + 1];
        for (k, frame) in frames().iter().enumerate() {
            if k == 10 {
                packer.forget();
            }
            let (order, packed) = packer.pack(frame.iter().copied()).unwrap();
            orders[order] += 1;
            unpacker.unpack(order, frame.len(), packed).unwrap();
            let bits = |frame: &[[f32; 3]]| -> Vec<[u32; 3]> {
                frame.iter().map(|p| p.map(f32::to_bits)).collect()
            };
            assert_eq!(bits(&unpacker.positions()), bits(frame), "frame {k}");
        }
        assert!(orders.iter().all(|count| *count > 0), "{orders:?}");
    }

    #[test]
    fn numbers_grow_with_values() {
        let values = [f32::NEG_INFINITY, -2.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, f32::INFINITY];
        assert!(values.map(ordered).is_sorted());
        assert_eq!([0, 1, -1, 2, -2].map(|d: i32| fold(d.cast_unsigned())), [0, 2, 1, 4, 3]);
    }

    #[test]
    fn bytes_that_are_no_frame_are_refused() {
        let mut packer = Packer::new(Past::default()).unwrap();
        let frame = [[1.0, 2.0, 3.0]; 5];
        let packed = packer.pack(frame.into_iter()).unwrap().1.to_vec();
        let mut unpacker = Unpacker::default();
        assert!(unpacker.unpack(1, 5, &packed).is_none()); // nothing to predict from
        assert!(unpacker.unpack(0, 4, &packed).is_none());
        assert!(unpacker.unpack(0, 6, &packed).is_none());
        assert!(unpacker.unpack(0, usize::MAX / 16, &packed).is_none());
        assert!(unpacker.unpack(0, 5, &packed[1..]).is_none());
        assert!(unpacker.unpack(0, 5, &packed).is_some());
    }

    #[test]
    fn a_frame_without_vertices_is_one() {
        let mut packer = Packer::new(Past::default()).unwrap();
        let (order, packed) = packer.pack(std::iter::empty()).unwrap();
        Unpacker::default().unpack(order, 0, packed).unwrap();
    }
}
