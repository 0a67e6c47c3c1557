//! Drives whose power fails at any event, with operations under way in several dies: what was promised is there when power is
//! back, and the drive goes on (FTL specification, section 8.5).

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::RunError;
use wordline_ftl::RecoveryKind;
use wordline_ftl::analytic::hold_up::hold_up;
use wordline_nand::{PageTypes, Timing};
use wordline_units::{Duration, Seed};

use crate::common::cut_drives::{Cuts, run, run_on_pairs};
use crate::common::drive;
use crate::random_runs::{accepted, behaviour, geometry};

const KINDS: [RecoveryKind; 5] = [
    RecoveryKind::None,
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
    RecoveryKind::Delayed,
];

/// No buffer, one, and one behind a capacitor.
const BUFFERS: [&str; 3] = [
    "",
    "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\n",
    "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\ncapacitor = true\n",
];

/// The same drive with what is kept for recovery, and with as many more blocks as that takes.
fn with_recovery(mut config: Config, kind: RecoveryKind) -> Config {
    config.ftl.recovery.kind = kind;
    config.ftl.recovery.checkpoint_interval = 100;
    if kind == RecoveryKind::SummaryScan {
        config.geometry.pages_per_block += 1;
    }
    if kind.has_journal() {
        config.geometry.blocks_per_plane += 12;
    }
    config
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_power_cut_loses_nothing_that_was_promised(
        (geometry, _) in geometry(),
        behaviour in behaviour(),
        seed: u64,
        kind in 0..KINDS.len(),
        has_buffer: bool,
        has_capacitor: bool,
        events in prop::collection::vec(0_u64..1_500, 1..8),
    ) {
        let text = format!("{geometry}{behaviour}");
        let mut config = with_recovery(accepted(drive(&text)), KINDS[kind]);
        if !has_buffer {
            config.buffer = Config::default().buffer;
        }
        config.buffer.capacitor = has_capacitor;
        config.buffer.hold_up = None;
        match run(&config, seed, &events) {
            Err(RunError::Stalled { .. }) if text.contains("victim = \"random\"") => {}
            other => prop_assert!(other.is_ok(), "{}\n{:?}\n{}", other.err().unwrap(), KINDS[kind], text),
        }
    }
}

/// Two channels with eight dies that program most of the time.
#[test]
fn arrays_of_several_dies_are_at_work_when_the_power_fails() {
    let config = drive(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 2\nplanes_per_die = 2\n\
         blocks_per_plane = 10\npages_per_block = 8\npage_size = \"2 KiB\"\n[ftl]\nover_provisioning = 1.0\n",
    );
    for kind in KINDS {
        let config = with_recovery(config.clone(), kind);
        let mut cuts = Cuts::default();
        for seed in 0..20 {
            let events = Seed(seed).draw("events", 0) % 900;
            cuts.add(run(&config, seed, &[events, 400 + seed, 1_000]).unwrap());
        }
        assert_eq!(cuts.all - cuts.of_recovery, 60);
        assert!(
            cuts.of_several_dies > 30 && cuts.programs > 30,
            "{kind:?}: {cuts:?}"
        );
        let has_own = kind == RecoveryKind::SummaryScan || kind.has_journal();
        assert_eq!(cuts.own > 0, has_own, "{kind:?}: {cuts:?}");
    }
}

/// Parts of a page that host writes and collection fill: which of them a page has is in its spare area.
#[test]
fn units_that_share_pages_lose_nothing_that_was_promised() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut cuts = Cuts::default();
        for seed in 0..12 {
            let unit = ["512 B", "1 KiB"][seed as usize % 2];
            let config = drive_with_units(unit, seed, "");
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[1_900 + 13 * seed, 700 + seed, 800, 1_500]).unwrap());
        }
        assert!(
            cuts.all >= 48 && cuts.of_several_dies > 12 && cuts.programs > 20,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Four dies of two planes with units of a size.
fn drive_with_units(unit: &str, seed: u64, more: &str) -> Config {
    let buffer = BUFFERS[seed as usize % 3];
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 14\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [ftl]\nmapping_unit = \"{unit}\"\nover_provisioning = 1.2\n[commands]\nmulti_plane_write = \"wise\"\n{more}{buffer}"
    ))
}

/// Planes in step, whose blocks are erased together by a command each: some may be erased and others not when the power fails.
#[test]
fn planes_in_step_lose_nothing_that_was_promised() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut cuts = Cuts::default();
        for seed in 0..12 {
            let unit = ["512 B", "2 KiB"][seed as usize % 2];
            let in_step = "[allocation]\nplanes = \"in_step\"\n[ftl.gc]\nreserve_blocks = 2\nhard = 2\nlow = 2\nhigh = 2\n";
            let mut config = drive_with_units(unit, seed, in_step);
            config.geometry.blocks_per_plane = 18;
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[1_900 + 13 * seed, 700 + seed, 800, 1_500]).unwrap());
        }
        assert!(
            cuts.all >= 48 && cuts.of_several_dies > 12 && cuts.programs > 20,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Units of several pages, whose programs are cut off between two of them. TRIM is off, as after one recovery numbers units anew, of which the harness does not hear.
#[test]
fn units_of_several_pages_lose_nothing_that_was_promised() {
    for kind in [
        RecoveryKind::OobScan,
        RecoveryKind::CheckpointJournal,
        RecoveryKind::Delayed,
    ] {
        let mut cuts = Cuts::default();
        for seed in 0..18 {
            let unit = ["4 KiB", "8 KiB"][seed as usize % 2];
            let buffer = BUFFERS[seed as usize % 3];
            let config = drive(&format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\n\
                 blocks_per_plane = 14\npages_per_block = 8\npage_size = \"2 KiB\"\n\
                 [ftl]\nmapping_unit = \"{unit}\"\nover_provisioning = 1.2\ntrim.enabled = false\n\
                 [allocation]\nmode = \"static\"\n{buffer}"
            ));
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[900 + 13 * seed, 400 + seed, 700, 1_000]).unwrap());
        }
        assert!(
            cuts.all >= 48 && cuts.of_several_dies > 20 && cuts.programs > 20,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Superblocks over planes and channels, whose members are erased one by one.
#[test]
fn superblocks_lose_nothing_that_was_promised() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut cuts = Cuts::default();
        for seed in 0..24 {
            let span = ["C", "CP", "CWDP"][seed as usize % 3];
            let buffer = if seed % 2 == 0 {
                "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\n"
            } else {
                ""
            };
            let config = drive(&format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\n\
                 blocks_per_plane = 14\npages_per_block = 8\npage_size = \"2 KiB\"\n\
                 [ftl]\nmapping = \"striped\"\nspan = \"{span}\"\nover_provisioning = 1.2\n\
                 [ftl.gc]\nreserve_blocks = 2\nhard = 2\nlow = 2\nhigh = 2\n[commands]\nmulti_plane_write = \"wise\"\n{buffer}"
            ));
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[900 + 13 * seed, 400 + seed, 700, 1_000]).unwrap());
        }
        assert!(
            cuts.all >= 96 && cuts.of_several_dies > 40 && cuts.erases > 4,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Superpages with parity, which a flush completes or not: those that a power cut left incomplete have none, and all others have theirs.
#[test]
fn superblocks_with_parity_lose_nothing_that_was_promised() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut cuts = Cuts::default();
        for seed in 0..30 {
            let config = drive(&format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\n\
                 blocks_per_plane = 14\npages_per_block = 8\npage_size = \"2 KiB\"\n\
                 [ftl]\nmapping = \"striped\"\nspan = \"{}\"\nparity = \"{}\"\npartial_superpages = \"{}\"\nover_provisioning = 2.4\n\
                 [ftl.gc]\nreserve_blocks = 2\nhard = 2\nlow = 2\nhigh = 2\n[commands]\nmulti_plane_write = \"wise\"\n{}",
                ["C", "CP", "CWDP"][seed as usize % 3],
                ["fixed", "rotating"][seed as usize / 3 % 2],
                ["keep", "pad"][seed as usize / 2 % 2],
                BUFFERS[seed as usize % 3],
            ));
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[900 + 13 * seed, 400 + seed, 700, 1_000]).unwrap());
        }
        assert!(
            cuts.all >= 120 && cuts.of_several_dies > 50 && cuts.programs > 40,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Maps on flash of which the controller has some entries: all of them are found in the spare areas of the data.
#[test]
fn maps_on_flash_lose_nothing_that_was_promised() {
    for kind in [RecoveryKind::OobScan, RecoveryKind::SummaryScan] {
        let mut cuts = Cuts::default();
        for seed in 0..24 {
            let config = drive(&format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = {}\n\
                 blocks_per_plane = 20\npages_per_block = 8\npage_size = \"2 KiB\"\n\
                 [ftl]\nmapping = \"dftl\"\nover_provisioning = 1.0\nentry_bytes = 64\ncached_entries = {}\nbatch_eviction = {}\n\
                 cache_unit = \"{}\"\n[ftl.gc]\nfrontier = \"{}\"\n{}",
                1 + seed % 2,
                64 * (1 + seed % 3),
                seed % 4 < 2,
                ["entry", "page"][seed as usize / 2 % 2],
                ["shared", "separate"][seed as usize / 4 % 2],
                BUFFERS[seed as usize % 3],
            ));
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[1_500 + 13 * seed, 900 + seed, 1_700, 2_000]).unwrap());
        }
        assert!(
            cuts.all >= 96 && cuts.of_several_dies > 40 && cuts.erases > 4 && cuts.of_recovery > 8,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Mappings of whole logical blocks, with their keys.
const WHOLE_BLOCKS: [&str; 8] = [
    "\"block\"\nreplacement_blocks = 0",
    "\"block\"\nreplacement_blocks = 1",
    "\"block\"\nreplacement_blocks = 2",
    "\"bast\"\nlog_blocks = 4",
    "\"sast\"\nlog_blocks = 4\ngroup_blocks = 2",
    "\"fast\"\nlog_blocks = 4",
    "\"last\"\nlog_blocks = 4\nsequential_log_blocks = 2\nhot_window = 20",
    "\"superblock\"\nsuperblock_blocks = 3\nupdate_blocks = 2",
];

/// Logical blocks with none to two replacement blocks or with log blocks, of which merges are cut off, and superblocks.
#[test]
fn logical_blocks_lose_nothing_that_was_promised() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut cuts = Cuts::default();
        for seed in 0..24 {
            let config = drive(&format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = {}\n\
                 blocks_per_plane = 20\npages_per_block = 8\npage_size = \"2 KiB\"\n\
                 [ftl]\nover_provisioning = 1.0\nmapping = {}\n\
                 [ftl.gc]\nreserve_blocks = 2\nhard = 2\nlow = 2\nhigh = 2\nmode = \"{}\"\n{}",
                1 + seed / 8 % 2,
                WHOLE_BLOCKS[seed as usize % WHOLE_BLOCKS.len()],
                ["foreground", "background", "preemptible"][seed as usize / 2 % 3],
                BUFFERS[seed as usize % 3],
            ));
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[1_500 + 13 * seed, 900 + seed, 1_700, 2_000]).unwrap());
        }
        assert!(
            cuts.all >= 96 && cuts.of_several_dies > 32 && cuts.erases > 4,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Deltas wait in the controller, behind a buffer or not, or on a capacitor; pages of deltas are collected, merged and packed.
#[test]
fn deltas_lose_nothing_that_was_promised() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut cuts = Cuts::default();
        for seed in 0..24 {
            let config = drive(&format!(
                "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\n\
                 blocks_per_plane = 20\npages_per_block = 8\npage_size = \"2 KiB\"\n\
                 [ftl]\nmapping = \"delta\"\nover_provisioning = 1.2\n\
                 [ftl.delta]\nratio = {}\ngate = \"open\"\nread_hot_threshold = 4\ncounted_pages = {}\nscan_interval_writes = 60\n\
                 temp_buffers = {}\n[ftl.gc]\nreserve_blocks = 2\nhard = 3\nlow = 3\nhigh = 4\nfrontier = \"{}\"\n{}",
                ["0.1", "0.3"][seed as usize % 2],
                [1_000, 40][seed as usize / 4 % 2],
                1 + seed % 3,
                ["shared", "separate"][seed as usize / 2 % 2],
                BUFFERS[seed as usize % 3],
            ));
            let config = with_recovery(config, kind);
            cuts.add(run(&config, seed, &[1_500 + 13 * seed, 900 + seed, 1_700, 2_000]).unwrap());
        }
        assert!(
            cuts.all >= 96 && cuts.of_several_dies > 40 && cuts.erases > 4 && cuts.deltas > 400,
            "{kind:?}: {cuts:?}"
        );
    }
}

/// Reads suspend programs and erases, and the power fails while they are suspended.
#[test]
fn the_power_fails_while_programs_and_erases_are_suspended() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 1\n\
         blocks_per_plane = 12\npages_per_block = 8\npage_size = \"2 KiB\"\n[ftl]\nover_provisioning = 1.0\n\
         [nand]\nsuspend = \"program_erase\"\n[scheduler]\npolicy = \"pes\"\n",
    );
    let mut all = Cuts::default();
    for kind in KINDS {
        let config = with_recovery(config.clone(), kind);
        let mut cuts = Cuts::default();
        for seed in 0..20 {
            cuts.add(run(&config, seed, &[300 + 7 * seed, 200 + seed, 500]).unwrap());
        }
        assert!(cuts.suspended > 0, "{kind:?}: {cuts:?}");
        all.add(cuts);
    }
    assert!(all.erases > 0 && all.own > 0, "{all:?}");
}

/// A capacitor lasts until the buffer is on flash: all that was acknowledged is there after any cut (D2), for all kinds of recovery. Without collection in the way that takes no longer than
/// the bound that `buffer.hold_up` is held against.
#[test]
fn nothing_that_was_acknowledged_is_lost_behind_a_capacitor() {
    let config = drive(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"2 KiB\"\n[ftl]\nover_provisioning = 1.0\n\
         [buffer]\npolicy = \"lru\"\nsize = \"32 KiB\"\ncapacitor = true\n",
    );
    for kind in KINDS {
        let config = with_recovery(config.clone(), kind);
        let mut cuts = Cuts::default();
        for seed in 0..20 {
            cuts.add(run(&config, seed, &[40 + 11 * seed, 300 + seed, 500]).unwrap());
        }
        assert_eq!(cuts.protected, 60, "{kind:?}: {cuts:?}");
        // no erase yet
        let mut early = Cuts::default();
        for seed in 0..20 {
            early.add(run(&config, seed, &[30 + 2 * seed]).unwrap());
        }
        let geometry = config.array_geometry().unwrap();
        let types = PageTypes::new(&config.geometry, &geometry).unwrap();
        let timing = Timing::new(&config.timing, &geometry, &types).unwrap();
        let pages = if kind.has_journal() { 18 } else { 16 };
        let bound = hold_up(&geometry, &timing, &types, pages);
        assert!(
            early.longest_hold_up > Duration::ZERO && early.longest_hold_up <= bound,
            "{kind:?}: {:?} of {bound:?}",
            early.longest_hold_up
        );
    }
}

/// A program that is cut off takes the pages of its word line with it that were programmed before. Behind a capacitor no program is cut off; without one, data that were promised are lost.
#[test]
fn a_capacitor_protects_pages_that_share_their_cells() {
    for kind in KINDS {
        let mut lost = [0, 0];
        for (is_protected, lost) in [false, true].into_iter().zip(&mut lost) {
            let buffer = if is_protected {
                "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\ncapacitor = true\n"
            } else {
                ""
            };
            let config = drive(&format!(
                "[geometry]\nchannels = 1\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\n\
                 blocks_per_plane = 16\npages_per_block = 12\npage_size = \"2 KiB\"\ncell_type = \"tlc\"\npage_layout = \"staircase\"\n\
                 [ftl]\nover_provisioning = 1.0\n{buffer}"
            ));
            let config = with_recovery(config, kind);
            let mut cuts = Cuts::default();
            for seed in 0..20 {
                cuts.add(run_on_pairs(&config, seed, &[100 + 11 * seed, 300 + seed, 500]).unwrap());
            }
            assert_eq!(cuts.protected, u64::from(is_protected) * 60);
            *lost = cuts.lost;
        }
        assert!(lost[0] > 0 && lost[1] == 0, "{kind:?}: {lost:?}");
    }
}

/// Word lines of three pages that are programmed at once, behind a capacitor.
#[test]
fn a_capacitor_lasts_until_word_lines_are_programmed() {
    for program in ["one_shot", "two_step"] {
        let config = drive(&format!(
            "[geometry]\nchannels = 1\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\n\
             blocks_per_plane = 16\npages_per_block = 12\npage_size = \"2 KiB\"\ncell_type = \"tlc\"\n\
             [nand]\nprogram = \"{program}\"\n[ftl]\nover_provisioning = 1.0\n\
             [buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\ncapacitor = true\n"
        ));
        for kind in KINDS {
            let config = with_recovery(config.clone(), kind);
            for seed in 0..20 {
                let cuts = run(&config, seed, &[100 + 11 * seed, 300 + seed, 500]).unwrap();
                assert_eq!(cuts.protected, 3, "{program}, {kind:?}, {seed}");
            }
        }
    }
}
