//! What goes before a suspended operation, as far as it is decided outside the array.

use wordline_ftl::Mapping;

/// What goes before a suspended operation, as far as it is decided outside the array.
#[derive(Clone, Copy)]
pub(crate) struct Precedence<'a> {
    /// Whether host writes wait for room in the write buffer.
    pub(crate) buffer_is_full: bool,
    /// The mapping, which knows how much space is free.
    pub(crate) ftl: &'a dyn Mapping,
}
