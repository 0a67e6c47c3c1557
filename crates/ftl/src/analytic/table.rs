//! What designs of the map cost: memory, flash, reads of a look-up, programs of a write, time of recovery (FTL specification, 2.10
//! and 8.4; Peleato, Agarwal and Cioffi, Asilomar 2012). The mappings that are simulated tell the same of a run
//! (`ftl.table.*`); extents, journals and trees are compared with them here.

use wordline_nand::Geometry;
use wordline_units::Duration;

use super::recovery::{PageRead, read_all};

/// How the map is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TableDesign {
    /// An entry for each page, in memory; nothing on flash but the spare areas of the data.
    Memory,
    /// The same with a journal on flash and a checkpoint of the whole map after so many writes.
    Journal {
        /// Bytes of the record of a write.
        record_bytes: u32,
        /// Writes of pages between two checkpoints, at least 1.
        checkpoint_writes: u64,
        /// Whether a checkpoint leaves out pages of the map without a change.
        incremental: bool,
    },
    /// An entry for each block; a page keeps its offset.
    Blocks,
    /// Translation pages on flash, and a cache of entries.
    Demand {
        /// Entries in the cache.
        cached: u64,
        /// Share of look-ups that the cache answers.
        hit_ratio: f64,
        /// Share of evicted entries that were changed.
        changed: f64,
    },
    /// An entry (logical page, physical page, length) for each run of pages that are in sequence in both, in memory.
    Extents {
        /// Pages of a run in the mean, at least 1.
        pages: u64,
    },
    /// A tree on flash, each page of which has one node of every level: the path that a write changes is one program (Kang et
    /// al., EMSOFT 2007). A leaf takes half of the page, each node above half of what is left, the root the rest.
    Tree,
}

/// The drive that a map is for.
#[derive(Clone, Copy, Debug)]
pub struct TableDrive<'a> {
    /// The array.
    pub geometry: &'a Geometry,
    /// Logical pages.
    pub user_pages: u64,
    /// Bytes of an address.
    pub entry_bytes: u32,
    /// What reading the spare area of a page takes.
    pub spare: PageRead,
    /// What reading a page takes.
    pub page: PageRead,
}

/// The cost of a design under uniform random writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DesignCost {
    /// Bytes of the controller's memory.
    pub memory_bytes: u64,
    /// Bytes on flash, without spare space.
    pub flash_bytes: u64,
    /// Reads of flash for a look-up, in the mean.
    pub reads_per_lookup: f64,
    /// Programs of pages of the map for each page that the host writes, in the mean.
    pub programs_per_write: f64,
    /// Time after a sudden loss of power until every page is found again.
    pub recovery: Duration,
}

impl TableDesign {
    /// What the design costs.
    #[must_use]
    pub fn cost(self, drive: &TableDrive<'_>) -> DesignCost {
        let TableDrive {
            geometry,
            user_pages,
            entry_bytes,
            ..
        } = *drive;
        let (entry, page) = (u64::from(entry_bytes), u64::from(geometry.page_bytes));
        let blocks = u64::from(geometry.blocks());
        let pages_per_block = u64::from(geometry.pages_per_block);
        let table_pages = (user_pages * entry).div_ceil(page);
        let all = DesignCost {
            memory_bytes: user_pages * entry,
            flash_bytes: 0,
            reads_per_lookup: 0.0,
            programs_per_write: 0.0,
            recovery: drive.read_evenly(geometry.pages(), drive.spare),
        };
        match self {
            Self::Memory => all,
            Self::Journal {
                record_bytes,
                checkpoint_writes,
                incremental,
            } => {
                let record = u64::from(record_bytes);
                let journal_pages = (checkpoint_writes * record).div_ceil(page);
                let (whole, writes) = (table_pages as f64, checkpoint_writes as f64);
                let written = if incremental {
                    whole * (1.0 - (1.0 - 1.0 / whole).powf(writes))
                } else {
                    whole
                };
                let open = u64::from(geometry.dies()) * pages_per_block;
                DesignCost {
                    // two checkpoints: one is valid while the other is written
                    flash_bytes: (2 * table_pages + journal_pages) * page,
                    programs_per_write: record as f64 / page as f64 + written / writes,
                    recovery: drive.read_evenly(table_pages, drive.page)
                        + drive.read_evenly(journal_pages, drive.page)
                        + drive.read_evenly(open, drive.spare),
                    ..all
                }
            }
            Self::Blocks => DesignCost {
                memory_bytes: user_pages.div_ceil(pages_per_block) * entry,
                recovery: drive.read_evenly(blocks, drive.spare),
                ..all
            },
            Self::Demand {
                cached,
                hit_ratio,
                changed,
            } => DesignCost {
                memory_bytes: table_pages * entry + cached * 2 * entry,
                flash_bytes: table_pages * page,
                reads_per_lookup: (1.0 - hit_ratio) * (1.0 + changed),
                programs_per_write: (1.0 - hit_ratio) * changed,
                // translation pages, the order of blocks, and at most as many pages as there are entries that flash lacks
                recovery: drive.read_evenly(table_pages + blocks + cached, drive.spare),
            },
            Self::Extents { pages } => DesignCost {
                memory_bytes: user_pages.div_ceil(pages) * 3 * entry,
                ..all
            },
            Self::Tree => {
                let (levels, leaf) = drive.tree();
                let leaves = user_pages.div_ceil(leaf);
                // the newest page: that of the newest block, by the first page of each and bisection in the last
                let looks =
                    leaves.div_ceil(pages_per_block) + u64::from(u64::BITS - pages_per_block.leading_zeros());
                DesignCost {
                    memory_bytes: entry,
                    flash_bytes: leaves * page,
                    reads_per_lookup: f64::from(levels),
                    programs_per_write: 1.0,
                    recovery: drive.read_evenly(looks, drive.spare),
                }
            }
        }
    }
}

impl TableDrive<'_> {
    /// The time to read so many pages that are spread over the dies.
    fn read_evenly(&self, pages: u64, each: PageRead) -> Duration {
        let dies = u64::from(self.geometry.dies());
        let of_die: Vec<u64> = (0..dies).map(|die| (pages + dies - 1 - die) / dies).collect();
        read_all(self.geometry, &of_die, each)
    }

    /// Levels of a tree whose pages have a node of each, and the entries of a leaf.
    fn tree(&self) -> (u32, u64) {
        let entries = u64::from(self.geometry.page_bytes / self.entry_bytes);
        let mut levels = 1;
        loop {
            // shares of a page from the leaf up: 1/2, 1/4, ..., and the root as much as the node below it
            let fan_out = |level: u32| (entries >> (level + 1).min(levels - 1)).max(2);
            let reached = (0..levels).map(fan_out).fold(1_u64, u64::saturating_mul);
            if reached >= self.user_pages || levels == u64::BITS {
                return (levels, fan_out(0));
            }
            levels += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_nand::GeometryConfig;
    use wordline_units::ByteSize;

    use super::*;

    /// The drive of section 8.4 of the specification: 2^36 bytes in pages of 4 KiB, 8 channels of 4 dies.
    fn on_drive<T>(user_pages: u64, ask: impl FnOnce(&TableDrive<'_>) -> T) -> T {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 8,
            chips_per_channel: 4,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 2048,
            pages_per_block: 256,
            page_size: ByteSize(4096),
            ..GeometryConfig::default()
        })
        .unwrap();
        let spare = PageRead {
            command: Duration(175),
            sense: Duration(25_000),
            transfer: Duration(1_280),
        };
        let page = PageRead {
            transfer: Duration(40_960),
            ..spare
        };
        ask(&TableDrive {
            geometry: &geometry,
            user_pages,
            entry_bytes: 4,
            spare,
            page,
        })
    }

    const JOURNAL: TableDesign = TableDesign::Journal {
        record_bytes: 12,
        checkpoint_writes: 262_144,
        incremental: false,
    };

    /// Section 2.10: 2^20 pages have 1024 pages of the map; 12 bytes of each write and 1024 pages after 262,144 writes.
    #[test]
    fn the_journal_of_the_specification() {
        let cost = on_drive(1 << 20, |drive| JOURNAL.cost(drive));
        assert!((cost.programs_per_write - 0.006_836).abs() < 1e-6, "{cost:?}");
        assert_eq!(cost.flash_bytes, (2 * 1024 + 768) * 4096);
        // after as many writes as there are pages of the map 63.2 % of these have changed
        let often = TableDesign::Journal {
            record_bytes: 12,
            checkpoint_writes: 1024,
            incremental: true,
        };
        let cost = on_drive(1 << 20, |drive| often.cost(drive));
        assert!(
            (cost.programs_per_write - (12.0 / 4096.0 + 0.632_3)).abs() < 1e-4,
            "{cost:?}"
        );
        let cost = on_drive(1 << 24, |drive| JOURNAL.cost(drive));
        assert!((cost.recovery.ns() as f64 / 1e9 - 0.095).abs() < 5e-4, "{cost:?}");
    }

    /// A page of 4 KiB has 1024 addresses. A tree of one level has them all in its root; of two, 512 in the leaf and as many in the
    /// root; of three, 512, 256 and 256, which reach 2^25 pages.
    #[test]
    fn the_levels_of_a_tree() {
        for (pages, levels, leaf) in [
            (1024, 1, 1024),
            (1025, 2, 512),
            (1 << 18, 2, 512),
            ((1 << 18) + 1, 3, 512),
            (1 << 25, 3, 512),
            ((1 << 25) + 1, 4, 512),
        ] {
            assert_eq!(on_drive(pages, |drive| drive.tree()), (levels, leaf), "{pages}");
        }
    }

    /// An extent of one page takes three addresses where a map of pages takes one; of three pages, the same.
    #[test]
    fn short_extents_take_more_than_pages() {
        let memory = |pages| {
            let design = TableDesign::Extents { pages };
            on_drive(3 << 20, |drive| design.cost(drive).memory_bytes)
        };
        let of_pages = on_drive(3 << 20, |drive| TableDesign::Memory.cost(drive).memory_bytes);
        assert_eq!(
            [memory(1), memory(3), memory(12)],
            [3 * of_pages, of_pages, of_pages / 4]
        );
    }

    /// The table of docs/explanations/mappings.md.
    #[test]
    fn the_table_of_the_page() {
        let page = include_str!("../../../../docs/explanations/mappings.md");
        let mut missing = Vec::new();
        let demand = TableDesign::Demand {
            cached: 1 << 18,
            hit_ratio: 0.9,
            changed: 0.5,
        };
        for (name, design) in [
            ("map of pages in memory", TableDesign::Memory),
            ("with journal and checkpoints", JOURNAL),
            ("map of blocks in memory", TableDesign::Blocks),
            ("map on flash, cache of 2^18 entries", demand),
            (
                "extents of 16 pages in memory",
                TableDesign::Extents { pages: 16 },
            ),
            ("extents of 1 page in memory", TableDesign::Extents { pages: 1 }),
            ("tree on flash", TableDesign::Tree),
        ] {
            let cost = on_drive(1 << 24, |drive| design.cost(drive));
            let mib = |bytes: u64| format!("{:.4}", bytes as f64 / 1_048_576.0);
            let row = format!(
                "| {name} | {} | {} | {:.3} | {:.4} | {:.4} |",
                mib(cost.memory_bytes),
                mib(cost.flash_bytes),
                cost.reads_per_lookup,
                cost.programs_per_write,
                cost.recovery.ns() as f64 / 1e9
            );

            missing.extend((!page.contains(&row)).then_some(row));
        }
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }
}
