//! Suspending programs and erases (Wu and He, FAST 2012; Wu, PhD dissertation, VCU 2013, chapter 3).
//!
//! A program is a row of iterations, each a program phase and a verify phase; an erase is one pulse
//! and a verify phase. Every phase ends with a reset of the high voltage that its length contains.
//! An operation can leave the array for another one between phases, or inside one at the cost of
//! what that phase has done. `Progress` plays one operation, `Stack` keeps what was suspended in a
//! unit, `SuspendRules` is how a part does it, and `NandConfig` (`config.rs` of the crate) how that is written down.

mod progress;
mod rules;
mod stack;

pub use progress::{Progress, Span, Stage};
pub use rules::{Method, Redo, SuspendRules, VendorTimes};
pub use stack::{Stack, Suspendable};
