//! The choice of a channel whose bus is free: what it does next.

use wordline_units::SimTime;

use super::schedule::Schedule;
use crate::array::Choice;
use crate::array::classes::{CLASSES, HOST_PROGRAMS, LEVELS, URGENT_CLASSES, class};
use crate::array::flash::{Flash, UnitWord, WideQueues};
use crate::operation::{Kind, Level, Op};
use crate::table::Table;

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
    /// The queue that it starts from, or one of the numbers below, so that choices are compared and kept as numbers.
    queue: u32,
}

/// No choice.
const NOTHING: u32 = u32::MAX;
/// The data of the first waiting die.
const OUT: u32 = u32::MAX - 1;
/// The data of a suspended program.
const RELOAD: u32 = u32::MAX - 2;

impl Best {
    /// Takes a choice that goes before the best of those offered earlier.
    #[inline]
    fn offer(&mut self, key: Key, queue: u32) {
        if key < self.key {
            *self = Self { key, queue };
        }
    }

    fn choice(&self, view: &ChannelView<'_>) -> Option<Choice> {
        let queue = self.queue as usize;
        match self.queue {
            NOTHING => None,
            OUT => Some(Choice::Out),
            RELOAD => view.reload.map(|(_, unit)| Choice::Reload { unit: unit as u32 }),
            _ if queue < view.flash.drive_queue() => Some(Choice::unit(queue / CLASSES, queue % CLASSES)),
            _ => Some(Choice::wide(queue)),
        }
    }
}

/// Kind of command by row of classes.
pub(super) const KINDS: [Kind; 3] = [Kind::Read, Kind::Program, Kind::Erase];

/// What a schedule sees of a channel whose bus is free.
#[derive(Clone, Copy)]
pub(crate) struct ChannelView<'a> {
    pub(crate) channel: usize,
    pub(crate) now: SimTime,
    /// Units, what they can take, and the queues of operations.
    pub(crate) flash: &'a Flash,
    pub(crate) ops: &'a Table<Op>,
    /// The oldest program that is suspended on the channel and waits for its data to be sent again: its order among the
    /// operations, and its unit.
    pub(crate) reload: Option<(u64, usize)>,
}

impl Schedule {
    /// The choice of lowest rank, oldest within the rank, among those not tried yet.
    // one caller in each composition of the loop, which builds the view for it
    #[inline(always)]
    pub(crate) fn pick(&self, view: &ChannelView<'_>) -> Option<Choice> {
        let choice = if let Some(choice) = self.only_choice(view) {
            choice
        } else if self.tried.is_empty() && self.max_wait.is_none() {
            self.best_choice::<false>(view)
        } else {
            return self.best_of_limited(view);
        };
        debug_assert_eq!(
            choice,
            self.best_of_limited(view),
            "the shorter ways choose alike"
        );
        choice
    }

    #[inline(never)]
    fn best_of_limited(&self, view: &ChannelView<'_>) -> Option<Choice> {
        self.best_choice::<true>(view)
    }

    /// The same by comparing all that could start. `LIMITED` where something was tried in vain, or may have waited too long.
    #[inline(always)]
    fn best_choice<const LIMITED: bool>(&self, view: &ChannelView<'_>) -> Option<Choice> {
        let ChannelView { channel, flash, .. } = *view;
        let mut best = Best {
            key: Key::MAX,
            queue: NOTHING,
        };
        let out = flash.channels[channel].out.front();
        if let Some(op) = out
            && (!LIMITED || self.untried(Choice::Out))
        {
            let key = key_of(self.ranking.data_out, view.ops[*op].sequence);
            best.offer(key, OUT);
        }
        let urgent = self.urgent_could_start(view);
        match flash.words_of(channel) {
            [word] => self.best_of_units::<LIMITED>(view, word, urgent, &mut best),
            words => {
                for word in words {
                    self.best_of_units::<LIMITED>(view, word, urgent, &mut best);
                }
            }
        }
        if flash.wide_ops > 0 {
            self.best_wide::<LIMITED>(view, urgent, &mut best);
        }
        if let Some((sequence, _)) = view.reload {
            let rank = self.ranking.ranks[class(Kind::Program, Level::Host)];
            best.offer(key_of(rank, sequence), RELOAD);
        }
        let choice = best.choice(view);
        if self.ranking.in_order {
            return in_turn(flash, choice?, out.is_some());
        }
        choice
    }

    /// What there is to choose where that is one thing at most, most often so: then nothing is compared. `None` where there may be
    /// more. No host program is held back by a step that is not there, and all are by one that can start.
    #[inline(always)]
    fn only_choice(&self, view: &ChannelView<'_>) -> Option<Option<Choice>> {
        let ChannelView { channel, flash, .. } = *view;
        let [word] = flash.words_of(channel) else {
            return None;
        };
        if self.ranking.in_order || !self.tried.is_empty() || view.reload.is_some() {
            return None;
        }
        let has_out = !flash.channels[channel].out.is_empty();
        let units = word.startable(false);
        let mut host_waits = false;
        if flash.wide_ops > 0 {
            // units without a page for the host take of them what jobs want
            let takers = if flash.wide_job_ops == 0 {
                word.open & word.has_host_page
            } else {
                word.open
            };
            if takers != 0 {
                if has_out || flash.wide_job_ops > 0 {
                    return None;
                }
                if units == 0 {
                    let queue = flash.only_host_queue(channel)?;
                    return Some(Some(Choice::wide(queue)));
                }
                host_waits = true;
            }
        }
        if units == 0 {
            return Some(has_out.then_some(Choice::Out));
        }
        if has_out || !units.is_power_of_two() {
            return None;
        }
        let unit = (word.first + units.trailing_zeros()) as usize;
        let classes = flash.units[unit].startable_classes();
        if !classes.is_power_of_two() {
            return None;
        }
        let class = classes.trailing_zeros() as usize;
        let is_idle = word.idle & units != 0;
        if host_waits {
            // for a step of a blocking job that can start, unless it has waited too long
            let holds_back = is_idle && URGENT_CLASSES >> class & 1 == 1 && self.max_wait.is_none();
            return holds_back.then(|| Some(Choice::unit(unit, class)));
        }
        let takes = is_idle || accepts_class(flash, unit, class);
        Some(takes.then(|| Choice::unit(unit, class)))
    }

    /// Whether a step of a blocking job could start on a channel now: host programs are held back then, so that the
    /// space that the job makes is not used up by the programs that the job delays. Programs that have their page before they start use up
    /// none, and are not. A step that turned out not to be
    /// startable (the block of an erase is still read, a plane has no page) holds nothing back.
    #[inline(always)]
    pub(super) fn urgent_could_start(&self, view: &ChannelView<'_>) -> bool {
        let ChannelView { channel, flash, .. } = *view;
        if self.places_programs {
            return false;
        }
        let in_word = |word: &UnitWord| {
            let units = word.urgent & word.idle;
            units != 0 && self.any_urgent_untried(flash, word.first, units)
        };
        let in_units = flash.any_word(channel, in_word);
        in_units || (flash.wide_job_ops > 0 && self.urgent_wide_could_start(flash, channel))
    }

    /// Whether a step of a blocking job waits in one of some units, a bit each from `first` on, that was not tried in vain.
    #[inline(never)]
    fn any_urgent_untried(&self, flash: &Flash, first: u32, mut units: u64) -> bool {
        while units != 0 {
            if self.urgent_untried(flash, first as usize + units.trailing_zeros() as usize) {
                return true;
            }
            units &= units - 1;
        }
        false
    }

    /// Whether host programs of a unit wait for a step of a blocking job that waits in its own queues.
    #[inline]
    pub(super) fn urgent_waits(&self, flash: &Flash, unit: usize) -> bool {
        !self.places_programs && self.urgent_untried(flash, unit)
    }

    /// Whether a step of a blocking job waits in a unit's own queues that was not tried in vain.
    #[inline]
    fn urgent_untried(&self, flash: &Flash, unit: usize) -> bool {
        let mut urgent = flash.units[unit].startable_classes() & URGENT_CLASSES;
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
    #[inline(never)]
    fn urgent_wide_could_start(&self, flash: &Flash, channel: usize) -> bool {
        flash.any_open(channel)
            && [WideQueues::DRIVE, WideQueues::of_channel(channel)]
                .into_iter()
                .chain(chip_queues_of(flash, channel))
                .any(|queues| {
                    let levels = flash.wide_levels(queues);
                    let urgent = Level::Urgent as usize;
                    levels >> urgent & 1 == 1 && self.untried(Choice::wide(flash.first_of(queues) + urgent))
                })
    }

    /// Lets what up to 64 units of a channel could start compete. Host programs wait where a step of a blocking job could
    /// start on the channel (`urgent`) or waits in their unit.
    #[inline(always)]
    fn best_of_units<const LIMITED: bool>(
        &self,
        view: &ChannelView<'_>,
        word: &UnitWord,
        urgent: bool,
        best: &mut Best,
    ) {
        let mut bits = word.startable(self.ranking.in_order);
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            let unit = word.first as usize + bit.trailing_zeros() as usize;
            let held_back = urgent || (word.urgent & bit != 0 && self.urgent_waits(view.flash, unit));
            let (key, class) = self.best_of_unit::<LIMITED>(view, unit, held_back);
            if key < best.key
                && (word.idle & bit != 0 || self.ranking.in_order || accepts_class(view.flash, unit, class))
            {
                best.offer(key, (unit * CLASSES + class) as u32);
            }
        }
    }

    /// What a unit would start first; the highest key where there is nothing. Host programs that are `held_back` count
    /// only where they have waited too long.
    #[inline(always)]
    fn best_of_unit<const LIMITED: bool>(
        &self,
        view: &ChannelView<'_>,
        unit: usize,
        held_back: bool,
    ) -> (Key, usize) {
        let mut best = (Key::MAX, 0);
        let mut work = view.flash.units[unit].startable_classes();
        let host_programs = work & 1 << HOST_PROGRAMS;
        if held_back && host_programs != 0 {
            let queue = unit * CLASSES + HOST_PROGRAMS;
            if !LIMITED || !self.is_overdue(view, queue) {
                work ^= host_programs;
            }
        }
        while work != 0 {
            let class = work.trailing_zeros() as usize;
            work &= work - 1;
            let key = self.key::<LIMITED>(view, unit * CLASSES + class, self.ranking.ranks[class]);
            if key < best.0 && (!LIMITED || self.untried(Choice::unit(unit, class))) {
                best = (key, class);
            }
        }
        best
    }

    /// Lets the programs compete that may go to this channel among others.
    #[inline(always)]
    fn best_wide<const LIMITED: bool>(&self, view: &ChannelView<'_>, held_back: bool, best: &mut Best) {
        let ChannelView { channel, flash, .. } = *view;
        let (mut open, mut has_host_page) = (0, 0);
        for word in flash.words_of(channel) {
            open |= word.open;
            has_host_page |= word.open & word.has_host_page;
        }
        if open == 0 {
            return;
        }
        let barred = if has_host_page == 0 {
            1 << Level::Host as u8
        } else {
            0
        };
        let of_channel = WideQueues::of_channel(channel);
        self.best_of_wide::<LIMITED>(view, (WideQueues::DRIVE, barred), held_back, best);
        self.best_of_wide::<LIMITED>(view, (of_channel, barred), held_back, best);
        if flash.chip_ops > 0 {
            self.best_of_chips(view, barred, held_back, best);
        }
    }

    /// Lets the programs compete that may go to any die of a chip of this channel.
    #[inline(never)]
    fn best_of_chips(&self, view: &ChannelView<'_>, barred: u8, held_back: bool, best: &mut Best) {
        for queues in chip_queues_of(view.flash, view.channel) {
            self.best_of_wide::<true>(view, (queues, barred), held_back, best);
        }
    }

    /// Lets the queues of the levels that are not barred compete.
    #[inline(always)]
    fn best_of_wide<const LIMITED: bool>(
        &self,
        view: &ChannelView<'_>,
        (queues, barred): (WideQueues, u8),
        held_back: bool,
        best: &mut Best,
    ) {
        let mut levels = view.flash.wide_levels(queues) & !barred;
        if levels == 0 {
            return;
        }
        let first = view.flash.first_of(queues);
        let host = levels & 1 << Level::Host as u8;
        if held_back && host != 0 && (!LIMITED || !self.is_overdue(view, first + Level::Host as usize)) {
            levels ^= host;
        }
        while levels != 0 {
            let level = levels.trailing_zeros() as usize;
            levels &= levels - 1;
            let queue = first + level;
            let rank = self.ranking.ranks[class(Kind::Program, Level::Urgent) + level];
            if !LIMITED || self.untried(Choice::wide(queue)) {
                best.offer(self.key::<LIMITED>(view, queue, rank), queue as u32);
            }
        }
    }

    /// Rank and age of the head of a queue; what has waited too long goes before all ranks.
    #[inline(always)]
    fn key<const LIMITED: bool>(&self, view: &ChannelView<'_>, queue: usize, rank: u8) -> Key {
        if LIMITED && self.is_overdue(view, queue) {
            OVERDUE
        } else {
            key_of(rank, view.flash.queues[queue].head_sequence)
        }
    }

    /// Whether the head of a queue, which holds something, has waited too long.
    #[inline]
    pub(super) fn is_overdue(&self, view: &ChannelView<'_>, queue: usize) -> bool {
        let head = || &view.ops[view.flash.queues[queue].head];
        self.max_wait
            .is_some_and(|limit| view.now.since(head().ready) >= limit)
    }

    #[inline]
    pub(super) fn untried(&self, choice: Choice) -> bool {
        self.tried.is_empty() || !self.tried.contains(&choice)
    }
}

/// The queues of programs that may go to any die of a chip of a channel.
pub(super) fn chip_queues_of(flash: &Flash, channel: usize) -> impl Iterator<Item = WideQueues> {
    let channel = channel as u32;
    let chips = flash.geometry.chips_per_channel;
    (channel * chips..(channel + 1) * chips).map(|chip| flash.queues_of_chip(chip))
}

/// In order: the oldest waits for its die, and all but data already read wait with it.
fn in_turn(flash: &Flash, oldest: Choice, data_wait: bool) -> Option<Choice> {
    match oldest {
        Choice::Unit { unit, class } if !accepts_class(flash, unit as usize, class as usize) => {
            data_wait.then_some(Choice::Out)
        }
        choice => Some(choice),
    }
}

/// Whether a unit can take a command of the kind of a class.
pub(super) fn accepts_class(flash: &Flash, unit: usize, class: usize) -> bool {
    flash.accepts(unit, KINDS[class / LEVELS])
}
