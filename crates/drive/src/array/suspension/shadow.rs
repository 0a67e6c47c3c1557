//! What programs hold: while a program is in the array, its data are in the shadow buffer of the part (section 4 of the
//! suspension specification, integrity).

use rustc_hash::FxHashMap;
use wordline_ftl::{Cause, Lpn};

use crate::operation::{Kind, Op, OpId};

/// The newest program of each logical page in the drive, and whether its data have gone to a die.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    newest: FxHashMap<Lpn, (OpId, bool)>,
}

impl Shadow {
    /// A program of the host is planned.
    pub(crate) fn planned(&mut self, op: &Op, id: OpId) {
        if op.kind() == Some(Kind::Program) && op.step.cause == Cause::Host {
            self.newest.insert(op.step.lpn, (id, false));
        }
    }

    /// A program is issued.
    pub(crate) fn issued(&mut self, lpn: Lpn, id: OpId) {
        if let Some(entry) = self.newest.get_mut(&lpn)
            && entry.0 == id
        {
            entry.1 = true;
        }
    }

    /// A program has ended.
    pub(crate) fn ended(&mut self, lpn: Lpn, id: OpId) {
        if self.newest.get(&lpn).is_some_and(|entry| entry.0 == id) {
            self.newest.remove(&lpn);
        }
    }

    pub(super) fn in_array(&self, lpn: Lpn) -> Option<OpId> {
        self.newest
            .get(&lpn)
            .and_then(|(id, issued)| issued.then_some(*id))
    }
}
