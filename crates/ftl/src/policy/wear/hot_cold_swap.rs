//! Periodic hot-cold swap.

use super::{WearPolicy, WearView};
use crate::space::Swap;

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
