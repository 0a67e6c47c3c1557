//! Programs and erases that fail, and the end of writing when too few blocks are left (FTL specification, 6.4).
//!
//! What the mapping does about a failure is its own affair: it programs the data elsewhere, moves what is valid in the block, and retires the block. Here is decided which
//! operations fail, and when the drive becomes read-only.

use wordline_nand::{BlockId, Ppn};
use wordline_units::{Seed, SimTime};

use crate::block::BlockRole;
use crate::config::FailuresConfig;
use crate::contract::Mapping;
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::plan::{Outcome, Step, Work};
use crate::wrapped::{Wrapped, Wrapper};

/// What fails in a drive.
struct Failing {
    config: FailuresConfig,
    seed: Seed,
    /// Blocks that a pool needs to go on, as the mapping collects them.
    needed: u32,
    /// By pool: blocks of which nothing has failed, as the mapping collects them.
    usable: Vec<u32>,
    /// By block as the mapping collects them: whether a program or its erase has failed, or it was retired before.
    failed: Vec<bool>,
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
) -> Result<Box<dyn Mapping>, FtlError> {
    if !config.is_on() {
        return Ok(inner);
    }
    let pools = inner.pools();
    let collected = inner.collected_geometry().blocks();
    let mut failed = vec![false; collected as usize];
    for block in (0..inner.geometry().blocks()).map(BlockId) {
        failed[inner.collected_block(block).index()] |= inner.block_use(block).role == BlockRole::Bad;
    }
    let of_pools = failed.chunks((collected / pools) as usize);
    let usable: Vec<u32> = of_pools
        .map(|blocks| blocks.iter().filter(|failed| !**failed).count() as u32)
        .collect();
    let least = inner.least_blocks();
    let needed = least.saturating_add(config.min_spare);
    let most = usable.iter().copied().min().unwrap_or_default();
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
        needed,
        usable,
        failed,
        read_only_since: None,
        failed_programs: 0,
        failed_erases: 0,
    };
    Ok(Box::new(Wrapped::new(inner, failing)))
}

impl Failing {
    /// Whether an operation fails that belongs to a page or block, of a block that was erased so often: the same answer whenever it is asked.
    fn fails(&self, share: Option<f64>, name: &str, place: u64, erases: u32) -> bool {
        let Some(share) = share else { return false };
        let draw = Seed(self.seed.draw(name, place)).draw("erases", u64::from(erases));
        let uniform = (draw >> 11) as f64 / (1_u64 << 53) as f64;
        uniform < self.config.probability(share, erases)
    }

    /// Something of a block has failed: it will be retired, with all that is collected with it, and counts for nothing from now on.
    fn fail(&mut self, inner: &dyn Mapping, now: SimTime, block: BlockId) {
        let block = inner.collected_block(block);
        if std::mem::replace(&mut self.failed[block.index()], true) {
            return;
        }
        let per_pool = self.failed.len() / self.usable.len();
        let usable = &mut self.usable[block.index() / per_pool];
        *usable -= 1;
        if *usable < self.needed && self.read_only_since.is_none() {
            self.read_only_since = Some(now);
        }
    }
}

impl Wrapper for Failing {
    fn outcome(
        &mut self,
        inner: &dyn Mapping,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
    ) -> Outcome {
        if outcome != Outcome::Good {
            return outcome;
        }
        let erases = |block: BlockId| inner.block_use(block).erase_count;
        match (step.work, page) {
            (Work::Program { .. } | Work::CopyBack { .. }, Some(page)) => {
                let block = inner.geometry().block_of(page);
                if !self.fails(self.config.program, "ftl.failures.program", page.0, erases(block)) {
                    return outcome;
                }
                self.failed_programs += 1;
                self.fail(inner, now, block);
                Outcome::Failed
            }
            (Work::Erase { block }, _) => {
                let place = u64::from(block.0);
                if !self.fails(self.config.erase, "ftl.failures.erase", place, erases(block)) {
                    return outcome;
                }
                self.failed_erases += 1;
                self.fail(inner, now, block);
                Outcome::Failed
            }
            _ => outcome,
        }
    }

    fn read_only_since(&self) -> Option<SimTime> {
        self.read_only_since
    }

    fn count(&self, counters: &mut FtlCounters) {
        counters.failed_programs += self.failed_programs;
        counters.failed_erases += self.failed_erases;
    }

    fn reset_counters(&mut self) {
        (self.failed_programs, self.failed_erases) = (0, 0);
    }
}
