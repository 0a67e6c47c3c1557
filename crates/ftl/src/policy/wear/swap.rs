//! Threshold swap.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use super::{WearPolicy, WearRow, WearView};
use crate::policy::wear::Swap;
use wordline_keys::Keys;

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

/// Keys of the policies that compare erase counts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Gap {
    /// Difference in erase counts above which `swap` and `dual_pool` move data.
    #[schemars(range(max = MANY))]
    pub(super) gap: u32,
}

impl Default for Gap {
    fn default() -> Self {
        Self { gap: 100 }
    }
}

/// `ftl.wear.static = "swap"`.
pub(crate) const SWAP: WearRow = WearRow::new(
    "swap",
    "When erase counts differ by more than `gap`, the content of the least erased closed block goes to the most erased free \
     one.",
    Keys::of::<Gap>(),
    |keys, _| {
        let gap = keys.read::<Gap>().gap;
        Some(Box::new(ThresholdSwap { gap }))
    },
);
