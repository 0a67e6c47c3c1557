//! Modes of pages from end to end: times, codes, counts, states.

use std::path::PathBuf;

use wordline_config::Config;
use wordline_drive::{RunOptions, RunOutput, run as run_workload};
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;
/// Command and address of a program or read: 7 cycles of 25 ns.
const SETUP: u64 = 175;

/// The array of G. Wu (2013): pages of 4 KiB, 25 us of sensing, 100 MB/s, with the codes of table 2.2 for pages in one, two,
/// four and eight segments, and 754 us for a program of the last ("diffecc", section 2).
fn diffecc(host: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
         [timing]\nt_r = \"25 us\"\nt_prog = \"500 us\"\nt_rc = \"10 ns\"\nt_wc = \"10 ns\"\n\
         [ecc]\nkind = \"bch\"\n[ecc.bch]\nn = 34528\nk = 32800\ndecode = \"41200 ns\"\n\
         [cell.rber]\nmodel = \"fixed\"\nrate = 1e-9\n\
         [[modes]]\nname = \"n2\"\nbch = {{ n = 17264, k = 16400, decode = \"21710 ns\" }}\n\
         [[modes]]\nname = \"n4\"\nbch = {{ n = 8632, k = 8200, decode = \"11250 ns\" }}\n\
         [[modes]]\nname = \"n8\"\nt_prog = \"754 us\"\nbch = {{ n = 4316, k = 4100, decode = \"5780 ns\" }}\n\
         [ftl]\nover_provisioning = 0.6\n[ftl.modes]\npolicy = \"fixed\"\nhost = \"{host}\"\n"
    ))
}

/// The specification's table of read latencies (diffecc, section 3): transfer of a segment, then decoding of each, rounded to
/// 10 ns there.
#[test]
fn a_read_takes_as_long_as_the_mode_of_its_page() {
    for (mode, sectors, us) in [
        ("normal", 1, 107.16),
        ("normal", 8, 107.16),
        ("n2", 1, 67.19),
        ("n2", 8, 88.90),
        ("n4", 1, 46.49),
        ("n4", 4, 57.74),
        ("n4", 6, 68.99),
        ("n4", 8, 80.24),
        ("n8", 1, 35.90),
        ("n8", 2, 41.68),
        ("n8", 4, 53.24),
        ("n8", 5, 59.02),
        ("n8", 8, 76.36),
    ] {
        let commands = vec![
            command(0, HostOp::Write, 0, 8),
            command(LATER, HostOp::Read, 0, sectors),
        ];
        let output = replay(&diffecc(mode), commands);
        let found = latencies(&output);
        let program = if mode == "n8" { 754_000 } else { 500_000 };
        assert_eq!(found[0], SETUP + 40_960 + program, "{mode}");
        assert!(
            (found[1] as f64 - (SETUP as f64 + us * 1e3)).abs() <= 10.0,
            "{mode} {sectors}: {found:?}"
        );
        // only what was asked for is transferred, and of its decoding is waited for what transfers do not hide
        let (segments, decode) = match mode {
            "normal" => (1, 41_200),
            "n2" => (2, 21_710),
            "n4" => (4, 11_250),
            _ => (8, 5_780),
        };
        let (wanted, segment) = ((sectors * segments).div_ceil(8), 40_960 / segments);
        for (part, ns) in [
            ("array", 25_000),
            ("transfer", SETUP as u32 + wanted * segment),
            ("ecc", wanted * decode - (wanted - 1) * segment),
        ] {
            let spent = number(&output, &format!("attribution.read.{part}_us")) * 1e3;
            assert!(
                (spent - f64::from(ns)).abs() < 1e-6,
                "{mode} {sectors} {part}: {spent} for {ns}"
            );
        }
        assert_eq!(number(&output, &format!("modes.{mode}.pages_read")), 1.0);
        assert_eq!(number(&output, &format!("modes.{mode}.pages_programmed")), 1.0);
        assert_eq!(number(&output, &format!("modes.{mode}.pages_held")), 1.0);
        assert_eq!(
            number(&output, &format!("modes.{mode}.read_us")) * 1e3,
            found[1] as f64
        );
        assert_eq!(
            number(&output, &format!("modes.{mode}.program_us")) * 1e3,
            found[0] as f64
        );
        let others = ["normal", "n2", "n4", "n8"]
            .into_iter()
            .filter(|other| *other != mode);
        for other in others {
            assert_eq!(number(&output, &format!("modes.{other}.pages_programmed")), 0.0);
        }
        // the timeline says in which mode each step was
        let window = &output.timeline.window;
        let wanted = ["normal", "n2", "n4", "n8"].iter().position(|name| *name == mode);
        let on_dies = (0..window.track.len()).filter(|row| window.track[*row] == 0);
        assert!(
            on_dies
                .map(|row| usize::from(window.mode[row]))
                .all(|found| Some(found) == wanted)
        );
    }
}

/// Three writes at once on one die: the first two start while another one waits behind them, the third, and one that comes later,
/// alone. A read that comes while the fourth is programmed waits, so that a fifth write is not alone.
#[test]
fn what_is_written_alone_may_take_its_time() {
    let mut config = diffecc("normal");
    config.scheduler.policy = "fcfs".into();
    config.ftl.modes.policy = "by_load".into();
    config.ftl.modes.keys = Default::default();
    config.ftl.modes.keys.set("alone", "n8");
    let write = |at, page: u64| command(at, HostOp::Write, page * 8, 8);
    let commands = vec![
        write(0, 0),
        write(0, 1),
        write(0, 2),
        write(LATER, 3),
        write(LATER + 100_000, 4),
        command(LATER + 100_001, HostOp::Read, 0, 8),
    ];
    let output = replay(&config, commands);
    let programmed = |mode: &str| number(&output, &format!("modes.{mode}.pages_programmed"));
    assert_eq!((programmed("normal"), programmed("n8")), (3.0, 2.0));
    let found = latencies(&output);
    let program = |time: u64| SETUP + 40_960 + time;
    assert_eq!(found[0], program(500_000));
    assert_eq!(found[1], 2 * program(500_000));
    assert_eq!(found[2], 2 * program(500_000) + program(754_000));
    assert_eq!(found[3], program(754_000));
}

/// A drive of two planes that collects, with a step of its own for pages of mode `fine` and a chip.
fn collecting(rest: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 24\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [workload]\nrequests = 1500\nread_fraction = 0.3\nrequest_size = [\"2 KiB\", \"8 KiB\"]\n\
         [ftl.hot]\nclassifier = \"size_threshold\"\nthreshold = \"2 KiB\"\n{rest}"
    ))
}

const TWO: &str = "[[modes]]\nname = \"fine\"\nstep = 0.2\n[[modes]]\nname = \"fast\"\nt_prog = \"100 us\"\n\
                   [ftl.modes]\npolicy = \"by_temperature\"\nhot = \"fast\"\ncold = \"fine\"\n";

fn audited(config: &Config, save: Option<PathBuf>) -> RunOutput {
    let options = RunOptions {
        audit: true,
        save_state: save,
        ..RunOptions::default()
    };
    run_workload(config, &PathBuf::new(), options, &mut |_| true).unwrap()
}

const MODES: [&str; 3] = ["normal", "fine", "fast"];

fn of_modes(output: &RunOutput, key: &str) -> [f64; 3] {
    of_modes_named(output, MODES, key)
}

fn of_modes_named<const N: usize>(output: &RunOutput, names: [&str; N], key: &str) -> [f64; N] {
    names.map(|mode| number(output, &format!("modes.{mode}.{key}")))
}

/// Every page operation is one of a mode, hot pages are programmed in half the time and cold ones in double, and what is
/// collected is in the mode that `copies` says.
#[test]
fn hot_and_cold_pages_have_modes_of_their_own() {
    for copies in ["normal", "preserve", "fine"] {
        let output = audited(&collecting(&format!("{TWO}copies = \"{copies}\"\n")), None);
        let programmed = of_modes(&output, "pages_programmed");
        assert_eq!(
            programmed.iter().sum::<f64>(),
            number(&output, "ftl.pages_programmed")
        );
        assert_eq!(
            of_modes(&output, "pages_read").iter().sum::<f64>(),
            number(&output, "ftl.pages_read")
        );
        let held = of_modes(&output, "pages_held");
        assert_eq!(held.iter().sum::<f64>(), number(&output, "ftl.mapped_pages"));
        let moved = number(&output, "ftl.pages_programmed.gc");
        assert!(moved > 100.0 && programmed[1] > 0.0 && programmed[2] > 0.0);
        assert_eq!(
            programmed[0],
            if copies == "normal" { moved } else { 0.0 },
            "{copies}"
        );
        // 175 ns of command, 51.2 us of data, then 100 us, or 200 us times 0.4 / 0.2
        assert_eq!(number(&output, "modes.fast.program_us"), 151.375, "{copies}");
        assert_eq!(number(&output, "modes.fine.program_us"), 451.375, "{copies}");
    }
}

/// Modes that differ in nothing change nothing, neither of a run nor of an ageing in functional mode before it.
#[test]
fn equal_modes_change_nothing() {
    let equal = "[[modes]]\nname = \"same\"\n[ftl.modes]\npolicy = \"fixed\"\nhost = \"same\"\n";
    for age in ["", "[age]\nmethod = \"overwritten\"\nrandom_factor = 1.5\n"] {
        with_and_without(age, equal);
    }
}

fn with_and_without(age: &str, equal: &str) {
    let plain = audited(&collecting(age), None);
    let output = audited(&collecting(&format!("{age}{equal}")), None);
    // all that is held is in the mode that differs in its name only
    let programmed = of_modes_named(&output, ["normal", "same"], "pages_programmed");
    assert!(programmed[1] > 0.0 && number(&plain, "ftl.pages_programmed.gc") > 0.0);
    assert_eq!(programmed[0], number(&output, "ftl.pages_programmed.gc"), "{age}");
    let figures = |output: &RunOutput| -> Vec<String> {
        let keys = output.summary.iter().filter(|(key, _)| {
            ["modes.", "units.", "drive.idle.", "run."]
                .iter()
                .all(|part| !key.starts_with(part))
        });
        keys.map(|(key, value)| format!("{key} {value:?}")).collect()
    };
    assert_eq!(figures(&output), figures(&plain));
    assert_eq!(output.requests.completed_ns, plain.requests.completed_ns);
}

/// A saved drive has the modes of its pages, and a drive with other modes does not take it.
#[test]
fn modes_are_saved_with_the_drive() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let first = audited(
        &collecting(&format!("{TWO}copies = \"preserve\"\n")),
        Some(file.clone()),
    );
    let taken_up = |rest: &str| {
        let mut config = collecting(&format!(
            "{rest}[age]\nmethod = \"snapshot\"\nsnapshot = \"{}\"\n",
            file.display()
        ));
        config.workload.requests = Some(1);
        config.workload.read_fraction = 1.0;
        let options = RunOptions {
            audit: true,
            ..RunOptions::default()
        };
        run_workload(&config, &PathBuf::new(), options, &mut |_| true)
    };
    let second = taken_up(&format!("{TWO}copies = \"preserve\"\n")).unwrap();
    assert_eq!(of_modes(&second, "pages_held"), of_modes(&first, "pages_held"));
    let error = taken_up("").unwrap_err().to_string();
    assert!(error.contains("modes = [fine, fast] there, [] here"), "{error}");
}

/// Commands whose page is read again and again: a page in finer steps has fewer errors, so that it needs fewer references.
#[test]
fn a_finer_step_makes_fewer_errors() {
    let mean = |host: &str| {
        let config = drive(&format!(
            "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
             blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\ncell_type = \"mlc\"\n\
             [ecc]\nkind = \"ldpc\"\n[cell.process_variation]\nsd = 0.0\n[cell.rber]\nmodel = \"fixed\"\nrate = 5e-3\n\
             [[modes]]\nname = \"fine\"\nstep = 0.3\n[ftl]\nover_provisioning = 0.6\n\
             [ftl.modes]\npolicy = \"fixed\"\nhost = \"{host}\"\n"
        ));
        let commands: Vec<HostCommand> = (0..20)
            .map(|turn| {
                let op = if turn == 0 { HostOp::Write } else { HostOp::Read };
                command(turn * LATER, op, 0, 8)
            })
            .collect();
        number(&replay(&config, commands), "cell.rber.mean")
    };
    assert!((mean("normal") - 5e-3).abs() < 1e-12);
    assert!(mean("fine") < 2.5e-3, "{}", mean("fine"));
}
