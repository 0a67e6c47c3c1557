//! Which waiting operations join into one multi-plane or interleaved command.
//!
//! No command is delayed to wait for a partner: only what waits already can join (array
//! specification, sections 4.3, 4.4 and 6.3). Pages of a write that come over a link one by one wait for each other
//! before they get here (`host/gather.rs`).

use wordline_nand::{DieId, PlaneId, Ppn, Use};

use super::place::Attempt;
use super::{LOOK_AHEAD, wrap};
use crate::drive::Drive;
use crate::operation::{Kind, NONE, OpId};

impl Drive {
    /// Whether commands of several dies of a chip are formed; with die-grained units the dies
    /// take their commands one after another, which overlaps them as well.
    pub(super) fn interleaves(&self) -> bool {
        self.commands.interleave && self.flash.dies_per_unit > 1
    }

    fn plane_of(&self, page: Ppn) -> PlaneId {
        self.flash.geometry.plane_of(self.flash.geometry.block_of(page))
    }

    /// Makes the head of a queue of reads, and the reads that can join it, the command.
    pub(super) fn gather_reads(&mut self, queue: usize) {
        let head = self.flash.queues[queue].head;
        self.command.members.clear();
        self.command.members.push(head);
        if self.commands.multi_plane_read || self.interleaves() {
            let next = self.ops[head].next;
            self.join_aligned(next, self.commands.multi_plane_read);
        }
    }

    /// Makes the first erase of a queue that can start, and those that can join it, the command.
    pub(super) fn gather_erases(&mut self, queue: usize) -> bool {
        let mut op = self.flash.queues[queue].head;
        self.command.members.clear();
        for _ in 0..LOOK_AHEAD {
            if op == NONE {
                return false;
            }
            if self.block_is_quiet(op) {
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

    /// For an erase: no operation is outstanding on its block.
    fn block_is_quiet(&self, op: OpId) -> bool {
        let op = &self.ops[op];
        op.kind() != Some(Kind::Erase) || self.flash.erase_gate.is_open(op.block)
    }

    /// Adds the reads (or erases) from `op` on that fit the command: on a new die where dies are
    /// interleaved, on a new plane of a die at the same block and page where planes are joined.
    fn join_aligned(&mut self, mut op: OpId, join_planes: bool) {
        let interleave = self.interleaves();
        let most = (self.flash.dies_per_unit * self.flash.geometry.planes_per_die) as usize;
        for _ in 0..LOOK_AHEAD {
            if op == NONE || self.command.members.len() == most {
                break;
            }
            let page = self.ops[op].page;
            let die = self.ops[op].die;
            let plane = self.plane_of(page);
            let mut same_die = self
                .command
                .members
                .iter()
                .map(|id| self.ops[*id].page)
                .filter(|other| self.place_of(*other).1 == die)
                .peekable();
            let fits = match same_die.peek() {
                None => interleave,
                Some(_) => {
                    join_planes
                        && same_die.all(|other| self.plane_of(other) != plane && self.aligned(other, page))
                }
            };
            if fits && self.block_is_quiet(op) {
                self.command.members.push(op);
            }
            op = self.ops[op].next;
        }
        self.group_by_die();
    }

    /// Restriction R-c: planes of one command work at one block index and one page index.
    fn aligned(&self, a: Ppn, b: Ppn) -> bool {
        let geometry = &self.flash.geometry;
        let rules = &self.restrictions;
        let block = |page| geometry.block_in_plane(geometry.block_of(page));
        (!rules.multi_plane_same_block || block(a) == block(b))
            && (!rules.multi_plane_same_page || geometry.page_in_block(a) == geometry.page_in_block(b))
    }

    /// Puts the members of one die together, dies in the order of their first member.
    fn group_by_die(&mut self) {
        let mut members = std::mem::take(&mut self.command.members);
        let dies: Vec<DieId> = members.iter().map(|id| self.ops[*id].die).collect();
        let rank = |die: DieId| dies.iter().position(|other| *other == die);
        members.sort_by_key(|id| rank(self.ops[*id].die));
        self.command.members = members;
    }

    /// Binds the program `id` of a unit's queue, and those behind it that can join, to pages.
    pub(super) fn gather_programs(&mut self, queue: usize, id: OpId) -> Attempt {
        self.command.members.clear();
        let joins = self.commands.multi_plane_write != Use::Off || self.interleaves();
        let Some(span) = self.ops[id].target().and_then(|target| self.span(target)) else {
            return Attempt::Waits;
        };
        if !joins {
            return self.bind_rotating(id, self.turn(span));
        }
        self.list_candidates(queue, id);
        self.bind_candidates()
    }

    /// Binds a program to a page of `plane`, or of the other planes that its target allows.
    fn bind_rotating(&mut self, id: OpId, plane: PlaneId) -> Attempt {
        let target = self.ops[id].target();
        let (first, count) = target.and_then(|target| self.span(target)).unwrap_or((plane, 1));
        let die = self.flash.geometry.die_of(first);
        for step in 0..count {
            let index = wrap(plane.0 - first.0 + step, count);
            match self.bind_one(id, PlaneId(first.0 + index)) {
                Attempt::Waits => {}
                other => {
                    self.flash.dies[die.index()].plane_token = index + 1;
                    return other;
                }
            }
        }
        Attempt::Waits
    }

    /// Lists program `id` and those behind it that go to other planes of its unit, each with its
    /// plane; those of one die together.
    fn list_candidates(&mut self, queue: usize, id: OpId) {
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
                let plane = self.turn(span);
                let die = geometry.die_of(plane);
                let taken = candidates.iter().any(|(_, other)| *other == plane);
                let new_die = !candidates.iter().any(|(_, other)| geometry.die_of(*other) == die);
                let fits = candidates.is_empty()
                    || if new_die {
                        self.interleaves()
                    } else {
                        self.commands.multi_plane_write != Use::Off
                    };
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

    /// Binds the candidates die by die: aligned where the FTL can align two or more, else the
    /// first alone. The first die must find a page, or the command does not start.
    fn bind_candidates(&mut self) -> Attempt {
        let geometry = self.flash.geometry;
        let candidates = std::mem::take(&mut self.command.candidates);
        let mut result = Attempt::Waits;
        for group in candidates.chunk_by(|a, b| geometry.die_of(a.1) == geometry.die_of(b.1)) {
            let attempt = if group.len() > 1 && self.bind_group(group) {
                Attempt::Started
            } else {
                self.bind_rotating(group[0].0, group[0].1)
            };
            if attempt == Attempt::Started {
                result = Attempt::Started;
            } else {
                if result == Attempt::Waits {
                    result = attempt;
                }
                // a declined program has changed the queues: what is bound so far starts
                break;
            }
        }
        self.command.candidates = candidates;
        result
    }

    /// Asks the FTL for aligned pages in several planes of a die.
    fn bind_group(&mut self, group: &[(OpId, PlaneId)]) -> bool {
        let mut pairs = std::mem::take(&mut self.command.pairs);
        let mut bound = std::mem::take(&mut self.command.bound);
        pairs.clear();
        pairs.extend(group.iter().map(|(op, plane)| (self.ops[*op].step, *plane)));
        bound.clear();
        self.ftl_called = true;
        let aligned = self.ftl.bind_aligned(self.ftl_now(), &pairs, &mut bound);
        if aligned {
            for ((op, _), bound) in group.iter().zip(&bound) {
                if let Some(bound) = bound {
                    self.take_page(*op, *bound);
                }
            }
        }
        self.command.pairs = pairs;
        self.command.bound = bound;
        aligned
    }

    /// Binds the oldest programs of a wide queue to the slots listed, as far as these belong to the
    /// unit of the first.
    pub(super) fn gather_wide(&mut self, queue: usize) -> bool {
        let plane = self.command.slots[0];
        if self.command.slots.len() == 1 {
            return self.gather_one(queue, plane) == Attempt::Started;
        }
        self.command.members.clear();
        let unit = self.flash.unit_of_plane(plane);
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
        self.bind_wide_candidates();
        self.advance_tokens()
    }

    /// Binds the oldest program of a wide queue to a page of `plane`.
    pub(super) fn gather_one(&mut self, queue: usize, plane: PlaneId) -> Attempt {
        self.command.members.clear();
        let attempt = self.bind_one(self.flash.queues[queue].head, plane);
        if attempt == Attempt::Started {
            self.advance_tokens();
        }
        attempt
    }

    /// Moves the tokens of the allocation order past the planes used; false if none was.
    fn advance_tokens(&mut self) -> bool {
        let mut used = std::mem::take(&mut self.command.planes);
        used.clear();
        used.extend(
            self.command
                .members
                .iter()
                .map(|id| self.plane_of(self.ops[*id].page)),
        );
        self.order.advance(&used);
        for plane in &used {
            let die = self.flash.geometry.die_of(*plane);
            let first = die.0 * self.flash.geometry.planes_per_die;
            self.flash.dies[die.index()].plane_token = plane.0 - first + 1;
        }
        let some = !used.is_empty();
        self.command.planes = used;
        some
    }

    /// As `bind_candidates`, but every program keeps to the slot that it was given.
    fn bind_wide_candidates(&mut self) {
        let geometry = self.flash.geometry;
        let candidates = std::mem::take(&mut self.command.candidates);
        for group in candidates.chunk_by(|a, b| geometry.die_of(a.1) == geometry.die_of(b.1)) {
            if group.len() > 1 && self.bind_group(group) {
                continue;
            }
            if self.bind_one(group[0].0, group[0].1) != Attempt::Started {
                break;
            }
        }
        self.command.candidates = candidates;
    }
}
