//! Checks a chip and fills in every default: section 10 of the specification.

use std::collections::BTreeMap;

use wordline_units::{Current, Duration, Energy, Voltage};

use super::{ChipConfig, Ones, VerifyBitlines, effect};
use crate::address_map::AddressMap;
use crate::error::{ChipError, require};
use crate::inputs::{Biases, Counts, Inputs, Pump, Ramp};
use crate::states::{MAX_BITS, PageKind, ProgramState};

/// Largest page, data and spare each: far beyond any chip, and small enough that nothing overflows.
const LARGEST_PAGE: u64 = 1 << 20;
/// Most pages of a block: the address map is a table.
const MOST_PAGES: u32 = 1 << 16;
/// Largest of the other counts.
const MOST: u32 = 1 << 24;
/// Most cycles that one kind of page may need: one for each border between levels.
const MOST_CYCLES: usize = 15;
/// Most pulses of a program or an erase.
const MOST_PULSES: u32 = 1000;
/// The highest field for which the tunnelling formula is used, in V/m.
const HIGHEST_FIELD: f64 = 4e9;
/// The highest voltage that a pulse may reach.
const HIGHEST_PULSE: f64 = 35.0;

impl ChipConfig {
    /// Checks every value and every combination, and fills in the defaults.
    ///
    /// # Errors
    /// The first key that is refused.
    pub(crate) fn resolve(&self) -> Result<Inputs, ChipError> {
        let geometry = self.counts()?;
        effect::check(self)?;
        self.check_device()?;
        let bias = self.biases()?;
        let program = self.program_ramps()?;
        let erase = Ramp {
            first: bias.vera,
            step: bias.vstep,
            pulses: pulses("policy.erase_pulses", self.policy.erase_pulses)?,
            time: time("timing.t_bers", self.timing.t_bers)?,
        };
        if erase.pulses > 1 {
            step("bias.vstep", Voltage(bias.vstep))?;
        }
        let calibration = &self.calibration;
        let (program_key, erase_key) = (
            "calibration.field_coupling_program",
            "calibration.field_coupling_erase",
        );
        let coupling_program = coupling(program_key, calibration.field_coupling_program.unwrap_or(1.0))?;
        let coupling_erase = coupling(
            erase_key,
            calibration.field_coupling_erase.unwrap_or(self.device.gcr),
        )?;
        let current_program = current(
            "calibration.tunnel_current_program",
            calibration.tunnel_current_program,
        )?;
        let current_erase = current(
            "calibration.tunnel_current_erase",
            calibration.tunnel_current_erase,
        )?;
        for ramp in &program {
            self.check_last(
                "bias.vpgm",
                ramp,
                current_program.is_none().then_some(coupling_program),
            )?;
        }
        self.check_last(
            "bias.vera",
            &erase,
            current_erase.is_none().then_some(coupling_erase),
        )?;
        if self.geometry.page_kinds.is_some() {
            self.address_map()?;
        }
        let step_shift = self.step_shift()?;
        Ok(Inputs {
            bits: self.geometry.bits_per_cell,
            feature: self.geometry.feature.0,
            doping_pwell: self.device.doping_pwell.0,
            doping_nwell: self.device.doping_nwell.0,
            temperature: self.device.temperature.0,
            beta: self.device.beta,
            gcr: self.device.gcr,
            tunnel_oxide: self.device.tunnel_oxide.0,
            aspect_ratio: self.device.aspect_ratio,
            ones: self.ones(geometry.bit_lines)?,
            t_read: self.read_times()?,
            read_cycles: self.read_cycles(&bias)?,
            step_shift,
            state_shift: self.state_shifts(step_shift)?,
            state_pulses: self.state_pulses(&program)?,
            pump: self.pump(bias.vdd)?,
            control: energy("calibration.control", calibration.control)?,
            coupling_program,
            coupling_erase,
            current_program,
            current_erase,
            optimize_write: self.policy.optimize_write,
            optimize_erase: self.policy.optimize_erase,
            verify_as_read: self.policy.verify_bitlines == VerifyBitlines::AsRead,
            geometry,
            bias,
            program,
            erase,
        })
    }

    /// The map from pages to word lines; the counts have been checked.
    ///
    /// # Errors
    /// A list of kinds that is none.
    pub(crate) fn address_map(&self) -> Result<AddressMap, ChipError> {
        let geometry = &self.geometry;
        let (pages, bits) = (geometry.pages_per_block, geometry.bits_per_cell);
        if let Some(listed) = &geometry.page_kinds {
            let key = "geometry.page_kinds";
            require(
                listed.len() == pages as usize,
                key,
                format!("{} kinds", listed.len()),
                || format!("accepted is one for each of the {pages} pages of a block"),
            )?;
            let kinds = listed
                .iter()
                .map(|kind| match kind.checked_sub(1) {
                    Some(index) if u32::from(index) < bits => Ok(PageKind(index)),
                    _ => Err(ChipError::new(
                        key,
                        kind,
                        format!("accepted are kinds 1 to {bits}"),
                    )),
                })
                .collect::<Result<Vec<_>, _>>()?;
            return AddressMap::listed(&kinds, bits);
        }
        match bits {
            1 => Ok(AddressMap::slc(pages)),
            2 => Ok(AddressMap::mlc(pages)),
            _ => {
                let kinds: Vec<PageKind> = (0..pages).map(|page| PageKind((page % bits) as u8)).collect();
                AddressMap::listed(&kinds, bits)
            }
        }
    }

    fn kinds(&self) -> impl Iterator<Item = PageKind> + use<> {
        (0..self.geometry.bits_per_cell.min(MAX_BITS)).map(|kind| PageKind(kind as u8))
    }

    fn counts(&self) -> Result<Counts, ChipError> {
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

    fn check_device(&self) -> Result<(), ChipError> {
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
            (1e-10..=1e-6).contains(&oxide.0),
            "device.tunnel_oxide",
            oxide,
            || "accepted are 0.1 nm to 1000 nm".to_owned(),
        )?;
        require(
            device.aspect_ratio > 0.0 && device.aspect_ratio <= 1000.0,
            "device.aspect_ratio",
            device.aspect_ratio,
            || "accepted are numbers above 0, up to 1000".to_owned(),
        )?;
        require(
            (233.0..=423.0).contains(&device.temperature.0),
            "device.temperature",
            device.temperature,
            || "accepted are 233 K to 423 K".to_owned(),
        )
    }

    fn biases(&self) -> Result<Biases, ChipError> {
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

    /// Pulses of a program by kind of page; every kind but the first is slow (assumed for more than two bits).
    fn program_ramps(&self) -> Result<Vec<Ramp>, ChipError> {
        let (timing, policy) = (&self.timing, &self.policy);
        let fast = Ramp {
            first: self.bias.vpgm.0,
            step: self.bias.vstep.0,
            pulses: pulses("policy.program_pulses", policy.program_pulses)?,
            time: time("timing.t_prog", timing.t_prog)?,
        };
        if fast.pulses > 1 {
            step("bias.vstep", self.bias.vstep)?;
        }
        if self.geometry.bits_per_cell == 1 {
            return Ok(vec![fast]);
        }
        let given = timing.t_prog_slow.unwrap_or(timing.t_prog * 2);
        require(given >= timing.t_prog, "timing.t_prog_slow", given, || {
            format!("accepted is at least timing.t_prog, {}", timing.t_prog)
        })?;
        let slow_time = time("timing.t_prog_slow", given)?;
        let in_ratio = (f64::from(fast.pulses) * slow_time / fast.time).round();
        let slow_pulses = policy
            .program_pulses_slow
            .unwrap_or(in_ratio.min(f64::from(u32::MAX)) as u32);
        let slow_pulses = pulses("policy.program_pulses_slow", slow_pulses)?;
        let slow_step = self.bias.vstep_slow.unwrap_or(Voltage(
            fast.step * f64::from(fast.pulses) / f64::from(slow_pulses),
        ));
        if slow_pulses > 1 {
            step("bias.vstep_slow", slow_step)?;
        }
        let slow = Ramp {
            step: slow_step.0,
            pulses: slow_pulses,
            time: slow_time,
            ..fast
        };
        Ok(self
            .kinds()
            .map(|kind| if kind.0 == 0 { fast } else { slow })
            .collect())
    }

    /// Checks the last pulse of a ramp, and the field where it matters.
    fn check_last(&self, key: &str, ramp: &Ramp, coupling: Option<f64>) -> Result<(), ChipError> {
        let last = ramp.voltage(ramp.pulses - 1);
        require(last <= HIGHEST_PULSE, key, Voltage(ramp.first), || {
            format!(
                "the last of {} pulses would have {}; accepted is at most {HIGHEST_PULSE} V",
                ramp.pulses,
                Voltage(last)
            )
        })?;
        let field = coupling.unwrap_or(0.0) * last / self.device.tunnel_oxide.0;
        require(field <= HIGHEST_FIELD, key, Voltage(ramp.first), || {
            format!(
                "the last pulse puts {:.3e} V/cm across the tunnel oxide; accepted is at most 4e7 V/cm, where the \
                 tunnelling formula ends",
                field / 100.0
            )
        })
    }

    fn read_times(&self) -> Result<Vec<f64>, ChipError> {
        let fast = time("timing.t_r", self.timing.t_r)?;
        let given = self.timing.t_r_slow.unwrap_or(self.timing.t_r * 2);
        require(given >= self.timing.t_r, "timing.t_r_slow", given, || {
            format!("accepted is at least timing.t_r, {}", self.timing.t_r)
        })?;
        let slow = time("timing.t_r_slow", given)?;
        Ok(self
            .kinds()
            .map(|kind| if kind.0 == 0 { fast } else { slow })
            .collect())
    }

    /// Voltages of the selected word line: cycle j of k for the k-th kind, unless they are listed.
    fn read_cycles(&self, bias: &Biases) -> Result<Vec<Vec<f64>>, ChipError> {
        let Some(listed) = &self.bias.vread_selected else {
            let slow = self.bias.vread_slow.unwrap_or(Voltage(2.4));
            if self.geometry.bits_per_cell > 1 {
                within("bias.vread_slow", slow, 0.0, bias.vread)?;
            }
            return Ok(self
                .kinds()
                .map(|kind| (0..=kind.0).map(|cycle| f64::from(cycle) * slow.0).collect())
                .collect());
        };
        let key = "bias.vread_selected";
        let bits = self.geometry.bits_per_cell as usize;
        require(
            listed.len() == bits,
            key,
            format!("{} lists", listed.len()),
            || format!("accepted is a list for each of the {bits} kinds of page"),
        )?;
        for cycles in listed {
            require(
                (1..=MOST_CYCLES).contains(&cycles.len()),
                key,
                format!("{} cycles", cycles.len()),
                || format!("accepted are 1 to {MOST_CYCLES} voltages for each kind of page"),
            )?;
            for volts in cycles {
                within(key, *volts, 0.0, bias.vread)?;
            }
        }
        Ok(listed
            .iter()
            .map(|cycles| cycles.iter().map(|volts| volts.0).collect())
            .collect())
    }

    fn step_shift(&self) -> Result<f64, ChipError> {
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

    /// A table by kind and state, with the values that a table of the file gives by name.
    fn by_state<G: Copy, V>(
        &self,
        key: &str,
        given: &BTreeMap<String, G>,
        default: impl Fn(ProgramState) -> V,
        check: impl Fn(&str, ProgramState, G) -> Result<V, ChipError>,
    ) -> Result<Vec<Vec<V>>, ChipError> {
        let bits = self.geometry.bits_per_cell;
        let states: Vec<_> = self.kinds().flat_map(ProgramState::of).collect();
        let names: Vec<_> = states.iter().map(|state| state.name(bits)).collect();
        if let Some(stranger) = given.keys().find(|name| !names.contains(name)) {
            return Err(ChipError::new(
                format!("{key}.{stranger}"),
                "given",
                format!("no program state of this chip; accepted are {}", names.join(", ")),
            ));
        }
        let mut table: Vec<Vec<V>> = self.kinds().map(|_| Vec::new()).collect();
        for (state, name) in states.into_iter().zip(names) {
            let value = match given.get(&name) {
                Some(given) => check(&format!("{key}.{name}"), state, *given)?,
                None => default(state),
            };
            if let Some(row) = table.get_mut(state.kind.index()) {
                row.push(value);
            }
        }
        Ok(table)
    }

    fn state_shifts(&self, step: f64) -> Result<Vec<Vec<f64>>, ChipError> {
        self.by_state(
            "policy.state_shift",
            &self.policy.state_shift,
            |state| f64::from(state.shift()) * step,
            |key, _, shift| within(key, shift, 0.0, HIGHEST_PULSE),
        )
    }

    fn state_pulses(&self, ramps: &[Ramp]) -> Result<Vec<Vec<u32>>, ChipError> {
        let most = |state: ProgramState| ramps.get(state.kind.index()).map_or(0, |ramp| ramp.pulses);
        self.by_state(
            "policy.state_pulses",
            &self.policy.state_pulses,
            most,
            |key, state, pulses| {
                require((1..=most(state)).contains(&pulses), key, pulses, || {
                    format!("accepted are 1 to the {} pulses of the page", most(state))
                })
                .map(|()| pulses)
            },
        )
    }

    fn pump(&self, vdd: f64) -> Result<Pump, ChipError> {
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

    fn ones(&self, bit_lines: f64) -> Result<f64, ChipError> {
        let (count, found) = match self.workload.ones {
            Ones::Count(count) => (count as f64, count.to_string()),
            Ones::Share(share) => (share * bit_lines, format!("{share:?}")),
        };
        require((0.0..=bit_lines).contains(&count), "workload.ones", found, || {
            format!("accepted are shares from 0.0 to 1.0, or counts from 0 to the {bit_lines} bits of a page")
        })
        .map(|()| count)
    }
}

fn within(key: &str, volts: Voltage, low: f64, high: f64) -> Result<f64, ChipError> {
    require((low..=high).contains(&volts.0), key, volts, || {
        format!("accepted are {} to {}", Voltage(low), Voltage(high))
    })
    .map(|()| volts.0)
}

fn step(key: &str, volts: Voltage) -> Result<(), ChipError> {
    require(volts.0 > 0.0, key, volts, || {
        "accepted are steps above 0 V where there is more than one pulse".to_owned()
    })
}

fn pulses(key: &str, pulses: u32) -> Result<u32, ChipError> {
    require((1..=MOST_PULSES).contains(&pulses), key, pulses, || {
        format!("accepted are 1 to {MOST_PULSES}")
    })
    .map(|()| pulses)
}

fn time(key: &str, time: Duration) -> Result<f64, ChipError> {
    require(time > Duration::ZERO, key, time, || {
        "accepted are times above 0".to_owned()
    })
    .map(|()| time.as_secs())
}

fn coupling(key: &str, share: f64) -> Result<f64, ChipError> {
    require((0.0..=1.0).contains(&share), key, share, || {
        "accepted are shares from 0 to 1".to_owned()
    })
    .map(|()| share)
}

fn current(key: &str, current: Option<Current>) -> Result<Option<f64>, ChipError> {
    match current {
        Some(current) => require((0.0..=1.0).contains(&current.0), key, current, || {
            "accepted are 0 A to 1 A".to_owned()
        })
        .map(|()| Some(current.0)),
        None => Ok(None),
    }
}

fn energy(key: &str, energy: Energy) -> Result<f64, ChipError> {
    require((0.0..=1.0).contains(&energy.0), key, energy, || {
        "accepted are 0 J to 1 J".to_owned()
    })
    .map(|()| energy.0)
}
