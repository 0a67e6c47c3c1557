//! Requests that ask for the same, as a scheduler compares them: of one kind, with the same pages and times in the same units. They could begin,
//! and would end, at the same moments, so that a decision looks at each group once, however many requests wait in it.

use rustc_hash::FxHashMap;
use wordline_units::SimTime;

use super::request::{RequestKind, UnitShare, Wanted};
use super::sorted::Sorted;

/// A request of a group; the one that arrived first comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// When the request arrived.
    pub arrival: SimTime,
    /// Its number: requests that came later have higher ones.
    pub number: u64,
    /// Its place in [`super::WaitingRequests`].
    pub place: usize,
}

/// Requests that wait for the same, and for no other request.
#[derive(Clone, Debug)]
pub struct RequestGroup {
    wanted: Wanted,
    /// Number and place of all of them.
    all: Sorted<(u64, usize)>,
    /// Those that are not past their deadline.
    patient: Sorted<Member>,
    /// Those that are.
    expired: Sorted<Member>,
}

impl RequestGroup {
    /// What they ask for.
    #[must_use]
    pub const fn kind(&self) -> RequestKind {
        self.wanted.kind
    }

    /// The pages of each of them by unit, each unit once.
    #[must_use]
    pub fn shares(&self) -> &[UnitShare] {
        &self.wanted.shares
    }

    /// Number and place of the one that came first; none where the group has no request any more.
    #[must_use]
    pub fn oldest(&self) -> Option<(u64, usize)> {
        self.all.first()
    }

    /// Number and place of the last that came before a number.
    #[must_use]
    pub fn last_before(&self, number: u64) -> Option<(u64, usize)> {
        self.all.last_where(|other| other.0 < number)
    }

    /// The one that arrived first of those that are not past their deadline.
    #[must_use]
    pub fn first_patient(&self) -> Option<Member> {
        self.patient.first()
    }

    /// The one that arrived first of those that are past their deadline.
    #[must_use]
    pub fn first_expired(&self) -> Option<Member> {
        self.expired.first()
    }
}

/// The groups. One without requests is used again for others.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    groups: Vec<RequestGroup>,
    by_wanted: FxHashMap<Wanted, usize>,
    /// By unit: the groups that name it.
    of_units: Vec<Vec<usize>>,
    unused: Vec<usize>,
}

impl Groups {
    /// All, also those without requests.
    pub(super) fn all(&self) -> &[RequestGroup] {
        &self.groups
    }

    /// The groups that name a unit.
    pub(super) fn of_unit(&self, unit: u32) -> &[usize] {
        self.of_units.get(unit as usize).map_or(&[], Vec::as_slice)
    }

    /// A request waits in the group of what it asks for, which is told.
    pub(super) fn enter(&mut self, wanted: &Wanted, member: Member, is_expired: bool) -> usize {
        let place = match self.by_wanted.get(wanted) {
            Some(place) => *place,
            None => self.begin(wanted),
        };
        let group = &mut self.groups[place];
        group.all.insert((member.number, member.place));
        let list = if is_expired {
            &mut group.expired
        } else {
            &mut group.patient
        };
        list.insert(member);
        place
    }

    /// A group begins.
    fn begin(&mut self, wanted: &Wanted) -> usize {
        let place = self.unused.pop().unwrap_or(self.groups.len());
        if let Some(unused) = self.groups.get_mut(place) {
            unused.wanted.clone_from(wanted);
        } else {
            self.groups.push(RequestGroup {
                wanted: wanted.clone(),
                all: Sorted::default(),
                patient: Sorted::default(),
                expired: Sorted::default(),
            });
        }
        self.by_wanted.insert(wanted.clone(), place);
        for share in &wanted.shares {
            let unit = share.unit as usize;
            if self.of_units.len() <= unit {
                self.of_units.resize(unit + 1, Vec::new());
            }
            self.of_units[unit].push(place);
        }
        place
    }

    /// A request of a group is past its deadline.
    pub(super) fn expire(&mut self, place: usize, member: Member) {
        let group = &mut self.groups[place];
        if group.patient.remove(member) {
            group.expired.insert(member);
        }
    }

    /// A request leaves its group.
    pub(super) fn leave(&mut self, place: usize, member: Member) {
        let group = &mut self.groups[place];
        group.all.remove((member.number, member.place));
        let _ = group.patient.remove(member) || group.expired.remove(member);
        if group.oldest().is_some() {
            return;
        }
        self.by_wanted.remove(&group.wanted);
        for share in &group.wanted.shares {
            let of_unit = &mut self.of_units[share.unit as usize];
            if let Some(index) = of_unit.iter().position(|other| *other == place) {
                of_unit.swap_remove(index);
            }
        }
        self.unused.push(place);
    }
}
