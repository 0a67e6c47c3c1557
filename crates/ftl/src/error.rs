//! What an FTL cannot be built from.

pub use wordline_keys::RefusedValue as FtlError;
