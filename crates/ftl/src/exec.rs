//! Executors of plans without a clock.

pub mod functional;
