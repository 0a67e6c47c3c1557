//! The array as capacitances: what every operation charges and discharges.
//!
//! Equations (2.1) to (2.9) of the source, and compact forms of sense amplifier, latch and decoders in place
//! of CACTI's (section 4 of the specification).

use wordline_units::Length;

use crate::constants::{
    BAND_GAP, BOLTZMANN, ELEMENTARY_CHARGE, INTRINSIC_CARRIERS, SILICON_PERMITTIVITY, VACUUM_PERMITTIVITY,
};
use crate::error::ChipError;
use crate::inputs::Inputs;
use crate::technology::Technology;

/// Pitch of word lines and bit lines in feature sizes.
const PITCH: f64 = 2.0;
/// Lines of a block along a bit line beside its word lines: GSL, SSL, SL.
const EXTRA_LINES: f64 = 3.0;
/// Grading coefficient of the well junction.
const GRADING: f64 = 0.5;

/// Lengths in m, capacitances in F, energies in J, voltages in V.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circuit {
    /// Bit lines of a block.
    pub bit_lines: f64,
    /// Length of a word line (2.1).
    pub word_line_length: f64,
    /// Length of a bit line (2.2).
    pub bit_line_length: f64,
    /// Capacitance of a wire for each metre.
    pub wire: f64,
    /// Gate of a floating-gate transistor: control and floating gate in series.
    pub cell_gate: f64,
    /// Drain of a floating-gate transistor.
    pub cell_drain: f64,
    /// A word line (2.3).
    pub word_line: f64,
    /// A bit line (2.4).
    pub bit_line: f64,
    /// A bit line without the drains of its string: the channel is cut off while a page is programmed.
    pub isolated_bit_line: f64,
    /// A select line, SSL or GSL (2.5).
    pub select_line: f64,
    /// The source line (2.6).
    pub source_line: f64,
    /// Energy of a sense amplifier.
    pub sense_amplifier: f64,
    /// Energy of a latch.
    pub latch: f64,
    /// Energy of the sense amplifiers and latches of a page.
    pub sense: f64,
    /// Energy of the block decoder.
    pub block_decode: f64,
    /// Energy of the page decoder.
    pub page_decode: f64,
    /// Built-in voltage of the junction of the P-well.
    pub built_in: f64,
    /// Capacitance of that junction without bias for each square metre.
    pub junction: f64,
    /// Area of the P-well of a block in square metres.
    pub well_area: f64,
    /// Area of the floating-gate transistor in square metres.
    pub cell_area: f64,
    /// Energy to bring bit lines and word lines to precharge when power comes on (2.7).
    pub power_up: f64,
}

impl Circuit {
    /// Derives everything from the inputs.
    ///
    /// # Errors
    /// A feature size outside the technology table.
    pub(crate) fn new(inputs: &Inputs) -> Result<Self, ChipError> {
        let technology = Technology::at(Length(inputs.feature))?;
        let counts = &inputs.geometry;
        let (feature, bit_lines, word_lines) = (inputs.feature, counts.bit_lines, counts.word_lines);
        let wire = technology.wire();
        let word_line_length = bit_lines * counts.block_cols * PITCH * feature;
        let bit_line_length = (word_lines + EXTRA_LINES) * counts.block_rows * PITCH * feature;
        // the select and pass transistors are one feature wide (assumed)
        let (narrow_gate, narrow_drain) = (technology.gate(1.0), technology.drain(1.0));
        let cell_gate = inputs.gcr * technology.gate(inputs.aspect_ratio);
        let cell_drain = technology.drain(inputs.aspect_ratio);
        let isolated_bit_line = 2.0 * narrow_drain + wire * bit_line_length;
        // CACTI's DRAM sense amplifier: p 7.5, n 3.75, isolation 12.5 and multiplexer 9 features wide
        let supply = technology.peripheral_supply();
        let drains: f64 = [3.75, 7.5, 12.5, 9.0]
            .map(|width| technology.drain(width))
            .iter()
            .sum();
        let sense_amplifier = (technology.gate(11.25) + drains) * supply * supply;
        // CACTI's SRAM cell: n 2.08, p 1.23, access 1.31 features wide
        let drains: f64 = [2.08, 1.23, 1.31]
            .map(|width| technology.drain(width))
            .iter()
            .sum();
        let latch = 2.0 * (technology.gate(3.31) + drains) * supply * supply;
        let decoder = |outputs: f64, length: f64| decode(&technology, inputs.bias.vdd, outputs, length);
        let built_in = built_in(inputs);
        let permittivity = SILICON_PERMITTIVITY * VACUUM_PERMITTIVITY;
        let acceptors = inputs.doping_pwell * 1e6;
        let half = |volts: f64| 0.5 * volts * volts;
        Ok(Self {
            bit_lines,
            word_line_length,
            bit_line_length,
            wire,
            cell_gate,
            cell_drain,
            word_line: narrow_drain + cell_gate * bit_lines + wire * word_line_length,
            bit_line: isolated_bit_line + cell_drain * word_lines,
            isolated_bit_line,
            select_line: narrow_drain + narrow_gate * bit_lines + wire * word_line_length,
            // as printed; physically each bit line has a drain there, a difference below 0.01 %
            source_line: wire * word_line_length + narrow_drain,
            sense_amplifier,
            latch,
            sense: (sense_amplifier + latch) * bit_lines,
            block_decode: decoder(counts.block_rows * counts.block_cols, bit_line_length),
            page_decode: decoder(word_lines, word_lines * PITCH * feature),
            built_in,
            junction: (ELEMENTARY_CHARGE * permittivity * acceptors / (2.0 * built_in)).sqrt(),
            // one block (assumed)
            well_area: bit_lines * word_lines * (PITCH * feature) * (PITCH * feature),
            cell_area: feature * inputs.aspect_ratio * feature,
            power_up: wire
                * (half(inputs.bias.vbl_pre) * bit_lines * bit_line_length
                    + half(inputs.bias.vwl_pre) * word_lines * word_line_length),
        })
    }

    /// Energy of the well junction at a reverse bias in volts (2.32). The source prints a minus sign in the
    /// root, which is imaginary at erase voltages, and the area of a transistor.
    pub(crate) fn junction_energy(&self, volts: f64) -> f64 {
        self.junction / libm::pow(1.0 + volts / self.built_in, GRADING) * self.well_area * volts * volts
    }
}

/// Built-in voltage of the well junction. The intrinsic carriers rise with temperature (assumed); held constant
/// they would give it the wrong sign of change.
fn built_in(inputs: &Inputs) -> f64 {
    let relative = inputs.temperature / 300.0;
    let gap = BAND_GAP * ELEMENTARY_CHARGE / (2.0 * BOLTZMANN);
    let carriers = INTRINSIC_CARRIERS
        * relative
        * relative.sqrt()
        * libm::exp(gap * (1.0 / 300.0 - 1.0 / inputs.temperature));
    let thermal = BOLTZMANN * inputs.temperature / ELEMENTARY_CHARGE;
    thermal * libm::log(inputs.doping_pwell / carriers * (inputs.doping_nwell / carriers))
}

/// Energy of a decoder with so many outputs along `length` metres: predecoders of up to three address bits, each with
/// a line that rises and one that falls, and a driver chain of stage effort 4 that adds a third.
fn decode(technology: &Technology, vdd: f64, outputs: f64, length: f64) -> f64 {
    let mut bits = 0_u32;
    while f64::from(bits) < 63.0 && (1_u64 << bits) as f64 + 0.5 < outputs {
        bits += 1;
    }
    let groups = bits.div_ceil(3);
    let gate = technology.gate((f64::from(groups) + technology.n_to_p()) * 1.5);
    (0..groups)
        .map(|group| {
            let size = (bits - 3 * group).min(3);
            let load = outputs / f64::from(1_u32 << size) * gate + technology.wire() * length;
            2.0 * (4.0 / 3.0) * load * vdd * vdd
        })
        .sum()
}
