//! Tenants: those who live in the flash space beside the pages of the host and of collection. A tenant hears of blocks and frontiers, and has a say where it has something
//! to say. The functions of the space know none of them by name; which tenants there can be is said here alone.
//!
//! Calls are resolved by type: what a tenant does not hear of costs nothing, and the rest a look at whether it is there.

mod classes;
mod local;
mod placement;
mod placing;
mod refresh;
mod slc_cache;
mod tenant;

use wordline_nand::{Mode, Ppn};
use wordline_units::SimTime;

use super::Ground;
use crate::config::{FlashRules, MappingInput};
use crate::local::LocalWork;
use crate::plan::Frontier;
use crate::refresh::Refresher;
use classes::Classes;
pub(in crate::space) use placement::GroupLimits;
pub use placement::{GroupCounters, HandleCounters, PlacedWrites};
pub(crate) use placement::{NoUnit, Placement};
pub(crate) use placing::{WritePlace, place_write, release_handle};
pub(crate) use slc_cache::SlcCache;
pub(in crate::space) use tenant::Tenant;

/// All tenants of a space, in the order in which they hear and are asked.
pub(crate) struct Tenants {
    /// Open blocks by the handles of host writes; none where handles are ignored.
    pub(crate) placement: Option<Box<Placement>>,
    /// Blocks in which the host writes one bit per cell; none without an SLC cache.
    pub(crate) cache: Option<Box<SlcCache>>,
    /// Classes of blocks; none where blocks are alike.
    pub(crate) classes: Option<Box<Classes>>,
    /// Blocks whose data fade; none where nothing is refreshed.
    pub(crate) refresh: Option<Box<Refresher>>,
    /// Work of the controllers of packages; none where they have none.
    pub(in crate::space) local: Option<LocalWork>,
}

/// Does something with every tenant that is there, each by its own type: `each!(&mut self.tenants, tenant => tenant.failed())`. The compiler refuses a field that is not
/// named here.
macro_rules! each {
    ($tenants:expr, $tenant:ident => $body:expr) => {
        let $crate::space::Tenants {
            placement,
            cache,
            classes,
            refresh,
            local: _,
        } = $tenants;
        if let Some($tenant) = placement {
            $body;
        }
        if let Some($tenant) = cache {
            $body;
        }
        if let Some($tenant) = classes {
            $body;
        }
        if let Some($tenant) = refresh {
            $body;
        }
    };
}
pub(in crate::space) use each;

impl Tenants {
    /// Those that live in blocks of their own, for which the ground is prepared. The others move in later.
    pub(super) fn new(ground: &mut Ground, input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Self {
        Self {
            placement: None,
            classes: Classes::new(ground, rules).map(Box::new),
            cache: SlcCache::new(ground, input, rules).map(Box::new),
            refresh: None,
            local: LocalWork::new(&input.config.local),
        }
    }

    /// From now on the host places writes.
    pub(crate) fn place_by_host(&mut self, ground: &mut Ground, placement: Box<Placement>) {
        if let Some(blocks) = placement.blocks_per_group() {
            ground.blocks.watch_parts(blocks);
        }
        self.placement = Some(placement);
    }

    /// Pages were moved out of a block.
    #[inline]
    pub(crate) fn report_moved(&mut self, from: u32, pages: u64) {
        each!(self, tenant => tenant.moved(from, pages));
    }

    /// All that a block holds is going to be moved to another one.
    pub(crate) fn move_whole(&mut self, from: u32, to: u32) {
        each!(self, tenant => tenant.moves_whole(from, to));
    }

    /// Whether a block that was erased is not to be used again.
    pub(crate) fn refuse(&mut self, ground: &Ground, now: SimTime, block: u32) -> bool {
        let mut is_refused = false;
        each!(self, tenant => is_refused |= tenant.refuses(ground, now, block));
        is_refused
    }

    /// The names of modes of blocks; none where all blocks are in the normal one.
    pub(crate) fn mode_names(&self) -> &[String] {
        each!(self, tenant => if let Some(names) = tenant.mode_names() {
            return names;
        });
        &[]
    }

    /// The mode of a page: that of its block.
    pub(crate) fn mode_of(&self, ground: &Ground, page: Ppn) -> Mode {
        each!(self, tenant => if let Some(mode) = tenant.mode_of(ground, page) {
            return mode;
        });
        Mode::NORMAL
    }

    /// Whether what a frontier programs is in a mode of its own.
    pub(super) fn has_own_mode(&self, frontier: Frontier) -> bool {
        let mut own = false;
        each!(self, tenant => own |= tenant.has_own_mode(frontier));
        own
    }
}
