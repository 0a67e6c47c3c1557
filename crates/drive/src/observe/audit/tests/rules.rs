//! The rules of the medium.

use wordline_ftl::Cause;
use wordline_metrics::CommandKind::{CopyBack, Erase, Program, Read};
use wordline_metrics::Constituent;
use wordline_nand::{Ppn, RestrictionsConfig};

use super::{Bench, Books};

#[test]
fn r_a_in_order() {
    let mut bench = Bench::new();
    let skip = Constituent {
        skipped: 2,
        ..bench.constituent(bench.at(0, 0, 2), 1)
    };
    bench.whole(Program, &[skip]);
    bench.clean();
    bench.program(bench.at(0, 0, 1), 2);
    bench.found(&["R-a", "skipped", "page 1"]);
}

#[test]
fn skips_are_counted() {
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 2), 1);
    bench.found(&["2 pages are passed by and 0 counted"]);
}

#[test]
fn r_a_does_not_hold_where_switched_off() {
    let restrictions = RestrictionsConfig {
        in_order: false,
        ..RestrictionsConfig::default()
    };
    let mut bench = Bench::with(&restrictions, &Books::fresh());
    bench.program(bench.at(0, 0, 2), 1);
    bench.program(bench.at(0, 0, 1), 2);
    bench.clean();
    bench.program(bench.at(0, 0, 2), 1);
    bench.found(&["R-d"]);
}

#[test]
fn r_d_no_overwrite() {
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    bench.clean();
    bench.program(bench.at(0, 0, 0), 1);
    bench.found(&["R-d", "channel 0 chip 0 die 0 plane 0 block 0 page 0"]);
}

#[test]
fn r_d_counts_partial_programs() {
    let restrictions = RestrictionsConfig {
        partial_programs: 2,
        ..RestrictionsConfig::default()
    };
    let twice = |second: u32| {
        let mut bench = Bench::with(&restrictions, &Books::fresh());
        bench.program(bench.at(0, 0, 0), 1);
        bench.program(bench.at(0, 0, 0), 1);
        bench.program(bench.at(0, 0, 1), 2);
        bench.clean();
        bench.program(bench.at(0, 0, second), 1);
        bench
    };
    twice(0).found(&["R-d"]);
    twice(1).clean();
    let mut late = Bench::with(&restrictions, &Books::fresh());
    late.program(late.at(0, 0, 0), 1);
    late.program(late.at(0, 0, 1), 2);
    late.program(late.at(0, 0, 0), 1);
    late.found(&["R-a", "page 1 of the block"]);
}

#[test]
fn reads_touch_programmed_pages() {
    let mut bench = Bench::new();
    bench.whole(Read, &[bench.constituent(bench.at(0, 0, 0), 1)]);
    bench.found(&["a page that is erased"]);
    let mut bench = Bench::new();
    let skip = Constituent {
        skipped: 1,
        ..bench.constituent(bench.at(0, 0, 1), 1)
    };
    bench.whole(Program, &[skip]);
    bench.whole(Read, &[bench.constituent(bench.at(0, 0, 0), 1)]);
    bench.found(&["skipped"]);
}

#[test]
fn reads_find_their_owner() {
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    let mapping = Constituent {
        cause: Cause::Mapping,
        ..bench.constituent(bench.at(0, 0, 0), 9)
    };
    bench.whole(Read, &[mapping]);
    bench.clean();
    bench.whole(Read, &[bench.constituent(bench.at(0, 0, 0), 2)]);
    bench.found(&["logical page 2 is read where logical page 1 is"]);
}

#[test]
fn r_b_copy_back() {
    let copy = |to: (u32, u32, u32), restrictions: &RestrictionsConfig| {
        let mut bench = Bench::with(restrictions, &Books::fresh());
        bench.program(bench.at(0, 0, 0), 1);
        let moved = Constituent {
            source: Some(bench.at(0, 0, 0)),
            skipped: to.2,
            ..bench.constituent(bench.at(to.0, to.1, to.2), 1)
        };
        bench.whole(CopyBack, &[moved]);
        bench
    };
    let strict = RestrictionsConfig::default();
    copy((0, 1, 0), &strict).clean();
    copy((0, 1, 1), &strict).found(&["R-b", "odd and even"]);
    copy((1, 1, 0), &strict).found(&["R-b", "another plane"]);
    copy(
        (0, 1, 1),
        &RestrictionsConfig {
            copyback_same_parity: false,
            ..strict
        },
    )
    .clean();
}

#[test]
fn r_c_multi_plane() {
    let pair = |second: (u32, u32, u32), restrictions: &RestrictionsConfig| {
        let mut bench = Bench::with(restrictions, &Books::fresh());
        let other = bench.constituent(bench.at(second.0, second.1, second.2), 2);
        let pages = [
            bench.constituent(bench.at(0, 0, 0), 1),
            Constituent {
                skipped: second.2,
                ..other
            },
        ];
        bench.whole(Program, &pages);
        bench
    };
    let strict = RestrictionsConfig::default();
    pair((1, 0, 0), &strict).clean();
    pair((1, 1, 0), &strict).found(&["R-c", "different index"]);
    pair((1, 0, 1), &strict).found(&["R-c", "different index"]);
    pair((0, 1, 0), &strict).found(&["R-c", "one plane"]);
    let loose = RestrictionsConfig {
        multi_plane_same_block: false,
        multi_plane_same_page: false,
        ..strict
    };
    pair((1, 1, 0), &loose).clean();
    pair((1, 0, 1), &loose).found(&["R-c"]);
    let mut erases = Bench::new();
    erases.whole(
        Erase,
        &[
            erases.constituent(erases.at(0, 0, 0), 0),
            erases.constituent(erases.at(1, 1, 0), 0),
        ],
    );
    erases.found(&["R-c"]);
}

#[test]
fn r_e_interleave() {
    let program = |planes: &[u32]| {
        let mut bench = Bench::new();
        let pages: Vec<Constituent> = planes
            .iter()
            .map(|plane| bench.constituent(bench.at(*plane, 0, 0), u64::from(*plane)))
            .collect();
        bench.whole(Program, &pages);
        bench
    };
    program(&[0, 1, 2, 3]).clean();
    program(&[0, 4]).found(&["R-e", "two chips"]);
    // dies 0, 1, 0: die 0 is addressed twice
    program(&[0, 2, 1]).found(&["R-e", "die 0 is addressed twice"]);
    program(&[0, 8]).found(&["a command on channel 0"]);
}

#[test]
fn r_c_reads_and_copy_backs() {
    let restrictions = |multi_plane_same_page| RestrictionsConfig {
        multi_plane_same_page,
        ..RestrictionsConfig::default()
    };
    let written = |multi_plane_same_page| {
        let mut bench = Bench::with(&restrictions(multi_plane_same_page), &Books::fresh());
        for (page, lpn) in [(0, 0), (1, 1), (2, 2)] {
            bench.program(bench.at(0, 0, page), lpn);
            bench.program(bench.at(1, 0, page), lpn + 10);
        }
        bench
    };
    let read = |same_page, page: u32| {
        let mut bench = written(same_page);
        let first = bench.constituent(bench.at(0, 0, 0), 0);
        let pages = [
            first,
            bench.constituent(bench.at(1, 0, page), u64::from(page) + 10),
        ];
        bench.whole(Read, &pages);
        bench
    };
    read(true, 0).clean();
    read(true, 1).found(&["R-c"]);
    read(false, 1).clean();
    let copy = |page: u32| {
        let mut bench = written(true);
        let moved = |plane, page: u32, lpn| Constituent {
            source: Some(bench.at(plane, 0, page)),
            ..bench.constituent(bench.at(plane, 1, 0), lpn)
        };
        let pages = [moved(0, 0, 0), moved(1, page, u64::from(page) + 10)];
        bench.whole(CopyBack, &pages);
        bench
    };
    copy(0).clean();
    copy(2).found(&["R-c", "sources"]);
}

#[test]
fn skipped_pages_hold_nothing_for_anyone() {
    let mut bench = Bench::new();
    let skip = Constituent {
        skipped: 1,
        ..bench.constituent(bench.at(0, 0, 1), 1)
    };
    bench.whole(Program, &[skip]);
    let read = Constituent {
        cause: Cause::Mapping,
        ..bench.constituent(bench.at(0, 0, 0), 1)
    };
    bench.whole(Read, &[read]);
    bench.found(&["a read of a page that was skipped"]);
}

#[test]
fn an_erase_makes_a_block_new() {
    let restrictions = RestrictionsConfig {
        partial_programs: 2,
        ..RestrictionsConfig::default()
    };
    let mut bench = Bench::with(&restrictions, &Books::fresh());
    for _ in 0..2 {
        bench.program(bench.at(0, 0, 0), 1);
        bench.program(bench.at(0, 0, 0), 1);
        bench.program(bench.at(0, 0, 1), 2);
        bench.whole(Erase, &[bench.constituent(bench.at(0, 0, 0), 0)]);
    }
    bench.clean();
    bench.whole(Read, &[bench.constituent(bench.at(0, 0, 0), 1)]);
    bench.found(&["a page that is erased"]);
}

#[test]
fn addresses_are_inside_the_drive() {
    let mut bench = Bench::new();
    let beyond = Constituent {
        page: Ppn(192),
        ..bench.constituent(bench.at(0, 0, 0), 1)
    };
    bench.issue(Program, &[beyond]);
    bench.found(&["page 192 is beyond the drive"]);
}
