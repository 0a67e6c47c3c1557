//! What the page-level FTL of the superblocks is built from.

use wordline_nand::Geometry;

use super::keys::{BadMember, Parity, Partial, StripedKeys};
use super::layout::Layout;
use crate::allocation::AllocationConfig;
use crate::config::{FtlConfig, GcFrontier, MappingInput, OverProvisioningBasis, Pool};
use crate::error::FtlError;
use crate::space::Capacity;

/// What the page-level FTL of the superblocks is built from.
pub(super) struct Parts {
    pub(super) superblocks: Geometry,
    pub(super) layout: Layout,
    pub(super) keys: StripedKeys,
    pub(super) config: FtlConfig,
    allocation: AllocationConfig,
}

impl Parts {
    /// # Errors
    /// Superblocks that are too large, or too small for parity.
    pub(super) fn of(input: &MappingInput<'_>) -> Result<Self, FtlError> {
        let keys = StripedKeys::of(input.config, input.geometry)?;
        let layout = Layout::new(input.geometry, &keys.span, keys.parity, keys.spare_blocks);
        let superblocks = *layout.superblocks();
        // a step that completes a superpage names it by 32 bits
        if keys.partial_superpages == Partial::Pad && layout.superpages() > u64::from(u32::MAX) {
            let accepted = format!("\"keep\" with more than {} superpages", u32::MAX);
            return Err(FtlError::new("ftl.partial_superpages", "\"pad\"", accepted));
        }
        let mut config = input.config.clone();
        // blocks that are bad from the start are members of superblocks, which the page-level FTL does not know
        config.failures.initial = None;
        // a group of planes is a plane of the array of superblocks, and each is collected for itself
        (config.gc.pool, config.gc.frontier) = (Pool::Plane, GcFrontier::Separate);
        let allocation = AllocationConfig {
            active_block: input.allocation.active_block,
            ..AllocationConfig::default()
        };
        if keys.parity != Parity::None || keys.spare_blocks > 0 {
            config.over_provisioning = beside_parity_and_spares(input, &superblocks)?;
            config.over_provisioning_basis = OverProvisioningBasis::User;
        }
        Ok(Self {
            superblocks,
            layout,
            keys,
            config,
            allocation,
        })
    }

    pub(super) fn input<'a>(&'a self, input: &MappingInput<'a>) -> MappingInput<'a> {
        MappingInput {
            geometry: &self.superblocks,
            config: &self.config,
            allocation: &self.allocation,
            ..*input
        }
    }

    /// # Errors
    /// As for [`Capacity::new`]; too small a reserve of superblocks that may go without a member.
    pub(super) fn capacity(&self) -> Result<Capacity, FtlError> {
        let capacity = Capacity::new(&self.superblocks, &self.config, &self.allocation)?;
        self.check_reserve(&capacity)?;
        Ok(capacity)
    }

    /// Whether the reserve has room for a victim and for what a failure takes away, whatever its superblocks lack.
    ///
    /// A superblock with all of its k members for data has L pages, and without one L' = L (k - 1) / k. A victim holds less than L pages, and collection gains a page at least: the room in the free superblocks and in the open one for moves does not
    /// shrink by it, and is never less than the R L' that the host leaves. A failure takes away less than L: the rest of the open superblock, or a superblock that was emptied and is retired. So R L' has to be 2 L. Where moves of
    /// handles are kept apart, the open superblocks of the others may hold as much each, which no move of this one can use.
    fn check_reserve(&self, capacity: &Capacity) -> Result<(), FtlError> {
        if self.keys.bad_member != BadMember::Degrade {
            return Ok(());
        }
        let kept_apart = if capacity.handles.isolated {
            u32::from(capacity.handles.count)
        } else {
            0
        };
        let (members, whole) = (self.layout.data(), 2 + kept_apart);
        let least = (whole * members).div_ceil(members - 1);
        let reserve = self.config.gc.reserve_blocks;
        if reserve >= least {
            return Ok(());
        }
        let accepted = format!(
            "at least {least} with ftl.bad_member = \"degrade\": superblocks that go without one of their {members} members for data have to hold what {whole} whole ones do"
        );
        Err(FtlError::new("ftl.gc.reserve_blocks", reserve, accepted))
    }
}

/// What is spare beside the parity and spare blocks, as a share of the exported pages: these are a share of all pages of flash.
///
/// # Errors
/// Nothing is left.
fn beside_parity_and_spares(input: &MappingInput<'_>, superblocks: &Geometry) -> Result<f64, FtlError> {
    let share = input.config.over_provisioning;
    let all = input.geometry.pages() as f64;
    let exported = match input.config.over_provisioning_basis {
        OverProvisioningBasis::User => all / (1.0 + share),
        OverProvisioningBasis::Raw => all * (1.0 - share),
    };
    let spare = superblocks.pages() as f64 / exported - 1.0;
    // a share that is none is told as it is
    if spare > 0.0 || share.is_nan() || share <= 0.0 || exported <= 0.0 {
        return Ok(if exported > 0.0 && share > 0.0 {
            spare
        } else {
            share
        });
    }
    let accepted = format!(
        "more: the parity of superpages (ftl.parity) and spare blocks (ftl.spare_blocks) leave {} pages of {}, no more than are exported",
        superblocks.pages(),
        input.geometry.pages()
    );
    Err(FtlError::new("ftl.over_provisioning", share, accepted))
}
