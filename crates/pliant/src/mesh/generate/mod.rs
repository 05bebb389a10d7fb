//! Bodies made from a few numbers.
