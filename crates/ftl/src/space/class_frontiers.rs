//! The frontiers of classes of blocks: each class has open blocks of its own.

use crate::block_classes::BlockClasses;
use crate::plan::Frontier;

/// The frontiers of strong classes, one each, and how many blocks of each class are free.
#[derive(Clone, Debug)]
pub(super) struct ClassFrontiers {
    pub(super) classes: BlockClasses,
    /// The frontier of host writes to normal blocks.
    normal: Frontier,
    /// The frontier of class 1.
    first: u8,
    /// Per plane and class, the normal one first: free blocks.
    pub(super) free: Vec<u32>,
}

impl ClassFrontiers {
    pub(super) fn new(classes: &BlockClasses, normal: Frontier, first: u8, planes: u32) -> Self {
        Self {
            free: vec![0; planes as usize * (usize::from(classes.strong()) + 1)],
            classes: classes.clone(),
            normal,
            first,
        }
    }

    /// The frontier behind the last one.
    pub(super) fn end(&self) -> u8 {
        self.first + self.classes.strong()
    }

    /// The frontier of a strong class.
    pub(super) const fn frontier(&self, class: u8) -> Frontier {
        Frontier(self.first + class - 1)
    }

    /// The class whose blocks a frontier opens.
    pub(super) fn class_of(&self, frontier: Frontier) -> u8 {
        (frontier.0 + 1).saturating_sub(self.first)
    }

    /// Whether a free block may be opened by a frontier.
    pub(super) fn matches(&self, frontier: Frontier, block: u32) -> bool {
        self.class_of(frontier) == self.classes.of_block(block)
    }

    /// The frontier that writes to a block which `frontier` wrote to or would have: that of the block's class.
    pub(super) fn of_block(&self, frontier: Frontier, block: u32) -> Frontier {
        match (self.classes.of_block(block), self.class_of(frontier)) {
            (0, 0) => frontier,
            (0, _) => self.normal,
            (class, _) => self.frontier(class),
        }
    }

    pub(super) fn free_mut(&mut self, plane: u32, block: u32) -> &mut u32 {
        let class = self.classes.of_block(block);
        let slot = self.slot(plane, class);
        &mut self.free[slot]
    }

    pub(super) fn forget_free(&mut self) {
        self.free.fill(0);
    }

    pub(super) fn slot(&self, plane: u32, class: u8) -> usize {
        plane as usize * (usize::from(self.classes.strong()) + 1) + usize::from(class)
    }
}
