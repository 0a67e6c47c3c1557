//! State files: what they contain, and how they are written and read.

pub mod archive;
pub mod container;
