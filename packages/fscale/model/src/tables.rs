//! Tables of the mapping: their size, and how much of them is in memory.

use serde::Serialize;

use crate::drive::{Design, Drive};
use crate::hit::{Popularity, che, hot_cold, with_uniform, zipf};
use crate::table::{DirectoryEntry, DirectorySize, EntryWidth, HitRate};
use crate::tier::Memory;
use crate::tree_shape::TreeShape;

/// Bits that number `things`, at least 1.
pub(crate) fn bits(things: u64) -> u32 {
    (u64::BITS - things.saturating_sub(1).leading_zeros()).max(1)
}

/// Sizes of the tables of a drive in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TableSizes {
    /// Entries: logical pages.
    pub entries: u64,
    /// Bits of a conventional entry.
    pub entry_bits: u32,
    /// The conventional table.
    pub conventional: u64,
    /// Bits of an entry of FScale's directory.
    pub directory_bits: u32,
    /// FScale's directory.
    pub directory: u64,
    /// The trees of all dies.
    pub second_level: u64,
}

impl TableSizes {
    fn of(drive: &Drive) -> Self {
        let table = &drive.table;
        let entries = drive.logical_pages();
        let packed = |entries: u64, bits: u32| (u128::from(entries) * u128::from(bits)).div_ceil(8) as u64;
        let entry_bits = drive.entry_bits();
        let counted = match table.count_from {
            DirectoryEntry::Logical => drive.capacity.0,
            DirectoryEntry::Physical => drive.physical(),
        };
        let directory_bits = bits(counted.div_ceil(drive.nand.die.0));
        let directory = match table.directory {
            DirectorySize::Hash => 0,
            DirectorySize::Packed => packed(entries, directory_bits),
            DirectorySize::Scaled => {
                let words = u128::from(entries) * 4;
                (words * u128::from(directory_bits)).div_ceil(u128::from(bits(entries))) as u64
            }
        };
        Self {
            entries,
            entry_bits,
            conventional: (packed(entries, entry_bits) as f64 / table.compression).ceil() as u64,
            directory_bits,
            directory,
            second_level: drive.tree().bytes().saturating_mul(drive.dies()),
        }
    }

    /// All of FScale's tables: directory and trees.
    #[must_use]
    pub fn fscale_total(&self) -> u64 {
        self.directory.saturating_add(self.second_level)
    }
}

impl Drive {
    /// Sizes of all tables.
    #[must_use]
    pub fn tables(&self) -> TableSizes {
        TableSizes::of(self)
    }

    pub(crate) fn entry_bits(&self) -> u32 {
        match self.table.entry {
            EntryWidth::Word32 => 32,
            EntryWidth::Packed => bits(self.slots()),
            EntryWidth::Bytes => bits(self.slots()).div_ceil(8) * 8,
            EntryWidth::Literal => bits(self.physical()),
        }
    }

    /// Bytes of the table that the controller looks addresses up in: the conventional one, or FScale's directory.
    #[must_use]
    pub fn looked_up_bytes(&self) -> u64 {
        let sizes = self.tables();
        match self.design {
            Design::Conventional | Design::Hybrid => sizes.conventional,
            Design::FScale => sizes.directory,
        }
    }

    /// Whether an address says where its page is, so that there is no directory.
    pub(crate) fn has_hashed_places(&self) -> bool {
        self.design == Design::FScale && self.table.directory == DirectorySize::Hash
    }

    /// Bytes of memory for entries.
    #[must_use]
    pub fn table_memory(&self) -> u64 {
        match self.table.tiers.is_empty() {
            true => self.table.cache.unwrap_or(self.dram.size).0,
            false => self
                .table
                .tiers
                .iter()
                .fold(0, |sum: u64, tier| sum.saturating_add(tier.size.0)),
        }
    }

    /// Share of look-ups whose entry is in memory.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        self.hit_rate_with(self.table_memory())
    }

    /// The tiers of the table, each with the share of look-ups that find their entry there.
    #[must_use]
    pub(crate) fn tier_shares(&self) -> Vec<(Memory, f64)> {
        let (mut memory, mut below) = (0_u64, 0.0);
        self.table
            .tiers
            .iter()
            .map(|tier| {
                memory = memory.saturating_add(tier.size.0);
                let hit = self.hit_rate_with(memory);
                let share = hit - below;
                below = hit;
                (tier.memory, share)
            })
            .collect()
    }

    fn hit_rate_with(&self, memory: u64) -> f64 {
        let table = self.looked_up_bytes();
        if table == 0 {
            return 1.0;
        }
        let cached = memory as f64 / self.table.page.0 as f64;
        match self.table.hit {
            HitRate::Given => self.table.hit_rate,
            HitRate::Uniform => (memory as f64 / table as f64).min(1.0),
            HitRate::Che => che(&self.popularity(self.table_pages()), cached),
            HitRate::Lru => {
                let moves = match self.design {
                    Design::Conventional | Design::Hybrid => {
                        self.workload.write_fraction * (self.waf() - 1.0 + self.workload.wear_moves)
                    }
                    Design::FScale => 0.0,
                };
                let pages = self.table_pages();
                che(&with_uniform(self.popularity(pages), moves), cached)
            }
        }
    }

    /// Pages of the table that the controller looks addresses up in.
    pub(crate) fn table_pages(&self) -> u64 {
        self.looked_up_bytes().div_ceil(self.table.page.0)
    }

    /// How popular the logical pages are in `pages` groups of neighbours.
    fn popularity(&self, pages: u64) -> Popularity {
        let load = &self.workload;
        let members = self.logical_pages() as f64 / pages as f64;
        if load.hot_pages > 0.0 {
            hot_cold(pages as f64, load.hot_pages, load.hot_accesses)
        } else {
            zipf(pages as f64, members, load.zipf)
        }
    }

    /// Share of writes whose logical page is in the window that gathers parts of pages.
    #[must_use]
    pub fn merged_share(&self) -> f64 {
        if self.workload.coalesce_window == 0 || !self.writes_parts() {
            return 0.0;
        }
        let popularity = self.popularity(self.logical_pages());
        che(&popularity, f64::from(self.workload.coalesce_window))
    }

    /// The tree over the slots of a die.
    #[must_use]
    pub fn tree(&self) -> TreeShape {
        let slots = (self.nand.die.0 / self.logical_page.0).max(1);
        TreeShape::new(slots, self.local.node.0, self.local.entry.0, self.local.fill)
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::ByteSize;

    use super::*;

    const GB: f64 = (1_u64 << 30) as f64;

    fn drive(tb: u64) -> Drive {
        Drive {
            capacity: ByteSize(tb << 40),
            ..Drive::default()
        }
    }

    /// The table of section 6: four readings of equation 5.1, with 8 GB of memory.
    #[test]
    fn readings_of_equation_5_1() {
        // capacity; literal, packed, bytes, word: GB and hit rate
        type Row = (u64, [(f64, f64); 4]);
        let rows: [Row; 5] = [
            (8, [(11.0, 0.73), (8.0, 1.0), (8.0, 1.0), (8.0, 1.0)]),
            (16, [(22.5, 0.36), (16.5, 0.485), (20.0, 0.40), (16.0, 0.50)]),
            (32, [(46.0, 0.17), (34.0, 0.235), (40.0, 0.20), (32.0, 0.25)]),
            (64, [(94.0, 0.085), (70.0, 0.114), (80.0, 0.10), (64.0, 0.125)]),
            (
                128,
                [(192.0, 0.042), (144.0, 0.056), (160.0, 0.05), (128.0, 0.0625)],
            ),
        ];
        let widths = [
            EntryWidth::Literal,
            EntryWidth::Packed,
            EntryWidth::Bytes,
            EntryWidth::Word32,
        ];
        for (tb, expected) in rows {
            for (entry, (size, hit)) in widths.into_iter().zip(expected) {
                let mut drive = drive(tb);
                drive.table.entry = entry;
                let found = drive.tables().conventional as f64 / GB;
                assert!((found - size).abs() < 0.01, "{tb} TB {entry:?}: {found}");
                assert!((drive.hit_rate() - hit).abs() < 0.005, "{tb} TB {entry:?}");
            }
            assert_eq!(drive(tb).warnings().is_empty(), tb == 8);
        }
    }

    /// The table of section 13.1: one petabyte by indirection unit.
    #[test]
    fn tables_of_a_petabyte() {
        for (kib, packed, bytes) in [
            (4, 1.22 * 1024.0, 1.25 * 1024.0),
            (16, 296.0, 320.0),
            (32, 144.0, 160.0),
            (64, 70.0, 80.0),
        ] {
            let mut drive = drive(1024);
            drive.logical_page = ByteSize(kib << 10);
            for (entry, size) in [(EntryWidth::Packed, packed), (EntryWidth::Bytes, bytes)] {
                drive.table.entry = entry;
                let found = drive.tables().conventional as f64 / GB;
                assert!((found / size - 1.0).abs() < 0.005, "{kib} KiB {entry:?}: {found}");
            }
        }
    }

    #[test]
    fn directory_of_the_reproduction() {
        let sizes = drive(128).tables();
        assert_eq!(sizes.directory_bits, 12);
        assert!((sizes.directory as f64 / GB - 128.0 * 12.0 / 35.0).abs() < 1e-6);
        assert_eq!(drive(8).tables().directory_bits, 8);
        for tb in [8, 16, 32, 64, 128] {
            let sizes = drive(tb).tables();
            assert!(sizes.fscale_total() >= sizes.conventional);
        }
    }

    #[test]
    fn skewed_addresses_hit_more() {
        let mut skewed = drive(128);
        skewed.table.hit = HitRate::Che;
        assert!((skewed.hit_rate() - 0.0625).abs() < 1e-3);
        skewed.workload.zipf = 0.9;
        assert!(skewed.hit_rate() > 0.3);
        skewed.workload.hot_pages = 0.05;
        skewed.workload.hot_accesses = 0.9;
        assert!(skewed.hit_rate() > 0.8);
    }
}
