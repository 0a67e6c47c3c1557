//! Erases, equations (2.30) to (2.35).

use super::{Model, Pulse, Pulsed, charge};
use crate::breakdown::{Affine, Breakdown, Component};

impl Model<'_> {
    /// An erase of a block.
    pub(super) fn erase(&self) -> Pulsed {
        let inputs = self.inputs;
        let verify = self.of_erased_page(&self.cycle_of_ones());
        let ramp = &inputs.erase;
        // F3: the source sums one term more than there are pulses
        let pulses = (0..ramp.pulses)
            .map(|pulse| self.erase_pulse(pulse, &verify))
            .collect();
        let mut start = Affine::zero(1);
        start.fixed = self.control();
        start.fixed[Component::Decode] = self.circuit.block_decode;
        let leave = self.of_erased_page(&self.back(&[Some(1)]));
        let skipped = inputs.optimize_erase.then(|| {
            let mut skipped = start.clone();
            // that many cycles to know the state of every cell (assumed)
            for _ in 0..inputs.bits {
                skipped += &verify;
            }
            skipped += &leave;
            skipped.fixed[Component::Pump] += inputs.pump.pulse(inputs.pump.erase, inputs.bias.vread);
            skipped
        });
        Pulsed::new(pulses, start, leave, skipped)
    }

    fn cycle_of_ones(&self) -> Affine {
        self.verify(&[Some(1)])
    }

    /// An energy of a page of ones, as one that does not depend on the cells of the block.
    fn of_erased_page(&self, energy: &Affine) -> Affine {
        Affine {
            fixed: energy.at(&[self.circuit.bit_lines]),
            per_cell: vec![Breakdown::ZERO],
        }
    }

    /// One pulse (2.33) with its verify and pump: word lines at ground, the P-well at the voltage of the pulse,
    /// select lines coupled up by it, source line and bit lines a built-in voltage below.
    fn erase_pulse(&self, pulse: u32, verify: &Affine) -> Pulse {
        let (inputs, circuit) = (self.inputs, self.circuit);
        let ramp = &inputs.erase;
        let volts = ramp.voltage(pulse);
        let lines = volts - circuit.built_in;
        let (field, density, tunnelling) =
            self.tunnelling(ramp, volts, inputs.coupling_erase, inputs.current_erase);
        let mut energy = verify.clone();
        energy.fixed[Component::SelectLines] +=
            2.0 * charge(circuit.select_line, inputs.beta * volts) + charge(circuit.source_line, lines);
        energy.fixed[Component::BitLines] +=
            charge(circuit.bit_line, lines - inputs.bias.vbl_pre) * circuit.bit_lines;
        energy.fixed[Component::Junction] += circuit.junction_energy(volts);
        energy.fixed[Component::Pump] += inputs.pump.pulse(inputs.pump.erase, volts);
        for cell in &mut energy.per_cell {
            cell[Component::Tunnelling] += inputs.step_shift * tunnelling;
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
