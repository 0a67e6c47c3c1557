//! The wear of blocks whose cells deviate from the mean one, each with cells of its own.

use std::sync::Arc;

use wordline_units::Seed;

use super::error::ParamError;
use super::family::{Family, Place};
use super::model::RetentionModel;
use super::rests::RestHistogram;
use super::variation::Variation;
use super::wear::WearState;

/// What happens to a block in time that is not simulated.
#[derive(Clone, Copy, Debug)]
pub struct Advance {
    /// Events, of which half are erases.
    pub events: f64,
    /// Equivalent events that a random draw adds.
    pub noise: f64,
}

/// Blocks with cells of their own, of one drive or of several that erase the same blocks at the same times.
#[derive(Clone, Debug)]
pub struct VariedCells {
    family: Arc<Family>,
    drives: usize,
    /// By block, and within it by drive.
    places: Vec<Place>,
    wear: Vec<f64>,
}

impl VariedCells {
    /// Blocks that start with the wear of `states`. A draw belongs to the seed, the drive and the block.
    ///
    /// # Errors
    /// Cells that vary too much.
    pub fn new(
        model: &RetentionModel,
        variation: &Variation,
        seed: Seed,
        drives: u32,
        states: &[WearState],
    ) -> Result<Self, ParamError> {
        let family = Family::new(model, variation)?;
        let (all, blocks) = (u64::from(drives), states.len() as u64);
        let places = (0..blocks)
            .flat_map(|block| (0..all).map(move |drive| drive * blocks + block))
            .map(|cell| family.place(variation.draw(seed, cell, model.kind())))
            .collect();
        let wear = states
            .iter()
            .flat_map(|state| std::iter::repeat_n(state.equivalent_events(), drives as usize))
            .collect();
        Ok(Self {
            family: Arc::new(family),
            drives: drives as usize,
            places,
            wear,
        })
    }

    /// How many drives there are.
    #[must_use]
    pub const fn drives(&self) -> usize {
        self.drives
    }

    /// The wear of all blocks in equivalent events, by block, and within it by drive.
    #[must_use]
    pub fn wear(&self) -> &[f64] {
        &self.wear
    }

    /// The same, to be saved and loaded.
    pub fn wear_mut(&mut self) -> &mut Vec<f64> {
        &mut self.wear
    }

    /// Subtracts what was added to the wear.
    pub fn undo(&mut self, added: &[f64]) {
        for (wear, added) in self.wear.iter_mut().zip(added) {
            *wear -= added;
        }
    }

    /// Adds an event of a block after a rest in seconds at 30 degC.
    pub fn stress(&mut self, block: usize, rest: f64) {
        let cells = block * self.drives..(block + 1) * self.drives;
        for (wear, place) in self.wear[cells.clone()].iter_mut().zip(&self.places[cells]) {
            *wear += 1.0 / self.family.events_per_equivalent(place, *wear, rest);
        }
    }

    /// Advances the wear of the blocks from `first` on, with rests of a distribution.
    pub fn advance(&mut self, first: usize, advances: &[Advance], rests: &RestHistogram) {
        let mut courses = self.family.courses(rests);
        for (block, advance) in (first..).zip(advances) {
            let cells = block * self.drives..(block + 1) * self.drives;
            for (wear, place) in self.wear[cells.clone()].iter_mut().zip(&self.places[cells]) {
                *wear = (courses.advance(place, *wear, advance.events) + advance.noise).max(*wear);
            }
        }
    }

    /// For how many seconds at 30 degC a block of a drive keeps data, with a rest of so many seconds at 30 degC.
    #[must_use]
    pub fn retention(&self, block: usize, drive: usize, rest: f64) -> f64 {
        let cell = block * self.drives + drive;
        self.family.retention(&self.places[cell], self.wear[cell], rest)
    }
}
