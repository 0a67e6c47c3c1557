//! Hit rates of caches whose pages are not equally popular, after Che.

/// Groups of equally popular pages: how many pages, and which share of all accesses goes to the group. Shares sum to 1.
pub type Popularity = Vec<(f64, f64)>;

/// Ranks per factor e of the groups of a Zipf law.
const GROUPS_PER_E: f64 = 32.0;

/// Pages in two groups: the share `hot_pages` of them takes the share `hot_accesses` of accesses.
#[must_use]
pub(crate) fn hot_cold(pages: f64, hot_pages: f64, hot_accesses: f64) -> Popularity {
    vec![
        (pages * hot_pages, hot_accesses),
        (pages * (1.0 - hot_pages), 1.0 - hot_accesses),
    ]
}

/// Pages of `members` logical pages each, whose ranks follow one another in a Zipf law with exponent `theta`: the popularity of a page is the sum of
/// its members. Pages of nearly the same rank form a group, so that a drive of any size has a few thousand.
#[must_use]
pub(crate) fn zipf(pages: f64, members: f64, theta: f64) -> Popularity {
    // the sum of rank^-theta over ranks after `rank`, as an integral shifted by half a rank
    let cumulated = |rank: f64| {
        if (theta - 1.0).abs() < 1e-9 {
            libm::log(2.0 * rank + 1.0)
        } else {
            (libm::pow(rank + 0.5, 1.0 - theta) - libm::pow(0.5, 1.0 - theta)) / (1.0 - theta)
        }
    };
    let total = cumulated(pages * members);
    let mut groups = Popularity::new();
    let mut first = 0.0;
    while first < pages {
        let size = (first / GROUPS_PER_E).floor().max(1.0).min(pages - first);
        let share = (cumulated((first + size) * members) - cumulated(first * members)) / total;
        groups.push((size, share));
        first += size;
    }
    groups
}

/// The same with `uniform` accesses to any page for each access so far.
#[must_use]
pub(crate) fn with_uniform(mut popularity: Popularity, uniform: f64) -> Popularity {
    let all: f64 = popularity.iter().map(|(pages, _)| pages).sum();
    for (pages, share) in &mut popularity {
        *share = (*share + uniform * *pages / all) / (1.0 + uniform);
    }
    popularity
}

/// Hit rate of a cache of `cached` pages that evicts the page that was not used for longest: the sum of 1 - exp(-rate T) over pages is the
/// size of the cache, which determines T (Che, Tung and Wang 2002).
#[must_use]
pub fn che(popularity: &Popularity, cached: f64) -> f64 {
    let used: Vec<(f64, f64)> = popularity
        .iter()
        .copied()
        .filter(|(pages, share)| *pages > 0.0 && *share > 0.0)
        .collect();
    let pages: f64 = used.iter().map(|(pages, _)| pages).sum();
    if cached >= pages {
        return 1.0;
    }
    if cached <= 0.0 {
        return 0.0;
    }
    let filled = |time: f64| -> f64 {
        used.iter()
            .map(|(pages, share)| -pages * libm::expm1(-share / pages * time))
            .sum()
    };
    let mut high = 1.0;
    while filled(high) < cached && high < 1e300 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if filled(middle) < cached {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= high * 1e-13 {
            break;
        }
    }
    used.iter()
        .map(|(pages, share)| -share * libm::expm1(-share / pages * high))
        .sum::<f64>()
        .clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_pages_hit_as_often_as_they_are_cached() {
        let equal = vec![(1e6, 1.0)];
        for cached in [1e3, 2.5e5, 9.9e5] {
            assert!((che(&equal, cached) - cached / 1e6).abs() < 1e-9);
        }
        assert_eq!(che(&equal, 1e6), 1.0);
        assert_eq!(che(&equal, 0.0), 0.0);
    }

    #[test]
    fn a_zipf_law_has_all_its_shares() {
        for theta in [0.0, 0.6, 1.0, 1.2] {
            let groups = zipf(1e6, 512.0, theta);
            let (pages, shares) = groups
                .iter()
                .fold((0.0, 0.0), |(p, s), (pages, share)| (p + pages, s + share));
            assert!(
                (pages - 1e6).abs() < 1e-3 && (shares - 1.0).abs() < 1e-9,
                "{theta}"
            );
        }
        assert!((che(&zipf(1e6, 512.0, 0.0), 2.5e5) - 0.25).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn more_skew_and_more_memory_hit_more(cached in 1e3_f64..9e5, theta in 0.1_f64..1.3) {
            let law = zipf(1e6, 512.0, theta);
            prop_assert!(che(&law, cached) >= cached / 1e6 - 1e-6);
            prop_assert!(che(&law, cached * 1.1) >= che(&law, cached));
            let halves = hot_cold(1e6, 0.2, 0.8);
            prop_assert!((0.0..=1.0).contains(&che(&halves, cached)));
        }
    }
}
