//! Coulomb's friction law, on impulses.

use crate::math::Vec3;

/// The tangential impulse of friction, N·s.
///
/// `stopping` is the impulse that would end the sliding, `pressing` the size of the normal
/// impulse, `coefficient` μ. Inside the friction cone the contact sticks: `stopping` is returned.
/// Outside, it slips: `stopping` is scaled onto the cone.
///
/// - Implements: [Wang21 slide "Impulse Method"], where a = 1 − given / stopping.
/// - Deviates: bounds the impulse, not the change of velocity, which is the same for a
///   particle and not for a body (erratum R4); no sliding, which divides by zero there, sticks
///   (erratum R12).
pub fn friction(stopping: Vec3, pressing: f64, coefficient: f64) -> Vec3 {
    let (wanted, most) = (stopping.length(), coefficient * pressing.max(0.0));
    if wanted <= most { stopping } else { stopping * (most / wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_stops_what_it_can_and_slows_the_rest() {
        let stopping = Vec3::new(3.0, 4.0, 0.0); // 5 N·s
        assert_eq!(friction(stopping, 10.0, 0.5), stopping); // at most exactly 5
        let some = friction(stopping, 10.0, 0.25); // at most 2.5
        assert!(some.abs_diff_eq(0.5 * stopping, 1e-15), "{some}");
        assert_eq!(friction(stopping, 10.0, 0.0), Vec3::ZERO);
        assert_eq!(friction(stopping, -1.0, 0.5), Vec3::ZERO); // no friction without a normal impulse
        assert_eq!(friction(Vec3::ZERO, 0.0, 0.5), Vec3::ZERO); // 0/0 on the slide
    }
}
