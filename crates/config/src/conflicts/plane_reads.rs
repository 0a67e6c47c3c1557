//! `nand.independent_plane_reads` with the rest of the drive: what planes that read on their own do not go with.

use crate::conflict::{Feature, named, rules_out, shown};
use crate::{BusyGrain, Config};

/// Whether a chip has several dies, each of which must be busy on its own.
fn has_several_dies(config: &Config) -> bool {
    config.geometry.dies_per_chip > 1
}

/// `nand.independent_plane_reads`.
pub(super) const INDEPENDENT_PLANE_READS: Feature = Feature {
    name: "planes that read on their own",
    with: "with nand.independent_plane_reads",
    is_on: |config| config.nand.independent_plane_reads,
    example: &[
        ("nand.independent_plane_reads", "true"),
        ("geometry.planes_per_die", "2"),
        ("scheduler.policy", "reads_first"),
        ("commands.interleave", "true"),
    ],
    conflicts: &[
        rules_out(
            "geometry.planes_per_die",
            |config| {
                let planes = config.geometry.planes_per_die;
                shown(planes < 2, &planes.to_string())
            },
            "2 or more",
            &[("geometry.planes_per_die", "1")],
        ),
        rules_out(
            "nand.independent_planes",
            |config| shown(config.nand.independent_planes, "true"),
            "false, as each plane is a die of its own there,",
            &[("nand.independent_planes", "true")],
        ),
        rules_out(
            "commands.multi_plane_read",
            |config| shown(config.commands.multi_plane_read, "true"),
            "false, as each plane gets a command of its own,",
            &[("commands.multi_plane_read", "true")],
        ),
        rules_out(
            "commands.cache_read",
            |config| shown(config.commands.cache_read, "true"),
            "false, as a plane takes its next read when its data are out,",
            &[("commands.cache_read", "true")],
        ),
        rules_out(
            "ftl.local.enabled",
            |config| shown(config.ftl.local.enabled, "true"),
            "false, as the controllers of packages see whole dies,",
            &[("ftl.local.enabled", "true")],
        ),
        rules_out(
            "commands.interleave",
            |config| shown(has_several_dies(config) && !config.commands.interleave, "false"),
            "true, so that each die of a chip is busy on its own,",
            &[("geometry.dies_per_chip", "2"), ("commands.interleave", "false")],
        ),
        rules_out(
            "scheduler.busy_grain",
            |config| {
                let is_chip = config.scheduler.busy_grain == BusyGrain::Chip;
                named(has_several_dies(config) && is_chip, "chip")
            },
            "\"die\", so that each die of a chip is busy on its own,",
            &[("geometry.dies_per_chip", "2"), ("scheduler.busy_grain", "chip")],
        ),
        rules_out(
            "scheduler.policy",
            |config| named(config.scheduler.policy.name() == "fcfs", "fcfs"),
            "a policy that lets operations go before older ones",
            &[("scheduler.policy", "fcfs")],
        ),
    ],
};
