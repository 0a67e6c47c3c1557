//! Log blocks that all logical blocks share, and one for writes in sequence: FAST (Lee et al., ACM TECS 2007; FTL
//! specification, 2.4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;

use super::association::{Association, Place};
use super::logs::{Log, LogUse, LogView, Update};
use super::row::{Kind, LOG_BLOCKS, check_at_least};
use crate::config::FtlConfig;
use crate::error::FtlError;

/// What happens to the sequential log block when a page of its logical block is written out of sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SequenceBreak {
    /// It is merged, and the page goes to the log blocks for updates (as the paper has it).
    #[default]
    Merge,
    /// It waits for the next page in sequence; the page goes to the log blocks for updates.
    Wait,
}

/// Keys of `fast`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct FastKeys {
    /// `bast`, `sast`, `fast`, `last`: log blocks that a plane may have (L).
    #[schemars(range(max = MANY))]
    log_blocks: u32,
    /// `fast`: what happens to the sequential log block when a page of its logical block is written out of sequence.
    sequence_break: SequenceBreak,
}

impl Default for FastKeys {
    fn default() -> Self {
        Self {
            log_blocks: LOG_BLOCKS,
            sequence_break: SequenceBreak::default(),
        }
    }
}

/// Fully associative log blocks.
pub(crate) struct Fast;

impl Kind for Fast {
    const NAME: &'static str = "fast";
    const HELP: &'static str =
        "Logical blocks, log blocks that all of them share, and one for writes in sequence.";
    const KEYS: Keys = Keys::of::<FastKeys>();

    fn association(config: &FtlConfig) -> Result<Box<dyn Association>, FtlError> {
        let keys = config.keys.read::<FastKeys>();
        Ok(Box::new(FullyAssociative {
            most_updates: check_at_least("ftl.log_blocks", keys.log_blocks, 2)? - 1,
            sequence_break: keys.sequence_break,
        }))
    }
}

/// The rule: a ring of at most `most_updates` log blocks for updates (RW), and one for a sequence (SW).
struct FullyAssociative {
    most_updates: u32,
    sequence_break: SequenceBreak,
}

/// The owner of the log blocks for updates.
const ALL: u32 = 0;

impl FullyAssociative {
    /// Where a page goes that is not in sequence.
    fn place_update(&self, view: &LogView<'_>) -> Place {
        let ring = || view.used_for(LogUse::Updates);
        let (oldest, count) = (ring().next(), ring().count() as u32);
        match (ring().rfind(|(_, log)| view.has_free_page(log)), oldest) {
            (Some((at, _)), _) => Place::Append(at),
            (None, Some((oldest, _))) if count >= self.most_updates => Place::Reclaim(oldest),
            _ => Place::Open {
                owner: ALL,
                used_for: LogUse::Updates,
            },
        }
    }
}

impl Association for FullyAssociative {
    fn place(&self, view: &LogView<'_>, update: Update) -> Place {
        let sequential = view.used_for(LogUse::Sequential).next();
        let follows = |log: &Log| {
            log.owner == update.in_plane
                && (update.offset == 0 || log.in_place == Some(update.logical))
                && view.written(log) == update.offset
                && view.has_free_page(log)
        };
        match sequential {
            Some((at, log)) if follows(log) => Place::Append(at),
            Some((at, _)) if update.offset == 0 => Place::Reclaim(at),
            Some((at, log))
                if log.owner == update.in_plane && self.sequence_break == SequenceBreak::Merge =>
            {
                Place::Reclaim(at)
            }
            None if update.offset == 0 => Place::Open {
                owner: update.in_plane,
                used_for: LogUse::Sequential,
            },
            _ => self.place_update(view),
        }
    }

    fn victim(&self, view: &LogView<'_>) -> Option<usize> {
        let oldest = view.used_for(LogUse::Updates).next();
        oldest
            .or_else(|| view.logs.iter().enumerate().next())
            .map(|(at, _)| at)
    }

    /// The first one in place is the one for a sequence.
    fn found(&self, view: &LogView<'_>, in_plane: u32, is_in_place: bool) -> (u32, LogUse) {
        if is_in_place && view.used_for(LogUse::Sequential).next().is_none() {
            (in_plane, LogUse::Sequential)
        } else {
            (ALL, LogUse::Updates)
        }
    }

    /// One for a sequence beside those for updates.
    fn most_logs(&self) -> u32 {
        self.most_updates + 1
    }

    fn owner(&self, _in_plane: u32) -> u32 {
        ALL
    }
}
