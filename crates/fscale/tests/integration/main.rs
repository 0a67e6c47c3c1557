//! Tests of the public interface of the crate, as one program: it is linked once.

mod closed_forms;
mod invariants;
