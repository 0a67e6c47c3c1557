use proptest::prelude::*;
use toml::toml;
use wordline_nand::BlockId;

use super::*;

const DAY: u64 = 86_400_000_000_000;
const MONTH: u64 = 2_628_000_000_000_000;
const BLOCKS: u32 = 16;
const NO_BLOCK: [u32; 0] = [];

fn refresher(policy: &str, mode: &str) -> Refresher {
    let mut keys = toml! {
        requirement = "3 mo"
    };
    keys.insert("policy".into(), policy.into());
    keys.insert("mode".into(), mode.into());
    let config: RefreshConfig = keys.try_into().unwrap();
    let drive = RefreshedDrive {
        pools: 2,
        blocks_per_pool: BLOCKS / 2,
        needed: 6,
    };
    Refresher::new(&config, drive).unwrap().unwrap()
}

fn report(block: u32, since: u64, retention: u64) -> BlockReport {
    BlockReport {
        block: BlockId(block),
        erases: 0,
        since: Some(SimTime(since)),
        retention: Duration(retention),
        skipped: Duration::ZERO,
        disturbed: false,
    }
}

fn due(refresher: &Refresher, pool: u32) -> Vec<u32> {
    refresher.due(pool).map(|(block, _)| block).collect()
}

fn look(refresher: &mut Refresher, now: u64) -> Vec<u32> {
    refresher.look(SimTime(now), &|_| 4);
    due(refresher, 0)
}

/// The specification, section 6: a block that keeps data for ten days is begun in the last 1 % of them, at the look before.
#[test]
fn a_block_is_due_a_margin_before_its_deadline() {
    let mut last = refresher("last_moment", "requirement_only");
    last.observe(&report(1, 0, 10 * DAY));
    let begin = 10 * DAY - DAY / 10;
    assert_eq!(
        last.next_look(),
        Some(SimTime(
            (begin - 101_000_000_000).div_ceil(100_000_000_000) * 100_000_000_000
        ))
    );
    assert_eq!(look(&mut last, begin - 102_000_000_000), NO_BLOCK);
    assert_eq!(look(&mut last, begin - 101_000_000_000), [1]);
    assert_eq!(last.urgency(0, SimTime(begin)), Some(Urgency::Normal));
    assert_eq!(last.urgency(0, SimTime(10 * DAY - 1)), Some(Urgency::Blocking));
    assert!(last.serves(1, 4));
    last.begin(1, 4);
    assert_eq!((last.totals().blocks, last.totals().pages), (1, 4));
    assert_eq!(due(&last, 0), NO_BLOCK, "it is refreshed already");
}

/// All blocks alike are written anew when what is left of their retention falls to what is required (corrections of the specification): a block that keeps data for five months, of which three are
/// required, after two. It is queued once eighteen months are left.
#[test]
fn a_block_is_due_when_what_is_left_falls_to_what_is_required() {
    let mut remaining = refresher("remaining", "requirement_only");
    remaining.observe(&report(1, 0, 5 * MONTH));
    remaining.observe(&report(2, 0, 20 * MONTH));
    remaining.observe(&report(3, 0, 40 * MONTH));
    assert_eq!(remaining.totals().most_queued, 1);
    let begin = 2 * MONTH - 5 * MONTH / 100;
    assert_eq!(look(&mut remaining, begin - 102_000_000_000), NO_BLOCK);
    assert_eq!(look(&mut remaining, begin - 101_000_000_000), [1]);
    assert!(remaining.serves(1, 4));
    remaining.begin(1, 4);
    remaining.leave(1);
    // two of the others, when eighteen months of their retention are left
    look(&mut remaining, 2 * MONTH);
    assert_eq!(remaining.queues[0].len(), 1);
    look(&mut remaining, 22 * MONTH - 1);
    assert_eq!(remaining.queues[0].len(), 1);
    look(&mut remaining, 22 * MONTH);
    assert_eq!(remaining.queues[0].len(), 2);
    assert_eq!(remaining.totals().most_queued, 2);
    let mut saved = Vec::new();
    remaining.archive(&mut Archive::saving(&mut saved)).unwrap();
    let mut again = refresher("remaining", "requirement_only");
    again.archive(&mut Archive::loading(&mut &saved[..])).unwrap();
    assert_eq!(
        (again.queues[0].len(), again.next_look()),
        (2, remaining.next_look())
    );
    let next = remaining.next_look().unwrap();
    assert!(
        next.ns() <= 22 * MONTH + 100_000_000_000,
        "that of twenty months is late"
    );
    assert_eq!(look(&mut remaining, 37 * MONTH), [2, 3]);
    assert_eq!(remaining.totals().left, 0);
}

/// What cannot be kept as long as required is written anew at the next look after its program, and not twice at one.
#[test]
fn a_block_that_cannot_keep_data_as_required_is_refreshed_once_an_interval() {
    const INTERVAL: u64 = 100_000_000_000;
    let mut remaining = refresher("remaining", "requirement_only");
    remaining.observe(&report(1, 5, MONTH));
    let mut times = Vec::new();
    while let Some(at) = remaining.next_look().filter(|at| at.ns() <= 20 * INTERVAL) {
        times.push(at.ns());
        assert_eq!(look(&mut remaining, at.ns()), [1]);
        assert!(remaining.serves(1, 4));
        remaining.begin(1, 4);
        remaining.leave(1);
        remaining.observe(&report(1, at.ns(), MONTH));
        assert_eq!(due(&remaining, 0), NO_BLOCK, "it was just written");
    }
    let every: Vec<u64> = (1..=20).map(|number| number * INTERVAL).collect();
    assert_eq!(times, every);
    assert_eq!((remaining.totals().blocks, remaining.totals().missed), (20, 0));
}

/// A block that was read too often is due at once, before all others, whatever its retention and the mode, and is counted apart; a state has it. An erase ends that.
#[test]
fn a_block_that_was_read_too_often_is_due_at_once() {
    for policy in ["remaining", "last_moment", "fcfs", "periodic"] {
        let build = || {
            let mut config = refresher(policy, "requirement_only").rules;
            config.read_limit = Some(100);
            let drive = RefreshedDrive {
                pools: 2,
                blocks_per_pool: BLOCKS / 2,
                needed: 6,
            };
            Refresher::new(&config, drive).unwrap().unwrap()
        };
        let mut refresher = build();
        let disturbed = |block| BlockReport {
            disturbed: true,
            ..report(block, 7, 100 * MONTH)
        };
        refresher.observe(&report(0, 0, 4 * MONTH));
        refresher.observe(&report(2, 0, 100 * MONTH));
        assert_eq!(look(&mut refresher, DAY), NO_BLOCK, "{policy}");
        refresher.observe(&disturbed(2));
        refresher.observe(&disturbed(3));
        let next = refresher.next_look().unwrap();
        assert!(
            next <= SimTime(DAY) + Duration::from_ms(100_000),
            "{policy}: {next}"
        );
        assert_eq!(look(&mut refresher, next.ns()), [2, 3], "{policy}");
        assert_eq!(
            refresher.urgency(0, next),
            Some(Urgency::Normal),
            "its data are readable"
        );
        let mut saved = Vec::new();
        refresher.archive(&mut Archive::saving(&mut saved)).unwrap();
        let mut refresher = build();
        refresher.archive(&mut Archive::loading(&mut &saved[..])).unwrap();
        assert_eq!(due(&refresher, 0), [2, 3], "{policy}");
        assert!(refresher.serves(2, 4));
        refresher.begin(2, 4);
        refresher.observe(&BlockReport {
            since: None,
            ..report(3, 0, 100 * MONTH)
        });
        assert_eq!(due(&refresher, 0), NO_BLOCK, "{policy}");
        assert_eq!(
            (refresher.totals().blocks, refresher.totals().disturbed),
            (1, Some(1))
        );
    }
}

/// Blocks that are due together are begun earlier by what each of them takes.
#[test]
fn blocks_that_are_due_together_are_begun_in_time() {
    let mut last = refresher("last_moment", "requirement_only");
    for block in 0..4 {
        last.observe(&report(block, 0, 10 * DAY));
    }
    let begin = 10 * DAY - DAY / 10;
    assert_eq!(look(&mut last, begin - 104_000_000_001), NO_BLOCK);
    assert_eq!(look(&mut last, begin - 104_000_000_000), [0, 1, 2, 3]);
}

#[test]
fn policies_differ_in_their_order() {
    let orders = |policy: &str, more: u64| {
        let mut refresher = refresher(policy, "requirement_only");
        refresher.observe(&report(2, 0, more + 30 * DAY));
        refresher.observe(&report(0, DAY, more + 10 * DAY));
        refresher.observe(&report(1, 2 * DAY, more + 20 * DAY));
        let early = look(&mut refresher, 11 * DAY - DAY / 20);
        (early, look(&mut refresher, 40 * DAY))
    };
    assert_eq!(orders("last_moment", 0), (vec![0], vec![0, 1, 2]));
    assert_eq!(orders("remaining", 3 * MONTH), (vec![0], vec![0, 1, 2]));
    // the first to come is not due: those behind it wait
    assert_eq!(orders("fcfs", 3 * MONTH), (vec![], vec![2, 0, 1]));
    assert_eq!(orders("periodic", 0), (vec![], vec![]));
}

/// Every block after the required time, and what keeps data for a shorter time is late by then.
#[test]
fn periodic_refresh_goes_by_the_requirement() {
    let mut periodic = refresher("periodic", "requirement_only");
    periodic.observe(&report(0, 0, MONTH));
    periodic.observe(&report(1, 0, 100 * MONTH));
    assert_eq!(look(&mut periodic, 2 * MONTH), NO_BLOCK);
    assert_eq!(periodic.totals().missed, 1);
    assert_eq!(look(&mut periodic, 3 * MONTH), [0, 1]);
    assert_eq!(periodic.totals().missed, 1, "the deadline of the other is far");
}

#[test]
fn only_weak_blocks_are_refreshed_unless_all_are_asked_for() {
    let after = |mode: &str, retention: u64| {
        let mut last = refresher("last_moment", mode);
        last.observe(&report(0, 0, retention));
        let queued = last.totals().most_queued;
        let due = look(&mut last, retention);
        let served = due.contains(&0) && last.serves(0, 4);
        (queued, served, last.totals().left, last.totals().missed)
    };
    // weak, strong but admitted, strong
    assert_eq!(after("requirement_only", MONTH), (1, true, 0, 1));
    assert_eq!(after("requirement_only", 4 * MONTH), (1, false, 1, 0));
    assert_eq!(after("requirement_only", 19 * MONTH), (0, false, 0, 0));
    assert_eq!(after("strict", 19 * MONTH), (1, true, 0, 1));
}

#[test]
fn the_oracle_is_never_late_and_moves_nothing() {
    let mut oracle = refresher("oracle", "requirement_only");
    // a day longer than required
    oracle.observe(&report(0, 0, 3 * MONTH + DAY));
    assert_eq!(oracle.next_look(), Some(SimTime(DAY)));
    assert_eq!(look(&mut oracle, 10 * DAY + 1), NO_BLOCK);
    let totals = oracle.totals();
    assert_eq!((totals.blocks, totals.pages, totals.missed), (10, 0, 0));
    assert_eq!(oracle.next_look(), Some(SimTime(11 * DAY)));
    // shorter than required: nothing helps
    oracle.observe(&report(1, 10 * DAY, DAY));
    assert_eq!(look(&mut oracle, 20 * DAY + 1), NO_BLOCK);
    assert_eq!((oracle.totals().blocks, oracle.totals().missed), (20, 0));
}

/// Blocks without valid pages miss nothing, erased ones leave.
#[test]
fn blocks_without_data_have_no_deadline() {
    let mut last = refresher("last_moment", "requirement_only");
    last.observe(&report(0, 0, DAY));
    last.observe(&report(1, 0, DAY));
    last.observe(&BlockReport {
        since: None,
        ..report(1, 0, DAY)
    });
    last.look(SimTime(2 * DAY), &|_| 0);
    assert_eq!(last.totals().missed, 0);
    assert_eq!(due(&last, 0), [0]);
    assert!(!last.serves(0, 0));
    assert_eq!(due(&last, 0), NO_BLOCK);
    assert_eq!(last.next_look(), None);
}

#[test]
fn blocks_that_keep_data_too_short_are_retired_while_a_pool_can_spare_them() {
    let mut last = refresher("last_moment", "requirement_only");
    let now = SimTime(5);
    for block in 0..8 {
        last.observe(&report(block, 0, DAY));
    }
    assert!(!last.retires(now, 0, 1, 2), "too few free blocks");
    assert!(!last.retires(now, 9, 2, 2), "nothing is known of it");
    assert!(last.retires(now, 0, 2, 2));
    assert_eq!(last.totals().space_ended, None);
    assert!(last.retires(now, 1, 2, 2));
    // two of sixteen are more than a tenth
    assert_eq!(last.totals().space_ended, Some(now));
    assert!(!last.retires(now, 2, 2, 2), "the pool needs six");
    assert_eq!(last.totals().retired, 2);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (key, value, told) in [
        ("requirement", "0 s", "above 0 s"),
        ("interval", "0 s", "above 0 s"),
        ("interval", "2 y", "up to the required"),
        ("margin", "100%", "below 1"),
    ] {
        let mut keys = toml! { policy = "last_moment" };
        keys.insert(key.into(), value.into());
        let config: RefreshConfig = keys.clone().try_into().unwrap();
        let error = config.check().unwrap_err().to_string();
        assert!(error.contains(key) && error.contains(told), "{error}");
        keys.insert("policy".into(), "none".into());
        let config: RefreshConfig = keys.try_into().unwrap();
        config.check().unwrap();
    }
}

/// The load of the specification, section 6: a block is written anew every time that it is due, here by what it is begun too early sooner; the oracle does so at that moment.
#[test]
fn a_weak_block_is_refreshed_once_in_its_retention() {
    for (policy, more) in [
        ("last_moment", 0),
        ("remaining", 3 * MONTH),
        ("fcfs", 3 * MONTH),
        ("oracle", 3 * MONTH),
    ] {
        let mut refresher = refresher(policy, "requirement_only");
        refresher.rules.margin = 0.0;
        let retentions = [2, 3, 5, 7].map(|days| days * DAY);
        for (block, retention) in (0..).zip(retentions) {
            let retention = if policy == "fcfs" { 4 * DAY } else { retention };
            refresher.observe(&report(block, 0, more + retention));
        }
        let years = 1_000 * DAY;
        while let Some(at) = refresher.next_look().filter(|at| at.ns() <= years) {
            refresher.look(at, &|_| 4);
            for block in due(&refresher, 0) {
                let held = *refresher.due(0).next().unwrap().1;
                assert!(refresher.serves(block, 4));
                refresher.begin(block, 4);
                refresher.leave(block);
                refresher.observe(&report(block, at.ns(), held.retention.ns()));
            }
        }
        let rate = |retention: &u64| years as f64 / *retention as f64;
        let expected: f64 = match policy {
            "fcfs" => 4.0 * rate(&(4 * DAY)),
            _ => retentions.iter().map(rate).sum(),
        };
        let found = refresher.totals().blocks as f64;
        // blocks are begun up to two looks early
        assert!(
            (found / expected - 1.0).abs() < 0.004,
            "{policy}: {found}, not {expected}"
        );
        assert_eq!(refresher.totals().missed, 0);
    }
}

proptest! {
    /// Blocks that are refreshed at the last moment are due in the order of their deadlines, each once, and none passes its deadline as long as each due block is begun at the look that finds it and takes no longer than it
    /// may (invariant 4).
    #[test]
    fn refresh_at_the_last_moment_is_in_time_and_in_order(
        blocks in proptest::collection::vec((0..3 * DAY, DAY / 2..60 * DAY), BLOCKS as usize),
    ) {
        let mut last = refresher("last_moment", "requirement_only");
        for ((since, retention), block) in blocks.iter().zip(0..) {
            last.observe(&report(block, *since, *retention));
        }
        let mut seen = Vec::new();
        while let Some(at) = last.next_look() {
            last.look(at, &|_| 4);
            for pool in 0..2 {
                let due: Vec<_> = last.due(pool).map(|(block, held)| (held.deadline(), block)).collect();
                prop_assert!(due.is_sorted());
                for ((deadline, block), many) in due.into_iter().zip(1..) {
                    prop_assert!(deadline > at + Duration::from_ms(1_000) * many);
                    prop_assert!(last.serves(block, 4));
                    last.begin(block, 4);
                    last.leave(block);
                    seen.push(block);
                }
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..BLOCKS).collect::<Vec<_>>());
        prop_assert_eq!(last.totals().missed, 0);
    }

    /// With a requirement below the retention of every block nothing is refreshed at the last moment (invariant 5).
    #[test]
    fn a_requirement_that_every_block_meets_refreshes_nothing(
        blocks in proptest::collection::vec((0..3 * DAY, 3 * MONTH..60 * MONTH), BLOCKS as usize),
    ) {
        let mut refresher = refresher("last_moment", "requirement_only");
        for ((since, retention), block) in blocks.iter().zip(0..) {
            refresher.observe(&report(block, *since, *retention));
        }
        while let Some(at) = refresher.next_look() {
            refresher.look(at, &|_| 4);
            for pool in 0..2 {
                for block in due(&refresher, pool) {
                    prop_assert!(!refresher.serves(block, 4));
                }
            }
        }
        let totals = refresher.totals();
        prop_assert_eq!((totals.blocks, totals.missed), (0, 0));
    }

    /// With refresh by what is left, no less than is required is ever left of a block that keeps data for longer, as long as each due block is begun at the look that finds it.
    #[test]
    fn never_less_is_left_than_is_required(
        blocks in proptest::collection::vec((0..3 * DAY, 3 * MONTH + DAY..60 * MONTH), BLOCKS as usize),
    ) {
        let mut remaining = refresher("remaining", "requirement_only");
        for ((since, retention), block) in blocks.iter().zip(0..) {
            remaining.observe(&report(block, *since, *retention));
        }
        let mut seen = Vec::new();
        while let Some(at) = remaining.next_look() {
            remaining.look(at, &|_| 4);
            for pool in 0..2 {
                let due: Vec<_> = remaining.due(pool).map(|(block, held)| (held.deadline(), block)).collect();
                for ((deadline, block), many) in due.into_iter().zip(1..) {
                    prop_assert!(deadline.since(at).ns() >= 3 * MONTH + many * 1_000_000_000);
                    prop_assert!(remaining.serves(block, 4));
                    remaining.begin(block, 4);
                    remaining.leave(block);
                    seen.push(block);
                }
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..BLOCKS).collect::<Vec<_>>());
        prop_assert_eq!(remaining.totals().left, 0);
    }
}
