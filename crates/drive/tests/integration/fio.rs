//! fio job files on a drive: jobs one after the other, limits, rates, depths and pauses.

use wordline_drive::{RunOptions, RunOutput, run_clients};

use crate::common::drive;
use wordline_workload::{FioDrive, fio_clients};

/// User space of the jobs: 256 KiB of 2 MiB of flash.
const SECTORS: u64 = 512;

fn run(jobs: &str) -> RunOutput {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n",
    );
    let text = format!("[global]\nfilename=/dev/nvme0n1\ndirect=1\nioengine=libaio\nbs=2k\n{jobs}");
    let clients =
        fio_clients(&text, "job.fio", &FioDrive::plain(SECTORS), 1).unwrap_or_else(|error| panic!("{error}"));
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run_clients(&config, clients, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Admission and completion in nanoseconds of the requests of a job, in the order of admission.
fn times(output: &RunOutput, job: u16) -> Vec<(u64, u64)> {
    let log = &output.requests;
    let mut times: Vec<_> = (0..log.number.len())
        .filter(|row| log.queue[*row] == job)
        .map(|row| (log.admitted_ns[row], log.completed_ns[row]))
        .collect();
    times.sort_unstable();
    times
}

#[test]
fn a_stonewall_lets_all_jobs_above_it_end() {
    let output =
        run("size=64k\n[a]\nrw=write\n[b]\nrw=randwrite\nsize=128k\n[c]\nstonewall\nrw=read\niodepth=8\n");
    let (a, b, c) = (times(&output, 0), times(&output, 1), times(&output, 2));
    assert_eq!([a.len(), b.len(), c.len()], [32, 64, 32]);
    let end = a.iter().chain(&b).map(|(_, completed)| *completed).max();
    assert!(c.iter().all(|(admitted, _)| Some(*admitted) >= end));
    // the two above it ran side by side
    assert!(a[0].0 < b[1].0 && b[0].0 < a[1].0);
}

#[test]
fn the_depth_is_kept_and_never_exceeded() {
    for depth in [1, 4] {
        let times = times(&run(&format!("[a]\nrw=randread\niodepth={depth}\n")), 0);
        assert_eq!(times.len() as u64, SECTORS / 4);
        for (index, (admitted, _)) in times.iter().enumerate() {
            let inside = times[..index]
                .iter()
                .filter(|(_, completed)| completed > admitted)
                .count();
            assert!(inside < depth, "{inside} beside number {index}");
        }
        let later = times
            .windows(depth + 1)
            .filter(|run| run[depth].0 > run[0].0)
            .count();
        assert_eq!(later, times.len() - depth);
    }
}

#[test]
fn a_rate_and_a_runtime_bound_what_is_sent() {
    let times = times(
        &run("[a]\nrw=randread\nrate_iops=1000\ntime_based\nruntime=50ms\n"),
        0,
    );
    let admitted: Vec<u64> = times.iter().map(|(admitted, _)| *admitted).collect();
    assert!((50..=51).contains(&admitted.len()), "{}", admitted.len());
    assert!(
        (0..)
            .zip(&admitted)
            .all(|(index, admitted)| *admitted == index * 1_000_000)
    );
}

#[test]
fn a_delay_and_pauses_keep_the_drive_idle() {
    let times = times(
        &run("[a]\nrw=read\nsize=32k\nstartdelay=3ms\nthinktime=1ms\nthinktime_blocks=4\niodepth=2\n"),
        0,
    );
    assert_eq!((times.len(), times[0].0), (16, 3_000_000));
    for (before, after) in times.chunks(4).zip(times.chunks(4).skip(1)) {
        let completed = before.iter().map(|(_, completed)| *completed).max().unwrap();
        assert_eq!(after[0].0, completed + 1_000_000);
    }
}
