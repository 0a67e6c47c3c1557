//! What is known of a run before its drive is aged, and what is written before it for that.

use wordline_ftl::{AgeConfig, FtlError, Mapping, Order, PlaceReads, PlacedPage};

use crate::error::RunError;
use crate::load::Demand;

/// What is known of a run before its drive is aged.
pub(crate) struct Ahead {
    /// About how many pages will be asked for.
    pub(crate) requests: u64,
    /// What the run will ask of the flash, where it is a run with a clock.
    pub(crate) demand: Option<Demand>,
    /// What is to be written before it (`age.place_reads`), where its requests are known.
    pub(crate) placed: Option<Vec<PlacedPage>>,
}

impl Ahead {
    /// About so many requests will come, and nothing else is known.
    pub(crate) const fn of(requests: u64) -> Self {
        Self {
            requests,
            demand: None,
            placed: None,
        }
    }

    /// Writes what the run reads and has not written, where `age.place_reads` asks for it, and says so. `watch` stops it by returning false.
    ///
    /// # Errors
    /// The requests of the run are not known; the drive has no room.
    pub(super) fn place_reads(
        &self,
        ftl: &mut dyn Mapping,
        past: &AgeConfig,
        order: Order,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<String>, RunError> {
        if past.place_reads == PlaceReads::Off {
            return Ok(None);
        }
        let Some(pages) = &self.placed else {
            let found = "a drive whose requests are not those of its workload";
            let accepted = "\"off\" there: requests are gone through before the run";
            return Err(FtlError::new("age.place_reads", found, accepted).into());
        };
        wordline_ftl::place(ftl, past, pages, order, watch)?;
        let sectors: u64 = pages
            .iter()
            .map(|page| u64::from(page.sectors.count_ones()))
            .sum();
        Ok(Some(format!(
            "Written before the run, as the run reads it and has not written it by then: {sectors} sectors of 512 B on {} pages.",
            pages.len()
        )))
    }
}
