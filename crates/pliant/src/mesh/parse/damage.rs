//! Damaged copies of a file, for tests that a reader survives them.

/// Every prefix of a file, then every copy in which one byte differs.
pub fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let prefixes = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    let changes = (0..bytes.len()).flat_map(|at| (1..=u8::MAX).map(move |flip| (at, flip)));
    prefixes.chain(changes.map(|(at, flip)| {
        let mut copy = bytes.to_vec();
        copy[at] ^= flip;
        copy
    }))
}
