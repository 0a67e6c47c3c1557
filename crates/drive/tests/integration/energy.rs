//! The energy ledger of whole drives: hand counts, sums, chips that do not fit.

use std::path::Path;

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunOptions, RunOutput, operation_energies, run as run_drive};

use crate::common::{command, drive, number, replay};
use wordline_metrics::{Summary, Value};
use wordline_power::{Chip, ChipSource, Data, Operation, PageKind};
use wordline_workload::HostOp;

fn b_mlc8() -> Chip {
    Chip::load(ChipSource::Named("b-mlc8"), &[]).unwrap()
}

/// The preset with fewer requests; `keys` are laid over it.
fn preset(keys: &[(&str, &str)]) -> Config {
    let overrides: Vec<(String, String)> = [
        ("age.method", "\"overwritten\""),
        ("age.random_factor", "0.2"),
        ("workload.requests", "4000"),
    ]
    .iter()
    .chain(keys)
    .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
    .collect();
    resolve(DriveSource::Named("flashpower-mlc8"), None, &overrides)
        .unwrap_or_else(|error| panic!("{error}"))
        .config
}

fn audited(config: &Config) -> RunOutput {
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run_drive(config, std::path::Path::new("."), options, &mut |_| true).unwrap()
}

fn sum(summary: &Summary, names: &[&str]) -> f64 {
    names
        .iter()
        .map(|name| summary.number(&format!("energy.{name}_mj")).unwrap())
        .sum()
}

const COMPONENTS: [&str; 10] = [
    "word_lines",
    "bit_lines",
    "select_lines",
    "sense",
    "decode",
    "tunnelling",
    "junction",
    "pump",
    "control",
    "precharge_return",
];

fn assert_near(found: f64, wanted: f64, what: &str) {
    assert!(
        (found - wanted).abs() <= 1e-9 * wanted.abs(),
        "{what}: {found}, not {wanted}"
    );
}

/// Four pages written, in two planes at once where the drive can, and two of them read back.
#[test]
fn writes_and_reads_by_hand() {
    let chip = b_mlc8();
    let half = chip.cells() / 2.0;
    let mut texts = Vec::new();
    for multi_plane in ["off", "wise"] {
        let mut config = preset(&[]);
        config.age = drive("[age]\nmethod = \"fresh\"").age;
        config.commands = drive(&format!("[commands]\nmulti_plane_write = \"{multi_plane}\"")).commands;
        config.geometry.channels = 1;
        config.geometry.chips_per_channel = 1;
        let sectors = 4;
        let mut commands: Vec<_> = (0..4)
            .map(|page| command(0, HostOp::Write, page * u64::from(sectors), sectors))
            .collect();
        commands.extend(
            (0..2).map(|page| command(100_000_000, HostOp::Read, page * u64::from(sectors), sectors)),
        );
        let output = replay(&config, commands);
        // the first pages of a block are fast ones
        let fast = PageKind(0);
        let program = chip.program(fast, Data::Ones(half)).unwrap().total() * 1e3;
        let read = chip.read(fast, Some(half)).unwrap().total() * 1e3;
        assert_near(
            number(&output, "energy.operation.program_mj"),
            4.0 * program,
            "programs",
        );
        assert_near(number(&output, "energy.operation.read_mj"), 2.0 * read, "reads");
        assert_near(
            number(&output, "energy.cause.host_mj"),
            4.0 * program + 2.0 * read,
            "host",
        );
        assert_eq!(number(&output, "energy.operation.erase_mj"), 0.0);
        texts.push(number(&output, "nand.commands.multi_plane_program"));
    }
    assert!(texts[0] == 0.0 && texts[1] > 0.0, "{texts:?}");
}

/// A page programmed in a mode costs what it costs a chip with the program times of that mode; the energies of all modes are
/// that of all reads and programs.
#[test]
fn each_mode_has_its_energy() {
    let slow = "[{ name = \"slow\", t_prog = [\"600 us\", \"900 us\"] }]";
    let keys = [
        ("modes", slow),
        ("ftl.modes.policy", "\"fixed\""),
        ("ftl.modes.host", "\"slow\""),
    ];
    let mut config = preset(&keys);
    config.age = drive("[age]\nmethod = \"fresh\"").age;
    let output = replay(&config, vec![command(0, HostOp::Write, 0, 4)]);
    let overrides = [("timing.t_prog".to_owned(), "\"600 us\"".to_owned())];
    let chip = Chip::load(ChipSource::Named("b-mlc8"), &overrides).unwrap();
    let program = chip.program(PageKind(0), Data::Ones(chip.cells() / 2.0)).unwrap();
    assert_near(
        number(&output, "modes.slow.energy_mj"),
        program.total() * 1e3,
        "a slow program",
    );
    let of_normal = b_mlc8()
        .program(PageKind(0), Data::Ones(chip.cells() / 2.0))
        .unwrap();
    assert!(program.total() > 1.01 * of_normal.total());

    let output = audited(&preset(&keys));
    let modes = number(&output, "modes.slow.energy_mj") + number(&output, "modes.normal.energy_mj");
    let pages = sum(&output.summary, &["operation.read", "operation.program"]);
    assert_near(modes, pages, "modes");
    assert!(
        number(&output, "modes.normal.energy_mj") > 0.0,
        "copies are in the normal mode"
    );
}

#[test]
fn every_sum_is_the_total() {
    let config = preset(&[
        ("power.controller", "\"300 mW\""),
        ("power.dram", "\"80 mW\""),
        ("power.channel_io", "\"50 mW\""),
        ("power.idle", "\"120 mW\""),
        ("workload.interarrival", "\"2 ms\""),
    ]);
    let output = audited(&config);
    let summary = &output.summary;
    let flash = number(&output, "energy.flash_mj");
    assert!(flash > 0.0);
    assert_near(sum(summary, &COMPONENTS), flash, "components");
    let kinds = ["operation.read", "operation.program", "operation.erase"];
    assert_near(sum(summary, &kinds), flash, "operations");
    let (mut causes, mut cells) = (0.0, 0.0);
    for (name, value) in summary.iter() {
        if let (Some(rest), Value::Number(value)) = (name.strip_prefix("energy.cause."), value) {
            *(if rest.contains('.') {
                &mut cells
            } else {
                &mut causes
            }) += value;
        }
    }
    assert_near(causes, flash, "causes");
    assert_near(cells, flash, "causes by component");
    let beside = ["controller", "dram", "channel_io", "idle"];
    let total = number(&output, "energy.total_mj");
    assert_near(flash + sum(summary, &beside), total, "total");
    assert!(beside.iter().all(|name| sum(summary, &[name]) > 0.0));
    let seconds = number(&output, "sim.time_s");
    assert_near(sum(summary, &["dram"]), 80.0 * seconds, "DRAM");
    let shared = sum(summary, &["controller"]) / 300.0 + sum(summary, &["idle"]) / 120.0;
    assert_near(shared, seconds, "time with and without requests");
    assert_near(number(&output, "power.mean_mw") * seconds, total, "mean power");
    // power over time holds the same energy
    let table = &output.time_series;
    let last = table.rows() - 1;
    let over_time: f64 = (0..table.rows())
        .map(|row| {
            let end = if row == last {
                (seconds * 1e9).round() as u64
            } else {
                table.start_ns[row] + table.width_ns[row]
            };
            table.power_mw[row] * (end - table.start_ns[row]) as f64 / 1e9
        })
        .sum();
    assert_near(over_time, total, "power over time");
    let most = table.power_mw.iter().copied().fold(0.0, f64::max);
    assert_near(number(&output, "power.max_window_mw"), most, "highest window");
    assert_eq!(summary.undocumented(), Vec::<&str>::new());
}

#[test]
fn sampled_ones_are_repeatable_and_average_to_a_half() {
    let keys = [("power.pattern", "\"sampled\"")];
    let (first, second) = (audited(&preset(&keys)), audited(&preset(&keys)));
    assert_eq!(first.summary.reproducible(), second.summary.reproducible());
    let half = audited(&preset(&[]));
    for kind in ["read", "program"] {
        let key = format!("energy.operation.{kind}_mj");
        let (sampled, half) = (number(&first, &key), number(&half, &key));
        // reads of this chip cost the same whatever is read; thousands of pages: the standard error of their mean share is below 0.006
        assert!(
            (sampled - half).abs() < 0.02 * half && (sampled != half || kind == "read"),
            "{key}: {sampled} {half}"
        );
    }
    let key = "ftl.pages_programmed";
    assert_eq!(number(&first, key), number(&half, key));
}

#[test]
fn without_a_chip_there_is_no_word_of_energy() {
    let mut config = preset(&[]);
    let with = audited(&config);
    config.power = Config::default().power;
    let without = audited(&config);
    let energy = |name: &str| name.starts_with("energy.") || name.starts_with("power.");
    assert!(without.summary.iter().all(|(name, _)| !energy(name)));
    assert!(without.time_series.power_mw.iter().all(|power| power.is_nan()));
    // the ledger only watches
    for (name, value) in without.summary.reproducible().iter() {
        assert_eq!(with.summary.get(name), Some(value), "{name}");
    }
}

fn refused(text: &str) -> String {
    match resolve(DriveSource::Text(text), None, &[]) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn conflicts_name_both_sides() {
    for (key, value, chip_key, drive_key, values) in [
        (
            "geometry.page_size",
            "\"4 KiB\"",
            "geometry.page_size",
            "geometry.page_size",
            ["2 KiB", "4 KiB"],
        ),
        (
            "geometry.spare_size",
            "\"128 B\"",
            "geometry.spare_size",
            "geometry.spare_size",
            ["64 B", "128 B"],
        ),
        (
            "geometry.pages_per_block",
            "256",
            "geometry.pages_per_block",
            "geometry.pages_per_block",
            ["128", "256"],
        ),
        (
            "geometry.planes_per_die",
            "4",
            "geometry.planes_per_die",
            "geometry.planes_per_die",
            ["2", "4"],
        ),
        (
            "geometry.blocks_per_plane",
            "512",
            "geometry.block_rows",
            "geometry.blocks_per_plane",
            ["2048", "512"],
        ),
        (
            "timing.t_bers",
            "\"3 ms\"",
            "timing.t_bers",
            "timing.t_bers",
            ["1500 us", "3 ms"],
        ),
        (
            "timing.t_prog",
            "[\"400 us\", \"600 us\"]",
            "timing.t_prog",
            "timing.t_prog",
            ["300 us", "400 us"],
        ),
    ] {
        let (section, name) = key.split_once('.').unwrap();
        let error = refused(&format!(
            "base = \"flashpower-mlc8\"\n[{section}]\n{name} = {value}"
        ));
        for part in [
            chip_key,
            drive_key,
            "power.chip = \"b-mlc8\"",
            "chip b-mlc8, line",
            "drive text:3",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(values.iter().all(|value| error.contains(value)), "{error}");
    }
    let error = refused(
        "base = \"flashpower-mlc8\"\n[geometry]\ncell_type = \"slc\"\npage_layout = \"grouped\"\n[timing]\nt_prog = \"300 us\"\nt_r = \"50 us\"",
    );
    assert!(
        error.contains("geometry.cell_type") && error.contains("geometry.bits_per_cell"),
        "{error}"
    );
}

#[test]
fn keys_without_effect_and_bad_values_are_refused() {
    assert!(refused("[power]\nidle = \"1 W\"").contains("only with power.chip"));
    let of = |keys: &str| refused(&format!("base = \"flashpower-mlc8\"\n[power]\n{keys}"));
    assert!(of("pattern = \"sampled\"\nones = 0.3").contains("power.ones"));
    assert!(of("ones_max = 0.3").contains("power.pattern"));
    assert!(of("ones = 1.5").contains("a share from 0 to 1"));
    assert!(of("pattern = \"sampled\"\nones_min = 0.7\nones_max = 0.7").contains("above power.ones_min"));
    assert!(of("idle = \"-1 W\"").contains("0 W"));
    assert!(of("chip = \"b-mlc9\"").contains("b-mlc8"));
    // the power of codecs: of the mapping that has them, and a power
    let words = of("codec = \"200 mW\"");
    assert!(
        words.contains("power.codec") && words.contains("only with ftl.mapping = \"delta\""),
        "{words}"
    );
    for found in ["-1 mW", "2000000 W"] {
        let words = of(&format!(
            "codec = \"{found}\"\n[ftl]\nmapping = \"delta\"\nover_provisioning = 0.3\n[ftl.gc]\nreserve_blocks = 2"
        ));
        assert!(words.contains("power.codec") && words.contains("0 W"), "{words}");
    }
}

/// A file lays the drive's own geometry over a built-in chip; what it leaves open comes from the drive.
#[test]
fn a_chip_file_beside_the_drive() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write(
        "chip.toml",
        "base = \"planar-tlc\"\n[geometry]\nblock_rows = 64\npages_per_block = 96\nword_lines_per_block = 32\ndies = 1\n",
    );
    write(
        "drive.toml",
        "[geometry]\ncell_type = \"tlc\"\npage_layout = \"staircase\"\npage_size = \"8 KiB\"\nspare_size = \"1024 B\"\n\
         blocks_per_plane = 64\npages_per_block = 96\ndies_per_chip = 1\n\
         [timing]\nt_prog = [\"600 us\", \"1600 us\", \"2000 us\"]\nt_bers = \"3 ms\"\n\
         [power]\nchip = \"chip.toml\"\n[workload]\nkind = \"random\"\nrequests = 100\nread_fraction = 0.5\n",
    );
    let path = directory.path().join("drive.toml");
    let resolved = resolve(DriveSource::Named(path.to_str().unwrap()), None, &[])
        .unwrap_or_else(|error| panic!("{error}"));
    let output = audited(&resolved.config);
    assert!(number(&output, "energy.flash_mj") > 0.0);
}

/// The codecs of the delta mapping: their power over the time that they work, which is part of the total and of power over time.
#[test]
fn codecs_take_energy_while_they_work() {
    let keys = [
        ("ftl.mapping", "\"delta\""),
        ("ftl.gc.reserve_blocks", "2"),
        ("ftl.over_provisioning", "0.3"),
        ("power.codec", "\"200 mW\""),
        ("workload.kind", "\"hot_cold\""),
        ("workload.read_fraction", "0.2"),
    ];
    let output = audited(&preset(&keys));
    let seconds = number(&output, "sim.time_s");
    let worked = number(&output, "ftl.delta.codec_utilization") * seconds;
    let codec = number(&output, "energy.codec_mj");
    assert!(codec > 0.0);
    // what was handed over and not done at the end counts too
    assert!((codec / (200.0 * worked) - 1.0).abs() < 0.01, "{codec} {worked}");
    let total = number(&output, "energy.flash_mj") + codec;
    assert_near(number(&output, "energy.total_mj"), total, "total");
    assert_eq!(output.summary.undocumented(), Vec::<&str>::new());
}

/// Cells of three bits with supply currents: what each operation takes is voltage times current times its time.
fn supplied(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 72\npage_size = \"4 KiB\"\ncell_type = \"tlc\"\n\
         [timing]\nt_r = [\"50 us\", \"60 us\", \"70 us\"]\nt_prog = \"700 us\"\nt_bers = \"4 ms\"\ntransfer_rate = \"200 MT/s\"\nt_cad = \"0 ns\"\n\
         [ftl]\nover_provisioning = 0.6\n\
         [power]\nsupply = \"2.5 V\"\ni_read = \"20 mA\"\ni_program = \"30 mA\"\ni_erase = \"40 mA\"\nchannel_io = \"100 mW\"\n{more}"
    ))
}

const PAGE_SECTORS: u32 = 8;

/// A page written takes 2.5 V x 30 mA x 700 us = 52.5 uJ, one read 2.5 V x 20 mA x 50, 60 or 70 us = 2.5, 3 or 3.5 uJ, by its type.
#[test]
fn supply_currents_by_hand() {
    let mut commands: Vec<_> = (0..6)
        .map(|page| command(0, HostOp::Write, page * 8, PAGE_SECTORS))
        .collect();
    commands.extend((0..6).map(|page| command(100_000_000, HostOp::Read, page * 8, PAGE_SECTORS)));
    let output = replay(&supplied(""), commands);
    let programs = 6.0 * 52.5e-3;
    let reads = 2.0 * (2.5e-3 + 3e-3 + 3.5e-3);
    assert_near(
        number(&output, "energy.operation.program_mj"),
        programs,
        "programs",
    );
    assert_near(number(&output, "energy.operation.read_mj"), reads, "reads");
    for key in [
        "energy.flash_mj",
        "energy.supply_mj",
        "energy.cause.host.supply_mj",
    ] {
        assert_near(number(&output, key), programs + reads, key);
    }
    assert!(output.summary.number("energy.word_lines_mj").is_none());
    // 12 pages of 4 KiB at 200 MB/s, 100 mW
    let bus = 12.0 * 20.48e-6 * 100.0;
    assert_near(number(&output, "energy.channel_io_mj"), bus, "the channel");
    assert_near(number(&output, "energy.total_mj"), programs + reads + bus, "all");
}

/// Pages in SLC mode take the times of that mode, and folding them is charged to its own cause, with the erase.
#[test]
fn supply_currents_of_an_slc_cache() {
    let more = "[[modes]]\nname = \"slc\"\nt_r = \"25 us\"\nt_prog = \"200 us\"\n[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 2\n[ftl.gc]\nidle = \"5 ms\"";
    let commands = (0..24).map(|page| command(0, HostOp::Write, page * 8, PAGE_SECTORS));
    let mut commands: Vec<_> = commands.collect();
    commands.push(command(900_000_000, HostOp::Flush, 0, 0));
    let output = replay(&supplied(more), commands);
    assert_eq!(number(&output, "ftl.slc_cache.pages_folded"), 24.0);
    // 200 us x 75 mW each; then 25 us x 50 mW and 700 us x 75 mW each, and 4 ms x 100 mW
    let host = 24.0 * 15e-3;
    let fold = 24.0 * (1.25e-3 + 52.5e-3) + 0.4;
    assert_near(number(&output, "energy.cause.host_mj"), host, "host");
    assert_near(number(&output, "energy.cause.fold_mj"), fold, "folding");
    assert_near(number(&output, "energy.flash_mj"), host + fold, "all");
}

/// What the ledger charges, told beforehand: 2.5 V x 20 mA x 50 to 70 us, x 30 mA x 700 us, x 40 mA x 4 ms.
#[test]
fn energies_of_operations_before_a_run() {
    let more = "[[modes]]\nname = \"slc\"\nt_r = \"25 us\"\nt_prog = \"200 us\"\n[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = 2\n[ftl.gc]\nidle = \"5 ms\"";
    let rows = operation_energies(&supplied(more), Path::new("")).unwrap();
    let of = |operation: Operation, mode: &str| -> Vec<f64> {
        rows.iter()
            .filter(|row| row.operation == operation && row.mode == mode)
            .map(|row| row.joules * 1e6)
            .collect()
    };
    for (operation, mode, wanted) in [
        (Operation::Read, "normal", vec![2.5, 3.0, 3.5]),
        (Operation::Read, "slc", vec![1.25; 3]),
        (Operation::Program, "normal", vec![52.5; 3]),
        (Operation::Program, "slc", vec![15.0; 3]),
        (Operation::Erase, "normal", vec![400.0]),
    ] {
        let found = of(operation, mode);
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.into_iter().zip(wanted) {
            assert_near(found, wanted, mode);
        }
    }
    let erase = rows.last().unwrap();
    assert_eq!((erase.page_type, erase.data_bits), (None, 72 * 4096 * 8));
    assert_eq!(rows[1].page_type, Some("middle"));
    let nothing = resolve(DriveSource::Named("tiny"), None, &[]).unwrap().config;
    assert_eq!(operation_energies(&nothing, Path::new("")).unwrap(), vec![]);
}

/// Of a chip: its energies with the share of ones that the ledger has, the mean share where it is drawn.
#[test]
fn energies_of_operations_of_a_chip() {
    let of = |keys: &str| {
        let text = format!("base = \"flashpower-mlc8\"\n[power]\n{keys}");
        let resolved = resolve(DriveSource::Text(&text), None, &[]).unwrap();
        operation_energies(&resolved.config, Path::new("")).unwrap()
    };
    let (half, drawn) = (
        of("ones = 0.5"),
        of("pattern = \"sampled\"\nones_min = 0.2\nones_max = 0.8"),
    );
    // the published program of half ones, 11.902 uJ
    assert_eq!(half[2].operation, Operation::Program);
    assert!((half[2].joules * 1e6 - 11.902).abs() < 0.01);
    for (half, drawn) in half.iter().zip(&drawn) {
        assert_near(half.joules, drawn.joules, "the mean of what is drawn");
    }
}

#[test]
fn supply_currents_are_refused_by_key() {
    let of = |keys: &str| refused(&format!("base = \"tiny\"\n[power]\n{keys}"));
    assert!(of("supply = \"0 V\"").contains("power.supply"));
    assert!(of("supply = \"200 V\"").contains("power.supply"));
    assert!(of("supply = \"3.3 V\"\ni_read = \"-1 mA\"").contains("power.i_read"));
    assert!(of("supply = \"3.3 V\"\ni_program = \"200 A\"").contains("power.i_program"));
    assert!(of("i_erase = \"1 mA\"").contains("only with power.supply"));
    assert!(of("supply = \"3.3 V\"\npattern = \"sampled\"").contains("only with power.chip"));
    let both = "base = \"flashpower-mlc8\"\n[power]\nsupply = \"3.3 V\"";
    assert!(refused(both).contains("power.chip"));
}
