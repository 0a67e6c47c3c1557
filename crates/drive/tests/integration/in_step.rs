//! Planes in step (`allocation.planes`), and collection that keeps pace (`ftl.gc.mode = "partial"`).

use std::path::Path;

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::{RunOptions, RunOutput, run};

use crate::common::{drive, latencies, number};

fn audited(config: &Config) -> RunOutput {
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run(config, Path::new("."), options, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

/// Two dies of four planes with a map of 4 KiB, worn and under random commands of 4 KiB.
fn worn(more: &str, workload: &str) -> Config {
    worn_by(more, workload, "4 KiB")
}

/// The same under commands of a size.
fn worn_by(more: &str, workload: &str, size: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 4\nblocks_per_plane = 48\n\
         pages_per_block = 24\npage_size = \"16 KiB\"\n\
         [timing]\nt_r = \"50 us\"\nt_prog = \"400 us\"\nt_bers = \"3 ms\"\n\
         [commands]\nmulti_plane_write = \"wise\"\nmulti_plane_read = true\nmulti_plane_erase = true\n\
         [age]\nmethod = \"steady_state\"\n[allocation]\norder = \"CPWD\"\n{more}\
         [workload]\nkind = \"random\"\nrequest_size = \"{size}\"\nrequests = 20_000\n{workload}"
    ))
}

const PACED: &str = "planes = \"in_step\"\n[ftl]\nmapping_unit = \"4 KiB\"\nover_provisioning = 0.3\n\
                     [ftl.gc]\nmode = \"partial\"\nfrontier = \"separate\"\nlow = 5\nhigh = 5\n\
                     [buffer]\npolicy = \"lru\"\nsize = \"1 MiB\"\ncapacitor = true\ndirty_high = 0.75\ndirty_low = 0.75\n";

/// Commands of several planes, and of one.
fn joined(output: &RunOutput, kind: &str) -> (f64, f64) {
    let count = |name: &str| number(output, &format!("nand.commands.{name}"));
    (count(&format!("multi_plane_{kind}")), count(kind))
}

/// Whether the host has saturated the drive or half of it: at least nine tenths of the programs and erases are multi-plane commands.
#[test]
fn dies_work_as_a_whole() {
    let full = "read_fraction = 0.0\nqueue_depth = 64\n";
    let half = "read_fraction = 0.0\ninterarrival = \"200 us\"\narrival = \"poisson\"\n";
    for workload in [full, half] {
        let output = audited(&worn(PACED, workload));
        for kind in ["program", "erase"] {
            let (several, one) = joined(&output, kind);
            assert!(
                several >= 9.0 * one && several > 10.0,
                "{kind}: {several} and {one}"
            );
        }
    }
}

/// Planes on their own hardly ever join.
#[test]
fn planes_on_their_own_are_out_of_step() {
    let alone = PACED.replace("planes = \"in_step\"\n", "");
    let output = audited(&worn(&alone, "read_fraction = 0.0\nqueue_depth = 64\n"));
    let (several, one) = joined(&output, "program");
    assert!(several < 0.2 * one, "{several} and {one}");
}

/// The slowest write waits for a few rows of a die where moves are rationed, and for whole blocks where collection goes ahead of the host. Those that are outstanding when
/// the host ends wait for rows that nothing fills any more.
#[test]
fn rationed_moves_keep_writes_even() {
    let slowest = |gc: &str| {
        let output = audited(&worn(gc, "read_fraction = 0.0\nqueue_depth = 16\n"));
        let mut taken = latencies(&output);
        taken.truncate(taken.len() - 16);
        let slowest = taken.into_iter().max().unwrap();
        (slowest as f64 / 1e3, number(&output, "ftl.write_amplification"))
    };
    let (paced, amplification) = slowest(PACED);
    // the four pages of a row take 410 us each over the bus, and 400 us to program
    assert!(
        paced < 10.0 * amplification * 2_040.0,
        "{paced} us, {amplification}"
    );
    let (ahead, _) = slowest(&PACED.replace("mode = \"partial\"\n", "mode = \"foreground\"\n"));
    assert!(ahead > 10.0 * paced, "{ahead} and {paced} us");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the load and the spare space: the run ends, its rules are kept, and free blocks never fall below the reserve of one in the mean.
    #[test]
    fn rations_never_stall(
        seed: u64,
        reads in 0.0..0.9,
        depth in 1..100_u32,
        spare in 0.2..1.0,
        size in prop::sample::select(vec!["4 KiB", "8 KiB", "64 KiB"]),
        frontier in prop::sample::select(vec!["separate", "shared"]),
        low in 3..7_u32,
    ) {
        let drive = PACED
            .replace("over_provisioning = 0.3", &format!("over_provisioning = {spare}"))
            .replace("\"separate\"", &format!("{frontier:?}"))
            .replace("low = 5\nhigh = 5", &format!("low = {low}\nhigh = {low}"));
        let workload = format!("read_fraction = {reads}\nqueue_depth = {depth}\n");
        let mut config = worn_by(&drive, &workload, size);
        config.seed = seed >> 1;
        let output = audited(&config);
        prop_assert!(number(&output, "host.requests") >= 20_000.0);
        prop_assert!(number(&output, "ftl.gc.free_blocks.mean") >= 1.0);
    }
}

/// A unit of several pages has no place in one plane of a row.
#[test]
fn units_of_several_pages_are_refused() {
    let text = PACED.replace("mapping_unit = \"4 KiB\"", "mapping_unit = \"32 KiB\"");
    let config = worn(&format!("mode = \"static\"\n{text}"), "read_fraction = 0.0\n");
    let error = run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("allocation.planes") && error.contains("above a page"),
        "{error}"
    );
}
