//! Bits, pages and the boundaries that they own: binary-reflected Gray labels, the erased state all ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{CellError, require};

/// Most bits of a cell.
pub const MAX_BITS: u32 = 5;
/// Most read references.
pub(crate) const MAX_REFERENCES: usize = (1 << MAX_BITS) - 1;

/// Checks a count of bits.
pub(crate) fn check_bits(bits: u32) -> Result<(), CellError> {
    require(
        (1..=MAX_BITS).contains(&bits),
        "cell.bits_per_cell",
        bits,
        "1 to 5",
    )
}

/// The page, from 0, that owns the boundary below state `boundary` (from 1): page 0 the middle one, the last page
/// every second one, from the boundary of the erased state on.
#[must_use]
pub fn page_of_boundary(bits: u32, boundary: u32) -> u32 {
    bits.saturating_sub(boundary.trailing_zeros() + 1)
}

/// The bit that a state holds for a page, both from 0.
#[must_use]
pub fn label(bits: u32, state: u32, page: u32) -> bool {
    let half = 1_u32 << (bits - 1 - page.min(bits - 1));
    // boundaries of the page at or below the state
    ((state + half) / (2 * half)).is_multiple_of(2)
}

/// Which number of a page's error rates goes to the error correction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// That of the worst page of the cell: each page is a codeword of its own, and all must be read.
    #[default]
    WorstPage,
    /// Mean over the pages.
    PageAverage,
    /// Mean over the pages, of programmed states alone.
    ProgrammedAverage,
    /// Probability that a cell is misread.
    Symbol,
}

impl Reading {
    /// All readings.
    pub const ALL: [Self; 4] = [
        Self::WorstPage,
        Self::PageAverage,
        Self::ProgrammedAverage,
        Self::Symbol,
    ];

    /// As configuration spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorstPage => "worst_page",
            Self::PageAverage => "page_average",
            Self::ProgrammedAverage => "programmed_average",
            Self::Symbol => "symbol",
        }
    }
}

/// Bit error rates of the pages of a cell, with equiprobable states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageRates {
    bits: u32,
    pages: [f64; MAX_BITS as usize],
    /// Sum of the tails of programmed states, by the number of states.
    programmed: f64,
}

impl PageRates {
    /// From the two tails that face each boundary: of the state below, of the state above.
    pub(crate) fn of_boundaries(bits: u32, mut tails: impl FnMut(u32) -> (f64, f64)) -> Self {
        let states = f64::from(1_u32 << bits);
        let mut pages = [0.0; MAX_BITS as usize];
        let mut programmed = 0.0;
        for boundary in 1..(1_u32 << bits) {
            let (below, above) = tails(boundary);
            pages[page_of_boundary(bits, boundary) as usize] += (below + above) / states;
            programmed += above / states;
            if boundary > 1 {
                programmed += below / states;
            }
        }
        Self {
            bits,
            pages,
            programmed,
        }
    }

    /// The closed form where all tails of programmed states are `u` and that of the erased one is `e`.
    pub(crate) fn symmetric(bits: u32, u: f64, e: f64) -> Self {
        let states = f64::from(1_u32 << bits);
        let mut pages = [0.0; MAX_BITS as usize];
        for page in 0..bits - 1 {
            pages[page as usize] = f64::from(2_u32 << page) * u / states;
        }
        pages[bits as usize - 1] = ((states - 1.0) * u + e) / states;
        Self {
            bits,
            pages,
            programmed: (2.0 * states - 3.0) * u / states,
        }
    }

    /// Error rate of each page, in the order in which pages are programmed: lower first.
    #[must_use]
    pub fn pages(&self) -> &[f64] {
        &self.pages[..self.bits as usize]
    }

    /// Mean over the pages.
    #[must_use]
    pub fn average(&self) -> f64 {
        self.pages().iter().sum::<f64>() / f64::from(self.bits)
    }

    /// The number that `reading` means.
    #[must_use]
    pub fn reading(&self, reading: Reading) -> f64 {
        let states = f64::from(1_u32 << self.bits);
        match reading {
            Reading::WorstPage => self.pages().iter().fold(0.0, |worst, rate| rate.max(worst)),
            Reading::PageAverage => self.average(),
            Reading::ProgrammedAverage => self.programmed * states / (f64::from(self.bits) * (states - 1.0)),
            Reading::Symbol => self.pages().iter().sum(),
        }
    }
}
