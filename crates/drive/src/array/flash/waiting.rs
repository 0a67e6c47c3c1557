//! What waits for units: which queues hold something, and whether it could start.

use wordline_units::SimTime;

use super::Flash;
use super::units::{UnitWord, set};
use crate::array::classes::URGENT_CLASSES;

impl Flash {
    /// Whether something holds of a word of a channel. Channels with more units than one word has bits for are rare.
    #[inline(always)]
    pub(crate) fn any_word(&self, channel: usize, is_so: impl Fn(&UnitWord) -> bool) -> bool {
        match self.words_of(channel) {
            [word] => is_so(word),
            words => words.iter().any(is_so),
        }
    }

    /// Notes that an operation has come to the queue of `class` of a unit, and whether it is alone there; the host's are noted with their time.
    #[inline]
    pub(crate) fn work_came(&mut self, unit: usize, class: usize, is_alone: bool, of_host: Option<SimTime>) {
        let entry = &mut self.units[unit];
        if let Some(now) = of_host {
            entry.last_host = now;
        }
        if is_alone {
            self.changes.note(unit);
            entry.work |= 1 << class;
            let word = &mut self.words[entry.word as usize];
            word.work |= entry.bit;
            if URGENT_CLASSES >> class & 1 == 1 {
                word.urgent |= entry.bit;
            }
        }
        if entry.is_idle || entry.cacheable.is_some() {
            self.marked.insert(entry.channel as usize);
        }
    }

    /// Notes that the queue of `class` of a unit became empty.
    #[inline]
    pub(crate) fn work_gone(&mut self, unit: usize, class: usize) {
        self.changes.note(unit);
        let entry = &mut self.units[unit];
        entry.work &= !(1 << class);
        let word = &mut self.words[entry.word as usize];
        set(&mut word.work, entry.bit, entry.work != 0);
        set(&mut word.urgent, entry.bit, entry.work & URGENT_CLASSES != 0);
    }

    /// Whether any unit of the channel can take a command.
    #[inline]
    pub(crate) fn any_open(&self, channel: usize) -> bool {
        self.any_word(channel, |word| word.open != 0)
    }

    /// Whether any unit of the channel can take a command and may have a page for a host program.
    #[inline]
    pub(crate) fn any_roomy(&self, channel: usize) -> bool {
        self.any_word(channel, |word| word.open & word.has_host_page != 0)
    }

    /// Whether a program that may go elsewhere could start on the channel.
    #[inline]
    pub(crate) fn wide_startable(&self, channel: usize) -> bool {
        self.wide_ops > 0 && (self.any_roomy(channel) || (self.wide_job_ops > 0 && self.any_open(channel)))
    }

    /// Whether a unit of the channel that can take a command has something queued.
    #[inline]
    pub(crate) fn any_startable(&self, channel: usize) -> bool {
        self.any_word(channel, |word| word.startable(false) != 0)
    }
}
