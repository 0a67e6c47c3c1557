//! Descriptions in TOML of parts of a drive (chips, cells): a built-in one, a file or a text, on its base, with
//! overrides on top; and where every value came from, so that a refusal can say so.

mod library;
mod load;
mod messages;
mod overlay;
mod reference;
mod refusal;

pub use library::{BuiltIn, Library};
pub use load::Source;
pub use messages::{in_toml_words, join, one_line};
pub use overlay::Overlay;
pub use reference::reference;
pub use refusal::{Refusal, require};
