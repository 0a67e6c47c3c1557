//! Tests of the public interface of the crate, as one program: it is linked once.

mod bch;
mod codec;
mod ldpc;
mod pages;
mod program_step;
