//! Tests of live drives as one program.

mod atomic;
mod cuts;
mod protocol;
