//! Admission of commands where an executor knows pieces only: each is a command of its own.

use wordline_units::SimTime;

use crate::contract::{Ftl, Subjects};
use crate::request::{PageOp, PageRequest, Refusal};
use crate::zone::{AccessKind, HostAccess};

/// Has a piece admitted as a command of its own, where commands are: what an executor does that knows pieces only.
///
/// # Errors
/// What the rules of zones do not allow.
pub(super) fn admit<F: Ftl + ?Sized>(
    ftl: &mut F,
    now: SimTime,
    request: &PageRequest,
) -> Result<(), Refusal> {
    let kind = match request.op {
        PageOp::Read => AccessKind::Read,
        PageOp::Write => AccessKind::Write,
        PageOp::Trim => AccessKind::Deallocate,
        PageOp::Zone(action) => AccessKind::Manage(action),
    };
    let per_page = ftl.geometry().sectors_per_page();
    let Some(zoned) = ftl.zoned_host_mut() else {
        return Ok(());
    };
    let head = request.bitmap.trailing_zeros().min(per_page);
    let access = HostAccess {
        kind,
        lpn: request.lpn,
        pages: request.pages,
        head,
        tail: per_page.saturating_sub(head + request.bitmap.count_ones()),
    };
    zoned.admit(now, &access).map(|_| ())
}
