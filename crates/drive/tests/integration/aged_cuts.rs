//! Drives whose power fails after they were aged: what ageing put there was promised too, and is found in spare areas, summary pages, or by the checkpoint that such a drive begins with.

use std::path::Path;

use wordline_config::Config;
use wordline_drive::{KeptFlash, LiveDrive, RunOptions};
use wordline_ftl::{AgeMethod, AllocationMode, FoundFlash, Lpn, RecoveryKind};
use wordline_units::SimTime;

use crate::common::cut_drives::{Cuts, run};
use crate::common::drive;

const KINDS: [RecoveryKind; 4] = [
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
    RecoveryKind::Delayed,
];

/// Mappings with their keys, and the kinds that go with them.
const MAPPINGS: [(&str, &[RecoveryKind]); 15] = [
    ("mapping = \"page\"", &KINDS),
    ("mapping_unit = \"1 KiB\" # in step", &KINDS),
    ("mapping_unit = \"512 B\"", &KINDS),
    (
        "mapping_unit = \"4 KiB\"\ntrim.enabled = false",
        &[
            RecoveryKind::OobScan,
            RecoveryKind::CheckpointJournal,
            RecoveryKind::Delayed,
        ],
    ),
    (
        "mapping = \"dftl\"\nentry_bytes = 64\ncached_entries = 64",
        &[RecoveryKind::OobScan, RecoveryKind::SummaryScan],
    ),
    ("mapping = \"striped\"\nspan = \"C\"", &KINDS),
    (
        "mapping = \"striped\"\nspan = \"CP\"\nparity = \"rotating\"\nover_provisioning = 2.4",
        &KINDS,
    ),
    ("mapping = \"block\"\nreplacement_blocks = 1", &KINDS),
    ("mapping = \"bast\"\nlog_blocks = 4", &KINDS),
    ("mapping = \"sast\"\nlog_blocks = 4\ngroup_blocks = 2", &KINDS),
    ("mapping = \"fast\"\nlog_blocks = 4", &KINDS),
    (
        "mapping = \"last\"\nlog_blocks = 4\nsequential_log_blocks = 2\nhot_window = 20",
        &KINDS,
    ),
    (
        "mapping = \"superblock\"\nsuperblock_blocks = 3\nupdate_blocks = 2",
        &KINDS,
    ),
    (
        "mapping = \"delta\"\ndelta.ratio = 0.2\ndelta.gate = \"open\"",
        &KINDS,
    ),
    (
        "slc_cache.mode = \"slc\"\nslc_cache.blocks = 2\nover_provisioning = 2.0",
        &KINDS,
    ),
];

/// How a drive is aged.
const AGES: [&str; 5] = [
    "method = \"fresh\"",
    "method = \"invalidated\"\nratio = 0.3",
    "method = \"overwritten\"\nrandom_factor = 0.0\nfill = 0.7",
    "method = \"overwritten\"\nrandom_factor = 1.5",
    "method = \"steady_state\"",
];

/// The drive of a mapping with so much kept for recovery, of an age.
fn aged(mapping: &str, kind: RecoveryKind, age: &str) -> Config {
    let spare = if mapping.contains("over_provisioning") {
        ""
    } else {
        "over_provisioning = 1.2\n"
    };
    let (more, cells) = if mapping.contains("slc_cache") {
        (
            "[[modes]]\nname = \"slc\"\nt_prog = \"100 us\"\nt_r = \"20 us\"\n",
            "mlc",
        )
    } else if mapping.contains("in step") {
        (
            "[allocation]\nplanes = \"in_step\"\n[commands]\nmulti_plane_write = \"wise\"\n",
            "slc",
        )
    } else {
        ("", "slc")
    };
    let mut config = drive(&format!(
        "[geometry]\ncell_type = \"{cells}\"\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\n\
         blocks_per_plane = 20\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [ftl]\n{spare}{mapping}\n[ftl.gc]\nreserve_blocks = 2\nhard = 3\nlow = 3\nhigh = 4\n[age]\n{age}\n{more}"
    ));
    if mapping.contains("4 KiB") {
        config.allocation.mode = AllocationMode::Static;
    }
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

/// A drive that is cut before it has done anything: the map is that of its age, nothing else is there, and nothing is lost by ageing.
#[test]
fn an_aged_drive_is_found_as_it_is() {
    for (mapping, kinds) in MAPPINGS {
        for kind in kinds {
            for age in AGES {
                let config = aged(mapping, *kind, age);
                let drive = LiveDrive::new(&config, Path::new("."), RunOptions::default()).unwrap();
                let ftl = drive.ftl();
                let flash = KeptFlash::of(ftl);
                let cut = flash.cut_at(SimTime::ZERO);
                let case = format!("{mapping}, {kind:?}, {age}");
                let geometry = *ftl.geometry();
                for block in (0..geometry.blocks()).map(wordline_nand::BlockId) {
                    let per_page = ftl.unit_geometry().pages_per_program;
                    let free = ftl.block_use(block).free / per_page;
                    let passed = cut.block(block).passed;
                    assert_eq!(passed, geometry.pages_per_block - free, "{case}: {block:?}");
                }
                let (found, recovery) =
                    LiveDrive::recovered(&config, Path::new("."), RunOptions::default(), &cut).unwrap();
                let mut mapped = 0_u64;
                for lpn in (0..ftl.user_pages()).map(Lpn) {
                    assert_eq!(found.ftl().lookup(lpn), ftl.lookup(lpn), "{case}: {lpn:?}");
                    // what waits in a page register is on no page yet
                    if ftl.lookup(lpn).is_some() {
                        let sectors = found.ftl().valid_sectors(lpn);
                        assert_eq!(sectors, ftl.valid_sectors(lpn), "{case}: {lpn:?}");
                        mapped += 1;
                    }
                }
                let is_empty = matches!(config.age.method, AgeMethod::Fresh | AgeMethod::Invalidated);
                assert_eq!(mapped == 0, is_empty, "{case}");
                if kind.has_journal() {
                    // root, checkpoint, and the blocks that are not full: no more than that
                    let data: u64 = (0..geometry.blocks())
                        .map(wordline_nand::BlockId)
                        .map(|block| u64::from(cut.block(block).passed))
                        .sum();
                    let reads = recovery.reads.len() as u64;
                    assert!(
                        reads > 0 && (mapped == 0 || reads < data),
                        "{case}: {reads} of {data}"
                    );
                }
            }
        }
    }
}

/// Aged drives at work, whose power fails again and again.
#[test]
fn aged_drives_lose_nothing_that_was_promised() {
    for (mapping, kinds) in MAPPINGS {
        for kind in kinds {
            let mut cuts = Cuts::default();
            for (seed, age) in (0..).zip(AGES) {
                let config = aged(mapping, *kind, age);
                cuts.add(run(&config, seed, &[700 + 13 * seed, 300 + seed, 600]).unwrap());
            }
            assert!(cuts.all >= 15 && cuts.aged > 100, "{mapping}, {kind:?}: {cuts:?}");
        }
    }
}
