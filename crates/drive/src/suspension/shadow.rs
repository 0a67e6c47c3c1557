//! Reads of what is being programmed: while a program is in the array, its data are in the shadow
//! buffer of the part (section 4 of the suspension specification, integrity).

use rustc_hash::FxHashMap;
use wordline_ftl::{Cause, Lpn, PageOp, Route, Step, Work};
use wordline_nand::{Ppn, Suspendable};
use wordline_units::Duration;

use crate::drive::Drive;
use crate::host::SubRequest;
use crate::operation::{Kind, Level, NONE, Op, OpId};

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

    fn in_array(&self, lpn: Lpn) -> Option<OpId> {
        self.newest
            .get(&lpn)
            .and_then(|(id, issued)| issued.then_some(*id))
    }
}

impl Drive {
    /// Reads a page whose newest data a program has, from the die that programs it. False where they
    /// are in the controller, which then answers.
    pub(crate) fn read_shadow(&mut self, sub: &SubRequest) -> bool {
        let held = self
            .suspension
            .as_ref()
            .and_then(|suspension| suspension.shadow.as_ref())
            .and_then(|shadow| shadow.in_array(sub.page.lpn));
        let Some(id) = held.filter(|_| sub.page.op == PageOp::Read) else {
            return false;
        };
        let page = self.ops[id].page;
        self.plan.push(Step {
            work: Work::Read {
                page,
                bitmap: sub.page.bitmap,
                route: Route::Controller,
            },
            cause: Cause::Host,
            acknowledges: true,
            after: 0,
            lpn: sub.page.lpn,
            // the FTL knows nothing of it
            token: u32::MAX,
        });
        let acknowledging = self.start_plan(sub.owner, Level::Host, sub.account);
        self.piece_waits_for(sub.owner, acknowledging);
        true
    }

    /// The time that a read of `page` takes from the shadow buffer, if it is there: no sensing.
    pub(crate) fn shadow_time(&self, unit: usize, page: Ppn) -> Option<Duration> {
        let suspension = self.suspension.as_ref()?;
        suspension.shadow.as_ref()?;
        let (Suspendable::Program, frame) = suspension.units[unit].stack.top()? else {
            return None;
        };
        frame.parts.iter().find_map(|part| {
            let mut id = part.first;
            while id != NONE {
                let op = &self.ops[id];
                if op.page == page {
                    return Some(suspension.rules.shadow);
                }
                id = op.next;
            }
            None
        })
    }
}
