//! Generators against the figures they promise.

use std::collections::HashMap;
use std::path::Path;

use proptest::prelude::*;
use wordline_units::{ByteSize, Duration};

use crate::{
    ArrivalLaw, Extent, HostCommand, HostOp, Region, RequestClass, Sizes, WorkloadConfig, WorkloadKind, open,
};

/// 64 GiB.
const DRIVE: u64 = 1 << 27;

fn commands_on(config: &WorkloadConfig, capacity: u64) -> Vec<HostCommand> {
    let mut source = open(config, capacity, Path::new("")).unwrap();
    let mut commands = Vec::new();
    while let Some(command) = source.next_command().unwrap() {
        commands.push(command);
    }
    assert!(source.len_hint().is_none_or(|len| len == commands.len() as u64));
    commands
}

fn commands(config: &WorkloadConfig) -> Vec<HostCommand> {
    commands_on(config, DRIVE)
}

fn kind(kind: WorkloadKind) -> WorkloadConfig {
    WorkloadConfig {
        kind,
        requests: Some(100_000),
        ..WorkloadConfig::default()
    }
}

fn fraction(commands: &[HostCommand], what: impl Fn(&HostCommand) -> bool) -> f64 {
    commands.iter().filter(|command| what(command)).count() as f64 / commands.len() as f64
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{found}, not {wanted} within {tolerance}"
    );
}

fn mean_gap(commands: &[HostCommand]) -> f64 {
    commands
        .last()
        .map_or(0.0, |last| last.arrival.ns() as f64 / commands.len() as f64)
}

#[test]
fn sequential_requests_touch_and_wrap_around() {
    let config = WorkloadConfig {
        requests: Some(7),
        ..kind(WorkloadKind::Sequential)
    };
    let starts: Vec<u64> = commands_on(&config, 28)
        .iter()
        .map(|command| command.sector)
        .collect();
    assert_eq!(starts, [0, 8, 16, 0, 8, 16, 0]);
}

#[test]
fn read_share_and_trims_come_out() {
    let config = WorkloadConfig {
        trim_fraction: 0.1,
        ..kind(WorkloadKind::Random)
    };
    let commands = commands(&config);
    near(
        fraction(&commands, |command| command.op == HostOp::Read),
        0.7,
        0.01,
    );
    near(
        fraction(&commands, |command| command.op == HostOp::Trim),
        0.1,
        0.005,
    );
    for (share, op) in [(0.0, HostOp::Write), (1.0, HostOp::Read)] {
        let config = WorkloadConfig {
            read_fraction: share,
            ..kind(WorkloadKind::Random)
        };
        assert!(commands_on(&config, DRIVE).iter().all(|command| command.op == op));
    }
}

#[test]
fn uniform_addresses_fill_every_part_alike() {
    let commands = commands(&kind(WorkloadKind::Random));
    let mut parts = [0_u32; 16];
    for command in &commands {
        parts[(command.sector * 16 / DRIVE) as usize] += 1;
    }
    let expected = commands.len() as f64 / 16.0;
    let chi_squared: f64 = parts
        .iter()
        .map(|part| (f64::from(*part) - expected).powi(2) / expected)
        .sum();
    // 15 degrees of freedom: 37.7 is the 0.1 % point
    assert!(chi_squared < 37.7, "{chi_squared}");
}

#[test]
fn zipf_ranks_follow_the_power_law() {
    for theta in [0.5, 0.99, 1.2] {
        let config = WorkloadConfig {
            theta,
            requests: Some(200_000),
            ..kind(WorkloadKind::Zipf)
        };
        // 1000 places
        let commands = commands_on(&config, 8_000);
        let mut counts: HashMap<u64, u32> = HashMap::new();
        for command in &commands {
            *counts.entry(command.sector).or_default() += 1;
        }
        let mut counts: Vec<f64> = counts.values().map(|count| f64::from(*count)).collect();
        counts.sort_by(|a, b| b.total_cmp(a));
        let harmonic = |upto: u32| (1..=upto).map(|k| f64::from(k).powf(-theta)).sum::<f64>();
        for upto in [1, 10, 100] {
            let found = counts[..upto].iter().sum::<f64>() / commands.len() as f64;
            near(found, harmonic(upto as u32) / harmonic(1000), 0.01);
        }
    }
}

#[test]
fn zipf_without_skew_is_uniform() {
    let config = WorkloadConfig {
        theta: 0.0,
        ..kind(WorkloadKind::Zipf)
    };
    let commands = commands_on(&config, 80);
    for slot in 0..10 {
        near(
            fraction(&commands, |command| command.sector == slot * 8),
            0.1,
            0.005,
        );
    }
}

#[test]
fn hot_part_takes_its_share() {
    let commands = commands(&kind(WorkloadKind::HotCold));
    near(
        fraction(&commands, |command| command.sector < DRIVE / 5),
        0.8,
        0.01,
    );
}

#[test]
fn mixed_classes_keep_their_weights() {
    let class = |kib: u64, weight, read_fraction| RequestClass {
        placement: None,
        size: ByteSize(kib << 10),
        weight,
        read_fraction,
    };
    let config = WorkloadConfig {
        mix: vec![class(4, 3.0, Some(1.0)), class(64, 1.0, None)],
        read_fraction: 0.0,
        ..kind(WorkloadKind::Mixed)
    };
    let commands = commands(&config);
    near(fraction(&commands, |command| command.sectors == 8), 0.75, 0.01);
    assert!(
        commands
            .iter()
            .all(|command| (command.op == HostOp::Read) == (command.sectors == 8))
    );
}

#[test]
fn fixed_gaps_are_exact() {
    let config = WorkloadConfig {
        interarrival: Some(Duration(30_000)),
        ..kind(WorkloadKind::Random)
    };
    let commands = commands(&config);
    assert!(
        commands
            .iter()
            .zip(0..)
            .all(|(command, index)| command.arrival.ns() == index * 30_000)
    );
}

/// Hu et al., Table 6, "(75 %)": mean gap 0.75 g + 0.25 * 10 g.
#[test]
fn the_75_percent_law_has_its_mean() {
    let config = WorkloadConfig {
        interarrival: Some(Duration(30_000)),
        gap_fraction: 0.75,
        ..kind(WorkloadKind::Random)
    };
    let commands = commands(&config);
    let regular = commands
        .windows(2)
        .filter(|pair| pair[1].arrival.since(pair[0].arrival) == Duration(30_000));
    near(regular.count() as f64 / commands.len() as f64, 0.75, 0.01);
    near(mean_gap(&commands), 3.25 * 30_000.0, 3_000.0);
}

#[test]
fn poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() {
    let config = WorkloadConfig {
        interarrival: Some(Duration(10_000)),
        arrival: ArrivalLaw::Poisson,
        ..kind(WorkloadKind::Random)
    };
    let commands = commands(&config);
    near(mean_gap(&commands), 10_000.0, 150.0);
    let long = commands
        .windows(2)
        .filter(|pair| pair[1].arrival.since(pair[0].arrival) > Duration(20_000));
    near(
        long.count() as f64 / commands.len() as f64,
        (-2.0_f64).exp(),
        0.005,
    );
}

#[test]
fn bursts_are_silent_in_between() {
    let config = WorkloadConfig {
        interarrival: Some(Duration(10_000)),
        arrival: ArrivalLaw::OnOff,
        on: Duration(1_000_000),
        off: Duration(3_000_000),
        ..kind(WorkloadKind::Random)
    };
    let commands = commands(&config);
    assert!(
        commands
            .iter()
            .all(|command| command.arrival.ns() % 4_000_000 < 1_000_000)
    );
    near(mean_gap(&commands), 40_000.0, 1_000.0);
}

#[test]
fn a_duration_ends_an_open_loop() {
    let config = WorkloadConfig {
        interarrival: Some(Duration(1_000)),
        duration: Some(Duration(1_000_000)),
        ..WorkloadConfig::default()
    };
    assert_eq!(commands(&config).len(), 1_000);
}

/// Means of Hu et al., Table 1, and the published shares of whole pages.
#[test]
fn surrogates_have_the_published_means() {
    for (profile, reads, read_kib, write_kib, gap_us, whole) in [
        ("financial1", 0.232, 2.25, 3.75, 8_190.0, None),
        ("financial2", 0.823, 2.3, 2.9, 11_080.0, None),
        ("websearch", 0.999, 15.15, 8.6, 2_990.0, None),
        ("exchange", 0.308, 15.15, 14.5, 1_179.0, Some(0.743)),
        ("msn", 0.672, 9.6, 11.1, 513.0, Some(0.786)),
        ("develop", 0.886, 18.45, 10.95, 1_985.0, Some(0.992)),
        ("radius", 0.171, 124.25, 12.45, 9_475.0, Some(0.334)),
    ] {
        let config = WorkloadConfig {
            profile: Some(profile.to_owned()),
            requests: Some(200_000),
            ..kind(WorkloadKind::Profile)
        };
        let source = open(&config, DRIVE, Path::new("")).unwrap();
        assert!(source.notes().iter().any(|note| note.contains("surrogate")));
        let commands = commands(&config);
        near(
            fraction(&commands, |command| command.op == HostOp::Read),
            reads,
            0.01,
        );
        for (op, kib) in [(HostOp::Read, read_kib), (HostOp::Write, write_kib)] {
            let of: Vec<_> = commands
                .iter()
                .filter(|command| command.op == op)
                .copied()
                .collect();
            let mean =
                of.iter().map(|command| f64::from(command.sectors)).sum::<f64>() / of.len() as f64 / 2.0;
            // Websearch writes once in a thousand requests
            near(mean, kib, kib * if of.len() > 10_000 { 0.03 } else { 0.3 });
            if let (HostOp::Write, Some(whole)) = (op, whole) {
                near(fraction(&of, |command| command.sectors % 8 == 0), whole, 0.01);
            }
        }
        near(mean_gap(&commands) / 1e3, gap_us, gap_us * 0.01);
        let runs = commands
            .windows(2)
            .filter(|pair| pair[1].sector == pair[0].sector + u64::from(pair[0].sectors));
        near(runs.count() as f64 / commands.len() as f64, 0.3, 0.01);
    }
}

#[test]
fn compressed_time_shortens_a_surrogate() {
    let config = WorkloadConfig {
        profile: Some("msn".to_owned()),
        compress_time: 10.0,
        ..kind(WorkloadKind::Profile)
    };
    near(mean_gap(&commands(&config)), 51_300.0, 600.0);
}

#[test]
fn a_region_without_room_is_refused() {
    for region in [
        Region::UpTo(Extent::Share(0.00001)),
        Region::UpTo(Extent::Size(ByteSize(1 << 50))),
    ] {
        let config = WorkloadConfig {
            region: Some(region),
            ..kind(WorkloadKind::Random)
        };
        let error = open(&config, 8_000, Path::new("")).err().unwrap().to_string();
        assert!(error.contains("workload.region"), "{error}");
    }
}

#[test]
fn a_request_larger_than_the_drive_is_refused() {
    let config = WorkloadConfig {
        request_size: Sizes::One(ByteSize(1 << 20)),
        ..kind(WorkloadKind::Random)
    };
    let error = open(&config, 1_000, Path::new("")).err().unwrap().to_string();
    assert!(
        error.starts_with("workload.request_size = 1 MiB") && error.contains("512000"),
        "{error}"
    );
}

/// 300 requests, 1000 days apart each, end beyond what 64 bits of nanoseconds hold.
#[test]
fn time_that_runs_out_is_an_error() {
    let config = WorkloadConfig {
        interarrival: Some(Duration(86_400_000_000_000_000)),
        ..kind(WorkloadKind::Random)
    };
    let mut source = open(&config, DRIVE, Path::new("")).unwrap();
    let error = (0..300).find_map(|_| source.next_command().err()).unwrap();
    assert!(error.to_string().contains("workload.interarrival"), "{error}");
    assert_eq!(source.next_command(), Ok(None));
}

fn any_kind() -> impl Strategy<Value = WorkloadKind> {
    prop::sample::select(vec![
        WorkloadKind::Random,
        WorkloadKind::Sequential,
        WorkloadKind::Zipf,
        WorkloadKind::HotCold,
        WorkloadKind::Mixed,
        WorkloadKind::Profile,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn requests_stay_in_the_region_aligned_and_repeatable(
        kind in any_kind(),
        sizes in prop::collection::vec(1_u64..64, 1..4),
        align in prop::option::of(1_u64..32),
        from in 0.0..0.5_f64,
        to in 0.6..1.0_f64,
        capacity in 20_000_u64..1 << 40,
        theta in 0.0..3.0_f64,
        seed: u64,
    ) {
        let bytes: Vec<ByteSize> = sizes.iter().map(|sectors| ByteSize(sectors * 512)).collect();
        let config = WorkloadConfig {
            kind,
            mix: bytes
                .iter()
                .map(|size| RequestClass { size: *size, weight: 1.5, read_fraction: None, placement: None })
                .collect(),
            request_size: Sizes::Any(bytes),
            align: align.map(|sectors| ByteSize(sectors * 512)),
            region: Some(Region::Range([Extent::Share(from), Extent::Share(to)])),
            profile: Some("exchange".to_owned()),
            requests: Some(300),
            theta,
            seed,
            ..WorkloadConfig::default()
        };
        let commands = commands_on(&config, capacity);
        prop_assert_eq!(commands.len(), 300);
        let step = align.or(sizes.iter().min().copied()).unwrap_or(1);
        let (from, to) = (from * capacity as f64, to * capacity as f64);
        for command in &commands {
            prop_assert!(command.sectors > 0);
            prop_assert!(command.sector as f64 >= from.floor());
            prop_assert!((command.sector + u64::from(command.sectors)) as f64 <= to.ceil());
            if kind != WorkloadKind::Profile {
                prop_assert_eq!(command.sector % step, 0);
                prop_assert!(sizes.contains(&u64::from(command.sectors)));
            }
        }
        prop_assert!(commands.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
        prop_assert_eq!(commands, commands_on(&config, capacity));
    }
}

/// With a bias of 1 all requests of a cascade arrive in the same part of it, which is a mean gap long.
#[test]
fn self_similar_arrivals_replace_the_gaps_of_requests_and_of_profiles() {
    let drawn = WorkloadConfig {
        kind: WorkloadKind::Random,
        interarrival: Some(Duration(30_000)),
        arrival: ArrivalLaw::SelfSimilar,
        ..WorkloadConfig::default()
    };
    let profile = WorkloadConfig {
        kind: WorkloadKind::Profile,
        profile: Some("financial1".to_owned()),
        // of 8.19 ms
        compress_time: 273.0,
        ..WorkloadConfig::default()
    };
    for config in [drawn, profile] {
        let config = WorkloadConfig {
            burst_bias: Some(1.0),
            requests: Some(1_000),
            ..config
        };
        let times: Vec<u64> = commands(&config)
            .iter()
            .map(|command| command.arrival.ns())
            .collect();
        assert_eq!(times.len(), 1_000);
        assert!(times[999] - times[0] <= 30_000, "{}", times[999] - times[0]);
        assert!(times[999] > times[0]);
    }
}

/// Writes carry the handle of the workload, of their class or of the part that they go to; reads and trims carry none.
#[test]
fn writes_carry_placement_handles() {
    let writes = |config: &WorkloadConfig, handle_of: &dyn Fn(&HostCommand) -> u16| {
        let commands = commands(config);
        for command in &commands {
            let handle = if command.op == HostOp::Write {
                handle_of(command)
            } else {
                0
            };
            assert_eq!(command.placement, handle, "{command:?}");
        }
        let mut handles: Vec<u16> = commands.iter().map(|command| command.placement).collect();
        handles.sort_unstable();
        handles.dedup();
        handles
    };
    let all = WorkloadConfig {
        placement: 7,
        trim_fraction: 0.1,
        ..kind(WorkloadKind::Random)
    };
    assert_eq!(writes(&all, &|_| 7), [0, 7]);
    let parts = WorkloadConfig {
        placement: 2,
        hot_placement: Some(1),
        ..kind(WorkloadKind::HotCold)
    };
    let of_part = |command: &HostCommand| if command.sector < DRIVE / 5 { 1 } else { 2 };
    assert_eq!(writes(&parts, &of_part), [0, 1, 2]);
    let class = |kib: u64, placement| RequestClass {
        placement,
        size: ByteSize(kib << 10),
        weight: 1.0,
        read_fraction: None,
    };
    let classes = WorkloadConfig {
        placement: 5,
        mix: vec![class(4, Some(3)), class(64, None)],
        ..kind(WorkloadKind::Mixed)
    };
    let of_class = |command: &HostCommand| if command.sectors == 8 { 3 } else { 5 };
    assert_eq!(writes(&classes, &of_class), [0, 3, 5]);
    let surrogate = WorkloadConfig {
        placement: 4,
        profile: Some("financial1".to_owned()),
        requests: Some(1000),
        ..kind(WorkloadKind::Profile)
    };
    assert_eq!(writes(&surrogate, &|_| 4), [0, 4]);
}
