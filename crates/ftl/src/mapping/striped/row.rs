//! The row of the mapping with superblocks over several planes.

use wordline_keys::{Entry, Keys};
use wordline_nand::Use;

use super::StripedFtl;
use super::keys::{BadMember, StripedKeys};
use super::parts::Parts;
use crate::config::{MappingInput, RecoveryKind};
use crate::error::FtlError;
use crate::mapping::recovery::refuse_small_reserve;
use crate::mapping::{KnownFeature, MappingRow};

/// `ftl.mapping = "striped"`.
pub(crate) const STRIPED: MappingRow = MappingRow {
    entry: Entry {
        name: "striped",
        help: "Every logical page on its own, in superblocks of one block of each of several planes.",
        keys: Keys::of::<StripedKeys>(),
        reads: &[
            "ftl.gc",
            "ftl.hot",
            "ftl.placement",
            "ftl.wear",
            "ftl.trim",
            "ftl.failures",
            "allocation.active_block",
        ],
    },
    recovers: &[
        RecoveryKind::OobScan,
        RecoveryKind::SummaryScan,
        RecoveryKind::CheckpointJournal,
        RecoveryKind::Delayed,
    ],
    knows: &[KnownFeature::BadBlocks, KnownFeature::Superblocks],
    has_closed_form: true,
    recovers_units: false,
    recovers_own_pages: false,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported: |input| {
        check_recovery(input)?;
        check_groups(input)?;
        Ok(Parts::of(input)?.capacity()?.user_pages)
    },
    check_filled: |input, fill| {
        let parts = Parts::of(input)?;
        let capacity = parts.capacity()?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(&parts.superblocks, parts.config.gc.frontier, pages)
    },
    build: |input, rules| {
        if rules.commands.copyback != Use::Off {
            let accepted = "\"off\" with ftl.mapping = \"striped\": a page that is moved goes to the next plane of its superblock";
            return Err(FtlError::new("commands.copyback", "in use", accepted));
        }
        check_recovery(input)?;
        check_groups(input)?;
        Ok(Box::new(StripedFtl::new(input, rules)?))
    },
};

/// A superblock lies in several dies, which would belong to several reclaim groups.
fn check_groups(input: &MappingInput<'_>) -> Result<(), FtlError> {
    input
        .config
        .placement
        .refuse_groups("with ftl.mapping = \"striped\": superblocks lie in dies of several groups")
}

/// What superblocks that are built anew after a power cut need.
fn check_recovery(input: &MappingInput<'_>) -> Result<(), FtlError> {
    let kind = input.config.recovery.kind;
    if kind == RecoveryKind::None {
        return Ok(());
    }
    let StripedKeys { bad_member, .. } = Parts::of(input)?.keys;
    if bad_member != BadMember::Retire {
        let accepted = format!(
            "\"retire\" with ftl.recovery.kind = \"{}\": blocks that stand for others are not found again",
            kind.name()
        );
        let found = format!("\"{}\"", bad_member.name());
        return Err(FtlError::new("ftl.bad_member", found, accepted));
    }
    refuse_small_reserve(input, "with ftl.mapping = \"striped\"")
}
