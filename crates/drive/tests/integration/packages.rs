//! Controllers in packages (`[ftl.local]`): times worked by hand, moves that leave the channel alone, and random drives under the audit.

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

/// Two channels of one package of two dies; pages of 2 KiB, reads of 20 µs, programs of 200 µs, a byte in 25 ns.
const SMALL: &str = "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 1\nblocks_per_plane = 16\n\
                     pages_per_block = 16\npage_size = \"2 KiB\"\n[timing]\nt_r = \"20 us\"\nt_prog = \"200 us\"\nt_bers = \"1500 us\"\n";

fn with(more: &str) -> Config {
    drive(&format!("{SMALL}{more}"))
}

/// A page is written and read again later.
fn write_and_read(config: &Config) -> Vec<u64> {
    let commands = vec![
        command(0, HostOp::Write, 0, 4),
        command(10_000_000, HostOp::Read, 0, 4),
    ];
    latencies(&replay(config, commands))
}

/// A write takes the work of the package's controller besides (3,000 cycles of 10 ns); a read that, and for each node a command of 7 cycles of 25 ns, a read of 20 µs,
/// 2 KiB of 25 ns a byte on the bus of the package, 2 µs and as many bytes in its codec, and 2,500 cycles.
#[test]
fn look_ups_take_what_their_steps_take() {
    let without = write_and_read(&with(""));
    for nodes in [0, 1, 3, 7] {
        let config = with(&format!(
            "[ftl.local]\nenabled = true\nnode_reads = {nodes}\nescalation = 0\n"
        ));
        let found = write_and_read(&config);
        assert_eq!(found[0] - without[0], 30_000);
        let node = 7 * 25 + 20_000 + 2_048 * 25 + 2_000 + 2_048 * 25 + 25_000;
        assert_eq!(found[1] - without[1], 30_000 + nodes * node, "{nodes} nodes");
    }
    // bus and codec of the package at twice the rate of the channel
    let config = with(
        "[ftl.local]\nenabled = true\nnode_reads = 1\nescalation = 0\nbus_rate = \"80 MT/s\"\ndecode_rate = \"80 MT/s\"\n",
    );
    let node = 7 * 25 + 20_000 + 2_048 * 25 / 2 + 2_000 + 2_048 * 25 / 2 + 25_000;
    assert_eq!(write_and_read(&config)[1] - without[1], 30_000 + node);
}

/// Page-sized writes to the lower half of the drive, at random, as many as fill it `times` times.
fn overwrites(times: u64) -> Vec<HostCommand> {
    let pages = 4 * 16 * 16 * 3 / 4;
    let mut state = 1_u64;
    (0..pages * times)
        .map(|count| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let page = if count < pages {
                count
            } else {
                (state >> 33) % pages
            };
            command(0, HostOp::Write, page * 4, 4)
        })
        .collect()
}

fn overwritten(more: &str) -> RunOutput {
    let config = with(&format!(
        "{more}[ftl]\nover_provisioning = 0.3\n[allocation]\nmode = \"static\"\n"
    ));
    run(&config, overwrites(6), Admission::ClosedLoop { depth: 4 })
}

/// Seconds that the channels were busy.
fn channel_time(output: &RunOutput) -> f64 {
    number(output, "nand.channel_utilization") * number(output, "sim.time_s")
}

/// What is moved leaves the channels to the host: they are as busy as in a drive without collection. Where the codec of the package corrects nothing, each page crosses
/// the channel twice as in a conventional drive.
#[test]
fn moves_leave_the_channel_alone() {
    let conventional = overwritten("");
    let local = "[ftl.local]\nenabled = true\nescalation = ";
    let inside = overwritten(&format!("{local}0\n"));
    let outside = overwritten(&format!("{local}1\n"));
    let writes = number(&inside, "ftl.pages_programmed.host");
    let moves = number(&inside, "ftl.pages_programmed.gc");
    assert!(moves > 0.2 * writes, "{moves}");
    // command and data of each host page, on two channels
    let write = (7.0 * 25.0 + 2_048.0 * 25.0) * 1e-9;
    let expected = writes * write / 2.0;
    assert!((channel_time(&inside) / expected - 1.0).abs() < 1e-6);
    // some were overwritten while they were moved, and not programmed
    assert_eq!(
        number(&inside, "local.pages_corrected"),
        number(&inside, "ftl.pages_read.gc")
    );
    assert_eq!(number(&inside, "local.pages_escalated"), 0.0);
    assert!(number(&inside, "local.utilization.mean") > 0.0);
    assert!(number(&inside, "local.bus_utilization.max") >= number(&inside, "local.bus_utilization.mean"));
    assert_eq!(number(&outside, "local.pages_corrected"), 0.0);
    let per_write = |output| channel_time(output) / number(output, "ftl.pages_programmed.host");
    let moved =
        |output| number(output, "ftl.pages_programmed.gc") / number(output, "ftl.pages_programmed.host");
    let read = |output| number(output, "ftl.pages_read.gc") / number(output, "ftl.pages_programmed.host");
    // command and data of each page that is moved, twice; the erase is inside
    let wanted = write / 2.0 * (1.0 + moved(&outside) + read(&outside));
    assert!((per_write(&outside) / wanted - 1.0).abs() < 1e-6);
    assert!(per_write(&conventional) > per_write(&inside));
    // collection chooses the same blocks: it makes as much of it
    let (inside, conventional) = (moved(&inside), moved(&conventional));
    assert!(
        (inside / conventional - 1.0).abs() < 0.05,
        "{inside} {conventional}"
    );
}

/// A drive without local controllers has no figures of them.
#[test]
fn other_drives_say_nothing_of_packages() {
    assert!(overwritten("").summary.number("local.utilization.mean").is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever their packages are like, audited drives do what the host asks.
    #[test]
    fn any_packages_work(
        nodes in 0_u32..8, cores in 1_u32..4, escalation in 0.0_f64..0.5, planes in 1_u32..3, pool in 0_usize..2, mode in 0_usize..3,
        firmware in any::<bool>(), joined in any::<bool>(), buffer in any::<bool>(), seed in any::<u32>(),
    ) {
        let pool = ["plane", "die"][pool];
        let mode = ["foreground", "preemptible", "partial"][mode];
        let buffer = if buffer { "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\n" } else { "" };
        let text = format!(
            "seed = {seed}\n[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 2\nplanes_per_die = {planes}\nblocks_per_plane = 16\n\
             pages_per_block = 16\npage_size = \"4 KiB\"\n[commands]\nmulti_plane_write = {:?}\n[ftl]\nover_provisioning = 0.4\n[ftl.gc]\npool = \"{pool}\"\nmode = \"{mode}\"\nhard = 2.0\nlow = 4.0\nhigh = 4.0\n\
             [firmware]\nenabled = {firmware}\n{buffer}[ftl.local]\nenabled = true\nnode_reads = {nodes}\ncores = {cores}\nescalation = {escalation}\n",
            if joined { "blind" } else { "off" },
        );
        let config = drive(&text);
        let pages = u64::from(8 * planes * 16 * 16) / 2;
        let mut state = u64::from(seed);
        let commands = (0..3 * pages).map(|count| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let page = (state >> 33) % pages;
            let op = if state >> 20 & 3 == 0 { HostOp::Read } else { HostOp::Write };
            command(count * 20_000, op, page * 8, 8)
        });
        let output = run(&config, commands.collect(), Admission::ClosedLoop { depth: 16 });
        prop_assert_eq!(number(&output, "host.requests"), (3 * pages) as f64);
    }
}
