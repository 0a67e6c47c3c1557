//! The requests that wait, in the order in which they came and by the units that they name.

use wordline_units::{Duration, SimTime};

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// To read pages.
    Read,
    /// To write pages.
    Write,
    /// Anything else that has pages: a deallocation. It takes no time of the flash.
    Other,
}

/// The pages of a request that are in one unit, which serves them one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitShare {
    /// The unit, by its place in [`RequestsView::units`].
    pub unit: u32,
    /// How many there are.
    pub pages: u32,
    /// Transfers and array steps of all pages, as far as they can be known: no retries, no waiting for the channel. Writes go to
    /// normal blocks.
    pub time: Duration,
}

/// A request that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRequest {
    /// What it asks for.
    pub kind: RequestKind,
    /// When it arrived.
    pub arrival: SimTime,
    /// Time since its arrival after which it goes before all others, where the host has set one; else that of the scheduler holds.
    pub deadline: Option<Duration>,
    /// Its pages by unit, each unit once.
    pub shares: Vec<UnitShare>,
    /// Requests before it that wait and have a page in common with it which one of the two changes: it must not overtake them.
    pub behind: u32,
}

impl WaitingRequest {
    /// Its pages.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.shares.iter().map(|share| share.pages).sum()
    }
}

/// Requests that wait, in the order in which they came. Which of them name a unit is known without a search, so that a decision looks only at
/// the requests that it concerns.
#[derive(Clone, Debug, Default)]
pub struct WaitingRequests {
    requests: Vec<WaitingRequest>,
    /// The number of each, counted from the first that ever came: it rises, and stays while requests before it leave.
    numbers: Vec<u64>,
    /// By unit: the numbers of the requests that name it, rising.
    of_units: Vec<Vec<u64>>,
    /// The number of the next request.
    next: u64,
}

impl WaitingRequests {
    /// All of them, the oldest first.
    #[must_use]
    pub fn all(&self) -> &[WaitingRequest] {
        &self.requests
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The places of the requests that name a unit, rising.
    pub fn of_unit(&self, unit: u32) -> impl Iterator<Item = usize> {
        let numbers = self.of_units.get(unit as usize).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| self.place(*number))
    }

    /// How many requests name a unit.
    #[must_use]
    pub fn count_of_unit(&self, unit: u32) -> usize {
        self.of_units.get(unit as usize).map_or(0, Vec::len)
    }

    /// The place of one of the requests that name a unit, by its index among these: below [`Self::count_of_unit`].
    #[must_use]
    pub fn of_unit_at(&self, unit: u32, index: usize) -> usize {
        self.place(self.of_units[unit as usize][index])
    }

    /// The number of the request at a place: those that come later have higher ones.
    #[must_use]
    pub fn number(&self, place: usize) -> u64 {
        self.numbers[place]
    }

    /// The place of the request of a number.
    #[must_use]
    pub fn place(&self, number: u64) -> usize {
        self.numbers.partition_point(|other| *other < number)
    }

    /// A request comes.
    pub fn push(&mut self, request: WaitingRequest) {
        let number = self.next;
        self.next += 1;
        for share in &request.shares {
            self.enter(share.unit, number);
        }
        self.requests.push(request);
        self.numbers.push(number);
    }

    fn enter(&mut self, unit: u32, number: u64) {
        let unit = unit as usize;
        if self.of_units.len() <= unit {
            self.of_units.resize(unit + 1, Vec::new());
        }
        let numbers = &mut self.of_units[unit];
        let place = numbers.partition_point(|other| *other < number);
        numbers.insert(place, number);
    }

    /// Takes out the request at a place.
    pub fn remove(&mut self, place: usize) -> WaitingRequest {
        let number = self.numbers.remove(place);
        let request = self.requests.remove(place);
        for share in &request.shares {
            self.of_units[share.unit as usize].retain(|other| *other != number);
        }
        request
    }

    /// A page in a unit comes to the request at a place.
    pub fn add_page(&mut self, place: usize, unit: u32, time: Duration) {
        if add_page(&mut self.requests[place].shares, unit, time) {
            self.enter(unit, self.numbers[place]);
        }
    }

    /// On how many others the request at a place waits.
    pub fn behind_mut(&mut self, place: usize) -> &mut u32 {
        &mut self.requests[place].behind
    }
}

impl FromIterator<WaitingRequest> for WaitingRequests {
    fn from_iter<I: IntoIterator<Item = WaitingRequest>>(requests: I) -> Self {
        let mut waiting = Self::default();
        for request in requests {
            waiting.push(request);
        }
        waiting
    }
}

/// A page in a unit, beside those that a request has. Tells whether it had none in that unit.
pub fn add_page(shares: &mut Vec<UnitShare>, unit: u32, time: Duration) -> bool {
    match shares.iter_mut().find(|share| share.unit == unit) {
        Some(share) => {
            share.time += time;
            share.pages += 1;
            false
        }
        None => {
            shares.push(UnitShare { unit, pages: 1, time });
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A request that comes, one that leaves, or a page that comes to one.
    #[derive(Clone, Debug)]
    enum Change {
        Push(Vec<u32>),
        Remove(usize),
        Add(usize, u32),
    }

    fn any_change() -> impl Strategy<Value = Change> {
        prop_oneof![
            proptest::collection::btree_set(0_u32..6, 0..4)
                .prop_map(|units| Change::Push(units.into_iter().collect())),
            (0_usize..20).prop_map(Change::Remove),
            (0_usize..20, 0_u32..8).prop_map(|(place, unit)| Change::Add(place, unit)),
        ]
    }

    proptest! {
        /// The requests of a unit are those that a search through all finds, in the same order.
        #[test]
        fn the_requests_of_a_unit_are_those_that_name_it(changes in proptest::collection::vec(any_change(), 1..60)) {
            let mut waiting = WaitingRequests::default();
            for change in changes {
                let count = waiting.len();
                match change {
                    Change::Push(units) => waiting.push(WaitingRequest {
                        kind: RequestKind::Write,
                        arrival: SimTime::ZERO,
                        deadline: None,
                        shares: units.iter().map(|unit| UnitShare { unit: *unit, pages: 1, time: Duration(1) }).collect(),
                        behind: 0,
                    }),
                    Change::Remove(place) if place < count => {
                        let expected = waiting.all()[place].clone();
                        prop_assert_eq!(waiting.remove(place), expected);
                    }
                    Change::Add(place, unit) if place < count => waiting.add_page(place, unit, Duration(1)),
                    Change::Remove(_) | Change::Add(..) => {}
                }
                for place in 0..waiting.len() {
                    prop_assert_eq!(waiting.place(waiting.number(place)), place);
                }
                for unit in 0..9 {
                    let names = |request: &WaitingRequest| request.shares.iter().any(|share| share.unit == unit);
                    let expected = waiting.all().iter().enumerate().filter(|(_, request)| names(request)).map(|(place, _)| place);
                    let one_by_one = (0..waiting.count_of_unit(unit)).map(|index| waiting.of_unit_at(unit, index));
                    prop_assert!(one_by_one.eq(waiting.of_unit(unit)));
                    prop_assert!(waiting.of_unit(unit).eq(expected));
                }
            }
        }
    }
}
