//! FIFO: closed longest ago.

use super::VictimRow;
use super::windowed_greedy::{BY_CLOSING, WindowedGreedy};
use crate::analytic::Cleaning;

/// `ftl.gc.victim = "fifo"`.
pub(crate) const FIFO: VictimRow = VictimRow {
    records: &|_| BY_CLOSING,
    closed_form: |_, _| (Cleaning::Fifo, true),
    ..VictimRow::new("fifo", "Closed longest ago (\"LRU cleaning\").", &|_, _| {
        Box::new(WindowedGreedy::new(1))
    })
};
