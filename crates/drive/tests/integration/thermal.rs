//! The temperature of whole drives against closed forms, and what throttling does to their commands.

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::{LiveDrive, RunOptions, RunOutput};
use wordline_metrics::ThermalState;
use wordline_units::{Duration, SimTime};
use wordline_workload::{Admission, HostOp};

use crate::common::{command, drive, number, replay, run};

/// Two channels of one die; the controller takes 4 W while a request is in the drive, and the drive 1 W while none is. The time constant is 100 ms.
const SMALL: &str = "
[geometry]
channels = 2
chips_per_channel = 1
planes_per_die = 1
blocks_per_plane = 64
pages_per_block = 32
page_size = \"4 KiB\"

[power]
supply = \"2.5 V\"
controller = \"4 W\"
idle = \"1 W\"

[thermal]
enabled = true
ambient = \"25 degC\"
resistance = \"10 K/W\"
capacity = \"10 mJ/K\"
step = \"100 us\"
hysteresis = \"2 K\"
tmt1 = \"200 degC\"
tmt2 = \"210 degC\"
wctemp = \"215 degC\"
cctemp = \"220 degC\"
light_rate = \"4 MB/s\"
heavy_rate = \"1 MB/s\"
";

/// The time constant of [`SMALL`], s.
const TAU: f64 = 0.1;

/// The drive with other values of `[thermal]`.
fn with(keys: &[(&str, f64)]) -> Config {
    let mut config = drive(SMALL);
    let thermal = &mut config.thermal;
    for &(key, value) in keys {
        match key {
            "tmt1" => thermal.tmt1.0 = value,
            "tmt2" => thermal.tmt2.0 = value,
            "cctemp" => thermal.cctemp.0 = value,
            "initial" => thermal.initial = Some(wordline_units::Celsius(value)),
            "light_rate" => thermal.light_rate.0 = value,
            _ => panic!("{key}"),
        }
    }
    config
}

/// So many reads of a page each, four at a time, of pages that were written before.
fn reads(config: &Config, many: u64) -> RunOutput {
    let mut config = config.clone();
    config.age.method = wordline_ftl::AgeMethod::Overwritten;
    let commands = (0..many).map(|number| command(0, HostOp::Read, number % 1_000 * 8, 8));
    run(&config, commands.collect(), Admission::ClosedLoop { depth: 4 })
}

fn time(output: &RunOutput) -> f64 {
    number(output, "sim.time_s")
}

fn watts(output: &RunOutput) -> f64 {
    number(output, "power.mean_mw") / 1e3
}

/// All energy of the run heats the drive, to 1e-9.
fn assert_heated(output: &RunOutput) {
    let table = &output.temperature;
    let joules: f64 = table
        .power_mw
        .iter()
        .zip(&table.width_ns)
        .map(|(power, width)| power / 1e3 * Duration(*width).as_secs())
        .sum();
    let total = number(output, "energy.total_mj") / 1e3;
    assert!(
        (joules - total).abs() <= 1e-9 * total,
        "{joules} J, not {total} J"
    );
}

/// The power of a steady load is constant, so the temperature rises by the step response of one resistance and one capacity: within 0.05 K after half a time constant,
/// and at the closed form's end after ten.
#[test]
fn a_steady_load_gives_the_step_response() {
    for (many, tolerance) in [(1_000, 0.05), (20_000, 0.05)] {
        let output = reads(&with(&[]), many);
        let steady = 25.0 + watts(&output) * 10.0;
        let expected = steady + (25.0 - steady) * (-time(&output) / TAU).exp();
        let found = number(&output, "thermal.temperature.end_c");
        assert!(
            (found - expected).abs() < tolerance,
            "{found} degC, not {expected} degC after {} s",
            time(&output)
        );
        assert_eq!(number(&output, "thermal.throttled_share"), 0.0);
        assert_heated(&output);
    }
}

/// A drive that is always above TMT1 serves commands at `light_rate`, one that is always above TMT2 at `heavy_rate`: to 1 %.
#[test]
fn throttled_commands_come_at_the_rate_of_their_state() {
    let light = reads(&with(&[("tmt1", 0.0)]), 2_000);
    assert!((number(&light, "host.bandwidth_mb_s") / 4.0 - 1.0).abs() < 0.01);
    let heavy = reads(&with(&[("tmt1", 0.0), ("tmt2", 1.0)]), 500);
    assert!((number(&heavy, "host.bandwidth_mb_s") - 1.0).abs() < 0.01);
    assert_eq!(number(&heavy, "thermal.throttled_share"), 1.0);
    assert_eq!(number(&heavy, "thermal.tmt2.time_s"), time(&heavy));
    assert!(number(&light, "attribution.read.throttle_us") > 500.0);
}

/// Between TMT1 and the hysteresis below it a drive heats up at full power and cools down throttled: the share of the time in which it throttles is that of two
/// exponentials, to 3 %, and a transition comes in each period, to 5 %.
#[test]
fn the_duty_cycle_is_that_of_the_closed_form() {
    let full = watts(&reads(&with(&[]), 5_000));
    let throttled = watts(&reads(&with(&[("tmt1", 0.0), ("light_rate", 2e6)]), 2_000));
    let (top, bottom) = (52.0, 50.0);
    let output = reads(
        &with(&[("tmt1", top), ("initial", bottom), ("light_rate", 2e6)]),
        20_000,
    );
    let (hot, cold) = (25.0 + 10.0 * full, 25.0 + 10.0 * throttled);
    assert!(cold < bottom && hot > top, "{cold} {hot}");
    let heating = TAU * ((hot - bottom) / (hot - top)).ln();
    let cooling = TAU * ((top - cold) / (bottom - cold)).ln();
    let expected = cooling / (heating + cooling);
    let found = number(&output, "thermal.throttled_share");
    assert!((found / expected - 1.0).abs() < 0.03, "{found}, not {expected}");
    let periods = time(&output) / (heating + cooling);
    let transitions = number(&output, "thermal.tmt1.transitions");
    assert!(
        (transitions / periods - 1.0).abs() < 0.05,
        "{transitions}, not {periods}"
    );
    let most = number(&output, "thermal.temperature.max_c");
    assert!(most > top && most < top + 0.1, "{most}");
    assert_heated(&output);
}

/// A drive that starts above CCTEMP takes up its first command when it has cooled down by 8 K: after tau ln((90 - 35) / (82 - 35)), rounded up to a step, since idle time takes 1 W.
#[test]
fn a_drive_that_is_too_warm_takes_up_no_command() {
    let mut config = with(&[
        ("tmt1", 100.0),
        ("tmt2", 101.0),
        ("cctemp", 85.0),
        ("initial", 90.0),
    ]);
    // thresholds out of order are for tests only: nothing but CCTEMP is to be looked at
    config.thermal.hysteresis.0 = 3.0;
    let output = replay(&config, vec![command(0, HostOp::Read, 0, 8)]);
    let cooled = TAU * ((90.0_f64 - 35.0) / (82.0 - 35.0)).ln();
    let expected = (cooled / 1e-4).ceil() * 1e-4;
    let found = number(&output, "thermal.held.max_us") / 1e6;
    assert!((found - expected).abs() < 1e-9, "{found} s, not {expected} s");
    assert_eq!(number(&output, "thermal.cctemp.time_s"), found);
    assert_eq!(output.temperature.state[0], ThermalState::Stopped as u8);
    assert_heated(&output);
}

/// Figures of a warm-up are forgotten, and the temperature is not.
#[test]
fn a_warm_up_warms_the_drive_up() {
    let mut config = with(&[]);
    config.run.warm_up = Some(wordline_config::WarmUp::Requests(10_000));
    let output = reads(&config, 12_000);
    assert!(number(&output, "thermal.temperature.mean_c") > 60.0);
    assert_heated(&output);
}

/// A drive on which nothing happens for an hour cools down without events, and its clock ends.
#[test]
fn a_live_drive_cools_down_while_nothing_happens() {
    let config = with(&[("initial", 120.0), ("tmt1", 70.0)]);
    let mut live = LiveDrive::new(&config, std::path::Path::new("."), RunOptions::default()).unwrap();
    live.advance_until(SimTime(3_600_000_000_000)).unwrap();
    live.inject(command(3_600_000_000_000, HostOp::Write, 0, 8), 1)
        .unwrap();
    let output = live.finish().unwrap();
    assert_eq!(number(&output, "thermal.commands_held"), 0.0);
    assert!((number(&output, "thermal.temperature.end_c") - 35.0).abs() < 0.5);
    assert!((number(&output, "thermal.tmt1.time_s") - TAU * (85.0_f64 / 33.0).ln()).abs() < 2e-4);
}

/// A drive whose power fails brings its buffer to flash at once, however slowly it takes up commands.
#[test]
fn a_drive_without_power_does_not_throttle() {
    let mut config = drive(&format!(
        "{SMALL}[buffer]\npolicy = \"lru\"\nsize = \"32 KiB\"\ncapacitor = true\n"
    ));
    config.thermal.tmt1.0 = 0.0;
    config.thermal.light_rate.0 = 40e3;
    let mut live = LiveDrive::new(&config, std::path::Path::new("."), RunOptions::default()).unwrap();
    for number in 0..20 {
        live.inject(command(0, HostOp::Write, number * 8, 8), number)
            .unwrap();
    }
    live.advance_until(SimTime(250_000_000)).unwrap();
    // a page each 102.4 ms
    assert_eq!(live.completions().len(), 3);
    let saved = live.hold_up().unwrap();
    assert!(
        saved.is_complete && saved.time < Duration::from_ms(2),
        "{saved:?}"
    );
}

/// What a drive without a temperature says is as before.
#[test]
fn a_drive_without_a_temperature_has_no_figures_of_it() {
    let mut config = with(&[]);
    config.thermal.enabled = false;
    let output = reads(&config, 100);
    assert!(output.summary.iter().all(|(key, _)| !key.starts_with("thermal.")));
    assert!(output.temperature.state.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Random thresholds and loads over a link, with a buffer, audited: every command ends, all energy heats the drive, time in states is the time of the run, and no drive is in a state below whose threshold it is.
    #[test]
    fn random_drives_keep_their_books(
        tmt1 in 25.0..60.0_f64, steps in (0.1..10.0_f64, 0.1..10.0_f64), hysteresis in 0.0..5.0_f64, initial in 20.0..80.0_f64,
        rates in (1e6..50e6_f64, 0.1..1.0_f64), ops in prop::collection::vec((0_u64..2_000_000, 0_u8..8, 0_u64..500, 1_u32..64), 1..150),
        (nvme, buffer, open) in any::<(bool, bool, bool)>(),
    ) {
        let mut text = SMALL.to_owned();
        if nvme {
            text += "[host]\ninterface = \"nvme\"\n[host.nvme]\nqueue_depth = 8\n";
        }
        if buffer {
            text += "[buffer]\npolicy = \"lru\"\nsize = \"32 KiB\"\n";
        }
        let mut config = drive(&text);
        let thermal = &mut config.thermal;
        thermal.tmt1.0 = tmt1;
        thermal.tmt2.0 = tmt1 + steps.0;
        thermal.cctemp.0 = (tmt1 + steps.0 + steps.1).max(41.0 + hysteresis);
        thermal.wctemp.0 = tmt1;
        thermal.hysteresis.0 = hysteresis;
        thermal.initial = Some(wordline_units::Celsius(initial));
        thermal.light_rate.0 = rates.0;
        thermal.heavy_rate.0 = rates.0 * rates.1;
        let mut now = 0;
        let commands: Vec<_> = ops.iter().map(|&(later, op, page, sectors)| {
            now += later;
            let op = match op {
                0..=2 => HostOp::Read,
                3..=5 => HostOp::Write,
                6 => HostOp::Trim,
                _ => HostOp::Flush,
            };
            let is_flush = op == HostOp::Flush;
            command(now, op, if is_flush { 0 } else { page * 8 }, if is_flush { 0 } else { sectors })
        }).collect();
        let many = commands.len() as f64;
        let admission = if open { Admission::OpenLoop { limit: None } } else { Admission::ClosedLoop { depth: 8 } };
        let output = run(&config, commands, admission);
        prop_assert_eq!(number(&output, "host.requests"), many);
        assert_heated(&output);
        let table = &output.temperature;
        let all: u64 = table.width_ns.iter().sum();
        prop_assert!((Duration(all).as_secs() - time(&output)).abs() < 1e-9);
        let throttled = number(&output, "thermal.tmt1.time_s") + number(&output, "thermal.tmt2.time_s") + number(&output, "thermal.cctemp.time_s");
        prop_assert!((number(&output, "thermal.throttled_share") * time(&output) - throttled).abs() < 1e-9);
        let most = number(&output, "thermal.temperature.max_c");
        for (state, threshold) in ThermalState::ALL.into_iter().skip(1).zip([tmt1, tmt1 + steps.0, config.thermal.cctemp.0]) {
            let is_entered = table.state.contains(&(state as u8));
            prop_assert!(!is_entered || most >= threshold - 1e-9, "{:?} at {}", state, most);
        }
    }
}

/// A request in the drive in part keeps the controller at work while the rest of it is held back: with 5 W at 40 degC the drive comes to 90 degC and takes up commands below 82 degC.
/// That never ends, and is said as soon as it is known.
#[test]
fn a_drive_that_never_cools_ends_with_an_error() {
    let hot = "[power]\nsupply = \"2.5 V\"\ncontroller = \"5 W\"\n\
               [thermal]\nenabled = true\nambient = \"40 degC\"\ncapacity = \"1 mJ/K\"\nstep = \"100 us\"\n[host]\ninterface = \"nvme\"\n";
    let writes = |keys: &str| {
        let config = drive(&format!("{hot}{keys}"));
        let commands = (0..1_000).map(|number| command(0, HostOp::Write, number * 32, 32));
        let client = wordline_workload::Client::alone(
            Box::new(crate::common::Commands::new(commands.collect())),
            Admission::ClosedLoop { depth: 8 },
        );
        wordline_drive::run_clients(&config, vec![client], RunOptions::default())
    };
    let error = writes("max_transfer = \"4 KiB\"\n").unwrap_err();
    assert!(error.is_input(), "{error}");
    let text = error.to_string();
    for key in [
        "power.controller",
        "thermal.ambient",
        "thermal.resistance",
        "thermal.cctemp",
        "host.max_transfer",
    ] {
        assert!(text.contains(key), "{text}");
    }
    // whole requests are outside while they are held back
    assert!(writes("").is_ok());
}
