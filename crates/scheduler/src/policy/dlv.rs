//! `dlv`: reads and writes of the host in the order in which they would end (J. Cui et al., DLV, IEEE TCAD 2018).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::PAUSE;
use wordline_units::Duration;

use super::{Order, Ranking, SchedulerRow};
use crate::finish_times::{Dispatch, FinishTimes, Rule};
use crate::strong_pages::{ExceptionB, StrongUse};

/// DLV, section 5: writes wait for 5 s at most.
pub(super) const WRITE_DEADLINE: Duration = Duration::from_us(5_000_000);
/// DLV, section 5: reads wait for 500 ms at most.
pub(super) const READ_DEADLINE: Duration = Duration::from_us(500_000);

/// Keys of `dlv`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct DlvKeys {
    /// `dlv`, `dlv_pes`, `woo`, `pv_reorder`: time since its arrival after which a write goes before all others.
    #[schemars(extend("x-maximum" = PAUSE))]
    write_deadline: Duration,
    /// `dlv`, `dlv_pes`, `roo`: time since its arrival after which a read goes before all others.
    #[schemars(extend("x-maximum" = PAUSE))]
    read_deadline: Duration,
    /// `dlv`, `dlv_pes`, `woo`, `roo`, `pv_reorder`: when requests are let into the flash.
    dispatch: Dispatch,
    /// `dlv`, `dlv_pes`, `woo`, `pv_reorder`: when a write goes to normal blocks alone, where blocks have classes, because nothing competes with it.
    exception_b: ExceptionB,
}

impl Default for DlvKeys {
    fn default() -> Self {
        Self {
            write_deadline: WRITE_DEADLINE,
            read_deadline: READ_DEADLINE,
            dispatch: Dispatch::default(),
            exception_b: ExceptionB::default(),
        }
    }
}

/// `scheduler.policy = "dlv"`.
pub(crate) const DLV: SchedulerRow = SchedulerRow::new(
    "dlv",
    "Reads and writes of the host are let into the flash in the order in which they would end, reads first (Cui et al. 2018).",
    Order::Ranks(Ranking::BY_AGE),
)
.with_keys(Keys::of::<DlvKeys>(), |_| Ok(()))
.with_requests(|keys| {
    let keys = keys.read::<DlvKeys>();
    let reads = Rule::EarliestEnd(keys.read_deadline);
    let writes = Rule::EarliestEnd(keys.write_deadline);
    let strong = StrongUse::Fewest(keys.exception_b);
    Box::new(FinishTimes::new(reads, writes, strong, keys.dispatch))
});
