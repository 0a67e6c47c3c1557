//! `[ftl.recovery]` with the rest of the drive: what does not go with it.

use wordline_ftl::RecoveryKind;
use wordline_keys::RefusedValue;

use crate::Config;
use crate::conflict::{Feature, modes_without_cache, refresh_policy, rules_out};

/// `ftl.recovery.kind`.
pub(crate) const RECOVERY: Feature = Feature {
    name: "recovery after a power cut",
    with: "with recovery after a power cut (ftl.recovery.kind)",
    is_on: |config| config.ftl.recovery.kind != RecoveryKind::None,
    example: &[("ftl.recovery.kind", "oob_scan"), ("ftl.gc.reserve_blocks", "2")],
    conflicts: &[
        rules_out(
            "modes",
            modes_without_cache,
            "no modes beside the normal one and that of an SLC cache",
            &[("modes", "[{name = \"slow\"}]")],
        ),
        rules_out(
            "ftl.refresh.policy",
            refresh_policy,
            "\"none\"",
            &[("ftl.refresh.policy", "periodic")],
        ),
    ],
};

impl Config {
    /// Checks what the drive keeps for recovery, and whether recovery can be timed.
    pub(crate) fn check_recovery(&self) -> Result<(), RefusedValue> {
        self.ftl.recovery.check()?;
        self.check_cuts(self.ftl.recovery.kind)
    }

    /// Checks whether recovery can be timed during a run, if it is to be.
    fn check_cuts(&self, kind: RecoveryKind) -> Result<(), RefusedValue> {
        let every = self.output.recovery_every;
        let accepted = if every == 0 {
            return Ok(());
        } else if kind == RecoveryKind::None {
            "0 with ftl.recovery.kind = \"none\": nothing is kept on flash to recover from"
        } else if self.ftl.failures.is_on() {
            "0 with ftl.failures: recovery from what failed is not timed"
        } else {
            return Ok(());
        };
        Err(RefusedValue::new("output.recovery_every", every, accepted))
    }
}
