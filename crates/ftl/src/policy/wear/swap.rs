//! Threshold swap.

use super::{WearPolicy, WearView};
use crate::space::Swap;

/// When the most and least erased blocks of a pool lie more than `gap` apart, the content of the
/// least erased closed block goes to the most erased free one, if that is the more worn. The
/// young block returns to the pool.
pub(crate) struct ThresholdSwap {
    pub(crate) gap: u32,
}

impl WearPolicy for ThresholdSwap {
    fn check(&mut self, view: &WearView<'_>) -> Option<Swap> {
        let most = view.erases(view.most_erased(view.usable())?);
        let least = view.erases(view.least_erased(view.usable())?);
        if most - least <= self.gap {
            return None;
        }
        let from = view.least_erased(view.closed())?;
        let to = view.most_erased(view.free())?;
        (view.erases(to) > view.erases(from)).then_some(Swap { from, to })
    }
}
