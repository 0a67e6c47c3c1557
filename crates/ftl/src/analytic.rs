//! Closed forms of write amplification under uniform random writes: the ground truth against
//! which simulated drives are checked, and the distributions from which they are aged.
//!
//! The model (FTL specification, section 9): page mapping, every logical page mapped, one
//! frontier, closed blocks only as victims, a drive of many blocks. It needs two numbers: `b`,
//! the pages of a block, and `rho`, the utilisation, logical over physical pages.

mod d_choices;
pub mod delta;
mod fifo;
mod greedy;
pub mod hold_up;
mod hot_cold;
mod occupancy;
pub mod recovery;
mod space;
pub mod table;

pub(crate) use fifo::fifo_age;
pub use fifo::victim_valid_share;
pub use hot_cold::{HotCold, Separated};
pub use occupancy::Occupancy;
pub use space::{beside_parity, beside_reserve, utilisation, with_trim};

use std::fmt;

use crate::error::FtlError;

/// A cleaning policy with a closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleaning {
    /// Any closed block.
    Random,
    /// The block closed longest ago.
    Fifo,
    /// The emptiest among `d` drawn with replacement.
    DChoices(u32),
    /// The emptiest.
    Greedy,
}

impl fmt::Display for Cleaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => write!(f, "random"),
            Self::Fifo => write!(f, "FIFO"),
            Self::DChoices(d) => write!(f, "{d}-choices"),
            Self::Greedy => write!(f, "greedy"),
        }
    }
}

impl Cleaning {
    /// Write amplification of blocks of `pages_per_block` pages at utilisation `rho`.
    ///
    /// # Errors
    /// `rho` outside (0, 1), blocks without pages, `d` of zero.
    pub fn write_amplification(self, pages_per_block: u32, rho: f64) -> Result<f64, FtlError> {
        check(pages_per_block, rho)?;
        let b = f64::from(pages_per_block);
        Ok(match self {
            Self::Random => 1.0 / (1.0 - rho),
            Self::Fifo => 1.0 / (1.0 - victim_valid_share(rho)?),
            Self::DChoices(d) => d_choices::solve(pages_per_block, rho, d)?.write_amplification(),
            Self::Greedy => b / (b - greedy::solve(pages_per_block, rho).victim_valid()),
        })
    }

    /// Mean number of valid pages of a victim (j* of section 9).
    ///
    /// # Errors
    /// As for `write_amplification`.
    pub fn victim_valid(self, pages_per_block: u32, rho: f64) -> Result<f64, FtlError> {
        let amplification = self.write_amplification(pages_per_block, rho)?;
        Ok(f64::from(pages_per_block) * (1.0 - 1.0 / amplification))
    }

    /// How valid pages are spread over the closed blocks in the steady state.
    ///
    /// # Errors
    /// As for `write_amplification`.
    pub fn occupancy(self, pages_per_block: u32, rho: f64) -> Result<Occupancy, FtlError> {
        check(pages_per_block, rho)?;
        Ok(match self {
            Self::Random => d_choices::solve(pages_per_block, rho, 1)?.occupancy(),
            Self::Fifo => fifo::occupancy(pages_per_block, rho)?,
            Self::DChoices(d) => d_choices::solve(pages_per_block, rho, d)?.occupancy(),
            Self::Greedy => greedy::solve(pages_per_block, rho).occupancy(),
        })
    }

    /// Write amplification and occupancy, for little more than the dearer of the two.
    ///
    /// # Errors
    /// As for `write_amplification`.
    pub(crate) fn steady_state(self, pages_per_block: u32, rho: f64) -> Result<(f64, Occupancy), FtlError> {
        if let Self::DChoices(d) = self {
            check(pages_per_block, rho)?;
            let solved = d_choices::solve(pages_per_block, rho, d)?;
            return Ok((solved.write_amplification(), solved.occupancy()));
        }
        let amplification = self.write_amplification(pages_per_block, rho)?;
        Ok((amplification, self.occupancy(pages_per_block, rho)?))
    }
}

/// Refuses what no model below can take.
fn check(pages_per_block: u32, rho: f64) -> Result<(), FtlError> {
    if pages_per_block == 0 {
        return Err(FtlError::new("pages_per_block", pages_per_block, "at least 1"));
    }
    if !(rho > 0.0 && rho < 1.0) {
        return Err(FtlError::new(
            "utilisation",
            rho,
            "logical over physical pages, above 0 and below 1 (over-provisioning above 0)",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
