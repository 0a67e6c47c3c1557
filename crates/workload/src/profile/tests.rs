//! Built-in profiles against the figures that they are made from.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use proptest::prelude::*;
use wordline_units::{ByteSize, Duration};

use super::builtin::profiles;
use super::{ArrivalProfile, Band, Profile, RequestProfile, SizeShare};
use crate::synthetic::Surrogate;
use crate::{HostCommand, HostOp, Source, WorkloadConfig, WorkloadKind, open};

fn config(requests: u64) -> WorkloadConfig {
    WorkloadConfig {
        kind: WorkloadKind::Profile,
        requests: Some(requests),
        ..WorkloadConfig::default()
    }
}

fn drawn(profile: &Profile, config: &WorkloadConfig, capacity: u64) -> Vec<HostCommand> {
    let mut source = Surrogate::new(profile, config, capacity).unwrap();
    std::iter::from_fn(|| source.next_command().unwrap()).collect()
}

/// 1 TiB: room for every profile.
const DRIVE: u64 = 1 << 31;

#[test]
fn names_are_unique_and_known_to_the_configuration() {
    let mut names: Vec<&str> = profiles().iter().map(|named| named.name).collect();
    assert!(names.len() >= 43, "{}", names.len());
    for name in [
        "financial1",
        "financial2",
        "websearch",
        "exchange",
        "msn",
        "develop",
        "radius",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    for name in names {
        let config = WorkloadConfig {
            profile: Some(name.to_owned()),
            ..config(10)
        };
        let mut source = open(&config, DRIVE, Path::new("")).unwrap();
        assert!(source.next_command().unwrap().is_some());
        assert!(source.notes()[0].contains("surrogate"));
    }
}

/// Every figure that is set says where it comes from.
#[test]
fn every_figure_has_a_source() {
    for named in profiles() {
        let mut table = toml::Table::try_from(&named.profile).unwrap();
        table.remove("title");
        table.remove("sources");
        // at the top a figure is told apart from the default by being there at all
        let defaults = toml::Table::try_from(Profile::default()).unwrap();
        let mut keys = Vec::new();
        for (key, value) in &table {
            match value {
                toml::Value::Table(inner) => {
                    let defaults = defaults[key].as_table().unwrap();
                    keys.extend(
                        inner
                            .iter()
                            .filter(|(name, value)| defaults.get(*name) != Some(value))
                            .map(|(name, _)| format!("{key}.{name}")),
                    );
                }
                _ => keys.push(key.clone()),
            }
        }
        for key in keys {
            assert!(
                named.profile.sources.contains_key(&key),
                "{}: {key} has no source",
                named.name
            );
        }
        named.profile.check().unwrap();
        let text = named.profile.to_toml().unwrap();
        assert_eq!(Profile::from_toml(&text).unwrap(), named.profile);
    }
}

/// A count that no source names is not marked as one that a source names.
#[test]
fn requests_that_follow_from_writes_say_so() {
    let profile = super::builtin::by_name("msr_wdev_0").unwrap();
    let (requests, writes) = (profile.requests.unwrap(), profile.writes.visits.unwrap());
    assert_eq!((writes as f64 / 0.799).round() as u64, requests);
    assert_eq!(
        profile.sources["requests"],
        "T, L: the writes over their share of 79.9 %"
    );
    assert_eq!(
        profile.sources["arrivals.mean_gap"],
        "T, L: requests; assumed: 7 days"
    );
    let counted = super::builtin::by_name("msr_hm_0").unwrap();
    assert_eq!(counted.sources["requests"], "P");
}

/// Read share, mean sizes, mean gap, share of whole pages and of sequential requests, within what a
/// sample of 60,000 requests may miss them by.
#[test]
fn surrogates_have_the_figures_of_their_profiles() {
    const REQUESTS: u64 = 60_000;
    for named in profiles() {
        let profile = &named.profile;
        let commands = drawn(profile, &config(REQUESTS), DRIVE);
        assert_eq!(commands.len() as u64, REQUESTS);
        let near = |what: &str, found: f64, wanted: f64, tolerance: f64| {
            assert!(
                (found - wanted).abs() <= tolerance,
                "{}: {what} is {found}, not {wanted} within {tolerance}",
                named.name
            );
        };
        // four standard deviations of a share
        let share_error = |share: f64, of: f64| 4.0 * (share * (1.0 - share) / of).sqrt() + 1e-9;
        let reads = commands
            .iter()
            .filter(|command| command.op == HostOp::Read)
            .count() as f64;
        let share = profile.read_fraction;
        near(
            "the share of reads",
            reads / REQUESTS as f64,
            share,
            share_error(share, REQUESTS as f64),
        );
        for (op, side) in [(HostOp::Read, &profile.reads), (HostOp::Write, &profile.writes)] {
            let sizes: Vec<f64> = commands
                .iter()
                .filter(|command| command.op == op)
                .map(|command| f64::from(command.sectors) * 512.0)
                .collect();
            let count = sizes.len() as f64;
            if count < 1_000.0 {
                continue;
            }
            let wanted = side.mean_size.bytes() as f64;
            // the standard deviation of a lognormal law of spread 1 is 1.3 times its mean
            near(
                "the mean size",
                sizes.iter().sum::<f64>() / count,
                wanted,
                wanted * 4.0 * 1.5 / count.sqrt(),
            );
            if let Some(whole) = side.whole_pages {
                let found = sizes.iter().filter(|size| **size % 4096.0 == 0.0).count() as f64;
                near(
                    "the share of whole pages",
                    found / count,
                    whole,
                    share_error(whole, count),
                );
            }
        }
        let gap = profile.arrivals.mean_gap.ns() as f64;
        let last = commands.last().unwrap().arrival.ns() as f64;
        near(
            "the mean gap",
            last / REQUESTS as f64,
            gap,
            gap * 4.0 / (REQUESTS as f64).sqrt(),
        );
        let sequential = share * profile.reads.sequential + (1.0 - share) * profile.writes.sequential;
        let found = commands
            .windows(2)
            .filter(|pair| pair[1].sector == pair[0].sector + u64::from(pair[0].sectors))
            .count() as f64;
        near(
            "the share of sequential requests",
            found / REQUESTS as f64,
            sequential,
            share_error(sequential, REQUESTS as f64) + 0.005,
        );
    }
}

/// The published skew of the writes of whole MSR volumes: over as many writes as were counted, the
/// number of offsets, and the shares of the hottest of them.
#[test]
#[ignore = "slow: several seconds"]
fn surrogates_of_volumes_have_the_published_skew() {
    // offsets, writes, hottest, top 1, 10 and 20 %, offsets written once: in percent
    for (name, offsets, writes, hottest, top, once) in [
        ("msr_hm_0", 167_301, 1_999_999, 5.8, [70.4, 80.5, 85.8], 35.4),
        ("msr_mds_0", 33_141, 1_211_033, 10.9, [80.6, 87.9, 90.8], 18.7),
        ("msr_prxy_0", 47_694, 1_999_999, 1.2, [37.2, 94.9, 96.0], 24.4),
        ("msr_src2_0", 56_062, 1_381_084, 9.1, [78.1, 86.4, 90.0], 29.8),
        ("msr_stg_0", 56_927, 1_722_477, 8.2, [73.1, 83.8, 87.7], 18.1),
        ("msr_usr_0", 91_906, 1_333_405, 9.0, [70.8, 81.4, 86.7], 27.3),
        ("msr_wdev_0", 33_731, 913_731, 9.1, [72.3, 86.7, 89.8], 17.3),
    ] {
        let profile = Profile {
            read_fraction: 0.0,
            ..super::builtin::by_name(name).unwrap()
        };
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for command in drawn(&profile, &config(writes), DRIVE) {
            *counts.entry(command.sector).or_default() += 1;
        }
        let mut counts: Vec<u64> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let share = |part: f64| {
            let top = ((counts.len() as f64 * part) as usize).max(1);
            100.0 * counts[..top].iter().sum::<u64>() as f64 / writes as f64
        };
        let near = |what: &str, found: f64, wanted: f64, tolerance: f64| {
            assert!(
                (found - wanted).abs() <= tolerance,
                "{name}: {what} is {found}, not {wanted} within {tolerance}"
            );
        };
        near("offsets", counts.len() as f64, offsets as f64, 3.0);
        near("the hottest", share(0.0), hottest, 0.1);
        for (part, wanted) in [0.01, 0.1, 0.2].into_iter().zip(top) {
            near("the top", share(part), wanted, 0.5);
        }
        let found = counts.iter().filter(|count| **count == 1).count();
        // a band of low use next to those written once may add a few
        near(
            "written once",
            100.0 * found as f64 / counts.len() as f64,
            once,
            3.0,
        );
    }
}

#[test]
fn a_profile_on_a_small_drive_keeps_its_shape() {
    let profile = super::builtin::by_name("msr_hm_0").unwrap();
    // 64 MiB: 16,128 places for 439,187
    let capacity = 1 << 17;
    let mut source = Surrogate::new(&profile, &config(50_000), capacity).unwrap();
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    while let Some(command) = source.next_command().unwrap() {
        assert!(command.sector + u64::from(command.sectors) <= capacity);
        if command.op == HostOp::Write {
            *counts.entry(command.sector).or_default() += 1;
        }
    }
    assert!(source.notes().iter().any(|note| note.contains("more places")));
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let top = counts[..counts.len() / 50].iter().sum::<u64>() as f64;
    let share = top / counts.iter().sum::<u64>() as f64;
    // 1 % of the places take 70 %; half of the places are not yet seen
    assert!((share - 0.7).abs() < 0.08, "{share}");
}

#[test]
fn files_that_are_no_profiles_are_refused() {
    for (text, words) in [
        (
            "read_fraction = 2",
            "read_fraction = 2: accepted is a number from 0 to 1",
        ),
        ("reads.sizes = []\nwrites.places = 0", "writes.places = 0"),
        ("align = \"100 B\"", "align = 100 B"),
        ("phases = [1, 2]", "one for each of the 8 sectors"),
        (
            "reads.popularity = [{ places = 0.5, visits = 1 }]",
            "places that add up to 0.5",
        ),
        ("arrivals.burst_bias = 0.4", "arrivals.burst_bias = 0.4"),
        ("arrivals.pace = [1]", "arrivals.cycle = unset"),
        ("arrivals.pace = [1, 1]\narrivals.cycle = 1", "arrivals.cycle = 1"),
        ("arrivals.gaps = [{ gap = \"0 ns\", weight = 1 }]", "above 0 ns"),
        (
            "writes.sequential = 0.7\nwrites.streams = 0.7",
            "at most 1 together",
        ),
        ("[reads\n", "line 1"),
        ("speed = 3", "speed"),
        (
            "reads.sizes = [{ size = \"4 KiB\", weight = -1 }]",
            "reads.sizes = weight -1",
        ),
    ] {
        let error = Profile::from_toml(text).unwrap_err();
        assert!(error.contains(words), "{text}: {error}");
    }
}

fn side() -> impl Strategy<Value = RequestProfile> {
    let band = (0.01..1.0_f64, 0.01..1.0_f64, 0.0..3.0_f64, 0.0..4.0_f64);
    (
        prop::collection::vec((1_u64..256, 0.0..2.0_f64), 0..4),
        0.0..0.5_f64,
        0.0..0.5_f64,
        prop::option::of(1_u64..1 << 40),
        prop::option::of(1_u64..1 << 40),
        prop::collection::vec(band, 0..4),
        1_u64..64,
    )
        .prop_map(|(sizes, sequential, streams, places, visits, bands, kib)| {
            let of = |pick: fn(&(f64, f64, f64, f64)) -> f64| bands.iter().map(pick).sum::<f64>();
            let (all_places, all_visits) = (of(|band| band.0), of(|band| band.1));
            RequestProfile {
                mean_size: ByteSize(kib << 10),
                sizes: sizes
                    .into_iter()
                    .map(|(sectors, weight)| SizeShare {
                        size: ByteSize(sectors * 512),
                        weight: weight + 0.1,
                    })
                    .collect(),
                sequential,
                streams,
                places,
                visits,
                popularity: bands
                    .iter()
                    .map(|band| Band {
                        places: band.0 / all_places,
                        visits: band.1 / all_visits,
                        sizes: vec![SizeShare {
                            size: ByteSize(kib << 10),
                            weight: band.3 + 0.1,
                        }],
                        exponent: band.2,
                        repeats: band.3,
                        repeat_after: vec![1.0; band.3 as usize],
                    })
                    .collect(),
                ..RequestProfile::default()
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever the law: whole sectors within the drive, times that never go back, and the same
    /// requests each time.
    #[test]
    fn requests_stay_on_the_drive(
        reads in side(),
        writes in side(),
        read_fraction in 0.0..=1.0_f64,
        align in 1_u64..64,
        phased: bool,
        shared_places in prop::option::of(0.0..=1.0_f64),
        space in prop::option::of(3_000_u64..1 << 40),
        capacity in 3_000_u64..1 << 40,
        cv in 0.0..10.0_f64,
        seed: u64,
    ) {
        let profile = Profile {
            read_fraction,
            align: ByteSize(align * 512),
            phases: if phased { vec![0.5; align as usize] } else { Vec::new() },
            shared_places,
            space: space.map(|sectors| ByteSize(sectors * 512)),
            arrivals: ArrivalProfile { mean_gap: Duration(1_000), cv, ..ArrivalProfile::default() },
            reads,
            writes,
            ..Profile::default()
        };
        prop_assert_eq!(profile.check(), Ok(()));
        let read_back = Profile::from_toml(&profile.to_toml().unwrap());
        prop_assert_eq!(read_back, Ok(profile.clone()));
        let config = WorkloadConfig { seed, ..config(400) };
        let end = capacity.min(space.unwrap_or(u64::MAX));
        let commands = drawn(&profile, &config, capacity);
        prop_assert_eq!(commands.len(), 400);
        for command in &commands {
            prop_assert!(command.sectors > 0);
            prop_assert!(command.sector + u64::from(command.sectors) <= end);
        }
        prop_assert!(commands.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
        prop_assert_eq!(commands, drawn(&profile, &config, capacity));
    }
}

/// Volumes whose printed shares are equal differ in the places that their counted requests make likely.
#[test]
fn no_two_volumes_share_a_law() {
    let law = |profile: &Profile| Profile {
        title: String::new(),
        sources: BTreeMap::new(),
        requests: None,
        arrivals: ArrivalProfile::default(),
        ..profile.clone()
    };
    let named = profiles();
    for (number, one) in named.iter().enumerate() {
        for other in &named[..number] {
            assert!(
                law(&one.profile) != law(&other.profile),
                "{} and {}",
                one.name,
                other.name
            );
        }
    }
    // 1,321,270 places for 5,175,368 requests
    let places = |name| super::builtin::by_name(name).unwrap().reads.places;
    assert_eq!(places("msr_hm_1"), Some(155_557));
    assert_eq!(places("msr_proj_3"), Some(573_057));
}
