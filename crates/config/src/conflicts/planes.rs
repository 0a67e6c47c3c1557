//! Planes without anything in common, and blocks that are bad from the start.

use wordline_ftl::{AgeMethod, KnownFeature};
use wordline_nand::Use;

use crate::conflict::{Feature, mapping_without, named, rules_out, shown};

/// `nand.independent_planes`.
pub(crate) const INDEPENDENT_PLANES: Feature = Feature {
    name: "planes without anything in common",
    with: "where nand.independent_planes = true: planes are not joined then",
    is_on: |config| config.nand.independent_planes,
    example: &[
        ("nand.independent_planes", "true"),
        ("geometry.planes_per_die", "2"),
    ],
    conflicts: &[
        rules_out(
            "commands.multi_plane_write",
            |config| shown(config.commands.multi_plane_write != Use::Off, "not \"off\""),
            "off",
            &[("commands.multi_plane_write", "wise")],
        ),
        rules_out(
            "commands.multi_plane_read",
            |config| shown(config.commands.multi_plane_read, "true"),
            "off",
            &[("commands.multi_plane_read", "true")],
        ),
        rules_out(
            "commands.multi_plane_erase",
            |config| shown(config.commands.multi_plane_erase, "true"),
            "off",
            &[("commands.multi_plane_erase", "true")],
        ),
    ],
};

/// `ftl.failures.initial`.
pub(super) const BAD_FROM_START: Feature = Feature {
    name: "blocks that are bad from the start",
    with: "with ftl.failures.initial",
    is_on: |config| config.ftl.failures.initial.is_some(),
    example: &[("ftl.failures.initial", "0.01"), ("ftl.gc.reserve_blocks", "2")],
    conflicts: &[
        rules_out(
            "age.method",
            |config| named(config.age.method == AgeMethod::Invalidated, "invalidated"),
            "another method, as this one consumes the same blocks of every plane,",
            &[("age.method", "invalidated")],
        ),
        rules_out(
            "ftl.mapping",
            |config| mapping_without(config, KnownFeature::BadBlocks),
            "\"page\" or \"striped\", which leave such blocks out,",
            &[("ftl.mapping", "dftl"), ("ftl.cached_entries", "4096")],
        ),
    ],
};
