//! Blocks of two classes in whole drives: strong ones are programmed in half the time.

use std::path::Path;

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunOptions, RunOutput, run};
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

const PROGRAM: u64 = 200_000;

/// Two channels of one die each: even logical pages of 4 KiB are in the first, odd ones in the second.
fn config(scheduler: &str, rest: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
         [timing]\nt_prog = \"200 us\"\n\
         [allocation]\nmode = \"static\"\norder = \"CWDP\"\n\
         [ftl]\nover_provisioning = 0.6\n\
         [scheduler]\n{scheduler}\n\
         [[modes]]\nname = \"strong\"\nquantile = 0.5\nt_prog = \"100 us\"\n{rest}"
    ))
}

fn writes(wanted: &[(u64, u64, u32)]) -> Vec<HostCommand> {
    let write = |&(at, page, count): &(u64, u64, u32)| command(at, HostOp::Write, page * 8, count * 8);
    wanted.iter().map(write).collect()
}

fn strong_programs(output: &RunOutput) -> f64 {
    number(output, "modes.strong.pages_programmed")
}

/// Three writes at different times, of one page, of two and of four: only `pv_allocation` knows small ones as hot. `dlv`, `woo` and `pv_reorder` leave
/// strong blocks for writes that something competes with.
#[test]
fn who_writes_to_strong_blocks() {
    let commands = || writes(&[(0, 0, 1), (10_000_000, 2, 2), (20_000_000, 4, 4)]);
    let of = |policy: &str| {
        let output = replay(&config(&format!("policy = \"{policy}\""), ""), commands());
        (strong_programs(&output), latencies(&output))
    };
    let (none, normal) = of("out_of_order");
    assert_eq!(none, 0.0);
    for policy in ["dlv", "woo", "roo", "pv_reorder"] {
        assert_eq!(of(policy), (0.0, normal.clone()), "{policy}");
    }
    // a page each, in the first write and in both channels of the second
    let half = PROGRAM / 2;
    let small = vec![normal[0] - half, normal[1] - half, normal[2]];
    assert_eq!(of("pv_allocation"), (3.0, small));
}

/// Two writes of a page at once in the first die: each ends when it can. A third, of both dies, ends with its page in the first
/// die, which is behind the two: its page in the second die has time enough for a normal block.
#[test]
fn dlv_spends_strong_pages_where_they_count() {
    let commands = || writes(&[(0, 0, 1), (0, 2, 1), (0, 4, 2)]);
    let normal = latencies(&replay(&config("policy = \"out_of_order\"", ""), commands()));
    let output = replay(
        &config("policy = \"dlv\"\ndispatch = \"all_at_once\"", ""),
        commands(),
    );
    assert_eq!(strong_programs(&output), 3.0);
    let half = PROGRAM / 2;
    let expected = [normal[0] - half, normal[1] - 2 * half, normal[2] - 3 * half];
    assert_eq!(latencies(&output), expected);
}

/// Where no write is hot, `pv_allocation` is the baseline, and so are `woo` and `dlv` where nothing competes.
#[test]
fn a_scheme_without_its_feature_is_the_baseline() {
    let commands = || {
        let sizes = [1, 3, 2, 5];
        let wanted: Vec<(u64, u64, u32)> = (0..200)
            .map(|number: u64| (number * 5_000_000, number * 7 % 120, sizes[number as usize % 4]))
            .collect();
        writes(&wanted)
    };
    let table = |scheduler: &str| {
        let output = replay(&config(scheduler, ""), commands());
        let rows: Vec<(String, String)> = output
            .summary
            .reproducible()
            .iter()
            .map(|(key, value)| (key.to_owned(), format!("{value:?}")))
            .filter(|(key, _)| !key.starts_with("scheduler."))
            .collect();
        rows
    };
    let baseline = table("policy = \"out_of_order\"");
    assert!(baseline.len() > 50);
    for scheduler in [
        "policy = \"pv_allocation\"\nhot_pages = 0",
        "policy = \"woo\"",
        "policy = \"dlv\"",
    ] {
        assert_eq!(table(scheduler), baseline, "{scheduler}");
    }
}

/// Collection, three strong classes whose times follow from the cells, requests of several pages, audited; collected blocks of all classes.
#[test]
fn any_drive_runs_audited() {
    let classes = "[{name = \"strongest\", quantile = 0.25}, {name = \"stronger\", quantile = 0.5}, \
                   {name = \"strong\", quantile = 0.75}]";
    for policy in ["dlv", "woo", "roo", "pv_reorder", "pv_allocation", "reads_first"] {
        let overrides = [
            ("modes", classes),
            ("allocation.mode", "static"),
            ("scheduler.policy", policy),
            ("age.initial_cycles", "3000"),
            ("ecc.kind", "ldpc"),
            ("workload.requests", "3000"),
            ("workload.read_fraction", "0.4"),
            ("workload.queue_depth", "16"),
            ("workload.request_size", "[\"2 KiB\", \"4 KiB\", \"48 KiB\"]"),
            ("workload.trim_fraction", "0.05"),
        ];
        let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let config = resolve(DriveSource::Named("tiny"), None, &overrides)
            .unwrap()
            .config;
        let options = RunOptions {
            audit: true,
            ..RunOptions::default()
        };
        let output = run(&config, Path::new("."), options, &mut |_| true).unwrap();
        assert_eq!(number(&output, "host.requests"), 3000.0, "{policy}");
        assert!(number(&output, "ftl.gc.victims") > 0.0);
        let programs = |name: &str| number(&output, &format!("modes.{name}.pages_programmed"));
        let strong = programs("strongest") + programs("stronger") + programs("strong");
        assert!(strong > 0.0 && programs("normal") > 0.0, "{policy}");
    }
}
