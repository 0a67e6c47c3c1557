//! What the pages of a drive hold, as far as its commands tell: the flash that is found after a power cut.
//!
//! Requests are whole pages here, and of one logical page at most one write is under way: the program of the host's then brings the
//! newest write, and a page that is moved brings what was read of the logical page last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_ftl::{Cause, FoundBlock, FoundFlash, Inspect, SpareArea};
use wordline_metrics::{BusUse, CommandKind, Constituent, IssuedCommand, Probe};
use wordline_nand::{BlockId, DieId, Geometry, Ppn};
use wordline_units::SimTime;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Erased,
    /// Its program, or the erase of its block, was under way when the power failed.
    Torn,
    Holds(SpareArea),
}

/// A program, copy-back or erase that was issued and has not ended.
#[derive(Clone, Copy, Debug)]
struct Running {
    kind: CommandKind,
    page: Ppn,
    die: DieId,
    /// What a program brings.
    brings: Option<SpareArea>,
    /// When the array begins, as soon as that is known.
    from: Option<SimTime>,
}

/// The flash of a drive.
pub(crate) struct Flash {
    geometry: Geometry,
    pages: Vec<Page>,
    erases: Vec<u32>,
    /// When a block was written first since its last erase, as a number.
    first_written: HashMap<BlockId, u64>,
    programs: u64,
    running: Vec<Running>,
    /// The newest write that the host has sent, by logical page.
    pub(crate) sent: HashMap<u64, u64>,
    /// What was read last of a logical page to be moved.
    read: HashMap<u64, u64>,
}

impl Flash {
    pub(crate) fn of(ftl: &dyn Inspect) -> Self {
        let geometry = *ftl.geometry();
        let blocks = (0..geometry.blocks()).map(BlockId);
        Self {
            geometry,
            pages: vec![Page::Erased; geometry.pages() as usize],
            erases: blocks.map(|block| ftl.block(block).erase_count).collect(),
            first_written: HashMap::new(),
            programs: 0,
            running: Vec::new(),
            sent: HashMap::new(),
            read: HashMap::new(),
        }
    }

    fn pages_of(&self, block: BlockId) -> impl DoubleEndedIterator<Item = Ppn> + use<> {
        let geometry = self.geometry;
        (0..geometry.pages_per_block).map(move |page| geometry.page(block, page))
    }

    fn hold(&mut self, page: Ppn, content: Page) {
        self.programs += 1;
        let first = self.first_written.entry(self.geometry.block_of(page));
        first.or_insert(self.programs);
        self.pages[page.index()] = content;
    }

    fn erased(&mut self, block: BlockId) {
        self.first_written.remove(&block);
        for page in self.pages_of(block) {
            self.pages[page.index()] = Page::Erased;
        }
        self.erases[block.index()] += 1;
    }

    /// Nothing is under way any more; in how many dies an array was at work.
    pub(crate) fn power_fails(&mut self, now: SimTime) -> usize {
        let running = std::mem::take(&mut self.running);
        let begun = |running: &&Running| running.from.is_some_and(|from| from <= now);
        let mut dies: Vec<_> = running.iter().filter(begun).map(|running| running.die).collect();
        for running in running.iter().filter(begun) {
            if running.kind == CommandKind::Erase {
                let block = self.geometry.block_of(running.page);
                for page in self.pages_of(block) {
                    self.pages[page.index()] = Page::Torn;
                }
            } else {
                self.hold(running.page, Page::Torn);
            }
        }
        dies.sort_unstable();
        dies.dedup();
        self.read.clear();
        dies.len()
    }

    /// Recovery has erased these blocks.
    pub(crate) fn recovery_erased(&mut self, blocks: &[BlockId]) {
        for block in blocks {
            self.erased(*block);
        }
    }

    /// The logical page and the number of the write that a page holds.
    pub(crate) fn content(&self, page: Ppn) -> Option<(u64, u64)> {
        match self.pages[page.index()] {
            Page::Holds(spare) => Some((spare.lpn.0, spare.version)),
            _ => None,
        }
    }

    fn issued(&mut self, command: &IssuedCommand<'_>) {
        for constituent in command.constituents {
            let lpn = constituent.lpn.0;
            let version = match (command.kind, constituent.source) {
                (CommandKind::Erase, _) => None,
                (CommandKind::Read, _) => {
                    if constituent.cause != Cause::Host {
                        let (owner, version) = self.content(constituent.page).unwrap();
                        assert_eq!(owner, lpn, "{constituent:?}");
                        self.read.insert(lpn, version);
                    }
                    continue;
                }
                (CommandKind::CopyBack, source) => Some(self.content(source.unwrap()).unwrap().1),
                (CommandKind::Program, _) if constituent.cause == Cause::Host => Some(self.sent[&lpn]),
                (CommandKind::Program, _) => Some(self.read[&lpn]),
            };
            let array = command.arrays.iter().find(|array| array.die == constituent.die);
            // the array of a copy-back reads first
            let array = array.filter(|_| command.kind != CommandKind::CopyBack);
            self.running.push(Running {
                kind: command.kind,
                page: constituent.page,
                die: constituent.die,
                brings: version.map(|version| SpareArea {
                    lpn: constituent.lpn,
                    version,
                    sectors: self.geometry.full_bitmap(),
                }),
                from: array.map(|array| array.from),
            });
        }
    }

    fn bus(&mut self, bus: &BusUse) {
        let Some(array) = bus.array else { return };
        let copies = self.running.iter_mut().filter(|running| {
            running.kind == CommandKind::CopyBack && running.die == array.die && running.from.is_none()
        });
        copies.for_each(|running| running.from = Some(array.from));
    }

    fn done(&mut self, constituent: &Constituent) {
        let (page, running) = (constituent.page, &mut self.running);
        let Some(at) = running.iter().position(|running| running.page == page) else {
            return;
        };
        let ended = running.swap_remove(at);
        match ended.brings {
            Some(spare) => self.hold(page, Page::Holds(spare)),
            None => self.erased(constituent.block),
        }
    }
}

impl FoundFlash for Flash {
    fn block(&self, block: BlockId) -> FoundBlock {
        let last = self
            .pages_of(block)
            .rev()
            .position(|page| self.pages[page.index()] != Page::Erased);
        FoundBlock {
            passed: last.map_or(0, |last| self.geometry.pages_per_block - last as u32),
            erases: self.erases[block.index()],
            sequence: self.first_written.get(&block).copied().unwrap_or(0),
            bad: false,
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        match self.pages[page.index()] {
            Page::Holds(spare) => Some(spare),
            Page::Erased | Page::Torn => None,
        }
    }
}

/// Watches a drive, and keeps what its flash holds.
#[derive(Clone)]
pub(crate) struct SpareAreas(Arc<Mutex<Flash>>);

impl SpareAreas {
    pub(crate) fn of(ftl: &dyn Inspect) -> Self {
        Self(Arc::new(Mutex::new(Flash::of(ftl))))
    }

    pub(crate) fn flash(&self) -> MutexGuard<'_, Flash> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe for SpareAreas {
    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.flash().issued(command);
    }

    fn bus(&mut self, bus: &BusUse) {
        self.flash().bus(bus);
    }

    fn operation_done(&mut self, _: SimTime, kind: CommandKind, constituent: &Constituent) {
        if kind != CommandKind::Read {
            self.flash().done(constituent);
        }
    }
}
