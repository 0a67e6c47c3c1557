//! Operations of the array, from their plan to their end.

use wordline_ecc::Sensing;
use wordline_ftl::{Bound, Cause, Inspect, Step, Target, Work};
use wordline_nand::{BlockId, Mode, Ppn};
use wordline_units::SimTime;

use super::FlashArray;
use super::packages::stays_in_package;
use crate::features::Features;
use crate::operation::{Kind, Level, NONE, Op, OpId, Owner};

/// What the kernel knows of a step that becomes an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) owner: Owner,
    /// Why the step is done, for its owner.
    pub(crate) cause: Cause,
    pub(crate) level: Level,
    /// Plan record, `NONE` for a plan of one step, and the index of the step there.
    pub(crate) place: (u32, u8),
    pub(crate) account: u32,
    /// Whether its request is answered when the data of the program are in the page register.
    pub(crate) acknowledges_transfer: bool,
}

impl<F: Features> FlashArray<F> {
    /// A step of a plan becomes an operation.
    #[inline]
    pub(crate) fn plan(&mut self, now: SimTime, step: &Step, planned: &Planned) -> OpId {
        let known = step.work.planned_page();
        let page = match step.work {
            Work::Erase { block } => Some(self.flash.geometry.page(block, 0)),
            _ => known,
        };
        let (block, die) = page.map_or_else(Default::default, |page| self.flash.place_of(page));
        if known.is_some() {
            self.flash.erase_gate.add(block);
        }
        let (plan, index) = planned.place;
        let in_package = self.packages.is_some() && stays_in_package(&step.work);
        let id = self.ops.insert_with(|| Op {
            step: Step {
                cause: planned.cause,
                ..*step
            },
            owner: planned.owner,
            level: planned.level,
            plan,
            index,
            sequence: 0,
            ready: now,
            page: page.unwrap_or(Ppn(u64::MAX)),
            block,
            die,
            skipped: 0,
            mode: Mode::NORMAL,
            read_mode: Mode::NORMAL,
            sensing: Sensing::default(),
            acknowledges_transfer: planned.acknowledges_transfer,
            in_package,
            command: Kind::of(&step.work),
            queue: NONE,
            account: planned.account,
            next: NONE,
            previous: NONE,
        });
        if self.suspension.is_some() {
            let op = self.ops[id];
            if let Some(shadow) = self.shadow() {
                shadow.planned(&op, id);
            }
        }
        if let Work::Program {
            target: Target::Page(_),
            ..
        } = step.work
        {
            self.fixed.plan(block, id);
        }
        id
    }

    /// Whether word lines are programmed as wholes.
    #[inline(always)]
    pub(crate) fn has_word_lines(&self) -> bool {
        self.word_lines.is_some()
    }

    /// Whether an operation reads a page of a word line that is not complete, or whose program could be suspended for it, so that its
    /// data are in the controller yet; it is no flash command then.
    #[inline]
    pub(crate) fn reads_open_word_line(&mut self, id: OpId) -> bool {
        let Some(lines) = self.word_lines.as_ref() else {
            return false;
        };
        let op = &self.ops[id];
        if !matches!(op.step.work, Work::Read { .. }) {
            return false;
        }
        let pages = self.flash.geometry.pages_per_block;
        let readable = lines.readable(self.chips.taken(op.block), pages);
        let page = self.flash.geometry.page_of_block(op.page, op.block);
        let is_in_memory = page >= readable || self.is_being_programmed(lines, op.block, page);
        if is_in_memory {
            self.ops[id].command = None;
        }
        is_in_memory
    }

    /// Whether it is the turn of a program whose page was fixed when it was planned, of those of its block.
    #[inline]
    pub(crate) fn is_next_in_block(&self, id: OpId) -> bool {
        self.fixed.next(self.ops[id].block) == Some(id)
    }

    /// Gives a program that is ready its page, before it goes into a queue.
    pub(crate) fn place(&mut self, id: OpId, page: Ppn) {
        let (block, die) = self.flash.place_of(page);
        let op = &mut self.ops[id];
        (op.page, op.block, op.die) = (page, block, die);
        self.flash.erase_gate.add(block);
        self.fixed.plan(block, id);
    }

    /// Gives an operation the page that it was bound to, and makes it a member of the command.
    #[inline]
    pub(crate) fn take_page(&mut self, id: OpId, bound: Bound, now: SimTime) {
        let is_wide = self.unit_waited_for(id).is_none();
        let (block, die) = self.flash.place_of(bound.page);
        let op = &mut self.ops[id];
        op.page = bound.page;
        op.block = block;
        op.die = die;
        op.skipped = bound.skipped;
        if let Some(loads) = self.loads.as_mut()
            && is_wide
            && op.level == Level::Host
        {
            loads.enter_unit(self.flash.unit_of(die), now);
        }
        self.flash.erase_gate.add(block);
        self.command.members.push(id);
    }

    /// The mode of an operation's page, and that in which a copy-back reads its source.
    #[inline]
    pub(crate) fn set_modes(&mut self, id: OpId, mode: Mode, read_mode: Mode) {
        self.ops[id].mode = mode;
        self.ops[id].read_mode = read_mode;
    }

    /// An operation counts as one of `level` from now on.
    pub(crate) fn set_level(&mut self, id: OpId, level: Level) {
        self.ops[id].level = level;
        // its unit may execute it
        self.flash.note_change(self.flash.unit_of(self.ops[id].die));
    }

    /// The request that a program serves is answered and waits for it no longer: the operation as it was before.
    pub(crate) fn detach(&mut self, id: OpId) -> Op {
        let entry = &mut self.ops[id];
        let op = *entry;
        entry.step.acknowledges = false;
        entry.acknowledges_transfer = false;
        entry.owner = Owner::Request(NONE);
        entry.account = NONE;
        op
    }

    /// Whether no operation is in the drive.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Programs and copy-backs in the drive that bring pages of the host.
    pub(crate) fn host_programs(&self) -> u64 {
        let of_host = self.ops.iter().filter(|(_, op)| {
            matches!(op.kind(), Some(Kind::Program | Kind::CopyBack)) && op.step.cause == Cause::Host
        });
        of_host.count() as u64
    }

    /// Brings what an operation on a block will look at into the cache of the processor.
    pub(crate) fn prefetch(&self, block: BlockId) {
        self.flash.erase_gate.prefetch(block);
        self.chips.prefetch(block);
    }

    /// A host program that brought a whole page: nothing of what was lost is missing any more.
    #[inline]
    pub(crate) fn written(&mut self, id: OpId, ftl: &dyn Inspect) {
        if let Some(reliability) = self.reliability.as_mut() {
            reliability.written(&self.ops[id].step, ftl);
        }
    }
}
