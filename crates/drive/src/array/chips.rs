//! The chips: which commands are legal on their pages, and how long each takes.

use wordline_config::{Config, Reference};
use wordline_ftl::Mapping;
use wordline_nand::{Access, BlockId, Geometry, Medium, Mode, Operation, PageTypes, Part, Timing};

use crate::operation::Op;

/// What pages hold, and the times of the chips.
pub(super) struct Chips {
    medium: Medium,
    pub(super) timing: Timing,
    pub(super) page_types: PageTypes,
}

impl Chips {
    /// The chips of a drive whose pages hold what `ftl` tells.
    pub(super) fn new(config: &Config, ftl: &dyn Mapping, page_types: PageTypes, timing: Timing) -> Self {
        let geometry = ftl.geometry();
        let units_per_page = ftl.unit_geometry().pages_per_program;
        let mut medium = Medium::new(geometry, &config.restrictions);
        for block in (0..geometry.blocks()).map(BlockId) {
            let free = ftl.block_use(block).free / units_per_page;
            if free < geometry.pages_per_block {
                medium.set_written(block, geometry.pages_per_block - free);
            }
        }
        Self {
            medium,
            timing: in_reference(config, timing),
            page_types,
        }
    }

    /// The part of a command that an operation is, of a page of `mode`; `loads` says whether its data come with the command.
    #[inline(always)]
    pub(super) fn part(&self, geometry: &Geometry, op: &Op, mode: Mode, loads: bool) -> Part {
        let page_in_block = geometry.page_of_block(op.page, op.block);
        Part {
            die: op.die,
            bytes: if loads { self.timing.bytes(op.sectors()) } else { 0 },
            page_type: self.page_types.of(page_in_block),
            mode,
        }
    }

    /// Asks the medium whether a command of `count` operations, which `of` names, is legal, and plays its effect on the pages.
    ///
    /// # Errors
    /// The rule that it breaks.
    #[inline(always)]
    pub(super) fn play<'a>(
        &mut self,
        operation: Operation,
        count: usize,
        of: impl Fn(usize) -> &'a Op,
    ) -> Result<(), String> {
        let medium = &mut self.medium;
        let checked = match operation {
            Operation::Read => medium.command(count, |index| Access::Read(of(index).page)),
            Operation::Program | Operation::CopyBackProgram => {
                medium.command(count, |index| Access::Program(of(index).page))
            }
            Operation::CopyBackRead => medium.command(count, |index| {
                let op = of(index);
                Access::CopyBack {
                    source: op.source().unwrap_or(op.page),
                    destination: op.page,
                }
            }),
            Operation::Erase => medium.command(count, |index| Access::Erase(of(index).block)),
        };
        checked.map_err(|violation| violation.to_string())
    }

    /// How many pages of a block were handed to its die.
    pub(super) fn taken(&self, block: BlockId) -> u32 {
        self.medium.write_pointer(block)
    }

    /// Brings what a command to a block will look at into the cache of the processor.
    pub(super) fn prefetch(&self, block: BlockId) {
        self.medium.expect(block);
    }
}

/// The times of the ideal reference that the configuration names, if it names one.
pub(crate) fn in_reference(config: &Config, timing: Timing) -> Timing {
    match config.scheduler.reference {
        Reference::None => timing,
        Reference::Per => timing.with_writes_like_reads(),
        Reference::Pe0 => timing.with_writes_in_no_time(),
    }
}
