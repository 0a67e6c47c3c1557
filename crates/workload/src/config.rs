//! `[workload]`: where host commands come from.

mod check;
mod csv;
mod extent;
mod store;
#[cfg(test)]
mod tests;
mod words;
mod zones;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, Set, Unset};
use wordline_keys::limits::{HANDLE, LIFE, OUTSTANDING, PAUSE, REQUESTS};
use wordline_keys::{Rule, Section};
use wordline_units::{ByteSize, Duration};

use crate::time_unit::TimeUnit;

pub use csv::{CsvColumn, CsvConfig};
pub use extent::{Extent, Region, RequestClass, Sizes};
pub use store::{StoreConfig, StorePlacement};
pub use words::{ArrivalLaw, DeviceLayout, Disorder, Fold, Replay, TraceAction, WorkloadKind, ZeroLength};
pub use zones::{HostZonesConfig, Translation};

/// Requests of a synthetic workload that names neither `requests` nor `duration`.
pub const DEFAULT_REQUESTS: u64 = 100_000;
/// Outstanding requests of a closed loop that names no `queue_depth`.
pub const DEFAULT_QUEUE_DEPTH: u32 = 32;

/// `[workload]`: where host commands come from.
///
/// Synthetic requests come in a closed loop (`queue_depth` of them outstanding) or in an open loop
/// (`interarrival`). A trace is replayed at its recorded times unless `replay` says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkloadConfig {
    /// Where host commands come from.
    pub kind: WorkloadKind,
    /// Share of requests that read, 0 to 1; those that neither read nor trim write.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub read_fraction: f64,
    /// Share of requests that deallocate (TRIM), 0 to 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub trim_fraction: f64,
    /// Size of a request, a multiple of 512 B, or a list of sizes each of which is equally likely.
    pub request_size: Sizes,
    /// Synthetic requests start at multiples of this size, itself a multiple of 512 B. Left out:
    /// the request size, the smallest if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align: Option<ByteSize>,
    /// Reads and writes are extended at both ends to multiples of this size, itself a multiple of 512 B: the page of a drive whose source's simulator knows
    /// whole pages only. Left out: they are as they are drawn or recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_to: Option<ByteSize>,
    /// Part of the user space that synthetic requests address: the first share or bytes of it
    /// (`0.5`, `"1 GiB"`), or a range (`[0.25, 0.5]`, `["1 GiB", "2 GiB"]`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Requests outstanding in a closed loop, at least 1. Left out without `interarrival`: 32; with `kind = "profile"` left out: the arrival times of the profile,
    /// which are ignored otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = OUTSTANDING))]
    pub queue_depth: Option<u32>,
    /// Open loop: mean gap between requests (with `arrival = "on_off"`, within a burst).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub interarrival: Option<Duration>,
    /// How the gaps of an open loop depend on `interarrival`.
    pub arrival: ArrivalLaw,
    /// Share of the gaps of `arrival = "fixed"` that equal `interarrival`, 0 to 1; the others are
    /// exponential with ten times that mean (the "75 %" of Hu et al., ICS 2011, Table 6).
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub gap_fraction: f64,
    /// Length of a burst of `arrival = "on_off"`.
    #[schemars(extend("x-maximum" = PAUSE))]
    pub on: Duration,
    /// Pause between two bursts of `arrival = "on_off"`.
    #[schemars(extend("x-maximum" = PAUSE))]
    pub off: Duration,
    /// Self-similar arrivals (b-model: Wang et al., ICDE 2002): of the requests of any time span one half of the span gets this share, the
    /// other half the rest, from 16,384 mean gaps down to one. 0.5: no bursts, to 1. With `arrival = "self_similar"`; with `kind = "profile"`
    /// in place of the gaps of the profile. `wordline trace-stats` says that of a trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst_bias: Option<f64>,
    /// Synthetic requests in all, at least 1. Left out: 100,000, or as many as arrive within
    /// `duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = REQUESTS))]
    pub requests: Option<u64>,
    /// Open-loop synthetic requests arrive before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = LIFE))]
    pub duration: Option<Duration>,
    /// Seed of a synthetic workload, of fio jobs without `randseed`, and of the draw from a table (`format =
    /// "offset_frequency"`): the same seed gives the same requests.
    pub seed: u64,
    /// Skew of `kind = "zipf"`: 0 is uniform, 0.99 the usual skew of key-value stores; at most 10.
    pub theta: f64,
    /// Share of the region that is hot with `kind = "hot_cold"`, above 0 and below 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub hot_space: f64,
    /// Share of requests that go to the hot part with `kind = "hot_cold"`, 0 to 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub hot_requests: f64,
    /// Placement handle of the writes: a stream, or a handle of flexible data placement, as `ftl.placement.directive` says. 0: none. A
    /// trace may have handles of its own; this is that of its other writes.
    #[schemars(range(max = HANDLE))]
    pub placement: u16,
    /// Placement handle of the writes to the hot part with `kind = "hot_cold"`. Left out: `placement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = HANDLE))]
    pub hot_placement: Option<u16>,
    /// Who turns the addresses of the workload into those of the drive.
    pub translation: Translation,
    /// How the host runs the workload on zones.
    pub zones: HostZonesConfig,
    /// The store of `kind = "log_structured"`.
    pub store: StoreConfig,
    /// Request classes of `kind = "mixed"`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mix: Vec<RequestClass>,
    /// Trace that `kind = "profile"` stands in for (`wordline profiles` lists them).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "profile_names")]
    pub profile: Option<String>,
    /// File of a profile for `kind = "profile"`, such as `wordline fit` writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_file: Option<PathBuf>,
    /// Trace to replay: plain, or compressed with gzip, zstd, bzip2 or xz, recognised by content; with `kind = "fio"` the job file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// With `kind = "fio"`, the text of a job file, in place of `path`: what `wordline run DRIVE -- fio ...` writes down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<String>,
    /// With `kind = "fio"`, what stands for `${NAME}` in the job file, by name: `define.BS = "4k"`. A job file that is run directly takes what the environment
    /// has of its variables, which this replaces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "definitions")]
    pub define: BTreeMap<String, String>,
    /// Format of the trace (`wordline formats` lists them). Left out: recognised from the file's
    /// name and its first rows, with a note that names the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Unit of the times in the trace. Left out: that of the format, or of the file's name
    /// (`.ssdsim-us`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<TimeUnit>,
    /// The action whose events are taken as requests, if a trace records several events of each
    /// request (`blkparse`, `blktrace`, `ftrace`, `nvme_events`, `wiscsee`; left out: D), or at which requests arrive (`biotracer`; left out: Q).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<TraceAction>,
    /// Bytes of a logical block of the drive that was traced, a power of two from 512 B, where a trace counts its addresses in them (`nvme_events`). Left out: 512 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_block: Option<ByteSize>,
    /// What the columns of `format = "csv"` mean.
    pub csv: CsvConfig,
    /// When the requests of a trace are sent.
    pub replay: Replay,
    /// Every gap between arrivals is divided by this number, above 0; 2 replays the trace twice as
    /// fast.
    pub compress_time: f64,
    /// What happens to requests beyond the drive's capacity.
    pub fold: Fold,
    /// How the devices of a trace (SPC application storage units, disk numbers) share the drive.
    pub devices: DeviceLayout,
    /// Size of a device's part with `devices = "side_by_side"`. Left out: the highest address that
    /// the trace uses on the device, rounded up to 1 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_size: Option<ByteSize>,
    /// What happens to rows whose time is before that of a previous row.
    pub disorder: Disorder,
    /// What happens to requests of length zero.
    pub zero_length: ZeroLength,
    /// Requests at the start of the trace that are skipped.
    #[schemars(range(max = REQUESTS))]
    pub skip: u64,
    /// Requests replayed after `skip`, at least 1. Left out: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = REQUESTS))]
    pub take: Option<u64>,
    /// How often the trace is replayed, at least 1. Each pass begins one mean gap after the last
    /// arrival of the previous pass.
    #[schemars(range(max = u32::MAX))]
    pub repeat: u32,
}

/// The schema of what is defined: texts by name.
fn definitions(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "object",
        "additionalProperties": { "type": "string", "description": "What `${<name>}` stands for in the job file." }
    })
}

/// The schema of a profile's name: one of those that are known.
fn profile_names(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = crate::profile::builtin::profiles()
        .iter()
        .map(|named| named.name)
        .collect();
    schemars::json_schema!({ "type": ["string", "null"], "enum": names })
}

impl Default for WorkloadConfig {
    fn default() -> Self {
        Self {
            kind: WorkloadKind::Random,
            read_fraction: 0.7,
            trim_fraction: 0.0,
            request_size: Sizes::One(ByteSize(4096)),
            align: None,
            round_to: None,
            region: None,
            queue_depth: None,
            interarrival: None,
            burst_bias: None,
            arrival: ArrivalLaw::Fixed,
            gap_fraction: 1.0,
            on: Duration::from_ms(10),
            off: Duration::from_ms(90),
            requests: None,
            duration: None,
            seed: 1,
            theta: 0.99,
            hot_space: 0.2,
            hot_requests: 0.8,
            placement: 0,
            hot_placement: None,
            translation: Translation::None,
            zones: HostZonesConfig::default(),
            store: StoreConfig::default(),
            mix: Vec::new(),
            profile: None,
            profile_file: None,
            path: None,
            jobs: None,
            define: BTreeMap::new(),
            format: None,
            time_unit: None,
            action: None,
            logical_block: None,
            csv: CsvConfig::default(),
            replay: Replay::Recorded,
            compress_time: 1.0,
            fold: Fold::Refuse,
            devices: DeviceLayout::SideBySide,
            device_size: None,
            disorder: Disorder::Sort,
            zero_length: ZeroLength::Refuse,
            skip: 0,
            take: None,
            repeat: 1,
        }
    }
}

/// Workloads whose requests are drawn.
const DRAWN: &[&str] = &["random", "sequential", "zipf", "hot_cold", "mixed"];
/// The same, and stores.
const GENERATED: &[&str] = &[
    "random",
    "sequential",
    "zipf",
    "hot_cold",
    "mixed",
    "log_structured",
];
/// The same, and surrogates of traces.
const SYNTHETIC: &[&str] = &[
    "random",
    "sequential",
    "zipf",
    "hot_cold",
    "mixed",
    "log_structured",
    "profile",
];

impl Section for WorkloadConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &[
                "read_fraction",
                "interarrival",
                "arrival",
                "gap_fraction",
                "on",
                "off",
            ],
            &[Is("workload.kind", GENERATED)],
        ),
        Rule::only(&["trim_fraction", "align"], &[Is("workload.kind", DRAWN)]),
        // the offsets and sizes of a job file are the job's
        Rule::only(&["round_to"], &[IsNot("workload.kind", &["fio"])]),
        Rule::only(
            &["requests", "duration", "region"],
            &[Is("workload.kind", SYNTHETIC)],
        ),
        Rule::only(
            &["seed"],
            &[
                IsNot("workload.kind", &["trace"]),
                Is("workload.format", &["offset_frequency"]),
            ],
        ),
        Rule::only(
            &["request_size"],
            &[Is(
                "workload.kind",
                &["random", "sequential", "zipf", "hot_cold", "log_structured"],
            )],
        ),
        Rule::only(&["queue_depth"], &[IsNot("workload.kind", &["fio"])]),
        Rule::only(
            &["queue_depth"],
            &[
                Unset("workload.interarrival"),
                Is("workload.kind", &["trace", "profile"]),
            ],
        ),
        Rule::only(
            &["queue_depth"],
            &[
                IsNot("workload.kind", &["trace"]),
                Is("workload.replay", &["closed_loop"]),
            ],
        ),
        Rule::only(
            &["arrival", "gap_fraction", "on", "off"],
            &[Set("workload.interarrival")],
        ),
        Rule::only(&["gap_fraction"], &[Is("workload.arrival", &["fixed"])]),
        Rule::only(&["on", "off"], &[Is("workload.arrival", &["on_off"])]),
        Rule::only(
            &["burst_bias"],
            &[
                Is("workload.arrival", &["self_similar"]),
                Is("workload.kind", &["profile"]),
            ],
        ),
        Rule::only(
            &["duration"],
            &[Set("workload.interarrival"), Is("workload.kind", &["profile"])],
        ),
        Rule::only(&["theta"], &[Is("workload.kind", &["zipf"])]),
        Rule::only(
            &["hot_space", "hot_requests", "hot_placement"],
            &[Is("workload.kind", &["hot_cold"])],
        ),
        // a job has its own (plids, write_hint), and so has a store
        Rule::only(
            &["placement"],
            &[IsNot("workload.kind", &["fio", "log_structured"])],
        ),
        Rule::only(&["store"], &[Is("workload.kind", &["log_structured"])]),
        // jobs have zones of their own (zonemode)
        Rule::only(&["translation"], &[IsNot("workload.kind", &["fio"])]),
        Rule::only(&["zones"], &[Is("workload.translation", &["zones"])]),
        Rule::only(&["mix"], &[Is("workload.kind", &["mixed"])]),
        Rule::only(&["profile", "profile_file"], &[Is("workload.kind", &["profile"])]),
        Rule::only(&["path"], &[Is("workload.kind", &["trace", "fio"])]),
        Rule::only(&["jobs", "define"], &[Is("workload.kind", &["fio"])]),
        Rule::only(
            &[
                "format",
                "time_unit",
                "action",
                "logical_block",
                "replay",
                "fold",
                "devices",
                "device_size",
                "disorder",
                "zero_length",
                "skip",
                "take",
                "repeat",
            ],
            &[Is("workload.kind", &["trace"])],
        ),
        Rule::only(&["compress_time"], &[Is("workload.kind", &["trace", "profile"])]),
        // in a closed loop the times of a profile are ignored
        Rule::only(
            &["compress_time", "burst_bias", "duration"],
            &[
                IsNot("workload.kind", &["profile"]),
                Unset("workload.queue_depth"),
            ],
        ),
        Rule::only(
            &["compress_time"],
            &[
                IsNot("workload.kind", &["trace"]),
                Is("workload.replay", &["recorded"]),
            ],
        ),
        Rule::only(
            &["action"],
            &[
                Is(
                    "workload.format",
                    &[
                        "blkparse",
                        "blktrace",
                        "ftrace",
                        "nvme_events",
                        "wiscsee",
                        "biotracer",
                    ],
                ),
                Unset("workload.format"),
            ],
        ),
        Rule::only(
            &["logical_block"],
            &[Is("workload.format", &["nvme_events"]), Unset("workload.format")],
        ),
        Rule::only(&["csv"], &[Is("workload.format", &["csv"])]),
        Rule::only(&["device_size"], &[Is("workload.devices", &["side_by_side"])]),
    ];
}
