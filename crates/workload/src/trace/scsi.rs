//! SCSI operation codes, as traces of virtual disks record them (SCSI Block Commands).

use crate::HostOp;

/// What the command with this operation code asks for; `None` for one that is no request to the
/// medium, or whose record lacks its addresses (UNMAP).
pub(crate) const fn operation(code: u8) -> Option<HostOp> {
    match code {
        // READ (6), (10), (12), (16)
        0x08 | 0x28 | 0xa8 | 0x88 => Some(HostOp::Read),
        // WRITE (6), (10), (12), (16), and WRITE AND VERIFY (10)
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e => Some(HostOp::Write),
        // SYNCHRONIZE CACHE (10), (16)
        0x35 | 0x91 => Some(HostOp::Flush),
        _ => None,
    }
}
