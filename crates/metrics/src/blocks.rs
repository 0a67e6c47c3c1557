//! The table of blocks: state and wear of every block at the end of a run.

use wordline_ftl::{BlockRole, Inspect};
use wordline_nand::BlockId;

/// The number of a role in the column `role`; `ROLES` of `python/wordline/columns.py` has the names in this order.
const fn role_number(role: BlockRole) -> u8 {
    match role {
        BlockRole::Free => 0,
        BlockRole::Open => 1,
        BlockRole::Closed => 2,
        BlockRole::Bad => 3,
    }
}

/// The state of the blocks, one vector per column. Address numbers are relative to the level
/// above, `block` is flat over the drive.
#[derive(Clone, Debug, Default)]
pub struct BlockTable {
    /// Blocks of the drive, listed or not.
    pub blocks_in_drive: u64,
    /// Block, flat over the drive.
    pub block: Vec<u32>,
    /// Channel in the drive.
    pub channel: Vec<u32>,
    /// Chip on the channel.
    pub chip: Vec<u32>,
    /// Die in the chip.
    pub die: Vec<u32>,
    /// Plane in the die.
    pub plane: Vec<u32>,
    /// Block in the plane.
    pub index: Vec<u32>,
    /// Role: 0 is free, 1 open, 2 closed, 3 bad.
    pub role: Vec<u8>,
    /// Pages with the current version of a logical page.
    pub valid: Vec<u32>,
    /// Programmed pages that hold no current version.
    pub invalid: Vec<u32>,
    /// Pages not passed yet.
    pub free: Vec<u32>,
    /// Pages given up without being programmed.
    pub skipped: Vec<u32>,
    /// Times the block was erased.
    pub erase_count: Vec<u32>,
}

impl BlockTable {
    /// Asks `ftl` for the state of its first `limit` blocks.
    #[must_use]
    pub fn of(ftl: &dyn Inspect, limit: u64) -> Self {
        let geometry = ftl.geometry();
        let rows = u64::from(geometry.blocks()).min(limit) as u32;
        let mut table = Self {
            blocks_in_drive: u64::from(geometry.blocks()),
            ..Self::default()
        };
        table.reserve(rows as usize);
        for number in 0..rows {
            let block = BlockId(number);
            let address = geometry.address(geometry.page(block, 0));
            let facts = ftl.block(block);
            table.block.push(number);
            table.channel.push(address.channel);
            table.chip.push(address.chip);
            table.die.push(address.die);
            table.plane.push(address.plane);
            table.index.push(address.block);
            table.role.push(role_number(facts.role));
            table.valid.push(facts.valid);
            table.invalid.push(facts.invalid);
            table.free.push(facts.free);
            table.skipped.push(facts.skipped);
            table.erase_count.push(facts.erase_count);
        }
        table
    }

    fn reserve(&mut self, rows: usize) {
        self.role.reserve_exact(rows);
        for column in [
            &mut self.block,
            &mut self.channel,
            &mut self.chip,
            &mut self.die,
            &mut self.plane,
            &mut self.index,
            &mut self.valid,
            &mut self.invalid,
            &mut self.free,
            &mut self.skipped,
            &mut self.erase_count,
        ] {
            column.reserve_exact(rows);
        }
    }

    /// Rows held.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.block.len() as u64
    }

    /// Whether the drive has blocks that the table does not list.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.rows() < self.blocks_in_drive
    }
}

/// How often the blocks of a drive were erased.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EraseCounts {
    /// Mean over all blocks.
    pub mean: f64,
    /// Least worn block.
    pub min: u32,
    /// Most worn block.
    pub max: u32,
    /// Standard deviation over all blocks (of the population).
    pub stddev: f64,
    /// Gini coefficient: half the mean difference of two blocks, as a share of the mean: 0 where all blocks are equally worn, up
    /// to 1 where one has all erases. None without an erase.
    pub gini: Option<f64>,
}

impl EraseCounts {
    /// Reads the erase count of every block of `ftl`.
    #[must_use]
    pub fn of(ftl: &dyn Inspect) -> Self {
        Self::over((0..ftl.geometry().blocks()).map(|block| ftl.block_use(BlockId(block)).erase_count))
    }

    /// Over given counts. Exact sums, so the result does not depend on their order.
    #[must_use]
    pub fn over(counts: impl Iterator<Item = u32>) -> Self {
        let mut counts: Vec<u32> = counts.collect();
        counts.sort_unstable();
        let (Some(&min), Some(&max)) = (counts.first(), counts.last()) else {
            return Self::default();
        };
        let blocks = counts.len() as u128;
        let (mut sum, mut squares, mut ranked) = (0_u128, 0_u128, 0_u128);
        for (rank, count) in (1_u128..).zip(&counts) {
            let count = u128::from(*count);
            sum += count;
            squares += count * count;
            ranked += rank * count;
        }
        // n * sum of squares - square of the sum: an exact integer, never negative
        let spread = (blocks * squares).saturating_sub(sum * sum);
        // the same of ranks: 2 * sum of rank times count - (n + 1) * sum
        let differences = (2 * ranked).saturating_sub((blocks + 1) * sum);
        Self {
            mean: sum as f64 / blocks as f64,
            min,
            max,
            stddev: (spread as f64).sqrt() / blocks as f64,
            gini: (sum > 0).then(|| differences as f64 / (blocks * sum) as f64),
        }
    }

    /// Coefficient of variation: the standard deviation as a share of the mean. None without an erase.
    #[must_use]
    pub fn variation(&self) -> Option<f64> {
        (self.mean > 0.0).then(|| self.stddev / self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erase_counts_by_hand() {
        let counts = EraseCounts::over([2, 4, 4, 4, 5, 5, 7, 9].into_iter());
        assert_eq!(
            counts,
            EraseCounts {
                mean: 5.0,
                min: 2,
                max: 9,
                stddev: 2.0,
                // 2 * (2 + 8 + 12 + 16 + 25 + 30 + 49 + 72) - 9 * 40 = 68, of 8 * 40
                gini: Some(0.2125),
            }
        );
        assert_eq!(counts.variation(), Some(0.4));
        // one block of four has all erases: 1 - 1/4
        assert_eq!(EraseCounts::over([0, 7, 0, 0].into_iter()).gini, Some(0.75));
        let fresh = EraseCounts::over([0, 0].into_iter());
        assert_eq!((fresh.gini, fresh.variation()), (None, None));
        let worn = EraseCounts::over(std::iter::repeat_n(u32::MAX, 3));
        assert_eq!((worn.gini, worn.variation()), (Some(0.0), Some(0.0)));
        assert_eq!(EraseCounts::over(std::iter::empty()), EraseCounts::default());
        assert_eq!(EraseCounts::over(std::iter::repeat_n(u32::MAX, 3)).stddev, 0.0);
    }

    #[test]
    fn a_table_is_truncated_where_blocks_are_left_out() {
        let table = |blocks_in_drive| BlockTable {
            blocks_in_drive,
            block: vec![0, 1],
            ..BlockTable::default()
        };
        assert!(!table(2).truncated());
        assert!(table(3).truncated());
    }
}
