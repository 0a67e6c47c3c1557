//! What jobs do beside each other: logs that they replay, waiting, batches.

use super::*;
use crate::{Admission, Batch, Ends};

/// The clients of jobs that may name a file in a folder.
fn clients_in(folder: &std::path::Path, jobs: &str) -> Result<Vec<Client>, String> {
    let drive = FioDrive {
        folder: folder.to_owned(),
        ..FioDrive::plain(DRIVE)
    };
    fio_clients(jobs, "job.fio", &drive, 1).map_err(|error| error.to_string())
}

const LOG: &str = "fio version 3 iolog\n0 /dev/a add\n0 /dev/a open\n0 /dev/a write 4096 4096\n100 /dev/a read 12288 8192\n\
     200 /dev/a sync 0 0\n300 /dev/a trim 16384 4096\n400 /dev/a close\n";

#[test]
fn a_job_replays_a_log() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log"), LOG).unwrap();
    let run = |options: &str| {
        let text = format!("[a]\nioengine=libaio\niodepth=4\nread_iolog=log\n{options}");
        let mut client = clients_in(folder.path(), &text).unwrap().remove(0);
        let commands: Vec<HostCommand> =
            std::iter::from_fn(|| client.source.next_command().unwrap()).collect();
        let rows: Vec<(HostOp, u64, u32, u64)> = commands
            .iter()
            .map(|command| {
                (
                    command.op,
                    command.sector,
                    command.sectors,
                    command.arrival.ns() / 1000,
                )
            })
            .collect();
        (rows, client.admission)
    };
    let (rows, admission) = run("");
    assert_eq!(
        rows,
        [
            (HostOp::Write, 8, 8, 0),
            (HostOp::Read, 24, 16, 100),
            (HostOp::Flush, 0, 0, 200),
            (HostOp::Trim, 32, 8, 300),
        ]
    );
    assert_eq!(
        admission,
        Admission::Paced {
            depth: 4,
            think: None
        }
    );
    let (rows, _) = run("replay_time_scale=200\nreplay_scale=2\nreplay_align=4k\nreplay_skip=sync,trim\n");
    assert_eq!(rows, [(HostOp::Write, 0, 8, 0), (HostOp::Read, 8, 16, 50)]);
    let (rows, admission) = run("replay_no_stall=1\n");
    assert!(rows.iter().all(|row| row.3 == 0));
    assert_eq!(admission, Admission::ClosedLoop { depth: 4 });
    let problem = clients_in(folder.path(), "[a]\nread_iolog=other\n")
        .err()
        .unwrap();
    assert!(problem.starts_with("job.fio:2: read_iolog=other"), "{problem}");
    let problem = clients_in(folder.path(), "[a]\nread_iolog=log\nreplay_align=100\n")
        .err()
        .unwrap();
    assert!(problem.contains("a power of two"), "{problem}");
}

#[test]
fn completions_and_ends_are_as_fio_settles_them() {
    let of = |options: &str| job(&format!("ioengine=libaio\niodepth=16\nsize=1m\n{options}")).conduct;
    assert_eq!(of("").batch, None);
    let batch = |least, most, low| Some(Batch { least, most, low });
    assert_eq!(of("iodepth_batch_complete=8").batch, batch(8, 8, 16));
    assert_eq!(of("iodepth_batch_complete_max=99").batch, batch(1, 16, 16));
    assert_eq!(of("iodepth_low=4").batch, batch(1, 1, 4));
    assert_eq!(of("iodepth_low=99").batch, None);
    assert_eq!(of("exit_what=all").ends, None);
    assert_eq!(of("exitall\nexit_what=all").ends, Some(Ends::All));
    assert!(of("rate_iops=5").quiesces && !of("io_submit_mode=offload").quiesces);
    let polled = job("ioengine=libaio\niodepth=16\nsize=1m\niodepth_batch_complete=0");
    assert_eq!(polled.admission, Admission::ClosedLoop { depth: 1 });
}

#[test]
fn jobs_wait_for_all_copies_of_one_above() {
    let text =
        "[global]\nfilename=/dev/x\nsize=1m\n[w]\nnumjobs=3\n[r]\nwait_for=w\n[s]\nstonewall\nwait_for=r\n";
    let clients = fio_clients(text, "job.fio", &FioDrive::plain(DRIVE), 1).unwrap();
    let waits: Vec<&[u32]> = clients
        .iter()
        .map(|client| &client.conduct.waits_for[..])
        .collect();
    assert_eq!(waits, [&[][..], &[], &[], &[0, 1, 2], &[3]]);
    let groups: Vec<u32> = clients
        .iter()
        .map(|client| client.conduct.reporting_group)
        .collect();
    assert_eq!(groups, [0, 0, 0, 0, 1]);
    let twice = "[global]\nfilename=/dev/x\nsize=1m\n[w]\n[w]\n[r]\nwait_for=w\n";
    assert!(refusal(twice).contains("a name that one job has"));
}

#[test]
fn a_job_without_a_size_has_that_of_its_file() {
    let text = "[w]\nfilename=f\nrw=write\nsize=64k\n[r]\nfilename=f\nrw=read\nbs=8k\n";
    let mut clients = fio_clients(text, "job.fio", &FioDrive::plain(DRIVE), 1).unwrap();
    let count = std::iter::from_fn(|| clients[1].source.next_command().unwrap()).count();
    assert_eq!(count, 8);
    let mut filled = super::clients("[a]\nrw=write\nbs=1m\nfill_device=1\n").remove(0);
    let count = std::iter::from_fn(|| filled.source.next_command().unwrap()).count();
    assert_eq!(count as u64, DRIVE * 512 / (1 << 20));
}

#[test]
fn other_engines_are_told_apart() {
    let note = |engine: &str| {
        job(&format!("size=1m\nioengine={engine}"))
            .source
            .notes()
            .join("; ")
    };
    assert!(note("rbd").contains("asks other storage"), "{}", note("rbd"));
    assert!(!note("libaio").contains("asks other storage"));
    let problem = refusal("[a]\nfilename=/dev/x\nioengine=cpuio\n");
    assert!(problem.contains("computes and sends no command"), "{problem}");
}

/// Counts of fio 3.33, which opens its files again to read back, so that passes that left out a part of them go on until the bytes of both are done.
#[test]
fn passes_that_are_read_back_go_on_until_the_bytes_are_done() {
    let counts = |options: &str| {
        let commands = run(options);
        let reads = commands
            .iter()
            .filter(|command| command.op == HostOp::Read)
            .count();
        (commands.len() - reads, reads)
    };
    // holes leave out two thirds: twice 86 of 257 blocks
    let holes = "rw=write:128k\nbs=64k\nsize=16842752";
    assert_eq!(counts(holes), (86, 0));
    assert_eq!(counts(&format!("{holes}\nverify=crc32c")), (172, 172));
    assert_eq!(
        counts(&format!("{holes}\nverify=crc32c\nverify_backlog=7")),
        (172, 172)
    );
    assert_eq!(
        counts("rw=write:64k\nbs=64k\nsize=16842752\nverify=crc32c"),
        (129, 129)
    );
    // what is read back counts as commands
    for (number, commands) in [(100, 86), (180, 94), (200, 114), (300, 172)] {
        let job = format!("{holes}\nverify=crc32c\nnumber_ios={number}");
        assert_eq!(counts(&job), (commands, commands), "{number}");
    }
    let whole = "rw=write\nbs=64k\nsize=1m\nverify=crc32c";
    for (options, commands) in [
        ("loops=3\nnumber_ios=10", 16),
        ("io_size=4m\nnumber_ios=40", 24),
        ("verify_backlog=4\nnumber_ios=10", 6),
        ("verify_backlog=4\nnumber_ios=14", 8),
        ("verify_backlog=4\nnumber_ios=40\nio_size=4m", 20),
    ] {
        assert_eq!(
            counts(&format!("{whole}\n{options}")),
            (commands, commands),
            "{options}"
        );
    }
}

/// A pattern reads back as `verify=pattern` does; a job that goes on until its time is up never comes to it.
#[test]
fn a_pattern_is_read_back_unless_verify_says_otherwise() {
    let reads = |options: &str| {
        let commands = run(&format!("rw=write\nsize=16k\n{options}"));
        commands
            .iter()
            .filter(|command| command.op == HostOp::Read)
            .count()
    };
    assert_eq!(reads("verify_pattern=0xaa"), 4);
    assert_eq!(reads("verify_pattern=0xaa\nverify=0"), 0);
    assert_eq!(reads("verify=0\nverify_pattern=0xaa"), 0);
    assert_eq!(reads("verify_pattern=0xaa\ndo_verify=0"), 0);
    // nothing is compared, but read
    assert_eq!(reads("verify=null"), 4);
    let mut endless = job("rw=write\nsize=8k\nverify=md5\ntime_based\nruntime=1");
    assert!(
        take(&mut endless, 9)
            .iter()
            .all(|command| command.op == HostOp::Write)
    );
    assert!(
        endless
            .source
            .notes()
            .iter()
            .any(|note| note.contains("verify of job has no effect: the job goes on until its runtime is up"))
    );
}
