//! The reader of fio job files on arbitrary text: a file is read or refused, and never anything else.
//!
//! `cargo +nightly fuzz run fio` in the root of the repository.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_workload::{DriveZones, FioDrive, FioZones, fio_clients, fio_command_line};

/// Sectors of the drive.
const DRIVE: u64 = 100_000;
/// Commands taken from each job, which may have no end.
const COMMANDS: usize = 200;

fuzz_target!(|text: &str| {
    run(text, &FioDrive::plain(DRIVE));
    let zones = FioZones {
        count: 100,
        size: DRIVE / 100,
        capacity: 960,
        block: 8,
        most_open: Some(4),
        lost: vec![3],
    };
    let zoned = FioDrive {
        zones: DriveZones::Known(zones),
        ..FioDrive::plain(DRIVE)
    };
    run(text, &zoned);
    // the same text as the words of a command line, and as the file that one of them names
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Ok(jobs) = fio_command_line(&words, &mut |_| Ok(text.chars().take(1000).collect())) {
        run(&jobs, &FioDrive::plain(DRIVE));
    }
});

/// Reads the jobs for a drive and takes commands of each; those of jobs that wait for completions end there.
fn run(text: &str, drive: &FioDrive) {
    let Ok(clients) = fio_clients(text, "job.fio", drive, 1) else {
        return;
    };
    assert!(!clients.is_empty());
    for mut client in clients {
        let mut last = 0;
        for _ in 0..COMMANDS {
            if client.source.is_held() {
                break;
            }
            let Ok(Some(command)) = client.source.next_command() else {
                break;
            };
            assert_eq!(command.sectors > 0, command.op.has_length());
            assert!(command.sector + u64::from(command.sectors) <= DRIVE);
            assert!(command.arrival.ns() >= last);
            last = command.arrival.ns();
        }
    }
}
