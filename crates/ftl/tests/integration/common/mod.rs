//! What the tests of this folder share: a slow, obvious reference, and an executor that holds
//! steps in flight and completes them in random order.

pub(crate) mod audit;
pub(crate) mod executor;
pub(crate) mod reference;
pub(crate) mod setup;
pub(crate) mod work;
