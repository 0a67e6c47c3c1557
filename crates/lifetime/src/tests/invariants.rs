//! What holds of every study, tried on random drives (specification of the refreshing drive, section 15, by number; 4 and 9 are those of `crates/ftl` and `crates/drive`, 11 is one of
//! `tests/test_intensity.py`).

use std::path::Path;

use proptest::prelude::*;
use wordline_config::Config;
use wordline_units::{Duration, Seed};
use wordline_workload::WorkloadKind;

use super::keeping::{in_pieces, same};
use super::{DAY, TENTH, options, small};
use crate::{Fidelity, LifetimeOptions, LifetimeReport, lifetime};

/// A drive of some dozens of blocks, used or not.
fn any_drive() -> impl Strategy<Value = Config> {
    let size = (
        1_u32..3,
        24_u32..49,
        prop::sample::select(&[8_u32, 16][..]),
        0.15..0.4,
    );
    let rules = (
        prop::sample::select(&["greedy", "fifo", "random"][..]),
        prop::sample::select(&["off", "swap", "dual_pool"][..]),
        prop::sample::select(
            &[
                WorkloadKind::Random,
                WorkloadKind::HotCold,
                WorkloadKind::Sequential,
            ][..],
        ),
    );
    let rest = (
        prop::sample::select(&[0_u32, 10, 1_300][..]),
        0.6..0.99,
        any::<u64>(),
    );
    (size, rules, rest).prop_map(
        |((planes, blocks, pages, spare), (victim, wear, kind), (cycles, hot, seed))| {
            let mut config = small();
            config.seed = seed;
            config.geometry.planes_per_die = planes;
            config.geometry.blocks_per_plane = blocks;
            config.geometry.pages_per_block = pages;
            config.ftl.over_provisioning = spare;
            config.ftl.gc.victim = victim.into();
            config.ftl.wear.static_ = wear.into();
            config.age.initial_cycles = cycles;
            config.workload.kind = kind;
            config.workload.hot_requests = hot;
            config
        },
    )
}

fn asked(rate: f64, days: u64) -> LifetimeOptions {
    LifetimeOptions {
        writes_per_day: Some(rate),
        ..options(days, Fidelity::Exact)
    }
}

fn study(config: &Config, asked: &LifetimeOptions) -> LifetimeReport {
    lifetime(config, Path::new("."), asked, &mut |_| true).unwrap_or_else(|error| panic!("{error}"))
}

fn sum(of: &[u32]) -> u64 {
    of.iter().copied().map(u64::from).sum()
}

/// The same drive with refresh by EDF of blocks that keep data for less than required.
fn refreshing(config: &Config) -> Config {
    let mut config = config.clone();
    config.ftl.refresh.policy = "last_moment".into();
    config
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, ..ProptestConfig::default() })]

    /// Wear never falls, and what is erased, programmed and valid is one account (1, 2).
    #[test]
    fn wear_only_grows_and_pages_add_up(config in any_drive(), rate in 5.0..60.0_f64) {
        let found = study(&config, &asked(rate, 3));
        for pair in found.snapshots.windows(2) {
            for (before, after) in pair[0].wear.iter().zip(&pair[1].wear) {
                prop_assert!(before <= after);
            }
            prop_assert!(pair[0].erases.0 <= pair[1].erases.0 && pair[0].erases.2 <= pair[1].erases.2);
        }
        let blocks = &found.blocks;
        let count = blocks.erase_count.len() as u64;
        let pages = u64::from(config.geometry.pages_per_block);
        let erased = (sum(&blocks.erase_count) - count * u64::from(config.age.initial_cycles)) * pages;
        prop_assert!(found.programmed + count * pages >= erased && found.programmed <= erased + count * pages);
        prop_assert!(found.write_amplification >= 1.0);
        let user_pages = sum(&blocks.valid_pages) as f64;
        let written = found.programmed as f64 / found.write_amplification;
        prop_assert!((written - 3.0 * rate * user_pages).abs() <= 2.0, "{} {}", written, user_pages);
        let mean = sum(&blocks.erase_count) as f64 / count as f64;
        prop_assert!((found.snapshots.last().unwrap().erases.0 - mean).abs() < 1e-9);
    }

    /// A weaker requirement lasts at least as long (3).
    #[test]
    fn a_weaker_requirement_lasts_at_least_as_long(config in any_drive(), rate in 20.0..200.0_f64) {
        let lives = [1_u64, 30, 90, 365, 3_650].map(|days| {
            let found = study(&config, &LifetimeOptions { required: DAY * days, ..asked(rate, 2) });
            found.life.unwrap_or(f64::INFINITY)
        });
        prop_assert!(lives.is_sorted_by(|weaker, stronger| weaker >= stronger), "{:?}", lives);
    }

    /// Refresh moves data and loses none, and its programs are a part of the write amplification (2, 6).
    #[test]
    fn refresh_moves_data_and_loses_none(config in any_drive(), rate in 1.0..20.0_f64) {
        // what is refreshed has no other reason to move than its age
        prop_assume!(config.workload.kind != WorkloadKind::Sequential);
        let weak = LifetimeOptions { required: DAY * 60, ..asked(rate, 8) };
        let plain = study(&config, &weak);
        let found = study(&refreshing(&config), &weak);
        prop_assert_eq!(sum(&plain.blocks.valid_pages), sum(&found.blocks.valid_pages));
        let refresh = found.refresh.unwrap();
        let parts: f64 = refresh.write_amplification.iter().sum();
        prop_assert!((1.0 + parts - found.write_amplification).abs() < 1e-9);
        prop_assert!(refresh.totals.pages >= refresh.totals.blocks.saturating_sub(refresh.totals.missed));
    }

    /// A load that comes twice as fast erases the same blocks as often, and each rests half as long, so that all wear at least as much (12).
    #[test]
    fn twice_the_intensity_wears_at_least_as_much(config in any_drive(), rate in 5.0..60.0_f64) {
        let (slow, fast) = (study(&config, &asked(rate, 4)), study(&config, &asked(2.0 * rate, 2)));
        prop_assert_eq!(&slow.blocks.erase_count, &fast.blocks.erase_count);
        for (slow, fast) in slow.blocks.equivalent_events.iter().zip(&fast.blocks.equivalent_events) {
            prop_assert!(fast >= slow);
        }
        let retention = |found: &LifetimeReport| found.snapshots.last().unwrap().retention[TENTH];
        prop_assert!(retention(&fast) <= retention(&slow));
    }

    /// The same seed gives the same study, in pieces too, and another seed another one of the same workload (13, 14).
    #[test]
    fn a_study_is_its_seed_and_can_be_stopped_anywhere(config in any_drive(), calls in 3_u64..12) {
        let config = refreshing(&config);
        let asked = LifetimeOptions { required: DAY * 60, ..asked(20.0, 4) };
        let whole = study(&config, &asked);
        same(&whole, &study(&config, &asked));
        let (pieced, _, _) = in_pieces(&config, Path::new("."), &asked, calls);
        same(&whole, &pieced);
        prop_assert_eq!(whole.refresh, pieced.refresh);
        let mut other = config.clone();
        other.seed = Seed(config.seed).draw("other", 0);
        let written = |found: &LifetimeReport| found.programmed as f64 / found.write_amplification;
        prop_assert!((written(&whole) - written(&study(&other, &asked))).abs() <= 2.0);
    }

    /// EDF in the mode of the requirement does nothing and changes nothing where no block with data keeps them for less than required and it retires none (5). It retires blocks that are erased and keep
    /// data for less than `ftl.refresh.retire_below`, whatever is required, where a drive that does not refresh goes on with them.
    #[test]
    fn refresh_without_weak_blocks_changes_nothing(config in any_drive(), rate in 5.0..60.0_f64, retires in any::<bool>()) {
        let weak = LifetimeOptions { required: Duration::from_ms(1_000), ..asked(rate, 2) };
        let mut edf = refreshing(&config);
        edf.ftl.refresh.interval = Duration::from_ms(1_000);
        if !retires {
            edf.ftl.refresh.retire_below = Duration::ZERO;
        }
        let found = study(&edf, &weak);
        let totals = found.refresh.unwrap().totals;
        prop_assert!(retires || totals.retired == 0);
        // a weak block is refreshed, or misses its deadline
        prop_assume!((totals.blocks, totals.missed, totals.retired) == (0, 0, 0));
        same(&study(&config, &weak), &found);
    }

    /// Refresh at no cost lets a drive live as long as refresh by what is left at least, and that as long as none (7).
    #[test]
    fn policies_live_in_their_order(config in any_drive(), rate in 0.5..20.0_f64, days in 1_u64..90) {
        let weak = LifetimeOptions { required: DAY * days, ..asked(rate, 8) };
        let lives = ["oracle", "remaining", "none"].map(|policy| {
            let mut config = config.clone();
            config.ftl.refresh.policy = policy.into();
            study(&config, &weak).life.unwrap_or(f64::INFINITY)
        });
        prop_assert!(lives.is_sorted_by(|better, worse| better >= worse), "{:?}", lives);
    }
}
