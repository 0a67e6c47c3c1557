//! The choice beside that of a search through all requests one by one, as the source has it.

use super::*;

/// A request with its place, the oldest first.
type Row<'a> = (usize, &'a WaitingRequest);

/// The rules, looked up for each request.
struct Search<'a> {
    scheduler: &'a FinishTimes,
    view: &'a RequestsView<'a>,
    rows: Vec<Row<'a>>,
}

impl Search<'_> {
    fn loads(&self, request: &WaitingRequest) -> Vec<UnitLoad> {
        let units = request.shares().iter().map(|share| share.unit as usize);
        units.map(|unit| self.view.units[unit]).collect()
    }

    fn may_go(&self, request: &WaitingRequest) -> bool {
        let collects = self.loads(request).iter().any(|load| load.is_collecting);
        request.behind == 0 && !(request.kind() == WRITE && collects)
    }

    fn could_begin(&self, request: &WaitingRequest) -> bool {
        let loads = self.loads(request);
        let begins = loads.iter().any(|load| load.could_begin(request.kind()));
        self.scheduler.dispatch == Dispatch::AllAtOnce || loads.is_empty() || begins
    }

    fn end(&self, request: &WaitingRequest) -> SimTime {
        let begins = self
            .loads(request)
            .into_iter()
            .map(|load| load.begins(request.kind()));
        let ends = begins
            .zip(request.shares())
            .map(|(from, share)| from.max(self.view.now) + share.time);
        ends.max().unwrap_or(self.view.now).max(self.view.now)
    }

    fn in_order(&self, kind: RequestKind) -> Option<usize> {
        let of_kind: Vec<&Row<'_>> = self
            .rows
            .iter()
            .filter(|(_, request)| request.kind() == kind && self.may_go(request))
            .collect();
        let begins = of_kind
            .iter()
            .position(|(_, request)| self.could_begin(request))?;
        let (mut first, mut units) = (begins, Vec::new());
        for (index, (_, request)) in of_kind[..=begins].iter().enumerate().rev() {
            if index == begins || request.shares().iter().any(|share| units.contains(&share.unit)) {
                first = index;
                units.extend(request.shares().iter().map(|share| share.unit));
            }
        }
        Some(of_kind[first].0)
    }

    fn read_before(&self, place: usize) -> Option<usize> {
        let chosen = &self.view.requests[place];
        if chosen.kind() != WRITE || !matches!(self.scheduler.reads, Rule::EarliestEnd(_)) {
            return None;
        }
        let wants = |share: &UnitShare| chosen.shares().iter().any(|own| own.unit == share.unit);
        let competes = |(_, request): &&Row<'_>| {
            request.kind() == READ && request.behind == 0 && request.shares().iter().any(wants)
        };
        self.rows.iter().find(competes).map(|(place, _)| *place)
    }

    fn pick(&self) -> Option<usize> {
        let rule = |request: &WaitingRequest| self.scheduler.rule(request.kind());
        let at_once = self
            .rows
            .iter()
            .find(|(_, request)| request.behind == 0 && rule(request) == Rule::AtOnce);
        if let Some((place, _)) = at_once {
            return Some(*place);
        }
        let ranked = || {
            self.rows.iter().enumerate().filter(|(_, (_, request))| {
                matches!(rule(request), Rule::EarliestEnd(_)) && self.may_go(request)
            })
        };
        let is_late = |request: &WaitingRequest| self.scheduler.due(request) <= self.view.now;
        let late = ranked().filter(|(_, (_, request))| is_late(request));
        if let Some((_, _, place)) = late
            .map(|(index, (place, request))| (request.arrival, index, *place))
            .min()
        {
            return Some(place);
        }
        [READ, WRITE].into_iter().find_map(|kind| {
            let place = match self.scheduler.rule(kind) {
                Rule::AtOnce => None,
                Rule::InOrder => self.in_order(kind),
                Rule::EarliestEnd(_) => {
                    let begin = ranked()
                        .filter(|(_, (_, request))| request.kind() == kind && self.could_begin(request));
                    let ends = begin
                        .map(|(index, (place, request))| (self.end(request), request.arrival, index, *place));
                    ends.min().map(|(.., place)| place)
                }
            };
            place.map(|place| self.read_before(place).unwrap_or(place))
        })
    }
}

fn any_rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::AtOnce),
        Just(Rule::InOrder),
        (0_u64..40).prop_map(|time| Rule::EarliestEnd(Duration(time)))
    ]
}

fn any_load() -> impl Strategy<Value = UnitLoad> {
    (0_u64..60, any::<bool>(), 0_u32..4, 0_u64..60).prop_map(|(from, is_idle, how, reads)| UnitLoad {
        idle_from: SimTime(if is_idle { 0 } else { from }),
        is_idle,
        is_collecting: how == 0,
        reads_from: (how == 1).then_some(SimTime(reads)),
        ..UnitLoad::default()
    })
}

/// A request of few kinds of shares, so that groups have several; when it arrived, its own deadline, and whether it is behind another.
fn any_waiting() -> impl Strategy<Value = WaitingRequest> {
    let shares = proptest::collection::btree_map(0_u32..5, 1_u64..3, 0..3);
    (
        prop_oneof![Just(READ), Just(WRITE)],
        0_u64..30,
        shares,
        proptest::option::of(0_u64..40),
        0_u32..5,
    )
        .prop_map(|(kind, arrival, shares, deadline, behind)| WaitingRequest {
            deadline: deadline.map(Duration),
            behind: u32::from(behind == 0),
            ..waiting(&Asked {
                kind,
                arrival,
                shares: shares.into_iter().collect(),
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// One request after the other is chosen as a search chooses it.
    #[test]
    fn the_choice_is_that_of_a_search(
        requests in proptest::collection::vec(any_waiting(), 1..25),
        units in proptest::collection::vec(any_load(), 5),
        (reads, writes) in (any_rule(), any_rule()),
        now in 30_u64..60,
        at_once in any::<bool>(),
    ) {
        let dispatch = if at_once { Dispatch::AllAtOnce } else { Dispatch::JustInTime };
        let mut scheduler = FinishTimes::new(reads, writes, StrongUse::None, dispatch);
        let mut there = WaitingRequests::default();
        for request in requests {
            let due = scheduler.due(&request);
            there.push(request, due);
        }
        loop {
            there.expire(SimTime(now));
            let candidates = all_groups(&there);
            let view = RequestsView {
                now: SimTime(now),
                units: &units,
                requests: &there,
                candidates: &candidates,
                savings: &[],
            };
            let rows = there.places().map(|place| (place, &there[place])).collect();
            let expected = Search { scheduler: &scheduler, view: &view, rows }.pick();
            let found = scheduler.pick(&view);
            prop_assert_eq!(found, expected);
            match found {
                Some(place) => there.remove(place),
                None => break,
            };
        }
    }
}
