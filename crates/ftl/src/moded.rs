//! A mapping whose pages have modes: what it does is left to the mapping inside, and the mode of each page is kept in a
//! byte beside it. A drive without `[[modes]]` goes without this.

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};
use wordline_units::{Duration, Seed, SimTime};

use crate::allocation::Order;
use crate::block::{BlockFacts, CleanSpace};
use crate::config::PageModesConfig;
use crate::contract::{AssignByRule, FlushMark, Flushing, Ftl, Inspect, Mapping, Persist};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::host_work::{HostLoad, IdleInterval};
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Scope, Step, Target, Work};
use crate::policy::mode::{DescribedMode, ModePolicy, ModeView, Modes};
use crate::recovery::{FoundFlash, RecoveryError};
use crate::request::{Answer, PageRequest};
use crate::space::{FillError, Filling, HandleCounters};
use crate::state::archive::{Archive, ArchiveError, Extent, require};
use crate::table_cost::TableCost;

/// The mode of pages that are moved.
#[derive(Clone, Copy, Debug)]
enum Copies {
    /// That of the page that is moved.
    Preserve,
    /// Always this one.
    In(Mode),
}

/// A mapping, and the modes of its pages.
///
/// The mode of a page is decided when the page is chosen for a program, and stays until it is chosen again. Batches of
/// functional mode (`write_at_once`, `relocate_at_once`) are not offered: every page goes through `bind`.
struct Moded {
    inner: Box<dyn Mapping>,
    names: Vec<String>,
    policy: Box<dyn ModePolicy>,
    copies: Copies,
    /// By physical page.
    modes: Vec<Mode>,
    /// What the drive has told for the program that it has bound next.
    load: Option<HostLoad>,
}

fn copies(config: &PageModesConfig, modes: &Modes<'_>) -> Result<Copies, FtlError> {
    if config.copies == "preserve" {
        return Ok(Copies::Preserve);
    }
    let mode = modes
        .find("ftl.modes.copies", &config.copies)
        .map_err(|refused| {
            let accepted = format!("\"preserve\", {}", refused.accepted);
            FtlError::new(refused.key, refused.found, accepted)
        })?;
    Ok(Copies::In(mode))
}

/// Checks that `[ftl.modes]` names modes of the drive only, and what its policy demands of them; `modes` are those of the drive, the
/// normal one first.
///
/// # Errors
/// A name that is none of a mode; a value that the policy refuses.
pub fn check_modes(config: &PageModesConfig, modes: &[DescribedMode]) -> Result<(), FtlError> {
    let modes = Modes::new(modes);
    copies(config, &modes)?;
    (config.policy.row()?.build)(&config.keys, &modes).map(|_| ())
}

/// A mapping whose pages are programmed in modes as `[ftl.modes]` says; the mapping itself where the drive has no modes
/// beside the normal one, which is the first of `modes`. Pages that hold data already are in the normal mode.
///
/// # Errors
/// As [`check_modes`].
pub fn with_modes(
    inner: Box<dyn Mapping>,
    config: &PageModesConfig,
    modes: &[DescribedMode],
) -> Result<Box<dyn Mapping>, FtlError> {
    let [_, others @ ..] = modes else {
        return Ok(inner);
    };
    if others.is_empty() {
        return Ok(inner);
    }
    let known = Modes::new(modes);
    Ok(Box::new(Moded {
        names: others.iter().map(|mode| mode.name.clone()).collect(),
        policy: (config.policy.row()?.build)(&config.keys, &known)?,
        copies: copies(config, &known)?,
        modes: vec![Mode::NORMAL; inner.geometry().pages() as usize],
        load: None,
        inner,
    }))
}

impl Moded {
    /// A page has been chosen for a step, while `load` was the drive's, and `bound_before` programs of the same command had theirs.
    fn choose(&mut self, now: SimTime, step: &Step, page: Ppn, load: Option<&HostLoad>, bound_before: u32) {
        let is_own = step.lpn.0 >= self.inner.user_pages();
        let mode = match step.work {
            // its codewords stay as they are
            Work::CopyBack { source, .. } => self.mode_of(source),
            _ if is_own || !(step.cause.is_of_host() || step.cause.is_data()) => Mode::NORMAL,
            _ if step.cause.is_of_host() => {
                let program = step;
                self.policy.mode(&ModeView {
                    now,
                    program,
                    page,
                    load,
                    bound_before,
                })
            }
            _ => match self.copies {
                Copies::In(mode) => mode,
                Copies::Preserve => {
                    let source = self.inner.lookup(step.lpn);
                    source.map_or(Mode::NORMAL, |source| self.mode_of(source))
                }
            },
        };
        // one beyond those that the drive has is taken as the last
        self.modes[page.index()] = mode.min(Mode(self.names.len() as u8));
    }

    /// A plan has been made: the pages that it fixes are chosen.
    fn planned(&mut self, now: SimTime, plan: &Plan) {
        for step in plan {
            if let Work::Program { target, .. } | Work::CopyBack { target, .. } = step.work
                && let Target::Page(page) = target
            {
                self.choose(now, step, page, None, 0);
            }
        }
    }
}

impl Ftl for Moded {
    fn geometry(&self) -> &Geometry {
        self.inner.geometry()
    }

    fn unit_geometry(&self) -> &Geometry {
        self.inner.unit_geometry()
    }

    fn pages_per_unit(&self) -> u32 {
        self.inner.pages_per_unit()
    }

    fn user_pages(&self) -> u64 {
        self.inner.user_pages()
    }

    fn prefetch(&self, lpn: Lpn) {
        self.inner.prefetch(lpn);
    }

    fn prefetch_next(&self, lpn: Lpn) {
        self.inner.prefetch_next(lpn);
    }

    fn release_handle(&mut self, now: SimTime, handle: u16) {
        self.inner.release_handle(now, handle);
    }

    fn restart_handle_counts(&mut self) {
        self.inner.restart_handle_counts();
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.inner.submit(now, request, plan);
        self.planned(now, plan);
        answer
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let flushing = self.inner.flush(now, plan);
        self.planned(now, plan);
        flushing
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.inner.is_flushed(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        let load = self.load.take();
        let bind = self.inner.bind(now, step, plane);
        if let Bind::Page(bound) = bind {
            self.choose(now, step, bound.page, load.as_ref(), 0);
        }
        bind
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let load = self.load.take();
        let aligned = self.inner.bind_aligned(now, pairs, bound);
        if aligned {
            let found = pairs
                .iter()
                .zip(bound)
                .filter_map(|((step, _), bound)| Some((step, (*bound)?)));
            for (before, (step, bound)) in (0..).zip(found) {
                self.choose(now, step, bound.page, load.as_ref(), before);
            }
        }
        aligned
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.inner.done(now, step, page, outcome, plan);
        self.planned(now, plan);
    }

    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.inner.notices(notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let state = self.inner.advance(now, job, plan);
        self.planned(now, plan);
        state
    }
}

impl Inspect for Moded {
    fn own_pages(&self) -> u64 {
        self.inner.own_pages()
    }

    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.inner.lookup(lpn)
    }

    fn mapped_pages(&self) -> u64 {
        self.inner.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.inner.owner(page)
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        self.inner.units_of(step, units);
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.inner.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.inner.block(block)
    }

    fn mode_of(&self, page: Ppn) -> Mode {
        self.modes[page.index()]
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.inner.home(lpn)
    }

    fn pools(&self) -> u32 {
        self.inner.pools()
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        self.inner.clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.inner.stuck_pools()
    }

    fn counters(&self) -> FtlCounters {
        self.inner.counters()
    }

    fn handles(&self) -> Vec<(u16, HandleCounters)> {
        self.inner.handles()
    }

    fn table_cost(&self) -> Option<TableCost> {
        self.inner.table_cost()
    }
}

impl Persist for Moded {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        self.inner.archive(now, extent, archive)?;
        archive.table(&mut self.modes)?;
        let most = self.names.len();
        let known = self.modes.iter().all(|mode| mode.index() <= most);
        require(known, "a page in a mode that the drive does not have")?;
        if extent == Extent::Everything {
            self.policy.archive(archive)?;
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.inner.latest()
    }

    fn modes(&self) -> &[String] {
        &self.names
    }

    fn mapping(&self) -> &'static str {
        self.inner.mapping()
    }
}

impl Mapping for Moded {
    fn observe_load(&mut self, load: &HostLoad) {
        self.load = Some(*load);
    }

    fn observe_idle(&mut self, interval: &IdleInterval) {
        self.policy.idle_ended(interval);
    }

    fn take_expected_idle(&mut self) -> Option<Duration> {
        self.policy.take_expected_idle()
    }

    fn expect_requests(&mut self, pages: u64) {
        self.inner.expect_requests(pages);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.inner.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.inner.consume_block(filling)
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.inner.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.inner.check_filled(pages)
    }

    fn reset_counters(&mut self) {
        self.inner.reset_counters();
    }

    fn record_program_times(&mut self) {
        self.inner.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        self.inner.take_program_times()
    }

    fn complete_age(&mut self, order: Order, now: SimTime, seed: Seed) -> Result<(), FunctionalError> {
        self.inner.complete_age(order, now, seed)
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Vec<BlockId>, RecoveryError> {
        self.inner.recover(now, flash)
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.inner.by_rule()
    }
}
