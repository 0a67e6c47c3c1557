//! Periodic hot-cold swap.

use super::{WearPolicy, WearRow, WearView};
use crate::policy::wear::Swap;
use wordline_keys::Keys;

/// At every check the content of the block written longest ago goes to the most erased free
/// block, if that is the more worn.
pub(crate) struct HotColdSwap;

impl WearPolicy for HotColdSwap {
    fn check(&mut self, view: &WearView<'_>) -> Option<Swap> {
        let from = view.coldest()?;
        let to = view.most_erased(view.free())?;
        (view.erases(to) > view.erases(from)).then_some(Swap { from, to })
    }
}

/// `ftl.wear.static = "hot_cold_swap"`.
pub(crate) const HOT_COLD_SWAP: WearRow = WearRow::new(
    "hot_cold_swap",
    "Every `check_erases` erases the content of the block written longest ago goes to the most erased free one.",
    Keys::NONE,
    |_, _| Some(Box::new(HotColdSwap)),
);
