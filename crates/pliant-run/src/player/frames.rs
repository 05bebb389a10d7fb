//! Positions as integers, predicted from the frames before.

use pliant::math::Vec3;

use super::varint;

/// Steps of the grid along the diagonal of all bodies in the first frame.
const STEPS: f64 = 65_536.0;

/// Steps of the grid along the smallest body, at least.
const STEPS_OF_A_BODY: f64 = 2_048.0;

/// Positions farther than this from the origin, in steps, stay there.
const FARTHEST: f64 = (1 << 30) as f64;

/// The grid to which positions are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Where the integers count from, world space, m.
    pub origin: Vec3,
    /// Step, m.
    pub quantum: f64,
}

impl Grid {
    /// Fine enough for the whole and for its smallest body, by their diagonals, m.
    pub fn new(origin: Vec3, whole: f64, smallest: f64) -> Grid {
        let fine = (whole / STEPS).min(smallest / STEPS_OF_A_BODY);
        let coarse = whole / FARTHEST;
        let quantum = fine.max(coarse);
        Grid { origin, quantum: if quantum > 0.0 && quantum.is_finite() { quantum } else { 1.0 } }
    }

    /// A position in steps; `None` where it is not finite.
    pub fn rounded(&self, position: Vec3) -> Option<[i32; 3]> {
        let steps = (position - self.origin) / self.quantum;
        let within = |s: f64| s.clamp(-FARTHEST, FARTHEST).round() as i32;
        steps.is_finite().then(|| [within(steps.x), within(steps.y), within(steps.z)])
    }

    /// A vector in steps.
    pub fn vector(&self, vector: Vec3) -> [i32; 3] {
        Grid { origin: Vec3::ZERO, ..*self }.rounded(vector).unwrap_or([0; 3])
    }
}

/// Writes frames one after the other.
#[derive(Debug, Default)]
pub struct FrameCoder {
    /// The two frames before, the older first.
    past: [Vec<[i32; 3]>; 2],
    frames: usize,
    /// All frames so far.
    pub bytes: Vec<u8>,
}

impl FrameCoder {
    /// Appends a frame; vertices that are not finite stay where they were.
    ///
    /// Returns how many there were.
    pub fn push(&mut self, grid: &Grid, positions: &[Vec3]) -> usize {
        let [older, old] = &self.past;
        let mut lost = 0;
        let mut now = Vec::with_capacity(positions.len());
        for (index, position) in positions.iter().enumerate() {
            let rounded = grid.rounded(*position);
            lost += usize::from(rounded.is_none());
            let before = old.get(index).copied().unwrap_or([0; 3]);
            now.push(rounded.unwrap_or(before));
        }
        let orders: &[u8] = match self.frames {
            0 => &[0],
            1 => &[1],
            _ => &[1, 2],
        };
        let guess = |order: u8, k: usize, axis: usize| match order {
            0 => 0,
            1 => i64::from(old[k][axis]),
            _ => 2 * i64::from(old[k][axis]) - i64::from(older[k][axis]),
        };
        let missed = |order: u8| -> u64 {
            let axes = (0..now.len()).flat_map(|k| [0, 1, 2].map(|axis| (k, axis)));
            let parts = axes
                .map(|(k, axis)| (i64::from(now[k][axis]) - guess(order, k, axis)).unsigned_abs());
            parts.sum()
        };
        let order = orders.iter().copied().min_by_key(|order| missed(*order)).unwrap_or(0);
        self.bytes.push(order);
        for axis in 0..3 {
            for (k, place) in now.iter().enumerate() {
                varint::signed(i64::from(place[axis]) - guess(order, k, axis), &mut self.bytes);
            }
        }
        self.past.swap(0, 1);
        self.past[1] = now;
        self.frames += 1;
        lost
    }
}
