//! The row of the delta mapping.

use wordline_content::RatioLaw;
use wordline_keys::{Entry, Keys};

use super::DeltaFtl;
use super::keys::{DeltaConfig, DeltaKeys, LogGain};
use super::spare::Spare;
use crate::config::{MappingInput, RecoveryKind};
use crate::error::FtlError;
use crate::mapping::{KnownFeature, MappingRow};

/// `ftl.mapping = "delta"`.
pub(crate) const DELTA: MappingRow = MappingRow {
    entry: Entry {
        name: "delta",
        help: "Every logical page on its own; what overwrites change is kept as compressed differences, many to a page of flash.",
        keys: Keys::of::<DeltaKeys>(),
        reads: &[
            "ftl.gc",
            "ftl.hot",
            "ftl.wear",
            "ftl.trim",
            "ftl.failures",
            "allocation",
        ],
    },
    // deltas take a part of the spare space that depends on the load
    knows: &[KnownFeature::Deltas],
    has_closed_form: false,
    recovers: &[
        RecoveryKind::OobScan,
        RecoveryKind::SummaryScan,
        RecoveryKind::CheckpointJournal,
        RecoveryKind::Delayed,
    ],
    recovers_units: false,
    recovers_own_pages: true,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported: |input| {
        let (keys, _) = check(input)?;
        Ok(Spare::new(input, &keys)?.0.user_pages)
    },
    check_filled: |input, fill| {
        let (keys, _) = check(input)?;
        let (capacity, _) = Spare::new(input, &keys)?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(input.geometry, input.config.gc.frontier, pages)
    },
    build: |input, rules| Ok(Box::new(DeltaFtl::new(input, rules)?)),
};

/// The keys, checked.
///
/// # Errors
/// Values out of range, or that do not go together.
pub(super) fn check(input: &MappingInput<'_>) -> Result<(DeltaConfig, RatioLaw), FtlError> {
    let DeltaKeys { delta: keys } = input.config.keys.read();
    let law = keys.check()?;
    if input.config.recovery.kind != RecoveryKind::None {
        keys.check_recovery()?;
    }
    let gc = &input.config.gc;
    if keys.log_gain != LogGain::WholePages && gc.victim.name() != "greedy" {
        let accepted = "\"greedy\" with ftl.delta.log_gain = \"packed\" or \"bytes\": other policies know whole pages only (ftl.delta.log_gain = \"whole_pages\")";
        return Err(FtlError::new(
            "ftl.gc.victim",
            format!("\"{}\"", gc.victim.name()),
            accepted,
        ));
    }
    if gc.reserve_blocks < 2 {
        return Err(FtlError::new(
            "ftl.gc.reserve_blocks",
            gc.reserve_blocks,
            "at least 2 with ftl.mapping = \"delta\": collection opens a block for pages and one for deltas",
        ));
    }
    if input.config.placement.units()?.count > 0 {
        let directive = format!("\"{}\"", input.config.placement.directive.name());
        let accepted = "\"none\" with ftl.mapping = \"delta\"";
        return Err(FtlError::new("ftl.placement.directive", directive, accepted));
    }
    Ok((keys, law))
}
