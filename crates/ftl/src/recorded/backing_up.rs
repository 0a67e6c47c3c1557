//! Programs wait for the copies of the lower pages in their word lines.

use wordline_nand::{BlockId, PlaneId, Ppn};
use wordline_units::SimTime;

use super::places::Places;
use super::versions::{Numbers, Versions};
use super::{Recorded, Records};
use crate::contract::{Ftl, Mapping};
use crate::notice::{JobId, JobKind, JobNotice, JobState, Urgency};
use crate::plan::{Bind, Bound, Plan, Scope, Step, Work};
use crate::recovery::{SpareArea, Written};

impl Recorded {
    /// The first of the jobs that make copies of lower pages: one for each plane.
    fn first_backup_job(&self) -> u32 {
        2 * self.inner.pools() + 2
    }

    /// Whether the program of a page may begin, as the drive numbers it: what shares its cells and counts has been copied. Where it has not, the job of its plane makes the copies.
    pub(super) fn may_begin(&mut self, now: SimTime, page: Ppn) -> bool {
        let Self {
            inner,
            places,
            backup: Some(backup),
            ..
        } = self
        else {
            return true;
        };
        let may = backup.may_program(page, |page| counts(&**inner, places, page));
        if !may {
            self.tell_of_copies(now);
        }
        may
    }

    /// Whether programs may begin as one command, as the mapping numbers their steps: their pages have the same index, and so have their blocks, so that none is passed over; and each may begin by itself.
    pub(super) fn may_begin_together(&mut self, now: SimTime, pairs: &[(Step, PlaneId)]) -> bool {
        if self.backup.is_none() {
            return true;
        }
        let pages: Option<Vec<Ppn>> = pairs
            .iter()
            .map(|(step, plane)| self.inner.next_page(step, *plane))
            .collect();
        let Some(pages) = pages else { return false };
        let geometry = self.places.region.geometry;
        let index = |page: Ppn| {
            let block = geometry.block_of(page);
            (block.0 % geometry.blocks_per_plane, geometry.page_in_block(page))
        };
        let is_aligned = pages.first().is_some_and(|first| {
            index(*first).1 > 0 && pages.iter().all(|page| index(*page) == index(*first))
        });
        // all are asked, so that the copies of all planes are made at the same time
        is_aligned
            && pages.into_iter().fold(true, |may, page| {
                let page = self.places.region.page_of_drive(page);
                self.may_begin(now, page) && may
            })
    }

    /// The program of a page of the FTL's own is about to start: its page.
    pub(super) fn bind_own(&mut self, now: SimTime, step: &Step) -> Bind {
        let next = match &self.records {
            Records::SpareAreas => None,
            Records::Summaries(summaries) => summaries.next_page(step),
            Records::Journal(journal) => journal.next_page(step),
        };
        let Some(page) = next else {
            return Bind::Declined;
        };
        if !self.may_begin(now, page) {
            return Bind::NoSpace;
        }
        match &mut self.records {
            Records::SpareAreas => {}
            Records::Summaries(summaries) => summaries.begin(step),
            Records::Journal(journal) => journal.begin(page),
        }
        if let Some(backup) = &self.backup {
            let own = match self.written(step, page).filter(|_| backup.shares_later(page)) {
                Some(Written::Own(own)) => Some(own),
                _ => None,
            };
            if let Some(backup) = &mut self.backup {
                backup.begun(page, own);
            }
        }
        Bind::Page(Bound { page, skipped: 0 })
    }

    /// Tells of the jobs that make copies, where any are wanted.
    pub(super) fn tell_of_copies(&mut self, now: SimTime) {
        let Some(backup) = self.backup.as_ref().filter(|backup| backup.wants_any()) else {
            return;
        };
        let first = self.first_backup_job();
        let notices = backup.planes_wanted().into_iter().map(|plane| JobNotice {
            job: JobId::of(JobKind::Merge, first + plane.0),
            scope: Scope::Plane(plane),
            urgency: Urgency::Blocking,
            not_before: now,
        });
        self.notices.extend(notices);
    }

    /// The next steps of a job that makes copies; none where it is another job.
    pub(super) fn advance_backup(&mut self, job: JobId, plan: &mut Plan) -> Option<JobState> {
        let first = self.first_backup_job();
        let Self {
            inner,
            places,
            versions,
            records,
            backup: Some(backup),
            ..
        } = self
        else {
            return None;
        };
        let records = &*records;
        let plane = job
            .pool()
            .checked_sub(first)
            .filter(|_| job.kind() == JobKind::Merge)?;
        let content = |page| content(&**inner, places, versions, page);
        let erases = |block: BlockId| match places.region.block_of_region(block) {
            Some(own) => inner.block(own).erase_count,
            None => match records {
                Records::Journal(journal) => journal.blocks.get(&block).map_or(0, |(_, erases)| *erases),
                _ => 0,
            },
        };
        backup.advance(PlaneId(plane), plan, content, erases);
        Some(if plan.is_empty() {
            JobState::Waiting
        } else {
            JobState::Yielded
        })
    }

    /// A step of the mapping, as the drive numbers its pages: what was lost is read from its copy.
    pub(super) fn step_of_drive(&self, step: Step) -> Step {
        let step = self.places.region.step_of_drive(step);
        match &self.backup {
            Some(backup) => reading(step, |page| backup.page_read(page)),
            None => step,
        }
    }

    /// A step of the drive, as the mapping numbers its pages.
    pub(super) fn step_of_mapping(&self, step: &Step) -> Step {
        let step = match &self.backup {
            Some(backup) => reading(*step, |page| backup.page_meant(page)),
            None => *step,
        };
        self.places.region.step_of_region(step)
    }

    /// The place of the drive that holds what a place of the mapping's is to hold.
    pub(super) fn place_read(&self, place: Ppn) -> Ppn {
        let place = self.places.of_drive(place);
        // copies are of whole pages, which have one place
        self.backup
            .as_ref()
            .map_or(place, |backup| backup.page_read(place))
    }
}

/// The same step with another page that it reads.
fn reading(step: Step, other: impl Fn(Ppn) -> Ppn) -> Step {
    match step.work {
        Work::Read { page, bitmap, route } => Step {
            work: Work::Read {
                page: other(page),
                bitmap,
                route,
            },
            ..step
        },
        _ => step,
    }
}

/// Whether a page of the drive holds what a logical page holds now.
pub(super) fn counts(inner: &dyn Mapping, places: &Places, page: Ppn) -> bool {
    let own = places.of_region(page);
    own.is_some_and(|own| inner.owner(own).is_some())
}

/// What a page of the mapping's holds that counts.
fn content(inner: &dyn Mapping, places: &Places, versions: &Versions, page: Ppn) -> Option<Written> {
    let own = places.of_region(page)?;
    let lpn = inner.owner(own)?;
    let Numbers { version, write } = versions.of(own);
    Some(Written::Data(SpareArea {
        lpn,
        version,
        write,
        sectors: inner.valid_sectors(lpn),
    }))
}
