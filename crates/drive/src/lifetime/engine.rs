//! The engine: simulate, measure, skip, compare.

use std::path::Path;
use std::sync::Arc;

use wordline_cell::fence::{CellParams, Lookup, RetentionModel, WearState};
use wordline_ftl::functional::FunctionalOptions;
use wordline_ftl::{AllocationMode, DynamicMode, Ftl};
use wordline_metrics::Stopwatch;
use wordline_nand::{BlockId, Geometry};
use wordline_units::{Duration, Seed};

use super::control::{Control, Verdict};
use super::ledger::{Ledger, REMEMBERED, Rates, TELLING};
use super::measure::{BATCHES, Window};
use super::options::{Fidelity, LifetimeOptions, LifetimeProgress};
use super::report::{self, LifetimeReport, Snapshot};
use super::simulate::Simulation;
use super::skip::{self, Skip};
use super::wear::Wear;
use super::writes::Writes;
use crate::config::{Config, ConfigError};
use crate::error::RunError;
use crate::run::age;

/// Erases that a block must have before wear is extrapolated, and in every window, both by the median.
const SETTLED: u32 = 50;
const PER_WINDOW: u32 = 4;
/// A window is at least so many overwrites of the drive, and at most so many times that.
const OVERWRITES: u64 = 2;
const LONGEST: u64 = 64;
/// Pages written between two looks at the progress callback.
const PROGRESS_WRITES: u64 = 1 << 16;
/// Seconds.
const MONTH: f64 = 365.0 * 86_400.0 / 12.0;

/// Studies how long a drive keeps its data under its workload.
///
/// `base_dir` is where relative paths start from. `progress` is called now and then and stops the study by returning
/// false.
///
/// # Errors
/// Bad input (see `RunError::is_input`), a drive without reclaimable space, or an interruption.
pub fn lifetime(
    config: &Config,
    base_dir: &Path,
    options: &LifetimeOptions,
    progress: &mut dyn FnMut(LifetimeProgress) -> bool,
) -> Result<LifetimeReport, RunError> {
    let stopwatch = Stopwatch::start();
    options.check()?;
    if !config.tenants.is_empty() {
        let problem = "a lifetime study has one workload; accepted is a drive without tenants";
        return Err(ConfigError::key(None, "tenants", problem).into());
    }
    let model = RetentionModel::new(CellParams::nand_80nm(), options.cell, options.rest_acceleration)?;
    let rest_factor = model.rest_factor(options.celsius)?;
    let retention_factor = model.retention_factor(options.celsius)?;
    let mut aged = age(config, base_dir, u64::MAX)?;
    let geometry = aged.geometry;
    let per_page = u64::from(geometry.sectors_per_page());
    let sectors = aged.ftl.user_pages() * per_page;
    let writes = Writes::new(
        &config.workload,
        base_dir,
        sectors,
        per_page,
        options.writes_per_day,
    )?;
    let lookup = Arc::new(Lookup::new(model));
    // cycles before the study count as if there had been no rest between them
    let states: Vec<WearState> = (0..geometry.blocks())
        .map(|block| {
            let cycles = aged.ftl.block(BlockId(block)).erase_count;
            WearState::worn(2.0 * f64::from(cycles), cycles)
        })
        .collect();
    let wear = Wear::new(
        Arc::clone(&lookup),
        rest_factor,
        &geometry,
        groups(config, &geometry),
        states,
    );
    let functional_options = FunctionalOptions {
        time_per_write: Duration::ZERO,
        order: config.allocation.order,
        ..FunctionalOptions::default()
    };
    let mut engine = Engine {
        simulation: Simulation::new(&mut aged.ftl, functional_options, wear, writes, aged.aged.now),
        lookup,
        retention_factor,
        options,
        seed: Seed(config.seed),
        skipped: 0,
        snapshots: Vec::new(),
        looks: 0,
        progress,
    };
    let control = engine.run()?;
    Ok(engine.report(&control, &stopwatch))
}

/// The groups of planes among which a page may go anywhere: by symmetry they fare alike in the long run, however their
/// pools stand at the moment.
fn groups(config: &Config, geometry: &Geometry) -> u32 {
    match (config.allocation.mode, config.allocation.dynamic) {
        (AllocationMode::Static, _) => geometry.planes(),
        (AllocationMode::Dynamic, DynamicMode::ChannelBound) => geometry.channels,
        (AllocationMode::Dynamic, DynamicMode::Full) => 1,
    }
}

struct Engine<'a> {
    simulation: Simulation<'a>,
    lookup: Arc<Lookup>,
    retention_factor: f64,
    options: &'a LifetimeOptions,
    seed: Seed,
    /// Time skipped, in nanoseconds. The FTL's clock stands still in a skip, so that ages and open rests keep their
    /// lengths.
    skipped: u64,
    snapshots: Vec<Snapshot>,
    /// Number of the next snapshot.
    looks: u64,
    progress: &'a mut dyn FnMut(LifetimeProgress) -> bool,
}

/// A skip that has not been judged yet, and what was before it.
struct Pending {
    /// Cycles and wear that it added to each block.
    added: Vec<(u32, f64)>,
    /// Time skipped before it.
    skipped: u64,
    snapshots: usize,
    rates: Rates,
    /// Part of the wear after it that it added.
    share: f64,
}

impl Engine<'_> {
    fn run(&mut self) -> Result<Control, RunError> {
        self.look();
        match self.options.fidelity {
            Fidelity::Exact => {
                while !self.pass(u64::MAX)? {}
                Ok(Control::new(1.0))
            }
            Fidelity::Skip { tolerance } => self.run_skipping(tolerance),
        }
    }

    fn run_skipping(&mut self, tolerance: f64) -> Result<Control, RunError> {
        let mut control = Control::new(tolerance);
        let overwrite = self.simulation.user_pages();
        let mut pages = OVERWRITES * overwrite;
        let mut before: Option<Window> = None;
        let mut pending: Option<Pending> = None;
        let mut ledger = Ledger::default();
        let mut skips = 0;
        loop {
            // windows of whole passes, where the workload starts over
            let pass = self.simulation.workload_pass().unwrap_or(1).max(1);
            let Some(window) = self.window(pages.div_ceil(pass) * pass)? else {
                break;
            };
            let median = window.median_erases();
            if median < PER_WINDOW && pages < LONGEST * OVERWRITES * overwrite {
                let more = u64::from(PER_WINDOW.div_ceil(median.max(1)));
                pages = (pages * more).min(LONGEST * OVERWRITES * overwrite);
                before = None;
                continue;
            }
            let steady = before.as_ref().is_some_and(|before| before.is_like(&window));
            let Some(first) = before.replace(window).filter(|_| steady) else {
                continue;
            };
            let Some(second) = before.take() else { continue };
            if self.median_cycles() < SETTLED {
                before = Some(second);
                continue;
            }
            let per_group = self.simulation.wear().blocks_per_group();
            if let Some(skip) = pending.take()
                && self.judge(&mut control, &skip, &first, &second) == Verdict::Discarded
            {
                self.undo(skip);
            }
            ledger.add(&first, &second, self.states(), &self.lookup, per_group);
            let Some(rates) = ledger.rates(self.states()) else {
                continue;
            };
            // in a small drive the rate wanders for long: more epochs, until it is known
            let known = rates.standard_error * self.slope() <= 0.25 * tolerance;
            if ledger.len() < TELLING || !known && ledger.len() < REMEMBERED {
                continue;
            }
            let length = self.skip_length(&control, &rates);
            if length as f64 > first.length {
                pending = Some(self.skip(length, rates, &mut skips));
                if self.now() >= self.options.horizon.ns() || self.pass(overwrite)? {
                    break;
                }
            }
        }
        if let Some(skip) = pending {
            control.trust(self.slope(), skip.share);
        }
        Ok(control)
    }

    /// Nanoseconds since the start.
    fn now(&self) -> u64 {
        self.simulation.at().saturating_add(self.skipped)
    }

    fn states(&self) -> &[WearState] {
        &self.simulation.wear().states
    }

    fn median_cycles(&self) -> u32 {
        let mut cycles: Vec<u32> = self.states().iter().map(WearState::cycles).collect();
        let middle = cycles.len() / 2;
        let (_, median, _) = cycles.select_nth_unstable(middle);
        *median
    }

    /// When the next snapshot is due: the horizon is one.
    fn next_look(&self) -> u64 {
        let every = self.options.every.ns();
        every.saturating_mul(self.looks).min(self.options.horizon.ns())
    }

    /// Takes a snapshot.
    fn look(&mut self) {
        let time = Duration(self.next_look()).as_secs();
        let states = &self.simulation.wear().states;
        let snapshot = report::snapshot(time, states, &self.lookup, self.retention_factor);
        self.snapshots.push(snapshot);
        self.looks += 1;
    }

    /// Takes the snapshots that are due at `time`; whether the horizon is reached.
    fn look_until(&mut self, time: u64) -> bool {
        while self
            .snapshots
            .last()
            .is_none_or(|last| last.time < self.options.horizon.as_secs())
        {
            if self.next_look() > time {
                return false;
            }
            self.look();
        }
        true
    }

    /// Simulates the writing of so many pages; whether the horizon is reached.
    fn pass(&mut self, pages: u64) -> Result<bool, RunError> {
        let mut left = pages;
        while left > 0 {
            let part = left.min(PROGRESS_WRITES);
            let due = self.next_look().saturating_sub(self.skipped);
            let missing = self.simulation.pass(part, due)?;
            left -= part - missing;
            if missing > 0 {
                let next = self.simulation.next_at()?;
                if self.look_until(next.saturating_add(self.skipped)) {
                    return Ok(true);
                }
            }
            let share = self.now() as f64 / self.options.horizon.ns() as f64;
            let programmed = self.simulation.programmed();
            if !(self.progress)(LifetimeProgress { share, programmed }) {
                return Err(RunError::Interrupted);
            }
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

    /// Nanoseconds of the next skip: as wear may grow, up to the horizon.
    fn skip_length(&self, control: &Control, rates: &Rates) -> u64 {
        let states = self.states();
        let cycles = states.iter().map(|state| f64::from(state.cycles())).sum::<f64>() / states.len() as f64;
        let length = control.growth * cycles / rates.mean();
        // a cast saturates
        (length as u64).min(self.options.horizon.ns().saturating_sub(self.now()))
    }

    /// Skips, with the snapshots on the way.
    fn skip(&mut self, length: u64, rates: Rates, index: &mut u64) -> Pending {
        let before = self.states().to_vec();
        let (skipped, snapshots) = (self.skipped, self.snapshots.len());
        let end = self.now().saturating_add(length);
        let lookup = Arc::clone(&self.lookup);
        let mut skip = Skip::new(&rates, &lookup, self.seed);
        while self.now() < end {
            let part = self.next_look().min(end).saturating_sub(self.now());
            skip.advance(self.simulation.states_mut(), part as f64, *index);
            *index += 1;
            self.skipped += part;
            if self.look_until(self.now()) {
                break;
            }
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
        Pending {
            share: added.iter().map(|(_, wear)| wear).sum::<f64>() / wear,
            added,
            skipped,
            snapshots,
            rates,
        }
    }

    /// Compares the wear of two windows after a skip with what the rates before it say.
    fn judge(&self, control: &mut Control, skip: &Pending, first: &Window, second: &Window) -> Verdict {
        let start: Vec<WearState> = self
            .states()
            .iter()
            .zip(first.gains.iter().zip(&second.gains))
            .map(|(state, (one, two))| WearState::worn(state.equivalent_events() - one - two, 0))
            .collect();
        let length = first.length + second.length;
        let expected = skip::predicted(&start, &skip.rates, &self.lookup, length);
        let found: f64 = first.gains.iter().chain(&second.gains).sum();
        control.judge(
            (found / expected - 1.0).abs(),
            skip.rates.standard_error,
            self.slope(),
            skip.share,
        )
    }

    /// Takes a skip back; what was simulated after it stays, without the snapshots that fell into it: they
    /// were taken at times that are no longer theirs.
    fn undo(&mut self, skip: Pending) {
        let states = self.simulation.states_mut();
        for (state, (cycles, wear)) in states.iter_mut().zip(skip.added) {
            state.set(
                state.cycles().saturating_sub(cycles),
                state.equivalent_events() - wear,
            );
        }
        self.skipped = skip.skipped;
        self.snapshots.truncate(skip.snapshots);
        self.looks = self.now() / self.options.every.ns() + 1;
        self.simulation.tell_erases();
    }

    /// |d ln R / d ln n| of the block at the tenth percentile.
    fn slope(&self) -> f64 {
        let mut retentions: Vec<(f64, usize)> = report::retentions(self.states(), &self.lookup, 1.0)
            .into_iter()
            .zip(0..)
            .collect();
        let rank = retentions.len().div_ceil(10).max(1) - 1;
        let (_, (retention, block), _) =
            retentions.select_nth_unstable_by(rank, |one, two| one.0.total_cmp(&two.0));
        let state = self.states()[*block];
        let rest = state.rest(wordline_cell::fence::Representative::LastCycle);
        let later = self.lookup.retention(state.equivalent_events() * 1.01, rest);
        let slope = libm::log(*retention / later) / libm::log(1.01);
        // near its end retention falls without bound; nothing is promised below a month
        if *retention * self.retention_factor > MONTH && slope.is_finite() {
            slope.max(1.0)
        } else {
            1.0
        }
    }

    fn report(self, control: &Control, stopwatch: &Stopwatch) -> LifetimeReport {
        let life = report::life(&self.snapshots, self.options.required.as_secs());
        let horizon = self.options.horizon.as_secs();
        let states = self.states();
        LifetimeReport {
            blocks: report::block_columns(self.simulation.ftl(), states, &self.lookup, self.retention_factor),
            life,
            error: control.error,
            life_error: report::in_time(&self.snapshots, life.unwrap_or(horizon), control.error),
            write_amplification: self.simulation.programmed() as f64
                / self.simulation.written().max(1) as f64,
            programmed: self.simulation.programmed(),
            simulated: self.simulation.at() as f64 / self.now().max(1) as f64,
            skips: (control.kept, control.discarded),
            cpu: stopwatch.cost().cpu_s,
            snapshots: self.snapshots,
        }
    }
}
