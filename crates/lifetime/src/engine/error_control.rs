//! Error control: how long to skip, and whether a measurement after a skip confirms it.

use wordline_cell::fence::{Lookup, Representative, WearState};

use super::{Engine, PendingSkip};
use crate::epoch_ledger::WearRates;
use crate::nearest_rank::nearest_rank;
use crate::skip;
use crate::skip_control::{SkipFindings, Verdict};
use crate::window::Window;

/// Seconds.
pub(crate) const MONTH: f64 = 365.0 * 86_400.0 / 12.0;

impl Engine<'_> {
    /// Nanoseconds of the next skip. It ends where wear has grown by the share that the control allows, where more than one
    /// block in a hundred is predicted to keep data shorter than is required, at the next change of temperature, or at the
    /// horizon, whichever is first. `window` is the length of a window in nanoseconds.
    pub(crate) fn skip_length(&mut self, rates: &WearRates, window: f64) -> u64 {
        if let Some(full) = &self.skipping.full_step {
            let left = full.end.saturating_sub(self.now());
            if left as f64 > window {
                return left;
            }
            // the measurement has left less than a window of the second half
            self.skipping.full_step = None;
        }
        let (states, now) = (self.states(), self.simulation.wear().retentions(1.0));
        let cycles = states.iter().map(|state| f64::from(state.cycles())).sum::<f64>() / states.len() as f64;
        let longest = self.control.growth * cycles / rates.mean();
        let end = self.options.horizon.ns().min(self.temperature.next_change());
        // a cast saturates
        let longest = (longest as u64).min(end.saturating_sub(self.now()));
        let required = self.options.required.as_secs() / self.temperature.retention_factor();
        let until = |required, rank, longest| {
            until_crossing(states, &now, rates, &self.lookup, (required, rank), longest)
        };
        let mut length = until(required, states.len() / 100, longest).unwrap_or(longest);
        for (limit, rank) in self.refresh_limits() {
            length = until(limit, rank, length).unwrap_or(length);
        }
        if self.must_be_simulated() {
            return 0;
        }
        self.halve_if_drawn(length, rates, window)
    }

    /// Compares the wear gained in two windows after a skip with what the rates before it predict.
    pub(crate) fn judge(&mut self, skip: &PendingSkip, first: &Window, second: &Window) -> Verdict {
        let start: Vec<WearState> = self
            .states()
            .iter()
            .zip(first.gains.iter().zip(&second.gains))
            .map(|(state, (one, two))| WearState::worn(state.equivalent_events() - one - two, 0))
            .collect();
        let length = first.length + second.length;
        let others = (first.all_erases() + second.all_erases()).max(1) as f64;
        let refreshes = (first.refreshes + second.refreshes) as f64;
        // the rates have no refreshes
        let expected =
            skip::predicted(&start, &skip.rates, &self.lookup, length) * (1.0 + refreshes / others);
        let gained: f64 = first.gains.iter().chain(&second.gains).sum();
        let found = SkipFindings {
            discrepancy: (gained / expected - 1.0).abs(),
            standard_error: skip.rates.standard_error,
            shape_error: self.skipping.epochs.shape_error(first, second),
        };
        let slope = self.slope();
        self.control.judge(found, slope, skip.wear_share)
    }

    /// Slope of retention over wear, |d ln R / d ln n|, of the block at the tenth percentile of retention, at least 1; 1 where
    /// that block keeps data for less than a month.
    pub(crate) fn slope(&self) -> f64 {
        let mean_cells = self.states().iter();
        let mut retentions: Vec<(f64, usize)> = mean_cells
            .map(|state| self.lookup.retention_of(state, Representative::LastCycle))
            .zip(0..)
            .collect();
        let rank = nearest_rank(10, retentions.len());
        let (_, (retention, block), _) =
            retentions.select_nth_unstable_by(rank, |one, two| one.0.total_cmp(&two.0));
        let state = self.states()[*block];
        let rest = state.rest(Representative::LastCycle);
        let later = self.lookup.retention(state.equivalent_events() * 1.01, rest);
        let slope = libm::log(*retention / later) / libm::log(1.01);
        // as wear goes on retention falls ever faster; no accuracy is promised below a month
        if *retention * self.temperature.retention_factor() > MONTH && slope.is_finite() {
            slope.max(1.0)
        } else {
            1.0
        }
    }
}

/// Nanoseconds until more than `rank` blocks keep data shorter than `required` seconds at 30 degC; `None` where it
/// is so already, or not before `longest`. `retentions` are those of all blocks now.
fn until_crossing(
    states: &[WearState],
    retentions: &[f64],
    rates: &WearRates,
    lookup: &Lookup,
    (required, rank): (f64, usize),
    longest: u64,
) -> Option<u64> {
    let mut retentions: Vec<(f64, usize)> = retentions.iter().copied().zip(0..).collect();
    if rank >= retentions.len() {
        return None;
    }
    let (_, (now, block), _) = retentions.select_nth_unstable_by(rank, |one, two| one.0.total_cmp(&two.0));
    let state = states.get(*block)?;
    let rest = state.rest(Representative::LastCycle);
    // cells of its own are as far from the mean ones then as now
    let own = *now
        / lookup
            .retention_of(state, Representative::LastCycle)
            .max(f64::MIN_POSITIVE);
    let keeps = |length: u64| {
        let wear = skip::worn(*block, state, rates, lookup, length as f64);
        lookup.retention(wear, rest) * own >= required
    };
    if *now < required || keeps(longest) {
        return None;
    }
    let (mut low, mut high) = (0, longest);
    // to a thousandth of the longest
    while high - low > longest / 1000 + 1 {
        let middle = low + (high - low) / 2;
        if keeps(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use wordline_cell::fence::{CellKind, CellParams, RestAcceleration, RestHistogram, RetentionModel};

    use super::*;
    use crate::drift::Drift;
    use crate::epoch_ledger::GroupRate;

    #[test]
    fn a_skip_ends_where_a_block_in_a_hundred_keeps_too_short() {
        const HOUR: f64 = 3600e9;
        let model = RetentionModel::new(CellParams::nand_80nm(), CellKind::Mlc2, RestAcceleration::Off);
        let lookup = Lookup::new(model.unwrap());
        let rates = WearRates {
            groups: vec![GroupRate {
                rests: RestHistogram::from_shares(&[(100.0, 1.0)]).unwrap(),
                erases: 1.0 / HOUR,
                drift: Drift::default(),
                pool_variance: 0.0,
                blocks_per_pool: 200,
                wear_variance: 0.0,
            }],
            blocks_per_group: 200,
            erases: vec![0.0; 200],
            rests: vec![0.0; 200],
            standard_error: 0.0,
        };
        // the third of two hundred is the one that counts
        let states: Vec<WearState> = (0..200_u32)
            .map(|block| WearState::worn(f64::from(3000 - 10 * block), 100))
            .collect();
        let longest = (1000.0 * HOUR) as u64;
        let after = skip::worn(2, &states[2], &rates, &lookup, 400.0 * HOUR);
        let required = lookup.retention(after, 1.0);
        let retentions: Vec<f64> = states
            .iter()
            .map(|state| lookup.retention_of(state, Representative::LastCycle))
            .collect();
        let found = until_crossing(&states, &retentions, &rates, &lookup, (required, 2), longest).unwrap()
            as f64
            / HOUR;
        assert!((found - 400.0).abs() < 2.0, "{found}");
        for never in [1.0, 1e12] {
            let found = until_crossing(&states, &retentions, &rates, &lookup, (never, 2), longest);
            assert_eq!(found, None);
        }
    }
}
