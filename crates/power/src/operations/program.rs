//! Programs, equations (2.20) to (2.29).

use super::{Model, Pulse, Pulsed, charge};
use crate::breakdown::{Affine, Component};
use crate::inputs::Ramp;
use crate::states::{PageKind, ProgramState};

impl Model<'_> {
    /// A program of the `kind`-th kind of page.
    pub(super) fn program(&self, kind: usize) -> Pulsed {
        let page = PageKind(kind as u8);
        // with `programmed_cells` cells on target do not conduct: no bit line discharges in a verify
        let bits: Vec<Option<u8>> = ProgramState::of(page)
            .map(|state| self.inputs.verify_as_read.then(|| state.bit()))
            .collect();
        let verify = self.verify(&bits);
        let ramp = self.inputs.program.get(kind).copied();
        // F3: the source sums one term more than there are pulses
        let pulses = ramp
            .iter()
            .flat_map(|ramp| (0..ramp.pulses).map(|pulse| self.program_pulse(kind, ramp, pulse, &verify)))
            .collect();
        let mut start = Affine::zero(page.states());
        start.fixed = self.control();
        start.fixed[Component::Decode] = self.circuit.block_decode + self.circuit.page_decode;
        let leave = self.back(&bits);
        let skipped = self.inputs.optimize_write.then(|| {
            let mut skipped = start.clone();
            skipped += &verify;
            skipped += &leave;
            let pump = &self.inputs.pump;
            skipped.fixed[Component::Pump] += pump.pulse(pump.program, self.inputs.bias.vread);
            skipped
        });
        Pulsed::new(pulses, start, leave, skipped)
    }

    /// One pulse (2.26) with its verify and pump.
    ///
    /// F4: the source puts the boosted voltage of the channel, some 14 V, on the bit lines of inhibited cells,
    /// which alone would cost more than the published program. Self-boosting puts `V_bl,ip` there and lets the
    /// channel float up.
    ///
    /// F6: the source does not say which field goes into the tunnelling formula. `coupling_program` is a calibration
    /// constant: at the published energies far more charge moves than a floating gate holds.
    fn program_pulse(&self, kind: usize, ramp: &Ramp, pulse: u32, verify: &Affine) -> Pulse {
        let (inputs, circuit) = (self.inputs, self.circuit);
        let bias = &inputs.bias;
        let volts = ramp.voltage(pulse);
        let (field, density, tunnelling) =
            self.tunnelling(ramp, volts, inputs.coupling_program, inputs.current_program);
        let mut energy = verify.clone();
        energy.fixed[Component::WordLines] += charge(circuit.word_line, volts - bias.vwl_pre)
            + charge(circuit.word_line, bias.vpass - bias.vwl_pre) * (inputs.geometry.word_lines - 1.0);
        energy.fixed[Component::SelectLines] +=
            2.0 * charge(circuit.select_line, bias.vdd) + charge(circuit.source_line, bias.vdd);
        energy.fixed[Component::Pump] += inputs.pump.pulse(inputs.pump.program, volts);
        let shifts = inputs.state_shift.get(kind).into_iter().flatten();
        let lasts = inputs.state_pulses.get(kind).into_iter().flatten();
        for (cell, (shift, last)) in energy.per_cell.iter_mut().zip(shifts.zip(lasts)) {
            // a cell without a shift to make, or done with its pulses, is inhibited
            if *shift > 0.0 && pulse < *last {
                cell[Component::BitLines] += charge(circuit.isolated_bit_line, bias.vbl_pre);
                cell[Component::Tunnelling] += shift * tunnelling;
            } else {
                cell[Component::BitLines] += charge(circuit.isolated_bit_line, bias.vbl_inhibit);
            }
        }
        Pulse {
            volts,
            field,
            current_density: density,
            tunnelling,
            energy,
        }
    }
}
