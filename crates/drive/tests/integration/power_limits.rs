//! Whole drives with a limit of power, idle states and DRAM against closed forms.

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_units::{ByteSize, Duration, Power};
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

/// Four channels of one die and plane; a program takes 500 us and 62.5 mW, so that all dies at work take 0.25 W beside 1 W of the controller.
const SMALL: &str = "
[geometry]
channels = 4
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 64
pages_per_block = 64
page_size = \"16 KiB\"

[timing]
t_prog = \"500 us\"
t_r = \"50 us\"
t_bers = \"3 ms\"
transfer_rate = \"400 MT/s\"

[power]
supply = \"2.5 V\"
controller = \"1 W\"
channel_io = \"40 mW\"
idle = \"0.5 W\"

[output]
window = \"1 ms\"
";

/// Energy of a program, J: 2.5 V, 25 mA, 500 us.
const PROGRAM: f64 = 2.5 * 25e-3 * 500e-6;
/// Energy of an erase, J.
const ERASE: f64 = 2.5 * 25e-3 * 3e-3;
const DIES: f64 = 4.0;
const PAGE: f64 = 16_384.0;
/// Sectors of a page.
const SECTORS: u32 = 32;
/// The controller, W.
const CONTROLLER: f64 = 1.0;

fn limited(cap: Option<f64>, peak: Option<f64>) -> Config {
    let mut config = drive(SMALL);
    config.power.cap = cap.map(Power);
    config.power.peak = peak.map(Power);
    config
}

/// Commands of a page each, 16 at a time.
fn of_pages(config: &Config, commands: impl Iterator<Item = (HostOp, u64)>) -> RunOutput {
    let commands = commands.map(|(op, page)| command(0, op, page * u64::from(SECTORS), SECTORS));
    run(config, commands.collect(), Admission::ClosedLoop { depth: 16 })
}

fn writes(config: &Config, many: u64) -> RunOutput {
    of_pages(config, (0..many).map(|page| (HostOp::Write, page)))
}

fn bytes_per_second(output: &RunOutput) -> f64 {
    number(output, "host.bandwidth_mb_s") * 1e6
}

/// Highest energy of any second of the windows, J.
fn most_of_a_second(output: &RunOutput) -> f64 {
    let series = &output.time_series;
    let joules: Vec<f64> = series
        .power_mw
        .iter()
        .zip(&series.width_ns)
        .map(|(power, width)| power / 1e3 * Duration(*width).as_secs())
        .collect();
    let windows = joules.windows(1_000.min(joules.len()));
    windows.map(|window| window.iter().sum()).fold(0.0, f64::max)
}

/// Steady writes in order come to min(unlimited, (C - P0) / energy of a byte), to 1 %: with caps that bind by much and by little, and one that does not.
#[test]
fn steady_writes_come_to_the_closed_form() {
    const MANY: u64 = 8_000;
    let unlimited = bytes_per_second(&writes(&limited(None, None), MANY));
    // the bus takes 16 KiB at 400 MB/s for each page, at 40 mW
    let of_byte = (PROGRAM + 40e-3 * PAGE / 400e6) / PAGE;
    for cap in [1.02, 1.05, 1.1, 1.2, 1.3] {
        let output = writes(&limited(Some(cap), None), MANY);
        let expected = unlimited.min((cap - CONTROLLER) / of_byte);
        let found = bytes_per_second(&output);
        assert!(
            (found / expected - 1.0).abs() < 0.01,
            "{cap} W: {found}, not {expected}"
        );
        let most = most_of_a_second(&output);
        assert!(most <= cap + DIES * ERASE, "{cap} W: {most} J in a second");
        let second = number(&output, "power.max_second_mw") / 1e3;
        assert!(
            (second - most.max(second)).abs() <= 1e-3,
            "{second} W and {most} J"
        );
    }
}

/// A cap changes nothing where the drive cannot reach it, nor where it only reads.
#[test]
fn a_cap_that_does_not_bind_changes_nothing() {
    let free = writes(&limited(None, None), 500);
    let roomy = writes(&limited(Some(1.5), Some(1.6)), 500);
    assert_eq!(latencies(&free), latencies(&roomy));
    assert_eq!(roomy.summary.number("power.limit.time_s"), None, "it cannot bind");
    let of_reads = |cap| {
        let mut config = limited(cap, None);
        config.age.method = wordline_ftl::AgeMethod::Overwritten;
        of_pages(&config, (0..2_000).map(|page| (HostOp::Read, page)))
    };
    let (free, capped) = (of_reads(None), of_reads(Some(1.01)));
    assert_eq!(latencies(&free), latencies(&capped));
    assert_eq!(number(&capped, "power.limit.waits"), 0.0);
}

/// The peak leaves room for so many programs at once, each of which takes its transfer and its array: throughput is that of so many dies, to 2 %.
#[test]
fn the_peak_lets_so_many_programs_work_at_once() {
    let buses = 4.0 * 40e-3;
    for dies in [1, 2, 3] {
        let peak = CONTROLLER + buses + f64::from(dies) * 62.5e-3 + 1e-3;
        let output = writes(&limited(None, Some(peak)), 2_000);
        let expected = f64::from(dies) * PAGE / (500e-6 + PAGE / 400e6);
        let found = bytes_per_second(&output);
        assert!(
            (found / expected - 1.0).abs() < 0.02,
            "{dies}: {found}, not {expected}"
        );
    }
}

/// What writes wait for is said: most of their response time under a tight cap, nothing without.
#[test]
fn response_times_say_what_the_limit_held_back() {
    let tight = writes(&limited(Some(1.03), None), 1_000);
    let held = number(&tight, "attribution.write.power_limit_us");
    let mean = number(&tight, "host.write.latency.mean_us");
    assert!(held > 0.7 * mean && held < mean, "{held} of {mean}");
    assert!(number(&tight, "power.limit.share") > 0.9);
    let mut buffered = limited(Some(1.03), None);
    buffered.buffer = drive("[buffer]\npolicy = \"lru\"\nsize = \"1 MiB\"").buffer;
    let buffered = writes(&buffered, 1_000);
    let held = number(&buffered, "attribution.write.power_limit_us");
    let mean = number(&buffered, "host.write.latency.mean_us");
    assert!(held > 0.5 * mean, "{held} of {mean}");
    let free = writes(&limited(None, None), 1_000);
    assert!(
        free.summary
            .number("attribution.write.power_limit_us")
            .unwrap_or(0.0)
            == 0.0
    );
}

/// A warm-up that ends in the middle leaves the budget as it is: the closed form holds behind it.
#[test]
fn the_budget_goes_on_when_counting_begins_anew() {
    let mut config = limited(Some(1.05), None);
    config.run = drive("[run]\nwarm_up = \"1000 requests\"").run;
    let output = writes(&config, 5_000);
    let expected = 0.05 / ((PROGRAM + 40e-3 * PAGE / 400e6) / PAGE);
    let found = bytes_per_second(&output);
    assert!((found / expected - 1.0).abs() < 0.01, "{found}, not {expected}");
}

/// A drive of 1 W with PS3 after 100 ms and PS4 after 500 ms.
fn sleeping(sleeps: bool) -> Config {
    let states = "ps3 = \"40 mW\"\nps3_after = \"100 ms\"\nps4 = \"5 mW\"\nps4_after = \"500 ms\"\n";
    let text = SMALL.replace("[output]", &format!("{states}[output]"));
    drive(if sleeps { &text } else { SMALL })
}

/// Writes of a page at these moments, ms.
fn at(config: &Config, moments: &[u64]) -> RunOutput {
    let commands = moments.iter().enumerate().map(|(page, ms)| HostCommand {
        arrival: wordline_units::SimTime(ms * 1_000_000),
        ..command(0, HostOp::Write, page as u64 * u64::from(SECTORS), SECTORS)
    });
    replay(config, commands.collect())
}

/// The first command after a pause pays for the way out of the state that the drive is in: 1.2 ms out of PS3, 9.5 ms out of PS4, 2 ms and 1.2 ms where it is just on its way to PS3; the ledger
/// has the power of the states.
#[test]
fn the_first_command_after_a_pause_pays_for_waking() {
    let moments = [0, 50, 350, 1_350, 1_350, 1_461];
    let (awake, asleep) = (at(&sleeping(false), &moments), at(&sleeping(true), &moments));
    let paid: Vec<i64> = latencies(&asleep)
        .iter()
        .zip(latencies(&awake))
        .map(|(with, without)| *with as i64 - without as i64)
        .collect();
    let us = 1_000;
    assert_eq!(paid[..5], [0, 0, 1_200 * us, 9_500 * us, 9_500 * us]);
    // it has had nothing to do for 111 ms less 9.5 ms and a program: it has been on its way for 0.9 of 2 ms
    assert!((2_200 * us..2_400 * us).contains(&paid[5]), "{paid:?}");
    assert_eq!(number(&asleep, "power.wakes"), 3.0);
    // 300 ms less 102 ms and the program; 1 s less 500.5 ms and a program
    let (first, second) = (
        number(&asleep, "power.ps3.time_s"),
        number(&asleep, "power.ps4.time_s"),
    );
    assert!((first - (0.3 - 0.102 + 0.5005 - 0.102)).abs() < 3e-3, "{first}");
    assert!((second - 0.4995).abs() < 3e-3, "{second}");
    let states = number(&asleep, "energy.idle_states_mj");
    assert!((states - (first * 40.0 + second * 5.0)).abs() < 1e-6, "{states}");
    let saved = number(&awake, "energy.total_mj") - number(&asleep, "energy.total_mj");
    let expected = (first + second) * 500.0
        - states
        - (number(&asleep, "sim.time_s") - number(&awake, "sim.time_s")) * 500.0;
    assert!((saved - expected).abs() < 2.0, "{saved} mJ, not {expected} mJ");
    let waking = number(&asleep, "attribution.write.wake_us") * moments.len() as f64;
    let sum: i64 = paid.iter().sum();
    assert!((waking * 1e3 - sum as f64).abs() < 100.0, "{waking} {paid:?}");
    let series: f64 = asleep
        .time_series
        .power_mw
        .iter()
        .zip(&asleep.time_series.width_ns)
        .map(|(mw, ns)| mw * Duration(*ns).as_secs())
        .sum();
    assert!((series - number(&asleep, "energy.total_mj")).abs() < 1e-6 * series);
}

/// Closed loops never pause: idle states change nothing.
#[test]
fn a_closed_loop_does_not_sleep() {
    let runs = [false, true].map(|sleeps| writes(&sleeping(sleeps), 1_000));
    assert_eq!(latencies(&runs[0]), latencies(&runs[1]));
    assert_eq!(number(&runs[1], "power.wakes"), 0.0);
}

/// 2 GiB at 100 mW each, and 50 pJ for each byte of the host and each that a channel moves: reads and writes of 1,000 pages, to 1 % as commands on the bus count as data.
#[test]
fn the_dram_takes_power_by_its_size_and_by_the_bytes() {
    let mut config = limited(None, None);
    config.power.dram_size = Some(ByteSize(2 << 30));
    config.power.dram_per_gib = Power(0.1);
    config.power.dram_per_byte.0 = 50e-12;
    config.age.method = wordline_ftl::AgeMethod::Overwritten;
    let output = of_pages(&config, (0..1_000).map(|page| (HostOp::Read, page)));
    let found = number(&output, "energy.dram_mj") / 1e3;
    let expected = 0.2 * number(&output, "sim.time_s") + 2.0 * 1_000.0 * PAGE * 50e-12;
    assert!(
        (found / expected - 1.0).abs() < 0.01,
        "{found} J, not {expected} J"
    );
    assert!(found > 0.2 * number(&output, "sim.time_s"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Writes anywhere on a full drive, with collection and its erases, any cap: no second takes more than the cap and what an operation of each die takes, twice: one may be in the
    /// budget, and one at work when the second begins, as the ledger charges what ends.
    #[test]
    fn no_second_takes_more_than_the_cap(cap in 1.03..1.3_f64, pages in prop::collection::vec(0_u64..3_000, 1_000..3_000)) {
        let mut config = limited(Some(cap), None);
        config.age.method = wordline_ftl::AgeMethod::Overwritten;
        let output = of_pages(&config, pages.into_iter().map(|page| (HostOp::Write, page)));
        let most = most_of_a_second(&output);
        prop_assert!(most <= cap + 2.0 * DIES * ERASE, "{most} J in a second of {cap} W");
    }
}
