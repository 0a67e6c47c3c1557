//! Tests of live drives as one program.

mod cuts;
mod protocol;
