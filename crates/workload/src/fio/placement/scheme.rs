//! `dp_scheme`: a file that says which placement handle the writes of a range of the drive carry.

use std::sync::Arc;

use super::super::drive::FioDrive;
use super::super::error::Fault;
use super::super::layout::Copy;
use super::identifier;

/// Ranges of a scheme at most (`DP_MAX_SCHEME_ENTRIES` of fio).
const MOST_RANGES: usize = 32;
/// Largest file of a scheme.
const LARGEST: u64 = 1 << 16;

/// A line of a scheme: bytes of the drive, and the handle of writes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    first: u64,
    end: u64,
    handle: u16,
}

/// The scheme that a job names.
///
/// # Errors
/// None is named, a file that cannot be read, a line that is no range, more ranges than fio reads.
pub(super) fn read(copy: &Copy<'_>, drive: &FioDrive) -> Result<Arc<[Range]>, Fault> {
    let Some(name) = &copy.spec.scheme else {
        let accepted = "the file of the scheme (dp_scheme=file) with plid_select=scheme";
        return Err(copy.fault("dp_scheme", "unset", accepted));
    };
    let fault = |accepted: String| copy.fault_as_written("dp_scheme", accepted);
    let path = drive.folder.join(&**name);
    let size =
        std::fs::metadata(&path).map_err(|error| fault(format!("a file that can be read: {error}")))?;
    if !size.is_file() || size.len() > LARGEST {
        return Err(fault(format!("a file of at most {LARGEST} B")));
    }
    let text =
        std::fs::read_to_string(&path).map_err(|error| fault(format!("a file that can be read: {error}")))?;
    let mut ranges = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let range = range(line)
            .and_then(|(first, end, id)| Ok((first, end, identifier(copy, drive, id)?)))
            .map_err(|accepted| {
                let line = line.escape_debug();
                fault(format!("in line {number} of it, which is `{line}`: {accepted}"))
            })?;
        let (first, end, handle) = range;
        ranges.push(Range { first, end, handle });
    }
    if ranges.is_empty() || ranges.len() > MOST_RANGES {
        return Err(fault(format!("1 to {MOST_RANGES} ranges, not {}", ranges.len())));
    }
    Ok(ranges.into())
}

/// First byte, byte behind the range, and the number of a handle.
fn range(line: &str) -> Result<(u64, u64, u16), String> {
    const ACCEPTED: &str =
        "first byte, byte behind the range and placement identifier, such as 0, 1048576, 1";
    let accepted = || ACCEPTED.to_owned();
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[first, end, id] = parts.as_slice() else {
        return Err(accepted());
    };
    let number = |text: &str| text.parse::<u64>().map_err(|_| accepted());
    let (first, end) = (number(first)?, number(end)?);
    if first >= end {
        return Err("a range that ends behind its first byte".to_owned());
    }
    Ok((first, end, id.parse().map_err(|_| accepted())?))
}

/// The handle of a write that begins at a byte: that of the first range that holds it.
pub(super) fn handle(ranges: &[Range], byte: u64) -> u16 {
    let found = ranges
        .iter()
        .find(|range| (range.first..range.end).contains(&byte));
    found.map_or(0, |range| range.handle)
}
