//! Errors that operations on other cells of a block bring to a page: reads, and programs after its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{CellError, require};
use crate::power::power;

/// Most word lines of a layer.
const MOST_STRINGS: u32 = 64;

/// What has disturbed a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disturbances {
    /// Reads of its block since the erase; they count only with `[cell.rber.read_disturb]`.
    pub reads: u64,
    /// Programs of its block since its own; they count only with `[cell.rber.program_disturb]`.
    pub programs: LaterPrograms,
}

impl Disturbances {
    /// Nothing has.
    pub const NONE: Self = Self::by_reads(0);

    /// So many reads of the block, and no program.
    #[must_use]
    pub const fn by_reads(reads: u64) -> Self {
        let programs = LaterPrograms {
            inhibited: 0,
            adjacent: 0,
            pass: 0,
        };
        Self { reads, programs }
    }
}

/// Programs of the block of a page since the page's own, by what they do to its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LaterPrograms {
    /// Those of its layer of word lines, further programs of its own cells included: its cells get the program voltage and are inhibited.
    pub inhibited: u32,
    /// Those of the layers above and below.
    pub adjacent: u32,
    /// Those of all other layers: its cells get the pass voltage.
    pub pass: u32,
}

/// Errors that reads of the block since its erase bring: `gamma N^g R^h`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadDisturb {
    /// Errors per bit of a block of one cycle after one read.
    pub gamma: f64,
    /// Power of the cycles, 0 to 8.
    pub g: f64,
    /// Power of the reads, 0 to 8.
    pub h: f64,
}

impl ReadDisturb {
    /// Checks the constants.
    ///
    /// # Errors
    /// A rate outside 0 to 1, powers outside 0 to 8.
    pub(crate) fn check(&self) -> Result<(), CellError> {
        check_rate("cell.rber.read_disturb.gamma", self.gamma)?;
        check_power("cell.rber.read_disturb.g", self.g)?;
        check_power("cell.rber.read_disturb.h", self.h)
    }

    /// The rate that it adds.
    pub(crate) fn rber(&self, cycles: f64, reads: u64) -> f64 {
        self.gamma * power(cycles, self.g) * power(reads as f64, self.h)
    }
}

/// Errors that programs of the block after the page's own bring: `N^g (inhibited I^h + adjacent A^h + pass P^h)`, with I programs of its
/// layer of word lines, A of the layers above and below, P of all others.
///
/// Which programs disturb which cells follows from work on cells that trap charge in three dimensions: most of the interference comes
/// from four neighbours, two along the string, so on the word lines above and below, and two along the bit line, so on other strings of
/// the same layer ("Characterization of Inter-Cell Interference in 3D NAND Flash Memory", 2021, abstract); hot carriers disturb cells of
/// inhibited strings near the cell that is programmed (Lee et al., on program disturbance by hot carrier injection in 3D NAND,
/// abstract); adjacent word lines shift erased cells by charge between the cells ("A Novel Program Scheme for Z-Interference
/// Improvement in 3D NAND Flash Memory", Micromachines 14, 2023, abstract); unselected word lines are stressed by the pass voltage
/// (US patent 12,260,096, abstract). Y. Cai et al., ICCD 2013, measured the same kinds of neighbours on planar cells with floating gates.
/// That errors follow a power of the counts, and of the cycles as with reads, is assumed. No rates could be read, so there are no
/// defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramDisturb {
    /// Errors per bit of a block of one cycle after one program of the page's layer of word lines, 0 to 1.
    pub inhibited: f64,
    /// Errors per bit of a block of one cycle after one program of a layer above or below, 0 to 1.
    pub adjacent: f64,
    /// Errors per bit of a block of one cycle after one program of any other layer, 0 to 1.
    pub pass: f64,
    /// Power of the cycles, 0 to 8.
    pub g: f64,
    /// Power of the programs, above 0 and up to 8.
    pub h: f64,
    /// Word lines of a layer, which share a gate and differ in their string: 1 to 64. Those of a layer follow each other in a block (assumed).
    #[serde(default = "one")]
    #[schemars(range(max = 64))]
    pub strings: u32,
}

/// Strings of a layer, as in planar cells.
const fn one() -> u32 {
    1
}

impl ProgramDisturb {
    /// Checks the constants.
    ///
    /// # Errors
    /// Rates outside 0 to 1, powers outside their ranges, strings that a layer does not have.
    pub(crate) fn check(&self) -> Result<(), CellError> {
        check_rate("cell.rber.program_disturb.inhibited", self.inhibited)?;
        check_rate("cell.rber.program_disturb.adjacent", self.adjacent)?;
        check_rate("cell.rber.program_disturb.pass", self.pass)?;
        check_power("cell.rber.program_disturb.g", self.g)?;
        let h = self.h;
        require(
            h > 0.0 && h <= 8.0,
            "cell.rber.program_disturb.h",
            h,
            "powers above 0 up to 8",
        )?;
        require(
            (1..=MOST_STRINGS).contains(&self.strings),
            "cell.rber.program_disturb.strings",
            self.strings,
            &format!("1 to {MOST_STRINGS}"),
        )
    }

    /// The rate that it adds.
    pub(crate) fn rber(&self, cycles: f64, programs: LaterPrograms) -> f64 {
        let share = |rate: f64, count: u32| rate * power(f64::from(count), self.h);
        let all = share(self.inhibited, programs.inhibited)
            + share(self.adjacent, programs.adjacent)
            + share(self.pass, programs.pass);
        power(cycles, self.g) * all
    }
}

fn check_rate(key: &'static str, rate: f64) -> Result<(), CellError> {
    require((0.0..=1.0).contains(&rate), key, rate, "numbers from 0 to 1")
}

fn check_power(key: &'static str, power: f64) -> Result<(), CellError> {
    require((0.0..=8.0).contains(&power), key, power, "powers from 0 to 8")
}
