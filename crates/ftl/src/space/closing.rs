//! Open blocks that are closed before they are full.

use super::{FlashSpace, HOST, WEAR};
use crate::block::BlockRole;
use crate::plan::Frontier;

impl FlashSpace {
    /// Whether all writes of the host may go to any open block of theirs.
    fn has_one_kind_of_writes(&self) -> bool {
        self.capacity.temperatures == 1 && self.capacity.handles.count == 0
    }

    /// Closes an open block of a pool for collection, where some host writes may not go to the open blocks of others; false where nothing is gained by that.
    pub(crate) fn close_for_collection(&mut self, pool: u32) -> bool {
        let closed = self.block_to_close(pool);
        if let Some(block) = closed {
            self.frontiers.close_early(&mut self.blocks, block);
        }
        closed.is_some()
    }

    /// The open block of a pool from which collection gains most: of those that nobody writes to, and otherwise of those to which host writes go.
    pub(super) fn block_to_close(&self, pool: u32) -> Option<u32> {
        if self.has_one_kind_of_writes() {
            return None;
        }
        let planes = self.capacity.planes_per_pool;
        let planes = pool * planes..(pool + 1) * planes;
        let gains = |block: &u32| {
            let index = *block as usize;
            self.blocks.role[index] == BlockRole::Open
                && !self.blocks.is_slc(*block)
                && self.blocks.valid(*block) + self.geometry.pages_per_program
                    <= self.geometry.pages_per_block
        };
        let emptiest = |block: &u32| self.blocks.valid(*block);
        let parked = planes
            .clone()
            .flat_map(|plane| self.frontiers.available_from(plane, 0));
        parked.filter(gains).min_by_key(emptiest).or_else(|| {
            let of_host = (0..self.frontiers.count())
                .map(Frontier)
                .filter(|frontier| self.frontiers.is_of_host(*frontier));
            let active = of_host.flat_map(|frontier| {
                let plane = planes.clone();
                plane.filter_map(move |plane| self.frontiers.active(plane, frontier))
            });
            active.filter(gains).min_by_key(emptiest)
        })
    }

    /// Gives what is left of the block that wear levelling fills in a plane to host writes. Where these have several
    /// temperatures or handles the block is closed as it is: writes of the coldest one may be so rare that such blocks would pile up,
    /// and an open block is no candidate for collection.
    pub(crate) fn end_wear_block(&mut self, plane: u32) {
        if self.has_one_kind_of_writes() {
            self.frontiers
                .transfer_active(&mut self.blocks, plane, WEAR, HOST);
        } else if let Some(block) = self.frontiers.active(plane, WEAR) {
            self.frontiers.close_early(&mut self.blocks, block);
        }
    }
}
