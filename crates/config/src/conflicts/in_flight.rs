//! Programs that are suspended.

use crate::ProgramSuspend;
use crate::conflict::{Feature, rules_out, shown};

/// `scheduler.suspension.program_suspend`.
pub(super) const SUSPENDED_PROGRAMS: Feature = Feature {
    name: "suspension of programs",
    with: "where programs are suspended (scheduler.suspension.program_suspend)",
    is_on: |config| {
        config.scheduler.suspends() && config.scheduler.suspension.program_suspend != ProgramSuspend::None
    },
    example: &[
        ("scheduler.policy", "pes"),
        ("scheduler.suspension.program_suspend", "vendor"),
        ("nand.suspend", "program_erase"),
        ("nand.suspend_style", "vendor"),
    ],
    conflicts: &[rules_out(
        "commands.cache_program",
        |config| shown(config.commands.cache_program, "true"),
        "false, as a cached program is half of a pair,",
        &[("commands.cache_program", "true")],
    )],
};
