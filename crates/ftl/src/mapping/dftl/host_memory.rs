//! The cache in memory that the host lends the drive (NVMe base specification, host memory buffer): every entry that is looked up,
//! brought or changed goes over the link.
//!
//! Which entries the cache has the controller knows by itself, so that a miss costs no access. An entry that is needed is read
//! before the flash is touched; what is written is not waited for, as nobody else can read it.

use super::Dftl;
use super::data::DataFtl;
use super::keys::CacheUnit;
use crate::inflight::NO_TOKEN;
use crate::plan::{Cause, MemoryAccess, Plan, Step, Work};

impl<D: DataFtl> Dftl<D> {
    /// Whether the cache is in memory of the host.
    pub(super) fn caches_in_host(&self) -> bool {
        self.keys.is_in_host_memory()
    }

    /// Plans that the entry of one logical page is read from the cache; its mask, which is empty where the controller has it.
    pub(super) fn read_entry(&mut self, page: u32, plan: &mut Plan) -> u64 {
        let bytes = self.keys.entry_bytes;
        self.access_cache(MemoryAccess::Read, bytes, page, 0, plan)
    }

    /// Plans that so many of what the cache holds of a translation page are read, to be written to flash; the mask.
    pub(super) fn read_changed(&mut self, count: u32, page: u32, plan: &mut Plan) -> u64 {
        let bytes = count * self.bytes_of_key();
        self.access_cache(MemoryAccess::Read, bytes, page, 0, plan)
    }

    /// Plans that so many of what the cache holds are written there, after the steps of a mask brought them.
    pub(super) fn write_brought(&mut self, count: u64, page: u32, after: u64, plan: &mut Plan) {
        let bytes = count as u32 * self.bytes_of_key();
        self.access_cache(MemoryAccess::Write, bytes, page, after, plan);
    }

    /// Plans that the changed entry of one logical page is written to the cache.
    pub(super) fn write_entry(&mut self, page: u32, plan: &mut Plan) {
        let bytes = self.keys.entry_bytes;
        self.access_cache(MemoryAccess::Write, bytes, page, 0, plan);
    }

    /// Counts what [`Self::read_entry`] would plan for a write of a logical page whose entry the cache has.
    pub(super) fn count_read_at_once(&mut self) {
        if self.caches_in_host() && self.keys.fetch_on_write {
            self.counters.host_bytes_read += u64::from(self.keys.entry_bytes);
        }
    }

    /// Counts what [`Self::write_entry`] would.
    pub(super) fn count_write_at_once(&mut self) {
        if self.caches_in_host() {
            self.counters.host_bytes_written += u64::from(self.keys.entry_bytes);
        }
    }

    /// Bytes of what the cache holds under a key.
    fn bytes_of_key(&self) -> u32 {
        match self.keys.cache_unit {
            CacheUnit::Entry => self.keys.entry_bytes,
            CacheUnit::Page => self.geometry.page_bytes,
        }
    }

    /// Plans an access to the cache for a translation page, counted; its mask.
    fn access_cache(
        &mut self,
        access: MemoryAccess,
        bytes: u32,
        page: u32,
        after: u64,
        plan: &mut Plan,
    ) -> u64 {
        if !self.caches_in_host() || bytes == 0 {
            return 0;
        }
        match access {
            MemoryAccess::Read => self.counters.host_bytes_read += u64::from(bytes),
            MemoryAccess::Write => self.counters.host_bytes_written += u64::from(bytes),
        }
        plan.push(Step {
            work: Work::HostMemory { access, bytes },
            cause: Cause::Mapping,
            acknowledges: false,
            after,
            lpn: self.table.lpn(page),
            token: NO_TOKEN,
        });
        1 << (plan.len() - 1)
    }
}
