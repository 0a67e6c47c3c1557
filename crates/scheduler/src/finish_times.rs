//! Requests in the order in which they would end (J. Cui et al., DLV, IEEE TCAD 2018, sections 4 and 5): the one that ends first
//! goes first, and none waits past its deadline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{Duration, SimTime};

use crate::requests::{RequestScheduler, RequestsView, StrongPages};
use crate::strong_pages::{StrongUse, best_end};
use crate::waiting::{RequestKind, UnitShare, WaitingRequest};

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
    /// Units that a request shares with later ones, by unit; kept so that nothing is allocated for a choice.
    shared: Vec<bool>,
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
fn prospect(view: &RequestsView<'_>, request: &WaitingRequest) -> Prospect {
    let mut found = Prospect {
        begins: request.shares.is_empty(),
        collects: false,
    };
    for share in &request.shares {
        let unit = &view.units[share.unit as usize];
        found.begins |= unit.could_begin(request.kind);
        found.collects |= unit.is_collecting;
    }
    found
}

/// When a request would end if it were let into the flash now (DLV, equation 2); none where that is later than `limit`.
#[inline]
fn end_by(view: &RequestsView<'_>, request: &WaitingRequest, limit: SimTime) -> Option<SimTime> {
    let savings = match request.kind {
        RequestKind::Write => view.savings,
        RequestKind::Read | RequestKind::Other => &[],
    };
    let mut end = view.now;
    for share in &request.shares {
        let unit = &view.units[share.unit as usize];
        let from = unit.begins(request.kind);
        end = end.max(best_end((view.now, from), unit, share, savings));
        // most requests end later than the best so far in one of their first units
        if end > limit {
            return None;
        }
    }
    Some(end)
}

impl FinishTimes {
    pub(crate) const fn new(reads: Rule, writes: Rule, strong: StrongUse, dispatch: Dispatch) -> Self {
        Self {
            reads,
            writes,
            strong,
            dispatch,
            shared: Vec::new(),
        }
    }

    const fn rule(&self, kind: RequestKind) -> Rule {
        match kind {
            RequestKind::Read => self.reads,
            RequestKind::Write => self.writes,
            RequestKind::Other => Rule::AtOnce,
        }
    }

    /// Whether a request may go: it is behind no other, and a write does not go while one of its units makes space.
    fn may_go(request: &WaitingRequest, prospect: Prospect) -> bool {
        request.behind == 0 && !(request.kind == RequestKind::Write && prospect.collects)
    }

    /// Whether a request that may go does so as soon as a unit could begin with it.
    fn could_begin(&self, prospect: Prospect) -> bool {
        self.dispatch == Dispatch::AllAtOnce || prospect.begins
    }

    /// Before a write is let in that has units in common with reads which wait: the first of these reads. Else a write that could begin in one unit
    /// would stand before them in another one, which does something and may never come to rest.
    fn read_before(&self, view: &RequestsView<'_>, place: usize) -> Option<usize> {
        let write = &view.requests.all()[place];
        if write.kind != RequestKind::Write || !matches!(self.reads, Rule::EarliestEnd(_)) {
            return None;
        }
        let is_read = |place: &usize| {
            let request = &view.requests.all()[*place];
            request.kind == RequestKind::Read && request.behind == 0
        };
        let first_of = |share: &UnitShare| view.requests.of_unit(share.unit).find(is_read);
        write.shares.iter().filter_map(first_of).min()
    }

    /// The first request of a kind that could begin or, where earlier ones want units of it, the earliest of those and of
    /// what those share units with in turn: no unit gets requests in another order than that in which they came.
    fn in_order(&mut self, view: &RequestsView<'_>, kind: RequestKind) -> Option<usize> {
        let of_kind = |request: &WaitingRequest| request.kind == kind;
        let may_go =
            |request: &WaitingRequest| of_kind(request) && Self::may_go(request, prospect(view, request));
        let requests = view.requests.all();
        let begins = view.candidates.iter().copied().find(|place| {
            let request = &requests[*place];
            may_go(request) && self.could_begin(prospect(view, request))
        })?;
        self.shared.clear();
        self.shared.resize(view.units.len(), false);
        let mut first = begins;
        for (place, request) in requests[..=begins].iter().enumerate().rev() {
            let shares_units = request
                .shares
                .iter()
                .any(|share| self.shared[share.unit as usize]);
            if place == begins || (shares_units && may_go(request)) {
                first = place;
                for share in &request.shares {
                    self.shared[share.unit as usize] = true;
                }
            }
        }
        Some(first)
    }
}

impl RequestScheduler for FinishTimes {
    fn pick(&mut self, view: &RequestsView<'_>) -> Option<usize> {
        let mut expired: Option<(SimTime, usize)> = None;
        // of reads and of writes, by their ends
        let mut earliest: [Option<(SimTime, SimTime, usize)>; 2] = [None; 2];
        for &place in view.candidates {
            let request = &view.requests.all()[place];
            if request.behind > 0 {
                continue;
            }
            let own = match self.rule(request.kind) {
                Rule::AtOnce => return Some(place),
                Rule::InOrder => continue,
                Rule::EarliestEnd(own) => own,
            };
            let prospect = prospect(view, request);
            if !Self::may_go(request, prospect) {
                continue;
            }
            if is_expired(request, own, view.now) {
                let this = (request.arrival, place);
                expired = Some(expired.map_or(this, |other| other.min(this)));
            } else if self.could_begin(prospect) {
                let best = &mut earliest[usize::from(request.kind == RequestKind::Write)];
                let limit = best.map_or(SimTime::NEVER, |(end, ..)| end);
                if let Some(end) = end_by(view, request, limit) {
                    let this = (end, request.arrival, place);
                    *best = Some(best.map_or(this, |other| other.min(this)));
                }
            }
        }
        if let Some((_, place)) = expired {
            return Some(place);
        }
        // reads go before writes where they compete for a unit
        for (kind, earliest) in [RequestKind::Read, RequestKind::Write].into_iter().zip(earliest) {
            let place = match self.rule(kind) {
                Rule::AtOnce => None,
                Rule::InOrder => self.in_order(view, kind),
                Rule::EarliestEnd(_) => earliest.map(|(.., place)| place),
            };
            if let Some(place) = place {
                return Some(self.read_before(view, place).unwrap_or(place));
            }
        }
        None
    }

    fn waits_for_units_until(&self, request: &WaitingRequest) -> SimTime {
        match (self.dispatch, self.rule(request.kind)) {
            (Dispatch::AllAtOnce, _) | (_, Rule::AtOnce) => SimTime::ZERO,
            (Dispatch::JustInTime, Rule::InOrder) => SimTime::NEVER,
            (Dispatch::JustInTime, Rule::EarliestEnd(own)) => deadline(request, own),
        }
    }

    fn compares_what_could_begin(&self) -> bool {
        self.dispatch == Dispatch::JustInTime
    }

    fn place(&mut self, view: &RequestsView<'_>, place: usize, strong: &mut Vec<StrongPages>) {
        let request = &view.requests.all()[place];
        if request.kind == RequestKind::Write {
            self.strong.place(view, request, strong);
        }
    }

    fn is_expired(&self, request: &WaitingRequest, now: SimTime) -> bool {
        match self.rule(request.kind) {
            Rule::EarliestEnd(own) => is_expired(request, own, now),
            Rule::AtOnce | Rule::InOrder => false,
        }
    }
}

/// When a request has waited until the deadline of the host, or until that of the drive where the host has set none.
fn deadline(request: &WaitingRequest, own: Duration) -> SimTime {
    request.arrival + request.deadline.unwrap_or(own)
}

/// Whether a request is past its deadline.
fn is_expired(request: &WaitingRequest, own: Duration, now: SimTime) -> bool {
    now >= deadline(request, own)
}

#[cfg(test)]
mod tests;
