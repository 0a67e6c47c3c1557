//! What hosts ask, and what they are answered.

use wordline_metrics::Status;
use wordline_units::SimTime;
use wordline_workload::HostOp;

/// What a host asks of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What.
    pub op: HostOp,
    /// A write is to be on flash when it is answered.
    pub fua: bool,
    /// First byte; not counted for a flush.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// An answer of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What [`Device::submit`](crate::Device::submit) called the request.
    pub token: u64,
    /// How it ended.
    pub status: Status,
    /// When it came, since the device began.
    pub arrival: SimTime,
    /// When the host has it.
    pub completed: SimTime,
}
