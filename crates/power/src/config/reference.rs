//! The reference page of chip files, from the schema.

use super::{ChipConfig, PARAMETERS};

/// The keys of a chip in Markdown: one table per section.
#[must_use]
pub fn reference() -> String {
    let unit = |path: &str| {
        PARAMETERS
            .iter()
            .find(|parameter| parameter.key == path)
            .map_or("", |parameter| parameter.unit)
    };
    format!(
        "# Chip files\n\nA TOML file describes a chip for `wordline power`. `base = \"NAME\"` starts from a built-in \
         chip (`wordline chips`); its own keys replace those of the base. Quantities carry their unit, as in \
         `\"72 nm\"` or `\"17.2 V\"`; arrays in Python are numbers in the unit given here. Every key can be \
         overridden: `--set bias.vpgm='17 V'`. A key that has no effect in the chip is refused.\n{}",
        wordline_overlay::reference::<ChipConfig>(Some(&unit))
    )
}
