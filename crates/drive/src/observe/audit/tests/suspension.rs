//! What may be suspended, over what, and in which order it comes back.

use wordline_metrics::CommandKind::{self, Erase, Program, Read};
use wordline_metrics::{Constituent, Probe, ResumedArray, SuspendedArray};
use wordline_nand::{CellType, DieId, ProgramOrder, WordLines};
use wordline_units::SimTime;

use super::Bench;

impl Bench {
    /// An operation leaves the array of die 0, 20 ns after what was before.
    fn leave(&mut self, kind: CommandKind, operation: &Constituent) {
        self.now += 20;
        self.audit.suspended(&SuspendedArray {
            kind,
            die: DieId(0),
            page: operation.page,
            at: SimTime(self.now),
            left: SimTime(self.now),
            would_end: SimTime(self.now + 90),
        });
    }

    /// An operation is back in the array of die 0 for 90 ns.
    fn back(&mut self, kind: CommandKind, operation: &Constituent) {
        self.audit.resumed(&ResumedArray {
            kind,
            die: DieId(0),
            page: operation.page,
            at: SimTime(self.now),
            to: SimTime(self.now + 90),
        });
        self.now += 90;
    }
}

/// A die with page 0 of block 0 written, and operations on other blocks: an erase, two programs.
fn bench() -> (Bench, Constituent, [Constituent; 2], Constituent) {
    let mut bench = Bench::new();
    bench.program(bench.at(0, 0, 0), 1);
    let erase = bench.constituent(bench.at(0, 1, 0), 0);
    let programs = [0, 1].map(|page| bench.constituent(bench.at(0, 2, page), 2 + u64::from(page)));
    let read = bench.constituent(bench.at(0, 0, 0), 1);
    (bench, erase, programs, read)
}

#[test]
fn an_erase_a_program_over_it_and_a_read_over_both() {
    let (mut bench, erase, [program, _], read) = bench();
    bench.issue(Erase, &[erase]);
    bench.leave(Erase, &erase);
    bench.issue(Program, &[program]);
    bench.leave(Program, &program);
    bench.whole(Read, &[read]);
    bench.back(Program, &program);
    bench.done(Program, &[program]);
    bench.back(Erase, &erase);
    bench.done(Erase, &[erase]);
    bench.clean();
}

#[test]
fn nothing_comes_back_out_of_turn_or_too_early() {
    let (mut out_of_turn, erase, [program, _], read) = bench();
    out_of_turn.issue(Erase, &[erase]);
    out_of_turn.leave(Erase, &erase);
    out_of_turn.issue(Program, &[program]);
    out_of_turn.leave(Program, &program);
    out_of_turn.back(Erase, &erase);
    out_of_turn.found(&["Erase is resumed", "not suspended there last"]);

    let (mut early, ..) = bench();
    early.issue(Program, &[program]);
    early.leave(Program, &program);
    early.issue(Read, &[read]);
    early.back(Program, &program);
    early.found(&["Program is resumed", "before a Read is done"]);

    let (mut unfinished, ..) = bench();
    unfinished.issue(Program, &[program]);
    unfinished.leave(Program, &program);
    unfinished.back(Program, &program);
    unfinished.now -= 10;
    unfinished.done(Program, &[program]);
    unfinished.found(&["done before it can be"]);
}

#[test]
fn two_of_a_kind_are_never_suspended() {
    let (mut programs, erase, [program, other], _) = bench();
    programs.issue(Program, &[program]);
    programs.leave(Program, &program);
    programs.issue(Program, &[other]);
    programs.found(&["Program starts in", "a Program is suspended"]);

    let (mut erases, ..) = bench();
    erases.issue(Program, &[program]);
    erases.leave(Program, &program);
    erases.issue(Erase, &[erase]);
    erases.found(&["Erase starts in", "a Program is suspended"]);

    let (mut reads, .., read) = bench();
    reads.issue(Read, &[read]);
    reads.leave(Read, &read);
    reads.found(&["a Read is suspended"]);

    let (mut nothing, ..) = bench();
    nothing.leave(Program, &program);
    nothing.found(&["where none runs"]);
}

#[test]
fn nothing_touches_a_block_whose_erase_is_suspended() {
    let (mut bench, erase, ..) = bench();
    bench.issue(Erase, &[erase]);
    bench.leave(Erase, &erase);
    let inside = bench.constituent(bench.at(0, 1, 0), 7);
    bench.issue(Program, &[inside]);
    bench.found(&["the block is being erased"]);
}

#[test]
fn what_stays_suspended_is_missed_at_the_end() {
    let (mut bench, _, [program, _], _) = bench();
    bench.issue(Program, &[program]);
    bench.leave(Program, &program);
    let books = super::Books::fresh();
    let error = bench
        .audit
        .finish(SimTime(bench.now), &books, &mut |_| true)
        .unwrap_err();
    assert!(error.contains("was never done"), "{error}");
}

#[test]
fn no_read_touches_a_word_line_whose_program_is_suspended() {
    let of = |order| {
        let (mut bench, _, [first, last], read) = bench();
        bench.audit.word_lines = WordLines::new(order, CellType::Mlc);
        bench.whole(Program, &[first]);
        bench.issue(Program, &[last]);
        bench.leave(Program, &last);
        // another block
        bench.whole(Read, &[read]);
        bench.issue(Read, &[first]);
        bench
    };
    of(ProgramOrder::OneShot).found(&["Read", "the program of its word line is suspended"]);
    of(ProgramOrder::Page).clean();
}
