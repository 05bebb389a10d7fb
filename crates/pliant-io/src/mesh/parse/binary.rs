//! Numbers of a binary file, with the byte for every error.

use crate::mesh::parse::{Fault, ParseError, Parsed, Place, check_room};

/// Order of the bytes of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// Lowest byte first, as x86 does.
    Little,
    /// Highest byte first, as legacy VTK does.
    Big,
}

/// Reads a binary file from front to back.
#[derive(Clone, Debug)]
pub struct Binary<'a> {
    /// The whole file, or the part that holds numbers.
    bytes: &'a [u8],
    /// Next byte to read; at most `bytes.len()`.
    at: usize,
    /// How numbers are stored.
    endian: Endian,
}

/// Declares a reader of one kind of number.
macro_rules! number {
    ($name:ident, $kind:ty) => {
        #[doc = concat!("The next ", stringify!($kind), ".")]
        #[inline]
        pub fn $name(&mut self, wanted: &str) -> Parsed<$kind> {
            const SIZE: usize = size_of::<$kind>();
            let mut raw = [0; SIZE];
            raw.copy_from_slice(self.take(SIZE, wanted)?);
            Ok(match self.endian {
                Endian::Little => <$kind>::from_le_bytes(raw),
                Endian::Big => <$kind>::from_be_bytes(raw),
            })
        }
    };
}

impl<'a> Binary<'a> {
    /// Starts at byte `at` of the file, so that faults name the file's own offsets.
    pub fn new(bytes: &'a [u8], at: usize, endian: Endian) -> Binary<'a> {
        Binary { bytes, at: at.min(bytes.len()), endian }
    }

    number!(u8, u8);
    number!(i8, i8);
    number!(u16, u16);
    number!(i16, i16);
    number!(u32, u32);
    number!(i32, i32);
    number!(u64, u64);
    number!(i64, i64);
    number!(f32, f32);
    number!(f64, f64);

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next `length` bytes.
    #[inline]
    pub fn take(&mut self, length: usize, wanted: &str) -> Parsed<&'a [u8]> {
        match self.bytes[self.at..].get(..length) {
            Some(taken) => {
                self.at += length;
                Ok(taken)
            }
            None => Err(self.fault(Fault::Truncated { wanted: wanted.to_string() })),
        }
    }

    /// Accepts a count only if the rest of the file can hold that many.
    #[inline]
    pub fn check_count(&self, count: u64, what: &str, bytes_each: usize) -> Parsed<usize> {
        let (rest, bytes_each) = ((self.bytes.len() - self.at) as u64, bytes_each.max(1) as u64);
        // A product, as short lists by the million are checked and a division takes longer.
        if count.saturating_mul(bytes_each) <= rest {
            return Ok(count as usize);
        }
        check_room(count, what, rest / bytes_each).map_err(|fault| self.fault(fault))
    }

    /// An error at the next byte.
    pub fn fault(&self, fault: Fault) -> ParseError {
        ParseError::new(Place::Byte(self.at), fault)
    }

    /// An error with a message.
    pub fn invalid(&self, why: impl Into<String>) -> ParseError {
        self.fault(Fault::Invalid(why.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_are_read() {
        let bytes = [0, 0, 0, 1];
        assert_eq!(Binary::new(&bytes, 0, Endian::Big).i32(""), Ok(1));
        assert_eq!(Binary::new(&bytes, 0, Endian::Little).i32(""), Ok(1 << 24));
    }

    #[test]
    fn the_end_is_a_fault_with_its_byte() {
        let mut binary = Binary::new(&[0; 5], 2, Endian::Little);
        let error = binary.f64("a coordinate").unwrap_err();
        assert_eq!(error.to_string(), "byte 2: the file ends where a coordinate should be");
        assert!(binary.check_count(u64::MAX, "nodes", 8).is_err());
        assert!(binary.check_count(1 << 61, "nodes", 8).is_err());
        assert_eq!(binary.check_count(3, "nodes", 1), Ok(3));
    }
}
