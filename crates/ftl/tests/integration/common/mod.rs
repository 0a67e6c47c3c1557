//! What the tests of this folder share: a slow, obvious reference, and a host whose commands are
//! executed in any order, with the content of every page.

pub(crate) mod audit;
pub(crate) mod contents;
pub(crate) mod cuts;
pub(crate) mod deltas;
pub(crate) mod early_cuts;
pub(crate) mod host;
pub(crate) mod reference;
pub(crate) mod setup;
pub(crate) mod unit_flash;
pub(crate) mod work;
