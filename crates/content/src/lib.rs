//! What an overwrite changes. A new version of a page often resembles the one that it replaces; the difference, compressed, is a *delta*, and
//! many deltas fit in a page of flash (Delta-FTL: G. Wu, PhD dissertation, Virginia Commonwealth University 2013, chapter 4).
//!
//! * [`Codec`] turns two versions of a page into a delta and back; [`CODECS`] lists those that there are.
//! * [`LogPage`] is the layout of a flash page that is filled with deltas, [`Packing`] which deltas share one.
//! * [`RatioLaw`] draws how large a delta is where pages have no content.
//! * [`compare`] measures two versions of a file, and [`PageVersions`] has the pages of many.
//!
//! Nothing here knows of drives: sizes are bytes, and a logical page is a number.

mod codec;
mod log_page;
mod packing;
mod page_versions;
mod ratio;
mod versions;

pub use codec::{CODECS, Codec, CodecRow, Coder, Corrupt, codec};
pub use log_page::{Entry, LogPage, MOST_PAGE_BYTES, parse, room_for};
pub use packing::{Packed, Packing};
pub use page_versions::PageVersions;
pub use ratio::{LEAST_RATIO, MOST_REDRAWN, RatioLaw};
pub use versions::{Difference, VersionError, Versions, compare};
