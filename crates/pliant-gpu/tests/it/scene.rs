//! Outlines to test with, and the GPU to test on.

use std::f64::consts::TAU;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pliant::math::Vec2;
use pliant_gpu::{Gpu, GpuError};
use pliant_plane::Pair;
use pliant_plane::outline::Outlines;

/// Held by the test that has the GPU: tests of one program take turns.
static TURN: Mutex<()> = Mutex::new(());

/// The GPU for as long as a test has it. Not two in one test: the second waits for the first.
pub struct Opened {
    /// The GPU; named first, so that it is given back before the turn ends.
    gpu: Gpu,
    /// The turn.
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Opened {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl DerefMut for Opened {
    fn deref_mut(&mut self) -> &mut Gpu {
        &mut self.gpu
    }
}

/// The GPU, or `None` after a check that the error says what to install.
///
/// Waits until no other test has it; one that failed leaves nothing behind that matters.
pub fn open() -> Option<Opened> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match Gpu::new() {
        Ok(gpu) => Some(Opened { gpu, _turn: turn }),
        Err(error @ GpuError::NoAdapter) => {
            let message = error.to_string();
            assert!(message.contains("mesa-vulkan-drivers libvulkan1"), "{message}");
            assert!(std::env::var_os("PLIANT_NEEDS_GPU").is_none(), "{message}");
            println!("no adapter was found, and that is all this test saw: {message}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Numbers from 0 to 1 that are the same every time.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    pub fn point(&mut self, size: f64) -> Vec2 {
        size * (Vec2::new(self.number(), self.number()) - 0.5)
    }
}

/// A ring with waves and teeth around a point.
pub fn wavy(random: &mut Random, middle: Vec2, radius: f64, count: usize) -> Vec<Vec2> {
    let [waves, phase] = [2.0 + (4.0 * random.number()).floor(), TAU * random.number()];
    let teeth: Vec<f64> = (0..count).map(|_| 0.1 * random.number()).collect();
    let point = |k: usize| {
        let angle = TAU * k as f64 / count as f64;
        let radius = radius * (0.75 + 0.2 * libm::sin(waves * angle + phase) + teeth[k]);
        middle + radius * Vec2::from_angle(angle)
    };
    (0..count).map(point).collect()
}

/// Several outlines that overlap here and there, one of them with a hole.
pub fn crowd(seed: u64, count: usize, points: usize) -> Outlines {
    let mut random = Random::new(seed);
    let mut outlines = Outlines::default();
    for outline in 0..count {
        let middle = random.point(4.0);
        let mut rings = vec![wavy(&mut random, middle, 1.0, points)];
        if outline % 3 == 1 {
            rings.push(wavy(&mut random, middle, 0.4, points / 2 + 3));
        }
        outlines.push(&rings).unwrap();
    }
    outlines
}

/// Every pair of these outlines.
pub fn all_pairs(outlines: &Outlines) -> Vec<Pair> {
    let count = outlines.len() as u32;
    (0..count).flat_map(|b| (0..b).map(move |a| Pair { a, b })).collect()
}

/// An axis-aligned rectangle.
pub fn rectangle(from: [f64; 2], to: [f64; 2]) -> Vec<Vec2> {
    let ([x0, y0], [x1, y1]) = (from, to);
    [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| Vec2::new(x, y)).to_vec()
}
