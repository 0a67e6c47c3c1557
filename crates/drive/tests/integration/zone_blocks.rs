//! Writes to zones in logical blocks that are smaller than a page.

use std::path::Path;

use wordline_config::Config;
use wordline_drive::{Completion, LiveDrive, RunOptions, RunOutput, run as run_workload};
use wordline_ftl::{Subjects, ZoneState};
use wordline_metrics::Status;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, number};

/// Pages of 16 KiB, four logical blocks each; zones of 4 blocks of 8 pages: 512 KiB.
fn zoned(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"16 KiB\"\n\
         [ftl]\nmapping = \"zoned\"\nover_provisioning = 0.06\n[age]\nmethod = \"fresh\"\n{more}"
    ))
}

const ZONE: u64 = 32 * 32;

fn audited() -> RunOptions {
    RunOptions {
        audit: true,
        ..RunOptions::default()
    }
}

fn live() -> LiveDrive {
    LiveDrive::new(&zoned(""), Path::new("."), audited()).unwrap()
}

/// Sends commands, each when the one before it has ended; their ends.
fn ends(drive: &mut LiveDrive, commands: &[HostCommand]) -> Vec<Completion> {
    let mut ended = Vec::new();
    for command in commands {
        drive.inject(*command, 0).unwrap();
        while drive.step().unwrap() {}
        ended.extend(drive.completions());
    }
    assert_eq!(ended.len(), commands.len());
    ended
}

/// A write of blocks of 4 KiB at a block of a zone.
fn write(zone: u64, block: u64, blocks: u32) -> HostCommand {
    command(0, HostOp::Write, zone * ZONE + block * 8, blocks * 8)
}

fn programs(drive: LiveDrive) -> f64 {
    number(&drive.finish().unwrap(), "ftl.pages_programmed")
}

/// Three blocks are acknowledged and wait; the fourth is acknowledged when the page is programmed.
#[test]
fn blocks_are_gathered_until_a_page_is_full() {
    let mut drive = live();
    let ended = ends(
        &mut drive,
        &[
            write(0, 0, 1),
            write(0, 1, 2),
            command(0, HostOp::Read, 8, 8),
            write(0, 3, 1),
        ],
    );
    let times: Vec<u64> = ended
        .iter()
        .map(|end| end.completed.since(end.arrival).ns())
        .collect();
    assert!(ended.iter().all(|end| end.status == Status::Good));
    // a program takes 200 us
    assert!(times[..3].iter().all(|time| *time < 50_000), "{times:?}");
    assert!(times[3] >= 200_000, "{times:?}");
    assert_eq!(programs(drive), 1.0);
}

#[test]
fn the_pointer_counts_blocks() {
    let mut drive = live();
    let ended = ends(
        &mut drive,
        &[
            write(0, 0, 1),
            // not at the pointer, and not a whole block
            write(0, 0, 1),
            command(0, HostOp::Write, 12, 8),
            command(0, HostOp::Write, 8, 4),
            // an append goes where the pointer is, within a page
            command(0, HostOp::ZoneAppend, 0, 16),
            command(0, HostOp::ZoneAppend, 0, 8),
            // beyond the end of the zone
            command(0, HostOp::ZoneAppend, 0, ZONE as u32),
        ],
    );
    use Status::{Good, InvalidField, ZoneBoundary, ZoneInvalidWrite};
    let statuses: Vec<Status> = ended.iter().map(|end| end.status).collect();
    assert_eq!(
        statuses,
        [
            Good,
            ZoneInvalidWrite,
            InvalidField,
            InvalidField,
            Good,
            Good,
            ZoneBoundary
        ]
    );
    assert_eq!((ended[4].sector, ended[5].sector), (8, 24));
}

/// What waits is padded when its zone is finished, is gone when it is reset, and stays when it is closed.
#[test]
fn zones_end_with_what_waits() {
    let manage = |op, zone: u64| command(0, op, zone * ZONE, 0);
    let mut drive = live();
    ends(
        &mut drive,
        &[
            write(0, 0, 5),
            manage(HostOp::ZoneFinish, 0),
            command(0, HostOp::Read, 0, 40),
        ],
    );
    let zones = drive.ftl().zoned_host().unwrap().zones();
    assert_eq!(zones[0].state, ZoneState::Full);
    assert_eq!(programs(drive), 2.0);
    let mut drive = live();
    ends(
        &mut drive,
        &[write(0, 0, 3), manage(HostOp::ZoneReset, 0), write(0, 0, 4)],
    );
    assert_eq!(programs(drive), 1.0);
    let mut drive = live();
    ends(
        &mut drive,
        &[write(0, 0, 3), manage(HostOp::ZoneClose, 0), write(0, 3, 1)],
    );
    assert_eq!(programs(drive), 1.0);
}

/// A job of 4 or 8 KiB writes as many pages as one of 16 KiB, and all of what it writes can be read.
#[test]
fn jobs_of_small_blocks_run() {
    let run = |bs: &str, more: &str| -> RunOutput {
        let folder = tempfile::tempdir().unwrap();
        let job = format!(
            "[global]\nfilename=/dev/nvme0n1\ndirect=1\nioengine=libaio\niodepth=16\nzonemode=zbd\n[a]\nrw=write\nbs={bs}\nsize=4z\nio_size=3m\n{more}"
        );
        std::fs::write(folder.path().join("job.fio"), job).unwrap();
        let config = zoned("[workload]\nkind = \"fio\"\npath = \"job.fio\"\n");
        run_workload(&config, folder.path(), audited(), &mut |_| true).unwrap()
    };
    for bs in ["4k", "8k", "12k", "16k", "64k"] {
        let output = run(bs, "");
        assert_eq!(number(&output, "host.write.bytes"), 3.0 * 1_048_576.0, "{bs}");
        assert_eq!(number(&output, "host.refused"), 0.0, "{bs}");
        assert_eq!(number(&output, "ftl.pages_programmed"), 192.0, "{bs}");
    }
    let output = run(
        "4k",
        "numjobs=2\noffset_increment=2z\nsize=2z\nio_size=1m\n[r]\nstonewall\nrw=randread\nbs=4k\nsize=1m\n",
    );
    assert_eq!(number(&output, "host.refused"), 0.0);
}
