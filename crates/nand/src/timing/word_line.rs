//! Times of word lines that are programmed as wholes.

use wordline_units::Duration;

use super::Timing;
use crate::cell_type::CellType;
use crate::page_types::MAX_PAGE_TYPES;
use crate::program_order::ProgramOrder;

impl Timing {
    /// The same with word lines of such cells programmed in that order: of the pages of a word line all but the last only bring their
    /// data into the die, which is busy for tDBSY after each, and the last one's program takes as long as those of all pages would one
    /// after the other. In two steps the data come twice; the second time is counted as time of the die alone.
    #[must_use]
    pub fn with_program_order(mut self, order: ProgramOrder, cell: CellType) -> Self {
        let pages = cell.bits() as usize;
        let data_again = match order {
            ProgramOrder::Page => return self,
            ProgramOrder::OneShot => Duration::ZERO,
            ProgramOrder::TwoStep => {
                self.program_setup(self.bytes(self.sectors_per_page)) * u64::from(cell.bits())
            }
        };
        let load = self.t_dbsy;
        for times in &mut self.t_prog {
            let all = times[..pages].iter().map(|time| time.0).sum();
            let mut by_type = [load; MAX_PAGE_TYPES];
            by_type[pages - 1] = Duration(all) + data_again;
            *times = by_type;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use wordline_units::{ByteSize, TransferRate};

    use super::*;
    use crate::{Geometry, GeometryConfig, Mode, PageType, PageTypes, PerPageType, TimingConfig};

    fn timing(cell_type: CellType, order: ProgramOrder) -> Timing {
        let geometry = GeometryConfig {
            cell_type,
            pages_per_block: 24,
            page_size: ByteSize(16 << 10),
            ..GeometryConfig::default()
        };
        let config = TimingConfig {
            t_prog: PerPageType::All(Duration::from_us(390)),
            transfer_rate: Some(TransferRate(1_600_000)),
            t_dbsy: Duration::from_ns(500),
            ..TimingConfig::default()
        };
        let array = Geometry::new(&geometry).unwrap();
        let types = PageTypes::new(&geometry, &array).unwrap();
        Timing::new(&config, &array, &types)
            .unwrap()
            .with_program_order(order, cell_type)
    }

    fn programs(timing: &Timing, pages: u8) -> Vec<u64> {
        (0..pages)
            .map(|page| timing.program_array(Mode::NORMAL, PageType(page)).ns())
            .collect()
    }

    #[test]
    fn a_word_line_takes_the_time_of_its_pages_when_its_last_page_has_come() {
        let apart = timing(CellType::Tlc, ProgramOrder::Page);
        assert_eq!(programs(&apart, 3), [390_000; 3]);
        let one_shot = timing(CellType::Tlc, ProgramOrder::OneShot);
        assert_eq!(programs(&one_shot, 3), [500, 500, 1_170_000]);
    }

    #[test]
    fn two_steps_bring_the_data_twice() {
        let two_step = timing(CellType::Qlc, ProgramOrder::TwoStep);
        let again = two_step.program_setup(16 << 10).ns();
        // 16 KiB at 1,600 MB/s are 10.24 us, after seven cycles of 25 ns
        assert_eq!(again, 10_240 + 175);
        assert_eq!(programs(&two_step, 4), [500, 500, 500, 4 * 390_000 + 4 * again]);
    }
}
