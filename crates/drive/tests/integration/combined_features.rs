//! Features that rule others out (`wordline_config::conflicts`), two at a time: a pair runs, audited, or an error says why it does not.

use std::collections::BTreeMap;
use std::path::Path;

use wordline_config::conflicts::{FEATURES, Feature};
use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunOptions, run};
use wordline_metrics::Value;

/// A drive that a few hundred requests write over.
const SMALL: &[(&str, &str)] = &[
    ("geometry.channels", "2"),
    ("geometry.chips_per_channel", "1"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.blocks_per_plane", "40"),
    ("geometry.pages_per_block", "24"),
    ("ftl.over_provisioning", "0.6"),
    ("workload.requests", "600"),
    ("workload.read_fraction", "0.3"),
];

/// Keys of both features; none where their examples want different values of one key, so that no drive is both examples.
fn joined(one: &Feature, other: &Feature) -> Option<BTreeMap<String, String>> {
    let mut keys = BTreeMap::new();
    for (key, value) in one.example.iter().chain(other.example) {
        if *keys.entry(*key).or_insert(*value) != *value {
            return None;
        }
    }
    let small = SMALL.iter().copied();
    let all = small.chain(keys);
    Some(
        all.map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    )
}

fn resolved(keys: BTreeMap<String, String>) -> Result<Config, String> {
    let overrides: Vec<_> = keys.into_iter().collect();
    let resolved = resolve(DriveSource::Text(""), None, &overrides);
    resolved
        .map(|found| found.config)
        .map_err(|error| error.to_string())
}

/// Whether an error is one of the rows of a feature that the keys ask for: one of the pair, or one that their examples need.
fn is_row(keys: &BTreeMap<String, String>, error: &str) -> bool {
    FEATURES.iter().any(|feature| {
        let mut example = feature.example.iter();
        let is_asked = example.all(|(key, value)| keys.get(*key).is_some_and(|given| given == value));
        let mut rows = feature.conflicts.iter();
        is_asked
            && rows
                .any(|conflict| error.contains(conflict.key) && error.contains(&feature.accepted(conflict)))
    })
}

#[test]
fn every_pair_runs_or_says_why_not() {
    let (mut runs, mut refused, mut wrong) = (0, 0, Vec::new());
    for (number, one) in FEATURES.iter().enumerate() {
        for other in &FEATURES[number + 1..] {
            let Some(keys) = joined(one, other) else {
                continue;
            };
            let pair = format!("{} and {}", one.name, other.name);
            let config = match resolved(keys.clone()) {
                Ok(config) => config,
                // that a key has no effect beside another one is a rule of its section
                Err(error) if is_row(&keys, &error) || error.contains("has no effect here") => {
                    refused += 1;
                    continue;
                }
                Err(error) => {
                    wrong.push(format!("{pair}: {error}"));
                    continue;
                }
            };
            let options = RunOptions {
                audit: true,
                ..RunOptions::default()
            };
            match run(&config, Path::new("."), options, &mut |_| true) {
                Ok(output) if output.summary.get("check.conservation") == Some(&Value::Flag(true)) => {
                    runs += 1
                }
                Ok(_) => wrong.push(format!("{pair}: work was lost")),
                Err(error) => wrong.push(format!("{pair}: {error}")),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{runs} run, {refused} refused\n{}",
        wrong.join("\n")
    );
    assert!(runs > 40 && refused > 20, "{runs} run, {refused} refused");
}
