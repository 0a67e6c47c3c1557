//! Greedy that passes over blocks near the end of their life.

use super::VictimRow;
use super::greedy::Greedy;

/// `ftl.gc.victim = "wear_greedy"`.
pub(crate) const WEAR_GREEDY: VictimRow = {
    let mut row = VictimRow {
        limits_wear: true,
        ..VictimRow::new(
            "wear_greedy",
            "Greedy, but blocks near the end of their life are passed over with a probability (Agrawal et al. 2008); the \
             thresholds are those of `ftl.wear`.",
            &|_, _| Box::new(Greedy),
        )
    };
    row.entry.reads = &["ftl.wear.age_variance", "ftl.wear.erase_limit"];
    row
};
