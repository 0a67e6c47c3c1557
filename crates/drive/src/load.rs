//! How hard a run presses on garbage collection, in the long run: from its first commands and the drive's times, before
//! anything is simulated. Ageing leaves the pools where such a run would have brought them.

mod demand;
mod model;
#[cfg(test)]
mod tests;

pub(crate) use demand::Demand;
pub(crate) use model::Model;
