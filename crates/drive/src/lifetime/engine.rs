//! The engine: simulate, measure, skip, compare.

mod consistent;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wordline_cell::fence::{Lookup, WearState};
use wordline_metrics::Stopwatch;
use wordline_units::Seed;

use super::climate::Climate;
use super::control::{Control, Verdict};
use super::fleet::Fleet;
use super::halves::Whole;
use super::ledger::{Ledger, REMEMBERED, Rates, TELLING};
use super::looks::Looks;
use super::measure::{BATCHES, Window};
use super::options::{Fidelity, LifetimeEvent, LifetimeOptions};
use super::report::{self, LifetimeReport};
use super::simulate::Simulation;
use super::skip::Skip;
use super::state::Pace;
use crate::error::RunError;

/// Erases that a block must have before what is measured counts, before wear is extrapolated, and in every window, all by
/// the median.
const MEASURED: u32 = 25;
const SETTLED: u32 = 50;
const PER_WINDOW: u32 = 4;
/// A window is at least so many overwrites of the drive, and at most so many times that.
const OVERWRITES: u64 = 2;
const LONGEST: u64 = 64;
/// Pages written between two looks at the progress callback.
const PROGRESS_WRITES: u64 = 1 << 16;

pub(super) struct Engine<'a> {
    pub(super) simulation: Simulation<'a>,
    pub(super) lookup: Arc<Lookup>,
    pub(super) climate: Climate,
    pub(super) options: &'a LifetimeOptions,
    /// Of the study.
    pub(super) identity: String,
    pub(super) seed: Seed,
    /// Time skipped, in nanoseconds. The FTL's clock stands still in a skip, so that ages and open rests keep their
    /// lengths.
    pub(super) skipped: u64,
    pub(super) looks: Looks,
    pub(super) control: Control,
    pub(super) method: Method,
    pub(super) pace: Pace,
    pub(super) watch: &'a mut dyn FnMut(LifetimeEvent<'_>) -> bool,
}

/// Where skipping stands between two windows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Method {
    /// Pages of a window.
    pages: u64,
    /// The window before, where it may be the first of an epoch.
    before: Option<Window>,
    pub(super) pending: Option<Pending>,
    pub(super) ledger: Ledger,
    /// Skips begun, and parts of skips, so far.
    pub(super) skips: u64,
    pub(super) parts: u64,
    /// A skip as a whole that is being done in halves.
    pub(super) whole: Option<Whole>,
    /// The temperature has changed within the present window.
    upset: bool,
}

/// A skip that has not been judged yet, and what was before it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pending {
    /// Cycles and wear that it added to each block.
    added: Vec<(u32, f64)>,
    /// Wear that it added to each block of the fleet.
    fleet: Vec<f64>,
    /// Time skipped before it.
    skipped: u64,
    snapshots: usize,
    pub(super) rates: Rates,
    /// Part of the wear after it that it added.
    pub(super) share: f64,
}

impl Engine<'_> {
    pub(super) fn run(&mut self) -> Result<(), RunError> {
        match self.options.fidelity {
            Fidelity::Exact => {
                let overwrite = self.simulation.user_pages();
                loop {
                    self.save_now_and_then()?;
                    if self.pass(overwrite)? {
                        return Ok(());
                    }
                }
            }
            Fidelity::Skip { tolerance } => self.run_skipping(tolerance),
        }
    }

    fn run_skipping(&mut self, tolerance: f64) -> Result<(), RunError> {
        let overwrite = self.simulation.user_pages();
        self.method.pages = self.method.pages.max(OVERWRITES * overwrite);
        loop {
            self.save_now_and_then()?;
            // windows of whole passes, where the workload starts over
            let pass = self.simulation.workload_pass().unwrap_or(1).max(1);
            let Some(window) = self.window(self.method.pages.div_ceil(pass) * pass)? else {
                break;
            };
            if std::mem::take(&mut self.method.upset) {
                self.trust_last()?;
                self.method.before = None;
                self.method.ledger = Ledger::default();
                self.method.whole = None;
                continue;
            }
            let median = window.median_erases();
            if median < PER_WINDOW && self.method.pages < LONGEST * OVERWRITES * overwrite {
                // no longer than it must be if erases go on as they do
                let enough = (self.method.pages * u64::from(PER_WINDOW)).div_ceil(u64::from(median.max(1)));
                self.method.pages = enough.min(LONGEST * OVERWRITES * overwrite);
                self.method.before = None;
                continue;
            }
            let before = &mut self.method.before;
            let steady = before.as_ref().is_some_and(|before| before.is_like(&window));
            let Some(first) = before.replace(window).filter(|_| steady) else {
                continue;
            };
            let Some(second) = before.take() else { continue };
            let cycles = self.median_cycles();
            if cycles < MEASURED {
                self.method.before = Some(second);
                continue;
            }
            if let Some(skip) = self.method.pending.take() {
                if self.judge(&skip, &first, &second) == Verdict::Discarded {
                    self.undo(skip);
                    self.method.whole = None;
                }
                self.tell_blocks()?;
            }
            let per_group = self.simulation.wear().blocks_per_group();
            let states = &self.simulation.wear().states;
            let ledger = &mut self.method.ledger;
            ledger.add(&first, &second, states, &self.lookup, per_group);
            let Some(rates) = ledger.rates(states) else {
                continue;
            };
            let epochs = ledger.len();
            // in a small drive the rate wanders for long: more epochs, until it is known
            let known = rates.standard_error * self.slope() <= 0.25 * tolerance;
            if cycles < SETTLED || epochs < TELLING || !known && epochs < REMEMBERED {
                continue;
            }
            let length = self.skip_length(&rates, first.length);
            if length as f64 > first.length {
                self.skip(length, rates)?;
                if self.differs_from_whole() == Verdict::Discarded
                    && let Some(skip) = self.method.pending.take()
                {
                    self.undo(skip);
                }
                if self.now() >= self.options.horizon.ns() || self.pass(overwrite)? {
                    break;
                }
            }
        }
        self.trust_last()
    }

    /// A skip that nothing is measured after is taken as it is.
    fn trust_last(&mut self) -> Result<(), RunError> {
        if let Some(skip) = self.method.pending.take() {
            self.control.trust(self.slope(), skip.share);
        }
        self.tell_blocks()
    }

    /// Nanoseconds since the start.
    pub(super) fn now(&self) -> u64 {
        self.simulation.at().saturating_add(self.skipped)
    }

    pub(super) fn states(&self) -> &[WearState] {
        &self.simulation.wear().states
    }

    /// The wear of the blocks of all drives of the fleet.
    fn fleet_wear(&self) -> &[f64] {
        self.simulation.wear().fleet.as_ref().map_or(&[], Fleet::wear)
    }

    /// Whether a skip is still to be judged.
    pub(super) fn is_uncertain(&self) -> bool {
        self.method.pending.is_some()
    }

    fn median_cycles(&self) -> u32 {
        let mut cycles: Vec<u32> = self.states().iter().map(WearState::cycles).collect();
        let middle = cycles.len() / 2;
        let (_, median, _) = cycles.select_nth_unstable(middle);
        *median
    }

    /// The temperature becomes another one. What was measured of rests holds no more where heat heals.
    pub(super) fn change_temperature(&mut self, time: u64) {
        let rests = self.climate.rests();
        self.climate.go_to(time);
        self.method.upset |= self.climate.rests() != rests;
        self.simulation.wear_mut().rest_factor = self.climate.rests();
    }

    /// Simulates the writing of so many pages; whether the horizon is reached.
    fn pass(&mut self, pages: u64) -> Result<bool, RunError> {
        let mut left = pages;
        while left > 0 {
            let part = left.min(PROGRESS_WRITES);
            let due = self
                .next_look()
                .min(self.climate.change())
                .saturating_sub(self.skipped);
            let missing = self.simulation.pass(part, due)?;
            left -= part - missing;
            if missing > 0 {
                let next = self.simulation.next_at();
                if self.look_until(next.saturating_add(self.skipped))? {
                    return Ok(true);
                }
            }
            self.tell_progress()?;
        }
        Ok(false)
    }

    /// Simulates and measures; `None` when the horizon is reached.
    fn window(&mut self, pages: u64) -> Result<Option<Window>, RunError> {
        let start = self.simulation.mark();
        let mut batches = vec![[0; BATCHES]; start.groups()];
        for batch in 0..BATCHES {
            let before = self.simulation.wear().erases.clone();
            // the last batch takes what is left
            let share = pages / BATCHES as u64;
            let part = if batch + 1 == BATCHES {
                pages - share * (BATCHES as u64 - 1)
            } else {
                share
            };
            if self.pass(part)? {
                return Ok(None);
            }
            let erases = &self.simulation.wear().erases;
            for (counts, (after, before)) in batches.iter_mut().zip(erases.iter().zip(&before)) {
                counts[batch] = after - before;
            }
        }
        Ok(Some(self.simulation.since(start, batches)))
    }

    /// Skips, with the snapshots on the way.
    fn skip(&mut self, length: u64, rates: Rates) -> Result<(), RunError> {
        self.method.skips += 1;
        let before = self.states().to_vec();
        let end = self.now().saturating_add(length);
        let lookup = Arc::clone(&self.lookup);
        self.method.pending = Some(Pending {
            added: Vec::new(),
            fleet: self.fleet_wear().to_vec(),
            skipped: self.skipped,
            snapshots: self.looks.taken(),
            rates: rates.clone(),
            share: 0.0,
        });
        let mut skip = Skip::new(&rates, &lookup, self.seed);
        while self.now() < end {
            let part = self.next_look().min(end).saturating_sub(self.now());
            let wear = self.simulation.wear_mut();
            skip.advance(
                &mut wear.states,
                wear.fleet.as_mut(),
                part as f64,
                self.method.parts,
            );
            self.method.parts += 1;
            self.skipped += part;
            if self.look_until(self.now())? {
                break;
            }
            self.tell_progress()?;
        }
        self.simulation.tell_erases();
        let added: Vec<(u32, f64)> = before
            .iter()
            .zip(self.states())
            .map(|(old, new)| {
                let wear = new.equivalent_events() - old.equivalent_events();
                (new.cycles() - old.cycles(), wear)
            })
            .collect();
        let wear: f64 = self.states().iter().map(WearState::equivalent_events).sum();
        if let Some(pending) = &mut self.method.pending {
            pending.share = added.iter().map(|(_, wear)| wear).sum::<f64>() / wear;
            pending.added = added;
            let fleet = self.simulation.wear().fleet.as_ref().map_or(&[][..], Fleet::wear);
            for (before, now) in pending.fleet.iter_mut().zip(fleet) {
                *before = now - *before;
            }
        }
        Ok(())
    }

    /// Takes a skip back; what was simulated after it stays, without the snapshots that fell into it: they
    /// were taken at times that are no longer theirs.
    fn undo(&mut self, skip: Pending) {
        let wear = self.simulation.wear_mut();
        if let Some(fleet) = &mut wear.fleet {
            fleet.take_back(&skip.fleet);
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
        self.looks
            .take_back(skip.snapshots, now / self.options.every.ns() + 1);
        self.simulation.tell_erases();
    }

    pub(super) fn report(self, stopwatch: &Stopwatch) -> LifetimeReport {
        let snapshots = self.looks.snapshots();
        let life = report::life(snapshots, self.options.required.as_secs());
        let horizon = self.options.horizon.as_secs();
        let error = self.control.error;
        LifetimeReport {
            blocks: self.block_columns(),
            life,
            error,
            life_error: report::in_time(snapshots, life.unwrap_or(horizon), error),
            write_amplification: self.simulation.write_amplification(),
            programmed: self.simulation.programmed(),
            simulated: self.simulation.at() as f64 / self.now().max(1) as f64,
            skips: (self.control.kept, self.control.discarded),
            halved: self.control.halved,
            fleet: report::fleet_lives(snapshots, self.options.required.as_secs()),
            cpu: stopwatch.cost().cpu_s,
            identity: self.identity,
            snapshots: self.looks.into_snapshots(),
        }
    }
}
