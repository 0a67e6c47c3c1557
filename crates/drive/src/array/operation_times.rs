//! How long operations take, as schedulers that estimate ends count on.

use wordline_nand::{Mode, PageTypes, Select, Timing};
use wordline_units::Duration;

use super::classes::LEVELS;

/// How long operations of a whole page take, transfers included, without waiting for the channel: means over the page types, in
/// the normal mode.
#[derive(Clone, Debug)]
pub(crate) struct OperationTimes {
    pub(crate) read: Duration,
    pub(crate) program: Duration,
    pub(crate) erase: Duration,
    /// By how much a program takes less time in each mode beside the normal one.
    pub(crate) savings: Vec<Duration>,
}

impl OperationTimes {
    pub(crate) fn new(
        timing: &Timing,
        types: &PageTypes,
        modes: u8,
        pages_per_block: u32,
        sectors_per_page: u32,
    ) -> Self {
        let mean = |time: &dyn Fn(u32) -> Duration| {
            let sum: u64 = (0..pages_per_block).map(|page| time(page).ns()).sum();
            Duration(sum / u64::from(pages_per_block))
        };
        let bytes = timing.bytes(sectors_per_page);
        let program_in = |mode: Mode| mean(&|page| timing.program_array(mode, types.of(page)));
        let array = program_in(Mode::NORMAL);
        Self {
            read: timing.read_setup()
                + mean(&|page| timing.read_array(Mode::NORMAL, types.of(page)))
                + timing.data_out(bytes, Select::default()),
            program: timing.program_setup(bytes) + array,
            savings: (1..=modes).map(|mode| array - program_in(Mode(mode))).collect(),
            erase: timing.erase_setup(1) + timing.erase_array(),
        }
    }

    /// Of an operation of a class.
    pub(super) const fn of_class(&self, class: usize) -> Duration {
        match class / LEVELS {
            0 => self.read,
            1 => self.program,
            _ => self.erase,
        }
    }
}
