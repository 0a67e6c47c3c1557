//! The number of the host write whose content each page holds (FTL specification, 8.2).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wordline_nand::Ppn;

use crate::contract::{Mapping, Subjects};
use crate::inflight::NO_TOKEN;
use crate::plan::{Outcome, Plan, Step, Work};
use crate::recovery::{SpareArea, Written};

/// The numbers of what a page holds: its version, and the host write whose content that is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) version: u64,
    pub(super) write: u64,
}

/// Versions of pages, and of programs under way. Pages are numbered as the mapping numbers them.
///
/// Sub-pages that several pages of equal version hold are equal. A copy lacks those that were trimmed before it was made.
#[derive(Debug)]
pub(super) struct Versions {
    /// Host writes and TRIMs so far.
    pub(super) newest: u64,
    pub(super) of_page: Vec<u64>,
    /// The writes of pages that got a fresh version by recovery.
    pub(super) renewed: BTreeMap<u64, u64>,
    /// Logical pages of the host's.
    user_pages: u64,
    /// Of programs of host writes, or of the steps that come before these.
    of_write: FxHashMap<Key, u64>,
    /// Of programs under way that move pages: what their source had when they began.
    of_move: FxHashMap<Key, Numbers>,
}

/// The token of a step, and whether the step is about a page of the mapping's own: these may be numbered apart.
type Key = (bool, u32);

const fn is_program(step: &Step) -> bool {
    matches!(step.work, Work::Program { .. } | Work::CopyBack { .. })
}

/// Whether a step is work of the codec: a host write that is encoded becomes a delta, or a program.
const fn is_coding(step: &Step) -> bool {
    matches!(step.work, Work::Compute { .. })
}

impl Versions {
    /// Of so many pages of flash, and logical pages of the host's.
    pub(super) fn new(pages: u64, user_pages: u64) -> Self {
        Self {
            newest: 0,
            user_pages,
            of_page: vec![0; pages as usize],
            renewed: BTreeMap::new(),
            of_write: FxHashMap::default(),
            of_move: FxHashMap::default(),
        }
    }

    const fn key(&self, step: &Step) -> Key {
        (step.lpn.0 >= self.user_pages, step.token)
    }

    /// A host write or TRIM was accepted: its number.
    pub(super) const fn next(&mut self) -> u64 {
        self.newest += 1;
        self.newest
    }

    /// The programs of a host write bring this version, or those that its work of the codec grows.
    pub(super) fn write(&mut self, plan: &[Step], version: u64) {
        let brings = |step: &&Step| is_program(step) || is_coding(step) && step.token != NO_TOKEN;
        for step in plan.iter().filter(brings) {
            self.of_write.insert(self.key(step), version);
        }
    }

    /// Whether no program is under way.
    pub(super) fn is_quiescent(&self) -> bool {
        self.of_write.is_empty() && self.of_move.is_empty()
    }

    /// Whether the program of a step brings a host write; others move what their logical page holds.
    pub(super) fn is_write(&self, step: &Step) -> bool {
        self.of_write.contains_key(&self.key(step))
    }

    /// What a page holds.
    pub(super) fn of(&self, page: Ppn) -> Numbers {
        let version = self.of_page[page.index()];
        let write = self.renewed.get(&page.0).copied().unwrap_or(version);
        Numbers { version, write }
    }

    /// The program of a page begins.
    pub(super) fn begun(&mut self, inner: &dyn Mapping, step: &Step, page: Ppn) {
        if self.is_write(step) {
            return;
        }
        let source = inner.lookup(step.lpn);
        let source = source.map_or_else(Numbers::default, |source| self.of(source));
        let numbers = match inner.recoverable().and_then(|inner| inner.written(step, page)) {
            // the mapping knows of which write it is: it takes the place of its source
            Some(Written::Data(SpareArea { version, .. })) if version > 0 => {
                let version = version.max(source.version);
                let write = version;
                Numbers { version, write }
            }
            _ => source,
        };
        self.of_move.insert(self.key(step), numbers);
    }

    /// What the program of a step brings.
    pub(super) fn of_program(&self, step: &Step) -> Numbers {
        match self.of_write.get(&self.key(step)) {
            Some(version) => Numbers {
                version: *version,
                write: *version,
            },
            None => self.of_move.get(&self.key(step)).copied().unwrap_or_default(),
        }
    }

    /// A program has ended; `grown` is what follows from that.
    pub(super) fn ended(&mut self, step: &Step, page: Option<Ppn>, outcome: Outcome, grown: &Plan) {
        if is_coding(step)
            && step.token != NO_TOKEN
            && let Some(version) = self.of_write.remove(&self.key(step))
        {
            let is_page = |next: &&Step| is_program(next) && next.lpn == step.lpn;
            for next in grown.iter().filter(is_page) {
                self.of_write.insert(self.key(next), version);
            }
        }
        if !is_program(step) {
            return;
        }
        if let (Outcome::Good | Outcome::Uncorrectable, Some(page)) = (outcome, page) {
            self.hold(page, self.of_program(step));
        }
        self.of_move.remove(&self.key(step));
        // the same data are programmed again
        if !grown
            .iter()
            .any(|next| self.key(next) == self.key(step) && is_program(next))
        {
            self.of_write.remove(&self.key(step));
        }
    }

    /// After a power cut: a page holds this.
    pub(super) fn found(&mut self, page: Ppn, numbers: Numbers) {
        self.hold(page, numbers);
        self.newest = self.newest.max(numbers.version);
    }

    fn hold(&mut self, page: Ppn, numbers: Numbers) {
        self.of_page[page.index()] = numbers.version;
        if numbers.write == numbers.version {
            self.renewed.remove(&page.0);
        } else {
            self.renewed.insert(page.0, numbers.write);
        }
    }
}
