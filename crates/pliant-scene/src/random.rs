//! Random numbers that are the same every time (SplitMix64).
//!
//! Digests of scenes pin them. The engine's generator of the same kind is compiled for tests and
//! benchmarks alone.

use pliant::math::{Quat, Vec3};

/// A generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Numbers of their own for every seed and stream.
    pub fn new(seed: u32, stream: usize) -> Random {
        let mut random = Random { state: u64::from(seed) << 32 ^ stream as u64 };
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Anywhere in a cube from −1 to 1.
    pub fn in_cube(&mut self) -> Vec3 {
        let [x, y, z] = [self.unit(), self.unit(), self.unit()];
        2.0 * Vec3::new(x, y, z) - Vec3::ONE
    }

    /// Any rotation, all alike.
    pub fn rotation(&mut self) -> Quat {
        // A point of the unit ball's surface in four dimensions.
        loop {
            let [a, b, c, d] = [0; 4].map(|_| 2.0 * self.unit() - 1.0);
            let length_sq = a * a + b * b + c * c + d * d;
            if (0.01..=1.0).contains(&length_sq) {
                return Quat::from_xyzw(a, b, c, d) / length_sq.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_and_repeat_with_their_seed() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            (0..1000).map(|_| random.unit()).collect::<Vec<f64>>()
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(2, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        let numbers = draw(0, 0);
        let mean = numbers.iter().sum::<f64>() / 1000.0;
        // The mean of 1000 has a deviation of 0.29 / √1000 = 0.009.
        assert!((mean - 0.5).abs() < 0.04, "{mean}");
        assert!(numbers.iter().all(|x| (0.0..1.0).contains(x)));
    }

    #[test]
    fn the_numbers_are_those_that_digests_of_scenes_pin() {
        let mut random = Random::new(7, 3);
        let bits = [random.unit(), random.in_cube().z, random.rotation().x].map(f64::to_bits);
        assert_eq!(bits, [0x3fdf_d45a_c9ed_6020, 0x3fe1_e725_ea1b_6d82, 0x3fe8_8b3d_03b7_6bf5]);
    }

    #[test]
    fn rotations_turn_an_axis_anywhere() {
        let mut random = Random::new(5, 0);
        let sum: Vec3 = (0..1000).map(|_| random.rotation() * Vec3::Z).sum();
        // A thousand unit vectors: the sum has a length near √1000 = 32.
        assert!(sum.length() < 100.0, "{sum}");
        assert!((random.rotation().length() - 1.0).abs() < 1e-12);
    }
}
