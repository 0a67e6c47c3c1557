//! Tests of the public interface of the crate, as one program: it is linked once.

mod properties;
mod reference;
mod refusals;
mod worked_numbers;
