//! Tests of the public interface of the crate, as one program: it is linked once.

mod ageing;
mod archive;
mod at_once;
mod block_classes;
mod closed_loop;
mod common;
mod cut;
mod delta_recovery;
mod failures;
mod functional;
mod large_units;
mod modes;
mod parity_recovery;
mod random_order;
mod recovery;
mod slc_cache;
mod snapshot;
mod unit_recovery;
mod units;
mod write_amplification;
