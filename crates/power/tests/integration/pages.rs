//! Pages with a share of ones, and the program of all pages of a word line in one sequence.

use proptest::prelude::*;
use wordline_power::{Chip, Component, Data, FULL_SEQUENCE, Operation, PageEnergy, PageKind};

use crate::common::{any_chip, chip, chip_of, try_chip};

fn row<'a>(rows: &'a [PageEnergy], operation: Operation, page: &str) -> &'a PageEnergy {
    let is = |row: &&PageEnergy| row.operation == operation && row.page == page;
    rows.iter().find(is).unwrap()
}

fn close(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() < 1e-9
}

/// X1 of the source: the full sequence has the pulses of a fast page by default, so that a cell tunnels the energy of one that goes to
/// fast 0 for every step of 0.9 V; half ones put a quarter of the cells at 0, 1, 2 and 3 steps, 1.5 in the mean.
#[test]
fn a_full_sequence_of_two_bits_by_hand() {
    let chip = chip("mohan-x1", &[]);
    let rows = chip.pages(0.5).unwrap();
    let full = row(&rows, Operation::Program, FULL_SEQUENCE);
    let fast = chip.program(PageKind(0), Data::Ones(0.0)).unwrap();
    assert!(close(
        full.energy[Component::Tunnelling],
        1.5 * fast[Component::Tunnelling]
    ));
    // nine pulses of 300 us / 9, two pages of 2 KiB
    assert!(close(full.time, 300e-6));
    assert_eq!(full.data_bits, 2.0 * 2048.0 * 8.0);
    assert!(close(full.energy[Component::Pump], 9.0 * 0.15e-6));
    // a quarter of the bit lines is inhibited in every pulse, the others are programmed
    let lines = 16_896.0 * 0.5 * 11.4725e-12 * (0.25 * 2.736 * 2.736 + 0.75 * 1.8 * 1.8) * 9.0;
    assert!((full.energy[Component::BitLines] / lines - 1.0).abs() < 1e-4);
    // page by page the slow page has twice the pulses, and the sum is dearer
    let apart: f64 = ["fast", "slow"]
        .map(|page| row(&rows, Operation::Program, page).energy.total())
        .iter()
        .sum();
    assert!(full.energy.total() < apart);
}

/// Rows of half ones are those of the operations, and the erased block is programmed but for cells whose pages all hold a 1.
#[test]
fn half_ones_are_the_energies_of_the_operations() {
    let chip = chip("b-mlc8", &[]);
    let rows = chip.pages(0.5).unwrap();
    let half = chip.cells() / 2.0;
    for (kind, name) in [(PageKind(0), "fast"), (PageKind(1), "slow")] {
        let program = chip.program(kind, Data::Ones(half)).unwrap().total();
        assert!(close(
            row(&rows, Operation::Program, name).energy.total(),
            program
        ));
        let read = chip.read(kind, Some(half)).unwrap().total();
        assert!(close(row(&rows, Operation::Read, name).energy.total(), read));
    }
    let erase = row(&rows, Operation::Erase, "block");
    assert!(close(erase.energy.total(), chip.erase(0.75).unwrap().total()));
    assert_eq!(erase.data_bits, 128.0 * 2048.0 * 8.0);
    // the published program of half ones, on which the chip is calibrated
    let published = row(&rows, Operation::Program, "fast").energy.total() * 1e6;
    assert!((published - 11.902).abs() < 0.01, "{published}");
}

/// Three and four bits: seven and fifteen steps from the erased state to the highest.
#[test]
fn pulses_reach_the_highest_state() {
    for (bits, pulses) in [("3", 10), ("4", 20)] {
        let more = [
            ("geometry.bits_per_cell", bits),
            ("geometry.pages_per_block", "264"),
            ("geometry.word_lines_per_block", "66"),
            ("bias.vread_selected", if bits == "3" { THREE } else { FOUR }),
        ];
        let chip = chip("planar-tlc", &more);
        let full = chip.operations().full.as_ref().unwrap();
        assert_eq!(full.pulses.len(), pulses, "{bits} bits");
        let given = [&more[..], &[("policy.program_pulses_full", "25")]].concat();
        let given = self::chip("planar-tlc", &given);
        assert_eq!(given.operations().full.as_ref().unwrap().pulses.len(), 25);
    }
    const THREE: &str = "[[\"2.4 V\"], [\"0.8 V\", \"4 V\"], [\"0 V\"]]";
    const FOUR: &str = "[[\"2.4 V\"], [\"0.8 V\", \"4 V\"], [\"0 V\"], [\"1 V\"]]";
}

#[test]
fn what_is_refused_and_what_is_left_out() {
    let sequence = |keys: &[(&str, &str)]| try_chip("b-mlc8", keys).unwrap_err().to_string();
    assert!(sequence(&[("policy.program_pulses_full", "0")]).contains("1 to 1000"));
    assert!(sequence(&[("timing.t_prog_full", "0 us")]).contains("above 0"));
    assert!(sequence(&[("policy.program_pulses_full", "900")]).contains("policy.program_pulses_full"));
    for (key, value) in [
        ("policy.program_pulses_full", "9"),
        ("timing.t_prog_full", "1 ms"),
    ] {
        let said = try_chip("b-slc4", &[(key, value)]).unwrap_err().to_string();
        assert!(said.contains(key) && said.contains("leave the key out"), "{said}");
    }
    // one bit is no sequence
    assert!(chip("b-slc4", &[]).operations().full.is_none());
    // a step so small that the default would have more pulses than are accepted: said, not refused
    let fine = chip("b-mlc8", &[("bias.vstep", "0.001 V")]);
    assert!(fine.operations().full.is_none());
    assert!(
        fine.advisories()
            .iter()
            .any(|text| text.contains("program_pulses_full"))
    );
    assert!(chip("b-mlc8", &[]).pages(1.5).is_err() && chip("b-mlc8", &[]).pages(f64::NAN).is_err());
}

fn programs(chip: &Chip, ones: f64) -> Vec<PageEnergy> {
    let mut rows = chip.pages(ones).unwrap();
    rows.retain(|row| row.operation == Operation::Program);
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Energies are finite, above zero and of the data of their pages; ones in all pages leave no cell to tunnel.
    #[test]
    fn pages_of_every_chip(config in any_chip(), ones in 0.0..=1.0_f64) {
        let chip = chip_of(&config);
        for row in chip.pages(ones).unwrap() {
            prop_assert!(row.energy.total().is_finite() && row.energy.total() > 0.0, "{row:?}");
            prop_assert!(row.time > 0.0 && row.data_bits >= 8.0);
        }
        for row in programs(&chip, 1.0) {
            prop_assert_eq!(row.energy[Component::Tunnelling], 0.0);
        }
        for row in programs(&chip, 0.0).iter().take(1) {
            prop_assert!(row.energy[Component::Tunnelling] > 0.0);
        }
    }

    /// What tunnels in a full sequence is proportional to the mean number of steps that its states are above the erased one.
    #[test]
    fn tunnelling_of_a_full_sequence_follows_the_mean_shift(config in any_chip()) {
        let chip = chip_of(&config);
        let Some(full) = &chip.operations().full else { return Ok(()) };
        let states = full.total.per_cell.len() as f64;
        let step: f64 = full.pulses.iter().map(|pulse| pulse.tunnelling).sum::<f64>() * 0.9;
        let wanted = chip.cells() * 0.5 * (states - 1.0) * step;
        let rows = programs(&chip, 0.5);
        let found = row(&rows, Operation::Program, FULL_SEQUENCE).energy[Component::Tunnelling];
        prop_assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    }
}
