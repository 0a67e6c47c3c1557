//! Tests of live drives as one program.

mod atomic;
mod crashes;
mod cuts;
mod protocol;
