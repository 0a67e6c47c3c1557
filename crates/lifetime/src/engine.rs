//! The engine: simulate, measure, skip, compare.

mod error_control;
mod persist;
mod refreshed;
mod reporting;
mod snapshots;
mod step_doubling;
mod timed;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wordline_cell::fence::{Lookup, VariedCells, WearState};
use wordline_units::{Duration, Seed};

use crate::epoch_ledger::{EPOCHS_TO_TELL_BLOCKS, EpochLedger, MOST_EPOCHS, WearRates};
use crate::error::LifetimeError;
use crate::full_step::FullStep;
use crate::options::{Fidelity, LifetimeEvent, LifetimeOptions};
use crate::refreshing::RefreshTimes;
use crate::report;
use crate::simulation::Simulation;
use crate::skip::{KeptData, Skip};
use crate::skip_control::{SkipControl, Verdict};
use crate::state::SaveSchedule;
use crate::study_snapshots::StudySnapshots;
use crate::temperature::TemperatureProfile;
use crate::timed_drive::TimedDrive;
use crate::window::{BATCHES, Window};

/// Erases of the median block before windows count as measurements.
const LEAST_CYCLES_TO_MEASURE: u32 = 25;
/// Erases of the median block before the first skip.
const LEAST_CYCLES_TO_SKIP: u32 = 50;
/// Erases of the median block in a window.
const LEAST_ERASES_OF_WINDOW: u32 = 4;
/// Overwrites of the drive in the first window; where these are many, later ones have half of it.
const LEAST_OVERWRITES: u64 = 2;
/// Erases of the median block, and of all blocks, in a window from which on one of half the length is enough: that has one and a half times the erases of a block that a window needs, and
/// so many of all blocks that their rate is known to half a percent, were they independent.
const MANY_ERASES_OF_WINDOW: (u32, u64) = (3 * LEAST_ERASES_OF_WINDOW, 100_000);
/// The longest window, in first ones.
const LONGEST_WINDOW: u64 = 64;
/// Pages written between two calls of the progress callback.
const PROGRESS_WRITES: u64 = 1 << 16;

/// A study under way.
pub(crate) struct Engine<'a> {
    pub(crate) simulation: Simulation<'a>,
    pub(crate) lookup: Arc<Lookup>,
    pub(crate) temperature: TemperatureProfile,
    /// When blocks are refreshed; none where nothing is.
    pub(crate) refresh_times: Option<RefreshTimes>,
    pub(crate) options: &'a LifetimeOptions,
    /// What makes the study this one ([`identity`](crate::identity)).
    pub(crate) identity: String,
    pub(crate) seed: Seed,
    /// Time skipped, in nanoseconds. The FTL's clock stands still in a skip, so that the ages of data and the rests that
    /// have begun keep their lengths.
    pub(crate) skipped: u64,
    pub(crate) snapshots: StudySnapshots,
    pub(crate) control: SkipControl,
    pub(crate) skipping: SkipState,
    pub(crate) save_schedule: SaveSchedule,
    /// What samples with a clock are taken of.
    pub(crate) timed: Option<TimedDrive<'a>>,
    pub(crate) watch: &'a mut dyn FnMut(LifetimeEvent<'_>) -> bool,
}

/// What the engine knows, between two windows, of the skips done and of the next one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SkipState {
    /// Pages that the host writes in a window.
    window_pages: u64,
    /// The last window, where it may be the first of an epoch.
    last_window: Option<Window>,
    /// The skip that is still to be checked by a measurement.
    pub(crate) pending: Option<PendingSkip>,
    pub(crate) epochs: EpochLedger,
    /// Skips begun so far.
    pub(crate) skips: u64,
    /// Parts of skips so far: a skip is cut at every snapshot that falls into it.
    pub(crate) parts: u64,
    /// The skip in one step with which the two half steps under way will be compared.
    pub(crate) full_step: Option<FullStep>,
    /// The temperature has changed within the present window.
    temperature_changed: bool,
    /// What refresh did in time that was skipped.
    refreshed: refreshed::SkippedRefresh,
    /// Which data stay in their blocks through the skip under way, and when it began.
    #[serde(skip)]
    pub(crate) staying: Option<(KeptData, u64)>,
}

/// A skip that has not been checked yet, and what is needed to undo it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PendingSkip {
    /// Cycles and equivalent events that it added to each block.
    added: Vec<(u32, f64)>,
    /// Equivalent events that it added to each block whose cells are its own: of the drive, and of the fleet.
    varied: [Vec<f64>; 2],
    /// Time skipped before it, in nanoseconds.
    skipped: u64,
    /// Snapshots taken before it.
    snapshots: usize,
    /// The rates by which it advanced wear.
    pub(crate) rates: WearRates,
    /// Share of the wear at its end that it added.
    pub(crate) wear_share: f64,
    /// What it did to the data that blocks hold, where they are refreshed.
    held: Option<refreshed::HeldBefore>,
}

impl Engine<'_> {
    /// Studies the drive up to the horizon.
    pub(crate) fn run(&mut self) -> Result<(), LifetimeError> {
        match self.options.fidelity {
            Fidelity::Exact => {
                let overwrite = self.simulation.user_pages();
                loop {
                    self.sample_if_due()?;
                    self.save_if_due()?;
                    if self.is_over() || self.simulate_pages(overwrite)? {
                        return Ok(());
                    }
                }
            }
            Fidelity::Skip { tolerance } => self.run_skipping(tolerance),
        }
    }

    fn run_skipping(&mut self, tolerance: f64) -> Result<(), LifetimeError> {
        let overwrite = self.simulation.user_pages();
        if self.skipping.window_pages == 0 {
            self.skipping.window_pages = LEAST_OVERWRITES * overwrite;
        }
        loop {
            self.sample_if_due()?;
            self.save_if_due()?;
            if self.is_over() {
                break;
            }
            // windows of whole passes, where the workload starts over
            let pass = self.simulation.pages_of_workload_pass().unwrap_or(1).max(1);
            let Some(window) = self.measure_window(self.skipping.window_pages.div_ceil(pass) * pass)? else {
                break;
            };
            if std::mem::take(&mut self.skipping.temperature_changed) {
                self.accept_last_skip()?;
                self.skipping.last_window = None;
                self.skipping.epochs = EpochLedger::default();
                self.skipping.full_step = None;
                continue;
            }
            let median = window.median_erases();
            if median < LEAST_ERASES_OF_WINDOW
                && self.skipping.window_pages < LONGEST_WINDOW * LEAST_OVERWRITES * overwrite
            {
                // as long as it must be where erases go on at this rate
                let enough = (self.skipping.window_pages * u64::from(LEAST_ERASES_OF_WINDOW))
                    .div_ceil(u64::from(median.max(1)));
                self.skipping.window_pages = enough.min(LONGEST_WINDOW * LEAST_OVERWRITES * overwrite);
                self.skipping.last_window = None;
                continue;
            }
            let (of_median, of_all) = MANY_ERASES_OF_WINDOW;
            if self.skipping.window_pages == LEAST_OVERWRITES * overwrite
                && median >= of_median
                && window.all_erases() >= of_all
            {
                self.skipping.window_pages /= 2;
                self.skipping.last_window = None;
                continue;
            }
            let last = &mut self.skipping.last_window;
            let is_steady = last.as_ref().is_some_and(|last| last.is_like(&window));
            let Some(first) = last.replace(window).filter(|_| is_steady) else {
                continue;
            };
            let Some(second) = last.take() else { continue };
            let cycles = self.median_cycles();
            if cycles < LEAST_CYCLES_TO_MEASURE {
                self.forget_dwelling();
                self.skipping.last_window = Some(second);
                continue;
            }
            if let Some(skip) = self.skipping.pending.take() {
                let verdict = self.judge(&skip, &first, &second);
                if verdict == Verdict::Discarded && !self.has_ended() {
                    self.undo_skip(skip);
                    self.skipping.full_step = None;
                }
                self.report_blocks()?;
            }
            let per_group = self.simulation.wear().blocks_per_group();
            let per_pool = self.simulation.ftl().geometry().blocks() / self.simulation.pools().max(1);
            // a group that is a part of a pool, or no whole number of them, counts as one
            let per_pool =
                Some(per_pool as usize).filter(|pool| *pool > 0 && per_group.is_multiple_of(*pool));
            let per_pool = per_pool.unwrap_or(per_group);
            let states = &self.simulation.wear().states;
            let epochs = &mut self.skipping.epochs;
            epochs.add(&first, &second, states, &self.lookup, (per_group, per_pool));
            let Some(rates) = epochs.rates(states) else {
                continue;
            };
            let count = epochs.len();
            // in a small drive the rate varies for long: more epochs, until it is known well enough
            let is_known = rates.standard_error * self.slope() <= 0.25 * tolerance;
            if cycles < LEAST_CYCLES_TO_SKIP
                || count < EPOCHS_TO_TELL_BLOCKS
                || !is_known && count < MOST_EPOCHS
            {
                continue;
            }
            let length = self.skip_length(&rates, first.length);
            if length as f64 > first.length {
                self.skip(length, rates)?;
                if self.compare_with_full_step() == Verdict::Discarded
                    && let Some(skip) = self.skipping.pending.take()
                {
                    self.undo_skip(skip);
                }
                self.refresh_after_skip()?;
                if self.now() >= self.options.horizon.ns()
                    || self.is_over()
                    || self.simulate_pages(overwrite)?
                {
                    break;
                }
            }
        }
        self.accept_last_skip()
    }

    /// Accepts a skip after which no measurement is made.
    fn accept_last_skip(&mut self) -> Result<(), LifetimeError> {
        if let Some(skip) = self.skipping.pending.take() {
            self.control.accept_unchecked(self.slope(), skip.wear_share);
        }
        self.report_blocks()
    }

    /// Nanoseconds since the start of the study, skipped ones included.
    pub(crate) fn now(&self) -> u64 {
        self.simulation.at().saturating_add(self.skipped)
    }

    pub(crate) fn states(&self) -> &[WearState] {
        &self.simulation.wear().states
    }

    /// The wear of the blocks whose cells are their own: of the drive, and of all drives of the fleet.
    fn varied_wear(&self) -> [&[f64]; 2] {
        let wear = self.simulation.wear();
        [&wear.varied, &wear.fleet].map(|cells| cells.as_ref().map_or(&[][..], VariedCells::wear))
    }

    /// Whether a drive that refreshes its blocks has come to its end: beyond it, blocks that cannot keep data as long as required would be written anew at every look.
    fn is_over(&self) -> bool {
        let last = self.snapshots.as_slice().last();
        let required = self.options.required.as_secs();
        let by_remaining = self
            .refresh_times
            .as_ref()
            .is_some_and(RefreshTimes::goes_by_remaining);
        by_remaining && last.is_some_and(|last| last.left[report::TENTH] < required)
    }

    /// Whether the last skip has not been checked yet, so that it may be undone.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.skipping.pending.is_some()
    }

    fn median_cycles(&self) -> u32 {
        let mut cycles: Vec<u32> = self.states().iter().map(WearState::cycles).collect();
        let middle = cycles.len() / 2;
        let (_, median, _) = cycles.select_nth_unstable(middle);
        *median
    }

    /// Goes over to the temperature at a time. What was measured of rests holds no longer where heat speeds recovery.
    pub(crate) fn change_temperature(&mut self, time: u64) {
        let before = self.temperature.rest_factor();
        self.temperature.set_time(time);
        let (factor, now) = (self.temperature.retention_factor(), self.simulation.clock());
        let wear = self.simulation.wear_mut();
        if let Some(health) = wear.health.as_mut().filter(|health| health.factor() != factor) {
            health.change_temperature(factor, now);
            wear.report_all();
            self.simulation.tell_of_blocks();
        }
        self.skipping.temperature_changed |= self.temperature.rest_factor() != before;
        self.simulation.wear_mut().rest_factor = self.temperature.rest_factor();
    }

    /// Simulates the writing of so many pages by the host. Returns whether the horizon is reached.
    fn simulate_pages(&mut self, pages: u64) -> Result<bool, LifetimeError> {
        let mut left = pages;
        while left > 0 {
            let part = left.min(PROGRESS_WRITES);
            let due = self
                .next_snapshot_time()
                .min(self.temperature.next_change())
                .saturating_sub(self.skipped);
            let missing = self.simulation.simulate_pages(part, due)?;
            left -= part - missing;
            self.note_end();
            if missing > 0 {
                let next = self.simulation.next_at();
                if self.take_snapshots_until(next.saturating_add(self.skipped))? || self.is_over() {
                    return Ok(true);
                }
            }
            self.report_progress()?;
        }
        Ok(false)
    }

    /// Simulates and measures the writing of so many pages; `None` when the horizon is reached.
    fn measure_window(&mut self, pages: u64) -> Result<Option<Window>, LifetimeError> {
        let start = self.simulation.begin_window();
        let mut batches = vec![[0; BATCHES]; start.groups()];
        for batch in 0..BATCHES {
            let before = self.simulation.wear().erases.clone();
            // the last batch has the remainder too
            let share = pages / BATCHES as u64;
            let part = if batch + 1 == BATCHES {
                pages - share * (BATCHES as u64 - 1)
            } else {
                share
            };
            if self.simulate_pages(part)? {
                return Ok(None);
            }
            let erases = &self.simulation.wear().erases;
            for (counts, (after, before)) in batches.iter_mut().zip(erases.iter().zip(&before)) {
                counts[batch] = after - before;
            }
        }
        Ok(Some(self.simulation.end_window(start, batches)))
    }

    /// Skips `length` nanoseconds, and takes the snapshots that fall into them.
    fn skip(&mut self, length: u64, rates: WearRates) -> Result<(), LifetimeError> {
        self.skipping.skips += 1;
        let before = self.states().to_vec();
        let began = self.now();
        let end = began.saturating_add(length);
        let lookup = Arc::clone(&self.lookup);
        self.skipping.pending = Some(PendingSkip {
            added: Vec::new(),
            varied: self.varied_wear().map(<[f64]>::to_vec),
            skipped: self.skipped,
            snapshots: self.snapshots.count(),
            rates: rates.clone(),
            wear_share: 0.0,
            held: self.held_before(),
        });
        let kept = self.kept_data(length);
        self.skipping.staying = kept.clone().map(|kept| (kept, began));
        let mut skip = Skip::new(&rates, &lookup, self.seed).keeping(kept.as_ref());
        while self.now() < end {
            let part = self.next_snapshot_time().min(end).saturating_sub(self.now());
            let wear = self.simulation.wear_mut();
            let mut cells: Vec<_> = wear.varied.iter_mut().chain(&mut wear.fleet).collect();
            skip.advance(&mut wear.states, &mut cells, part as f64, self.skipping.parts);
            self.skipping.parts += 1;
            self.skipped += part;
            if self.take_snapshots_until(self.now())? || self.is_over() {
                break;
            }
            self.report_progress()?;
        }
        self.simulation.set_erase_counts();
        self.skipping.staying = None;
        if let Some(kept) = &kept {
            self.age_kept_data(kept, length.min(self.now().saturating_sub(began)));
        }
        let added: Vec<(u32, f64)> = before
            .iter()
            .zip(self.states())
            .map(|(old, new)| {
                let wear = new.equivalent_events() - old.equivalent_events();
                (new.cycles() - old.cycles(), wear)
            })
            .collect();
        let wear: f64 = self.states().iter().map(WearState::equivalent_events).sum();
        if let Some(pending) = &mut self.skipping.pending {
            pending.wear_share = added.iter().map(|(_, wear)| wear).sum::<f64>() / wear;
            pending.added = added;
            let wear = self.simulation.wear();
            for (before, cells) in pending.varied.iter_mut().zip([&wear.varied, &wear.fleet]) {
                let now = cells.as_ref().map_or(&[][..], VariedCells::wear);
                for (before, now) in before.iter_mut().zip(now) {
                    *before = now - *before;
                }
            }
        }
        Ok(())
    }

    /// Undoes a skip. What was simulated after it stays, but for the snapshots taken since the skip began: their times no
    /// longer hold.
    fn undo_skip(&mut self, skip: PendingSkip) {
        let wear = self.simulation.wear_mut();
        let cells = [&mut wear.varied, &mut wear.fleet];
        for (cells, added) in cells
            .into_iter()
            .flatten()
            .zip(skip.varied.iter().filter(|added| !added.is_empty()))
        {
            cells.undo(added);
        }
        let states = &mut wear.states;
        for (state, (cycles, wear)) in states.iter_mut().zip(skip.added) {
            state.set(
                state.cycles().saturating_sub(cycles),
                state.equivalent_events() - wear,
            );
        }
        self.skipped = skip.skipped;
        let now = self.now();
        self.change_temperature(now);
        self.snapshots
            .truncate(skip.snapshots, now / self.options.every.ns() + 1);
        if let Some(timed) = &self.timed {
            let period = self.options.every.ns().saturating_mul(timed.asked.every);
            self.snapshots.truncate_timed(Duration(now).as_secs(), period);
        }
        if let Some(held) = skip.held {
            self.undo_ages(&held);
        }
        self.simulation.set_erase_counts();
    }
}
