//! Refuses keys that would have no effect.

use super::ChipConfig;
use crate::error::{ChipError, require};

/// A key, whether it is given where it has no effect, and what to do instead.
type Idle = (&'static str, bool, &'static str);

/// Refuses keys that would have no effect in this chip.
///
/// # Errors
/// The first such key.
pub(crate) fn check(chip: &ChipConfig) -> Result<(), ChipError> {
    let single = chip.geometry.bits_per_cell == 1;
    for (key, idle, accepted) in slow_pages(chip, single).into_iter().chain(pairs(chip, single)) {
        require(!idle, key, "given", || accepted.to_owned())?;
    }
    Ok(())
}

/// Keys of slow pages and of their sequence, which cells of one bit have not.
fn slow_pages(chip: &ChipConfig, single: bool) -> [Idle; 7] {
    let slow = "a cell of one bit has no slow page; accepted is to leave the key out";
    let sequence = "a cell of one bit has one page, which is no sequence; accepted is to leave the key out";
    [
        (
            "timing.t_prog_slow",
            single && chip.timing.t_prog_slow.is_some(),
            slow,
        ),
        ("timing.t_r_slow", single && chip.timing.t_r_slow.is_some(), slow),
        ("bias.vread_slow", single && chip.bias.vread_slow.is_some(), slow),
        ("bias.vstep_slow", single && chip.bias.vstep_slow.is_some(), slow),
        (
            "policy.program_pulses_slow",
            single && chip.policy.program_pulses_slow.is_some(),
            slow,
        ),
        (
            "timing.t_prog_full",
            single && chip.timing.t_prog_full.is_some(),
            sequence,
        ),
        (
            "policy.program_pulses_full",
            single && chip.policy.program_pulses_full.is_some(),
            sequence,
        ),
    ]
}

/// Keys that another key or the bits of a cell make idle.
fn pairs(chip: &ChipConfig, single: bool) -> [Idle; 9] {
    let (geometry, policy, calibration) = (&chip.geometry, &chip.policy, &chip.calibration);
    let pumps = [
        calibration.pump_read,
        calibration.pump_program,
        calibration.pump_erase,
    ];
    [
        (
            "policy.dvth_mlc",
            single && policy.dvth_mlc.is_some(),
            "this is the shift of cells of several bits; accepted for one bit is policy.dvth_slc",
        ),
        (
            "policy.dvth_slc",
            !single && policy.dvth_slc.is_some(),
            "this is the shift of cells of one bit; accepted for several bits is policy.dvth_mlc",
        ),
        (
            "geometry.page_kinds",
            single && geometry.page_kinds.is_some(),
            "cells of one bit have one kind of page; accepted is to leave the key out",
        ),
        (
            "geometry.page_kinds_modulo",
            geometry.page_kinds_modulo && geometry.bits_per_cell <= 2,
            "the source has a map for one and two bits; accepted is to leave the key out",
        ),
        (
            "geometry.page_kinds_modulo",
            geometry.page_kinds_modulo && geometry.page_kinds.is_some(),
            "geometry.page_kinds lists the kinds; accepted is one of the two keys",
        ),
        (
            "bias.vread_slow",
            chip.bias.vread_slow.is_some() && chip.bias.vread_selected.is_some(),
            "bias.vread_selected lists the voltages; accepted is one of the two keys",
        ),
        (
            "calibration.field_coupling_program",
            calibration.field_coupling_program.is_some() && calibration.tunnel_current_program.is_some(),
            "calibration.tunnel_current_program stands in for the field; accepted is one of the two keys",
        ),
        (
            "calibration.field_coupling_erase",
            calibration.field_coupling_erase.is_some() && calibration.tunnel_current_erase.is_some(),
            "calibration.tunnel_current_erase stands in for the field; accepted is one of the two keys",
        ),
        (
            "calibration.pump",
            calibration.pump.is_some() && pumps.iter().all(Option::is_some),
            "every kind of pulse has an energy of its own; accepted is to leave the key out",
        ),
    ]
}
