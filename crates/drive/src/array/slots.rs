//! Planes: which of them programs may go to now, and whose turn it is.

use wordline_ftl::{DynamicOrder, Scope, Target};
use wordline_nand::{ChannelId, DieId, PlaneId};

use super::FlashArray;
use super::classes::{LEVELS, wrap};
use crate::features::Features;

impl<F: Features> FlashArray<F> {
    /// How many programs of a queue that several units take from start with one command, where programs join.
    #[inline]
    pub(crate) fn programs_wanted(&self, queue: usize) -> usize {
        let waiting = self.flash.queues[queue].len as usize;
        if self.in_step {
            return waiting.min(self.flash.geometry.planes_per_die as usize);
        }
        match (self.joins_programs(), queue < self.flash.drive_queue() + LEVELS) {
            (false, _) => 1,
            (true, true) => self.order.share(waiting).min(waiting),
            (true, false) => waiting,
        }
    }

    /// Lists the planes that a queue's programs may go to now, best first.
    // once: see "Busy code is compiled once" in crates/drive/DESIGN.md
    #[inline(never)]
    pub(crate) fn list_slots(&mut self, channel: usize, queue: usize, most: usize) {
        let (flash, order, slots) = (&self.flash, &self.order, &mut self.command.slots);
        slots.clear();
        if queue < flash.chip_queue(0) {
            let host = flash.is_of_host(queue);
            let takers = flash.takers_of_wide(channel, host);
            let idle = |die: DieId| {
                let unit = flash.unit_of(die);
                match takers {
                    Some((first, takers)) => takers >> (unit - first) & 1 == 1,
                    None => flash.accepts_wide(unit) && (!host || flash.is_roomy(unit)),
                }
            };
            let most = most.min(flash.geometry.planes() as usize);
            match takers {
                // most often one die has just come free
                Some((first, takers)) if takers.is_power_of_two() && flash.dies_per_unit == 1 => {
                    let die = DieId(first as u32 + takers.trailing_zeros());
                    order.slots_of_die(die, most, slots);
                }
                _ => order.slots(ChannelId(channel as u32), idle, most, slots),
            }
        } else {
            let chip = ((queue - flash.chip_queue(0)) / LEVELS) as u32;
            let dies = flash.geometry.dies_per_chip;
            let planes = flash.geometry.planes_per_die;
            for die in (chip * dies..(chip + 1) * dies).map(DieId) {
                if flash.accepts_wide(flash.unit_of(die)) && slots.len() < most {
                    let token = wrap(flash.dies[die.index()].plane_token, planes);
                    slots.push(PlaneId(die.0 * planes + token));
                }
            }
        }
        if self.in_step {
            self.list_planes_of_first_die(most);
        }
    }

    /// Lists planes of the die of the first slot alone, where the planes of a die work in step: the FTL says which of them it is.
    fn list_planes_of_first_die(&mut self, most: usize) {
        let slots = &mut self.command.slots;
        if let Some(first) = slots.first() {
            let planes = self.flash.geometry.planes_per_die;
            let first = self.flash.geometry.die_of(*first).0 * planes;
            slots.clear();
            slots.extend((first..first + planes).take(most).map(PlaneId));
        }
    }

    /// The planes that were listed.
    #[inline]
    pub(crate) fn slots(&self) -> &[PlaneId] {
        &self.command.slots
    }

    /// The planes of the unit of a plane: the first, and how many.
    #[inline]
    pub(crate) fn planes_of_unit(&self, plane: PlaneId) -> (PlaneId, u32) {
        let planes = self.flash.geometry.planes_per_die * self.flash.dies_per_unit;
        let first = self.flash.unit_of_plane(plane) as u32 * planes;
        (PlaneId(first), planes)
    }

    /// No plane of the unit of `plane` had a page for the programs of a queue that several units take from.
    pub(crate) fn mark_no_space(&mut self, plane: PlaneId, queue: usize) {
        let unit = self.flash.unit_of_plane(plane);
        self.flash.starve(unit, self.flash.is_of_host(queue));
    }

    /// A unit had no page for the programs of its own queues.
    #[inline]
    pub(crate) fn starve(&mut self, unit: usize) {
        self.flash.starve(unit, false);
    }

    /// The planes that a target allows on its unit: the first, and how many.
    #[inline]
    pub(crate) fn span(&self, target: Target) -> Option<(PlaneId, u32)> {
        let Target::Frontier { scope, .. } = target else {
            return None;
        };
        let geometry = &self.flash.geometry;
        let planes = geometry.planes_per_die;
        match scope {
            Scope::Plane(plane) => Some((plane, 1)),
            Scope::Die(die) => Some((PlaneId(die.0 * planes), planes)),
            Scope::Chip(chip) => {
                let count = geometry.dies_per_chip * planes;
                Some((PlaneId(chip.0 * count), count))
            }
            Scope::Channel(_) | Scope::Drive => None,
        }
    }

    /// The plane of a span whose turn it is.
    #[inline]
    pub(crate) fn turn(&self, (first, count): (PlaneId, u32)) -> PlaneId {
        let die = self.flash.geometry.die_of(first);
        PlaneId(first.0 + wrap(self.flash.dies[die.index()].plane_token, count))
    }

    /// It is the turn of plane `next` of the span that begins with `first`.
    #[inline]
    pub(crate) fn set_turn(&mut self, first: PlaneId, next: u32) {
        let die = self.flash.geometry.die_of(first);
        self.flash.dies[die.index()].plane_token = next;
    }

    /// Whose turn it is among the planes that programs choose from.
    pub(crate) const fn order(&self) -> &DynamicOrder {
        &self.order
    }

    /// Planes take their turns as another array left them.
    pub(crate) fn go_on_in(&mut self, order: DynamicOrder) {
        self.order = order;
    }

    /// Moves the tokens of the allocation order past the planes that the members of the command use; false if there are none.
    pub(crate) fn advance_tokens(&mut self) -> bool {
        for id in &self.command.members {
            let op = &self.ops[*id];
            let plane = self.flash.geometry.plane_of(op.block);
            self.order.advance(plane);
            let first = op.die.0 * self.flash.geometry.planes_per_die;
            self.flash.dies[op.die.index()].plane_token = plane.0 - first + 1;
        }
        !self.command.members.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wordline_config::Config;
    use wordline_nand::{PageTypes, Timing};

    use super::*;
    use crate::features::Full;
    use crate::run::{Ahead, age};

    /// Programs wanted of each queue that several units take from, where five wait in each: two channels of two chips, each
    /// chip with two planes.
    fn wanted(keys: &str) -> Vec<usize> {
        let text = format!(
            "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 48\n\
             pages_per_block = 24\npage_size = \"16 KiB\"\n{keys}"
        );
        let config: Config = toml::from_str(&text).unwrap();
        let aged = age(&config, Path::new("."), &Ahead::of(1), &mut |_| true).unwrap();
        let types = PageTypes::new(&config.geometry, &aged.geometry).unwrap();
        let timing = Timing::new(&config.timing, &aged.geometry, &types).unwrap();
        let mut array = FlashArray::<Full>::new(&config, &*aged.ftl, (types, timing), None).unwrap();
        let wide = array.flash.drive_queue()..array.flash.queues.len();
        for queue in wide.clone() {
            array.flash.queues[queue].len = 5;
        }
        wide.map(|queue| array.programs_wanted(queue)).collect()
    }

    /// Of the queues of the drive, at all four levels, a channel takes its share of five, which is three; queues of a
    /// channel or of a chip have nobody to share with, whatever their level.
    #[test]
    fn only_the_queues_of_the_drive_are_shared() {
        let joining = wanted("[commands]\nmulti_plane_write = \"wise\"\n");
        assert_eq!(joining[..LEVELS], [3; LEVELS]);
        assert_eq!(joining[LEVELS..], [5; (2 + 4) * LEVELS]);
    }

    #[test]
    fn programs_that_never_join_start_one_by_one() {
        assert_eq!(wanted(""), [1; (1 + 2 + 4) * LEVELS]);
    }

    /// Two planes of a die, however many programs wait.
    #[test]
    fn planes_in_step_take_a_row() {
        let in_step = "[commands]\nmulti_plane_write = \"wise\"\nmulti_plane_read = true\nmulti_plane_erase = true\n\
                       [allocation]\nplanes = \"in_step\"\n[ftl]\nmapping_unit = \"4 KiB\"\nover_provisioning = 0.3\n\
                       [ftl.gc]\nmode = \"partial\"\nfrontier = \"separate\"\nlow = 5\nhigh = 5\n";
        assert_eq!(wanted(in_step), [2; (1 + 2 + 4) * LEVELS]);
    }
}
