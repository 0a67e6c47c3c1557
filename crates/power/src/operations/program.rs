//! Programs, equations (2.20) to (2.29).

use super::{Model, Pulse, Pulsed, charge};
use crate::breakdown::{Affine, Component};
use crate::inputs::{FullSequence, Ramp};
use crate::states::{PageKind, ProgramState};

/// What is done to cells, by the state that the program leaves them in.
struct Cells<'a> {
    /// Threshold shift in V.
    shifts: &'a [f64],
    /// Pulses in which they are programmed.
    pulses: &'a [u32],
}

impl Model<'_> {
    /// A program of the `kind`-th kind of page.
    pub(super) fn program(&self, kind: usize) -> Pulsed {
        let page = PageKind(kind as u8);
        let cells = Cells {
            shifts: self.inputs.state_shift.get(kind).map_or(&[], Vec::as_slice),
            pulses: self.inputs.state_pulses.get(kind).map_or(&[], Vec::as_slice),
        };
        self.programmed(page, self.inputs.program.get(kind), &cells)
    }

    /// The program of all pages of a word line in one sequence. Its classes of cells are the program states of the last page, each
    /// reached from the erased state.
    pub(super) fn full_sequence(&self, full: &FullSequence) -> Pulsed {
        let page = PageKind(self.inputs.bits as u8 - 1);
        let pulses = vec![full.ramp.pulses; page.states()];
        let cells = Cells {
            shifts: &full.shift,
            pulses: &pulses,
        };
        self.programmed(page, Some(&full.ramp), &cells)
    }

    /// A program that leaves cells in the states of `page`.
    fn programmed(&self, page: PageKind, ramp: Option<&Ramp>, cells: &Cells<'_>) -> Pulsed {
        // with `programmed_cells` cells on target do not conduct: no bit line discharges in a verify
        let bits: Vec<Option<u8>> = ProgramState::of(page)
            .map(|state| self.inputs.verify_as_read.then(|| state.bit()))
            .collect();
        let verify = self.verify(&bits);
        // F3: the source sums one term more than there are pulses
        let pulses = ramp
            .into_iter()
            .flat_map(|ramp| (0..ramp.pulses).map(|pulse| self.program_pulse(cells, ramp, pulse, &verify)))
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
    fn program_pulse(&self, cells: &Cells<'_>, ramp: &Ramp, pulse: u32, verify: &Affine) -> Pulse {
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
        let states = cells.shifts.iter().zip(cells.pulses);
        for (cell, (shift, last)) in energy.per_cell.iter_mut().zip(states) {
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
