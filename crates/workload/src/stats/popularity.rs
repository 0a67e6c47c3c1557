//! How unevenly pages are used.

use serde::Serialize;

/// Points on the curve.
const POINTS: u32 = 64;

/// How unevenly pages are used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Popularity {
    /// Share of the accesses that falls on the most used page, in percent.
    pub hottest_percent: f64,
    /// Share of the accesses that falls on the most used hundredth of the pages, in percent.
    pub top_1_percent: f64,
    /// The same for the most used tenth.
    pub top_10_percent: f64,
    /// The same for the most used fifth.
    pub top_20_percent: f64,
    /// Share of the pages that are used only once, in percent.
    pub once_percent: f64,
    /// Exponent s of a Zipf law, use in proportion to rank^-s: least squares in the logarithms of
    /// rank and use, over ranks evenly spaced in the logarithm. `None` where fewer than ten pages
    /// are used, or all alike.
    pub zipf_exponent: Option<f64>,
    /// Share of the accesses by share of the pages, the most used first.
    pub curve: Vec<Point>,
}

/// A point of a popularity curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Share of the pages, in percent.
    pub pages_percent: f64,
    /// Share of the accesses that falls on them, in percent.
    pub accesses_percent: f64,
}

impl Popularity {
    /// What the numbers of accesses by page tell; `None` without pages. A share of the pages is
    /// rounded down to whole pages, at least one.
    pub(crate) fn of(mut counts: Vec<u64>) -> Option<Self> {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let pages = counts.len();
        let once = pages - counts.partition_point(|count| *count > 1);
        let exponent = zipf_exponent(&counts);
        let mut sum = 0;
        let sums: Vec<u64> = counts
            .iter()
            .map(|count| {
                sum += count;
                sum
            })
            .collect();
        let share_of_top = |top: usize| 100.0 * sums[top.clamp(1, pages) - 1] as f64 / sum as f64;
        (pages > 0).then(|| Self {
            hottest_percent: share_of_top(1),
            top_1_percent: share_of_top(pages / 100),
            top_10_percent: share_of_top(pages / 10),
            top_20_percent: share_of_top(pages / 5),
            once_percent: 100.0 * once as f64 / pages as f64,
            zipf_exponent: exponent,
            curve: spaced(pages)
                .map(|top| Point {
                    pages_percent: 100.0 * top as f64 / pages as f64,
                    accesses_percent: share_of_top(top),
                })
                .collect(),
        })
    }
}

/// Ranks from 1 to `last`, evenly spaced in the logarithm, each once.
fn spaced(last: usize) -> impl Iterator<Item = usize> {
    let step = libm::log(last as f64) / f64::from(POINTS - 1);
    let mut before = 0;
    (0..POINTS).filter_map(move |point| {
        let rank = if point == POINTS - 1 {
            last
        } else {
            libm::exp(step * f64::from(point)).round() as usize
        };
        let new = rank > before && rank <= last;
        before = before.max(rank);
        new.then_some(rank)
    })
}

/// The slope of use over rank, both in logarithms; `counts` fall.
fn zipf_exponent(counts: &[u64]) -> Option<f64> {
    if counts.len() < 10 || counts.first() == counts.last() {
        return None;
    }
    let points: Vec<(f64, f64)> = spaced(counts.len())
        .filter_map(|rank| Some((libm::log(rank as f64), libm::log(*counts.get(rank - 1)? as f64))))
        .collect();
    let number = points.len() as f64;
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / number;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / number;
    let sum = |of: fn(f64, f64) -> f64| {
        points
            .iter()
            .map(|point| of(point.0 - mean_x, point.1 - mean_y))
            .sum::<f64>()
    };
    Some(-sum(|x, y| x * y) / sum(|x, _| x * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_tenth() {
        let mut counts = vec![1; 20];
        counts[3] = 20;
        counts[4] = 20;
        // 20 pages, 58 accesses; the two hottest pages take 40
        let popularity = Popularity::of(counts).unwrap();
        assert!((popularity.top_10_percent - 100.0 * 40.0 / 58.0).abs() < 1e-9);
        assert!((popularity.hottest_percent - 100.0 * 20.0 / 58.0).abs() < 1e-9);
        assert!((popularity.once_percent - 90.0).abs() < 1e-9);
        assert_eq!(popularity.curve.len(), 20);
        let last = popularity.curve.last().unwrap();
        assert!((last.pages_percent - 100.0).abs() < 1e-9 && (last.accesses_percent - 100.0).abs() < 1e-9);
        assert_eq!(Popularity::of(Vec::new()), None);
    }

    #[test]
    fn the_exponent_of_a_zipf_law_is_found() {
        for exponent in [0.5, 1.0, 1.2] {
            let counts: Vec<u64> = (1..=10_000)
                .map(|rank| (1e9 * libm::pow(f64::from(rank), -exponent)) as u64)
                .collect();
            let found = Popularity::of(counts).unwrap().zipf_exponent.unwrap();
            assert!((found - exponent).abs() < 1e-3, "{found}");
        }
        assert_eq!(Popularity::of(vec![3; 100]).unwrap().zipf_exponent, None);
    }
}
