//! Copy-back: whether a page may be copied inside its plane, and how often it was since it last passed the decoder.

use rustc_hash::FxHashMap;
use wordline_nand::{CommandsConfig, RestrictionsConfig, Use};

use crate::state::archive::{Archive, ArchiveError};

/// How copy-backs are used, and the copy-backs in a row of each page where they are limited.
pub(crate) struct CopyBack {
    pub(crate) how: Use,
    /// Whether source and target must both be even pages or both odd ones.
    pub(crate) same_parity: bool,
    /// The most copy-backs in a row; 0 for no limit.
    most_hops: u32,
    hops: FxHashMap<u64, u32>,
}

impl CopyBack {
    pub(super) fn new(commands: &CommandsConfig, restrictions: &RestrictionsConfig) -> Self {
        Self {
            how: commands.copyback,
            same_parity: restrictions.copyback_same_parity,
            most_hops: commands.copyback_max_hops,
            hops: FxHashMap::default(),
        }
    }

    /// Whether copy-backs in a row are limited.
    pub(crate) const fn counts_hops(&self) -> bool {
        self.most_hops != 0
    }

    /// Whether a page may be copied inside its plane.
    #[inline]
    pub(crate) fn allows(&self, page: u64) -> bool {
        self.how != Use::Off
            && (self.most_hops == 0 || self.hops.get(&page).copied().unwrap_or(0) < self.most_hops)
    }

    /// A page was copied inside its plane.
    pub(crate) fn record(&mut self, source: u64, page: u64) {
        if self.counts_hops() {
            let hops = self.hops.get(&source).copied().unwrap_or(0);
            self.hops.insert(page, hops + 1);
        }
    }

    /// A page holds no current data any more.
    pub(crate) fn forget(&mut self, page: u64) {
        self.hops.remove(&page);
    }

    /// Passes the copy-backs in a row to a state file or takes them from it.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.hops)
    }
}
