//! How long a drive takes to find its table after a loss of power, and to do without a package that failed.

use serde::Serialize;

use crate::drive::Drive;
use crate::hardware::transfer_ns;

/// Bytes of the spare area of a page that name its logical pages.
const SPARE: u64 = 64;

/// Times of recovery in seconds, with nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Recovery {
    /// To read the spare area of every physical page, as when a table in memory of the host is lost.
    pub scan_seconds: f64,
    /// To read the table itself from flash.
    pub table_seconds: f64,
    /// Bytes of a package.
    pub package_bytes: u64,
    /// Spare flash as a share of the capacity, once a package has failed; below 0 its data have no room.
    pub over_provisioning_left: f64,
    /// To compute what a package held from the other packages of its parity stripes, and program it elsewhere; also the time after the failure of its
    /// local controller, without which its dies cannot be reached.
    pub rebuild_seconds: f64,
}

impl Drive {
    /// Times of recovery.
    #[must_use]
    pub fn recovery(&self) -> Recovery {
        let nand = &self.nand;
        let dies = self.dies() as f64;
        let channels = self.used_channels() as f64;
        // seconds of all channels for a page of so many bytes
        let on_channels = |bytes: u64| {
            (self.channels.command.0 as f64 + transfer_ns(bytes as f64, self.channel_rate())) / channels / 1e9
        };
        let per_page = nand.page.0 as f64;
        let read = nand.read.0 as f64 / 1e9 / f64::from(nand.planes);
        let program = nand.program.0 as f64 / 1e9 / f64::from(nand.planes);
        let pages = self.physical() as f64 / per_page;
        let table_pages = self.looked_up_bytes() as f64 / per_page;
        let package = nand
            .die
            .0
            .saturating_mul(u64::from(nand.dies_per_package))
            .min(self.physical());
        let lost = package as f64 / per_page;
        let others = (dies - f64::from(nand.dies_per_package)).max(1.0);
        let read_back = lost * f64::from(nand.stripe - 1);
        Recovery {
            scan_seconds: (pages * read / dies).max(pages * on_channels(SPARE)),
            table_seconds: (table_pages * read / dies).max(table_pages * on_channels(nand.page.0)),
            package_bytes: package,
            over_provisioning_left: (self.physical() as f64 - package as f64) / self.capacity.0 as f64 - 1.0,
            rebuild_seconds: ((read_back * read + lost * program) / others)
                .max((read_back + lost) * on_channels(nand.page.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::ByteSize;

    use super::*;

    /// 128 TB: 287 packages of 512 GiB on 16 channels of 400 MB/s.
    #[test]
    fn worked_example() {
        let drive = Drive {
            capacity: ByteSize(128 << 40),
            ..Drive::default()
        };
        let found = drive.recovery();
        // 9.6 thousand million pages; a die reads 2.1 million at 18.75 us; a channel takes 600 million in 200 + 160 ns
        let pages = 128.0 * 1.12 * (1_u64 << 40) as f64 / 16384.0;
        assert!((found.scan_seconds - pages * 360e-9 / 16.0).abs() < 0.5);
        assert_eq!(found.package_bytes, 512 << 30);
        assert!((found.over_provisioning_left - (0.12 - 0.5 / 128.0)).abs() < 1e-6);
        // 16 crossings of 33.5 million pages, each 200 ns and 40.96 us
        let lost = (512_u64 << 30) as f64 / 16384.0;
        assert!((found.rebuild_seconds / (16.0 * lost * 41.16e-6 / 16.0) - 1.0).abs() < 1e-3);
    }
}
