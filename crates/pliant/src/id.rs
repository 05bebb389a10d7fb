//! Indices that say what they index.
//!
//! Each is a plain `u32`, so that arrays of them go to the GPU as they are.

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
