//! A mapping with what is written to flash so that it can be built anew after a power cut (`ftl.recovery`; FTL specification, section 8).
//!
//! The mapping works on its part of the drive (`division`) as it would alone, and is built anew from spare areas as it would be alone. Around it stands
//! what each page holds (`versions`), and, by `ftl.recovery.kind`, summary pages (`summaries`), or journal and checkpoints (`journal`,
//! `checkpoint`). How the spare areas are learned after a power cut follows from the kind (`learn`), and the mapping does not know it.
//!
//! A block is erased only when the journal says so on flash, and with it everything that was moved out of the block: the program of that page of the
//! journal goes before the erase in its plan.

mod ageing;
mod area;
mod area_scan;
mod at_rest;
mod blocks;
mod checkpoint;
mod division;
mod ftl;
mod guard;
mod inspect;
mod journal;
mod persist;
mod places;
mod recoverable;
mod recovery_scan;
mod repair;
mod resume;
mod slots;
mod step;
mod subjects;
mod substitutes;
mod summaries;
mod units;
mod versions;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, Geometry, Ppn};

pub(crate) use division::Division;

use crate::block::BlockRole;
use crate::config::{FlashRules, MappingInput, RecoveryKind, array_of_units};
use crate::contract::{FlushMark, Mapping, Recoverable, Subjects};
use crate::error::FtlError;
use crate::mapping::MappingRow;
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::{Bound, Cause, Lpn, Outcome, Plan, Step, Work};
use crate::recovery::{MapRecord, SpareArea, Written};
use crate::space::Region;
use journal::{Journal, MOST_STEPS};
use places::Places;
use summaries::Summaries;
use versions::Versions;

/// What is written to flash beside the data.
enum Records {
    /// Nothing: the spare areas say all.
    SpareAreas,
    /// A page of each block.
    Summaries(Summaries),
    /// A journal and checkpoints.
    Journal(Box<Journal>),
}

/// What a program brings, by its places, and the places from which it is moved, all as the drive numbers them.
type Begun = (Vec<(Ppn, SpareArea)>, Vec<Ppn>);

/// A job that waits for room in the journal.
struct Held {
    plan: Plan,
    state: JobState,
    /// Whether the journal has said on flash what the plan erases.
    is_told: bool,
}

/// A mapping with what is written so that it can be built anew.
pub(crate) struct Recorded {
    inner: Box<dyn Mapping>,
    geometry: Geometry,
    /// The array as the map sees it.
    unit_geometry: Geometry,
    places: Places,
    /// Logical pages whose places are recorded: those of the host's, and where it has to find them again those of the mapping's own behind these.
    logical: u64,
    versions: Versions,
    records: Records,
    /// Of mappings with units of another size than the page: what programs bring that have their pages and have not ended, by their pages as the mapping numbers them.
    of_units: FxHashMap<Ppn, Vec<Option<SpareArea>>>,
    /// The spare areas of programs that have their pages and have not ended, by these: as the mapping said when it chose the page.
    placed: FxHashMap<Ppn, SpareArea>,
    /// The latest notice of each job of the mapping.
    told: FxHashMap<u32, JobNotice>,
    held: BTreeMap<u32, Held>,
    notices: Vec<JobNotice>,
    /// What the mapping's own flushes wait for, by the marks of those with a journal.
    inner_marks: BTreeMap<u64, FlushMark>,
    /// The job that writes checkpoints.
    job: JobId,
    /// Whether the blocks as they are have been taken as the beginning.
    has_begun: bool,
    kind: RecoveryKind,
}

impl Recorded {
    /// The mapping of a row on its part of the drive, empty.
    ///
    /// # Errors
    /// As for [`Division::new`], and what the mapping refuses.
    pub(crate) fn build(
        row: &MappingRow,
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
    ) -> Result<Box<dyn Mapping>, FtlError> {
        let division = Division::new(row, input)?;
        let inner = division.within(input, |own| (row.build)(own, rules))?;
        let lpn = Lpn(inner.user_pages() + inner.facts().own_pages);
        let pools = inner.collected_space().map_or(0, |collected| collected.pools());
        let recovery = &input.config.recovery;
        let per_page = inner.unit_geometry().pages_per_program;
        let records = match division.area {
            Some(area) => {
                let keys = (recovery.record_bytes, recovery.checkpoint_interval);
                Records::Journal(Box::new(Journal::new(
                    area,
                    lpn,
                    inner.facts().pages_per_unit,
                    keys,
                )))
            }
            None if division.data.geometry.pages_per_block < input.geometry.pages_per_block => {
                Records::Summaries(Summaries::new(input.geometry, lpn))
            }
            None => Records::SpareAreas,
        };
        Ok(Box::new(Self {
            geometry: *input.geometry,
            unit_geometry: array_of_units(input.geometry, input.config)?,
            logical: inner.user_pages()
                + if row.recovers_own_pages {
                    inner.facts().own_pages
                } else {
                    0
                },
            versions: Versions::new(inner.unit_geometry().pages(), inner.user_pages()),
            places: Places {
                region: division.data,
                per_page,
                per_unit: inner.facts().pages_per_unit,
            },
            of_units: FxHashMap::default(),
            job: JobId::of(JobKind::Merge, 2 * pools + 1),
            records,
            placed: FxHashMap::default(),
            told: FxHashMap::default(),
            held: BTreeMap::new(),
            notices: Vec::new(),
            inner_marks: BTreeMap::new(),
            has_begun: false,
            kind: recovery.kind,
            inner,
        }))
    }

    fn to_drive(&self, plan: &mut Plan) {
        for step in plan {
            *step = self.places.region.step_of_drive(*step);
        }
    }

    /// Takes the blocks as they are now as the beginning, once.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let Self {
            inner,
            places,
            records,
            ..
        } = self;
        if let Records::Journal(journal) = records {
            let region = &places.region;
            let blocks = (0..region.geometry.blocks()).map(BlockId);
            let of_drive = blocks.map(|own| (region.block_of_drive(own), role(&**inner, own)));
            journal.watched.begin(of_drive);
        }
    }

    /// A page was chosen for the program of a step of the mapping, which begins.
    fn bound_in_drive(&mut self, step: &Step, bound: Bound) -> Bound {
        let page = self.places.region.page_of_drive(bound.page);
        let own = self.places.region.step_of_region(*step);
        let (brings, moved_from) = self
            .begin_units(&own, bound.page)
            .unwrap_or_else(|| self.begin_page(step, &own, bound.page));
        match &mut self.records {
            Records::SpareAreas => {}
            Records::Summaries(summaries) => summaries.bound(page, brings),
            Records::Journal(journal) => {
                journal.watched.bound(self.geometry.block_of(page));
                for source in moved_from {
                    journal
                        .watched
                        .mark_for_erase(self.places.block(&self.geometry, source));
                }
            }
        }
        Bound { page, ..bound }
    }

    /// A page was placed for the program of a step, which begins later: its spare area says what the mapping knows now.
    fn begin_placed(&mut self, step: &Step, bound: Bound) -> Bound {
        let bound = self.bound_in_drive(step, bound);
        if let Some(Written::Data(spare)) = self.written(step, bound.page) {
            self.placed.insert(bound.page, spare);
        }
        bound
    }

    /// The program of a page that nothing shares begins: what it brings to its place, and from where it is moved, as the drive numbers places.
    fn begin_page(&mut self, step: &Step, own: &Step, page: Ppn) -> Begun {
        if !self.has_units() {
            self.versions.begun(&*self.inner, own, page);
        }
        let of_drive = self.places.region.page_of_drive(page);
        let spare = match self.written(step, of_drive) {
            Some(Written::Data(spare) | Written::Deltas(spare, _)) => Some(spare),
            _ => None,
        };
        let moved_from = spare
            .filter(|spare| spare.sectors != 0 && !self.versions.is_write(own))
            .and_then(|_| self.inner.lookup(own.lpn));
        (
            spare.map(|spare| (of_drive, spare)).into_iter().collect(),
            moved_from
                .map(|source| self.places.of_drive(source))
                .into_iter()
                .collect(),
        )
    }

    /// A step of the FTL's own has ended.
    fn end_own(&mut self, step: &Step, outcome: Outcome, plan: &mut Plan) {
        match &mut self.records {
            Records::SpareAreas => {}
            Records::Summaries(summaries) => {
                let block = BlockId(step.token);
                if outcome != Outcome::Declined {
                    summaries.done(step);
                }
                // what it was to list is read from the pages themselves
                if outcome == Outcome::Failed {
                    self.fail_block(block);
                }
            }
            Records::Journal(journal) => match step.work {
                Work::Erase { block } => journal.block_erased(block, outcome),
                _ if outcome == Outcome::Failed => plan.extend(journal.page_failed(step)),
                _ => journal.page_done(step),
            },
        }
    }

    /// A step of the mapping has ended, which numbers it as `own`, and brought logical pages to places: what follows for the records.
    fn end_of_mapping(
        &mut self,
        own: &Step,
        (page, brought): (Option<Ppn>, &[(Lpn, Ppn)]),
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let Self {
            inner,
            places,
            logical,
            records,
            versions,
            geometry,
            ..
        } = self;
        let region = &places.region;
        if let (Work::Erase { block }, Outcome::Good | Outcome::Failed) = (own.work, outcome) {
            let of_drive = region.block_of_drive(block);
            match records {
                Records::SpareAreas => {}
                Records::Summaries(summaries) => summaries.erased(of_drive),
                Records::Journal(journal) => {
                    let is_bad = inner.block(block).role == BlockRole::Bad;
                    journal.watched.erased(of_drive, is_bad);
                    journal.block_records += 1;
                }
            }
            return;
        }
        let Some(page) = page else { return };
        let of_drive = region.page_of_drive(page);
        let is_good = matches!(outcome, Outcome::Good | Outcome::Uncorrectable);
        match records {
            Records::SpareAreas => {}
            Records::Summaries(summaries) => summaries.ended(of_drive, is_good, plan),
            Records::Journal(journal) => {
                journal.watched.ended(geometry.block_of(of_drive));
                let per_unit = u64::from(inner.facts().pages_per_unit);
                let is_there =
                    |(lpn, place): &&(Lpn, Ppn)| lpn.0 < *logical && inner.lookup(*lpn) == Some(*place);
                for (lpn, place) in brought.iter().filter(|_| is_good).filter(is_there) {
                    journal.writes += u64::from(own.cause == Cause::Host);
                    // of a unit of several pages the first one stands for all
                    let at = lpn.0 % per_unit;
                    let mapped = MapRecord::Mapped {
                        lpn: Lpn(lpn.0 - at),
                        page: places.of_drive(Ppn(place.0 - at)),
                    };
                    journal.record(mapped, versions.of(*place).version);
                }
                let most = MOST_STEPS.saturating_sub(plan.len());
                let steps = journal.seal_full(most, |block| is_closed(&**inner, region, block));
                plan.extend(steps);
            }
        }
    }
}

/// Whether a block is closed, and nothing but the journal need be known of it, as the mapping says.
fn is_closed(inner: &dyn Mapping, region: &Region, block: BlockId) -> bool {
    let own = region.block_of_region(block);
    own.is_some_and(|own| role(inner, own) == BlockRole::Closed)
}

/// The role of a block of the mapping; one that is closed and must be looked at all the same counts as open.
fn role(inner: &dyn Mapping, own: BlockId) -> BlockRole {
    match inner.block(own).role {
        BlockRole::Closed if is_unsettled(inner, own) => BlockRole::Open,
        role => role,
    }
}

/// Whether the spare areas of a closed block of the mapping must be looked at.
fn is_unsettled(inner: &dyn Mapping, own: BlockId) -> bool {
    let recoverable = inner.recoverable();
    recoverable.is_some_and(|recoverable| recoverable.is_unsettled(own))
}
