//! Suspension as data sheets have it: a latency, an interval between suspensions, safe points.

use proptest::prelude::*;
use wordline_nand::{Method, Progress, Shape, SuspendRules, VendorTimes};
use wordline_units::{Duration, SimTime};

const US: u64 = 1_000;
/// Phases say nothing here.
const ERASE: Shape = Shape::Erase { verify: Duration(0) };
const PROGRAM: Shape = Shape::Program {
    iterations: 1,
    verify: Duration(0),
};

/// A part with a latency of 30 us and an interval of 100.
fn rules(safe_points: Option<u64>) -> SuspendRules {
    let vendor = Method::Vendor(VendorTimes {
        latency: Duration(30 * US),
        interval: Duration(100 * US),
        safe_points: safe_points.map(Duration),
    });
    SuspendRules {
        program: vendor,
        erase: vendor,
        reset: Duration::ZERO,
        shadow: Duration(3 * US),
    }
}

#[test]
fn vendor_style_keeps_its_distance_and_loses_nothing() {
    let rules = rules(None);
    let mut erase = Progress::new(ERASE, Duration(3_324 * US), SimTime(0));
    assert_eq!(
        erase.suspend(&rules, SimTime(1_000 * US), 0),
        Some(SimTime(1_030 * US))
    );
    assert_eq!(
        erase.resume(&rules, SimTime(1_100 * US), Duration(3 * US)),
        SimTime(3_424 * US)
    );
    // 20 us after the resumption: the part takes the command 80 us later, and works until then
    assert_eq!(
        erase.suspend(&rules, SimTime(1_120 * US), 0),
        Some(SimTime(1_230 * US))
    );
    assert_eq!(erase.left(SimTime(1_230 * US)), Duration((3_324 - 1_100) * US));
    assert_eq!(
        erase.resume(&rules, SimTime(2_000 * US), Duration::ZERO),
        SimTime(4_224 * US)
    );
    assert_eq!(
        erase.suspend(&rules, SimTime(4_200 * US), 0),
        None,
        "it ends within the latency"
    );
    assert_eq!(erase.suspensions(), 2);
}

/// A one-shot program of 1,170 us with a safe point every 200 us.
#[test]
fn a_program_leaves_at_the_next_safe_point() {
    let rules = rules(Some(200 * US));
    let mut program = Progress::new(PROGRAM, Duration(1_170 * US), SimTime(0));
    // asked at 250 us: it works until 400 and has left at 430
    assert_eq!(
        program.suspend(&rules, SimTime(250 * US), 0),
        Some(SimTime(430 * US))
    );
    assert_eq!(program.left(SimTime(430 * US)), Duration(770 * US));
    assert_eq!(
        program.resume(&rules, SimTime(500 * US), Duration::ZERO),
        SimTime(1_270 * US)
    );
    // it is at a safe point when it comes back, but may leave after 100 us at the earliest: at 200 us of further work
    assert_eq!(
        program.suspend(&rules, SimTime(510 * US), 0),
        Some(SimTime(730 * US))
    );
    program.resume(&rules, SimTime(1_000 * US), Duration::ZERO);
    // 570 us are left: safe points at 200 and 400 us from here on, and none after
    let mut again = program;
    assert_eq!(
        again.suspend(&rules, SimTime(1_400 * US), 0),
        Some(SimTime(1_430 * US)),
        "exactly at one"
    );
    assert_eq!(program.suspend(&rules, SimTime(1_401 * US), 0), None);
    assert_eq!(program.suspensions(), 2);
}

/// A page of a word line that only brings its data keeps the die for less than a suspension takes.
#[test]
fn what_is_shorter_than_the_latency_is_not_suspended() {
    let rules = rules(None);
    let mut load = Progress::new(PROGRAM, Duration(500), SimTime(40 * US));
    assert_eq!(load.suspend(&rules, SimTime(10 * US), 0), None);
    assert_eq!(load.suspend(&rules, SimTime(40 * US), 0), None);
    let mut program = Progress::new(PROGRAM, Duration(390 * US), SimTime(40 * US));
    assert_eq!(
        program.suspend(&rules, SimTime(10 * US), 0),
        Some(SimTime(40 * US))
    );
}

proptest! {
    /// Whenever an operation is asked to leave and comes back: no work is lost, suspensions of it are the interval apart, it leaves at
    /// safe points alone, and each suspension costs the latency and no more.
    #[test]
    fn suspensions_cost_their_latency_and_keep_their_distance(
        total in 1_u64..4_000 * US,
        step in prop::option::of(1_u64..700 * US),
        asked in prop::collection::vec((0_u64..900 * US, 0_u64..500 * US), 1..12),
    ) {
        let rules = rules(step);
        let mut operation = Progress::new(PROGRAM, Duration(total), SimTime(0));
        let (mut resumed, mut away, mut count) = (SimTime(0), 0, 0);
        for (after, pause) in asked {
            let now = resumed + Duration(after);
            let before = (operation, operation.end());
            let Some(free) = operation.suspend(&rules, now, 0) else {
                prop_assert_eq!(operation, before.0);
                continue;
            };
            let left = free.ns() - 30 * US;
            prop_assert!(free < before.1 && SimTime(left) >= now);
            prop_assert!(count == 0 || left >= resumed.ns() + 100 * US);
            let done = total - operation.left(free).ns();
            prop_assert_eq!(step.map_or(0, |step| done % step), 0);
            prop_assert_eq!(done, left - away - 30 * US * count);
            count += 1;
            away += pause;
            resumed = free + Duration(pause);
            let end = operation.resume(&rules, resumed, Duration::ZERO);
            prop_assert_eq!(end.ns(), total + away + 30 * US * count);
        }
        prop_assert_eq!(u64::from(operation.suspensions()), count);
        prop_assert_eq!(operation.added(operation.end()).ns(), away + 30 * US * count);
    }
}
