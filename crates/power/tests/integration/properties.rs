//! What must hold of every chip: section 9 of the specification.

use crate::common::{self, any_chip, chip_of, with};
use proptest::prelude::*;
use wordline_power::{Breakdown, Chip, ChipConfig, Component, Data, PageKind};

/// Total energies of a chip: reads and programs by kind with half ones, the erase.
fn totals(chip: &Chip) -> [Vec<f64>; 3] {
    let half = chip.cells() / 2.0;
    let total = |energy: Breakdown| energy.total();
    [
        chip.kinds()
            .map(|kind| total(chip.read(kind, Some(half)).unwrap()))
            .collect(),
        chip.kinds()
            .map(|kind| total(chip.program(kind, Data::Ones(half)).unwrap()))
            .collect(),
        vec![total(chip.erase(0.5).unwrap())],
    ]
}

const READ: usize = 0;
const PROGRAM: usize = 1;
const ERASE: usize = 2;

fn rises(low: &ChipConfig, high: &ChipConfig, which: &[usize]) {
    let (low, high) = (totals(&chip_of(low)), totals(&chip_of(high)));
    for which in which {
        for (low, high) in low[*which].iter().zip(&high[*which]) {
            assert!(high > low, "operation {which}: {low:e} J to {high:e} J");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Invariants 1 and 2.
    #[test]
    fn parts_sum_and_none_is_negative(config in any_chip()) {
        let chip = chip_of(&config);
        for row in chip.energies() {
            let sum: f64 = Component::ALL.iter().map(|component| row.energy[*component]).sum();
            prop_assert!((sum - row.energy.total()).abs() <= 1e-12 * sum);
            for (component, joules) in row.energy.iter() {
                prop_assert!(joules.is_finite() && joules >= 0.0, "{} {} {}", row.state, component.name(), joules);
            }
        }
    }

    /// A pulsed operation is its start, its pulses and the way back: what a ledger charges of an interrupted one.
    #[test]
    fn pulses_sum_to_the_operation(config in any_chip(), ones in 0.0..1.0_f64) {
        let chip = chip_of(&config);
        for (kind, pulsed) in chip.kinds().zip(&chip.operations().program) {
            let counts = chip.states_of(kind, ones * chip.cells());
            let mut sum = pulsed.start.at(&counts) + pulsed.leave.at(&counts);
            for pulse in &pulsed.pulses {
                sum += pulse.energy.at(&counts);
            }
            let total = chip.program(kind, Data::States(&counts)).unwrap().total();
            prop_assert!((sum.total() / total - 1.0).abs() < 1e-12);
        }
    }

    /// Invariant 3: a read is affine in its ones and never dearer with fewer of them.
    #[test]
    fn reads_rise_with_ones(config in any_chip(), residual in 0.0..1.5_f64, lower in 0.0..1.0_f64, ones in 0.0..1.0_f64) {
        let config = with(&config, "bias.bl_residual_0", residual);
        let chip = chip_of(&with(&config, "bias.bl_residual_1", residual * lower));
        let cells = chip.cells();
        let read = |ones: f64| chip.read(PageKind(0), Some(ones * cells)).unwrap().total();
        prop_assert!(read(ones) >= read(0.0) * (1.0 - 1e-12) && read(1.0) >= read(ones) * (1.0 - 1e-12));
        let straight = read(0.0) + ones * (read(1.0) - read(0.0));
        prop_assert!((read(ones) / straight - 1.0).abs() < 1e-12);
        prop_assert_eq!(chip.read(PageKind(0), None).unwrap(), chip.read(PageKind(0), Some(cells)).unwrap());
    }

    /// Invariant 4: a program rises with its programmed cells exactly when such a cell costs more than one that is
    /// inhibited.
    #[test]
    fn programs_follow_the_dearer_cell(config in any_chip(), inhibit in 0.0..5.0_f64, ones in 0.0..1.0_f64) {
        let config = with(&config, "bias.vbl_inhibit", inhibit);
        let chip = chip_of(&with(&config, "calibration.field_coupling_program", 0.0));
        let program = |ones: f64| chip.program(PageKind(0), Data::Ones(ones * chip.cells())).unwrap().total();
        let pre = 3.0 * config.bias.vdd.0 / 5.0;
        if (pre - inhibit).abs() > 1e-3 {
            prop_assert_eq!(program(ones) > program(1.0), pre > inhibit);
        }
        let straight = program(0.0) + ones * (program(1.0) - program(0.0));
        prop_assert!((program(ones) / straight - 1.0).abs() < 1e-12);
        let tunnelling = chip_of(&with(&config, "calibration.field_coupling_program", 0.9));
        let circuit = tunnelling.circuit();
        let pulses = &tunnelling.operations().program[0].pulses;
        let step = if config.geometry.bits_per_cell == 1 { 3.0 } else { 0.9 };
        let mean = pulses.iter().map(|pulse| step * pulse.tunnelling).sum::<f64>() / pulses.len() as f64;
        let line = |volts: f64| 0.5 * circuit.isolated_bit_line * volts * volts;
        let programmed = mean + line(pre);
        if (programmed / line(inhibit) - 1.0).abs() > 1e-3 {
            let program = |ones: f64| tunnelling.program(PageKind(0), Data::Ones(ones)).unwrap().total();
            prop_assert_eq!(program(0.0) > program(tunnelling.cells()), programmed > line(inhibit));
        }
    }

    /// Invariant 5: with voltages, steps, pulses, fields and a thinner oxide.
    #[test]
    fn pulses_cost_what_they_push(config in any_chip(), more in 0.01..1.0_f64) {
        let bias = &config.bias;
        let vera = bias.vera.unwrap().0;
        rises(&config, &with(&config, "bias.vpgm", bias.vpgm.0 + more), &[PROGRAM]);
        rises(&config, &with(&config, "bias.vera", vera + more), &[ERASE]);
        let several = with(&with(&config, "policy.program_pulses", 5.0), "policy.erase_pulses", 4.0);
        rises(&several, &with(&several, "bias.vstep", bias.vstep.0 + 0.2 * more), &[PROGRAM, ERASE]);
        // the field falls with a thicker oxide, so that more pulses at a fixed time stay the dearer ones
        let more_pulses = with(&with(&several, "policy.program_pulses", 6.0), "policy.erase_pulses", 5.0);
        rises(&several, &more_pulses, &[PROGRAM, ERASE]);
        let thin = with(&config, "device.tunnel_oxide", config.device.tunnel_oxide.0 * 1e9 * (1.0 - 0.1 * more));
        let coupled = with(&config, "calibration.field_coupling_program", 0.95);
        let coupled = with(&coupled, "calibration.field_coupling_erase", 0.6);
        for changed in [thin, coupled] {
            let (before, after) = (chip_of(&config), chip_of(&changed));
            let zeros = |chip: &Chip| chip.program(PageKind(0), Data::Ones(0.0)).unwrap()[Component::Tunnelling];
            let ones = |chip: &Chip| chip.program(PageKind(0), Data::Ones(chip.cells())).unwrap();
            prop_assert!(zeros(&after) > zeros(&before));
            prop_assert_eq!(ones(&after), ones(&before));
            let tunnelled = |chip: &Chip| chip.erase(1.0).unwrap()[Component::Tunnelling];
            prop_assert!(tunnelled(&after) > tunnelled(&before));
            prop_assert_eq!(after.erase(0.0).unwrap(), before.erase(0.0).unwrap());
        }
    }

    /// Invariants 6 and 7: with the sizes.
    #[test]
    fn sizes_cost(config in any_chip()) {
        let geometry = &config.geometry;
        let all = [READ, PROGRAM, ERASE];
        let twice = |key: &str, value: f64| with(&config, key, 2.0 * value);
        rises(&config, &twice("geometry.pages_per_block", f64::from(geometry.pages_per_block)), &all);
        rises(&config, &twice("geometry.block_cols", f64::from(geometry.block_cols)), &all);
        let rows = twice("geometry.block_rows", f64::from(geometry.block_rows));
        rises(&config, &rows, &all);
        let page = with(
            &twice("geometry.page_size", geometry.page_size.bytes() as f64),
            "geometry.spare_size",
            2.0 * geometry.spare_size.bytes() as f64,
        );
        rises(&config, &page, &all);
        let (one, rows, page) = (*chip_of(&config).circuit(), *chip_of(&rows).circuit(), *chip_of(&page).circuit());
        prop_assert_eq!(rows.wire * rows.bit_line_length, 2.0 * one.wire * one.bit_line_length);
        prop_assert_eq!(rows.word_line, one.word_line);
        prop_assert_eq!(page.bit_lines, 2.0 * one.bit_lines);
        prop_assert_eq!(page.bit_line, one.bit_line);
        prop_assert!(one.cell_gate < one.cell_gate / config.device.gcr);
    }

    /// Invariant 6: with the supply, bit-line voltages at their defaults.
    #[test]
    fn supply_costs(config in any_chip(), more in 0.01..0.3_f64) {
        let mut low = config;
        low.bias.vbl_inhibit = None;
        low.bias.vdd = wordline_units::Voltage(low.bias.vdd.0.min(4.0));
        low.bias.vera = Some(wordline_units::Voltage(18.0));
        let high = with(&low, "bias.vdd", low.bias.vdd.0 + more);
        rises(&low, &high, &[READ, PROGRAM]);
        rises(&high, &low, &[ERASE]);
    }

    /// Invariant 8: planes and dies.
    #[test]
    fn planes_multiply(config in any_chip(), planes in 1_u32..8, dies in 1_u32..8) {
        let chip = chip_of(&config);
        let many = with(&with(&config, "geometry.planes_per_die", f64::from(planes)), "geometry.dies", f64::from(dies));
        let many = chip_of(&many);
        prop_assert_eq!(many.energies(), chip.energies());
        let read = many.read(PageKind(0), None).unwrap();
        prop_assert_eq!(many.in_planes(read, planes).unwrap(), read * f64::from(planes));
        prop_assert!(many.in_planes(read, planes + 1).is_err());
    }

    /// Invariant 9: each kind of page takes one cycle more.
    #[test]
    fn later_kinds_cost_more(config in any_chip(), ones in 0.0..1.0_f64) {
        let chip = chip_of(&config);
        let reads: Vec<f64> = chip
            .kinds()
            .map(|kind| chip.read(kind, Some(ones * chip.cells())).unwrap().total())
            .collect();
        for pair in reads.windows(2) {
            prop_assert!(pair[1] >= pair[0]);
        }
        if let [fast, slow, ..] = reads[..] {
            let cycle = fast - config.calibration.control.0;
            prop_assert!(slow >= fast + cycle * (1.0 - 1e-12));
        }
    }

    /// Invariant 12: the optimised operations never cost more.
    #[test]
    fn optimising_never_costs(config in any_chip(), ones in 0.0..=1.0_f64) {
        let mut config = config;
        config.bias.vera = Some(wordline_units::Voltage(config.bias.vera.unwrap().0.max(4.0 * config.bias.vdd.0)));
        let plain = chip_of(&config);
        config.policy.optimize_write = true;
        config.policy.optimize_erase = true;
        let optimised = chip_of(&config);
        for share in [ones, 0.0, 1.0] {
            let erase = |chip: &Chip| chip.erase(1.0 - share).unwrap().total();
            prop_assert!(erase(&optimised) <= erase(&plain));
            for kind in plain.kinds() {
                let program = |chip: &Chip| chip.program(kind, Data::Ones(share * chip.cells())).unwrap().total();
                prop_assert!(program(&optimised) <= program(&plain));
            }
        }
    }

    /// Invariant 15: capacitive energy goes with the square of the voltages.
    #[test]
    fn capacitive_energy_is_quadratic(config in any_chip(), scale in 0.6..0.95_f64) {
        let bias = &config.bias;
        let mut small = config.clone();
        for (key, volts) in [
            ("bias.vdd", bias.vdd.0),
            ("bias.vread", bias.vread.0),
            ("bias.vpgm", bias.vpgm.0),
            ("bias.vpass", bias.vpass.0),
            ("bias.vstep", bias.vstep.0),
            ("bias.vbl_inhibit", bias.vbl_inhibit.unwrap().0),
            ("bias.bl_residual_0", 0.7),
            ("bias.bl_residual_1", 0.7),
        ] {
            small = with(&small, key, volts * scale);
        }
        if config.geometry.bits_per_cell > 1 {
            small = with(&small, "bias.vread_slow", 2.4 * scale);
        }
        let capacitive = |chip: &Chip| -> Vec<f64> {
            chip.energies()
                .iter()
                .filter(|row| row.operation != wordline_power::Operation::Erase)
                .flat_map(|row| {
                    [Component::WordLines, Component::BitLines, Component::SelectLines, Component::Decode, Component::PrechargeReturn]
                        .map(|component| row.energy[component])
                })
                .collect()
        };
        for (large, small) in capacitive(&chip_of(&config)).into_iter().zip(capacitive(&chip_of(&small))) {
            prop_assert!((small - large * scale * scale).abs() <= 1e-9 * large);
        }
    }

    /// Energies with random counts of cells are affine in them, and no counts panic.
    #[test]
    fn counts_are_checked(counts in prop::collection::vec(-1.0..20_000.0_f64, 0..6)) {
        let chip = common::chip("b-mlc8", &[]);
        for kind in [PageKind(0), PageKind(1), PageKind(7)] {
            let fits = kind.index() < 2 && counts.len() == kind.states() && counts.iter().sum::<f64>() == chip.cells();
            prop_assert_eq!(chip.program(kind, Data::States(&counts)).is_ok(), fits);
        }
    }
}

/// Qualitative claims 3 and 6 of section 7.3.
#[test]
fn claims_of_the_case_studies() {
    let plain = common::chip("mohan-x1", &[]);
    let erase = |chip: &Chip, programmed| chip.erase(programmed).unwrap().total();
    assert!(erase(&plain, 1.0) / erase(&plain, 0.0) - 1.0 < 1e-3);
    let optimised = common::chip("mohan-x1", &[("policy.optimize_erase", "true")]);
    assert!(erase(&optimised, 1.0) > 10.0 * erase(&optimised, 0.0));
    let state = |chip: &Chip, name: &str| {
        let rows = chip.energies();
        rows.iter().find(|row| row.state == name).unwrap().energy.total()
    };
    assert!(state(&plain, "slow 00") > 1.2 * state(&plain, "fast 0"));
    assert!(state(&plain, "slow 01") > 1.2 * state(&plain, "slow 00"));
}

#[test]
fn all_inhibited_programs_are_skipped() {
    let chip = common::chip("mohan-x1", &[("policy.optimize_write", "true")]);
    let cells = chip.cells();
    let program = |states: &[f64]| chip.program(PageKind(1), Data::States(states)).unwrap().total();
    assert!(program(&[0.0, 0.0, 0.0, cells]) < 0.1 * program(&[0.0, 0.0, 1.0, cells - 1.0]));
}

#[test]
fn states_grow_out_of_the_states_before() {
    let chip = common::chip("mohan-x1", &[]);
    let quarter = chip.cells() / 4.0;
    let (before, states) = ([quarter, 3.0 * quarter], [0.0, quarter, quarter, 2.0 * quarter]);
    let after = |before: &[f64]| {
        chip.program(
            PageKind(1),
            Data::After {
                before,
                states: &states,
            },
        )
    };
    assert_eq!(
        after(&before).unwrap(),
        chip.program(PageKind(1), Data::States(&states)).unwrap()
    );
    let error = after(&[3.0 * quarter, quarter]).unwrap_err().to_string();
    assert!(error.contains("grow out of"), "{error}");
}

/// Overrides of single states: fewer pulses, a smaller shift.
#[test]
fn single_states_can_be_overridden() {
    let plain = common::chip("mohan-x1", &[]);
    let mine = common::chip(
        "mohan-x1",
        &[
            ("policy.state_pulses.\"slow 10\"", "9"),
            ("policy.state_shift.\"slow 01\"", "0.9 V"),
        ],
    );
    let tunnelling = |chip: &Chip, name: &str| {
        let rows = chip.energies();
        rows.iter().find(|row| row.state == name).unwrap().energy[Component::Tunnelling]
    };
    assert!(tunnelling(&mine, "slow 10") < 0.5 * tunnelling(&plain, "slow 10"));
    assert!((tunnelling(&mine, "slow 01") / tunnelling(&plain, "slow 01") - 0.5).abs() < 1e-12);
    assert_eq!(tunnelling(&mine, "slow 00"), tunnelling(&plain, "slow 00"));
}

/// A read with listed voltages takes as many cycles as there are voltages.
#[test]
fn listed_voltages_are_cycles() {
    let chip = common::chip("planar-tlc", &[]);
    let pumps: Vec<f64> = chip
        .kinds()
        .map(|kind| (chip.read(kind, None).unwrap()[Component::Pump] / 0.15e-6).round())
        .collect();
    assert_eq!(pumps, [1.0, 2.0, 4.0]);
    assert_eq!(chip.map().kind(4).unwrap(), PageKind(1));
}

/// A pump that scales with the square of its voltage.
#[test]
fn pumps_can_scale() {
    let chip = common::chip(
        "mohan-x1",
        &[
            ("calibration.pump_reference", "17.2 V"),
            ("calibration.pump_read", "0.1 uJ"),
        ],
    );
    let pulses = &chip.operations().program[0].pulses;
    let pump = |pulse: usize| pulses[pulse].energy.fixed[Component::Pump];
    assert!((pump(0) - 0.15e-6).abs() < 1e-18);
    assert!((pump(8) / pump(0) - (19.6_f64 / 17.2).powi(2)).abs() < 1e-12);
    let read = chip.read(PageKind(0), None).unwrap()[Component::Pump];
    assert!((read - 0.1e-6 * (4.5_f64 / 17.2).powi(2)).abs() < 1e-18);
}

/// The letter of the source: a verify senses the data of the page, in every pulse there and back, and on leaving.
#[test]
fn verifies_can_read_the_data() {
    let condition = [("bias.bl_residual_1", "0 V"), ("bias.bl_residual_0", "1.8 V")];
    let plain = common::chip("mohan-x1", &condition);
    let literal = [condition[0], condition[1], ("policy.verify_bitlines", "as_read")];
    let literal = common::chip("mohan-x1", &literal);
    let line = 0.5 * plain.circuit().bit_line * 1.8 * 1.8;
    for (kind, pulses) in [(PageKind(0), 9.0), (PageKind(1), 18.0)] {
        let ones = 0.25 * plain.cells();
        let program = |chip: &Chip| chip.program(kind, Data::Ones(ones)).unwrap().total();
        // ones of the data, not inhibited cells: in a slow page 01 holds a one and is programmed
        let expected = (2.0 * pulses + 1.0) * ones * line;
        assert!(((program(&literal) - program(&plain)) / expected - 1.0).abs() < 1e-9);
    }
}

/// A current given directly: volts of shift, times current, times time.
#[test]
fn currents_can_be_given() {
    let mut config = common::chip("b-slc4", &[]).config().clone();
    config.calibration.field_coupling_program = None;
    config.calibration.field_coupling_erase = None;
    let config = with(&config, "calibration.tunnel_current_program", 1e-9);
    let chip = chip_of(&with(&config, "calibration.tunnel_current_erase", 2e-9));
    let program = chip.program(PageKind(0), Data::Ones(0.0)).unwrap()[Component::Tunnelling];
    assert!((program / (chip.cells() * 3.0 * 1e-9 * 300e-6) - 1.0).abs() < 1e-12);
    let erase = chip.erase(1.0).unwrap()[Component::Tunnelling];
    assert!((erase / (chip.cells() * 64.0 * 3.0 * 2e-9 * 1.5e-3) - 1.0).abs() < 1e-12);
}

/// A1: with half as many word lines the read of X1 comes out 25 % and its erase 49 % below the published ones.
#[test]
fn word_lines_can_be_counted_apart() {
    let plain = common::chip("mohan-x1", &[]);
    let half = common::chip("mohan-x1", &[("geometry.word_lines_per_block", "64")]);
    let read = half.read(PageKind(0), Some(0.0)).unwrap().total();
    let erase = half.erase(1.0).unwrap().total();
    assert_eq!((100.0 * read / 1.085e-6 - 100.0).round(), -25.0);
    assert_eq!((100.0 * erase / 117.602e-6 - 100.0).round(), -49.0);
    assert_eq!(half.map(), plain.map());
}
