//! The largest value of every duration and count that no other check limits: values that no part, drive or workload
//! has, and with which a run would take for ever or simulated time would overflow.

use toml::Value;
use wordline_units::Duration;

use super::error::ConfigError;
use super::merged::{Merged, collect, lookup};

/// A largest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Most {
    Time(Duration),
    Count(u64),
}

const SECOND: u64 = 1_000_000_000;
const YEAR: u64 = 365 * 86_400 * SECOND;

/// A step of a drive: a thousand times the slowest erase.
const STEP: Most = Most::Time(Duration(10 * SECOND));
/// A pause, or the width of a window.
const PAUSE: Most = Most::Time(Duration(YEAR));
/// A point or a stretch of a drive's life.
const LIFE: Most = Most::Time(Duration(100 * YEAR));
/// Cycles, or bytes on a bus, of one step.
const CYCLES: Most = Most::Count(1_000_000);
/// Rows of a table, operations or blocks of a drive.
const MANY: Most = Most::Count(1_000_000_000);
/// Requests of a workload.
const REQUESTS: Most = Most::Count(1_000_000_000_000_000);
/// Requests that are sent and not completed.
const OUTSTANDING: Most = Most::Count(1 << 20);

/// Keys and their largest values; a key of a workload is that of every tenant.
const BOUNDS: &[(&[&str], Most)] = &[
    (
        &[
            "timing.t_r",
            "timing.t_prog",
            "timing.t_bers",
            "timing.t_dbsy",
            "timing.t_rc",
            "timing.t_wc",
            "timing.t_cad",
            "timing.t_wb",
            "timing.t_rr",
            "timing.t_adl",
            "timing.t_ccs",
            "timing.t_whr",
            "timing.t_rcbsy",
            "timing.t_cbsy",
            "timing.ddr_read_preamble",
            "timing.ddr_write_preamble",
            "timing.t_verify",
            "timing.t_program_phase",
            "timing.t_vreset",
            "timing.t_shadow",
            "nand.vendor.latency",
            "nand.vendor.interval",
            "buffer.access",
            "host.gather",
            "ecc.bch.decode",
            "ecc.ldpc.sense_max",
            "ecc.ldpc.transfer_max",
            "ecc.ldpc.decode",
        ],
        STEP,
    ),
    (
        &[
            "ftl.gc.idle",
            "scheduler.max_wait",
            "workload.interarrival",
            "workload.on",
            "workload.off",
            "output.window",
            "age.time_per_write",
        ],
        PAUSE,
    ),
    (
        &[
            "age.storage",
            "workload.duration",
            "run.warm_up",
            "output.timeline_from",
            "output.timeline_to",
            "cell.rber.vth_shift.t_0",
        ],
        LIFE,
    ),
    (
        &[
            "timing.cmd_cycles.read",
            "timing.cmd_cycles.program",
            "timing.cmd_cycles.erase",
            "timing.cmd_cycles.copyback",
            "timing.cmd_cycles.copyback_random_in",
            "timing.cmd_cycles.multi_plane_read2",
            "timing.cmd_cycles.interleave_read2",
            "timing.cmd_cycles.multi_plane_erase2",
            "timing.cmd_cycles.interleave_erase2",
            "timing.cmd_cycles.interleave_multi_plane_erase2",
            "timing.address_cycles",
            "timing.program_iterations",
            "firmware.fetch_and_split",
            "firmware.map_lookup",
            "firmware.allocation",
            "firmware.buffer",
            "firmware.flash_command",
            "firmware.completion",
            "firmware.gc_per_page",
            "firmware.gc_victim",
            "firmware.merge",
        ],
        CYCLES,
    ),
    // each draw looks at a block
    (&["ftl.gc.d"], Most::Count(1 << 16)),
    (
        &[
            "commands.copyback_max_hops",
            "restrictions.partial_programs",
            "nand.vendor.limit",
            "ftl.gc.window",
            "ftl.gc.reserve_blocks",
            "ftl.replacement_blocks",
            "ftl.wear.gap",
            "ftl.wear.check_erases",
            "ftl.wear.erase_limit",
            "scheduler.max_writes",
            "scheduler.suspension.max_suspends_per_op",
            "buffer.background_limit",
            "output.request_log",
            "output.timeline_events",
            "output.block_table",
        ],
        MANY,
    ),
    (&["age.initial_cycles"], Most::Count(100_000_000)),
    (
        &[
            "workload.requests",
            "workload.skip",
            "workload.take",
            "workload.repeat",
        ],
        REQUESTS,
    ),
    (&["workload.queue_depth", "host.queue_limit"], OUTSTANDING),
];

/// The largest value of a key, where this table says.
fn most(path: &str) -> Option<Most> {
    let path = match path
        .strip_prefix("tenants.")
        .and_then(|rest| rest.split_once('.'))
    {
        Some((_, key)) => key,
        None => path,
    };
    BOUNDS
        .iter()
        .find(|(keys, _)| keys.contains(&path))
        .map(|(_, most)| *most)
}

impl Most {
    /// What is accepted, if `value` is not.
    fn refuses(self, value: &Value) -> Option<String> {
        match (self, value) {
            (most, Value::Array(values)) => values.iter().find_map(|value| most.refuses(value)),
            (Self::Time(most), Value::String(text)) => {
                let is_longer = text.parse::<Duration>().is_ok_and(|time| time > most);
                is_longer.then(|| format!("at most {most}"))
            }
            (Self::Count(most), Value::Integer(count)) => {
                let is_more = u64::try_from(*count).is_ok_and(|count| count > most);
                is_more.then(|| format!("at most {most}"))
            }
            _ => None,
        }
    }
}

/// Checks every duration and count of the table.
///
/// # Errors
/// The first one beyond its bound.
pub(crate) fn check(merged: &Merged) -> Result<(), ConfigError> {
    let mut paths = Vec::new();
    collect(&merged.table, "", &mut paths);
    for path in paths {
        let value = lookup(&merged.table, &path);
        if let (Some(most), Some(value)) = (most(&path), value)
            && let Some(accepted) = most.refuses(value)
        {
            return Err(merged.error(&path, format!("not accepted: {accepted}")));
        }
    }
    Ok(())
}

/// What the reference says of the largest value of a key.
pub(crate) fn remark(path: &str) -> Option<String> {
    Some(match most(path)? {
        Most::Time(time) => format!("At most {time}."),
        Most::Count(count) => format!("At most {count}."),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Schema;
    use wordline_units::Duration;

    use super::super::load::{DriveSource, resolve};
    use super::super::schema::{known_paths, properties, schema};
    use super::{BOUNDS, LIFE, Most, most};

    /// Counts that are no amounts, or that another check limits: to what a part or the standard of an interface has, or
    /// to what the rest of the drive leaves.
    const ELSEWHERE: &[&str] = &[
        "seed",
        "workload.seed",
        "cell.process_variation.seed",
        "geometry.",
        "firmware.cores",
        "buffer.group_pages",
        "host.nvme.",
        "host.pcie.",
        "host.sata.",
        "ecc.bch.n",
        "ecc.bch.k",
        "ecc.bch.t",
        "ecc.ldpc.codewords",
        "ecc.ldpc.start",
        "workload.csv.",
        "output.slowest",
        "output.timeline_spans",
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

    /// A key that is added must get a bound, or a line above that says who else checks it.
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
            assert_ne!(most(path).is_some(), elsewhere, "{path}");
        }
        assert!(amounts > 100, "{amounts}");
        for (keys, _) in BOUNDS {
            for key in *keys {
                assert!(known_paths().iter().any(|path| path == key), "{key}");
            }
        }
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
        // the workload of a tenant
        let error = resolved(&[("tenants.a.workload.interarrival", "2 y")]);
        assert!(error.unwrap_err().ends_with("not accepted: at most 1 y"));
    }

    /// What is accepted cannot bring a clock of 2^64 ns to its end between two events.
    #[test]
    fn no_step_outlasts_the_clock() {
        let Most::Time(longest) = LIFE else { unreachable!() };
        assert!(crate::error::LATEST + longest + longest < wordline_units::SimTime::NEVER);
    }
}
