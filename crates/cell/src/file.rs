//! Files that describe cells: `[cell]` as a drive takes it, and the block to look at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_overlay::{BuiltIn, Library, Refusal, Source};

use crate::config::CellConfig;
use crate::error::{CellError, require};

/// A file of cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CellFile {
    /// The cells.
    pub cell: CellConfig,
    /// The block to look at.
    pub block: BlockConfig,
}

/// `[block]`: the block to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BlockConfig {
    /// Program/erase cycles, up to 100 million.
    pub cycles: u32,
    /// Reads since the erase, up to 10^12.
    pub reads: u64,
}

impl BlockConfig {
    /// Most program/erase cycles of a block: far beyond the endurance of any.
    pub const MOST_CYCLES: u32 = 100_000_000;
    /// Most reads of a block since its erase.
    pub const MOST_READS: u64 = 1_000_000_000_000;

    fn check(&self) -> Result<(), CellError> {
        let (cycles, reads) = (Self::MOST_CYCLES, Self::MOST_READS);
        require(
            self.cycles <= cycles,
            "block.cycles",
            self.cycles,
            &format!("0 to {cycles}"),
        )?;
        require(
            self.reads <= reads,
            "block.reads",
            self.reads,
            &format!("0 to {reads}"),
        )
    }
}

impl Default for BlockConfig {
    fn default() -> Self {
        Self {
            cycles: 3000,
            reads: 0,
        }
    }
}

macro_rules! cells {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../cells/", $name, ".toml")),
        }),*]
    };
}

/// The cells that come with Wordline, in the order in which they are listed.
pub const LIBRARY: Library = Library {
    noun: "cell",
    example: "cell.vth.step",
    built_in: cells!["mlc_late_life", "mlc_wu2013", "mlc_vth_shift"],
};

/// The keys of a file of cells in Markdown: one table per section.
#[must_use]
pub fn reference() -> String {
    format!(
        "# Cell files\n\nA TOML file describes cells for `wordline cell`. `base = \"NAME\"` starts from built-in ones; \
         its own keys replace those of the base. Quantities carry their unit, as in `\"0.9484 V\"`; threshold voltages \
         without one are in gaps between adjacent states. Every key can be overridden: `--set cell.vth.step=0.3`. A \
         key that has no effect is refused where the user set it.\n{}",
        wordline_overlay::reference::<CellFile>(None)
    )
}

impl CellFile {
    /// Reads, composes and checks a description; `overrides` are dotted keys with values in TOML or bare.
    ///
    /// # Errors
    /// A file that cannot be read, a key that is unknown or has no effect, a value that is not accepted; with its
    /// place.
    pub fn load(source: Source<'_>, overrides: &[(String, String)]) -> Result<Self, Refusal> {
        let (file, overlay): (Self, _) = LIBRARY.load(source, overrides)?;
        for (key, why) in file.cell.idle() {
            if let Some(key) = overlay.user_set(key) {
                return Err(overlay.locate(Refusal::new(key, "given", why)));
            }
        }
        file.cell
            .check()
            .and_then(|()| file.block.check())
            .map_err(|error| match error {
                CellError::Refused { key, found, accepted } => {
                    overlay.locate(Refusal::new(key, found, accepted))
                }
                // equations that have no solution name their own numbers
                other => overlay.locate(Refusal::new("cell", "described", other.to_string())),
            })?;
        Ok(file)
    }

    /// The description as TOML, defaults filled in; keys without effect are left out, so that it can be loaded.
    ///
    /// # Errors
    /// None that is known: every value has a spelling in TOML.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let mut table = toml::Table::try_from(self)?;
        for (key, _) in self.cell.idle() {
            let mut parts: Vec<&str> = key.split('.').collect();
            let last = parts.pop().unwrap_or_default();
            let section = parts
                .into_iter()
                .try_fold(&mut table, |table, part| table.get_mut(part)?.as_table_mut());
            if let Some(section) = section {
                section.remove(last);
            }
        }
        toml::to_string(&table)
    }
}
