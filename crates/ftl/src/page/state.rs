//! The state of a quiescent drive, to be saved and loaded.

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use super::{PageFtl, map::PageMap};
use crate::contract::BlockRole;
use crate::error::FtlError;
use crate::page::blocks::fits;
use crate::page::frontiers::{Frontiers, HOST, WEAR};

/// All that a page-level FTL remembers while nothing is under way. Random streams start afresh,
/// and invalidation times (victim policy `fegc`) count from the moment of loading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFtlState {
    /// Physical pages of the drive.
    pub physical_pages: u64,
    /// Physical page of every logical page plus one, 0 for none.
    pub pages: Vec<u64>,
    /// Logical pages of which not all sub-pages hold data, and the bitmaps, in order.
    pub partial: Vec<(u64, u64)>,
    /// Physical pages given up without being programmed.
    pub skipped: Vec<u64>,
    /// Per block: pages passed.
    pub written: Vec<u16>,
    /// Per block: erases.
    pub erases: Vec<u32>,
    /// Per block: 0 free, 1 open, 2 closed, 3 bad.
    pub roles: Vec<u8>,
    /// Per block: the frontier that opened it.
    pub frontiers: Vec<u8>,
    /// Per block: closing order.
    pub closed: Vec<u32>,
    /// Closings so far.
    pub closings: u32,
    /// Per block: time its age counts from, where the policy records it.
    pub since: Vec<u64>,
    /// Per plane and frontier: the active block, `u32::MAX` for none.
    pub active: Vec<u32>,
    /// Per plane and frontier: index of the block opened last.
    pub cursors: Vec<u32>,
    /// Per plane: free blocks in the order in which they became free, where the rule needs it.
    pub freed: Vec<Vec<u32>>,
}

const ROLES: [BlockRole; 4] = [
    BlockRole::Free,
    BlockRole::Open,
    BlockRole::Closed,
    BlockRole::Bad,
];

impl PageFtl {
    /// The state to save; none unless the FTL is quiescent. A job in the middle of its work is
    /// left there: its victim is a closed block like others when the state is loaded.
    #[must_use]
    pub fn state(&self) -> Option<PageFtlState> {
        if !self.is_quiescent() {
            return None;
        }
        let role = |role: &BlockRole| ROLES.iter().position(|other| other == role).unwrap_or(0) as u8;
        let skipped = if self.skips {
            let passed = |block: u32| {
                let first = self.first_page(block);
                first..first + u64::from(self.blocks.written[block as usize])
            };
            (0..self.geometry.blocks())
                .flat_map(passed)
                .filter(|page| self.map.is_skipped(*page))
                .collect()
        } else {
            Vec::new()
        };
        Some(PageFtlState {
            physical_pages: self.geometry.pages(),
            pages: (0..self.capacity.user_pages)
                .map(|lpn| self.map.lookup(lpn).map_or(0, |page| page + 1))
                .collect(),
            partial: self.map.partial_pages(),
            skipped,
            written: self.blocks.written.clone(),
            erases: self.blocks.erases.clone(),
            roles: self.blocks.role.iter().map(role).collect(),
            frontiers: self.blocks.frontier.clone(),
            closed: self.blocks.closed.clone(),
            closings: self.blocks.closings,
            since: self.blocks.since.clone(),
            active: self.frontiers.active.clone(),
            cursors: self.frontiers.cursor.clone(),
            freed: self
                .frontiers
                .freed
                .iter()
                .map(|plane| plane.iter().copied().collect())
                .collect(),
        })
    }

    /// Puts a fresh FTL into a saved state.
    ///
    /// # Errors
    /// The state is of another geometry, capacity or configuration, or contradicts itself; the
    /// FTL must not be used then.
    pub fn restore(&mut self, state: &PageFtlState, now: SimTime) -> Result<(), FtlError> {
        let refuse = |what: &str| {
            Err(FtlError::new(
                "age.snapshot",
                what,
                "a state saved from a drive of this configuration",
            ))
        };
        let (blocks, physical) = (self.geometry.blocks() as usize, self.geometry.pages());
        if state.physical_pages != physical || state.pages.len() as u64 != self.capacity.user_pages {
            return refuse("a drive of another size");
        }
        let per_block = [
            state.written.len(),
            state.erases.len(),
            state.roles.len(),
            state.frontiers.len(),
            state.closed.len(),
        ];
        if per_block.iter().any(|length| *length != blocks)
            || state.active.len() != self.frontiers.active.len()
        {
            return refuse("a table of another length");
        }
        if state.cursors.len() != state.active.len()
            || state
                .cursors
                .iter()
                .any(|cursor| *cursor >= self.geometry.blocks_per_plane)
        {
            return refuse("cursors out of range");
        }
        let full = self.geometry.full_bitmap();
        let b = self.geometry.pages_per_block;
        self.map = PageMap::new(self.capacity.user_pages, physical, full);
        self.blocks.clear();
        self.frontiers.empty();
        for pool in &mut self.pools {
            (pool.free, pool.erases) = (0, 0);
        }
        for block in 0..blocks as u32 {
            let at = block as usize;
            let written = u32::from(state.written[at]);
            let Some(role) = ROLES.get(usize::from(state.roles[at])).copied() else {
                return refuse("an unknown role of a block");
            };
            if !fits(role, written, b) || !Frontiers::exists(state.frontiers[at]) {
                return refuse("a block whose role does not fit its pages");
            }
            self.blocks.role[at] = role;
            self.blocks.written[at] = state.written[at];
            self.blocks.erases[at] = state.erases[at];
            self.blocks.frontier[at] = state.frontiers[at];
            self.blocks.closed[at] = state.closed[at];
            let pool = &mut self.pools[self.blocks.pool_of(block) as usize];
            pool.erases += u64::from(state.erases[at]);
            match role {
                BlockRole::Free => pool.free += 1,
                BlockRole::Open if !state.active.contains(&block) => self.frontiers.park(block),
                _ => {}
            }
        }
        self.blocks.closings = state.closings;
        if state.since.len() == self.blocks.since.len() {
            self.blocks.since.clone_from(&state.since);
        }
        if !self
            .frontiers
            .restore(&self.blocks, &state.active, &state.cursors, &state.freed)
        {
            return refuse("active blocks that are not open");
        }
        // No wear move is under way any more.
        for plane in 0..self.geometry.planes() {
            self.frontiers.hand_over(&mut self.blocks, plane, WEAR, HOST);
        }
        for (lpn, page) in state.pages.iter().enumerate() {
            let Some(page) = page.checked_sub(1) else { continue };
            let block = self.blocks.block_of(page);
            let passed = page < physical
                && page - self.first_page(block) < u64::from(self.blocks.written[block as usize]);
            if !passed || self.map.owner(page).is_some() {
                return refuse("a page that is not programmed, or has two owners");
            }
            self.map.map(lpn as u64, page, full);
            self.blocks.validate(block, 1);
        }
        for (lpn, bitmap) in &state.partial {
            let page = if *lpn < self.capacity.user_pages {
                self.map.lookup(*lpn)
            } else {
                None
            };
            if page.is_none() || bitmap & full == 0 {
                return refuse("sub-pages of a page that is not mapped");
            }
            self.map.forget(*lpn, full & !bitmap);
        }
        for page in &state.skipped {
            if *page >= physical || self.map.owner(*page).is_some() {
                return refuse("a page given up that holds data");
            }
            self.map.skip(*page);
        }
        self.skips |= !state.skipped.is_empty();
        self.finish_fill(now);
        // when its data were written is not in a snapshot: they count as written when it was saved
        self.blocks.programmed.fill(now.ns());
        Ok(())
    }
}
