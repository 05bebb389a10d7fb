//! Numbers as files store them: how each type is called, how long it is, how it is read.

use crate::mesh::parse::binary::Endian;

/// Integers up to this size are exact in an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How one number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// One bit, eight to the byte, highest first.
    Bit,
    /// 8 bits, signed.
    I8,
    /// 8 bits.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits.
    U32,
    /// 64 bits, signed.
    I64,
    /// 64 bits.
    U64,
    /// 32 bits, floating point.
    F32,
    /// 64 bits, floating point.
    F64,
}

impl Scalar {
    /// The type that a legacy VTK file means by a word, in any case of letters.
    ///
    /// `vtkIdType` has 32 bits there, whatever it has in memory; `long` has the 64
    /// bits that it has everywhere but on Windows.
    pub(crate) fn of_legacy(word: &[u8]) -> Option<Scalar> {
        Some(match word.to_ascii_lowercase().as_slice() {
            b"bit" => Scalar::Bit,
            b"char" | b"signed_char" | b"vtktypeint8" => Scalar::I8,
            b"unsigned_char" | b"vtktypeuint8" => Scalar::U8,
            b"short" | b"vtktypeint16" => Scalar::I16,
            b"unsigned_short" | b"vtktypeuint16" => Scalar::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Scalar::I32,
            b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
            b"long" | b"long_long" | b"vtktypeint64" => Scalar::I64,
            b"unsigned_long" | b"unsigned_long_long" | b"vtktypeuint64" => Scalar::U64,
            b"float" | b"vtktypefloat32" => Scalar::F32,
            b"double" | b"vtktypefloat64" => Scalar::F64,
            _ => return None,
        })
    }

    /// The type that a PLY file means by a word.
    ///
    /// No standard names those of 64 bits that are no `double`; some programs write them.
    pub(crate) fn of_ply(word: &[u8]) -> Option<Scalar> {
        Some(match word {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"int64" => Scalar::I64,
            b"uint64" => Scalar::U64,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// The type that a VTK file in XML means by a word.
    pub(crate) fn of_xml(word: &str) -> Option<Scalar> {
        Some(match word {
            "Int8" => Scalar::I8,
            "UInt8" => Scalar::U8,
            "Int16" => Scalar::I16,
            "UInt16" => Scalar::U16,
            "Int32" => Scalar::I32,
            "UInt32" => Scalar::U32,
            "Int64" => Scalar::I64,
            "UInt64" => Scalar::U64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Size of one number, bits.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Scalar::Bit => 1,
            Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 64,
        }
    }

    /// Bytes that one number takes, when it stands alone.
    #[inline]
    pub(crate) fn size(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Bytes that so many numbers take; `None` when that is beyond all memory.
    pub(crate) fn bytes_for(self, count: u64) -> Option<usize> {
        usize::try_from(count.checked_mul(self.bits())?.div_ceil(8)).ok()
    }

    /// Numbers that fit into so many bytes.
    pub(crate) fn count_in(self, bytes: usize) -> u64 {
        let bits = (bytes as u64).saturating_mul(8);
        bits / self.bits()
    }

    /// Whether fractions can be stored.
    #[inline]
    pub(crate) fn is_real(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Number `k` of `bytes`, which hold it, as a real number.
    #[inline]
    pub(crate) fn real(self, bytes: &[u8], k: usize, endian: Endian) -> f64 {
        match self {
            Scalar::F64 => f64::from_le_bytes(raw(bytes, k, endian)),
            Scalar::F32 => f64::from(f32::from_le_bytes(raw(bytes, k, endian))),
            Scalar::U64 => u64::from_le_bytes(raw(bytes, k, endian)) as f64,
            _ => self.stored_whole(bytes, k, endian) as f64,
        }
    }

    /// Number `k` of `bytes`, which hold it, as an integer; itself if it is none.
    ///
    /// What exceeds 64 signed bits comes as the largest number, which is no index of
    /// anything.
    #[inline]
    pub(crate) fn whole(self, bytes: &[u8], k: usize, endian: Endian) -> Result<i64, f64> {
        match self.is_real() {
            true => to_whole(self.real(bytes, k, endian)),
            false => Ok(self.stored_whole(bytes, k, endian)),
        }
    }

    #[inline]
    fn stored_whole(self, bytes: &[u8], k: usize, endian: Endian) -> i64 {
        match self {
            Scalar::Bit => i64::from(bytes[k / 8] >> (7 - k % 8) & 1),
            Scalar::I8 => i64::from(i8::from_le_bytes([bytes[k]])),
            Scalar::U8 => i64::from(bytes[k]),
            Scalar::I16 => i64::from(i16::from_le_bytes(raw(bytes, k, endian))),
            Scalar::U16 => i64::from(u16::from_le_bytes(raw(bytes, k, endian))),
            Scalar::I32 => i64::from(i32::from_le_bytes(raw(bytes, k, endian))),
            Scalar::U32 => i64::from(u32::from_le_bytes(raw(bytes, k, endian))),
            Scalar::I64 => i64::from_le_bytes(raw(bytes, k, endian)),
            Scalar::U64 => {
                i64::try_from(u64::from_le_bytes(raw(bytes, k, endian))).unwrap_or(i64::MAX)
            }
            // Never used: `whole` and `real` handle floating point numbers.
            Scalar::F32 | Scalar::F64 => 0,
        }
    }
}

/// A real number as a whole one; itself if it has a fraction or is not exact.
#[inline]
pub(crate) fn to_whole(number: f64) -> Result<i64, f64> {
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return Ok(number as i64);
    }
    Err(number)
}

/// The bytes of number `k`, lowest first.
#[inline]
fn raw<const SIZE: usize>(bytes: &[u8], k: usize, endian: Endian) -> [u8; SIZE] {
    let mut number = [0; SIZE];
    number.copy_from_slice(&bytes[SIZE * k..SIZE * k + SIZE]);
    if endian == Endian::Big {
        number.reverse();
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every type must give the same whole and real number in both byte orders.
    #[track_caller]
    fn check(kind: Scalar, little: &[u8], expected: f64) {
        let mut big = little.to_vec();
        big.reverse();
        for (bytes, endian) in [(little, Endian::Little), (&big, Endian::Big)] {
            assert_eq!(kind.size(), bytes.len(), "{kind:?}");
            assert_eq!(kind.real(bytes, 0, endian), expected, "{kind:?}");
            assert_eq!(kind.whole(bytes, 0, endian), Ok(expected as i64), "{kind:?}");
        }
    }

    #[test]
    fn every_type_is_read_in_both_byte_orders() {
        check(Scalar::I8, &[0xfe], -2.0);
        check(Scalar::U8, &[0xfe], 254.0);
        check(Scalar::I16, &[0xfe, 0xff], -2.0);
        check(Scalar::U16, &[1, 2], 513.0);
        check(Scalar::I32, &[0xfe, 0xff, 0xff, 0xff], -2.0);
        check(Scalar::U32, &[0, 0, 0, 0x80], 2_147_483_648.0);
        check(Scalar::I64, &(-2_i64).to_le_bytes(), -2.0);
        check(Scalar::U64, &7_u64.to_le_bytes(), 7.0);
        check(Scalar::F32, &3_f32.to_le_bytes(), 3.0);
        check(Scalar::F64, &3_f64.to_le_bytes(), 3.0);
    }

    #[test]
    fn what_is_not_exact_is_no_whole_number() {
        for number in [0.5, 2.0 * EXACT, f64::INFINITY] {
            assert_eq!(to_whole(number), Err(number));
        }
        assert!(to_whole(f64::NAN).is_err());
        // 2⁶⁴ − 1 rounds to 2⁶⁴.
        assert_eq!(Scalar::U64.real(&[255; 8], 0, Endian::Big), 18_446_744_073_709_551_616.0);
        assert_eq!(Scalar::U64.whole(&[255; 8], 0, Endian::Big), Ok(i64::MAX));
        assert_eq!((to_whole(-EXACT), to_whole(-0.0)), (Ok(-EXACT as i64), Ok(0)));
    }

    #[test]
    fn sizes_beyond_all_memory_are_none() {
        assert_eq!(Scalar::F64.bytes_for(u64::MAX), None);
        assert_eq!(Scalar::F64.bytes_for(3), Some(24));
        assert_eq!(Scalar::Bit.bytes_for(9), Some(2));
    }
}
