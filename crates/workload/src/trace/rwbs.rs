//! The letters by which the kernel says what a block request asks for (`blk_fill_rwbs`), which blkparse and ftrace print.

use crate::HostOp;

/// What an event asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) op: HostOp,
    pub(crate) fua: bool,
    /// A flush comes before it.
    pub(crate) flush: bool,
}

/// What a wrong column should be.
pub(crate) const ACCEPTED: &str = "R, W, D, F or N (since Linux 6.18 also WZ and ZA, ZR, ZF, ZO, ZC), and marks such as S (synchronous) and M (metadata)";

/// Reads an `F` in front for a flush, the direction, an `F` for forced unit access, marks. `None` where no sectors are asked for and nothing is flushed.
///
/// # Errors
/// Other letters.
pub(crate) fn asked(rwbs: &[u8]) -> Result<Option<Asked>, ()> {
    let (flush, rest) = match rwbs {
        [b'F', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (op, marks) = match rest {
        [b'R', marks @ ..] => (Some(HostOp::Read), marks),
        [b'W', b'Z', marks @ ..] => (Some(HostOp::WriteZeroes), marks),
        [b'Z', b'A', marks @ ..] => (Some(HostOp::ZoneAppend), marks),
        // commands of zone management
        [b'Z', b'R' | b'F' | b'O' | b'C', marks @ ..] => (None, marks),
        [b'W', marks @ ..] => (Some(HostOp::Write), marks),
        // a secure erase is a discard as well
        [b'D', b'E', marks @ ..] | [b'D', marks @ ..] => (Some(HostOp::Trim), marks),
        [b'N', marks @ ..] => (flush.then_some(HostOp::Flush), marks),
        marks if flush => (Some(HostOp::Flush), marks),
        _ => return Err(()),
    };
    if !marks.iter().all(|mark| b"FASMBEU".contains(mark)) {
        return Err(());
    }
    let fua = op == Some(HostOp::Write) && marks.first() == Some(&b'F');
    Ok(op.map(|op| Asked { op, fua, flush }))
}
