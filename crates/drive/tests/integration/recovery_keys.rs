//! Keys of `[ftl.recovery]`: what is refused, and what the drive writes for it.

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{LiveDrive, RunOptions, run};

use crate::common::cut_drives::filled;
use crate::common::{drive, number};

fn refused(text: &str) -> String {
    let found = resolve(DriveSource::Text(text), None, &[]);
    found.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_does_not_go_with_recovery_is_refused_by_key() {
    let with = |kind: &str, more: &str| refused(&format!("[ftl.recovery]\nkind = \"{kind}\"\n{more}"));
    let kinds = ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"];
    for kind in kinds {
        assert_eq!(with(kind, ""), "");
        let found = with(kind, "[ftl]\nmapping = \"zoned\"\n");
        let said = format!("ftl.recovery.kind = \"{kind}\"");
        let accepted = "\"none\" with ftl.mapping = \"zoned\"";
        assert!(found.contains(&said) && found.contains(accepted), "{found}");
        let found = with(kind, "[ftl]\nmapping = \"dftl\"\n");
        let accepted = "\"none\", \"oob_scan\", \"summary_scan\" with ftl.mapping = \"dftl\"";
        assert_eq!(found.is_empty(), kind.ends_with("_scan"), "{found}");
        assert!(found.is_empty() || found.contains(accepted), "{found}");
        for (more, key) in [
            (
                "[ftl]\nmapping = \"striped\"\n[ftl.gc]\nreserve_blocks = 1",
                "ftl.gc.reserve_blocks",
            ),
            (
                "[ftl]\nmapping = \"block\"\n[ftl.gc]\nreserve_blocks = 1",
                "ftl.gc.reserve_blocks",
            ),
            (
                "[ftl]\nmapping = \"fast\"\n[ftl.gc]\nreserve_blocks = 1",
                "ftl.gc.reserve_blocks",
            ),
            (
                "[ftl]\nmapping = \"delta\"\n[ftl.gc]\nreserve_blocks = 2\n[ftl.delta]\npacking = \"fractional\"",
                "ftl.delta.packing",
            ),
            (
                "[ftl]\nmapping = \"delta\"\n[ftl.gc]\nreserve_blocks = 2\n[ftl.delta]\nversions = \".\"",
                "ftl.delta.versions",
            ),
            (
                "[ftl]\nmapping = \"block\"\n[ftl.gc]\nreserve_blocks = 2\n[ftl.failures]\ninitial = 0.01",
                "ftl.failures.initial",
            ),
            (
                "[ftl]\nmapping = \"striped\"\nbad_member = \"substitute\"\nspare_blocks = 1\n[ftl.gc]\nreserve_blocks = 2",
                "ftl.bad_member",
            ),
            (
                "[allocation]\nplanes = \"in_step\"\n[geometry]\nplanes_per_die = 2\n[commands]\nmulti_plane_write = \"wise\"",
                "ftl.gc.reserve_blocks",
            ),
            ("[ftl.refresh]\npolicy = \"periodic\"", "ftl.refresh.policy"),
            ("[[modes]]\nname = \"slc\"\nt_prog = \"100 us\"", "modes"),
        ] {
            let found = with(kind, more);
            assert!(found.contains(key), "{kind}, {more}: {found}");
        }
        for mapping in ["page", "dftl", "block", "striped", "delta"] {
            let failing = format!(
                "[ftl]\nmapping = \"{mapping}\"\nover_provisioning = 1.0\n[ftl.gc]\nreserve_blocks = 2\n[ftl.failures]\nprogram = 0.001"
            );
            let found = with(kind, &failing);
            assert_eq!(
                found.is_empty(),
                mapping != "dftl" || kind.ends_with("_scan"),
                "{kind}: {found}"
            );
        }
    }
    for (journal, key) in [
        ("checkpoint_interval = 0", "ftl.recovery.checkpoint_interval = 0"),
        ("record_bytes = 7", "ftl.recovery.record_bytes = 7"),
        ("record_bytes = 65", "ftl.recovery.record_bytes"),
        (
            "[geometry]\nblocks_per_plane = 6",
            "geometry.blocks_per_plane = 6",
        ),
    ] {
        let found = with("checkpoint_journal", journal);
        assert!(found.contains(key), "{journal}: {found}");
    }
    let found = with(
        "summary_scan",
        "[ftl]\nmapping_unit = \"8 KiB\"\n[allocation]\nmode = \"static\"\n[geometry]\npage_size = \"4 KiB\"",
    );
    assert!(
        found.contains("an ftl.mapping_unit that is larger than the page"),
        "{found}"
    );
    let found = with(
        "summary_scan",
        "[ftl]\nmapping_unit = \"512 B\"\n[geometry]\npage_size = \"4 KiB\"\npages_per_block = 64",
    );
    assert!(
        found.contains("that lists the 504 logical pages of a block"),
        "{found}"
    );
    let found = with("summary_scan", "[geometry]\npages_per_block = 1");
    assert!(found.contains("at least 2 pages in a block"), "{found}");
    for kind in ["none", "oob_scan", "summary_scan"] {
        let found = with(kind, "record_bytes = 16");
        assert!(found.contains("ftl.recovery.record_bytes"), "{kind}: {found}");
    }
}

/// A drive without a buffer that is written to at random, three times over.
fn written(recovery: &str) -> wordline_drive::RunOutput {
    let config = drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 64\n\
         pages_per_block = 64\npage_size = \"4 KiB\"\n[ftl]\nover_provisioning = 0.5\n[ftl.recovery]\n{recovery}\n\
         [workload]\nrequests = 20000\nread_fraction = 0.0\nrequest_size = \"4 KiB\"\n"
    ));
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run(&config, std::path::Path::new("."), options, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

/// Metadata programs are those of the closed form (FTL specification, 2.10): records of all programs of data, a page before each erase, and checkpoints.
#[test]
fn what_is_written_for_recovery_is_counted() {
    let none = written("kind = \"none\"");
    assert!(
        none.summary
            .number("ftl.pages_programmed.metadata")
            .is_none_or(|pages| pages == 0.0)
    );
    let scan = written("kind = \"oob_scan\"");
    let same = "ftl.write_amplification";
    assert_eq!(
        number(&none, same),
        number(&scan, same),
        "spare areas cost nothing"
    );

    let summaries = written("kind = \"summary_scan\"");
    let of = |output: &wordline_drive::RunOutput, cause: &str| {
        number(output, &format!("ftl.pages_programmed.{cause}"))
    };
    let data = of(&summaries, "host") + of(&summaries, "gc");
    let expected = data / 63.0;
    assert!(
        (of(&summaries, "metadata") / expected - 1.0).abs() < 0.02,
        "{}",
        of(&summaries, "metadata")
    );

    let mut before = 0.0;
    for interval in [20_000.0, 2_000.0, 500.0] {
        let journal = written(&format!(
            "kind = \"checkpoint_journal\"\ncheckpoint_interval = {interval}"
        ));
        let data = of(&journal, "host") + of(&journal, "gc");
        let victims = number(&journal, "ftl.gc.victims");
        // a map of 4 bytes a page, and a page for the table of blocks
        let pages = (number(&journal, "ftl.user_pages") * 4.0 / 4096.0).ceil() + 1.0;
        let checkpoints = (of(&journal, "host") / interval).floor();
        let records = (data * 12.0 / 4096.0).ceil();
        let (least, most) = (
            victims.max(records) + checkpoints * (pages + 1.0),
            victims + records + (checkpoints + 6.0) * (pages + 1.0),
        );
        let metadata = of(&journal, "metadata");
        assert!(
            metadata >= 0.9 * least && metadata <= 1.1 * most,
            "{interval}: {metadata}, {least} to {most}"
        );
        assert!(metadata > before, "more checkpoints are more pages");
        before = metadata;
        let all = data + metadata;
        assert!(
            (number(&journal, "ftl.write_amplification_total") - all / of(&journal, "host")).abs() < 1e-9
        );
    }
}

/// A checkpoint begins when as many host writes have ended as the interval says, also where the host never pauses.
#[test]
fn checkpoints_keep_their_interval() {
    for interval in [100, 400, 1_000] {
        let config = drive(&format!(
            "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 48\n\
             pages_per_block = 32\npage_size = \"4 KiB\"\n[ftl]\nover_provisioning = 0.5\n[ftl.recovery]\n\
             kind = \"checkpoint_journal\"\ncheckpoint_interval = {interval}\n"
        ));
        let pages = exported(&config);
        let flash = filled(&config, 5);
        let (checkpoints, due) = (flash.flash().roots, 5 * pages / interval);
        // the last one may be under way
        assert!(
            checkpoints + 1 >= due && checkpoints <= due,
            "{interval}: {checkpoints} checkpoints, {due} due"
        );
    }
}

/// Logical pages of a drive.
fn exported(config: &Config) -> u64 {
    let options = RunOptions::default();
    let drive = LiveDrive::new(config, std::path::Path::new("."), options).unwrap();
    drive.ftl().user_pages()
}
