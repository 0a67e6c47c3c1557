//! The rows of mappings with log blocks.

use wordline_keys::{Entry, Keys};

use super::LogFtl;
use super::association::Association;
use crate::config::FtlConfig;
use crate::error::FtlError;
use crate::mapping::MappingRow;
pub(super) use crate::mapping::whole_blocks::check_at_least;
use crate::mapping::whole_blocks::{READS, RECOVERS, capacity, check_filled_share, check_reserve};

/// Log blocks of a plane where the configuration does not say. Assumed: few, as in the papers, whose drives are one plane
/// with some tens of them.
pub(super) const LOG_BLOCKS: u32 = 8;

/// A mapping with log blocks.
pub(crate) trait Kind {
    const NAME: &'static str;
    const HELP: &'static str;
    const KEYS: Keys;

    /// Its rule of association.
    ///
    /// # Errors
    /// A key out of its range.
    fn association(config: &FtlConfig) -> Result<Box<dyn Association>, FtlError>;
}

/// The row of a mapping.
pub(crate) const fn row<K: Kind + 'static>() -> MappingRow {
    MappingRow {
        entry: Entry {
            name: K::NAME,
            help: K::HELP,
            keys: K::KEYS,
            reads: READS,
        },
        knows: &[],
        has_closed_form: false,
        recovers: RECOVERS,
        recovers_units: false,
        recovers_own_pages: false,
        uses_host_memory: |_| false,
        zones: |_| Ok(None),
        exported: |input| {
            K::association(input.config)?;
            check_reserve(input)?;
            Ok(capacity(input)?.user_pages)
        },
        check_filled: check_filled_share,
        build: |input, rules| {
            let association = K::association(input.config)?;
            Ok(Box::new(LogFtl::new(K::NAME, association, input, rules)?))
        },
    }
}
