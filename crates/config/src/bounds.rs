//! The least and the largest value of a key, as its schema says them (`wordline_keys::limits`).

use serde_json::Value as Schema;
use toml::Value;
use wordline_overlay::join;
use wordline_units::Duration;

use crate::error::ConfigError;
use crate::merged::Merged;
use crate::schema::{ANY_NAME, properties, schema};

/// What a schema accepts of a duration or a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bounds {
    Time { most: Duration },
    Count { least: u64, most: u64 },
}

impl Bounds {
    /// The bounds of a key with this schema, if it has a largest value.
    fn of(schema: &Schema) -> Option<Self> {
        let count = |key| schema.get(key).and_then(Schema::as_u64);
        match schema.get("x-maximum").and_then(Schema::as_str) {
            Some(most) => Some(Self::Time {
                most: most.parse().ok()?,
            }),
            None => Some(Self::Count {
                least: count("minimum").unwrap_or(0),
                most: count("maximum")?,
            }),
        }
    }

    fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (bounds, Value::Array(values)) => values.iter().all(|value| bounds.accepts(value)),
            (Self::Time { most }, Value::String(text)) => {
                !text.parse::<Duration>().is_ok_and(|time| time > most)
            }
            (Self::Count { least, most }, Value::Integer(count)) => {
                u64::try_from(*count).is_ok_and(|count| (least..=most).contains(&count))
            }
            _ => true,
        }
    }

    /// What is accepted, in words.
    fn words(self) -> String {
        match self {
            Self::Time { most } => format!("at most {most}"),
            Self::Count { least: 0, most } => format!("at most {most}"),
            Self::Count { least, most } => format!("from {least} to {most}"),
        }
    }
}

/// Checks every duration and count of the document.
///
/// # Errors
/// The first one out of its bounds.
pub(crate) fn check(merged: &Merged) -> Result<(), ConfigError> {
    check_table(merged, &merged.table, schema(), "")
}

fn check_table(merged: &Merged, table: &toml::Table, schema: &Schema, path: &str) -> Result<(), ConfigError> {
    let known = properties(schema).unwrap_or_default();
    for (key, value) in table {
        let Some((_, schema)) = known.iter().find(|(name, _)| name == key || *name == ANY_NAME) else {
            continue;
        };
        let path = join(path, key);
        if let Value::Table(table) = value {
            check_table(merged, table, schema, &path)?;
        } else if let Some(bounds) = Bounds::of(schema)
            && !bounds.accepts(value)
        {
            return Err(merged.error(&path, format!("not accepted: {}", bounds.words())));
        }
    }
    Ok(())
}

/// What the reference says of the bounds of a key.
pub(crate) fn remark(schema: &Schema) -> Option<String> {
    let words = Bounds::of(schema)?.words();
    Some(format!("{}{}.", words[..1].to_uppercase(), &words[1..]))
}

#[cfg(test)]
mod tests {
    use wordline_keys::limits::LIFE;

    use super::*;
    use crate::compose::DriveSource;
    use crate::load::resolve;
    use crate::schema::known_paths;

    /// Counts that are no amounts, or that another check limits: to what a part or the standard of an interface has, or
    /// to what the rest of the drive leaves.
    const ELSEWHERE: &[&str] = &[
        "seed",
        "workload.seed",
        "cell.process_variation.seed",
        "geometry.",
        "firmware.cores",
        "ftl.local.cores",
        "ftl.local.node_reads",
        "buffer.group_pages",
        "host.nvme.burst",
        "host.pcie.lanes",
        "ecc.bch.n",
        "ecc.bch.k",
        "ecc.bch.t",
        "ecc.ldpc.codewords",
        "ecc.ldpc.start",
        "ecc.ldpc.ages.initial",
        "workload.csv.",
        "output.slowest",
        "output.timeline_spans",
        "thermal.step",
    ];

    /// The schema of a key.
    fn of(path: &str) -> &'static Schema {
        path.split('.').fold(schema(), |section, name| {
            let keys = properties(section).unwrap();
            keys.into_iter().find(|(key, _)| *key == name).unwrap().1
        })
    }

    fn is_amount(schema: &Schema) -> bool {
        let is_duration = schema.get("pattern") == schemars::schema_for!(Duration).get("pattern");
        let is_integer = match schema.get("type") {
            Some(Schema::String(name)) => name == "integer",
            Some(Schema::Array(names)) => names.iter().any(|name| name == "integer"),
            _ => false,
        };
        let inner = ["anyOf", "oneOf"]
            .iter()
            .filter_map(|form| schema.get(*form)?.as_array());
        is_duration || is_integer || inner.flatten().any(is_amount)
    }

    /// A key that is added must have a bound beside its field, or a line above that says that another check limits it.
    #[test]
    fn every_duration_and_count_is_bounded() {
        let mut amounts = 0;
        for path in known_paths() {
            if path.starts_with("tenants.") || !is_amount(of(path)) {
                continue;
            }
            amounts += 1;
            let elsewhere = ELSEWHERE.iter().any(|key| match key.strip_suffix('.') {
                Some(_) => path.starts_with(key),
                None => path == key,
            });
            assert_ne!(Bounds::of(of(path)).is_some(), elsewhere, "{path}");
        }
        assert!(amounts > 100, "{amounts}");
    }

    /// The keys that another check limits refuse what is too large for them.
    #[test]
    fn counts_of_parts_and_standards_are_limited_too() {
        for (key, value) in [
            ("geometry.channels", "4000000000"),
            ("firmware.cores", "4000000000"),
            ("buffer.group_pages", "4000000000"),
            ("host.nvme.command_slots", "4000000000"),
            ("host.sata.turnaround", "\"1 y\""),
            ("ecc.bch.n", "4000000000"),
            ("output.slowest", "4000000000"),
            ("output.timeline_spans", "4000000000"),
        ] {
            let more = [
                ("buffer.policy", "fab"),
                ("ecc.kind", "bch"),
                (
                    "host.interface",
                    if key.contains("sata") { "sata" } else { "nvme" },
                ),
                ("firmware.enabled", "true"),
                ("output.timeline", "true"),
                (key, value),
            ];
            let overrides = more.map(|(key, value)| (key.to_owned(), value.to_owned()));
            let error = resolve(DriveSource::Text(""), None, &overrides)
                .unwrap_err()
                .to_string();
            assert!(error.contains(key) && error.contains("not accepted"), "{error}");
        }
    }

    fn resolved(overrides: &[(&str, &str)]) -> Result<(), String> {
        let overrides: Vec<_> = overrides
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let found = resolve(DriveSource::Named("tiny"), None, &overrides);
        found.map(|_| ()).map_err(|error| error.to_string())
    }

    #[test]
    fn values_at_a_bound_are_accepted_and_those_above_are_not() {
        let lru = ("buffer.policy", "lru");
        assert_eq!(resolved(&[lru, ("buffer.access", "10 s")]), Ok(()));
        let error = resolved(&[lru, ("buffer.access", "10000000001 ns")]).unwrap_err();
        assert_eq!(
            error,
            "override `buffer.access=10000000001 ns`: buffer.access = \"10000000001 ns\": not accepted: at most 10 s"
        );
        let choices = ("ftl.gc.victim", "d_choices");
        assert_eq!(resolved(&[choices, ("ftl.gc.d", "65536")]), Ok(()));
        let error = resolved(&[choices, ("ftl.gc.d", "65537")]).unwrap_err();
        assert!(
            error.ends_with("ftl.gc.d = 65537: not accepted: at most 65536"),
            "{error}"
        );
        // lists, by page type
        let error = resolved(&[
            ("geometry.cell_type", "mlc"),
            ("timing.t_prog", "[\"200 us\", \"1 y\"]"),
        ]);
        assert!(error.unwrap_err().ends_with("not accepted: at most 10 s"));
        // both ends
        let nvme = ("host.interface", "nvme");
        assert_eq!(resolved(&[nvme, ("host.nvme.queue_depth", "65535")]), Ok(()));
        for depth in ["0", "65536"] {
            let error = resolved(&[nvme, ("host.nvme.queue_depth", depth)]).unwrap_err();
            assert!(
                error.ends_with(&format!(
                    "host.nvme.queue_depth = {depth}: not accepted: from 1 to 65535"
                )),
                "{error}"
            );
        }
        // the workload of a tenant
        let error = resolved(&[("tenants.a.workload.interarrival", "2 y")]);
        assert!(error.unwrap_err().ends_with("not accepted: at most 1 y"));
    }

    /// What is accepted cannot bring a clock of 2^64 ns to its end between two events.
    #[test]
    fn no_step_outlasts_the_clock() {
        let longest: Duration = LIFE.parse().unwrap();
        assert!(crate::LATEST + longest + longest < wordline_units::SimTime::NEVER);
    }
}
