//! An FTL that is archived and taken up again goes on as if nothing had been.

use proptest::prelude::*;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::victim::VictimRow;
use wordline_ftl::{
    AgeConfig, AgeMethod, AllocationConfig, AllocationMode, Extent, Ftl, FtlConfig, GcFrontier, GcMode,
    Inspect, Lpn, Mapping, PageFtl, Persist, Pool, RecoveryKind, age,
};
use wordline_keys::Registered;
use wordline_nand::{Geometry, GeometryConfig};
use wordline_units::{ByteSize, Seed, SimTime};

use crate::common::cuts::KINDS;
use crate::common::setup::Setup;

#[derive(Clone, Debug)]
struct Drive {
    geometry: Geometry,
    ftl: FtlConfig,
    allocation: AllocationConfig,
    method: AgeMethod,
}

impl Drive {
    fn fresh(&self) -> PageFtl {
        let (commands, restrictions) = (Default::default(), Default::default());
        let allocation = &self.allocation;
        PageFtl::new(
            self.geometry,
            &self.ftl,
            allocation,
            &commands,
            &restrictions,
            Seed(7),
        )
        .unwrap()
    }

    fn aged(&self) -> PageFtl {
        let mut ftl = self.fresh();
        let past = AgeConfig {
            method: self.method,
            ..AgeConfig::default()
        };
        age(&mut ftl, &past, self.allocation.order, Seed(7)).unwrap();
        ftl
    }
}

/// Writes of a turn: mostly to a quarter of the drive, now and then a deallocation.
fn work(functional: &mut Functional<'_, impl Ftl + ?Sized>, turns: std::ops::Range<u64>) {
    let pages = functional.ftl().user_pages();
    for turn in turns {
        let draw = Seed(3).draw("turn", turn);
        let space = if draw.is_multiple_of(5) {
            pages
        } else {
            pages.div_ceil(4)
        };
        let lpn = Lpn(draw / 64 % space);
        let answer = if draw.is_multiple_of(23) {
            functional.trim(lpn, 1)
        } else {
            functional.write(lpn)
        };
        answer.unwrap();
    }
}

/// Passes all that changes to a file or takes it from it.
fn save_or_load(
    functional: &mut Functional<'_, impl Mapping + ?Sized>,
    archive: &mut Archive<'_>,
) -> Result<(), ArchiveError> {
    functional.archive(archive)?;
    let now = functional.now();
    functional.ftl_mut().archive(now, Extent::Everything, archive)
}

fn content(ftl: &mut (impl Mapping + ?Sized)) -> Vec<u8> {
    let mut bytes = Vec::new();
    ftl.archive(
        SimTime::ZERO,
        Extent::Everything,
        &mut Archive::saving(&mut bytes),
    )
    .unwrap();
    bytes
}

fn drive() -> impl Strategy<Value = Drive> {
    let victims = prop::sample::select(VictimRow::table().names());
    let modes = prop::sample::select(vec![
        GcMode::Foreground,
        GcMode::Background,
        GcMode::OneBlock,
        GcMode::Preemptible,
        GcMode::Partial,
    ]);
    let wear = prop::sample::select(vec!["off", "swap", "rate_limited", "dual_pool", "hot_cold_swap"]);
    let methods = prop::sample::select(vec![
        AgeMethod::Fresh,
        AgeMethod::SteadyState,
        AgeMethod::Invalidated,
        AgeMethod::Overwritten,
    ]);
    let (planes, drive_wide) = (1_u32..3, any::<bool>());
    (victims, modes, wear, planes, drive_wide, any::<bool>(), methods).prop_map(
        |(victim, mode, static_, planes, drive_wide, separate, method)| {
            let geometry = Geometry::new(&GeometryConfig {
                channels: 2,
                chips_per_channel: 1,
                dies_per_chip: 1,
                planes_per_die: planes,
                blocks_per_plane: 24,
                pages_per_block: 8,
                ..GeometryConfig::default()
            });
            let mut ftl = FtlConfig {
                over_provisioning: 0.5,
                ..FtlConfig::default()
            };
            ftl.gc.victim = victim.into();
            ftl.gc.mode = mode;
            ftl.gc.pool = if drive_wide { Pool::Drive } else { Pool::Plane };
            ftl.gc.frontier = if separate {
                GcFrontier::Separate
            } else {
                GcFrontier::Shared
            };
            ftl.wear.static_ = static_.into();
            ftl.wear.keys.set("gap", 3);
            ftl.wear.check_erases = 5;
            ftl.wear.keys.set("erase_limit", 100);
            let mode = if drive_wide {
                AllocationMode::Dynamic
            } else {
                AllocationMode::Static
            };
            Drive {
                geometry: geometry.unwrap(),
                ftl,
                allocation: AllocationConfig {
                    mode,
                    ..AllocationConfig::default()
                },
                method,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_up_again_goes_on_to_the_bit(drive in drive(), before in 0_u64..3000) {
        let after = before + 2000;
        let mut ftl = drive.aged();
        let mut functional = Functional::new(&mut ftl, FunctionalOptions::default());
        work(&mut functional, 0..before);
        let mut bytes = Vec::new();
        let mut archive = Archive::saving(&mut bytes);
        save_or_load(&mut functional, &mut archive).unwrap();
        work(&mut functional, before..after);
        functional.finish_jobs().unwrap();
        let (counts, now) = (functional.counts().clone(), functional.now());

        let mut other = drive.fresh();
        let mut again = Functional::new(&mut other, FunctionalOptions::default());
        let mut rest = &bytes[..];
        let mut archive = Archive::loading(&mut rest);
        save_or_load(&mut again, &mut archive).unwrap();
        prop_assert!(rest.is_empty());
        work(&mut again, before..after);
        again.finish_jobs().unwrap();
        prop_assert_eq!((&counts, now), (again.counts(), again.now()));
        prop_assert!(content(&mut ftl) == content(&mut other));
        prop_assert_eq!(ftl.counters(), other.counters());
    }
}

/// Versions, summary pages, journal and checkpoints are part of a state.
#[test]
fn what_is_kept_for_recovery_is_taken_up_again() {
    let plain = KINDS
        .into_iter()
        .skip(1)
        .map(|kind| (kind, Setup::plain(8, 8, 1.0)));
    let mut on_flash = Setup::plain(24, 8, 1.0);
    on_flash.ftl.mapping = "dftl".into();
    on_flash.ftl.keys.set("entry_bytes", 512);
    on_flash.ftl.keys.set("cached_entries", 6);
    let mut of_blocks = Setup::plain(24, 8, 1.0);
    of_blocks.ftl.mapping = "block".into();
    of_blocks.ftl.gc.reserve_blocks = 2;
    (of_blocks.ftl.gc.hard, of_blocks.ftl.gc.low, of_blocks.ftl.gc.high) = (2.0, 2.0, 2.0);
    let of_blocks = KINDS.into_iter().skip(1).map(|kind| (kind, of_blocks.clone()));
    let scans = [RecoveryKind::OobScan, RecoveryKind::SummaryScan];
    let on_flash = scans.map(|kind| (kind, on_flash.clone()));
    let of_pages = plain.chain(on_flash).chain(of_blocks);
    let of_pages = of_pages.map(|(kind, setup)| (kind, setup, 150));
    // a quarter of a page, and two pages
    let units = [1, 8].map(|quarters| {
        let mut setup = Setup::plain(24, 8, 1.0);
        setup.allocation.mode = AllocationMode::Static;
        setup.ftl.mapping_unit = Some(ByteSize(setup.geometry.page_size.bytes() / 4 * quarters));
        setup
    });
    let of_units = KINDS.into_iter().skip(1).flat_map(|kind| {
        let setups = units.clone().map(|setup| (kind, setup, 1_100));
        let count = if kind == RecoveryKind::SummaryScan { 1 } else { 2 };
        setups.into_iter().take(count)
    });
    for (kind, setup, step) in of_pages.chain(of_units) {
        let setup = setup.with_recovery(kind);
        for before in (0..3_000).step_by(step) {
            let mut ftl = setup.build_any().unwrap();
            let mut functional = Functional::new(&mut *ftl, FunctionalOptions::default());
            work(&mut functional, 0..before);
            let mut bytes = Vec::new();
            save_or_load(&mut functional, &mut Archive::saving(&mut bytes)).unwrap();
            work(&mut functional, before..before + 1_500);
            functional.finish_jobs().unwrap();

            let mut other = setup.build_any().unwrap();
            let mut again = Functional::new(&mut *other, FunctionalOptions::default());
            let mut rest = &bytes[..];
            save_or_load(&mut again, &mut Archive::loading(&mut rest)).unwrap();
            assert!(rest.is_empty());
            work(&mut again, before..before + 1_500);
            again.finish_jobs().unwrap();
            assert_eq!(functional.counts(), again.counts(), "{kind:?}, {before}");
            assert!(content(&mut *ftl) == content(&mut *other), "{kind:?}, {before}");
            assert_eq!(ftl.counters(), other.counters());
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let geometry = |blocks_per_plane| {
        let config = GeometryConfig {
            blocks_per_plane,
            pages_per_block: 8,
            ..GeometryConfig::default()
        };
        Geometry::new(&config).unwrap()
    };
    let drive = |blocks| Drive {
        geometry: geometry(blocks),
        ftl: FtlConfig {
            over_provisioning: 1.0,
            ..FtlConfig::default()
        },
        allocation: AllocationConfig::default(),
        method: AgeMethod::Invalidated,
    };
    let mut bytes = Vec::new();
    drive(24)
        .aged()
        .archive(
            SimTime::ZERO,
            Extent::Everything,
            &mut Archive::saving(&mut bytes),
        )
        .unwrap();
    let other = drive(25).fresh().archive(
        SimTime::ZERO,
        Extent::Everything,
        &mut Archive::loading(&mut &bytes[..]),
    );
    assert!(matches!(other, Err(ArchiveError::Length { .. })), "{other:?}");
    let short = drive(24).fresh().archive(
        SimTime::ZERO,
        Extent::Everything,
        &mut Archive::loading(&mut &bytes[..bytes.len() / 2]),
    );
    assert!(matches!(short, Err(ArchiveError::Stream(_))), "{short:?}");
}
