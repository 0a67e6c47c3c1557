//! What the FTL is told of the blocks that it refreshes: since when they hold data, and how long they keep them.

use std::sync::Arc;

use wordline_cell::fence::{Lookup, Representative, VariedCells, WearState};
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::{BlockReport, BlockRole, Mapping, Subject, Subjects};
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
    /// The cells of every block, where they differ from block to block.
    pub varied: Option<VariedCells>,
    /// What a rest is multiplied by at the temperature of the study, so that it acts as at 30 degC.
    pub rest_factor: f64,
}

/// For how many seconds at 30 degC a block keeps data that are written now.
#[must_use]
pub fn kept_for(lookup: &Lookup, varied: Option<&VariedCells>, block: usize, state: &WearState) -> f64 {
    match varied {
        Some(cells) => cells.retention(block, 0, state.rest(Representative::LastCycle)),
        None => lookup.retention_of(state, Representative::LastCycle),
    }
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

/// How old the data of blocks are, and reports of blocks that the FTL has not received yet.
#[derive(Clone)]
pub struct BlockHealth {
    /// Whether the FTL receives reports of blocks: it refreshes them.
    tells: bool,
    /// What retention at 30 degC is multiplied by for the temperature of the study.
    factor: f64,
    /// When the first page of each block was programmed; `NEVER` where it is erased.
    since: Vec<SimTime>,
    /// For how many nanoseconds since then the clock stood still, where a study skips time.
    skipped: Vec<u64>,
    /// By how many nanoseconds the data of each block count as older than they are: at other temperatures before they lost more, or less, of their life.
    heat: Vec<i64>,
    /// For how many nanoseconds each block keeps data, as it was reported last.
    retention: Vec<u64>,
    /// Reads of each block since its erase, and from which on its data are disturbed; empty where they are not counted.
    reads: Vec<u32>,
    read_limit: u32,
    reports: Vec<BlockReport>,
}

impl BlockHealth {
    /// Of a drive whose data all count as written at `since`; tells its FTL of every block. `keeps` says for how many seconds at 30 degC a block keeps data.
    pub fn new(
        ftl: &mut dyn Mapping,
        states: &[WearState],
        keeps: impl Fn(usize) -> f64,
        factor: f64,
        since: SimTime,
    ) -> Self {
        let mut health = Self {
            tells: ftl.part(Subject::Refresh).is_some(),
            factor,
            since: vec![SimTime::NEVER; states.len()],
            skipped: vec![0; states.len()],
            heat: vec![0; states.len()],
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
            health.report(block, state.cycles(), || keeps(block.index()));
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
    pub fn read(&mut self, block: BlockId, cycles: u32, keeps: impl FnOnce() -> f64) {
        let Some(reads) = self.reads.get_mut(block.index()) else {
            return;
        };
        *reads = reads.saturating_add(1);
        if *reads == self.read_limit {
            self.report(block, cycles, keeps);
        }
    }

    #[inline]
    fn report(&mut self, block: BlockId, cycles: u32, keeps: impl FnOnce() -> f64) {
        if !self.tells {
            return;
        }
        let since = self.since[block.index()];
        // a cast saturates
        let retention = (keeps() * self.factor * 1e9) as u64;
        self.retention[block.index()] = retention;
        // data that lost less of their life before count as written later
        let still = (self.skipped[block.index()] as i64).saturating_add(self.heat[block.index()]);
        let (later, skipped) = ((-still).max(0) as u64, still.max(0) as u64);
        self.reports.push(BlockReport {
            block,
            erases: cycles,
            since: (since != SimTime::NEVER).then(|| since + Duration(later)),
            retention: Duration(retention),
            skipped: Duration(skipped),
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
        cycles: u32,
        keeps: impl FnOnce() -> f64,
    ) {
        let since = &mut self.since[block.index()];
        let is_first = *since == SimTime::NEVER;
        if is_first {
            *since = now;
        }
        if is_first || is_last {
            self.report(block, cycles, keeps);
        }
    }

    /// A block was erased.
    pub fn erased(&mut self, block: BlockId, cycles: u32, keeps: impl FnOnce() -> f64) {
        self.since[block.index()] = SimTime::NEVER;
        self.skipped[block.index()] = 0;
        self.heat[block.index()] = 0;
        if let Some(reads) = self.reads.get_mut(block.index()) {
            *reads = 0;
        }
        self.report(block, cycles, keeps);
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

    /// How old the data of a block count, in nanoseconds, at the temperature of the moment: data lose their life faster where it is hotter. None where the block is erased.
    #[must_use]
    pub fn consumed(&self, block: usize, now: SimTime) -> Option<u64> {
        let age = self.age(block, now)?;
        Some(age.saturating_add_signed(self.heat[block]))
    }

    /// By how many nanoseconds the data of a block count as older than they are.
    #[must_use]
    pub fn heat(&self, block: usize) -> i64 {
        self.heat[block]
    }

    /// The temperature changes to one at which retention is multiplied by `factor`: what is left of the life of data is the same share of it. Blocks must be reported after it.
    pub fn change_temperature(&mut self, factor: f64, now: SimTime) {
        let ratio = factor / self.factor;
        for block in 0..self.since.len() {
            if let (Some(age), Some(consumed)) = (self.age(block, now), self.consumed(block, now)) {
                // casts saturate
                self.heat[block] = (consumed as f64 * ratio - age as f64) as i64;
            }
        }
        self.factor = factor;
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
    pub fn report_all(&mut self, states: &[WearState], keeps: impl Fn(usize) -> f64) {
        for (state, block) in states.iter().zip(0..) {
            self.report(BlockId(block), state.cycles(), || keeps(block as usize));
        }
    }

    /// What retention at 30 degC is multiplied by.
    #[must_use]
    pub const fn factor(&self) -> f64 {
        self.factor
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
        archive.table(&mut self.heat)?;
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
                    blocks_per_plane = 16\npages_per_block = 8\n[ftl]\nover_provisioning = 0.5\n[ftl.refresh]\npolicy = \"remaining\"\n";
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
        let keeps = |block: usize| kept_for(&lookup, None, block, &states[block]);
        let mut health = BlockHealth::new(&mut *drive.ftl, &states, keeps, 1.0 / 3.0, SimTime::ZERO);
        let kept = health.retention(3);
        assert!(
            (kept as f64 / 1e9 / (at_30 / 3.0) - 1.0).abs() < 1e-9,
            "{kept} ns"
        );

        let mut reports = Vec::new();
        health.programmed(SimTime(500), BlockId(3), false, 10_000, || keeps(3));
        health.set_skipped(3, 40);
        health.programmed(SimTime(700), BlockId(3), false, 10_000, || keeps(3));
        health.programmed(SimTime(900), BlockId(3), true, 10_000, || keeps(3));
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
        assert_eq!(health.consumed(3, SimTime(1_000)), Some(540));
        assert_eq!(health.age(4, SimTime(1_000)), None);
    }

    /// A block is reported as disturbed with the read that reaches the limit, once, and counts anew after its erase.
    #[test]
    fn a_block_is_disturbed_by_the_read_that_reaches_the_limit() {
        let (mut drive, lookup) = drive();
        let states = without_rests(&*drive.ftl);
        let keeps = |block: usize| kept_for(&lookup, None, block, &states[block]);
        let mut health =
            BlockHealth::new(&mut *drive.ftl, &states, keeps, 1.0, SimTime::ZERO).counting_reads(Some(3));
        let read = |health: &mut BlockHealth| {
            let mut reports = Vec::new();
            health.read(BlockId(2), 0, || keeps(2));
            health.take_reports(&mut reports);
            reports.iter().map(|report| report.disturbed).collect::<Vec<_>>()
        };
        let of_five: Vec<_> = (0..5).map(|_| read(&mut health)).collect();
        assert_eq!(of_five, [vec![], vec![], vec![true], vec![], vec![]]);
        health.erased(BlockId(2), 0, || keeps(2));
        assert_eq!(read(&mut health), [false], "what the erase told");
        let of_two: Vec<_> = (0..2).map(|_| read(&mut health)).collect();
        assert_eq!(of_two, [vec![], vec![true]]);
    }

    /// Data that are a quarter through their life at a temperature are so at the next one, and age there as its cells do. Where the drive was cooler before, they count as written later.
    #[test]
    fn life_that_is_consumed_is_the_same_share_at_another_temperature() {
        let (mut drive, lookup) = drive();
        let states = vec![WearState::worn(2e4, 10_000); drive.geometry.blocks() as usize];
        let keeps = |block: usize| kept_for(&lookup, None, block, &states[block]);
        let mut health = BlockHealth::new(&mut *drive.ftl, &states, keeps, 1.0, SimTime::ZERO);
        let whole = health.retention(2);
        health.programmed(SimTime(0), BlockId(2), true, 10_000, || keeps(2));
        let quarter = SimTime(whole / 4);
        for (factor, then) in [(0.5, whole / 8), (2.0, whole / 2)] {
            health.change_temperature(factor, quarter);
            health.report_all(&states, keeps);
            let near = |one: u64, other: u64| one.abs_diff(other) < whole / 1_000_000;
            assert!(near(health.consumed(2, quarter).unwrap(), then), "{factor}");
            assert!(near(health.retention(2), (whole as f64 * factor) as u64));
            let mut reports = Vec::new();
            health.take_reports(&mut reports);
            let report = reports.iter().rfind(|report| report.block == BlockId(2)).unwrap();
            let by_clock = quarter.since(report.since.unwrap()).ns();
            assert!(near(by_clock + report.skipped.ns(), then), "{report:?}");
        }
        health.erased(BlockId(2), 10_001, || keeps(2));
        assert_eq!((health.consumed(2, quarter), health.heat(2)), (None, 0));
    }
}
