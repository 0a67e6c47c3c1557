//! Log blocks of groups of logical blocks: BAST, in which a logical block has its own, and SAST, in which several share
//! some (FTL specification, 2.3 and 2.5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;

use super::association::{Association, Place};
use super::logs::{Log, LogUse, LogView, Update};
use super::row::{Kind, LOG_BLOCKS, check_at_least};
use crate::config::FtlConfig;
use crate::error::FtlError;

/// Which log block gives way to one of another logical block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LogVictim {
    /// The one whose last write is longest ago.
    #[default]
    Lru,
    /// The one that was opened first.
    Fifo,
    /// The one whose merge copies the fewest pages.
    MinCost,
}

/// Keys of `bast`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct BastKeys {
    /// `bast`, `sast`, `fast`, `last`: log blocks that a plane may have (L).
    #[schemars(range(max = MANY))]
    log_blocks: u32,
    /// `bast`: which log block is merged where a plane has as many as it may have and a further logical block needs one.
    log_victim: LogVictim,
}

impl Default for BastKeys {
    fn default() -> Self {
        Self {
            log_blocks: LOG_BLOCKS,
            log_victim: LogVictim::default(),
        }
    }
}

/// Block-associative log blocks (Kim et al., IEEE Transactions on Consumer Electronics, 2002).
pub(crate) struct Bast;

impl Kind for Bast {
    const NAME: &'static str = "bast";
    const HELP: &'static str = "Logical blocks, and log blocks of one logical block each.";
    const KEYS: Keys = Keys::of::<BastKeys>();

    fn association(config: &FtlConfig) -> Result<Box<dyn Association>, FtlError> {
        let keys = config.keys.read::<BastKeys>();
        Ok(Box::new(Grouped {
            group_blocks: 1,
            group_logs: 1,
            most: check_at_least("ftl.log_blocks", keys.log_blocks, 1)?,
            used_for: LogUse::Updates,
            victim: Choice::Of(keys.log_victim),
        }))
    }
}

/// Keys of `sast`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct SastKeys {
    /// `bast`, `sast`, `fast`, `last`: log blocks that a plane may have (L).
    #[schemars(range(max = MANY))]
    log_blocks: u32,
    /// `sast`: successive logical blocks of a plane that share log blocks (N).
    #[schemars(range(max = MANY))]
    group_blocks: u32,
    /// `sast`: log blocks that such a group may have (K).
    #[schemars(range(max = MANY))]
    group_log_blocks: u32,
}

impl Default for SastKeys {
    /// Assumed: groups between the two ends, (1, 1) of BAST and (all, all) of FAST.
    fn default() -> Self {
        Self {
            log_blocks: LOG_BLOCKS,
            group_blocks: 4,
            group_log_blocks: 2,
        }
    }
}

/// Set-associative log blocks (Kang et al., EMSOFT 2006; N:K form of Park et al., TECS 2008).
pub(crate) struct Sast;

impl Kind for Sast {
    const NAME: &'static str = "sast";
    const HELP: &'static str = "Logical blocks, and log blocks of a group of logical blocks each.";
    const KEYS: Keys = Keys::of::<SastKeys>();

    fn association(config: &FtlConfig) -> Result<Box<dyn Association>, FtlError> {
        let keys = config.keys.read::<SastKeys>();
        Ok(Box::new(Grouped {
            group_blocks: check_at_least("ftl.group_blocks", keys.group_blocks, 1)?,
            group_logs: check_at_least("ftl.group_log_blocks", keys.group_log_blocks, 1)?,
            most: check_at_least("ftl.log_blocks", keys.log_blocks, 1)?,
            used_for: LogUse::Updates,
            victim: Choice::LeastValid,
        }))
    }
}

/// How the log block that is merged is chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Of(LogVictim),
    /// The one with the fewest current pages (SAST).
    LeastValid,
}

/// The rule: a group of `group_blocks` logical blocks has at most `group_logs` log blocks, and all together at most `most`.
pub(super) struct Grouped {
    group_blocks: u32,
    group_logs: u32,
    most: u32,
    used_for: LogUse,
    victim: Choice,
}

impl Grouped {
    /// At most `most` log blocks of one logical block each, for one purpose; the one that was written least recently gives way.
    pub(super) const fn one_each(most: u32, used_for: LogUse) -> Self {
        Self {
            group_blocks: 1,
            group_logs: 1,
            most,
            used_for,
            victim: Choice::Of(LogVictim::Lru),
        }
    }

    /// The log blocks of a group.
    fn of_group<'a>(
        &self,
        view: &'a LogView<'_>,
        owner: u32,
    ) -> impl Iterator<Item = (usize, &'a Log)> + use<'a> {
        view.used_for(self.used_for)
            .filter(move |(_, log)| log.owner == owner)
    }

    /// Whether a group has as many log blocks as it may have.
    fn is_full(&self, view: &LogView<'_>, owner: u32) -> bool {
        self.of_group(view, owner).count() as u32 >= self.group_logs
    }

    /// Whether there are as many log blocks as there may be.
    fn is_exhausted(&self, view: &LogView<'_>) -> bool {
        view.used_for(self.used_for).count() as u32 >= self.most
    }

    /// Whether a group may have another log block.
    pub(super) fn has_room(&self, view: &LogView<'_>, owner: u32) -> bool {
        !self.is_full(view, owner) && !self.is_exhausted(view)
    }

    /// The log block to be merged among some; of equal ones the one that was opened first.
    pub(super) fn choose<'a>(
        &self,
        view: &LogView<'_>,
        logs: impl Iterator<Item = (usize, &'a Log)>,
    ) -> Option<usize> {
        let rank = |(at, log): &(usize, &Log)| match self.victim {
            Choice::Of(LogVictim::Lru) => log.last_write,
            Choice::Of(LogVictim::Fifo) => *at as u64,
            Choice::Of(LogVictim::MinCost) => u64::from(copies(view, log)),
            Choice::LeastValid => u64::from(view.valid(log.block)),
        };
        logs.min_by_key(rank).map(|(at, _)| at)
    }
}

/// Pages that the merge of a log block of one logical block copies: those that it lacks where its pages are in place, and
/// otherwise all.
fn copies(view: &LogView<'_>, log: &Log) -> u32 {
    let data = (view.data)(log.owner).map_or(0, |data| view.valid(data));
    match log.in_place {
        Some(_) => data,
        None => data + view.valid(log.block),
    }
}

impl Association for Grouped {
    fn place(&self, view: &LogView<'_>, update: Update) -> Place {
        let owner = self.owner(update.in_plane);
        let own = || self.of_group(view, owner);
        if let Some((at, _)) = own().find(|(_, log)| view.has_free_page(log)) {
            return Place::Append(at);
        }
        let victim = if self.is_full(view, owner) {
            self.choose(view, own())
        } else if self.is_exhausted(view) {
            self.choose(view, view.used_for(self.used_for))
        } else {
            None
        };
        let used_for = self.used_for;
        victim.map_or(Place::Open { owner, used_for }, Place::Reclaim)
    }

    fn victim(&self, view: &LogView<'_>) -> Option<usize> {
        self.choose(view, view.logs.iter().enumerate())
    }

    fn found(&self, _view: &LogView<'_>, in_plane: u32, _is_in_place: bool) -> (u32, LogUse) {
        (self.owner(in_plane), self.used_for)
    }

    fn most_logs(&self) -> u32 {
        self.most
    }

    fn owner(&self, in_plane: u32) -> u32 {
        in_plane / self.group_blocks
    }
}
