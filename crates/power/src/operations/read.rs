//! Reads, equations (2.10) to (2.19).

use super::{Model, charge};
use crate::breakdown::{Affine, Breakdown, Component};

impl Model<'_> {
    /// A read of the `kind`-th kind of page: its cycles, a pump each, and control once.
    pub(super) fn read(&self, kind: usize) -> Affine {
        let mut read = Affine::zero(2);
        for volts in self.inputs.read_cycles.get(kind).into_iter().flatten() {
            let mut cycle = self.cycle(*volts);
            cycle.fixed[Component::Decode] = self.circuit.block_decode + self.circuit.page_decode;
            let pump = &self.inputs.pump;
            cycle.fixed[Component::Pump] = pump.pulse(pump.read, self.inputs.bias.vread);
            read += &cycle;
        }
        read.fixed += self.control();
        read
    }

    /// One sensing cycle (2.18) without decoders, the way back included; the selected word line has `volts`.
    pub(super) fn cycle(&self, volts: f64) -> Affine {
        let mut cycle = self.sensing(volts);
        let back = returned(&cycle);
        cycle.fixed[Component::Sense] = self.circuit.sense;
        cycle += &back;
        cycle
    }

    /// The verify of a program or an erase (a read without decoders, selected word line at 0 V), for cells in
    /// classes each with its bit; `None` for cells whose bit lines do not discharge.
    pub(super) fn verify(&self, bits: &[Option<u8>]) -> Affine {
        by_class(&self.cycle(0.0), bits)
    }

    /// The way back from a read with the selected word line at 0 V, for the same classes.
    pub(super) fn back(&self, bits: &[Option<u8>]) -> Affine {
        by_class(&returned(&self.sensing(0.0)), bits)
    }

    /// Lines of a sensing cycle: word lines (2.10), (2.11), bit lines (2.12), (2.13), select lines (2.14) to
    /// (2.16).
    ///
    /// F1: the source prints `(V_bl,pre - V_bl,drop)^2`, by which a line that is discharged fully costs nothing. The
    /// drop is read as the voltage left on the line, with the energy of a capacitor between two voltages.
    fn sensing(&self, volts: f64) -> Affine {
        let (bias, circuit) = (&self.inputs.bias, self.circuit);
        let mut lines = Affine::zero(2);
        lines.fixed[Component::WordLines] = charge(circuit.word_line, volts - bias.vwl_pre)
            + charge(circuit.word_line, bias.vread - bias.vwl_pre) * (self.inputs.geometry.word_lines - 1.0);
        lines.fixed[Component::SelectLines] =
            2.0 * charge(circuit.select_line, bias.vread) + charge(circuit.source_line, bias.vread);
        for (cell, residual) in lines.per_cell.iter_mut().zip(bias.residual) {
            cell[Component::BitLines] =
                0.5 * circuit.bit_line * (bias.vbl_pre * bias.vbl_pre - residual * residual);
        }
        lines
    }
}

/// The way back to precharge (2.17): what the lines took, once more.
fn returned(lines: &Affine) -> Affine {
    let back = |energy: &Breakdown| Breakdown::of(Component::PrechargeReturn, energy.total());
    Affine {
        fixed: back(&lines.fixed),
        per_cell: lines.per_cell.iter().map(back).collect(),
    }
}

/// The same energy for cells in classes, each with the bit that it is read as.
fn by_class(energy: &Affine, bits: &[Option<u8>]) -> Affine {
    let cell = |bit: &Option<u8>| {
        bit.and_then(|bit| energy.per_cell.get(usize::from(bit)).copied())
            .unwrap_or(Breakdown::ZERO)
    };
    Affine {
        fixed: energy.fixed,
        per_cell: bits.iter().map(cell).collect(),
    }
}
