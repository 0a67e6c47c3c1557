//! What a scheduler of requests is told of the units: when each will be idle (DLV specification, section 10).

use std::sync::Mutex;

use proptest::prelude::*;
use wordline_keys::Registered;
use wordline_scheduler::{Order, Ranking, RequestGroup, RequestScheduler, RequestsView, SchedulerRow};

use crate::{audited, output, register_all};

/// What was told when a request was let in: the moment, its arrival, its unit, and when the unit was to be idle.
#[derive(Clone, Copy, Debug)]
struct Told {
    now: u64,
    arrival: u64,
    unit: u32,
    idle_from: u64,
}

static TOLD: Mutex<Vec<Told>> = Mutex::new(Vec::new());

/// Requests in the order in which they come, each at once.
#[derive(Debug)]
struct Recorder;

impl RequestScheduler for Recorder {
    fn pick(&mut self, view: &RequestsView<'_>) -> Option<usize> {
        let (_, place) = view.candidates().filter_map(RequestGroup::oldest).min()?;
        let request = &view.requests[place];
        let share = request.shares().first()?;
        TOLD.lock().unwrap().push(Told {
            now: view.now.ns(),
            arrival: request.arrival.ns(),
            unit: share.unit,
            idle_from: view.units[share.unit as usize].idle_from.ns(),
        });
        Some(place)
    }
}

pub(crate) fn register() {
    let row = SchedulerRow::new(
        "recorded",
        "Requests in the order in which they come, and what is told of the units is recorded.",
        Order::Ranks(Ranking::BY_AGE),
    );
    SchedulerRow::table().register(row.with_requests(|_| Box::new(Recorder)));
}

/// 4 KiB on a bus of 200 MT/s with its command, in nanoseconds.
const TRANSFER: u64 = 20_655;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// No estimate of the end of dispatched work is wrong while nothing is collected, read again or kept from the bus.
    #[test]
    fn units_are_idle_when_that_is_told(seed in 1_u64..1_000, gap in 20_u64..400, reads in any::<bool>()) {
        register_all();
        let (seed, gap) = (seed.to_string(), format!("{gap} us"));
        // a fresh drive that is written, or a written one that is read: nothing is collected
        let (reads, age) = if reads { ("1", "overwritten") } else { ("0", "fresh") };
        let keys = [
            ("scheduler.policy", "recorded"),
            ("workload.requests", "300"),
            ("workload.request_size", "4 KiB"),
            ("workload.interarrival", &gap),
            ("workload.seed", &seed),
            ("workload.read_fraction", reads),
            ("geometry.chips_per_channel", "1"),
            ("geometry.dies_per_chip", "1"),
            ("geometry.planes_per_die", "1"),
            ("allocation.mode", "static"),
            ("age.method", age),
        ];
        TOLD.lock().unwrap().clear();
        let found = output(&keys, audited());
        let told = TOLD.lock().unwrap().clone();
        let log = &found.requests;
        // data of reads that wait for the bus, or are on it, come on top: nobody knows of them yet
        let most = if reads == "1" { TRANSFER } else { 0 };
        for (place, row) in told.iter().enumerate() {
            let end = |row: &Told| {
                let number = log.arrival_ns.iter().position(|arrival| *arrival == row.arrival);
                number.map_or(0, |number| log.completed_ns[number])
            };
            let before = told[..place].iter().filter(|other| other.unit == row.unit);
            let truth = before.map(end).max().unwrap_or(0).max(row.now);
            let late = truth.checked_sub(row.idle_from);
            prop_assert!(late.is_some_and(|late| late <= most), "{row:?}: {truth}");
        }
        prop_assert_eq!(told.len(), 300);
    }
}
