//! `[ftl.recovery]` with the rest of the drive: what does not go with it.

use wordline_ftl::{AgeMethod, RecoveryKind};
use wordline_keys::RefusedValue;

use crate::Config;

impl Config {
    /// Checks what the drive keeps for recovery, if it keeps anything.
    pub(crate) fn check_recovery(&self) -> Result<(), RefusedValue> {
        let ftl = &self.ftl;
        ftl.recovery.check()?;
        let kind = ftl.recovery.kind;
        self.check_cuts(kind)?;
        if kind == RecoveryKind::None {
            return Ok(());
        }
        let with = format!("with ftl.recovery.kind = \"{}\"", kind.name());
        let refused = |key, found: String, accepted: &str| {
            Err(RefusedValue::new(key, found, format!("{accepted} {with}")))
        };
        if !self.modes.is_empty() && !ftl.slc_cache.is_on() {
            let accepted = "no modes beside the normal one and that of an SLC cache";
            return refused("modes", "given".to_owned(), accepted);
        }
        if ftl.refresh.is_on()? {
            let policy = format!("\"{}\"", ftl.refresh.policy.name());
            return refused("ftl.refresh.policy", policy, "\"none\"");
        }
        Ok(())
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
        } else if self.age.method != AgeMethod::Fresh {
            "0, or age.method = \"fresh\": what is on the flash of an aged drive is not kept"
        } else {
            return Ok(());
        };
        Err(RefusedValue::new("output.recovery_every", every, accepted))
    }
}
