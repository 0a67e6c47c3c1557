//! Rest of worn blocks under cold data.

use super::{WearPolicy, WearRow, WearView};
use crate::policy::victim::WearOut;
use crate::policy::wear::Swap;
use wordline_keys::Keys;

/// The second half of rate-limited wear-out (Agrawal et al. 2008): a block that is near the end
/// of its life when it is erased is filled with the data written longest ago, so that it rests.
pub(crate) struct Rest;

impl WearPolicy for Rest {
    fn after_erase(&mut self, view: &WearView<'_>) -> Option<Swap> {
        let to = view.erased;
        if !view.limit?.rests(view.erases(to), view.mean) {
            return None;
        }
        let from = view.coldest()?;
        (view.erases(to) > view.erases(from)).then_some(Swap { from, to })
    }
}

/// `ftl.wear.static = "rate_limited"`.
pub(crate) const RATE_LIMITED: WearRow = WearRow {
    limits_wear: true,
    ..WearRow::new(
        "rate_limited",
        "Worn blocks are collected less often, and filled with cold data near the end of their life (Agrawal et al. 2008).",
        Keys::of::<WearOut>(),
        |_, _| Some(Box::new(Rest)),
    )
};
