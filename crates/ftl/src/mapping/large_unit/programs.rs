//! Programs of units: each is a program of every page of the unit, in successive pages of a block.

use rustc_hash::FxHashMap;

use crate::contract::FlushMark;
use crate::plan::{Outcome, Step};

/// What a host write leaves in a unit.
#[derive(Clone, Debug)]
pub(super) struct Data {
    /// Per page: sub-pages that hold data then.
    pub(super) after: Vec<u64>,
    /// How many units of host writes were closed before it and with it.
    pub(super) closed: u64,
    /// The number of its newest write among all of the host's, where these are numbered; else 0.
    pub(super) number: u64,
}

/// The program of a unit.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The step of the FTL of the units.
    pub(super) step: Step,
    /// What a host write leaves; none of a relocation.
    pub(super) data: Option<Data>,
    /// The place of the unit, once its first page has begun.
    pub(super) place: Option<u64>,
    /// Pages that have begun.
    pub(super) begun: u32,
    /// Pages whose steps have not ended.
    pub(super) left: u32,
    /// What became of its pages so far.
    pub(super) outcome: Outcome,
}

/// All of them, by the tokens of their steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Programs {
    table: Vec<Option<Program>>,
    vacant: Vec<u32>,
    /// Blocks with a unit of which not all pages have begun, and its token: no other unit begins there.
    unfinished: FxHashMap<u32, u32>,
}

impl Programs {
    pub(super) fn is_empty(&self) -> bool {
        self.vacant.len() == self.table.len()
    }

    /// Notes the program of a unit; the token of the steps of its pages.
    pub(super) fn add(&mut self, program: Program) -> u32 {
        if let Some(token) = self.vacant.pop() {
            self.table[token as usize] = Some(program);
            token
        } else {
            self.table.push(Some(program));
            self.table.len() as u32 - 1
        }
    }

    pub(super) fn get(&self, token: u32) -> Option<&Program> {
        self.table.get(token as usize)?.as_ref()
    }

    /// Takes a program out of the table, to be put back.
    pub(super) fn take(&mut self, token: u32) -> Option<Program> {
        self.table.get_mut(token as usize)?.take()
    }

    pub(super) fn put_back(&mut self, token: u32, program: Program) {
        self.table[token as usize] = Some(program);
    }

    /// A unit begins in a block: no other one does before all of its pages have begun.
    pub(super) fn begin_in(&mut self, block: u32, token: u32) {
        self.unfinished.insert(block, token);
    }

    /// All pages of a unit have begun.
    pub(super) fn all_begun(&mut self, token: u32) {
        self.unfinished.retain(|_, other| *other != token);
    }

    /// Whether a unit has begun in a block of which not all pages have.
    pub(super) fn has_unfinished(&self, block: u32) -> bool {
        self.unfinished.contains_key(&block)
    }

    /// The step of a page has ended; the program of the unit, if that was the last one.
    pub(super) fn end_page(&mut self, token: u32, outcome: Outcome) -> Option<Program> {
        let program = self.table.get_mut(token as usize)?.as_mut()?;
        match (program.outcome, outcome) {
            (_, Outcome::Failed) => program.outcome = Outcome::Failed,
            (Outcome::Good, Outcome::Declined) => program.outcome = Outcome::Declined,
            _ => {}
        }
        program.left -= 1;
        if program.left > 0 {
            return None;
        }
        self.all_begun(token);
        self.vacant.push(token);
        self.table[token as usize].take()
    }

    /// Whether every unit of a host write that was closed up to a mark is on flash.
    pub(super) fn is_written(&self, mark: FlushMark) -> bool {
        let waits = |program: &Program| program.data.as_ref().is_some_and(|data| data.closed <= mark.0);
        !self.table.iter().flatten().any(waits)
    }
}
