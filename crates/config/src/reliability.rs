//! The cells and the code of a drive.

use thiserror::Error;
use wordline_cell::{CellError, Reliability as Cells};
use wordline_ecc::{EccError, EccKind, PageCode};
use wordline_keys::RefusedValue;
use wordline_nand::Geometry;

use crate::Config;

/// Why a drive cannot have its reliability.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReliabilityError {
    /// The cells are refused.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// The code is refused.
    #[error(transparent)]
    Ecc(#[from] EccError),
    /// The modes are refused.
    #[error(transparent)]
    Modes(#[from] RefusedValue),
}

impl ReliabilityError {
    /// Key, value found and what is accepted, where a single value is refused.
    pub(crate) fn parts(&self) -> Option<(&str, &str, &str)> {
        match self {
            Self::Cell(CellError::Refused { key, found, accepted })
            | Self::Ecc(EccError { key, found, accepted }) => Some((key, found, accepted)),
            Self::Modes(RefusedValue { key, found, accepted }) => Some((key, found, accepted)),
            Self::Cell(_) => None,
        }
    }
}

impl Config {
    /// The reliability of the cells of a drive of this geometry, and the code of its pages in each mode; none without a
    /// code.
    ///
    /// # Errors
    /// The first value that is refused.
    pub fn reliability(
        &self,
        geometry: &Geometry,
    ) -> Result<Option<(Cells, Vec<PageCode>)>, ReliabilityError> {
        if self.ecc.kind == EccKind::None {
            return Ok(None);
        }
        self.ecc.check()?;
        self.cell.retention.check()?;
        let cells = self.cells()?.with_steps(&self.mode_steps()?)?;
        let sectors = geometry.sectors_per_page();
        let of_modes = self.modes.iter().map(|mode| {
            PageCode::new(&self.code_of_mode(mode), sectors).map_err(|refused| EccError {
                key: "modes".to_owned(),
                found: format!(
                    "{} = {} in mode \"{}\"",
                    refused.key.trim_start_matches("ecc."),
                    refused.found,
                    mode.name
                ),
                accepted: refused.accepted,
            })
        });
        let codes: Result<Vec<_>, EccError> = std::iter::once(PageCode::new(&self.ecc, sectors))
            .chain(of_modes)
            .filter_map(Result::transpose)
            .collect();
        Ok(Some((cells, codes?)))
    }

    /// Checks that a drive can have the reliability that its configuration asks for. Tells what is odd.
    pub(crate) fn check_reliability(&self, geometry: &Geometry) -> Result<Option<String>, ReliabilityError> {
        let Some((_, codes)) = self.reliability(geometry)? else {
            return Ok(None);
        };
        let spare = 8 * self.geometry.spare_size.0;
        let most = codes.iter().filter_map(PageCode::parity_bits).max();
        let parity = most.filter(|parity| *parity > spare);
        Ok(parity.map(|parity| {
            format!(
                "ecc.bch: the parity of a page takes {} bytes, more than the {} of geometry.spare_size",
                parity.div_ceil(8),
                self.geometry.spare_size
            )
        }))
    }
}
