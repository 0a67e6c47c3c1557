//! The inputs of the model, checked and complete: plain numbers in SI units.

/// Everything the equations need.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inputs {
    pub(crate) geometry: Counts,
    /// Bits of a cell.
    pub(crate) bits: u32,
    /// Feature size in m.
    pub(crate) feature: f64,
    /// Doping of the wells per cm^3.
    pub(crate) doping_pwell: f64,
    pub(crate) doping_nwell: f64,
    /// Temperature in K.
    pub(crate) temperature: f64,
    /// Coupling of control gate and P-well.
    pub(crate) beta: f64,
    /// Share of the control gate in the capacitance of the floating gate.
    pub(crate) gcr: f64,
    /// Tunnel oxide in m.
    pub(crate) tunnel_oxide: f64,
    /// Width of the floating-gate transistor by its length.
    pub(crate) aspect_ratio: f64,
    /// Ones in a page when nothing is said.
    pub(crate) ones: f64,
    pub(crate) bias: Biases,
    /// Pulses of a program by kind of page.
    pub(crate) program: Vec<Ramp>,
    /// Program of all pages of a word line in one sequence; none for one bit, or where its default pulses are out of range.
    pub(crate) full: Option<FullSequence>,
    pub(crate) erase: Ramp,
    /// Time of a read by kind of page, s.
    pub(crate) t_read: Vec<f64>,
    /// Voltages of the selected word line by kind of page, cycle by cycle.
    pub(crate) read_cycles: Vec<Vec<f64>>,
    /// Threshold shift between adjacent states in V.
    pub(crate) step_shift: f64,
    /// Threshold shift in V by kind and state.
    pub(crate) state_shift: Vec<Vec<f64>>,
    /// Pulses in which cells are programmed, by kind and state.
    pub(crate) state_pulses: Vec<Vec<u32>>,
    pub(crate) pump: Pump,
    /// Fixed energy of a command in J.
    pub(crate) control: f64,
    /// Share of the voltage that lies across the tunnel oxide.
    pub(crate) coupling_program: f64,
    pub(crate) coupling_erase: f64,
    /// Current of a cell in A in place of the formula.
    pub(crate) current_program: Option<f64>,
    pub(crate) current_erase: Option<f64>,
    pub(crate) optimize_write: bool,
    pub(crate) optimize_erase: bool,
    pub(crate) verify_as_read: bool,
}

/// How many of what. Real numbers, because they only ever enter equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counts {
    /// Bit lines of a block: bits of a page.
    pub(crate) bit_lines: f64,
    /// Word lines of a block; the source counts one for each page.
    pub(crate) word_lines: f64,
    pub(crate) block_rows: f64,
    pub(crate) block_cols: f64,
    pub(crate) planes: u32,
    /// Bits of the whole chip, spare bytes included.
    pub(crate) capacity_bits: f64,
}

/// Voltages in V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Biases {
    pub(crate) vdd: f64,
    pub(crate) vread: f64,
    pub(crate) vpass: f64,
    pub(crate) vera: f64,
    pub(crate) vbl_pre: f64,
    pub(crate) vwl_pre: f64,
    pub(crate) vbl_inhibit: f64,
    /// Left on the bit line after a 0 and a 1 was read.
    pub(crate) residual: [f64; 2],
    pub(crate) vstep: f64,
}

/// Pulses of rising voltage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ramp {
    /// Voltage of the first pulse in V.
    pub(crate) first: f64,
    /// What each later pulse adds, in V.
    pub(crate) step: f64,
    pub(crate) pulses: u32,
    /// Time of all pulses in s.
    pub(crate) time: f64,
}

/// The program of all pages of a word line in one sequence, straight from the erased state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FullSequence {
    pub(crate) ramp: Ramp,
    /// Threshold shift in V by the program state of the last page.
    pub(crate) shift: Vec<f64>,
}

impl Ramp {
    /// Voltage of a pulse, from 0.
    pub(crate) fn voltage(&self, pulse: u32) -> f64 {
        self.first + f64::from(pulse) * self.step
    }

    /// Time of one pulse in s.
    pub(crate) fn pulse_time(&self) -> f64 {
        self.time / f64::from(self.pulses)
    }
}

/// What a charge pump spends on a pulse: a constant, or one that grows with the square of the voltage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pump {
    /// Energy in J of a pulse of a read, a program and an erase.
    pub(crate) read: f64,
    pub(crate) program: f64,
    pub(crate) erase: f64,
    /// Voltage to which the energies belong.
    pub(crate) reference: Option<f64>,
}

impl Pump {
    /// Energy of a pulse of `volts` that would cost `energy` at the reference.
    pub(crate) fn pulse(&self, energy: f64, volts: f64) -> f64 {
        match self.reference {
            Some(reference) => energy * (volts / reference) * (volts / reference),
            None => energy,
        }
    }
}
