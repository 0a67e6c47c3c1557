//! The ranges of single values, and of values that bound each other.

use wordline_units::{Current, Duration, Energy, Voltage};

use super::{ChipConfig, Ones};
use crate::error::{ChipError, require};
use crate::inputs::{Biases, Counts, Pump};
use crate::states::MAX_BITS;

/// Largest page, data and spare each: far beyond any chip, and small enough that nothing overflows.
const LARGEST_PAGE: u64 = 1 << 20;
/// Most pages of a block: the address map is a table.
const MOST_PAGES: u32 = 1 << 16;
/// Largest of the other counts.
const MOST: u32 = 1 << 24;
/// Most pulses of a program or an erase.
const MOST_PULSES: u32 = 1000;
/// The longest operation.
const LONGEST: Duration = Duration(1_000_000_000);
/// Most energy of a pulse of a pump or of the control of a command, in J: a thousand times what any chip takes.
const MOST_ENERGY: f64 = 1e-3;
/// Largest tunnelling current of a cell, in A.
const MOST_CURRENT: f64 = 1e-6;
/// The highest voltage that a pulse may reach.
pub(super) const HIGHEST_PULSE: f64 = 35.0;

impl ChipConfig {
    pub(super) fn counts(&self) -> Result<Counts, ChipError> {
        let geometry = &self.geometry;
        let bits = geometry.bits_per_cell;
        require(
            (1..=MAX_BITS).contains(&bits),
            "geometry.bits_per_cell",
            bits,
            || format!("accepted are 1 to {MAX_BITS}"),
        )?;
        for (key, size, least) in [
            ("geometry.page_size", geometry.page_size, 1),
            ("geometry.spare_size", geometry.spare_size, 0),
        ] {
            require((least..=LARGEST_PAGE).contains(&size.bytes()), key, size, || {
                format!("accepted are {least} B to 1 MiB")
            })?;
        }
        let pages = geometry.pages_per_block;
        let multiple = match bits {
            1 => 2,
            2 if geometry.page_kinds.is_none() => 4,
            _ => bits,
        };
        require(
            pages > 0 && pages <= MOST_PAGES && pages.is_multiple_of(multiple),
            "geometry.pages_per_block",
            pages,
            || format!("accepted are multiples of {multiple} up to {MOST_PAGES} for {bits} bits per cell"),
        )?;
        require(
            bits <= 2 || geometry.page_kinds.is_some() || geometry.page_kinds_modulo,
            "geometry.bits_per_cell",
            bits,
            || {
                "the source has no address map for more than two bits; accepted is a list geometry.page_kinds, or \
                 geometry.page_kinds_modulo = true for a stand-in"
                    .to_owned()
            },
        )?;
        for (key, count) in [
            ("geometry.block_rows", geometry.block_rows),
            ("geometry.block_cols", geometry.block_cols),
            ("geometry.planes_per_die", geometry.planes_per_die),
            ("geometry.dies", geometry.dies),
        ] {
            require((1..=MOST).contains(&count), key, count, || {
                format!("accepted are 1 to {MOST}")
            })?;
        }
        let word_lines = geometry.word_lines_per_block.unwrap_or(pages);
        require(
            (1..=pages).contains(&word_lines),
            "geometry.word_lines_per_block",
            word_lines,
            || format!("accepted are 1 to the {pages} pages of a block"),
        )?;
        let bit_lines = 8.0 * (geometry.page_size.bytes() + geometry.spare_size.bytes()) as f64;
        Ok(Counts {
            bit_lines,
            word_lines: f64::from(word_lines),
            block_rows: f64::from(geometry.block_rows),
            block_cols: f64::from(geometry.block_cols),
            planes: geometry.planes_per_die,
            capacity_bits: bit_lines
                * f64::from(pages)
                * f64::from(geometry.block_rows)
                * f64::from(geometry.block_cols)
                * f64::from(geometry.planes_per_die)
                * f64::from(geometry.dies),
        })
    }

    pub(super) fn check_device(&self) -> Result<(), ChipError> {
        let device = &self.device;
        for (key, doping) in [
            ("device.doping_pwell", device.doping_pwell),
            ("device.doping_nwell", device.doping_nwell),
        ] {
            require((1e13..=1e21).contains(&doping.0), key, doping, || {
                "accepted are 1e13 cm^-3 to 1e21 cm^-3".to_owned()
            })?;
        }
        for (key, share) in [("device.beta", device.beta), ("device.gcr", device.gcr)] {
            require(share > 0.0 && share < 1.0, key, share, || {
                "accepted are numbers between 0 and 1, neither included".to_owned()
            })?;
        }
        let oxide = device.tunnel_oxide;
        require(
            (1e-9..=1e-7).contains(&oxide.0),
            "device.tunnel_oxide",
            oxide,
            || "accepted are 1 nm to 100 nm".to_owned(),
        )?;
        require(
            device.aspect_ratio > 0.0 && device.aspect_ratio <= 100.0,
            "device.aspect_ratio",
            device.aspect_ratio,
            || "accepted are numbers above 0, up to 100".to_owned(),
        )?;
        require(
            (233.0..=423.0).contains(&device.temperature.0),
            "device.temperature",
            device.temperature,
            || "accepted are 233 K to 423 K".to_owned(),
        )
    }

    pub(super) fn biases(&self) -> Result<Biases, ChipError> {
        let bias = &self.bias;
        let vdd = within("bias.vdd", bias.vdd, 1.0, 5.0)?;
        let vbl_pre = within(
            "bias.vbl_pre",
            bias.vbl_pre.unwrap_or(Voltage(3.0 * vdd / 5.0)),
            0.0,
            vdd,
        )?;
        let residual = |key: &str, given: Option<Voltage>| {
            within(key, given.unwrap_or(Voltage(vbl_pre.min(0.7))), 0.0, vbl_pre)
        };
        let vread = within("bias.vread", bias.vread, 0.0, HIGHEST_PULSE)?;
        let vpgm = within("bias.vpgm", bias.vpgm, 8.0, 30.0)?;
        let vpass = bias.vpass;
        require(vpass.0 >= 0.0 && vpass.0 < vpgm, "bias.vpass", vpass, || {
            format!("accepted are voltages from 0 V to below bias.vpgm, {}", bias.vpgm)
        })?;
        Ok(Biases {
            vdd,
            vread,
            vpass: vpass.0,
            vera: within("bias.vera", bias.vera.unwrap_or(bias.vpgm), 8.0, 30.0)?,
            vbl_pre,
            vwl_pre: within("bias.vwl_pre", bias.vwl_pre, 0.0, vdd)?,
            vbl_inhibit: within(
                "bias.vbl_inhibit",
                bias.vbl_inhibit.unwrap_or(bias.vdd),
                0.0,
                HIGHEST_PULSE,
            )?,
            residual: [
                residual("bias.bl_residual_0", bias.bl_residual_0)?,
                residual("bias.bl_residual_1", bias.bl_residual_1)?,
            ],
            vstep: within("bias.vstep", bias.vstep, -HIGHEST_PULSE, HIGHEST_PULSE)?,
        })
    }

    pub(super) fn pump(&self, vdd: f64) -> Result<Pump, ChipError> {
        let calibration = &self.calibration;
        // Ishida et al., ISSCC 2009, at 3.3 V and 1.8 V; the threshold is assumed
        let default = Energy(if vdd >= 2.5 { 0.15e-6 } else { 0.25e-6 });
        let shared = calibration.pump.unwrap_or(default);
        energy("calibration.pump", shared)?;
        let one = |key: &str, given: Option<Energy>| energy(key, given.unwrap_or(shared));
        let reference = match calibration.pump_reference {
            Some(volts) => Some(within("calibration.pump_reference", volts, 1.0, HIGHEST_PULSE)?),
            None => None,
        };
        Ok(Pump {
            read: one("calibration.pump_read", calibration.pump_read)?,
            program: one("calibration.pump_program", calibration.pump_program)?,
            erase: one("calibration.pump_erase", calibration.pump_erase)?,
            reference,
        })
    }

    pub(super) fn ones(&self, bit_lines: f64) -> Result<f64, ChipError> {
        let (count, found) = match self.workload.ones {
            Ones::Count(count) => (count as f64, count.to_string()),
            Ones::Share(share) => (share * bit_lines, format!("{share:?}")),
        };
        require((0.0..=bit_lines).contains(&count), "workload.ones", found, || {
            format!("accepted are shares from 0.0 to 1.0, or counts from 0 to the {bit_lines} bits of a page")
        })
        .map(|()| count)
    }

    pub(super) fn step_shift(&self) -> Result<f64, ChipError> {
        let (key, given, default) = if self.geometry.bits_per_cell == 1 {
            ("policy.dvth_slc", self.policy.dvth_slc, 3.0)
        } else {
            ("policy.dvth_mlc", self.policy.dvth_mlc, 0.9)
        };
        let shift = given.unwrap_or(Voltage(default));
        require(shift.0 > 0.0 && shift.0 <= HIGHEST_PULSE, key, shift, || {
            format!("accepted are voltages above 0 V, up to {HIGHEST_PULSE} V")
        })
        .map(|()| shift.0)
    }
}

pub(super) fn within(key: &str, volts: Voltage, low: f64, high: f64) -> Result<f64, ChipError> {
    require((low..=high).contains(&volts.0), key, volts, || {
        format!("accepted are {} to {}", Voltage(low), Voltage(high))
    })
    .map(|()| volts.0)
}

pub(super) fn step(key: &str, volts: Voltage) -> Result<(), ChipError> {
    require(volts.0 > 0.0, key, volts, || {
        "accepted are steps above 0 V where there is more than one pulse".to_owned()
    })
}

pub(super) fn pulses(key: &str, pulses: u32) -> Result<u32, ChipError> {
    require((1..=MOST_PULSES).contains(&pulses), key, pulses, || {
        format!("accepted are 1 to {MOST_PULSES}")
    })
    .map(|()| pulses)
}

pub(super) fn time(key: &str, time: Duration) -> Result<f64, ChipError> {
    require(time > Duration::ZERO && time <= LONGEST, key, time, || {
        format!("accepted are times above 0, up to {LONGEST}")
    })
    .map(|()| time.as_secs())
}

pub(super) fn coupling(key: &str, share: f64) -> Result<f64, ChipError> {
    require((0.0..=1.0).contains(&share), key, share, || {
        "accepted are shares from 0 to 1".to_owned()
    })
    .map(|()| share)
}

pub(super) fn current(key: &str, current: Option<Current>) -> Result<Option<f64>, ChipError> {
    match current {
        Some(current) => require((0.0..=MOST_CURRENT).contains(&current.0), key, current, || {
            format!("accepted are 0 A to {}", Current(MOST_CURRENT))
        })
        .map(|()| Some(current.0)),
        None => Ok(None),
    }
}

pub(super) fn energy(key: &str, energy: Energy) -> Result<f64, ChipError> {
    require((0.0..=MOST_ENERGY).contains(&energy.0), key, energy, || {
        format!("accepted are 0 J to {}", Energy(MOST_ENERGY))
    })
    .map(|()| energy.0)
}
