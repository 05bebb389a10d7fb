//! Numbers that a file gives its tets, as regions.

use crate::mesh::parse::skipped::{TET, counted};

/// The region that a number stands for, if it is one: whole and of 32 bits.
#[inline]
pub fn region(number: f64) -> Option<u32> {
    let region = number as u32;
    (f64::from(region) == number).then_some(region)
}

/// Says how many tets have a number that is no region; `None` for none.
pub fn notice(count: usize) -> Option<String> {
    (count > 0).then(|| {
        let tets = counted(count, TET);
        format!("put {tets} into region 0, as regions are integers from 0 to {}", u32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_of_32_bits_are_regions() {
        for (number, expected) in [(0.0, 0), (-0.0, 0), (7.0, 7), (4_294_967_295.0, u32::MAX)] {
            assert_eq!(region(number), Some(expected), "{number}");
        }
        for number in [-1.0, 0.5, 4_294_967_296.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(region(number), None, "{number}");
        }
    }

    #[test]
    fn tets_are_counted_and_none_are_not_mentioned() {
        assert_eq!(notice(0), None);
        assert!(notice(1).unwrap().starts_with("put 1 tet into region 0, as"));
        assert!(notice(2).unwrap().starts_with("put 2 tets into region 0, as"));
    }
}
