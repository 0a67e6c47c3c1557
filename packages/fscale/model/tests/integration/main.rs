//! Tests of the public interface of the crate, as one program: it is linked once.

mod agreement;
#[path = "../../../../../crates/drive/tests/integration/common/audited.rs"]
mod audited;
mod closed_forms;
mod event_driven;
mod hosts;
mod invariants;
mod limits;
mod simulated;
mod tables;
