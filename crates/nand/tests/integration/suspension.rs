//! Suspension of programs and erases: the worked examples of Wu and He's phase model (suspension
//! specification, section 6), and what must hold of every run (section 7).

mod unit;
mod vendor;

use proptest::prelude::*;
use unit::{Hit, Outcome, Part, Policy, Unit, What, run};
use wordline_nand::{Method, Phase, Progress, Redo, Shape, Span, Stage, SuspendRules, VendorTimes};
use wordline_units::{Duration, Seed, SimTime};

const US: u64 = 1_000;

fn part(program: Method, slc: bool) -> Part {
    let us = |slc_us: u64, mlc_us: u64| US * if slc { slc_us } else { mlc_us };
    let verify = Duration(us(8, 24));
    Part {
        bus: us(20, 40),
        sense: us(10, 25),
        program: Shape::Program {
            iterations: if slc { 5 } else { 15 },
            verify,
        },
        program_time: us(140, 660),
        erase: Shape::Erase { verify },
        erase_time: us(1_508, 3_324),
        rules: SuspendRules {
            program,
            erase: Method::Cancel(Redo::Always),
            reset: Duration(4 * US),
            shadow: Duration(3 * US),
        },
        policy: Policy::Pes,
        write_suspends_erase: false,
    }
}

const IPS: Method = Method::PhaseEnd;
const IPC: Method = Method::Cancel(Redo::Always);
/// A cancelled program phase is never done again.
const NEVER: Method = Method::Cancel(Redo::Never);

/// Ends in us, counted from `zero`, of what arrives then.
fn ends(part: Part, zero: u64, arrivals: &[(u64, What)]) -> Vec<u64> {
    let arrivals: Vec<_> = arrivals.iter().map(|(at, what)| (at * US, *what)).collect();
    let unit = run(part, &arrivals);
    unit.outcomes
        .iter()
        .map(|outcome| outcome.done / US - zero)
        .collect()
}

/// An erase at 0 and a read: their ends.
#[track_caller]
fn erase_example(read_at: u64, read_ends: u64, erase_ends: u64) {
    let arrivals = [(0, What::Erase), (read_at, What::Read)];
    assert_eq!(ends(part(IPC, false), 0, &arrivals), [erase_ends, read_ends]);
}

#[test]
fn e1_to_e3_a_read_suspends_an_erase() {
    erase_example(1_000, 1_069, 3_397);
    erase_example(3_298, 3_365, 3_389);
    erase_example(3_310, 3_379, 3_403);
}

/// A program whose array step starts at 0, after its data went in, and a read: their ends.
#[track_caller]
fn program_example(part: Part, read_at: u64, read_ends: u64, program_ends: u64) -> Progress {
    let bus = part.bus / US;
    let arrivals = [(0, What::Write), (bus + read_at, What::Read)];
    assert_eq!(ends(part, bus, &arrivals), [program_ends, read_ends]);
    let arrivals = arrivals.map(|(at, what)| (at * US, what));
    run(part, &arrivals).outcomes[0].progress.unwrap()
}

#[test]
fn w1_to_w5_a_read_suspends_a_program() {
    program_example(part(IPS, false), 50, 129, 728);
    let cancelled = program_example(part(IPC, false), 50, 119, 762);
    assert_eq!((cancelled.redone(), cancelled.verified_again()), (1, 1));
    let reached = program_example(part(NEVER, false), 50, 119, 718);
    assert_eq!((reached.redone(), reached.verified_again()), (0, 0));
    // the phase, 44 to 64, is left at 50: 14 of its 20 us are left out; 65 away, 4 reset, 3 reload
    let ends = SimTime((40 + 718) * US);
    assert_eq!(reached.skipped(), Duration(14 * US));
    assert_eq!(reached.worked(ends), Duration(646 * US));
    assert_eq!(reached.added(ends), Duration(72 * US));
    assert_eq!(reached.behind(ends), Duration(58 * US));
    let verify = program_example(part(IPC, false), 70, 139, 738);
    assert_eq!((verify.redone(), verify.verified_again()), (0, 1));
    program_example(part(IPC, false), 61, 129, 728);
    let last = program_example(part(IPS, false), 650, 725, 660);
    assert_eq!(last.suspensions(), 0);
}

#[test]
fn s1_slc() {
    program_example(part(IPC, true), 30, 64, 187);
}

#[test]
fn n1_a_read_suspends_a_program_that_suspended_an_erase() {
    let mut nested = part(IPC, false);
    nested.write_suspends_erase = true;
    let arrivals = [(0, What::Erase), (500, What::Write), (990, What::Read)];
    assert_eq!(ends(nested, 0, &arrivals), [4_134, 1_306, 1_059]);
    // a second write starts before the erase goes on
    let arrivals = [
        (0, What::Erase),
        (500, What::Write),
        (600, What::Write),
        (990, What::Read),
    ];
    let at_us: Vec<_> = arrivals.iter().map(|(at, what)| (at * US, *what)).collect();
    let unit = run(nested, &at_us);
    assert_eq!(unit.outcomes[2].started / US, 1_306 + 40);
    assert_eq!(unit.completed, [3, 1, 2, 0]);
}

/// Figure 3.1 of Wu: a read takes 1, a write 5; suspension costs nothing.
#[test]
fn the_toy_diagram() {
    let ideal = Method::Vendor(VendorTimes {
        latency: Duration::ZERO,
        interval: Duration::ZERO,
        safe_points: None,
    });
    let toy = |policy| {
        let part = Part {
            bus: 0,
            sense: 1,
            program: Shape::Program {
                iterations: 5,
                verify: Duration::ZERO,
            },
            program_time: 5,
            policy,
            ..part(ideal, false)
        };
        let arrivals = [
            (0, What::Read),
            (0, What::Write),
            (1, What::Read),
            (4, What::Read),
        ];
        let unit = run(part, &arrivals);
        let done = |index: usize| unit.outcomes[index].done;
        assert_eq!(unit.completed.iter().map(|id| done(*id)).max(), Some(8));
        assert_eq!(unit.busy, 8);
        [done(2) - 1, done(3) - 4, done(1)]
    };
    assert_eq!(toy(Policy::Fifo), [6, 4, 6]);
    assert_eq!(toy(Policy::Rps), [1, 4, 7]);
    assert_eq!(toy(Policy::Pes), [1, 1, 8]);
}

/// Section 3.6: the mean wait for a suspension point, arrivals uniform over an iteration.
#[test]
fn mean_wait_for_the_array() {
    let mean = |method, slc: bool, from: u64, to: u64| {
        let part = part(method, slc);
        let waits: u64 = (from..to)
            .map(|at| {
                let mut progress = Progress::new(part.program, Duration(part.program_time), SimTime(0));
                let leaves = progress.suspend(&part.rules, SimTime(at), 0).unwrap();
                leaves.since(SimTime(at)).ns()
            })
            .sum();
        waits as f64 / (to - from) as f64 / US as f64
    };
    // an arrival at a whole nanosecond stands for the nanosecond before it
    let close = |mean: f64, expected: f64| assert!((mean - expected).abs() < 1e-3, "{mean} {expected}");
    close(mean(IPS, true, 0, 28_000), 8.2857);
    close(mean(IPS, false, 0, 44_000), 11.0909);
    let of_pulse = |x: f64, d: f64| (x * (d - x) + x * x / 2.0) / d;
    close(mean(IPC, false, 0, 20_000), of_pulse(4.0, 20.0));
}

#[test]
fn a_program_that_leaves_before_its_array_step_starts_from_the_shadow_buffer() {
    let part = part(IPC, false);
    let mut program = Progress::new(part.program, Duration(660 * US), SimTime(40 * US));
    assert_eq!(
        program.suspend(&part.rules, SimTime(10 * US), 0),
        Some(SimTime(40 * US))
    );
    assert_eq!(program.left(SimTime(60 * US)), Duration(660 * US));
    let end = program.resume(&part.rules, SimTime(105 * US), part.rules.shadow);
    assert_eq!(end, SimTime((105 + 3 + 660) * US));
    assert_eq!(program.behind(SimTime(108 * US)), Duration(68 * US));
}

#[test]
fn linear_redo_asks_the_draw() {
    let part = part(Method::Cancel(Redo::Linear), false);
    // 6 of the 16 us in which a phase can be cancelled
    let redone = |chance: f64| {
        let mut program = Progress::new(part.program, Duration(660 * US), SimTime(0));
        let chance = (chance * 2_f64.powi(64)) as u64;
        program.suspend(&part.rules, SimTime(50 * US), chance);
        program.redone()
    };
    assert_eq!([redone(0.37), redone(0.38)], [0, 1]);
}

/// Suspended 50 us into the array, 6 us into a program phase: 44 us are done if it is lost, 50 if it had done its work.
/// At the first instant of a phase nothing is done, whatever the draw; the instant between two phases is of the later one.
#[test]
fn what_is_done_when_it_leaves() {
    let left_at = |redo, at: u64| {
        let part = part(Method::Cancel(redo), false);
        let mut program = Progress::new(part.program, Duration(660 * US), SimTime(0));
        let leaves = program.suspend(&part.rules, SimTime(at * US), 0).unwrap();
        (leaves.ns() / US, program)
    };
    let worked = |redo, at| {
        let (_, program) = left_at(redo, at);
        program.worked(SimTime(100 * US))
    };
    assert_eq!(worked(Redo::Always, 50), Duration(44 * US));
    assert_eq!(worked(Redo::Never, 50), Duration(50 * US));
    // a verify, from 64 us on, is done again
    assert_eq!(worked(Redo::Always, 70), Duration(64 * US));
    assert_eq!(left_at(Redo::Always, 70).1.verified_again(), 1);
    let (leaves, at_start) = left_at(Redo::Linear, 0);
    assert_eq!((leaves, at_start.redone()), (4, 1));
    let (leaves, between) = left_at(Redo::Linear, 44);
    assert_eq!(
        (leaves, between.redone(), between.skipped()),
        (48, 1, Duration::ZERO)
    );
}

/// A phase is lost, and then the verify that is to find that out, from 103 to 127 us, as well.
#[test]
fn a_check_that_is_lost_is_done_again() {
    let part = part(IPC, false);
    let mut program = Progress::new(part.program, Duration(660 * US), SimTime(0));
    program.suspend(&part.rules, SimTime(50 * US), 0);
    program.resume(&part.rules, SimTime(100 * US), part.rules.shadow);
    let leaves = program.suspend(&part.rules, SimTime(110 * US), 0);
    assert_eq!(leaves, Some(SimTime(114 * US)));
    assert_eq!((program.redone(), program.verified_again()), (1, 2));
    assert_eq!(program.worked(SimTime(120 * US)), Duration(44 * US));
}

/// Two phases in which what was worth doing was done: 14 us of one are left out, and 8 us of the next.
#[test]
fn what_is_left_out_adds_up() {
    let part = part(NEVER, false);
    let mut program = Progress::new(part.program, Duration(660 * US), SimTime(0));
    program.suspend(&part.rules, SimTime(50 * US), 0);
    // 3 us of reloading, 24 of verify: the next phase is from 127 to 147 us
    program.resume(&part.rules, SimTime(100 * US), part.rules.shadow);
    program.suspend(&part.rules, SimTime(139 * US), 0);
    assert_eq!(program.skipped(), Duration(22 * US));
}

fn verify_time(part: &Part) -> u64 {
    match part.program {
        Shape::Program { verify, .. } => verify.ns(),
        _ => 0,
    }
}

/// Erases: the pulse is applied in whole, whatever its stretches, and one verify completed. Programs:
/// every program phase completed once and in order, and as many verifies.
fn check_work(outcome: &Outcome, part: &Part) -> Result<(), TestCaseError> {
    let length = |span: &Span| span.to.since(span.from).ns();
    let verify = verify_time(part);
    let verifies = outcome
        .spans
        .iter()
        .filter(|span| {
            let verifies = matches!(span.stage, Stage::Phase(Phase::Verify { .. }) | Stage::Check);
            verifies && length(span) == verify
        })
        .count();
    let pulses = outcome.spans.iter().filter_map(|span| match span.stage {
        Stage::Phase(Phase::Pulse { iteration }) => Some((iteration, length(span))),
        _ => None,
    });
    if outcome.what == What::Erase {
        // the reset at its end counts to the pulse
        let applied: u64 = pulses.map(|(_, length)| length).sum();
        prop_assert_eq!(applied, part.erase_time - verify);
        prop_assert_eq!(verifies, 1);
    } else if let Shape::Program { iterations, .. } = part.program {
        let whole = part.program_time / u64::from(iterations) - verify;
        let completed: Vec<u16> = pulses
            .filter(|(_, length)| *length == whole)
            .map(|(iteration, _)| iteration)
            .collect();
        prop_assert_eq!(completed, (1..=iterations).collect::<Vec<_>>());
        prop_assert!(verifies >= usize::from(iterations));
    }
    Ok(())
}

/// The terms of sections 3.2 and 3.5, suspension by suspension.
fn overhead(outcome: &Outcome, part: &Part) -> u64 {
    let (reset, shadow) = (part.rules.reset.ns(), part.rules.shadow.ns());
    let of_erase = |hit: &Hit| match hit.stage {
        _ if hit.at_end => 0,
        Stage::Phase(Phase::Pulse { .. }) => 2 * reset,
        Stage::Ramping | Stage::Phase(_) => hit.offset + reset,
        _ => 0,
    };
    let of_program = |hit: &Hit| match hit.stage {
        Stage::Reloading => hit.offset,
        Stage::Waiting => shadow,
        _ if hit.at_end => shadow,
        Stage::Phase(Phase::Pulse { .. }) if part.rules.program == NEVER => reset + shadow,
        Stage::Phase(Phase::Pulse { .. }) => hit.offset + reset + shadow + verify_time(part),
        _ => hit.offset + reset + shadow,
    };
    let hits = outcome.hits.iter();
    match outcome.what {
        What::Erase => hits.map(of_erase).sum(),
        _ => hits.map(of_program).sum(),
    }
}

fn arrivals() -> impl Strategy<Value = Vec<(u64, What)>> {
    let what = prop_oneof![6 => Just(What::Read), 3 => Just(What::Write), 1 => Just(What::Erase)];
    prop::collection::vec((0_u64..400_000, what), 1..60).prop_map(|gaps| {
        let mut at = 0;
        gaps.into_iter()
            .map(|(gap, what)| {
                at += gap;
                (at, what)
            })
            .collect()
    })
}

fn methods() -> impl Strategy<Value = Method> {
    prop_oneof![Just(IPS), Just(IPC)]
}

/// What is left of the program phases that were given up.
fn left_out(outcome: &Outcome, part: &Part) -> u64 {
    let Shape::Program { iterations, .. } = part.program else {
        return 0;
    };
    let phase = part.program_time / u64::from(iterations) - verify_time(part);
    let given_up = outcome
        .hits
        .iter()
        .filter(|hit| !hit.at_end && matches!(hit.stage, Stage::Phase(Phase::Pulse { .. })));
    given_up.map(|hit| phase - hit.offset).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_work_is_lost_or_invented(
        arrivals in arrivals(),
        method in methods(),
        slc in any::<bool>(),
        write_suspends_erase in any::<bool>(),
    ) {
        let part = Part { write_suspends_erase, ..part(method, slc) };
        let unit = run(part, &arrivals);
        for outcome in unit.outcomes.iter().filter(|outcome| outcome.what != What::Read) {
            check_work(outcome, &part)?;
            let nominal = outcome.progress.unwrap().nominal().ns();
            let effective = outcome.done - outcome.started;
            prop_assert_eq!(effective, nominal + outcome.preempted + overhead(outcome, &part));
        }
    }

    /// What was left out of programs is known apart from what suspension cost them.
    #[test]
    fn what_is_left_out_is_no_gain_of_suspension(arrivals in arrivals(), slc in any::<bool>()) {
        let part = part(NEVER, slc);
        let unit = run(part, &arrivals);
        for outcome in unit.outcomes.iter().filter(|outcome| outcome.what == What::Write) {
            let progress = outcome.progress.unwrap();
            let skipped = left_out(outcome, &part);
            prop_assert_eq!(progress.skipped().ns(), skipped);
            let added = outcome.preempted + overhead(outcome, &part);
            prop_assert_eq!(progress.added(SimTime(outcome.done)).ns(), added);
            prop_assert_eq!(outcome.done - outcome.started + skipped, progress.nominal().ns() + added);
        }
    }

    /// A read that nothing else is ahead of senses within T_x, or under IPS within the longest phase.
    #[test]
    fn reads_wait_for_a_bounded_time(arrivals in arrivals(), method in methods(), slc in any::<bool>()) {
        let part = part(method, slc);
        let unit = run(part, &arrivals);
        let longest = match method {
            Method::PhaseEnd => if slc { 20 * US } else { 24 * US },
            _ => 4 * US,
        };
        for read in unit.outcomes.iter().filter(|outcome| outcome.what == What::Read && !outcome.behind) {
            prop_assert!(read.started - read.arrival <= longest, "{read:?}");
        }
    }

    #[test]
    fn every_policy_does_all_of_the_work(arrivals in arrivals(), method in methods()) {
        let of = |policy| run(Part { policy, ..part(method, false) }, &arrivals);
        let units = [Policy::Fifo, Policy::Rps, Policy::Pes].map(of);
        for unit in &units {
            let mut done = unit.completed.clone();
            let reads: Vec<_> = done.iter().filter(|id| unit.outcomes[**id].what == What::Read).collect();
            prop_assert!(reads.is_sorted());
            done.sort_unstable();
            prop_assert_eq!(done, (0..arrivals.len()).collect::<Vec<_>>());
        }
        prop_assert_eq!(units[0].busy, units[1].busy);
    }
}

/// PE0, IPC, IPS, RPS in the order of the mean read latency. Single arrivals can break it: what is
/// quicker lets the data of the next write in, which no read can suspend.
#[test]
fn the_ways_of_suspending_are_ordered() {
    let mut at = 0;
    let arrivals: Vec<_> = (0..20_000)
        .map(|index| {
            at += Seed(1).draw("test.gap", index) % (800 * US);
            let what = match Seed(1).draw("test.what", index) % 20 {
                0 => What::Erase,
                1..8 => What::Write,
                _ => What::Read,
            };
            (at, what)
        })
        .collect();
    let total = |part: Part| {
        let Unit { outcomes, .. } = run(part, &arrivals);
        let reads = outcomes.iter().filter(|outcome| outcome.what == What::Read);
        reads.map(|read| read.done - read.arrival).sum::<u64>()
    };
    for slc in [true, false] {
        let rps = Part {
            policy: Policy::Rps,
            ..part(IPS, slc)
        };
        let pe0 = Part {
            program_time: 0,
            erase_time: 0,
            ..rps
        };
        let fifo = Part {
            policy: Policy::Fifo,
            ..rps
        };
        let sums = [pe0, part(IPC, slc), part(IPS, slc), rps, fifo].map(total);
        assert!(sums.is_sorted(), "{sums:?}");
    }
}
