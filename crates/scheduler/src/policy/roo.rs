//! `roo`: reads of the host in the order in which they would end, writes as they came (ROO of J. Cui et al., DLV, IEEE TCAD
//! 2018, which compares DLV with it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::PAUSE;
use wordline_units::Duration;

use super::dlv::READ_DEADLINE;
use super::{Order, Ranking, SchedulerRow};
use crate::finish_times::{Dispatch, FinishTimes, Rule};
use crate::strong_pages::StrongUse;

/// Keys of `roo`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct RooKeys {
    /// `dlv`, `dlv_pes`, `roo`: time since its arrival after which a read goes before all others.
    #[schemars(extend("x-maximum" = PAUSE))]
    read_deadline: Duration,
    /// `dlv`, `dlv_pes`, `woo`, `roo`, `pv_reorder`: when requests are let into the flash.
    dispatch: Dispatch,
}

impl Default for RooKeys {
    fn default() -> Self {
        Self {
            read_deadline: READ_DEADLINE,
            dispatch: Dispatch::default(),
        }
    }
}

/// `scheduler.policy = "roo"`.
pub(crate) const ROO: SchedulerRow = SchedulerRow::new(
    "roo",
    "Reads of the host are let into the flash in the order in which they would end, writes as they came, after reads (Cui et al. \
     2018).",
    Order::Ranks(Ranking::BY_AGE),
)
.with_keys(Keys::of::<RooKeys>(), |_| Ok(()))
.with_requests(|keys| {
    let keys = keys.read::<RooKeys>();
    let reads = Rule::EarliestEnd(keys.read_deadline);
    Box::new(FinishTimes::new(reads, Rule::InOrder, StrongUse::None, keys.dispatch))
});
