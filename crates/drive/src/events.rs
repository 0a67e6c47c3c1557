//! The event queue: what happens next, in a deterministic order.
//!
//! Events leave in the order (time, class, sequence): time first, then the class of the event,
//! then the order of scheduling. The queue is a tournament tree over slots: every inner node
//! holds the smaller key of its two children, so that scheduling and taking an event walk one
//! path of fixed length without a branch that depends on the keys. A drive has few pending events
//! (about one per die and channel); there the walk is several times faster than a binary heap,
//! whose sift loops mispredict.

use wordline_units::SimTime;

/// Bits of a key that name its slot.
const SLOT_BITS: u32 = 20;
/// Bits of a key that hold the sequence number.
const SEQUENCE_BITS: u32 = 40;
const FREE: u128 = u128::MAX;

/// Pending events with a payload each.
#[derive(Debug)]
pub(crate) struct EventQueue<T> {
    /// Node 1 is the root, nodes `slots..2 * slots` are the leaves.
    keys: Vec<u128>,
    payloads: Vec<T>,
    free: Vec<u32>,
    sequence: u64,
}

impl<T: Copy + Default> EventQueue<T> {
    pub(crate) fn new() -> Self {
        let mut queue = Self {
            keys: Vec::new(),
            payloads: Vec::new(),
            free: Vec::new(),
            sequence: 0,
        };
        queue.resize(64);
        queue
    }

    /// Schedules `payload` at `time`; a lower class goes first among events of one time.
    #[inline]
    pub(crate) fn schedule(&mut self, time: SimTime, class: u8, payload: T) {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.resize(self.payloads.len() * 2);
                self.free.pop().unwrap_or_default()
            }
        };
        self.sequence += 1;
        let key = (u128::from(time.0) << 64)
            | (u128::from(class) << (SEQUENCE_BITS + SLOT_BITS))
            | (u128::from(self.sequence) << SLOT_BITS)
            | u128::from(slot);
        self.payloads[slot as usize] = payload;
        self.set(slot, key);
    }

    /// Time of the next event, `SimTime::NEVER` when there is none.
    #[inline]
    pub(crate) fn next_time(&self) -> SimTime {
        SimTime((self.keys[1] >> 64) as u64)
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(SimTime, T)> {
        let key = self.keys[1];
        if key == FREE {
            return None;
        }
        let slot = (key & ((1 << SLOT_BITS) - 1)) as u32;
        self.set(slot, FREE);
        self.free.push(slot);
        Some((SimTime((key >> 64) as u64), self.payloads[slot as usize]))
    }

    /// Sets the key of a slot and plays its matches up to the root.
    #[inline]
    fn set(&mut self, slot: u32, key: u128) {
        let slots = self.payloads.len();
        let keys = &mut self.keys[..2 * slots];
        let mut node = slots + slot as usize;
        keys[node] = key;
        let mut winner = key;
        while node > 1 {
            winner = winner.min(keys[node ^ 1]);
            node >>= 1;
            keys[node] = winner;
        }
    }

    fn resize(&mut self, slots: usize) {
        debug_assert!(slots.is_power_of_two() && slots <= 1 << SLOT_BITS);
        let old = self.payloads.len();
        let mut keys = vec![FREE; 2 * slots];
        if old > 0 {
            keys[slots..slots + old].copy_from_slice(&self.keys[old..]);
        }
        for node in (1..slots).rev() {
            keys[node] = keys[2 * node].min(keys[2 * node + 1]);
        }
        self.keys = keys;
        self.payloads.resize(slots, T::default());
        self.free.extend((old as u32..slots as u32).rev());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_leave_by_class_then_in_order_of_scheduling() {
        let mut queue = EventQueue::new();
        queue.schedule(SimTime(5), 1, 'c');
        queue.schedule(SimTime(5), 0, 'a');
        queue.schedule(SimTime(5), 1, 'd');
        queue.schedule(SimTime(5), 0, 'b');
        queue.schedule(SimTime(4), 9, 'x');
        let order: String = std::iter::from_fn(|| queue.take())
            .map(|(_, payload)| payload)
            .collect();
        assert_eq!(order, "xabcd");
        assert_eq!(queue.next_time(), SimTime::NEVER);
    }

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(steps in prop::collection::vec((0_u64..50, 0_u8..4, any::<bool>()), 1..600)) {
            let mut queue = EventQueue::new();
            let mut list: Vec<(u64, u8, u32)> = Vec::new();
            for (number, (time, class, take)) in steps.into_iter().enumerate() {
                if take {
                    let expected = list.iter().copied().min();
                    let got = queue.take();
                    prop_assert_eq!(got, expected.map(|(time, _, number)| (SimTime(time), number)));
                    list.retain(|event| Some(*event) != expected);
                } else {
                    queue.schedule(SimTime(time), class, number as u32);
                    list.push((time, class, number as u32));
                }
            }
        }
    }
}
