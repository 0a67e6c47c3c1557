//! A refused chip or request.

pub(crate) use wordline_overlay::require;

/// What is refused: place (file and line, chip or override) where it is known, key, value found,
/// what is accepted.
pub type ChipError = wordline_overlay::Refusal;
