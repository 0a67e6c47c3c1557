//! Reads of planes on their own: how long reads of one die take beside each other, what waits for the whole die, and what is refused.

use proptest::prelude::*;
use wordline_config::{Config, DriveSource, resolve};
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

const US: u64 = 1_000;
/// When everything that was written is on flash.
const LATER: u64 = 100_000 * US;
/// A page on the bus, ns: 4 KiB at 200 MB/s.
const TRANSFER: u64 = 20_480;
const T_R: u64 = 60 * US;
const T_PROG: u64 = 700 * US;

/// One die of four planes; consecutive pages are in consecutive planes.
fn die(nand: &str, more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 4\n\
         blocks_per_plane = 16\npages_per_block = 32\npage_size = \"4 KiB\"\n\
         [timing]\nt_r = \"60 us\"\nt_prog = \"700 us\"\nt_bers = \"4 ms\"\ntransfer_rate = \"200 MT/s\"\nt_cad = \"0 ns\"\n\
         [allocation]\nmode = \"static\"\norder = \"PCWD\"\n[ftl]\nover_provisioning = 0.6\n[ftl.gc]\npool = \"plane\"\n\
         [nand]\n{nand}\n{more}"
    ))
}

const ON: &str = "independent_plane_reads = true";

fn page(at: u64, op: HostOp, page: u64) -> HostCommand {
    command(at, op, page * 8, 8)
}

/// Eight pages, two in each plane, and then these.
fn after_writes(commands: &[HostCommand]) -> Vec<HostCommand> {
    let mut all: Vec<_> = (0..8).map(|number| page(0, HostOp::Write, number)).collect();
    all.extend_from_slice(commands);
    all
}

/// Response times of the commands behind the writes.
fn taken(config: &Config, commands: &[HostCommand]) -> Vec<u64> {
    latencies(&replay(config, after_writes(commands)))[8..].to_vec()
}

/// Four reads of four planes: sensed at once and moved one after the other. A die without the feature has one after the other sensed.
#[test]
fn planes_read_beside_each_other() {
    let reads: Vec<_> = (0..4).map(|number| page(LATER, HostOp::Read, number)).collect();
    let apart = die(ON, "");
    let expected: Vec<u64> = (1..=4).map(|nth| T_R + nth * TRANSFER).collect();
    assert_eq!(taken(&apart, &reads), expected);
    let one_by_one: Vec<u64> = (1..=4).map(|nth| nth * (T_R + TRANSFER)).collect();
    assert_eq!(taken(&die("", ""), &reads), one_by_one);
    let output = replay(&apart, after_writes(&reads));
    assert_eq!(number(&output, "nand.reads_beside_reads"), 3.0);
}

/// A read that comes while its die reads in another plane starts at once, one of the same plane when the data of the one before are out.
#[test]
fn a_read_waits_for_its_own_plane_only() {
    let gap = 10 * US;
    let reads = [
        page(LATER, HostOp::Read, 0),
        page(LATER + gap, HostOp::Read, 4),
        page(LATER + 2 * gap, HostOp::Read, 1),
    ];
    let alone = T_R + TRANSFER;
    // pages 0 and 4 share plane 0; the data of page 1 are ready 20 us after those of page 0, whose transfer ends 480 ns later
    assert_eq!(taken(&die(ON, ""), &reads), [alone, 2 * alone - gap, alone + 480]);
}

/// Different pages of different blocks: what a multi-plane read cannot have.
#[test]
fn addresses_need_not_be_aligned() {
    let reads = [page(LATER, HostOp::Read, 0), page(LATER, HostOp::Read, 5)];
    assert_eq!(taken(&die(ON, ""), &reads), [T_R + TRANSFER, T_R + 2 * TRANSFER]);
    let joined = die("", "[commands]\nmulti_plane_read = true");
    assert_eq!(taken(&joined, &reads), [T_R + TRANSFER, 2 * (T_R + TRANSFER)]);
}

/// A program waits until no plane of its die reads, and reads of all planes wait for it.
#[test]
fn a_program_takes_the_whole_die() {
    let gap = 10 * US;
    let commands = [
        page(LATER, HostOp::Read, 0),
        page(LATER + gap, HostOp::Write, 1),
        page(LATER + 200 * US, HostOp::Read, 2),
    ];
    let write = T_R + TRANSFER - gap + TRANSFER + T_PROG;
    let read = gap + write - 200 * US + T_R + TRANSFER;
    assert_eq!(taken(&die(ON, ""), &commands), [T_R + TRANSFER, write, read]);
}

/// While a program is suspended, the planes of its die read beside each other; then it goes on.
#[test]
fn planes_read_over_a_suspended_program() {
    let suspends = "suspend = \"program_erase\"\nsuspend_style = \"vendor\"\n\
                    vendor = { latency = \"20 us\", interval = \"0 ns\" }\n";
    let pes = "[scheduler]\npolicy = \"pes\"\n[scheduler.suspension]\nprogram_suspend = \"vendor\"\n";
    let begin = LATER + 100 * US;
    let commands = [
        page(LATER, HostOp::Write, 0),
        page(begin, HostOp::Read, 1),
        page(begin, HostOp::Read, 2),
        page(begin, HostOp::Read, 3),
    ];
    let reads = |nand: &str| taken(&die(&format!("{nand}{suspends}"), pes), &commands)[1..].to_vec();
    let leaves = 20 * US;
    let beside: Vec<u64> = (1..=3).map(|nth| leaves + T_R + nth * TRANSFER).collect();
    assert_eq!(reads(&format!("{ON}\n")), beside);
    let one_by_one: Vec<u64> = (1..=3).map(|nth| leaves + nth * (T_R + TRANSFER)).collect();
    assert_eq!(reads(""), one_by_one);
}

/// Random reads of a deep queue: planes bound by their arrays serve as many times more as there are of them, until the bus is the limit.
#[test]
fn throughput_follows_the_planes_and_the_bus() {
    let rate = |nand: &str, bus: &str| {
        let text = format!("{ON}\n");
        let aged = "[age]\nmethod = \"overwritten\"\nrandom_factor = 0.0";
        let mut config = die(if nand.is_empty() { "" } else { &text }, aged);
        config.timing.transfer_rate = Some(bus.parse().unwrap());
        let reads = 20_000_u64;
        let mixed = |nth: u64| ((nth * 2_654_435_761) >> 7) % 1_280;
        let commands = (0..reads).map(|nth| page(0, HostOp::Read, mixed(nth)));
        let output = run(&config, commands.collect(), Admission::ClosedLoop { depth: 64 });
        let last = output.requests.completed_ns.iter().max().copied().unwrap();
        reads as f64 / last as f64 * 1e9
    };
    let transfer = |mb_s: f64| 4096.0 / mb_s * 1e3;
    let close = |found: f64, wanted: f64, tolerance: f64| {
        let off = found / wanted - 1.0;
        assert!(off.abs() < tolerance, "{found} and not {wanted} reads a second");
    };
    // 1 GB/s: four planes of 60 + 4.1 us each; the bus carries four pages in 16.4 us
    close(rate("", "1000 MT/s"), 1e9 / (6e4 + transfer(1000.0)), 0.02);
    close(rate(ON, "1000 MT/s"), 4e9 / (6e4 + transfer(1000.0)), 0.12);
    // 100 MB/s: four pages take 164 us on the bus, longer than a plane needs
    close(rate(ON, "100 MT/s"), 1e9 / transfer(100.0), 0.03);
}

/// With the oldest first, a program does not wait for ever while reads of other planes keep coming.
#[test]
fn reads_make_way_for_an_older_program() {
    let dynamic = "[scheduler]\npolicy = \"out_of_order\"\nchannel_order = \"commands_first\"\n";
    let mut config = die(ON, dynamic);
    config.allocation.mode = wordline_ftl::AllocationMode::Dynamic;
    let mut commands: Vec<_> = (0..64).map(|number| page(0, HostOp::Write, number)).collect();
    // a read every 24 us, of one plane after the other, keeps three or four of four planes busy at any time
    let reads = 400;
    commands.extend((0..reads).map(|nth| page(LATER + nth * 24 * US, HostOp::Read, nth % 64)));
    let at = commands
        .iter()
        .position(|command| command.arrival.0 > LATER + 1_000 * US)
        .unwrap();
    commands.insert(at, page(LATER + 1_000 * US, HostOp::Write, 0));
    let output = replay(&config, commands);
    let write = latencies(&output)[at];
    assert!(write < T_PROG + 3 * (T_R + TRANSFER), "{write}");
}

fn refused(toml: &str) -> String {
    let found = resolve(DriveSource::Text(toml), None, &[]);
    found.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_does_not_go_with_it_is_refused_by_key() {
    let base = "[geometry]\nplanes_per_die = 2\ndies_per_chip = 1\n[nand]\nindependent_plane_reads = true\n";
    let cases = [
        (
            "",
            "[commands]\nmulti_plane_read = true",
            "commands.multi_plane_read = true",
        ),
        ("", "[commands]\ncache_read = true", "commands.cache_read = true"),
        ("independent_planes = true", "", "nand.independent_planes = true"),
        ("", "[ftl.local]\nenabled = true", "ftl.local.enabled = true"),
        (
            "",
            "[scheduler]\npolicy = \"fcfs\"",
            "scheduler.policy = \"fcfs\"",
        ),
    ];
    for (nand, more, named) in cases {
        let found = refused(&format!("{base}{nand}\n{more}"));
        assert!(found.contains(named), "{found}");
        assert!(found.contains("independent_plane_reads"), "{found}");
    }
    let one = base.replace("planes_per_die = 2", "planes_per_die = 1");
    assert!(refused(&one).contains("geometry.planes_per_die = 1"));
    let two = base.replace("dies_per_chip = 1", "dies_per_chip = 2");
    assert!(refused(&two).contains("commands.interleave = false"));
    let grain = "[commands]\ninterleave = true\n[scheduler]\nbusy_grain = \"chip\"";
    assert!(refused(&format!("{two}{grain}")).contains("scheduler.busy_grain = \"chip\""));
}

/// Reads, writes and collection of aged drives under every kind of scheduler, audited: also over suspended programs and with retries.
fn drives() -> impl Strategy<Value = (String, u64)> {
    let policy =
        prop::sample::select(&["reads_first", "out_of_order", "woo", "roo", "pv_reorder", "pes"][..]);
    (
        policy,
        2_u32..5,
        any::<[bool; 4]>(),
        0_u64..1000,
        prop::sample::select(&["", "max_wait = \"1 ms\"\n"][..]),
    )
        .prop_map(|(policy, planes, [joins, is_static, two_dies, codes], seed, wait)| {
            let mode = if is_static { "static" } else { "dynamic" };
            let write = if joins { "blind" } else { "off" };
            let dies = 1 + u32::from(two_dies);
            let suspends = match policy {
                "pes" => "suspend = \"program_erase\"\n",
                _ => "",
            };
            let code = if codes {
                "[age]\nmethod = \"overwritten\"\ninitial_cycles = 12000\n[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\nstart = 1\n"
            } else {
                "[age]\nmethod = \"overwritten\"\n"
            };
            let text = format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = {dies}\nplanes_per_die = {planes}\n\
                 blocks_per_plane = 12\npages_per_block = 16\npage_size = \"4 KiB\"\n\
                 [commands]\ninterleave = {two_dies}\nmulti_plane_write = \"{write}\"\nmulti_plane_erase = {joins}\n\
                 [allocation]\nmode = \"{mode}\"\n[ftl]\nover_provisioning = 0.5\n[ftl.gc]\npool = \"plane\"\n\
                 [nand]\nindependent_plane_reads = true\n{suspends}\
                 [scheduler]\npolicy = \"{policy}\"\n{wait}{code}"
            );
            (text, seed)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_rule_is_broken((text, seed) in drives(), depth in 1_u32..40) {
        let config = drive(&text);
        let user = u64::from(config.geometry.channels * config.geometry.dies_per_chip
            * config.geometry.planes_per_die) * 12 * 16 * 2 / 3;
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let commands = (0..600).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let op = if state >> 60 < 9 { HostOp::Read } else { HostOp::Write };
            page(0, op, (state >> 20) % user)
        });
        let output = run(&config, commands.collect(), Admission::ClosedLoop { depth });
        prop_assert!(number(&output, "nand.die_utilization_max") <= 1.0);
        if depth > 30 {
            prop_assert!(number(&output, "nand.reads_beside_reads") > 0.0);
        }
    }
}
