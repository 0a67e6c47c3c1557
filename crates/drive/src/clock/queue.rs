//! The event queue: what happens next, in a deterministic order.
//!
//! Events leave in the order (time, class, sequence): time first, then the class of the event,
//! then the order of scheduling.
//!
//! A drive has few kinds of delay (a page read, a page program, a transfer), and events of one
//! delay are scheduled in the order in which they will happen. So the queue is made of lanes,
//! each sorted by construction, chosen by the delay; the next event is the least of their heads,
//! which are kept in order, the next one last: only the lanes in use, two or three on a simple drive and some eighty where
//! links and firmware take their time, are ever compared. An event that would break the order of its lane goes to a binary heap.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use wordline_units::SimTime;

/// Lanes; a power of two, many times the kinds of delay, so that two seldom share a lane. One that is not used costs
/// nothing.
const LANES: usize = 256;
/// Places that a lane gets when it is first used; a power of two.
const FIRST_PLACES: usize = 16;
/// Heads that a new one is compared with one after the other, before its place is searched by halves.
const NEAR: usize = 6;
/// Bits of a key below the class.
const SEQUENCE_BITS: u32 = 60;

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

/// Events of one kind of delay in the order of their keys. The first stands among the heads of the queue, the others wait
/// in a ring whose places are a power of two.
#[derive(Debug)]
struct Lane<T> {
    ring: Vec<Scheduled<T>>,
    /// Events that came and that went, in all: a number modulo the places is the place of an event.
    came: usize,
    went: usize,
    /// Key of the last event that came.
    last: u128,
}

impl<T: Copy> Lane<T> {
    /// Events that are here, with the head.
    #[inline]
    fn waiting(&self) -> usize {
        self.came.wrapping_sub(self.went)
    }

    /// Doubles the ring; `filler` stands where nothing waits.
    fn grow(&mut self, filler: Scheduled<T>) {
        let places = (2 * self.ring.len()).max(FIRST_PLACES);
        let mut ring = vec![filler; places];
        for number in (1..self.waiting()).map(|behind| self.went.wrapping_add(behind)) {
            ring[number % places] = self.ring[number % self.ring.len()];
        }
        self.ring = ring;
    }
}

/// The first event of a lane, or of the heap (lane `LANES`); `NONE` without one.
#[derive(Clone, Copy, Debug)]
struct Head<T> {
    key: u128,
    payload: Option<T>,
    lane: u32,
}

impl<T> Head<T> {
    const NONE: Self = Self {
        key: u128::MAX,
        payload: None,
        lane: 0,
    };
}

/// Pending events with a payload each.
#[derive(Debug)]
pub(crate) struct EventQueue<T> {
    lanes: [Lane<T>; LANES],
    /// The exceptions; their first stands among the heads too.
    heap: BinaryHeap<Reverse<Scheduled<T>>>,
    /// First events of the lanes and of the heap, the next one last; before them `NONE`.
    heads: [Head<T>; LANES + 2],
    /// Lanes with events, with the heap: the place of the next event among the heads.
    active: usize,
    sequence: u64,
    now: SimTime,
}

impl<T: Copy> EventQueue<T> {
    pub(crate) fn new() -> Self {
        Self {
            lanes: std::array::from_fn(|_| Lane {
                ring: Vec::new(),
                came: 0,
                went: 0,
                last: 0,
            }),
            heap: BinaryHeap::new(),
            heads: [Head::NONE; LANES + 2],
            active: 0,
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
        let delay = time.since(self.now).ns();
        let number = (delay.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - LANES.ilog2())) as usize % LANES;
        let lane = &self.lanes[number];
        if key < lane.last {
            self.schedule_out_of_order(key, payload);
        } else if lane.waiting() > lane.ring.len() {
            self.schedule_in_full_lane(key, payload, number);
        } else {
            self.append(key, payload, number);
        }
    }

    /// Puts an event behind the others of a lane that has a place for it.
    #[inline]
    fn append(&mut self, key: u128, payload: T, number: usize) {
        let lane = &mut self.lanes[number];
        lane.last = key;
        let came = lane.came;
        lane.came = came.wrapping_add(1);
        if came == lane.went {
            self.new_head(key, payload, number);
        } else {
            let mask = lane.ring.len() - 1;
            lane.ring[came & mask] = Scheduled { key, payload };
        }
    }

    #[cold]
    #[inline(never)]
    fn schedule_in_full_lane(&mut self, key: u128, payload: T, number: usize) {
        self.lanes[number].grow(Scheduled { key, payload });
        self.append(key, payload, number);
    }

    #[cold]
    #[inline(never)]
    fn schedule_out_of_order(&mut self, key: u128, payload: T) {
        let least = self.heap.peek().map(|Reverse(event)| event.key);
        self.heap.push(Reverse(Scheduled { key, payload }));
        if least.is_none_or(|least| key < least) {
            let place = self.heads[..=self.active]
                .iter()
                .rposition(|head| head.lane as usize == LANES && head.payload.is_some());
            if let Some(place) = place {
                self.heads.copy_within(place + 1..=self.active, place);
                self.active -= 1;
            }
            self.new_head(key, payload, LANES);
        }
    }

    /// A lane, or the heap, that had no head has one.
    #[inline(never)]
    fn new_head(&mut self, key: u128, payload: T, lane: usize) {
        self.active += 1;
        self.put_head(Scheduled { key, payload }, lane as u32);
    }

    /// Puts a head where its key belongs; the last place is free.
    #[inline(always)]
    fn put_head(&mut self, event: Scheduled<T>, lane: u32) {
        let mut place = self.active;
        let near = place.saturating_sub(NEAR);
        while self.heads[place - 1].key < event.key {
            self.heads[place] = self.heads[place - 1];
            place -= 1;
            if place == near {
                place = self.put_far(event.key, place);
                break;
            }
        }
        self.heads[place] = Head {
            key: event.key,
            payload: Some(event.payload),
            lane,
        };
    }

    /// Makes place for a key before some heads that it follows; a place is free behind them.
    #[inline(never)]
    fn put_far(&mut self, key: u128, free: usize) -> usize {
        let place = self.heads[..free].partition_point(|head| head.key > key);
        self.heads.copy_within(place..free, place + 1);
        place
    }

    /// Time of the next event, `SimTime::NEVER` when there is none.
    #[inline]
    pub(crate) fn next_time(&self) -> SimTime {
        SimTime((self.heads[self.active].key >> 64) as u64)
    }

    /// Takes the next event.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<(SimTime, T)> {
        let Head { key, payload, lane } = self.heads[self.active];
        let payload = payload?;
        self.now = SimTime((key >> 64) as u64);
        match self.lanes.get_mut(lane as usize) {
            Some(taken) => {
                taken.went = taken.went.wrapping_add(1);
                if taken.went == taken.came {
                    self.active -= 1;
                } else {
                    let next = taken.ring[taken.went & (taken.ring.len() - 1)];
                    self.put_head(next, lane);
                }
            }
            None => {
                self.heap.pop();
                match self.heap.peek() {
                    Some(&Reverse(next)) => self.put_head(next, lane),
                    None => self.active -= 1,
                }
            }
        }
        Some((self.now, payload))
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

        /// Lanes that are long: many events wait, of few delays and some odd ones.
        #[test]
        fn agrees_with_a_sorted_list_where_many_wait(
            steps in prop::collection::vec((0_usize..8, 0_u8..4, 0_u64..1_000), 1..400),
            filling in 1_usize..200,
        ) {
            let mut queue = EventQueue::new();
            let mut list: Vec<(u64, u8, u32)> = Vec::new();
            let mut now = 0;
            for (number, (delay, class, odd)) in steps.into_iter().enumerate() {
                let delay = *[25, 25, 25, 200, 200, 1_500, 1_500].get(delay).unwrap_or(&odd);
                queue.schedule(SimTime(now + delay), class, number as u32);
                list.push((now + delay, class, number as u32));
                while list.len() > filling {
                    let expected = list.iter().copied().min();
                    let got = queue.take();
                    prop_assert_eq!(got, expected.map(|(time, _, number)| (SimTime(time), number)));
                    list.retain(|event| Some(*event) != expected);
                    now = expected.map_or(now, |event| event.0);
                    let next = list.iter().map(|event| event.0).min();
                    prop_assert_eq!(queue.next_time(), next.map_or(SimTime::NEVER, SimTime));
                    if list.len().is_multiple_of(7) {
                        break;
                    }
                }
            }
            list.sort_unstable();
            let rest: Vec<u32> = std::iter::from_fn(|| queue.take()).map(|(_, number)| number).collect();
            prop_assert_eq!(rest, list.iter().map(|event| event.2).collect::<Vec<_>>());
        }
    }
}
