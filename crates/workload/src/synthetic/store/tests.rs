//! What a store sends, followed by hand and over a long time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use wordline_units::ByteSize;

use super::Store;
use crate::config::{Sizes, StoreConfig, StorePlacement, WorkloadConfig, WorkloadKind};
use crate::{HostCommand, HostOp, Source};

fn config(change: impl FnOnce(&mut WorkloadConfig)) -> WorkloadConfig {
    let mut config = WorkloadConfig {
        kind: WorkloadKind::LogStructured,
        read_fraction: 0.0,
        request_size: Sizes::One(ByteSize(4096)),
        requests: Some(60_000),
        store: StoreConfig {
            memtable: ByteSize(64 << 12),
            segment: ByteSize(16 << 12),
            extent: ByteSize(8 << 12),
            data: 0.12,
            ..StoreConfig::default()
        },
        ..WorkloadConfig::default()
    };
    change(&mut config);
    config.check().unwrap();
    config
}

/// Sectors of the region: 8192 pieces.
const CAPACITY: u64 = 8192 * 8;

fn commands(config: &WorkloadConfig) -> Vec<HostCommand> {
    let mut store = Store::new(config, CAPACITY).unwrap();
    let mut all = Vec::new();
    while let Some(command) = store.next_command().unwrap() {
        all.push(command);
    }
    all
}

fn pieces_by_handle(commands: &[HostCommand]) -> BTreeMap<u16, usize> {
    let mut by_handle = BTreeMap::new();
    for command in commands.iter().filter(|command| command.op == HostOp::Write) {
        *by_handle.entry(command.placement).or_default() += 1;
    }
    by_handle
}

/// Without system data: the data first, then the log and, a memory later, the table that it becomes.
#[test]
fn the_first_table_by_hand() {
    let config = config(|config| {
        config.store.system = 0.0;
        config.store.placement = StorePlacement::MultiData;
    });
    let commands = commands(&config);
    let data = (8192.0 * 0.12_f64).floor() as usize;
    assert!(commands[..data].iter().all(|command| command.placement == 4));
    let after = &commands[data..];
    assert!(after[..64].iter().all(|command| command.placement == 1));
    // 62 distinct pieces of 64 updates to 983
    let handles: Vec<u16> = after[64..68].iter().map(|command| command.placement).collect();
    assert_eq!(handles, [2, 1, 2, 1]);
    let second: Vec<&HostCommand> = after[64..].iter().take(2 * 62).collect();
    assert_eq!(second.iter().filter(|command| command.placement == 2).count(), 62);
    // the log of the first memory goes: four files of 16 pieces, two extents each
    let trims: Vec<&HostCommand> = after[64..].iter().skip(2 * 62 - 1).take(8).collect();
    assert!(
        trims
            .iter()
            .all(|command| command.op == HostOp::Trim && command.sectors == 64),
        "{trims:?}"
    );
}

/// The order of magnitude of Kang et al., Table 1: the log is written most, then flushed tables, then those of merges; system data are 1 %.
#[test]
fn shares_of_writes() {
    let config = config(|config| config.store.placement = StorePlacement::MultiData);
    let mut all = commands(&config);
    all.drain(..983);
    let by_handle = pieces_by_handle(&all);
    let writes: usize = by_handle.values().sum();
    let share = |handle: u16| by_handle[&handle] as f64 / writes as f64;
    assert!((share(0) - 0.01).abs() < 0.003, "{by_handle:?}");
    assert!(share(1) > share(2) && share(2) > 0.9 * share(1));
    assert!(share(3) > 0.5 * share(2) && share(3) < share(2));
    for (placement, handles) in [
        (StorePlacement::Normal, vec![0]),
        (StorePlacement::Single, vec![0, 1]),
        (StorePlacement::MultiLog, vec![0, 1, 2]),
        (StorePlacement::MultiData, vec![0, 1, 2, 3, 4]),
    ] {
        let config = WorkloadConfig {
            store: StoreConfig {
                placement,
                ..config.store.clone()
            },
            ..config.clone()
        };
        let other = commands_of(&config);
        assert_eq!(pieces_by_handle(&other).into_keys().collect::<Vec<_>>(), handles);
        // the placement changes handles and nothing else
        let places = |all: &[HostCommand]| {
            all.iter()
                .map(|command| (command.op, command.sector))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(&other[983..]), places(&all));
    }
}

fn commands_of(config: &WorkloadConfig) -> Vec<HostCommand> {
    commands(config)
}

/// Without TRIM the same is written to the same places.
#[test]
fn trims_can_be_left_out() {
    let with = commands(&config(|config| config.store.system = 0.0));
    let without = commands(&config(|config| {
        config.store.system = 0.0;
        config.store.trim = false;
    }));
    assert!(without.iter().all(|command| command.op != HostOp::Trim));
    let kept = with.iter().filter(|command| command.op != HostOp::Trim);
    assert!(
        kept.zip(&without)
            .all(|(left, right)| (left.op, left.sector) == (right.op, right.sector))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What is read was written and not deleted; what is deleted was written; no file runs out of space, whatever the sizes.
    #[test]
    fn reads_find_what_was_written(
        seed in any::<u64>(),
        data in 0.02_f64..0.4,
        fan in 2_u32..6,
        tiers in 2_u32..5,
        memtable in 1_u64..20,
        extent in 1_u64..17,
        reads in 0.0_f64..0.5,
    ) {
        let mut config = config(|_| {});
        config.seed = seed;
        config.read_fraction = reads;
        config.requests = Some(120_000);
        config.store.data = data;
        config.store.fan = fan;
        config.store.tiers = tiers;
        config.store.memtable = ByteSize((memtable * 16) << 12);
        config.store.segment = ByteSize(7 << 12);
        config.store.extent = ByteSize(extent << 12);
        config.check().unwrap();
        let Ok(mut store) = Store::new(&config, CAPACITY) else { return Ok(()) };
        let mut written = BTreeSet::new();
        while let Some(command) = store.next_command().unwrap() {
            prop_assert!(command.sector + u64::from(command.sectors) <= CAPACITY);
            let pieces = (command.sector..command.sector + u64::from(command.sectors)).step_by(8);
            match command.op {
                HostOp::Write => written.extend(pieces),
                HostOp::Read => prop_assert!(written.contains(&command.sector)),
                _ => pieces.for_each(|piece| { written.remove(&piece); }),
            }
        }
        prop_assert!(store.files.free_extents() > 0);
    }
}

/// What is refused, by key.
#[test]
fn keys_are_refused() {
    type Change = fn(&mut WorkloadConfig);
    let cases: [(&str, Change); 10] = [
        ("workload.store.data", |config| config.store.data = 0.0),
        ("workload.store.data", |config| config.store.data = 1.0),
        ("workload.store.system", |config| config.store.system = 1.0),
        ("workload.store.fan", |config| config.store.fan = 1),
        ("workload.store.tiers", |config| config.store.tiers = 65),
        ("workload.store.memtable", |config| {
            config.store.memtable = ByteSize(0)
        }),
        ("workload.store.segment", |config| {
            config.store.segment = ByteSize(5000)
        }),
        ("workload.store.extent", |config| {
            config.store.extent = ByteSize(2048)
        }),
        ("workload.request_size", |config| {
            config.request_size = Sizes::Any(vec![ByteSize(4096), ByteSize(8192)]);
        }),
        ("workload.request_size", |config| {
            config.request_size = Sizes::One(ByteSize(100))
        }),
    ];
    for (key, change) in cases {
        let mut config = config(|_| {});
        change(&mut config);
        let error = config.check().unwrap_err();
        assert_eq!(error.key, key, "{error}");
    }
    let config = config(|config| config.store.data = 0.6);
    let error = Store::new(&config, CAPACITY).map(|_| ()).unwrap_err();
    assert_eq!(error.key, "workload.store.data");
}
