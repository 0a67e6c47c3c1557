//! Tests of the public interface of the crate, as one program: it is linked once.

mod common;
mod dimensions;
mod pages;
mod properties;
mod refusals;
mod worked_numbers;
