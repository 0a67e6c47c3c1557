//! Random: any candidate.

use super::VictimRow;
use super::d_choices::DChoices;
use super::draws::stream;
use crate::analytic::Cleaning;

/// `ftl.gc.victim = "random"`.
pub(crate) const RANDOM: VictimRow = VictimRow {
    closed_form: |_, _| (Cleaning::Random, true),
    ..VictimRow::new(
        "random",
        "Any, uniformly; on a tiny drive full ones may use up what there is to spare, and the run stalls.",
        &|_, seed| Box::new(DChoices::new(1, stream(seed))),
    )
};
