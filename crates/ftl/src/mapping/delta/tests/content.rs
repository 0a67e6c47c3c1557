//! Drives whose pages have content: deltas are made of real bytes, and what is read is what was written (G1, K5).

use crate::contract::DeltaPages;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use wordline_units::{Seed, SimTime};

use super::bytes::{Commands, give};
use super::{any_drive, check, counters, parts, run, set, try_build};
use crate::contract::{Inspect, Persist};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::delta::DeltaFtl;
use crate::mapping::delta::keys::{DeltaKeys, GateMode};
use crate::plan::Lpn;
use crate::state::archive::{Archive, Extent};

/// Versions of a file, in a directory that is gone with them.
struct Versions(PathBuf);

impl Versions {
    fn new(name: &str, versions: &[Vec<u8>]) -> Self {
        let directory = std::env::temp_dir().join(format!("wordline-delta-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for (at, bytes) in versions.iter().enumerate() {
            fs::write(directory.join(format!("{at:03}")), bytes).unwrap();
        }
        Self(directory)
    }

    /// A table of records, of which every version changes some: 40 pages of 2 KiB.
    fn records(name: &str, seed: u64, number: u64) -> Self {
        let draw = |version: u64, at: u64| Seed(seed).draw("records", version << 32 | at);
        let mut file: Vec<u8> = (0..40 * 2048).map(|at| (draw(0, at / 5) >> 8) as u8).collect();
        let mut versions = Vec::new();
        for version in 1..=number {
            for change in 0..160 {
                let record = (draw(version, change) % (file.len() as u64 / 64)) as usize * 64;
                for byte in &mut file[record + 8..record + 24] {
                    *byte = byte.wrapping_add(version as u8 | 1);
                }
            }
            versions.push(file.clone());
        }
        Self::new(name, &versions)
    }

    /// Bytes without any pattern, as of a file that is encrypted or compressed.
    fn noise(name: &str, number: u64) -> Self {
        let byte = |version, at| (Seed(version).draw("noise", at) >> 24) as u8;
        let version = |version| (0..10 * 2048).map(|at| byte(version, at)).collect();
        Self::new(name, &(0..number).map(version).collect::<Vec<Vec<u8>>>())
    }

    fn keys(&self, codec: &str) -> String {
        format!("versions = '{}'\ncodec = \"{codec}\"", self.0.display())
    }
}

impl Drop for Versions {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A drive that uses everything, with every codec.
#[test]
fn a_drive_that_does_everything_shows_what_was_written() {
    let versions = Versions::records("everything", 3, 20);
    let mut repacked = 0;
    for codec in [
        "lzf",
        "lz4",
        "snappy",
        "bzip2",
        "zstd",
        "zstd_of_old",
        "zero_run",
        "none",
    ] {
        let keys = format!(
            "{}\ncounted_pages = 200\nscan_interval_writes = 400\nread_hot_threshold = 3\ngate = \"open\"\nmax_ratio = 1.0",
            versions.keys(codec)
        );
        let parts = parts(24, &keys);
        let mut ftl = try_build(&parts).unwrap();
        let commands = Commands {
            seed: 5,
            number: 12_000,
            failures: 0,
            parts_of_pages: true,
        };
        give(&mut ftl, &parts, &commands);
        ftl.check_data().unwrap();
        check(&ftl);
        let found = ftl.counters().delta;
        assert!(
            found.reads_checked > 1000 && found.encoded > 500,
            "{codec}: {found:?}"
        );
        if codec == "none" {
            assert_eq!(found.deltas, 0, "a whole page fits in no page of deltas");
            continue;
        }
        repacked += found.repacked_pages;
        let kinds = [
            found.deltas,
            found.merged_reads,
            found.merged_cold,
            found.merged_pages,
            found.superseded,
            found.reads,
        ];
        assert!(kinds.iter().all(|count| *count > 0), "{codec}: {found:?}");
    }
    assert!(repacked > 0);
}

/// The ratio is that of the delta which the codec makes of the two contents.
#[test]
fn the_ratio_is_measured() {
    let old: Vec<u8> = (0..2048_u32).map(|at| (at * 7 % 251) as u8).collect();
    let mut new = old.clone();
    for byte in &mut new[100..600] {
        *byte ^= 0x55 ^ (*byte >> 1);
    }
    let versions = Versions::new(
        "ratio",
        &[old.clone(), old.iter().map(|byte| !byte).collect(), new.clone()],
    );
    let parts = parts(20, &format!("{}\ngate = \"open\"", versions.keys("zero_run")));
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for _ in 0..2 {
        run.write(Lpn(7)).unwrap();
    }
    let mut expected = Vec::new();
    let row = wordline_content::codec("zero_run").unwrap();
    let inverse: Vec<u8> = old.iter().map(|byte| !byte).collect();
    wordline_content::Coder::new(row).encode(&inverse, &new, &mut expected);
    assert_eq!(counters(&run).encoded, 1);
    assert_eq!(counters(&run).encoded_bytes, expected.len() as u64);
}

/// Content that is encrypted or compressed closes the gate, so that writes are written as pages.
#[test]
fn content_without_pattern_closes_the_gate() {
    let versions = Versions::noise("noise", 5);
    let parts = parts(20, &versions.keys("lzf"));
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for _ in 0..257 {
        run.write(Lpn(3)).unwrap();
    }
    let found = counters(&run);
    // the first candidate, and one probe of 128 turned away
    assert_eq!((found.candidates, found.encoded, found.deltas), (256, 2, 0));
    run.read(Lpn(3)).unwrap();
    assert_eq!(counters(&run).reads_checked, 1);
    drop(run);
    ftl.check_data().unwrap();
}

/// What is on flash is what is compared: a changed byte is found by a read, and at the end.
#[test]
fn a_changed_byte_is_found() {
    let versions = Versions::records("changed", 3, 6);
    let parts = parts(20, &format!("{}\nread_hot_threshold = 9", versions.keys("lzf")));
    let mut ftl = try_build(&parts).unwrap();
    let mut drive = run(&mut ftl, &parts);
    for _ in 0..3 {
        drive.write(Lpn(3)).unwrap();
    }
    drive.flush().unwrap();
    drive.read(Lpn(3)).unwrap();
    drive.ftl().check_data().unwrap();
    let base = drive.ftl().lookup(Lpn(3)).unwrap();
    drive.ftl_mut().bytes.as_mut().unwrap().spoil(base.0);
    let error = drive.ftl().check_data().unwrap_err();
    assert!(error.contains("logical page 3"), "{error}");
    drive.read(Lpn(3)).unwrap();
    drop(drive);
    let error = ftl.check_data().unwrap_err();
    assert!(
        error.starts_with("a read of logical page 3 brings other data"),
        "{error}"
    );
}

/// A saved drive has its bytes, also those that the controller has, and goes on with them; one with other versions is refused.
#[test]
fn bytes_are_saved() {
    let versions = Versions::records("saved", 3, 12);
    let other = Versions::records("other", 4, 12);
    let build = |versions: &Versions| {
        let parts = parts(24, &format!("{}\nread_hot_threshold = 3", versions.keys("lz4")));
        (try_build(&parts).unwrap(), parts)
    };
    let commands = |seed| Commands {
        seed,
        number: 3000,
        failures: 0,
        parts_of_pages: true,
    };
    for extent in [Extent::Everything, Extent::Content] {
        let (mut first, parts) = build(&versions);
        give(&mut first, &parts, &commands(1));
        let mut saved = Vec::new();
        first
            .archive(SimTime::ZERO, extent, &mut Archive::saving(&mut saved))
            .unwrap();
        let load = |ftl: &mut DeltaFtl| {
            let mut from = &saved[..];
            let mut archive = Archive::loading(&mut from);
            ftl.archive(SimTime::ZERO, extent, &mut archive)?;
            archive.end()
        };
        let (mut second, _) = build(&versions);
        load(&mut second).unwrap();
        second.check_data().unwrap();
        let mut drive = Functional::new(&mut second, FunctionalOptions::default());
        for at in 0..3000 {
            drive.write(Lpn(at * 7 % 60)).unwrap();
            drive.read(Lpn(at * 5 % 200 % 60)).unwrap();
        }
        second.check_data().unwrap();
        assert!(second.counters().delta.reads_checked > 100);
        // a state says by these keys which drives it fits
        let coded = super::parts(24, &format!("{}\nread_hot_threshold = 3", versions.keys("lzf")));
        let without = super::parts(24, "");
        let others = [try_build(&coded), Ok(build(&other).0), try_build(&without)];
        for other in others {
            assert_ne!(
                other.unwrap().identity().content_keys,
                first.identity().content_keys
            );
        }
    }
}

/// What does not go with content, and what cannot be its versions.
#[test]
fn versions_without_sense_are_refused() {
    let versions = Versions::records("refused", 3, 3);
    let noise = Versions::noise("one", 1);
    for (keys, key) in [
        (versions.keys("gzip"), "ftl.delta.codec = \"gzip\""),
        ("codec = \"lzf\"".to_owned(), "ftl.delta.codec = \"lzf\""),
        (
            "versions = '/nowhere'".to_owned(),
            "ftl.delta.versions = \"/nowhere\"",
        ),
        (noise.keys("lzf"), "ftl.delta.versions"),
        (
            versions.keys("lzf") + "\npacking = \"fractional\"",
            "ftl.delta.packing",
        ),
        (
            versions.keys("lzf") + "\ndrift = \"independent\"",
            "ftl.delta.drift",
        ),
        (versions.keys("lzf") + "\nsigma = 0.1", "ftl.delta.sigma"),
        (
            versions.keys("lzf") + "\nmeasured_ratios = [0.5]",
            "ftl.delta.measured_ratios",
        ),
    ] {
        let error = try_build(&parts(20, &keys)).err().unwrap().to_string();
        assert!(error.starts_with(key), "{keys}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any drive shows what was written, in any order, with parts of pages and with failures.
    #[test]
    fn any_drive_shows_what_was_written(
        mut parts in any_drive(&["no_split"]),
        seed: u64,
        codec in prop::sample::select(&["lzf", "lz4", "zero_run", "zstd_of_old"][..]),
        failures in prop::sample::select(&[0_u32, 3][..]),
    ) {
        let versions = Versions::records(&format!("any-{seed}"), seed, 8);
        let DeltaKeys { delta: mut keys } = parts.ftl.keys.read();
        keys.versions = Some(versions.0.clone());
        keys.codec = Some(codec.to_owned());
        keys.gate = GateMode::Open;
        set(&mut parts, &toml::to_string(&keys).unwrap());
        if failures > 0 {
            parts.geometry.blocks_per_plane += 20;
            let gc = &mut parts.ftl.gc;
            gc.reserve_blocks = 5;
            (gc.hard, gc.low, gc.high) = (6.0, 6.0, 7.0);
        }
        let mut ftl = try_build(&parts).unwrap();
        give(&mut ftl, &parts, &Commands { seed, number: 1500, failures, parts_of_pages: true });
        prop_assert_eq!(ftl.check_data(), Ok(()));
        check(&ftl);
    }
}
