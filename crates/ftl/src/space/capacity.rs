//! How much a drive exports, and whether its pools can do with the rest.

use wordline_nand::Geometry;

use super::pool::Watermarks;
use super::tenants::GroupLimits;
use crate::allocation::{AllocationConfig, AllocationMode, DynamicMode};
use crate::config::{
    CacheBlocks, FtlConfig, GcConfig, GcFrontier, HandleUnits, OverProvisioningBasis, Pool, WatermarkBasis,
};
use crate::error::FtlError;
use crate::map::MOST_PAGES;
use crate::policy::victim::WearOut;

/// The sizes that follow from geometry and configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    pub(crate) user_pages: u64,
    pub(crate) planes_per_pool: u32,
    /// Temperatures of host writes; each has an open block in every plane.
    pub(crate) temperatures: u8,
    /// Strong classes of blocks; each has an open block in every plane beside the others.
    pub(crate) strong_classes: u8,
    /// Pages of a pool that may hold data while its collection goes on.
    pub(crate) most_pages_per_pool: u64,
    /// Units of placement handles; each has an open block in every plane, or two.
    pub(crate) handles: HandleUnits,
    /// Whether collection moves pages to open blocks of the next colder temperature.
    pub(crate) cools_when_moved: bool,
    pub(crate) watermarks: Watermarks,
    /// Blocks of each pool for the SLC cache.
    pub(crate) cache: CacheBlocks,
    /// Pages of a block that lie in planes of their own, and are moved together: 1 unless blocks are superblocks.
    pub(crate) width: u32,
}

impl Capacity {
    /// Checks a configuration against its geometry.
    ///
    /// # Errors
    /// What sections 13 of both specifications refuse.
    pub(crate) fn new(
        geometry: &Geometry,
        config: &FtlConfig,
        allocation: &AllocationConfig,
    ) -> Result<Self, FtlError> {
        let handles = config.placement.units()?;
        config
            .placement
            .groups(geometry, planes_per_pool(geometry, config.gc.pool), allocation)?;
        Self::of_handles(geometry, config, allocation, handles)
    }

    /// The same of a mapping that writes pages of its own beside those of the host, to an open block of their own in every plane. Handles
    /// are ignored.
    ///
    /// # Errors
    /// As for `new`.
    pub(crate) fn with_own_pages(
        geometry: &Geometry,
        config: &FtlConfig,
        allocation: &AllocationConfig,
    ) -> Result<Self, FtlError> {
        let own = HandleUnits {
            count: 1,
            isolated: false,
        };
        Self::of_handles(geometry, config, allocation, own)
    }

    fn of_handles(
        geometry: &Geometry,
        config: &FtlConfig,
        allocation: &AllocationConfig,
        handles: HandleUnits,
    ) -> Result<Self, FtlError> {
        check_limits(geometry, config)?;
        let temperatures = config.hot.temperatures()?;
        let planes_per_pool = planes_per_pool(geometry, config.gc.pool);
        check_scope(geometry, planes_per_pool, allocation)?;
        let user_pages = user_pages(geometry, config)?;
        let pools = geometry.planes() / planes_per_pool;
        let user_pages_per_pool = user_pages.div_ceil(u64::from(pools));
        let blocks = planes_per_pool * geometry.blocks_per_plane;
        let watermarks = watermarks(&config.gc, blocks, user_pages_per_pool, geometry.pages_per_block)?;

        // Host writes must find a block to reclaim while the reserve is whole and the open blocks
        // of collection are empty: some user page fewer than the other blocks have.
        let cache = config.slc_cache.blocks(planes_per_pool);
        let own = (open_blocks(temperatures, handles, config.gc.frontier) - 1) * planes_per_pool + cache.kept;
        let usable =
            u64::from(blocks.saturating_sub(watermarks.reserve + own)) * u64::from(sure_pages(geometry));
        if user_pages_per_pool >= usable {
            return Err(FtlError::new(
                "ftl.over_provisioning",
                config.over_provisioning,
                format!(
                    "too small: a pool of {blocks} blocks must hold {user_pages_per_pool} user pages, but only {usable} fit beside {} \
                     reserve blocks (ftl.gc.reserve_blocks) and {own} open blocks of collection, of further temperatures and of placement handles, or of the SLC cache",
                    watermarks.reserve
                ),
            ));
        }
        Ok(Self {
            user_pages,
            planes_per_pool,
            temperatures,
            strong_classes: 0,
            handles,
            cools_when_moved: config.hot.classifier.row()?.cools_when_moved,
            most_pages_per_pool: usable - 1,
            watermarks,
            cache,
            width: 1,
        })
    }

    /// What a reclaim group of so many pools may hold. Where operations fail it is its share of the user pages: so much it can hold until the drive has too few
    /// usable blocks for that and takes no more writes.
    pub(super) fn group_limits(&self, geometry: &Geometry, pools: u32, fails: bool) -> GroupLimits {
        let all = u64::from(geometry.planes() / self.planes_per_pool);
        let (pools, share) = (u64::from(pools), self.user_pages.div_ceil(all));
        let most = pools * self.most_pages_per_pool;
        let sure = if fails { pools * share } else { most };
        GroupLimits { most, sure }
    }

    /// The same with so many strong classes of blocks.
    pub(crate) const fn with_strong_classes(mut self, classes: u8) -> Self {
        self.strong_classes = classes;
        self
    }

    /// The same of a drive whose blocks are superblocks with pages in so many planes.
    pub(crate) const fn with_width(mut self, width: u32) -> Self {
        self.width = width;
        self
    }

    /// Open blocks of a pool, and those that are kept for the SLC cache.
    fn open_blocks(&self, frontier: GcFrontier) -> u32 {
        let alike = open_blocks(self.temperatures, self.handles, frontier);
        (alike + u32::from(self.strong_classes)) * self.planes_per_pool + self.cache.kept
    }

    /// Checks the configuration of a mapping of whole blocks, whose pools are planes: each plane exports whole logical
    /// blocks, and has one block more beside its reserve.
    ///
    /// # Errors
    /// As for `new`.
    pub(crate) fn of_whole_blocks(geometry: &Geometry, config: &FtlConfig) -> Result<Self, FtlError> {
        check_limits(geometry, config)?;
        let per_plane = u64::from(geometry.planes()) * u64::from(geometry.pages_per_block);
        let logical_blocks = user_pages(geometry, config)? / per_plane;
        let blocks = geometry.blocks_per_plane;
        let user_pages = logical_blocks * per_plane;
        let exported = logical_blocks * u64::from(geometry.pages_per_block);
        let watermarks = watermarks(&config.gc, blocks, exported, geometry.pages_per_block)?;
        let most = blocks.saturating_sub(watermarks.reserve + 1);
        if logical_blocks == 0 || logical_blocks > u64::from(most) {
            return Err(FtlError::new(
                "ftl.over_provisioning",
                config.over_provisioning,
                format!(
                    "so much that a plane of {blocks} blocks exports from 1 to {most} logical blocks; {logical_blocks} \
                     fall to it, beside {} reserve blocks (ftl.gc.reserve_blocks) and one to merge",
                    watermarks.reserve
                ),
            ));
        }
        Ok(Self {
            user_pages,
            planes_per_pool: 1,
            temperatures: 1,
            strong_classes: 0,
            handles: HandleUnits::default(),
            cools_when_moved: false,
            most_pages_per_pool: exported,
            watermarks,
            cache: CacheBlocks::default(),
            width: 1,
        })
    }

    /// Usable blocks with which a pool whose share of the user pages holds data serves writes and reaches the goal of its collection.
    pub(crate) fn least_blocks(&self, geometry: &Geometry, frontier: GcFrontier) -> u32 {
        let pools = u64::from(geometry.planes() / self.planes_per_pool);
        let share = self.user_pages.div_ceil(pools);
        let full = share.div_ceil(u64::from(sure_pages(geometry))) as u32;
        // a block more than collection wants to have free, and than host writes leave to it
        full + self.blocks_beside_data(frontier)
    }

    /// Blocks of a pool that are open or that collection wants to be free, and one more.
    pub(crate) fn blocks_beside_data(&self, frontier: GcFrontier) -> u32 {
        let open = self.open_blocks(frontier);
        let marks = &self.watermarks;
        open + marks.high.max(marks.reserve) + 1
    }

    /// Checks that collection can reach its goal while `pages` user pages hold data; otherwise it
    /// would copy without end.
    ///
    /// # Errors
    /// `ftl.gc.high` is not below the share of blocks that they leave.
    pub(crate) fn check_filled(
        &self,
        geometry: &Geometry,
        frontier: GcFrontier,
        pages: u64,
    ) -> Result<(), FtlError> {
        let blocks = self.planes_per_pool * geometry.blocks_per_plane;
        let pools = u64::from(geometry.planes() / self.planes_per_pool);
        let full = pages.div_ceil(pools).div_ceil(u64::from(sure_pages(geometry))) as u32;
        let open = self.open_blocks(frontier);
        let most = blocks.saturating_sub(full + open);
        self.check_high(most, pages, || {
            format!(
                "a pool has {blocks} blocks, {full} are needed for its share of them, and open blocks: {open}"
            )
        })
    }

    /// Checks that collection stops before more than `most` blocks of a pool are free, on a drive that holds `pages` pages;
    /// `why` says what takes the others.
    ///
    /// # Errors
    /// It does not.
    pub(crate) fn check_high(
        &self,
        most: u32,
        pages: u64,
        why: impl FnOnce() -> String,
    ) -> Result<(), FtlError> {
        let high = self.watermarks.high;
        if high <= most {
            return Ok(());
        }
        Err(FtlError::new(
            "ftl.gc.high",
            format!("{high} free blocks"),
            format!(
                "at most {most} on a drive that holds {pages} pages of data: {}; larger planes (geometry.blocks_per_plane) or \
                 more spare space (ftl.over_provisioning) leave more free",
                why()
            ),
        ))
    }
}

/// What the tables of blocks and pages can hold, and policies that make sense.
fn check_limits(geometry: &Geometry, config: &FtlConfig) -> Result<(), FtlError> {
    if geometry.pages() > MOST_PAGES {
        let accepted = "at most 2^39 - 2 pages in the drive";
        return Err(FtlError::new("geometry", geometry.pages(), accepted));
    }
    if geometry.pages_per_block >= 1 << 15 {
        let accepted = "at most 32767";
        return Err(FtlError::new(
            "geometry.pages_per_block",
            geometry.pages_per_block,
            accepted,
        ));
    }
    check_policies(config)
}

fn user_pages(geometry: &Geometry, config: &FtlConfig) -> Result<u64, FtlError> {
    let share = config.over_provisioning;
    let refuse = |accepted: &str| Err(FtlError::new("ftl.over_provisioning", share, accepted));
    if !(share.is_finite() && share > 0.0) {
        return refuse("a fraction above 0, such as 0.28");
    }
    let pages = geometry.pages() as f64;
    let user = match config.over_provisioning_basis {
        OverProvisioningBasis::User => pages / (1.0 + share),
        OverProvisioningBasis::Raw if share >= 1.0 => {
            return refuse("below 1 with ftl.over_provisioning_basis = \"raw\"");
        }
        OverProvisioningBasis::Raw => pages * (1.0 - share),
    };
    // A product that misses a whole number by the rounding of its factors is that number.
    let user = if (user - user.round()).abs() < 1e-6 {
        user.round()
    } else {
        user.floor()
    };
    if user < 1.0 {
        return refuse("less: nothing is left to export");
    }
    Ok(user as u64)
}

fn check_policies(config: &FtlConfig) -> Result<(), FtlError> {
    let (gc, wear) = (&config.gc, &config.wear);
    (gc.victim.row()?.check)(&gc.keys)?;
    if gc.reserve_blocks < 1 {
        return Err(FtlError::new(
            "ftl.gc.reserve_blocks",
            gc.reserve_blocks,
            "at least 1 block",
        ));
    }
    if wear.check_erases < 1 {
        return Err(FtlError::new(
            "ftl.wear.check_erases",
            wear.check_erases,
            "at least 1 erase",
        ));
    }
    wear.keys.read::<WearOut>().check()
}

/// Pages of a block that may hold data while its collection gains a program at least: all but one, or a block could be full
/// but for a part of a program.
const fn sure_pages(geometry: &Geometry) -> u32 {
    geometry.pages_per_block - (geometry.pages_per_program - 1)
}

/// Open blocks of a plane.
fn open_blocks(temperatures: u8, handles: HandleUnits, frontier: GcFrontier) -> u32 {
    let of_moves = match (frontier, handles.isolated) {
        (GcFrontier::Shared, _) => 0,
        (GcFrontier::Separate, false) => 1,
        (GcFrontier::Separate, true) => 1 + u32::from(handles.count),
    };
    u32::from(temperatures) + u32::from(handles.count) + of_moves
}

const fn planes_per_pool(geometry: &Geometry, pool: Pool) -> u32 {
    match pool {
        Pool::Plane => 1,
        Pool::Die => geometry.planes_per_die,
        Pool::Chip => geometry.planes_per_die * geometry.dies_per_chip,
        Pool::Channel => geometry.planes_per_die * geometry.dies_per_channel(),
        Pool::Drive => geometry.planes(),
    }
}

/// Moves stay in a pool, so it must not reach beyond where allocation may put a page.
fn check_scope(
    geometry: &Geometry,
    planes_per_pool: u32,
    allocation: &AllocationConfig,
) -> Result<(), FtlError> {
    let (most, accepted) = match (allocation.mode, allocation.dynamic) {
        (AllocationMode::Static, _) => (
            1,
            "\"plane\" with allocation.mode = \"static\": a logical page never leaves its plane",
        ),
        (AllocationMode::Dynamic, DynamicMode::ChannelBound) => (
            geometry.planes_per_die * geometry.dies_per_channel(),
            "at most \"channel\" with allocation.dynamic = \"channel_bound\"",
        ),
        (AllocationMode::Dynamic, DynamicMode::Full) => (geometry.planes(), ""),
    };
    if planes_per_pool > most {
        let found = format!("{planes_per_pool} planes");
        return Err(FtlError::new("ftl.gc.pool", found, accepted));
    }
    Ok(())
}

/// Watermarks in whole blocks, rounded up.
fn watermarks(
    gc: &GcConfig,
    blocks: u32,
    user_pages: u64,
    pages_per_block: u32,
) -> Result<Watermarks, FtlError> {
    let unit = match gc.basis {
        WatermarkBasis::Blocks => 1.0,
        WatermarkBasis::Pool => f64::from(blocks),
        WatermarkBasis::Exported => user_pages as f64 / f64::from(pages_per_block),
    };
    let in_blocks = |key, value: f64| {
        if gc.basis == WatermarkBasis::Blocks && 0.0 < value && value < 1.0 {
            let accepted = "a number of free blocks; shares such as 0.1 or \"10%\" are for ftl.gc.basis = \"pool\" or \
                            \"exported\"";
            return Err(FtlError::new(key, value, accepted));
        }
        let count = (value * unit - 1e-9).ceil();
        if count >= 0.0 && count <= f64::from(blocks) {
            Ok(count as u32)
        } else {
            let accepted = format!("from 0 to the {blocks} blocks of a pool (basis: ftl.gc.basis)");
            Err(FtlError::new(key, value, accepted))
        }
    };
    let marks = Watermarks {
        reserve: gc.reserve_blocks,
        hard: in_blocks("ftl.gc.hard", gc.hard)?,
        low: in_blocks("ftl.gc.low", gc.low)?,
        high: in_blocks("ftl.gc.high", gc.high)?,
    };
    for (key, found, least, what) in [
        ("ftl.gc.hard", marks.hard, marks.reserve, "ftl.gc.reserve_blocks"),
        ("ftl.gc.low", marks.low, marks.hard, "ftl.gc.hard"),
        ("ftl.gc.high", marks.high, marks.low, "ftl.gc.low"),
    ] {
        if found < least {
            let accepted = format!("at least {least} free blocks of a pool, which is {what}");
            return Err(FtlError::new(key, format!("{found} blocks"), accepted));
        }
    }
    Ok(marks)
}
