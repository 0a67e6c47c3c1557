//! What the steps of the delta mapping do once they are done, by their tokens.

use crate::inflight::NO_TOKEN;
use crate::plan::Target;

/// Set in the tokens of these steps; those of the page-level FTL below do not have it.
const OWN: u32 = 1 << 31;

/// Why a page and its delta become a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The page has become read-hot.
    Read,
    /// It is no longer write-hot.
    Cold,
    /// Collection empties the block of the page.
    PageVictim,
    /// Collection empties the block of the delta.
    LogVictim,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A write of the host is encoded.
    Encode {
        lpn: u64,
        /// Bytes of its delta.
        bytes: u32,
        /// The number of the write among all of the host's.
        number: u64,
        /// Where the page goes if it is not kept as a delta.
        target: Target,
        /// The pending write of the page-level FTL.
        write: u32,
    },
    /// A page was read whose bytes are to be compared with what was written.
    Show,
    /// A page was read and decoded; it is to be merged.
    Decode { lpn: u64, stamp: u64 },
    /// A page of deltas is programmed.
    Program {
        log: u32,
        /// The pool whose collection packed it.
        pool: Option<u32>,
        /// How many pages of deltas the host had filled, this one included.
        closed: u64,
        /// The write that is acknowledged when it is done: the one whose delta it had no room for.
        awaited_by: Option<u64>,
        /// The only pool that it may go to, where each has a limit; it counts there.
        home: Option<u32>,
    },
    /// A page and its delta become a page.
    Merge {
        lpn: u64,
        stamp: u64,
        /// The pool whose collection does it.
        pool: Option<u32>,
        why: Why,
    },
}

/// All that are under way.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: Vec<Option<Task>>,
    vacant: Vec<u32>,
    /// Writes that are being encoded.
    encoding: u32,
}

impl Tasks {
    /// Whether a step is of one.
    #[inline]
    pub(super) const fn owns(token: u32) -> bool {
        token != NO_TOKEN && token & OWN != 0
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.tasks.len() == self.vacant.len()
    }

    /// The token of a new one.
    pub(super) fn add(&mut self, task: Task) -> u32 {
        let at = self.vacant.pop().unwrap_or_else(|| {
            self.tasks.push(None);
            self.tasks.len() as u32 - 1
        });
        self.encoding += u32::from(matches!(task, Task::Encode { .. }));
        self.tasks[at as usize] = Some(task);
        at | OWN
    }

    /// The one of a token.
    pub(super) fn get(&self, token: u32) -> Option<Task> {
        let at = Self::owns(token).then_some(token & !OWN)?;
        self.tasks.get(at as usize).copied().flatten()
    }

    /// One is over.
    pub(super) fn remove(&mut self, token: u32) {
        let at = token & !OWN;
        if let Some(task) = self.tasks[at as usize].take() {
            self.encoding -= u32::from(matches!(task, Task::Encode { .. }));
            self.vacant.push(at);
        }
    }

    /// Writes that are being encoded.
    pub(super) const fn encoding(&self) -> u32 {
        self.encoding
    }

    /// Those under way.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().flatten()
    }
}
