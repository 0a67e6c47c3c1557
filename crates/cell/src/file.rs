//! Files that describe cells: `[cell]` as a drive takes it, and the block to look at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_overlay::{BuiltIn, Library, Refusal, Source};

use crate::config::CellConfig;
use crate::disturb::{Disturbances, LaterPrograms};
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
    /// Later programs of the page's layer of word lines, up to 262,144; with `cell.rber.program_disturb`.
    pub inhibited_programs: u32,
    /// Later programs of the layers above and below, up to 262,144; with `cell.rber.program_disturb`.
    pub adjacent_programs: u32,
    /// Later programs of all other layers of the block, up to 262,144; with `cell.rber.program_disturb`.
    pub pass_programs: u32,
}

impl BlockConfig {
    /// Most program/erase cycles of a block: far beyond the endurance of any.
    pub const MOST_CYCLES: u32 = 100_000_000;
    /// Most reads of a block since its erase.
    pub const MOST_READS: u64 = 1_000_000_000_000;
    /// Most programs of a block between two erases: 32,768 pages of eight programs each.
    pub const MOST_PROGRAMS: u32 = 32_768 * 8;

    /// What has disturbed the pages of the block.
    #[must_use]
    pub const fn disturbed(&self) -> Disturbances {
        Disturbances {
            reads: self.reads,
            programs: LaterPrograms {
                inhibited: self.inhibited_programs,
                adjacent: self.adjacent_programs,
                pass: self.pass_programs,
            },
        }
    }

    /// Keys of programs, with what they say.
    const fn programs(&self) -> [(&'static str, u32); 3] {
        [
            ("block.inhibited_programs", self.inhibited_programs),
            ("block.adjacent_programs", self.adjacent_programs),
            ("block.pass_programs", self.pass_programs),
        ]
    }

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
        )?;
        let most = Self::MOST_PROGRAMS;
        for (key, programs) in self.programs() {
            require(programs <= most, key, programs, &format!("0 to {most}"))?;
        }
        Ok(())
    }
}

impl Default for BlockConfig {
    fn default() -> Self {
        Self {
            cycles: 3000,
            reads: 0,
            inhibited_programs: 0,
            adjacent_programs: 0,
            pass_programs: 0,
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
    built_in: cells!["mlc_late_life", "mlc_wu2013", "mlc_vth_shift", "tlc_3d", "qlc_3d"],
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
        for (key, why) in file.idle() {
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

    /// Keys that have no effect in this combination, each with the reason.
    fn idle(&self) -> Vec<(&'static str, &'static str)> {
        let mut idle = self.cell.idle();
        if self.cell.rber.program_disturb.is_none() {
            let why = "counts only with cell.rber.program_disturb; accepted is to leave it out";
            idle.extend(self.block.programs().map(|(key, _)| (key, why)));
        }
        idle
    }

    /// The description as TOML, defaults filled in; keys without effect are left out, so that it can be loaded.
    ///
    /// # Errors
    /// None that is known: every value has a spelling in TOML.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let mut table = toml::Table::try_from(self)?;
        for (key, _) in self.idle() {
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
