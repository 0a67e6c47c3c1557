//! Writes into strong blocks, worked by hand: examples 9.1 and 9.2 of the specification, in which a program takes 2 units of time, 1 in
//! a strong block, and transfers none; and what holds for all of them.

use proptest::prelude::*;

use super::*;
use crate::finish_times::{Dispatch, FinishTimes, Rule};
use crate::requests::RequestScheduler;
use crate::waiting::{RequestKind, WaitingRequests, Wanted};

const NORMAL: u64 = 2;
const SAVINGS: [Duration; 1] = [Duration(1)];

/// A write of a page in each of these units, counted from 1.
fn write(units: &[u32]) -> WaitingRequest {
    let share = |unit: &u32| UnitShare {
        unit: unit - 1,
        pages: 1,
        time: Duration(NORMAL),
    };
    WaitingRequest {
        wanted: Wanted {
            kind: RequestKind::Write,
            shares: units.iter().map(share).collect(),
        },
        arrival: SimTime::ZERO,
        deadline: None,
        behind: 0,
    }
}

/// Units that are busy up to a time and have so many strong pages.
fn units(idle_from: [u64; 4], strong: [u32; 4]) -> Vec<UnitLoad> {
    let unit = |(idle_from, strong)| UnitLoad {
        idle_from: SimTime(idle_from),
        is_idle: idle_from == 0,
        strong: [strong, 0, 0],
        ..UnitLoad::default()
    };
    idle_from.into_iter().zip(strong).map(unit).collect()
}

/// More places than a test has groups.
const PLACES: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Requests in the places of their order that are never due.
fn waiting(requests: impl IntoIterator<Item = WaitingRequest>) -> WaitingRequests {
    let mut waiting = WaitingRequests::default();
    for request in requests {
        waiting.push(request, SimTime::NEVER);
    }
    waiting
}

fn view<'a>(now: u64, units: &'a [UnitLoad], requests: &'a WaitingRequests) -> RequestsView<'a> {
    RequestsView {
        now: SimTime(now),
        units,
        requests,
        candidates: &PLACES[..requests.groups().len()],
        savings: &SAVINGS,
    }
}

/// The write that goes next, if one does: its number, when it goes, its units (from 1) in strong and in normal blocks, when it ends.
type Step = (usize, u64, Vec<u32>, Vec<u32>, u64);

/// Lets all writes in.
fn steps(
    scheduler: &mut FinishTimes,
    mut units: Vec<UnitLoad>,
    mut left: Vec<(usize, WaitingRequest)>,
) -> Vec<Step> {
    let (mut now, mut steps) = (0, Vec::new());
    while !left.is_empty() {
        for unit in &mut units {
            unit.is_idle = unit.idle_from.ns() <= now;
        }
        let requests = waiting(left.iter().map(|(_, request)| request.clone()));
        let seen = view(now, &units, &requests);
        let Some(place) = scheduler.pick(&seen) else {
            let later = units
                .iter()
                .map(|unit| unit.idle_from.ns())
                .filter(|from| *from > now);
            now = later.min().unwrap();
            continue;
        };
        let mut placed = Vec::new();
        scheduler.place(&seen, place, &mut placed);
        let (number, request) = left.remove(place);
        placed.resize(request.shares().len(), StrongPages::default());
        let (mut strong, mut normal, mut end) = (Vec::new(), Vec::new(), 0);
        for (share, [pages, ..]) in request.shares().iter().zip(placed) {
            let unit = &mut units[share.unit as usize];
            let took = NORMAL - u64::from(pages);
            unit.idle_from = SimTime(unit.idle_from.ns().max(now) + took);
            unit.strong[0] -= pages;
            if pages > 0 { &mut strong } else { &mut normal }.push(share.unit + 1);
            end = end.max(unit.idle_from.ns());
        }
        steps.push((number, now, strong, normal, end));
    }
    steps
}

fn hws(strong: StrongUse, dispatch: Dispatch) -> FinishTimes {
    let writes = Rule::EarliestEnd(Duration(1_000));
    FinishTimes::new(Rule::AtOnce, writes, strong, dispatch)
}

const FEWEST: StrongUse = StrongUse::Fewest(ExceptionB::NoContention);
const ALL: StrongUse = StrongUse::All(ExceptionB::NoContention);

fn figure_7() -> Vec<(usize, WaitingRequest)> {
    let wanted: [&[u32]; 6] = [&[1, 2], &[2, 4], &[2, 3], &[1, 2, 4], &[2, 3], &[2, 3, 4]];
    wanted.iter().map(|units| write(units)).enumerate().collect()
}

/// Example 9.1: order, places, ends and the mean response of 4.67; just in time the writes go at 0, 2, 3 and 5.
#[test]
fn the_six_writes_of_figure_7() {
    let ends_of = |dispatch| {
        let units = units([3, 1, 0, 3], [0, 5, 1, 1]);
        steps(&mut hws(FEWEST, dispatch), units, figure_7())
    };
    let expected = [
        (2, 0, vec![2], vec![3], 2),
        (4, 2, vec![2, 3], vec![], 3),
        (1, 3, vec![2, 4], vec![], 4),
        (0, 3, vec![2], vec![1], 5),
        (5, 3, vec![2], vec![3, 4], 6),
        (3, 5, vec![], vec![1, 2, 4], 8),
    ];
    assert_eq!(ends_of(Dispatch::JustInTime), expected);
    let at_once = expected.map(|(number, _, strong, normal, end)| (number, 0, strong, normal, end));
    assert_eq!(ends_of(Dispatch::AllAtOnce), at_once);
    let sum: u64 = at_once.iter().map(|step| step.4).sum();
    assert_eq!(sum, 28);
}

/// Example 9.2: two strong pages instead of five.
#[test]
fn strong_pages_are_spent_where_they_count() {
    let let_in = |strong| {
        let writes = vec![(0, write(&[4, 3, 2])), (1, write(&[2, 1]))];
        // A first
        let in_order = FinishTimes::new(Rule::InOrder, Rule::InOrder, strong, Dispatch::AllAtOnce);
        steps(&mut { in_order }, units([8, 6, 5, 5], [9; 4]), writes)
    };
    let ends = |steps: &[Step]| [steps[0].4, steps[1].4];
    let oblivious = let_in(StrongUse::None);
    assert_eq!(ends(&oblivious), [8, 10]);
    let all = let_in(ALL);
    assert_eq!(ends(&all), [7, 9]);
    assert_eq!(all.iter().map(|step| step.2.len()).sum::<usize>(), 5);
    let fewest = let_in(FEWEST);
    assert_eq!(fewest[0], (0, 0, vec![2], vec![4, 3], 7));
    assert_eq!(fewest[1], (1, 0, vec![1], vec![2], 9));
}

#[test]
fn a_write_without_competitors_goes_to_normal_blocks() {
    let units = units([0; 4], [5; 4]);
    let placed = |strong: StrongUse, requests: &[WaitingRequest]| {
        let mut placed = Vec::new();
        let requests = waiting(requests.iter().cloned());
        strong.place(&view(0, &units, &requests), &requests[0], &mut placed);
        placed
    };
    let alone = [write(&[1, 2]), write(&[3])];
    let contended = [write(&[1, 2]), write(&[2, 3])];
    for hws in [StrongUse::Fewest, StrongUse::All] {
        let no_contention = hws(ExceptionB::NoContention);
        assert!(placed(no_contention, &alone).is_empty());
        assert_eq!(placed(no_contention, &contended), [[1, 0, 0]; 2]);
        // the literal reading: all of its units have nothing to do
        assert!(placed(hws(ExceptionB::IdleOnly), &contended).is_empty());
    }
    // small writes
    assert_eq!(placed(StrongUse::OfSmallWrites(2), &alone), [[1, 0, 0]; 2]);
    assert!(placed(StrongUse::OfSmallWrites(1), &alone).is_empty());
}

/// Step 5 of HWS is all that PV+reorder changes: where nothing has to be saved, it takes strong pages and HWS none.
#[test]
fn all_strong_pages_are_taken_where_none_is_needed() {
    let units = units([8, 6, 0, 0], [5; 4]);
    let requests = waiting([write(&[1, 2]), write(&[2])]);
    let placed = |strong: StrongUse| {
        let mut placed = Vec::new();
        strong.place(&view(0, &units, &requests), &requests[0], &mut placed);
        placed
    };
    // unit 1 ends at 9 with a strong page, unit 2 at 8 without one
    assert_eq!(placed(FEWEST), [[1, 0, 0], [0, 0, 0]]);
    assert_eq!(placed(ALL), [[1, 0, 0]; 2]);
}

/// With three strong classes: 4 pages of 100 each, 30, 20 and 10 less in strong blocks, 1, 2 and 3 pages free in these.
#[test]
fn of_several_classes_the_slowest_are_used_first() {
    let share = UnitShare {
        unit: 0,
        pages: 4,
        time: Duration(400),
    };
    let there = [1, 2, 3];
    let savings = [30, 20, 10].map(Duration);
    assert_eq!(most_saved(4, &there, &savings), Duration(30 + 40 + 10));
    let fewest = |missing| fewest_of(&share, &there, &savings, Duration(missing));
    assert_eq!(fewest(0), [0, 0, 0]);
    assert_eq!(fewest(1), [0, 0, 1]);
    assert_eq!(fewest(30), [0, 0, 3]);
    assert_eq!(fewest(31), [0, 1, 2]);
    assert_eq!(fewest(60), [0, 2, 2]);
    assert_eq!(fewest(61), [1, 1, 2]);
    assert_eq!(fewest(80), [1, 2, 1]);
}

proptest! {
    /// The places of a write let it end when it can, with one strong page less it would not, and no more are used than with all.
    #[test]
    fn no_strong_page_is_wasted(
        idle_from in proptest::collection::vec(0_u64..40, 4),
        strong in proptest::collection::vec([0_u32..4, 0_u32..4, 0_u32..4], 4),
        pages in proptest::collection::vec(1_u32..6, 4),
        mut savings in [1_u64..10, 1_u64..10, 1_u64..10],
    ) {
        savings.sort_unstable_by(|a, b| b.cmp(a));
        let savings = savings.map(Duration);
        let units: Vec<UnitLoad> = idle_from.iter().zip(strong).map(|(idle_from, strong)| UnitLoad {
            idle_from: SimTime(*idle_from),
            strong,
            ..UnitLoad::default()
        }).collect();
        let shares: Vec<UnitShare> = (0..).zip(&pages).map(|(unit, pages)| UnitShare {
            unit,
            pages: *pages,
            time: Duration(10 * u64::from(*pages)),
        }).collect();
        let wanted = Wanted { kind: RequestKind::Write, shares };
        let request = WaitingRequest { wanted, arrival: SimTime::ZERO, deadline: None, behind: 0 };
        let requests = waiting([request.clone(), request.clone()]);
        let view = RequestsView { savings: &savings, ..view(7, &units, &requests) };
        let (mut fewest, mut all) = (Vec::new(), Vec::new());
        FEWEST.place(&view, &requests[0], &mut fewest);
        ALL.place(&view, &requests[0], &mut all);
        let end = |share: &UnitShare, used: &StrongPages| {
            let saved: u64 = used.iter().zip(savings).map(|(pages, saving)| u64::from(*pages) * saving.ns()).sum();
            idle_from[share.unit as usize].max(7) + share.time.ns() - saved
        };
        let ends_of = |placed: &[StrongPages]| request.shares().iter().zip(placed).map(|(share, used)| end(share, used)).max();
        let best = ends_of(&all);
        prop_assert_eq!(ends_of(&fewest), best);
        for ((share, used), unit) in request.shares().iter().zip(&fewest).zip(&units) {
            prop_assert!(used.iter().sum::<u32>() <= share.pages);
            for class in 0..3 {
                prop_assert!(used[class] <= unit.strong[class]);
                if used[class] > 0 {
                    let mut fewer = *used;
                    fewer[class] -= 1;
                    prop_assert!(Some(end(share, &fewer)) > best);
                }
            }
        }
        let sum = |placed: &[StrongPages]| placed.iter().flatten().sum::<u32>();
        prop_assert!(sum(&fewest) <= sum(&all));
    }

    /// Strong pages that are no faster are not used, and change nothing about the order: what ends first goes first.
    #[test]
    fn without_faster_blocks_the_shortest_goes_first(
        idle_from in proptest::collection::vec(0_u64..20, 4),
        wanted in proptest::collection::vec(proptest::collection::btree_set(0_u32..4, 1..4), 1..12),
    ) {
        let units: Vec<UnitLoad> = idle_from.iter().map(|idle_from| UnitLoad {
            idle_from: SimTime(*idle_from),
            strong: [3, 0, 0],
            ..UnitLoad::default()
        }).collect();
        let requests = waiting(wanted.iter().map(|units| write(&units.iter().map(|unit| unit + 1).collect::<Vec<u32>>())));
        let view = RequestsView { savings: &[Duration::ZERO], ..view(0, &units, &requests) };
        let (mut fewest, mut none) = (hws(FEWEST, Dispatch::AllAtOnce), hws(StrongUse::None, Dispatch::AllAtOnce));
        let place = fewest.pick(&view);
        prop_assert_eq!(place, none.pick(&view));
        let mut placed = Vec::new();
        fewest.place(&view, place.unwrap(), &mut placed);
        prop_assert!(placed.iter().all(|pages| *pages == StrongPages::default()));
    }
}
