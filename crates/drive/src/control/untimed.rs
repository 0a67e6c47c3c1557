//! Writes without a clock, of a drive whose run is over.

use wordline_ftl::functional::{Functional, FunctionalError, FunctionalOptions};
use wordline_ftl::{JobNotice, Order, PageRequest};
use wordline_units::SimTime;

use super::Control;
use crate::features::Features;

impl<F: Features> Control<F> {
    /// Writes pages to the flash of a drive whose run is over, without a clock, at a time of its life, and has everything programmed that waits for company.
    pub(crate) fn write_untimed(
        &mut self,
        pages: &[PageRequest],
        lived: SimTime,
        order: Order,
    ) -> Result<(), FunctionalError> {
        let options = FunctionalOptions {
            order,
            ..FunctionalOptions::default()
        };
        let jobs: Vec<JobNotice> = self.jobs.waiting().collect();
        let mut functional = Functional::new(self.ftl_mut(), options);
        functional.advance_to(lived);
        functional.take_over(jobs);
        for page in pages {
            functional.submit(page)?;
        }
        functional.flush()?;
        functional.settle()
    }
}
