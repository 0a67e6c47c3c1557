//! The order by rank and age that is in force.

use wordline_config::{ChannelOrder, SchedulerConfig};
use wordline_scheduler::MOST_RANKS;

use crate::array::classes::{CLASSES, HOST_PROGRAMS, LEVELS, class};
use crate::operation::{Kind, Level};

/// The order in force: among what could start on an idle channel the lowest rank goes first,
/// within a rank the operation that has been ready for longest. Under every scheduler no host program starts on a
/// channel where a step of a blocking job could (`pick.rs`), unless programs have their page before they start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranking {
    /// Rank by class (see `class`).
    pub(crate) ranks: [u8; CLASSES],
    /// Rank of returning the data of a finished array read.
    pub(crate) data_out: u8,
    /// Whether the oldest operation of a channel holds back all younger ones of the channel, even
    /// while its own die is busy.
    pub(crate) in_order: bool,
}

impl Ranking {
    /// The order of a scheduler, with what the keys that hold for every one change of it. A host program that has its page before it starts (`places_programs`) does not wait for the space that a blocking job
    /// makes: it goes no later than the programs of that job.
    ///
    /// # Panics
    /// A rank is higher than may be.
    pub(super) fn of(
        order: &wordline_scheduler::Ranking,
        config: &SchedulerConfig,
        places_programs: bool,
    ) -> Self {
        let mut ranks = [0; CLASSES];
        ranks.copy_from_slice(order.ranks.as_flattened());
        if places_programs {
            let of_job = ranks[class(Kind::Program, Level::Urgent)];
            ranks[HOST_PROGRAMS] = ranks[HOST_PROGRAMS].min(of_job);
        }
        assert!(
            ranks
                .iter()
                .chain([&order.data_out])
                .all(|rank| *rank < MOST_RANKS),
            "ranks of a scheduler are less than {MOST_RANKS}: {order:?}"
        );
        let ranking = Self {
            ranks,
            data_out: order.data_out,
            in_order: order.in_order,
        };
        ranking.arranged(config)
    }

    fn arranged(mut self, config: &SchedulerConfig) -> Self {
        // rank 0 is left for data that go before everything
        self.data_out += 1;
        for rank in &mut self.ranks {
            *rank += 1;
        }
        if config.collection_first {
            let of_collection = [Level::Urgent as usize, Level::Normal as usize];
            for (class, rank) in self.ranks.iter_mut().enumerate() {
                if !of_collection.contains(&(class % LEVELS)) {
                    *rank += MOST_RANKS;
                }
            }
            self.data_out += MOST_RANKS;
        }
        match config.channel_order {
            ChannelOrder::Policy => {}
            ChannelOrder::DataFirst => self.data_out = 0,
            ChannelOrder::CommandsFirst => self.data_out = u8::MAX,
        }
        self
    }
}
