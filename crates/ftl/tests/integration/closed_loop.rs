//! Times of a closed loop without a clock, worked by hand.

use crate::common::setup::Setup;
use wordline_ftl::functional::{BusyDies, DieTimes, Functional, FunctionalOptions, Pace};
use wordline_ftl::{Ftl, Lpn, PageOp};
use wordline_units::{Duration, SimTime};

const US: u64 = 1_000;

fn options(depth: u32) -> FunctionalOptions {
    FunctionalOptions {
        time_per_write: Duration::ZERO,
        pace: Some(Pace {
            read: Duration::from_us(75),
            program: Duration::from_us(750),
            erase: Duration::from_us(3_800),
            moves: 16,
        }),
        depth,
        ..FunctionalOptions::default()
    }
}

/// When each command of one page was sent to a drive of two dies, in microseconds.
fn sent(
    depth: u32,
    stretch: f64,
    commands: &[(PageOp, u64)],
    before: Option<DieTimes>,
) -> (Vec<u64>, DieTimes) {
    let mut setup = Setup::plain(64, 16, 0.5);
    setup.geometry.channels = 2;
    let mut ftl = setup.build().unwrap();
    let mut before_it = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..8 {
        before_it.write(Lpn(lpn)).unwrap();
    }
    let mut functional = Functional::new(&mut ftl, options(depth));
    if let Some(before) = before {
        functional.go_on_with(before);
    }
    functional.dies_mut().stretch(stretch);
    let mut times = Vec::new();
    for (op, lpn) in commands {
        functional.begin_command();
        times.push(functional.now().ns() / US);
        match op {
            PageOp::Read => functional.read(Lpn(*lpn)).unwrap(),
            _ => functional.write(Lpn(*lpn)).unwrap(),
        };
        functional.end_command();
    }
    (times, functional.take_dies())
}

/// A command is sent when the first of those outstanding ends; one die serves one after the other.
#[test]
fn commands_wait_for_those_outstanding_and_for_their_dies() {
    let writes: Vec<_> = (0..6).map(|lpn| (PageOp::Write, lpn)).collect();
    // one at a time
    assert_eq!(sent(1, 1.0, &writes, None).0, [0, 750, 1500, 2250, 3000, 3750]);
    // two at a time, on two dies in turn
    assert_eq!(sent(2, 1.0, &writes, None).0, [0, 0, 750, 750, 1500, 1500]);
    // three at a time: the third waits for its die
    assert_eq!(sent(3, 1.0, &writes, None).0, [0, 0, 0, 750, 750, 1500]);
    // reads of a page go to one die
    let reads = [
        (PageOp::Read, 0),
        (PageOp::Read, 0),
        (PageOp::Read, 0),
        (PageOp::Read, 0),
    ];
    assert_eq!(sent(2, 1.0, &reads, None).0, [0, 0, 75, 150]);
    // what else commands wait for
    assert_eq!(sent(1, 2.0, &writes, None).0, [0, 1500, 3000, 4500, 6000, 7500]);
}

/// What was measured is what dies take, and an executor that goes on knows which commands are outstanding.
#[test]
fn the_next_executor_goes_on_with_what_is_outstanding() {
    let write = [(PageOp::Write, 0)];
    let (_, mut dies) = sent(1, 3.0, &write, None);
    assert_eq!(dies.take_served(), (750 * US, 1));
    assert_eq!(dies.take_served(), (0, 0));
    assert_eq!(sent(1, 1.0, &write, Some(dies)).0, [2250]);
}

/// What a drive with a clock had outstanding when it sent its last command counts, and its dies are busy so long.
#[test]
fn the_loop_goes_on_after_a_drive_with_a_clock() {
    let mut ftl = Setup::plain(64, 16, 0.5).build().unwrap();
    let mut functional = Functional::new(&mut ftl, options(2));
    let at = |us| SimTime(us * US);
    let busy = BusyDies {
        jobs: vec![SimTime::ZERO],
        host: vec![at(900)],
        ends: vec![at(400), at(900)],
    };
    functional.go_on_after(busy, &[]);
    let mut times = Vec::new();
    for lpn in 0..3 {
        functional.begin_command();
        times.push(functional.now().ns() / US);
        functional.write(Lpn(lpn)).unwrap();
        functional.end_command();
    }
    assert_eq!(times, [400, 900, 1_650]);
}

/// Without a closed loop commands take no time.
#[test]
fn no_time_passes_without_a_closed_loop() {
    let writes = [(PageOp::Write, 0), (PageOp::Write, 1), (PageOp::Read, 0)];
    let (times, mut dies) = sent(0, 1.0, &writes, None);
    assert_eq!(times, [0, 0, 0]);
    assert_eq!(dies.take_served(), (0, 0));
}

/// A write goes to the die that is idle, and where none is to the one that comes free first, as programs do that wait for a die.
#[test]
fn a_write_goes_to_the_die_that_comes_free_first() {
    let read = (PageOp::Read, 0);
    let write = |lpn| (PageOp::Write, lpn);
    // a read keeps the first die: the write goes to the second, the next one waits for the first
    let commands = [read, write(1), write(2), write(3)];
    assert_eq!(sent(2, 1.0, &commands, None).0, [0, 0, 75, 750]);
    // none is idle: the fourth waits for the second die, until 750 and not until 825, and ends at 1500
    let commands = [write(1), read, write(2), write(3)];
    let (times, mut dies) = sent(4, 1.0, &commands, None);
    assert_eq!(times, [0, 0, 0, 0]);
    assert_eq!(dies.take_served(), ((750 + 825 + 750 + 1500) * US, 4));
}

/// A write waits for the erases of its only die, as with a clock: nothing was valid, so that collection is erases alone, of two blocks at a time.
#[test]
fn a_write_waits_where_jobs_keep_all_dies_busy() {
    let mut ftl = Setup::plain(64, 16, 0.5).build().unwrap();
    let pages = ftl.user_pages();
    let mut before = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..2 * pages {
        before.write(Lpn(lpn % pages)).unwrap();
    }
    let mut functional = Functional::new(&mut ftl, options(1));
    let (mut last, mut gaps) = (0, Vec::new());
    for lpn in 0..64 {
        functional.begin_command();
        let sent = functional.now().ns() / US;
        gaps.push(sent - last);
        last = sent;
        functional.write(Lpn(lpn)).unwrap();
        functional.end_command();
    }
    gaps.remove(0);
    let waits = gaps.iter().filter(|gap| **gap != 750).count();
    assert_eq!(waits, 2, "two blocks of 16 pages each: {gaps:?}");
    assert!(
        gaps.iter().all(|gap| [750, 2 * 3_800 + 750].contains(gap)),
        "{gaps:?}"
    );
}
