//! The FTL's books, before and after a run.

use wordline_ftl::{BlockFacts, Cause, Census, Lpn};
use wordline_metrics::CommandKind::{CopyBack, Erase, Program, Read};
use wordline_metrics::{Constituent, Probe};
use wordline_nand::{BlockId, Ppn, RestrictionsConfig};
use wordline_units::SimTime;

use super::{Bench, Books};

#[test]
fn a_legal_life_passes() {
    let mut books = Books::fresh();
    let mut bench = Bench::new();
    let pages: Vec<Ppn> = (0..4).map(|page| bench.at(0, 0, page)).collect();
    for (lpn, page) in pages.iter().enumerate() {
        bench.program(*page, lpn as u64);
    }
    bench.whole(Read, &[bench.constituent(pages[2], 2)]);
    // page 1 moves by copy-back with a page skipped for parity, then logical page 0 is written anew
    let moved = Constituent {
        source: Some(pages[1]),
        cause: Cause::Gc,
        skipped: 1,
        ..bench.constituent(bench.at(0, 1, 1), 1)
    };
    bench.whole(CopyBack, &[moved]);
    let pair = [
        bench.constituent(bench.at(2, 0, 0), 0),
        bench.constituent(bench.at(3, 0, 0), 5),
    ];
    bench.whole(Program, &pair);
    bench.whole(
        Erase,
        &[
            bench.constituent(bench.at(2, 1, 0), 0),
            bench.constituent(bench.at(3, 1, 0), 0),
        ],
    );
    bench.clean();
    books.map(2, pages[2]);
    books.map(3, pages[3]);
    books.blocks[0].invalid = 2;
    books.blocks[0].free = 0;
    books.map(1, bench.at(0, 1, 1));
    books.blocks[1].skipped = 1;
    books.blocks[1].free -= 1;
    books.map(0, bench.at(2, 0, 0));
    books.map(5, bench.at(3, 0, 0));
    assert_eq!(
        bench.audit.finish(SimTime(bench.now), &books, &mut |_| true),
        Ok(())
    );
}

#[test]
fn aged_state_is_taken_over() {
    let mut books = Books::fresh();
    let page = books.geometry.page(BlockId(0), 1);
    books.map(7, page);
    books.blocks[0] = BlockFacts {
        valid: 1,
        invalid: 1,
        free: 2,
        ..books.blocks[0]
    };
    let bench = |books: &Books| Bench::with(&RestrictionsConfig::default(), books);
    let mut good = bench(&books);
    good.whole(Read, &[good.constituent(page, 7)]);
    good.program(good.at(0, 0, 2), 8);
    good.clean();
    let mut stale = bench(&books);
    stale.whole(Read, &[stale.constituent(stale.at(0, 0, 0), 7)]);
    stale.found(&["logical page 7 is read where old data is"]);
    let mut over = bench(&books);
    over.program(over.at(0, 0, 1), 7);
    over.found(&["R-d"]);
    books.map[8] = Some(page);
    bench(&books).found(&["before the run", "logical page 8", "shared"]);
}

#[test]
fn the_map_is_one_to_one_and_true() {
    let run = || {
        let mut bench = Bench::new();
        bench.program(bench.at(0, 0, 0), 1);
        bench.program(bench.at(0, 0, 1), 2);
        bench.clean();
        let mut books = Books::fresh();
        books.map(1, bench.at(0, 0, 0));
        books.map(2, bench.at(0, 0, 1));
        (bench, books)
    };
    let finish =
        |(mut bench, books): (Bench, Books)| bench.audit.finish(SimTime(bench.now), &books, &mut |_| true);
    assert_eq!(finish(run()), Ok(()));
    let broken = |words: &str, change: fn(&mut Books)| {
        let (bench, mut books) = run();
        change(&mut books);
        let found = finish((bench, books)).unwrap_err();
        assert!(found.contains(words), "`{words}` is not in: {found}");
    };
    broken("not one-to-one: logical page 3", |books| {
        books.map[3] = books.map[1]
    });
    broken("not one-to-one: channel 0", |books| {
        books.owners[7] = Some(Lpn(1))
    });
    broken("not one-to-one: logical page 1", |books| books.owners[0] = None);
    broken("which holds logical page 2", |books| {
        (books.map[1], books.map[2]) = (books.map[2], books.map[1]);
        (books.owners[0], books.owners[1]) = (books.owners[1], books.owners[0]);
    });
    broken("which holds nothing", |books| books.map(9, Ppn(8)));
    broken("said to hold 1 valid pages and holds 2", |books| {
        books.blocks[0].valid = 1;
        books.blocks[0].invalid = 1;
    });
    broken("do not add up", |books| books.blocks[0].free = 3);
    broken("and 2 were programmed", |books| {
        books.blocks[0].invalid = 1;
        books.blocks[0].free = 1;
    });
    broken("and 0 were programmed", |books| {
        books.blocks[5].invalid = 1;
        books.blocks[5].free = 3;
    });
}

#[test]
fn the_census_adds_up() {
    let mut books = Books::fresh();
    books.census = Some(Census {
        free: 191,
        ..Census::default()
    });
    let end = Bench::new()
        .audit
        .finish(SimTime(0), &books, &mut |_| true)
        .unwrap_err();
    assert!(end.contains("does not sum to the 192 pages"), "{end}");
    books.census = Some(Census {
        free: 191,
        valid: 1,
        ..Census::default()
    });
    let end = Bench::new()
        .audit
        .finish(SimTime(0), &books, &mut |_| true)
        .unwrap_err();
    assert!(end.contains("0 of them valid"), "{end}");
}

/// A page programmed twice counts once; pages from before the run count as they were.
#[test]
fn partial_programs_count_once() {
    let restrictions = RestrictionsConfig {
        partial_programs: 2,
        ..RestrictionsConfig::default()
    };
    let mut books = Books::fresh();
    let page = books.geometry.page(BlockId(0), 0);
    books.map(1, page);
    let again = |times: u32| {
        let mut bench = Bench::with(&restrictions, &books);
        (0..times).for_each(|_| bench.program(page, 1));
        bench
    };
    for times in 0..2 {
        let mut bench = again(times);
        assert_eq!(
            bench.audit.finish(SimTime(bench.now), &books, &mut |_| true),
            Ok(())
        );
    }
    again(2).found(&["R-d"]);
    let mut fresh = Bench::with(&restrictions, &Books::fresh());
    fresh.program(page, 1);
    fresh.program(page, 1);
    assert_eq!(
        fresh.audit.finish(SimTime(fresh.now), &books, &mut |_| true),
        Ok(())
    );
}
