//! The requests of a trace in the order of time, its devices side by side.

use crate::config::DeviceLayout;
use crate::trace::Layout;
use crate::trace::order::Ordered;
use crate::trace::reader::{TraceFile, Wanted};
use crate::trace::scan::{LOOK, Scan};
use crate::{HostOp, WorkloadError};

/// A request, its address on the drive on which the devices lie side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Nanoseconds since an origin of the trace's own.
    pub(crate) arrival: u64,
    /// Place of its device among the devices.
    pub(crate) device: u32,
    pub(crate) op: HostOp,
    pub(crate) start: u64,
    /// At least 1, but for a flush, which has no address.
    pub(crate) bytes: u64,
}

/// The requests of a trace that was scanned.
pub(crate) struct Requests<'a> {
    rows: Ordered,
    /// Whether to go on.
    goes_on: &'a dyn Fn() -> bool,
    read: u64,
    /// Number of each device, and the first byte of its slice.
    slices: Vec<(u64, u64)>,
    laid_out: u64,
}

impl<'a> Requests<'a> {
    /// Opens `file`, of which `scan` knows the totals. `goes_on` is asked now and then whether to read on.
    ///
    /// # Errors
    /// A file that cannot be opened; devices that end beyond 8 EiB.
    pub(crate) fn open(
        file: &TraceFile,
        scan: &Scan,
        goes_on: &'a dyn Fn() -> bool,
    ) -> Result<Self, WorkloadError> {
        let layout = Layout::new(&scan.devices, DeviceLayout::SideBySide, None)
            .map_err(|problem| WorkloadError::file(&file.path, problem))?;
        Ok(Self {
            rows: Ordered::new(file.rows(Wanted::ALL)?, scan.out_of_order == 0),
            goes_on,
            read: 0,
            slices: layout.slices().collect(),
            laid_out: layout.end(),
        })
    }

    /// Devices.
    pub(crate) const fn devices(&self) -> usize {
        self.slices.len()
    }

    /// The byte after the highest request.
    pub(crate) const fn laid_out(&self) -> u64 {
        self.laid_out
    }

    /// Requests without length that were passed over so far.
    pub(crate) const fn zero_length(&self) -> u64 {
        self.rows.rows().zero_length()
    }

    /// The next request, `None` at the end.
    ///
    /// # Errors
    /// As `Ordered::next_row`, and a device that the scan did not see; `WorkloadError::Interrupted`.
    pub(crate) fn next(&mut self) -> Result<Option<Request>, WorkloadError> {
        self.read += 1;
        if self.read.is_multiple_of(LOOK) && !(self.goes_on)() {
            return Err(WorkloadError::Interrupted);
        }
        let Some(row) = self.rows.next_row()? else {
            return Ok(None);
        };
        let slice = self.slices.binary_search_by_key(&row.device, |slice| slice.0);
        let Some((device, base)) = slice.ok().map(|place| (place as u32, self.slices[place].1)) else {
            let problem =
                "the content differs from that of the first pass over the trace; has the file been changed?";
            return Err(self.rows.rows().failed(problem).into());
        };
        Ok(Some(Request {
            arrival: row.arrival,
            device,
            op: row.op,
            start: base.saturating_add(row.start),
            bytes: row.bytes,
        }))
    }
}
