//! Tests of the public interface of the crate, as one program: it is linked once.

mod addresses;
mod medium_rules;
mod suspension;
mod worked_times;
