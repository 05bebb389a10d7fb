//! The example with another engine, run so that it keeps working.

#[path = "../examples/foreign_engine.rs"]
mod foreign_engine;

#[test]
fn a_block_in_a_foreign_engine_comes_to_rest_on_a_slab() {
    foreign_engine::main().unwrap();
}
