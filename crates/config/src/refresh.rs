//! `[ftl.refresh]` with the rest of the drive: which drives can refresh their blocks.

use crate::conflict::{Feature, SMALL_UNITS, rules_out, shown};

/// `ftl.refresh.policy`. Refresh knows whole pages of one mode.
pub(crate) const REFRESH: Feature = Feature {
    name: "refresh",
    with: "with refresh (ftl.refresh.policy)",
    is_on: |config| config.ftl.refresh.is_on().unwrap_or(false),
    example: &[("ftl.refresh.policy", "periodic")],
    conflicts: &[
        rules_out(
            "ftl.mapping_unit",
            |config| config.ftl.mapping_unit.map(|unit| unit.to_string()),
            "left out, as whole pages are refreshed,",
            SMALL_UNITS,
        ),
        rules_out(
            "modes",
            |config| shown(!config.modes.is_empty(), "given"),
            "no modes, as the retention of blocks is that of normal pages,",
            &[("modes", "[{name = \"slow\"}]")],
        ),
    ],
};

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
