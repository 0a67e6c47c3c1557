//! The schedule: the order in force, and which channel is looked at next.

use wordline_config::SchedulerConfig;
use wordline_keys::RefusedValue;
use wordline_scheduler::{Frame, Order};
use wordline_units::Duration;

use super::ranking::Ranking;
use super::viewing::Viewing;
use crate::array::Choice;
use crate::array::classes::{CLASSES, LEVELS, wrap};
use crate::channels::ChannelSet;

/// Which operation starts next, and which channel is looked at next.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The order in force.
    pub(super) ranking: Ranking,
    /// The scheduler, where it looks at what could start.
    pub(super) viewing: Option<Box<Viewing>>,
    /// Time after which a waiting operation goes before all others.
    pub(super) max_wait: Option<Duration>,
    /// Whether programs have their page before they start (`Ftl::place`).
    pub(super) places_programs: bool,
    /// The channel that is looked at first: it goes on with the programs issued.
    first_channel: u32,
    /// Channels whose turn in the present look is still to come.
    looking: ChannelSet,
    /// Choices of the present look at a channel that turned out not to be startable.
    pub(super) tried: Vec<Choice>,
}

impl Schedule {
    /// The schedule of a drive whose programs have their page before they start, or not.
    ///
    /// # Errors
    /// There is no scheduler of the name.
    pub(crate) fn new(
        config: &SchedulerConfig,
        frame: &Frame<'_>,
        places_programs: bool,
    ) -> Result<Self, RefusedValue> {
        let order = config.policy.row()?.order;
        Ok(Self::with_order(config, order, frame, places_programs))
    }

    /// The same of a scheduler that chooses so.
    pub(super) fn with_order(
        config: &SchedulerConfig,
        order: Order,
        frame: &Frame<'_>,
        places_programs: bool,
    ) -> Self {
        let ranking_of = |order: &wordline_scheduler::Ranking| Ranking::of(order, config, places_programs);
        let (ranking, viewing) = match order {
            Order::Ranks(ranks) => (ranking_of(&ranks), None),
            // what the keys leave alike, the scheduler tells apart
            Order::Scheduler(build) => {
                let alike = wordline_scheduler::Ranking {
                    ranks: [[0; LEVELS]; CLASSES / LEVELS],
                    ..wordline_scheduler::Ranking::BY_AGE
                };
                let viewing = Viewing::new(build, &config.keys, frame);
                (ranking_of(&alike), Some(Box::new(viewing)))
            }
        };
        Self {
            ranking,
            viewing,
            max_wait: config.max_wait,
            places_programs,
            first_channel: 0,
            looking: ChannelSet::new(frame.geometry.channels),
            tried: Vec::new(),
        }
    }

    /// Begins to look at the channels that are marked, of which none is then: in an order that rotates with the programs
    /// issued (array specification, section 2.3), from `start` on, which is what [`Self::first_channel`] tells now. Tells the first.
    #[inline]
    pub(crate) fn begin_look(&mut self, marked: &mut ChannelSet, start: u32) -> Option<usize> {
        // most often something has changed on one of them
        if let Some(channel) = marked.take_only() {
            return Some(channel);
        }
        marked.move_into(&mut self.looking);
        self.looking.take_from(start)
    }

    /// The channel that is looked at next; `start` is where the look began.
    #[inline]
    pub(crate) fn next_channel(&mut self, start: u32) -> Option<usize> {
        self.looking.take_from(start)
    }

    /// The channel that is looked at first.
    #[inline]
    pub(crate) fn first_channel(&self) -> u32 {
        self.first_channel
    }

    /// This channel is looked at first.
    pub(crate) fn look_first_at(&mut self, channel: u32) {
        self.first_channel = channel;
    }

    /// So many pages are being programmed: the first channel goes on.
    #[inline]
    pub(crate) fn programs_issued(&mut self, pages: u32, channels: u32) {
        self.first_channel = wrap(self.first_channel + pages, channels);
    }

    /// A channel is looked at anew: nothing was tried in vain.
    #[inline]
    pub(crate) fn begin_channel(&mut self) {
        self.tried.clear();
    }

    /// A choice turned out not to be startable.
    pub(crate) fn mark_declined(&mut self, choice: Choice) {
        self.tried.push(choice);
    }

    /// Whether a program that may go to several units was tried in vain in the present look at a channel: it goes before all that is left.
    pub(crate) fn program_waits(&self) -> bool {
        self.tried
            .iter()
            .any(|choice| matches!(choice, Choice::Wide { .. }))
    }

    /// The choices that were tried in vain in the present look at a channel.
    pub(crate) fn tried(&self) -> &[Choice] {
        &self.tried
    }

    /// Where a class of operations stands in the order.
    pub(crate) fn rank(&self, class: usize) -> u8 {
        self.ranking.ranks[class]
    }
}
