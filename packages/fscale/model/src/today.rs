//! The controller and the flash of a large enterprise drive of today.

use wordline_units::{ByteSize, Duration, Frequency};

use crate::cycles::CycleTable;
use crate::drive::{Design, Drive};
use crate::hardware::Acknowledge;
use crate::local::LookUp;
use crate::table::{DirectoryEntry, DirectorySize, EntryWidth};
use crate::workload::WriteAmplification;

/// Dies of a package, at most: as in Samsung's PM1633a.
const MOST_DIES: u64 = 16;

impl Drive {
    /// A drive of today with a design and a capacity.
    ///
    /// * Processor: 8 cores, between the four Cortex-R8 of Silicon Motion's SM2508 (2024) and the sixteen cores of Microsemi's Flashtec NVMe2016 (heise.de,
    ///   2018). 1 GHz is assumed, and so is that queues in hardware leave a tenth of the cycles of 2015: 8 million requests a second of host work alone, of which the
    ///   3 million that Silicon Motion names for its SM8366 (hardwareluxx.de, 2022) are well within.
    /// * Memory: 40 GiB, of Samsung's PM1643 with 30.72 TB (2018), the most that was found of a drive that is sold. 38.4 GB/s: the SM8366 has two channels of DDR5-4800;
    ///   that each is 32 bits wide is assumed, and so is that a look-up
    ///   takes 20 ns of their time: rows of 45 ns, which banks open side by side.
    /// * Channels: 16 of 2,400 MT/s (SM8366); Marvell's Bravera SC5 (heise.de, 2021) and Microchip's Flashtec 5016 (2024) have 16 too.
    /// * Codecs: pipelines that keep up with the channels (assumed), 200 ns beside the bytes, as the commands of a channel.
    /// * Host: 14 GB/s in each direction, as the SM8366 and the Bravera SC5 read over PCIe 5.0 x4. Writes are answered from a protected buffer of 64 MiB (assumed, as in
    ///   the preset `datacenter-tlc`).
    /// * Flash: dies of 1 Tb. As in the preset `datacenter-tlc` a read takes 50 us (176 layers, 512 Gbit, ISSCC 2021) and a word line of four planes with three pages of 16 KiB is
    ///   programmed in 750 us, 48 logical pages of 4 KiB; a block has 176 word lines. Channels have equally many packages, of up to 16 dies. Erases of 3.5 ms and 3,000 of them are assumed.
    ///   A die reads one page at a time; parts whose planes read on their own are faster, which matters below 20 TB.
    /// * Tables: entries as wide as they must be; trees of FScale as the memory of the local controllers leaves them. Write amplification is that of uniform random writes
    ///   over the spare flash.
    /// * Local controllers, which nobody sells: one core of 400 MHz (assumed: the class of a Cortex-M7) and a tenth of the cycles of 2015, as in the centre.
    #[must_use]
    pub fn of_today(design: Design, capacity: ByteSize) -> Self {
        let mut drive = Self {
            design,
            capacity,
            ..Self::default()
        };
        drive.processor.cores = 8;
        drive.processor.frequency = Frequency(1_000_000_000);
        drive.processor.cycles = CycleTable::nvme_2026();
        drive.dram.size = ByteSize(40 << 30);
        drive.dram.bandwidth = 38.4e9;
        drive.dram.access = Duration(20);
        drive.ecc.codec = Duration(200);
        drive.channels.count = 16;
        drive.channels.rate = 2.4e9;
        drive.host.rate = 14e9;
        drive.host.full_duplex = true;
        drive.host.ack = Acknowledge::Buffer;
        drive.host.buffer = ByteSize(64 << 20);
        let nand = &mut drive.nand;
        nand.die = ByteSize(128 << 30);
        nand.planes = 4;
        nand.page = ByteSize(16 << 10);
        // programs of a block: word lines
        nand.pages_per_block = 176;
        nand.logical_pages_per_program = 48;
        nand.read = Duration(50_000);
        nand.program = Duration(750_000);
        let dies = drive.dies();
        let channels = u64::from(drive.channels.count);
        let on_channel = dies.div_ceil(channels * MOST_DIES).max(1);
        drive.nand.dies_per_package = dies.div_ceil(channels * on_channel).clamp(1, MOST_DIES) as u32;
        drive.table.entry = EntryWidth::Packed;
        drive.table.directory = DirectorySize::Packed;
        drive.table.count_from = DirectoryEntry::Physical;
        drive.workload.waf_mode = WriteAmplification::FromOp;
        let local = &mut drive.local;
        local.frequency = Frequency(400_000_000);
        local.look_up = LookUp::BTree;
        local.mini_ecc.codec = Duration(200);
        for cycles in [
            &mut local.command_cycles,
            &mut local.node_cycles,
            &mut local.move_cycles,
            &mut local.erase_cycles,
            &mut local.invalidate_cycles,
        ] {
            *cycles /= 10;
        }
        drive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Unit;

    /// Reads of 30.72 TB at the rate of the link, as makers say, and the processor at eight million host operations a second.
    #[test]
    fn reads_of_today_are_as_fast_as_controllers_say() {
        let mut drive = Drive::of_today(Design::Conventional, ByteSize(30_720_000_000_000));
        drive.workload.queue_depth = 1024;
        let outlook = drive.outlook();
        assert_eq!(outlook.hit_rate, 1.0);
        assert!(
            (2.5e6..3.5e6).contains(&outlook.iops_bound),
            "{}",
            outlook.iops_bound
        );
        let processor = outlook
            .limits
            .iter()
            .find(|limit| limit.unit == Some(Unit::Processor));
        assert!((processor.unwrap().iops_bound / 8e6 - 1.0).abs() < 1e-9);
    }
}
