//! What goes before a suspended operation, as far as it is decided outside the array.

use wordline_ftl::Mapping;

/// What goes before a suspended operation, as far as it is decided outside the array.
#[derive(Clone, Copy)]
pub(crate) struct Precedence<'a> {
    /// Whether so many host writes wait that reads have lost their priority.
    pub(crate) writes_are_many: bool,
    /// Whether host writes wait for room in the write buffer.
    pub(crate) buffer_is_full: bool,
    /// The mapping, which knows how much space is free.
    pub(crate) ftl: &'a dyn Mapping,
}
