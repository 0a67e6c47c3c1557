//! Kind D: after a power cut the journal goes on where it was, and a checkpoint is written while the host is served (FTL specification, 8.3).

use std::collections::BTreeSet;

use wordline_nand::BlockId;

use super::journal::Journal;
use super::repair::{Found, Map};
use crate::plan::Lpn;
use crate::recovery::{MapRecord, OwnPage, Repair, Unsettled};

impl Journal {
    /// Adds to the journal that was found how the map that was built anew differs from what checkpoint and journal say. Only then is anything of the mapping
    /// erased, so that a further power cut at any moment finds all of it in spare areas, or here. A checkpoint is due at once.
    ///
    /// False, and nothing is done, where there is no checkpoint or the journal has no room.
    pub(super) fn resume(
        &mut self,
        found: &Found<'_>,
        map: &Map<'_>,
        is_closed: impl Fn(BlockId) -> bool,
        repairs: &mut Vec<Repair>,
    ) -> bool {
        let learned = found.learned;
        let (Some((slot, number, root_block)), Some(logged)) = (learned.area.checkpoint, &learned.logged)
        else {
            return false;
        };
        let changes: Vec<MapRecord> = (0..map.pages)
            .step_by(self.per_unit() as usize)
            .filter_map(|lpn| {
                let page = (map.entry)(lpn)?;
                let lpn = Lpn(lpn);
                (logged.map.get(&lpn) != Some(&page)).then_some(MapRecord::Mapped { lpn, page })
            })
            .collect();
        // at least one page, as it says which blocks are free now
        let pages = changes.len().div_ceil(self.records_per_page).max(1);
        let row = self.area.row_pages();
        let next = learned.area.next_position(row);
        let from = logged.from.unwrap_or(next);
        let end = from / row * row + self.area.journal_pages();
        if next + pages as u64 > end {
            return false;
        }
        self.take_over(found, map, repairs);
        self.end = end;
        // due since the power failed
        self.writes = self.interval;
        let checkpoints = &mut self.checkpoints;
        checkpoints.slot = slot;
        checkpoints.number = number;
        checkpoints.includes = logged.includes;
        checkpoints.journal_from = from;
        checkpoints.committed_from = from;
        checkpoints.new_end = end;
        // a checkpoint that was not complete, and rows of the journal that the one before includes
        let mut stale: Vec<BlockId> = self.area.slot_blocks(slot ^ 1).collect();
        for passed in next / row..end / row {
            stale.extend(self.area.journal_row(passed * row));
        }
        let at = self.pages_of_root(root_block);
        self.checkpoints.root = if at == self.area.geometry().pages_per_block {
            stale.push(self.area.root_block(root_block ^ 1));
            (root_block ^ 1, 0)
        } else {
            (root_block, at)
        };
        self.erase_found(stale, repairs);
        for block in &logged.unsettled {
            if is_closed(*block) {
                self.watched.reopen(*block);
            }
        }
        let blocks = self.watched.list();
        let mut left = changes.as_slice();
        for _ in 0..pages {
            let (records, rest) = left.split_at(left.len().min(self.records_per_page));
            left = rest;
            let (page, first) = (self.area.journal_page(self.next), self.recorded);
            self.recorded += records.len() as u64;
            let content = OwnPage::Journal {
                number: self.number,
                position: self.next,
                first,
                records: records.to_vec(),
                unsettled: Unsettled {
                    blocks: with_blocks_of(&blocks, rest, map),
                    newest: found.newest,
                },
            };
            self.number += 1;
            self.next += 1;
            self.program_found(page, content, repairs);
        }
        self.watched.sealed(self.number - 1, is_closed);
        self.watched.settled(self.number);
        true
    }
}

/// The blocks that recovery must look at while these records are not on flash yet. Pages of the mapping's own are numbered anew: a record that is on flash may have taken the number by which
/// checkpoint and journal knew the page of one that is not.
fn with_blocks_of(blocks: &[BlockId], records: &[MapRecord], map: &Map<'_>) -> Vec<BlockId> {
    let named = records.iter().filter_map(|record| match record {
        MapRecord::Mapped { page, .. } => Some((map.block_of)(*page)),
        MapRecord::Trimmed { .. } => None,
    });
    let named: BTreeSet<BlockId> = named.filter(|block| !blocks.contains(block)).collect();
    blocks.iter().copied().chain(named).collect()
}
