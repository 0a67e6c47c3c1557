//! The summary of a run: one flat, ordered map from documented names to values.

use serde::ser::{Serialize, SerializeMap, Serializer};
use wordline_ftl::Cause;
use wordline_units::Duration;

use crate::blocks::EraseCounts;
use crate::commands::COMMAND_NAMES;
use crate::keys::documented;
use crate::latency::Latency;
use crate::ledger::Ledger;
use crate::probe::CommandKind;

/// A value of the summary.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A measure; finite.
    Number(f64),
    /// Text.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A figure that does not exist in this run (a mean of nothing).
    Missing,
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl From<f64> for Value {
    /// A number that is not finite becomes `Missing`: it is never written.
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Number(value)
        } else {
            Self::Missing
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// The summary of a run. Keys keep the order in which they were first set; every one of them is
/// in the table `KEYS`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    entries: Vec<(String, Value)>,
}

impl Summary {
    /// An empty summary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a value; one that was set before is replaced in its place.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        debug_assert!(
            documented(name).is_some(),
            "summary key `{name}` is not in the table of keys"
        );
        let value = value.into();
        match self.entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.entries.push((name.to_owned(), value)),
        }
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// The value of a key as a number, where it is one.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Value::Count(count) => Some(*count as f64),
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::Flag(_) | Value::Missing => None,
        }
    }

    /// The value of a key, where it is a flag.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Value::Flag(flag) => Some(*flag),
            Value::Count(_) | Value::Number(_) | Value::Text(_) | Value::Missing => None,
        }
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Keys that the table does not document; a test of every producer wants none.
    #[must_use]
    pub fn undocumented(&self) -> Vec<&str> {
        self.iter()
            .map(|(name, _)| name)
            .filter(|name| documented(name).is_none())
            .collect()
    }

    /// The part that must be the same in two runs of the same input: all but `run.*`.
    #[must_use]
    pub fn reproducible(&self) -> Self {
        let entries = self
            .entries
            .iter()
            .filter(|(name, _)| !name.starts_with("run."))
            .cloned()
            .collect();
        Self { entries }
    }

    /// The text of `summary.json`: one flat object, a key on each line, floats in the shortest
    /// form that reads back to the same number, missing figures as `null`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("text keys and plain values are always JSON");
        text.push('\n');
        text
    }

    /// Sets `<prefix>.count`, `.latency.mean_us`, percentiles and extremes; `prefix` is
    /// `host.read`, `host.write`, `host.other` or `host.all`.
    pub fn add_latency(&mut self, prefix: &str, latency: &Latency) {
        self.set(&format!("{prefix}.count"), latency.count());
        let percentiles = latency.percentiles();
        let mut set = |figure: &str, value: Option<f64>| {
            self.set(&format!("{prefix}.latency.{figure}_us"), value);
        };
        set("mean", latency.mean_us());
        set("min", latency.min().map(Duration::as_us));
        set("p50", percentiles.map(|p| p.p50_us));
        set("p95", percentiles.map(|p| p.p95_us));
        set("p99", percentiles.map(|p| p.p99_us));
        set("p999", percentiles.map(|p| p.p999_us));
        set("p9999", percentiles.map(|p| p.p9999_us));
        set("p99999", percentiles.map(|p| p.p99999_us));
        set("max", latency.max().map(Duration::as_us));
    }

    /// Sets write amplification, operations by cause, commands by kind, waits and utilizations
    /// over `elapsed` (`sim.time_s`); the host wrote `host_bytes`. Causes and kinds that did not occur are written as 0.
    pub fn add_ledger(&mut self, ledger: &Ledger, elapsed: Duration, host_bytes: u64) {
        self.set("host.page_writes", ledger.host_page_writes());
        self.set("ftl.write_amplification", ledger.write_amplification());
        self.set(
            "ftl.write_amplification_total",
            ledger.write_amplification_total(),
        );
        self.set(
            "ftl.write_amplification_bytes",
            ledger.write_amplification_bytes(host_bytes),
        );
        type Count = fn(&Ledger, Cause) -> u64;
        let families: [(&str, u64, Count); 4] = [
            (
                "ftl.pages_programmed",
                ledger.all_programmed(),
                Ledger::pages_programmed,
            ),
            ("ftl.pages_read", ledger.all_read(), Ledger::pages_read),
            ("ftl.copy_backs", ledger.all_copy_backs(), Ledger::copy_backs),
            ("ftl.blocks_erased", ledger.all_erased(), Ledger::blocks_erased),
        ];
        for (family, total, count) in families {
            self.set(family, total);
            for cause in Cause::ALL {
                self.set(&format!("{family}.{}", cause.name()), count(ledger, cause));
            }
        }
        self.set("ftl.pages_skipped", ledger.pages_skipped());
        let commands = (0..COMMAND_NAMES.len()).map(|kind| ledger.commands(kind));
        self.set("nand.commands", commands.clone().sum::<u64>());
        for (name, count) in COMMAND_NAMES.iter().zip(commands) {
            self.set(&format!("nand.commands.{name}"), count);
        }
        for kind in CommandKind::ALL {
            let waits = ledger.waits(kind);
            let max = (waits.count > 0).then(|| waits.max.as_us());
            self.set(&format!("nand.wait.{}.mean_us", kind.name()), waits.mean_us());
            self.set(&format!("nand.wait.{}.max_us", kind.name()), max);
        }
        self.set("scheduler.longest_wait_us", ledger.longest_wait().as_us());
        let channel = ledger.channel_utilization(elapsed);
        let die = ledger.die_utilization(elapsed);
        self.set("nand.channel_utilization", channel.mean);
        self.set("nand.channel_utilization_max", channel.max);
        self.set("nand.die_utilization", die.mean);
        self.set("nand.die_utilization_max", die.max);
    }

    /// Sets `ftl.erase_count.*`.
    pub fn add_erase_counts(&mut self, counts: &EraseCounts) {
        self.set("ftl.erase_count.mean", counts.mean);
        self.set("ftl.erase_count.min", u64::from(counts.min));
        self.set("ftl.erase_count.max", u64::from(counts.max));
        self.set("ftl.erase_count.stddev", counts.stddev);
        self.set("ftl.erase_count.variation", counts.variation());
        self.set("ftl.erase_count.gini", counts.gini);
    }

    /// Sets `run.*` from the time and memory that the process took. Figures that the system does
    /// not tell are missing.
    pub fn add_run(&mut self, cost: &RunCost, requests: u64, page_operations: u64) {
        let per_cpu = |count: u64| cost.cpu_s.filter(|cpu| *cpu > 0.0).map(|cpu| count as f64 / cpu);
        self.set("run.wall_s", cost.wall_s);
        self.set("run.cpu_s", cost.cpu_s);
        self.set("run.requests_per_cpu_s", per_cpu(requests));
        self.set("run.page_ops_per_cpu_s", per_cpu(page_operations));
        self.set(
            "run.peak_rss_mb",
            cost.peak_rss_bytes.map(|bytes| bytes as f64 / 1e6),
        );
    }
}

/// What a run cost the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCost {
    /// Wall-clock seconds.
    pub wall_s: f64,
    /// CPU seconds, where the system tells.
    pub cpu_s: Option<f64>,
    /// Highest resident memory of the process in bytes, where the system tells.
    pub peak_rss_bytes: Option<u64>,
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (name, value) in &self.entries {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The residual of Little's law, |L - lambda W| / L, from the number of requests in the drive
/// summed over time and the sum of their times in the drive, both in nanoseconds; zero for an
/// empty run. Both sides are measured apart, so a lost or doubled request shows.
#[must_use]
pub fn little_residual(outstanding_area: u128, in_drive_sum: u128) -> f64 {
    match (outstanding_area, in_drive_sum) {
        (0, 0) => 0.0,
        (0, _) => 1.0,
        (area, sum) => area.abs_diff(sum) as f64 / area as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_flat_ordered_and_finite() {
        let mut summary = Summary::new();
        summary.set("sim.time_s", 0.1 + 0.2);
        summary.set("host.requests", u64::MAX);
        summary.set("host.iops", f64::INFINITY);
        summary.set("check.audited", true);
        summary.set("run.version", "1 \"x\"");
        summary.set("ftl.write_amplification", None::<f64>);
        summary.set("sim.time_s", 1e-7);
        let wanted = "{\n  \"sim.time_s\": 1e-7,\n  \"host.requests\": 18446744073709551615,\n  \
                      \"host.iops\": null,\n  \"check.audited\": true,\n  \"run.version\": \"1 \\\"x\\\"\",\n  \
                      \"ftl.write_amplification\": null\n}\n";
        assert_eq!(summary.to_json(), wanted);
        assert_eq!(summary.number("host.iops"), None);
        assert_eq!(summary.number("sim.time_s"), Some(1e-7));
        assert_eq!(summary.reproducible().iter().count(), 5);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "not in the table")]
    fn an_undocumented_key_is_a_defect() {
        Summary::new().set("host.secret", 1_u64);
    }

    #[test]
    fn littles_law() {
        assert_eq!(little_residual(0, 0), 0.0);
        assert_eq!(little_residual(0, 5), 1.0);
        assert_eq!(little_residual(200, 199), 0.005);
        assert_eq!(little_residual(200, 201), 0.005);
    }

    #[test]
    fn the_cost_of_a_run() {
        let mut summary = Summary::new();
        let cost = RunCost {
            wall_s: 2.0,
            cpu_s: Some(0.5),
            peak_rss_bytes: Some(3_000_000),
        };
        summary.add_run(&cost, 100, 300);
        assert_eq!(summary.number("run.requests_per_cpu_s"), Some(200.0));
        assert_eq!(summary.number("run.page_ops_per_cpu_s"), Some(600.0));
        assert_eq!(summary.number("run.peak_rss_mb"), Some(3.0));
        let unknown = RunCost {
            cpu_s: None,
            peak_rss_bytes: None,
            ..cost
        };
        summary.add_run(&unknown, 100, 300);
        assert_eq!(summary.get("run.requests_per_cpu_s"), Some(&Value::Missing));
    }

    #[test]
    fn flags_are_no_counts() {
        let mut summary = Summary::new();
        summary.set("check.conservation", true);
        summary.set("host.requests", 1_u64);
        assert_eq!(summary.flag("check.conservation"), Some(true));
        assert_eq!(summary.flag("host.requests"), None);
        assert_eq!(summary.number("check.conservation"), None);
    }
}
