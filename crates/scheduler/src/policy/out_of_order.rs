//! `out_of_order`: queues per die, the oldest operation that can start goes next.
//!
//! A busy die holds nothing up but itself (array specification, section 2.3).

use super::{Order, Ranking, SchedulerRow};

/// `scheduler.policy = "out_of_order"`.
pub(crate) const OUT_OF_ORDER: SchedulerRow = SchedulerRow::new(
    "out_of_order",
    "One queue per die; the oldest operation whose die is idle is started.",
    Order::Ranks(Ranking::BY_AGE),
);
