//! `nand.independent_plane_reads` with the rest of the drive: what planes that read on their own do not go with.

use wordline_keys::RefusedValue;

use crate::{BusyGrain, Config};

impl Config {
    /// Checks independent-plane reads, if the drive has them.
    pub(crate) fn check_plane_reads(&self) -> Result<(), RefusedValue> {
        if !self.nand.independent_plane_reads {
            return Ok(());
        }
        let with = "with nand.independent_plane_reads";
        let refused = |key, found: String, accepted: &str| {
            Err(RefusedValue::new(key, found, format!("{accepted} {with}")))
        };
        if self.geometry.planes_per_die < 2 {
            let found = self.geometry.planes_per_die.to_string();
            return refused("geometry.planes_per_die", found, "2 or more");
        }
        let commands = &self.commands;
        for (key, on, accepted) in [
            (
                "nand.independent_planes",
                self.nand.independent_planes,
                "false, as each plane is a die of its own there,",
            ),
            (
                "commands.multi_plane_read",
                commands.multi_plane_read,
                "false, as each plane gets a command of its own,",
            ),
            (
                "commands.cache_read",
                commands.cache_read,
                "false, as a plane takes its next read when its data are out,",
            ),
            (
                "ftl.local.enabled",
                self.ftl.local.enabled,
                "false, as the controllers of packages see whole dies,",
            ),
        ] {
            if on {
                return refused(key, "true".to_owned(), accepted);
            }
        }
        if self.geometry.dies_per_chip > 1 {
            let accepted = "so that each die of a chip is busy on its own,";
            if !commands.interleave {
                return refused(
                    "commands.interleave",
                    "false".to_owned(),
                    &format!("true, {accepted}"),
                );
            }
            if self.scheduler.busy_grain == BusyGrain::Chip {
                let accepted = format!("\"die\", {accepted}");
                return refused("scheduler.busy_grain", "\"chip\"".to_owned(), &accepted);
            }
        }
        let policy = self.scheduler.policy.name();
        if policy == "fcfs" {
            let accepted = "a policy that lets operations go before older ones";
            return refused("scheduler.policy", format!("\"{policy}\""), accepted);
        }
        Ok(())
    }
}
