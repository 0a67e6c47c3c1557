//! Windows by hand.

use super::*;
use crate::probe::RequestClass;
use crate::probe::Status;
use proptest::prelude::*;

const MS: u64 = 1_000_000;

fn request(arrival: u64, completed: u64, class: RequestClass) -> FinishedRequest {
    FinishedRequest {
        other: None,
        number: 0,
        class,
        status: Status::Good,
        arrival: SimTime(arrival),
        admitted: SimTime(arrival),
        served: SimTime(arrival),
        completed: SimTime(completed),
        sector: 0,
        sectors: 8,
        queue: 0,
    }
}

/// Tells a series of acknowledged requests, all at once.
fn acknowledge(series: &mut Series, requests: &[FinishedRequest]) {
    let mut acknowledged = [Acknowledged::default(); 3];
    for request in requests {
        acknowledged[request.class.index()].add(request);
    }
    series.requests(requests, &acknowledged);
}

/// Brings the requests in the drive to a number.
fn outstanding(series: &mut Series, now: u64, requests: u64) {
    while series.outstanding.level < requests {
        series.admitted(SimTime(now));
    }
    while series.outstanding.level > requests {
        series.left(SimTime(now));
    }
}

#[test]
fn events_fall_into_their_windows() {
    let mut series = Series::new(Some(Duration::from_ms(1)));
    outstanding(&mut series, 0, 2);
    outstanding(&mut series, MS + MS / 2, 0);
    acknowledge(
        &mut series,
        &[
            request(0, MS - 1, RequestClass::Read),
            request(MS, MS + MS / 2, RequestClass::Write),
        ],
    );
    series.operation(SimTime(3 * MS), CommandKind::CopyBack, Cause::Gc);
    series.operation(SimTime(3 * MS), CommandKind::Erase, Cause::Gc);
    series.finish(SimTime(4 * MS));
    let table = series.columns(None);
    assert_eq!(table.start_ns, [0, MS, 2 * MS, 3 * MS]);
    assert_eq!(table.reads, [1, 0, 0, 0]);
    assert_eq!(table.writes, [0, 1, 0, 0]);
    assert_eq!(table.written_bytes, [0, 4096, 0, 0]);
    assert_eq!(table.write_mean_us[1], 500.0);
    assert!(table.write_mean_us[0].is_nan());
    assert_eq!(table.pages_programmed_gc, [0, 0, 0, 1]);
    assert_eq!(table.blocks_erased, [0, 0, 0, 1]);
    assert_eq!(table.outstanding_mean, [2.0, 1.0, 0.0, 0.0]);
    assert_eq!(series.mean_outstanding(Duration::from_ms(4)), 0.75);
    assert_eq!(series.most_outstanding(), 2);
}

/// A program that ends with the run, 2 ms after its start, belongs to the second window of a millisecond: there is
/// no third one.
#[test]
fn events_at_the_very_end_are_in_the_last_window() {
    let mut series = Series::new(Some(Duration::from_ms(1)));
    outstanding(&mut series, 0, 1);
    series.operation(SimTime(2 * MS), CommandKind::Program, Cause::Host);
    series.energy(SimTime(2 * MS), Cause::Host, 1e-3);
    outstanding(&mut series, 2 * MS, 0);
    acknowledge(&mut series, &[request(0, 2 * MS, RequestClass::Write)]);
    series.finish(SimTime(2 * MS));
    let steady = SteadyPower::default();
    let table = series.columns(Some(&steady));
    assert_eq!(table.start_ns, [0, MS]);
    assert_eq!(table.width_ns, [MS, MS]);
    assert_eq!(table.writes, [0, 1]);
    assert_eq!(table.pages_programmed_host, [0, 1]);
    assert_eq!(table.outstanding_mean, [1.0, 1.0]);
    // 1 mJ in 1 ms
    assert_eq!(table.power_mw, [0.0, 1000.0]);
    assert_eq!(series.most_power(&steady), Some(1.0));
}

/// One of two requests stays in the drive from 1 ms to 3 ms; measuring starts at 1.5 ms. Of the windows of 1 ms from there on the
/// first is full of it, and the second for half of its length, which the run lasts.
#[test]
fn a_series_that_starts_afresh_has_its_first_window_there() {
    let mut series = Series::new(Some(Duration::from_ms(1)));
    outstanding(&mut series, MS, 2);
    outstanding(&mut series, MS + MS / 4, 1);
    series.operation(SimTime(MS), CommandKind::Read, Cause::Host);
    let start = MS + MS / 2;
    series.restart(SimTime(start));
    assert_eq!(series.most_outstanding(), 1);
    series.operation(SimTime(start + MS), CommandKind::Read, Cause::Host);
    acknowledge(&mut series, &[request(0, 3 * MS, RequestClass::Read)]);
    outstanding(&mut series, 3 * MS, 0);
    series.finish(SimTime(3 * MS));
    let table = series.columns(None);
    assert_eq!(table.start_ns, [start, start + MS]);
    assert_eq!(table.width_ns, [MS, MS / 2]);
    assert_eq!(table.pages_read, [0, 1]);
    assert_eq!(table.reads, [0, 1]);
    assert_eq!(table.outstanding_mean, [1.0, 1.0]);
    assert_eq!(series.outstanding_area(), u128::from(MS + MS / 2));
    assert_eq!(series.active(), Duration(MS + MS / 2));
}

/// Windows of a fine series begin at 1 us and double as others do, wherever it starts.
#[test]
fn a_fine_series_has_many_windows_for_short_runs_too() {
    let mut series = Series::fine();
    series.operation(SimTime(2_000_000), CommandKind::Read, Cause::Host);
    assert_eq!(
        (series.window(), series.columns(None).rows()),
        (Duration::from_us(1), 2001)
    );
    let mut late = Series::new(None);
    late.restart(SimTime(10_000 * MS));
    late.operation(SimTime(12_047 * MS), CommandKind::Read, Cause::Host);
    assert_eq!(
        (late.window(), late.columns(None).rows()),
        (Duration::from_ms(1), 2048)
    );
    late.operation(SimTime(12_048 * MS), CommandKind::Read, Cause::Host);
    assert_eq!(
        (late.window(), late.columns(None).rows()),
        (Duration::from_ms(2), 1025)
    );
    assert_eq!(late.columns(None).start_ns[1024], 12_048 * MS);
}

/// Two requests in the drive for 2.25 ms: the last of three windows lasts a quarter of a millisecond.
#[test]
fn the_last_window_is_as_long_as_the_run_was_in_it() {
    let mut series = Series::new(Some(Duration::from_ms(1)));
    outstanding(&mut series, 0, 2);
    let end = 2 * MS + MS / 4;
    acknowledge(&mut series, &[request(0, end, RequestClass::Write); 2]);
    outstanding(&mut series, end, 0);
    series.finish(SimTime(end));
    let table = series.columns(None);
    assert_eq!(table.width_ns, [MS, MS, MS / 4]);
    assert_eq!(table.outstanding_mean, [2.0; 3]);
    let rate = table.written_bytes[2] as f64 / table.width_ns[2] as f64;
    assert_eq!(rate, 8192.0 / (MS / 4) as f64);
    let mut nothing = Series::new(None);
    nothing.finish(SimTime::ZERO);
    assert_eq!(nothing.columns(None).outstanding_mean, [0.0]);
}

#[test]
fn doubles_instead_of_growing() {
    let mut series = Series::new(None);
    series.operation(SimTime(2048 * MS - 1), CommandKind::Read, Cause::Host);
    assert_eq!(
        (series.window(), series.columns(None).rows()),
        (Duration::from_ms(1), 2048)
    );
    series.operation(SimTime(2048 * MS), CommandKind::Read, Cause::Host);
    assert_eq!(
        (series.window(), series.columns(None).rows()),
        (Duration::from_ms(2), 1025)
    );
    // a gap of a century of simulated time
    series.operation(SimTime(3_155_760_000_000_000_000), CommandKind::Read, Cause::Host);
    let table = series.columns(None);
    assert!(table.rows() <= 2048 && series.past.capacity() <= 4096);
    assert_eq!(table.pages_read.iter().sum::<u64>(), 3);
    assert_eq!(series.widened_from(), None);
}

#[test]
fn a_fixed_width_gives_way_only_beyond_its_limit() {
    let mut series = Series::new(Some(Duration(1)));
    series.operation(SimTime((1 << 20) - 1), CommandKind::Read, Cause::Host);
    assert_eq!(series.widened_from(), None);
    series.operation(SimTime(1 << 20), CommandKind::Read, Cause::Host);
    assert_eq!(series.widened_from(), Some(Duration(1)));
    assert_eq!(series.window(), Duration(2));
}

proptest! {
    /// Sums do not depend on the widths, and the last table depends on the events alone.
    #[test]
    fn doubling_keeps_sums(steps in proptest::collection::vec((0_u64..200 * MS, 0_u64..9), 1..300)) {
        let mut automatic = Series::new(None);
        let mut one = Series::new(Some(Duration(u64::MAX)));
        let (mut now, mut area, mut level) = (0, 0_u128, 0);
        for (gap, value) in &steps {
            area += u128::from(*gap) * u128::from(level);
            now += gap;
            level = *value;
            for series in [&mut automatic, &mut one] {
                outstanding(series, now, level);
                let class = RequestClass::ALL[(value % 3) as usize];
                acknowledge(series, &[request(now - value.min(&now), now, class)]);
                series.operation(SimTime(now), CommandKind::Program, Cause::ALL[*value as usize]);
            }
        }
        automatic.finish(SimTime(now));
        one.finish(SimTime(now));
        prop_assert_eq!(automatic.outstanding_area(), area);
        let windows = automatic.past.iter().chain(std::iter::once(&automatic.current));
        let mut merged = Window::default();
        for window in windows.clone() {
            merged.merge(window);
        }
        prop_assert_eq!(merged, one.current);
        prop_assert_eq!(merged.outstanding, area);
        prop_assert!(windows.count() <= 2048);
    }

    /// Requests that are told of late, several at a time, are counted in the windows in which they were acknowledged.
    #[test]
    fn requests_may_be_told_of_late(
        steps in proptest::collection::vec((0_u64..40 * MS, 0_usize..3, any::<bool>()), 1..400),
        batch in 1_usize..80,
        width in proptest::option::of(1_u64..20 * MS),
    ) {
        let [mut at_once, mut late] = [(); 2].map(|()| Series::new(width.map(Duration)));
        let (mut now, mut waiting) = (0, Vec::new());
        for (gap, class, operation) in steps {
            now += gap;
            let request = request(now - gap.min(now), now, RequestClass::ALL[class]);
            acknowledge(&mut at_once, &[request]);
            waiting.push(request);
            if waiting.len() == batch {
                acknowledge(&mut late, &std::mem::take(&mut waiting));
            }
            for series in [&mut at_once, &mut late] {
                if operation {
                    series.operation(SimTime(now), CommandKind::Read, Cause::Host);
                }
            }
        }
        acknowledge(&mut late, &waiting);
        prop_assert_eq!(at_once.width, late.width);
        prop_assert_eq!(&at_once.past, &late.past);
        prop_assert_eq!(at_once.current, late.current);
    }
}
