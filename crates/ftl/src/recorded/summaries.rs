//! Summary pages: the last page of a block lists the spare areas of the others (FTL specification, 8.2).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, Geometry, Ppn};

use super::step::own_program;
use crate::plan::{Lpn, Plan, Step};
use crate::recovery::{OwnPage, SpareArea};

/// What is listed of a block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) pages: Vec<(Ppn, SpareArea)>,
    /// Programs under way, and what the spare areas of their pages say of each of their places: what counts is how the logical page was when its program began.
    pub(super) under_way: FxHashMap<Ppn, Vec<(Ppn, SpareArea)>>,
    /// Its last page of data has been chosen.
    is_full: bool,
}

/// How far the summary page of a block has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum State {
    /// The block is not full.
    #[default]
    None,
    /// Its program is planned.
    Planned,
    /// Its program has begun.
    Programmed,
}

/// The lists of the blocks that are written to, and which blocks have their summary page. Blocks and pages are those of the drive.
#[derive(Debug)]
pub(super) struct Summaries {
    pub(super) geometry: Geometry,
    pub(super) open: BTreeMap<BlockId, Listed>,
    /// By block.
    pub(super) states: Vec<State>,
    lpn: Lpn,
}

impl Summaries {
    /// `lpn` is what the spare areas of summary pages name as their owner.
    pub(super) fn new(geometry: &Geometry, lpn: Lpn) -> Self {
        Self {
            geometry: *geometry,
            open: BTreeMap::new(),
            states: vec![State::None; geometry.blocks() as usize],
            lpn,
        }
    }

    /// Whether the summary page of a block is programmed.
    pub(super) fn has(&self, block: BlockId) -> bool {
        self.states[block.index()] == State::Programmed
    }

    /// Whether no program of a page that is to be listed is under way, nor one of a summary page.
    pub(super) fn is_quiescent(&self) -> bool {
        let is_listed = |listed: &Listed| listed.under_way.is_empty();
        let is_planned = |block: &BlockId| self.states.get(block.index()) != Some(&State::None);
        self.open.values().all(is_listed) && !self.open.keys().any(is_planned)
    }

    /// The block is full, by ageing or after a power cut.
    pub(super) fn set(&mut self, block: BlockId, has: bool) {
        self.states[block.index()] = if has { State::Programmed } else { State::None };
        self.open.remove(&block);
    }

    /// A page of data was chosen for a program, which begins; what its spare area says of its places.
    pub(super) fn bound(&mut self, page: Ppn, spare: Vec<(Ppn, SpareArea)>) {
        let listed = self.open.entry(self.geometry.block_of(page)).or_default();
        listed.under_way.insert(page, spare);
        listed.is_full |= self.geometry.page_in_block(page) + 2 == self.geometry.pages_per_block;
    }

    /// Its program has ended, and the page holds data where it was good; the program of the summary page, where that was the last one.
    pub(super) fn ended(&mut self, page: Ppn, is_good: bool, plan: &mut Plan) {
        let block = self.geometry.block_of(page);
        let Some(listed) = self.open.get_mut(&block) else {
            return;
        };
        let spare = listed.under_way.remove(&page).filter(|_| is_good);
        listed.pages.extend(spare.into_iter().flatten());
        // a block of which a program has failed takes no further one
        listed.is_full &= is_good;
        if listed.is_full && listed.under_way.is_empty() && self.states[block.index()] == State::None {
            self.states[block.index()] = State::Planned;
            plan.push(own_program(
                &self.geometry,
                self.geometry.plane_of(block),
                self.lpn,
                block.0,
            ));
        }
    }

    /// The page of a summary whose program starts; none where the block is to be erased.
    pub(super) fn choose(&mut self, step: &Step) -> Option<Ppn> {
        let block = BlockId(step.token);
        let state = &mut self.states[block.index()];
        if *state != State::Planned {
            return None;
        }
        *state = State::Programmed;
        Some(self.geometry.page(block, self.geometry.pages_per_block - 1))
    }

    /// A block is to be erased: a summary page whose program has not begun is not written, also where the last program of the block has not ended.
    pub(super) fn mark_for_erase(&mut self, block: BlockId) {
        if self.states[block.index()] != State::Programmed {
            self.set(block, false);
        }
    }

    /// What a summary page lists.
    pub(super) fn content(&self, step: &Step) -> OwnPage {
        let listed = self.open.get(&BlockId(step.token));
        OwnPage::Summary(listed.map(|listed| listed.pages.clone()).unwrap_or_default())
    }

    /// A summary page is on flash.
    pub(super) fn done(&mut self, step: &Step) {
        self.open.remove(&BlockId(step.token));
    }

    /// A block was erased.
    pub(super) fn erased(&mut self, block: BlockId) {
        self.set(block, false);
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::GeometryConfig;

    use super::*;

    /// The last program of a block ends when the block is about to be erased, as that of parity may which nothing waits for: no summary page follows.
    #[test]
    fn a_block_that_is_to_be_erased_gets_no_summary_page() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let (block, last) = (BlockId(0), Ppn(u64::from(geometry.pages_per_block) - 2));
        for is_doomed in [false, true] {
            let mut summaries = Summaries::new(&geometry, Lpn(0));
            summaries.bound(last, Vec::new());
            if is_doomed {
                summaries.mark_for_erase(block);
            }
            let mut plan = Plan::new();
            summaries.ended(last, true, &mut plan);
            assert_eq!(plan.is_empty(), is_doomed);
        }
    }
}
