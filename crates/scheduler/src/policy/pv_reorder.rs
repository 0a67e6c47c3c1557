//! `pv_reorder`: writes of the host in the order in which they would end, into strong blocks as long as there are pages in these; reads
//! as they come (PV+reorder of J. Cui et al., DLV, IEEE TCAD 2018, which compares DLV with it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::PAUSE;
use wordline_units::Duration;

use super::dlv::WRITE_DEADLINE;
use super::{Order, Ranking, SchedulerRow};
use crate::finish_times::{Dispatch, FinishTimes, Rule};
use crate::strong_pages::{ExceptionB, StrongUse};

/// Keys of `pv_reorder`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct PvReorderKeys {
    /// `dlv`, `dlv_pes`, `woo`, `pv_reorder`: time since its arrival after which a write goes before all others.
    #[schemars(extend("x-maximum" = PAUSE))]
    write_deadline: Duration,
    /// `dlv`, `dlv_pes`, `woo`, `roo`, `pv_reorder`: when requests are let into the flash.
    dispatch: Dispatch,
    /// `dlv`, `dlv_pes`, `woo`, `pv_reorder`: when a write goes to normal blocks alone, where blocks have classes, because nothing competes with it.
    exception_b: ExceptionB,
}

impl Default for PvReorderKeys {
    fn default() -> Self {
        Self {
            write_deadline: WRITE_DEADLINE,
            dispatch: Dispatch::default(),
            exception_b: ExceptionB::default(),
        }
    }
}

/// `scheduler.policy = "pv_reorder"`.
pub(crate) const PV_REORDER: SchedulerRow = SchedulerRow::new(
    "pv_reorder",
    "As `woo`, but where blocks have classes every page of a write that competes with others goes to a strong block as long as there are such (Cui et al. 2018).",
    Order::Ranks(Ranking::BY_AGE),
)
.with_keys(Keys::of::<PvReorderKeys>(), |_| Ok(()))
.with_requests(|keys| {
    let keys = keys.read::<PvReorderKeys>();
    let writes = Rule::EarliestEnd(keys.write_deadline);
    let strong = StrongUse::All(keys.exception_b);
    Box::new(FinishTimes::new(Rule::AtOnce, writes, strong, keys.dispatch))
});
