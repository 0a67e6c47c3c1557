//! Fewest valid pages among some that are drawn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{Seed, Stream};

use super::draws::{draw, stream, uniform};
use super::{Candidates, VictimPolicy, VictimRow};
use crate::analytic::Cleaning;
use crate::error::FtlError;
use crate::state::archive::{Archive, ArchiveError};
use wordline_keys::{Keys, Parameters};

/// Fewest valid pages among d uniform draws with replacement (Van Houdt, SIGMETRICS 2013); one
/// draw is the random policy.
pub(crate) struct DChoices {
    d: u32,
    stream: Stream,
}

impl DChoices {
    pub(crate) const fn new(d: u32, stream: Stream) -> Self {
        Self { d, stream }
    }
}

impl VictimPolicy for DChoices {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        let mut best = draw(&mut self.stream, candidates)?;
        for _ in 1..self.d {
            let other = draw(&mut self.stream, candidates)?;
            if candidates.blocks.valid(other) < candidates.blocks.valid(best) {
                best = other;
            }
        }
        Some(best)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.stream)
    }
}

/// Fewest valid pages among d candidates, each set of d being as likely as any other; among all where there are fewer.
/// The candidates are listed afresh for every victim: O(blocks of the pool).
pub(crate) struct DistinctChoices {
    d: u32,
    stream: Stream,
    listed: Vec<u32>,
}

impl DistinctChoices {
    pub(crate) const fn new(d: u32, stream: Stream) -> Self {
        Self {
            d,
            stream,
            listed: Vec::new(),
        }
    }
}

impl VictimPolicy for DistinctChoices {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        self.listed.clear();
        self.listed.extend(candidates.iter());
        let drawn = draw_distinct(&mut self.stream, &mut self.listed, self.d);
        drawn
            .iter()
            .copied()
            .min_by_key(|block| candidates.blocks.valid(*block))
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.stream)
    }
}

/// `count` of the elements without replacement, or all (the first steps of a Fisher-Yates shuffle).
fn draw_distinct<'a>(stream: &mut Stream, all: &'a mut [u32], count: u32) -> &'a [u32] {
    let count = all.len().min(count as usize);
    for place in 0..count {
        let left = (all.len() - place) as u32;
        all.swap(place, place + uniform(stream, left) as usize);
    }
    &all[..count]
}

/// Keys of `d_choices`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Choices {
    /// Draws of `victim = "d_choices"`, at least 1.
    #[schemars(range(max = 1 << 16))]
    d: u32,
    /// Whether the draws of `victim = "d_choices"` are distinct blocks (all of the pool, where it has fewer than `d`);
    /// otherwise a block may be drawn several times, as in the closed form of Van Houdt (2013).
    distinct: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            d: 10,
            distinct: false,
        }
    }
}

/// `ftl.gc.victim = "d_choices"`.
pub(crate) const D_CHOICES: VictimRow = {
    let mut row = VictimRow {
        closed_form: |keys, _| (Cleaning::DChoices(keys.read::<Choices>().d), true),
        check,
        ..VictimRow::new(
            "d_choices",
            "Fewest valid pages among `d` uniform draws (`distinct`: without replacement).",
            &build_choices,
        )
    };
    row.entry.keys = Keys::of::<Choices>();
    row
};

fn build_choices(keys: &Parameters<VictimRow>, seed: Seed) -> Box<dyn VictimPolicy> {
    let Choices { d, distinct } = keys.read();
    if distinct {
        Box::new(DistinctChoices::new(d, stream(seed)))
    } else {
        Box::new(DChoices::new(d, stream(seed)))
    }
}

fn check(keys: &Parameters<VictimRow>) -> Result<(), FtlError> {
    match keys.read::<Choices>().d {
        0 => Err(FtlError::new("ftl.gc.d", 0, "at least 1 draw")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wordline_units::Seed;

    use super::*;

    /// Two of four: twelve ordered pairs, each one time in twelve.
    #[test]
    fn distinct_draws_are_uniform_and_distinct() {
        let mut stream = Seed(3).stream("test");
        let mut found = BTreeMap::new();
        let times = 120_000;
        for _ in 0..times {
            let mut all = [10, 20, 30, 40];
            let drawn = draw_distinct(&mut stream, &mut all, 2);
            *found.entry(drawn.to_vec()).or_insert(0_u32) += 1;
        }
        assert_eq!(found.len(), 12);
        for (pair, count) in found {
            assert_ne!(pair[0], pair[1]);
            // 10,000 with a deviation of 96
            assert!(count.abs_diff(times / 12) < 500, "{pair:?}: {count}");
        }
    }

    #[test]
    fn all_are_drawn_where_there_are_fewer() {
        let mut stream = Seed(3).stream("test");
        let mut all = [7, 8, 9];
        let mut drawn = draw_distinct(&mut stream, &mut all, 100).to_vec();
        drawn.sort_unstable();
        assert_eq!(drawn, [7, 8, 9]);
        assert!(draw_distinct(&mut stream, &mut [], 2).is_empty());
    }
}
