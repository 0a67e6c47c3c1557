//! `[ftl.recovery]`: what the drive keeps on flash to find its data again after a power cut.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Is;
use wordline_keys::limits::MANY;
use wordline_keys::{Rule, Section};
use wordline_nand::{CellType, CommandsConfig, Use};

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

/// What is done for the pages of a word line that were programmed before, when another page of it is programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LowerPages {
    /// Nothing: a program that is cut off takes them with it, unless a capacitor lasts for it.
    #[default]
    None,
    /// Each of them that counts is copied to a block of its own before.
    Backup,
}

/// `[ftl.recovery]`: what the drive keeps on flash to find its data again after a power cut (FTL specification, section 8; [power cuts](../explanations/power-cuts.md)).
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
    /// Bytes of a record of the journal, 8 to 64: 12 are 4 for the logical page, 4 for the page and 4 for the version (FTL specification, 2.10).
    #[schemars(range(max = 64))]
    pub record_bytes: u32,
    /// What is done, where each page is programmed by itself and cells store several bits, for the pages of a word line that were programmed before, when another page of it is programmed
    /// (FTL specification, 8.1). `backup` copies those that count before, with the cause `backup`, to the last four blocks of every plane. For `ftl.mapping = "page"` with the page as `ftl.mapping_unit`.
    pub lower_pages: LowerPages,
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        Self {
            kind: RecoveryKind::None,
            checkpoint_interval: 262_144,
            record_bytes: 12,
            lower_pages: LowerPages::None,
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

    /// Checks what the backup of lower pages asks of the flash: commands, and cells where they are known.
    ///
    /// # Errors
    /// Cells of one bit, copy-backs.
    pub fn check_lower_pages(
        &self,
        commands: &CommandsConfig,
        cell: Option<CellType>,
    ) -> Result<(), FtlError> {
        let refused = |accepted| Err(FtlError::new("ftl.recovery.lower_pages", "\"backup\"", accepted));
        if self.lower_pages == LowerPages::None || self.kind == RecoveryKind::None {
            return Ok(());
        }
        if cell.is_none_or(|cell| cell == CellType::Slc) {
            return refused("\"none\" with geometry.cell_type = \"slc\", where no pages share their cells");
        }
        if commands.copyback != Use::Off {
            return refused("\"none\" with commands.copyback, whose data the controller never has");
        }
        Ok(())
    }
}

impl Section for RecoveryConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &["checkpoint_interval", "record_bytes"],
            &[Is("ftl.recovery.kind", &["checkpoint_journal", "delayed"])],
        ),
        Rule::only(
            &["lower_pages"],
            &[Is(
                "ftl.recovery.kind",
                &["oob_scan", "summary_scan", "checkpoint_journal", "delayed"],
            )],
        ),
    ];
}
