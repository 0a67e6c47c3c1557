//! Programs and erases that fail, and the end of writing when too few blocks are left (FTL specification, 6.4).
//!
//! What the mapping does about a failure is its own affair: it programs the data elsewhere, moves what is valid in the block, and retires the block. Here is decided which
//! operations fail, and when the drive becomes read-only.

use wordline_nand::{BlockId, Mode, Ppn, WordLines};
use wordline_units::{Seed, SimTime};

use crate::config::FailuresConfig;
use crate::contract::{
    CollectedSpace, Mapping, Part, PartMut, Recoverable, Subject, Subjects, WriteProtection,
};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::plan::{Outcome, Plan, Step, Work};
use crate::wrapped::{Wrapped, Wrapper};

/// What fails in a drive.
struct Failing {
    config: FailuresConfig,
    seed: Seed,
    /// Word lines that are programmed as wholes; none where every page is programmed by itself.
    word_lines: Option<WordLines>,
    /// Pages that a pool needs to go on.
    needed: u64,
    /// Something has failed since the usable pages were looked at.
    has_failed: bool,
    read_only_since: Option<SimTime>,
    failed_programs: u64,
    failed_erases: u64,
}

/// A mapping whose programs and erases fail as `[ftl.failures]` says from now on; the mapping itself where nothing fails.
///
/// # Errors
/// A pool that has too few blocks for `min_spare` from the start.
pub fn with_failures(
    inner: Box<dyn Mapping>,
    config: &FailuresConfig,
    seed: Seed,
    word_lines: Option<WordLines>,
) -> Result<Box<dyn Mapping>, FtlError> {
    if !config.is_on() {
        return Ok(inner);
    }
    let Some(collected) = inner.collected_space() else {
        let accepted = "none of a mapping that does not say how many blocks it needs";
        return Err(FtlError::new("ftl.failures", "failures", accepted));
    };
    let per_block = u64::from(collected.collected_geometry().pages_per_block);
    let least = collected.least_blocks();
    let needed = least.saturating_add(config.min_spare);
    let usable = (0..collected.pools()).map(|pool| collected.usable_pages(pool) / per_block);
    let most = usable.min().unwrap_or_default() as u32;
    if let Some(share) = config.initial.filter(|_| most < least) {
        let accepted = format!(
            "less: a pool has {most} usable blocks, and {least} hold its logical pages and serve writes (geometry.blocks_per_plane, ftl.over_provisioning)"
        );
        return Err(FtlError::new("ftl.failures.initial", share, accepted));
    }
    if most < needed {
        let accepted = format!(
            "at most {} spare blocks of a pool: one has {most} usable blocks, of which {least} hold its logical pages and serve writes",
            most.saturating_sub(least)
        );
        return Err(FtlError::new(
            "ftl.failures.min_spare",
            config.min_spare,
            accepted,
        ));
    }
    let failing = Failing {
        config: config.clone(),
        seed,
        word_lines,
        needed: u64::from(needed) * per_block,
        // before a power cut, where the drive is built anew
        has_failed: true,
        read_only_since: None,
        failed_programs: 0,
        failed_erases: 0,
    };
    Ok(Box::new(Wrapped::new(inner, failing)))
}

impl Failing {
    /// Whether the program of a page writes cells, so that it can fail: where word lines are programmed as wholes, that of their last page does; the others bring data into
    /// the die. What came before in a word line whose program failed is moved with all that its block holds.
    fn writes_cells(&self, inner: &dyn Mapping, page: Ppn) -> bool {
        let Some(lines) = self.word_lines else {
            return true;
        };
        let geometry = inner.geometry();
        let block = geometry.block_of(page);
        let mode = inner.page_modes().and_then(|modes| modes.block_mode(block));
        mode.is_some_and(|mode| mode != Mode::NORMAL) || lines.completes(geometry.page_of_block(page, block))
    }
}

impl Wrapper for Failing {
    /// The mapping knows of what has failed.
    fn planned(&mut self, inner: &dyn Mapping, now: SimTime, _plan: &Plan) {
        if !std::mem::take(&mut self.has_failed) || self.read_only_since.is_some() {
            return;
        }
        let is_short = |collected: &dyn CollectedSpace| {
            (0..collected.pools()).any(|pool| collected.usable_pages(pool) < self.needed)
        };
        if inner.collected_space().is_some_and(is_short) {
            self.read_only_since = Some(now);
        }
    }

    fn outcome(
        &mut self,
        inner: &dyn Mapping,
        _now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
    ) -> Outcome {
        // a member that cannot be read any more may be given up
        self.has_failed |= outcome.is_unreadable();
        let may_fail = |recoverable: &dyn Recoverable| recoverable.may_fail(step);
        if outcome != Outcome::Good || !inner.recoverable().is_none_or(may_fail) {
            return outcome;
        }
        let erases = |block: BlockId| inner.block_use(block).erase_count;
        match (step.work, page) {
            (Work::Program { .. } | Work::CopyBack { .. }, Some(page)) => {
                let block = inner.geometry().block_of(page);
                if !self.writes_cells(inner, page)
                    || !self.config.fails_program(self.seed, page, erases(block))
                {
                    return outcome;
                }
                self.failed_programs += 1;
                self.has_failed = true;
                Outcome::Failed
            }
            (Work::Erase { block }, _) => {
                if !self.config.fails_erase(self.seed, block, erases(block)) {
                    return outcome;
                }
                self.failed_erases += 1;
                self.has_failed = true;
                Outcome::Failed
            }
            _ => outcome,
        }
    }

    fn part(&self, subject: Subject) -> Option<Part<'_>> {
        (subject == Subject::WriteProtection).then_some(Part::WriteProtection(self))
    }

    fn part_mut(&mut self, subject: Subject) -> Option<PartMut<'_>> {
        (subject == Subject::WriteProtection).then_some(PartMut::WriteProtection(self))
    }

    fn count(&self, counters: &mut FtlCounters) {
        counters.failed_programs += self.failed_programs;
        counters.failed_erases += self.failed_erases;
    }

    fn reset_counters(&mut self) {
        (self.failed_programs, self.failed_erases) = (0, 0);
    }
}

impl WriteProtection for Failing {
    fn read_only_since(&self) -> Option<SimTime> {
        self.read_only_since
    }
}
