//! The natural logarithm with the same bits on every machine.
//!
//! The one of the standard library is the system's, and systems differ in the last bit.

/// Terms of the series kept, count: the next is below rounding for |s| ≤ 0.172.
const TERMS: usize = 12;

/// Natural logarithm of 1 + x, for x above −1 and finite.
///
/// Accurate near 0 too. −∞ at −1, not a number below.
pub fn ln_1p(x: f64) -> f64 {
    let y = 1.0 + x;
    if y <= 0.0 || y.is_nan() {
        return if y == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    if (std::f64::consts::FRAC_1_SQRT_2..std::f64::consts::SQRT_2).contains(&y) {
        return series(x / (2.0 + x));
    }
    // y = m 2^e with m in [1, 2); y is normal, as nothing below 1e-16 comes of 1 + x.
    let exponent = ((y.to_bits() >> 52) as i64 - 1023) as f64;
    let m = f64::from_bits((y.to_bits() & ((1 << 52) - 1)) | (1023 << 52));
    let (m, exponent) =
        if m > std::f64::consts::SQRT_2 { (0.5 * m, exponent + 1.0) } else { (m, exponent) };
    exponent * std::f64::consts::LN_2 + series((m - 1.0) / (m + 1.0))
}

/// ln((1 + s) / (1 − s)) = 2 (s + s³/3 + s⁵/5 + …), smallest terms first.
fn series(s: f64) -> f64 {
    let square = s * s;
    let mut sum = 0.0;
    for k in (1..TERMS).rev() {
        sum = (sum + 1.0 / (2 * k + 1) as f64) * square;
    }
    2.0 * s * (1.0 + sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few roundings.
    const TOLERANCE: f64 = 1e-15;

    #[test]
    fn it_agrees_with_the_system_to_rounding() {
        for k in 0..4000 {
            let x = -0.75 + 1.3e-3 * f64::from(k) * f64::from(k);
            let expected = x.ln_1p();
            assert!((ln_1p(x) - expected).abs() <= TOLERANCE * expected.abs(), "{x}");
        }
        for x in [0.0, 1e-300, -1e-20, 1e-9, 1e15, 1e300, f64::EPSILON - 1.0] {
            assert!((ln_1p(x) - x.ln_1p()).abs() <= TOLERANCE * x.ln_1p().abs(), "{x}");
        }
    }

    #[test]
    fn outside_it_says_so() {
        assert_eq!(ln_1p(-1.0), f64::NEG_INFINITY);
        assert!(ln_1p(-2.0).is_nan() && ln_1p(f64::NAN).is_nan());
    }
}
