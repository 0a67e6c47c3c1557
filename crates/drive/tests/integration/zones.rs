//! Drives with zones: commands with their statuses and addresses, times by hand, and hosts that collect zones.

use std::path::Path;

use wordline_config::Config;
use wordline_drive::{Completion, LiveDrive, RunOptions, run as run_workload};
use wordline_ftl::analytic::Cleaning;
use wordline_ftl::{Inspect, Lpn, Subjects, ZoneFacts, ZoneState};
use wordline_metrics::Status;
use wordline_units::SimTime;
use wordline_workload::{Admission, HostCommand, HostOp, WorkloadConfig, ZonedSpace, clients_over_zones};

use crate::common::{command, drive, number, run};

/// The zones of a drive.
fn zones_of(ftl: &dyn Inspect) -> Vec<ZoneFacts> {
    ftl.zoned_host().map_or_else(Vec::new, |zoned| zoned.zones())
}

/// Two channels of a die of two planes, pages of 2 KiB; zones of 4 blocks of 8 pages.
fn zoned(more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [ftl]\nmapping = \"zoned\"\nover_provisioning = 0.06\n[age]\nmethod = \"fresh\"\n{more}"
    ))
}

const PAGE: u64 = 4;
const ZONE: u64 = 32 * PAGE;

fn live(config: &Config) -> LiveDrive {
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    LiveDrive::new(config, Path::new("."), options).unwrap()
}

/// Sends commands one after the other at one moment; their ends in the order in which they were sent.
fn ends(drive: &mut LiveDrive, commands: &[HostCommand]) -> Vec<Completion> {
    for (token, command) in (0..).zip(commands) {
        drive.inject(*command, token).unwrap();
    }
    while drive.step().unwrap() {}
    let mut ended = drive.completions();
    ended.sort_by_key(|completion| completion.token);
    assert_eq!(ended.len(), commands.len());
    ended
}

fn statuses(ended: &[Completion]) -> Vec<Status> {
    ended.iter().map(|completion| completion.status).collect()
}

/// Every error of a zone as the status of a completion, and the addresses of appends.
#[test]
fn commands_end_with_their_status_and_address() {
    let config = zoned("[ftl.zones]\nmax_open = 2\nmax_active = 2\nread_only = [4]\noffline = [5]\n");
    let mut drive = live(&config);
    let page = |op, zone: u64, at: u64, pages: u32| command(0, op, zone * ZONE + at * PAGE, pages * 4);
    let manage = |op, zone: u64| command(0, op, zone * ZONE, 0);
    use HostOp::{Read, Write, WriteZeroes, ZoneAppend, ZoneClose, ZoneFinish, ZoneOpen, ZoneReset};
    let ended = ends(
        &mut drive,
        &[
            page(ZoneAppend, 0, 0, 3),
            page(ZoneAppend, 0, 0, 2),
            page(Write, 0, 5, 1),
            page(Write, 0, 5, 1),
            page(Write, 0, 6, 27),
            page(WriteZeroes, 0, 6, 1),
            manage(ZoneOpen, 1),
            page(Write, 2, 0, 1),
            manage(ZoneOpen, 0),
            manage(ZoneOpen, 0),
            page(Write, 4, 0, 1),
            page(Read, 5, 0, 1),
            page(Read, 4, 0, 1),
            command(0, Write, 7 * PAGE + 1, 4),
            manage(ZoneClose, 2),
            manage(ZoneFinish, 0),
            page(Write, 0, 7, 1),
            page(Read, 0, 6, 1),
            command(0, ZoneReset, PAGE, 0),
            command(0, ZoneReset, 1 << 40, 0),
            manage(ZoneReset, 0),
            page(Read, 0, 6, 1),
            page(ZoneAppend, 0, 0, 1),
        ],
    );
    use Status::{
        Good, InvalidField, InvalidZoneTransition, Refused, TooManyActiveZones, ZoneBoundary, ZoneFull,
        ZoneInvalidWrite, ZoneOffline, ZoneReadOnly,
    };
    assert_eq!(
        statuses(&ended),
        [
            Good,
            Good,
            Good,
            ZoneInvalidWrite,
            ZoneBoundary,
            Good,
            Good,
            TooManyActiveZones,
            Good,
            Good,
            ZoneReadOnly,
            ZoneOffline,
            Good,
            InvalidField,
            InvalidZoneTransition,
            Good,
            ZoneFull,
            Good,
            InvalidField,
            Refused,
            Good,
            Good,
            Good,
        ]
    );
    let addresses = [ended[0].sector, ended[1].sector, ended[22].sector];
    assert_eq!(addresses, [0, 3 * PAGE, 0]);
    let zones = zones_of(drive.ftl());
    assert_eq!(zones[0].state, ZoneState::ImplicitlyOpen);
    assert_eq!(zones[0].write_pointer, Lpn(1));
    let output = drive.finish().unwrap();
    assert_eq!(number(&output, "host.refused"), 10.0);
    assert_eq!(number(&output, "ftl.zones.refused.zone_offline"), 1.0);
    assert_eq!(number(&output, "ftl.zones.appends"), 3.0);
    assert_eq!(number(&output, "ftl.zones.resets"), 1.0);
}

/// Programs that fail end their commands with a write fault; their zones can be read and neither written nor reset, and the others go on. Blocks that cannot be erased are replaced as long as
/// there are some, then zones go offline.
#[test]
fn what_fails_is_told_by_statuses_and_states() {
    let config = zoned("[ftl.failures]\nprogram = 0.01\nerase = 0.01\ngrowth = 0\n");
    let mut drive = live(&config);
    let zones = zones_of(drive.ftl()).len() as u64;
    let (mut faults, mut bad_resets) = (0.0, 0);
    for round in 0..3 {
        for zone in 0..zones {
            let mut is_lost = !zones_of(drive.ftl())[zone as usize].state.is_writable();
            for page in 0..32 {
                let write = command(0, HostOp::Write, zone * ZONE + page * PAGE, 4);
                let status = ends(&mut drive, &[write])[0].status;
                let facts = zones_of(drive.ftl())[zone as usize];
                match status {
                    Status::Good => assert!(!is_lost),
                    Status::WriteFault => {
                        assert!(!is_lost && facts.state == ZoneState::ReadOnly);
                        (faults, is_lost) = (faults + 1.0, true);
                        let read = command(0, HostOp::Read, zone * ZONE, 4 * page.max(1) as u32);
                        assert_eq!(ends(&mut drive, &[read])[0].status, Status::Good);
                    }
                    other => {
                        let expected = match facts.state {
                            ZoneState::ReadOnly => Status::ZoneReadOnly,
                            _ => Status::ZoneOffline,
                        };
                        assert!(
                            is_lost && other == expected,
                            "round {round}, zone {zone}: {other:?}"
                        );
                    }
                }
            }
            let reset = command(0, HostOp::ZoneReset, zone * ZONE, 0);
            match ends(&mut drive, &[reset])[0].status {
                Status::Good => {}
                Status::WriteFault => {
                    assert_eq!(zones_of(drive.ftl())[zone as usize].state, ZoneState::Offline);
                    bad_resets += 1;
                }
                other => assert!(is_lost && other == Status::InvalidZoneTransition),
            }
        }
    }
    let states = zones_of(drive.ftl());
    let of = |state| states.iter().filter(|zone| zone.state == state).count();
    assert_eq!(of(ZoneState::ReadOnly) as f64, faults);
    assert_eq!(of(ZoneState::Offline), bad_resets);
    assert!(faults > 2.0, "{faults}");
    let output = drive.finish().unwrap();
    assert_eq!(number(&output, "ftl.failures.programs"), faults);
    assert_eq!(
        number(&output, "ftl.zones.write_faults"),
        faults + bad_resets as f64
    );
    assert_eq!(
        number(&output, "ftl.failures.erases"),
        number(&output, "ftl.bad_blocks")
    );
}

/// What waits for an erase that fails, as no other block is left, ends too.
#[test]
fn writes_that_wait_for_a_block_end_with_a_fault() {
    let mut ends_seen = 0;
    for seed in 0..60 {
        let mut config = zoned("[ftl.failures]\nerase = 0.01\ngrowth = 0\n");
        config.ftl.over_provisioning = 0.0;
        config.seed = seed;
        let mut drive = live(&config);
        let zones = zones_of(drive.ftl()).len() as u64;
        for zone in 0..zones {
            let write = command(0, HostOp::Write, zone * ZONE, 4);
            assert_eq!(ends(&mut drive, &[write])[0].status, Status::Good);
        }
        for zone in 0..zones {
            let commands = [
                command(0, HostOp::ZoneReset, zone * ZONE, 0),
                command(0, HostOp::ZoneAppend, zone * ZONE, 16),
                command(0, HostOp::ZoneAppend, zone * ZONE, 8),
            ];
            let ended = ends(&mut drive, &commands);
            if ended[1].status == Status::WriteFault {
                assert_eq!(ended[2].status, Status::WriteFault);
                assert_eq!(zones_of(drive.ftl())[zone as usize].state, ZoneState::Offline);
                ends_seen += 1;
            } else {
                assert_eq!(statuses(&ended), [Status::Good; 3], "seed {seed}, zone {zone}");
            }
        }
        drive.finish().unwrap();
    }
    assert!(ends_seen > 0);
}

/// An open zone too many, where none was opened by a write.
#[test]
fn explicitly_open_zones_are_not_closed_for_another() {
    let mut drive = live(&zoned("[ftl.zones]\nmax_open = 1\n"));
    let commands = [
        command(0, HostOp::ZoneOpen, 0, 0),
        command(0, HostOp::Write, ZONE, 4),
        command(0, HostOp::ZoneClose, 0, 0),
        command(0, HostOp::Write, ZONE, 4),
    ];
    let ended = ends(&mut drive, &commands);
    let expected = [Status::Good, Status::TooManyOpenZones, Status::Good, Status::Good];
    assert_eq!(statuses(&ended), expected);
}

/// A reset takes the erase of its blocks, side by side on idle dies; so does a first reset of nothing take no time.
#[test]
fn a_reset_takes_an_erase() {
    let config = zoned("[timing]\nt_bers = \"1.5 ms\"\n");
    let mut drive = live(&config);
    let fill = ends(&mut drive, &[command(0, HostOp::Write, 0, 128)]);
    let at = fill[0].completed;
    let reset = |at: SimTime| command(at.ns(), HostOp::ZoneReset, 0, 0);
    let first = ends(&mut drive, &[reset(at)])[0];
    let took = first.completed.since(first.arrival).ns() as f64;
    // two planes of a die, one after the other or together
    let erases = took / 1_500_000.0;
    assert!(
        (1.0..1.01).contains(&erases) || (2.0..2.02).contains(&erases),
        "{took}"
    );
    let again = ends(&mut drive, &[reset(first.completed)])[0];
    assert!(again.completed.since(again.arrival).ns() < 10_000);
}

/// Reset and written again at once, with many commands under way and over a link: what is read is what was written last.
#[test]
fn zones_are_reused_at_once() {
    let zones = 15;
    for link in ["", "[host]\ninterface = \"nvme\"\n"] {
        let config = zoned(link);
        let mut commands = Vec::new();
        for round in 0..40_u64 {
            for zone in [2 * round % zones, (2 * round + 1) % zones] {
                let start = zone * ZONE;
                commands.push(command(0, HostOp::ZoneReset, start, 0));
                for at in 0..16 {
                    commands.push(command(0, HostOp::Write, start + at * 2 * PAGE, 8));
                    commands.push(command(0, HostOp::Read, start + at * PAGE, 4));
                }
            }
        }
        let output = run(&config, commands, Admission::ClosedLoop { depth: 64 });
        assert_eq!(number(&output, "host.refused"), 0.0, "{link}");
        assert_eq!(number(&output, "ftl.write_amplification"), 1.0);
    }
}

/// A host that collects zones runs what is no affair of zones, audited: nothing is refused, and the drive adds nothing.
#[test]
fn a_host_runs_any_workload_on_zones() {
    let config = zoned(
        "[workload]\nkind = \"hot_cold\"\nrequest_size = [\"1 KiB\", \"4 KiB\", \"10 KiB\"]\nread_fraction = 0.3\ntrim_fraction = 0.05\n\
         hot_placement = 2\nrequests = 4000\nqueue_depth = 8\ntranslation = \"zones\"\n\
         [workload.zones]\nover_provisioning = 1.5\nhandles = 2\nspare_zones = 1\n",
    );
    for more in ["", "append"] {
        let mut config = config.clone();
        config.workload.zones.append = more == "append";
        let options = RunOptions {
            audit: true,
            ..RunOptions::default()
        };
        let output = run_workload(&config, Path::new("."), options, &mut |_| true).unwrap();
        assert_eq!(number(&output, "host.refused"), 0.0);
        assert_eq!(number(&output, "ftl.write_amplification"), 1.0);
        let of_host = number(&output, "workload.zones.write_amplification");
        assert!(of_host > 1.0 && of_host < 3.0, "{of_host}");
        let written = number(&output, "ftl.pages_programmed.host");
        let sent =
            number(&output, "workload.zones.user_pages") + number(&output, "workload.zones.moved_pages");
        assert_eq!(written, sent);
        assert_eq!(
            number(&output, "ftl.zones.resets"),
            number(&output, "workload.zones.resets")
        );
    }
}

/// Greedy collection of zones amplifies as that of blocks of their size does (FTL specification, 9 and 9.2).
#[test]
fn the_host_amplifies_as_the_closed_form_says() {
    let space = ZonedSpace {
        starts: (0..256).map(|zone| zone * 64 * 8).collect(),
        capacity_pages: 64,
        page_sectors: 8,
        most_open: None,
    };
    let mut config = WorkloadConfig {
        read_fraction: 0.0,
        requests: Some(220_000),
        translation: wordline_workload::Translation::Zones,
        ..WorkloadConfig::default()
    };
    config.zones.handles = 0;
    let mut clients = clients_over_zones(&config, &space, Path::new("."), None, &mut |_| true).unwrap();
    let source = &mut clients[0].source;
    let mut given = Vec::new();
    while source.collection().unwrap().user_pages < 110_000 {
        source.next_command().unwrap();
    }
    source.restart_counts();
    while source.next_commands(1000, &mut given).is_ok() && !given.is_empty() {
        given.clear();
    }
    let counts = source.collection().unwrap();
    // two empty zones, and two that are half written on average
    let pages = 256.0 * 64.0 - 64.0 * (2.0 + 1.0);
    let expected = Cleaning::Greedy
        .write_amplification(64, counts.logical_pages as f64 / pages)
        .unwrap();
    let found = counts.write_amplification();
    assert!((found / expected - 1.0).abs() < 0.03, "{found} {expected}");
}

/// What a host on zones refuses, by key.
#[test]
fn hosts_that_cannot_work_are_refused() {
    let options = RunOptions::default;
    let refused = |text: &str| {
        let config = zoned(text);
        let error = run_workload(&config, Path::new("."), options(), &mut |_| true).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    let on = "[workload]\ntranslation = \"zones\"\n[workload.zones]\n";
    for (text, key) in [
        (
            format!("{on}over_provisioning = 0.1\n"),
            "workload.zones.over_provisioning",
        ),
        (format!("{on}spare_zones = 0\n"), "workload.zones.spare_zones"),
        (format!("{on}handles = 65\n"), "workload.zones.handles"),
        (
            format!("[ftl.zones]\nmax_open = 2\n{on}handles = 2\n"),
            "workload.zones.handles",
        ),
        (
            "[tenants.a.workload]\ntranslation = \"zones\"\n".to_owned(),
            "workload.translation",
        ),
    ] {
        let error = refused(&text);
        assert!(error.contains(key), "{text}: {error}");
    }
    let mut plain = drive(on);
    plain.workload.requests = Some(1);
    let error = run_workload(&plain, Path::new("."), options(), &mut |_| true)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("workload.translation") && error.contains("zoned"),
        "{error}"
    );
}
