//! How a trace is read, for what looks at a trace and has no drive.

use std::path::Path;

use wordline_units::nearest;
use wordline_workload::WorkloadConfig;

use crate::compose::{lay_override, lay_replay};
use crate::error::ConfigError;
use crate::load::finish;
use crate::merged::Merged;
use crate::schema::known_paths;
use crate::source::Origin;

/// Keys that say how a trace is read, whatever it is then used for; a section with its point.
const KEYS: &[&str] = &[
    "workload.format",
    "workload.time_unit",
    "workload.action",
    "workload.logical_block",
    "workload.seed",
    "workload.csv.",
];

/// The replay of the trace at `path` that is read as `overrides` say (`key`, `value` as TOML, as of
/// [`resolve`](crate::resolve)). Only keys that say how a trace is read are accepted; they are
/// checked as those of a run are.
///
/// # Errors
/// The first key that is not accepted, or whose value is not.
pub fn resolve_trace(path: &Path, overrides: &[(String, String)]) -> Result<WorkloadConfig, ConfigError> {
    let mut merged = Merged::default();
    lay_replay(&mut merged, path);
    for (key, value) in overrides {
        lay_override(&mut merged, key, value)?;
    }
    for key in merged.leaves() {
        let given = merged
            .source(&key)
            .is_some_and(|(_, source)| source.origin == Origin::Override);
        if given && !is_accepted(&key) {
            return Err(merged.error(&key, refusal(&key)));
        }
    }
    let mut config = finish(merged)?.config.workload;
    // as it was given, whether or not it is text
    config.path = Some(path.to_owned());
    Ok(config)
}

fn is_accepted(key: &str) -> bool {
    KEYS.iter().any(|known| match known.strip_suffix('.') {
        // the section itself too: its own check says better what is wrong with a value
        Some(section) => key == section || key.starts_with(known),
        None => key == *known,
    })
}

fn refusal(key: &str) -> String {
    let accepted: Vec<&str> = known_paths()
        .iter()
        .map(String::as_str)
        .filter(|path| is_accepted(path))
        .collect();
    let hint = nearest(key, accepted.iter().copied())
        .map_or_else(|| ".".to_owned(), |name| format!("; did you mean `{name}`?"));
    format!(
        "does not say how a trace is read{hint} Accepted here: {}",
        accepted.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use wordline_workload::{CsvColumn, TimeUnit, TraceAction, WorkloadKind};

    use super::*;

    fn read(overrides: &[(&str, &str)]) -> Result<WorkloadConfig, String> {
        let overrides: Vec<_> = overrides
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        resolve_trace(Path::new("a/trace"), &overrides).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_are_spelt_as_for_a_run() {
        let config = read(&[
            ("workload.format", "csv"),
            ("workload.time_unit", "\"100ns\""),
            ("workload.csv", "{ op = \"what\", offset = 4 }"),
            ("workload.csv.size", "5"),
            ("workload.csv.offset_unit", "512 B"),
            ("workload.csv.separator", ";"),
        ])
        .unwrap();
        assert_eq!(config.kind, WorkloadKind::Trace);
        assert_eq!(config.path.as_deref(), Some(Path::new("a/trace")));
        assert_eq!(config.time_unit, Some(TimeUnit::Ticks));
        assert_eq!(config.csv.op, Some(CsvColumn::Name("what".into())));
        assert_eq!(config.csv.size, Some(CsvColumn::Number(5)));
        assert_eq!(config.csv.offset_unit.bytes(), 512);
        assert_eq!(config.csv.separator, ";");
        let config = read(&[("workload.format", "blkparse"), ("workload.action", "Q")]).unwrap();
        assert_eq!(config.action, Some(TraceAction::Queued));
        let config = read(&[("workload.format", "offset_frequency"), ("workload.seed", "7")]).unwrap();
        assert_eq!(config.seed, 7);
        assert_eq!(read(&[]).unwrap().format, None);
    }

    /// The extension module of a package beside this one is handed a replay as text.
    #[test]
    fn a_replay_is_the_same_after_it_was_text() {
        let csv =
            "{ op = \"what\", offset = 4, size = 5, offset_unit = \"512 B\", read = [\"r\"], header = true }";
        for overrides in [
            vec![],
            vec![("workload.format", "csv"), ("workload.csv", csv)],
            vec![("workload.format", "msr"), ("workload.time_unit", "100ns")],
            vec![
                ("workload.format", "offset_frequency"),
                ("workload.seed", "9223372036854775807"),
            ],
        ] {
            let config = read(&overrides).unwrap();
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<WorkloadConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn other_keys_and_values_are_refused_by_name() {
        let csv = ("workload.format", "csv");
        for (overrides, words) in [
            // those of runs and drives
            (
                vec![("workload.fold", "modulo")],
                vec![
                    "`workload.fold=modulo`",
                    "how a trace is read",
                    "workload.csv.time",
                ],
            ),
            (
                vec![("workload.kind", "random")],
                vec!["workload.kind", "how a trace is read"],
            ),
            (
                vec![("workload.path", "b")],
                vec!["workload.path", "how a trace is read"],
            ),
            (vec![("seed", "3")], vec!["seed = 3", "workload.seed"]),
            (vec![("workload", "3")], vec!["workload = 3", "workload.format"]),
            // misspelt
            (
                vec![("workload.formt", "csv")],
                vec!["did you mean `workload.format`?"],
            ),
            (
                vec![csv, ("workload.csv.tiem", "1")],
                vec!["did you mean `workload.csv.time`?", "offset_unit"],
            ),
            (
                vec![csv, ("workload.csv", "3")],
                vec!["workload.csv = 3", "a section is expected"],
            ),
            // wrong, missing or without effect
            (
                vec![("workload.time_unit", "h")],
                vec!["workload.time_unit", "\"h\"", "100ns"],
            ),
            (
                vec![("workload.format", "cvs")],
                vec!["workload.format = cvs", "csv", "spc"],
            ),
            (vec![csv], vec!["workload.csv.op", "a column"]),
            (
                vec![("workload.csv.op", "1")],
                vec!["workload.csv.op = 1", "no effect", "workload.format = \"csv\""],
            ),
            (
                vec![("workload.format", "spc"), ("workload.action", "Q")],
                vec!["workload.action", "blkparse"],
            ),
            (
                vec![("workload.seed", "3")],
                vec!["workload.seed = 3", "offset_frequency"],
            ),
        ] {
            let error = read(&overrides).unwrap_err();
            for word in words {
                assert!(error.contains(word), "{overrides:?}: {word}: {error}");
            }
        }
    }
}
