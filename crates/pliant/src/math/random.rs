//! Random numbers for tests and benchmarks, the same in every run and on every machine.
//!
//! SplitMix64: a counter whose bits are mixed. Every seed is good, close ones too.

use super::{Quat, Vec3};

/// A generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts a sequence of its own for every seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from −1 to below 1.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A whole number below `end`, which is positive.
    ///
    /// Small numbers come more often by a part of `end` / 2⁶⁴.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A vector with coordinates from −1 to below 1.
    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A point of the unit cube, coordinates from 0 to below 1.
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// A point with whole coordinates from 0 to `end` − 1.
    pub fn lattice_point(&mut self, end: usize) -> Vec3 {
        Vec3::new(self.below(end) as f64, self.below(end) as f64, self.below(end) as f64)
    }

    /// A rotation about any axis by any angle, not all equally likely.
    pub fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(std::f64::consts::PI * self.vec3())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_published_generator() {
        // The reference implementation, https://prng.di.unimi.it/splitmix64.c, seed 1234567.
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!(expected, [random.bits(), random.bits()]);
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        let mut random = Random::new(0);
        let mut check = |draw: fn(&mut Random) -> f64, [low, high]: [f64; 2]| {
            let mut counts = [0; 10];
            for _ in 0..10_000 {
                let share = (draw(&mut random) - low) / (high - low);
                assert!((0.0..1.0).contains(&share), "{share}");
                counts[(10.0 * share) as usize] += 1;
            }
            // Each tenth holds 1000, with a deviation of √900 = 30.
            assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        };
        check(Random::unit, [0.0, 1.0]);
        check(Random::signed, [-1.0, 1.0]);
        check(|random| random.below(10) as f64, [0.0, 10.0]);
        check(|random| random.vec3().y, [-1.0, 1.0]);
        check(|random| random.point().z, [0.0, 1.0]);
        check(|random| random.lattice_point(20).x, [0.0, 20.0]);
    }

    #[test]
    fn close_seeds_have_nothing_in_common() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            [(); 20].map(|()| random.signed())
        };
        assert_eq!(draw(1), draw(1));
        let common: f64 = draw(1).iter().zip(draw(2)).map(|(a, b)| a * b).sum();
        // Products of deviation 1/3: their sum has one of √20 / 3 = 1.5.
        assert!(common.abs() < 5.0, "{common}");
    }

    #[test]
    fn rotations_turn_an_axis_anywhere() {
        let mut random = Random::new(5);
        let below = (0..1000).filter(|_| (random.rotation() * Vec3::Z).z < 0.0).count();
        assert!((200..800).contains(&below), "{below}");
        assert!((random.rotation().length() - 1.0).abs() < 1e-12);
    }
}
