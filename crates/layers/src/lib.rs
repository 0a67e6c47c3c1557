//! Descriptions in TOML of what is no drive (chips, cells): a built-in one, a file or a text, on its base, with
//! overrides on top; and where every value came from, so that a refusal can say so.

mod layers;
mod library;
mod reference;
mod refusal;

pub use layers::Layers;
pub use library::{BuiltIn, Library, Source};
pub use reference::reference;
pub use refusal::{Refusal, require};
