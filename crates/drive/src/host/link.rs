//! The link between host and drive: who moves how many bytes until when.

use wordline_units::{Duration, SimTime};

use wordline_config::{EmmcConfig, PcieConfig, SataConfig, UfsConfig};

/// Bytes of a submission queue entry.
const SUBMISSION: u64 = 64;
/// Bytes of a completion queue entry.
const COMPLETION: u64 = 16;
/// Bytes of the message that interrupts the host.
const INTERRUPT: u64 = 4;

/// Bytes that frame a frame information structure: start, check sequence, end.
const FRAME: u64 = 12;
/// Bytes of a register frame, of a DMA setup, of a data frame's header and largest payload, and of
/// the frame that completes queued commands (Serial ATA revision 3.x, section 10.5).
const REGISTER: u64 = 20;
const DMA_SETUP: u64 = 28;
const DATA_HEADER: u64 = 4;
const DATA_PAYLOAD: u64 = 8192;
const DEVICE_BITS: u64 = 8;

/// Bytes of a UPIU without data, and of the header of one with data (JESD220, basic header segment and transaction fields).
const UPIU: u64 = 32;

/// Bytes of a data block of an eMMC device, and the time of its start bits, check sequences of 16 bits and end bits on eight lines, in
/// bytes (JESD84-B51).
const EMMC_BLOCK: u64 = 512;
const EMMC_BLOCK_FRAME: u64 = 18;

/// One direction of a link, or both of a half-duplex one: transfers follow each other.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    free_at: SimTime,
}

impl Lane {
    fn take(&mut self, now: SimTime, time: Duration) -> SimTime {
        self.free_at = self.free_at.max(now) + time;
        self.free_at
    }
}

/// The link. Every call reserves it from now on and tells when the transfer is over.
#[derive(Debug)]
pub(crate) struct Link {
    kind: Kind,
    ns_per_byte: f64,
    to_drive: Lane,
    to_host: Lane,
    /// Time that the link worked in either direction since counting began.
    pub(crate) busy_to_drive: Duration,
    pub(crate) busy_to_host: Duration,
}

#[derive(Debug)]
enum Kind {
    Pcie {
        max_payload: u64,
        packet_overhead: u64,
        max_read_request: u64,
        /// From a request for write data to the first of them.
        read_latency: Duration,
    },
    Sata {
        turnaround: Duration,
    },
    Ufs {
        /// Data of a packet at most.
        max_data: u64,
    },
    /// Data of both directions use the lane to the host, commands the one to the drive.
    Emmc {
        /// A command and its answer on the command line.
        command: Duration,
        /// Commands that hand a task over and begin its data phase.
        commands: u32,
    },
}

impl Link {
    pub(crate) fn pcie(config: &PcieConfig) -> Self {
        let kind = Kind::Pcie {
            max_payload: config.max_payload.bytes(),
            packet_overhead: config.packet_overhead.bytes(),
            max_read_request: config.max_read_request.bytes(),
            read_latency: config.read_latency,
        };
        Self::new(kind, config.bytes_per_second())
    }

    pub(crate) fn sata(config: &SataConfig) -> Self {
        let kind = Kind::Sata {
            turnaround: config.turnaround,
        };
        Self::new(kind, config.bytes_per_second())
    }

    pub(crate) fn ufs(config: &UfsConfig) -> Self {
        let max_data = config.max_data.bytes();
        Self::new(Kind::Ufs { max_data }, config.bytes_per_second())
    }

    pub(crate) fn emmc(config: &EmmcConfig) -> Self {
        // queued: parameters, address, execution; otherwise the number of blocks and the transfer itself
        let commands = if config.tags > 1 { 3 } else { 2 };
        let kind = Kind::Emmc {
            command: config.command_time(),
            commands,
        };
        Self::new(kind, config.bytes_per_second())
    }

    fn new(kind: Kind, bytes_per_second: f64) -> Self {
        Self {
            kind,
            ns_per_byte: 1e9 / bytes_per_second,
            to_drive: Lane::default(),
            to_host: Lane::default(),
            busy_to_drive: Duration::ZERO,
            busy_to_host: Duration::ZERO,
        }
    }

    /// The drive fetches `count` commands.
    pub(crate) fn commands(&mut self, now: SimTime, count: u32) -> SimTime {
        match self.kind {
            Kind::Pcie { packet_overhead, .. } => {
                self.up(now, packet_overhead, 0);
                let bytes = self.packed(SUBMISSION * u64::from(count));
                self.down(now, bytes, 0)
            }
            Kind::Sata { .. } => {
                // the command, and the frame that releases the link
                self.down(now, u64::from(count) * (REGISTER + FRAME), count);
                self.up(now, u64::from(count) * (REGISTER + FRAME), count)
            }
            Kind::Ufs { .. } => self.down(now, u64::from(count) * UPIU, 0),
            Kind::Emmc { command, commands } => self
                .to_drive
                .take(now, command * u64::from(count) * u64::from(commands)),
        }
    }

    /// `bytes` of write data come in; `first` of their command.
    pub(crate) fn data_in(&mut self, now: SimTime, bytes: u64, first: bool) -> SimTime {
        match self.kind {
            Kind::Pcie {
                packet_overhead,
                max_read_request,
                read_latency,
                ..
            } => {
                self.up(now, bytes.div_ceil(max_read_request) * packet_overhead, 0);
                let bytes = self.packed(bytes);
                // requests go out one behind the other, so that answers follow each other as if there were no way
                self.down(now, bytes, 0) + read_latency
            }
            Kind::Sata { .. } => {
                self.set_up(now, first);
                let (bytes, frames) = framed(bytes);
                self.down(now, bytes, frames)
            }
            Kind::Ufs { .. } => {
                // the device asks for the data
                self.up(now, UPIU, 0);
                let bytes = self.packed(bytes);
                self.down(now, bytes, 0)
            }
            Kind::Emmc { .. } => {
                let bytes = self.packed(bytes);
                let time = self.time(bytes, 0);
                self.busy_to_drive += time;
                self.to_host.take(now, time)
            }
        }
    }

    /// `bytes` of read data go out; `first` of their command.
    pub(crate) fn data_out(&mut self, now: SimTime, bytes: u64, first: bool) -> SimTime {
        match self.kind {
            Kind::Pcie { .. } | Kind::Ufs { .. } | Kind::Emmc { .. } => {
                let bytes = self.packed(bytes);
                self.up(now, bytes, 0)
            }
            Kind::Sata { .. } => {
                self.set_up(now, first);
                let (bytes, frames) = framed(bytes);
                self.up(now, bytes, frames)
            }
        }
    }

    /// The drive reports that a command is complete; `brought_data` says whether data of it went to the host.
    pub(crate) fn completion(&mut self, now: SimTime, brought_data: bool) -> SimTime {
        match self.kind {
            Kind::Pcie { .. } => {
                let bytes = self.packed(COMPLETION) + self.packed(INTERRUPT);
                self.up(now, bytes, 0)
            }
            Kind::Sata { .. } => self.up(now, DEVICE_BITS + FRAME, 1),
            Kind::Ufs { .. } => self.up(now, UPIU, 0),
            // the host asks which tasks are done, after the data on the other lines
            Kind::Emmc { command, .. } => {
                let data_end = if brought_data { self.to_host.free_at } else { now };
                self.to_drive.take(now.max(data_end), command)
            }
        }
    }

    /// Counts afresh from `now` on; of transfers under way the rest counts.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        self.busy_to_drive = self.to_drive.free_at.since(now);
        self.busy_to_host = self.to_host.free_at.since(now);
    }

    /// The drive announces a command's data phase on a serial link.
    fn set_up(&mut self, now: SimTime, first: bool) {
        if first {
            self.up(now, DMA_SETUP + FRAME, 1);
        }
    }

    /// Bytes on the wire of `bytes` in packets.
    fn packed(&self, bytes: u64) -> u64 {
        match self.kind {
            Kind::Pcie {
                max_payload,
                packet_overhead,
                ..
            } => bytes + bytes.div_ceil(max_payload) * packet_overhead,
            Kind::Ufs { max_data } => bytes + bytes.div_ceil(max_data) * UPIU,
            Kind::Emmc { .. } => bytes + bytes.div_ceil(EMMC_BLOCK) * EMMC_BLOCK_FRAME,
            Kind::Sata { .. } => bytes,
        }
    }

    fn down(&mut self, now: SimTime, bytes: u64, frames: u32) -> SimTime {
        let time = self.time(bytes, frames);
        self.busy_to_drive += time;
        self.to_drive.take(now, time)
    }

    fn up(&mut self, now: SimTime, bytes: u64, frames: u32) -> SimTime {
        let time = self.time(bytes, frames);
        self.busy_to_host += time;
        match self.kind {
            Kind::Pcie { .. } | Kind::Ufs { .. } | Kind::Emmc { .. } => self.to_host.take(now, time),
            // both directions are one wire's time
            Kind::Sata { .. } => self.to_drive.take(now, time),
        }
    }

    /// Time of bytes on the wire, to the nearest nanosecond, and of the handshakes around frames.
    fn time(&self, bytes: u64, frames: u32) -> Duration {
        let wire = Duration::from_ns((bytes as f64 * self.ns_per_byte + 0.5) as u64);
        match self.kind {
            Kind::Pcie { .. } | Kind::Ufs { .. } | Kind::Emmc { .. } => wire,
            Kind::Sata { turnaround } => wire + turnaround * u64::from(frames),
        }
    }
}

/// Bytes and frames of `bytes` in data frames.
fn framed(bytes: u64) -> (u64, u32) {
    let frames = bytes.div_ceil(DATA_PAYLOAD);
    (bytes + frames * (DATA_HEADER + FRAME), frames as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generation 3, one lane: 8 GT/s, 128b/130b: 984.6 MB/s, 1.015625 ns a byte.
    fn pcie() -> Link {
        Link::pcie(&PcieConfig {
            generation: 3,
            lanes: 1,
            ..PcieConfig::default()
        })
    }

    /// 4 KiB are 16 packets of 256 + 24 bytes: 4480 bytes, 4550 ns.
    #[test]
    fn packets_by_hand() {
        let mut link = pcie();
        assert_eq!(link.data_out(SimTime(0), 4096, true), SimTime(4550));
        assert_eq!(link.data_out(SimTime(0), 4096, true), SimTime(9100), "in turn");
        // the other direction is free but for eight read requests' answers: full duplex
        assert_eq!(link.data_in(SimTime(0), 4096, true), SimTime(4550));
        // eight read requests of 24 bytes queued behind the read data: 195 ns
        assert_eq!(link.data_out(SimTime(0), 0, true), SimTime(9295));
        // an entry of 16 + 24 and an interrupt of 4 + 24 bytes: 68 bytes, 69 ns
        assert_eq!(link.completion(SimTime(20_000), true), SimTime(20_069));
        // two commands of 64 bytes in one packet: 152 bytes, 154 ns
        assert_eq!(link.commands(SimTime(30_000), 2), SimTime(30_154));
        assert_eq!(link.busy_to_drive, Duration::from_ns(4550 + 154));
        assert_eq!(link.busy_to_host, Duration::from_ns(2 * 4550 + 195 + 69 + 24));
    }

    /// Gear 4, two lanes: 2,332.16 MB/s, 0.428787 ns a byte; 4 KiB and a header are 4,128 bytes, 1,770 ns, a packet without data 14 ns.
    #[test]
    fn ufs_packets_by_hand() {
        let mut link = Link::ufs(&UfsConfig::default());
        assert_eq!(link.commands(SimTime(0), 1), SimTime(14));
        assert_eq!(link.data_out(SimTime(1000), 4096, true), SimTime(2770));
        // the other direction is free; the request for the data waits behind the read data
        assert_eq!(link.data_in(SimTime(1000), 4096, true), SimTime(2770));
        assert_eq!(link.completion(SimTime(1000), true), SimTime(2770 + 14 + 14));
        // two packets for 8 KiB
        assert_eq!(link.data_out(SimTime(10_000), 8192, true), SimTime(13_540));
        assert_eq!(link.busy_to_drive, Duration::from_ns(14 + 1770));
    }

    /// 400 MB/s: 4 KiB in eight blocks of 530 bytes are 10,600 ns; a command and its answer are 96 bits at 200 MHz, 480 ns.
    #[test]
    fn emmc_blocks_by_hand() {
        let mut link = Link::emmc(&EmmcConfig::default());
        assert_eq!(link.commands(SimTime(0), 1), SimTime(3 * 480));
        assert_eq!(link.data_out(SimTime(2000), 4096, true), SimTime(12_600));
        // one set of data lines: the other direction waits
        assert_eq!(link.data_in(SimTime(2000), 4096, true), SimTime(23_200));
        // and a line of their own for commands
        assert_eq!(link.completion(SimTime(3000), false), SimTime(3480));
        // on which the end of a read is asked for after its data
        assert_eq!(link.completion(SimTime(4000), true), SimTime(23_680));
        let single = EmmcConfig {
            tags: 1,
            bus: wordline_config::EmmcBus::Ddr52,
        };
        let mut link = Link::emmc(&single);
        // two commands of 1,846 ns; a block of 530 bytes at 104 MB/s, 5,096 ns
        assert_eq!(link.commands(SimTime(0), 1), SimTime(2 * 1846));
        assert_eq!(link.data_out(SimTime(0), 512, true), SimTime(5096));
    }

    /// 6 Gbit/s: 600 MB/s; 4 KiB in a frame of 4112 bytes are 6853 ns, the setup 40 bytes, 67 ns; 200 ns
    /// around each.
    #[test]
    fn frames_by_hand() {
        let mut link = Link::sata(&SataConfig::default());
        assert_eq!(link.data_out(SimTime(0), 4096, true), SimTime(267 + 7053));
        // one wire: the other direction waits, and the same command needs no second setup
        assert_eq!(link.data_in(SimTime(0), 4096, false), SimTime(7320 + 7053));
        // a command and its release: 32 bytes and 200 ns each
        assert_eq!(link.commands(SimTime(20_000), 1), SimTime(20_000 + 2 * 253));
        assert_eq!(link.completion(SimTime(30_000), true), SimTime(30_000 + 233));
    }
}
