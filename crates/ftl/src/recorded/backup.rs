//! Copies of lower pages (FTL specification, 6.3 and 8.1): before a page of a word line is programmed, those of its pages that were programmed before and
//! count are copied, as a program that is cut off takes them with it.
//!
//! A copy is made right before it is needed: what was superseded meanwhile needs none, and a copy need not be kept for longer than the program lasts. So a few blocks of each
//! plane do, in turn. Of these only the first page of each word line is programmed, so that nothing that is cut off there takes anything with it. Blocks and pages are those of the drive.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, Geometry, PageTypes, PlaneId, Ppn};

use super::step::copy_program;
use super::word_lines::WordLines;
use crate::block::{BlockFacts, BlockRole};
use crate::plan::{Bound, Cause, Lpn, Outcome, Plan, Route, Step, Work};
use crate::recovery::{OwnPage, Written};
use crate::space::Region;

/// Copies of a plan, at most.
const MOST_COPIES: usize = 16;

/// A copy of a page.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct PageCopy {
    /// Its block.
    pub(super) block: BlockId,
    /// Its page, once its program has begun.
    pub(super) page: Option<Ppn>,
    /// Its program has ended.
    pub(super) is_done: bool,
}

/// A block for copies.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct CopyBlock {
    /// Pages before the next one that can be programmed.
    pub(super) passed: u32,
    /// It was found after a power cut, and must be erased before it is written to.
    pub(super) is_closed: bool,
    pub(super) erases: u32,
}

/// The copies of lower pages, and which of them are needed.
#[derive(Debug)]
pub(super) struct Backup {
    pub(super) region: Region,
    pub(super) geometry: Geometry,
    lines: WordLines,
    /// The pages of a block that hold copies.
    pub(super) positions: Vec<u32>,
    /// By plane: the block that is written to, counted from the first of the region.
    pub(super) current: Vec<u32>,
    pub(super) blocks: BTreeMap<BlockId, CopyBlock>,
    /// By their sources.
    pub(super) copies: BTreeMap<Ppn, PageCopy>,
    /// By block for copies: the sources of the copies that were planned for it since it was taken, of which some have other copies now, or none.
    pub(super) sources: BTreeMap<BlockId, Vec<Ppn>>,
    /// Pages whose copies a program waits for.
    wanted: BTreeSet<Ppn>,
    /// Copies whose programs are planned, by the tokens of these: source and content.
    planned: FxHashMap<u32, (Ppn, OwnPage)>,
    next_token: u32,
    /// Pages of the mapping's and of the FTL's own whose programs have begun and not ended.
    under_way: FxHashSet<Ppn>,
    /// What pages of the FTL's own hold whose word lines are not complete, or that were lost.
    pub(super) own_pages: BTreeMap<Ppn, OwnPage>,
    /// Pages that were lost with a program that was cut off, and their copies, which stand for them.
    pub(super) lost: BTreeMap<Ppn, Ppn>,
    /// The pages that copies stand for or stood for, as reads of these may be under way.
    pub(super) stand_for: BTreeMap<Ppn, Ppn>,
    /// What the spare areas of copies name as their owner.
    lpn: Lpn,
    /// Blocks erased since counting began.
    pub(super) erases: u64,
}

impl Backup {
    pub(super) fn new(region: Region, geometry: &Geometry, types: &PageTypes, lpn: Lpn) -> Self {
        let lines = WordLines::new(geometry, types);
        let is_first = |page: &u32| lines.earlier(Ppn(u64::from(*page))).is_empty();
        let blocks = (0..region.geometry.blocks()).map(BlockId);
        Self {
            positions: (0..geometry.pages_per_block).filter(is_first).collect(),
            lines,
            current: vec![0; geometry.planes() as usize],
            blocks: blocks
                .map(|own| (region.block_of_drive(own), CopyBlock::default()))
                .collect(),
            copies: BTreeMap::new(),
            sources: BTreeMap::new(),
            wanted: BTreeSet::new(),
            planned: FxHashMap::default(),
            next_token: 0,
            under_way: FxHashSet::default(),
            own_pages: BTreeMap::new(),
            lost: BTreeMap::new(),
            stand_for: BTreeMap::new(),
            lpn,
            erases: 0,
            geometry: *geometry,
            region,
        }
    }

    /// Whether nothing is under way.
    pub(super) fn is_quiescent(&self) -> bool {
        self.planned.is_empty() && self.under_way.is_empty()
    }

    pub(super) fn has(&self, block: BlockId) -> bool {
        self.blocks.contains_key(&block)
    }

    pub(super) fn plane_of(&self, page: Ppn) -> PlaneId {
        self.geometry.plane_of(self.geometry.block_of(page))
    }

    /// Whether a page has later ones in its word line.
    pub(super) fn shares_later(&self, page: Ppn) -> bool {
        !self.lines.later(page).is_empty()
    }

    /// The page that holds what a page of the mapping's is to hold.
    pub(super) fn page_read(&self, page: Ppn) -> Ppn {
        self.lost.get(&page).copied().unwrap_or(page)
    }

    /// The page whose content a page holds for the mapping: another one of a copy that stands for it, and none of one that was lost.
    pub(super) fn page_stood_for(&self, page: Ppn) -> Option<Ppn> {
        if self.lost.contains_key(&page) {
            return None;
        }
        match self.stand_for.get(&page) {
            Some(source) if self.lost.get(source) == Some(&page) => Some(*source),
            _ => Some(page),
        }
    }

    /// The pages of a block that were lost.
    pub(super) fn lost_of(&self, block: BlockId) -> impl Iterator<Item = Ppn> + use<'_> {
        self.lost.range(self.pages_of(block)).map(|(page, _)| *page)
    }

    fn pages_of(&self, block: BlockId) -> Range<Ppn> {
        let first = self.geometry.page(block, 0);
        first..Ppn(first.0 + u64::from(self.geometry.pages_per_block))
    }

    /// The pages that copies in a block stand for.
    fn stood_for_by(&self, block: BlockId) -> impl Iterator<Item = Ppn> + use<'_> {
        let pairs = self.stand_for.range(self.pages_of(block));
        let stands = |(copy, source): &(&Ppn, &Ppn)| self.lost.get(source) == Some(*copy);
        pairs.filter(stands).map(|(_, source)| *source)
    }

    /// The state of a block for copies: those are valid that stand for pages which count.
    pub(super) fn facts(&self, block: BlockId, counts: impl Fn(Ppn) -> bool) -> BlockFacts {
        let CopyBlock { passed, erases, .. } = self.blocks[&block];
        let held = self.positions.iter().filter(|at| **at < passed).count() as u32;
        let valid = self.stood_for_by(block).filter(|source| counts(*source)).count() as u32;
        BlockFacts {
            role: match passed {
                0 => BlockRole::Free,
                _ if self.left(block) > 0 => BlockRole::Open,
                _ => BlockRole::Closed,
            },
            valid,
            invalid: held - valid,
            free: self.geometry.pages_per_block - passed,
            skipped: passed - held,
            erase_count: erases,
        }
    }

    /// The page that a page stands for or stood for.
    pub(super) fn page_meant(&self, page: Ppn) -> Ppn {
        self.stand_for.get(&page).copied().unwrap_or(page)
    }

    /// Whether the program of a page may begin: each page that was programmed before in its word line and counts has a copy. Those that lack one are wanted from now on; one whose program is
    /// under way must end first.
    pub(super) fn may_program(&mut self, page: Ppn, counts: impl Fn(Ppn) -> bool) -> bool {
        let mut may = true;
        for other in self.lines.earlier(page) {
            let is_needed = || self.own_pages.contains_key(&other) || counts(other);
            if self.under_way.contains(&other) {
                may = false;
            } else if is_needed() {
                let copy = self.copies.get(&other);
                may &= copy.is_some_and(|copy| copy.is_done);
                if copy.is_none() {
                    self.wanted.insert(other);
                }
            }
        }
        may
    }

    /// Whether copies are wanted.
    pub(super) fn wants_any(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// The planes in which copies are wanted.
    pub(super) fn planes_wanted(&self) -> BTreeSet<PlaneId> {
        self.wanted.iter().map(|page| self.plane_of(*page)).collect()
    }

    /// The program of a page begins, which holds this where it is one of the FTL's own that shares its cells with later pages.
    pub(super) fn begun(&mut self, page: Ppn, own: Option<OwnPage>) {
        self.under_way.insert(page);
        if let Some(own) = own {
            self.own_pages.insert(page, own);
        }
    }

    /// The program of a page has ended.
    pub(super) fn ended(&mut self, page: Ppn) {
        self.under_way.remove(&page);
        if !self.shares_later(page) {
            for other in self.lines.earlier(page) {
                self.own_pages.remove(&other);
            }
        }
    }

    /// A block that is not for copies was erased, or is not used any more.
    pub(super) fn erased(&mut self, block: BlockId) {
        let pages = self.pages_of(block);
        self.wanted.retain(|page| !pages.contains(page));
        remove_all(&mut self.copies, &pages);
        remove_all(&mut self.own_pages, &pages);
        remove_all(&mut self.lost, &pages);
    }

    /// Whether the copies in a block are needed: for programs under way, or as they stand for pages that were lost.
    fn is_needed(&self, block: BlockId, counts: &impl Fn(Ppn) -> bool) -> bool {
        let is_needed = |source: &Ppn| {
            let copy = self.copies.get(source).filter(|copy| copy.block == block);
            copy.is_some_and(|copy| {
                let later = self.lines.later(*source);
                !copy.is_done || later.iter().any(|page| self.under_way.contains(page))
            })
        };
        let sources = self.sources.get(&block).map_or(&[][..], Vec::as_slice);
        let mut stood_for = self.stood_for_by(block);
        sources.iter().any(is_needed)
            || stood_for.any(|source| counts(source) || self.own_pages.contains_key(&source))
    }

    /// A block of a plane, counted from the first of the region.
    pub(super) fn block(&self, plane: PlaneId, at: u32) -> BlockId {
        self.region.block_of_drive(self.region.geometry.block(plane, at))
    }

    /// Positions of a block that are left.
    pub(super) fn left(&self, block: BlockId) -> usize {
        let CopyBlock {
            passed, is_closed, ..
        } = self.blocks[&block];
        if is_closed {
            return 0;
        }
        self.positions.iter().filter(|at| **at >= passed).count()
    }

    /// The block for the next copies of a plane, and whether it must be erased before: the next one in turn whose copies are not needed where that which is written to is full. One more is left
    /// without copies that are needed, so that recovery can bring together there what stands for pages.
    fn block_to_fill(&mut self, plane: PlaneId, counts: &impl Fn(Ppn) -> bool) -> Option<(BlockId, bool)> {
        let current = self.current[plane.index()];
        let block = self.block(plane, current);
        if self.left(block) > 0 {
            return Some((block, false));
        }
        let blocks = self.region.geometry.blocks_per_plane;
        let is_free = |at: &u32| !self.is_needed(self.block(plane, *at), counts);
        let free: Vec<u32> = (1..=blocks)
            .map(|step| (current + step) % blocks)
            .filter(is_free)
            .collect();
        let [next, _, ..] = *free else { return None };
        let block = self.block(plane, next);
        self.current[plane.index()] = next;
        for source in self.sources.remove(&block).unwrap_or_default() {
            if self.copies.get(&source).is_some_and(|copy| copy.block == block) {
                self.copies.remove(&source);
            }
        }
        let is_erased = self.blocks[&block].passed == 0;
        Some((block, !is_erased))
    }

    /// The steps that make the copies wanted in a plane, as far as there is room for them: an erase, reads and programs. `content` says what a page of the mapping's holds, which counts if it
    /// holds anything.
    pub(super) fn advance(
        &mut self,
        plane: PlaneId,
        plan: &mut Plan,
        content: impl Fn(Ppn) -> Option<Written>,
        erases: impl Fn(BlockId) -> u32,
    ) {
        let counts = |page: Ppn| content(page).is_some();
        let of_plane = |page: &Ppn| self.geometry.plane_of(self.geometry.block_of(*page)) == plane;
        let wanted: Vec<Ppn> = self.wanted.iter().copied().filter(of_plane).collect();
        let mut sources = Vec::new();
        for source in wanted {
            let own = self.own_pages.get(&source).cloned().map(Written::Own);
            let held = own.or_else(|| content(source));
            match held {
                Some(held) => sources.push((source, held)),
                None => _ = self.wanted.remove(&source),
            }
        }
        if sources.is_empty() {
            return;
        }
        let Some((block, is_to_erase)) = self.block_to_fill(plane, &counts) else {
            return;
        };
        if is_to_erase {
            plan.push(Step {
                work: Work::Erase { block },
                cause: Cause::Backup,
                acknowledges: false,
                after: 0,
                lpn: self.lpn,
                token: 0,
            });
        }
        let room = if is_to_erase {
            self.positions.len()
        } else {
            self.left(block)
        };
        let erase = (1 << plan.len()) - 1;
        for (source, held) in sources.into_iter().take(room.min(MOST_COPIES)) {
            self.wanted.remove(&source);
            let own = OwnPage::Backup {
                source,
                erases: erases(self.geometry.block_of(source)),
                content: Box::new(held),
            };
            self.copies.insert(
                source,
                PageCopy {
                    block,
                    page: None,
                    is_done: false,
                },
            );
            self.sources.entry(block).or_default().push(source);
            let token = self.next_token;
            self.next_token = self.next_token.wrapping_add(1);
            self.planned.insert(token, (source, own));
            let read = 1 << plan.len();
            plan.push(Step {
                work: Work::Read {
                    page: self.page_read(source),
                    bitmap: self.geometry.full_bitmap(),
                    route: Route::Controller,
                },
                cause: Cause::Backup,
                acknowledges: false,
                after: 0,
                lpn: self.lpn,
                token,
            });
            plan.push(Step {
                after: erase | read,
                ..copy_program(&self.geometry, plane, self.lpn, token)
            });
        }
    }

    /// The page of a copy whose program starts.
    pub(super) fn choose(&mut self, step: &Step) -> Option<Bound> {
        let (source, _) = self.planned.get(&step.token)?;
        let copy = self.copies.get_mut(source)?;
        let state = self.blocks.get_mut(&copy.block)?;
        let at = *self.positions.iter().find(|at| **at >= state.passed)?;
        let skipped = at - state.passed;
        state.passed = at + 1;
        let page = self.geometry.page(copy.block, at);
        copy.page = Some(page);
        Some(Bound { page, skipped })
    }

    /// What a copy holds.
    pub(super) fn content(&self, step: &Step) -> Option<OwnPage> {
        self.planned.get(&step.token).map(|(_, own)| own.clone())
    }

    /// A step that makes copies has ended.
    pub(super) fn done(&mut self, step: &Step, outcome: Outcome) {
        match step.work {
            Work::Erase { block } => {
                let state = self.blocks.entry(block).or_default();
                *state = CopyBlock {
                    erases: state.erases + 1,
                    ..CopyBlock::default()
                };
                self.erases += 1;
                let stood_for: Vec<Ppn> = self.stood_for_by(block).collect();
                for source in stood_for {
                    self.lost.remove(&source);
                }
                let pages = self.pages_of(block);
                remove_all(&mut self.stand_for, &pages);
            }
            Work::Program { .. } => {
                let Some((source, _)) = self.planned.remove(&step.token) else {
                    return;
                };
                match self.copies.get_mut(&source) {
                    Some(copy) if outcome != Outcome::Declined => copy.is_done = true,
                    _ => _ = self.copies.remove(&source),
                }
            }
            _ => {}
        }
    }
}

/// Forgets what is known of some pages.
fn remove_all<T>(map: &mut BTreeMap<Ppn, T>, pages: &Range<Ppn>) {
    let found: Vec<Ppn> = map.range(pages.clone()).map(|(page, _)| *page).collect();
    for page in found {
        map.remove(&page);
    }
}
