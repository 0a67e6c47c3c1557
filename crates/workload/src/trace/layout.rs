//! Where the devices of a trace lie on the drive.

use super::fields::SECTOR;
use super::row::TraceRow;
use super::scan::{Device, Scan};
use crate::config::{DeviceLayout, Fold};
use crate::{HostOp, WorkloadConfig, WorkloadError};

/// Slices of devices start at multiples of this many bytes, so that alignment is kept.
const SLICE: u64 = 1 << 20;

/// A slice of the drive.
#[derive(Clone, Copy, Debug)]
struct Slice {
    device: u64,
    /// Its first byte.
    base: u64,
}

/// Turns addresses on the devices of a trace into addresses on the drive.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    slices: Vec<Slice>,
    /// Slice of the row before: often that of this row.
    last: usize,
    /// The byte after the highest request.
    end: u64,
    /// Row of that request.
    end_row: u64,
    /// Sectors of the drive.
    capacity: u64,
    folded: u64,
}

impl Layout {
    /// Lays the devices of `scan` out, whether they fit a drive or not.
    ///
    /// # Errors
    /// A device that is larger than the configured slice, or slices that end beyond 2^63 bytes.
    pub(crate) fn new(
        devices: &[Device],
        how: DeviceLayout,
        device_size: Option<u64>,
    ) -> Result<Self, String> {
        let mut layout = Self {
            slices: Vec::new(),
            last: 0,
            end: 0,
            end_row: 0,
            capacity: u64::MAX,
            folded: 0,
        };
        let mut base = 0_u64;
        for device in devices {
            let slice = match (how, device_size) {
                (DeviceLayout::Fold, _) => 0,
                (DeviceLayout::SideBySide, None) => device.end.next_multiple_of(SLICE),
                (DeviceLayout::SideBySide, Some(size)) if device.end <= size => size,
                (DeviceLayout::SideBySide, Some(size)) => {
                    return Err(format!(
                        "row {}: device {} is used up to byte {}, beyond its slice (workload.device_size, {size} bytes); \
                         make the slices larger, or leave the key out to have them measured",
                        device.row, device.number, device.end
                    ));
                }
            };
            layout.slices.push(Slice {
                device: device.number,
                base,
            });
            if base + device.end > layout.end {
                (layout.end, layout.end_row) = (base + device.end, device.row);
            }
            base = base.checked_add(slice).filter(|end| *end < 1 << 63).ok_or_else(|| {
                format!(
                    "its {} devices, placed one after the other, end beyond 8 EiB; set workload.devices = \"fold\", or \
                     workload.format if the second column is no device",
                    devices.len()
                )
            })?;
        }
        Ok(layout)
    }

    /// Lays the devices out on a drive of `capacity` sectors.
    ///
    /// # Errors
    /// A trace that does not fit.
    pub(crate) fn on_drive(
        scan: &Scan,
        config: &WorkloadConfig,
        capacity: u64,
        path: &std::path::Path,
    ) -> Result<Self, WorkloadError> {
        let size = config.device_size.map(wordline_units::ByteSize::bytes);
        let mut layout = Self::new(&scan.devices, config.devices, size)
            .map_err(|problem| WorkloadError::file(path, problem))?;
        layout.capacity = capacity;
        let drive = capacity.saturating_mul(SECTOR);
        if scan.largest.div_ceil(SECTOR) + u64::from(scan.within_sector > 0) > capacity {
            return Err(WorkloadError::file(
                path,
                format!(
                    "row {}: a request of {} bytes, larger than the drive's user space ({drive} bytes)",
                    scan.largest_row, scan.largest
                ),
            ));
        }
        if layout.end > drive && config.fold == Fold::Refuse {
            let devices = match scan.devices.len() {
                1 => String::new(),
                many if config.devices == DeviceLayout::SideBySide => {
                    format!(" with its {many} devices side by side (workload.devices)")
                }
                many => format!(" with its {many} devices folded onto each other"),
            };
            return Err(WorkloadError::file(
                path,
                format!(
                    "row {} reaches the highest address, byte {}{devices}, but the drive's user space has {drive} \
                     bytes; set workload.fold = \"modulo\" to wrap addresses around, or give the drive more blocks \
                     (geometry.blocks_per_plane)",
                    layout.end_row, layout.end
                ),
            ));
        }
        Ok(layout)
    }

    /// Bytes of a drive that holds everything.
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Bytes of the drive.
    pub(crate) const fn capacity(&self) -> u64 {
        self.capacity.saturating_mul(SECTOR)
    }

    /// Number of each device, rising, and the first byte of its slice.
    pub(crate) fn slices(&self) -> impl Iterator<Item = (u64, u64)> {
        self.slices.iter().map(|slice| (slice.device, slice.base))
    }

    /// Requests whose addresses were folded.
    pub(crate) const fn folded(&self) -> u64 {
        self.folded
    }

    /// First sector and sectors of a row on the drive; a request that starts or ends within a
    /// sector takes the whole of it, and a flush has neither. `None` for a device that the layout does not know.
    #[inline]
    pub(crate) fn place(&mut self, row: &TraceRow) -> Option<(u64, u32)> {
        if self
            .slices
            .get(self.last)
            .is_none_or(|slice| slice.device != row.device)
        {
            self.last = self
                .slices
                .binary_search_by_key(&row.device, |slice| slice.device)
                .ok()?;
        }
        if row.op == HostOp::Flush {
            return Some((0, 0));
        }
        let start = self.slices[self.last].base + row.start;
        let first = start / SECTOR;
        let sectors = (start + row.bytes).div_ceil(SECTOR) - first;
        if first + sectors <= self.capacity {
            return Some((first, sectors as u32));
        }
        self.folded += 1;
        let folded = (first % self.capacity).min(self.capacity.checked_sub(sectors)?);
        Some((folded, sectors as u32))
    }
}
