//! What a check finds.

/// Nothing, or what is wrong.
pub(super) type Finding = Result<(), String>;
