//! The drive: its units, its design, its load.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::ByteSize;

use crate::area::Area;
use crate::energies::Energies;
use crate::error::{count, require};
use crate::hardware::{Acknowledge, Channels, Dram, Ecc, HostInterface, Interconnect, Nand};
use crate::local::{LocalController, StaleCopies};
use crate::placement::Placement;
use crate::processor::Processor;
use crate::table::{DirectorySize, Table};
use crate::waf::{given_spare, unit_amplification};
use crate::workload::{Workload, WriteAmplification};

/// Who does the FTL's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Design {
    /// The controller's processor does all of it.
    Conventional,
    /// Local controllers in the packages collect, and keep the lower half of the table.
    FScale,
    /// The controller's processor does all of it, and packages with a bus and a codec move pages inside themselves.
    Hybrid,
}

impl Design {
    /// Whether packages have a bus and a codec of their own.
    #[must_use]
    pub fn has_package_bus(self) -> bool {
        self != Self::Conventional
    }
}

/// A drive and its load. Every value is a key of its JSON form; a missing one has its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Drive {
    /// Who does the FTL's work.
    pub design: Design,
    /// Bytes that the host sees.
    pub capacity: ByteSize,
    /// Spare flash as a share of the capacity, above 0.
    pub over_provisioning: f64,
    /// Bytes that one entry of the table maps (indirection unit).
    pub logical_page: ByteSize,
    /// Moves under way in a package, 1 to 65536: a further one waits, and so do writes of the host to the package.
    pub max_moves: u32,
    /// Which die a write goes to; used by the simulation.
    pub placement: Placement,
    /// The controller's processor.
    pub processor: Processor,
    /// The controller's memory.
    pub dram: Dram,
    /// The controller's codec.
    pub ecc: Ecc,
    /// What joins memory, codecs and channels.
    pub interconnect: Interconnect,
    /// Channels.
    pub channels: Channels,
    /// Dies.
    pub nand: Nand,
    /// Interface to the host.
    pub host: HostInterface,
    /// Tables of the mapping.
    pub table: Table,
    /// Local controllers of FScale.
    pub local: LocalController,
    /// Energy of each unit.
    pub energy: Energies,
    /// Area of cores and memories.
    pub area: Area,
    /// What the host asks.
    pub workload: Workload,
}

impl Default for Drive {
    fn default() -> Self {
        Self {
            design: Design::Conventional,
            capacity: ByteSize(8 << 40),
            over_provisioning: 0.12,
            logical_page: ByteSize(4096),
            // two for each die of a package of 16, one at work and one that waits for the die (assumed)
            max_moves: 32,
            placement: Placement::Uniform,
            processor: Processor::default(),
            dram: Dram::default(),
            ecc: Ecc::default(),
            interconnect: Interconnect::default(),
            channels: Channels::default(),
            nand: Nand::default(),
            host: HostInterface::default(),
            table: Table::default(),
            local: LocalController::default(),
            energy: Energies::default(),
            area: Area::default(),
            workload: Workload::default(),
        }
    }
}

impl Drive {
    /// The same with the other design.
    #[must_use]
    pub fn as_design(&self, design: Design) -> Self {
        Self {
            design,
            ..self.clone()
        }
    }

    /// Physical bytes.
    #[must_use]
    pub fn physical(&self) -> u64 {
        (self.capacity.0 as f64 * (1.0 + self.over_provisioning)).ceil() as u64
    }

    /// Dies that hold the physical bytes.
    #[must_use]
    pub fn dies(&self) -> u64 {
        self.physical().div_ceil(self.nand.die.0)
    }

    /// Packages, the last of which may have fewer dies.
    #[must_use]
    pub fn packages(&self) -> u64 {
        self.dies().div_ceil(u64::from(self.nand.dies_per_package))
    }

    /// Logical pages.
    #[must_use]
    pub fn logical_pages(&self) -> u64 {
        self.capacity.0.div_ceil(self.logical_page.0)
    }

    /// Slots for logical pages on all of the flash.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.physical().div_ceil(self.logical_page.0)
    }

    /// Dies of a full package, or of the only one.
    #[must_use]
    pub fn dies_in_package(&self) -> u64 {
        u64::from(self.nand.dies_per_package).min(self.dies())
    }

    /// Channels with at least one package.
    #[must_use]
    pub fn used_channels(&self) -> u64 {
        u64::from(self.channels.count).min(self.packages())
    }

    /// Packages on the channel that has most.
    #[must_use]
    pub fn packages_per_channel(&self) -> u64 {
        self.packages().div_ceil(u64::from(self.channels.count))
    }

    /// Bytes per second of a channel.
    #[must_use]
    pub fn channel_rate(&self) -> f64 {
        self.channels.rate_with(self.packages_per_channel())
    }

    /// Bytes of a request.
    #[must_use]
    pub fn host_bytes(&self) -> u64 {
        self.workload.host_bytes.unwrap_or(self.logical_page).0
    }

    /// Pages programmed for each logical page that the host writes; 1 when it writes none.
    #[must_use]
    pub fn waf(&self) -> f64 {
        if self.workload.write_fraction == 0.0 {
            return 1.0;
        }
        match self.workload.waf_mode {
            WriteAmplification::Given => self.workload.waf,
            WriteAmplification::FromOp => given_spare(1.0 + self.over_provisioning),
        }
    }

    /// Bytes programmed for each byte that the host writes: those of the logical pages that its writes are a part of, and of their moves. 0 if it writes none.
    #[must_use]
    pub fn waf_total(&self) -> f64 {
        if self.workload.write_fraction == 0.0 {
            return 0.0;
        }
        let collection = self.waf() + self.workload.wear_moves;
        unit_amplification(collection, self.logical_page.0, self.host_bytes()) * (1.0 - self.merged_share())
    }

    /// Bytes that the host can write until all blocks have their last erase, when wear is even.
    #[must_use]
    pub fn endurance_bytes(&self) -> f64 {
        self.physical() as f64 * f64::from(self.nand.endurance) / self.waf_total().max(1.0)
    }

    /// Whether addresses are uniform.
    pub(crate) fn is_uniform(&self) -> bool {
        let load = &self.workload;
        load.zipf == 0.0 && load.hot_pages == 0.0 && load.hot_package == 0.0
    }

    /// Whether moved pages stay on their die.
    pub(crate) fn moves_in_place(&self) -> bool {
        self.design.has_package_bus()
    }

    fn check_combinations(&self) -> Result<(), RefusedValue> {
        require(
            self.table.directory != DirectorySize::Hash || self.local.stale == StaleCopies::Sticky,
            "table.directory",
            "hash",
            "accepted with local.stale = \"sticky\", as an address says where a page is only if it never leaves its die",
        )?;
        let gathered = u64::from(self.workload.coalesce_window).saturating_mul(self.logical_page.0);
        require(
            gathered.saturating_add(self.host_bytes()) <= self.host.buffer.0 || gathered == 0,
            "host.buffer",
            self.host.buffer,
            "accepted with workload.coalesce_window is room for so many logical pages and a request",
        )?;
        require(
            self.host.ack == Acknowledge::Media || self.buffered_writes() <= 1 << 22,
            "host.buffer",
            self.host.buffer,
            "accepted is room for at most 4194304 requests",
        )?;
        require(
            self.workload.coalesce_window == 0 || self.host.ack == Acknowledge::Buffer,
            "workload.coalesce_window",
            self.workload.coalesce_window,
            "accepted is 0 without host.ack = \"buffer\"",
        )
    }

    /// The capacity for people: whole TiB and PiB as such, else TB of 10^12 bytes with three decimals at most.
    #[must_use]
    pub fn capacity_in_words(&self) -> String {
        let bytes = self.capacity.0;
        if bytes.is_multiple_of(1 << 40) || bytes < 1_000_000_000 {
            return self.capacity.to_string();
        }
        let (unit, scale) = match bytes {
            1_000_000_000_000_000.. => ("PB", 1e15),
            1_000_000_000_000.. => ("TB", 1e12),
            _ => ("GB", 1e9),
        };
        let number = format!("{:.3}", bytes as f64 / scale);
        format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
    }

    /// Checks every value.
    ///
    /// # Errors
    /// A value is not accepted: its key, what it is, what is accepted.
    pub fn check(&self) -> Result<(), RefusedValue> {
        require(
            (1 << 30..=1_u64 << 60).contains(&self.capacity.0),
            "capacity",
            self.capacity,
            "accepted are 1 GiB to 1024 PiB",
        )?;
        require(
            self.over_provisioning >= 0.005 && self.over_provisioning <= 10.0,
            "over_provisioning",
            self.over_provisioning,
            "accepted are 0.005 to 10",
        )?;
        require(
            self.logical_page.0.is_power_of_two() && (512..=1 << 24).contains(&self.logical_page.0),
            "logical_page",
            self.logical_page,
            "accepted are powers of two from 512 B to 16 MiB",
        )?;
        count("max_moves", self.max_moves, 1, 1 << 16)?;
        self.processor.check()?;
        self.dram.check()?;
        self.ecc.check()?;
        self.interconnect.check()?;
        self.channels.check()?;
        self.nand.check()?;
        self.host.check(self.host_bytes())?;
        self.table.check()?;
        self.local.check()?;
        self.energy.check()?;
        self.area.check()?;
        self.check_combinations()?;
        self.workload.check(self.logical_page)?;
        require(
            self.nand.die.0 >= self.logical_page.0,
            "nand.die",
            self.nand.die,
            "accepted is at least a logical page",
        )?;
        let together = u64::from(self.nand.logical_pages_per_program);
        let cells = 4 * self.nand.page.0 * u64::from(self.nand.planes);
        require(
            together == 1 || together * self.logical_page.0 <= cells,
            "nand.logical_pages_per_program",
            format!("{together} of {}", self.logical_page),
            &format!(
                "accepted are 1, or as many as four pages of all planes hold, {}",
                ByteSize(cells)
            ),
        )?;
        require(
            self.physical() >= self.nand.die.0,
            "capacity",
            self.capacity,
            &format!(
                "accepted is at least what one die of {} holds beside its spare flash",
                self.nand.die
            ),
        )?;
        require(
            self.dies() <= 1 << 24,
            "nand.die",
            format!("{} for {}", self.nand.die, self.capacity),
            "accepted are dies of which the drive has at most 16777216",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sections 11.2, 13.1 and 13.5 of the specification.
    #[test]
    fn dies_and_packages_of_the_worked_examples() {
        let sized = |capacity: u64, die: u64| {
            let mut drive = Drive {
                capacity: ByteSize(capacity),
                ..Drive::default()
            };
            drive.nand.die = ByteSize(die);
            (drive.dies(), drive.packages())
        };
        assert_eq!(sized(128 << 40, 32 << 30), (4588, 287));
        assert_eq!(sized(1 << 50, 128 << 30), (9176, 574));
        assert_eq!(sized(1 << 50, 256 << 30).0, 4588);
    }

    #[test]
    fn refusals_name_key_value_and_what_is_accepted() {
        let mut drive = Drive::default();
        drive.workload.write_fraction = 1.5;
        assert_eq!(
            drive.check().unwrap_err().to_string(),
            "workload.write_fraction = 1.5: accepted is a share, 0 to 1"
        );
        let mut drive = Drive::default();
        drive.processor.cores = 0;
        assert_eq!(
            drive.check().unwrap_err().to_string(),
            "processor.cores = 0: accepted are 1 to 4096"
        );
        let mut drive = Drive::default();
        drive.dram.bandwidth = f64::NAN;
        assert!(
            drive
                .check()
                .unwrap_err()
                .to_string()
                .starts_with("dram.bandwidth = NaN")
        );
        assert!(Drive::default().check().is_ok());
    }
}
