//! Collection: modes, progress, and the price of it.

use wordline_nand::{Medium, PlaneId, RestrictionsConfig};
use wordline_units::{Duration, Seed, SimTime};

use super::{Parts, check, execute, submit, write};
use crate::ageing::{AgeConfig, AgeMethod, Pressure, age_watched};
use crate::allocation::Order;
use crate::block::BlockRole;
use crate::config::{GcFrontier, GcMode, Pool};
use crate::contract::{CollectedSpace, Ftl, Inspect};
use crate::exec::functional::{Functional, FunctionalError, FunctionalOptions};
use crate::mapping::page::PageFtl;
use crate::notice::{JobId, JobKind, JobState, Urgency};
use crate::plan::{Bind, Outcome};
use crate::plan::{Cause, Lpn, Plan, Work};
use crate::policy::victim::{Candidates, VictimRow};
use crate::request::{Answer, PageOp};
use crate::space::Activity;
use wordline_keys::Registered;

fn uniform(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    ((u128::from(*state) * u128::from(below)) >> 64) as u64
}

/// Write amplification under uniform random writes after warming up, and the reserve-corrected
/// share of user pages (FTL specification, 9.2).
fn amplification(victim: &'static str, frontier: GcFrontier, warm: u64, measured: u64) -> (f64, f64) {
    amplification_with(victim, frontier, warm, measured, |_| ())
}

fn amplification_with(
    victim: &'static str,
    frontier: GcFrontier,
    warm: u64,
    measured: u64,
    change: impl FnOnce(&mut Parts),
) -> (f64, f64) {
    let mut parts = Parts::one_die(1, 256);
    parts.ftl.gc.victim = victim.into();
    parts.ftl.gc.frontier = frontier;
    parts.ftl.gc.keys.set("d", 2);
    change(&mut parts);
    let mut ftl = parts.build();
    let (user, total) = (ftl.user_pages(), 256 * 64);
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..user {
        run.write(Lpn(lpn)).unwrap();
    }
    let mut state = 7;
    for _ in 0..warm * total {
        run.write(Lpn(uniform(&mut state, user))).unwrap();
    }
    ftl.reset_counters();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for _ in 0..measured * total {
        run.write(Lpn(uniform(&mut state, user))).unwrap();
    }
    let counts = run.counts();
    let host = counts.programmed(Cause::Host) as f64;
    let wa = (host + counts.programmed(Cause::Gc) as f64) / host;
    let free = ftl.counters().mean_free_blocks().unwrap();
    let open = if frontier == GcFrontier::Separate {
        2.0
    } else {
        1.0
    };
    check(&ftl);
    (wa, user as f64 / (total as f64 - 64.0 * (free + open / 2.0)))
}

/// FIFO: WA = 1/(1-x), x = exp(-(1-x)/rho).
fn fifo(rho: f64) -> f64 {
    let x = (0..10_000).fold(0.5_f64, |x, _| (-(1.0 - x) / rho).exp());
    1.0 / (1.0 - x)
}

/// Against the closed forms of the FTL specification, section 9, for this small pool.
#[test]
fn amplification_agrees_with_theory() {
    let (random, rho) = amplification("random", GcFrontier::Shared, 3, 8);
    assert!((random * (1.0 - rho) - 1.0).abs() < 0.03, "{random}, rho {rho}");
    let (first, rho) = amplification("fifo", GcFrontier::Shared, 3, 5);
    assert!(
        (first / fifo(rho) - 1.0).abs() < 0.02,
        "{first}, theory {}",
        fifo(rho)
    );
    let (greedy, rho) = amplification("greedy", GcFrontier::Shared, 3, 5);
    assert!(
        greedy < first && greedy > 0.94 * fifo(rho),
        "{greedy}, fifo {}",
        fifo(rho)
    );
    let (two, _) = amplification("d_choices", GcFrontier::Shared, 3, 5);
    assert!(first < two && two < random, "{first} {two} {random}");
    // as many distinct draws as there are blocks are a look at all of them
    let all = |parts: &mut Parts| {
        parts.ftl.gc.keys.set("d", 256);
        parts.ftl.gc.keys.set("distinct", true);
    };
    let (distinct, _) = amplification_with("d_choices", GcFrontier::Shared, 3, 5, all);
    assert!((distinct / greedy - 1.0).abs() < 0.01, "{distinct} {greedy}");
    let (separate, _) = amplification("greedy", GcFrontier::Separate, 3, 5);
    assert!((separate / greedy - 1.0).abs() < 0.05, "{separate} {greedy}");
}

/// J7: sequential overwriting of the whole drive copies nothing.
#[test]
fn sequential_overwrites_cost_nothing() {
    let mut ftl = Parts::one_die(2, 64).build();
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for round in 0..6 {
        for lpn in 0..user {
            run.write(Lpn(lpn)).unwrap();
        }
        if round == 0 {
            run.reset_counts();
        }
    }
    let counts = run.counts();
    assert_eq!(counts.programmed(Cause::Gc), 0);
    assert_eq!(counts.programmed(Cause::Host), 5 * user);
}

/// The whole matrix of modes, frontiers, pools and policies, under the medium's own rules.
#[test]
fn every_policy_in_every_mode_makes_progress() {
    let modes = [
        GcMode::Foreground,
        GcMode::Background,
        GcMode::OneBlock,
        GcMode::Preemptible,
        GcMode::Partial,
    ];
    for (at, victim) in VictimRow::table().names().into_iter().enumerate() {
        for mode in modes {
            let mut parts = Parts::one_die(2, 20);
            parts.geometry.pages_per_block = 8;
            parts.ftl.gc.victim = victim.into();
            parts.ftl.gc.mode = mode;
            parts.ftl.gc.idle = Duration::from_us(10);
            parts.ftl.gc.frontier = [GcFrontier::Shared, GcFrontier::Separate][at % 2];
            parts.ftl.gc.pool = [Pool::Plane, Pool::Die][at / 2 % 2];
            parts.ftl.over_provisioning = 0.45;
            let mut ftl = parts.build();
            let user = ftl.user_pages();
            let medium = Medium::new(ftl.geometry(), &RestrictionsConfig::default());
            let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), medium);
            let mut state = 3;
            for write in 0..4_000 {
                let lpn = if write < user {
                    write
                } else {
                    uniform(&mut state, user)
                };
                run.write(Lpn(lpn))
                    .unwrap_or_else(|error| panic!("{victim:?} {mode:?}: {error}"));
            }
            run.finish_jobs().unwrap();
            assert!(run.counts().programmed(Cause::Gc) > 0, "{victim:?} {mode:?}");
            check(&ftl);
            assert_eq!(ftl.stuck_pools(), 0);
        }
    }
}

/// Preemptible collection starts below `low`, moves one page a plan, and does not hurry until
/// the pool is below `hard`.
#[test]
fn preemptible_collection_yields_after_every_page() {
    let mut parts = Parts::one_die(1, 16);
    parts.geometry.pages_per_block = 8;
    parts.ftl.gc.mode = GcMode::Preemptible;
    (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (1.0, 3.0, 4.0);
    parts.ftl.over_provisioning = 0.6;
    let mut ftl = parts.build();
    let mut notices = Vec::new();
    let mut writes = 0;
    while notices.is_empty() {
        // Every third page stays: victims hold valid pages.
        let lpn = if writes % 3 == 0 {
            writes / 3 % 60
        } else {
            60 + writes % 2
        };
        let plan = write(&mut ftl, lpn, 0b1111);
        super::execute(&mut ftl, &plan);
        ftl.notices(&mut notices);
        writes += 1;
    }
    assert_eq!(
        (notices[0].urgency, ftl.space.pools[0].free),
        (Urgency::Normal, 2)
    );
    let mut plan = Plan::new();
    let mut moves = 0;
    let mut erases = 0;
    while ftl.advance(SimTime::ZERO, notices[0].job, &mut plan) == JobState::Yielded {
        let programs = plan
            .iter()
            .filter(|step| matches!(step.work, Work::Program { .. }))
            .count();
        assert!(programs <= 1);
        moves += programs;
        erases += usize::from(matches!(plan[0].work, Work::Erase { .. }));
        super::execute(&mut ftl, &plan.split_off(0));
    }
    assert!(moves > 0 && erases >= 2, "{moves} moves, {erases} erases");
    assert_eq!(ftl.space.pools[0].free, 4);
    check(&ftl);
}

/// A block is cleaned ahead of host writes once it was begun, the other pool of the die waits for its erase however pressing it is, and no block follows above
/// `hard` before the pool has been idle.
#[test]
fn one_block_of_a_die_is_cleaned_at_a_time() {
    let mut parts = Parts::one_die(2, 16);
    parts.geometry.pages_per_block = 8;
    parts.ftl.gc.mode = GcMode::OneBlock;
    parts.ftl.gc.idle = Duration::from_us(10);
    (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (2.0, 5.0, 7.0);
    parts.ftl.over_provisioning = 0.6;
    let mut ftl = parts.build();
    let mut writes = 0;
    // every third page stays; the first pool is full before the second begins
    while ftl.space.pools[1].noticed.is_none() {
        let lpn = if writes % 3 == 0 {
            writes / 3 % 120
        } else {
            120 + writes % 4
        };
        let plan = write(&mut ftl, lpn, 0b1111);
        execute(&mut ftl, &plan);
        writes += 1;
    }
    let noticed = [0, 1].map(|pool: usize| ftl.space.pools[pool].noticed);
    assert_eq!(noticed, [Some(Urgency::Blocking), Some(Urgency::Idle)]);
    let [full, other] = [0, 1].map(|pool| JobId::of(JobKind::Collect, pool));
    let mut notices = Vec::new();
    ftl.notices(&mut notices);
    let mut noticed = |ftl: &mut PageFtl| {
        notices.clear();
        ftl.notices(&mut notices);
        let mut found: Vec<_> = notices
            .iter()
            .map(|notice| (notice.job, notice.urgency))
            .collect();
        found.sort();
        found
    };
    let now = SimTime(1_000_000);
    let free = ftl.space.pools[1].free;
    let mut plan = Plan::new();
    assert_eq!(ftl.advance(now, other, &mut plan), JobState::Yielded);
    assert_eq!(noticed(&mut ftl), [(other, Urgency::Blocking)]);
    assert_eq!(ftl.advance(now, full, &mut Plan::new()), JobState::Waiting);
    while !matches!(plan[0].work, Work::Erase { .. }) {
        execute(&mut ftl, &plan.split_off(0));
        assert_eq!(ftl.advance(now, other, &mut plan), JobState::Yielded);
    }
    execute(&mut ftl, &plan.split_off(0));
    assert_eq!(ftl.space.pools[1].free, free + 1);
    let next = [(full, Urgency::Blocking), (other, Urgency::Idle)];
    assert_eq!(noticed(&mut ftl), next);
    assert_eq!(ftl.advance(now, full, &mut plan), JobState::Yielded);
    check(&ftl);
}

/// A plan moves a page for each plane of the pool at once, so that the planes work together.
#[test]
fn a_plan_moves_a_page_for_each_plane_of_the_pool() {
    for (mode, programs) in [(GcMode::Foreground, 4), (GcMode::Preemptible, 1)] {
        let mut parts = Parts::one_die(4, 16);
        parts.geometry.pages_per_block = 8;
        parts.ftl.gc.pool = Pool::Die;
        parts.ftl.gc.mode = mode;
        // far below the hard watermark, nothing presses
        (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (1.0, 24.0, 24.0);
        if mode == GcMode::Foreground {
            parts.ftl.gc.hard = 24.0;
        }
        parts.ftl.over_provisioning = 1.0;
        let mut ftl = parts.build();
        let mut notices = Vec::new();
        let mut writes = 0;
        while notices.is_empty() {
            // half the pages stay
            let lpn = if writes % 2 == 0 { writes / 2 } else { 200 };
            let plan = write(&mut ftl, lpn, 0b1111);
            execute(&mut ftl, &plan);
            ftl.notices(&mut notices);
            writes += 1;
        }
        let mut plan = Plan::new();
        while !plan.iter().any(|step| matches!(step.work, Work::Program { .. })) {
            execute(&mut ftl, &plan.split_off(0));
            let state = ftl.advance(SimTime::ZERO, notices[0].job, &mut plan);
            assert_eq!(state, JobState::Yielded);
        }
        let planned = plan
            .iter()
            .filter(|step| matches!(step.work, Work::Program { .. }));
        assert_eq!(planned.count(), programs, "{mode:?}");
    }
}

/// With shared frontiers host writes keep off the open blocks while the reserve is broken into, unless collection has
/// found nothing to reclaim and rests.
#[test]
fn host_writes_break_into_the_reserve_only_where_nothing_can_be_reclaimed() {
    let mut parts = Parts::one_die(1, 40);
    parts.ftl.gc.frontier = GcFrontier::Shared;
    parts.ftl.gc.reserve_blocks = 2;
    let mut ftl = parts.build();
    let reserve = ftl.space.capacity.watermarks.reserve;
    ftl.space.pools[0].free = reserve - 1;
    for (stuck, activity, may_write) in [
        (false, Activity::Idle, false),
        (true, Activity::Merging, false),
        (true, Activity::Idle, true),
    ] {
        ftl.space.pools[0].stuck = stuck;
        ftl.space.pools[0].activity = activity;
        assert_eq!(ftl.space.may_open(0, true, false), (false, may_write), "{stuck}");
    }
}

/// A pool without anything to reclaim says so, does not loop, and goes on once it has.
#[test]
fn a_full_pool_is_stuck_until_something_is_trimmed() {
    let mut parts = Parts::one_die(1, 16);
    parts.geometry.pages_per_block = 8;
    (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (14.0, 14.0, 14.0);
    parts.ftl.over_provisioning = 0.3;
    let mut ftl = parts.build();
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..user {
        run.write(Lpn(lpn)).unwrap();
    }
    // The goal of 14 free blocks is out of reach: collection stops when all is valid.
    run.finish_jobs().unwrap();
    assert_eq!((ftl.stuck_pools(), ftl.is_quiescent()), (1, true));
    assert_eq!(submit(&mut ftl, PageOp::Trim, 0, 0b1111).0, Answer::Accepted);
    assert_eq!(ftl.stuck_pools(), 0);
    let mut notices = Vec::new();
    ftl.notices(&mut notices);
    assert_eq!(notices.len(), 1);
    check(&ftl);
}

/// A move whose page the host overwrites meanwhile is dropped before or after the copy.
#[test]
fn superseded_moves_are_dropped() {
    for late in [false, true] {
        let mut parts = Parts::one_die(1, 16);
        parts.geometry.pages_per_block = 8;
        let mut ftl = parts.build();
        let mut notices = Vec::new();
        let mut lpn = 0;
        while notices.is_empty() {
            let plan = write(&mut ftl, if lpn % 4 == 0 { lpn / 4 } else { 90 }, 0b1111);
            super::execute(&mut ftl, &plan);
            ftl.notices(&mut notices);
            lpn += 1;
        }
        let mut plan = Plan::new();
        assert_eq!(
            ftl.advance(SimTime::ZERO, notices[0].job, &mut plan),
            JobState::Yielded
        );
        let program = plan[1];
        let overwrite = write(&mut ftl, program.lpn.0, 0b1111);
        let mut grown = Plan::new();
        ftl.done(SimTime::ZERO, &plan[0], None, Outcome::Good, &mut grown);
        let plane = wordline_nand::PlaneId(0);
        if late {
            let Bind::Page(bound) = ftl.bind(SimTime::ZERO, &program, plane) else {
                panic!("no page")
            };
            super::execute(&mut ftl, &overwrite);
            ftl.done(
                SimTime::ZERO,
                &program,
                Some(bound.page),
                Outcome::Good,
                &mut grown,
            );
        } else {
            super::execute(&mut ftl, &overwrite);
            assert_eq!(ftl.bind(SimTime::ZERO, &program, plane), Bind::Declined);
            ftl.done(SimTime::ZERO, &program, None, Outcome::Declined, &mut grown);
        }
        assert!(grown.is_empty());
        assert_eq!(ftl.counters().superseded_moves, 1);
        check(&ftl);
    }
}

#[test]
fn a_drive_without_reclaimable_space_is_reported() {
    // Static allocation and one page per stripe: one plane gets all the writes.
    let mut parts = Parts::one_die(2, 8);
    parts.geometry.pages_per_block = 4;
    parts.ftl.over_provisioning = 0.7;
    let mut ftl = parts.build();
    let user = ftl.user_pages();
    // Host writes bound but never done keep their blocks from collection.
    let mut plans = Vec::new();
    let full = loop {
        let plan = write(&mut ftl, plans.len() as u64 % user, 0b1111);
        let bound = (0..2).map(|plane| ftl.bind(SimTime::ZERO, &plan[0], wordline_nand::PlaneId(plane)));
        let bound = bound.into_iter().find(|bind| *bind != Bind::NoSpace);
        match bound {
            Some(Bind::Page(bound)) => plans.push((plan[0], bound.page)),
            _ => break plan,
        }
    };
    let mut notices = Vec::new();
    ftl.notices(&mut notices);
    for notice in notices.drain(..) {
        assert_eq!(
            ftl.advance(SimTime::ZERO, notice.job, &mut Plan::new()),
            JobState::Waiting
        );
    }
    assert_eq!(ftl.stuck_pools(), 2);
    // Their completion makes candidates of the blocks, and notice is given.
    let mut grown = Plan::new();
    for (step, page) in plans {
        ftl.done(SimTime::ZERO, &step, Some(page), Outcome::Good, &mut grown);
    }
    ftl.notices(&mut notices);
    assert_eq!((ftl.stuck_pools(), notices.is_empty()), (0, false));
    drop(full);
    check(&ftl);
    let error = FunctionalError::NoReclaimableSpace.to_string();
    assert!(error.contains("over_provisioning"));
}

/// Of a block with 16 of 64 pages valid and one with 32, of which the second has 2.5 times the age of the first or
/// four times: (1-u) a / 2u is 1.5 a against 0.5 a, (1-u) a / (1+u) is 0.6 a against a / 3.
#[test]
fn age_weighs_against_valid_pages() {
    for (policy, sooner, later) in [("cost_benefit", 0, 1), ("cost_benefit_lfs", 1, 1)] {
        let mut parts = Parts::one_die(1, 40);
        parts.ftl.gc.victim = policy.into();
        let mut ftl = parts.build();
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for lpn in (0..192).chain(0..48).chain(64..96) {
            run.write(Lpn(lpn)).unwrap();
        }
        drop(run);
        let geometry = parts.geometry();
        let blocks = [63, 127].map(|lpn| geometry.block_of(ftl.lookup(Lpn(lpn)).unwrap()).0);
        let mut victim = (parts.ftl.gc.victim.row().unwrap().build)(&parts.ftl.gc.keys, Seed(1));
        for (age, chosen) in [(250, sooner), (400, later)] {
            ftl.space.blocks.since[blocks[0] as usize] = 900;
            ftl.space.blocks.since[blocks[1] as usize] = 1000 - age;
            let candidates = Candidates::new(&ftl.space.blocks, 0, 1000, 64);
            assert_eq!(
                victim.choose(&candidates),
                Some(blocks[chosen]),
                "{policy}, {age}"
            );
        }
    }
}

/// Of blocks with the same score and the same erases the one that was closed first is taken.
#[test]
fn of_equal_blocks_the_oldest_is_the_victim() {
    let mut parts = Parts::one_die(1, 40);
    parts.ftl.gc.victim = "cost_benefit".into();
    let mut ftl = parts.build();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in (0..192).chain(0..32).chain(64..96) {
        run.write(Lpn(lpn)).unwrap();
    }
    drop(run);
    let geometry = parts.geometry();
    let [first, second] = [63, 127].map(|lpn| geometry.block_of(ftl.lookup(Lpn(lpn)).unwrap()).0);
    for block in [first, second] {
        ftl.space.blocks.since[block as usize] = 0;
    }
    let mut victim = (parts.ftl.gc.victim.row().unwrap().build)(&parts.ftl.gc.keys, Seed(1));
    let candidates = Candidates::new(&ftl.space.blocks, 0, 1000, 64);
    assert_eq!(victim.choose(&candidates), Some(first));
}

/// A pool on which a load presses all the time is aged with a victim whose pages are being moved.
#[test]
fn ageing_leaves_a_collection_under_way() {
    let mut ftl = Parts::one_die(1, 40).build();
    let load = |_| Pressure {
        collecting: 1.0,
        keeps_up: false,
    };
    let config = AgeConfig {
        method: AgeMethod::SteadyState,
        ..AgeConfig::default()
    };
    age_watched(&mut ftl, &config, Order::default(), Seed(1), &load, &mut |_| true).unwrap();
    let activity = ftl.space.pools[0].activity;
    assert!(matches!(activity, Activity::Moving { .. }), "{activity:?}");
    check(&ftl);
}

/// The block of a failed program takes no further one, and after the erase it is retired.
#[test]
fn the_block_of_a_failed_program_is_left_and_retired() {
    let parts = Parts::one_die(1, 40);
    let mut ftl = parts.build();
    let geometry = parts.geometry();
    let step = write(&mut ftl, 0, 0b1111)[0];
    let Bind::Page(bound) = ftl.bind(SimTime::ZERO, &step, PlaneId(0)) else {
        panic!("no page")
    };
    let mut grown = Plan::new();
    ftl.done(
        SimTime::ZERO,
        &step,
        Some(bound.page),
        Outcome::Failed,
        &mut grown,
    );
    let failed = geometry.block_of(bound.page);
    assert_ne!(ftl.block(failed).role, BlockRole::Open);
    execute(&mut ftl, &grown);
    assert_ne!(geometry.block_of(ftl.lookup(Lpn(0)).unwrap()), failed);
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for _ in 0..3 {
        for lpn in 0..1024 {
            run.write(Lpn(lpn)).unwrap();
        }
    }
    drop(run);
    assert_eq!(
        (ftl.block(failed).role, ftl.counters().retired_blocks),
        (BlockRole::Bad, 1)
    );
}
