//! Many drives at once, whose cells vary from block to block (section 12 of the specification).
//!
//! No policy looks at retention, so that the FTL does the same in every drive: it runs once, and the wear of the blocks of all
//! drives follows its events.

use wordline_cell::fence::{
    Family, ParamError, Place, Representative, RestHistogram, RetentionModel, Variation, WearState,
};
use wordline_config::ConfigError;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_metrics::available_memory_bytes;
use wordline_units::Seed;

use crate::nearest_rank::nearest_rank;

/// Drives that are studied together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetOptions {
    /// How many.
    pub drives: u32,
    /// How their cells vary from block to block.
    pub variation: Variation,
}

/// Drives that can be studied together.
const MOST_DRIVES: u64 = 10_000;
/// Blocks of all of them.
const MOST_BLOCKS: u64 = 1 << 26;
/// Bytes of a block of a drive, with what a skip adds to it, which may be undone.
const BLOCK_BYTES: u64 = (size_of::<Place>() + 2 * size_of::<f64>()) as u64;

impl FleetOptions {
    /// # Errors
    /// No drive, or more drives of so many blocks than can be studied or than fit into the available memory.
    pub(crate) fn check(&self, blocks: u32) -> Result<(), ConfigError> {
        let room = available_memory_bytes().map_or(u64::MAX, |bytes| bytes / BLOCK_BYTES);
        let most = MOST_DRIVES.min(MOST_BLOCKS.min(room) / u64::from(blocks.max(1)));
        if (1..=most).contains(&u64::from(self.drives)) {
            return Ok(());
        }
        let problem = format!("accepted are numbers from 1 to {most} for drives of {blocks} blocks");
        Err(ConfigError::key(
            None,
            format!("drives = {}", self.drives),
            problem,
        ))
    }
}

/// The wear of the blocks of many drives.
pub(crate) struct Fleet {
    family: Family,
    drives: usize,
    /// By block, and within it by drive.
    places: Vec<Place>,
    wear: Vec<f64>,
}

impl Fleet {
    /// Drives whose blocks start with the wear of `states`.
    ///
    /// # Errors
    /// Cells that vary too much.
    pub(crate) fn new(
        options: FleetOptions,
        model: &RetentionModel,
        seed: Seed,
        states: &[WearState],
    ) -> Result<Self, ParamError> {
        let family = Family::new(model, &options.variation)?;
        let (drives, blocks) = (u64::from(options.drives), states.len() as u64);
        let places = (0..blocks)
            .flat_map(|block| (0..drives).map(move |drive| drive * blocks + block))
            .map(|cell| family.place(options.variation.draw(seed, cell, model.kind())))
            .collect();
        let wear = states
            .iter()
            .flat_map(|state| std::iter::repeat_n(state.equivalent_events(), options.drives as usize))
            .collect();
        Ok(Self {
            family,
            drives: options.drives as usize,
            places,
            wear,
        })
    }

    /// Saves or loads what changes.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.wear)
    }

    /// The wear of all blocks of all drives.
    pub(crate) fn wear(&self) -> &[f64] {
        &self.wear
    }

    /// Subtracts what a skip added to the wear.
    pub(crate) fn undo(&mut self, added: &[f64]) {
        for (wear, added) in self.wear.iter_mut().zip(added) {
            *wear -= added;
        }
    }

    /// Adds an event of a block after a rest in seconds.
    pub(crate) fn stress(&mut self, block: usize, rest: f64) {
        let cells = block * self.drives..(block + 1) * self.drives;
        for (wear, place) in self.wear[cells.clone()].iter_mut().zip(&self.places[cells]) {
            *wear += 1.0 / self.family.events_per_equivalent(place, *wear, rest);
        }
    }

    /// Advances the wear of the blocks from `first` on, with rests of a distribution.
    pub(crate) fn advance(&mut self, first: usize, advances: &[Advance], rests: &RestHistogram) {
        let mut courses = self.family.courses(rests);
        for (block, advance) in (first..).zip(advances) {
            let cells = block * self.drives..(block + 1) * self.drives;
            for (wear, place) in self.wear[cells.clone()].iter_mut().zip(&self.places[cells]) {
                *wear = (courses.advance(place, *wear, advance.events) + advance.noise).max(*wear);
            }
        }
    }

    /// The tenth percentile of retention at 30 degC of each drive, in seconds, by nearest rank.
    pub(crate) fn tenths(&self, states: &[WearState]) -> Vec<f64> {
        let rests: Vec<f64> = states
            .iter()
            .map(|state| state.rest(Representative::LastCycle))
            .collect();
        let rank = nearest_rank(10, states.len());
        (0..self.drives)
            .map(|drive| {
                let mut retentions: Vec<f64> = rests
                    .iter()
                    .enumerate()
                    .map(|(block, rest)| {
                        let cell = block * self.drives + drive;
                        self.family.retention(&self.places[cell], self.wear[cell], *rest)
                    })
                    .collect();
                let (_, tenth, _) = retentions.select_nth_unstable_by(rank, f64::total_cmp);
                *tenth
            })
            .collect()
    }
}

/// What a skip adds to a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    /// Events, of which half are erases.
    pub(crate) events: f64,
    /// Equivalent events that a random draw adds, the same for all drives.
    pub(crate) noise: f64,
}
