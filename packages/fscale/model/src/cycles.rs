//! Processor cycles of the FTL's work, by operation and phase.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;

use crate::error::count;

/// Cycles of an operation in each of its four phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Build the data structures of the operation.
    pub set_up: u32,
    /// Pick it when its resources and its table entry are available.
    pub schedule: u32,
    /// Hand it to the hardware units.
    pub dispatch: u32,
    /// Notify the host, or decide what follows.
    pub complete: u32,
}

impl Phases {
    const fn new(set_up: u32, schedule: u32, dispatch: u32, complete: u32) -> Self {
        Self {
            set_up,
            schedule,
            dispatch,
            complete,
        }
    }

    /// Cycles of all phases.
    #[must_use]
    pub fn total(self) -> u32 {
        self.before_look_up() + self.dispatch + self.complete
    }

    /// Cycles before the table entry is looked up.
    #[must_use]
    pub fn before_look_up(self) -> u32 {
        self.set_up + self.schedule
    }

    /// Cycles until the hardware begins.
    #[must_use]
    pub fn until_dispatch(self) -> u32 {
        self.before_look_up() + self.dispatch
    }

    fn scaled(self, by: u32) -> Self {
        Self::new(
            self.set_up / by,
            self.schedule / by,
            self.dispatch / by,
            self.complete / by,
        )
    }
}

/// Cycles that the central processor spends on each operation. Counts do not depend on the frequency (Mohan 2015, section 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CycleTable {
    /// A page that the host reads.
    pub host_read: Phases,
    /// A page that the host writes.
    pub host_write: Phases,
    /// The read of a valid page in garbage collection.
    pub gc_read: Phases,
    /// The program of a valid page in garbage collection.
    pub gc_write: Phases,
    /// The erase of a collected block.
    pub gc_erase: Phases,
    /// The read of a page of the table.
    pub page_in: Phases,
    /// The program of a page of the table.
    pub page_out: Phases,
    /// The command that has a local controller collect a block (FScale).
    pub collect: u32,
}

impl CycleTable {
    /// Firmware of SATA enterprise drives around 2015. The source measured counts and did not print them; these are assumed: 2 cores at
    /// 400 MHz give 80 K random reads a second, and with write amplification 5 21 K random writes, the level of such drives.
    pub const SATA_2015: Self = Self {
        host_read: Phases::new(2000, 2500, 3000, 2500),
        host_write: Phases::new(2500, 2500, 3000, 2000),
        gc_read: Phases::new(500, 1000, 1200, 800),
        gc_write: Phases::new(500, 1000, 1200, 900),
        gc_erase: Phases::new(500, 1000, 1000, 1500),
        page_in: Phases::new(800, 1200, 1400, 1200),
        page_out: Phases::new(800, 1200, 1400, 1200),
        collect: 2000,
    };

    /// A tenth of [`CycleTable::SATA_2015`], as hardware queues of NVMe controllers take over (assumed).
    #[must_use]
    pub fn nvme_2026() -> Self {
        let old = Self::SATA_2015;
        Self {
            host_read: old.host_read.scaled(10),
            host_write: old.host_write.scaled(10),
            gc_read: old.gc_read.scaled(10),
            gc_write: old.gc_write.scaled(10),
            gc_erase: old.gc_erase.scaled(10),
            page_in: old.page_in.scaled(10),
            page_out: old.page_out.scaled(10),
            collect: old.collect / 10,
        }
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        let most = 10_000_000;
        for (key, phases) in [
            ("processor.cycles.host_read", self.host_read),
            ("processor.cycles.host_write", self.host_write),
            ("processor.cycles.gc_read", self.gc_read),
            ("processor.cycles.gc_write", self.gc_write),
            ("processor.cycles.gc_erase", self.gc_erase),
            ("processor.cycles.page_in", self.page_in),
            ("processor.cycles.page_out", self.page_out),
        ] {
            for cycles in [phases.set_up, phases.schedule, phases.dispatch, phases.complete] {
                count(key, cycles, 0, most)?;
            }
        }
        count("processor.cycles.collect", self.collect, 0, most)
    }
}

impl Default for CycleTable {
    fn default() -> Self {
        Self::SATA_2015
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_the_default_table() {
        let table = CycleTable::default();
        let totals = [
            table.host_read,
            table.host_write,
            table.gc_read,
            table.gc_write,
            table.gc_erase,
            table.page_in,
            table.page_out,
        ]
        .map(Phases::total);
        assert_eq!(totals, [10_000, 10_000, 3_500, 3_600, 4_000, 4_600, 4_600]);
        assert_eq!(CycleTable::nvme_2026().host_read.total(), 1_000);
    }
}
