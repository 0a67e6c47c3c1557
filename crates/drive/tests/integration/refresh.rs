//! Refresh in a drive with a clock: what it costs, that it gives way, and that it loses nothing.

use wordline_config::{Config, DriveSource, WarmUp, resolve};
use wordline_drive::RunOutput;
use wordline_units::Seed;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

const SECTORS: u64 = 8;
const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

/// The parameters of the drive of V. Mohan 2015 in one plane, filled once. Its blocks keep data for 25.5 days, and were written two weeks ago.
fn plane(blocks: u32, refresh: &str, more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = {blocks}\npages_per_block = 128\npage_size = \"4 KiB\"\ncell_type = \"mlc\"\n\
         [timing]\nt_r = \"50 us\"\nt_prog = \"900 us\"\nt_bers = \"3.5 ms\"\ntransfer_rate = \"200 MT/s\"\nt_cad = \"0 ns\"\n\
         [ftl]\nover_provisioning = 0.28\n[ftl.refresh]\n{refresh}\n\
         [age]\nmethod = \"overwritten\"\nrandom_factor = 0.0\ninitial_cycles = 10000\nstorage = \"14 d\"\n{more}"
    ))
}

/// All blocks are due when the run begins, as the margin says.
const DUE: &str = "policy = \"last_moment\"\nmargin = 0.5";

fn reads(times: &[u64]) -> Vec<HostCommand> {
    let read = |time: &u64| command(*time, HostOp::Read, 0, SECTORS as u32);
    times.iter().map(read).collect()
}

/// The load of the specification, section 6: a block costs valid (t_R + 2 transfers + t_PROG) + t_BERS, and nothing else runs between.
#[test]
fn the_cost_of_a_refresh_is_that_of_the_closed_form() {
    let end = 5 * SECOND;
    let output = replay(&plane(64, DUE, ""), reads(&[end]));
    let transfer = 4096.0 * 5.0;
    let page = 50e3 + 900e3 + 2.0 * transfer;
    let block = 128.0 * page + 3.5e6;
    let expected = end as f64 / block;
    let programmed = number(&output, "ftl.pages_programmed.refresh");
    // page by page; the run ends with the read, which waits for what is under way then
    assert!(
        (programmed / 128.0 - expected).abs() < 4.0 / 128.0,
        "{} blocks, not {expected}",
        programmed / 128.0
    );
    assert_eq!(number(&output, "ftl.blocks_erased.refresh"), expected.floor());
    assert_eq!(number(&output, "ftl.refresh.missed"), 0.0);
    // fifty full blocks, and the one that takes the data of one of them
    assert_eq!(number(&output, "ftl.refresh.most_queued"), 51.0);
}

/// A drive with copy-back saves the transfers: 125.1 ms for a full block.
#[test]
fn copy_back_saves_the_transfers() {
    let end = 5 * SECOND;
    let output = replay(&plane(64, DUE, "[commands]\ncopyback = \"blind\""), reads(&[end]));
    let expected = end as f64 / (125.1 * MS as f64);
    let programmed = number(&output, "ftl.pages_programmed.refresh") / 128.0;
    assert!(
        (programmed - expected).abs() < 0.02 * expected,
        "{programmed} blocks, not {expected}"
    );
}

/// A block is written anew after a thousand reads of it, not before, and again after a thousand of its copy; without a limit never, although it is read as often.
#[test]
fn a_block_that_is_read_too_often_is_written_anew() {
    let refreshed = |limit: &str, count: u64| {
        let times: Vec<u64> = (1..=count).map(|number| number * MS).collect();
        let keys = format!("policy = \"last_moment\"\ninterval = \"100 ms\"\n{limit}");
        let young = plane(64, &keys, "").ftl.refresh;
        let mut config = plane(64, "policy = \"last_moment\"", "");
        config.ftl.refresh = young;
        config.age.initial_cycles = 100;
        let output = replay(&config, reads(&times));
        let copied = number(&output, "ftl.pages_programmed.refresh");
        (
            number(&output, "ftl.refresh.blocks"),
            output.summary.number("ftl.refresh.disturbed"),
            copied,
        )
    };
    let limit = "read_limit = 1000";
    assert_eq!(refreshed(limit, 990), (0.0, Some(0.0), 0.0));
    let (blocks, disturbed, copied) = refreshed(limit, 1990);
    assert_eq!((blocks, disturbed, copied), (1.0, Some(1.0), 128.0));
    assert_eq!(refreshed("", 1990), (0.0, None, 0.0));
    let (blocks, disturbed, _) = refreshed(limit, 3990);
    assert!(
        (3.0..=4.0).contains(&blocks) && disturbed == Some(blocks),
        "{blocks}"
    );
}

/// What was refreshed before the warm-up is over does not count: the block that was read a thousand times was written anew after 1,100 reads.
#[test]
fn refresh_before_the_warm_up_is_over_does_not_count() {
    let times: Vec<u64> = (1..=1990).map(|number| number * MS).collect();
    let keys = "policy = \"last_moment\"\ninterval = \"100 ms\"\nread_limit = 1000";
    let refreshed = |warm_up: u64| {
        let mut config = plane(64, "policy = \"last_moment\"", "");
        config.ftl.refresh = plane(64, keys, "").ftl.refresh;
        config.age.initial_cycles = 100;
        config.run.warm_up = Some(WarmUp::Requests(warm_up));
        let output = replay(&config, reads(&times));
        ["ftl.refresh.blocks", "ftl.refresh.disturbed"].map(|key| number(&output, key))
    };
    assert_eq!(refreshed(500), [1.0, 1.0]);
    assert_eq!(refreshed(1800), [0.0, 0.0]);
}

/// A read waits for the command of a refresh that is under way, and no longer.
#[test]
fn refresh_gives_way_to_the_host() {
    let times: Vec<u64> = (1..200)
        .map(|number| number * 7_300_000 + number * 1_237)
        .collect();
    let alone = latencies(&replay(&plane(64, "policy = \"none\"", ""), reads(&times)));
    let beside = latencies(&replay(&plane(64, DUE, ""), reads(&times)));
    let (fastest, slowest) = (alone.iter().min().unwrap(), beside.iter().max().unwrap());
    // an erase, or a program
    assert!(slowest - fastest <= 3_500_000, "{slowest} ns, alone {fastest}");
    let sum = |latencies: &[u64]| latencies.iter().sum::<u64>();
    assert!(sum(&beside) > sum(&alone));
}

/// Whatever the policy, the mode of collection and the load: nothing is lost, as the audit sees it, and no deadline passes.
#[test]
fn refresh_beside_writes_loses_nothing() {
    let user = 64 * 128 * 100 / 128;
    let commands: Vec<_> = (0..6_000)
        .map(|number| {
            let page = Seed(5).draw("page", number) % user;
            let op = if number % 3 == 0 {
                HostOp::Read
            } else {
                HostOp::Write
            };
            command(0, op, page * SECTORS, SECTORS as u32)
        })
        .collect();
    for policy in ["remaining", "last_moment", "fcfs", "oracle"] {
        for mode in ["foreground", "background", "preemptible", "partial"] {
            let marks = if mode == "foreground" {
                ""
            } else {
                "hard = 2\nlow = 4\nhigh = 5\n"
            };
            let refresh = format!(
                "policy = \"{policy}\"\nmode = \"strict\"\nmargin = 0.5\ninterval = \"10 ms\"\nrequirement = \"1 d\""
            );
            let gc = format!("[ftl.gc]\nmode = \"{mode}\"\n{marks}");
            let output: RunOutput = run(
                &plane(64, &refresh, &gc),
                commands.clone(),
                Admission::ClosedLoop { depth: 4 },
            );
            let case = format!("{policy} {mode}");
            let pages = number(&output, "ftl.pages_programmed.refresh");
            assert_eq!(number(&output, "ftl.refresh.missed"), 0.0, "{case}");
            assert_eq!(pages > 0.0, policy != "oracle", "{case}: {pages}");
        }
    }
}

/// With a requirement that all blocks meet the run is that of a drive without refresh.
#[test]
fn a_requirement_that_all_blocks_meet_changes_nothing() {
    let times: Vec<u64> = (1..50).map(|number| number * 7_300_000).collect();
    let plain = latencies(&replay(&plane(64, "policy = \"none\"", ""), reads(&times)));
    let kept = replay(
        &plane(64, &format!("{DUE}\nrequirement = \"20 d\""), ""),
        reads(&times),
    );
    assert_eq!(plain, latencies(&kept));
    assert_eq!(number(&kept, "ftl.refresh.blocks"), 0.0);
    assert!(number(&kept, "ftl.refresh.left_to_fade") > 0.0);
}

#[test]
fn what_cannot_be_refreshed_is_refused() {
    let refused = |more: &str| {
        let text = format!("[ftl.refresh]\npolicy = \"last_moment\"\n{more}");
        resolve(DriveSource::Text(&text), None, &[])
            .unwrap_err()
            .to_string()
    };
    assert!(
        refused("[ftl]\nmapping_unit = \"8 KiB\"\n[allocation]\nmode = \"static\"").contains("mapping_unit")
    );
    assert!(refused("[ftl]\nmapping = \"dftl\"").contains("ftl.refresh"));
    assert!(refused("interval = \"2 y\"").contains("ftl.refresh.interval"));
    assert!(refused("read_limit = 0").contains("ftl.refresh.read_limit"));
    let text = "[ftl.refresh]\npolicy = \"oracle\"\nread_limit = 1000";
    let error = resolve(DriveSource::Text(text), None, &[])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("ftl.refresh.read_limit") && error.contains("erases nothing"),
        "{error}"
    );
    let tlc = drive("[geometry]\ncell_type = \"tlc\"\n[ftl.refresh]\npolicy = \"last_moment\"");
    let found = wordline_drive::run(&tlc, std::path::Path::new("."), Default::default(), &mut |_| true);
    let error = found.err().unwrap();
    assert!(
        error.is_input() && error.to_string().contains("three or four bits"),
        "{error}"
    );
}
