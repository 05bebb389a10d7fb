//! Numbers of few bytes where they are small.

/// Seven bits a byte, the lowest first; the top bit says that more follow.
pub fn unsigned(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 128 {
        bytes.push((value % 128) as u8 | 128);
        value /= 128;
    }
    bytes.push(value as u8);
}

/// Even numbers stand for 0, 1, 2, …; odd ones for −1, −2, ….
pub fn signed(value: i64, bytes: &mut Vec<u8>) {
    unsigned(((value << 1) ^ (value >> 63)) as u64, bytes);
}

/// Indices, each as the difference to the one before.
pub fn indices(values: impl IntoIterator<Item = u32>, bytes: &mut Vec<u8>) {
    let mut last = 0;
    for value in values {
        signed(i64::from(value) - last, bytes);
        last = i64::from(value);
    }
}

/// Numbers as they are, little-endian.
pub fn floats(values: impl IntoIterator<Item = f32>, bytes: &mut Vec<u8>) {
    for value in values {
        bytes.extend(value.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: i64, expected: &[u8]) {
        let mut bytes = Vec::new();
        signed(value, &mut bytes);
        assert_eq!(bytes, expected, "{value}");
    }

    #[test]
    fn small_numbers_of_either_sign_are_one_byte() {
        check(0, &[0]);
        check(-1, &[1]);
        check(1, &[2]);
        check(-64, &[127]);
        check(64, &[128, 1]); // 128 = 0 + 128·1
        check(1 << 32, &[128, 128, 128, 128, 32]); // 2³³ = 32·2²⁸
    }

    #[test]
    fn indices_are_differences() {
        let mut bytes = Vec::new();
        indices([5, 6, 4], &mut bytes);
        assert_eq!(bytes, [10, 2, 3]); // 5, +1, −2
    }
}
