//! The raw bit error rate of every page: wear and variation of its block, the time of its program, what has disturbed it
//! since, errors carried over by copy-back.

use wordline_cell::{Disturbances, LaterPrograms, PageState, Reliability as Cells};
use wordline_ecc::MOST_DAYS;
use wordline_nand::{BlockId, Geometry, Mode, PageTypes, Ppn};
use wordline_units::SimTime;

use super::disturbing_programs::DisturbingPrograms;

/// Nanoseconds in the unit of program times: one second.
const TICK: u64 = 1_000_000_000;
/// Units of program times in a day.
const TICKS_PER_DAY: f64 = 86_400.0;
/// Units of program times in an hour, in which the controller records when a block was begun (DLV: 20 bits for each block).
const TICKS_PER_HOUR: u32 = 3_600;
/// Rates of nominal blocks that are kept; a power of two.
const KEPT: usize = 1 << 12;

/// What a block brings to the error rate of its pages.
#[derive(Clone, Copy, Debug)]
struct Block {
    factor: f32,
    cycles: u32,
    /// Reads since its erase.
    reads: u32,
    /// Hour in which its first page was programmed since its erase; `NOT_BEGUN` where there is none.
    begun: u32,
}

/// No page of a block is programmed.
const NOT_BEGUN: u32 = u32::MAX;

/// A rate of a nominal block, and what it is the rate of.
#[derive(Clone, Copy, Debug)]
struct Nominal {
    cycles: u32,
    age: u32,
    rate: f64,
}

/// The pages of the drive.
pub(super) struct Pages {
    cells: Cells,
    geometry: Geometry,
    page_types: PageTypes,
    by_page_type: bool,
    slc: Option<Mode>,
    /// Whether reads or programs of their block bring errors to pages.
    disturb: bool,
    /// Which programs have disturbed each page; none where they count for nothing.
    programs: Option<DisturbingPrograms>,
    blocks: Vec<Block>,
    /// When each page was programmed, in seconds since the drive began to live.
    programmed: Vec<u32>,
    /// Rate of the errors that copy-back brought to each page; empty where it is not in use.
    carried: Vec<f32>,
    /// Phases of each page's program that were cancelled and done again; empty where they count for nothing.
    redone: Vec<u32>,
    /// Many pages of one moment are read: rates by cycles and age, where they were found last.
    nominal: Vec<Nominal>,
}

/// What the pages depend on beside the cells.
pub(super) struct Features {
    pub(super) by_page_type: bool,
    pub(super) read_disturb: bool,
    pub(super) copy_back: bool,
    pub(super) redone: bool,
    /// The mode of an SLC cache, whose pages have no errors: of 2^b states its two are the outermost, 2^b - 1 gaps apart. With an error in a thousand bits of a TLC page the reference lies three deviations away from a
    /// state, and twenty-one there, which is less than one error in 10^90 bits (assumed: the whole window is used, and deviations are those of the normal mode).
    pub(super) slc: Option<Mode>,
}

fn ticks(at: SimTime) -> u32 {
    u32::try_from(at.ns() / TICK).unwrap_or(u32::MAX)
}

/// The rate of bits that are wrong after two independent chances to become so.
fn either(a: f64, b: f64) -> f64 {
    a + b - 2.0 * a * b
}

impl Pages {
    pub(super) fn new(
        cells: Cells,
        geometry: Geometry,
        page_types: PageTypes,
        features: &Features,
        programs: Option<DisturbingPrograms>,
        cycles: impl Fn(BlockId) -> u32,
    ) -> Self {
        let blocks = (0..geometry.blocks())
            .map(|block| Block {
                factor: cells.factor(u64::from(block)),
                cycles: cycles(BlockId(block)),
                reads: 0,
                begun: NOT_BEGUN,
            })
            .collect();
        let pages = geometry.pages() as usize;
        Self {
            cells,
            geometry,
            page_types,
            by_page_type: features.by_page_type,
            slc: features.slc,
            disturb: features.read_disturb || programs.is_some(),
            programs,
            blocks,
            programmed: vec![0; pages],
            carried: vec![0.0; if features.copy_back { pages } else { 0 }],
            redone: vec![0; if features.redone { pages } else { 0 }],
            nominal: vec![
                Nominal {
                    cycles: u32::MAX,
                    age: u32::MAX,
                    rate: 0.0
                };
                KEPT
            ],
        }
    }

    /// The first `pages` pages of a block were programmed at this time, one after the other.
    pub(super) fn set_programmed(&mut self, block: BlockId, at: SimTime, pages: u32) {
        if pages > 0 {
            self.blocks[block.index()].begun = ticks(at) / TICKS_PER_HOUR;
        }
        if let Some(programs) = &mut self.programs {
            programs.set_programmed(block, pages);
        }
        let first = self.geometry.page(block, 0).index();
        self.programmed[first..first + self.geometry.pages_per_block as usize].fill(ticks(at));
    }

    /// A page is programmed with data from the controller.
    pub(super) fn program(&mut self, page: Ppn, now: SimTime) {
        self.programmed[page.index()] = ticks(now);
        let block = &mut self.blocks[self.geometry.block_of(page).index()];
        if block.begun == NOT_BEGUN {
            block.begun = ticks(now) / TICKS_PER_HOUR;
        }
        if let Some(programs) = &mut self.programs {
            programs.program(page);
        }
        if let Some(carried) = self.carried.get_mut(page.index()) {
            *carried = 0.0;
        }
        self.redo(page, 0);
    }

    /// So many phases of a page's program were cancelled and done again.
    pub(super) fn redo(&mut self, page: Ppn, phases: u32) {
        if let Some(redone) = self.redone.get_mut(page.index()) {
            *redone = phases;
        }
    }

    /// A page of a mode is copied inside its plane, errors and all.
    pub(super) fn copy_back(&mut self, source: Ppn, page: Ppn, mode: Mode, now: SimTime) {
        let rate = self.read(source, mode, now);
        self.program(page, now);
        if let Some(carried) = self.carried.get_mut(page.index()) {
            *carried = rate as f32;
        }
    }

    pub(super) fn erase(&mut self, block: BlockId) {
        if let Some(programs) = &mut self.programs {
            programs.erase(block);
        }
        let block = &mut self.blocks[block.index()];
        block.cycles = block.cycles.saturating_add(1);
        block.reads = 0;
        block.begun = NOT_BEGUN;
    }

    /// The block of a page, and its program/erase cycles.
    pub(super) fn block_of(&self, page: Ppn) -> (BlockId, u32) {
        let block = self.geometry.block_of(page);
        (block, self.blocks[block.index()].cycles)
    }

    /// Whole days since the first page of the block of a page was programmed, at most [`MOST_DAYS`]: what the controller knows of
    /// the age of its pages, none of which is older.
    pub(super) fn days_of_block(&self, page: Ppn, now: SimTime) -> u16 {
        let begun = self.blocks[self.geometry.block_of(page).index()].begun;
        let age = ticks(now).saturating_sub(begun.saturating_mul(TICKS_PER_HOUR));
        let days = age / (24 * TICKS_PER_HOUR);
        days.min(u32::from(MOST_DAYS)) as u16
    }

    /// A page is sensed, which disturbs its block.
    #[inline]
    pub(super) fn count_read(&mut self, page: Ppn) {
        let block = &mut self.blocks[self.geometry.block_of(page).index()];
        block.reads = block.reads.saturating_add(1);
    }

    /// The raw bit error rate of a page of a mode that is sensed now.
    pub(super) fn read(&mut self, page: Ppn, mode: Mode, now: SimTime) -> f64 {
        self.count_read(page);
        if self.slc == Some(mode) {
            return 0.0;
        }
        let id = self.geometry.block_of(page);
        let block = self.blocks[id.index()];
        let age = ticks(now).saturating_sub(self.programmed[page.index()]);
        let state = PageState {
            factor: block.factor,
            cycles: block.cycles,
            age_days: f64::from(age) / TICKS_PER_DAY,
            disturbed: Disturbances {
                reads: u64::from(block.reads - 1),
                programs: self
                    .programs
                    .as_ref()
                    .map_or(LaterPrograms::default(), |programs| programs.since(page)),
            },
            redone: self.redone.get(page.index()).copied().unwrap_or(0),
            step: mode.0,
            page: if self.by_page_type {
                self.page_types.of(self.geometry.page_of_block(page, id)).0
            } else {
                0
            },
        };
        let rate = if self.disturb {
            self.cells.rber(&state)
        } else {
            let nominal = self.nominal(block.cycles, age, state.age_days);
            self.cells.rber_from(nominal, &state)
        };
        match self.carried.get(page.index()) {
            Some(&carried) if carried > 0.0 => either(rate, f64::from(carried)),
            _ => rate,
        }
    }

    fn nominal(&mut self, cycles: u32, age: u32, days: f64) -> f64 {
        let slot = cycles.wrapping_mul(0x9e37_79b9).wrapping_add(age) as usize % KEPT;
        let kept = &mut self.nominal[slot];
        if (kept.cycles, kept.age) != (cycles, age) {
            *kept = Nominal {
                cycles,
                age,
                rate: self.cells.nominal(f64::from(cycles), days, Disturbances::NONE),
            };
        }
        kept.rate
    }
}

#[cfg(test)]
mod tests {
    use wordline_cell::CellConfig;
    use wordline_nand::GeometryConfig;
    use wordline_units::Seed;

    use super::*;

    const PLAIN: Features = Features {
        by_page_type: false,
        read_disturb: false,
        copy_back: false,
        redone: false,
        slc: None,
    };

    /// Worn pages have errors, and none in the mode of an SLC cache.
    #[test]
    fn pages_of_an_slc_cache_have_no_errors() {
        let config = GeometryConfig::default();
        let geometry = Geometry::new(&config).unwrap();
        let page_types = PageTypes::new(&config, &geometry).unwrap();
        let cells = Cells::new(&CellConfig::default(), Seed(1)).unwrap();
        let slc = Mode(1);
        let features = Features {
            slc: Some(slc),
            ..PLAIN
        };
        let mut pages = Pages::new(cells, geometry, page_types, &features, None, |_| 3_000);
        let later = SimTime(24 * u64::from(TICKS_PER_HOUR) * TICK);
        assert!(pages.read(Ppn(0), Mode::NORMAL, later) > 0.0);
        assert_eq!(pages.read(Ppn(0), slc, later), 0.0);
    }

    /// The controller knows the hour in which a block was begun: by what an older drive holds, or by the first program since its erase.
    #[test]
    fn the_age_of_a_block_is_that_of_its_first_page() {
        let config = GeometryConfig::default();
        let geometry = Geometry::new(&config).unwrap();
        let page_types = PageTypes::new(&config, &geometry).unwrap();
        let cells = Cells::new(&CellConfig::default(), Seed(1)).unwrap();
        let mut pages = Pages::new(cells, geometry, page_types, &PLAIN, None, |_| 0);
        let hours = |hours: u64| SimTime(hours * u64::from(TICKS_PER_HOUR) * TICK);
        let [old, new] = [BlockId(1), BlockId(2)].map(|block| geometry.page(block, 0));
        pages.set_programmed(BlockId(1), hours(50), geometry.pages_per_block);
        assert_eq!(pages.days_of_block(old, hours(50 + 47)), 1);
        assert_eq!(pages.days_of_block(old, hours(50 + 48)), 2);
        pages.program(new, hours(100));
        pages.program(Ppn(new.0 + 1), hours(120));
        assert_eq!(pages.days_of_block(new, hours(100 + 23)), 0);
        assert_eq!(pages.days_of_block(new, hours(100 + 24)), 1);
        pages.erase(BlockId(2));
        pages.program(new, hours(200));
        assert_eq!(pages.days_of_block(new, hours(200 + 24)), 1);
    }
}
