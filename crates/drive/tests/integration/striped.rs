//! Superblocks over several planes on a drive with a clock: programs go out at full width, also on an aged drive, and saturated random writes come close
//! to what the planes can do.

use std::path::Path;

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunOptions, RunOutput, run as run_drive};
use wordline_nand::{Mode, PageTypes, Select, Timing};
use wordline_units::Duration;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, number, run};

/// Two channels of two dies of two planes of 48 blocks of 32 pages.
fn aged(span: &str, more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 48\n\
         pages_per_block = 32\n[commands]\nmulti_plane_write = \"wise\"\nmulti_plane_read = true\nmulti_plane_erase = true\n\
         [ftl]\nmapping = \"striped\"\nspan = \"{span}\"\nover_provisioning = 0.28\n[age]\nmethod = \"steady_state\"\n{more}"
    ))
}

/// Random writes of `pages` pages each, 32 at once.
fn write_at_random(config: &Config, requests: u64, pages: u32) -> RunOutput {
    let commands: Vec<HostCommand> = (0..requests)
        .map(|number| {
            let start = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
            command(0, HostOp::Write, start % 2_000 * u64::from(pages) * 4, pages * 4)
        })
        .collect();
    run(config, commands, Admission::ClosedLoop { depth: 32 })
}

/// All pages but few are programmed with one of the other plane of their die, those of collection included.
#[test]
fn programs_go_out_at_full_width_on_an_aged_drive() {
    for (span, most_alone) in [("CP", 0.10), ("PC", 0.10), ("CWP", 0.10)] {
        let output = write_at_random(&aged(span, ""), 6_000, 4);
        let pages = number(&output, "ftl.pages_programmed");
        let commands = number(&output, "nand.commands.program");
        assert!(number(&output, "ftl.pages_programmed.gc") > 0.3 * pages);
        let alone = commands / pages;
        assert!(
            alone < most_alone,
            "{span}: {alone} of the pages are programmed alone"
        );
    }
}

/// The preset with superblocks, of smaller ones, aged and written at random by 64 KiB, audited.
fn saturate(keys: &[(&str, &str)]) -> (Config, RunOutput) {
    let keys = [
        ("geometry.blocks_per_plane", "48"),
        ("geometry.pages_per_block", "192"),
        ("workload.read_fraction", "0"),
        ("workload.request_size", "\"64 KiB\""),
        ("workload.requests", "20000"),
    ]
    .iter()
    .chain(keys)
    .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
    .collect::<Vec<_>>();
    let config = resolve(DriveSource::Named("onfi5-tlc-superblock"), None, &keys)
        .unwrap_or_else(|error| panic!("{error}"))
        .config;
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    let output = run_drive(&config, Path::new("."), options, &mut |_| true).unwrap();
    (config, output)
}

/// Pages per second that random writes reach where every die is always at work (`docs/explanations/superblocks.md`): a page of the host costs a program of A pages, as many shares of the erase
/// of their block, and moves of A - 1 pages, all planes of a die at once but for the transfers.
fn bound(config: &Config, amplification: f64) -> f64 {
    let geometry = config.array_geometry().unwrap();
    let types = PageTypes::new(&config.geometry, &geometry).unwrap();
    let timing = Timing::new(&config.timing, &geometry, &types).unwrap();
    let bytes = timing.bytes(geometry.sectors_per_page());
    let pages = geometry.pages_per_block;
    let mean = |time: &dyn Fn(u32) -> Duration| {
        (0..pages).map(|page| time(page).as_secs()).sum::<f64>() / f64::from(pages)
    };
    let program = mean(&|page| timing.program_array(Mode::NORMAL, types.of(page)));
    let read = mean(&|page| timing.read_array(Mode::NORMAL, types.of(page)));
    let erase = timing.erase_array().as_secs() / f64::from(pages);
    let planes = f64::from(geometry.planes_per_die);
    let data_in = planes * timing.program_setup(bytes).as_secs();
    let data_out = planes * timing.data_out(bytes, Select::default()).as_secs();
    let cost = amplification * (program + data_in + erase) + (amplification - 1.0) * (read + data_out);
    f64::from(geometry.planes()) / cost
}

/// Groups of planes are collected at different times, and the host writes to the others meanwhile: no die is idle for long. Counted from a tenth of the run on to the last write; afterwards
/// groups are still being collected, and nothing is written. Superblocks of larger blocks come closer, since less of their time is that between the last move and the next victim.
/// Reads and programs have one length: those of three page types come to 0.939.
#[test]
fn saturated_random_writes_come_close_to_the_bound() {
    for (span, mode) in [("CP", "foreground"), ("PC", "foreground"), ("CP", "preemptible")] {
        let (config, output) = saturate(&[
            ("ftl.span", &format!("{span:?}")),
            ("ftl.gc.mode", &format!("{mode:?}")),
            ("timing.t_r", "\"50 us\""),
            ("timing.t_prog", "\"500 us\""),
        ]);
        let series = &output.time_series;
        let last = series.writes.iter().rposition(|writes| *writes > 0).unwrap();
        let windows = last / 10..last;
        let host: u64 = series.pages_programmed_host[windows.clone()].iter().sum();
        let moved: u64 = series.pages_programmed_gc[windows.clone()].iter().sum();
        let time = series.start_ns[windows.end] - series.start_ns[windows.start];
        let amplification = (host + moved) as f64 / host as f64;
        let rate = host as f64 / Duration(time).as_secs();
        let share = rate / bound(&config, amplification);
        assert!(amplification > 3.0, "{amplification}");
        assert!(
            (0.94..1.0).contains(&share),
            "{span}, {mode}: {share} of the bound at {amplification}"
        );
    }
}
