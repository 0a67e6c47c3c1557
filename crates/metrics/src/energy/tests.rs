use proptest::prelude::*;
use wordline_ftl::Lpn;
use wordline_nand::{CellType, DieId, GeometryConfig, PageLayout};
use wordline_power::{ChipSource, Data, PageKind};
use wordline_units::{ByteSize, Seed, SimTime};

use super::*;

fn chip(overrides: &[(&str, &str)]) -> Chip {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Chip::load(ChipSource::Named("b-mlc8"), &overrides).unwrap()
}

/// A chip whose reads depend on what is read: a 1 discharges its bit line, a 0 does not.
fn sensitive() -> Chip {
    chip(&[("bias.bl_residual_0", "1.8 V"), ("bias.bl_residual_1", "0 V")])
}

fn drive() -> (Geometry, PageTypes) {
    let config = GeometryConfig {
        channels: 1,
        chips_per_channel: 1,
        dies_per_chip: 1,
        planes_per_die: 2,
        blocks_per_plane: 8,
        pages_per_block: 128,
        page_size: ByteSize(2048),
        spare_size: ByteSize(64),
        cell_type: CellType::Mlc,
        page_layout: PageLayout::Grouped,
        ..GeometryConfig::default()
    };
    let geometry = Geometry::new(&config).unwrap();
    (geometry, PageTypes::new(&config, &geometry).unwrap())
}

fn ledger(chip: &Chip, pattern: BitPattern) -> EnergyLedger {
    let (geometry, page_types) = drive();
    EnergyLedger::new(
        std::slice::from_ref(chip),
        pattern,
        geometry,
        page_types,
        SteadyPower::default(),
    )
    .unwrap()
}

fn sampled(low: f64, high: f64) -> BitPattern {
    BitPattern::Sampled {
        low,
        high,
        seed: Seed(3),
        pages: 1000,
    }
}

/// A page of block 1; even pages are fast, odd ones slow.
fn on_page(cause: Cause, page: u32) -> Constituent {
    let (geometry, _) = drive();
    let block = BlockId(1);
    Constituent {
        cause,
        page: geometry.page(block, page),
        block,
        die: DieId(0),
        source: None,
        lpn: Lpn(u64::from(page)),
        skipped: 0,
        brings_data: false,
        mode: wordline_nand::Mode::NORMAL,
        read_mode: wordline_nand::Mode::NORMAL,
    }
}

fn near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-12 * wanted.abs()
}

#[test]
fn a_few_operations_by_hand() {
    let chip = chip(&[]);
    let mut ledger = ledger(&chip, BitPattern::Fixed(0.25));
    let ones = 0.25 * chip.cells();
    let (fast, slow) = (PageKind(0), PageKind(1));
    let read = |kind| chip.read(kind, Some(ones)).unwrap().total();
    let program = |kind| chip.program(kind, Data::Ones(ones)).unwrap().total();
    let erase = chip.erase(1.0 - 0.0625).unwrap().total();
    let copy = Constituent {
        source: Some(on_page(Cause::Gc, 4).page),
        ..on_page(Cause::Gc, 7)
    };
    let charged = [
        (CommandKind::Read, on_page(Cause::Host, 2), read(fast)),
        (CommandKind::Read, on_page(Cause::Host, 3), read(slow)),
        (CommandKind::Program, on_page(Cause::Host, 5), program(slow)),
        (CommandKind::CopyBack, copy, read(fast) + program(slow)),
        (CommandKind::Erase, on_page(Cause::Gc, 0), erase),
    ];
    for (kind, constituent, wanted) in &charged {
        assert!(near(ledger.operation(*kind, constituent), *wanted), "{kind:?}");
    }
    let host = read(fast) + read(slow) + program(slow);
    let gc = read(fast) + program(slow) + erase;
    assert!(near(ledger.of_cause(Cause::Host).total(), host));
    assert!(near(ledger.of_cause(Cause::Gc).total(), gc));
    assert!(near(ledger.flash().total(), host + gc));
    assert!(near(ledger.of_operation(Operation::Erase).total(), erase));
    assert!(near(
        ledger.of_operation(Operation::Program).total(),
        2.0 * program(slow)
    ));
    assert_eq!(ledger.of_cause(Cause::Wear).total(), 0.0);
}

/// A copy out of a mode into the normal one: read as in the mode, programmed as in the normal one.
#[test]
fn a_copy_between_modes() {
    let chips = [chip(&[]), sensitive()];
    let (geometry, page_types) = drive();
    let pattern = BitPattern::Fixed(0.25);
    let steady = SteadyPower::default();
    let mut ledger = EnergyLedger::new(&chips, pattern, geometry, page_types, steady).unwrap();
    let copy = Constituent {
        source: Some(on_page(Cause::Fold, 4).page),
        read_mode: Mode(1),
        ..on_page(Cause::Fold, 7)
    };
    let ones = 0.25 * chips[0].cells();
    let read = chips[1].read(PageKind(0), Some(ones)).unwrap().total();
    let program = chips[0].program(PageKind(1), Data::Ones(ones)).unwrap().total();
    let found = ledger.operation(CommandKind::CopyBack, &copy);
    assert!(near(found, read + program), "{found}");
    let same = ledger.operation(
        CommandKind::CopyBack,
        &Constituent {
            read_mode: Mode::NORMAL,
            ..copy
        },
    );
    assert!(!near(same, found));
}

/// A read of the host and an erase of collection in 4 ms, in which 2,000 bytes were read and the controller takes 1 W: the
/// summary says the same in mJ, nJ and mW.
#[test]
fn the_summary_of_two_operations_by_hand() {
    let chip = chip(&[]);
    let (geometry, page_types) = drive();
    let steady = SteadyPower {
        controller: 1.0,
        ..SteadyPower::default()
    };
    let mut ledger = EnergyLedger::new(
        std::slice::from_ref(&chip),
        BitPattern::Fixed(0.5),
        geometry,
        page_types,
        steady,
    )
    .unwrap();
    let read = ledger.operation(CommandKind::Read, &on_page(Cause::Host, 2));
    let erase = ledger.operation(CommandKind::Erase, &on_page(Cause::Gc, 0));
    let mut series = Series::new(Some(Duration::from_ms(4)));
    series.admitted(SimTime(0));
    series.left(SimTime(4_000_000));
    series.finish(SimTime(4_000_000));
    let mut summary = Summary::new();
    let elapsed = Duration::from_ms(4);
    ledger.summarize(&mut summary, &series, &Ledger::new(&geometry), elapsed, 2_000);
    let controller = 0.004;
    let total = read + erase + controller;
    for (key, wanted) in [
        ("energy.total_mj", total * 1e3),
        ("energy.flash_mj", (read + erase) * 1e3),
        ("energy.controller_mj", 4.0),
        ("energy.operation.read_mj", read * 1e3),
        ("energy.operation.erase_mj", erase * 1e3),
        ("energy.cause.host_mj", read * 1e3),
        ("energy.per_host_byte_nj", total * 1e9 / 2_000.0),
        ("power.mean_mw", total * 1e3 / 0.004),
        ("power.max_window_mw", 1_000.0),
    ] {
        let found = summary.number(key).unwrap();
        assert!(near(found, wanted), "{key}: {found} {wanted}");
    }
    // what took nothing is not told by its parts
    let keys = summary.iter().map(|(key, _)| key);
    assert_eq!(
        keys.filter(|key| key.starts_with("energy.cause.wear.")).count(),
        0
    );
    // the parts of a cause, of a kind and of all
    let of = |prefix: &str| -> f64 {
        Component::ALL
            .iter()
            .filter_map(|part| summary.number(&format!("{prefix}.{}_mj", part.name())))
            .sum()
    };
    for (prefix, joules) in [
        ("energy", read + erase),
        ("energy.cause.host", read),
        ("energy.cause.gc", erase),
    ] {
        let found = of(prefix);
        assert!(
            (found / joules / 1e3 - 1.0).abs() < 1e-9,
            "{prefix}: {found} {joules}"
        );
    }
}

/// A program in which every cell is inhibited skips its pulses where the chip can.
#[test]
fn the_chips_optimisations_count() {
    let plain = chip(&[]);
    let optimised = chip(&[
        ("policy.optimize_write", "true"),
        ("policy.optimize_erase", "true"),
    ]);
    for kind in [CommandKind::Program, CommandKind::Erase] {
        let cost = |chip| ledger(chip, BitPattern::Fixed(1.0)).operation(kind, &on_page(Cause::Host, 2));
        assert!(cost(&optimised) < 0.2 * cost(&plain), "{kind:?}");
    }
}

#[test]
fn a_page_keeps_its_ones_until_the_host_writes_it() {
    let chip = sensitive();
    let mut ledger = ledger(&chip, sampled(0.0, 1.0));
    let read = |ledger: &mut EnergyLedger| ledger.operation(CommandKind::Read, &on_page(Cause::Host, 2));
    ledger.operation(CommandKind::Program, &on_page(Cause::Host, 2));
    let before = read(&mut ledger);
    ledger.operation(CommandKind::Program, &on_page(Cause::Gc, 2));
    assert_eq!(read(&mut ledger), before);
    ledger.operation(CommandKind::Program, &on_page(Cause::Host, 2));
    assert_ne!(read(&mut ledger), before);
}

#[test]
fn refuses_a_share_that_is_none() {
    let (geometry, page_types) = drive();
    let pattern = BitPattern::Fixed(1.5);
    assert!(
        EnergyLedger::new(
            &[chip(&[])],
            pattern,
            geometry,
            page_types,
            SteadyPower::default()
        )
        .is_err()
    );
}

/// Uniform draws of the share of ones cost what half ones cost: energies are affine in them.
#[test]
fn samples_average_to_half_ones() {
    let chip = sensitive();
    let (mut half, mut drawn) = (
        ledger(&chip, BitPattern::Fixed(0.5)),
        ledger(&chip, sampled(0.0, 1.0)),
    );
    for _ in 0..200 {
        for page in 0..100 {
            for kind in [CommandKind::Program, CommandKind::Read] {
                half.operation(kind, &on_page(Cause::Host, page));
                drawn.operation(kind, &on_page(Cause::Host, page));
            }
        }
    }
    for operation in [Operation::Read, Operation::Program] {
        let (half, drawn) = (
            half.of_operation(operation).total(),
            drawn.of_operation(operation).total(),
        );
        // 20,000 draws: the mean share is within 0.01 of a half by five standard errors
        assert!((half - drawn).abs() < 0.02 * half, "{half} {drawn}");
        assert_ne!(half, drawn);
    }
}

/// Steady power by hand: 4 ms, of which a request is in the drive for 1 ms; a channel is busy for 2 ms.
#[test]
fn power_over_time_by_hand() {
    const MS: u64 = 1_000_000;
    let steady = SteadyPower {
        controller: 1.0,
        dram: 0.1,
        channel_io: 0.5,
        idle: 0.2,
        codec: 0.5,
        ..SteadyPower::default()
    };
    let mut series = Series::new(Some(Duration::from_ms(1)));
    for _ in 0..3 {
        series.admitted(SimTime(MS / 2));
    }
    series.bus(SimTime(MS), Duration::from_ms(2));
    for _ in 0..3 {
        series.left(SimTime(MS + MS / 2));
    }
    series.energy(SimTime(2 * MS), Cause::Gc, 0.004);
    series.codec(SimTime(3 * MS), Duration(MS / 5));
    series.finish(SimTime(3 * MS + MS / 2));
    assert_eq!(series.active(), Duration::from_ms(1));
    let table = series.columns(Some(&steady));
    for (found, wanted) in table.power_mw.iter().zip([
        100.0 + 600.0,
        100.0 + 600.0 + 1000.0,
        100.0 + 200.0 + 4000.0,
        // a fifth of a millisecond of the codec in half of one
        300.0 + 200.0,
    ]) {
        assert!(near(*found, wanted), "{:?}", table.power_mw);
    }
    assert!(near(table.power_flash_gc_mw[2], 4000.0));
    assert!(near(series.most_power(&steady).unwrap(), 4.3));
    assert!(series.columns(None).power_mw.iter().all(|power| power.is_nan()));
}

proptest! {
    /// By component, by cause and by operation the energy is the same, and in every order of the charges.
    #[test]
    fn every_sum_is_the_total(
        draws in prop::bool::ANY,
        charges in prop::collection::vec((0_usize..4, 0_usize..12, 0_u32..128), 1..100),
    ) {
        let chip = chip(&[]);
        let pattern = if draws { sampled(0.2, 0.9) } else { BitPattern::Fixed(0.5) };
        let mut forward = ledger(&chip, pattern.clone());
        let mut one_by_one = 0.0;
        for (kind, cause, page) in &charges {
            one_by_one += forward.operation(CommandKind::ALL[*kind], &on_page(Cause::ALL[*cause], *page));
        }
        let total = forward.flash().total();
        let close = |other: f64| (other - total).abs() <= 1e-12 * total;
        prop_assert!(close(one_by_one));
        prop_assert!(close(forward.flash().iter().map(|(_, joules)| joules).sum()));
        prop_assert!(close(Cause::ALL.iter().map(|cause| forward.of_cause(*cause).total()).sum()));
        prop_assert!(close(Operation::ALL.iter().map(|kind| forward.of_operation(*kind).total()).sum()));
        prop_assert!(forward.flash().iter().all(|(_, joules)| joules >= 0.0));
        if !draws {
            let mut backward = ledger(&chip, pattern);
            for (kind, cause, page) in charges.iter().rev() {
                backward.operation(CommandKind::ALL[*kind], &on_page(Cause::ALL[*cause], *page));
            }
            prop_assert_eq!(forward.flash(), backward.flash());
        }
    }
}
