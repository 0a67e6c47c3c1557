//! The response times that a trace has recorded.

use std::collections::BTreeMap;
use std::path::Path;

use super::detect::{TraceOptions, recognise};
use super::reader::{TraceFile, Wanted};
use super::row::TraceRow;
use super::scan::LOOK;
use crate::config::{TraceAction, ZeroLength};
use crate::{HostOp, WorkloadError};

/// A request of a trace and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Arrival in nanoseconds since the first request.
    pub arrival: u64,
    /// What was asked for.
    pub op: HostOp,
    /// Bytes; 0 for a flush.
    pub bytes: u64,
    /// Nanoseconds from the arrival to the completion; `None` where the trace does not say.
    pub response: Option<u64>,
}

/// The requests of the trace at `path` in the order of time, as a replay sends them, with their response times. The first `skip` are
/// left out, and those after `take` more; so are requests without length.
///
/// Where rows are events (blkparse), a request is complete with the first completion that covers it: of the requests of the file
/// system (`workload.action = "Q"`) several may have been merged into one. `watch` is asked now and then whether to go on.
///
/// # Errors
/// A trace that cannot be read, is malformed, or says no response time at all; `WorkloadError::Interrupted`.
pub fn measured(
    path: &Path,
    options: &TraceOptions<'_>,
    skip: u64,
    take: u64,
    watch: &dyn Fn() -> bool,
) -> Result<Vec<Measured>, WorkloadError> {
    let file = recognise(path, options)?.file;
    let wanted = Wanted {
        skip,
        take,
        zero_length: ZeroLength::Skip,
    };
    let mut rows = in_order(&file, wanted, watch)?;
    if file.format.actions && rows.iter().all(|row| row.response.is_none()) {
        let mut ends = file.clone();
        ends.reading.action = Some(TraceAction::Completed);
        pair(&mut rows, &in_order(&ends, Wanted::ALL, watch)?);
    }
    if rows.iter().all(|row| row.response.is_none()) {
        let problem = format!(
            "as {} it says no response times; a trace is expected whose rows have them, or that has events of completion",
            file.format.title
        );
        return Err(WorkloadError::file(path, problem));
    }
    let first = rows.first().map_or(0, |row| row.arrival);
    Ok(rows
        .iter()
        .map(|row| Measured {
            arrival: row.arrival - first,
            op: row.op,
            bytes: row.bytes,
            response: row.response.map(Into::into),
        })
        .collect())
}

/// The wanted rows of a trace by time; rows of one time keep their order.
fn in_order(
    file: &TraceFile,
    wanted: Wanted,
    watch: &dyn Fn() -> bool,
) -> Result<Vec<TraceRow>, WorkloadError> {
    let mut rows = file.rows(wanted)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next_row()? {
        found.push(row);
        if (found.len() as u64).is_multiple_of(LOOK) && !watch() {
            return Err(WorkloadError::Interrupted);
        }
    }
    found.sort_by_key(|row| row.arrival);
    Ok(found)
}

/// Device, operation and first byte.
type Place = (u64, u8, u64);

/// Gives each request the time until the first completion that covers it. Both are in the order of time.
fn pair(requests: &mut [TraceRow], completions: &[TraceRow]) {
    let place = |row: &TraceRow| (row.device, row.op as u8, row.start);
    // what waits at a place, by its number
    let mut waiting: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    let mut next = 0;
    for completion in completions {
        while let Some(request) = requests.get(next).filter(|row| row.arrival <= completion.arrival) {
            if request.bytes > 0 {
                waiting.entry(place(request)).or_default().push(next);
            }
            next += 1;
        }
        let (device, op, start) = place(completion);
        let mut emptied = Vec::new();
        for (at, own) in waiting.range_mut((device, op, start)..(device, op, completion.end())) {
            own.retain(|number| {
                let request = &mut requests[*number];
                let covered = request.end() <= completion.end();
                if covered {
                    *request = request.answered(completion.arrival - request.arrival);
                }
                !covered
            });
            if own.is_empty() {
                emptied.push(*at);
            }
        }
        for at in emptied {
            waiting.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn row(arrival: u64, op: HostOp, start: u64, bytes: u64) -> TraceRow {
        TraceRow::new(arrival, 7, op, start, bytes)
    }

    fn paired(mut requests: Vec<TraceRow>, completions: &[TraceRow]) -> Vec<Option<u64>> {
        pair(&mut requests, completions);
        requests
            .iter()
            .map(|row| row.response.map(NonZeroU64::get))
            .collect()
    }

    #[test]
    fn a_request_ends_with_the_first_completion_that_covers_it() {
        use HostOp::{Read, Write};
        let requests = vec![
            row(10, Read, 0, 4096),
            row(12, Read, 4096, 4096),
            row(15, Write, 0, 4096),
            row(20, Read, 0, 4096),
            row(30, Read, 65_536, 4096),
        ];
        let completions = [
            // half of the first: it is not complete
            row(11, Read, 0, 512),
            // the first two, merged
            row(18, Read, 0, 8192),
            // of a request that nobody recorded
            row(19, Read, 1 << 30, 4096),
            row(26, Read, 0, 4096),
            row(40, Write, 0, 4096),
            // before the last began
            row(41, Read, 61_440, 4096),
        ];
        assert_eq!(
            paired(requests, &completions),
            [Some(8), Some(6), Some(25), Some(6), None]
        );
    }

    #[test]
    fn devices_are_told_apart() {
        let requests = vec![row(10, HostOp::Read, 0, 512)];
        let other = TraceRow::new(20, 8, HostOp::Read, 0, 512);
        assert_eq!(paired(requests.clone(), &[other]), [None]);
        let own = row(25, HostOp::Read, 0, 512);
        assert_eq!(paired(requests, &[other, own]), [Some(15)]);
    }
}
