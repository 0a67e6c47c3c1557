//! Classes of blocks: by process variation some blocks are stronger than others and can be programmed in coarser steps, hence
//! faster (J. Cui et al., DLV, IEEE TCAD 2018). A class is a property of the block: whoever writes to a strong block writes
//! in the time of its class. Each class has open blocks of its own.

use wordline_nand::{Mode, Ppn};

use super::{FlashSpace, Frontiers, HOST};
use crate::plan::Frontier;

/// The class of every block of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockClasses {
    /// Names of the strong classes, the fastest first: they are modes of pages.
    names: Vec<String>,
    /// By flat number: 0 is the normal class, 1 the fastest of the strong ones.
    of_block: Vec<u8>,
}

impl BlockClasses {
    /// The strong classes of these names, the fastest first, and the class of every block by flat number: 0 is the normal
    /// class, 1 the first of `names`. A class that there is not is taken as the normal one.
    #[must_use]
    pub fn new(names: Vec<String>, mut of_block: Vec<u8>) -> Self {
        for class in &mut of_block {
            if usize::from(*class) > names.len() {
                *class = 0;
            }
        }
        Self { names, of_block }
    }

    /// Names of the strong classes, the fastest first.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of a block: 0 is the normal one, 1 the fastest of the strong ones.
    #[must_use]
    pub fn of_block(&self, block: u32) -> u8 {
        self.of_block[block as usize]
    }

    /// How many strong classes there are.
    #[must_use]
    pub fn strong(&self) -> u8 {
        self.names.len() as u8
    }
}

/// The frontiers of strong classes, one each, and how many blocks of each class are free.
#[derive(Clone, Debug)]
pub(super) struct ClassFrontiers {
    classes: BlockClasses,
    /// The frontier of class 1.
    first: u8,
    /// Per plane and class, the normal one first: free blocks.
    free: Vec<u32>,
}

impl ClassFrontiers {
    pub(super) fn new(classes: &BlockClasses, first: u8, planes: u32) -> Self {
        Self {
            free: vec![0; planes as usize * (usize::from(classes.strong()) + 1)],
            classes: classes.clone(),
            first,
        }
    }

    /// The frontier behind the last one.
    pub(super) fn end(&self) -> u8 {
        self.first + self.classes.strong()
    }

    /// The frontier of a strong class.
    const fn frontier(&self, class: u8) -> Frontier {
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
            (0, _) => HOST,
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

    fn slot(&self, plane: u32, class: u8) -> usize {
        plane as usize * (usize::from(self.classes.strong()) + 1) + usize::from(class)
    }
}

impl Frontiers {
    /// The frontier of a strong class; none of the normal class, or where there is no such class.
    pub(crate) fn of_class(&self, class: u8) -> Option<Frontier> {
        let classes = self.classes.as_ref()?;
        (1..=classes.classes.strong())
            .contains(&class)
            .then(|| classes.frontier(class))
    }

    /// The class of blocks that a frontier opens.
    pub(crate) fn class_of(&self, frontier: Frontier) -> u8 {
        self.classes
            .as_ref()
            .map_or(0, |classes| classes.class_of(frontier))
    }
}

impl FlashSpace {
    /// The classes of the blocks; none where they are of one class.
    pub(crate) fn block_classes(&self) -> Option<&BlockClasses> {
        self.frontiers.classes.as_ref().map(|classes| &classes.classes)
    }

    /// The mode of a page: that of the class of its block.
    pub(crate) fn mode_of(&self, page: Ppn) -> Mode {
        self.block_classes().map_or(Mode::NORMAL, |classes| {
            Mode(classes.of_block(self.blocks.block_of(page.0)))
        })
    }

    /// Pages of a strong class that host writes find in a plane now: those of the open block and of the free blocks that the host may open.
    pub(crate) fn free_pages_of_class(&self, plane: u32, class: u8) -> u32 {
        let Some(classes) = self.frontiers.classes.as_ref() else {
            return 0;
        };
        let pool = self.pool_of_plane(plane);
        let (_, may_write) = self.may_open(pool, true);
        if !may_write || !(1..=classes.classes.strong()).contains(&class) {
            return 0;
        }
        let spare = self.pools[pool as usize]
            .free
            .saturating_sub(self.capacity.watermarks.reserve);
        let free = classes.free[classes.slot(plane, class)].min(spare);
        let active = self.frontiers.active(plane, classes.frontier(class));
        let rest = active.map_or(0, |block| {
            self.geometry.pages_per_block - u32::from(self.blocks.written[block as usize])
        });
        free * self.geometry.pages_per_block + rest
    }

    /// The frontier to write to in a plane where blocks have classes: that of `asked`, else of the normal class, else of the slowest
    /// strong class that has a page.
    #[inline(never)]
    pub(super) fn frontier_with_page(&self, plane: u32, asked: Frontier, host: bool) -> Frontier {
        let Some(classes) = self.frontiers.classes.as_ref() else {
            return asked;
        };
        let (may_open, _) = self.may_open(self.pool_of_plane(plane), host);
        let has_page = |frontier: &Frontier| {
            self.frontiers.active(plane, *frontier).is_some()
                || self
                    .frontiers
                    .next(&self.blocks, plane, *frontier, may_open)
                    .is_some()
        };
        let normal = (classes.class_of(asked) > 0).then_some(HOST);
        let strong = (1..=classes.classes.strong()).rev();
        std::iter::once(asked)
            .chain(normal)
            .chain(strong.map(|class| classes.frontier(class)))
            .find(has_page)
            .unwrap_or(asked)
    }
}
