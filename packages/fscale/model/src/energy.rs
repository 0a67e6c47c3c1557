//! Power of a drive: local controllers, and what they replace.

use serde::Serialize;

use crate::demand::Demand;
use crate::drive::{Design, Drive};
use crate::paths::{Kind, Unit};

/// Power of a drive at a throughput, in watts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyReport {
    /// Operations of the host per second.
    pub iops: f64,
    /// Local controllers with their memory; 0 in a conventional drive.
    pub local: f64,
    /// The part of them that is leakage of memory.
    pub local_memory: f64,
    /// Codecs of the packages.
    pub mini_ecc: f64,
    /// Channels.
    pub channels: f64,
    /// Central processor.
    pub processor: f64,
    /// The controller's memory.
    pub dram: f64,
    /// Look-ups in tiers of the table.
    pub tiers: f64,
    /// Dies that read, program and erase.
    pub dies: f64,
    /// All but dies and the controller's memory.
    pub logic: f64,
    /// All of them.
    pub total: f64,
    /// Joules for an operation of the host.
    pub joules_per_operation: f64,
}

impl Drive {
    /// Watts of one local controller that is busy for the share `utilization` of its time, with its memory.
    #[must_use]
    pub fn local_controller_watts(&self, utilization: f64) -> f64 {
        let (local, energy) = (&self.local, &self.energy);
        let running = utilization * local.frequency.0 as f64 * energy.local_cycle.0;
        f64::from(local.cores) * (energy.local_leakage.0 + running)
            + energy.memory_leakage.0 * (local.memory.0 as f64 / f64::from(1 << 20))
    }

    /// Power at `iops` operations of the host per second.
    #[must_use]
    pub fn power_at(&self, iops: f64) -> EnergyReport {
        let demand = Demand::of(self);
        let energy = &self.energy;
        let packages = self.packages() as f64;
        let is_fscale = self.design == Design::FScale;
        let utilization = demand.ns(Unit::Local) * 1e-9 * iops / (packages * f64::from(self.local.cores));
        let local = if is_fscale {
            packages * self.local_controller_watts(utilization.min(1.0))
        } else {
            0.0
        };
        let local_memory = if is_fscale {
            packages * energy.memory_leakage.0 * (self.local.memory.0 as f64 / f64::from(1 << 20))
        } else {
            0.0
        };
        let corrected = if self.design.has_package_bus() && self.local.mini_ecc.present {
            // in the hybrid only moved pages
            let reads = if is_fscale {
                demand.rates.of(Kind::HostRead)
            } else {
                0.0
            };
            let nodes = reads * f64::from(self.node_reads()) * self.local.node.0 as f64;
            let pages =
                reads * self.host_bytes() as f64 + demand.rates.of(Kind::Move) * self.logical_page.0 as f64;
            nodes + pages
        } else {
            0.0
        };
        // time on the channel at its rate; commands cost as much as data would
        let carried = demand.ns(Unit::Channel) * 1e-9 * self.channel_rate();
        let mini_ecc = 8.0 * corrected * energy.mini_ecc_bit.0 * iops;
        let channels = 8.0 * carried * energy.channel_bit.0 * iops;
        let processor = f64::from(self.processor.cores) * energy.core_leakage.0
            + demand.cycles.total() * energy.core_cycle.0 * iops;
        let dram = energy.dram_gib.0 * self.dram.size.0 as f64 / f64::from(1 << 30);
        let looked_up = self.table.tiers.iter();
        let tiers: f64 = looked_up
            .map(|tier| tier.joules() * demand.rates.of(tier.memory.look_up()) * iops)
            .sum();
        let dies = match self.array_joules() {
            Some(joules) => joules * iops,
            None => energy.die_active.0 * demand.ns(Unit::Die) * 1e-9 * iops,
        };
        let logic = local + mini_ecc + channels + processor + tiers;
        let total = logic + dram + dies;
        EnergyReport {
            iops,
            local,
            local_memory,
            mini_ecc,
            channels,
            processor,
            dram,
            tiers,
            dies,
            logic,
            total,
            joules_per_operation: total / iops,
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::ByteSize;

    use super::*;

    /// Section 13.5: about 26 mW a controller, of which 20 mW is leakage of memory; 7.5 W at 128 TB.
    #[test]
    fn worked_example_of_local_controllers() {
        let drive = Drive {
            design: Design::FScale,
            capacity: ByteSize(128 << 40),
            ..Drive::default()
        };
        let one = drive.local_controller_watts(1.0);
        assert!((one - 26e-3).abs() < 1e-9, "{one}");
        assert!((one * drive.packages() as f64 - 7.46).abs() < 0.01);
        assert!((drive.power_at(1e5).local_memory - 287.0 * 20e-3).abs() < 1e-9);
    }
}
