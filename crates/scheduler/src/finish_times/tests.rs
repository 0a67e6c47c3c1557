//! Orders of requests, worked by hand, and what holds for all of them.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::requests::UnitLoad;
use crate::waiting::{WaitingRequests, Wanted};

mod search;

const READ: RequestKind = RequestKind::Read;
const WRITE: RequestKind = RequestKind::Write;

/// A request that arrives and wants units, each for a time.
#[derive(Clone, Debug)]
struct Asked {
    kind: RequestKind,
    arrival: u64,
    shares: Vec<(u32, u64)>,
}

fn waiting(wanted: &Asked) -> WaitingRequest {
    let shares = wanted.shares.iter();
    WaitingRequest {
        wanted: Wanted {
            kind: wanted.kind,
            shares: shares
                .map(|&(unit, time)| UnitShare {
                    unit,
                    pages: 1,
                    time: Duration(time),
                })
                .collect(),
        },
        arrival: SimTime(wanted.arrival),
        deadline: None,
        behind: 0,
    }
}

/// The groups that have requests.
fn all_groups(requests: &WaitingRequests) -> Vec<usize> {
    let there = |place: &usize| requests.groups()[*place].oldest().is_some();
    (0..requests.groups().len()).filter(there).collect()
}

/// The groups that can be chosen: those that could begin, or all where a request waits no longer for its units.
fn candidates_of(scheduler: &FinishTimes, view: &RequestsView<'_>) -> Vec<usize> {
    let groups = view.requests.groups();
    let mut candidates = all_groups(view.requests);
    let is_eager = |place: &usize| !scheduler.waits_for_units(groups[*place].kind());
    let all = view.requests.first_due() <= view.now || candidates.iter().any(is_eager);
    candidates.retain(|place| all || prospect(view, &groups[*place]).begins);
    candidates
}

/// What is chosen of requests on one view: the first has place 0.
fn picked(
    scheduler: &mut FinishTimes,
    now: u64,
    units: &[UnitLoad],
    requests: &[WaitingRequest],
) -> Option<usize> {
    let mut waiting = WaitingRequests::default();
    for request in requests {
        waiting.push(request.clone(), scheduler.due(request));
    }
    waiting.expire(SimTime(now));
    scheduler.pick(&RequestsView {
        now: SimTime(now),
        units,
        requests: &waiting,
        candidates: &all_groups(&waiting),
        savings: &[],
    })
}

/// Units that serve what was handed to them in its order, and requests that arrive. Tells when each request was let in and when it
/// ended, in the order in which they were let in.
fn served(scheduler: &mut FinishTimes, busy_until: &[u64], wanted: &[Asked]) -> Vec<(usize, u64, u64)> {
    let mut idle_from = busy_until.to_vec();
    let mut arrivals: VecDeque<usize> = (0..wanted.len()).collect();
    let mut requests = WaitingRequests::default();
    let (mut now, mut served) = (0, Vec::new());
    loop {
        while let Some(&next) = arrivals.front()
            && wanted[next].arrival <= now
        {
            let request = waiting(&wanted[next]);
            let due = scheduler.due(&request);
            requests.push(request, due);
            arrivals.pop_front();
        }
        loop {
            let units: Vec<UnitLoad> = idle_from
                .iter()
                .map(|&from| UnitLoad {
                    idle_from: SimTime(from.max(now)),
                    is_idle: from <= now,
                    strong: StrongPages::default(),
                    ..UnitLoad::default()
                })
                .collect();
            requests.expire(SimTime(now));
            let candidates = all_groups(&requests);
            let view = RequestsView {
                now: SimTime(now),
                units: &units,
                requests: &requests,
                candidates: &candidates,
                savings: &[],
            };
            let among_few = candidates_of(scheduler, &view);
            let expected = scheduler.pick(&RequestsView {
                candidates: &among_few,
                ..view
            });
            assert_eq!(scheduler.pick(&view), expected, "at {now}");
            let Some(place) = scheduler.pick(&view) else {
                let wants_idle = |group: &RequestGroup| prospect(&view, group).begins;
                assert!(
                    !view.candidates().any(wants_idle),
                    "a unit has nothing to do at {now}"
                );
                break;
            };
            let chosen = &requests[place];
            let competes = |group: &RequestGroup| {
                let wants = |share: &UnitShare| chosen.shares().iter().any(|own| own.unit == share.unit);
                group.kind() == READ && group.shares().iter().any(wants)
            };
            if chosen.kind() == WRITE
                && SimTime(now) < scheduler.due(chosen)
                && scheduler.reads != Rule::InOrder
            {
                assert!(!view.candidates().any(competes), "a write before a read at {now}");
            }
            let number = requests.number(place) as usize;
            let request: WaitingRequest = requests.remove(place);
            for share in request.shares() {
                let from = &mut idle_from[share.unit as usize];
                *from = (*from).max(now) + share.time.ns();
            }
            let ends = request
                .shares()
                .iter()
                .map(|share| idle_from[share.unit as usize]);
            served.push((number, now, ends.max().unwrap_or(now)));
        }
        let of_units = idle_from.iter().copied().filter(|from| *from > now);
        let of_arrivals = arrivals.front().map(|&next| wanted[next].arrival);
        match of_units.chain(of_arrivals).min() {
            Some(next) => now = next,
            None => return served,
        }
    }
}

fn shortest(deadline: u64, dispatch: Dispatch) -> FinishTimes {
    let rule = Rule::EarliestEnd(Duration(deadline));
    FinishTimes::new(rule, rule, StrongUse::None, dispatch)
}

/// Six writes at once, of one page of 2 in each of their units (the layout of DLV's figure 7, with normal pages only).
fn figure_7() -> Vec<Asked> {
    let units: [&[u32]; 6] = [&[0, 1], &[1, 3], &[1, 2], &[0, 1, 3], &[1, 2], &[1, 2, 3]];
    let write = |units: &&[u32]| Asked {
        kind: WRITE,
        arrival: 0,
        shares: units.iter().map(|&unit| (unit, 2)).collect(),
    };
    units.iter().map(write).collect()
}

/// First come, first served: 5, 5, 7, 9, 11 and 13, as the specification has it. The one that ends first goes first: W2 would
/// end at 3, W0 then at 5 like all others but W4, and each that follows holds up the next by 2 in the unit that all of them want.
#[test]
fn what_ends_first_goes_first() {
    let busy_until = [3, 1, 0, 3];
    let mut in_order = FinishTimes::new(Rule::InOrder, Rule::InOrder, StrongUse::None, Dispatch::AllAtOnce);
    let ends: Vec<u64> = served(&mut in_order, &busy_until, &figure_7())
        .iter()
        .map(|row| row.2)
        .collect();
    assert_eq!(ends, [5, 5, 7, 9, 11, 13]);
    let found = served(
        &mut shortest(1_000, Dispatch::AllAtOnce),
        &busy_until,
        &figure_7(),
    );
    let order: Vec<(usize, u64)> = found.iter().map(|row| (row.0, row.2)).collect();
    assert_eq!(order, [(2, 3), (0, 5), (1, 7), (3, 9), (4, 11), (5, 13)]);
    // let in when a unit has nothing to do: at 0 the third unit, at 2 it again, at 3 the first and the second
    let found = served(
        &mut shortest(1_000, Dispatch::JustInTime),
        &busy_until,
        &figure_7(),
    );
    assert_eq!((found[0].0, found[0].1), (2, 0));
    assert!(found.windows(2).all(|pair| pair[0].1 <= pair[1].1));
}

/// A write of ten pages behind a running one, and writes of a page which come faster than they are served (DLV, section
/// 9.4 of the specification): without a deadline it starves.
#[test]
fn nothing_waits_past_its_deadline() {
    const US: u64 = 1_000;
    let write = |arrival: u64, pages: u64| Asked {
        kind: WRITE,
        arrival,
        shares: vec![(0, pages * 600 * US)],
    };
    let mut wanted = vec![write(0, 10)];
    wanted.extend((1..10_400).map(|number| write(number * 500 * US, 1)));
    let let_in_at = |deadline: u64| {
        let found = served(
            &mut shortest(deadline, Dispatch::JustInTime),
            &[600 * US],
            &wanted,
        );
        found.iter().find(|row| row.0 == 0).unwrap().1
    };
    let at = let_in_at(5_000_000 * US);
    assert!((5_000_000 * US..=5_000_600 * US).contains(&at), "{at}");
    assert!(let_in_at(60_000_000 * US) >= 5_200_000 * US);
}

#[test]
fn reads_go_before_writes_and_what_is_expired_before_reads() {
    let view_of = |requests: &[WaitingRequest], now: u64, collecting: bool| {
        let unit = UnitLoad {
            idle_from: SimTime(now),
            is_idle: true,
            is_collecting: collecting,
            ..UnitLoad::default()
        };
        picked(&mut shortest(50, Dispatch::JustInTime), now, &[unit], requests)
    };
    let request = |kind: RequestKind, arrival: u64, time: u64, behind: u32| WaitingRequest {
        behind,
        ..waiting(&Asked {
            kind,
            arrival,
            shares: vec![(0, time)],
        })
    };
    let both = [request(WRITE, 0, 1, 0), request(READ, 1, 9, 0)];
    assert_eq!(view_of(&both, 49, false), Some(1));
    assert_eq!(view_of(&both, 50, false), Some(0));
    // a write waits for collection, expired or not, a read does not; neither overtakes what it is behind
    assert_eq!(view_of(&both[..1], 60, true), None);
    assert_eq!(view_of(&both, 60, true), Some(1));
    let dependent = [request(WRITE, 0, 9, 0), request(READ, 1, 1, 1)];
    assert_eq!(view_of(&dependent, 10, false), Some(0));
    // of several that would end at the same time the first
    let alike = [
        request(READ, 3, 4, 0),
        request(READ, 3, 4, 0),
        request(READ, 2, 5, 0),
    ];
    assert_eq!(view_of(&alike, 5, false), Some(0));
}

/// A unit that makes space gives a read its turn between two steps, and a write none before the end.
#[test]
fn a_read_begins_between_the_steps_of_a_collection() {
    let unit = UnitLoad {
        idle_from: SimTime(90),
        is_collecting: true,
        ..UnitLoad::default()
    };
    for (kind, expected) in [(READ, Some(0)), (WRITE, None)] {
        let wanted = Asked {
            kind,
            arrival: 0,
            shares: vec![(0, 1)],
        };
        let found = picked(
            &mut shortest(50, Dispatch::JustInTime),
            1,
            &[unit],
            &[waiting(&wanted)],
        );
        assert_eq!(found, expected);
    }
}

/// A read need not wait for a program that is suspended for it, and ends as if the unit were idle; a write waits.
#[test]
fn a_read_goes_before_what_is_suspended_for_it() {
    let unit = UnitLoad {
        idle_from: SimTime(90),
        reads_from: Some(SimTime(3)),
        ..UnitLoad::default()
    };
    let idle = UnitLoad {
        is_idle: true,
        ..UnitLoad::default()
    };
    let request = |kind: RequestKind, unit: u32, time: u64| {
        waiting(&Asked {
            kind,
            arrival: 0,
            shares: vec![(unit, time)],
        })
    };
    let pick = |requests: &[WaitingRequest]| {
        picked(
            &mut shortest(50, Dispatch::JustInTime),
            1,
            &[unit, idle],
            requests,
        )
    };
    assert_eq!(pick(&[request(READ, 0, 1)]), Some(0));
    assert_eq!(pick(&[request(WRITE, 0, 1)]), None);
    // 3 + 1 before 1 + 4, and after 1 + 2
    assert_eq!(pick(&[request(READ, 1, 4), request(READ, 0, 1)]), Some(1));
    assert_eq!(pick(&[request(READ, 1, 2), request(READ, 0, 1)]), Some(0));
}

/// A write of units 0, which has nothing to do, and 1, which is busy, and a read of unit 1: the read goes first, or writes of that kind could
/// keep it waiting for as long as they come.
#[test]
fn no_write_is_let_in_before_a_read_of_a_busy_unit_of_it() {
    let wanted = |kind: RequestKind, arrival: u64, shares: &[(u32, u64)]| Asked {
        kind,
        arrival,
        shares: shares.to_vec(),
    };
    let write = |arrival: u64| wanted(WRITE, arrival, &[(0, 6), (1, 6)]);
    let mut requests = vec![write(0), wanted(READ, 1, &[(1, 1)])];
    requests.extend((1..50).map(|number| write(number * 6)));
    for writes in [Rule::InOrder, Rule::EarliestEnd(Duration(1_000))] {
        let reads = Rule::EarliestEnd(Duration(1_000));
        let mut scheduler = FinishTimes::new(reads, writes, StrongUse::None, Dispatch::JustInTime);
        let found = served(&mut scheduler, &[0, 3], &requests);
        assert_eq!(found[1], (1, 6, 10), "{found:?}");
    }
}

/// Of two writes that came at once the one goes first whose host wants it done by then, before reads too; until then the drive's own deadline holds.
#[test]
fn a_deadline_of_the_host_replaces_that_of_the_drive() {
    let unit = UnitLoad {
        idle_from: SimTime(20),
        is_idle: true,
        ..UnitLoad::default()
    };
    let request = |kind: RequestKind, time: u64, deadline: Option<u64>| WaitingRequest {
        deadline: deadline.map(Duration),
        ..waiting(&Asked {
            kind,
            arrival: 10,
            shares: vec![(0, time)],
        })
    };
    let pick = |requests: &[WaitingRequest]| {
        let mut scheduler = shortest(1_000, Dispatch::JustInTime);
        let picked = picked(&mut scheduler, 20, &[unit], requests).unwrap();
        (picked, scheduler.due(&requests[picked]) <= SimTime(20))
    };
    let late = |deadline: Option<u64>| request(WRITE, 9, deadline);
    assert_eq!(pick(&[request(WRITE, 1, None), late(None)]), (0, false));
    assert_eq!(pick(&[request(WRITE, 1, None), late(Some(10))]), (1, true));
    assert_eq!(pick(&[request(READ, 1, None), late(Some(10))]), (1, true));
    assert_eq!(pick(&[request(WRITE, 1, None), late(Some(11))]), (0, false));
}

fn any_request() -> impl Strategy<Value = Asked> {
    (
        prop_oneof![Just(READ), Just(WRITE)],
        0_u64..60,
        proptest::collection::btree_map(0_u32..4, 1_u64..20, 1..4),
    )
        .prop_map(|(kind, arrival, shares)| Asked {
            kind,
            arrival,
            shares: shares.into_iter().collect(),
        })
}

fn any_requests() -> impl Strategy<Value = Vec<Asked>> {
    proptest::collection::vec(any_request(), 1..30).prop_map(|mut wanted| {
        wanted.sort_by_key(|request| request.arrival);
        wanted
    })
}

proptest! {
    /// Each request is let in once, no unit rests while one wants it (`served` checks that), and once a request is expired none of
    /// its kind that came later goes before it.
    #[test]
    fn every_request_is_let_in_once(wanted in any_requests(), deadline in 0_u64..80, at_once in any::<bool>()) {
        let dispatch = if at_once { Dispatch::AllAtOnce } else { Dispatch::JustInTime };
        let found = served(&mut shortest(deadline, dispatch), &[7, 0, 3, 0], &wanted);
        let mut numbers: Vec<usize> = found.iter().map(|row| row.0).collect();
        for (place, &(number, at, _)) in found.iter().enumerate() {
            prop_assert!(at >= wanted[number].arrival);
            for &(later, then, _) in &found[place + 1..] {
                let is_passed = later < number && wanted[later].kind == wanted[number].kind;
                let was_expired = wanted[later].arrival + deadline <= at;
                let is_expired_too = wanted[number].arrival + deadline <= at;
                prop_assert!(!(is_passed && was_expired && !is_expired_too), "{later} at {then} after {number} at {at}");
            }
        }
        numbers.sort_unstable();
        prop_assert!(numbers.into_iter().eq(0..wanted.len()));
    }

    /// Nothing starves (specification of DLV, section 10): once a request is expired, it waits for what its units were handed before, and for older requests that are
    /// expired too, and for nothing else.
    #[test]
    fn an_expired_request_waits_for_older_ones_only(wanted in any_requests(), deadline in 0_u64..80, at_once in any::<bool>()) {
        let dispatch = if at_once { Dispatch::AllAtOnce } else { Dispatch::JustInTime };
        let busy = [7, 0, 3, 0];
        let found = served(&mut shortest(deadline, dispatch), &busy, &wanted);
        for (place, &(number, at, _)) in found.iter().enumerate() {
            let request = &wanted[number];
            let expired = request.arrival + deadline;
            if at <= expired {
                continue;
            }
            let wants = |other: usize| {
                let units = |share: &(u32, u64)| request.shares.iter().any(|own| own.0 == share.0);
                wanted[other].shares.iter().any(units)
            };
            // until when each unit is busy with what it had been handed when the request expired
            let mut idle_from = busy;
            let mut older = 0;
            for &(other, then, _) in &found[..place] {
                if then <= expired {
                    for &(unit, time) in &wanted[other].shares {
                        let from = &mut idle_from[unit as usize];
                        *from = (*from).max(then) + time;
                    }
                } else if wants(other) {
                    prop_assert!(other < number, "{other} at {then} before {number}, expired at {expired}");
                    older += wanted[other].shares.iter().map(|share| share.1).max().unwrap_or(0);
                }
            }
            let dispatched = request.shares.iter().map(|share| idle_from[share.0 as usize]).max().unwrap_or(0);
            prop_assert!(at <= dispatched.max(expired) + older, "{number} at {at}: {dispatched}, {older}");
        }
    }

    /// With no time to wait, requests are let in as they come.
    #[test]
    fn without_patience_the_order_is_that_of_arrival(wanted in any_requests()) {
        let found = served(&mut shortest(0, Dispatch::JustInTime), &[7, 0, 3, 0], &wanted);
        prop_assert!(found.iter().map(|row| row.0).eq(0..wanted.len()));
    }

    /// Writes that keep their order do so in every unit.
    #[test]
    fn writes_in_order_keep_it_in_every_unit(wanted in any_requests()) {
        let reads = Rule::EarliestEnd(Duration(40));
        let mut scheduler = FinishTimes::new(reads, Rule::InOrder, StrongUse::None, Dispatch::JustInTime);
        let found = served(&mut scheduler, &[7, 0, 3, 0], &wanted);
        for unit in 0..4 {
            let of_unit = found.iter().map(|row| row.0).filter(|number| {
                let wanted = &wanted[*number];
                wanted.kind == WRITE && wanted.shares.iter().any(|share| share.0 == unit)
            });
            prop_assert!(of_unit.is_sorted());
        }
    }
}

/// Requests of four units each on 128 units: the choice is the one of a search that computes every end.
fn choose_among(depth: u32) {
    let units: Vec<UnitLoad> = (0..128_u64)
        .map(|unit| UnitLoad {
            idle_from: SimTime(1_000 + unit * 7 % 128),
            is_idle: unit % 3 == 0,
            is_collecting: unit % 41 == 5,
            ..UnitLoad::default()
        })
        .collect();
    let requests: Vec<WaitingRequest> = (0..depth)
        .map(|number| {
            let shares = (0..4).map(|part| ((number * 37 + part * 29) % 128, u64::from(number * 13 % 97)));
            waiting(&Asked {
                kind: WRITE,
                arrival: u64::from(number),
                shares: shares.collect(),
            })
        })
        .collect();
    let ends = requests.iter().enumerate().filter_map(|(place, request)| {
        let of = |share: &UnitShare| &units[share.unit as usize];
        let collects = request.shares().iter().any(|share| of(share).is_collecting);
        let begins = request.shares().iter().any(|share| of(share).is_idle);
        let end = request
            .shares()
            .iter()
            .map(|share| of(share).idle_from.0 + share.time.ns())
            .max();
        (begins && !collects).then_some((end, place))
    });
    let expected = ends.min().map(|(_, place)| place);
    assert!(expected.is_some());
    let mut scheduler = shortest(10_000, Dispatch::JustInTime);
    assert_eq!(picked(&mut scheduler, 1_000, &units, &requests), expected);
}

#[test]
fn the_choice_among_16_requests() {
    choose_among(16);
}

#[test]
fn the_choice_among_64_requests() {
    choose_among(64);
}

#[test]
fn the_choice_among_256_requests() {
    choose_among(256);
}
