//! What the controller keeps for a scheduler of requests.

use wordline_ecc::{EccKind, StartConfig, StartRule};
use wordline_nand::Geometry;

use crate::Config;
use crate::host::InterfaceKind;

/// Bits of the hour in which a block was begun (J. Cui et al., DLV, IEEE TCAD 2018, section 4).
const TIME_BITS: u64 = 20;
/// Bytes of a plane's free pages of a strong class, and of the time from which on it is idle (DLV).
const PLANE_ENTRY: u64 = 3;
/// Levels with an entry in a table of start levels, and bits of an entry: an age of up to 511 days, and a level (DLV).
const ENTRIES: u64 = 6;
const ENTRY_BITS: u64 = 9 + 3;

/// Bytes that the controller keeps for a scheduler of requests, as DLV counts them: without the counters of relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestMetadata {
    /// The class of every block.
    pub classes: u64,
    /// Free pages of each strong class and the idle time of every plane.
    pub planes: u64,
    /// Tables of start levels by age.
    pub start_levels: u64,
    /// The hour in which every block was begun, where start levels go by age.
    pub program_times: u64,
}

impl Config {
    /// Whether requests reach a scheduler of requests in pieces: a buffer, a link or the firmware stands before it.
    #[must_use]
    pub fn requests_wait_in_pieces(&self) -> bool {
        self.buffer.is_present()
            || self.host.interface != InterfaceKind::Ideal
            || self.firmware.enabled
            || self.firmware.delays_commands()
    }

    /// What the controller of a drive of this geometry keeps for a scheduler of requests.
    #[must_use]
    pub fn request_metadata(&self, geometry: &Geometry) -> RequestMetadata {
        let strong = u64::from(self.strong_classes());
        let blocks = u64::from(geometry.blocks());
        // enough to tell strong + 1 classes apart
        let class_bits = u64::from(u64::BITS - strong.leading_zeros());
        let by_age =
            self.ecc.kind == EccKind::Ldpc && self.ecc.ldpc.start == StartConfig::Rule(StartRule::ByAge);
        let tables = (strong + 1) * (self.ecc.ldpc.ages.wear_bands.len() as u64 + 1);
        let if_by_age = |bits: u64| if by_age { bits.div_ceil(8) } else { 0 };
        RequestMetadata {
            classes: (blocks * class_bits).div_ceil(8),
            planes: u64::from(geometry.planes()) * PLANE_ENTRY * (strong + 1),
            start_levels: if_by_age(tables * ENTRIES * ENTRY_BITS),
            program_times: if_by_age(blocks * TIME_BITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use wordline_ecc::StartConfig;

    use crate::{DriveSource, ModeConfig, resolve};

    /// The sizes of the specification, section 3: 131072 blocks, 128 planes.
    #[test]
    fn the_drive_of_dlv() {
        let mut config = resolve(DriveSource::Named("cui2018-dlv"), None, &[])
            .unwrap()
            .config;
        let geometry = config.array_geometry().unwrap();
        let two = config.request_metadata(&geometry);
        assert_eq!(two.classes, 16 << 10);
        assert_eq!(two.planes, 128 * 6);
        assert_eq!(two.start_levels, 18);
        assert_eq!(two.program_times, 320 << 10);
        let class = |quantile: f64| ModeConfig {
            quantile: Some(quantile),
            ..config.modes[0].clone()
        };
        let four = [0.25, 0.5, 0.75].map(class).to_vec();
        config.ecc.ldpc.ages.wear_bands = vec![500, 1_000, 1_500, 2_000];
        // ten tables: two classes in five bands
        assert_eq!(config.request_metadata(&geometry).start_levels, 90);
        config.modes = four;
        assert_eq!(config.request_metadata(&geometry).classes, 32 << 10);
        assert!(config.request_metadata(&geometry).planes < 4 << 10);
        config.modes.clear();
        config.ecc.ldpc.start = StartConfig::default();
        let none = config.request_metadata(&geometry);
        assert_eq!((none.classes, none.start_levels, none.program_times), (0, 0, 0));
    }
}
