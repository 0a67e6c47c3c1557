//! The first of two passes over a trace: totals, devices, order.

use rustc_hash::FxHashMap;

use super::fields::SECTOR;
use super::reader::{TraceFile, Wanted};
use crate::{SourceError, WorkloadError};

/// Devices that a trace may have.
const DEVICES: usize = 1 << 20;

/// A device of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    /// Its number in the trace.
    pub(crate) number: u64,
    /// The byte after its highest request.
    pub(crate) end: u64,
    /// The row of that request.
    pub(crate) row: u64,
}

/// What one pass over a trace tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// Wanted requests.
    pub(crate) requests: u64,
    /// Earliest arrival in nanoseconds of the trace's own clock.
    pub(crate) earliest: u64,
    /// Latest arrival.
    pub(crate) latest: u64,
    /// Requests that arrive before an earlier one.
    pub(crate) out_of_order: u64,
    /// The first of them.
    pub(crate) out_of_order_row: u64,
    /// Requests that start or end within a sector.
    pub(crate) within_sector: u64,
    /// Bytes of the largest request.
    pub(crate) largest: u64,
    /// Its row.
    pub(crate) largest_row: u64,
    /// Devices by number.
    pub(crate) devices: Vec<Device>,
}

impl Scan {
    /// Reads the wanted rows of `file`.
    ///
    /// # Errors
    /// A file that cannot be opened or read, a malformed row, no request at all.
    pub(crate) fn of(file: &TraceFile, wanted: Wanted) -> Result<Self, WorkloadError> {
        let mut rows = file.rows(wanted)?;
        let mut scan = Self {
            earliest: u64::MAX,
            ..Self::default()
        };
        let mut index: FxHashMap<u64, usize> = FxHashMap::default();
        let mut last = 0;
        while let Some(row) = rows.next_row()? {
            scan.requests += 1;
            if row.arrival < scan.latest {
                scan.out_of_order += 1;
                if scan.out_of_order == 1 {
                    scan.out_of_order_row = rows.row();
                }
            }
            scan.earliest = scan.earliest.min(row.arrival);
            scan.latest = scan.latest.max(row.arrival);
            scan.within_sector += u64::from((row.start | row.bytes) % SECTOR != 0);
            if row.bytes > scan.largest {
                (scan.largest, scan.largest_row) = (row.bytes, rows.row());
            }
            if scan
                .devices
                .get(last)
                .is_none_or(|device| device.number != row.device)
            {
                last = *index.entry(row.device).or_insert(scan.devices.len());
                if last == scan.devices.len() {
                    if last == DEVICES {
                        return Err(too_many_devices(&rows).into());
                    }
                    scan.devices.push(Device {
                        number: row.device,
                        end: 0,
                        row: 0,
                    });
                }
            }
            let device = &mut scan.devices[last];
            if row.end() > device.end {
                (device.end, device.row) = (row.end(), rows.row());
            }
        }
        if scan.requests == 0 {
            return Err(WorkloadError::file(
                &file.path,
                nothing(rows.row(), rows.zero_length(), wanted),
            ));
        }
        scan.devices.sort_unstable_by_key(|device| device.number);
        Ok(scan)
    }

    /// Nanoseconds between the earliest and the latest arrival.
    pub(crate) const fn span(&self) -> u64 {
        self.latest - self.earliest
    }

    /// Mean gap between arrivals in whole nanoseconds, 0 for a single request.
    pub(crate) const fn mean_gap(&self) -> u64 {
        match self.requests {
            0 | 1 => 0,
            requests => self.span() / (requests - 1),
        }
    }
}

fn too_many_devices(rows: &super::reader::Rows) -> SourceError {
    rows.failed(&format!(
        "row {}: more than {DEVICES} different devices; is the second column a device? See workload.format",
        rows.row()
    ))
}

fn nothing(rows: u64, zero_length: u64, wanted: Wanted) -> String {
    if wanted.skip > 0 {
        return format!("no request is left after workload.skip = {}", wanted.skip);
    }
    match (rows, zero_length) {
        (0, _) => "the file is empty; at least one request is expected".to_owned(),
        (rows, 0) => format!("none of its {rows} rows is a request"),
        (_, skipped) => format!("all of its {skipped} requests have no length"),
    }
}
