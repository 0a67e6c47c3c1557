//! The requests that wait, in the order in which they came, and in groups of those that ask for the same.

mod groups;
mod request;
mod sorted;

use std::collections::BTreeSet;
use std::ops::Index;

use wordline_units::{Duration, SimTime};

use groups::Groups;
pub use groups::{Member, RequestGroup};
pub use request::{RequestKind, UnitShare, WaitingRequest, Wanted, add_page};

/// No place.
const NOWHERE: usize = usize::MAX;

/// A request in its place.
#[derive(Clone, Debug)]
struct Held {
    request: WaitingRequest,
    number: u64,
    /// When it goes before all others.
    due: SimTime,
    /// Whether that moment has passed.
    is_expired: bool,
    /// Its group; [`NOWHERE`] while it is behind another.
    group: usize,
    /// The places of the requests that came before and after it; [`NOWHERE`] at the ends.
    earlier: usize,
    later: usize,
}

/// Requests that wait. Each has a place, which stays its own until it is taken out, and a number, which rises in the order in which they came.
/// Nothing that is asked of them takes longer the more of them ask for the same.
#[derive(Clone, Debug)]
pub struct WaitingRequests {
    places: Vec<Option<Held>>,
    unused: Vec<usize>,
    first: usize,
    last: usize,
    count: usize,
    /// By unit: how many requests name it.
    counts_of_units: Vec<u32>,
    /// Those that are behind no other.
    groups: Groups,
    /// Deadlines of those in groups that are not past them, with number and place.
    due: BTreeSet<(SimTime, u64, usize)>,
    /// Requests in groups that are past theirs.
    expired: usize,
    /// The number of the next request.
    next: u64,
}

impl Default for WaitingRequests {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            unused: Vec::new(),
            first: NOWHERE,
            last: NOWHERE,
            count: 0,
            counts_of_units: Vec::new(),
            groups: Groups::default(),
            due: BTreeSet::new(),
            expired: 0,
            next: 0,
        }
    }
}

impl Index<usize> for WaitingRequests {
    type Output = WaitingRequest;

    fn index(&self, place: usize) -> &WaitingRequest {
        &self.held(place).request
    }
}

impl WaitingRequests {
    #[expect(
        clippy::expect_used,
        reason = "a place that nobody holds is a defect of its caller"
    )]
    fn held(&self, place: usize) -> &Held {
        self.places[place].as_ref().expect("a request waits there")
    }

    #[expect(
        clippy::expect_used,
        reason = "a place that nobody holds is a defect of its caller"
    )]
    fn held_mut(&mut self, place: usize) -> &mut Held {
        self.places[place].as_mut().expect("a request waits there")
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether none waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Their places, that of the oldest first.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let exists = |place: usize| (place != NOWHERE).then_some(place);
        std::iter::successors(exists(self.first), move |place| exists(self.held(*place).later))
    }

    /// The place of the one that came last.
    #[must_use]
    pub fn last(&self) -> Option<usize> {
        (self.last != NOWHERE).then_some(self.last)
    }

    /// How many requests name a unit.
    #[must_use]
    pub fn count_of_unit(&self, unit: u32) -> u32 {
        self.counts_of_units.get(unit as usize).copied().unwrap_or(0)
    }

    /// The number of the request at a place: those that come later have higher ones.
    #[must_use]
    pub fn number(&self, place: usize) -> u64 {
        self.held(place).number
    }

    /// The groups of the requests that are behind no other, by their places; some have no request any more.
    #[must_use]
    pub fn groups(&self) -> &[RequestGroup] {
        self.groups.all()
    }

    /// The places of the groups that name a unit.
    #[must_use]
    pub fn groups_of_unit(&self, unit: u32) -> &[usize] {
        self.groups.of_unit(unit)
    }

    /// The place of the group of a request; none while it is behind another.
    #[must_use]
    pub fn group_of(&self, place: usize) -> Option<usize> {
        let group = self.held(place).group;
        (group != NOWHERE).then_some(group)
    }

    /// The first deadline of requests that are behind no other; the beginning of time where one is past its deadline.
    #[must_use]
    pub fn first_due(&self) -> SimTime {
        if self.expired > 0 {
            return SimTime::ZERO;
        }
        self.due.first().map_or(SimTime::NEVER, |(due, ..)| *due)
    }

    /// A request comes that goes before all others when it is `due`. Its place is told.
    pub fn push(&mut self, request: WaitingRequest, due: SimTime) -> usize {
        for share in request.shares() {
            self.name(share.unit);
        }
        let place = self.unused.pop().unwrap_or(self.places.len());
        let held = Some(Held {
            request,
            number: self.next,
            due,
            is_expired: false,
            group: NOWHERE,
            earlier: self.last,
            later: NOWHERE,
        });
        match self.places.get_mut(place) {
            Some(unused) => *unused = held,
            None => self.places.push(held),
        }
        match self.last {
            NOWHERE => self.first = place,
            last => self.held_mut(last).later = place,
        }
        self.last = place;
        self.next += 1;
        self.count += 1;
        self.group(place);
        place
    }

    /// A request names a unit.
    fn name(&mut self, unit: u32) {
        let unit = unit as usize;
        if self.counts_of_units.len() <= unit {
            self.counts_of_units.resize(unit + 1, 0);
        }
        self.counts_of_units[unit] += 1;
    }

    fn member(&self, place: usize) -> Member {
        let held = self.held(place);
        Member {
            arrival: held.request.arrival,
            number: held.number,
            place,
        }
    }

    /// A request joins its group, unless it is behind another.
    fn group(&mut self, place: usize) {
        let member = self.member(place);
        let Some(held) = self.places[place].as_mut() else {
            return;
        };
        if held.request.behind > 0 {
            return;
        }
        held.group = self.groups.enter(&held.request.wanted, member, held.is_expired);
        if held.is_expired {
            self.expired += 1;
        } else if held.due != SimTime::NEVER {
            self.due.insert((held.due, held.number, place));
        }
    }

    /// A request leaves its group, if it has one.
    fn ungroup(&mut self, place: usize) {
        let Some(group) = self.group_of(place) else {
            return;
        };
        let member = self.member(place);
        self.groups.leave(group, member);
        let held = self.held_mut(place);
        held.group = NOWHERE;
        let (is_expired, due) = (held.is_expired, (held.due, held.number, place));
        if is_expired {
            self.expired -= 1;
        } else {
            self.due.remove(&due);
        }
    }

    /// It is so late: requests that are behind no other may be past their deadlines now.
    pub fn expire(&mut self, now: SimTime) {
        while let Some(&(due, number, place)) = self.due.first()
            && due <= now
        {
            self.due.remove(&(due, number, place));
            let (member, group) = (self.member(place), self.held(place).group);
            self.groups.expire(group, member);
            self.held_mut(place).is_expired = true;
            self.expired += 1;
        }
    }

    /// Takes out the request at a place.
    #[expect(
        clippy::expect_used,
        reason = "a place that nobody holds is a defect of its caller"
    )]
    pub fn remove(&mut self, place: usize) -> WaitingRequest {
        self.ungroup(place);
        let held = self.places[place].take();
        let Held {
            request,
            earlier,
            later,
            ..
        } = held.expect("a request waits there");
        match earlier {
            NOWHERE => self.first = later,
            earlier => self.held_mut(earlier).later = later,
        }
        match later {
            NOWHERE => self.last = earlier,
            later => self.held_mut(later).earlier = earlier,
        }
        self.count -= 1;
        self.unused.push(place);
        for share in request.shares() {
            self.counts_of_units[share.unit as usize] -= 1;
        }
        request
    }

    /// A page in a unit comes to the request at a place.
    pub fn add_page(&mut self, place: usize, unit: u32, time: Duration) {
        self.ungroup(place);
        if add_page(&mut self.held_mut(place).request.wanted.shares, unit, time) {
            self.name(unit);
        }
        self.group(place);
    }

    /// The request at a place is behind so many others.
    pub fn set_behind(&mut self, place: usize, behind: u32) {
        let was = std::mem::replace(&mut self.held_mut(place).request.behind, behind);
        match (was, behind) {
            (0, 1..) => self.ungroup(place),
            (1.., 0) => self.group(place),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
