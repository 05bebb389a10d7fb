//! Handles that stay valid while other things come and go.

use std::sync::atomic::{AtomicU32, Ordering};

/// Where an entry is, and which of those that were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Key {
    slot: u32,
    generation: u32,
    /// Which world: two of them may have the same slots.
    world: u32,
}

/// Worlds made so far.
static WORLDS: AtomicU32 = AtomicU32::new(0);

/// A number that no world has had, but for one in four thousand million.
pub(super) fn next_world() -> u32 {
    WORLDS.fetch_add(1, Ordering::Relaxed)
}

impl Key {
    /// Both numbers, for a snapshot.
    pub fn numbers(self) -> [f64; 2] {
        [f64::from(self.slot), f64::from(self.generation)]
    }
}

/// Declares a kind of handle.
macro_rules! handle {
    ($name:ident, $what:literal) => {
        #[doc = concat!("Names ", $what, " of a [`World`](super::World).")]
        ///
        /// It stays valid until that is removed, whatever else is added or removed, and never
        /// names another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub(super) Key);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}.{}", self.0.slot, self.0.generation)
            }
        }
    };
}

handle!(BodyHandle, "a body");
handle!(ObstacleHandle, "an obstacle");
handle!(JointHandle, "a joint");
handle!(GrabHandle, "a grab");

/// What a body may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Collider {
    /// A body.
    Body(BodyHandle),
    /// An obstacle.
    Obstacle(ObstacleHandle),
}

impl From<BodyHandle> for Collider {
    fn from(body: BodyHandle) -> Collider {
        Collider::Body(body)
    }
}

impl From<ObstacleHandle> for Collider {
    fn from(obstacle: ObstacleHandle) -> Collider {
        Collider::Obstacle(obstacle)
    }
}

/// Entries in the order in which they were added, found by key.
#[derive(Clone, Debug)]
pub(super) struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// Slots without an entry.
    free: Vec<u32>,
    /// Keys of all entries in the order in which they were added.
    order: Vec<Key>,
    /// The world that it belongs to.
    world: u32,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u32,
    /// Place of its entry in the order.
    place: usize,
    entry: Option<T>,
}

impl<T> Slot<T> {
    /// Whether a key of a world names what is here now.
    fn is(&self, key: Key, world: u32) -> bool {
        self.generation == key.generation && key.world == world
    }
}

impl<T> Slots<T> {
    /// No entries, of a world.
    pub fn new(world: u32) -> Slots<T> {
        Slots { slots: Vec::new(), free: Vec::new(), order: Vec::new(), world }
    }

    pub fn insert(&mut self, entry: T) -> Key {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, place: 0, entry: None });
            self.slots.len() as u32 - 1
        });
        let place = &mut self.slots[slot as usize];
        place.entry = Some(entry);
        place.place = self.order.len();
        let key = Key { slot, generation: place.generation, world: self.world };
        self.order.push(key);
        key
    }

    pub fn remove(&mut self, key: Key) -> Option<T> {
        let gone = self.place(key)?;
        self.order.remove(gone);
        for moved in &self.order[gone..] {
            self.slots[moved.slot as usize].place -= 1;
        }
        let place = &mut self.slots[key.slot as usize];
        // A slot whose generations are used up is never used again.
        if place.generation < u32::MAX {
            place.generation += 1;
            self.free.push(key.slot);
        }
        place.entry.take()
    }

    pub fn get(&self, key: Key) -> Option<&T> {
        let slot = self.slots.get(key.slot as usize)?;
        slot.entry.as_ref().filter(|_| slot.is(key, self.world))
    }

    pub fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let slot = self.slots.get_mut(key.slot as usize).filter(|slot| slot.is(key, self.world))?;
        slot.entry.as_mut()
    }

    /// Place of an entry in the order in which they were added.
    pub fn place(&self, key: Key) -> Option<usize> {
        let slot = self.slots.get(key.slot as usize)?;
        let is_here = slot.is(key, self.world) && slot.entry.is_some();
        is_here.then_some(slot.place)
    }

    /// Keys in the order in which entries were added.
    pub fn keys(&self) -> &[Key] {
        &self.order
    }

    /// Entries in the same order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        self.order.iter().filter_map(|key| Some((*key, self.get(*key)?)))
    }

    /// Calls `each` on all entries in the same order.
    pub fn for_each(&mut self, mut each: impl FnMut(Key, &mut T)) {
        for place in 0..self.order.len() {
            let key = self.order[place];
            if let Some(entry) = self.get_mut(key) {
                each(key, entry);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_never_names_another_entry() {
        let mut slots = Slots::new(7);
        let [a, b, c] = ["a", "b", "c"].map(|entry| slots.insert(entry));
        assert_eq!(slots.remove(b), Some("b"));
        assert_eq!((slots.remove(b), slots.get(b)), (None, None));
        let d = slots.insert("d");
        assert_eq!(
            (slots.get(a), slots.get(c), slots.get(d)),
            (Some(&"a"), Some(&"c"), Some(&"d"))
        );
        assert_eq!(slots.get(b), None);
        let order: Vec<_> = slots.iter().map(|(_, entry)| *entry).collect();
        assert_eq!(order, ["a", "c", "d"]);
        assert_eq!(Slots::<&str>::new(8).get(a), None);
    }
}
