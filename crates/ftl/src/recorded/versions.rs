//! The number of the host write whose content each page holds (FTL specification, 8.2).

use rustc_hash::FxHashMap;
use wordline_nand::Ppn;

use crate::contract::Mapping;
use crate::plan::{Outcome, Plan, Step, Work};

/// Versions of pages, and of programs under way. Pages are numbered as the mapping numbers them.
///
/// Sub-pages that several pages of equal version hold are equal. A copy lacks those that were trimmed before it was made.
#[derive(Debug)]
pub(super) struct Versions {
    /// Host writes and TRIMs so far.
    pub(super) newest: u64,
    pub(super) of_page: Vec<u64>,
    /// Of programs of host writes, by the tokens of their steps.
    of_write: FxHashMap<u32, u64>,
    /// Of programs under way that move pages, by the tokens of their steps: what their source had when they began.
    of_move: FxHashMap<u32, u64>,
}

const fn is_program(step: &Step) -> bool {
    matches!(step.work, Work::Program { .. } | Work::CopyBack { .. })
}

impl Versions {
    pub(super) fn new(pages: u64) -> Self {
        Self {
            newest: 0,
            of_page: vec![0; pages as usize],
            of_write: FxHashMap::default(),
            of_move: FxHashMap::default(),
        }
    }

    /// A host write or TRIM was accepted: its number.
    pub(super) const fn next(&mut self) -> u64 {
        self.newest += 1;
        self.newest
    }

    /// The programs of a host write bring this version.
    pub(super) fn write(&mut self, plan: &[Step], version: u64) {
        for step in plan.iter().filter(|step| is_program(step)) {
            self.of_write.insert(step.token, version);
        }
    }

    /// Whether no program is under way.
    pub(super) fn is_quiescent(&self) -> bool {
        self.of_write.is_empty() && self.of_move.is_empty()
    }

    /// Whether the program of a step brings a host write; others move what their logical page holds.
    pub(super) fn is_write(&self, step: &Step) -> bool {
        self.of_write.contains_key(&step.token)
    }

    /// A program begins.
    pub(super) fn begun(&mut self, inner: &dyn Mapping, step: &Step) {
        if !self.is_write(step) {
            let page = inner.lookup(step.lpn);
            let version = page.map_or(0, |page| self.of_page[page.index()]);
            self.of_move.insert(step.token, version);
        }
    }

    /// What the program of a step brings.
    pub(super) fn of_program(&self, step: &Step) -> u64 {
        let version = self.of_write.get(&step.token);
        let version = version.or_else(|| self.of_move.get(&step.token));
        version.copied().unwrap_or(0)
    }

    /// A program has ended; `grown` is what follows from that.
    pub(super) fn ended(&mut self, step: &Step, page: Option<Ppn>, outcome: Outcome, grown: &Plan) {
        if !is_program(step) {
            return;
        }
        if let (Outcome::Good | Outcome::Uncorrectable, Some(page)) = (outcome, page) {
            self.of_page[page.index()] = self.of_program(step);
        }
        self.of_move.remove(&step.token);
        // the same data are programmed again
        if !grown
            .iter()
            .any(|next| next.token == step.token && is_program(next))
        {
            self.of_write.remove(&step.token);
        }
    }

    /// After a power cut: a page holds this version.
    pub(super) fn found(&mut self, page: Ppn, version: u64) {
        self.of_page[page.index()] = version;
        self.newest = self.newest.max(version);
    }
}
