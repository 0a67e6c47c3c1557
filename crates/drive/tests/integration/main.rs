//! Tests of the public interface of the crate, as one program: it is linked once.

mod amplification;
mod attribution;
mod buffer;
mod buffer_start;
mod buffer_victims;
mod channel_order;
mod common;
mod energy;
mod fio;
mod firmware;
mod functional_mode;
mod interfaces;
mod interrupted;
mod live;
mod modes;
mod power_cut;
mod queueing;
mod random_runs;
mod reliability;
mod steady;
mod suspension;
mod timeline;
mod unloaded;
mod victims;
mod warm_up;
mod wear;
