//! What it takes to read raw bit errors away: codes, sensing levels, retries, decode latency.
//!
//! Pure functions of parameters and state; nothing here knows of drives or traces. Probabilities of
//! failure are natural logarithms, right far below what a double could hold; times are nanoseconds, or
//! microseconds where a name ends in `_us`.
//!
//! * [`Bch`] is a code: is it buildable, how likely does a codeword fail, up to which raw bit error rate
//!   does it meet a target, how long does it decode. [`finder`] asks the other way round.
//! * [`Codec`] encodes and decodes words of bits, to show that the probabilities hold.
//! * [`ErrorCounts`] is the law of the number of errors in a codeword.
//! * [`Segmentation`] and [`Pipeline`] are pages of several codewords, decoded while the next is transferred.
//! * [`PageCode`] is the code of a drive: attempts and outcome of each read of a page.
//! * [`Ldpc`] reads with one to seven reference voltages per boundary of states, and tries again with more.

mod bch;
mod config;
mod counts;
mod error;
pub mod finder;
mod ldpc;
mod page;
mod page_code;
mod special;

pub use bch::{Bch, Codec, DEGREES, FailureCurve, Published, decode_ns, exact_parity};
pub use config::{BchConfig, BchOutcome, EccConfig, EccKind};
pub use counts::ErrorCounts;
pub use error::EccError;
pub use ldpc::{
    ENTRIES, InitialAges, InitialRule, LEVELS, Ldpc, LdpcConfig, Level, MOST_DAYS, Read, Relax, Retry,
    SensingTimes, Start, StartAges, StartAgesConfig, StartConfig, StartRule, StartTables, Thresholds,
    ThresholdsConfig, ThresholdsRule, information, needed_from,
};
pub use page::{Pipeline, Segmentation, ln_page_failure};
pub use page_code::{BchReads, LdpcReads, PageCode, ReadDraws, Sensing, StartFrom};
