//! Whole job files: sections, defaults, groups, copies, names, notes.

use std::path::PathBuf;

use super::*;
use crate::{Admission, WorkloadConfig, WorkloadKind};

/// Four jobs one after the other over one file, the usual quick look at a drive.
const FOUR_CORNERS: &str = "\
; sequential and random, reading and writing
[global]
bs=4k
ioengine=libaio
iodepth=4
size=256m
direct=1
runtime=60
directory=/mnt/drive
filename=corner.test.file

[seq-read]
rw=read
stonewall

[rand-read]
rw=randread
stonewall

[seq-write]
rw=write
stonewall

[rand-write]
rw=randwrite
stonewall
";

#[test]
fn the_usual_four_jobs_run_one_after_the_other() {
    let mut jobs = clients(FOUR_CORNERS);
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["seq-read", "rand-read", "seq-write", "rand-write"]);
    assert_eq!(jobs.iter().map(|job| job.group).collect::<Vec<_>>(), [0, 1, 2, 3]);
    for (job, op) in jobs
        .iter_mut()
        .zip([HostOp::Read, HostOp::Read, HostOp::Write, HostOp::Write])
    {
        assert_eq!(job.admission, Admission::ClosedLoop { depth: 4 });
        assert_eq!(job.time_limit, Some(wordline_units::Duration::from_ms(60_000)));
        let commands = take(job, 1 << 20);
        assert_eq!(commands.len(), 65_536);
        assert!(
            commands
                .iter()
                .all(|command| command.op == op && command.sector < 1 << 19)
        );
    }
    // direct=1: the page cache is not worth a word
    assert!(
        jobs[0]
            .source
            .notes()
            .iter()
            .all(|note| !note.contains("page cache"))
    );
}

/// The first input of the fuzzer is worth its mutations only where it is accepted.
#[test]
fn the_jobs_of_the_fuzzer_are_accepted() {
    let text = include_str!("../../../../../fuzz/jobs.fio");
    let mut jobs = clients_on(text, 100_000);
    assert_eq!(jobs.len(), 6);
    assert!(jobs.iter_mut().all(|job| !take(job, 10).is_empty()));
}

#[test]
fn defaults_belong_to_the_jobs_below_them() {
    let jobs = "[global]\nfilename=/dev/x\nsize=64k\n[a]\n[global]\nbs=8k\n[b]\nrw=write\n[c]\nbs=16k\n";
    let sectors: Vec<u32> = clients(jobs)
        .iter_mut()
        .map(|job| take(job, 1)[0].sectors)
        .collect();
    assert_eq!(sectors, [8, 16, 32]);
    // units count for a whole section, wherever they stand in it
    let units =
        "[a]\nfilename=/dev/x\nsize=1ki\nbs=512\nkb_base=1000\n[b]\nfilename=/dev/x\nsize=1k\nbs=512\n";
    let counts: Vec<usize> = clients(units).iter_mut().map(|job| take(job, 10).len()).collect();
    assert_eq!(counts, [2, 2]);
}

#[test]
fn groups_part_jobs_and_copies_stay_together() {
    let text = "[global]\nfilename=/dev/x\nsize=64k\n[a]\nstonewall\n[b]\nnumjobs=2\n[c]\nstonewall\nnumjobs=2\n[d]\n[e]\nwait_for_previous=1\n";
    let jobs = clients(text);
    let seen: Vec<(&str, u32)> = jobs.iter().map(|job| (job.name.as_str(), job.group)).collect();
    assert_eq!(
        seen,
        [
            ("a", 0),
            ("b.0", 0),
            ("b.1", 0),
            ("c.0", 1),
            ("c.1", 1),
            ("d", 1),
            ("e", 2)
        ]
    );
}

#[test]
fn copies_have_queues_and_offsets_of_their_own() {
    let mut jobs =
        clients("[w]\nfilename=/dev/x\nrw=write\nnumjobs=4\noffset=1m\noffset_increment=2m\nsize=64k\n");
    for (index, job) in jobs.iter_mut().enumerate() {
        let first = take(job, 1)[0];
        assert_eq!(usize::from(first.queue), index);
        assert_eq!(first.sector, 2048 + 4096 * index as u64);
    }
    let mut jobs = clients("[w]\nfilename=/dev/x\nnumjobs=4\noffset_increment=25%\nsize=25%\nbs=1m\n");
    let places: Vec<u64> = jobs
        .iter_mut()
        .flat_map(|job| take(job, 2000))
        .map(|command| command.sector / 2048)
        .collect();
    assert_eq!(places, (0..1024).collect::<Vec<_>>());
}

#[test]
fn jobs_of_one_name_are_numbered() {
    let names: Vec<String> = clients("[global]\nfilename=/dev/x\n[a]\n[a]\n[b]\nname=c\n")
        .into_iter()
        .map(|job| job.name)
        .collect();
    assert_eq!(names, ["a.0", "a.1", "c"]);
}

#[test]
fn notes_tell_what_changes_nothing() {
    let text = "[a]\nfilename=/dev/x\ndedupe_percentage=30\nrandom_generator=lfsr\nprio=3\ngroup_reporting\nthread\nwrite_bw_log=x\n";
    let notes = clients(text)[0].source.notes();
    let told = |words: &str| notes.iter().filter(|note| note.contains(words)).count();
    assert_eq!(
        [
            told("dedupe_percentage"),
            told("random_generator"),
            told("prio"),
            told("page cache")
        ],
        [1; 4]
    );
    assert_eq!(notes.len(), 4, "{notes:?}");
    // once for a file, not once for a copy
    let text = "[a]\nfilename=/dev/x\nnumjobs=3\nprio=3\n";
    let notes: Vec<String> = clients(text).iter().flat_map(|job| job.source.notes()).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn a_workload_names_the_job_file() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("four.fio"), FOUR_CORNERS).unwrap();
    let config = WorkloadConfig {
        kind: WorkloadKind::Fio,
        path: Some(PathBuf::from("four.fio")),
        ..WorkloadConfig::default()
    };
    assert_eq!(
        crate::clients(&config, DRIVE, directory.path(), None)
            .unwrap()
            .len(),
        4
    );
    let error = crate::open(&config, DRIVE, directory.path())
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("workload.kind = fio") && error.contains("several clients"),
        "{error}"
    );
    let unset = WorkloadConfig {
        path: None,
        ..config.clone()
    };
    let error = crate::clients(&unset, DRIVE, directory.path(), None)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("workload.path = unset"), "{error}");
    for (bytes, words) in [
        (vec![0xff, 0xfe], "not UTF-8 text (byte 0)"),
        (vec![b'#'; (1 << 20) + 1], "larger than 1 MiB"),
    ] {
        std::fs::write(directory.path().join("four.fio"), bytes).unwrap();
        let error = crate::clients(&config, DRIVE, directory.path(), None)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
    std::fs::remove_file(directory.path().join("four.fio")).unwrap();
    let error = crate::clients(&config, DRIVE, directory.path(), None)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("four.fio: cannot be opened"), "{error}");
}

#[test]
fn the_seed_of_the_workload_is_that_of_jobs_without_one() {
    let starts_with = |options: &str, seed: u64| {
        let text = format!("[a]\nfilename=/dev/x\nrw=randread\nsize=1m\n{options}\n");
        let mut jobs = fio_clients(&text, "job.fio", &FioDrive::plain(DRIVE), seed)
            .unwrap_or_else(|error| panic!("{error}"));
        starts(&take(&mut jobs[0], 256), 8)
    };
    assert_ne!(starts_with("", 1), starts_with("", 2));
    assert_eq!(starts_with("randseed=5", 1), starts_with("randseed=5", 2));
}

/// The device of libblkio has a path of its own, and may be no file at all.
#[test]
fn the_path_of_libblkio_is_the_drive() {
    for path in ["/dev/nvme0n1", "/sys/bus/pci/devices/0000:00:01.0", "vhost.sock"] {
        let job = format!("ioengine=libblkio\nlibblkio_path={path}\nrw=read\nbs=64k\nnumber_ios=5");
        assert_eq!(run(&job).len(), 5, "{path}");
    }
}
