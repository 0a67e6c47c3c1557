//! The log blocks of a plane, as a mapping with log blocks keeps them and its association sees them.

use serde::{Deserialize, Serialize};

use crate::block::BlockRole;
use crate::blocks::Blocks;
use crate::map::{DenseMap, Relocate};

/// What a log block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LogUse {
    /// Updates, in the order of their arrival.
    Updates,
    /// The same, of pages that are written often (hot partition of LAST).
    Hot,
    /// Pages of one logical block in sequence (SW of FAST, sequential area of LAST).
    Sequential,
    /// Pages that a merge collects.
    Target,
}

/// A log block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Log {
    pub(super) block: u32,
    /// The group of logical blocks whose pages it takes, as the association numbers them.
    pub(super) owner: u32,
    pub(super) used_for: LogUse,
    /// The logical block whose pages it holds in place: its page i holds page i of the logical block, or nothing.
    pub(super) in_place: Option<u32>,
    /// Number of the host program of the plane that was the last one to go there.
    pub(super) last_write: u64,
    /// Per page, as far as they were asked for: the number of the host program that went there; 0 for a copy.
    pub(super) numbers: Vec<u64>,
}

/// The merge of a logical block under way: its current pages go to the target, which is one of the log blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Merge {
    pub(super) logical: u32,
    pub(super) target: u32,
    /// The next offset to look at.
    pub(super) next: u32,
}

/// The log blocks of a plane and what is done with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plane {
    /// In the order in which they were opened.
    pub(super) logs: Vec<Log>,
    /// Host programs that went to log blocks so far.
    pub(super) writes: u64,
    /// Log blocks that the association wants for hot pages.
    pub(super) hot_logs: u32,
    /// The log block that is being reclaimed: the logical blocks of its pages are merged one after the other.
    pub(super) reclaimed: Option<u32>,
    pub(super) merge: Option<Merge>,
    /// Blocks that hold nothing and belong to no logical block, to be erased when space is wanted.
    pub(super) dead: Vec<u32>,
}

impl Plane {
    /// The log block of a number, if the block is one.
    pub(super) fn log_mut(&mut self, block: u32) -> Option<&mut Log> {
        self.logs.iter_mut().find(|log| log.block == block)
    }
}

/// A page that is written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    pub(super) logical: u32,
    /// Number of the logical block among those of its plane.
    pub(super) in_plane: u32,
    /// Offset of the page in its logical block.
    pub(super) offset: u32,
    /// Whether it belongs to a command that [`Association::is_sequential`](super::association::Association::is_sequential).
    pub(super) is_sequential: bool,
}

/// The log blocks of a plane, as an association sees them.
pub(crate) struct LogView<'a> {
    pub(super) logs: &'a [Log],
    pub(super) blocks: &'a Blocks,
    /// The data block of a logical block of the plane, by its number there.
    pub(super) data: &'a dyn Fn(u32) -> Option<u32>,
    pub(super) map: &'a DenseMap,
    pub(super) pages_per_block: u32,
    /// Host programs that went to log blocks so far.
    pub(super) writes: u64,
    /// What [`Association::adapted_hot_logs`](super::association::Association::adapted_hot_logs) said last.
    pub(super) hot_logs: u32,
}

impl LogView<'_> {
    /// Whether a log block takes further pages.
    pub(super) fn has_free_page(&self, log: &Log) -> bool {
        self.blocks.role[log.block as usize] == BlockRole::Open
    }

    /// The pages of a log block that were programmed.
    pub(super) fn written(&self, log: &Log) -> u32 {
        u32::from(self.blocks.written[log.block as usize])
    }

    /// The log blocks for one purpose, and their places among all.
    pub(super) fn used_for(&self, what: LogUse) -> impl DoubleEndedIterator<Item = (usize, &Log)> {
        let logs = self.logs.iter().enumerate();
        logs.filter(move |(_, log)| log.used_for == what)
    }

    /// The logical blocks of which a log block holds current pages.
    pub(super) fn associated(&self, log: &Log) -> u32 {
        let pages_per_block = u64::from(self.pages_per_block);
        let first = u64::from(log.block) * pages_per_block;
        let owners = (first..first + u64::from(self.written(log))).filter_map(|page| self.map.owner(page));
        let mut logical: Vec<u64> = owners.map(|lpn| lpn / pages_per_block).collect();
        logical.sort_unstable();
        logical.dedup();
        logical.len() as u32
    }

    /// Host programs that went to log blocks since the one of the page that an update replaces, if that lies in a log block
    /// for updates.
    pub(super) fn writes_since(&self, update: Update) -> Option<u64> {
        let pages_per_block = u64::from(self.pages_per_block);
        let lpn = u64::from(update.logical) * pages_per_block + u64::from(update.offset);
        let page = self.map.lookup(lpn)?;
        let block = (page / pages_per_block) as u32;
        let log = self.logs.iter().find(|log| log.block == block)?;
        let number = *log.numbers.get((page % pages_per_block) as usize)?;
        (number > 0).then(|| self.writes - number)
    }

    /// Current pages of a block.
    pub(super) fn valid(&self, block: u32) -> u32 {
        self.blocks.valid(block)
    }
}
