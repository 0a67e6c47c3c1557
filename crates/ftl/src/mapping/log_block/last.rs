//! Log blocks by the locality of writes: LAST (Lee et al., ACM SIGOPS Operating Systems Review 42, 2008; FTL specification,
//! 2.6).
//!
//! Large writes go to log blocks of one logical block each, which often end in a switch or a partial merge. Small ones share
//! log blocks, in two partitions: pages that were updated a short time ago, so that log blocks die in which every page was
//! updated again, and all others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::{ByteSize, SECTOR_BYTES};

use super::association::{Association, Place};
use super::grouped::Grouped;
use super::logs::{Log, LogUse, LogView, Update};
use super::row::{Kind, LOG_BLOCKS, check_at_least};
use crate::config::FtlConfig;
use crate::error::FtlError;
use crate::request::PageRequest;

/// Keys of `last`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct LastKeys {
    /// `bast`, `sast`, `fast`, `last`: log blocks that a plane may have (L).
    #[schemars(range(max = MANY))]
    log_blocks: u32,
    /// `last`: log blocks, of the `ftl.log_blocks` of a plane, that are for writes in sequence, of one logical block each.
    #[schemars(range(max = MANY))]
    sequential_log_blocks: u32,
    /// `last`: the smallest write command that is one in sequence, at least one sector. A write buffer forwards each page as
    /// a command of its own.
    sequential_size: ByteSize,
    /// `last`: a page is hot if it was updated among the last so many writes to log blocks of its plane.
    #[schemars(range(max = MANY))]
    hot_window: u32,
}

impl Default for LastKeys {
    /// The size is the reading of the FTL specification, 2.6. Assumed: a quarter of the log blocks for sequences, and a window
    /// of a few blocks of 64 pages.
    fn default() -> Self {
        Self {
            log_blocks: LOG_BLOCKS,
            sequential_log_blocks: LOG_BLOCKS / 4,
            sequential_size: ByteSize(8192),
            hot_window: 256,
        }
    }
}

/// Locality-aware log blocks.
pub(crate) struct Last;

impl Kind for Last {
    const NAME: &'static str = "last";
    const HELP: &'static str = "Logical blocks, log blocks of one of them each for large writes, and shared ones for small writes of hot and of cold pages.";
    const KEYS: Keys = Keys::of::<LastKeys>();

    fn association(config: &FtlConfig) -> Result<Box<dyn Association>, FtlError> {
        let keys = config.keys.read::<LastKeys>();
        let sequential = check_at_least("ftl.sequential_log_blocks", keys.sequential_log_blocks, 1)?;
        let least = sequential.saturating_add(2);
        if keys.log_blocks < least {
            let accepted = format!(
                "at least {least}: {sequential} for sequences (ftl.sequential_log_blocks), and one each for hot and cold pages"
            );
            return Err(FtlError::new("ftl.log_blocks", keys.log_blocks, accepted));
        }
        let size = keys.sequential_size;
        if size.bytes() < u64::from(SECTOR_BYTES) {
            let accepted = format!("at least one sector of {SECTOR_BYTES} bytes");
            return Err(FtlError::new("ftl.sequential_size", size, accepted));
        }
        Ok(Box::new(LocalityAware {
            sequential: Grouped::one_each(sequential, LogUse::Sequential),
            sequential_bytes: size.bytes(),
            most_random: keys.log_blocks - sequential,
            hot_window: u64::from(check_at_least("ftl.hot_window", keys.hot_window, 1)?),
        }))
    }
}

/// The rule: log blocks of one logical block each for large writes, and at most `most_random` for the others.
struct LocalityAware {
    sequential: Grouped,
    sequential_bytes: u64,
    most_random: u32,
    /// In host programs that went to log blocks of the plane.
    hot_window: u64,
}

/// The owner of the log blocks for small writes.
const ALL: u32 = 0;

impl LocalityAware {
    /// Where a page of a small write goes: to the log block of its partition that is being written, or to a new one as long as
    /// there are fewer than allowed. Otherwise a dead log block gives way, or one of the partition that has its share or more.
    fn place_random(&self, view: &LogView<'_>, update: Update) -> Place {
        let is_hot = view
            .writes_since(update)
            .is_some_and(|writes| writes < self.hot_window);
        let (own, other) = if is_hot {
            (LogUse::Hot, LogUse::Updates)
        } else {
            (LogUse::Updates, LogUse::Hot)
        };
        if let Some((at, _)) = view.used_for(own).find(|(_, log)| view.has_free_page(log)) {
            return Place::Append(at);
        }
        if random(view).count() < self.most_random as usize {
            return Place::Open {
                owner: ALL,
                used_for: own,
            };
        }
        let is_large = view.used_for(own).count() as u32 >= self.share(own, view);
        let partition = if is_large { own } else { other };
        let victim = closed(view, random(view))
            .find(|(_, log)| view.valid(log.block) == 0)
            .map(|(at, _)| at)
            .or_else(|| cheapest(view, closed(view, view.used_for(partition))))
            .or_else(|| cheapest(view, random(view)));
        // there is one: as many as allowed are at least two
        Place::Reclaim(victim.unwrap_or_default())
    }

    /// Log blocks that a partition should have.
    fn share(&self, partition: LogUse, view: &LogView<'_>) -> u32 {
        let hot = view.hot_logs.clamp(1, self.most_random - 1);
        match partition {
            LogUse::Hot => hot,
            _ => self.most_random - hot,
        }
    }
}

/// The log blocks for small writes, and their places among all.
fn random<'a>(view: &'a LogView<'_>) -> impl Iterator<Item = (usize, &'a Log)> {
    let logs = view.logs.iter().enumerate();
    logs.filter(|(_, log)| matches!(log.used_for, LogUse::Hot | LogUse::Updates))
}

/// Those among some log blocks that take no further page and of which no program is under way.
fn closed<'a>(
    view: &LogView<'_>,
    logs: impl Iterator<Item = (usize, &'a Log)>,
) -> impl Iterator<Item = (usize, &'a Log)> {
    logs.filter(|(_, log)| !view.has_free_page(log) && !view.blocks.has_pending(log.block))
}

/// The log block with the least product of its current pages and the logical blocks that they are of; of equal ones the one
/// that was opened first.
fn cheapest<'a>(view: &LogView<'_>, logs: impl Iterator<Item = (usize, &'a Log)>) -> Option<usize> {
    logs.min_by_key(|(_, log)| u64::from(view.associated(log)) * u64::from(view.valid(log.block)))
        .map(|(at, _)| at)
}

impl Association for LocalityAware {
    fn place(&self, view: &LogView<'_>, update: Update) -> Place {
        if update.is_sequential {
            self.sequential.place(view, update)
        } else {
            self.place_random(view, update)
        }
    }

    fn victim(&self, view: &LogView<'_>) -> Option<usize> {
        cheapest(view, closed(view, random(view)))
            .or_else(|| self.sequential.choose(view, view.used_for(LogUse::Sequential)))
            .or_else(|| cheapest(view, view.logs.iter().enumerate()))
    }

    /// One in place is for a sequence while there may be another of its logical block. Which pages were written often is not known any more.
    fn found(&self, view: &LogView<'_>, in_plane: u32, is_in_place: bool) -> (u32, LogUse) {
        if is_in_place && self.sequential.has_room(view, self.owner(in_plane)) {
            self.sequential.found(view, in_plane, is_in_place)
        } else {
            (ALL, LogUse::Updates)
        }
    }

    fn most_logs(&self) -> u32 {
        self.sequential.most_logs() + self.most_random
    }

    fn owner(&self, in_plane: u32) -> u32 {
        self.sequential.owner(in_plane)
    }

    fn is_sequential(&self, write: &PageRequest) -> bool {
        u64::from(write.command_sectors) * u64::from(SECTOR_BYTES) >= self.sequential_bytes
    }

    fn numbers_writes(&self) -> bool {
        true
    }

    fn first_hot_logs(&self) -> u32 {
        self.most_random / 2
    }

    /// Feedback by dead log blocks, once all log blocks for small writes are in use (the directions are those of the source, the
    /// thresholds assumed): with more than one dead log block, hot pages need less room. With none they get more if at least
    /// half of their pages died meanwhile, so that a little longer would be enough, and less if not: they are not hot.
    fn adapted_hot_logs(&self, view: &LogView<'_>) -> u32 {
        let hot = self.share(LogUse::Hot, view);
        if random(view).count() < self.most_random as usize {
            return hot;
        }
        let (mut blocks, mut dead, mut valid) = (0, 0, 0);
        for (_, log) in closed(view, view.used_for(LogUse::Hot)) {
            let current = view.valid(log.block);
            (blocks, valid) = (blocks + 1, valid + current);
            dead += u32::from(current == 0);
        }
        match dead {
            _ if blocks == 0 => hot,
            0 if 2 * valid <= blocks * view.pages_per_block => (hot + 1).min(self.most_random - 1),
            1 => hot,
            _ => (hot - 1).max(1),
        }
    }
}
