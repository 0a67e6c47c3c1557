//! How long a drive needs after the power has failed to bring to flash what a capacitor preserves (FTL specification, 8.1).

use wordline_nand::{Geometry, Mode, PageTypes, Timing};
use wordline_units::Duration;

/// An upper bound of the time to program so many pages on all dies of a drive: the longest operation that may be under way in an array, and then
/// the programs of the die that has most of them, each after the data of all dies of its channel. Collection that the programs have to wait for is
/// not in it.
#[must_use]
pub fn hold_up(geometry: &Geometry, timing: &Timing, types: &PageTypes, pages: u64) -> Duration {
    let program = |page| timing.program_array(Mode::NORMAL, types.of(page));
    let slowest = (0..geometry.pages_per_block).map(program).max();
    let slowest = slowest.unwrap_or_default();
    let dies = u64::from(geometry.dies());
    let of_channel = dies / u64::from(geometry.channels.max(1));
    let transfers = timing.program_setup(u64::from(geometry.page_bytes)) * of_channel;
    timing.erase_array().max(slowest) + (transfers + slowest) * pages.div_ceil(dies)
}

#[cfg(test)]
mod tests {
    use wordline_nand::{GeometryConfig, TimingConfig};

    use super::*;

    /// Eight dies on two channels; 20 pages are three for the busiest die, each after four transfers. The longest operation is an erase.
    #[test]
    fn worked_by_hand() {
        let config = GeometryConfig {
            channels: 2,
            chips_per_channel: 4,
            dies_per_chip: 1,
            planes_per_die: 1,
            ..GeometryConfig::default()
        };
        let geometry = Geometry::new(&config).unwrap();
        let types = PageTypes::new(&config, &geometry).unwrap();
        let timing = Timing::new(&TimingConfig::default(), &geometry, &types).unwrap();
        let program = (0..geometry.pages_per_block)
            .map(|page| timing.program_array(Mode::NORMAL, types.of(page)).ns())
            .max()
            .unwrap();
        let transfer = timing.program_setup(u64::from(geometry.page_bytes)).ns();
        let erase = timing.erase_array().ns();
        assert!(erase > program);
        let time = |pages| hold_up(&geometry, &timing, &types, pages).ns();
        assert_eq!(time(0), erase);
        assert_eq!(time(1), erase + 4 * transfer + program);
        assert_eq!(time(20), erase + 3 * (4 * transfer + program));
    }
}
