//! Cuts the power of random drives very often and checks what was promised: `cargo run --release --package wordline-drive --example power_cuts [CUTS [MAPPING]]`
//! (FTL specification, 8.5).
//!
//! Nine of ten cuts are of drives whose steps are executed in any order; the tenth is of drives with a clock, of whose cuts only those count in which arrays of several
//! dies are at work. A broken promise is a panic that names it. The table says how
//! many cuts there were for each mapping and way of `ftl.recovery.kind`, and what was at work when the power failed.

#![allow(clippy::print_stdout, reason = "a table on standard output is what it is for")]

#[path = "../../ftl/tests/integration/common/mod.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "a part of what the tests of the FTL share"
)]
mod any_order;
#[path = "../tests/integration/common/mod.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "a part of what the tests of the drive share"
)]
mod timed;

use any_order::cuts::run_failing;
use any_order::early_cuts::{run_failing_with_deltas, run_with_units};
use any_order::setup::Setup;
use any_order::work::Random;
use timed::cut_drives::{self, Cuts};
use wordline_config::Config;
use wordline_ftl::{AllocationMode, Planes, RecoveryKind};

/// Every mapping with every way in which it is built anew; "units" is "page" with mapping units that are smaller than the page, "large units" with units of several pages, "in step" with planes that work in step, "slc cache" with an SLC cache, and "parity" is
/// "striped" with parity.
const PAIRS: [(&str, RecoveryKind); 58] = [
    ("page", RecoveryKind::None),
    ("page", RecoveryKind::OobScan),
    ("page", RecoveryKind::SummaryScan),
    ("page", RecoveryKind::CheckpointJournal),
    ("page", RecoveryKind::Delayed),
    ("units", RecoveryKind::OobScan),
    ("units", RecoveryKind::SummaryScan),
    ("units", RecoveryKind::CheckpointJournal),
    ("units", RecoveryKind::Delayed),
    ("in step", RecoveryKind::OobScan),
    ("in step", RecoveryKind::SummaryScan),
    ("in step", RecoveryKind::CheckpointJournal),
    ("in step", RecoveryKind::Delayed),
    ("slc cache", RecoveryKind::OobScan),
    ("slc cache", RecoveryKind::SummaryScan),
    ("slc cache", RecoveryKind::CheckpointJournal),
    ("slc cache", RecoveryKind::Delayed),
    ("large units", RecoveryKind::OobScan),
    ("large units", RecoveryKind::CheckpointJournal),
    ("large units", RecoveryKind::Delayed),
    ("dftl", RecoveryKind::OobScan),
    ("dftl", RecoveryKind::SummaryScan),
    ("block", RecoveryKind::OobScan),
    ("block", RecoveryKind::SummaryScan),
    ("block", RecoveryKind::CheckpointJournal),
    ("block", RecoveryKind::Delayed),
    ("bast", RecoveryKind::OobScan),
    ("bast", RecoveryKind::SummaryScan),
    ("bast", RecoveryKind::CheckpointJournal),
    ("bast", RecoveryKind::Delayed),
    ("sast", RecoveryKind::OobScan),
    ("sast", RecoveryKind::SummaryScan),
    ("sast", RecoveryKind::CheckpointJournal),
    ("sast", RecoveryKind::Delayed),
    ("fast", RecoveryKind::OobScan),
    ("fast", RecoveryKind::SummaryScan),
    ("fast", RecoveryKind::CheckpointJournal),
    ("fast", RecoveryKind::Delayed),
    ("last", RecoveryKind::OobScan),
    ("last", RecoveryKind::SummaryScan),
    ("last", RecoveryKind::CheckpointJournal),
    ("last", RecoveryKind::Delayed),
    ("superblock", RecoveryKind::OobScan),
    ("superblock", RecoveryKind::SummaryScan),
    ("superblock", RecoveryKind::CheckpointJournal),
    ("superblock", RecoveryKind::Delayed),
    ("striped", RecoveryKind::OobScan),
    ("striped", RecoveryKind::SummaryScan),
    ("striped", RecoveryKind::CheckpointJournal),
    ("striped", RecoveryKind::Delayed),
    ("parity", RecoveryKind::OobScan),
    ("parity", RecoveryKind::SummaryScan),
    ("parity", RecoveryKind::CheckpointJournal),
    ("parity", RecoveryKind::Delayed),
    ("delta", RecoveryKind::OobScan),
    ("delta", RecoveryKind::SummaryScan),
    ("delta", RecoveryKind::CheckpointJournal),
    ("delta", RecoveryKind::Delayed),
];

/// Cuts without an argument.
const CUTS: u64 = 100_000;

/// A random drive with a clock.
fn drive(seed: u64, mapping: &str, kind: RecoveryKind) -> Config {
    let mut random = Random::new(seed, "drive");
    let [is_striped, has_parity, is_delta, is_units] =
        ["striped", "parity", "delta", "units"].map(|name| mapping.ends_with(name));
    let [is_in_step, has_cache] = ["in step", "slc cache"].map(|name| mapping == name);
    let text = format!(
        "[geometry]\nchannels = {}\nchips_per_channel = {}\ndies_per_chip = {}\nplanes_per_die = {}\nblocks_per_plane = {}\n\
         pages_per_block = {}\npage_size = \"2 KiB\"\n[ftl]\n{}over_provisioning = {}\n[ftl.gc]\nmode = \"{}\"\nvictim = \"{}\"\n\
         frontier = \"{}\"\n{}[commands]\nmulti_plane_write = \"{}\"\ncopyback = \"{}\"\ncache_program = {}\n{}{}",
        if has_parity { 2 } else { random.pick(&[1, 2]) },
        random.pick(&[1, 2]),
        random.pick(&[1, 2]),
        if is_in_step { 2 } else { random.pick(&[1, 2]) },
        28 + random.below(8),
        if mapping == "large units" {
            random.pick(&[4, 8, 12, 16])
        } else {
            random.pick(&[5, 8, 12, 16])
        },
        match mapping {
            "superblock" => "mapping = \"superblock\"\nsuperblock_blocks = 4\nupdate_blocks = 2\n",
            "striped" => "mapping = \"striped\"\nspan = \"CP\"\n",
            "parity" => random.pick(&[
                "mapping = \"striped\"\nspan = \"C\"\nparity = \"fixed\"\n",
                "mapping = \"striped\"\nspan = \"CP\"\nparity = \"rotating\"\n",
                "mapping = \"striped\"\nspan = \"CP\"\nparity = \"rotating\"\npartial_superpages = \"pad\"\n",
                "mapping = \"striped\"\nspan = \"CWDP\"\nparity = \"rotating\"\npartial_superpages = \"pad\"\n",
            ]),
            "units" => random.pick(&["mapping_unit = \"512 B\"\n", "mapping_unit = \"1 KiB\"\n"]),
            "in step" => random.pick(&["", "mapping_unit = \"512 B\"\n", "mapping_unit = \"1 KiB\"\n"]),
            // recovery numbers units anew of which pages were trimmed, of which the harness does not hear
            "large units" => "mapping_unit = \"4 KiB\"\ntrim.enabled = false\n",
            "slc cache" => "slc_cache.mode = \"slc\"\n",
            "block" => "mapping = \"block\"\nreplacement_blocks = 1\n",
            "bast" => "mapping = \"bast\"\nlog_blocks = 5\n",
            "sast" => "mapping = \"sast\"\nlog_blocks = 5\ngroup_blocks = 3\n",
            "fast" => "mapping = \"fast\"\nlog_blocks = 5\n",
            "last" => "mapping = \"last\"\nlog_blocks = 5\nsequential_log_blocks = 2\nhot_window = 40\n",
            "dftl" => "mapping = \"dftl\"\nentry_bytes = 64\ncached_entries = 64\n",
            "delta" =>
                "mapping = \"delta\"\ndelta = { ratio = 0.2, gate = \"open\", read_hot_threshold = 4, counted_pages = 100, \
                 scan_interval_writes = 60 }\n",
            _ => "",
        },
        if is_delta {
            "1.4"
        } else if has_parity {
            random.pick(&["2.0", "2.5"])
        } else {
            random.pick(&["0.6", "1.0"])
        },
        random.pick(&["foreground", "background", "preemptible"]),
        if is_delta {
            "greedy"
        } else {
            random.pick(&["greedy", "fifo", "cost_benefit"])
        },
        random.pick(&["shared", "separate"]),
        match mapping {
            "in step" | "striped" | "parity" | "block" | "bast" | "sast" | "fast" | "last" =>
                "reserve_blocks = 2\nhard = 2\nlow = 2\nhigh = 2\n",
            "delta" => "reserve_blocks = 2\nhard = 3\nlow = 3\nhigh = 4\n",
            _ => "",
        },
        if is_in_step { "wise" } else { random.pick(&["off", "wise"]) },
        if is_striped || has_parity || is_delta || is_units || is_in_step || has_cache {
            "off"
        } else {
            random.pick(&["off", "wise"])
        },
        "false",
        random.pick(&[
            "",
            "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\n",
            "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\ncapacitor = true\n",
        ]),
        random.pick(&[
            "",
            "[nand]\nsuspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n",
        ]),
    );
    let of_cache = "[[modes]]\nname = \"slc\"\nt_prog = \"100 us\"\nt_r = \"20 us\"\n";
    let text = if has_cache {
        format!("{text}{of_cache}").replace("[geometry]\n", "[geometry]\ncell_type = \"mlc\"\n")
    } else {
        text
    };
    let mut config = timed::drive(&text);
    if is_in_step {
        config.allocation.planes = Planes::InStep;
    }
    if has_cache {
        config.ftl.slc_cache.static_blocks = random.pick(&[0, 1, 2]);
        config.ftl.slc_cache.dynamic_blocks = random.pick(&[1, 3]);
        config.geometry.blocks_per_plane += 8;
    }
    if mapping == "large units" {
        config.allocation.mode = AllocationMode::Static;
    }
    if fails(seed, mapping, kind) {
        fail(&mut config, &mut random);
    }
    config.ftl.recovery.kind = kind;
    config.ftl.recovery.checkpoint_interval = random.pick(&[20, 100, 1_000]);
    config
}

/// Whether programs and erases of a drive fail: of every other one, where the mapping heeds `ftl.failures`.
fn fails(seed: u64, mapping: &str, kind: RecoveryKind) -> bool {
    seed % 2 == 1
        && kind != RecoveryKind::None
        && !["bast", "sast", "fast", "last", "superblock"].contains(&mapping)
}

/// Programs and erases of a drive fail, which has more blocks for that.
fn fail(config: &mut Config, random: &mut Random) {
    config.geometry.blocks_per_plane += 16;
    config.ftl.over_provisioning = config.ftl.over_provisioning.max(1.0);
    let gc = &mut config.ftl.gc;
    gc.reserve_blocks = 4;
    let least = 4.0_f64;
    (gc.hard, gc.low, gc.high) = (gc.hard.max(least), gc.low.max(least), gc.high.max(least + 1.0));
    let failures = &mut config.ftl.failures;
    failures.program = Some(random.pick(&[0.001, 0.005]));
    failures.erase = Some(0.01);
    failures.growth = 0.0;
    failures.min_spare = 1;
}

fn main() {
    let all = std::env::args().nth(1);
    let all = all.map_or(CUTS, |text| text.parse().expect("the number of cuts"));
    let only = std::env::args().nth(2);
    println!(
        "mapping     recovery             any order   timed  several dies  program  erase  suspended  own page  recovery  failed"
    );
    let is_wanted = |mapping: &str| only.as_ref().is_none_or(|only| mapping == only);
    for (mapping, kind) in PAIRS.into_iter().filter(|(mapping, _)| is_wanted(mapping)) {
        let each = all / PAIRS.len() as u64;
        let (mut in_any_order, mut seed) = (0, 0);
        while in_any_order < each * 9 / 10 {
            let setup = match mapping {
                "striped" => Setup::striped_without_parity(seed),
                "parity" => Setup::with_parity_to_recover(seed),
                "units" => Setup::with_units(seed),
                "large units" => Setup::with_large_units(seed),
                "dftl" => Setup::with_map_on_flash(seed),
                "block" | "bast" | "sast" | "fast" | "last" | "superblock" => {
                    Setup::to_recover(mapping, seed)
                }
                "delta" => Setup::with_deltas(seed),
                _ => Setup::random(seed),
            };
            let failures = if fails(seed, mapping, kind) { 2 } else { 0 };
            let setup = if failures > 0 {
                setup.with_spare_blocks(16)
            } else {
                setup
            };
            let setup = setup.with_recovery(kind);
            let mut random = Random::new(seed, "cuts");
            let commands = 2 * setup.geometry().pages();
            let cuts: Vec<u64> = (0..12).map(|_| random.below(commands / 4)).collect();
            in_any_order += match mapping {
                "delta" => run_failing_with_deltas(&setup, &cuts, failures).cuts,
                "units" | "large units" => run_with_units(&setup, &cuts).cuts,
                _ => run_failing(&setup, commands as usize, &cuts, failures).1,
            };
            seed += 1;
        }
        let mut cuts = Cuts::default();
        while cuts.of_several_dies < each / 10 {
            let mut random = Random::new(seed, "cuts");
            let events: Vec<u64> = (0..20).map(|_| random.below(600)).collect();
            let found = cut_drives::run(&drive(seed, mapping, kind), seed, &events);
            cuts.add(found.unwrap_or_else(|error| panic!("drive {seed}, {mapping}, {kind:?}: {error}")));
            seed += 1;
        }
        println!(
            "{mapping:<11} {:<20} {in_any_order:>9} {:>7} {:>13} {:>8} {:>6} {:>10} {:>9} {:>9} {:>7}",
            kind.name(),
            cuts.all,
            cuts.of_several_dies,
            cuts.programs,
            cuts.erases,
            cuts.suspended,
            cuts.own,
            cuts.of_recovery,
            cuts.failed
        );
    }
}
