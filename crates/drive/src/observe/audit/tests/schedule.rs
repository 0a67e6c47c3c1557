//! Dies, buses and completions.

use wordline_metrics::CommandKind::{CopyBack, Erase, Program, Read};
use wordline_metrics::{Array, BusUse, Constituent, Probe};
use wordline_nand::{BlockId, ChannelId, DieId, Ppn};
use wordline_units::SimTime;

use super::{Bench, Books};

#[test]
fn commands_describe_themselves_rightly() {
    let mut bench = Bench::new();
    let wrong = Constituent {
        die: DieId(1),
        ..bench.constituent(bench.at(0, 0, 0), 1)
    };
    bench.issue(Program, &[wrong]);
    bench.found(&["is said to be in"]);
    let mut bench = Bench::new();
    let right = bench.constituent(bench.at(0, 0, 0), 1);
    bench.issue_with(Program, &[right], &[]);
    bench.found(&["not one array step"]);
    let mut bench = Bench::new();
    let early = Array {
        die: DieId(0),
        from: SimTime(1),
        to: SimTime(0),
    };
    bench.issue_with(Program, &[right], &[early]);
    bench.found(&["does not follow"]);
    let mut bench = Bench::new();
    bench.issue(Erase, &[bench.constituent(bench.at(0, 0, 1), 0)]);
    bench.found(&["middle of a block"]);
    let mut bench = Bench::new();
    bench.issue(CopyBack, &[right]);
    bench.found(&["without a source"]);
}

#[test]
fn one_operation_in_a_die() {
    let two = |second: (u32, u32, u32), wait: u64, done: bool| {
        let mut bench = Bench::new();
        let first = bench.constituent(bench.at(0, 0, 0), 1);
        bench.issue(Program, &[first]);
        bench.now += wait;
        if done {
            bench.done(Program, &[first]);
        }
        bench.issue(
            Program,
            &[bench.constituent(bench.at(second.0, second.1, second.2), 2)],
        );
        bench
    };
    two((0, 0, 1), 110, true).clean();
    two((2, 0, 0), 10, false).clean();
    two((0, 0, 1), 50, false).found(&["two operations in die 0"]);
    // another plane of the die is no excuse
    two((1, 0, 0), 50, false).found(&["two operations in die 0"]);
}

#[test]
fn cached_operations_follow_each_other() {
    let follow = |array_from: u64, kind| {
        let mut bench = Bench::new();
        bench.cached = true;
        let first = bench.constituent(bench.at(0, 0, 0), 1);
        bench.issue(Program, &[first]);
        bench.now += 50;
        let array = Array {
            die: DieId(0),
            from: SimTime(array_from),
            to: SimTime(array_from + 100),
        };
        bench.issue_with(kind, &[bench.constituent(bench.at(0, 0, 1), 2)], &[array]);
        bench
    };
    follow(110, Program).clean();
    follow(109, Program).found(&["in the array of die 0"]);
    follow(110, Read).found(&["two operations in die 0"]);
}

#[test]
fn one_user_of_a_bus() {
    let mut bench = Bench::new();
    bench.issue(Program, &[bench.constituent(bench.at(0, 0, 0), 1)]);
    bench.now += 9;
    bench.issue(Program, &[bench.constituent(bench.at(4, 0, 0), 2)]);
    bench.found(&["bus of channel 0 has two users"]);
    // another channel has another bus
    let mut bench = Bench::new();
    bench.issue(Program, &[bench.constituent(bench.at(0, 0, 0), 1)]);
    bench.issue(Program, &[bench.constituent(bench.at(8, 0, 0), 2)]);
    bench.clean();
    // data too
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    let read = bench.constituent(bench.at(0, 0, 0), 1);
    bench.issue(Read, &[read]);
    bench.now += 105;
    bench.issue(Program, &[bench.constituent(bench.at(4, 0, 0), 2)]);
    bench.now += 5;
    bench.data(&read);
    bench.found(&["two users"]);
}

#[test]
fn data_come_from_operations_under_way() {
    let read = |wait: u64, die: u32| {
        let mut bench = Bench::new();
        bench.program(bench.at(0, 0, 0), 1);
        let read = bench.constituent(bench.at(0, 0, 0), 1);
        bench.issue(Read, &[read]);
        bench.now += wait;
        bench.data(&Constituent {
            die: DieId(die),
            ..read
        });
        bench
    };
    read(110, 0).clean();
    read(109, 0).found(&["before they are ready"]);
    read(110, 1).found(&["nothing is under way in die 1"]);
}

#[test]
fn each_operation_is_done_once_and_not_too_early() {
    let mut bench = Bench::new();
    let page = bench.constituent(bench.at(0, 0, 0), 1);
    bench.whole(Program, &[page]);
    bench.clean();
    bench.done(Program, &[page]);
    bench.found(&["done twice"]);
    let mut bench = Bench::new();
    bench.issue(Program, &[page]);
    bench.now += 109;
    bench.done(Program, &[page]);
    bench.found(&["before it can be"]);
    let mut bench = Bench::new();
    bench.issue(Program, &[page]);
    let end = bench
        .audit
        .finish(SimTime(500), &Books::fresh(), &mut |_| true)
        .unwrap_err();
    assert!(end.contains("was never done"), "{end}");
}

#[test]
fn time_goes_forward() {
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    bench.now = 50;
    bench.issue(Program, &[bench.constituent(bench.at(8, 0, 0), 2)]);
    bench.found(&["time went back"]);
}

#[test]
fn erases_wait_for_operations_on_their_block() {
    // the copy-back's destination is elsewhere, its source in the block; a cached die would let
    // the erase through otherwise
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    let moved = Constituent {
        source: Some(bench.at(0, 0, 0)),
        ..bench.constituent(bench.at(0, 1, 0), 1)
    };
    let erased = bench.constituent(bench.at(0, 0, 0), 0);
    bench.whole(CopyBack, &[moved]);
    bench.whole(Erase, &[erased]);
    bench.clean();
    assert!(bench.audit.pages.start(Read, &moved).is_ok());
    let again = bench.audit.pages.start(
        Erase,
        &Constituent {
            block: moved.block,
            ..erased
        },
    );
    assert!(again.unwrap_err().contains("1 operations on it are under way"));
}

#[test]
fn the_first_finding_stays() {
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 2), 1);
    let first = bench.audit.violation().unwrap().to_owned();
    bench.program(bench.at(0, 0, 0), 1);
    bench.audit.bus(&BusUse {
        channel: ChannelId(99),
        die: DieId(0),
        page: Ppn(0),
        from: SimTime(0),
        to: SimTime(0),
        array: None,
    });
    assert_eq!(bench.audit.violation(), Some(first.as_str()));
    assert_eq!(
        bench.audit.finish(SimTime(0), &Books::fresh(), &mut |_| true),
        Err(first)
    );
}

#[test]
fn steps_follow_each_other() {
    // an array step before its bus step
    let mut bench = Bench::new();
    bench.now = 50;
    let page = bench.constituent(bench.at(0, 0, 0), 1);
    let early = Array {
        die: DieId(0),
        from: SimTime(49),
        to: SimTime(200),
    };
    bench.issue_with(Program, &[page], &[early]);
    bench.found(&["does not follow"]);
    // a bus step that ends before it begins
    let mut bench = Bench::new();
    bench.audit.bus(&BusUse {
        channel: ChannelId(0),
        die: DieId(0),
        page: Ppn(0),
        from: SimTime(9),
        to: SimTime(8),
        array: None,
    });
    bench.found(&["from 9 ns back to 8 ns"]);
    // an array step in a die that has no part in the command
    let mut bench = Bench::new();
    let array = |die| Array {
        die: DieId(die),
        from: SimTime(10),
        to: SimTime(110),
    };
    bench.issue_with(Program, &[page], &[array(0), array(1)]);
    bench.found(&["die 1 has an array step and no constituent"]);
    // a block that is not the page's
    let mut bench = Bench::new();
    let wrong = Constituent {
        block: BlockId(1),
        ..page
    };
    bench.issue(Program, &[wrong]);
    bench.found(&["is said to be in block 1"]);
    // a read that is done while its data move
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    bench.issue(Read, &[page]);
    bench.now += 110;
    bench.data(&page);
    bench.now += 9;
    bench.done(Read, &[page]);
    bench.found(&["before it can be"]);
}
