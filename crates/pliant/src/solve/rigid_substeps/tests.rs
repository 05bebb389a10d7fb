//! Patches against single contacts, and the invariants of a step.
