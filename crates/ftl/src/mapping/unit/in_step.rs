//! Planes in step: the planes of a die open, fill, collect and erase blocks together (`allocation.planes = "in_step"`).
//!
//! The mapping of units works on an array of merged planes, whose blocks are multi-plane blocks ([`Layout`]): it gathers a page for every plane
//! of a die before it programs any, and so does collection. What it plans is put on flash here: a page becomes the page of its plane, an erase
//! becomes an erase in each plane. The drive joins these into multi-plane commands, as their blocks and pages allow.

mod aligned;
mod at_once;
mod inspect;
mod layout;
mod persist;
mod rebuilding;

use std::collections::BTreeMap;

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::UnitFtl;
use crate::allocation::{KeptDies, Planes, RoundRobin};
use crate::config::{FlashRules, FtlConfig, MappingInput, Pool, array_of_units, pages_per_unit};
use crate::contract::{Ahead, Batches, Facts, FlushMark, Flushing, Ftl, Relocated};
use crate::error::FtlError;
use crate::hand_out;
use crate::mapping::page::PageFtl;
use crate::mapping::recovery::refuse_small_reserve;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Step, Target, Work};
use crate::request::{Answer, PageRequest, TimedRequest};
use crate::space::Capacity;
use layout::Layout;

/// The key that asks for it.
const PLANES: &str = "allocation.planes";

/// The page-level FTL whose planes work in step.
pub(crate) struct InStepFtl {
    layout: Layout,
    /// The array as the map sees it from outside.
    units: Geometry,
    /// The FTL of the array of merged planes.
    merged: UnitFtl,
    /// Multi-plane blocks that are being erased: the planes whose erase has not ended, and whether one of them failed.
    erasing: BTreeMap<BlockId, Erasing>,
    /// By block: pages that were given up since its last program was bound.
    given_up: BTreeMap<BlockId, u32>,
    /// Kept for its space.
    steps: Plan,
}

/// A multi-plane block that is being erased.
#[derive(Clone, Copy, Debug)]
struct Erasing {
    /// Its erase, as it was planned.
    step: Step,
    /// Planes whose erase has not ended, a bit each.
    left: u64,
    failed: bool,
}

/// What the FTL of the merged planes is built from.
struct Parts {
    units: Geometry,
    config: FtlConfig,
}

impl Parts {
    /// # Errors
    /// What goes with planes that work on their own alone.
    fn of(input: &MappingInput<'_>) -> Result<Self, FtlError> {
        check(input)?;
        let mut config = input.config.clone();
        // blocks that are bad from the start are blocks of planes, of which multi-plane blocks are made
        config.failures.initial = None;
        config.gc.pool = Pool::Plane;
        let units = array_of_units(&input.geometry.with_merged_planes(), &config)?;
        Ok(Self { units, config })
    }

    fn input<'a>(&'a self, input: &MappingInput<'a>) -> MappingInput<'a> {
        MappingInput {
            geometry: &self.units,
            config: &self.config,
            ..*input
        }
    }

    fn capacity(&self, input: &MappingInput<'_>) -> Result<Capacity, FtlError> {
        let capacity = Capacity::new(&self.units, &self.config, input.allocation)?;
        Ok(capacity.with_width(input.geometry.planes_per_die))
    }
}

/// Refuses what goes with planes that work on their own alone.
fn check(input: &MappingInput<'_>) -> Result<(), FtlError> {
    let refuse = |accepted: String| Err(FtlError::new(PLANES, "\"in_step\"", accepted));
    let planes = input.geometry.planes_per_die;
    if planes < 2 {
        return refuse("\"independent\" with geometry.planes_per_die = 1".into());
    }
    if planes > 16 {
        return refuse(format!(
            "\"independent\" with geometry.planes_per_die = {planes}: planes in step are at most 16"
        ));
    }
    if pages_per_unit(input.geometry, input.config)? > 1 {
        return refuse(
            "\"independent\" with ftl.mapping_unit above a page: a unit would lie across planes".into(),
        );
    }
    if !matches!(input.config.gc.pool, Pool::Plane | Pool::Die) {
        let pool = "\"plane\" or \"die\" with allocation.planes = \"in_step\": a pool is a die, whose planes are collected together";
        let found = format!("{:?}", input.config.gc.pool).to_lowercase();
        return Err(FtlError::new("ftl.gc.pool", format!("\"{found}\""), pool));
    }
    input
        .config
        .placement
        .refuse_groups("with allocation.planes = \"in_step\"")?;
    if input.config.refresh.is_on()? {
        return refuse("\"independent\" with ftl.refresh.policy".into());
    }
    refuse_small_reserve(input, "with allocation.planes = \"in_step\"")?;
    if input.strong_classes > 0 {
        return refuse("\"independent\" with classes of blocks".into());
    }
    Ok(())
}

/// Whether the planes of a drive work in step.
pub(in crate::mapping) fn is_in_step(input: &MappingInput<'_>) -> bool {
    input.allocation.planes == Planes::InStep
}

impl InStepFtl {
    /// An empty drive.
    ///
    /// # Errors
    /// As for `PageFtl`; what goes with planes that work on their own alone.
    pub(in crate::mapping) fn new(
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
    ) -> Result<Self, FtlError> {
        let parts = Parts::of(input)?;
        if rules.commands.copyback != Use::Off {
            let accepted = "\"off\" with allocation.planes = \"in_step\": a page that is moved goes to the next plane of its die";
            return Err(FtlError::new("commands.copyback", "in use", accepted));
        }
        if rules.commands.multi_plane_write == Use::Off {
            let accepted = "\"wise\" or \"blind\" with allocation.planes = \"in_step\"";
            return Err(FtlError::new("commands.multi_plane_write", "\"off\"", accepted));
        }
        let bad = input.config.failures.bad_from_start(rules.seed, input.geometry);
        let layout = Layout::new(input.geometry, &bad, rules.restrictions.multi_plane_same_block);
        let capacity = parts.capacity(input)?;
        let mut pages = PageFtl::with_capacity(&parts.input(input), rules, capacity, capacity.user_pages)?;
        for block in layout.missing() {
            pages.space.retire_free(block.0);
        }
        let own = MappingInput {
            geometry: layout.merged(),
            ..*input
        };
        let merged = UnitFtl::with_units(pages, &own, layout.planes());
        Ok(Self {
            units: array_of_units(input.geometry, input.config)?,
            merged,
            layout,
            erasing: BTreeMap::new(),
            given_up: BTreeMap::new(),
            steps: Plan::new(),
        })
    }

    /// Checks a configuration without building anything: the logical pages that the drive exports.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub(in crate::mapping) fn exported(input: &MappingInput<'_>) -> Result<u64, FtlError> {
        Ok(Parts::of(input)?.capacity(input)?.user_pages)
    }

    /// Checks that collection can reach its goal while a share of the exported pages holds data.
    ///
    /// # Errors
    /// As for [`Self::new`]; a watermark that cannot be reached.
    pub(in crate::mapping) fn check_filled(input: &MappingInput<'_>, fill: f64) -> Result<(), FtlError> {
        let parts = Parts::of(input)?;
        let capacity = parts.capacity(input)?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(&parts.units, parts.config.gc.frontier, pages)
    }

    fn per_page(&self) -> u64 {
        u64::from(self.merged.per_page)
    }

    /// Steps on the merged planes become steps on flash, but for erases.
    fn put_on_flash(&self, steps: &mut Plan) {
        for step in steps.iter_mut() {
            match &mut step.work {
                Work::Read { page, .. } => *page = self.layout.page_of_flash(*page),
                Work::Program {
                    target: Target::Frontier { scope, .. },
                    ..
                } => *scope = Layout::scope_of_flash(*scope),
                _ => {}
            }
        }
    }

    /// Moves steps to a plan, with an erase in each plane for that of a multi-plane block.
    fn expand_erases(&mut self, steps: &mut Plan, plan: &mut Plan) {
        for step in steps.drain(..) {
            let Work::Erase { block: merged } = step.work else {
                plan.push(step);
                continue;
            };
            let left = (1 << self.layout.planes()) - 1;
            let erasing = Erasing {
                step,
                left,
                failed: false,
            };
            self.erasing.insert(merged, erasing);
            let erases = self.layout.members(merged).iter().map(|block| Step {
                work: Work::Erase { block: *block },
                ..step
            });
            plan.extend(erases);
        }
    }

    /// The erase of a block has ended: with that of the last plane the erase of the multi-plane block has.
    fn end_erase(&mut self, now: SimTime, block: BlockId, outcome: Outcome, plan: &mut Plan) {
        let Some((merged, plane)) = self.layout.home(block) else {
            return;
        };
        let Some(erasing) = self.erasing.get_mut(&merged) else {
            return;
        };
        erasing.left &= !(1 << plane);
        erasing.failed |= outcome == Outcome::Failed;
        self.given_up.remove(&block);
        if erasing.left == 0 {
            let Erasing { step, failed, .. } = *erasing;
            self.erasing.remove(&merged);
            let outcome = if failed { Outcome::Failed } else { Outcome::Good };
            self.merged.done(now, &step, None, outcome, plan);
            self.put_on_flash(plan);
        }
    }

    fn has_modes(&self) -> bool {
        self.merged.has_modes()
    }

    /// A page of the merged planes that was bound, on flash.
    fn bound_on_flash(&mut self, page: Ppn) -> Bound {
        let page = self.layout.page_of_flash(page);
        let skipped = self.given_up.remove(&self.layout.flash().block_of(page));
        Bound {
            page,
            skipped: skipped.unwrap_or(0),
        }
    }
}

impl Ftl for InStepFtl {
    hand_out!(
        Ageing,
        Batches,
        Collection,
        Modes if has_modes,
        ProgramTimes,
        Recovery;
        merged: Placement, SlcCache, Table,
    );

    fn geometry(&self) -> &Geometry {
        self.layout.flash()
    }

    fn unit_geometry(&self) -> &Geometry {
        &self.units
    }

    fn facts(&self) -> Facts {
        Facts {
            gathers_writes: true,
            numbers_writes: true,
            programs_on_flush: true,
            ..Facts::of_pages(&self.units)
        }
    }

    fn user_pages(&self) -> u64 {
        self.merged.user_pages()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.merged.prefetch(lpn, ahead);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.merged.submit(now, request, plan);
        self.put_on_flash(plan);
        answer
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let flushing = self.merged.flush(now, plan);
        self.put_on_flash(plan);
        flushing
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.merged.is_flushed(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        match self.merged.bind(now, step, self.layout.plane_of_merged(plane)) {
            Bind::Page(bound) => Bind::Page(self.bound_on_flash(bound.page)),
            other => other,
        }
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        self.bind_row(now, pairs, bound)
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        if let Work::Erase { block } = step.work {
            return self.end_erase(now, block, outcome, plan);
        }
        let page = page.and_then(|page| self.layout.page_of_merged(page));
        self.merged.done(now, step, page, outcome, plan);
        self.put_on_flash(plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        let first = notices.len();
        self.merged.notices(notices);
        for notice in &mut notices[first..] {
            notice.scope = Layout::scope_of_flash(notice.scope);
        }
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let mut steps = std::mem::take(&mut self.steps);
        let state = self.merged.advance(now, job, &mut steps);
        self.put_on_flash(&mut steps);
        self.expand_erases(&mut steps, plan);
        self.steps = steps;
        state
    }
}

impl Batches for InStepFtl {
    #[inline]
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        self.write_rows(now, requests, kept, turns, written)
    }

    fn relocate_at_once(
        &mut self,
        now: SimTime,
        job: JobId,
        most: usize,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        self.relocate_rows(now, job, most, turns, relocated);
    }
}
