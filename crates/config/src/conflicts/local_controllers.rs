//! `[ftl.local]` with the rest of the drive: what does not go with controllers in packages.

use wordline_ecc::EccKind;
use wordline_ftl::{KnownFeature, Pool, RecoveryConfig};
use wordline_nand::ProgramOrder;

use crate::BusyGrain;
use crate::conflict::{
    CACHE_PROGRAM, COPYBACK, Feature, SMALL_UNITS, mapping_without, named, own_unit, rules_out, shown,
};

/// `ftl.local.enabled`.
pub(super) const LOCAL_CONTROLLERS: Feature = Feature {
    name: "controllers in packages",
    with: "with controllers in packages (ftl.local.enabled)",
    is_on: |config| config.ftl.local.enabled,
    example: &[("ftl.local.enabled", "true")],
    conflicts: &[
        rules_out(
            "ftl.mapping",
            |config| mapping_without(config, KnownFeature::LocalControllers),
            "\"page\"",
            &[("ftl.mapping", "delta")],
        ),
        rules_out("ftl.mapping_unit", own_unit, "the page", SMALL_UNITS),
        rules_out(
            "ftl.gc.pool",
            |config| {
                let is_wide = !matches!(config.ftl.gc.pool, Pool::Plane | Pool::Die);
                shown(is_wide, "beyond a die")
            },
            "\"plane\" or \"die\", as pages that are moved stay on their die,",
            &[("ftl.gc.pool", "channel")],
        ),
        rules_out(
            "ftl.recovery.kind",
            |config| shown(config.ftl.recovery != RecoveryConfig::default(), "given"),
            "no journal and no summaries, whose programs would have to stand among the steps of the package,",
            &[("ftl.recovery.kind", "oob_scan"), ("ftl.gc.reserve_blocks", "2")],
        ),
        rules_out(
            "modes",
            |config| shown(!config.modes.is_empty(), "given"),
            "no modes",
            &[("modes", "[{name = \"slow\"}]")],
        ),
        rules_out(
            "nand.program",
            |config| shown(config.nand.program != ProgramOrder::Page, "another order"),
            "\"page\", as open word lines are kept in the controller of the drive,",
            &[
                ("nand.program", "one_shot"),
                ("geometry.cell_type", "mlc"),
                ("buffer.policy", "lru"),
                ("buffer.capacitor", "true"),
            ],
        ),
        rules_out(
            "nand.independent_planes",
            |config| shown(config.nand.independent_planes, "true"),
            "false",
            &[("nand.independent_planes", "true")],
        ),
        COPYBACK,
        rules_out(
            "commands.cache_read",
            |config| shown(config.commands.cache_read, "true"),
            "false",
            &[("commands.cache_read", "true")],
        ),
        CACHE_PROGRAM,
        rules_out(
            "scheduler.busy_grain",
            |config| {
                let is_chip = config.scheduler.busy_grain == BusyGrain::Chip;
                named(is_chip && config.geometry.dies_per_chip > 1, "chip")
            },
            "\"die\"",
            &[("scheduler.busy_grain", "chip"), ("geometry.dies_per_chip", "2")],
        ),
        rules_out(
            "scheduler.suspension",
            |config| shown(config.scheduler.suspends(), "in use"),
            "\"none\", as data that are sent again would take the channel,",
            &[
                ("scheduler.policy", "pes"),
                ("scheduler.suspension.erase_suspend", "true"),
                ("nand.suspend", "program_erase"),
            ],
        ),
        rules_out(
            "ecc.kind",
            |config| shown(config.ecc.kind != EccKind::None, "a code"),
            "\"none\", as ftl.local.escalation says what the codec of a package cannot correct,",
            &[("ecc.kind", "ldpc")],
        ),
    ],
};
