//! The first of two passes over a trace: totals, devices, order.

use rustc_hash::FxHashMap;

use super::fields::SECTOR;
use super::offset_frequency::Offset;
use super::reader::{TraceFile, Wanted};
use super::row::TraceRow;
use crate::{SourceError, WorkloadError};

/// Devices that a trace may have.
pub(crate) const MOST_DEVICES: usize = 1 << 20;

/// Rows or requests between two looks whether to go on.
pub(crate) const LOOK: u64 = 1 << 16;

/// A device of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    /// Its number in the trace.
    pub(crate) number: u64,
    /// The byte after its highest request.
    pub(crate) end: u64,
    /// The row of that request.
    pub(crate) row: u64,
    /// Its requests.
    pub(crate) requests: u64,
}

impl Device {
    /// A device without requests.
    pub(crate) const fn unused(number: u64) -> Self {
        Self {
            number,
            end: 0,
            row: 0,
            requests: 0,
        }
    }
}

/// What one pass over a trace tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scan {
    /// Wanted requests.
    pub(crate) requests: u64,
    /// Requests without length, which no other figure counts.
    pub(crate) zero_length: u64,
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
    /// What the user should know about the rows.
    pub(crate) remarks: Vec<String>,
    /// The table that the requests are drawn from, if that is what the file holds.
    pub(crate) offsets: Option<Vec<Offset>>,
}

impl Scan {
    /// Reads the wanted rows of `file`. `watch` is told the share read now and then and stops it by returning false.
    ///
    /// # Errors
    /// A file that cannot be opened or read, a malformed row, no request at all; `WorkloadError::Interrupted`.
    pub(crate) fn of(
        file: &TraceFile,
        wanted: Wanted,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Self, WorkloadError> {
        let mut rows = file.rows(wanted)?;
        let scan = match rows.totals()? {
            Some(totals) => totals,
            None => {
                let mut scanner = Scanner::default();
                let mut read = 0_u64;
                while let Some(row) = rows.next_row()? {
                    read += 1;
                    if read.is_multiple_of(LOOK) && !watch(rows.share()) {
                        return Err(WorkloadError::Interrupted);
                    }
                    if scanner.add(&row, rows.row()).is_none() {
                        return Err(too_many_devices(&rows).into());
                    }
                }
                let mut scan = scanner.totals();
                scan.zero_length = rows.zero_length();
                scan.remarks = rows.remarks();
                scan.offsets = rows.offsets().map(<[Offset]>::to_vec);
                scan.devices.sort_unstable_by_key(|device| device.number);
                scan
            }
        };
        if scan.requests == 0 {
            let problem = no_request((rows.row(), scan.zero_length), &scan.remarks, wanted);
            return Err(WorkloadError::file(&file.path, problem));
        }
        Ok(scan)
    }

    /// Nothing counted yet, on `devices`.
    pub(crate) const fn none_of(devices: Vec<Device>) -> Self {
        Self {
            requests: 0,
            zero_length: 0,
            earliest: u64::MAX,
            latest: 0,
            out_of_order: 0,
            out_of_order_row: 0,
            within_sector: 0,
            largest: 0,
            largest_row: 0,
            devices,
            remarks: Vec::new(),
            offsets: None,
        }
    }

    /// Counts the request `row`, which has the given number, on the device at `place`.
    #[inline]
    pub(crate) fn count(&mut self, row: &TraceRow, number: u64, place: usize) {
        self.requests += 1;
        if row.arrival < self.latest {
            self.out_of_order += 1;
            if self.out_of_order == 1 {
                self.out_of_order_row = number;
            }
        }
        self.earliest = self.earliest.min(row.arrival);
        self.latest = self.latest.max(row.arrival);
        self.within_sector += u64::from(!(row.start | row.bytes).is_multiple_of(SECTOR));
        if row.bytes > self.largest {
            (self.largest, self.largest_row) = (row.bytes, number);
        }
        if let Some(device) = self.devices.get_mut(place) {
            device.requests += 1;
            if row.end() > device.end {
                (device.end, device.row) = (row.end(), number);
            }
        }
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

/// Counts a trace row by row.
#[derive(Debug)]
pub(crate) struct Scanner {
    /// What was counted; devices in the order in which they appeared.
    scan: Scan,
    places: FxHashMap<u64, usize>,
    /// The device of the row before: often that of this row.
    last: usize,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            scan: Scan::none_of(Vec::new()),
            places: FxHashMap::default(),
            last: 0,
        }
    }
}

impl Scanner {
    /// Counts the request `row`, which has the given number. Answers the place of its device, in
    /// the order in which devices appeared; `None` for one device too many.
    #[inline]
    pub(crate) fn add(&mut self, row: &TraceRow, number: u64) -> Option<usize> {
        let place = self.place(row.device)?;
        self.scan.count(row, number, place);
        Some(place)
    }

    /// Counts a request without length. Answers as `add`.
    pub(crate) fn add_empty(&mut self, row: &TraceRow) -> Option<usize> {
        self.scan.zero_length += 1;
        self.place(row.device)
    }

    /// Devices so far.
    pub(crate) const fn devices(&self) -> usize {
        self.scan.devices.len()
    }

    /// What was counted.
    pub(crate) fn totals(self) -> Scan {
        self.scan
    }

    #[inline]
    fn place(&mut self, number: u64) -> Option<usize> {
        let devices = &mut self.scan.devices;
        if devices
            .get(self.last)
            .is_none_or(|device| device.number != number)
        {
            self.last = *self.places.entry(number).or_insert(devices.len());
            if self.last == devices.len() {
                if self.last == MOST_DEVICES {
                    return None;
                }
                devices.push(Device::unused(number));
            }
        }
        Some(self.last)
    }
}

fn too_many_devices(rows: &super::reader::Rows) -> SourceError {
    rows.failed(&format!(
        "row {}: more than {MOST_DEVICES} different devices; is the second column a device? See workload.format",
        rows.row()
    ))
}

/// Why a trace has no request: it has so many rows, of which so many have no length, and what was remarked of the others.
pub(super) fn no_request((rows, zero_length): (u64, u64), remarks: &[String], wanted: Wanted) -> String {
    let problem = match (rows, zero_length) {
        _ if wanted.skip > 0 => format!("no request is left after workload.skip = {}", wanted.skip),
        (0, 0) => "the file is empty; at least one request is expected".to_owned(),
        (rows, 0) => format!("none of its {rows} rows is a request"),
        (_, skipped) => format!("all of its {skipped} requests have no length"),
    };
    match remarks {
        [] => problem,
        remarks => format!("{problem}: {}", remarks.join("; ")),
    }
}
