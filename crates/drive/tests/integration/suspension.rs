//! Suspension in whole drives: worked examples of the specification through the scheduler, what every
//! policy must have in common, and refusals.

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::RunOutput;

use crate::common::{command, drive, latencies, number, replay, run};
use proptest::prelude::*;
use wordline_metrics::Part;
use wordline_units::Seed;
use wordline_workload::{Admission, HostCommand, HostOp};

const US: u64 = 1_000;
/// Long after everything before.
const LATER: u64 = 1_000_000 * US;

/// The MLC part of Wu and He, one plane: commands cost nothing, a page takes 40 us over the bus.
const MLC: &str = "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                   blocks_per_plane = 16\npages_per_block = 8\npage_size = \"4 KiB\"\n\
                   [timing]\nt_r = \"25 us\"\nt_prog = \"660 us\"\nt_bers = \"3324 us\"\n\
                   transfer_rate = \"102.4 MT/s\"\nt_cad = \"0 ns\"\nprogram_iterations = 15\nt_verify = \"24 us\"\n\
                   [ftl]\nover_provisioning = 1.0\n";

fn pes(keys: &str) -> Config {
    drive(&format!(
        "{MLC}[nand]\nsuspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\n{keys}"
    ))
}

/// Page 0 is written; later a write of page 1, whose array step begins at `LATER`, and a read of page 0
/// `at` us after that.
fn write_and_read(config: &Config, at: u64) -> RunOutput {
    let bus = 40 * US;
    let commands = vec![
        command(0, HostOp::Write, 0, 8),
        command(LATER - bus, HostOp::Write, 8, 8),
        command(LATER + at * US, HostOp::Read, 0, 8),
    ];
    replay(config, commands)
}

/// When the program of example W ends, counted from its start, and how long the read takes, in us.
#[track_caller]
fn example_w(config: &Config, at: u64, program_ends: u64, read_takes: u64) -> RunOutput {
    let output = write_and_read(config, at);
    let taken: Vec<u64> = latencies(&output)[1..].iter().map(|ns| ns / US).collect();
    assert_eq!(taken, [40 + program_ends, read_takes]);
    output
}

/// Mean time of the writes that a part took, in us.
fn of_writes(output: &RunOutput, part: Part) -> f64 {
    output
        .summary
        .number(&format!("attribution.write.{}_us", part.name()))
        .unwrap_or(0.0)
        * number(output, "host.write.count")
}

#[test]
fn w1_to_w5_through_the_scheduler() {
    example_w(&pes("program_suspend = \"ips\""), 50, 728, 79);
    let output = example_w(&pes(""), 50, 762, 69);
    // two programs; one was away for 65 us and lost 37
    assert_eq!(of_writes(&output, Part::Array), 2.0 * 660.0);
    assert_eq!(of_writes(&output, Part::Suspended), 65.0);
    assert_eq!(of_writes(&output, Part::SuspensionOverhead), 37.0);
    assert_eq!(number(&output, "suspension.program.suspensions"), 1.0);
    assert_eq!(number(&output, "suspension.program.share"), 0.5);
    assert_eq!(number(&output, "suspension.program.added.mean_us"), 102.0);
    assert_eq!(number(&output, "suspension.reads_ahead"), 1.0);
    assert_eq!(number(&output, "suspension.reads_saved.mean_us"), 660.0 - 54.0);
    // 14 us of the phase are left out; reset and reload cost 7
    let output = example_w(&pes("redo = \"never\""), 50, 718, 69);
    assert_eq!(of_writes(&output, Part::Array), 2.0 * 660.0 - 14.0);
    assert_eq!(of_writes(&output, Part::SuspensionOverhead), 7.0);
    assert_eq!(number(&output, "suspension.skipped.mean_us"), 14.0);
    assert_eq!(number(&output, "suspension.program.overhead.mean_us"), 7.0);
    example_w(&pes(""), 70, 738, 69);
    example_w(&pes(""), 61, 728, 68);
    let last = example_w(&pes("program_suspend = \"ips\""), 650, 660, 75);
    assert_eq!(number(&last, "suspension.program.suspensions"), 0.0);
}

/// A read that comes while the data of a write go in: the write starts anew from the shadow buffer.
#[test]
fn data_in_is_not_suspended() {
    let commands = vec![
        command(0, HostOp::Write, 0, 8),
        command(LATER, HostOp::Write, 8, 8),
        command(LATER + 10 * US, HostOp::Read, 0, 8),
    ];
    let taken = latencies(&replay(&pes(""), commands));
    assert_eq!(taken[1..], [(40 + 65 + 3 + 660) * US, (30 + 65) * US]);
}

#[test]
fn without_a_shadow_buffer_the_data_cross_the_bus_again() {
    let mut config = pes("");
    config.nand.shadow_buffer = false;
    // 40 us in place of 3
    let output = example_w(&config, 50, 762 + 37, 69);
    assert_eq!(of_writes(&output, Part::SuspensionOverhead), 37.0 + 37.0);
}

/// A read of the page that is being programmed: from the shadow buffer, without sensing.
#[test]
fn new_data_come_from_the_shadow_buffer() {
    let commands = |op| {
        vec![
            command(0, HostOp::Write, 0, 8),
            command(LATER - 40 * US, HostOp::Write, 8, 8),
            command(LATER + 50 * US, op, 8, 8),
        ]
    };
    let taken = latencies(&replay(&pes(""), commands(HostOp::Read)));
    // reset, shadow to page buffer, out; back, verify, the phase again and its verify
    assert_eq!(taken[2], (4 + 3 + 40) * US);
    assert_eq!(taken[1], (40 + 54 + 43 + 3 + 24 + 20 + 24 + 572) * US);
    // one that could not be suspended any more is read from the array after it
    let mut ips = commands(HostOp::Read);
    ips[2] = command(LATER + 650 * US, HostOp::Read, 8, 8);
    let taken = latencies(&replay(&pes("program_suspend = \"ips\""), ips));
    assert_eq!(taken[2], (10 + 65) * US);
}

#[test]
fn limits_end_the_priority_of_reads() {
    let reads = |count: u64| {
        let mut commands = vec![
            command(0, HostOp::Write, 0, 8),
            command(LATER - 40 * US, HostOp::Write, 8, 8),
        ];
        commands.extend((0..count).map(|index| command(LATER + (50 + 150 * index) * US, HostOp::Read, 0, 8)));
        commands
    };
    let suspensions = |keys: &str| {
        let output = replay(&pes(keys), reads(5));
        number(&output, "suspension.program.suspensions")
    };
    assert_eq!(suspensions("max_suspends_per_op = 2"), 2.0);
    // 102 us behind after one suspension, 0.15 of 660 us
    assert_eq!(suspensions("overhead_limit = 0.15"), 1.0);
    assert_eq!(suspensions("overhead_limit = 0.0"), 0.0);
    assert_eq!(suspensions(""), 5.0);
}

/// Writes over all pages, then single reads and writes between which everything comes to rest.
fn mixture(seed: u64, count: u64, gap: u64) -> Vec<HostCommand> {
    let pages = 60;
    let fill = (0..pages).map(|page| command(0, HostOp::Write, page * 8, 8));
    let mut at = LATER;
    let rest = (0..count).map(move |index| {
        let draw = |name: &str, below: u64| Seed(seed).draw(name, index) % below;
        at += draw("test.gap", gap);
        let op = if draw("test.op", 2) == 0 {
            HostOp::Read
        } else {
            HostOp::Write
        };
        command(at, op, draw("test.page", pages) * 8, 8)
    });
    fill.chain(rest).collect()
}

/// The read latencies of a run, ns.
fn reads(output: &RunOutput, commands: &[HostCommand]) -> Vec<u64> {
    let taken = latencies(output);
    let reads = commands
        .iter()
        .zip(taken)
        .filter(|(command, _)| command.op == HostOp::Read);
    reads.map(|(_, taken)| taken).collect()
}

/// Erases too are suspended: no read waits for one.
#[test]
fn no_read_waits_for_an_erase() {
    let commands = mixture(3, 400, 4_000 * US);
    let longest = |config: &Config| {
        let output = replay(config, commands.clone());
        let longest = reads(&output, &commands).into_iter().max();
        (longest.unwrap_or(0), output)
    };
    let (pes_longest, output) = longest(&pes(""));
    assert!(number(&output, "suspension.erase.suspensions") > 0.0);
    let mut plain = pes("program_suspend = \"none\"\nerase_suspend = false");
    let (longest_without, _) = longest(&plain);
    assert!(longest_without > 3_000 * US, "{longest_without}");
    // a read in service, data going in, a reset: far from an erase
    assert!(pes_longest < 600 * US, "{pes_longest}");
    plain.scheduler.suspension.erase_suspend = true;
    let (longest_erases, output) = longest(&plain);
    assert!(longest_erases < 3_000 * US, "{longest_erases}");
    assert_eq!(number(&output, "suspension.program.suspensions"), 0.0);
}

/// The program of a copy-back is suspended like any other, unless its data would have to be sent again: the
/// controller never had them.
#[test]
fn copy_backs_are_suspended_where_their_data_stay_in_the_part() {
    let commands = mixture(3, 2_000, 4_000 * US);
    let longest = |shadow_buffer: bool| {
        let mut config = pes("");
        config.commands.copyback = wordline_nand::Use::Blind;
        config.nand.shadow_buffer = shadow_buffer;
        let output = replay(&config, commands.clone());
        assert!(number(&output, "ftl.copy_backs") > 100.0);
        (reads(&output, &commands).into_iter().max().unwrap_or(0), output)
    };
    let (kept, output) = longest(true);
    assert!(kept < 300 * US, "{kept}");
    let (lost, without) = longest(false);
    assert!(lost > 600 * US, "{lost}");
    let suspended = |output: &RunOutput| number(output, "suspension.program.suspensions");
    assert!(suspended(&output) > suspended(&without));
}

/// Writes that may go before an erase wait less for it, whether they are bound to its unit or could go to
/// any; the erase ends later.
#[test]
fn writes_suspend_erases_while_there_is_clean_space() {
    use wordline_ftl::AllocationMode::{Dynamic, Static};
    for mode in [Static, Dynamic] {
        let commands = mixture(4, 2_000, 2_000 * US);
        let of = |keys: &str| {
            let mut config = pes(keys);
            config.allocation.mode = mode;
            config.ftl.gc.pool = wordline_ftl::Pool::Plane;
            replay(&config, commands.clone())
        };
        let (without, with) = (of(""), of("write_suspend_erase = true\nclean_watermark = 0.0"));
        let mean = |output: &RunOutput| number(output, "host.write.latency.mean_us");
        let suspended = |output: &RunOutput| number(output, "suspension.erase.suspensions");
        assert!(
            mean(&with) < mean(&without),
            "{mode:?}: {} {}",
            mean(&with),
            mean(&without)
        );
        assert!(suspended(&with) > suspended(&without), "{mode:?}");
        let never = of("write_suspend_erase = true\nclean_watermark = 1.0");
        assert_eq!(
            never.summary.reproducible().to_json(),
            without.summary.reproducible().to_json()
        );
    }
}

/// A write that can go to a unit without an erase does, unless that one is busy, too.
#[test]
fn writes_seldom_suspend_an_erase_where_another_chip_may_be_free() {
    let two_chips = MLC.replace("chips_per_channel = 1", "chips_per_channel = 2");
    let commands = mixture(6, 2_000, 4_000 * US);
    let suspended = |mode: &str| {
        let config = drive(&format!(
            "{two_chips}[ftl.gc]\npool = \"plane\"\n[allocation]\nmode = \"{mode}\"\n\
             [nand]\nsuspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n\
             [scheduler.suspension]\nwrite_suspend_erase = true\nclean_watermark = 0.0\n"
        ));
        let only_writes = commands.iter().filter(|command| command.op == HostOp::Write);
        number(
            &replay(&config, only_writes.copied().collect()),
            "suspension.erase.suspensions",
        )
    };
    let (bound, free) = (suspended("static"), suspended("dynamic"));
    assert!(free > 0.0 && 2.0 * free < bound, "{free} {bound}");
}

/// Five writes come at once and two may wait: the third goes in when the first is begun, the fourth and the fifth when the second and the third are, 802 and
/// 1502 us later. A read suspends the first program although as many writes wait as may (example W2), and the writes end when they do without a limit.
#[test]
fn a_full_write_queue_keeps_writes_at_the_door_and_changes_nothing_for_reads() {
    let mut commands = vec![command(0, HostOp::Write, 0, 8)];
    commands.extend((1..6).map(|page| command(LATER, HostOp::Write, 8 * page, 8)));
    commands.push(command(LATER + 90 * US, HostOp::Read, 0, 8));
    let run = |limit: Option<u32>| {
        let mut config = pes("");
        config.scheduler.max_writes = limit;
        let output = replay(&config, commands.clone());
        let taken: Vec<u64> = latencies(&output).iter().map(|ns| ns / US).collect();
        assert_eq!(taken, [700, 802, 1502, 2202, 2902, 3602, 69]);
        of_writes(&output, Part::HostQueue)
    };
    assert_eq!(run(None), 0.0);
    assert_eq!(run(Some(2)), 802.0 + 1502.0);
}

/// A program phase that was done again widens its page's distributions where it is told to, and nothing
/// else: the read of page 1 meets so many more errors.
#[test]
fn phases_done_again_may_bring_errors() {
    let mean = |at: u64, redo: &str, key: &str| {
        let cells = "[cell.process_variation]\nsd = 0.0\n[cell.rber]\nmodel = \"fixed\"\nrate = 1e-4\n";
        let text = format!(
            "{MLC}[nand]\nsuspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\n{redo}\
             [ecc]\nkind = \"bch\"\n{cells}{key}"
        );
        let commands = vec![
            command(0, HostOp::Write, 0, 8),
            command(LATER - 40 * US, HostOp::Write, 8, 8),
            command(LATER + at * US, HostOp::Read, 0, 8),
            command(2 * LATER, HostOp::Read, 8, 8),
        ];
        number(&replay(&drive(&text), commands), "cell.rber.mean")
    };
    let growth = "redone_phase = 0.5\n";
    let close = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    // example W2 does a phase again, W3 a verify; one of the two reads is of that page
    close(mean(50, "", growth), (1e-4 + 1.5e-4) / 2.0);
    close(mean(50, "", ""), 1e-4);
    close(mean(50, "redo = \"never\"\n", growth), 1e-4);
    close(mean(70, "", growth), 1e-4);
}

#[test]
fn reference_modes_keep_the_transfers() {
    let reference = |mode: &str| {
        let text = format!("{MLC}[scheduler]\nreference = \"{mode}\"\n");
        let taken = latencies(&write_and_read(&drive(&text), 1_000));
        [taken[1] / US, taken[2] / US]
    };
    assert_eq!(reference("none"), [700, 65]);
    assert_eq!(reference("per"), [65, 65]);
    assert_eq!(reference("pe0"), [40, 65]);
}

/// Planes that work independently are units of suspension of their own.
#[test]
fn independent_planes_do_not_wait_for_each_other() {
    let two_planes = MLC.replace("planes_per_die = 1", "planes_per_die = 2");
    let config = |keys: &str| {
        let text = "[allocation]\nmode = \"static\"\norder = \"PCWD\"\n";
        drive(&format!("{two_planes}{text}[ftl.gc]\npool = \"plane\"\n{keys}"))
    };
    // pages 0 and 1 are in planes 0 and 1
    let commands = vec![
        command(0, HostOp::Write, 0, 8),
        command(0, HostOp::Write, 8, 8),
        command(LATER, HostOp::Write, 0, 8),
        command(LATER + 100 * US, HostOp::Read, 8, 8),
    ];
    let read = |config: &Config| latencies(&replay(config, commands.clone()))[3] / US;
    assert_eq!(read(&config("")), 600 + 65);
    assert_eq!(read(&config("[nand]\nindependent_planes = true\n")), 65);
    let suspends = "suspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n";
    assert_eq!(read(&config(&format!("[nand]\n{suspends}"))), 4 + 65);
}

fn refused(toml: &str) -> String {
    match resolve(DriveSource::Text(toml), None, &[]) {
        Ok(resolved) => panic!("accepted:\n{}", resolved.toml),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_a_part_cannot_do_is_refused() {
    let pes = "[scheduler]\npolicy = \"pes\"\n";
    let part = "[nand]\nsuspend = \"program_erase\"\n";
    for (toml, words) in [
        (
            pes.to_owned(),
            &["nand.suspend", "\"none\"", "\"program_erase\""][..],
        ),
        (
            format!("{pes}[nand]\nsuspend = \"erase\"\n"),
            &["nand.suspend = \"erase\"", "\"program_erase\""],
        ),
        (
            format!("{pes}{part}suspend_style = \"vendor\"\n"),
            &["program_suspend", "\"ipc\"", "\"vendor\" or \"none\""],
        ),
        (
            format!("{pes}suspension = {{ program_suspend = \"vendor\" }}\n{part}"),
            &["program_suspend", "\"vendor\"", "\"ips\", \"ipc\""],
        ),
        (
            format!("{pes}suspension = {{ overhead_limit = -1.0 }}\n{part}"),
            &["overhead_limit = -1", "from 0"],
        ),
        (
            format!("{pes}suspension = {{ max_suspends_per_op = -1 }}\n{part}"),
            &["max_suspends_per_op = -1"],
        ),
        (
            format!("{pes}suspension = {{ program_suspend = \"sometimes\" }}\n{part}"),
            &["sometimes", "ips"],
        ),
        (
            format!("{pes}{part}[timing]\nt_vreset = \"8 us\"\n"),
            &["timing.t_vreset = 8 us", "shorter than the shortest phase"],
        ),
        (
            format!("{pes}{part}[timing]\nt_verify = \"40 us\"\n"),
            &["timing.t_verify = 40 us", "an iteration, 40 us"],
        ),
        (
            format!("{pes}{part}[timing]\nprogram_iterations = 0\n"),
            &["timing.program_iterations = 0", "at least 1"],
        ),
        (
            format!("{pes}{part}[commands]\ncache_program = true\n"),
            &["commands.cache_program = true", "half of a pair"],
        ),
        (
            "[timing]\nt_vreset = \"4 us\"\n".to_owned(),
            &["no effect", "scheduler.policy = \"pes\""],
        ),
        (
            "[scheduler]\nmax_writes = 0\n".to_owned(),
            &["scheduler.max_writes = 0"],
        ),
        (
            "[nand]\nindependent_planes = true\n[commands]\nmulti_plane_read = true\n".to_owned(),
            &["commands.multi_plane_read = true", "nand.independent_planes"],
        ),
    ] {
        let error = refused(&toml);
        for word in words {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// With everything off it is `reads_first`, event for event; with anything on, the host gets the
    /// same done.
    #[test]
    fn every_policy_does_the_same_for_the_host(seed in any::<u64>(), gap in 1_u64..1_500, depth in 1_u32..9) {
        let commands = mixture(seed, 300, gap * US);
        let of = |config: &Config| run(config, commands.clone(), Admission::OpenLoop { limit: Some(depth) });
        let rps = of(&drive(MLC));
        let nothing = of(&pes("program_suspend = \"none\"\nerase_suspend = false"));
        prop_assert_eq!(rps.summary.reproducible().to_json(), nothing.summary.reproducible().to_json());
        prop_assert_eq!(&rps.requests.completed_ns, &nothing.requests.completed_ns);
        for policy in ["fcfs", "out_of_order"] {
            let other = of(&drive(&format!("{MLC}[scheduler]\npolicy = \"{policy}\"\n")));
            prop_assert_eq!(number(&rps, "host.page_writes"), number(&other, "host.page_writes"));
        }
        for keys in ["", "program_suspend = \"ips\"", "write_suspend_erase = true", "redo = \"linear\""] {
            let other = of(&pes(keys));
            for key in ["host.requests", "host.page_writes", "host.read.count"] {
                prop_assert_eq!(number(&rps, key), number(&other, key));
            }
        }
    }
}

/// Where a block is collected for the whole drive, the programs of collection may go to any die, and so wait in no unit for what runs there to leave it.
#[test]
fn programs_that_may_go_anywhere_suspend_nothing() {
    let config = drive(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"2 KiB\"\n\
         [timing]\nt_prog = \"660 us\"\nprogram_iterations = 15\nt_verify = \"24 us\"\n\
         [nand]\nsuspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n\
         [scheduler.suspension]\nprogram_suspend = \"ips\"\nerase_suspend = true\n\
         [ftl]\nover_provisioning = 0.3\n[ftl.gc]\npool = \"drive\"\n",
    );
    let pages = 4 * 16 * 16 * 10 / 13;
    let of_drive = |index: u64| Seed(5).draw("test.page", index) % pages;
    let writes = |count: u64| (0..count).map(move |index| command(0, HostOp::Write, of_drive(index) * 4, 4));
    let reads = (0..400).map(|index| command(0, HostOp::Read, of_drive(index + 7) * 4, 4));
    let mixed = writes(2_000).chain(reads.flat_map(|read| [read, command(0, HostOp::Write, read.sector, 4)]));
    let output = run(&config, mixed.collect(), Admission::ClosedLoop { depth: 16 });
    assert!(number(&output, "ftl.gc.pages_moved") > 0.0);
    assert!(number(&output, "suspension.program.suspensions") > 0.0);
}
