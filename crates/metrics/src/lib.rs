//! What is observed: probes, latency histograms, time series, ledgers of operations, tables.

mod probe;

pub use probe::{
    Array, BusUse, CommandKind, Constituent, FinishedRequest, IssuedCommand, Probe, RequestClass,
};
