//! Skips of drives that refresh their blocks: which data stay in their blocks and grow older, and which of them were due.

use serde::{Deserialize, Serialize};
use wordline_ftl::Subjects;
use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::Engine;
use crate::error::LifetimeError;
use crate::nearest_rank::nearest_rank;
use crate::refresh_report::RefreshReport;
use crate::refreshing::RefreshTimes;
use crate::skip::KeptData;

/// To what share retention may fall in a skip in which blocks are refreshed, or soon retired.
const MOST_FALL: f64 = 0.8;
/// Blocks whose retention is less than so many times that at which they are retired are soon retired.
const SOON: f64 = 10.0;
/// Share of refreshes in all erases from which on that holds.
const MATTERS: f64 = 0.005;

/// A drive has old data where so large a share of its blocks is expected to hold theirs through a skip.
const OLD: f64 = 0.01;

/// What refresh did in time that was skipped, and when the drive ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SkippedRefresh {
    /// Blocks, and their pages, that were refreshed more often than the FTL did.
    blocks: u64,
    pages: u64,
    /// When data were lost or too few blocks could be used, in nanoseconds since the start of the study.
    ended: Option<u64>,
    /// When the first data were lost.
    lost: Option<u64>,
    /// Whether refreshes were a part of the erases of the last skip, or of the last window, that matters.
    matters: bool,
    /// By pool, how old data would be that the FTL is to refresh now, as they were due within the skip: ascending.
    younger: Vec<Vec<u64>>,
}

/// The data that blocks held before a skip.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeldBefore {
    since: Vec<SimTime>,
    skipped: Vec<u64>,
    blocks: u64,
    pages: u64,
}

/// How often data that would be of an `age` have been refreshed, the first time at `period` and then at `again` (never, without one), and how old they are.
fn refreshed_at(age: u64, period: u64, again: Option<u64>) -> (u64, u64) {
    let Some(since) = age.checked_sub(period) else {
        return (0, age);
    };
    let again = again.unwrap_or(u64::MAX).max(1);
    (1 + since / again, since % again)
}

impl Engine<'_> {
    /// Whether data were lost, or too few blocks could be used.
    pub(super) fn has_ended(&self) -> bool {
        self.skipping.refreshed.ended.is_some()
    }

    /// Notes the end of the drive once the FTL has told it; its clock does not count what is skipped.
    pub(super) fn note_end(&mut self) {
        let state = &self.skipping.refreshed;
        if state.ended.is_some() && state.lost.is_some() {
            return;
        }
        let refreshing = self.simulation.ftl().refreshing();
        let Some(totals) = refreshing.map(|refreshing| refreshing.totals()) else {
            return;
        };
        let ends = [totals.first_missed, totals.space_ended];
        let (epoch, skipped) = (self.simulation.epoch(), self.skipped);
        let in_study = |time: SimTime| time.since(epoch).ns().saturating_add(skipped);
        let state = &mut self.skipping.refreshed;
        state.ended = ends.into_iter().flatten().min().map(in_study);
        state.lost = totals.first_missed.map(in_study);
    }

    /// Retentions in seconds that end a skip, each with the number of blocks that may keep data for less: where a block will be retired, and where the load of refresh has changed.
    pub(super) fn refresh_limits(&self) -> Vec<(f64, usize)> {
        let Some(times) = self.refresh_times.as_ref().filter(|_| !self.has_ended()) else {
            return Vec::new();
        };
        let factor = self.temperature.retention_factor();
        let retired = times.retire_below().as_secs() / factor;
        let mut limits = vec![(retired, 0)];
        let mut retentions = self.simulation.wear().retentions(1.0);
        retentions.sort_by(f64::total_cmp);
        let rank = nearest_rank(10, retentions.len());
        if self.skipping.refreshed.matters || retentions[rank] < SOON * retired {
            limits.push((MOST_FALL * retentions[rank], rank));
        }
        limits
    }

    /// Whether blocks keep data so short already that they are retired, and the drive has not ended yet.
    pub(super) fn must_be_simulated(&self) -> bool {
        let Some(times) = &self.refresh_times else {
            return false;
        };
        let least = times.retire_below().as_secs();
        let retentions = self
            .simulation
            .wear()
            .retentions(self.temperature.retention_factor());
        !self.has_ended() && retentions.into_iter().any(|retention| retention < least)
    }

    /// How old data become before they are refreshed that a block keeps for `retention` nanoseconds; none where they are not.
    fn refresh_period(&self, retention: u64) -> Option<u64> {
        self.refresh_times.as_ref()?.period(retention)
    }

    /// Whether blocks are refreshed without programs, of which only the FTL knows.
    fn refreshes_at_no_cost(&self) -> bool {
        self.refresh_times.as_ref().is_some_and(RefreshTimes::is_free)
    }

    /// Whether a drive refreshes blocks, or so many of them hold their data for so long that no skip may be cut in halves.
    pub(super) fn has_old_data(&self, length: u64) -> bool {
        let wear = self.simulation.wear();
        let (Some(held), Some(health)) = (&wear.held, &wear.health) else {
            return false;
        };
        let now = self.simulation.clock();
        let ages = (0..wear.states.len()).filter_map(|block| Some((block, health.age(block, now)?)));
        let stay: f64 = ages.map(|(block, age)| held.survival(block, age, length)).sum();
        held.times.is_some() || stay > OLD * wear.states.len() as f64
    }

    /// For how many seconds each block keeps its data from now on, or, where it holds none, data that are written now. In a skip under way, data that stay are older by what has been skipped, or
    /// were refreshed in it.
    pub(super) fn left(&self) -> Vec<f64> {
        let (wear, ftl) = (self.simulation.wear(), self.simulation.ftl());
        let now = self.simulation.clock();
        let mut left = wear.retentions(self.temperature.retention_factor());
        let Some(health) = &wear.health else { return left };
        let (again, is_free) = (self.period_of_target(), self.refreshes_at_no_cost());
        for (block, left) in left.iter_mut().enumerate() {
            let Some(age) = health.consumed(block, now) else {
                continue;
            };
            if ftl.block(BlockId(block as u32)).valid == 0 {
                continue;
            }
            let age = match &self.skipping.staying {
                None if is_free => {
                    let period = self.refresh_period((*left * 1e9) as u64);
                    period.map_or(age, |period| refreshed_at(age, period, Some(period)).1)
                }
                None => age,
                Some((kept, began)) if kept.stays[block] => {
                    let older = age.saturating_add(self.now().saturating_sub(*began));
                    let period = self.refresh_period((*left * 1e9) as u64);
                    period.map_or(older, |period| refreshed_at(older, period, again).1)
                }
                // written anew since
                Some(_) => 0,
            };
            *left -= age as f64 / 1e9;
        }
        left
    }

    /// Before the mapping is stationary, ages at which blocks are emptied do not count.
    pub(super) fn forget_dwelling(&mut self) {
        let now = self.simulation.clock();
        let wear = self.simulation.wear_mut();
        let (Some(held), Some(health)) = (&mut wear.held, &wear.health) else {
            return;
        };
        held.forget((0..wear.states.len()).map(|block| health.age(block, now)));
    }

    /// The data that blocks hold, before a skip.
    pub(super) fn held_before(&self) -> Option<HeldBefore> {
        let wear = self.simulation.wear();
        wear.held.as_ref()?;
        let health = wear.health.as_ref()?;
        Some(HeldBefore {
            since: health.since().to_vec(),
            skipped: health.skipped().to_vec(),
            blocks: self.skipping.refreshed.blocks,
            pages: self.skipping.refreshed.pages,
        })
    }

    /// Which data stay in their blocks for `length` nanoseconds, drawn by the ages at which blocks were emptied so far, and how often they are refreshed after the first time.
    pub(super) fn kept_data(&mut self, length: u64) -> Option<KeptData> {
        let now = self.simulation.clock();
        let wear = self.simulation.wear_mut();
        let (Some(held), Some(health)) = (&mut wear.held, &wear.health) else {
            return None;
        };
        let blocks = wear.states.len();
        held.observe_all((0..blocks).map(|block| health.age(block, now)));
        let wear = self.simulation.wear();
        let (held, health) = (wear.held.as_ref()?, wear.health.as_ref()?);
        let per_group = wear.blocks_per_group();
        let is_free = self.refreshes_at_no_cost();
        let mut kept = KeptData {
            stays: vec![false; blocks],
            refreshes: vec![0.0; blocks / per_group.max(1)],
        };
        let again = self.period_of_target();
        let (mut refreshed, mut due, mut pages) = (0, 0, 0);
        for block in 0..blocks {
            let Some(age) = health.age(block, now) else {
                continue;
            };
            let draw = self.seed.draw(
                "lifetime.kept",
                self.skipping.skips * blocks as u64 + block as u64,
            );
            let drawn = (draw >> 11) as f64 / (1_u64 << 53) as f64;
            if drawn >= held.survival(block, age, length) {
                continue;
            }
            kept.stays[block] = true;
            let (Some(period), Some(consumed)) = (
                self.refresh_period(health.retention(block)),
                health.consumed(block, now),
            ) else {
                continue;
            };
            let (times, _) = refreshed_at(consumed.saturating_add(length), period, again);
            let beyond = if is_free { times } else { times.saturating_sub(1) };
            due += times.min(1);
            refreshed += beyond;
            if !is_free {
                kept.refreshes[block / per_group] += beyond as f64;
                pages += beyond * u64::from(self.simulation.ftl().block(BlockId(block as u32)).valid);
            }
        }
        for (group, erases) in kept.refreshes.iter_mut().enumerate() {
            let stay = &kept.stays[group * per_group..(group + 1) * per_group];
            let moving = stay.iter().filter(|stays| !**stays).count();
            *erases /= length as f64 * moving.max(1) as f64;
        }
        let erases: f64 = self.skipping.pending.as_ref().map_or(0.0, |pending| {
            pending.rates.mean() * length as f64 * blocks as f64
        });
        let state = &mut self.skipping.refreshed;
        state.blocks += refreshed;
        state.pages += pages;
        state.matters = (due + refreshed) as f64 > MATTERS * erases;
        Some(kept)
    }

    /// After a skip: data that stayed are older by it. Those that were due in it are due now, and will be as old afterwards as if they had been refreshed in time.
    pub(super) fn age_kept_data(&mut self, kept: &KeptData, length: u64) {
        let now = self.simulation.clock();
        let pools = self.simulation.pools();
        let again = self.period_of_target();
        let times = self.refresh_times.clone();
        let is_free = self.refreshes_at_no_cost();
        let wear = self.simulation.wear_mut();
        let (Some(held), Some(health)) = (&mut wear.held, &mut wear.health) else {
            return;
        };
        let blocks = wear.states.len();
        let per_pool = blocks / pools.max(1) as usize;
        let mut younger = vec![Vec::new(); pools as usize];
        for block in 0..blocks {
            let Some(age) = health.age(block, now) else {
                continue;
            };
            let by_clock = age - health.skipped()[block];
            let mut new = by_clock;
            if kept.stays[block] {
                new = age.saturating_add(length);
                let consumed = new.saturating_add_signed(health.heat(block));
                let period = times
                    .as_ref()
                    .and_then(|times| times.period(health.retention(block)));
                if let Some(period) = period.filter(|period| consumed >= *period) {
                    let (_, rest) = refreshed_at(consumed, period, again);
                    if is_free {
                        new = rest.max(by_clock);
                    } else {
                        younger[block / per_pool].push(rest);
                        new = period.saturating_add_signed(-health.heat(block)).max(by_clock);
                    }
                }
            }
            health.set_skipped(block, new - by_clock);
            held.set_age(block, new);
        }
        wear.report_all();
        younger.iter_mut().for_each(|ages| ages.sort_unstable());
        self.skipping.refreshed.younger = younger;
        self.simulation.tell_of_blocks();
    }

    /// How old data become in a block that took them from another, which is one that keeps data for longer than most.
    fn period_of_target(&self) -> Option<u64> {
        let times = self.refresh_times.as_ref()?;
        let mut retentions = self
            .simulation
            .wear()
            .retentions(self.temperature.retention_factor());
        let middle = retentions.len() / 2;
        let (_, median, _) = retentions.select_nth_unstable_by(middle, f64::total_cmp);
        // a cast saturates
        times.period((*median * 1e9) as u64)
    }

    /// The FTL refreshes what was due in the skip. The blocks that take the data get the ages that the data would have.
    pub(super) fn refresh_after_skip(&mut self) -> Result<(), LifetimeError> {
        let mut younger = std::mem::take(&mut self.skipping.refreshed.younger);
        if younger.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let taken = self.simulation.refresh_now()?;
        let wear = self.simulation.wear_mut();
        let (Some(held), Some(health)) = (&mut wear.held, &mut wear.health) else {
            return Ok(());
        };
        let per_pool = wear.states.len() / younger.len().max(1);
        for block in taken {
            if let Some(age) = younger[block / per_pool].pop() {
                health.set_skipped(block, age);
                held.set_age(block, age);
            }
        }
        wear.report_all();
        self.simulation.tell_of_blocks();
        self.note_end();
        Ok(())
    }

    /// Undoes what a skip did to ages, where the data are still there.
    pub(super) fn undo_ages(&mut self, before: &HeldBefore) {
        let now = self.simulation.clock();
        let wear = self.simulation.wear_mut();
        if let (Some(held), Some(health)) = (&mut wear.held, &mut wear.health) {
            for (block, (since, skipped)) in before.since.iter().zip(&before.skipped).enumerate() {
                if health.since()[block] == *since {
                    health.set_skipped(block, *skipped);
                    held.set_age(block, health.age(block, now).unwrap_or_default());
                }
            }
            wear.report_all();
        }
        let state = &mut self.skipping.refreshed;
        (state.blocks, state.pages) = (before.blocks, before.pages);
        state.younger.clear();
        self.simulation.tell_of_blocks();
    }

    /// What refresh did; none where nothing is refreshed.
    pub(super) fn refresh_report(&self) -> Option<RefreshReport> {
        let mut found = self.simulation.refresh()?;
        let state = &self.skipping.refreshed;
        if self.simulation.wear().held.is_some() {
            found.totals.blocks += state.blocks;
            found.totals.pages += state.pages;
            let seconds = |at: u64| wordline_units::Duration(at).as_secs();
            (found.first_lost, found.ended) = (state.lost.map(seconds), state.ended.map(seconds));
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_refreshed_when_they_are_due() {
        assert_eq!(refreshed_at(9, 10, Some(4)), (0, 9));
        assert_eq!(refreshed_at(10, 10, Some(4)), (1, 0));
        assert_eq!(refreshed_at(19, 10, Some(4)), (3, 1));
        assert_eq!(refreshed_at(1_000, 10, None), (1, 990));
    }
}
