//! Snapshots: what is saved comes back, and nothing else is taken for it.

use std::fs;
use std::path::Path;

use crate::common::setup::Setup;
use crate::common::work::{Commands, Random};
use wordline_ftl::ageing::{AgeConfig, AgeMethod, age};
use wordline_ftl::archive::Archive;
use wordline_ftl::container::ContainerError;
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::snapshot::{SnapshotError, load, save};
use wordline_ftl::{AllocationMode, Extent, Ftl, Inspect, Lpn, PageFtl, Persist};
use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

/// A drive with a past of mixed commands.
fn used(setup: &Setup) -> PageFtl {
    let mut ftl = setup.build().unwrap();
    let (pages, full) = (ftl.user_pages(), setup.geometry().full_bitmap());
    let mut functional = Functional::new(&mut ftl, FunctionalOptions::default());
    for request in Commands::new(setup.seed, pages, full).take(4000) {
        functional.submit(&request).unwrap();
    }
    functional.finish_jobs().unwrap();
    ftl
}

fn content(ftl: &mut PageFtl) -> Vec<u8> {
    let mut bytes = Vec::new();
    ftl.archive(SimTime::ZERO, Extent::Content, &mut Archive::saving(&mut bytes))
        .unwrap();
    bytes
}

fn go_on(setup: &Setup, ftl: &mut PageFtl) -> Vec<u64> {
    let pages = ftl.user_pages();
    let mut random = Random::new(setup.seed, "more");
    let mut functional = Functional::new(ftl, FunctionalOptions::default());
    functional.advance_to(SimTime(1_000_000_000));
    for _ in 0..500 {
        functional.write(Lpn(random.below(pages))).unwrap();
    }
    (0..pages)
        .map(|lpn| functional.ftl().lookup(Lpn(lpn)).map_or(0, |page| page.0 + 1))
        .collect()
}

#[test]
fn what_is_saved_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.snapshot");
    for seed in 0..200 {
        let mut setup = Setup::random(seed);
        // Policies with random draws start them afresh.
        setup.ftl.gc.victim = "greedy".into();
        setup.ftl.wear = Default::default();
        let mut ftl = used(&setup);
        save(&mut ftl, SimTime(77), &path).unwrap();
        let mut loaded = setup.build().unwrap();
        assert_eq!(load(&mut loaded, &path).unwrap(), SimTime(77));
        assert!(content(&mut loaded) == content(&mut ftl));
        assert_eq!(loaded.census(), ftl.census());
        for block in (0..setup.geometry().blocks()).map(BlockId) {
            assert_eq!(loaded.block(block), ftl.block(block));
        }
        for lpn in (0..ftl.user_pages()).map(Lpn) {
            assert_eq!(loaded.valid_sectors(lpn), ftl.valid_sectors(lpn));
        }
        // Both go on alike: same blocks opened, same victims.
        // What a classifier has learnt is no content, nor are open streams.
        let remembers = !matches!(setup.ftl.hot.classifier.name(), "none" | "size_threshold")
            || setup.ftl.placement.directive.name() != "none";
        if setup.commands.copyback_max_hops == 0 && !remembers {
            assert_eq!(go_on(&setup, &mut loaded), go_on(&setup, &mut ftl), "seed {seed}");
        }
    }
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["drive.snapshot"], "nothing half-written stays");
}

#[test]
fn ageing_loads_a_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aged");
    let setup = Setup::plain(64, 16, 0.28);
    let mut ftl = used(&setup);
    save(&mut ftl, SimTime(5), &path).unwrap();
    let config = AgeConfig {
        method: AgeMethod::Snapshot,
        snapshot: Some(path.to_str().unwrap().to_owned()),
        ..AgeConfig::default()
    };
    let mut loaded = setup.build().unwrap();
    let aged = age(&mut loaded, &config, setup.allocation.order, Seed(1)).unwrap();
    assert_eq!(aged.now, SimTime(5));
    assert!(content(&mut loaded) == content(&mut ftl));
}

fn refused(setup: &Setup, path: &Path) -> SnapshotError {
    load(&mut setup.build().unwrap(), path).unwrap_err()
}

#[test]
fn other_drives_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    let mut setup = Setup::plain(32, 16, 0.28);
    setup.geometry.planes_per_die = 2;
    setup.allocation.mode = AllocationMode::Static;
    save(&mut used(&setup), SimTime(1), &path).unwrap();
    let bytes = fs::read(&path).unwrap();

    let mut other = setup.clone();
    other.geometry.blocks_per_plane = 33;
    let error = refused(&other, &path).to_string();
    assert!(
        error.contains("geometry.blocks_per_plane = 32 there, 33 here"),
        "{error}"
    );
    let mut other = setup.clone();
    other.ftl.over_provisioning = 0.3;
    assert!(refused(&other, &path).to_string().contains("over_provisioning"));
    // The planes trade places.
    let mut other = setup.clone();
    other.geometry.channels = 2;
    other.geometry.planes_per_die = 1;
    assert!(matches!(refused(&other, &path), SnapshotError::OtherDrive { .. }));

    let missing = folder.path().join("missing");
    assert!(matches!(
        refused(&setup, &missing),
        SnapshotError::File(ContainerError::Io { .. })
    ));
    let write = |bytes: &[u8]| {
        let altered = folder.path().join("altered");
        fs::write(&altered, bytes).unwrap();
        refused(&setup, &altered)
    };
    assert!(matches!(
        write(b""),
        SnapshotError::File(ContainerError::OtherKind { .. })
    ));
    assert!(matches!(
        write(b"geometry = 3, and so on\n"),
        SnapshotError::File(ContainerError::OtherKind { .. })
    ));
    let mut version = bytes.clone();
    version[8] = 99;
    let error = write(&version);
    assert!(
        matches!(
            error,
            SnapshotError::File(ContainerError::Version { found: 99, .. })
        ),
        "{error}"
    );
    // Any cut and any flipped bit is noticed.
    for length in 12..bytes.len() {
        assert!(
            matches!(
                write(&bytes[..length]),
                SnapshotError::File(ContainerError::Damaged { .. })
            ),
            "{length}"
        );
    }
    for at in (12..bytes.len()).step_by(7) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        assert!(
            matches!(
                write(&flipped),
                SnapshotError::File(ContainerError::Damaged { .. })
            ),
            "{at}"
        );
    }
    assert!(matches!(
        save(
            &mut used(&setup),
            SimTime(1),
            &folder.path().join("no/such/folder")
        ),
        Err(SnapshotError::File(ContainerError::Io { .. }))
    ));
}
