//! Read-your-writes on real bytes, in any order that the contract allows, with failures (G1, G3 to G6).

use std::collections::VecDeque;

use proptest::prelude::*;
use wordline_units::{Duration, Seed};

use super::harness::WithBytes;
use super::{any_drive, check, try_build};
use crate::contract::{Ftl, Inspect};
use crate::counters::DeltaCounters;
use crate::exec::any_order::{AnyOrder, AnyOrderOptions, StepObserver};
use crate::mapping::checks::Parts;
use crate::plan::Lpn;
use crate::request::{Answer, PageOp, PageRequest};

/// Random commands.
pub(super) struct Commands {
    pub(super) seed: u64,
    pub(super) number: u32,
    /// Programs and erases that fail.
    pub(super) failures: u32,
    /// Whether some concern parts of pages only.
    pub(super) parts_of_pages: bool,
}

/// Gives a drive random commands, several at a time.
pub(super) fn give<F: Ftl>(drive: &mut F, parts: &Parts, given_commands: &Commands) {
    give_watched(drive, given_commands, parts.medium());
}

/// The same, with an observer of its steps.
pub(super) fn give_watched<F: Ftl, O: StepObserver>(
    drive: &mut F,
    given_commands: &Commands,
    observer: O,
) -> O {
    let Commands {
        seed,
        number: commands,
        failures,
        parts_of_pages,
    } = *given_commands;
    let (user, full) = (drive.user_pages(), drive.geometry().full_bitmap());
    let mut draws = Seed(seed).stream("commands");
    let mut draw = |below: u64| {
        use rand::Rng;
        draws.next_u64() % below
    };
    let options = AnyOrderOptions {
        seed: Seed(seed),
        aligned: false,
        fails_one_in: 100,
        most_failures: failures,
        unreadable_one_in: 0,
        time_per_turn: Duration::from_us(10),
    };
    let mut executor = AnyOrder::new(drive, options, observer);
    let mut waiting: VecDeque<PageRequest> = VecDeque::new();
    let mut given = 0;
    while given < commands || !waiting.is_empty() {
        if draw(200) == 0 {
            executor.flush().unwrap();
        }
        let next = match waiting.pop_front() {
            Some(request) => Some(request),
            None if given < commands && executor.requests_under_way() < 8 => {
                given += 1;
                // most accesses on few pages
                let lpn = match draw(4) {
                    0 => draw(user),
                    1 => draw(user / 4 + 1),
                    _ => draw(user.min(12)),
                };
                let (op, pages) = match draw(20) {
                    0 => (PageOp::Trim, 1 + draw((user - lpn).min(3))),
                    1..6 => (PageOp::Read, 1),
                    _ => (PageOp::Write, 1),
                };
                let is_part = parts_of_pages && pages == 1 && draw(8) == 0;
                let bitmap = if is_part { 1 + draw(full) } else { full };
                Some(PageRequest {
                    op,
                    lpn: Lpn(lpn),
                    pages,
                    bitmap,
                    placement: 0,
                    class: 0,
                    command_sectors: full.count_ones(),
                })
            }
            None => None,
        };
        if let Some(request) = next
            && matches!(
                executor.submit(&request).unwrap(),
                Answer::Wait | Answer::WaitFor(_)
            )
        {
            waiting.push_front(request);
        }
        for _ in 0..draw(6) {
            executor.turn().unwrap();
        }
    }
    executor.drain().unwrap();
    executor.cut()
}

/// Gives the drive that a test has made of bytes random commands; what was counted.
fn work(parts: &Parts, seed: u64, commands: u32, failures: u32) -> DeltaCounters {
    let mut drive = WithBytes::new(try_build(parts).unwrap(), seed);
    let commands = Commands {
        seed,
        number: commands,
        failures,
        parts_of_pages: false,
    };
    give(&mut drive, parts, &commands);
    drive.check_all();
    check(&drive.ftl);
    assert!(drive.ftl.is_quiescent(), "something is under way");
    drive.ftl.counters().delta
}

/// One that uses everything: deltas, both kinds of victims, all kinds of merges.
#[test]
fn a_drive_that_does_everything_keeps_its_bytes() {
    let parts = super::parts(
        24,
        "ratio = 0.3\ncounted_pages = 200\nscan_interval_writes = 400\nread_hot_threshold = 3\ngate = \"open\"",
    );
    let found = work(&parts, 5, 20_000, 0);
    let kinds = [
        found.deltas,
        found.log_victims,
        found.repacked_pages,
        found.merged_reads,
        found.merged_cold,
        found.merged_pages,
        found.merged_logs,
        found.superseded,
        found.dropped,
        found.reads,
        found.reads_in_memory,
    ];
    assert!(kinds.iter().all(|count| *count > 0), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_keeps_its_bytes(parts in any_drive(&["no_split"]), seed: u64) {
        work(&parts, seed, 1500, 0);
    }

    #[test]
    fn failures_lose_no_bytes(mut parts in any_drive(&["no_split"]), seed: u64) {
        parts.geometry.blocks_per_plane += 20;
        let gc = &mut parts.ftl.gc;
        gc.reserve_blocks = 5;
        (gc.hard, gc.low, gc.high) = (6.0, 6.0, 7.0);
        work(&parts, seed, 1500, 3);
    }
}
