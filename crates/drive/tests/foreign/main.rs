//! Rows of another crate: their keys are in the schema, wrong values and keys without effect are refused
//! as those of built-in policies are, they run timed and audited, and the drive that they leave can be saved and loaded.
//!
//! A program of its own: the schema is made once for a program, after all rows are registered.

mod buffer;
mod classifier;
mod idle_times;
mod mapping;
mod mode;
mod ring;
mod scheduler;
mod victim;

use std::path::Path;
use std::sync::Once;

use wordline_config::{DriveSource, Resolved, resolve};
use wordline_drive::{RunOptions, RunOutput, run};
use wordline_ftl::Mappings;
use wordline_keys::Registered;

/// Registers the rows of all tests, once, before a configuration is read.
fn register_all() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        buffer::register();
        classifier::register();
        idle_times::register();
        mode::register();
        Mappings::table().register(ring::RING);
        scheduler::register();
        victim::register();
    });
}

/// The preset `tiny` with some keys.
fn resolved(keys: &[(&str, &str)]) -> Result<Resolved, String> {
    let common = [("workload.requests", "3000"), ("workload.read_fraction", "0")];
    let keys: Vec<(String, String)> = common
        .iter()
        .chain(keys)
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    resolve(DriveSource::Named("tiny"), None, &keys).map_err(|error| error.to_string())
}

fn output(keys: &[(&str, &str)], options: RunOptions) -> RunOutput {
    let config = resolved(keys).unwrap().config;
    run(&config, Path::new("."), options, &mut |_| true).unwrap()
}

fn figure(output: &RunOutput, key: &str) -> f64 {
    output.summary.number(key).unwrap_or_else(|| panic!("no {key}"))
}

/// Why a configuration is refused.
fn refused(keys: &[(&str, &str)]) -> String {
    resolved(keys).map(|_| ()).unwrap_err()
}

fn audited() -> RunOptions {
    RunOptions {
        audit: true,
        ..RunOptions::default()
    }
}

/// The drive that a run with these keys leaves is saved, and the same row and `other` continue from it; `counts` is the
/// figure that shows that they have done something.
fn check_saved(keys: &[(&str, &str)], selector: &str, other: &str, counts: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    let options = RunOptions {
        save_state: Some(path.clone()),
        ..audited()
    };
    output(keys, options);
    let snapshot = [
        ("age.method", "snapshot"),
        ("age.snapshot", path.to_str().unwrap()),
    ];
    let continued: Vec<(&str, &str)> = keys.iter().chain(&snapshot).copied().collect();
    assert!(figure(&output(&continued, audited()), counts) > 0.0);
    let continued: Vec<(&str, &str)> = keys
        .iter()
        .filter(|(key, _)| *key != selector)
        .chain(&snapshot)
        .chain(&[(selector, other)])
        .copied()
        .collect();
    assert!(figure(&output(&continued, audited()), counts) > 0.0);
}

/// The choice of a name in the schema of the key that names rows.
fn choice<'a>(property: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let choices = property["oneOf"].as_array().unwrap();
    choices.iter().find(|choice| choice["const"] == name).unwrap()
}
