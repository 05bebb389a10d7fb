//! The example with contact rows in another engine, run so that it keeps working.

#[path = "../examples/foreign_contact.rs"]
mod foreign_contact;

#[test]
fn a_block_leaves_a_slab_and_rests_on_it_in_a_foreign_engine() {
    foreign_contact::main().unwrap();
}
