//! What the map on flash costs.

use super::Dftl;
use super::cache::MapCache;
use super::data::DataFtl;
use super::keys::CacheUnit;
use crate::contract::{Ftl, Inspect};
use crate::mapping::recovery::{programmed, reads_per_die};
use crate::table_cost::{TableCost, address_bytes};

impl<D: DataFtl> Dftl<D> {
    /// The controller has the place of each translation page, and the cache: pairs of a logical and a physical page, or numbered
    /// translation pages; all entries where the cache would hold them all. In memory of the host are the physical pages or translation
    /// pages alone: which ones these are stays in the controller.
    ///
    /// After a loss of power the spare areas of translation pages tell where the newest ones are. The entries that they lack
    /// are those of pages programmed since the first change that flash did not have; the spare area of the first page of each
    /// block of data tells the order of the blocks. Those pages count as spread over the dies evenly. Where all entries are in the
    /// controller flash has none of them, and every page is looked at.
    pub(super) fn cost(&self) -> TableCost {
        let keys = &self.keys;
        let translation_pages = self.table.ftl.user_pages();
        let directory = translation_pages * address_bytes(self.geometry.pages());
        let entry_bytes = u64::from(keys.entry_bytes);
        let (numbers, cached) = match (&self.cache, keys.cache_unit) {
            (None, _) => (0, self.user_pages() * entry_bytes),
            (Some(cache), CacheUnit::Entry) => {
                let capacity = u64::from(cache.capacity());
                (
                    capacity * address_bytes(self.user_pages()),
                    capacity * entry_bytes,
                )
            }
            (Some(cache), CacheUnit::Page) => {
                let (capacity, page) = (u64::from(cache.capacity()), u64::from(self.geometry.page_bytes));
                (capacity * address_bytes(translation_pages), capacity * page)
            }
        };
        let (own, of_host) = if keys.is_in_host_memory() {
            (0, cached)
        } else {
            (cached, 0)
        };
        let per_page = self.units.pages_per_program;
        let mut recovery_reads = reads_per_die(self, |block, facts| {
            let pages = programmed(facts).div_ceil(per_page);
            match self.region.block_of_region(block) {
                Some(_) if self.cache.is_some() => pages.min(1),
                _ => pages,
            }
        });
        let changes = self.cache.as_ref().map_or(0, MapCache::changes_to_find);
        let changes = changes.div_ceil(u64::from(per_page));
        let dies = recovery_reads.len() as u64;
        for (die, reads) in (0..).zip(&mut recovery_reads) {
            *reads += (changes + dies - 1 - die) / dies;
        }
        TableCost {
            memory_bytes: directory + numbers + own,
            host_memory_bytes: of_host,
            flash_bytes: self.table.ftl.mapped_pages() * u64::from(self.geometry.page_bytes),
            recovery_reads,
        }
    }
}
