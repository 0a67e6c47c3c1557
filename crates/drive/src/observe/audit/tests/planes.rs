//! Reads of planes on their own.

use wordline_metrics::CommandKind::{self, Erase, Program, Read};
use wordline_nand::RestrictionsConfig;

use super::{Bench, Books};

/// A die whose two planes hold a page each, and one more of plane 0; reads of it begin side by side where `by_plane`.
fn bench(by_plane: bool) -> Bench {
    let mut bench = Bench::with(&RestrictionsConfig::default(), &Books::fresh());
    for (lpn, (plane, page)) in [(0, 0), (1, 0), (0, 1)].into_iter().enumerate() {
        let page = bench.at(plane, 0, page);
        bench.program(page, lpn as u64);
    }
    bench.audit = bench.audit.with_plane_reads(by_plane);
    bench
}

/// A read of plane 0 at once, and this command 20 ns later.
fn beside(by_plane: bool, kind: CommandKind, plane: u32, page: u32) -> Bench {
    let mut bench = bench(by_plane);
    let first = bench.constituent(bench.at(0, 0, 0), 0);
    bench.issue(Read, &[first]);
    bench.now += 20;
    let lpn = if plane == 1 { 1 } else { 2 };
    bench.issue(kind, &[bench.constituent(bench.at(plane, 0, page), lpn)]);
    bench
}

#[test]
fn planes_read_beside_each_other() {
    let mut both = beside(true, Read, 1, 0);
    let pages = [(0, 0), (1, 0)].map(|(plane, lpn)| both.constituent(both.at(plane, 0, 0), lpn));
    for (page, ready) in pages.iter().zip([110, 130]) {
        both.now += ready;
        both.data(page);
        both.now += 10;
        both.done(Read, &[*page]);
    }
    both.clean();
    beside(false, Read, 1, 0).found(&["two operations in die 0"]);
}

#[test]
fn only_reads_of_other_planes_begin() {
    beside(true, Read, 0, 1).found(&["two operations in die 0"]);
    beside(true, Program, 1, 1).found(&["a Program starts before a Read is done"]);
    beside(true, Erase, 1, 0).found(&["a Erase starts before a Read is done"]);
}

/// The data of the read that began second are ready when its own array step is over.
#[test]
fn each_read_has_its_own_end() {
    let mut both = beside(true, Read, 1, 0);
    let second = both.constituent(both.at(1, 0, 0), 1);
    both.now += 100;
    both.data(&second);
    both.found(&["before they are ready"]);
}
