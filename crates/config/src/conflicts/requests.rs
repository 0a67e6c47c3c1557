//! Requests that wait outside the flash, and writes whose stream the drive refuses.

use wordline_ftl::{AllocationMode, KnownFeature};

use crate::conflict::{Feature, mapping_without, named, rules_out};

/// A scheduler that lets whole requests into the flash.
pub(super) const HELD_REQUESTS: Feature = Feature {
    name: "a scheduler of whole requests",
    with: "with this scheduler.policy",
    is_on: |config| config.scheduler.holds_requests(),
    example: &[("scheduler.policy", "dlv"), ("allocation.mode", "static")],
    conflicts: &[
        rules_out(
            "allocation.mode",
            |config| named(config.allocation.mode != AllocationMode::Static, "dynamic"),
            "\"static\", as the unit of every page must be known before it is written,",
            &[("allocation.mode", "dynamic")],
        ),
        rules_out(
            "ftl.mapping",
            |config| mapping_without(config, KnownFeature::HeldRequests),
            "\"page\", as other mappings move pages of the host to other units,",
            &[("ftl.mapping", "delta")],
        ),
        rules_out(
            "ftl.mapping_unit",
            |config| config.ftl.mapping_unit.map(|unit| unit.to_string()),
            "left out, as pages of the flash are counted,",
            &[("ftl.mapping_unit", "8 KiB")],
        ),
    ],
};

/// `ftl.placement.on_overflow = "reject"`.
pub(super) const REFUSED_STREAMS: Feature = Feature {
    name: "writes that are refused for their stream",
    with: "with ftl.placement.on_overflow = \"reject\"",
    is_on: |config| config.ftl.placement.refuses().unwrap_or(false),
    example: &[
        ("ftl.placement.directive", "streams"),
        ("ftl.placement.on_overflow", "reject"),
    ],
    conflicts: &[rules_out(
        "buffer.policy",
        |config| named(config.buffer.is_present(), config.buffer.policy.name()),
        "\"none\", as a write buffer acknowledges a write before its stream is looked at,",
        &[("buffer.policy", "lru")],
    )],
};
