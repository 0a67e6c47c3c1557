//! The dispatcher: what an idle channel does next.

use wordline_nand::ChannelId;
use wordline_units::SimTime;

use super::{CLASSES, LEVELS, URGENT_CLASSES, class};
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

/// The key of what has waited too long.
const OVERDUE: Key = 0;

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

/// The queue of a unit that holds programs of the host.
const HOST_PROGRAMS: usize = class(Kind::Program, Level::Host);

impl Drive {
    /// Looks at every channel where something changed, in an order that rotates with the programs
    /// issued (array specification, section 2.3).
    pub(crate) fn dispatch_marked(&mut self) {
        let start = self.first_channel;
        std::mem::swap(&mut self.flash.marked, &mut self.looking);
        while let Some(channel) = self.looking.take_from(start) {
            // what is marked from here on is looked at next time
            self.flash.marked.remove(channel);
            self.dispatch(channel);
        }
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
            let key = key_of(self.ranking.data_out, self.ops[*op].sequence);
            best.offer(key, Choice::Out);
        }
        let urgent = self.urgent_could_start(channel);
        for word in self.flash.words_of(channel) {
            let mut bits = word.startable(self.ranking.in_order);
            while bits != 0 {
                let bit = bits & bits.wrapping_neg();
                bits ^= bit;
                let unit = word.first as usize + bit.trailing_zeros() as usize;
                let held_back = urgent || (word.urgent & bit != 0 && self.urgent_untried(unit));
                let (key, class) = self.best_of_unit(unit, held_back);
                if key < best.key
                    && (word.idle & bit != 0 || self.ranking.in_order || self.accepts_class(unit, class))
                {
                    best.offer(key, Choice::unit(unit, class));
                }
            }
        }
        if self.flash.wide_ops > 0 {
            self.best_wide(channel, urgent, &mut best);
        }
        if self.suspension.is_some()
            && let Some((sequence, unit)) = self.best_reload(channel)
        {
            let rank = self.ranking.ranks[class(Kind::Program, Level::Host)];
            let unit = unit as u32;
            best.offer(key_of(rank, sequence), Choice::Reload { unit });
        }
        if self.ranking.in_order {
            return self.in_turn(best.choice?, out.is_some());
        }
        best.choice
    }

    /// Whether a step of a blocking job could start on a channel now: host programs are held back then, so that the
    /// space that the job makes is not used up by the programs that the job delays. A step that turned out not to be
    /// startable (the block of an erase is still read, a plane has no page) holds nothing back.
    #[inline]
    fn urgent_could_start(&self, channel: usize) -> bool {
        self.flash.words_of(channel).iter().any(|word| {
            let mut units = word.urgent & word.idle;
            while units != 0 {
                let bit = units & units.wrapping_neg();
                units ^= bit;
                if self.urgent_untried(word.first as usize + bit.trailing_zeros() as usize) {
                    return true;
                }
            }
            false
        }) || (self.flash.wide_job_ops > 0 && self.urgent_wide_could_start(channel))
    }

    /// Whether a step of a blocking job waits in a unit's own queues that was not tried in vain.
    #[inline]
    fn urgent_untried(&self, unit: usize) -> bool {
        let flash = &self.flash.units[unit];
        let mut urgent = flash.work & !flash.barred & URGENT_CLASSES;
        if self.tried.is_empty() {
            return urgent != 0;
        }
        while urgent != 0 {
            let class = urgent.trailing_zeros() as usize;
            urgent &= urgent - 1;
            if self.untried(Choice::unit(unit, class)) {
                return true;
            }
        }
        false
    }

    /// The same of the programs that may go to this channel among others.
    fn urgent_wide_could_start(&self, channel: usize) -> bool {
        self.flash.any_open(channel)
            && self.wide_queues_of(channel).any(|first| {
                let levels = self.flash.wide_levels(first);
                let urgent = Level::Urgent as usize;
                levels >> urgent & 1 == 1 && self.untried(Choice::wide(first + urgent))
            })
    }

    /// The queues, each by its level 0, of programs that may go to this channel among others.
    #[inline]
    fn wide_queues_of(&self, channel: usize) -> impl Iterator<Item = usize> {
        let flash = &self.flash;
        let channel = channel as u32;
        let chips = if flash.chip_ops > 0 {
            flash.geometry.chips_per_channel
        } else {
            0
        };
        [flash.drive_queue(), flash.channel_queue(ChannelId(channel))]
            .into_iter()
            .chain((channel * chips..(channel + 1) * chips).map(|chip| flash.chip_queue(chip)))
    }

    /// In order: the oldest waits for its die, and all but data already read wait with it.
    fn in_turn(&self, oldest: Choice, data_wait: bool) -> Option<Choice> {
        match oldest {
            Choice::Unit { unit, class } if !self.accepts_class(unit as usize, class as usize) => {
                data_wait.then_some(Choice::Out)
            }
            choice => Some(choice),
        }
    }

    /// Whether a unit can take a command of the kind of a class.
    fn accepts_class(&self, unit: usize, class: usize) -> bool {
        self.flash.accepts(unit, KINDS[class / LEVELS])
    }

    /// What a unit would start first; the highest key where there is nothing. Host programs that are `held_back` count
    /// only where they have waited too long.
    #[inline]
    fn best_of_unit(&self, unit: usize, held_back: bool) -> (Key, usize) {
        let mut best = (Key::MAX, 0);
        let flash = &self.flash.units[unit];
        let mut work = flash.work & !flash.barred;
        while work != 0 {
            let class = work.trailing_zeros() as usize;
            work &= work - 1;
            let key = self.key(unit * CLASSES + class, self.ranking.ranks[class]);
            if held_back && class == HOST_PROGRAMS && key != OVERDUE {
                continue;
            }
            if key < best.0 && self.untried(Choice::unit(unit, class)) {
                best = (key, class);
            }
        }
        best
    }

    /// Lets the programs compete that may go to this channel among others.
    #[inline(never)]
    fn best_wide(&self, channel: usize, held_back: bool, best: &mut Best) {
        let (mut open, mut roomy) = (0, 0);
        for word in self.flash.words_of(channel) {
            open |= word.open;
            roomy |= word.open & word.roomy;
        }
        if open == 0 {
            return;
        }
        let barred = if roomy == 0 { 1 << Level::Host as u8 } else { 0 };
        for first in self.wide_queues_of(channel) {
            self.best_of_wide(first, barred, held_back, best);
        }
    }

    /// Lets the queues of the levels that are not barred compete; `first` is the one of level 0.
    #[inline]
    fn best_of_wide(&self, first: usize, barred: u8, held_back: bool, best: &mut Best) {
        let mut levels = self.flash.wide_levels(first) & !barred;
        while levels != 0 {
            let level = levels.trailing_zeros() as usize;
            levels &= levels - 1;
            let queue = first + level;
            let rank = self.ranking.ranks[class(Kind::Program, Level::Urgent) + level];
            let choice = Choice::wide(queue);
            if self.untried(choice) {
                let key = self.key(queue, rank);
                if !held_back || level != Level::Host as usize || key == OVERDUE {
                    best.offer(key, choice);
                }
            }
        }
    }

    /// Rank and age of the head of a queue; what has waited too long goes before all ranks.
    fn key(&self, queue: usize, rank: u8) -> Key {
        let queue = &self.flash.queues[queue];
        match self.max_wait {
            Some(limit) if self.waited(queue.head) >= limit => OVERDUE,
            _ => key_of(rank, queue.head_sequence),
        }
    }

    pub(crate) fn waited(&self, op: OpId) -> wordline_units::Duration {
        let ready: SimTime = self.ops[op].ready;
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
