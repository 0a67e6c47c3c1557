//! Word lines that are programmed as wholes: while the program of one can be suspended its cells hold nothing that could be read.

use wordline_nand::{BlockId, Suspendable, WordLines};

use super::state::Frame;
use crate::array::FlashArray;
use crate::features::Features;
use crate::operation::NONE;

impl<F: Features> FlashArray<F> {
    /// Whether a program that is in the array of a unit, or suspended there, works on the cells of a page of a block. Where nothing can be
    /// suspended a read waits for such a program, and this is false.
    pub(in crate::array) fn is_being_programmed(&self, lines: &WordLines, block: BlockId, page: u32) -> bool {
        let Some(suspension) = self.suspension.as_ref() else {
            return false;
        };
        let geometry = &self.flash.geometry;
        let unit = self.flash.unit_of_plane(geometry.plane_of(block));
        let entry = &suspension.units[unit];
        let works_on = |frame: &Frame| {
            frame.kind == Suspendable::Program
                && frame.parts.iter().any(|part| {
                    let mut id = part.first;
                    while id != NONE {
                        let op = &self.ops[id];
                        if op.block == block && lines.works_on(geometry.page_of_block(op.page, block), page) {
                            return true;
                        }
                        id = op.next;
                    }
                    false
                })
        };
        let suspended = entry.stack.top().map(|(_, frame)| frame);
        entry.running.as_ref().into_iter().chain(suspended).any(works_on)
    }
}
