//! `pv_allocation`: requests as they come, small writes into strong blocks (PV+Allocation of J. Cui et al., DLV, IEEE TCAD 2018,
//! which compares DLV with it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;

use super::{Order, Ranking, SchedulerRow};
use crate::finish_times::{Dispatch, FinishTimes, Rule};
use crate::strong_pages::StrongUse;

/// Keys of `pv_allocation`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct PvAllocationKeys {
    /// `pv_allocation`: writes of up to so many pages go to strong blocks as long as there are pages in these (assumed: the source
    /// says only that small requests are hot).
    #[schemars(range(max = MANY))]
    hot_pages: u32,
}

impl Default for PvAllocationKeys {
    fn default() -> Self {
        Self { hot_pages: 2 }
    }
}

/// `scheduler.policy = "pv_allocation"`.
pub(crate) const PV_ALLOCATION: SchedulerRow = SchedulerRow::new(
    "pv_allocation",
    "Requests of the host are let into the flash as they come; where blocks have classes, small writes go to strong blocks (Cui et al. \
     2018).",
    Order::Ranks(Ranking::BY_AGE),
)
.with_keys(Keys::of::<PvAllocationKeys>(), |_| Ok(()))
.with_requests(|keys| {
    let keys = keys.read::<PvAllocationKeys>();
    let strong = StrongUse::OfSmallWrites(keys.hot_pages);
    Box::new(FinishTimes::new(
        Rule::AtOnce,
        Rule::AtOnce,
        strong,
        Dispatch::AllAtOnce,
    ))
});
