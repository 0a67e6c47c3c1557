//! What is known of pages whose data may have to be computed from the others of their superpage, and of parity that is awaited.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashSet;
use wordline_nand::Ppn;

use crate::contract::FlushMark;
use crate::counters::ParityCounters;
use crate::inflight::NO_TOKEN;
use crate::plan::{Lpn, Step};

/// The data of a page are computed from others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// The read that could not be corrected.
    pub(super) read: Step,
    /// Reads of other pages that have not ended.
    pub(super) left: u32,
    pub(super) has_failed: bool,
}

/// What is known of pages whose data may have to be computed.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    /// Pages that have been given to programs which are not done: the controller has their data.
    pub(super) under_way: FxHashSet<Ppn>,
    /// Superpages that have no parity, as a program of theirs has failed or was cut off.
    pub(super) broken: BTreeSet<u64>,
    /// Reads that could not be corrected, and whose data a program waits for: by logical page, and whether the host writes it.
    pub(super) awaited: BTreeMap<(Lpn, bool), Step>,
    /// By the token of their reads.
    pub(super) attempts: BTreeMap<u32, Attempt>,
    next_attempt: u32,
    /// Superpages whose parity is being programmed, or will be since a flush completes them, and how many there were before; kept where a flush does that.
    awaited_parity: BTreeMap<u64, u64>,
    parities: u64,
    pub(super) counters: ParityCounters,
}

/// By what a program finds the read whose data it waits for.
pub(super) const fn key(step: &Step) -> (Lpn, bool) {
    (step.lpn, step.cause.is_of_host())
}

impl Recovery {
    /// The token of the reads of the next attempt.
    pub(super) fn take_token(&mut self) -> u32 {
        let token = self.next_attempt;
        self.next_attempt = (token + 1) % NO_TOKEN;
        token
    }

    /// A program has its page.
    pub(super) fn begin_program(&mut self, page: Ppn) {
        self.under_way.insert(page);
    }

    /// A program is over.
    pub(super) fn end_program(&mut self, page: Ppn) {
        self.under_way.remove(&page);
    }

    /// The parity of a superpage is to be programmed.
    pub(super) fn await_parity(&mut self, superpage: u64) {
        self.awaited_parity.entry(superpage).or_insert(self.parities);
        self.parities += 1;
    }

    pub(super) fn awaits_parity(&self, superpage: u64) -> bool {
        self.awaited_parity.contains_key(&superpage)
    }

    /// The parity of superpages is programmed, or will not be.
    pub(super) fn end_parity_of(&mut self, superpages: Range<u64>) {
        self.awaited_parity
            .retain(|superpage, _| !superpages.contains(superpage));
    }

    /// Stands for what has been asked for so far.
    pub(super) const fn parity_mark(&self) -> FlushMark {
        FlushMark(self.parities)
    }

    /// Whether the parity that had been asked for before a mark is on flash.
    pub(super) fn is_flushed(&self, mark: FlushMark) -> bool {
        self.awaited_parity.values().all(|before| *before >= mark.0)
    }

    /// Whether nothing is under way that a saved state would not have.
    pub(super) fn is_quiescent(&self) -> bool {
        self.under_way.is_empty() && self.attempts.is_empty() && self.awaited.is_empty()
    }

    /// Whether a page has been given to a program that is not done, of those for which something holds.
    pub(super) fn has_under_way(&self, holds: impl Fn(Ppn) -> bool) -> bool {
        self.under_way.iter().any(|page| holds(*page))
    }

    /// Whether the data of a program have still to be computed.
    pub(super) fn awaits(&self, program: &Step) -> bool {
        program.after != 0 && self.awaited.contains_key(&key(program))
    }

    /// The page that a read for a computation is to bring the data of, or else its own.
    pub(super) fn wanted(&self, read: &Step) -> Option<Ppn> {
        let attempt = self.attempts.get(&read.token);
        attempt.map_or(read, |attempt| &attempt.read).work.planned_page()
    }
}
