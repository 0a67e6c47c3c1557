//! Rest of worn blocks under cold data.

use super::{WearPolicy, WearView};
use crate::space::Swap;

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
