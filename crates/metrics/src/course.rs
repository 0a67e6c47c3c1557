//! The course of a run: whether throughput and write amplification stay where they begin.

use wordline_units::SimTime;

use crate::series_columns::SeriesColumns;

/// Parts of a run in which drift is looked for, half of them on each side.
const PARTS: usize = 10;
/// Windows of the time series that each part needs at least.
const WINDOWS: usize = 3;
/// Change from one half to the other that counts, as a share.
const CHANGE: f64 = 0.03;
/// Change that counts even where chance may give it, as a share (assumed: the slope that SNIA allows).
const MUCH: f64 = 0.1;
/// 99.5 % quantile of Student's distribution with eight degrees of freedom: two times five parts.
const STUDENT: f64 = 3.355;

/// Parts of a run of equal length in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Requests a second in each part.
    pub throughput: Vec<f64>,
    /// Write amplification in each part; empty where a part has no host write.
    pub amplification: Vec<f64>,
}

/// What of a run is judged by its course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Requests a second.
    Throughput,
    /// Write amplification.
    Amplification,
}

/// Means of the first and the second half of a run that differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// What differs.
    pub of: Measure,
    /// Mean of the first half.
    pub from: f64,
    /// Mean of the second half.
    pub to: f64,
    /// Difference that the spread inside of the halves alone would give in one run of a hundred.
    pub chance: f64,
    /// How steady the same measure is by SNIA's criterion.
    pub steadiness: Steadiness,
}

impl Drift {
    /// Whether the difference is more than the spread inside of the halves gives by chance.
    #[must_use]
    pub fn is_beyond_chance(self) -> bool {
        (self.to - self.from).abs() > self.chance
    }
}

/// How steady the throughput of a run is, in the five rounds of SNIA's Performance Test Specification (2.0.1, definition 2.1.24).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// The fastest round less the slowest, as a share of their mean.
    pub spread: f64,
    /// How far a straight line through the rounds rises or falls, as a share of their mean.
    pub slope: f64,
}

/// Rounds that SNIA's criterion looks at.
const ROUNDS: usize = 5;
/// Spread of the rounds that SNIA allows, as a share of their mean.
pub(crate) const SNIA_SPREAD: f64 = 0.2;
/// Slope over the rounds that SNIA allows, as a share of their mean.
pub(crate) const SNIA_SLOPE: f64 = 0.1;

impl Steadiness {
    /// How steady five rounds are; `None` where their mean is zero.
    fn of(rounds: &[f64]) -> Option<Self> {
        let mean = mean(rounds);
        let extremes = rounds.iter().fold((f64::MAX, f64::MIN), |(low, high), round| {
            (low.min(*round), high.max(*round))
        });
        // least squares over the places -2 to 2, the squares of which sum to 10
        let slope: f64 = (-2..=2)
            .zip(rounds)
            .map(|(place, round)| f64::from(place) * round)
            .sum::<f64>()
            / 10.0;
        (mean > 0.0).then(|| Self {
            spread: (extremes.1 - extremes.0) / mean,
            slope: (4.0 * slope / mean).abs(),
        })
    }

    /// Whether this is a steady state: no round is further from another than 20 % of the mean, and the line rises or falls by at
    /// most 10 % of it.
    #[must_use]
    pub fn meets_snia(self) -> bool {
        self.spread <= SNIA_SPREAD && self.slope <= SNIA_SLOPE
    }
}

impl Course {
    /// The course of a run in `parts` parts, up to its last completion; `None` where the series has too few windows for that. What the drive does
    /// after that by itself is no part of it.
    #[must_use]
    pub fn of(series: &SeriesColumns, last_completion: SimTime, parts: usize) -> Option<Self> {
        let end = last_completion.ns();
        let windows = series.start_ns.partition_point(|start| *start < end);
        if parts == 0 || windows < WINDOWS * parts {
            return None;
        }
        // the last window is shorter than the others
        let width = |at: usize| series.width_ns[at].min(end - series.start_ns[at]);
        let mut throughput = Vec::with_capacity(parts);
        let mut amplification = Vec::with_capacity(parts);
        for part in 0..parts {
            let range = part * windows / parts..(part + 1) * windows / parts;
            let sum = |column: &[u64]| column[range.clone()].iter().sum::<u64>() as f64;
            let requests = sum(&series.reads) + sum(&series.writes) + sum(&series.others);
            let time: u64 = range.clone().map(width).sum();
            throughput.push(requests / time as f64 * 1e9);
            let host = sum(&series.pages_programmed_host);
            if host > 0.0 {
                amplification.push((host + sum(&series.pages_programmed_gc)) / host);
            }
        }
        if amplification.len() < parts {
            amplification.clear();
        }
        Some(Self {
            throughput,
            amplification,
        })
    }

    /// Drift of throughput and of write amplification over a run.
    #[must_use]
    pub fn drifts(series: &SeriesColumns, last_completion: SimTime) -> [Option<Drift>; 2] {
        let course = |parts| Self::of(series, last_completion, parts);
        let (Some(parts), Some(rounds)) = (course(PARTS), course(ROUNDS)) else {
            return [None; 2];
        };
        [
            drift(Measure::Throughput, &parts.throughput, &rounds.throughput),
            drift(
                Measure::Amplification,
                &parts.amplification,
                &rounds.amplification,
            ),
        ]
    }

    /// How steady throughput is; `None` where the series has too few windows to tell, or nothing was completed.
    #[must_use]
    pub fn steadiness(series: &SeriesColumns, last_completion: SimTime) -> Option<Steadiness> {
        Steadiness::of(&Self::of(series, last_completion, ROUNDS)?.throughput)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The drift of a measure from the first half to the second, from its `parts`, and how steady it is in SNIA's `rounds`. It counts where it
/// is more than a little and more than chance gives; or, whatever chance gives, where it is much and SNIA's criterion is not met either.
fn drift(of: Measure, parts: &[f64], rounds: &[f64]) -> Option<Drift> {
    if parts.len() < 4 {
        return None;
    }
    let (first, second) = parts.split_at(parts.len() / 2);
    let (from, to) = (mean(first), mean(second));
    let squares = |half: &[f64], mean: f64| half.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let count = first.len() as f64;
    let variance = (squares(first, from) + squares(second, to)) / (2.0 * (count - 1.0));
    let found = Drift {
        of,
        from,
        to,
        chance: STUDENT * (variance * 2.0 / count).sqrt(),
        steadiness: Steadiness::of(rounds)?,
    };
    let change = (to - from).abs() / from.max(to);
    let counts = if found.is_beyond_chance() {
        change > CHANGE
    } else {
        change > MUCH && !found.steadiness.meets_snia()
    };
    counts.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series of windows of a second with so many writes each, of which each took `programs` programs in ten.
    fn series(windows: &[(u64, u64)]) -> SeriesColumns {
        let column = |value: &dyn Fn(usize) -> u64| (0..windows.len()).map(value).collect::<Vec<u64>>();
        SeriesColumns {
            start_ns: column(&|window| window as u64 * 1_000_000_000),
            width_ns: column(&|_| 1_000_000_000),
            reads: column(&|_| 0),
            writes: column(&|window| windows[window].0),
            others: column(&|_| 0),
            pages_programmed_host: column(&|window| windows[window].0),
            pages_programmed_gc: column(&|window| windows[window].1),
            ..SeriesColumns::default()
        }
    }

    /// When its last window ends.
    fn end(series: &SeriesColumns) -> SimTime {
        SimTime(series.width_ns.iter().sum())
    }

    fn drifts_of(series: &SeriesColumns) -> [Option<Drift>; 2] {
        Course::drifts(series, end(series))
    }

    fn course_of(series: &SeriesColumns, parts: usize) -> Course {
        Course::of(series, end(series), parts).unwrap()
    }

    fn snia(series: &SeriesColumns) -> Option<bool> {
        Course::steadiness(series, end(series)).map(Steadiness::meets_snia)
    }

    #[test]
    fn a_run_that_stays_where_it_begins() {
        let flat = series(&[(100, 150), (101, 152), (99, 148)].repeat(10));
        assert_eq!(drifts_of(&flat), [None, None]);
        assert_eq!(snia(&flat), Some(true));
        let course = course_of(&flat, 10);
        assert!((course.throughput[3] - 100.0).abs() < 1e-9);
        assert!((course.amplification[3] - 2.5).abs() < 1e-9);
    }

    /// 200 requests a second at first and 100 in the end, while each write takes 2 programs and then 3.
    #[test]
    fn a_run_that_slows_down() {
        let windows: Vec<(u64, u64)> = (0..30)
            .map(|at| if at < 15 { (200, 200) } else { (100, 200) })
            .collect();
        let found = drifts_of(&series(&windows)).map(|drift| {
            let drift = drift.unwrap();
            (drift.of, drift.from, drift.to, drift.chance)
        });
        assert_eq!(
            found,
            [
                (Measure::Throughput, 200.0, 100.0, 0.0),
                (Measure::Amplification, 2.0, 3.0, 0.0)
            ]
        );
        assert_eq!(snia(&series(&windows)), Some(false));
    }

    /// Rounds of 109, 100, 100, 100, 91: no further apart than 20 %, but the line falls by 4 x 3.6, more than 10 %.
    #[test]
    fn snia_looks_at_the_slope_too() {
        let rounds = |values: [u64; 5]| {
            values
                .iter()
                .flat_map(|value| [(*value, 0); 3])
                .collect::<Vec<_>>()
        };
        assert_eq!(snia(&series(&rounds([109, 100, 100, 100, 91]))), Some(false));
        assert_eq!(snia(&series(&rounds([100, 109, 100, 91, 100]))), Some(true));
        assert_eq!(snia(&series(&rounds([100, 130, 100, 100, 100]))), Some(false));
    }

    #[test]
    fn a_wild_run_has_a_chance_beyond_its_change_and_few_windows_say_nothing() {
        // means of 92 and 118, and parts that differ by more
        let windows: Vec<(u64, u64)> = (0..10)
            .flat_map(|part| [(if part % 2 == 0 { 60 } else { 140 } + part / 5 * 10, 0); 3])
            .collect();
        let [throughput, amplification] = drifts_of(&series(&windows));
        let drift = throughput.unwrap();
        assert_eq!((drift.from, drift.to, amplification), (92.0, 118.0, None));
        assert!(drift.chance > 90.0 && !drift.is_beyond_chance(), "{drift:?}");
        // rounds of two parts each: 100, 100, 105, 110, 110
        assert!(!drift.steadiness.meets_snia(), "{drift:?}");
        assert_eq!(drifts_of(&series(&[(1, 1); 29])), [None, None]);
        assert_eq!(
            course_of(&series(&[(0, 0); 30]), 10).amplification,
            Vec::<f64>::new()
        );
    }

    /// Requests of every class count: 1, 2 and 4 a second.
    #[test]
    fn throughput_is_of_all_requests() {
        let mut series = series(&[(2, 0); 3]);
        series.reads = vec![1; 3];
        series.others = vec![4; 3];
        assert_eq!(course_of(&series, 1).throughput, [7.0]);
    }

    /// The first half has a mean of 120 and squares that sum to 1,600, the second none: over twice four that is a variance
    /// of 200, and chance 3.355 times the root of 2 x 200 / 5, or 30.0. A change of 8 is less than that, one of 60 more.
    #[test]
    fn one_half_that_varies_is_enough_for_chance() {
        let drifts = |second: u64| {
            let parts = [100, 140, 120, 100, 140].into_iter().chain([second; 5]);
            let windows: Vec<(u64, u64)> = parts.flat_map(|writes| [(writes, 0); 3]).collect();
            drifts_of(&series(&windows))[0].map(|drift| (drift.from, drift.to, drift.chance))
        };
        assert_eq!(drifts(128), None);
        // 3.355 standard errors of the difference: the square root of 2 / 5 times 1600 / 8
        let chance = 3.355 * 80_f64.sqrt();
        let found = |from, to| Some((from, to, chance));
        assert_eq!(drifts(180), found(120.0, 180.0));
        // within what chance gives, but much, and rounds of 120, 110, 140, 140 and 140 differ by 23 % of their mean
        assert_eq!(drifts(140), found(120.0, 140.0));
        assert_eq!(drifts(133), None);
    }

    /// Halves of 90 and 102 differ by 12 %, which chance may give; rounds of 90, 90, 96, 102 and 102 by 12.5 % of 96, but they
    /// rise by more than 10 %.
    #[test]
    fn what_chance_may_give_is_told_only_where_snia_finds_no_steady_state() {
        let of = |parts: [u64; 10]| {
            let windows: Vec<(u64, u64)> = parts.iter().flat_map(|part| [(*part, 0); 3]).collect();
            drifts_of(&series(&windows))[0]
        };
        let rising = of([70, 110, 70, 110, 90, 102, 82, 122, 82, 122]).unwrap();
        assert!(
            !rising.is_beyond_chance() && rising.steadiness.slope > 0.1,
            "{rising:?}"
        );
        // the same halves, in an order whose rounds are steady
        assert_eq!(of([110, 90, 90, 90, 70, 122, 102, 102, 102, 82]), None);
    }

    /// 100 requests a second for 30.5 s, and background work until 40 s: the last window with requests has half a second of them.
    #[test]
    fn work_after_the_last_request_is_no_part_of_the_course() {
        let mut windows = [(100, 0); 40];
        windows[30] = (50, 0);
        windows[31..].fill((0, 0));
        let series = series(&windows);
        let last = SimTime(30_500_000_000);
        assert_eq!(Course::drifts(&series, last), [None, None]);
        let steadiness = Course::steadiness(&series, last).unwrap();
        assert!(steadiness.spread < 1e-9, "{steadiness:?}");
        assert!(!Course::steadiness(&series, end(&series)).unwrap().meets_snia());
    }
}
