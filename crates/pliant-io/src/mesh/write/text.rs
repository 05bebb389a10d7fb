//! Numbers as text that reads back bitwise identical.

use std::io::Write;

use pliant::id::VertexId;
use pliant::math::Vec3;

/// Digits of the largest `u64`.
const MOST_DIGITS: usize = 20;

/// Appends a number, as `1e-7` when it is small; only a NaN's payload is lost.
pub(super) fn push_real(out: &mut Vec<u8>, number: f64) {
    // A vector takes every byte, so that writing cannot fail.
    let _ = match number {
        _ if number.is_nan() => out.write_all(b"nan"),
        f64::INFINITY => out.write_all(b"inf"),
        f64::NEG_INFINITY => out.write_all(b"-inf"),
        _ => write!(out, "{number:?}"),
    };
}

/// Appends an integer.
pub(super) fn push_whole(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; MOST_DIGITS];
    let mut first = MOST_DIGITS;
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(&digits[first..]);
}

/// Appends the coordinates of a point, with spaces between and a line end behind.
pub(super) fn push_point(out: &mut Vec<u8>, point: Vec3) {
    for (axis, number) in point.to_array().into_iter().enumerate() {
        push_real(out, number);
        out.push(if axis < 2 { b' ' } else { b'\n' });
    }
}

/// Ends a line with the corners of a face, where the first vertex has the number `first`.
pub(super) fn push_corners(out: &mut Vec<u8>, corners: [VertexId; 3], first: u64) {
    for corner in corners {
        out.push(b' ');
        push_whole(out, u64::from(corner.0) + first);
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_written_in_all_their_digits() {
        for number in [0, 9, 10, 1_234_567_890, u64::MAX] {
            let mut out = Vec::new();
            push_whole(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
