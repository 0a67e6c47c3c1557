//! The worked examples of the specification ("diffecc", section 8), and its properties (section 9).

use proptest::prelude::*;
use wordline_nand::{Mode, Ppn};
use wordline_units::{Duration, SimTime};

use super::plan::{Demand, Dispatcher, Plan, PlanOrder};
use super::{DiffEcc, DiffEccKeys, IdleInterval, LoadScope};
use crate::host_work::{HostLoad, HostWork};
use crate::plan::HOST;
use crate::plan::{Cause, Lpn, Route, Scope, Step, Target, Work};
use crate::policy::mode::{DescribedMode, ModePolicy, ModeView, Modes};

/// A whole page in the normal mode (section 2).
const READ: Duration = Duration(107_160);

fn us(us: u64) -> Duration {
    Duration::from_us(us)
}

/// Modes 1 and 8.
fn two() -> Vec<Duration> {
    vec![us(500), us(754)]
}

fn demand(idle_us: u64, reads: u32, programs: u32) -> Demand {
    Demand {
        idle: us(idle_us),
        reads,
        programs,
        units: 1,
    }
}

fn plan(times: &[Duration], demand: &Demand) -> (usize, usize, u32) {
    let plan = Plan::new(times, READ, demand);
    assert_eq!(plan.programs, demand.programs);
    (plan.fast, plan.slow, plan.slow_programs)
}

/// The modes of a queue of programs that only shrinks, while nothing else changes.
fn dispatched(times: &[Duration], order: PlanOrder, demand: &Demand) -> Vec<usize> {
    let mut dispatcher = Dispatcher::default();
    let left = (1..=demand.programs).rev();
    left.map(|programs| dispatcher.next(times, READ, order, &Demand { programs, ..*demand }))
        .collect()
}

#[test]
fn example_a_all_pages_are_slow() {
    assert_eq!(plan(&two(), &demand(9_000, 5, 10)), (1, 1, 0));
}

#[test]
fn example_b_a_half_is_slow_in_turns() {
    let demand = demand(7_000, 5, 10);
    assert_eq!(plan(&two(), &demand), (0, 1, 5));
    let by = |order| dispatched(&two(), order, &demand);
    assert_eq!(by(PlanOrder::ErrorDiffusion), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(by(PlanOrder::SlowFirst), [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(by(PlanOrder::FastFirst), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn example_c_the_two_modes_are_neighbours() {
    let times = [500, 560, 640, 800].map(us);
    assert_eq!(plan(&times, &demand(5_900, 0, 10)), (1, 2, 3));
}

#[test]
fn example_d_all_pages_are_fast() {
    assert_eq!(plan(&two(), &demand(5_000, 1, 10)), (0, 0, 0));
}

/// Example B once more, on 4 units with a quarter of the idle time, and with 4 times as many pages and reads.
#[test]
fn units_share_the_work_of_the_drive() {
    let of_drive = |idle_us, reads, programs| Demand {
        units: 4,
        ..demand(idle_us, reads, programs)
    };
    assert_eq!(plan(&two(), &of_drive(1_750, 5, 10)), (0, 1, 5));
    assert_eq!(plan(&two(), &of_drive(7_000, 20, 40)), (0, 1, 23));
}

/// Ten pages wait, five of them to be slow. After four, six more come and the idle time is long enough for all.
#[test]
fn a_plan_ends_when_more_comes_to_wait_and_what_was_carried_over_stays() {
    let mut dispatcher = Dispatcher::default();
    let mut next = |idle, programs| {
        dispatcher.next(
            &two(),
            READ,
            PlanOrder::ErrorDiffusion,
            &demand(idle, 0, programs),
        )
    };
    let first: Vec<_> = [10, 9, 8].map(|programs| next(6_464, programs)).into();
    assert_eq!(first, [0, 1, 0]);
    // 0.5 of a program was carried over; 10 pages more in the same time: 16 * 500 us fit into 8,464 us with 464 / 254 = 1 slow one
    assert_eq!(next(8_464, 16), 0);
    // the plan of 16 is kept while the queue shrinks, whatever time there were now
    let rest: Vec<_> = (2..16).rev().map(|programs| next(100_000, programs)).collect();
    assert_eq!(rest.iter().position(|mode| *mode == 1), Some(6));
    assert_eq!(rest.iter().filter(|mode| **mode == 1).count(), 1);
    // the last of a queue clears everything
    assert_eq!(next(0, 1), 0);
    assert_eq!(next(754, 1), 1);
}

fn described() -> Vec<DescribedMode> {
    let mode = |name: &str, us: u64| DescribedMode {
        name: name.to_owned(),
        program_time: Duration::from_us(us),
    };
    vec![mode("normal", 500), mode("n8", 754)]
}

fn policy(keys: &DiffEccKeys) -> DiffEcc {
    DiffEcc::new(keys, &Modes::new(&described())).unwrap()
}

fn step() -> Step {
    Step {
        work: Work::Program {
            target: Target::Frontier {
                scope: Scope::Drive,
                frontier: HOST,
            },
            sectors: 8,
            route: Route::Controller,
        },
        cause: Cause::Host,
        acknowledges: true,
        after: 0,
        lpn: Lpn(0),
        token: 0,
    }
}

fn asked(policy: &mut DiffEcc, now: SimTime, unit: u32, programs: u32) -> Mode {
    let work = HostWork {
        reads: 0,
        programs,
        idle_since: None,
    };
    let load = HostLoad {
        unit,
        units: 2,
        of_unit: work,
        of_drive: work,
        free_at: now,
    };
    policy.mode(&ModeView {
        now,
        program: &step(),
        page: Ppn(0),
        load: Some(&load),
        bound_before: 0,
    })
}

/// Unit 0 is idle for 1 ms and unit 1 for 0.6 ms, once each in the first 5 s. Nothing is known before they are over.
#[test]
fn every_unit_has_an_estimate_of_its_own() {
    let at = |us: u64| SimTime::ZERO + Duration::from_us(us);
    for scope in [LoadScope::Unit, LoadScope::Drive, LoadScope::DrivePerUnit] {
        let mut policy = policy(&DiffEccKeys {
            load_scope: scope,
            ..DiffEccKeys::default()
        });
        for (unit, to) in [(Some(1), 600), (None, 600), (Some(0), 1_000)] {
            policy.idle_ended(&IdleInterval {
                unit,
                from: at(0),
                to: at(to),
            });
        }
        assert_eq!(asked(&mut policy, at(4_999_999), 0, 1), Mode(0));
        let found = [0, 1].map(|unit| asked(&mut policy, at(5_000_000), unit, 1));
        match scope {
            LoadScope::Unit => assert_eq!(found, [Mode(1), Mode(0)]),
            // 0.6 ms in the drive, and one page: too short
            LoadScope::Drive => assert_eq!(found, [Mode(0), Mode(0)]),
            // 0.6 ms in each of two units, and a page for one of them
            LoadScope::DrivePerUnit => assert_eq!(found, [Mode(1), Mode(1)]),
        }
    }
}

/// Eight programs wait in a drive that is idle for 6 ms at a time: counted one after another, 8 * 754 us are too long and 6,000 / 754 of a unit's
/// share are not.
#[test]
fn the_work_of_the_drive_is_not_divided() {
    let at = |us: u64| SimTime::ZERO + Duration::from_us(us);
    for (scope, slow) in [(LoadScope::Drive, 7), (LoadScope::DrivePerUnit, 8)] {
        let mut policy = policy(&DiffEccKeys {
            load_scope: scope,
            ..DiffEccKeys::default()
        });
        policy.idle_ended(&IdleInterval {
            unit: None,
            from: at(1_000),
            to: at(7_000),
        });
        let modes = (1..=8)
            .rev()
            .map(|programs| asked(&mut policy, at(5_000_001), 0, programs));
        // 8 * 500 us leave 2,000 us, which is 7 times the 254 us of a slow program more
        assert_eq!(modes.filter(|mode| *mode == Mode(1)).count(), slow, "{scope:?}");
    }
}

/// A sample ends a plan: of eight pages none was to be slow, then all are.
#[test]
fn a_sample_ends_a_plan() {
    let at = |us: u64| SimTime::ZERO + Duration::from_us(us);
    let mut policy = policy(&DiffEccKeys::default());
    assert_eq!(asked(&mut policy, at(0), 0, 8), Mode(0));
    policy.idle_ended(&IdleInterval {
        unit: None,
        from: at(1_000),
        to: at(9_000),
    });
    assert_eq!(asked(&mut policy, at(10_000), 0, 7), Mode(0));
    assert_eq!(asked(&mut policy, at(5_000_001), 0, 6), Mode(1));
}

#[test]
fn choices_must_become_slower() {
    let refused = |choices: &[&str]| {
        let choices = choices.iter().map(|name| (*name).to_owned()).collect();
        let keys = DiffEccKeys {
            choices,
            ..DiffEccKeys::default()
        };
        let made = DiffEcc::new(&keys, &Modes::new(&described()));
        made.err().map(|error| error.to_string())
    };
    assert_eq!(refused(&[]), None);
    assert_eq!(refused(&["n8"]), None);
    let error = refused(&["n8", "normal"]).unwrap();
    assert!(
        error.contains("ftl.modes.choices") && error.contains("\"normal\" (500 us)"),
        "{error}"
    );
    let error = refused(&["normal", "n4"]).unwrap();
    assert!(
        error.contains("ftl.modes.choices") && error.contains("\"n4\""),
        "{error}"
    );
    let keys = DiffEccKeys {
        sample_period: Duration::ZERO,
        ..DiffEccKeys::default()
    };
    let error = DiffEcc::new(&keys, &Modes::new(&described())).err().unwrap();
    assert_eq!(error.key, "ftl.modes.sample_period");
}

/// One to six modes, each slower than the one before.
fn modes() -> impl Strategy<Value = Vec<Duration>> {
    prop::collection::vec(1_u64..400_000, 1..=6).prop_map(|steps| {
        let mut time = 100_000;
        let mut later = |step| {
            time += step;
            Duration(time)
        };
        steps.into_iter().map(&mut later).collect()
    })
}

fn demands() -> impl Strategy<Value = Demand> {
    (0_u64..200_000_000, 0_u32..50, 1_u32..200, 1_u32..20).prop_map(|(idle, reads, programs, units)| Demand {
        idle: Duration(idle),
        reads,
        programs,
        units,
    })
}

/// Programs of a plan by mode.
fn by_mode(plan: &Plan, modes: usize) -> Vec<u32> {
    let mut count = vec![0; modes];
    count[plan.fast] += plan.programs - plan.slow_programs;
    count[plan.slow] += plan.slow_programs;
    count
}

proptest! {
    /// What is planned fits into the budget, or all is as fast as can be; another slow program would not fit.
    #[test]
    fn a_plan_fits_into_the_idle_time(times in modes(), demand in demands()) {
        let plan = Plan::new(&times, READ, &demand);
        let total: u128 = by_mode(&plan, times.len())
            .iter()
            .zip(&times)
            .map(|(count, time)| u128::from(*count) * u128::from(time.0))
            .sum();
        let units = u128::from(demand.units);
        let reads = u128::from(demand.reads) * u128::from(READ.0);
        let budget = (u128::from(demand.idle.0) * units).saturating_sub(reads);
        let fastest = u128::from(demand.programs) * u128::from(times[0].0);
        prop_assert!(total <= budget.max(fastest));
        let slowest = u128::from(demand.programs) * u128::from(times[times.len() - 1].0);
        if budget >= slowest {
            prop_assert_eq!(total, slowest);
        } else if budget >= fastest {
            let more = u128::from((times[plan.slow] - times[plan.fast]).0);
            prop_assert!(plan.slow == plan.fast + 1 && total + more > budget);
            prop_assert!(plan.slow_programs < plan.programs);
        }
    }

    /// More idle time never makes fewer programs slower than any of the modes.
    #[test]
    fn more_time_makes_no_program_faster(times in modes(), demand in demands(), more in 0_u64..50_000_000) {
        let longer = Demand { idle: demand.idle + Duration(more), ..demand };
        let count = |demand: &Demand| by_mode(&Plan::new(&times, READ, demand), times.len());
        let (before, after) = (count(&demand), count(&longer));
        for mode in 0..times.len() {
            let at_least = |count: &[u32]| count[mode..].iter().sum::<u32>();
            prop_assert!(at_least(&before) <= at_least(&after));
        }
    }

    /// A queue to which nothing comes gets exactly the modes of its plan, in any order.
    #[test]
    fn a_plan_is_carried_out(times in modes(), demand in demands()) {
        let plan = Plan::new(&times, READ, &demand);
        for order in [PlanOrder::ErrorDiffusion, PlanOrder::SlowFirst, PlanOrder::FastFirst] {
            let mut count = vec![0; times.len()];
            for mode in dispatched(&times, order, &demand) {
                count[mode] += 1;
            }
            prop_assert_eq!(count, by_mode(&plan, times.len()));
        }
    }

    /// Without idle time every program is as fast as can be, whatever comes and goes.
    #[test]
    fn without_idle_time_all_is_fast(times in modes(), queue in prop::collection::vec((0_u32..9, 1_u32..9), 1..50)) {
        let mut dispatcher = Dispatcher::default();
        for (reads, programs) in queue {
            let demand = Demand { idle: Duration::ZERO, reads, programs, units: 1 };
            prop_assert_eq!(dispatcher.next(&times, READ, PlanOrder::ErrorDiffusion, &demand), 0);
        }
    }
}
