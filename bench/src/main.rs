//! Pliant beside its peers.
fn main() {}
