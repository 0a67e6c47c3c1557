//! The largest values of durations and counts that no other check limits: values that no part, drive or workload has, and
//! with which a run would take for ever or simulated time would overflow.
//!
//! A key says its largest value beside its field, so that the JSON Schema shows it, the reference page says it and a larger
//! value is refused: a count by `#[schemars(range(max = ...))]`, a duration, of which JSON Schema knows no maximum, by
//! `#[schemars(extend("x-maximum" = ...))]`.

/// A step of a drive: a thousand times the slowest erase.
pub const STEP: &str = "10 s";
/// A step of a host interface.
pub const INTERFACE_STEP: &str = "1 s";
/// A pause, or the width of a window.
pub const PAUSE: &str = "1 y";
/// A point or an interval of a drive's life.
pub const LIFE: &str = "100 y";
/// Cycles, or bytes on a bus, of one step.
pub const CYCLES: u32 = 1_000_000;
/// Rows of a table, operations or blocks of a drive.
pub const MANY: u32 = 1_000_000_000;
/// Requests of a workload.
pub const REQUESTS: u64 = 1_000_000_000_000_000;
/// A placement handle of a write command.
pub const HANDLE: u16 = u16::MAX;
/// Requests that are sent and not completed.
pub const OUTSTANDING: u32 = 1 << 20;
