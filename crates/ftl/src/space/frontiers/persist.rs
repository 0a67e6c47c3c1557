//! Open blocks in state files, and after a power cut.

use super::{Frontiers, NONE};
use crate::block::BlockRole;
use crate::blocks::Blocks;
use crate::plan::Frontier;
use crate::state::archive::{Archive, ArchiveError};

impl Frontiers {
    /// Passes active blocks, cursors and the order in which blocks became free to a state file, or takes them from it for
    /// blocks that were loaded.
    pub(in crate::space) fn archive(
        &mut self,
        blocks: &Blocks,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        self.archive_slots(archive, |frontiers| &mut frontiers.active, NONE)?;
        self.archive_slots(
            archive,
            |frontiers| &mut frontiers.cursor,
            self.blocks_per_plane - 1,
        )?;
        let mut freed: Vec<Vec<u32>> = self
            .freed
            .iter()
            .map(|plane| plane.iter().copied().collect())
            .collect();
        archive.part(&mut freed)?;
        if archive.is_loading() {
            self.make_available(blocks, &freed);
        }
        Ok(())
    }

    /// Passes an entry for each plane and frontier to a state file or takes it from it, be it one of a drive with more
    /// frontiers or fewer.
    fn archive_slots(
        &mut self,
        archive: &mut Archive<'_>,
        table: fn(&mut Self) -> &mut Vec<u32>,
        vacant: u32,
    ) -> Result<(), ArchiveError> {
        let (expected, count) = (self.active.len(), self.rules.len());
        let own = table(self);
        archive.part(own)?;
        let (found, planes) = (own.len(), expected / count);
        if found == expected {
            return Ok(());
        }
        if found == 0 || !found.is_multiple_of(planes) {
            return Err(ArchiveError::Length { found, expected });
        }
        let there = found / planes;
        let entry = |slot: usize| match slot % count {
            frontier if frontier < there => own[slot / count * there + frontier],
            _ => vacant,
        };
        *own = (0..expected).map(entry).collect();
        Ok(())
    }

    /// Gives open blocks of a drive whose blocks were of other kinds to the frontiers of theirs.
    pub(in crate::space) fn sort_by_kind(&mut self, blocks: &mut Blocks) {
        for block in 0..blocks.role.len() as u32 {
            let former = Frontier(blocks.frontier[block as usize]);
            let frontier = self.of_block(former, block);
            if frontier == former || blocks.role[block as usize] != BlockRole::Open {
                continue;
            }
            let plane = blocks.plane_of(block);
            if self.active(plane, former) == Some(block) {
                self.close_active(plane, former);
            }
            blocks.frontier[block as usize] = frontier.0;
            self.add_parked(block);
        }
    }

    /// Begins with no active block.
    pub(in crate::space) fn recover(&mut self, blocks: &Blocks) {
        self.active.fill(NONE);
        self.make_available(blocks, &[]);
    }

    /// Makes free and parked blocks available. Free blocks are in the order `freed` where that names them.
    fn make_available(&mut self, blocks: &Blocks, freed: &[Vec<u32>]) {
        self.available.fill(0);
        if let Some(kinds) = &mut self.kinds {
            kinds.forget_free();
        }
        for order in &mut self.freed {
            order.clear();
        }
        let mut named: Vec<u32> = Vec::new();
        if freed.len() == self.freed.len() {
            for (plane, order) in (0..).zip(freed) {
                named.extend(order.iter().filter(|block| {
                    let is_free = blocks.role.get(**block as usize) == Some(&BlockRole::Free);
                    is_free && blocks.plane_of(**block) == plane
                }));
            }
        }
        let others = 0..blocks.role.len() as u32;
        for block in named.into_iter().chain(others) {
            let frontier = Frontier(blocks.frontier[block as usize]);
            let (word, bit) = self.bit(block);
            match blocks.role[block as usize] {
                BlockRole::Free if self.available[word] & bit == 0 => self.add_free(block),
                BlockRole::Open if self.active(blocks.plane_of(block), frontier) != Some(block) => {
                    self.add_parked(block);
                }
                _ => {}
            }
        }
    }
}
