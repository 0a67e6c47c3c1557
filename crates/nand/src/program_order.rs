//! How the pages of a word line are programmed: each by itself, all by one command, or all in two steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell_type::CellType;

/// How the pages of a word line are programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramOrder {
    /// Each page by a program of its own.
    #[default]
    Page,
    /// All pages of a word line by one program, once the data of all are in the die.
    OneShot,
    /// All pages of a word line by a coarse program, and by a fine one after the coarse one of the next word line of the block.
    TwoStep,
}

/// Which pages of a block can be read from its cells, where word lines are programmed as wholes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordLines {
    /// Pages of a word line.
    pages: u32,
    /// Word lines that were programmed in part and wait for a later step.
    ahead: u32,
}

impl WordLines {
    /// The word lines of cells that are programmed in that order; none where every page is programmed by itself.
    #[must_use]
    pub const fn new(order: ProgramOrder, cell: CellType) -> Option<Self> {
        let ahead = match order {
            ProgramOrder::Page => return None,
            ProgramOrder::OneShot => 0,
            ProgramOrder::TwoStep => 1,
        };
        Some(Self {
            pages: cell.bits(),
            ahead,
        })
    }

    /// How many pages of a block, from its first, can be read from the cells once the first `taken` of its `pages_per_block` were
    /// handed to the die. The others wait in the controller for the rest of their word line or for its last step.
    #[must_use]
    #[inline]
    pub const fn readable(&self, taken: u32, pages_per_block: u32) -> u32 {
        if taken >= pages_per_block {
            return pages_per_block;
        }
        (taken / self.pages).saturating_sub(self.ahead) * self.pages
    }

    /// Whether the program of page `programmed` of a block works on the cells of page `page`: on its word line where it is the last page
    /// of that, and in two steps on the word line before as well. Programs of the other pages only bring their data into the die.
    #[must_use]
    pub const fn works_on(&self, programmed: u32, page: u32) -> bool {
        let (line, of_page) = (programmed / self.pages, page / self.pages);
        self.completes(programmed) && of_page <= line && of_page + self.ahead >= line
    }

    /// Whether page `programmed` of a block is the last of its word line, whose program writes the cells.
    #[must_use]
    pub const fn completes(&self, programmed: u32) -> bool {
        programmed % self.pages == self.pages - 1
    }

    /// Pages of one open block whose data the controller keeps at most.
    #[must_use]
    pub const fn kept(&self) -> u32 {
        (self.ahead + 1) * self.pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_can_be_read_when_their_word_line_is_complete() {
        let one_shot = WordLines::new(ProgramOrder::OneShot, CellType::Tlc).unwrap();
        let readable = |lines: &WordLines, taken| lines.readable(taken, 12);
        let found: Vec<u32> = (0..=12).map(|taken| readable(&one_shot, taken)).collect();
        assert_eq!(found, [0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9, 12]);
        let two_step = WordLines::new(ProgramOrder::TwoStep, CellType::Tlc).unwrap();
        let found: Vec<u32> = (0..=12).map(|taken| readable(&two_step, taken)).collect();
        // the last word line has no next one: its fine program follows at once
        assert_eq!(found, [0, 0, 0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 12]);
        for (lines, most) in [(one_shot, 3), (two_step, 6)] {
            let kept = (0..12)
                .map(|taken| taken - readable(&lines, taken))
                .max()
                .unwrap_or(0);
            assert!(kept < lines.kept() && lines.kept() == most);
        }
        assert_eq!(WordLines::new(ProgramOrder::Page, CellType::Tlc), None);
    }

    #[test]
    fn the_last_page_of_a_word_line_is_programmed_with_all_of_them() {
        let worked_on = |order, programmed| -> Vec<u32> {
            let lines = WordLines::new(order, CellType::Tlc).unwrap();
            (0..12).filter(|page| lines.works_on(programmed, *page)).collect()
        };
        assert_eq!(worked_on(ProgramOrder::OneShot, 8), [6, 7, 8]);
        assert_eq!(worked_on(ProgramOrder::TwoStep, 8), [3, 4, 5, 6, 7, 8]);
        assert_eq!(worked_on(ProgramOrder::TwoStep, 2), [0, 1, 2]);
        for programmed in [6, 7] {
            assert_eq!(worked_on(ProgramOrder::OneShot, programmed), [0; 0]);
        }
    }
}
