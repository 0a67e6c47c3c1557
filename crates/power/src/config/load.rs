//! Loads a chip: a built-in one, a file or a text, on its base, with overrides on top.

use wordline_overlay::{Library, Overlay, Source};

use super::ChipConfig;
use crate::chips::chips;
use crate::error::ChipError;

/// Where a chip comes from.
pub type ChipSource<'a> = Source<'a>;

/// Reads and composes a chip; `overrides` are dotted keys with values in TOML or bare
/// (`bias.vpgm` with `17 V`). The chip is checked when it is built.
///
/// # Errors
/// A file that cannot be read, TOML that is none, a key that is unknown or missing, a value of the wrong kind.
pub fn load(
    source: ChipSource<'_>,
    overrides: &[(String, String)],
) -> Result<(ChipConfig, Overlay), ChipError> {
    let library = Library {
        noun: "chip",
        example: "bias.vpgm",
        built_in: chips(),
    };
    library.load(source, overrides)
}
