//! Operations under way.

use crate::paths::{Kind, Unit};

/// No operation.
pub(crate) const NONE: u32 = u32::MAX;

/// An operation under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    /// The next step of its path.
    pub(crate) cursor: u16,
    /// The logical page that it is about; of a page of the table the page whose entry is looked up.
    pub(crate) page: u64,
    /// The request that it is a part of; none if it is one of its own.
    pub(crate) request: u32,
    /// Whether the host has been answered.
    pub(crate) is_answered: bool,
    /// Whether its page is one of the hot package.
    pub(crate) is_hot: bool,
    pub(crate) die: u32,
    /// The die after [`crate::Step::OtherDie`], which takes the place of this one; of a write the die of the old copy in the end.
    pub(crate) other: u32,
    /// Of a move the die whose block is collected, of a write the die that it was placed on.
    pub(crate) from: u32,
    /// The operation that waits for this page of the table, the first of a list.
    pub(crate) waiting: u32,
    /// Of a page of the table: whether it is read for an entry that changes.
    pub(crate) changes: bool,
    /// The next in the same queue, or that waits for the same page of the table.
    pub(crate) next: u32,
    /// When the host sent it.
    pub(crate) sent: u64,
    /// When a write took its place in the write buffer, or a move one of its package.
    pub(crate) admitted: u64,
    /// Whether the core of the visit under way is kept while the memory looks an entry up.
    pub(crate) keeps: bool,
    /// The station of the core that is kept, and since when; none.
    pub(crate) kept: u32,
    pub(crate) kept_since: u64,
    /// Where it is served, or waits since `since`.
    pub(crate) at: u32,
    pub(crate) unit: Unit,
    pub(crate) ns: u64,
    pub(crate) cycles: u32,
    pub(crate) since: u64,
}

impl Operation {
    pub(crate) fn new(kind: Kind, page: u64, die: u32, other: u32, sent: u64) -> Self {
        Self {
            kind,
            page,
            request: NONE,
            is_answered: false,
            is_hot: false,
            cursor: 0,
            die,
            other,
            from: die,
            waiting: NONE,
            changes: false,
            next: NONE,
            sent,
            admitted: 0,
            keeps: false,
            kept: NONE,
            kept_since: 0,
            at: 0,
            unit: Unit::Host,
            ns: 0,
            cycles: 0,
            since: 0,
        }
    }
}

/// Operations by number; numbers are used again.
#[derive(Default)]
pub(crate) struct UnderWay {
    pub(crate) all: Vec<Operation>,
    unused: Vec<u32>,
}

impl UnderWay {
    pub(crate) fn add(&mut self, operation: Operation) -> u32 {
        if let Some(number) = self.unused.pop() {
            self.all[number as usize] = operation;
            return number;
        }
        self.all.push(operation);
        (self.all.len() - 1) as u32
    }

    pub(crate) fn remove(&mut self, number: u32) {
        self.unused.push(number);
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        (self.all.capacity() * size_of::<Operation>() + self.unused.capacity() * 4) as u64
    }
}
