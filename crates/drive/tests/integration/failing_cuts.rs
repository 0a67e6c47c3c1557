//! Drives whose power fails while programs and erases fail too: what was promised is there, what was programmed again counts, and blocks that are marked as bad stay so
//! (FTL specification, 6.4 and 8.5).

use wordline_config::Config;
use wordline_ftl::RecoveryKind;

use crate::common::cut_drives::{Cuts, run};
use crate::common::drive;

const BUFFERS: [&str; 3] = [
    "",
    "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\n",
    "[buffer]\npolicy = \"lru\"\nsize = \"16 KiB\"\ncapacitor = true\n",
];

/// A small drive with a mapping, of which some programs and erases fail.
fn failing(seed: u64, mapping: &str, kind: RecoveryKind) -> Config {
    let mut config = drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = {}\n\
         blocks_per_plane = 40\npages_per_block = 8\npage_size = \"2 KiB\"\n\
         [ftl]\nover_provisioning = 1.2\n{mapping}\n[ftl.gc]\nreserve_blocks = 4\nhard = 4\nlow = 4\nhigh = 5\n\
         [ftl.failures]\nprogram = 0.005\nerase = 0.01\ngrowth = 0\nmin_spare = 1\n{}",
        1 + seed % 2,
        BUFFERS[seed as usize % 3],
    ));
    if seed.is_multiple_of(2) && ["page", "striped"].contains(&config.ftl.mapping.name()) {
        config.ftl.failures.initial = Some(0.02);
    }
    config.ftl.recovery.kind = kind;
    config.ftl.recovery.checkpoint_interval = 100;
    if kind.has_journal() {
        config.geometry.blocks_per_plane += 12;
    }
    config
}

/// A map on flash has no journal.
fn is_allowed(mapping: &str, kind: RecoveryKind) -> bool {
    !kind.has_journal() || !mapping.contains("dftl")
}

#[test]
fn failures_and_cuts_lose_nothing_that_was_promised() {
    let (mut bad_blocks, mut of_area) = (0, 0);
    for mapping in [
        "mapping = \"page\"",
        "mapping = \"dftl\"\nentry_bytes = 64\ncached_entries = 64",
        "mapping = \"block\"",
        "mapping = \"striped\"\nspan = \"CP\"",
        "mapping = \"delta\"\ndelta = { ratio = 0.2, gate = \"open\", read_hot_threshold = 4, counted_pages = 100 }",
    ] {
        let kinds = [
            RecoveryKind::OobScan,
            RecoveryKind::SummaryScan,
            RecoveryKind::CheckpointJournal,
            RecoveryKind::Delayed,
        ];
        for kind in kinds.into_iter().filter(|kind| is_allowed(mapping, *kind)) {
            let mut cuts = Cuts::default();
            for seed in 0..5 {
                let config = failing(seed, mapping, kind);
                // most writes become deltas
                let longer = 1 + u64::from(mapping.contains("delta"));
                let events = [1_500 + 13 * seed, 900 + seed, 1_700, 2_000].map(|events| longer * events);
                let found = run(&config, seed, &events);
                cuts.add(found.unwrap_or_else(|error| panic!("{seed}, {mapping}, {kind:?}: {error}")));
            }
            assert!(
                cuts.all >= 20 && cuts.failed > 30,
                "{mapping}, {kind:?}: {cuts:?}"
            );
            of_area += cuts.failed_of_area;
            bad_blocks += cuts.bad_blocks;
        }
    }
    assert!(
        bad_blocks > 30 && of_area > 30,
        "{bad_blocks} bad blocks, {of_area} failures of journal and checkpoints"
    );
}
