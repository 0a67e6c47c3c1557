//! Energy and leakage of each unit.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::{Energy, Power};

use crate::error::require;

/// Energy and leakage of each unit (section 13.5 of the specification; all assumed, but for the energies of a chip).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Energies {
    /// A cycle of a local controller.
    pub local_cycle: Energy,
    /// Leakage of a core of a local controller.
    pub local_leakage: Power,
    /// Leakage of a MiB of the memory of a local controller.
    pub memory_leakage: Power,
    /// A bit that the codec of a package corrects.
    pub mini_ecc_bit: Energy,
    /// A bit that crosses a channel.
    pub channel_bit: Energy,
    /// A GiB of the controller's memory.
    pub dram_gib: Power,
    /// A cycle of the central processor.
    pub core_cycle: Energy,
    /// Leakage of a core of the central processor.
    pub core_leakage: Power,
    /// A die that reads, programs or erases, where `chip` names no chip: 25 mA at 3.3 V (assumed).
    pub die_active: Power,
    /// A built-in chip of `wordline chips` whose energies of reads, programs and erases, for each byte of a page or block, the dies have. These chips are planar, of 22 to 90 nm;
    /// cells in layers are not among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<String>,
}

impl Default for Energies {
    fn default() -> Self {
        Self {
            local_cycle: Energy(50e-12),
            local_leakage: Power(1e-3),
            memory_leakage: Power(5e-3),
            mini_ecc_bit: Energy(5e-12),
            channel_bit: Energy(5e-12),
            dram_gib: Power(0.1),
            // a core of a larger class than that of a local controller
            core_cycle: Energy(150e-12),
            core_leakage: Power(20e-3),
            // 25 mA at 3.3 V
            die_active: Power(82.5e-3),
            chip: None,
        }
    }
}

impl Energies {
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        if let Some(chip) = &self.chip {
            crate::nand_energy::check(chip)?;
        }
        for (key, value) in [
            ("energy.local_cycle", self.local_cycle.0),
            ("energy.mini_ecc_bit", self.mini_ecc_bit.0),
            ("energy.channel_bit", self.channel_bit.0),
            ("energy.core_cycle", self.core_cycle.0),
        ] {
            require(
                (0.0..=1.0).contains(&value),
                key,
                Energy(value),
                "accepted are 0 J to 1 J",
            )?;
        }
        for (key, value) in [
            ("energy.local_leakage", self.local_leakage.0),
            ("energy.memory_leakage", self.memory_leakage.0),
            ("energy.dram_gib", self.dram_gib.0),
            ("energy.core_leakage", self.core_leakage.0),
            ("energy.die_active", self.die_active.0),
        ] {
            require(
                (0.0..=1000.0).contains(&value),
                key,
                Power(value),
                "accepted are 0 W to 1000 W",
            )?;
        }
        Ok(())
    }
}
