//! Every equation once more, with numbers that carry their dimensions: a sum of unlike quantities, a logarithm of
//! a voltage, an energy that is none, fails here. The values must agree with the model's.

use crate::common::quantity::{Q, metre, pure, second, volt};
use crate::common::{any_chip, chip_of};
use proptest::prelude::*;
use wordline_power::{Chip, ChipConfig, Component, Data, PageKind, ProgramState};

/// The technology table, written down a second time: nm, then C_gi, C_fr (fF/um), V_per, n/p, wire aspect, k_h, ILD (um).
const TABLE: [[f64; 8]; 5] = [
    [90.0, 0.664, 0.080, 1.2, 2.45, 2.4, 2.709, 0.48],
    [65.0, 0.469, 0.077, 1.1, 2.41, 2.7, 2.303, 0.405],
    [45.0, 0.678, 0.050, 1.0, 2.41, 3.0, 1.958, 0.315],
    [32.0, 0.534, 0.040, 0.9, 2.41, 3.0, 1.664, 0.21],
    [22.0, 0.327, 0.060, 0.8, 2.00, 3.0, 1.414, 0.15],
];

fn farad() -> Q {
    pure(1.0) * Q::coulomb() / volt(1.0)
}

fn femtofarad_by_um(value: f64) -> Q {
    farad() * value * 1e-15 / metre(1e-6)
}

/// Numbers of the technology at one feature size.
struct Technology {
    feature: Q,
    gate_ideal: Q,
    fringe: Q,
    supply: Q,
    n_to_p: Q,
    wire: Q,
}

impl Technology {
    fn at(nm: f64) -> Self {
        let pair = TABLE
            .windows(2)
            .find(|pair| nm <= pair[0][0] && nm >= pair[1][0])
            .unwrap();
        let share = (nm - pair[1][0]) / (pair[0][0] - pair[1][0]);
        let mix = |column: usize| share * pair[0][column] + (1.0 - share) * pair[1][column];
        let feature = metre(nm * 1e-9);
        let wire = |row: &[f64; 8]| {
            let permittivity = farad() * 8.854e-18 / metre(1e-6);
            let width = feature * 1.25;
            let thickness = width * row[5];
            permittivity * 2.0 * 3.9 * width / metre(row[7] * 1e-6)
                + permittivity * 2.0 * 1.5 * row[6] * thickness / width
                + femtofarad_by_um(0.115)
        };
        Self {
            feature,
            gate_ideal: femtofarad_by_um(mix(1)),
            fringe: femtofarad_by_um(mix(2)),
            supply: volt(mix(3)),
            n_to_p: pure(mix(4)),
            wire: wire(&pair[0]) * share + wire(&pair[1]) * (1.0 - share),
        }
    }

    fn gate(&self, width: Q) -> Q {
        (self.gate_ideal + self.gate_ideal * 0.2 + self.fringe * 3.0) * width
    }

    fn drain(&self, width: Q) -> Q {
        let area = farad() * 1e-15 / (metre(1e-6) * metre(1e-6));
        let edge = farad() * 0.25e-15 / metre(1e-6);
        area * self.feature * 3.0 * width
            + edge * (width + self.feature * 6.0)
            + (self.fringe + self.gate_ideal * 0.2) * 2.0 * width
    }

    fn decoder(&self, outputs: f64, length: Q, vdd: Q) -> Q {
        let bits = outputs.log2().ceil() as u32;
        let groups: Vec<u32> = (0..bits.div_ceil(3))
            .map(|group| (bits - 3 * group).min(3))
            .collect();
        groups.iter().fold(pure(0.0) * Q::joule(), |sum, size| {
            let fan = outputs / 2_f64.powi(*size as i32);
            let driver = self.feature * 1.5 * (pure(groups.len() as f64) + self.n_to_p);
            let load = self.gate(driver) * fan + self.wire * length;
            sum + load * vdd * vdd * (2.0 * 4.0 / 3.0)
        })
    }
}

/// The equations of the array and of its operations.
struct Second<'a> {
    chip: &'a ChipConfig,
    technology: Technology,
    bit_lines: f64,
    word_lines: f64,
}

impl<'a> Second<'a> {
    fn new(chip: &'a ChipConfig) -> Self {
        let geometry = &chip.geometry;
        Self {
            technology: Technology::at(geometry.feature.0 * 1e9),
            bit_lines: 8.0 * (geometry.page_size.bytes() + geometry.spare_size.bytes()) as f64,
            word_lines: f64::from(geometry.word_lines_per_block.unwrap_or(geometry.pages_per_block)),
            chip,
        }
    }

    fn vbl_pre(&self) -> Q {
        volt(
            self.chip
                .bias
                .vbl_pre
                .map_or(3.0 * self.chip.bias.vdd.0 / 5.0, |volts| volts.0),
        )
    }

    fn pump(&self) -> Q {
        Q::joule() * self.chip.calibration.pump.unwrap().0
    }

    fn control(&self) -> Q {
        Q::joule() * self.chip.calibration.control.0
    }

    fn word_line_length(&self) -> Q {
        self.technology.feature * 2.0 * self.bit_lines * f64::from(self.chip.geometry.block_cols)
    }

    fn bit_line_length(&self) -> Q {
        self.technology.feature * 2.0 * (self.word_lines + 3.0) * f64::from(self.chip.geometry.block_rows)
    }

    fn cell_width(&self) -> Q {
        self.technology.feature * self.chip.device.aspect_ratio
    }

    fn narrow_drain(&self) -> Q {
        self.technology.drain(self.technology.feature)
    }

    fn word_line(&self) -> Q {
        // two plates in series, from the definition of the gate coupling ratio
        let (gate, gcr) = (self.technology.gate(self.cell_width()), self.chip.device.gcr);
        let control = gate * gcr / (1.0 - gcr);
        let series = gate * control / (gate + control);
        self.narrow_drain() + series * self.bit_lines + self.technology.wire * self.word_line_length()
    }

    fn isolated(&self) -> Q {
        self.narrow_drain() * 2.0 + self.technology.wire * self.bit_line_length()
    }

    fn bit_line(&self) -> Q {
        self.isolated() + self.technology.drain(self.cell_width()) * self.word_lines
    }

    fn select_line(&self) -> Q {
        self.narrow_drain()
            + self.technology.gate(self.technology.feature) * self.bit_lines
            + self.technology.wire * self.word_line_length()
    }

    fn source_line(&self) -> Q {
        self.technology.wire * self.word_line_length() + self.narrow_drain()
    }

    fn sense(&self) -> Q {
        let t = &self.technology;
        let at = |width: f64| t.feature * width;
        let amplifier =
            t.gate(at(11.25)) + t.drain(at(3.75)) + t.drain(at(7.5)) + t.drain(at(12.5)) + t.drain(at(9.0));
        let node = t.gate(at(3.31)) + t.drain(at(2.08)) + t.drain(at(1.23)) + t.drain(at(1.31));
        (amplifier + node * 2.0) * t.supply * t.supply * self.bit_lines
    }

    fn block_decode(&self) -> Q {
        let geometry = &self.chip.geometry;
        let blocks = f64::from(geometry.block_rows) * f64::from(geometry.block_cols);
        self.technology
            .decoder(blocks, self.bit_line_length(), volt(self.chip.bias.vdd.0))
    }

    fn page_decode(&self) -> Q {
        let length = self.technology.feature * 2.0 * self.word_lines;
        self.technology
            .decoder(self.word_lines, length, volt(self.chip.bias.vdd.0))
    }

    fn word_lines_energy(&self, selected: Q, unselected: Q) -> Q {
        let pre = volt(self.chip.bias.vwl_pre.0);
        charge(self.word_line(), selected - pre)
            + charge(self.word_line(), unselected - pre) * (self.word_lines - 1.0)
    }

    fn select_lines_energy(&self, select: Q, source: Q) -> Q {
        charge(self.select_line(), select) * 2.0 + charge(self.source_line(), source)
    }

    /// Word lines, bit lines, select lines of a sensing cycle.
    fn sensing(&self, selected: Q, cells: [f64; 2]) -> [Q; 3] {
        let bias = &self.chip.bias;
        let vread = volt(bias.vread.0);
        let left = |given: Option<wordline_units::Voltage>| {
            volt(given.map_or(self.vbl_pre().value().min(0.7), |volts| volts.0))
        };
        let line = |left: Q| charge(self.bit_line(), self.vbl_pre()) - charge(self.bit_line(), left);
        [
            self.word_lines_energy(selected, vread),
            line(left(bias.bl_residual_0)) * cells[0] + line(left(bias.bl_residual_1)) * cells[1],
            self.select_lines_energy(vread, vread),
        ]
    }

    fn read(&self, kind: u8, cells: [f64; 2]) -> [Q; 10] {
        let mut energy = nothing();
        for cycle in 0..=kind {
            let selected = volt(f64::from(cycle) * self.chip.bias.vread_slow.map_or(2.4, |volts| volts.0));
            self.add_cycle(&mut energy, selected, cells);
            add(
                &mut energy,
                Component::Decode,
                self.block_decode() + self.page_decode(),
            );
            add(&mut energy, Component::Pump, self.pump());
        }
        add(&mut energy, Component::Control, self.control());
        energy
    }

    fn add_cycle(&self, energy: &mut [Q; 10], selected: Q, cells: [f64; 2]) {
        let [word_lines, bit_lines, select_lines] = self.sensing(selected, cells);
        add(energy, Component::WordLines, word_lines);
        add(energy, Component::BitLines, bit_lines);
        add(energy, Component::SelectLines, select_lines);
        add(energy, Component::Sense, self.sense());
        add(
            energy,
            Component::PrechargeReturn,
            word_lines + bit_lines + select_lines,
        );
    }

    fn back(&self, energy: &mut [Q; 10], cells: [f64; 2]) {
        for part in self.sensing(volt(0.0), cells) {
            add(energy, Component::PrechargeReturn, part);
        }
    }

    /// Charge that tunnels in a pulse, times a volt for each volt of shift.
    fn tunnelling(&self, coupling: f64, volts: Q, time: Q) -> Q {
        let field = volts * coupling / metre(self.chip.device.tunnel_oxide.0);
        let planck = Q::joule() * second(1.0) * 6.626_070_15e-34;
        let charge = Q::coulomb() * 1.602_176_634e-19;
        let mass = Q::kilogram() * 9.109_383_7e-31 * 0.42;
        let barrier = charge * volt(3.2);
        let a = charge * charge * charge / (planck * barrier * (8.0 * std::f64::consts::PI * 0.42));
        let hbar = planck / (2.0 * std::f64::consts::PI);
        let b = (mass * 2.0).sqrt() * barrier * barrier.sqrt() * 4.0 / (hbar * charge * 3.0);
        let density = a * field * field * (pure(0.0) - b / field).exp();
        density * self.technology.feature * self.cell_width() * time
    }

    fn program(&self, kind: u8, counts: &[f64]) -> [Q; 10] {
        let (bias, policy, timing) = (&self.chip.bias, &self.chip.policy, &self.chip.timing);
        let fast = (f64::from(policy.program_pulses), timing.t_prog.as_secs());
        let (pulses, time) = if kind == 0 {
            fast
        } else {
            ((fast.0 * 2.0).round(), fast.1 * 2.0)
        };
        let step = volt(bias.vstep.0) * fast.0 / pulses;
        let coupling = self.chip.calibration.field_coupling_program.unwrap_or(1.0);
        let mut energy = nothing();
        for pulse in 0..pulses as u32 {
            let volts = volt(bias.vpgm.0) + step * f64::from(pulse);
            add(
                &mut energy,
                Component::WordLines,
                self.word_lines_energy(volts, volt(bias.vpass.0)),
            );
            add(
                &mut energy,
                Component::SelectLines,
                self.select_lines_energy(volt(bias.vdd.0), volt(bias.vdd.0)),
            );
            add(&mut energy, Component::Pump, self.pump());
            self.add_cycle(&mut energy, volt(0.0), [0.0, 0.0]);
            let tunnelled = self.tunnelling(coupling, volts, second(time) / pulses);
            let inhibit = volt(bias.vbl_inhibit.map_or(bias.vdd.0, |volts| volts.0));
            for (state, count) in ProgramState::of(PageKind(kind)).zip(counts) {
                let shift = f64::from(state.shift()) * self.step_shift();
                let line = if shift > 0.0 { self.vbl_pre() } else { inhibit };
                add(
                    &mut energy,
                    Component::BitLines,
                    charge(self.isolated(), line) * *count,
                );
                add(
                    &mut energy,
                    Component::Tunnelling,
                    volt(shift) * (tunnelled * *count),
                );
            }
        }
        self.back(&mut energy, [0.0, 0.0]);
        add(
            &mut energy,
            Component::Decode,
            self.block_decode() + self.page_decode(),
        );
        add(&mut energy, Component::Control, self.control());
        energy
    }

    fn step_shift(&self) -> f64 {
        if self.chip.geometry.bits_per_cell == 1 {
            3.0
        } else {
            0.9
        }
    }

    fn built_in(&self) -> Q {
        let device = &self.chip.device;
        let temperature = Q::kelvin() * device.temperature.0;
        let boltzmann = Q::joule() * 1.380_649e-23 / Q::kelvin();
        let gap = Q::coulomb() * 1.602_176_634e-19 * volt(1.12);
        let density = |value: f64| pure(value) / (metre(0.01) * metre(0.01) * metre(0.01));
        let relative = temperature / (Q::kelvin() * 300.0);
        let exponent =
            gap / (boltzmann * 2.0) * (pure(1.0) / (Q::kelvin() * 300.0) - pure(1.0) / temperature);
        let carriers = density(1e10) * (relative * relative * relative).sqrt() * exponent.exp();
        let ratio = density(device.doping_pwell.0) * density(device.doping_nwell.0) / (carriers * carriers);
        boltzmann * temperature / (Q::coulomb() * 1.602_176_634e-19) * ratio.ln()
    }

    fn junction(&self, volts: Q) -> Q {
        let permittivity = farad() * 11.7 * 8.854_187_8e-12 / metre(1.0);
        let acceptors = pure(self.chip.device.doping_pwell.0) / (metre(0.01) * metre(0.01) * metre(0.01));
        let charge = Q::coulomb() * 1.602_176_634e-19;
        let zero = (charge * permittivity * acceptors / (self.built_in() * 2.0)).sqrt();
        let area = self.technology.feature * self.technology.feature * 4.0 * self.bit_lines * self.word_lines;
        zero / (pure(1.0) + volts / self.built_in()).sqrt() * area * volts * volts
    }

    fn erase(&self, programmed: f64) -> [Q; 10] {
        let (bias, ones) = (&self.chip.bias, [0.0, self.bit_lines]);
        let pulses = self.chip.policy.erase_pulses;
        let coupling = self
            .chip
            .calibration
            .field_coupling_erase
            .unwrap_or(self.chip.device.gcr);
        let mut energy = nothing();
        for pulse in 0..pulses {
            let volts = volt(bias.vera.unwrap_or(bias.vpgm).0) + volt(bias.vstep.0) * f64::from(pulse);
            let lines = volts - self.built_in();
            add(
                &mut energy,
                Component::SelectLines,
                self.select_lines_energy(volts * self.chip.device.beta, lines),
            );
            add(
                &mut energy,
                Component::BitLines,
                charge(self.bit_line(), lines - self.vbl_pre()) * self.bit_lines,
            );
            add(&mut energy, Component::Junction, self.junction(volts));
            let time = second(self.chip.timing.t_bers.as_secs()) / f64::from(pulses);
            let cells = programmed * self.bit_lines * self.word_lines;
            let tunnelled = self.tunnelling(coupling, volts, time) * cells;
            add(
                &mut energy,
                Component::Tunnelling,
                volt(self.step_shift()) * tunnelled,
            );
            add(&mut energy, Component::Pump, self.pump());
            self.add_cycle(&mut energy, volt(0.0), ones);
        }
        self.back(&mut energy, ones);
        add(&mut energy, Component::Decode, self.block_decode());
        add(&mut energy, Component::Control, self.control());
        energy
    }
}

fn charge(capacitance: Q, volts: Q) -> Q {
    capacitance * volts * volts * 0.5
}

fn nothing() -> [Q; 10] {
    [Q::joule() * 0.0; 10]
}

fn add(energy: &mut [Q; 10], component: Component, joules: Q) {
    energy[component as usize] = energy[component as usize] + joules;
}

fn compare(name: &str, model: wordline_power::Breakdown, second: [Q; 10]) {
    for (component, joules) in model.iter() {
        let expected = second[component as usize].in_joules();
        assert!(
            (joules - expected).abs() <= 1e-9 * expected.abs(),
            "{name}, {}: {joules:e} J, by dimensions {expected:e} J",
            component.name()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_equation_has_the_dimension_of_energy(config in any_chip(), ones in 0.0..1.0_f64, programmed in 0.0..1.0_f64) {
        let chip: Chip = chip_of(&config);
        let second = Second::new(&config);
        let ones = ones * chip.cells();
        for kind in chip.kinds() {
            let cells = [chip.cells() - ones, ones];
            compare("read", chip.read(kind, Some(ones)).unwrap(), second.read(kind.0, cells));
            let counts = chip.states_of(kind, ones);
            compare("program", chip.program(kind, Data::States(&counts)).unwrap(), second.program(kind.0, &counts));
        }
        compare("erase", chip.erase(programmed).unwrap(), second.erase(programmed));
    }
}
