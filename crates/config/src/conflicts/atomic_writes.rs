//! `host.nvme.atomic_write_unit_power_fail` with the rest of the drive: where writes cannot be ended after the power has failed.

use crate::conflict::{Feature, named, rules_out, shown};
use crate::{Config, InterfaceKind};

/// Writes that a power cut leaves whole.
pub(super) const ATOMIC_WRITES: Feature = Feature {
    name: "writes that a power cut leaves whole",
    with: "where writes are atomic when the power fails (host.nvme.atomic_write_unit_power_fail)",
    is_on: |config| config.atomic_write_unit().is_some(),
    example: &[
        ("host.interface", "nvme"),
        ("ftl.recovery.kind", "oob_scan"),
        ("ftl.gc.reserve_blocks", "2"),
        (crate::host::ATOMIC, "64 KiB"),
    ],
    conflicts: &[
        rules_out(
            "buffer.capacitor",
            |config| shown(config.buffer.is_present() && !config.buffer.capacitor, "false"),
            "true with a write buffer, as pages of one write leave it at different times,",
            &[("buffer.policy", "lru"), ("buffer.capacitor", "false")],
        ),
        rules_out(
            "buffer.hold_up",
            |config| config.buffer.hold_up.map(|hold_up| hold_up.to_string()),
            "unset, as the writes that are under way are not in its estimate,",
            &[
                ("buffer.policy", "lru"),
                ("buffer.capacitor", "true"),
                ("buffer.hold_up", "10 s"),
            ],
        ),
        rules_out(
            "ftl.mapping_unit",
            |config| {
                let unit = config.ftl.mapping_unit?;
                named(
                    unit.bytes() > config.geometry.page_size.bytes(),
                    &unit.to_string(),
                )
            },
            "the page or a part of it, as a unit of several pages is on flash when the last of them is,",
            &[("ftl.mapping_unit", "32 KiB"), ("geometry.page_size", "16 KiB")],
        ),
    ],
};

impl Config {
    /// Bytes up to which a write is whole after a power cut; none where that is a mapping unit.
    #[must_use]
    pub fn atomic_write_unit(&self) -> Option<u64> {
        let is_kept = self.host.interface == InterfaceKind::Nvme
            && self.ftl.recovery.kind != wordline_ftl::RecoveryKind::None;
        let unit = self.host.nvme.atomic_write_unit_power_fail.filter(|_| is_kept);
        unit.map(|unit| unit.bytes())
    }
}
