//! Which drives can refresh their blocks.

use wordline_keys::RefusedValue;

use crate::Config;

impl Config {
    /// Whether the drive could refresh its blocks, whatever its policy is now: its mapping does, and none of its other keys rules that out.
    #[must_use]
    pub fn can_refresh(&self) -> bool {
        let mut asked = self.clone();
        asked.ftl.refresh.policy = "edf".into();
        let knows = |row: &wordline_ftl::MappingRow| row.entry.reads.contains(&"ftl.refresh");
        self.ftl.mapping.row().is_ok_and(knows)
            && asked.check_refresh().is_ok()
            && asked.check_slc_cache().is_ok()
            && asked.check_recovery().is_ok()
    }

    /// Refresh knows whole pages of one mode.
    pub(crate) fn check_refresh(&self) -> Result<(), RefusedValue> {
        self.ftl.refresh.check()?;
        if !self.ftl.refresh.is_on()? {
            return Ok(());
        }
        let policy = self.ftl.refresh.policy.name();
        let refused = |accepted: &str| Err(RefusedValue::new("ftl.refresh.policy", policy, accepted));
        if self.ftl.mapping_unit.is_some() {
            return refused("\"none\" with ftl.mapping_unit: whole pages are refreshed");
        }
        if !self.modes.is_empty() {
            return refused("\"none\" with [[modes]]: the retention of blocks is that of normal pages");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{DriveSource, resolve};

    #[test]
    fn drives_that_can_refresh_are_told_from_others() {
        let can = |text: &str| {
            let resolved = resolve(DriveSource::Text(text), None, &[]).unwrap();
            resolved.config.can_refresh()
        };
        assert!(can(""));
        assert!(can("[ftl.refresh]\npolicy = \"periodic\""));
        assert!(!can("[ftl]\nmapping = \"dftl\"\ncached_entries = 4096"));
        assert!(!can("[ftl]\nmapping = \"striped\""));
        assert!(!can(
            "[ftl]\nmapping_unit = \"8 KiB\"\n[allocation]\nmode = \"static\""
        ));
        assert!(!can("[ftl.recovery]\nkind = \"oob_scan\""));
    }
}
