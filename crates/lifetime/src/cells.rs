//! How long blocks keep data, by what the study goes by.

use wordline_cell::fence::{CellParams, Lookup, RestAcceleration, RetentionModel};
use wordline_cell::{CellError, ErrorRetention, Reliability};
use wordline_config::{Config, ConfigError};
use wordline_ecc::{EccConfig, EccError, EccKind};
use wordline_units::Seed;

use crate::error::LifetimeError;
use crate::options::{LifetimeOptions, StudiedCells};

/// Retention by wear, from a table.
///
/// # Errors
/// Cells or a code that are not accepted; drives whose cells vary, or heat that heals, where retention follows errors.
pub(crate) fn lookup(config: &Config, options: &LifetimeOptions) -> Result<Lookup, LifetimeError> {
    let cells = match &options.cells {
        StudiedCells::Fence(kind) => {
            let model = RetentionModel::new(CellParams::nand_80nm(), *kind, options.rest_acceleration)?;
            return Ok(Lookup::new(model).over_cycles(options.rest_cycles));
        }
        StudiedCells::OfDrive => config.cell_config(),
        StudiedCells::Errors(cells) => (**cells).clone(),
    };
    let fence_alone =
        "of the model FENCE alone; accepted with cells that are judged by their errors is to leave it out";
    if options.inside.is_some() {
        return Err(ConfigError::key(None, "inside", fence_alone).into());
    }
    if let Some(fleet) = &options.fleet {
        return Err(ConfigError::key(None, format!("drives = {}", fleet.drives), fence_alone).into());
    }
    if options.rest_acceleration == RestAcceleration::On {
        return Err(ConfigError::key(None, "heat_heals", fence_alone).into());
    }
    let corrected =
        corrected(&config.ecc).map_err(|error| refused(&error.key, &error.found, &error.accepted))?;
    let cell_error =
        |error: CellError| LifetimeError::from(ConfigError::key(None, "cell", error.to_string()));
    let reliability = Reliability::new(&cells, Seed(config.seed)).map_err(cell_error)?;
    let retention = ErrorRetention::new(&reliability, corrected, cells.retention).map_err(cell_error)?;
    Ok(Lookup::by_errors(retention))
}

/// The raw bit error rate up to which pages are corrected; of the default LDPC code where the drive names none.
///
/// # Errors
/// A code that cannot be built.
fn corrected(code: &EccConfig) -> Result<f64, EccError> {
    let with_code = |code: &EccConfig| code.corrected().map(|rate| rate.unwrap_or_default());
    match code.kind {
        EccKind::None => with_code(&EccConfig {
            kind: EccKind::Ldpc,
            ..EccConfig::default()
        }),
        EccKind::Bch | EccKind::Ldpc => with_code(code),
    }
}

fn refused(key: &str, found: &str, accepted: &str) -> LifetimeError {
    ConfigError::key(None, format!("{key} = {found}"), accepted).into()
}
