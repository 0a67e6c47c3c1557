//! WHEN each operation runs: the [`Schedule`] picks what a free channel does next, by the ranks of its scheduler ([`pick`]) or by
//! asking it (`ask.rs`). Schedulers are rows of `wordline_scheduler`.

mod ask;
pub(crate) mod pick;
mod ranking;
mod schedule;
#[cfg(test)]
mod tests;
mod viewing;

pub(crate) use schedule::Schedule;
