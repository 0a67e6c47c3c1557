//! The row of the mapping with superblocks over several planes.

use wordline_keys::{Entry, Keys};
use wordline_nand::Use;

use super::StripedFtl;
use super::keys::StripedKeys;
use super::parts::Parts;
use crate::error::FtlError;
use crate::mapping::MappingRow;

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
    recovers: &[],
    has_closed_form: true,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported: |input| Ok(Parts::of(input)?.capacity()?.user_pages),
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
        Ok(Box::new(StripedFtl::new(input, rules)?))
    },
};
