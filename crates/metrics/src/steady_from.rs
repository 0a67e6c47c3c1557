//! Where a run came into its steady state: what comes before is the warm-up that `auto` cuts off.
//!
//! MSER-5 (K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69(6),
//! 1997; K. P. White, M. J. Cobb and S. C. Spratt, "A comparison of five steady-state truncation heuristics for
//! simulation", Winter Simulation Conference 2000): of the means of batches of five observations those are cut off at the
//! start without which the confidence interval of the mean of the others is the narrowest. Where that leaves less than half of
//! the run, the run is too short.

use wordline_units::SimTime;

use crate::series_columns::SeriesColumns;

/// Windows of the time series in a batch.
const BATCH: usize = 5;
/// Batches that a verdict needs at least.
const LEAST: usize = 20;
/// Batches at the end at which no cut is looked for: so few have a small spread by chance.
const LAST: usize = 5;

/// What was found in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SteadyFrom {
    /// End of the warm-up: of the first half of the run where no steady state was found.
    pub from: SimTime,
    /// Whether a steady state was found.
    pub is_found: bool,
}

impl SteadyFrom {
    /// Looks at throughput and write amplification; the later one decides. Throughput says nothing of the drive where
    /// requests come at times of their own (`is_open`), and is then looked at without writes only.
    #[must_use]
    pub fn of(series: &SeriesColumns, is_open: bool) -> Self {
        let requests = |window: usize| series.reads[window] + series.writes[window] + series.others[window];
        // flash may work on after the last request, and the last window is shorter than the others
        let windows = (0..series.start_ns.len())
            .rposition(|window| requests(window) > 0)
            .unwrap_or(0);
        let throughput = || batches(windows, BATCH, requests);
        let amplification = amplification(series, windows);
        let judged = match amplification {
            Some(amplification) if is_open => vec![amplification],
            Some(amplification) => vec![(BATCH, throughput()), amplification],
            None => vec![(BATCH, throughput())],
        };
        let cuts = judged
            .iter()
            .map(|(batch, values)| cut(values).map(|cut| cut * batch));
        let cut = cuts
            .collect::<Option<Vec<usize>>>()
            .and_then(|cuts| cuts.into_iter().max());
        let start = |window: usize| SimTime(series.start_ns.get(window).copied().unwrap_or_default());
        Self {
            from: start(cut.unwrap_or(windows / 2)),
            is_found: cut.is_some(),
        }
    }
}

/// Sums over batches of windows; windows that fill no batch are left out.
fn batches(windows: usize, batch: usize, value: impl Fn(usize) -> u64) -> Vec<f64> {
    (0..windows / batch)
        .map(|index| (index * batch..(index + 1) * batch).map(&value).sum::<u64>() as f64)
        .collect()
}

/// Write amplification by batches, and the windows of a batch: more than five where some of these have no program of the
/// host. `None` where there are too few such batches.
fn amplification(series: &SeriesColumns, windows: usize) -> Option<(usize, Vec<f64>)> {
    let most = windows / LEAST;
    (BATCH..=most).step_by(BATCH).find_map(|batch| {
        let host = batches(windows, batch, |window| series.pages_programmed_host[window]);
        let moved = batches(windows, batch, |window| series.pages_programmed_gc[window]);
        let ratios: Option<Vec<f64>> = host
            .iter()
            .zip(&moved)
            .map(|(host, moved)| (*host > 0.0).then(|| (host + moved) / host))
            .collect();
        Some((batch, ratios?))
    })
}

/// How many values are cut off at the start; `None` where that is more than half of them, or they are too few.
fn cut(values: &[f64]) -> Option<usize> {
    if values.len() < LEAST {
        return None;
    }
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let (mut best, mut least) = (0, f64::INFINITY);
    for (index, value) in values.iter().enumerate().rev() {
        count += 1.0;
        let off = value - mean;
        mean += off / count;
        squares += off * (value - mean);
        let width = squares / (count * count);
        if index + LAST < values.len() && width <= least {
            (best, least) = (index, width);
        }
    }
    (best <= values.len() / 2).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of 1 us: requests, pages programmed for the host, and for collection.
    fn series(windows: &[(u64, u64, u64)]) -> SeriesColumns {
        let column =
            |value: &dyn Fn(&(u64, u64, u64)) -> u64| windows.iter().map(value).collect::<Vec<u64>>();
        SeriesColumns {
            start_ns: (0..windows.len() as u64).map(|window| 1_000 * window).collect(),
            reads: column(&|_| 0),
            writes: column(&|window| window.0),
            others: column(&|_| 0),
            pages_programmed_host: column(&|window| window.1),
            pages_programmed_gc: column(&|window| window.2),
            ..SeriesColumns::default()
        }
    }

    fn found(windows: &[(u64, u64, u64)]) -> (u64, bool) {
        let found = SteadyFrom::of(&series(windows), false);
        (found.from.ns() / 1_000, found.is_found)
    }

    /// Of 0, 0, 10, 10, ... with 20 values the interval without the first two has no width; without one it has
    /// 9 / 19 ^ 2 x 100 / 19.
    #[test]
    fn the_cut_is_where_the_interval_is_narrowest() {
        let mut values = vec![10.0; 20];
        assert_eq!(cut(&values), Some(0));
        values[..2].fill(0.0);
        assert_eq!(cut(&values), Some(2));
        assert_eq!(cut(&values[..19]), None);
        values[..10].fill(0.0);
        assert_eq!(cut(&values), Some(10));
        values[..11].fill(0.0);
        assert_eq!(cut(&values), None);
    }

    /// A spread that stays is no reason to cut: of 9, 11, 9, 11, ... the interval is the narrower the more there are.
    #[test]
    fn noise_is_not_cut_off() {
        let values: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 9.0 } else { 11.0 }).collect();
        assert_eq!(cut(&values), Some(0));
        let rising: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(cut(&rising), None);
    }

    /// 200 windows of a fresh drive in which 40 pass before collection begins and 50 before requests slow down; then a
    /// last window that is not whole, and flash that works on.
    #[test]
    fn the_later_of_throughput_and_amplification_decides() {
        let mut windows = vec![(8, 8, 0); 40];
        windows.extend([(8, 8, 16); 10]);
        windows.extend([(4, 4, 8); 150]);
        windows.extend([(1, 1, 2), (0, 0, 8), (0, 0, 8)]);
        assert_eq!(found(&windows), (50, true));
        windows.drain(..20);
        assert_eq!(found(&windows), (30, true));
        // throughput of requests that come at times of their own says nothing
        let open = SteadyFrom::of(&series(&windows), true);
        assert_eq!(open.from, SimTime(20_000));
    }

    #[test]
    fn a_run_that_is_never_steady_is_cut_in_half_and_said_to_be_so() {
        let rising: Vec<(u64, u64, u64)> = (0..=200).map(|at| (at + 1, 1, 0)).collect();
        assert_eq!(found(&rising), (100, false));
        assert_eq!(found(&[(1, 1, 1); 99]), (49, false), "too few");
        assert_eq!(found(&[]), (0, false));
    }

    /// One program of the host in every tenth window: batches are as long as that.
    #[test]
    fn batches_grow_until_each_has_a_write() {
        let windows: Vec<(u64, u64, u64)> = (0..401)
            .map(|at| (1, u64::from(at % 10 == 9), u64::from(at % 10 == 9 && at >= 100)))
            .collect();
        assert_eq!(found(&windows), (100, true));
        let reads: Vec<(u64, u64, u64)> = (0..401).map(|at| (if at < 30 { 2 } else { 1 }, 0, 0)).collect();
        assert_eq!(found(&reads), (30, true));
    }
}
