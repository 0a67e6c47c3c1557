//! Requests in the order in which they would end (J. Cui et al., DLV, IEEE TCAD 2018, sections 4 and 5): the one that ends first
//! goes first, and none waits past its deadline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{Duration, SimTime};

use crate::requests::{RequestKind, RequestScheduler, RequestsView, UnitLoad, WaitingRequest};

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
    dispatch: Dispatch,
    /// Units that a request shares with later ones, by unit; kept so that nothing is allocated for a choice.
    shared: Vec<bool>,
}

/// When a request would end if it were let into the flash now (DLV, equation 2).
fn finish_time(view: &RequestsView<'_>, request: &WaitingRequest) -> SimTime {
    let ends = request.shares.iter().map(|share| {
        let idle_from = view.units[share.unit as usize].idle_from;
        idle_from.max(view.now) + share.time
    });
    ends.max().unwrap_or(view.now)
}

fn any_unit(view: &RequestsView<'_>, request: &WaitingRequest, holds: impl Fn(&UnitLoad) -> bool) -> bool {
    let mut shares = request.shares.iter();
    shares.any(|share| holds(&view.units[share.unit as usize]))
}

impl FinishTimes {
    pub(crate) const fn new(reads: Rule, writes: Rule, dispatch: Dispatch) -> Self {
        Self {
            reads,
            writes,
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

    /// Whether a request may go: writes not while one of their units collects, where it matters which goes first.
    fn may_go(&self, view: &RequestsView<'_>, request: &WaitingRequest) -> bool {
        let waits_for_collection = request.kind == RequestKind::Write
            && self.writes != Rule::AtOnce
            && any_unit(view, request, |unit| unit.is_collecting);
        request.behind == 0 && !waits_for_collection
    }

    /// Whether a unit could begin with a request at once, where that matters.
    fn could_begin(&self, view: &RequestsView<'_>, request: &WaitingRequest) -> bool {
        self.dispatch == Dispatch::AllAtOnce
            || request.shares.is_empty()
            || any_unit(view, request, |unit| unit.is_idle)
    }

    /// The request of a kind that ends first, of those that could begin.
    fn earliest(&self, view: &RequestsView<'_>, kind: RequestKind) -> Option<usize> {
        let requests = view.requests.iter().enumerate();
        requests
            .filter(|(_, request)| {
                request.kind == kind && self.may_go(view, request) && self.could_begin(view, request)
            })
            .map(|(place, request)| ((finish_time(view, request), request.arrival, place), place))
            .min()
            .map(|(_, place)| place)
    }

    /// The first request of a kind that could begin or, where earlier ones want units of it, the earliest of those and of
    /// what those share units with in turn: no unit gets requests in another order than that in which they came.
    fn in_order(&mut self, view: &RequestsView<'_>, kind: RequestKind) -> Option<usize> {
        let of_kind = |request: &WaitingRequest| request.kind == kind;
        let begins = view.requests.iter().position(|request| {
            of_kind(request) && self.may_go(view, request) && self.could_begin(view, request)
        })?;
        self.shared.clear();
        self.shared.resize(view.units.len(), false);
        let mut first = begins;
        for (place, request) in view.requests[..=begins].iter().enumerate().rev() {
            let shares_units = request
                .shares
                .iter()
                .any(|share| self.shared[share.unit as usize]);
            if place == begins || (of_kind(request) && shares_units && self.may_go(view, request)) {
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
        let places = || 0..view.requests.len();
        let at_once = |place: &usize| {
            let request = &view.requests[*place];
            self.rule(request.kind) == Rule::AtOnce && request.behind == 0
        };
        if let Some(place) = places().find(at_once) {
            return Some(place);
        }
        let is_expired = |place: &usize| {
            let request = &view.requests[*place];
            self.is_expired(request, view.now) && self.may_go(view, request)
        };
        let expired = places().filter(is_expired);
        if let Some(place) = expired.min_by_key(|place| (view.requests[*place].arrival, *place)) {
            return Some(place);
        }
        // reads go before writes where they compete for a unit
        for kind in [RequestKind::Read, RequestKind::Write] {
            let place = match self.rule(kind) {
                Rule::AtOnce => None,
                Rule::InOrder => self.in_order(view, kind),
                Rule::EarliestEnd(_) => self.earliest(view, kind),
            };
            if place.is_some() {
                return place;
            }
        }
        None
    }

    fn is_expired(&self, request: &WaitingRequest, now: SimTime) -> bool {
        match self.rule(request.kind) {
            Rule::EarliestEnd(deadline) => now >= request.arrival + deadline,
            Rule::AtOnce | Rule::InOrder => false,
        }
    }
}

#[cfg(test)]
mod tests;
