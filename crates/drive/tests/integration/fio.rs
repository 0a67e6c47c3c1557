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
    let mut clients =
        fio_clients(&text, "job.fio", &FioDrive::plain(SECTORS), 1).unwrap_or_else(|error| panic!("{error}"));
    for client in &mut clients {
        // as the names of tenants are written in keys
        client.name = client.name.replace('.', "_");
    }
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

/// Four commands are outstanding; two are taken up together, when both are completed, and two are sent then.
#[test]
fn completions_are_taken_up_together() {
    let times = times(
        &run("[a]\nrw=randread\niodepth=4\niodepth_batch_complete_min=2\niodepth_batch_submit=2\n"),
        0,
    );
    for (index, (admitted, _)) in times.iter().enumerate().skip(4) {
        let completed = times
            .iter()
            .filter(|(_, completed)| completed <= admitted)
            .count();
        // all but the two that are left of the four
        assert!(completed >= index / 2 * 2 - 2, "{index}: {completed}");
        assert_eq!(*admitted, times[index / 2 * 2].0, "pairs are sent together");
    }
    // each time all are completed, four are sent
    let low = self::times(
        &run("[a]\nrw=randread\niodepth=4\niodepth_batch_complete_max=4\niodepth_low=1\n"),
        0,
    );
    let sent_with: Vec<usize> = low
        .iter()
        .map(|(admitted, _)| low.iter().filter(|(other, _)| other == admitted).count())
        .collect();
    assert!(
        sent_with[4..low.len() - 4].iter().all(|count| *count >= 3),
        "{sent_with:?}"
    );
    // 0 alone: one after the other
    let polled = self::times(&run("[a]\nrw=randread\niodepth=4\niodepth_batch_complete=0\n"), 0);
    assert!(polled.windows(2).all(|pair| pair[1].0 >= pair[0].1));
}

#[test]
fn a_job_waits_for_the_copies_of_another() {
    let output = run(
        "[w]\nrw=write\nsize=32k\nnumjobs=2\n[side]\nrw=read\nsize=128k\n[r]\nwait_for=w\nrw=randread\nsize=32k\n[last]\nwait_for=r\nrw=read\nsize=8k\n",
    );
    let jobs: Vec<_> = (0..5).map(|job| times(&output, job)).collect();
    let end = |job: usize| jobs[job].iter().map(|(_, completed)| *completed).max();
    assert_eq!(Some(jobs[3][0].0), end(0).max(end(1)));
    assert_eq!(Some(jobs[4][0].0), end(3));
    // the job beside them waited for nobody
    assert_eq!(jobs[2][0].0, jobs[0][0].0);
}

/// What fio 3.33 does with such jobs, `exitall` standing in one of them: it counts for all, each with its `exit_what`.
#[test]
fn the_end_of_a_job_ends_others() {
    let count = |jobs: &str| -> Vec<usize> {
        let output = run(jobs);
        (0..3).map(|job| times(&output, job).len()).collect()
    };
    let short = "[short]\nrw=read\nsize=16k\n";
    let group = count(&format!(
        "[global]\nexitall\n{short}[long]\nrw=read\nsize=256k\n[other]\nnew_group\nrw=read\nsize=256k\n"
    ));
    assert!(group[0] == 8 && group[1] < 20 && group[2] == 128, "{group:?}");
    let all = count(&format!(
        "{short}exitall\nexit_what=all\n[long]\nnew_group\nrw=read\nsize=256k\n[never]\nstonewall\nrw=read\nsize=256k\n"
    ));
    assert!(all[0] == 8 && all[1] < 20 && all[2] == 0, "{all:?}");
    let started = count(&format!(
        "{short}exitall\nexit_what=stonewall\n[long]\nnew_group\nrw=read\nsize=256k\n[next]\nstonewall\nrw=read\nsize=256k\n"
    ));
    assert!(
        started[0] == 8 && started[1] < 20 && started[2] == 128,
        "{started:?}"
    );
}

/// By their weights three of four commands are the first job's, until it ends; then the other one goes on alone.
#[test]
fn flows_keep_jobs_in_proportion() {
    let output = run(
        "[a]\nrw=randread\nflow=3\nsize=128k\niodepth=4\n[b]\nrw=randread\nflow=1\nsize=128k\niodepth=4\n",
    );
    let (a, b) = (times(&output, 0), times(&output, 1));
    assert_eq!((a.len(), b.len()), (64, 64));
    let end = a.last().unwrap().0;
    let beside = b.iter().filter(|(admitted, _)| *admitted < end).count();
    assert!((20..=23).contains(&beside), "{beside}");
}

/// Writes come at their rate, one each millisecond; where one is drawn too early a read takes its turn.
#[test]
fn a_rate_of_writes_leaves_reads_free() {
    let output = run("[a]\nrw=randrw\nnorandommap\niodepth=2\nrate_iops=,1000\ntime_based\nruntime=20ms\n");
    let log = &output.requests;
    let sent = |class: u8| -> Vec<u64> {
        (0..log.number.len())
            .filter(|row| log.class[*row] == class)
            .map(|row| log.admitted_ns[row])
            .collect()
    };
    let (reads, mut writes) = (sent(0), sent(1));
    writes.sort_unstable();
    assert!(reads.len() > 100, "{}", reads.len());
    assert!((18..=21).contains(&writes.len()), "{}", writes.len());
    assert!((0..).zip(&writes).all(|(number, at)| *at >= number * 1_000_000));
}

/// With a rate that the drive does not keep, a job that submits inline sends what is due when it is through with all before; offloaded, when there is room.
#[test]
fn a_job_with_a_rate_waits_until_it_is_quiet() {
    let most_beside = |mode: &str| {
        let times = times(
            &run(&format!(
                "[a]\nrw=randwrite\niodepth=8\nrate_iops=5000\nio_submit_mode={mode}\n"
            )),
            0,
        );
        let quiet = times.iter().enumerate().skip(1).filter(|(index, (admitted, _))| {
            times[..*index].iter().all(|(_, completed)| completed <= admitted)
        });
        quiet.count()
    };
    assert!(most_beside("inline") > most_beside("offload"));
}

#[test]
fn a_job_ends_when_it_is_too_slow() {
    let output = run("[a]\nrw=randwrite\nmax_latency=1us\n");
    assert_eq!(times(&output, 0).len(), 1);
    let said = |output: &RunOutput, words: &str| output.notes.iter().any(|note| note.text.contains(words));
    assert!(said(&output, "max_latency ended it"), "{:?}", output.notes);
    // 100 commands a second, of which 200 were to be: judged at the first completion after 2 s, and again a second later
    let output = run("[a]\nrw=randread\nrate_iops=100\nrate_iops_min=200\ntime_based\nruntime=5s\n");
    assert!(said(&output, "rate_min ended it"), "{:?}", output.notes);
    assert!(
        (300..=303).contains(&times(&output, 0).len()),
        "{}",
        times(&output, 0).len()
    );
}
