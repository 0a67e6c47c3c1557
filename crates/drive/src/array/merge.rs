//! Which waiting operations join into one multi-plane or interleaved command.
//!
//! No command is delayed to wait for a partner: only what waits already can join (array
//! specification, sections 4.3, 4.4 and 6.3). Pages of a write that come over a link one by one wait for each other
//! before they get here (`host/gather.rs`).

use wordline_nand::{DieId, PlaneId, Ppn, Use};

use super::FlashArray;
use super::classes::LOOK_AHEAD;
use crate::features::Features;
use crate::operation::{Kind, NONE, OpId};

impl<F: Features> FlashArray<F> {
    /// Whether commands of several dies of a chip are formed; with die-grained units the dies
    /// take their commands one after another, which overlaps them as well.
    pub(super) fn interleaves(&self) -> bool {
        self.commands.interleave && self.flash.dies_per_unit > 1
    }

    pub(super) fn plane_of(&self, page: Ppn) -> PlaneId {
        self.flash.geometry.plane_of(self.flash.geometry.block_of(page))
    }

    /// Makes a read, and the reads behind it in its queue that can join it, the command. Where planes read on their own, the command is one
    /// read: of `first` and as many behind it as `looks` says, the first whose plane is free; none where the die reads already and `gives_way`
    /// to a program. Tells whether there is a command.
    #[inline]
    pub(crate) fn gather_reads(&mut self, first: OpId, looks: usize, gives_way: bool) -> bool {
        if self.reads_by_plane() {
            return self.gather_plane_read(first, looks, gives_way);
        }
        self.command.members.clear();
        self.command.members.push(first);
        if self.commands.multi_plane_read || self.interleaves() {
            let next = self.ops[first].next;
            self.join_aligned(next, self.commands.multi_plane_read);
        }
        true
    }

    /// Makes the first erase of a queue that can start, and those that can join it, the command.
    pub(crate) fn gather_erases(&mut self, queue: usize) -> bool {
        let mut op = self.flash.queues[queue].head;
        self.command.members.clear();
        for _ in 0..LOOK_AHEAD {
            if op == NONE {
                return false;
            }
            if self.may_start(op) {
                self.command.members.push(op);
                let next = self.ops[op].next;
                if self.commands.multi_plane_erase || self.interleaves() {
                    self.join_aligned(next, self.commands.multi_plane_erase);
                }
                return true;
            }
            op = self.ops[op].next;
        }
        false
    }

    /// For an erase: no operation is outstanding on its block. For a program: it is its turn in its block.
    fn may_start(&self, id: OpId) -> bool {
        let op = &self.ops[id];
        match op.kind() {
            Some(Kind::Erase) => self.flash.erase_gate.is_open(op.block),
            Some(Kind::Program) => op.follows_others() && self.is_next_in_block(id),
            _ => true,
        }
    }

    /// Makes a program whose page is known the command, with those behind it in its queue that can join it.
    pub(crate) fn gather_placed(&mut self, first: OpId) {
        self.make_command_of(first);
        let joins_planes = self.commands.multi_plane_write != Use::Off;
        if joins_planes || self.interleaves() {
            let next = self.ops[first].next;
            self.join_aligned(next, joins_planes);
        }
    }

    /// Adds the reads (or erases, or programs whose pages are known) from `op` on that fit the command: on a new die where dies are
    /// interleaved, on a new plane of a die at the same block and page where planes are joined.
    fn join_aligned(&mut self, mut op: OpId, join_planes: bool) {
        let in_package = self
            .command
            .members
            .first()
            .map(|first| self.ops[*first].in_package);
        let interleave = self.interleaves();
        let most = (self.flash.dies_per_unit * self.flash.geometry.planes_per_die) as usize;
        for _ in 0..LOOK_AHEAD {
            if op == NONE || self.command.members.len() == most {
                break;
            }
            let page = self.ops[op].page;
            let die = self.ops[op].die;
            let is_program = self.ops[op].kind() == Some(Kind::Program);
            let plane = self.plane_of(page);
            let mut same_die = self
                .command
                .members
                .iter()
                .map(|id| self.ops[*id].page)
                .filter(|other| self.flash.place_of(*other).1 == die)
                .peekable();
            let fits = match same_die.peek() {
                None => interleave,
                Some(_) => {
                    join_planes
                        && same_die.all(|other| {
                            self.plane_of(other) != plane && self.aligned(other, page, is_program)
                        })
                }
            };
            if fits && Some(self.ops[op].in_package) == in_package && self.may_start(op) {
                self.command.members.push(op);
            }
            op = self.ops[op].next;
        }
        self.group_by_die();
    }

    /// Restriction R-c: planes of one command work at one block index and one page index, which programs always do.
    fn aligned(&self, a: Ppn, b: Ppn, is_program: bool) -> bool {
        let geometry = &self.flash.geometry;
        let rules = &self.restrictions;
        let block = |page| geometry.block_in_plane(geometry.block_of(page));
        let same_page = rules.multi_plane_same_page || is_program;
        (!rules.multi_plane_same_block || block(a) == block(b))
            && (!same_page || geometry.page_in_block(a) == geometry.page_in_block(b))
    }

    /// Puts the members of one die together, dies in the order of their first member.
    fn group_by_die(&mut self) {
        let mut members = std::mem::take(&mut self.command.members);
        let dies: Vec<DieId> = members.iter().map(|id| self.ops[*id].die).collect();
        let rank = |die: DieId| dies.iter().position(|other| *other == die);
        members.sort_by_key(|id| rank(self.ops[*id].die));
        self.command.members = members;
    }

    /// Whether programs join into commands of several planes or dies.
    #[inline]
    pub(crate) fn joins_programs(&self) -> bool {
        self.commands.multi_plane_write != Use::Off || self.interleaves()
    }

    /// A command is begun that has no member.
    #[inline]
    pub(crate) fn begin_command(&mut self) {
        self.command.members.clear();
    }

    /// Makes an operation the only member of the command in the making.
    #[inline]
    pub(crate) fn make_command_of(&mut self, id: OpId) {
        self.command.members.clear();
        self.command.members.push(id);
    }

    /// The programs that were listed, each with its plane, those of one die together; [`Self::give_back_candidates`] takes the
    /// list back.
    #[inline]
    pub(crate) fn take_candidates(&mut self) -> Vec<(OpId, PlaneId)> {
        std::mem::take(&mut self.command.candidates)
    }

    /// Takes the place of candidates back.
    #[inline]
    pub(crate) fn give_back_candidates(&mut self, candidates: Vec<(OpId, PlaneId)>) {
        self.command.candidates = candidates;
    }

    /// Lists program `id` and those behind it that go to other planes of its unit, each with its
    /// plane; those of one die together.
    pub(crate) fn list_candidates(&mut self, queue: usize, id: OpId) {
        debug_assert!(!self.flash.queues[queue].is_empty());
        let mut candidates = std::mem::take(&mut self.command.candidates);
        candidates.clear();
        let geometry = self.flash.geometry;
        let mut op = id;
        for _ in 0..LOOK_AHEAD {
            if op == NONE {
                break;
            }
            let entry = &self.ops[op];
            let target = entry.target().filter(|_| entry.kind() == Some(Kind::Program));
            if let Some(span) = target.and_then(|target| self.span(target)) {
                let plane = match candidates.len() as u32 {
                    // the FTL says which plane it is
                    others if self.in_step && others < span.1 => PlaneId(span.0.0 + others),
                    _ => self.turn(span),
                };
                let die = geometry.die_of(plane);
                let taken = candidates.iter().any(|(_, other)| *other == plane);
                let new_die = !candidates.iter().any(|(_, other)| geometry.die_of(*other) == die);
                let joins = if new_die {
                    self.interleaves()
                } else {
                    self.commands.multi_plane_write != Use::Off
                };
                let same_way = entry.in_package == self.ops[id].in_package;
                let fits = candidates.is_empty() || (joins && same_way);
                if fits && !taken {
                    candidates.push((op, plane));
                }
            }
            op = self.ops[op].next;
        }
        self.command.candidates = candidates;
        self.group_candidates_by_die();
    }

    fn group_candidates_by_die(&mut self) {
        let geometry = self.flash.geometry;
        let mut candidates = std::mem::take(&mut self.command.candidates);
        if candidates.len() > 2 {
            let dies: Vec<DieId> = candidates
                .iter()
                .map(|(_, plane)| geometry.die_of(*plane))
                .collect();
            candidates.sort_by_key(|(_, plane)| dies.iter().position(|die| *die == geometry.die_of(*plane)));
        }
        self.command.candidates = candidates;
    }

    /// Lists the oldest programs of a queue that several units take from, each with one of the planes of [`Self::slots`], as far as these belong to
    /// the unit of the first.
    pub(crate) fn list_wide_candidates(&mut self, queue: usize) {
        let unit = self.flash.unit_of_plane(self.command.slots[0]);
        let mut candidates = std::mem::take(&mut self.command.candidates);
        candidates.clear();
        let mut op = self.flash.queues[queue].head;
        for slot in &self.command.slots {
            if op == NONE {
                break;
            }
            if self.flash.unit_of_plane(*slot) == unit {
                candidates.push((op, *slot));
            }
            op = self.ops[op].next;
        }
        self.command.candidates = candidates;
        self.group_candidates_by_die();
    }
}
