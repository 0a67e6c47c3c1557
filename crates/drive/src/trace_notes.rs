//! What the reader of figures about a trace must know.

use wordline_metrics::Note;
use wordline_workload::{ArrivalGaps, TimeUnit};

use crate::features::Features;
use crate::kernel::Drive;

/// What the reader of the results of a replayed trace must know.
pub(crate) fn trace_notes<F: Features>(drive: &Drive<F>) -> Vec<Note> {
    let mut notes = Vec::new();
    for facts in drive
        .host()
        .clients()
        .iter()
        .filter_map(|client| client.source.trace_facts())
    {
        let path = &facts.path;
        notes.extend(recorded_time_notes(path, facts.gaps, facts.unit_from_name));
        notes.extend(Note::small_footprint(path, facts.end, facts.capacity));
        notes.extend(Note::folded(path, facts.folded, facts.requests));
    }
    notes
}

/// What must be known of the recorded times of a trace: its gaps, and its unit where the file's name alone says it.
#[must_use]
pub fn recorded_time_notes(
    path: &str,
    gaps: Option<ArrivalGaps>,
    unit_from_name: Option<(TimeUnit, TimeUnit)>,
) -> Vec<Note> {
    let coarse = gaps.and_then(|gaps| Note::coarse_timestamps(path, gaps.zero, gaps.count, gaps.resolution));
    let named = unit_from_name.map(|(unit, usual)| Note::unit_from_name(path, unit.name(), usual.name()));
    coarse.into_iter().chain(named).collect()
}
