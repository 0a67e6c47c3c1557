//! The flash side of the drive: channels, dies and the units that become busy as one.

mod changes;
mod units;
mod waiting;
mod wide;

use std::ops::Range;

use wordline_ftl::{EraseGate, Scope};
use wordline_nand::{BlockId, ChannelId, DieId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

pub(crate) use units::{DieState, UnitWord};
pub(crate) use wide::WideQueues;

use super::classes::{CLASSES, LEVELS};
use crate::channels::ChannelSet;
use crate::operation::{Kind, Level, NONE, OpId, Queue};
use changes::UnitChanges;
use units::{Channel, Die, Unit, set};

/// Channels, dies, units and the queues of flash operations.
#[derive(Debug)]
pub(crate) struct Flash {
    pub(crate) geometry: Geometry,
    pub(crate) dies_per_unit: u32,
    pub(crate) channels: Vec<Channel>,
    pub(crate) dies: Vec<Die>,
    pub(crate) units: Vec<Unit>,
    /// `CLASSES` queues per unit, then `LEVELS` queues for programs that may go anywhere in the
    /// drive, in a channel (by channel) and in a chip (by chip).
    pub(crate) queues: Vec<Queue>,
    /// The units of each channel, `words_per_channel` words each.
    words: Vec<UnitWord>,
    pub(crate) words_per_channel: usize,
    /// For the drive, each channel and each chip: bit l says that its program queue of level l holds
    /// something.
    wide: Vec<u8>,
    /// Programs in queues that do not belong to one unit.
    pub(crate) wide_ops: u32,
    /// Of these, steps of jobs.
    pub(crate) wide_job_ops: u32,
    /// Of these, in queues of chips.
    pub(crate) chip_ops: u32,
    /// Units that have changed.
    changes: UnitChanges,
    /// Channels to be looked at before time goes on.
    pub(crate) marked: ChannelSet,
    /// Units that are full, and units whose own programs found no page: both are looked at again
    /// when space was freed.
    starved: Vec<u32>,
    /// Operations that became ready so far, over the whole drive.
    pub(crate) sequence: u64,
    /// When the erase of a block may start.
    pub(crate) erase_gate: EraseGate,
}

impl Flash {
    pub(crate) fn new(geometry: Geometry, chip_is_unit: bool) -> Self {
        let dies_per_unit = if chip_is_unit { geometry.dies_per_chip } else { 1 };
        let units = (geometry.dies() / dies_per_unit) as usize;
        let units_per_channel = geometry.dies_per_channel() / dies_per_unit;
        let words_per_channel = units_per_channel.div_ceil(64);
        let wide = (1 + geometry.channels + geometry.chips()) as usize;
        let mut flash = Self {
            geometry,
            dies_per_unit,
            channels: vec![
                Channel {
                    on_bus: NONE,
                    ..Channel::default()
                };
                geometry.channels as usize
            ],
            dies: (0..geometry.dies())
                .map(|die| Die::idle(die / dies_per_unit))
                .collect(),
            units: (0..units as u32)
                .map(|unit| {
                    let channel = unit / units_per_channel;
                    let index = unit % units_per_channel;
                    Unit {
                        channel,
                        word: channel * words_per_channel + index / 64,
                        bit: 1 << (index % 64),
                        ..Unit::default()
                    }
                })
                .collect(),
            queues: vec![Queue::default(); units * CLASSES + LEVELS * wide],
            wide: vec![0; wide],
            words: (0..words_per_channel * geometry.channels)
                .map(|word| UnitWord {
                    first: word / words_per_channel * units_per_channel + word % words_per_channel * 64,
                    idle: 0,
                    open: 0,
                    has_host_page: u64::MAX,
                    work: 0,
                    urgent: 0,
                })
                .collect(),
            words_per_channel: words_per_channel as usize,
            wide_ops: 0,
            wide_job_ops: 0,
            chip_ops: 0,
            changes: UnitChanges::default(),
            marked: ChannelSet::new(geometry.channels),
            starved: Vec::new(),
            sequence: 0,
            erase_gate: EraseGate::new(geometry.blocks()),
        };
        for unit in 0..units {
            flash.set_idle(unit, true);
        }
        flash
    }

    #[inline]
    pub(crate) fn unit_of(&self, die: DieId) -> usize {
        self.dies[die.index()].unit as usize
    }

    pub(crate) fn unit_of_plane(&self, plane: PlaneId) -> usize {
        self.unit_of(self.geometry.die_of(plane))
    }

    #[inline]
    pub(crate) fn channel_of_unit(&self, unit: usize) -> usize {
        self.units[unit].channel as usize
    }

    /// The dies of a unit.
    #[inline]
    pub(crate) fn dies_of_unit(&self, unit: u32) -> impl Iterator<Item = DieId> + use<> {
        let first = unit * self.dies_per_unit;
        (first..first + self.dies_per_unit).map(DieId)
    }

    /// The planes of a unit, by flat number.
    pub(crate) fn planes_in_unit(&self, unit: usize) -> Range<u32> {
        let planes = self.dies_per_unit * self.geometry.planes_per_die;
        unit as u32 * planes..(unit as u32 + 1) * planes
    }

    /// The units of a channel.
    pub(crate) fn units_of_channel(&self, channel: usize) -> Range<usize> {
        self.units_of(Scope::Channel(ChannelId(channel as u32)))
    }

    /// The units of a part of the drive.
    pub(crate) fn units_of(&self, scope: Scope) -> Range<usize> {
        let of = |index: u32, dies: u32| index * dies..(index + 1) * dies;
        let dies = match scope {
            Scope::Drive => of(0, self.geometry.dies()),
            Scope::Channel(channel) => of(channel.0, self.geometry.dies_per_channel()),
            Scope::Chip(chip) => of(chip.0, self.geometry.dies_per_chip),
            Scope::Die(die) => of(die.0, 1),
            Scope::Plane(plane) => of(self.geometry.die_of(plane).0, 1),
        };
        let last = DieId(dies.end.saturating_sub(1));
        self.unit_of(DieId(dies.start))..self.unit_of(last) + 1
    }

    /// What keeps an idle job of a scope waiting: a unit that is busy or that the host has work for, or (beyond the
    /// last unit) programs that may go to several units.
    pub(crate) fn host_work_in(&self, scope: Scope) -> Option<usize> {
        let host_work: u16 = (0..CLASSES)
            .step_by(LEVELS)
            .map(|row| 1 << (row + Level::Host as usize))
            .sum();
        if self.wide_ops > 0 {
            return Some(self.units.len());
        }
        self.units_of(scope)
            .find(|unit| self.units[*unit].work & host_work != 0 || !self.is_idle(*unit))
    }

    /// When the host last used a scope.
    pub(crate) fn last_host_work_in(&self, scope: Scope) -> SimTime {
        let units = self.units[self.units_of(scope)].iter();
        units.map(|unit| unit.last_host).max().unwrap_or_default()
    }

    /// Block and die of a page.
    pub(crate) fn place_of(&self, page: Ppn) -> (BlockId, DieId) {
        let block = self.geometry.block_of(page);
        (block, self.geometry.die_of(self.geometry.plane_of(block)))
    }

    /// The word of a unit, and its bit there.
    #[inline]
    fn word_of(&mut self, unit: usize) -> (&mut UnitWord, u64) {
        let Unit { word, bit, .. } = self.units[unit];
        (&mut self.words[word as usize], bit)
    }

    /// The words of a channel.
    #[inline]
    pub(crate) fn words_of(&self, channel: usize) -> &[UnitWord] {
        if self.words_per_channel == 1 {
            return std::slice::from_ref(&self.words[channel]);
        }
        &self.words[channel * self.words_per_channel..][..self.words_per_channel]
    }

    /// When the last array step that is known in a unit ends; not after the present moment where no array works.
    pub(crate) fn free_at(&self, unit: usize) -> SimTime {
        let ends = self
            .dies_of_unit(unit as u32)
            .map(|die| self.dies[die.index()].array_end);
        ends.max().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn is_idle(&self, unit: usize) -> bool {
        self.units[unit].is_idle
    }

    /// Remembers from now on which units change. All have.
    pub(crate) fn follow_changes(&mut self) {
        self.changes.follow(self.units.len());
    }

    /// Whether it is remembered which units change.
    #[inline]
    pub(crate) fn follows_changes(&self) -> bool {
        self.changes.is_followed()
    }

    /// Whether any unit has changed since they were taken last.
    #[inline]
    pub(crate) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The units that have changed since they were taken last: what they execute, or whether something waits in one of their queues.
    pub(crate) fn take_changes(&mut self) -> Vec<u32> {
        self.changes.take()
    }

    /// Gives back the emptied list of [`Self::take_changes`].
    pub(crate) fn changes_taken(&mut self, list: Vec<u32>) {
        self.changes.give_back(list);
    }

    /// A unit has changed.
    #[inline]
    pub(crate) fn note_change(&mut self, unit: usize) {
        self.changes.note(unit);
    }

    fn set_idle(&mut self, unit: usize, idle: bool) {
        self.changes.note(unit);
        self.units[unit].is_idle = idle;
        let (word, bit) = self.word_of(unit);
        set(&mut word.idle, bit, idle);
        set(&mut word.open, bit, idle);
    }

    fn set_open(&mut self, unit: usize, open: bool) {
        let (word, bit) = self.word_of(unit);
        set(&mut word.open, bit, open);
    }

    /// Lets a busy unit take a command of a kind into its other register, or no longer.
    pub(crate) fn set_cacheable(&mut self, unit: usize, kind: Option<Kind>) {
        self.units[unit].cacheable = kind;
        self.set_open(unit, kind.is_some());
        if kind.is_some() {
            self.mark(self.channel_of_unit(unit));
        }
    }

    /// Keeps an idle unit for what is suspended in it: of its own queues it takes those of `classes`,
    /// which are of one kind, and of others none.
    pub(crate) fn hold(&mut self, unit: usize, kind: Kind, classes: u16) {
        self.set_idle(unit, false);
        self.set_open(unit, true);
        self.units[unit].cacheable = Some(kind);
        self.units[unit].barred = !classes;
    }

    /// Whether a unit can take a command of a kind now.
    pub(crate) fn accepts(&self, unit: usize, kind: Kind) -> bool {
        self.is_idle(unit) || self.units[unit].cacheable == Some(kind)
    }

    /// Whether a unit can take a program of a queue that is not its own: an idle one can, one with
    /// cached registers only while nothing of its own waits.
    pub(crate) fn accepts_wide(&self, unit: usize) -> bool {
        let entry = &self.units[unit];
        self.is_idle(unit) || (entry.cacheable == Some(Kind::Program) && entry.work == 0)
    }

    /// The units of a channel that can take a program of a queue that is not their own, and (`has_host_page`) may have a page for the host: the
    /// first unit, and a bit for each from there on. None where the channel has more units than there are bits.
    #[inline(always)]
    pub(crate) fn takers_of_wide(&self, channel: usize, has_host_page: bool) -> Option<(usize, u64)> {
        let [word] = self.words_of(channel) else {
            return None;
        };
        let first = word.first as usize;
        let mut takers = word.idle;
        let mut cached = word.open & !word.idle & !word.work;
        while cached != 0 {
            let bit = cached & cached.wrapping_neg();
            cached ^= bit;
            if self.accepts_wide(first + bit.trailing_zeros() as usize) {
                takers |= bit;
            }
        }
        Some((
            first,
            if has_host_page {
                takers & word.has_host_page
            } else {
                takers
            },
        ))
    }

    /// Notes that programs found no page in a unit: its own, or (`full`) any of the host's.
    pub(crate) fn starve(&mut self, unit: usize, full: bool) {
        if full {
            let (word, bit) = self.word_of(unit);
            word.has_host_page &= !bit;
        }
        if !self.starved.contains(&(unit as u32)) {
            self.starved.push(unit as u32);
        }
    }

    /// A block came free: those of `units` that had no page to give are looked at again.
    pub(crate) fn space_freed(&mut self, units: Range<usize>) {
        let mut index = 0;
        while index < self.starved.len() {
            let unit = self.starved[index] as usize;
            if units.contains(&unit) {
                self.starved.swap_remove(index);
                let (word, bit) = self.word_of(unit);
                word.has_host_page |= bit;
                self.mark(self.channel_of_unit(unit));
            } else {
                index += 1;
            }
        }
    }

    /// Whether a unit may have a page for a host program.
    pub(crate) fn is_roomy(&self, unit: usize) -> bool {
        let Unit { word, bit, .. } = self.units[unit];
        self.words[word as usize].has_host_page & bit != 0
    }

    /// Asks for a look at a channel before time goes on.
    #[inline]
    pub(crate) fn mark(&mut self, channel: usize) {
        self.marked.insert(channel);
    }

    /// Puts a die to work on a command whose array step ends at `until`; one that works already
    /// takes the command into its other register.
    pub(crate) fn occupy(&mut self, die: DieId, kind: Kind, first: OpId, until: SimTime) {
        let entry = &mut self.dies[die.index()];
        self.changes.note(entry.unit as usize);
        let unit = &mut self.units[entry.unit as usize];
        let word = &mut self.words[unit.word as usize];
        unit.cacheable = None;
        unit.arrays_left += 1;
        entry.array_end = until;
        match (entry.state, entry.running) {
            (DieState::Idle, _) => {
                entry.state = DieState::Array;
                entry.kind = kind;
                entry.running = first;
                unit.busy_dies += 1;
                unit.is_idle = false;
                word.idle &= !unit.bit;
            }
            (_, NONE) => {
                entry.state = DieState::Array;
                entry.running = first;
            }
            _ => entry.staged = first,
        }
        word.open &= !unit.bit;
    }

    /// Puts a plane of a die to work on a read whose array step ends at `until`, beside those of other planes; the die takes further reads
    /// unless it `is_full`.
    pub(crate) fn occupy_plane(&mut self, die: DieId, read: OpId, until: SimTime, is_full: bool) {
        let unit = self.unit_of(die);
        let entry = &mut self.dies[die.index()];
        if entry.state == DieState::Idle {
            self.occupy(die, Kind::Read, read, until);
        } else {
            entry.array_end = entry.array_end.max(until);
            self.units[unit].arrays_left += 1;
            self.changes.note(unit);
        }
        self.set_cacheable(unit, (!is_full).then_some(Kind::Read));
    }

    /// Frees a die; its unit becomes idle with the last of its dies.
    pub(crate) fn release(&mut self, die: DieId) {
        let entry = &mut self.dies[die.index()];
        entry.state = DieState::Idle;
        entry.running = NONE;
        entry.out = NONE;
        entry.out_is_urgent = false;
        self.changes.note(entry.unit as usize);
        let unit = &mut self.units[entry.unit as usize];
        unit.cacheable = None;
        unit.busy_dies -= 1;
        if unit.busy_dies == 0 {
            unit.is_idle = true;
            let word = &mut self.words[unit.word as usize];
            word.idle |= unit.bit;
            word.open |= unit.bit;
        }
        self.marked.insert(unit.channel as usize);
    }
}
