//! Indices that say what they index, and lists that do not fit each other.
//!
//! Each is a plain `u32`, so that arrays of them go to the GPU as they are.

use crate::math::Vec3;

/// Declares one kind of index.
macro_rules! index {
    ($name:ident, $what:literal) => {
        #[doc = concat!("Position of ", $what, " in its array, counted from 0.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub u32);

        impl $name {
            /// The same number as a slice index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index!(VertexId, "a vertex");
index!(TetId, "a tetrahedron");
index!(TriangleId, "a triangle");
index!(PartId, "a connected part");
index!(BodyId, "a body");

impl From<u32> for VertexId {
    fn from(number: u32) -> VertexId {
        VertexId(number)
    }
}

/// The entry of a vertex in a list of all; NaN where there is none.
#[inline]
pub(crate) fn at(list: &[Vec3], vertex: VertexId) -> Vec3 {
    list.get(vertex.index()).copied().unwrap_or(Vec3::NAN)
}

/// Arguments that do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MismatchError {
    /// A list of another length than the other arguments need.
    #[error("there are {count} {what}, expected {expected}")]
    Count {
        /// What is listed.
        what: &'static str,
        /// Entries of the list.
        count: usize,
        /// Entries that it must have.
        expected: usize,
    },
    /// Memory or a response of another scene.
    #[error("the {what} was made for other bodies")]
    OtherBodies {
        /// What was made.
        what: &'static str,
    },
}

impl MismatchError {
    /// Accepts a list of the length that it must have.
    pub(crate) fn check(
        what: &'static str,
        count: usize,
        expected: usize,
    ) -> Result<(), MismatchError> {
        if count == expected {
            return Ok(());
        }
        Err(MismatchError::Count { what, count, expected })
    }
}
