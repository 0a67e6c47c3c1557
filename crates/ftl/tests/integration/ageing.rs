//! Ageing: the methods of the array specification, section 9, and what they refuse.

use std::cell::Cell;

use crate::common::audit;
use crate::common::reference::Reference;
use crate::common::setup::Setup;
use crate::common::work::Commands;
use wordline_ftl::ageing::{AgeConfig, AgeError, AgeMethod, Aged, Pressure, Reclaim, age, age_watched};
use wordline_ftl::archive::Archive;
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::victim::VictimRow;
use wordline_ftl::{
    AllocationMode, BlockRole, Extent, Ftl, GcFrontier, GcMode, Inspect, Lpn, PageFtl, PageOp, Persist, Pool,
    ProgramTimes, StaticOrder, WatermarkBasis,
};
use wordline_keys::Registered;
use wordline_nand::{BlockId, Geometry, Medium, RestrictionsConfig};
use wordline_units::Seed;

fn aged(setup: &Setup, config: &AgeConfig) -> Result<(PageFtl, Aged), AgeError> {
    let mut ftl = setup.build().unwrap();
    let aged = age(&mut ftl, config, setup.allocation.order, Seed(setup.seed))?;
    Ok((ftl, aged))
}

fn method(method: AgeMethod) -> AgeConfig {
    AgeConfig {
        method,
        ..AgeConfig::default()
    }
}

/// The medium as an aged drive has it.
fn medium(ftl: &PageFtl) -> Medium {
    let geometry: Geometry = *ftl.geometry();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    for block in (0..geometry.blocks()).map(BlockId) {
        medium.set_written(block, geometry.pages_per_block - ftl.block(block).free);
    }
    medium
}

fn four_planes(pages_per_block: u32, mode: AllocationMode) -> Setup {
    let mut setup = Setup::plain(64, pages_per_block, 0.28);
    setup.geometry.channels = 2;
    setup.geometry.planes_per_die = 2;
    setup.allocation.mode = mode;
    setup
}

/// The worked example: 46 of 64 pages, 1995 of 2048 blocks, 91 770 pages of a plane.
#[test]
fn invalidated_as_ssdsim_does_it() {
    let setup = Setup::plain(2048, 64, 0.28);
    let (ftl, aged) = aged(&setup, &method(AgeMethod::Invalidated)).unwrap();
    let census = ftl.census();
    assert_eq!((census.valid, census.invalid, census.mapped), (0, 91_770, 0));
    let touched = (0..2048).filter(|block| ftl.block(BlockId(*block)).free != 64);
    assert!(
        touched
            .clone()
            .all(|block| ftl.block(BlockId(block)).invalid == 46)
    );
    assert_eq!(touched.count(), 1995);
    assert!(
        aged.notes[0].contains("46 of 64") && aged.notes[0].contains("1995 of 2048"),
        "{aged:?}"
    );
    audit::check(&ftl, &medium(&ftl), 0);
}

/// On the planes of Hu et al. collection starts early and has nothing to move at first.
#[test]
fn invalidated_drives_collect_at_once_without_moving() {
    let mut setup = Setup::plain(2048, 64, 0.111);
    let gc = &mut setup.ftl.gc;
    gc.basis = WatermarkBasis::Pool;
    (gc.hard, gc.low, gc.high) = (0.10, 0.10, 0.10);
    let (mut ftl, _) = aged(&setup, &method(AgeMethod::Invalidated)).unwrap();
    let medium = medium(&ftl);
    let mut functional = wordline_ftl::functional::Functional::observed(&mut ftl, Default::default(), medium);
    // The first write carries the notice of the job, the second comes after its work.
    for lpn in 0..2 {
        functional.write(Lpn(lpn)).unwrap();
    }
    let counts = functional.counts();
    assert!(counts.blocks_erased() > 0, "collection waits");
    assert_eq!(counts.write_amplification(), Some(1.0));
}

#[test]
fn fresh_drives_keep_their_cycles() {
    let config = AgeConfig {
        initial_cycles: 300,
        ..AgeConfig::default()
    };
    let (ftl, _) = aged(&Setup::plain(16, 8, 0.5), &config).unwrap();
    assert!((0..16).all(|block| ftl.block(BlockId(block)).erase_count == 300));
    assert_eq!(ftl.census().mapped, 0);
}

#[test]
fn overwritten_drives_are_full_and_quiet() {
    for allocation in [AllocationMode::Static, AllocationMode::Dynamic] {
        let setup = four_planes(16, allocation);
        let (ftl, aged) = aged(&setup, &method(AgeMethod::Overwritten)).unwrap();
        let census = ftl.census();
        assert_eq!(census.mapped, ftl.user_pages());
        assert!(census.invalid > 0 && ftl.is_quiescent());
        // Three writes of every page, at 100 us.
        assert_eq!(aged.now.ns(), 3 * ftl.user_pages() * 100_000);
        let half = AgeConfig {
            fill: 0.5,
            ..method(AgeMethod::Overwritten)
        };
        let (ftl, _) = self::aged(&setup, &half).unwrap();
        assert_eq!(ftl.census().mapped, ftl.user_pages().div_ceil(2));
    }
}

/// 25 600 pages are written three times, and the share of it is told every 16 384 writes.
#[test]
fn overwriting_tells_how_far_it_is_and_stops_when_told() {
    let setup = Setup::plain(512, 64, 0.28);
    let mut ftl = setup.build().unwrap();
    let mut shares = Vec::new();
    let stopped = age_watched(
        &mut ftl,
        &method(AgeMethod::Overwritten),
        setup.allocation.order,
        Seed(1),
        &|_| Pressure::NONE,
        &mut |share| {
            shares.push(share);
            share < 0.5
        },
    );
    assert!(matches!(stopped, Err(AgeError::Interrupted)), "{stopped:?}");
    let told = [0.0, 16_384.0, 32_768.0, 49_152.0].map(|written| written / (3.0 * 25_600.0));
    assert_eq!(shares, told);
}

/// A pool of 256 blocks of 16 pages in which 3200 pages lie, four open ones among them, is collected from 5 free blocks
/// to 10, by random choice: A = 1 / (1 - rho). At the opening that leaves 5 blocks, 95 pages are spare, 65 fewer than 10
/// blocks have. With half of 15 blocks and the open ones idle, 3904 pages are in use and A = 3904 / 704: 23 victims
/// regain 23 x 16 / A pages, half of which are spare in the mean, and three open blocks are half written.
#[test]
fn a_load_is_told_what_a_page_costs() {
    let mut setup = four_planes(16, AllocationMode::Dynamic);
    setup.ftl.gc.pool = Pool::Drive;
    setup.ftl.gc.victim = "random".into();
    (setup.ftl.gc.hard, setup.ftl.gc.low, setup.ftl.gc.high) = (6.0, 8.0, 10.0);
    let told = Cell::new(None);
    let mut ftl = setup.build().unwrap();
    age_watched(
        &mut ftl,
        &method(AgeMethod::SteadyState),
        setup.allocation.order,
        Seed(1),
        &|reclaim| {
            told.set(Some(reclaim));
            Pressure::NONE
        },
        &mut |_| true,
    )
    .unwrap();
    let idle = 95.0 + 23.0 * 16.0 / (3904.0 / 704.0) / 2.0 + 3.0 * 8.0;
    let amplification = (4096.0 - idle) / (4096.0 - idle - 3200.0);
    let Reclaim {
        moves,
        erases,
        regained,
    } = told.get().unwrap();
    let wanted = [
        amplification - 1.0,
        amplification / 16.0,
        22.0 * 16.0 / amplification,
    ];
    for (told, wanted) in [moves, erases, regained].into_iter().zip(wanted) {
        assert!((told / wanted - 1.0).abs() < 1e-3, "{told} instead of {wanted}");
    }
}

/// A block is closed every b / A writes of its pool, at 100 us each.
#[test]
fn the_steady_state_took_as_long_as_its_blocks_were_filled() {
    let setup = Setup::plain(64, 16, 0.28);
    let (ftl, aged) = aged(&setup, &method(AgeMethod::SteadyState)).unwrap();
    let closed = (0..64).filter(|block| ftl.block(BlockId(*block)).role == BlockRole::Closed);
    let writes = closed.count() as f64 * 16.0 / aged.amplification.unwrap();
    assert!(
        (aged.now.ns() as f64 / (writes * 100_000.0) - 1.0).abs() < 1e-6,
        "{}",
        aged.now
    );
}

/// The drawn state holds every logical page once, in its place, for every policy and allocation.
#[test]
fn steady_state_holds_every_page_once() {
    for victim in VictimRow::table().names() {
        for (allocation, pool) in [
            (AllocationMode::Static, Pool::Plane),
            (AllocationMode::Dynamic, Pool::Drive),
            (AllocationMode::Dynamic, Pool::Channel),
        ] {
            let mut setup = four_planes(16, allocation);
            setup.ftl.gc.victim = victim.into();
            setup.ftl.gc.pool = pool;
            setup.ftl.gc.keys.set("window", 60);
            let config = AgeConfig {
                initial_cycles: 7,
                ..method(AgeMethod::SteadyState)
            };
            let (ftl, aged) = aged(&setup, &config).unwrap();
            let geometry = setup.geometry();
            audit::check(&ftl, &medium(&ftl), 7 * u64::from(geometry.blocks()));
            assert_eq!(ftl.census().mapped, ftl.user_pages());
            if allocation == AllocationMode::Static {
                let order = StaticOrder::new(&geometry, setup.allocation.order);
                for lpn in (0..ftl.user_pages()).map(Lpn) {
                    let page = ftl.lookup(lpn).unwrap();
                    assert_eq!(geometry.plane_of(geometry.block_of(page)), order.plane(lpn));
                }
            }
            let exact = matches!(victim, "greedy" | "random" | "fifo" | "d_choices");
            assert_eq!(
                aged.notes.len(),
                if exact { 1 } else { 2 },
                "{victim:?}: {:?}",
                aged.notes
            );
        }
    }
}

/// Greedy in a window of one block takes the oldest, which is FIFO and has a closed form of its own.
#[test]
fn a_window_of_one_block_is_aged_as_fifo() {
    let mut setup = Setup::plain(64, 16, 0.28);
    setup.ftl.gc.victim = "windowed_greedy".into();
    setup.ftl.gc.keys.set("window", 1);
    let (_, aged) = aged(&setup, &method(AgeMethod::SteadyState)).unwrap();
    assert!(
        aged.notes.len() == 1 && aged.notes[0].contains("FIFO"),
        "{:?}",
        aged.notes
    );
}

#[test]
fn steady_state_leaves_what_the_watermarks_want() {
    let mut setup = Setup::plain(512, 64, 0.28);
    (setup.ftl.gc.hard, setup.ftl.gc.low, setup.ftl.gc.high) = (6.0, 8.0, 10.0);
    let (ftl, _) = aged(&setup, &method(AgeMethod::SteadyState)).unwrap();
    let role = |role| {
        (0..512)
            .filter(|block| ftl.block(BlockId(*block)).role == role)
            .count()
    };
    let free = role(BlockRole::Free);
    assert!((5..=10).contains(&free), "{free}");
    assert_eq!(role(BlockRole::Open), 1);
    // Half the drive filled: the rest is spare.
    let half = AgeConfig {
        fill: 0.5,
        ..method(AgeMethod::SteadyState)
    };
    let (ftl, _) = aged(&setup, &half).unwrap();
    assert_eq!(ftl.census().mapped, ftl.user_pages().div_ceil(2));
    let other = aged(
        &Setup {
            seed: 2,
            ..setup.clone()
        },
        &half,
    )
    .unwrap()
    .0;
    let place = |ftl: &PageFtl| (0..100).map(|lpn| ftl.lookup(Lpn(lpn))).collect::<Vec<_>>();
    assert_ne!(place(&ftl), place(&other), "another seed, another layout");
    assert_eq!(place(&ftl), place(&aged(&setup, &half).unwrap().0));
}

#[test]
fn every_mode_goes_on_from_the_steady_state() {
    for mode in [
        GcMode::Foreground,
        GcMode::Background,
        GcMode::OneBlock,
        GcMode::Preemptible,
        GcMode::Partial,
    ] {
        for frontier in [GcFrontier::Shared, GcFrontier::Separate] {
            let mut setup = four_planes(16, AllocationMode::Dynamic);
            setup.ftl.gc.mode = mode;
            setup.ftl.gc.frontier = frontier;
            let (mut ftl, aged) = aged(&setup, &method(AgeMethod::SteadyState)).unwrap();
            let pages = ftl.user_pages();
            let medium = medium(&ftl);
            let mut functional =
                wordline_ftl::functional::Functional::observed(&mut ftl, Default::default(), medium);
            functional.advance_to(aged.now);
            for index in 0..3 * pages {
                functional.write(Lpn(index * 7919 % pages)).unwrap();
            }
            functional.finish_jobs().unwrap();
            let medium = functional.observer().clone();
            let erases = functional.counts().blocks_erased();
            assert!(erases > 0);
            audit::check(&ftl, &medium, erases);
        }
    }
}

#[test]
fn refuses_what_cannot_be() {
    let setup = Setup::plain(64, 16, 0.28);
    for (config, key) in [
        (
            AgeConfig {
                ratio: 0.96,
                ..AgeConfig::default()
            },
            "age.ratio",
        ),
        (
            AgeConfig {
                ratio: f64::NAN,
                ..AgeConfig::default()
            },
            "age.ratio",
        ),
        (
            AgeConfig {
                fill: 0.0,
                ..AgeConfig::default()
            },
            "age.fill",
        ),
        (
            AgeConfig {
                fill: 1.1,
                ..AgeConfig::default()
            },
            "age.fill",
        ),
        (
            AgeConfig {
                random_factor: -1.0,
                ..AgeConfig::default()
            },
            "age.random_factor",
        ),
        (method(AgeMethod::Snapshot), "age.snapshot"),
    ] {
        match aged(&setup, &config).map(|_| ()) {
            Err(AgeError::Refused(error)) => assert_eq!(error.key, key),
            other => panic!("{config:?}: {other:?}"),
        }
    }
    // 10 % of raw space and a threshold of 10 %: the sum that fails is spelled out.
    let mut tight = Setup::plain(100, 16, 0.12);
    (tight.ftl.gc.hard, tight.ftl.gc.low, tight.ftl.gc.high) = (12.0, 12.0, 12.0);
    for method in [AgeMethod::Overwritten, AgeMethod::SteadyState] {
        let error = aged(&tight, &self::method(method))
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(error.contains("100 blocks") && error.contains("12"), "{error}");
    }
}

/// Data have the time of their block's last program, and lie still before the run.
#[test]
fn the_past_has_times() {
    let setup = four_planes(16, AllocationMode::Dynamic);
    let config = AgeConfig {
        storage: wordline_units::Duration::from_ms(7),
        ..method(AgeMethod::Overwritten)
    };
    let mut ftl = setup.build().unwrap();
    assert!(ftl.take_program_times().is_empty());
    ftl.record_program_times();
    let past = age(&mut ftl, &config, setup.allocation.order, Seed(1)).unwrap();
    let mut plain = setup.build().unwrap();
    let without = age(
        &mut plain,
        &method(AgeMethod::Overwritten),
        setup.allocation.order,
        Seed(1),
    )
    .unwrap();
    assert_eq!(past.now, without.now + config.storage);
    assert_eq!(ftl.census(), plain.census());
    let times = ftl.take_program_times();
    assert_eq!(times.len() as u32, ftl.geometry().blocks());
    let written = (0..)
        .map(BlockId)
        .zip(&times)
        .filter(|(block, _)| ftl.block(*block).valid > 0);
    let mut latest = wordline_units::SimTime::ZERO;
    for (block, at) in written {
        assert!(at.ns() > 0 && *at <= without.now, "{block}");
        latest = latest.max(*at);
    }
    assert!(without.now.since(latest) < wordline_units::Duration::from_ms(10));
}

/// What ageing left is found by rule until it is looked at: partial writes and TRIMs, collection, and saving the state
/// must not tell the difference.
#[test]
fn an_aged_drive_keeps_its_sub_pages() {
    for seed in 0..12 {
        let mut setup = four_planes(16, AllocationMode::Dynamic);
        if seed % 2 == 0 {
            setup.allocation.mode = AllocationMode::Static;
            setup.ftl.gc.pool = Pool::Plane;
        }
        setup.seed = seed;
        setup.ftl.trim.enabled = true;
        let (mut ftl, aged) = aged(&setup, &method(AgeMethod::SteadyState)).unwrap();
        let geometry = *ftl.geometry();
        let (user, full) = (ftl.user_pages(), geometry.full_bitmap());
        let mut reference = Reference::new(geometry.sectors_per_page());
        for lpn in (0..user).filter(|lpn| ftl.lookup(Lpn(*lpn)).is_some()) {
            reference.write(lpn, full);
        }
        let options = FunctionalOptions {
            order: setup.allocation.order,
            ..FunctionalOptions::default()
        };
        let medium = medium(&ftl);
        let mut functional = Functional::observed(&mut ftl, options, medium);
        functional.advance_to(aged.now);
        for request in Commands::new(seed, user, full).take(6 * user as usize) {
            functional.submit(&request).unwrap();
            for lpn in request.lpn.0..request.lpn.0 + request.pages {
                match request.op {
                    PageOp::Read | PageOp::Zone(_) => {}
                    PageOp::Write => drop(reference.write(lpn, request.bitmap)),
                    PageOp::Trim => reference.trim(lpn, request.bitmap),
                }
            }
        }
        functional.finish_jobs().unwrap();
        drop(functional);
        let mut restored = setup.build().unwrap();
        let mut content = Vec::new();
        ftl.archive(aged.now, Extent::Content, &mut Archive::saving(&mut content))
            .unwrap();
        restored
            .archive(
                aged.now,
                Extent::Content,
                &mut Archive::loading(&mut &content[..]),
            )
            .unwrap();
        for lpn in (0..user).map(Lpn) {
            let wanted = reference.valid(lpn.0);
            assert_eq!(ftl.valid_sectors(lpn), wanted, "{lpn:?} of {seed}");
            assert_eq!(ftl.lookup(lpn).is_some(), wanted != 0);
            assert_eq!(
                (restored.lookup(lpn), restored.valid_sectors(lpn)),
                (ftl.lookup(lpn), wanted)
            );
            assert!(ftl.lookup(lpn).is_none_or(|page| ftl.owner(page) == Some(lpn)));
        }
    }
}
