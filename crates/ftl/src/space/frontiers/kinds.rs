//! Kinds of blocks: the free blocks of a kind are opened by frontiers of their own.

use crate::plan::Frontier;

/// Which frontiers open which blocks, and how many blocks of each kind are free. Kind 0 is opened by all frontiers of a drive whose blocks are alike, each other kind by
/// one frontier behind those.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    /// By block.
    of_block: Vec<u8>,
    /// Kinds beside 0.
    others: u8,
    /// The frontier that goes on in blocks of kind 0 which one of another kind wrote to.
    normal: Frontier,
    /// The frontier of kind 1.
    first: u8,
    /// Per plane and kind: free blocks.
    free: Vec<u32>,
}

impl Kinds {
    /// Blocks of these kinds, of which `others` are not 0, on a drive with frontiers up to `first`.
    pub(super) fn new(of_block: Vec<u8>, others: u8, normal: Frontier, first: u8, planes: u32) -> Self {
        Self {
            free: vec![0; planes as usize * (usize::from(others) + 1)],
            of_block,
            others,
            normal,
            first,
        }
    }

    /// The frontier behind the last one.
    pub(super) const fn end(&self) -> u8 {
        self.first + self.others
    }

    /// The frontier of a kind; none of kind 0, or where there is no such kind.
    pub(super) fn frontier(&self, kind: u8) -> Option<Frontier> {
        (1..=self.others)
            .contains(&kind)
            .then(|| Frontier(self.first + kind - 1))
    }

    /// The kind of blocks that a frontier opens.
    pub(super) const fn of_frontier(&self, frontier: Frontier) -> u8 {
        (frontier.0 + 1).saturating_sub(self.first)
    }

    /// Whether a free block may be opened by a frontier.
    pub(super) fn matches(&self, frontier: Frontier, block: u32) -> bool {
        self.of_frontier(frontier) == self.of_block[block as usize]
    }

    /// The frontier that writes to a block which `frontier` wrote to or would have: that of the block's kind.
    pub(super) fn of_possessor(&self, frontier: Frontier, block: u32) -> Frontier {
        let kind = self.of_block[block as usize];
        match (kind, self.of_frontier(frontier)) {
            (0, 0) => frontier,
            _ => self.frontier(kind).unwrap_or(self.normal),
        }
    }

    /// Free blocks of a plane.
    pub(super) fn free(&self, plane: u32, kind: u8) -> u32 {
        self.free[self.slot(plane, kind)]
    }

    /// The count of free blocks of a plane that are like one of it.
    pub(super) fn free_like(&mut self, plane: u32, block: u32) -> &mut u32 {
        let slot = self.slot(plane, self.of_block[block as usize]);
        &mut self.free[slot]
    }

    /// Free blocks are to be counted from zero.
    pub(super) fn forget_free(&mut self) {
        self.free.fill(0);
    }

    fn slot(&self, plane: u32, kind: u8) -> usize {
        plane as usize * (usize::from(self.others) + 1) + usize::from(kind)
    }
}
