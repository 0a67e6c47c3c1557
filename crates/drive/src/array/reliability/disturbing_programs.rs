//! Which programs of its block every page has met since its own: those of its layer of word lines, of the layers beside it, of all others.

use std::ops::Range;

use wordline_cell::LaterPrograms;
use wordline_nand::{BlockId, Geometry, PageTypes, Ppn, ProgramOrder};

/// Programs that a page has met since its erase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Programs of its block up to its own, which counts; 0 where it is not programmed.
    own: u32,
    inhibited: u16,
    adjacent: u16,
}

/// The programs that disturb the pages of a drive: eight bytes a page.
pub(super) struct DisturbingPrograms {
    geometry: Geometry,
    order: ProgramOrder,
    /// Pages of a word line.
    bits: u32,
    /// Word line of each page of a block, and whether it is the last page of that.
    word_lines: Vec<(u32, bool)>,
    /// Pages of the word lines of each layer.
    layers: Vec<Vec<u32>>,
    strings: u32,
    pages: Vec<Counts>,
    /// Programs of each block since its erase.
    programs: Vec<u32>,
    /// A block all pages of which were programmed once, one after the other.
    full: (Vec<Counts>, u32),
}

impl DisturbingPrograms {
    /// Erased blocks, with layers of so many word lines.
    pub(super) fn new(geometry: Geometry, page_types: &PageTypes, order: ProgramOrder, strings: u32) -> Self {
        let count = geometry.pages_per_block;
        let word_line = |page: u32| page_types.wordline(page);
        let layers = (0..count).map(word_line).max().unwrap_or(0) / strings + 1;
        let mut made = Self {
            geometry,
            order,
            bits: page_types.cell().bits(),
            word_lines: (0..count)
                .map(|page| {
                    let is_last = page + 1 == count || word_line(page + 1) != word_line(page);
                    (word_line(page), is_last)
                })
                .collect(),
            layers: vec![Vec::new(); layers as usize],
            strings,
            pages: vec![Counts::default(); count as usize],
            programs: vec![0],
            full: (Vec::new(), 0),
        };
        for page in 0..count {
            made.layers[(word_line(page) / strings) as usize].push(page);
        }
        for page in 0..count {
            made.program_in(0, 0, page);
        }
        made.full = (made.pages, made.programs[0]);
        made.pages = vec![Counts::default(); geometry.pages() as usize];
        made.programs = vec![0; geometry.blocks() as usize];
        made
    }

    /// What the pages of a full block have met.
    pub(super) fn of_full_block(&self) -> impl Iterator<Item = LaterPrograms> {
        let (pages, programs) = &self.full;
        pages.iter().map(|counts| counts.since(*programs))
    }

    /// A page is programmed.
    pub(super) fn program(&mut self, page: Ppn) {
        let block = self.geometry.block_of(page);
        let first = self.geometry.page(block, 0).index();
        self.program_in(block.index(), first, self.geometry.page_of_block(page, block));
    }

    /// The first `pages` pages of a block were programmed, one after the other.
    pub(super) fn set_programmed(&mut self, block: BlockId, pages: u32) {
        let first = self.geometry.page(block, 0).index();
        if pages == self.geometry.pages_per_block {
            let (full, programs) = &self.full;
            self.pages[first..first + full.len()].copy_from_slice(full);
            self.programs[block.index()] = *programs;
            return;
        }
        self.erase(block);
        for page in 0..pages {
            self.program_in(block.index(), first, page);
        }
    }

    /// A block is erased.
    pub(super) fn erase(&mut self, block: BlockId) {
        let first = self.geometry.page(block, 0).index();
        self.pages[first..first + self.geometry.pages_per_block as usize].fill(Counts::default());
        self.programs[block.index()] = 0;
    }

    /// What a page has met since its own program.
    pub(super) fn since(&self, page: Ppn) -> LaterPrograms {
        self.pages[page.index()].since(self.programs[self.geometry.block_of(page).index()])
    }

    /// A page of a block, whose pages start at `first`, is handed to the die. Where word lines are programmed as wholes, only the last of
    /// their pages starts a program: the one of all, or the coarse one, after which the fine one of the word line before follows.
    fn program_in(&mut self, block: usize, first: usize, page: u32) {
        let (word_line, is_last) = self.word_lines[page as usize];
        if self.order == ProgramOrder::Page {
            self.disturb(block, first, word_line);
            self.finish(block, first, page..page + 1);
            return;
        }
        if !is_last {
            return;
        }
        let bits = self.bits;
        let of = |word_line: u32| word_line * bits..(word_line + 1) * bits;
        self.disturb(block, first, word_line);
        if self.order == ProgramOrder::OneShot {
            self.finish(block, first, of(word_line));
            return;
        }
        if let Some(before) = word_line.checked_sub(1) {
            self.disturb(block, first, before);
            self.finish(block, first, of(before));
        }
        if page + 1 == self.geometry.pages_per_block {
            self.disturb(block, first, word_line);
            self.finish(block, first, of(word_line));
        }
    }

    /// A program of a word line, which pages that are programmed meet.
    fn disturb(&mut self, block: usize, first: usize, word_line: u32) {
        self.programs[block] += 1;
        let layer = (word_line / self.strings) as usize;
        let pages = &mut self.pages[first..first + self.word_lines.len()];
        let lowest = layer.saturating_sub(1);
        for (near, of_layer) in self
            .layers
            .iter()
            .enumerate()
            .skip(lowest)
            .take(layer + 2 - lowest)
        {
            for page in of_layer {
                let counts = &mut pages[*page as usize];
                if counts.own == 0 {
                    continue;
                }
                let count = if near == layer {
                    &mut counts.inhibited
                } else {
                    &mut counts.adjacent
                };
                *count = count.saturating_add(1);
            }
        }
    }

    /// Pages whose last program has just ended; partial programs of a page that is programmed disturb it.
    fn finish(&mut self, block: usize, first: usize, pages: Range<u32>) {
        for page in pages {
            let counts = &mut self.pages[first + page as usize];
            if counts.own == 0 {
                counts.own = self.programs[block];
            }
        }
    }
}

impl Counts {
    /// What has been met when the block has had so many programs.
    const fn since(self, programs: u32) -> LaterPrograms {
        let (inhibited, adjacent) = (self.inhibited as u32, self.adjacent as u32);
        if self.own == 0 {
            return LaterPrograms {
                inhibited: 0,
                adjacent: 0,
                pass: 0,
            };
        }
        LaterPrograms {
            inhibited,
            adjacent,
            pass: programs - self.own - inhibited - adjacent,
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::{CellType, GeometryConfig};

    use super::*;

    fn blocks(cell_type: CellType, order: ProgramOrder, pages: u32, strings: u32) -> DisturbingPrograms {
        let config = GeometryConfig {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 2,
            pages_per_block: pages,
            cell_type,
            ..GeometryConfig::default()
        };
        let geometry = Geometry::new(&config).unwrap();
        let types = PageTypes::new(&config, &geometry).unwrap();
        DisturbingPrograms::new(geometry, &types, order, strings)
    }

    /// Inhibited, adjacent and pass of each page of the second block.
    fn counts(of: &DisturbingPrograms) -> Vec<(u32, u32, u32)> {
        let pages = u64::from(of.geometry.pages_per_block);
        let since = (pages..2 * pages).map(|page| of.since(Ppn(page)));
        since.map(|met| (met.inhibited, met.adjacent, met.pass)).collect()
    }

    /// All pages of the second block, one after the other.
    fn filled(mut blocks: DisturbingPrograms) -> Vec<(u32, u32, u32)> {
        let pages = u64::from(blocks.geometry.pages_per_block);
        for page in pages..2 * pages {
            blocks.program(Ppn(page));
        }
        counts(&blocks)
    }

    #[test]
    fn pages_of_one_bit_meet_those_behind_them() {
        let planar = blocks(CellType::Slc, ProgramOrder::Page, 4, 1);
        assert_eq!(filled(planar), [(0, 1, 2), (0, 1, 1), (0, 1, 0), (0, 0, 0)]);
        let two_strings = blocks(CellType::Slc, ProgramOrder::Page, 6, 2);
        let worked = [(1, 2, 2), (0, 2, 2), (1, 2, 0), (0, 2, 0), (1, 0, 0), (0, 0, 0)];
        assert_eq!(filled(two_strings), worked);
    }

    #[test]
    fn pages_of_two_bits_meet_the_second_program_of_their_cells() {
        let found = filled(blocks(CellType::Mlc, ProgramOrder::Page, 6, 1));
        assert_eq!(
            found,
            [(1, 2, 2), (0, 2, 2), (1, 2, 0), (0, 2, 0), (1, 0, 0), (0, 0, 0)]
        );
    }

    /// Six word lines, two to a layer: one program each.
    #[test]
    fn word_lines_as_wholes_are_one_program() {
        let found = filled(blocks(CellType::Tlc, ProgramOrder::OneShot, 18, 2));
        let lines: Vec<_> = found.chunks(3).map(|line| line[0]).collect();
        assert_eq!(
            lines,
            [(1, 2, 2), (0, 2, 2), (1, 2, 0), (0, 2, 0), (1, 0, 0), (0, 0, 0)]
        );
        assert!(
            found
                .chunks(3)
                .all(|line| line.iter().all(|page| *page == line[0]))
        );
    }

    /// Coarse 0, coarse 1, fine 0, coarse 2, fine 1, fine 2: the first word line meets the last three, the second the last.
    #[test]
    fn two_steps_are_two_programs_of_which_the_next_coarse_one_comes_before() {
        let found = filled(blocks(CellType::Mlc, ProgramOrder::TwoStep, 6, 1));
        assert_eq!(
            found,
            [(0, 1, 2), (0, 1, 2), (0, 1, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0)]
        );
    }

    /// 24 layers of four strings with three bits per cell, page by page and word line by word line.
    #[test]
    fn the_first_page_of_a_large_block() {
        for (order, worked) in [
            (ProgramOrder::Page, (11, 12, 264)),
            (ProgramOrder::OneShot, (3, 4, 88)),
        ] {
            let found = filled(blocks(CellType::Tlc, order, 288, 4));
            assert_eq!((found[0], found[287]), (worked, (0, 0, 0)), "{order:?}");
        }
    }

    #[test]
    fn partial_programs_of_a_page_inhibit_its_other_cells() {
        let mut blocks = blocks(CellType::Slc, ProgramOrder::Page, 4, 1);
        for page in [4, 4, 4, 5] {
            blocks.program(Ppn(page));
        }
        assert_eq!(counts(&blocks)[..2], [(2, 1, 0), (0, 0, 0)]);
        blocks.erase(BlockId(1));
        assert_eq!(counts(&blocks), [(0, 0, 0); 4]);
    }

    /// Blocks that were written before the run are as those that are written in it, whole or in part.
    #[test]
    fn blocks_written_before() {
        for order in [ProgramOrder::Page, ProgramOrder::OneShot, ProgramOrder::TwoStep] {
            for written in 0..=12 {
                let mut before = blocks(CellType::Tlc, order, 12, 2);
                before.set_programmed(BlockId(1), written);
                let mut now = blocks(CellType::Tlc, order, 12, 2);
                for page in 12..12 + u64::from(written) {
                    now.program(Ppn(page));
                }
                assert_eq!(counts(&before), counts(&now), "{order:?} {written}");
                assert_eq!(before.programs, now.programs);
            }
        }
    }
}
