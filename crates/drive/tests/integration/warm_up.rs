//! The warm-up of a run: what is measured begins after it, and nothing else changes.

use std::path::Path;
use wordline_config::Config;
use wordline_drive::{Phase, RunError, RunOptions, RunOutput, run_clients};

use crate::common::{Commands, command, drive, number, run};
use wordline_metrics::Value;
use wordline_workload::{Admission, Client, FioDrive, HostOp, fio_clients};

/// One plane of 16 blocks of 64 pages of 2 KiB. A page written takes 175 + 51,200 ns on the bus and 200,000 ns in the array
/// (array specification, section 2.2).
const ONE_PLANE: &str = "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                         blocks_per_plane = 16\n[ftl]\nover_provisioning = 0.6\n";
const WRITE: u64 = 251_375;

fn config(warm_up: &str) -> Config {
    drive(&format!("{ONE_PLANE}[run]\nwarm_up = \"{warm_up}\"\n"))
}

/// Ten writes of a page, one after another.
fn ten_writes(warm_up: &str) -> RunOutput {
    let commands = (0..10)
        .map(|page| command(0, HostOp::Write, 4 * page, 4))
        .collect();
    run(&config(warm_up), commands, Admission::ClosedLoop { depth: 1 })
}

fn near(output: &RunOutput, key: &str, wanted: f64) {
    let found = number(output, key);
    assert!(
        (found - wanted).abs() <= 1e-9 * wanted.abs(),
        "{key}: {found}, not {wanted}"
    );
}

#[test]
fn requests_of_the_warm_up_count_nowhere() {
    let output = ten_writes("4 requests");
    let second = 1e-9 * WRITE as f64;
    for (key, wanted) in [
        ("warm_up.requests", 4.0),
        ("warm_up.time_s", 4.0 * second),
        ("host.requests", 6.0),
        ("host.write.count", 6.0),
        ("host.write.bytes", 6.0 * 2048.0),
        ("host.page_writes", 6.0),
        ("host.commands", 6.0),
        ("host.iops", 1.0 / second),
        ("host.queue.mean_depth", 1.0),
        ("sim.time_s", 6.0 * second),
        ("sim.window_s", 6.0 * second),
        ("ftl.pages_programmed", 6.0),
        ("ftl.write_amplification", 1.0),
        ("nand.die_utilization", 200_000.0 / WRITE as f64),
        ("nand.channel_utilization", 51_375.0 / WRITE as f64),
    ] {
        near(&output, key, wanted);
    }
    assert_eq!(output.requests.number, [4, 5, 6, 7, 8, 9]);
    assert_eq!(output.requests.arrival_ns[0], 4 * WRITE);
    // one window from the border to the end
    assert_eq!(output.time_series.start_ns[0], 4 * WRITE);
    assert_eq!(output.time_series.writes.iter().sum::<u64>(), 6);
    assert_eq!(output.time_series.width_ns.iter().sum::<u64>(), 6 * WRITE);
    let notes: Vec<&str> = output.notes.iter().map(|note| note.key).collect();
    assert!(notes.contains(&"warm_up"), "{notes:?}");
}

/// At 600 us the third write has 154,125 ns of its array step to go; it counts whole as a request, and with its rest as work.
#[test]
fn a_border_in_the_middle_of_a_program() {
    let output = ten_writes("600 us");
    let measured = (10 * WRITE - 600_000) as f64;
    for (key, wanted) in [
        ("warm_up.requests", 2.0),
        ("host.requests", 8.0),
        ("host.page_writes", 8.0),
        ("ftl.pages_programmed", 8.0),
        ("sim.window_s", 1e-9 * measured),
        ("host.write.latency.max_us", WRITE as f64 / 1e3),
        ("nand.die_utilization", (7.0 * 200_000.0 + 154_125.0) / measured),
        ("nand.channel_utilization", 7.0 * 51_375.0 / measured),
    ] {
        near(&output, key, wanted);
    }
    let busy: f64 = (0..output.timeline.utilisation.start_ns.len())
        .filter(|row| output.timeline.utilisation.track[*row] == 0)
        .map(|row| {
            let table = &output.timeline.utilisation;
            table.busy[row] * table.width_ns[row] as f64
        })
        .sum();
    assert!((busy - (7.0 * 200_000.0 + 154_125.0)).abs() < 1.0, "{busy}");
    assert_eq!(output.timeline.utilisation.start_ns[0], 600_000);
}

/// Forty equal writes, one after another: of any of them firmware and link take the same share of time. What they did in the
/// first half of the run is not counted in the second; a border within a write may leave out its transfer, 1 of 20.
#[test]
fn firmware_and_link_are_measured_from_the_border_too() {
    let output = |warm_up: &str| {
        let config = drive(&format!(
            "{ONE_PLANE}[firmware]\nenabled = true\n[host]\ninterface = \"nvme\"\n{warm_up}"
        ));
        let commands = (0..40)
            .map(|page| command(0, HostOp::Write, 4 * page, 4))
            .collect();
        run(&config, commands, Admission::ClosedLoop { depth: 1 })
    };
    let whole = output("");
    for warm_up in ["20 requests", "5070 us"] {
        let half = output(&format!("[run]\nwarm_up = \"{warm_up}\"\n"));
        for key in [
            "firmware.utilization",
            "firmware.share.write",
            "host.link.to_drive_utilization",
            "host.link.to_host_utilization",
            "nand.die_utilization",
            "nand.channel_utilization",
        ] {
            let (found, wanted) = (number(&half, key), number(&whole, key));
            assert!(
                wanted > 0.0 && (found / wanted - 1.0).abs() < 0.05,
                "{key}: {found}, not {wanted}"
            );
        }
        assert_eq!(number(&half, "host.commands"), number(&half, "host.requests"));
    }
}

/// Eighty equal reads, one after another, each with a look-up inside the package: where the measurement begins with the first of them or in their
/// middle, the bus of the package takes the same share of time, and what its codec corrected before does not count.
#[test]
fn packages_are_measured_from_the_border_too() {
    let output = |warm_up: u64| {
        let config = drive(&format!(
            "{ONE_PLANE}[ftl.local]\nenabled = true\nnode_reads = 1\nescalation = 0\n\
             [run]\nwarm_up = \"{warm_up} requests\"\n"
        ));
        let writes = (0..20).map(|page| command(0, HostOp::Write, 4 * page, 4));
        let reads = (0..80).map(|read| command(0, HostOp::Read, 4 * (read % 20), 4));
        run(
            &config,
            writes.chain(reads).collect(),
            Admission::ClosedLoop { depth: 1 },
        )
    };
    let (all, half) = (output(20), output(60));
    assert_eq!(number(&all, "local.pages_corrected"), 80.0);
    assert_eq!(number(&half, "local.pages_corrected"), 40.0);
    let share = |output| number(output, "local.bus_utilization.max");
    assert!((share(&half) / share(&all) - 1.0).abs() < 0.05);
}

/// Writes to four pages in turn, in a buffer of eight: all but the first four are hits, and half of the buffer is dirty from then on.
/// The 21st write is in the buffer when measuring starts, since it was sent when the 20th was acknowledged.
#[test]
fn the_buffer_is_measured_from_the_border_too() {
    let config = drive(&format!(
        "{ONE_PLANE}[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\n[run]\nwarm_up = \"20 requests\"\n"
    ));
    let commands = (0..40)
        .map(|write| command(0, HostOp::Write, 4 * (write % 4), 4))
        .collect();
    let output = run(&config, commands, Admission::ClosedLoop { depth: 1 });
    for (key, wanted) in [
        ("buffer.write_hits", 19.0),
        ("buffer.write_misses", 0.0),
        ("buffer.hit_ratio", 1.0),
        ("buffer.dirty_pages", 4.0),
        ("buffer.dirty_share.mean", 0.5),
    ] {
        near(&output, key, wanted);
    }
}

/// The drive exports 16 x 64 x 0.4 = 409 pages: the hundredth of that is reached with the fifth page.
#[test]
fn drive_writes_are_bytes_of_the_host_over_those_of_the_drive() {
    let output = ten_writes("0.01 drive writes");
    let pages = number(&output, "ftl.user_pages");
    assert_eq!(number(&output, "warm_up.requests"), (0.01 * pages).ceil());
    near(&output, "warm_up.drive_writes", (0.01 * pages).ceil() / pages);
}

#[test]
fn a_warm_up_that_leaves_nothing_is_refused() {
    for (warm_up, words) in [
        ("10 requests", "the workload has 10 requests"),
        ("1 s", "the workload ended after 10 requests, 2.51 ms and 0.0"),
        ("1 drive writes", "the workload ended after 10 requests"),
    ] {
        let commands = (0..10)
            .map(|page| command(0, HostOp::Write, 4 * page, 4))
            .collect();
        let client = Client::alone(
            Box::new(Commands::new(commands)),
            Admission::ClosedLoop { depth: 1 },
        );
        let error = run_clients(&config(warm_up), vec![client], RunOptions::default()).unwrap_err();
        let text = error.to_string();
        assert!(error.is_input() && text.contains(words), "{text}");
        assert!(
            text.starts_with(&format!("run.warm_up = \"{warm_up}\": ")),
            "{text}"
        );
    }
}

/// Eight planes under everything that counts: collection, suspension, buffer, firmware, link, energy, codes.
fn busy(more: &str, warm_up: &str) -> RunOutput {
    let config = drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 32\npages_per_block = 32\n\
         [ftl]\nover_provisioning = 0.3\n[age]\nmethod = \"steady_state\"\n\
         [workload]\nrequests = 6000\nread_fraction = 0.3\nrequest_size = \"4 KiB\"\nqueue_depth = 8\n\
         {more}\n[output]\nrequest_log = 6000\n{warm_up}"
    ));
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    let output = wordline_drive::run(&config, Path::new("."), options, &mut |_| true)
        .unwrap_or_else(|error| panic!("{more}: {error}"));
    assert_eq!(
        output.summary.get("check.conservation"),
        Some(&Value::Flag(true)),
        "{more}"
    );
    assert!(number(&output, "check.little_residual") < 1e-12, "{more}");
    output
}

/// The measured part of a run is the end of the same run without a warm-up, request by request.
#[test]
fn nothing_happens_differently() {
    for more in [
        "[scheduler]\nmax_wait = \"5 ms\"\n[scheduler.suspension]\nprogram_suspend = \"ips\"\nerase_suspend = true\n",
        "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\nread_cache = true\n[firmware]\nenabled = true\n",
        "[host]\ninterface = \"nvme\"\nmax_transfer = \"2 KiB\"\n[ecc]\nkind = \"bch\"\n",
    ] {
        let whole = busy(more, "");
        let border = whole.requests.completed_ns[2499];
        for warm_up in ["2500 requests".to_owned(), format!("{border} ns")] {
            let measured = busy(more, &format!("[run]\nwarm_up = \"{warm_up}\"\n"));
            let before = number(&measured, "warm_up.requests") as usize;
            assert!(before >= 2500, "{before}");
            assert_eq!(number(&measured, "host.requests") as usize, 6000 - before);
            assert_eq!(
                measured.requests.completed_ns,
                whole.requests.completed_ns[before..]
            );
            assert_eq!(measured.requests.number, whole.requests.number[before..]);
            assert_eq!(measured.blocks.erase_count, whole.blocks.erase_count);
            let share = number(&measured, "host.write.bytes") / number(&whole, "host.write.bytes");
            assert!((0.5..0.65).contains(&share), "{more}: {share}");
            // flows in equal proportions: more than a part, and less than all
            for key in [
                "ftl.pages_programmed",
                "ftl.gc.victims",
                "host.page_writes",
                "nand.commands",
            ] {
                let share = number(&measured, key) / number(&whole, key);
                assert!((0.4..0.8).contains(&share), "{more}: {key}: {share}");
            }
        }
    }
}

/// A fresh drive is fast until collection begins: that is what `auto` cuts off, and the second run is the one in which the
/// same time is given.
#[test]
fn auto_cuts_off_what_comes_before_collection() {
    let text = |warm_up: &str| {
        drive(&format!(
            "{ONE_PLANE}[workload]\nrequests = 20000\nrequest_size = \"2 KiB\"\nqueue_depth = 4\n{warm_up}"
        ))
    };
    let run = |config: &Config, phases: &mut Vec<Phase>| {
        wordline_drive::run(config, Path::new("."), RunOptions::default(), &mut |at| {
            if phases.last() != Some(&at.phase) {
                phases.push(at.phase);
            }
            true
        })
        .unwrap_or_else(|error| panic!("{error}"))
    };
    let mut phases = Vec::new();
    let whole = run(&text(""), &mut phases);
    let auto = run(&text("[run]\nwarm_up = \"auto\"\n"), &mut phases);
    assert_eq!(auto.summary.get("warm_up.found"), Some(&Value::Flag(true)));
    // the first 600 writes or so find free blocks
    let cut = number(&auto, "warm_up.requests");
    assert!((600.0..5_000.0).contains(&cut), "{cut}");
    assert!(number(&auto, "ftl.write_amplification") > number(&whole, "ftl.write_amplification"));
    let ns = (number(&auto, "warm_up.time_s") * 1e9).round();
    let given = run(&text(&format!("[run]\nwarm_up = \"{ns} ns\"\n")), &mut phases);
    assert_eq!(given.requests.completed_ns, auto.requests.completed_ns);
    assert_eq!(number(&given, "host.iops"), number(&auto, "host.iops"));
    assert!(!auto.notes.iter().any(|note| note.key == "never_steady"));
}

/// The note on drift is about what was measured: of 1,600 writes to a fresh drive some 600 of the first half find free
/// blocks, and after 800 of them nothing changes.
#[test]
fn drift_within_the_warm_up_is_no_drift() {
    let drifted = |warm_up: &str| {
        let config = drive(&format!(
            "{ONE_PLANE}[workload]\nrequests = 1600\nrequest_size = \"2 KiB\"\nqueue_depth = 4\n{warm_up}"
        ));
        let output =
            wordline_drive::run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
        output.notes.iter().any(|note| note.key == "drift")
    };
    assert!(drifted(""));
    assert!(!drifted("[run]\nwarm_up = \"800 requests\"\n"));
}

#[test]
fn auto_says_where_no_steady_state_was_found() {
    let config = drive(&format!(
        "{ONE_PLANE}[workload]\nrequests = 700\nrequest_size = \"2 KiB\"\n[run]\nwarm_up = \"auto\"\n"
    ));
    let output = wordline_drive::run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
    assert_eq!(output.summary.get("warm_up.found"), Some(&Value::Flag(false)));
    assert!(output.notes.iter().any(|note| note.key == "never_steady"));
    // half of the time
    let share = number(&output, "warm_up.time_s")
        / (number(&output, "warm_up.time_s") + number(&output, "sim.time_s"));
    assert!((share - 0.5).abs() < 0.01, "{share}");
}

#[test]
fn an_interrupted_warm_up_gives_no_figures() {
    let config = drive(&format!(
        "{ONE_PLANE}[workload]\nrequests = 1000000\nrequest_size = \"2 KiB\"\n[run]\nwarm_up = \"900000 requests\"\n"
    ));
    let error = wordline_drive::run(&config, Path::new("."), RunOptions::default(), &mut |at| {
        at.phase != Phase::Simulating
    })
    .unwrap_err();
    assert!(matches!(error, RunError::Interrupted), "{error}");
}

fn jobs(text: &str) -> RunOutput {
    let config = drive(ONE_PLANE);
    let text =
        format!("[global]\nfilename=/dev/nvme0n1\ndirect=1\nioengine=libaio\nbs=2k\nsize=256k\n{text}");
    let clients =
        fio_clients(&text, "job.fio", &FioDrive::plain(512), 1).unwrap_or_else(|error| panic!("{error}"));
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run_clients(&config, clients, options).unwrap_or_else(|error| panic!("{error}"))
}

/// A command each millisecond: 20 in the ramp, and 30 in the runtime, which begins when the ramp is over.
#[test]
fn a_ramp_time_starts_measuring_and_prolongs_the_runtime() {
    let output = jobs("[a]\nrw=randread\nrate_iops=1000\ntime_based\nruntime=30ms\nramp_time=20ms\n");
    near(&output, "warm_up.time_s", 0.02);
    assert_eq!(number(&output, "warm_up.requests"), 20.0);
    assert!((30..=31).contains(&(number(&output, "host.requests") as u64)));
    // of several jobs the longest ramp counts, from the start of its job
    let output = jobs(
        "[a]\nrw=randread\nrate_iops=1000\nramp_time=20ms\n[b]\nrw=randread\nrate_iops=1000\nstartdelay=10ms\nramp_time=15ms\n",
    );
    near(&output, "warm_up.time_s", 0.025);
}

/// A command each millisecond: of 30 ms of the second job the first 10 are its ramp, which its own figures leave out; those of the run have all commands.
#[test]
fn a_ramp_behind_a_stonewall_is_left_out_of_the_figures_of_its_job() {
    let job = "rw=randread\nrate_iops=1000\ntime_based\nruntime=20ms\n";
    let output = jobs(&format!(
        "[warm]\n{job}[measure]\n{job}stonewall\nramp_time=10ms\n"
    ));
    assert_eq!(number(&output, "host.requests"), 21.0 + 31.0);
    assert_eq!(number(&output, "tenants.warm.all.count"), 21.0);
    assert_eq!(number(&output, "tenants.measure.all.count"), 21.0);
    let alone = jobs(&format!(
        "[warm]\n{job}[measure]\n{job}wait_for=warm\nramp_time=10ms\n"
    ));
    assert_eq!(number(&alone, "tenants.measure.all.count"), 21.0);
}

/// Five commands in each interval of 5 ms; four intervals make the window. The first command of an interval comes when it
/// begins, and takes 71 us or less.
#[test]
fn a_steady_state_ends_a_job() {
    let steady = "ss=iops:1%\nss_dur=20ms\nss_interval=5ms\n";
    let job = format!("[a]\nrw=randread\nrate_iops=1000\ntime_based\nruntime=1s\n{steady}");
    let output = jobs(&job);
    assert_eq!(number(&output, "host.requests"), 20.0);
    let said = output
        .notes
        .iter()
        .any(|note| note.text.contains("steadystate=iops:1% was attained after 20 ms"));
    assert!(said, "{:?}", output.notes);
    // nothing is collected in a ramp of its own
    assert_eq!(
        number(&jobs(&format!("{job}ss_ramp=10ms\n")), "host.requests"),
        30.0
    );
    // the job ends of itself before the window is full
    let short = jobs(&format!(
        "[a]\nrw=randread\nrate_iops=1000\nnumber_ios=10\n{steady}"
    ));
    assert_eq!(number(&short, "host.requests"), 10.0);
    assert!(
        short
            .notes
            .iter()
            .any(|note| note.text.contains("was not attained"))
    );
}
