//! Modes: programs that take another time, and pages that are in another mode than the audit knows.

use wordline_config::Config;
use wordline_nand::{Mode, PageTypes};

use super::*;

/// Programs of 100 ns in the normal mode and of 300 ns in mode 1.
fn bench(books: &Books) -> Bench {
    bench_with(books, "[ftl.modes]\npolicy = \"fixed\"\n")
}

/// The same with further keys.
fn bench_with(books: &Books, more: &str) -> Bench {
    let text =
        format!("[timing]\nt_prog = \"100 ns\"\n[[modes]]\nname = \"slow\"\nt_prog = \"300 ns\"\n{more}");
    let config: Config = toml::from_str(&text).unwrap();
    let page_types = PageTypes::new(&config.geometry, &books.geometry).unwrap();
    let mut bench = Bench::with(&RestrictionsConfig::default(), books);
    bench.audit = bench.audit.with_modes(&config, &page_types, books, &mut |_| true);
    bench
}

/// A program of a page in a mode, whose array step takes so many nanoseconds.
fn program(bench: &mut Bench, page: Ppn, mode: Mode, length: u64) {
    let constituent = Constituent {
        mode,
        ..bench.constituent(page, 0)
    };
    let from = bench.now + 10;
    let array = Array {
        die: constituent.die,
        from: SimTime(from),
        to: SimTime(from + length),
    };
    bench.issue_with(CommandKind::Program, &[constituent], &[array]);
    bench.now = from + length;
    bench.done(CommandKind::Program, &[constituent]);
}

#[test]
fn each_mode_has_its_time() {
    let books = Books::fresh();
    for (mode, length, is_right) in [
        (Mode::NORMAL, 100, true),
        (Mode(1), 300, true),
        (Mode(1), 100, false),
        (Mode::NORMAL, 300, false),
        (Mode(1), 299, false),
    ] {
        let mut bench = bench(&books);
        let page = bench.at(0, 0, 0);
        program(&mut bench, page, mode, length);
        if is_right {
            bench.clean();
        } else {
            bench.found(&["a program in", "ask for"]);
        }
    }
}

#[test]
fn a_page_is_read_in_its_mode() {
    let books = Books::fresh();
    for (mode, is_right) in [(Mode(1), true), (Mode::NORMAL, false)] {
        let mut bench = bench(&books);
        let page = bench.at(0, 0, 0);
        program(&mut bench, page, Mode(1), 300);
        let read = Constituent {
            mode,
            ..bench.constituent(page, 0)
        };
        bench.whole(CommandKind::Read, &[read]);
        if is_right {
            bench.clean();
        } else {
            bench.found(&["in mode 0, while its data are in mode 1"]);
        }
    }
}

/// The codewords of a copy-back stay as they are.
#[test]
fn a_copy_back_keeps_the_mode() {
    let books = Books::fresh();
    for (mode, is_right) in [(Mode(1), true), (Mode::NORMAL, false)] {
        let mut bench = bench(&books);
        let (source, page) = (bench.at(0, 0, 0), bench.at(0, 1, 0));
        program(&mut bench, source, Mode(1), 300);
        let copy = Constituent {
            mode,
            read_mode: Mode(1),
            source: Some(source),
            cause: Cause::Gc,
            ..bench.constituent(page, 0)
        };
        bench.issue(CommandKind::CopyBack, &[copy]);
        if is_right {
            bench.clean();
        } else {
            bench.found(&["in mode 0, while its data are in mode 1"]);
        }
    }
}

/// Out of an SLC cache a copy changes the mode, and is read in that of its source all the same.
#[test]
fn a_copy_back_folds() {
    let books = Books::fresh();
    for (read_mode, is_right) in [(Mode(1), true), (Mode::NORMAL, false)] {
        let mut bench = bench_with(
            &books,
            "[ftl.slc_cache]\nmode = \"slow\"\nfolding = \"copy_back\"\n",
        );
        let (source, page) = (bench.at(0, 0, 0), bench.at(0, 1, 0));
        program(&mut bench, source, Mode(1), 300);
        let copy = Constituent {
            read_mode,
            source: Some(source),
            cause: Cause::Fold,
            ..bench.constituent(page, 0)
        };
        bench.whole(CommandKind::CopyBack, &[copy]);
        if is_right {
            bench.whole(CommandKind::Read, &[bench.constituent(page, 0)]);
            bench.clean();
        } else {
            bench.found(&["a copy-back reads", "in mode 0, while its data are in mode 1"]);
        }
    }
}
