//! `[ftl.local]` with the rest of the drive: what does not go with controllers in packages.

use wordline_ecc::EccKind;
use wordline_ftl::Pool;
use wordline_keys::RefusedValue;
use wordline_nand::{ProgramOrder, Use};

use crate::{BusyGrain, Config};

impl Config {
    /// Checks controllers in packages, if there are any.
    ///
    /// # Errors
    /// Values that no such controller has; another mapping than that of whole pages; pools of collection that reach beyond a die; commands and models that know the
    /// channel only.
    pub(crate) fn check_local(&self) -> Result<(), RefusedValue> {
        let ftl = &self.ftl;
        ftl.local.check()?;
        if !ftl.local.enabled {
            return Ok(());
        }
        let name = |name: &str| format!("\"{name}\"");
        let refused = |key, found: String, accepted: &str| {
            let accepted = format!("{accepted} with controllers in packages (ftl.local.enabled)");
            Err(RefusedValue::new(key, found, accepted))
        };
        if ftl.mapping.name() != "page" {
            return refused("ftl.mapping", name(ftl.mapping.name()), "\"page\"");
        }
        if let Some(unit) = ftl.mapping_unit.filter(|unit| *unit != self.geometry.page_size) {
            return refused("ftl.mapping_unit", unit.to_string(), "the page");
        }
        if !matches!(ftl.gc.pool, Pool::Plane | Pool::Die) {
            let accepted = "\"plane\" or \"die\", as pages that are moved stay on their die,";
            return refused("ftl.gc.pool", "beyond a die".to_owned(), accepted);
        }
        if ftl.recovery != wordline_ftl::RecoveryConfig::default() {
            let accepted = "no journal and no summaries, whose programs would have to stand among the steps of the package,";
            return refused("ftl.recovery.kind", "given".to_owned(), accepted);
        }
        if !self.modes.is_empty() {
            return refused("modes", "given".to_owned(), "no modes");
        }
        if self.nand.program != ProgramOrder::Page {
            let accepted = "\"page\", as open word lines are kept in the controller of the drive,";
            return refused("nand.program", "another order".to_owned(), accepted);
        }
        if self.nand.independent_planes {
            return refused("nand.independent_planes", "true".to_owned(), "false");
        }
        let commands = &self.commands;
        if commands.copyback != Use::Off {
            return refused("commands.copyback", "in use".to_owned(), "\"off\"");
        }
        for (key, on) in [
            ("commands.cache_read", commands.cache_read),
            ("commands.cache_program", commands.cache_program),
        ] {
            if on {
                return refused(key, "true".to_owned(), "false");
            }
        }
        if self.scheduler.busy_grain == BusyGrain::Chip && self.geometry.dies_per_chip > 1 {
            return refused("scheduler.busy_grain", name("chip"), "\"die\"");
        }
        if self.scheduler.suspends() {
            let accepted = "\"none\", as data that are sent again would take the channel,";
            return refused("scheduler.suspension", "in use".to_owned(), accepted);
        }
        if self.ecc.kind != EccKind::None {
            let accepted = "\"none\": ftl.local.escalation says what the codec of a package cannot correct,";
            return refused("ecc.kind", "a code".to_owned(), accepted);
        }
        Ok(())
    }
}
