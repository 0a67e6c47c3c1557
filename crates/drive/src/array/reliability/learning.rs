//! Start levels of reads that are learned from earlier reads: by the age of their block, or of each page by itself.

use std::ops::Range;

use wordline_ecc::{ENTRIES, EccError, Level, PageCode, Sensing, StartFrom, StartTables, Thresholds};
use wordline_ftl::BlockClasses;
use wordline_nand::{Geometry, Ppn};
use wordline_units::SimTime;

use super::pages::Pages;

/// What earlier reads have taught.
pub(super) enum Learning {
    /// Nothing: reads start where the code says.
    None,
    /// From which age of a block on its reads start at each level, by its wear and, where blocks have classes, its class.
    Ages(StartTables, Option<BlockClasses>),
    /// The level at which each page was last read since it was programmed; 0 before that.
    LastLevels(Vec<u8>),
}

/// Class and cycles of the block of a page.
fn kind_of(pages: &Pages, classes: Option<&BlockClasses>, page: Ppn) -> (u8, u32) {
    let (block, cycles) = pages.block_of(page);
    (classes.map_or(0, |classes| classes.of_block(block.0)), cycles)
}

impl Learning {
    /// What there is to learn for a code, of a drive that has read nothing yet. `model` tells from which age on the weakest block of a class needs
    /// each level in a band of program/erase cycles.
    ///
    /// # Errors
    /// Ages that are refused.
    pub(super) fn new(
        code: Option<&PageCode>,
        classes: Option<BlockClasses>,
        geometry: &Geometry,
        model: impl Fn(&Thresholds, u8, Range<u32>) -> [u16; ENTRIES],
    ) -> Result<Self, EccError> {
        Ok(match code.and_then(PageCode::start) {
            Some(StartFrom::Age(ages)) => {
                let count = classes.as_ref().map_or(0, BlockClasses::strong) + 1;
                let thresholds = code.and_then(PageCode::thresholds).copied().unwrap_or_default();
                let of_class = |class, cycles| model(&thresholds, class, cycles);
                Self::Ages(StartTables::new(ages, count, of_class)?, classes)
            }
            Some(StartFrom::LastLevel) => Self::LastLevels(vec![0; geometry.pages() as usize]),
            Some(StartFrom::Given(_)) | None => Self::None,
        })
    }

    /// The level at which a read of a page starts at a time of the drive's life, where that is learned.
    pub(super) fn start(&self, pages: &Pages, page: Ppn, now: SimTime) -> Option<Level> {
        match self {
            Self::None => None,
            Self::Ages(tables, classes) => {
                let (class, cycles) = kind_of(pages, classes.as_ref(), page);
                Some(tables.of(class, cycles).start(pages.days_of_block(page, now)))
            }
            // a page that was not read starts at the lowest
            Self::LastLevels(levels) => Level::new(u32::from(levels[page.index()])).ok(),
        }
    }

    /// The age by which a read of a page starts at a level, in whole days, at a time of the drive's life; none where no age decides.
    pub(super) fn days_of(&self, pages: &Pages, page: Ppn, now: SimTime) -> Option<u16> {
        self.tables().map(|_| pages.days_of_block(page, now))
    }

    /// The tables of start levels, where they are learned by age.
    pub(super) const fn tables(&self) -> Option<&StartTables> {
        match self {
            Self::Ages(tables, _) => Some(tables),
            Self::None | Self::LastLevels(_) => None,
        }
    }

    /// A page has been read with success, sensed so, at a time of the drive's life. Tells the number of the table of start levels that has changed
    /// by that, and what it holds now.
    pub(super) fn read(
        &mut self,
        pages: &Pages,
        page: Ppn,
        sensing: Sensing,
        now: SimTime,
    ) -> Option<(usize, [u16; ENTRIES])> {
        match self {
            Self::None => {}
            Self::Ages(tables, classes) => {
                let level = |level: u8| Level::new(u32::from(level));
                if let (Ok(first), Ok(last)) = (level(sensing.first), level(sensing.level)) {
                    let (class, cycles) = kind_of(pages, classes.as_ref(), page);
                    let days = pages.days_of_block(page, now);
                    let table = tables.of_mut(class, cycles);
                    let before = table.days();
                    table.succeeded(first, last, days);
                    let after = table.days();
                    return (after != before).then(|| (tables.number(class, cycles), after));
                }
            }
            Self::LastLevels(levels) => levels[page.index()] = sensing.level,
        }
        None
    }

    /// A page is programmed: what was known of it is past.
    pub(super) fn program(&mut self, page: Ppn) {
        if let Self::LastLevels(levels) = self {
            levels[page.index()] = 0;
        }
    }
}
