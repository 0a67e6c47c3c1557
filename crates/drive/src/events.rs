//! The event queue: what happens next, in a deterministic order.
//!
//! Events leave in the order (time, class, sequence): time first, then the class of the event,
//! then the order of scheduling.
//!
//! A drive has few kinds of delay (a page read, a page program, a transfer), and events of one
//! delay are scheduled in the order in which they will happen. So the queue is a handful of lanes,
//! each sorted by construction, chosen by the delay; the next event is the least of their heads,
//! which are kept in order: only the two or three lanes in use are ever compared. An event that would
//! break the order of its lane goes to a binary heap.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use wordline_units::SimTime;

/// Lanes; a power of two, several times the kinds of delay, so that two seldom share a lane.
const LANES: usize = 32;
/// Bits of a key below the class.
const SEQUENCE_BITS: u32 = 60;
const NEVER: u128 = u128::MAX;

/// An event in its place; ordered by key alone.
#[derive(Clone, Copy, Debug)]
struct Scheduled<T> {
    key: u128,
    payload: T,
}

impl<T> PartialEq for Scheduled<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Scheduled<T> {}

impl<T> PartialOrd for Scheduled<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Scheduled<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

/// The head of a lane, or of the heap (lane `LANES`).
#[derive(Clone, Copy, Debug)]
struct Head {
    key: u128,
    lane: usize,
}

/// Pending events with a payload each.
#[derive(Debug)]
pub(crate) struct EventQueue<T> {
    lanes: [VecDeque<Scheduled<T>>; LANES],
    /// Key of the last event scheduled in each lane.
    last: [u128; LANES],
    heap: BinaryHeap<Reverse<Scheduled<T>>>,
    /// Heads of the lanes and of the heap, least first; those that are empty stand behind with `NEVER`.
    heads: [Head; LANES + 1],
    next_time: SimTime,
    sequence: u64,
    now: SimTime,
}

impl<T: Copy> EventQueue<T> {
    pub(crate) fn new() -> Self {
        Self {
            lanes: std::array::from_fn(|_| VecDeque::new()),
            last: [0; LANES],
            heap: BinaryHeap::new(),
            heads: std::array::from_fn(|lane| Head { key: NEVER, lane }),
            next_time: SimTime::NEVER,
            sequence: 0,
            now: SimTime::ZERO,
        }
    }

    /// Schedules `payload` at `time`; a lower class goes first among events of one time.
    #[inline]
    pub(crate) fn schedule(&mut self, time: SimTime, class: u8, payload: T) {
        self.sequence += 1;
        let key =
            (u128::from(time.0) << 64) | (u128::from(class) << SEQUENCE_BITS) | u128::from(self.sequence);
        let event = Scheduled { key, payload };
        let delay = time.since(self.now).ns();
        let lane = (delay.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - LANES.ilog2())) as usize % LANES;
        let queue = &mut self.lanes[lane];
        if key < self.last[lane] {
            return self.schedule_out_of_order(event);
        }
        self.last[lane] = key;
        queue.push_back(event);
        if queue.len() == 1 {
            self.new_head(key, lane);
        }
    }

    #[cold]
    fn schedule_out_of_order(&mut self, event: Scheduled<T>) {
        if self
            .heap
            .peek()
            .is_none_or(|Reverse(least)| event.key < least.key)
        {
            self.new_head(event.key, LANES);
        }
        self.heap.push(Reverse(event));
    }

    /// A lane, or the heap, has a head that goes before the one it had, if any.
    fn new_head(&mut self, key: u128, lane: usize) {
        let mut place = self.heads.iter().position(|head| head.lane == lane).unwrap_or(0);
        while place > 0 && key < self.heads[place - 1].key {
            self.heads[place] = self.heads[place - 1];
            place -= 1;
        }
        self.heads[place] = Head { key, lane };
        self.next_time = SimTime((self.heads[0].key >> 64) as u64);
    }

    /// Time of the next event, `SimTime::NEVER` when there is none.
    #[inline]
    pub(crate) fn next_time(&self) -> SimTime {
        self.next_time
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(SimTime, T)> {
        let lane = self.heads[0].lane;
        let (event, key) = match self.lanes.get_mut(lane) {
            Some(lane) => {
                let event = lane.pop_front()?;
                (event, lane.front().map_or(NEVER, |event| event.key))
            }
            None => {
                let Reverse(event) = self.heap.pop()?;
                (event, self.heap.peek().map_or(NEVER, |Reverse(event)| event.key))
            }
        };
        let mut place = 0;
        while let Some(head) = self.heads.get(place + 1).filter(|head| head.key < key) {
            self.heads[place] = *head;
            place += 1;
        }
        self.heads[place] = Head { key, lane };
        self.next_time = SimTime((self.heads[0].key >> 64) as u64);
        self.now = SimTime((event.key >> 64) as u64);
        Some((self.now, event.payload))
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
