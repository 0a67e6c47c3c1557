//! What the flash of a drive holds beside the data, kept while it runs: what recovery would find if the power failed now.

use rustc_hash::{FxHashMap, FxHashSet};
use wordline_ftl::{
    BlockRole, DeltaEntry, FoundBlock, FoundFlash, Inspect, OwnPage, Repair, SpareArea, Subjects, Written,
};
use wordline_metrics::{CommandKind, Constituent, IssuedCommand};
use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::SimTime;

/// What a page holds.
#[derive(Clone, Debug, Default)]
enum Page {
    #[default]
    Erased,
    /// Nothing of which recovery is told, or nothing that can be read.
    Other,
    /// Data of the host, with this spare area.
    Data(SpareArea),
    /// A page that mapping units share, with the spare area of each.
    Units(Vec<Option<SpareArea>>),
    /// A page of deltas, with its header.
    Deltas(SpareArea, Vec<DeltaEntry>),
    /// A page of the FTL's own.
    Own(Box<OwnPage>),
}

impl Page {
    fn of(written: &Written) -> Self {
        match written {
            Written::Data(spare) => Self::Data(*spare),
            Written::Units(units) => Self::Units(units.clone()),
            Written::Deltas(spare, entries) => Self::Deltas(*spare, entries.clone()),
            Written::Own(own) => Self::Own(Box::new(own.clone())),
        }
    }
}

/// A block: when it was written first since its last erase, as a number that rises from block to block, how often it was erased, and
/// its pages; no list of them where all are erased, so that a large drive takes memory for what is written only.
#[derive(Clone, Debug, Default)]
struct Block {
    sequence: u64,
    erases: u32,
    pages: Vec<Page>,
}

/// A program that is under way: what it brings, and when its array begins.
#[derive(Clone, Debug)]
struct UnderWay {
    page: Page,
    from: SimTime,
}

/// What a power cut tore: programs and erases that arrays were at work on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Torn {
    /// Programs.
    pub programs: u64,
    /// Erases.
    pub erases: u64,
}

/// The flash of a drive.
#[derive(Clone, Debug)]
pub struct KeptFlash {
    geometry: Geometry,
    blocks: Vec<Block>,
    /// Blocks that were begun so far.
    begun: u64,
    /// What the programs that are issued next bring.
    announced: FxHashMap<Ppn, Page>,
    programs: FxHashMap<Ppn, UnderWay>,
    /// Blocks whose erase is under way: when its array begins.
    erases: FxHashMap<BlockId, SimTime>,
    /// Blocks whose erase has failed.
    unerased: FxHashSet<BlockId>,
    /// Blocks that are marked as bad.
    bad: FxHashSet<BlockId>,
}

impl KeptFlash {
    /// All blocks erased.
    #[must_use]
    pub fn erased(geometry: Geometry) -> Self {
        Self {
            blocks: vec![Block::default(); geometry.blocks() as usize],
            geometry,
            begun: 0,
            announced: FxHashMap::default(),
            programs: FxHashMap::default(),
            erases: FxHashMap::default(),
            unerased: FxHashSet::default(),
            bad: FxHashSet::default(),
        }
    }

    /// What a drive has at its age, before it has done anything ([`Recoverable::at_rest`](wordline_ftl::Recoverable::at_rest)).
    #[must_use]
    pub fn of(ftl: &dyn Inspect) -> Self {
        let mut flash = Self::erased(*ftl.geometry());
        for (block, kept) in (0..).map(BlockId).zip(&mut flash.blocks) {
            kept.erases = ftl.block_use(block).erase_count;
        }
        if let Some(recoverable) = ftl.recoverable() {
            recoverable.at_rest(&mut |page, written| flash.hold(page, Page::of(&written)));
        }
        flash
    }

    /// The program of a page, issued next, brings this.
    pub fn announce(&mut self, page: Ppn, written: &Written) {
        self.announced.insert(page, Page::of(written));
    }

    /// A command was issued.
    pub fn issued(&mut self, command: &IssuedCommand<'_>) {
        for constituent in command.constituents {
            let array = command.arrays.iter().find(|array| array.die == constituent.die);
            let from = array.map_or(command.bus_to, |array| array.from);
            match command.kind {
                CommandKind::Read => {}
                CommandKind::Erase => _ = self.erases.insert(constituent.block, from),
                CommandKind::Program | CommandKind::CopyBack => {
                    let block = &mut self.blocks[constituent.block.index()];
                    if block.sequence == 0 {
                        self.begun += 1;
                        block.sequence = self.begun;
                    }
                    let page = self.announced.remove(&constituent.page).unwrap_or(Page::Other);
                    self.programs.insert(constituent.page, UnderWay { page, from });
                }
            }
        }
    }

    /// An operation that ends now has failed: its pages read as nothing.
    pub fn failed(&mut self, kind: CommandKind, constituent: &Constituent) {
        if kind == CommandKind::Erase {
            self.unerased.insert(constituent.block);
        } else if let Some(under_way) = self.programs.get_mut(&constituent.page) {
            under_way.page = Page::Other;
        }
    }

    /// The blocks that are retired at this moment are marked in their spare areas, all others are not (assumed: a mark is written as soon as a block is retired).
    pub fn mark_bad(&mut self, ftl: &dyn Inspect) {
        let blocks = (0..self.geometry.blocks()).map(BlockId);
        self.bad = blocks
            .filter(|block| ftl.block_use(*block).role == BlockRole::Bad)
            .collect();
    }

    /// An operation has ended.
    pub fn done(&mut self, kind: CommandKind, constituent: &Constituent) {
        match kind {
            CommandKind::Read => {}
            CommandKind::Erase => {
                self.erases.remove(&constituent.block);
                if self.unerased.remove(&constituent.block) {
                    self.tear(constituent.block);
                } else {
                    self.erase(constituent.block);
                }
            }
            CommandKind::Program | CommandKind::CopyBack => {
                if let Some(ended) = self.programs.remove(&constituent.page) {
                    self.hold(constituent.page, ended.page);
                }
            }
        }
    }

    fn erase(&mut self, block: BlockId) {
        let block = &mut self.blocks[block.index()];
        block.sequence = 0;
        block.erases += 1;
        block.pages = Vec::new();
    }

    fn hold(&mut self, page: Ppn, content: Page) {
        let (block, index) = (self.geometry.block_of(page), self.geometry.page_in_block(page));
        let block = &mut self.blocks[block.index()];
        if block.sequence == 0 {
            self.begun += 1;
            block.sequence = self.begun;
        }
        if block.pages.is_empty() {
            block.pages = vec![Page::Erased; self.geometry.pages_per_block as usize];
        }
        block.pages[index as usize] = content;
    }

    /// The spare areas of a page's mapping units; none of a page of the FTL's own or of one that holds nothing.
    pub fn spare_areas(&self, page: Ppn) -> impl Iterator<Item = SpareArea> + '_ {
        let units = match self.page(page) {
            Page::Data(spare) => (Some(*spare), &[] as &[Option<SpareArea>]),
            Page::Units(units) => (None, units.as_slice()),
            _ => (None, &[] as &[Option<SpareArea>]),
        };
        units.0.into_iter().chain(units.1.iter().flatten().copied())
    }

    fn page(&self, page: Ppn) -> &Page {
        const ERASED: &Page = &Page::Erased;
        let (block, index) = (self.geometry.block_of(page), self.geometry.page_in_block(page));
        self.blocks[block.index()]
            .pages
            .get(index as usize)
            .unwrap_or(ERASED)
    }

    /// The power fails: programs that arrays are at work on leave pages that read as nothing, and erases blocks of which all pages do. Where a capacitor
    /// lasts until arrays have ended (`ends`) they come to their end instead. What had not reached an array is gone. Says what was torn.
    pub fn power_fails(&mut self, now: SimTime, ends: bool) -> Torn {
        self.announced.clear();
        let mut torn = Torn::default();
        let mut programs: Vec<(Ppn, UnderWay)> = self.programs.drain().collect();
        for (page, _) in programs.iter().filter(|(_, under_way)| under_way.from > now) {
            let block = &mut self.blocks[self.geometry.block_of(*page).index()];
            if block.pages.is_empty() {
                block.sequence = 0; // nothing was written to it after all
            }
        }
        programs.retain(|(_, under_way)| under_way.from <= now);
        // blocks are numbered in the order of their pages, not of a hash map
        programs.sort_unstable_by_key(|(page, _)| page.0);
        for (page, under_way) in programs {
            torn.programs += u64::from(!ends);
            self.hold(page, if ends { under_way.page } else { Page::Other });
        }
        let mut erases: Vec<(BlockId, SimTime)> = self.erases.drain().collect();
        erases.retain(|(_, from)| *from <= now);
        erases.sort_unstable_by_key(|(block, _)| block.0);
        for (block, _) in erases {
            torn.erases += u64::from(!ends);
            if ends {
                self.erase(block);
            } else {
                self.tear(block);
            }
        }
        torn
    }

    fn tear(&mut self, block: BlockId) {
        let pages = self.geometry.pages_per_block as usize;
        self.blocks[block.index()].pages = vec![Page::Other; pages];
    }

    /// Recovery does this to the flash; it is torn where the power fails meanwhile.
    pub fn repair(&mut self, repair: &Repair, is_torn: bool) {
        match repair {
            Repair::Erase(block) if is_torn => self.tear(*block),
            Repair::Erase(block) => self.erase(*block),
            Repair::Program(page, _) if is_torn => self.hold(*page, Page::Other),
            Repair::Program(page, own) => self.hold(*page, Page::Own(Box::new(own.clone()))),
        }
    }

    /// What would be found if the power failed now.
    #[must_use]
    pub const fn cut_at(&self, now: SimTime) -> CutFlash<'_> {
        CutFlash { kept: self, now }
    }
}

/// The flash if the power failed at a moment: what the arrays were at work on is torn, and reads as nothing.
pub struct CutFlash<'a> {
    kept: &'a KeptFlash,
    now: SimTime,
}

impl CutFlash<'_> {
    fn is_torn_by_erase(&self, block: BlockId) -> bool {
        self.kept.erases.get(&block).is_some_and(|from| *from <= self.now)
    }

    /// What a page holds that its block's erase has not torn; none of one whose program is torn.
    fn held(&self, page: Ppn) -> Option<&Page> {
        let is_torn = self
            .kept
            .programs
            .get(&page)
            .is_some_and(|under_way| under_way.from <= self.now)
            || self.is_torn_by_erase(self.kept.geometry.block_of(page));
        (!is_torn).then(|| self.kept.page(page))
    }
}

impl FoundFlash for CutFlash<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        let geometry = &self.kept.geometry;
        let pages = (0..geometry.pages_per_block).map(|page| geometry.page(block, page));
        let is_erased = |page: &Ppn| matches!(self.held(*page), Some(Page::Erased));
        let erased = pages.rev().take_while(is_erased).count() as u32;
        let &Block { sequence, erases, .. } = &self.kept.blocks[block.index()];
        FoundBlock {
            passed: geometry.pages_per_block - erased,
            erases,
            sequence,
            bad: self.kept.bad.contains(&block),
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        match self.held(page) {
            Some(Page::Data(spare) | Page::Deltas(spare, _)) => Some(*spare),
            _ => None,
        }
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        match self.held(page) {
            Some(Page::Units(units)) => units.get(place as usize).copied().flatten(),
            _ if place == 0 => self.spare_area(page),
            _ => None,
        }
    }

    fn deltas(&self, page: Ppn) -> Option<Vec<DeltaEntry>> {
        match self.held(page) {
            Some(Page::Deltas(_, entries)) => Some(entries.clone()),
            _ => None,
        }
    }

    fn own_page(&self, page: Ppn) -> Option<OwnPage> {
        match self.held(page) {
            Some(Page::Own(own)) => Some(OwnPage::clone(own)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::{Cause, Lpn};
    use wordline_metrics::Array;
    use wordline_nand::{ChannelId, DieId, GeometryConfig, Mode};

    use super::*;

    const SPARE: SpareArea = SpareArea {
        lpn: Lpn(7),
        version: 3,
        write: 3,
        sectors: 1,
        slc: false,
    };

    fn page_0() -> Constituent {
        Constituent {
            cause: Cause::Host,
            page: Ppn(0),
            block: BlockId(0),
            die: DieId(0),
            source: None,
            lpn: SPARE.lpn,
            skipped: 0,
            brings_data: false,
            mode: Mode::NORMAL,
            read_mode: Mode::NORMAL,
        }
    }

    /// A command for page 0 or its block that is on the bus for 10 ns, and then in the array for 100 ns.
    fn issue(flash: &mut KeptFlash, kind: CommandKind, at: u64) {
        flash.issued(&IssuedCommand {
            kind,
            channel: ChannelId(0),
            constituents: &[page_0()],
            bus_from: SimTime(at),
            bus_to: SimTime(at + 10),
            arrays: &[Array {
                die: DieId(0),
                from: SimTime(at + 10),
                to: SimTime(at + 110),
            }],
            cached: false,
            in_package: false,
        });
    }

    /// Before its array begins, a program has brought nothing and an erase has torn nothing; from that moment on what it works on reads as
    /// nothing; and when it has ended it has brought all, or erased all.
    #[test]
    fn what_an_array_works_on_is_torn_from_its_first_moment_on() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let mut flash = KeptFlash::erased(geometry);
        // the spare area of page 0, pages of its block that are passed, erases of it
        let found = |flash: &KeptFlash, at| {
            let cut = flash.cut_at(SimTime(at));
            let FoundBlock { passed, erases, .. } = cut.block(BlockId(0));
            (cut.spare_area(Ppn(0)), passed, erases)
        };
        flash.announce(Ppn(0), &Written::Data(SPARE));
        issue(&mut flash, CommandKind::Program, 1_000);
        assert_eq!(found(&flash, 1_009), (None, 0, 0));
        assert_eq!(found(&flash, 1_010), (None, 1, 0));
        flash.done(CommandKind::Program, &page_0());
        assert_eq!(found(&flash, 1_110), (Some(SPARE), 1, 0));

        issue(&mut flash, CommandKind::Erase, 2_000);
        assert_eq!(found(&flash, 2_009), (Some(SPARE), 1, 0));
        assert_eq!(found(&flash, 2_010), (None, geometry.pages_per_block, 0));
        flash.done(CommandKind::Erase, &page_0());
        assert_eq!(found(&flash, 2_110), (None, 0, 1));
    }

    /// A page whose program has failed reads as nothing, and so do all of a block whose erase has failed.
    #[test]
    fn what_has_failed_reads_as_nothing() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let mut flash = KeptFlash::erased(geometry);
        flash.announce(Ppn(0), &Written::Data(SPARE));
        issue(&mut flash, CommandKind::Program, 1_000);
        flash.failed(CommandKind::Program, &page_0());
        flash.done(CommandKind::Program, &page_0());
        let found = |flash: &KeptFlash| {
            let cut = flash.cut_at(SimTime(9_000));
            let FoundBlock { passed, erases, .. } = cut.block(BlockId(0));
            (cut.spare_area(Ppn(0)), passed, erases)
        };
        assert_eq!(found(&flash), (None, 1, 0));
        issue(&mut flash, CommandKind::Erase, 2_000);
        flash.failed(CommandKind::Erase, &page_0());
        flash.done(CommandKind::Erase, &page_0());
        assert_eq!(found(&flash), (None, geometry.pages_per_block, 0));
        // the next one does not fail
        issue(&mut flash, CommandKind::Erase, 3_000);
        flash.done(CommandKind::Erase, &page_0());
        assert_eq!(found(&flash), (None, 0, 1));
    }
}
