//! Why a body that was to be deformed was moved as it is.

use crate::mesh::generate::stuffing::StuffingError;

/// Why a body that was to be deformed was moved as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undeformed {
    /// It is thinner everywhere than the tets that would fill it.
    TooThin,
    /// Its surface cannot be filled with tets.
    NotFilled,
    /// It has tets without volume, or inverted ones.
    FlatTets,
    /// It would have been strained too much.
    Strain,
    /// It would have lost or gained too much volume.
    Volume,
    /// Tets would have become inverted.
    Inverted,
    /// Its surface would have met itself.
    MeetsItself,
    /// What is beside it left no room for any deformation that was tried.
    NoRoom,
    /// Too many bodies are near each other.
    TooMany,
    /// The count of operations that all bodies share was used up before.
    Exhausted,
    /// Moved as it is, nothing presses on it.
    Unpressed,
    /// Deformed, it and the others would have gone about as far, or farther.
    NoGain,
}

impl Undeformed {
    /// All values.
    pub const ALL: [Undeformed; 12] = [
        Undeformed::TooThin,
        Undeformed::NotFilled,
        Undeformed::FlatTets,
        Undeformed::Strain,
        Undeformed::Volume,
        Undeformed::Inverted,
        Undeformed::MeetsItself,
        Undeformed::NoRoom,
        Undeformed::TooMany,
        Undeformed::Exhausted,
        Undeformed::Unpressed,
        Undeformed::NoGain,
    ];

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Undeformed::TooThin => "too-thin",
            Undeformed::NotFilled => "not-filled",
            Undeformed::FlatTets => "flat-tets",
            Undeformed::Strain => "strain",
            Undeformed::Volume => "volume",
            Undeformed::Inverted => "inverted",
            Undeformed::MeetsItself => "meets-itself",
            Undeformed::NoRoom => "no-room",
            Undeformed::TooMany => "too-many",
            Undeformed::Exhausted => "exhausted",
            Undeformed::Unpressed => "unpressed",
            Undeformed::NoGain => "no-gain",
        }
    }

    /// What it means, as the end of a sentence on the body.
    pub fn why(self) -> &'static str {
        match self {
            Undeformed::TooThin => "thinner than the tets that would fill it",
            Undeformed::NotFilled => "its surface cannot be filled with tets",
            Undeformed::FlatTets => "has inverted tets or tets without volume",
            Undeformed::Strain => "would have been strained by more than 60 %",
            Undeformed::Volume => "would have changed its volume by more than 10 %",
            Undeformed::Inverted => "would have inverted tets",
            Undeformed::MeetsItself => "would meet itself",
            Undeformed::NoRoom => "found no room to deform beside the others",
            Undeformed::TooMany => "too many bodies are near each other",
            Undeformed::Exhausted => "the search ended before it",
            Undeformed::Unpressed => "nothing presses on it where it is",
            Undeformed::NoGain => "to deform it would not move the bodies less",
        }
    }

    /// Of a surface that was not filled.
    pub(crate) fn of_filling(error: &StuffingError) -> Undeformed {
        match error {
            StuffingError::NothingInside { .. } => Undeformed::TooThin,
            StuffingError::BadSize { .. }
            | StuffingError::TooManyTets { .. }
            | StuffingError::TooManyPoints { .. }
            | StuffingError::Rounding { .. } => Undeformed::NotFilled,
        }
    }
}
