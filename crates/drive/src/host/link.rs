//! The link between host and drive: who moves how many bytes until when.

use wordline_units::{Duration, SimTime};

use wordline_config::{PcieConfig, SataConfig};

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
        }
    }

    /// `bytes` of read data go out; `first` of their command.
    pub(crate) fn data_out(&mut self, now: SimTime, bytes: u64, first: bool) -> SimTime {
        match self.kind {
            Kind::Pcie { .. } => {
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

    /// The drive reports that a command is complete.
    pub(crate) fn completion(&mut self, now: SimTime) -> SimTime {
        match self.kind {
            Kind::Pcie { .. } => {
                let bytes = self.packed(COMPLETION) + self.packed(INTERRUPT);
                self.up(now, bytes, 0)
            }
            Kind::Sata { .. } => self.up(now, DEVICE_BITS + FRAME, 1),
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
            Kind::Pcie { .. } => self.to_host.take(now, time),
            // both directions are one wire's time
            Kind::Sata { .. } => self.to_drive.take(now, time),
        }
    }

    /// Time of bytes on the wire, to the nearest nanosecond, and of the handshakes around frames.
    fn time(&self, bytes: u64, frames: u32) -> Duration {
        let wire = Duration::from_ns((bytes as f64 * self.ns_per_byte + 0.5) as u64);
        match self.kind {
            Kind::Pcie { .. } => wire,
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
        assert_eq!(link.completion(SimTime(20_000)), SimTime(20_069));
        // two commands of 64 bytes in one packet: 152 bytes, 154 ns
        assert_eq!(link.commands(SimTime(30_000), 2), SimTime(30_154));
        assert_eq!(link.busy_to_drive, Duration::from_ns(4550 + 154));
        assert_eq!(link.busy_to_host, Duration::from_ns(2 * 4550 + 195 + 69 + 24));
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
        assert_eq!(link.completion(SimTime(30_000)), SimTime(30_000 + 233));
    }
}
