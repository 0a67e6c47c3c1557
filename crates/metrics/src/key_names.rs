//! Names that several keys of the summary share.

/// Names of the kinds of operation in summary keys, by the order of `Suspendable`.
pub(crate) const SUSPENDABLE_NAMES: [&str; 2] = ["program", "erase"];

/// Names of those that pages are read for.
pub(crate) const READER_NAMES: [&str; 2] = ["host", "moves"];

/// Sensing levels of the record.
pub(crate) const LEVELS: usize = 7;
/// Names of levels, and of numbers of attempts.
pub(crate) const LEVEL_NAMES: [&str; LEVELS] = ["1", "2", "3", "4", "5", "6", "7"];
/// Lower ends of the bins of raw bit error rates, four for each power of ten, written without a point; the first
/// takes everything below its neighbour.
pub(crate) const BIN_NAMES: [&str; 33] = [
    "0", "1e-8", "18e-9", "32e-9", "56e-9", "1e-7", "18e-8", "32e-8", "56e-8", "1e-6", "18e-7", "32e-7",
    "56e-7", "1e-5", "18e-6", "32e-6", "56e-6", "1e-4", "18e-5", "32e-5", "56e-5", "1e-3", "18e-4", "32e-4",
    "56e-4", "1e-2", "18e-3", "32e-3", "56e-3", "1e-1", "18e-2", "32e-2", "56e-2",
];
