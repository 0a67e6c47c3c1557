//! Checks a chip and fills in every default: section 10 of the specification.

use std::collections::BTreeMap;

use wordline_units::Voltage;

use super::ranges::{HIGHEST_PULSE, coupling, current, energy, pulses, step, time, within};
use super::{ChipConfig, VerifyBitlines, effect};
use crate::address_map::AddressMap;
use crate::error::{ChipError, require};
use crate::inputs::{Biases, Inputs, Ramp};
use crate::states::{MAX_BITS, PageKind, ProgramState};

/// Most cycles that one kind of page may need: one for each border between levels.
const MOST_CYCLES: usize = 15;
/// The highest field for which the tunnelling formula is used, in V/m.
const HIGHEST_FIELD: f64 = 4e9;

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
        let full = match program.first() {
            Some(first) => self.full_sequence(first, step_shift, |ramp| {
                let coupling = current_program.is_none().then_some(coupling_program);
                self.check_last("policy.program_pulses_full", ramp, coupling)
            })?,
            None => None,
        };
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
            full,
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
                format!(
                    "no program state of this chip; {}accepted are {}",
                    wordline_units::did_you_mean(stranger, names.iter().map(String::as_str)),
                    names.join(", ")
                ),
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
}
