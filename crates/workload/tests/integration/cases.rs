//! Small inputs as people have them (`shared/cases` beside the repository), each with the value that is right; its README says why.

use std::path::PathBuf;

use wordline_units::{Duration, SimTime};
use wordline_workload::{
    Batch, Client, CsvColumn, CsvConfig, DriveZones, FioDrive, FioZones, HostCommand, HostOp, JobError,
    Replay, TraceAction, TraceOptions, TraceStats, WorkloadConfig, WorkloadKind, fio_clients, open,
    trace_stats,
};

/// Sectors of the drive: 1 TiB.
const DRIVE: u64 = 1 << 31;

/// The path of an input; `None`, with a message, where the folder is not there.
fn case(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    if folder.join("README.md").is_file() {
        return Some(folder.join(name));
    }
    #[allow(clippy::print_stderr, reason = "a skipped test must not be silent")]
    {
        eprintln!("skipped: no inputs at {}", folder.display());
    }
    None
}

/// Commands of each job and what the user is told.
fn jobs(name: &str) -> Option<(Vec<Vec<HostCommand>>, Vec<String>)> {
    let text = std::fs::read_to_string(case(&format!("fio/{name}"))?).unwrap();
    let mut clients =
        fio_clients(&text, name, &FioDrive::plain(DRIVE), 1).unwrap_or_else(|error| panic!("{error}"));
    let notes = clients[0].source.notes();
    let drained = clients.iter_mut().map(|client| {
        std::iter::from_fn(|| client.source.next_command().unwrap())
            .take(1 << 20)
            .collect()
    });
    Some((drained.collect(), notes))
}

/// How many commands the only job sends.
fn commands(name: &str) -> Option<usize> {
    jobs(name).map(|(jobs, _)| jobs[0].len())
}

fn stats(name: &str, options: &TraceOptions<'_>) -> Option<TraceStats> {
    let path = case(&format!("trace/{name}"))?;
    Some(trace_stats(&path, options).unwrap_or_else(|error| panic!("{error}")))
}

fn refused(name: &str) -> Option<String> {
    let path = case(&format!("trace/{name}"))?;
    Some(
        trace_stats(&path, &TraceOptions::default())
            .unwrap_err()
            .to_string(),
    )
}

/// Reads, writes, trims, flushes.
fn mix(stats: &TraceStats) -> [u64; 4] {
    [stats.reads, stats.writes, stats.trims, stats.flushes]
}

#[test]
fn k1_jobs_do_as_much_as_in_fio() {
    let Some(strided) = commands("k1a-strided-skip.fio") else {
        return;
    };
    assert_eq!(strided, 512);
    assert_eq!(commands("k1c-filesize-below-size.fio"), Some(256));
}

#[test]
fn k2_an_iolog_waits_until_milliseconds_after_its_start() {
    let Some(path) = case("trace/k2a-wait.iolog") else {
        return;
    };
    let config = WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path),
        replay: Replay::Recorded,
        ..WorkloadConfig::default()
    };
    let mut source = open(&config, DRIVE, &PathBuf::new()).unwrap();
    let times: Vec<u64> = std::iter::from_fn(|| source.next_command().unwrap())
        .map(|command| command.arrival.ns() / 1_000_000)
        .collect();
    assert_eq!(times, [0, 500, 500, 900]);
}

#[test]
fn k2_what_no_drive_does_is_read_in_other_units() {
    let Some(found) = stats("k2b-aligned.trace", &TraceOptions::default()) else {
        return;
    };
    assert_eq!(
        (found.requests, found.read_bytes + found.written_bytes),
        (100, 100 * 524_288)
    );
    assert!((found.span_s - 0.0099).abs() < 1e-9, "{}", found.span_s);
    let told = found.notes.join("\n");
    assert!(
        told.contains("52428800 B within 9900 us") && told.contains("52428800 B within 165 min as DiskSim"),
        "{told}"
    );
}

#[test]
fn k3_flushes_and_large_discards_are_requests() {
    let queued = TraceOptions {
        action: Some(TraceAction::Queued),
        ..TraceOptions::default()
    };
    let Some(found) = stats("k3a-flush-at-q.txt", &queued) else {
        return;
    };
    assert_eq!(mix(&found), [0, 2, 0, 2]);
    let issued = stats("k3a-flush-at-q.txt", &TraceOptions::default()).unwrap();
    assert_eq!(mix(&issued), [0, 2, 0, 1]);
    let discards = stats("k3c-discard.txt", &TraceOptions::default()).unwrap();
    assert_eq!(mix(&discards), [0, 1, 2, 0]);
}

#[test]
fn k4_messages_name_the_cause() {
    let Some(queued_only) = refused("k4a-dm-q-only.txt") else {
        return;
    };
    assert!(
        queued_only.contains("workload.action = \"Q\"") && queued_only.contains("blkparse"),
        "{queued_only}"
    );
    let archive = refused("k4d-archive.tar.gz").unwrap();
    assert!(
        archive.contains("tar archive, whose first member is `vol.csv`"),
        "{archive}"
    );
    let (_, notes) = jobs("k4-ng-note.fio").unwrap();
    assert!(!notes.iter().any(|note| note.contains("page cache")), "{notes:?}");
    assert_eq!(commands("k4-service-zipf.fio"), Some(256));
    assert_eq!(commands("k4-job.ini"), Some(256));
    let path = case("fio/k4-job.ini").unwrap();
    let no_trace = trace_stats(&path, &TraceOptions::default())
        .unwrap_err()
        .to_string();
    assert!(no_trace.contains("fio job file"), "{no_trace}");
}

#[test]
fn k5_spellings_of_fio_are_accepted() {
    let Some(buffered) = jobs("k5-buffered.fio") else {
        return;
    };
    assert_eq!(buffered.0[0].len(), 256);
    assert!(
        buffered.1.iter().any(|note| note.contains("page cache")),
        "{:?}",
        buffered.1
    );
    for (name, count) in [
        ("k5-alias-ratemin.fio", 256),
        ("k5-engine-spdk-bdev.fio", 256),
        ("k5-engine-xnvme.fio", 256),
        ("k5-threads.fio", 256),
        ("k5-zipf-default.fio", 1024),
    ] {
        let (jobs, notes) = jobs(name).unwrap();
        assert_eq!(jobs[0].len(), count, "{name}");
        assert!(
            !notes.iter().any(|note| note.contains("page cache")),
            "{name}: {notes:?}"
        );
    }
}

#[test]
fn k6_rounded_options_are_noted() {
    let Some((jobs, notes)) = jobs("k6-bssplit-rounded.fio") else {
        return;
    };
    assert!(
        jobs[0]
            .iter()
            .all(|command| command.sectors == 12 && command.op == HostOp::Read)
    );
    assert!(
        notes
            .iter()
            .any(|note| note.contains("10240 B is rounded down to 6144 B")),
        "{notes:?}"
    );
}

#[test]
fn k7_msr_rows_are_read_with_letters_and_any_header() {
    for name in ["k7-msr-letters.csv", "k7-msr-lower-header.csv", "k8-bom.csv"] {
        let Some(found) = stats(name, &TraceOptions::default()) else {
            return;
        };
        assert_eq!((found.format.as_str(), found.requests), ("msr", 20), "{name}");
    }
}

#[test]
fn k8_csv_is_read_as_spreadsheets_and_data_frames_write_it() {
    let column = |name: &str| Some(CsvColumn::Name(name.to_owned()));
    let csv = CsvConfig {
        time: column("time"),
        op: column("op"),
        offset: column("off"),
        size: column("len"),
        ..CsvConfig::default()
    };
    let told = TraceOptions {
        format: Some("csv"),
        csv: Some(&csv),
        ..TraceOptions::default()
    };
    for name in ["k8-csv-decimals.csv", "k8-csv-preamble.csv", "k8-csv-quoted.csv"] {
        let Some(found) = stats(name, &told) else {
            return;
        };
        assert_eq!(
            (mix(&found), found.highest_byte),
            ([3, 3, 0, 0], 24_576),
            "{name}"
        );
        assert!((found.span_s - 0.005).abs() < 1e-12, "{name}");
    }
}

#[test]
fn k9_formats_of_today_are_recognised() {
    for (name, format, requests) in [
        ("k9-ftrace.txt", "ftrace", [4, 4, 0, 0]),
        ("k9-biosnoop.txt", "biosnoop", [4, 4, 0, 0]),
        ("k9-nvme0n1.blktrace.0", "blktrace", [5, 5, 0, 0]),
        ("k9-oracle.oracleGeneral", "oracle_general", [20, 0, 0, 0]),
    ] {
        let Some(found) = stats(name, &TraceOptions::default()) else {
            return;
        };
        assert_eq!((found.format.as_str(), mix(&found)), (format, requests), "{name}");
    }
}

#[test]
fn k9_what_was_written_is_read_back() {
    let Some((jobs, _)) = jobs("k9-verify-readback.fio") else {
        return;
    };
    let (writes, reads) = jobs[0].split_at(256);
    let places = |commands: &[HostCommand]| commands.iter().map(|command| command.sector).collect::<Vec<_>>();
    assert!(writes.iter().all(|command| command.op == HostOp::Write));
    assert!(reads.iter().all(|command| command.op == HostOp::Read));
    // in the order of the writes, as fio does where nothing is written twice
    assert_eq!(places(writes), places(reads));
}

/// The clients of a job file with variables.
fn clients(name: &str, variables: &[(&str, &str)]) -> Option<Result<Vec<Client>, JobError>> {
    let text = std::fs::read_to_string(case(&format!("fio/{name}"))?).unwrap();
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let drive = FioDrive {
        variables: variables.collect(),
        ..FioDrive::plain(DRIVE)
    };
    Some(fio_clients(&text, name, &drive, 1))
}

#[test]
fn k9_variables_have_values() {
    let Some(unset) = clients("k9-env.fio", &[]) else {
        return;
    };
    let problem = unset.err().unwrap().to_string();
    assert!(problem.contains("--define DEV=VALUE"), "{problem}");
    let mut jobs = clients("k9-env.fio", &[("DEV", "/dev/nvme0n1"), ("BS", "8k")])
        .unwrap()
        .unwrap();
    let sizes: Vec<u32> = std::iter::from_fn(|| jobs[0].source.next_command().unwrap())
        .map(|command| command.sectors)
        .collect();
    assert_eq!(sizes, [16; 128]);
}

#[test]
fn k9_completions_are_taken_up_in_batches() {
    let Some(jobs) = clients("k9-batch.fio", &[]) else {
        return;
    };
    let batch = Batch {
        least: 16,
        most: 16,
        low: 32,
    };
    assert_eq!(jobs.unwrap()[0].conduct.batch, Some(batch));
    assert_eq!(commands("k9-batch.fio"), Some(1024));
}

#[test]
fn k9_groups_are_reported_together() {
    let Some(jobs) = clients("k9-group-reporting.fio", &[]) else {
        return;
    };
    let jobs = jobs.unwrap();
    let groups: Vec<(u32, bool)> = jobs
        .iter()
        .map(|job| (job.conduct.reporting_group, job.conduct.is_reported_together))
        .collect();
    let mut wanted = vec![(0, true); 8];
    wanted.push((1, true));
    assert_eq!(groups, wanted);
}

#[test]
fn k9_one_direction_of_a_mix_has_a_rate() {
    let Some((jobs, _)) = jobs("k9-mixed-one-rate.fio") else {
        return;
    };
    // nobody tells the time here: one write is due at the start, and reads are free
    assert_eq!(jobs[0].len(), 1024);
    assert!(
        jobs[0]
            .iter()
            .filter(|command| command.op == HostOp::Write)
            .count()
            <= 1
    );
    let mut job = clients("k9-mixed-one-rate.fio", &[]).unwrap().unwrap().remove(0);
    assert!(job.source.heeds_time());
    let mut writes = 0;
    for us in 0..1024 {
        // 1,024 writes of 4 KiB a second
        job.source.time_is(SimTime(us * 1_000_000));
        let command = job.source.next_command().unwrap().unwrap();
        writes += usize::from(command.op == HostOp::Write);
    }
    assert!((400..=624).contains(&writes), "{writes}");
}

#[test]
fn k9_a_ramp_stands_behind_a_stonewall() {
    let Some(jobs) = clients("k9-ramp-behind-stonewall.fio", &[]) else {
        return;
    };
    let jobs = jobs.unwrap();
    let ms = Duration::from_ms;
    assert_eq!((jobs[0].conduct.ramp, jobs[1].conduct.ramp), (ms(0), ms(5)));
    // it prolongs the runtime, and the run is measured from its start
    assert_eq!((jobs[1].time_limit, jobs[1].ramp), (Some(ms(25)), ms(0)));
}

/// Two jobs of 32 MiB in blocks of 8 KiB, on zones of 32 MiB with logical blocks of 4 KiB.
#[test]
fn k9_zones_take_writes_of_8_kib() {
    let Some(path) = case("fio/k9-zns-8k.fio") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let zone = 1 << 16;
    let drive = FioDrive {
        zones: DriveZones::Known(FioZones {
            count: 8,
            size: zone,
            capacity: zone,
            block: 8,
            most_open: Some(14),
            lost: Vec::new(),
        }),
        ..FioDrive::plain(8 * zone)
    };
    let mut jobs = fio_clients(&text, "k9-zns-8k.fio", &drive, 1).unwrap();
    for (number, job) in jobs.iter_mut().enumerate() {
        let mut next = 2 * zone * number as u64;
        for _ in 0..4096 {
            let command = job.source.next_command().unwrap().unwrap();
            assert_eq!(
                (command.op, command.sector, command.sectors),
                (HostOp::Write, next, 16)
            );
            next += 16;
            job.source.completed(&command, false);
        }
        assert_eq!(job.source.next_command(), Ok(None));
    }
}
