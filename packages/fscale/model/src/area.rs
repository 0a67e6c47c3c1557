//! Areas of cores, memories and codecs.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;

use crate::error::require;

/// Areas in square millimetres (all assumed: a core of a Cortex-R5 class with its caches and of a Cortex-M class, and static memory in a process of
/// 28 nm; a die of 256 Gb).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Area {
    /// A core of the central processor.
    pub core: f64,
    /// A core of a local controller.
    pub local_core: f64,
    /// A MiB of the memory of a local controller.
    pub memory: f64,
    /// The codec of a package.
    pub mini_ecc: f64,
    /// A die of flash.
    pub die: f64,
    /// Defects of a die of flash per square millimetre.
    pub defects: f64,
    /// How many times larger logic is in the process of flash.
    pub flash_process: f64,
}

impl Default for Area {
    fn default() -> Self {
        Self {
            core: 1.0,
            local_core: 0.1,
            memory: 1.5,
            mini_ecc: 0.2,
            die: 130.0,
            defects: 1e-3,
            flash_process: 4.0,
        }
    }
}

impl Area {
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        for (key, value, least, most) in [
            ("area.core", self.core, 1e-6, 1e6),
            ("area.local_core", self.local_core, 0.0, 1e6),
            ("area.memory", self.memory, 0.0, 1e6),
            ("area.mini_ecc", self.mini_ecc, 0.0, 1e6),
            ("area.die", self.die, 1e-3, 1e6),
            ("area.defects", self.defects, 0.0, 1.0),
            ("area.flash_process", self.flash_process, 1.0, 1000.0),
        ] {
            require(
                (least..=most).contains(&value),
                key,
                value,
                &format!("accepted are {least} to {most}"),
            )?;
        }
        Ok(())
    }
}
