//! Tests of the public interface of the crate, as one program: it is linked once.

mod agreement;
mod closed_forms;
mod hosts;
mod invariants;
mod simulated;
mod tables;
