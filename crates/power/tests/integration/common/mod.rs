//! What the tests of the model share.

pub(crate) mod quantity;

use proptest::prelude::*;
use wordline_power::config::parameter;
use wordline_power::{Chip, ChipConfig, ChipSource};

/// A built-in chip with overrides.
pub(crate) fn chip(name: &str, overrides: &[(&str, &str)]) -> Chip {
    try_chip(name, overrides).unwrap()
}

/// A built-in chip with overrides, or why not.
pub(crate) fn try_chip(name: &str, overrides: &[(&str, &str)]) -> Result<Chip, wordline_power::ChipError> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Chip::load(ChipSource::Named(name), &overrides)
}

pub(crate) fn chip_of(config: &ChipConfig) -> Chip {
    Chip::new(config.clone()).unwrap()
}

/// `config` with one number changed.
pub(crate) fn with(config: &ChipConfig, key: &str, value: f64) -> ChipConfig {
    let mut config = config.clone();
    parameter(key).unwrap().set(&mut config, value).unwrap();
    config
}

/// A chip that is accepted: 1 to 4 bits, sizes and voltages over their plausible ranges.
pub(crate) fn any_chip() -> impl Strategy<Value = ChipConfig> {
    let geometry = (
        1_u32..=4,
        64.0..2048.0_f64,
        1_u32..40,
        1.0..4000.0_f64,
        1.0..4.0_f64,
        22.0..90.0_f64,
    );
    let voltages = (
        2.5..4.9_f64,
        15.0..18.0_f64,
        0.05..0.4_f64,
        0.3..1.0_f64,
        4.8..7.0_f64,
    );
    let device = (
        0.4..0.8_f64,
        6.0..9.0_f64,
        0.5..2.0_f64,
        250.0..400.0_f64,
        0.3..0.7_f64,
    );
    let pulses = (1_u32..12, 1_u32..8, 0.0..1e-6_f64, 0.5..0.9_f64);
    (geometry, voltages, device, pulses).prop_map(|(geometry, voltages, device, pulses)| {
        let base = Chip::load(ChipSource::Named("b-mlc8"), &[])
            .unwrap()
            .config()
            .clone();
        let (bits, page, blocks, rows, cols, feature) = geometry;
        let mut config = base;
        config.geometry.page_kinds_modulo = bits > 2;
        for (key, value) in [
            ("geometry.bits_per_cell", f64::from(bits)),
            ("geometry.page_size", page.round() * 8.0),
            ("geometry.pages_per_block", f64::from(blocks * 12)),
            ("geometry.block_rows", rows.round()),
            ("geometry.block_cols", cols.round()),
            ("geometry.feature", feature),
            ("bias.vdd", voltages.0),
            ("bias.vbl_inhibit", voltages.0),
            ("bias.vpgm", voltages.1),
            ("bias.vera", voltages.1 + voltages.3),
            ("bias.vstep", voltages.2),
            ("bias.vread", voltages.4),
            ("device.gcr", device.0),
            ("device.tunnel_oxide", device.1),
            ("device.aspect_ratio", device.2),
            ("device.temperature", device.3),
            ("device.beta", device.4),
            ("policy.program_pulses", f64::from(pulses.0)),
            ("policy.erase_pulses", f64::from(pulses.1)),
            ("calibration.control", pulses.2),
            ("calibration.field_coupling_program", pulses.3),
        ] {
            parameter(key).unwrap().set(&mut config, value).unwrap();
        }
        config
    })
}
