//! What the FTL is told of the blocks that it refreshes: since when they hold data, and how long they keep them.

use std::sync::Arc;

use wordline_cell::fence::{Lookup, Representative, WearState};
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::{BlockReport, BlockRole, Mapping, Subjects};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

/// The wear of all blocks at a time, as a study knows it.
#[derive(Clone)]
pub struct KnownWear {
    /// Retention by wear.
    pub lookup: Arc<Lookup>,
    /// The wear of every block, by flat number.
    pub states: Vec<WearState>,
    /// How long they keep data.
    pub health: BlockHealth,
    /// What a rest is multiplied by at the temperature of the study, so that it acts as at 30 degC.
    pub rest_factor: f64,
}

/// The wear of blocks whose cells have not rested between their erases.
#[must_use]
pub fn without_rests(ftl: &dyn Mapping) -> Vec<WearState> {
    (0..ftl.geometry().blocks())
        .map(|block| {
            let cycles = ftl.block_use(BlockId(block)).erase_count;
            WearState::worn(2.0 * f64::from(cycles), cycles)
        })
        .collect()
}

/// Reports of blocks that have not been told yet.
#[derive(Clone)]
pub struct BlockHealth {
    /// What retention at 30 degC is multiplied by for the temperature of the study.
    factor: f64,
    /// When the first page of each block was programmed; `NEVER` where it is erased.
    since: Vec<SimTime>,
    /// For how many nanoseconds since then the clock stood still, where a study skips time.
    skipped: Vec<u64>,
    /// For how many nanoseconds each block keeps data, as it was reported last.
    retention: Vec<u64>,
    /// Reads of each block since its erase, and from which on its data are disturbed; empty where they are not counted.
    reads: Vec<u32>,
    read_limit: u32,
    reports: Vec<BlockReport>,
}

impl BlockHealth {
    /// Of a drive whose data all count as written at `since`; tells its FTL of every block.
    pub fn new(
        ftl: &mut dyn Mapping,
        states: &[WearState],
        lookup: &Lookup,
        factor: f64,
        since: SimTime,
    ) -> Self {
        let mut health = Self {
            factor,
            since: vec![SimTime::NEVER; states.len()],
            skipped: vec![0; states.len()],
            retention: vec![0; states.len()],
            reads: Vec::new(),
            read_limit: u32::MAX,
            reports: Vec::new(),
        };
        for (state, block) in states.iter().zip(0..) {
            let block = BlockId(block);
            if ftl.block_use(block).role != BlockRole::Free {
                health.since[block.index()] = since;
            }
            health.report(block, state, lookup);
        }
        if let Some(refreshing) = ftl.refreshing_mut() {
            refreshing.observe_blocks(&health.reports);
        }
        health.reports.clear();
        health
    }

    /// The same, with the reads of every block counted: from `limit` on its data are disturbed.
    #[must_use]
    pub fn counting_reads(mut self, limit: Option<u32>) -> Self {
        if let Some(limit) = limit {
            self.reads = vec![0; self.since.len()];
            self.read_limit = limit;
        }
        self
    }

    /// Whether reads are counted.
    #[must_use]
    pub const fn counts_reads(&self) -> bool {
        !self.reads.is_empty()
    }

    /// A page of a block was read, which is told once when its data are disturbed by that.
    #[inline]
    pub fn read(&mut self, block: BlockId, state: &WearState, lookup: &Lookup) {
        let Some(reads) = self.reads.get_mut(block.index()) else {
            return;
        };
        *reads = reads.saturating_add(1);
        if *reads == self.read_limit {
            self.report(block, state, lookup);
        }
    }

    fn report(&mut self, block: BlockId, state: &WearState, lookup: &Lookup) {
        let since = self.since[block.index()];
        let seconds = lookup.retention_of(state, Representative::LastCycle) * self.factor;
        // a cast saturates
        let retention = (seconds * 1e9) as u64;
        self.retention[block.index()] = retention;
        self.reports.push(BlockReport {
            block,
            erases: state.cycles(),
            since: (since != SimTime::NEVER).then_some(since),
            retention: Duration(retention),
            skipped: Duration(self.skipped[block.index()]),
            disturbed: self
                .reads
                .get(block.index())
                .is_some_and(|reads| *reads >= self.read_limit),
        });
    }

    /// A page of a block was programmed. What the program of the last one adds to its wear is told too.
    #[inline]
    pub fn programmed(
        &mut self,
        now: SimTime,
        block: BlockId,
        is_last: bool,
        state: &WearState,
        lookup: &Lookup,
    ) {
        let since = &mut self.since[block.index()];
        let is_first = *since == SimTime::NEVER;
        if is_first {
            *since = now;
        }
        if is_first || is_last {
            self.report(block, state, lookup);
        }
    }

    /// A block was erased.
    pub fn erased(&mut self, block: BlockId, state: &WearState, lookup: &Lookup) {
        self.since[block.index()] = SimTime::NEVER;
        self.skipped[block.index()] = 0;
        if let Some(reads) = self.reads.get_mut(block.index()) {
            *reads = 0;
        }
        self.report(block, state, lookup);
    }

    /// When the first page of each block was programmed; `NEVER` where it is erased.
    #[must_use]
    pub fn since(&self) -> &[SimTime] {
        &self.since
    }

    /// How old the oldest data of a block are, in nanoseconds, time included for which the clock stood still; none where it is erased.
    #[must_use]
    pub fn age(&self, block: usize, now: SimTime) -> Option<u64> {
        let since = self.since[block];
        (since != SimTime::NEVER).then(|| now.since(since).ns().saturating_add(self.skipped[block]))
    }

    /// For how many nanoseconds a block keeps data, as it was reported last.
    #[must_use]
    pub fn retention(&self, block: usize) -> u64 {
        self.retention[block]
    }

    /// For how many nanoseconds of the age of each block the clock stood still.
    #[must_use]
    pub fn skipped(&self) -> &[u64] {
        &self.skipped
    }

    /// Sets that of a block.
    pub fn set_skipped(&mut self, block: usize, skipped: u64) {
        self.skipped[block] = skipped;
    }

    /// Reports every block.
    pub fn report_all(&mut self, states: &[WearState], lookup: &Lookup) {
        for (state, block) in states.iter().zip(0..) {
            self.report(BlockId(block), state, lookup);
        }
    }

    /// Takes the reports that have not been told, in `reports`, which is empty.
    pub fn take_reports(&mut self, reports: &mut Vec<BlockReport>) {
        std::mem::swap(&mut self.reports, reports);
    }

    /// Saves or loads what changes; reports are told before.
    ///
    /// # Errors
    /// As for `Archive::table`.
    pub fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.since)?;
        archive.table(&mut self.skipped)?;
        archive.table(&mut self.retention)?;
        // nothing where reads are not counted
        if self.counts_reads() {
            archive.table(&mut self.reads)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wordline_cell::fence::{CellKind, CellParams, RestAcceleration, RetentionModel};

    use super::*;
    use crate::aged::AgedFtl;

    /// A new drive, and the retention of its cells.
    fn drive() -> (AgedFtl, Lookup) {
        let text = "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                    blocks_per_plane = 16\npages_per_block = 8\n[ftl]\nover_provisioning = 0.5\n";
        let config = toml::from_str(text).unwrap();
        let drive = AgedFtl::new(&config, Path::new("."), &mut |_| true).unwrap();
        let model = RetentionModel::new(CellParams::nand_80nm(), CellKind::Slc, RestAcceleration::Off);
        (drive, Lookup::new(model.unwrap()))
    }

    /// Where retention counts for a third of what it is at 30 degC, a block is reported with a third of it, and its age counts the time that a
    /// study skipped.
    #[test]
    fn retention_is_that_of_the_temperature_of_the_study() {
        let (mut drive, lookup) = drive();
        let states = vec![WearState::worn(2e4, 10_000); drive.geometry.blocks() as usize];
        let at_30 = lookup.retention_of(&states[0], Representative::LastCycle);
        let mut health = BlockHealth::new(&mut *drive.ftl, &states, &lookup, 1.0 / 3.0, SimTime::ZERO);
        let kept = health.retention(3);
        assert!(
            (kept as f64 / 1e9 / (at_30 / 3.0) - 1.0).abs() < 1e-9,
            "{kept} ns"
        );

        let mut reports = Vec::new();
        health.programmed(SimTime(500), BlockId(3), false, &states[3], &lookup);
        health.set_skipped(3, 40);
        health.programmed(SimTime(700), BlockId(3), false, &states[3], &lookup);
        health.programmed(SimTime(900), BlockId(3), true, &states[3], &lookup);
        health.take_reports(&mut reports);
        let told = |skipped| BlockReport {
            block: BlockId(3),
            erases: 10_000,
            since: Some(SimTime(500)),
            retention: Duration(kept),
            skipped: Duration(skipped),
            disturbed: false,
        };
        assert_eq!(reports, [told(0), told(40)], "at its first and its last page");
        assert_eq!(health.age(3, SimTime(1_000)), Some(540));
        assert_eq!(health.age(4, SimTime(1_000)), None);
    }

    /// A block is reported as disturbed with the read that reaches the limit, once, and counts anew after its erase.
    #[test]
    fn a_block_is_disturbed_by_the_read_that_reaches_the_limit() {
        let (mut drive, lookup) = drive();
        let states = without_rests(&*drive.ftl);
        let mut health =
            BlockHealth::new(&mut *drive.ftl, &states, &lookup, 1.0, SimTime::ZERO).counting_reads(Some(3));
        let read = |health: &mut BlockHealth| {
            let mut reports = Vec::new();
            health.read(BlockId(2), &states[2], &lookup);
            health.take_reports(&mut reports);
            reports.iter().map(|report| report.disturbed).collect::<Vec<_>>()
        };
        let of_five: Vec<_> = (0..5).map(|_| read(&mut health)).collect();
        assert_eq!(of_five, [vec![], vec![], vec![true], vec![], vec![]]);
        health.erased(BlockId(2), &states[2], &lookup);
        assert_eq!(read(&mut health), [false], "what the erase told");
        let of_two: Vec<_> = (0..2).map(|_| read(&mut health)).collect();
        assert_eq!(of_two, [vec![], vec![true]]);
    }
}
