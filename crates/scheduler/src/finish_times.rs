//! Requests in the order in which they would end (J. Cui et al., DLV, IEEE TCAD 2018, sections 4 and 5): the one that ends first
//! goes first, and none waits past its deadline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{Duration, SimTime};

use crate::requests::{RequestScheduler, RequestsView, StrongPages};
use crate::strong_pages::{StrongUse, best_end};
use crate::waiting::{Member, RequestGroup, RequestKind, UnitShare, WaitingRequest};
use in_order::Shared;

mod in_order;

/// When requests are let into the flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Dispatch {
    /// When a unit that they want has nothing to do, so that as many as possible can still change their order.
    #[default]
    JustInTime,
    /// At once, whatever waits being put in order.
    AllAtOnce,
}

/// In which order the requests of a kind go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// At once.
    AtOnce,
    /// As they came, as far as they share units.
    InOrder,
    /// What ends first goes first; after this time a request goes before all others.
    EarliestEnd(Duration),
}

/// Lets requests into the flash.
#[derive(Debug)]
pub(crate) struct FinishTimes {
    reads: Rule,
    writes: Rule,
    strong: StrongUse,
    dispatch: Dispatch,
    /// What is looked at for the order in which requests came; kept so that nothing is allocated for a choice.
    shared: Shared,
}

/// What the units of a request say of it.
#[derive(Clone, Copy, Debug)]
struct Prospect {
    /// Whether a unit could begin with it at once, or it has none.
    begins: bool,
    /// Whether one of its units makes space.
    collects: bool,
}

#[inline]
fn prospect(view: &RequestsView<'_>, group: &RequestGroup) -> Prospect {
    let mut found = Prospect {
        begins: group.shares().is_empty(),
        collects: false,
    };
    for share in group.shares() {
        let unit = &view.units[share.unit as usize];
        found.begins |= unit.could_begin(group.kind());
        found.collects |= unit.is_collecting;
    }
    found
}

/// When requests of a group would end if one of them were let into the flash now (DLV, equation 2); none where that is later than `limit`.
#[inline]
fn end_by(view: &RequestsView<'_>, group: &RequestGroup, limit: SimTime) -> Option<SimTime> {
    let savings = match group.kind() {
        RequestKind::Write => view.savings,
        RequestKind::Read | RequestKind::Other => &[],
    };
    let mut end = view.now;
    for share in group.shares() {
        let unit = &view.units[share.unit as usize];
        let from = unit.begins(group.kind());
        end = end.max(best_end((view.now, from), unit, share, savings));
        // most requests end later than the best so far in one of their first units
        if end > limit {
            return None;
        }
    }
    Some(end)
}

impl FinishTimes {
    pub(crate) fn new(reads: Rule, writes: Rule, strong: StrongUse, dispatch: Dispatch) -> Self {
        Self {
            reads,
            writes,
            strong,
            dispatch,
            shared: Shared::default(),
        }
    }

    const fn rule(&self, kind: RequestKind) -> Rule {
        match kind {
            RequestKind::Read => self.reads,
            RequestKind::Write => self.writes,
            RequestKind::Other => Rule::AtOnce,
        }
    }

    /// Whether requests of a kind may go: a write does not while one of its units makes space.
    const fn may_go(kind: RequestKind, prospect: Prospect) -> bool {
        !(matches!(kind, RequestKind::Write) && prospect.collects)
    }

    /// Whether a request that may go does so as soon as a unit could begin with it.
    fn could_begin(&self, prospect: Prospect) -> bool {
        self.dispatch == Dispatch::AllAtOnce || prospect.begins
    }

    /// Before a write is let in that has units in common with reads which wait: the first of these reads. Else a write that could begin in one unit
    /// would stand before them in another one, which does something and may never come to rest.
    fn read_before(&self, view: &RequestsView<'_>, place: usize) -> Option<usize> {
        let write = &view.requests[place];
        if write.kind() != RequestKind::Write || !matches!(self.reads, Rule::EarliestEnd(_)) {
            return None;
        }
        let groups = view.requests.groups();
        let first_of = |share: &UnitShare| {
            let of_unit = view.requests.groups_of_unit(share.unit).iter();
            let reads = of_unit
                .map(|group| &groups[*group])
                .filter(|group| group.kind() == RequestKind::Read);
            reads.filter_map(RequestGroup::oldest).min()
        };
        let first = write.shares().iter().filter_map(first_of).min();
        first.map(|(_, place)| place)
    }

    /// The first request of a kind that could begin or, where earlier ones want units of it, the earliest of those and of
    /// what those share units with in turn: no unit gets requests in another order than that in which they came.
    fn in_order(&mut self, view: &RequestsView<'_>, kind: RequestKind) -> Option<usize> {
        let begins = |place: &&usize| {
            let group = &view.requests.groups()[**place];
            let prospect = prospect(view, group);
            group.kind() == kind && Self::may_go(kind, prospect) && self.could_begin(prospect)
        };
        let groups = view.candidates.iter().filter(begins);
        let oldest = |place: &usize| {
            let first = view.requests.groups()[*place].oldest();
            first.map(|(number, of_request)| (number, of_request, *place))
        };
        let (number, place, group) = groups.filter_map(oldest).min()?;
        let may_go = |other: &RequestGroup| other.kind() == kind && Self::may_go(kind, prospect(view, other));
        let earlier = self.shared.first_before((number, group), view, may_go);
        Some(earlier.unwrap_or(place))
    }
}

impl RequestScheduler for FinishTimes {
    fn pick(&mut self, view: &RequestsView<'_>) -> Option<usize> {
        let mut at_once: Option<(u64, usize)> = None;
        let mut expired: Option<Member> = None;
        // of reads and of writes, by their ends
        let mut earliest: [Option<(SimTime, Member)>; 2] = [None; 2];
        for group in view.candidates() {
            match self.rule(group.kind()) {
                Rule::AtOnce => {
                    at_once = first_of(at_once, group.oldest());
                    continue;
                }
                Rule::InOrder => continue,
                Rule::EarliestEnd(_) => {}
            }
            let prospect = prospect(view, group);
            if !Self::may_go(group.kind(), prospect) {
                continue;
            }
            expired = first_of(expired, group.first_expired());
            if let Some(first) = group.first_patient()
                && self.could_begin(prospect)
            {
                let best = &mut earliest[usize::from(group.kind() == RequestKind::Write)];
                let limit = best.map_or(SimTime::NEVER, |(end, _)| end);
                let end = end_by(view, group, limit);
                *best = first_of(*best, end.map(|end| (end, first)));
            }
        }
        if let Some(place) = at_once
            .map(|(_, place)| place)
            .or(expired.map(|first| first.place))
        {
            return Some(place);
        }
        // reads go before writes where they compete for a unit
        for (kind, earliest) in [RequestKind::Read, RequestKind::Write].into_iter().zip(earliest) {
            let place = match self.rule(kind) {
                Rule::AtOnce => None,
                Rule::InOrder => self.in_order(view, kind),
                Rule::EarliestEnd(_) => earliest.map(|(_, first)| first.place),
            };
            if let Some(place) = place {
                return Some(self.read_before(view, place).unwrap_or(place));
            }
        }
        None
    }

    fn waits_for_units(&self, kind: RequestKind) -> bool {
        self.dispatch == Dispatch::JustInTime && self.rule(kind) != Rule::AtOnce
    }

    /// When it has waited until the deadline of the host, or until that of the drive where the host has set none.
    fn due(&self, request: &WaitingRequest) -> SimTime {
        match self.rule(request.kind()) {
            Rule::EarliestEnd(own) => request.arrival + request.deadline.unwrap_or(own),
            Rule::AtOnce | Rule::InOrder => SimTime::NEVER,
        }
    }

    fn compares_what_could_begin(&self) -> bool {
        self.dispatch == Dispatch::JustInTime
    }

    fn place(&mut self, view: &RequestsView<'_>, place: usize, strong: &mut Vec<StrongPages>) {
        let request = &view.requests[place];
        if request.kind() == RequestKind::Write {
            self.strong.place(view, request, strong);
        }
    }
}

/// The lesser of two values, where there are any.
fn first_of<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests;
