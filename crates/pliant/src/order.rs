//! Sorted orders that are kept while nothing changes.
//!
//! Lists of contacts are sorted in every step, and those of what rests are the same as in the
//! step before: to see that is cheaper than to sort them again.

/// The ascending order of some keys, equal ones in the order in which they come.
#[derive(Clone, Debug)]
pub(crate) struct KeptOrder<K> {
    keys: Vec<K>,
    fresh: Vec<K>,
    sorted: Vec<(K, u32)>,
    order: Vec<u32>,
}

impl<K> Default for KeptOrder<K> {
    fn default() -> KeptOrder<K> {
        let (keys, fresh, sorted, order) = Default::default();
        KeptOrder { keys, fresh, sorted, order }
    }
}

impl<K: Copy + Ord> KeptOrder<K> {
    /// Places of the keys in ascending order.
    pub(crate) fn find(&mut self, keys: impl Iterator<Item = K>) -> &[u32] {
        let KeptOrder { keys: known, fresh, sorted, order } = self;
        fresh.clear();
        fresh.extend(keys);
        if fresh != known {
            std::mem::swap(fresh, known);
            sorted.clear();
            sorted.extend(known.iter().copied().zip(0..));
            sorted.sort_unstable();
            order.clear();
            order.extend(sorted.iter().map(|(_, place)| *place));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_that_of_a_stable_sort_whether_keys_are_known_or_not() {
        let mut kept = KeptOrder::default();
        for keys in [&[3, 1, 2, 1][..], &[3, 1, 2, 1], &[3, 1, 2, 0], &[], &[2, 2], &[1, 2, 2]] {
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by_key(|place| keys[*place as usize]);
            assert_eq!(kept.find(keys.iter().copied()), expected, "{keys:?}");
        }
    }
}
