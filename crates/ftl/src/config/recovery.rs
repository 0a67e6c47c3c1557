//! `[ftl.recovery]`: what the drive keeps on flash to find its data again after a power cut.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Is;
use wordline_keys::limits::MANY;
use wordline_keys::{Rule, Section};

use crate::error::FtlError;

/// How the map is built anew after a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryKind {
    /// Not modelled: the drive writes nothing for it.
    #[default]
    None,
    /// The spare areas of all programmed pages are read.
    OobScan,
    /// The last page of each block lists the spare areas of the others: it is read of full blocks, and the spare areas of blocks that are
    /// not full.
    SummaryScan,
    /// The map is written to flash from time to time (a checkpoint), and its changes in between (a journal).
    CheckpointJournal,
    /// The same is on flash as with `checkpoint_journal`. After a power cut the journal goes on with what was found beside it, and the host is served: the fresh
    /// checkpoint is written meanwhile.
    Delayed,
}

impl RecoveryKind {
    /// The name in `ftl.recovery.kind`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::OobScan => "oob_scan",
            Self::SummaryScan => "summary_scan",
            Self::CheckpointJournal => "checkpoint_journal",
            Self::Delayed => "delayed",
        }
    }

    /// Whether journal and checkpoints are written.
    #[must_use]
    pub const fn has_journal(self) -> bool {
        matches!(self, Self::CheckpointJournal | Self::Delayed)
    }
}

/// `[ftl.recovery]`: what the drive keeps on flash to find its data again after a power cut ([power cuts](../explanations/power-cuts.md)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct RecoveryConfig {
    /// How the map is built anew after a power cut. Summary pages, the journal and checkpoints are programs with the cause `metadata` and take
    /// a part of the drive.
    pub kind: RecoveryKind,
    /// Host writes from one checkpoint to the next, at least 1. A checkpoint is begun earlier where half of the journal is in use.
    #[schemars(range(max = MANY))]
    pub checkpoint_interval: u32,
    /// Bytes of a record of the journal, 8 to 64: 12 are 4 for the logical page, 4 for the page and 4 for the version.
    #[schemars(range(max = 64))]
    pub record_bytes: u32,
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        Self {
            kind: RecoveryKind::None,
            checkpoint_interval: 262_144,
            record_bytes: 12,
        }
    }
}

impl RecoveryConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), FtlError> {
        if self.checkpoint_interval == 0 {
            return Err(FtlError::new(
                "ftl.recovery.checkpoint_interval",
                0,
                "at least 1 host write",
            ));
        }
        if !(8..=64).contains(&self.record_bytes) {
            return Err(FtlError::new(
                "ftl.recovery.record_bytes",
                self.record_bytes,
                "8 to 64 bytes",
            ));
        }
        Ok(())
    }
}

impl Section for RecoveryConfig {
    const RULES: &'static [Rule] = &[Rule::only(
        &["checkpoint_interval", "record_bytes"],
        &[Is("ftl.recovery.kind", &["checkpoint_journal", "delayed"])],
    )];
}
