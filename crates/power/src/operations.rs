//! Reads, programs and erases: equations (2.10) to (2.35) of the source.
//!
//! Every energy is affine in how many cells are of which class, so each operation is worked out once as
//! coefficients. Departures from the printed equations (F1 to F6) are told where they are made.

mod erase;
mod program;
mod read;

use crate::breakdown::{Affine, Breakdown, Component};
use crate::circuit::Circuit;
use crate::inputs::{Inputs, Ramp};
use crate::tunnelling::current_density;

/// A pulse of a program or an erase, its verify and its charge pump included.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulse {
    /// Voltage of the word line, or of the P-well in an erase.
    pub volts: f64,
    /// Field across the tunnel oxide in V/m; 0 where a current is given directly.
    pub field: f64,
    /// Current density in A/m^2.
    pub current_density: f64,
    /// Tunnelling energy of a cell for each volt of threshold shift, in J.
    pub tunnelling: f64,
    /// Energy of the pulse.
    pub energy: Affine,
}

/// A program or an erase, pulse by pulse.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulsed {
    /// Its pulses in order.
    pub pulses: Vec<Pulse>,
    /// What is paid once, whatever the number of pulses: decoders and control.
    pub start: Affine,
    /// The way back to precharge, paid whenever the operation is left.
    pub leave: Affine,
    /// All of it.
    pub total: Affine,
    /// The energy where no cell needs a pulse and the chip skips them.
    pub skipped: Option<Affine>,
}

impl Pulsed {
    fn new(pulses: Vec<Pulse>, start: Affine, leave: Affine, skipped: Option<Affine>) -> Self {
        let mut total = start.clone();
        for pulse in &pulses {
            total += &pulse.energy;
        }
        total += &leave;
        Self {
            pulses,
            start,
            leave,
            total,
            skipped,
        }
    }

    /// Its energy for so many cells of each class; where `is_idle`, no cell needs a pulse.
    pub(crate) fn energy(&self, counts: &[f64], is_idle: bool) -> Breakdown {
        match &self.skipped {
            Some(skipped) if is_idle => skipped.at(counts),
            _ => self.total.at(counts),
        }
    }
}

/// Everything that a chip can do, as energies.
#[derive(Clone, Debug, PartialEq)]
pub struct Operations {
    /// Read by kind of page. Classes of cells: the bit read, 0 or 1.
    pub read: Vec<Affine>,
    /// Program by kind of page. Classes of cells: the program states in the order of their bits.
    pub program: Vec<Pulsed>,
    /// Program of all pages of a word line in one sequence. Classes of cells: the program states of the last page. None for cells of
    /// one bit.
    pub full: Option<Pulsed>,
    /// Erase. One class of cells: those that are not erased already.
    pub erase: Pulsed,
    /// Power-up to precharge.
    pub power_up: Breakdown,
}

impl Operations {
    pub(crate) fn new(inputs: &Inputs, circuit: &Circuit) -> Self {
        let model = Model { inputs, circuit };
        let half = 0.5 * circuit.wire;
        let bias = &inputs.bias;
        let bit_lines = half * bias.vbl_pre * bias.vbl_pre * circuit.bit_lines * circuit.bit_line_length;
        let mut power_up = Breakdown::of(Component::BitLines, bit_lines);
        power_up[Component::WordLines] = circuit.power_up - bit_lines;
        Self {
            read: (0..inputs.read_cycles.len())
                .map(|kind| model.read(kind))
                .collect(),
            program: (0..inputs.program.len())
                .map(|kind| model.program(kind))
                .collect(),
            full: inputs.full.as_ref().map(|full| model.full_sequence(full)),
            erase: model.erase(),
            power_up,
        }
    }
}

/// The inputs and the capacitances, from which operations are built.
struct Model<'a> {
    inputs: &'a Inputs,
    circuit: &'a Circuit,
}

impl Model<'_> {
    /// What tunnels in a pulse: field, current density, and energy of a cell for each volt of shift (2.24).
    fn tunnelling(&self, ramp: &Ramp, volts: f64, coupling: f64, current: Option<f64>) -> (f64, f64, f64) {
        let area = self.circuit.cell_area;
        let (field, density) = match current {
            Some(current) => (0.0, current / area),
            None => {
                let field = coupling * volts / self.inputs.tunnel_oxide;
                (field, current_density(field))
            }
        };
        (field, density, density * area * ramp.pulse_time())
    }

    fn control(&self) -> Breakdown {
        Breakdown::of(Component::Control, self.inputs.control)
    }
}

/// Energy of a capacitor that is charged to `volts`.
fn charge(capacitance: f64, volts: f64) -> f64 {
    0.5 * capacitance * volts * volts
}
