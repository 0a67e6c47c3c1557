//! `woo`: writes of the host in the order in which they would end, reads as they come (WOO of J. Cui et al., DLV, IEEE TCAD
//! 2018, which compares DLV with it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::PAUSE;
use wordline_units::Duration;

use super::dlv::WRITE_DEADLINE;
use super::{Order, Ranking, SchedulerRow};
use crate::finish_times::{Dispatch, FinishTimes, Rule};
use crate::strong_pages::{ExceptionB, StrongUse};

/// Keys of `woo`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct WooKeys {
    /// `dlv`, `dlv_pes`, `woo`, `pv_reorder`: time since its arrival after which a write goes before all others.
    #[schemars(extend("x-maximum" = PAUSE))]
    write_deadline: Duration,
    /// `dlv`, `dlv_pes`, `woo`, `roo`, `pv_reorder`: when requests are let into the flash.
    dispatch: Dispatch,
    /// `dlv`, `dlv_pes`, `woo`, `pv_reorder`: when a write goes to normal blocks alone, where blocks have classes, because nothing competes with it.
    exception_b: ExceptionB,
}

impl Default for WooKeys {
    fn default() -> Self {
        Self {
            write_deadline: WRITE_DEADLINE,
            dispatch: Dispatch::default(),
            exception_b: ExceptionB::default(),
        }
    }
}

/// `scheduler.policy = "woo"`.
pub(crate) const WOO: SchedulerRow = SchedulerRow::new(
    "woo",
    "Writes of the host are let into the flash in the order in which they would end, reads as they come (Cui et al. 2018).",
    Order::Ranks(Ranking::BY_AGE),
)
.with_keys(Keys::of::<WooKeys>(), |_| Ok(()))
.with_requests(|keys| {
    let keys = keys.read::<WooKeys>();
    let writes = Rule::EarliestEnd(keys.write_deadline);
    let strong = StrongUse::Fewest(keys.exception_b);
    Box::new(FinishTimes::new(Rule::AtOnce, writes, strong, keys.dispatch))
});
