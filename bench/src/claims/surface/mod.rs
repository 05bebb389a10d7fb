//! The contact surface against penalty forces, with the constraint beside.

pub mod stack;

pub mod membrane;

pub mod press;

pub mod elasticities;

use crate::claims::sweep::response;

/// The responses compared.
const RESPONSES: [&str; 3] = ["penalty", "surface", "constraint"];

/// The same, with whole bodies first in the contact surface.
const WAYS: [&str; 4] = ["penalty", "surface", SETTLING, "constraint"];

/// The contact surface with whole bodies first.
const SETTLING: &str = "surface, settling";

/// Values that stand for one of [`WAYS`].
fn way(name: &str) -> Vec<String> {
    match name {
        SETTLING => vec![response("surface"), "contact.order=settling".to_string()],
        name => vec![response(name)],
    }
}
