//! A scheduler of another crate is one row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_config::schema;
use wordline_drive::RunOutput;
use wordline_keys::{Keys, RefusedValue, Registered};
use wordline_scheduler::{Action, Candidate, ChannelView, Order, Scheduler, SchedulerRow};
use wordline_units::Duration;

use crate::{audited, choice, figure, output, refused, register_all, resolved};

/// Keys of `lowest_page`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct LowestPageKeys {
    /// Time since the arrival of a request after which `policy = "lowest_page"` has its operations go first.
    patience: Duration,
}

impl Default for LowestPageKeys {
    fn default() -> Self {
        Self {
            patience: Duration::from_us(1_000_000),
        }
    }
}

/// Data first; then operations of requests that arrived too long ago, the first to arrive first; then that of the lowest
/// logical page.
#[derive(Debug)]
struct LowestPage {
    patience: Duration,
}

impl Scheduler for LowestPage {
    fn pick<'a>(&mut self, view: &ChannelView<'a>) -> Option<&'a Candidate> {
        view.candidates.iter().min_by_key(|candidate| {
            let impatient = candidate
                .arrival
                .filter(|arrival| view.now.since(*arrival) >= self.patience);
            let rank = match (candidate.action, impatient) {
                (Action::DataOut, _) => 0,
                (_, Some(_)) => 1,
                _ => 2,
            };
            (rank, impatient, candidate.lpn, candidate.sequence)
        })
    }
}

pub(crate) fn register() {
    let row = SchedulerRow::new(
        "lowest_page",
        "The operation of the lowest logical page goes first.",
        Order::Scheduler(&|keys, _| {
            Box::new(LowestPage {
                patience: keys.read::<LowestPageKeys>().patience,
            })
        }),
    );
    let row = row.with_keys(Keys::of::<LowestPageKeys>(), |keys| {
        match keys.read::<LowestPageKeys>().patience {
            Duration::ZERO => Err(RefusedValue::new(
                "scheduler.patience",
                "0 ns",
                "longer than 0 ns",
            )),
            _ => Ok(()),
        }
    });
    SchedulerRow::table().register(row);
}

const LOWEST_PAGE: (&str, &str) = ("scheduler.policy", "lowest_page");

#[test]
fn its_key_is_in_the_schema_and_in_the_resolved_configuration() {
    register_all();
    let scheduler = &schema()["properties"]["scheduler"]["properties"];
    let own = choice(&scheduler["policy"], "lowest_page");
    assert_eq!(
        own["description"],
        "The operation of the lowest logical page goes first."
    );
    assert_eq!(scheduler["patience"]["default"], "1 s");
    let filled = resolved(&[LOWEST_PAGE]).unwrap();
    assert!(filled.toml.contains("patience = \"1 s\""), "{}", filled.toml);
}

#[test]
fn wrong_values_and_keys_without_effect_are_refused() {
    register_all();
    let cases: [(&[(&str, &str)], &str); 4] = [
        (
            &[("scheduler.patience", "2 s")],
            "scheduler.patience = \"2 s\": has no effect here: it is used only with scheduler.policy = \"lowest_page\"",
        ),
        (
            &[LOWEST_PAGE, ("scheduler.patience", "0 s")],
            "scheduler.patience = 0 ns: not accepted: longer than 0 ns",
        ),
        (
            &[("scheduler.policy", "lowest_pag")],
            "did you mean `lowest_page`?",
        ),
        (&[LOWEST_PAGE, ("scheduler.patients", "1 s")], "patients"),
    ];
    for (keys, words) in cases {
        let error = refused(keys);
        assert!(error.contains(words), "{error}");
    }
}

/// One die: a read is started when the data of the one before have left it, so that what it chose from is known.
const ONE_DIE: [(&str, &str); 9] = [
    ("workload.requests", "400"),
    ("workload.read_fraction", "1"),
    ("workload.request_size", "4 KiB"),
    ("workload.queue_depth", "8"),
    ("geometry.channels", "1"),
    ("geometry.chips_per_channel", "1"),
    ("geometry.dies_per_chip", "1"),
    ("age.method", "overwritten"),
    ("output.attribution", "true"),
];

fn reads(keys: &[(&str, &str)]) -> RunOutput {
    register_all();
    let keys: Vec<_> = ONE_DIE.iter().chain(keys).copied().collect();
    output(&keys, audited())
}

/// For each completion, the sector of the request that is completed next, and those it was chosen from as (arrival, sector).
fn choices(output: &RunOutput) -> Vec<(u64, Vec<(u64, u64)>)> {
    let log = &output.requests;
    let mut rows: Vec<(u64, u64, u64)> = (0..log.number.len())
        .map(|row| (log.completed_ns[row], log.arrival_ns[row], log.sector[row]))
        .collect();
    rows.sort_unstable();
    let waiting = |after: usize| {
        let (now, ..) = rows[after];
        let rest = rows[after + 1..].iter().filter(|row| row.1 <= now);
        rest.map(|&(_, arrival, sector)| (arrival, sector)).collect()
    };
    (0..rows.len() - 1)
        .map(|after| (rows[after + 1].2, waiting(after)))
        .collect()
}

#[test]
fn the_lowest_page_goes_first() {
    let output = reads(&[LOWEST_PAGE]);
    let choices = choices(&output);
    assert_eq!(choices.len(), 399);
    for (chosen, waiting) in &choices {
        let lowest = waiting.iter().map(|&(_, sector)| sector).min();
        assert_eq!(Some(*chosen), lowest, "of {waiting:?}");
    }
    // requests are overtaken, and that for long
    assert!(figure(&output, "host.read.latency.max_us") > 3.0 * figure(&output, "host.read.latency.mean_us"));
}

/// With no patience at all the first to arrive goes first.
#[test]
fn arrivals_are_seen() {
    for (chosen, waiting) in choices(&reads(&[LOWEST_PAGE, ("scheduler.patience", "1 ns")])) {
        let first = waiting.iter().map(|&(arrival, _)| arrival).min().unwrap();
        let sectors = waiting.iter().filter(|row| row.0 == first).map(|row| row.1);
        assert_eq!(Some(chosen), sectors.min(), "of {waiting:?}");
    }
}

/// Writes, collection, several dies and channels, programs that may go anywhere, joined commands.
#[test]
fn it_runs_any_drive_audited() {
    register_all();
    for (mode, order) in [
        ("dynamic", "data_first"),
        ("static", "commands_first"),
        ("dynamic", "policy"),
    ] {
        let keys = [
            LOWEST_PAGE,
            ("workload.read_fraction", "0.5"),
            ("allocation.mode", mode),
            ("scheduler.channel_order", order),
            ("scheduler.max_wait", "2 ms"),
            ("commands.multi_plane_write", "wise"),
            ("commands.multi_plane_read", "true"),
            ("commands.cache_read", "true"),
        ];
        let output = output(&keys, audited());
        assert_eq!(figure(&output, "host.requests"), 3000.0);
        assert!(figure(&output, "ftl.gc.victims") > 0.0);
    }
}
