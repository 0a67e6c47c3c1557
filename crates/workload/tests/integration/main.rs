//! Tests of the public interface of the crate, as one program: it is linked once.

mod cases;
mod common;
mod convert;
mod fio_docs;
mod fit;
mod formats;
mod measured;
mod near_misses;
mod real_traces;
mod recorders;
mod replay;
mod written_forms;
