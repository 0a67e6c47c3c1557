//! The medium itself: keeps what is written where, and refuses what flash cannot do, whoever asks.
//!
//! An ordinary block costs one write pointer of two bytes. Only blocks in which pages were skipped,
//! torn or programmed more than once have state beside it.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use wordline_units::{ask_for_large_pages, prefetch};

use crate::address::{BlockId, PageAddress, Ppn};
use crate::geometry::Geometry;
use crate::restrictions::RestrictionsConfig;
use crate::violation::{Access, Rule, Violation};

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageState {
    /// Erased, and still to be programmed.
    Free,
    /// Programmed.
    Programmed,
    /// Given up: passed by without being programmed.
    Skipped,
    /// Being programmed when power failed.
    Torn,
}

/// A page below the write pointer that is not simply programmed once.
#[derive(Clone, Copy, Debug)]
struct Exception {
    page: u16,
    state: PageState,
    programs: u8,
}

/// State of a block beside its write pointer.
#[derive(Clone, Debug)]
struct Side {
    pointer: u16,
    /// Sorted by page.
    exceptions: Vec<Exception>,
}

impl Side {
    fn find(&self, page: u16) -> Result<usize, usize> {
        self.exceptions
            .binary_search_by_key(&page, |exception| exception.page)
    }

    /// State and number of programs of a page below the pointer.
    fn get(&self, page: u16) -> (PageState, u8) {
        self.find(page).map_or((PageState::Programmed, 1), |at| {
            (self.exceptions[at].state, self.exceptions[at].programs)
        })
    }

    fn set(&mut self, page: u16, state: PageState, programs: u8) {
        let exception = Exception {
            page,
            state,
            programs,
        };
        match (self.find(page), state == PageState::Programmed && programs == 1) {
            (Ok(at), true) => {
                self.exceptions.remove(at);
            }
            (Ok(at), false) => self.exceptions[at] = exception,
            (Err(_), true) => {}
            (Err(at), false) => self.exceptions.insert(at, exception),
        }
    }
}

/// Stands in the pointer table for "see the side state"; pointers go up to 32768.
const SIDE: u16 = u16::MAX;

/// The pages of a drive. Every method refuses, and changes nothing, when a rule is broken.
#[derive(Clone, Debug)]
pub struct Medium {
    geometry: Geometry,
    restrictions: RestrictionsConfig,
    pointers: Box<[u16]>,
    /// Looked up by block, never walked.
    sides: HashMap<u32, Side, FxBuildHasher>,
}

/// Why, for a page.
type Broken = (Rule, &'static str);

impl Medium {
    /// A medium with every block erased.
    #[must_use]
    pub fn new(geometry: &Geometry, restrictions: &RestrictionsConfig) -> Self {
        let mut pointers = vec![0; geometry.blocks() as usize].into_boxed_slice();
        ask_for_large_pages(&mut pointers);
        Self {
            geometry: *geometry,
            restrictions: restrictions.clone(),
            pointers,
            sides: HashMap::default(),
        }
    }

    /// Hears that a page of a block will be read or programmed: fetches what is looked at then into the cache.
    #[inline]
    pub fn expect(&self, block: BlockId) {
        prefetch(&self.pointers, block.index());
    }

    /// Reads pages with one command: one page, aligned planes of a die, dies of a chip, or both.
    ///
    /// # Errors
    /// A page that is free or skipped, R-c, R-e.
    #[inline]
    pub fn read(&self, pages: &[Ppn]) -> Result<(), Box<Violation>> {
        self.check(pages.len(), |index| Access::Read(pages[index]))
    }

    /// Programs pages with one command: one page, aligned planes of a die, dies of a chip, or
    /// both. Pages of their blocks that are passed by become `Skipped` (with `in_order`).
    ///
    /// # Errors
    /// R-a, R-c, R-d, R-e.
    #[inline]
    pub fn program(&mut self, pages: &[Ppn]) -> Result<(), Box<Violation>> {
        self.command(pages.len(), |index| Access::Program(pages[index]))
    }

    /// Copies pages, each inside its plane, with one command of (source, destination).
    ///
    /// # Errors
    /// R-b; of the source as in `read`, of the destination as in `program`.
    #[inline]
    pub fn copy_back(&mut self, moves: &[(Ppn, Ppn)]) -> Result<(), Box<Violation>> {
        self.command(moves.len(), |index| Access::CopyBack {
            source: moves[index].0,
            destination: moves[index].1,
        })
    }

    /// Erases blocks with one command.
    ///
    /// # Errors
    /// R-c, R-e.
    #[inline]
    pub fn erase(&mut self, blocks: &[BlockId]) -> Result<(), Box<Violation>> {
        self.command(blocks.len(), |index| Access::Erase(blocks[index]))
    }

    /// Executes one command whose constituents may differ by die.
    ///
    /// # Errors
    /// Any rule; R-f where constituents of one die differ in kind.
    pub fn execute(&mut self, command: &[Access]) -> Result<(), Box<Violation>> {
        self.command(command.len(), |index| command[index])
    }

    /// What a page holds; `Free` beyond the drive.
    #[must_use]
    pub fn page_state(&self, page: Ppn) -> PageState {
        if page.0 >= self.geometry.pages() {
            return PageState::Free;
        }
        let (block, page) = self.split(page);
        self.state(block, page).0
    }

    /// Index of the first page of a block that was not passed yet.
    #[must_use]
    pub fn write_pointer(&self, block: BlockId) -> u32 {
        match self.pointers[block.index()] {
            SIDE => self.sides.get(&block.0).map_or(0, |side| u32::from(side.pointer)),
            pointer => u32::from(pointer),
        }
    }

    /// Makes the first `pages` pages of a block programmed and the rest free, whatever they were:
    /// for ageing and snapshots.
    pub fn set_written(&mut self, block: BlockId, pages: u32) {
        let pointer = &mut self.pointers[block.index()];
        if *pointer == SIDE {
            self.sides.remove(&block.0);
        }
        *pointer = pages.min(self.geometry.pages_per_block) as u16;
    }

    /// Marks a programmed page as given up: for snapshots.
    pub fn set_skipped(&mut self, page: Ppn) {
        self.mark(page, PageState::Skipped);
    }

    /// Marks a programmed page as torn: its program was under way when power failed.
    pub fn tear(&mut self, page: Ppn) {
        self.mark(page, PageState::Torn);
    }

    /// Marks the programmed pages of a block as torn: its erase was under way when power failed.
    pub fn tear_block(&mut self, block: BlockId) {
        for page in 0..self.geometry.pages_per_block {
            self.tear(self.geometry.page(block, page));
        }
    }

    fn mark(&mut self, page: Ppn, state: PageState) {
        let (block, page) = self.split(page);
        if self.state(block, page).0 == PageState::Programmed {
            self.side(block).set(page, state, 1);
        }
    }

    /// The state beside the pointer of a block, made when first needed.
    fn side(&mut self, block: u32) -> &mut Side {
        let pointer = std::mem::replace(&mut self.pointers[block as usize], SIDE);
        self.sides.entry(block).or_insert(Side {
            pointer,
            exceptions: Vec::new(),
        })
    }

    #[inline]
    fn split(&self, page: Ppn) -> (u32, u16) {
        (
            self.geometry.block_of(page).0,
            self.geometry.page_in_block(page) as u16,
        )
    }

    /// State and number of programs of a page.
    #[inline]
    fn state(&self, block: u32, page: u16) -> (PageState, u8) {
        match self.pointers[block as usize] {
            SIDE => match self.sides.get(&block) {
                Some(side) if page < side.pointer => side.get(page),
                _ => (PageState::Free, 0),
            },
            pointer if page < pointer => (PageState::Programmed, 1),
            _ => (PageState::Free, 0),
        }
    }

    /// Executes one command of `count` constituents, which `access` names.
    ///
    /// # Errors
    /// As [`Self::execute`].
    #[inline]
    pub fn command(&mut self, count: usize, access: impl Fn(usize) -> Access) -> Result<(), Box<Violation>> {
        self.check(count, &access)?;
        for index in 0..count {
            match access(index) {
                Access::Read(_) => {}
                Access::Program(page)
                | Access::CopyBack {
                    destination: page, ..
                } => self.commit_program(page),
                Access::Erase(block) => {
                    if std::mem::replace(&mut self.pointers[block.index()], 0) == SIDE {
                        self.sides.remove(&block.0);
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn check(&self, count: usize, access: impl Fn(usize) -> Access) -> Result<(), Box<Violation>> {
        if count == 1 {
            // the commonest command by far
            let one = access(0);
            return self.check_one(one).map_err(|broken| self.violation(one, broken));
        }
        self.check_several(count, access)
    }

    #[inline(never)]
    fn check_several(&self, count: usize, access: impl Fn(usize) -> Access) -> Result<(), Box<Violation>> {
        for index in 0..count {
            let one = access(index);
            self.check_one(one)
                .map_err(|broken| self.violation(one, broken))?;
            for other in (0..index).map(&access) {
                self.check_pair(other, one)
                    .map_err(|broken| self.violation(one, broken))?;
            }
        }
        Ok(())
    }

    // the kind of a constituent is known where this is called: what is left is the check of that kind
    #[inline(always)]
    fn check_one(&self, access: Access) -> Result<(), Broken> {
        match access {
            Access::Read(page) => self.check_read(page),
            Access::Program(page) => self.check_program(page),
            Access::CopyBack { source, destination } => {
                self.check_read(source)?;
                self.check_program(destination)?;
                let plane = |page| self.geometry.plane_of(self.geometry.block_of(page));
                if plane(source) != plane(destination) {
                    return Err((Rule::CopyBack, "source and destination are in different planes"));
                }
                let parity = |page| self.geometry.page_in_block(page) % 2;
                if self.restrictions.copyback_same_parity && parity(source) != parity(destination) {
                    return Err((Rule::CopyBack, "one of source and destination is odd, one even"));
                }
                Ok(())
            }
            Access::Erase(block) if block.0 < self.geometry.blocks() => Ok(()),
            Access::Erase(_) => Err((Rule::Address, "no such block")),
        }
    }

    #[inline]
    fn check_read(&self, page: Ppn) -> Result<(), Broken> {
        if page.0 >= self.geometry.pages() {
            return Err((Rule::Address, "no such page"));
        }
        let (block, page) = self.split(page);
        // the ordinary case
        let pointer = self.pointers[block as usize];
        if page < pointer && pointer != SIDE {
            return Ok(());
        }
        self.check_unusual_read(block, page)
    }

    #[inline(never)]
    fn check_unusual_read(&self, block: u32, page: u16) -> Result<(), Broken> {
        match self.state(block, page).0 {
            // a torn page can be looked at: that is how recovery finds out
            PageState::Programmed | PageState::Torn => Ok(()),
            PageState::Free => Err((
                Rule::Unwritten,
                "the page was not programmed since the last erase",
            )),
            PageState::Skipped => Err((Rule::Unwritten, "the page was skipped without being programmed")),
        }
    }

    #[inline]
    fn check_program(&self, page: Ppn) -> Result<(), Broken> {
        if page.0 >= self.geometry.pages() {
            return Err((Rule::Address, "no such page"));
        }
        let (block, page) = self.split(page);
        // the ordinary case, and a forward skip
        let pointer = self.pointers[block as usize];
        if pointer <= page {
            return Ok(());
        }
        self.check_unusual_program(block, page)
    }

    #[inline(never)]
    fn check_unusual_program(&self, block: u32, page: u16) -> Result<(), Broken> {
        match self.state(block, page) {
            (PageState::Free, _) => Ok(()),
            (PageState::Skipped, _) => Err((Rule::InOrder, "the page was passed by")),
            (PageState::Torn, _) => Err((Rule::NoOverwrite, "the page is torn, its block not erased")),
            (PageState::Programmed, programs) if programs >= self.restrictions.partial_programs => {
                Err((Rule::NoOverwrite, "the page is programmed, its block not erased"))
            }
            (PageState::Programmed, _)
                if self.restrictions.in_order
                    && u32::from(page) + 1 != self.write_pointer(BlockId(block)) =>
            {
                Err((Rule::InOrder, "a later page of the block was programmed since"))
            }
            (PageState::Programmed, _) => Ok(()),
        }
    }

    #[inline]
    fn commit_program(&mut self, page: Ppn) {
        let (block, page) = self.split(page);
        let pointer = &mut self.pointers[block as usize];
        if *pointer == page {
            *pointer += 1;
            return;
        }
        self.commit_exception(block, page);
    }

    /// A program that skips forward, fills a hole, repeats a page, or any in a block with side state.
    #[cold]
    fn commit_exception(&mut self, block: u32, page: u16) {
        let passed = if self.restrictions.in_order {
            PageState::Skipped
        } else {
            PageState::Free
        };
        let side = self.side(block);
        if page < side.pointer {
            let programs = side.get(page).1 + 1;
            side.set(page, PageState::Programmed, programs);
            if side.exceptions.is_empty() {
                self.pointers[block as usize] = side.pointer;
                self.sides.remove(&block);
            }
        } else {
            let between = (side.pointer..page).map(|page| Exception {
                page,
                state: passed,
                programs: 0,
            });
            side.exceptions.extend(between);
            side.pointer = page + 1;
        }
    }

    /// Two constituents of one command.
    fn check_pair(&self, a: Access, b: Access) -> Result<(), Broken> {
        let (first, second) = (self.place(a), self.place(b));
        let chip = |place: &PageAddress| (place.channel, place.chip);
        if chip(&first) != chip(&second) {
            return Err((Rule::Interleave, "constituents are in different chips"));
        }
        if first.die != second.die {
            return Ok(());
        }
        if std::mem::discriminant(&a) != std::mem::discriminant(&b) {
            return Err((Rule::OneKind, "constituents of one die differ in kind"));
        }
        if first.plane == second.plane {
            return Err((Rule::MultiPlane, "two constituents are in one plane"));
        }
        let reads = matches!(a, Access::Read(_));
        self.check_aligned(&first, &second, reads, matches!(a, Access::Erase(_)))?;
        if let (Access::CopyBack { source: first, .. }, Access::CopyBack { source: second, .. }) = (a, b) {
            let [first, second] = [first, second].map(|page| self.geometry.address(page));
            self.check_aligned(&first, &second, true, false)?;
        }
        Ok(())
    }

    fn check_aligned(
        &self,
        first: &PageAddress,
        second: &PageAddress,
        reads: bool,
        erases: bool,
    ) -> Result<(), Broken> {
        if self.restrictions.multi_plane_same_block && first.block != second.block {
            return Err((Rule::MultiPlane, "blocks of different index"));
        }
        let same_page = self.restrictions.multi_plane_same_page || !reads;
        if !erases && same_page && first.page != second.page {
            return Err((Rule::MultiPlane, "pages of different index"));
        }
        Ok(())
    }

    /// Where a constituent works: for a copy-back its destination, for an erase the first page.
    fn place(&self, access: Access) -> PageAddress {
        self.geometry.address(match access {
            Access::Read(page) | Access::Program(page) => page,
            Access::CopyBack { destination, .. } => destination,
            Access::Erase(block) => self.geometry.page(block, 0),
        })
    }

    #[cold]
    fn violation(&self, access: Access, (rule, why): Broken) -> Box<Violation> {
        Box::new(Violation {
            rule,
            access,
            address: self.place(access),
            why,
        })
    }
}
