//! The dispatcher: what an idle channel does next.

use wordline_units::SimTime;

use super::{CLASSES, LEVELS, class};
use crate::drive::{Drive, Event};
use crate::operation::{Kind, Level, NONE, OpId};

/// Something that a channel could do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Move the data of the first waiting die.
    Out,
    /// Start something from a unit's queue of a class.
    Unit { unit: u32, class: u8 },
    /// Start a program from a queue that does not belong to one unit.
    Wide { queue: u32 },
    /// Send the data of a program that is suspended in a unit again.
    Reload { unit: u32 },
}

impl Choice {
    /// Starting something from a unit's queue of a class.
    pub(crate) fn unit(unit: usize, class: usize) -> Self {
        Self::Unit {
            unit: unit as u32,
            class: class as u8,
        }
    }

    /// Starting a program from a queue that does not belong to one unit.
    pub(crate) fn wide(queue: usize) -> Self {
        Self::Wide { queue: queue as u32 }
    }
}

/// Sorts choices: rank in the uppermost byte, then sequence of becoming ready.
type Key = u64;

const fn key_of(rank: u8, sequence: u64) -> Key {
    (rank as u64) << 56 | sequence
}

/// The best choice of those that were offered.
struct Best {
    key: Key,
    choice: Option<Choice>,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            key: Key::MAX,
            choice: None,
        }
    }
}

impl Best {
    /// Takes a choice that goes before the best of those offered earlier.
    #[inline]
    fn offer(&mut self, key: Key, choice: Choice) {
        if key < self.key {
            *self = Self {
                key,
                choice: Some(choice),
            };
        }
    }
}

/// Kind of command by row of classes.
const KINDS: [Kind; 3] = [Kind::Read, Kind::Program, Kind::Erase];

impl Drive {
    /// Looks at every channel where something changed, in an order that rotates with the programs
    /// issued (array specification, section 2.3).
    pub(crate) fn dispatch_dirty(&mut self) {
        let count = self.flash.dirty.len();
        if count > 1 {
            let channels = self.flash.channels.len() as u64;
            let start = (self.programs_issued % channels) as u32;
            // those before the start come after all others
            let turn = |channel: &u32| (*channel < start, *channel);
            self.flash.dirty.sort_unstable_by_key(turn);
        }
        for index in 0..count {
            let channel = self.flash.dirty[index] as usize;
            self.flash.channels[channel].dirty = false;
            self.dispatch(channel);
        }
        // what was marked meanwhile is looked at next time
        self.flash.dirty.drain(..count);
    }

    /// Starts the best thing that can start on a channel, if its bus is free.
    fn dispatch(&mut self, channel: usize) {
        if self.suspension.is_some() {
            self.tend_suspended(channel, false);
        }
        if self.flash.channels[channel].free_at <= self.now {
            self.tried.clear();
            loop {
                let Some(choice) = self.best(channel) else {
                    if self.suspension.is_some() {
                        self.tend_suspended(channel, true);
                    }
                    return;
                };
                let started = match choice {
                    Choice::Out => self.start_out(channel),
                    Choice::Unit { unit, class } => self.start_from_unit(unit as usize, class as usize),
                    Choice::Wide { queue } => self.start_wide(channel, queue as usize),
                    Choice::Reload { unit } => self.start_reload(unit as usize),
                };
                if started {
                    if self.flash.channels[channel].free_at > self.now {
                        break;
                    }
                    continue; // the command took no time on the bus
                }
                if self.failure.is_some() {
                    return;
                }
                self.tried.push(choice);
            }
        }
        self.wake_later(channel);
    }

    /// Schedules a look at a channel for when its bus is free, if there will be something to do
    /// and nothing else brings us there.
    fn wake_later(&mut self, channel: usize) {
        let entry = &self.flash.channels[channel];
        if entry.on_bus != NONE || entry.wake_at == entry.free_at {
            return;
        }
        let waiting = !entry.out.is_empty()
            || self.flash.any_startable(channel)
            || self.flash.wide_startable(channel)
            || (self.suspension.is_some() && self.best_reload(channel).is_some());
        if waiting {
            let at = entry.free_at;
            self.flash.channels[channel].wake_at = at;
            self.schedule(at, Event::Wake(channel as u32));
        }
    }

    /// The choice of lowest rank, oldest within the rank, among those not tried yet.
    fn best(&self, channel: usize) -> Option<Choice> {
        let mut best = Best::default();
        let out = self.flash.channels[channel].out.front();
        if let Some(op) = out
            && self.untried(Choice::Out)
        {
            let key = key_of(self.ranking.data_out, self.ops[*op as usize].sequence);
            best.offer(key, Choice::Out);
        }
        for word in 0..self.flash.words_per_channel {
            let (first, mut bits) = self.flash.with_work(channel, word, self.ranking.in_order);
            while bits != 0 {
                let unit = first + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some((key, class)) = self.best_of_unit(unit)
                    && key < best.key
                    && (self.ranking.in_order || self.accepts_class(unit, class))
                {
                    best.offer(key, Choice::unit(unit, class));
                }
            }
        }
        if self.flash.wide_ops > 0 {
            self.best_wide(channel, &mut best);
        }
        if self.suspension.is_some()
            && let Some((sequence, unit)) = self.best_reload(channel)
        {
            let rank = self.ranking.ranks[class(Kind::Program, Level::Host)];
            let unit = unit as u32;
            best.offer(key_of(rank, sequence), Choice::Reload { unit });
        }
        match best.choice? {
            // in order: the oldest waits for its die, and all but data already read wait with it
            Choice::Unit { unit, class }
                if self.ranking.in_order && !self.accepts_class(unit as usize, class as usize) =>
            {
                out.map(|_| Choice::Out)
            }
            choice => Some(choice),
        }
    }

    /// Whether a unit can take a command of the kind of a class.
    fn accepts_class(&self, unit: usize, class: usize) -> bool {
        self.flash.accepts(unit, KINDS[class / LEVELS])
    }

    /// What a unit would start first.
    fn best_of_unit(&self, unit: usize) -> Option<(Key, usize)> {
        let mut best: Option<(Key, usize)> = None;
        let flash = &self.flash.units[unit];
        let mut work = flash.work & !flash.barred;
        while work != 0 {
            let class = work.trailing_zeros() as usize;
            work &= work - 1;
            let key = self.key(unit * CLASSES + class, self.ranking.ranks[class]);
            if best.is_none_or(|(least, _)| key < least) && self.untried(Choice::unit(unit, class)) {
                best = Some((key, class));
            }
        }
        best
    }

    /// Lets the programs compete that may go to this channel among others.
    #[inline(never)]
    fn best_wide(&self, channel: usize, best: &mut Best) {
        if !self.flash.any_open(channel) {
            return;
        }
        let roomy = self.flash.any_roomy(channel);
        let chips = if self.flash.chip_ops > 0 {
            self.flash.geometry.chips_per_channel
        } else {
            0
        };
        let first_chip = channel as u32 * self.flash.geometry.chips_per_channel;
        let queues = [
            self.flash.drive_queue(),
            self.flash.drive_queue() + LEVELS * (1 + channel),
        ]
        .into_iter()
        .chain((first_chip..first_chip + chips).map(|chip| self.flash.chip_queue(chip)));
        let barred = if roomy { 0 } else { 1 << Level::Host as u8 };
        for first in queues {
            let mut levels = self.flash.wide_levels(first) & !barred;
            while levels != 0 {
                let level = levels.trailing_zeros() as usize;
                levels &= levels - 1;
                let queue = first + level;
                let key = self.key(
                    queue,
                    self.ranking.ranks[class(Kind::Program, Level::Urgent) + level],
                );
                let choice = Choice::wide(queue);
                if self.untried(choice) {
                    best.offer(key, choice);
                }
            }
        }
    }

    /// Rank and age of the head of a queue; what has waited too long goes before all ranks.
    fn key(&self, queue: usize, rank: u8) -> Key {
        let queue = &self.flash.queues[queue];
        match self.max_wait {
            Some(limit) if self.waited(queue.head) >= limit => 0,
            _ => key_of(rank, queue.head_sequence),
        }
    }

    pub(crate) fn waited(&self, op: OpId) -> wordline_units::Duration {
        let ready: SimTime = self.ops[op as usize].ready;
        self.now.since(ready)
    }

    fn untried(&self, choice: Choice) -> bool {
        self.tried.is_empty() || !self.tried.contains(&choice)
    }

    fn start_from_unit(&mut self, unit: usize, class: usize) -> bool {
        let queue = unit * CLASSES + class;
        match class / LEVELS {
            0 => self.start_reads(queue),
            1 => self.start_programs(queue),
            _ => self.start_erases(queue),
        }
    }
}
