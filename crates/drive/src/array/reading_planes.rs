//! Independent-plane reads (`nand.independent_plane_reads`): each plane of a die reads on its own, beside reads of other planes.
//!
//! A die that reads stays open for reads of its planes that are free. Programs, copy-backs and erases take the whole die, as ever: they start
//! when no plane reads, and no read starts beside them.

use wordline_metrics::Array;
use wordline_nand::{ArrayStep, DieId};

use super::FlashArray;
use super::classes::LOOK_AHEAD;
use crate::clock::{Clock, Event};
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{Kind, NONE, OpId};

impl<F: Features> FlashArray<F> {
    /// Whether the planes of a die read on their own.
    #[inline(always)]
    pub(crate) fn reads_by_plane(&self) -> bool {
        self.plane_reads.is_some()
    }

    /// Makes the first read of a queue whose plane is free the command, of `first` and as many behind it as `looks` says; none where
    /// the die reads already and `gives_way` to a program.
    pub(super) fn gather_plane_read(&mut self, first: OpId, looks: usize, gives_way: bool) -> bool {
        let Some(reads) = self.plane_reads.as_ref() else {
            return false;
        };
        let mut id = first;
        self.command.members.clear();
        for _ in 0..looks.min(LOOK_AHEAD) {
            if id == NONE {
                break;
            }
            let op = &self.ops[id];
            if gives_way && reads.is_reading(op.die) {
                break;
            }
            if reads.is_free(self.plane_of(op.page)) {
                self.command.members.push(id);
                return true;
            }
            id = op.next;
        }
        false
    }

    /// Sets a plane to work on a read.
    pub(super) fn start_plane_read(
        &mut self,
        id: OpId,
        step: ArrayStep,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) -> Array {
        let (die, now) = (step.die, clock.now());
        let from = now + step.from;
        let mut length = step.length;
        if self.suspension.is_some() {
            length = self.array_with_suspension((Kind::Read, die, &[id]), from, length, now, observe);
        }
        let to = from + length;
        let plane = self.plane_of(self.ops[id].page);
        let before = self.flash.dies[die.index()].array_end;
        if let Some(reads) = self.plane_reads.as_mut() {
            reads.beside = before.min(to).since(from);
            reads.begin(die, plane, id);
            let is_full = reads.is_full(die);
            self.flash.occupy_plane(die, id, to, is_full);
        }
        clock.schedule(to, Event::PlaneDone(id));
        Array { die, from, to }
    }

    /// A command of one operation was issued: a read beside others keeps its die busy only while these do not.
    pub(super) fn note_beside(&mut self, kind: Kind, die: DieId, observe: &mut Observer<F>) {
        if kind == Kind::Read
            && let Some(reads) = self.plane_reads.as_ref()
            && reads.are_beside(die)
        {
            observe.read_beside(die, reads.beside);
        }
    }

    /// The array step of a plane is over: its data wait for the bus. Tells whether there are any.
    pub(crate) fn plane_done(&mut self, id: OpId, clock: &Clock, observe: &mut Observer<F>) -> bool {
        let die = self.ops[id].die;
        let unit = self.flash.unit_of(die);
        self.note_step(die);
        self.flash.units[unit].arrays_left -= 1;
        let brings_data = self.ops[id].brings_data();
        if brings_data {
            self.wait_for_bus(die, id, clock, observe);
        }
        brings_data
    }

    /// The data of a read have left its plane, which takes the next one. Tells whether no plane of the die has a read any more.
    pub(super) fn leave_plane(&mut self, id: OpId) -> bool {
        let die = self.ops[id].die;
        let plane = self.plane_of(self.ops[id].page);
        let Some(reads) = self.plane_reads.as_mut() else {
            return true;
        };
        reads.end(die, plane);
        let is_last = !reads.is_reading(die);
        if !is_last {
            self.flash
                .set_cacheable(self.flash.unit_of(die), Some(Kind::Read));
        }
        is_last
    }
}
