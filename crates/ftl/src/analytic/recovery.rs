//! How long it takes to read pages of every die (FTL specification, 8.4).

use wordline_nand::{DieId, Geometry, Mode, PageTypes, Select, Timing};
use wordline_units::Duration;

/// What one page takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRead {
    /// The command on the channel.
    pub command: Duration,
    /// The array.
    pub sense: Duration,
    /// The data, or the spare area, on the channel.
    pub transfer: Duration,
}

impl PageRead {
    /// Reads of so many bytes of a page of a drive, with the mean sensing time of the pages of a block.
    #[must_use]
    pub fn of(geometry: &Geometry, timing: &Timing, types: &PageTypes, bytes: u64) -> Self {
        let pages = geometry.pages_per_block;
        let sense = |page| timing.read_array(Mode::NORMAL, types.of(page));
        let sum = (0..pages).map(sense).fold(Duration::ZERO, |sum, each| sum + each);
        Self {
            command: timing.read_setup(),
            sense: Duration(sum.ns() / u64::from(pages)),
            transfer: timing.data_out(bytes, Select::default()),
        }
    }
}

/// How long it takes to read `of_die` pages of each die, all dies and channels at the same time. A die reads its pages one after
/// the other; a channel carries commands and data of its dies one after the other. The slower of the two decides.
#[must_use]
pub fn read_all(geometry: &Geometry, of_die: &[u64], each: PageRead) -> Duration {
    let on_channel = each.command + each.transfer;
    let mut channels = vec![0; geometry.channels as usize];
    let mut longest = Duration::ZERO;
    for (die, pages) in (0..).map(DieId).zip(of_die) {
        channels[geometry.channel_of(die).index()] += pages;
        longest = longest.max((on_channel + each.sense) * *pages);
    }
    let busiest = channels.into_iter().max().unwrap_or(0);
    longest.max(on_channel * busiest)
}

#[cfg(test)]
mod tests {
    use wordline_nand::GeometryConfig;

    use super::*;

    /// The drive of section 8.4: 2^36 bytes in pages of 4 KiB, 8 channels of 4 dies.
    fn drive() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 8,
            chips_per_channel: 4,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 2048,
            pages_per_block: 256,
            ..GeometryConfig::default()
        })
        .unwrap()
    }

    fn time(pages: u64, transfer: u64) -> f64 {
        let each = PageRead {
            command: Duration(175),
            sense: Duration(25_000),
            transfer: Duration(transfer),
        };
        let drive = drive();
        read_all(&drive, &vec![pages / 32; 32], each).ns() as f64 / 1e9
    }

    /// Worked in the specification: the dies bound a scan of spare areas, the channels one of whole pages.
    #[test]
    fn the_examples_of_the_specification() {
        let of_spare_areas = time(16_777_216, 1_280);
        assert!((of_spare_areas - 13.870).abs() < 5e-4, "{of_spare_areas}");
        let of_summaries = time(65_536, 40_960);
        assert!((of_summaries - 0.3370).abs() < 5e-5, "{of_summaries}");
        let of_checkpoint = time(16_384, 40_960);
        assert!((of_checkpoint - 0.0842).abs() < 5e-5, "{of_checkpoint}");
        let of_open_blocks = time(32 * 256, 1_280);
        assert!((of_open_blocks - 0.0068).abs() < 5e-5, "{of_open_blocks}");
    }

    /// All pages in one die: its own time, whatever the others could do.
    #[test]
    fn the_busiest_die_decides() {
        let each = PageRead {
            command: Duration(10),
            sense: Duration(100),
            transfer: Duration(20),
        };
        let mut of_die = vec![0; 32];
        of_die[5] = 7;
        assert_eq!(read_all(&drive(), &of_die, each), Duration(7 * 130));
        // eight dies of different channels take no longer, four of one channel take no longer than one either
        of_die[4] = 7;
        assert_eq!(read_all(&drive(), &of_die, each), Duration(7 * 130));
        of_die[4] = 70;
        assert_eq!(read_all(&drive(), &of_die, each), Duration(70 * 130));
    }
}
