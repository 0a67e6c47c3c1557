//! Schedulers with a view: what could start on a free channel is collected, and the scheduler chooses among it.

use wordline_nand::DieId;
use wordline_scheduler::{Action, Candidate, UnitView};
use wordline_units::SimTime;

use super::pick::{ChannelView, KINDS, accepts_class, chip_queues_of};
use super::schedule::Schedule;
use super::viewing::Viewing;
use crate::array::Choice;
use crate::array::classes::{CLASSES, HOST_PROGRAMS, LEVELS, LOOK_AHEAD, class};
use crate::array::die_of_unit;
use crate::array::flash::WideQueues;
use crate::operation::{Kind, Level, NONE, Op, OpId};

/// Something that could start: as a candidate, apart from its rank.
struct Offer {
    op: OpId,
    action: Action,
    /// The class whose rank it has; none for data.
    class: Option<usize>,
    /// Whether its place is chosen when it starts.
    is_wide: bool,
    choice: Choice,
}

impl Schedule {
    /// Whether the scheduler looks at what could start, so that it is asked by [`Self::ask`].
    #[inline]
    pub(crate) fn has_view(&self) -> bool {
        self.viewing.is_some()
    }

    /// The choice of a scheduler with a view; `arrival` tells when the request of an operation arrived.
    #[inline(never)]
    pub(crate) fn ask(
        &mut self,
        view: ChannelView<'_>,
        arrival: &dyn Fn(&Op) -> Option<SimTime>,
    ) -> Option<Choice> {
        let view = &view;
        let mut viewing = self.viewing.take()?;
        viewing.begin();
        let urgent = self.urgent_could_start(view);
        if let Some(&op) = view.flash.channels[view.channel].out.front()
            && self.untried(Choice::Out)
        {
            let offer = Offer {
                op,
                action: Action::DataOut,
                class: None,
                is_wide: false,
                choice: Choice::Out,
            };
            self.offer(view, &mut viewing, &offer, arrival);
        }
        let units = view.flash.units_of_channel(view.channel);
        for unit in units {
            viewing.units.push(unit_view(view, unit));
            self.offer_unit(view, &mut viewing, (unit, urgent), arrival);
        }
        if view.flash.wide_ops > 0 {
            self.offer_wide(view, &mut viewing, urgent, arrival);
        }
        let choice = viewing.choose(view.channel, view.now);
        self.viewing = Some(viewing);
        choice
    }

    fn offer(
        &self,
        view: &ChannelView<'_>,
        viewing: &mut Viewing,
        offer: &Offer,
        arrival: &dyn Fn(&Op) -> Option<SimTime>,
    ) {
        let op = &view.ops[offer.op];
        let deadline = self.max_wait.map(|most| op.ready + most);
        if offer.class.is_some()
            && deadline.is_some_and(|deadline| deadline <= view.now)
            && viewing.overdue.is_none_or(|(oldest, _)| op.sequence < oldest)
        {
            viewing.overdue = Some((op.sequence, offer.choice));
        }
        let rank = offer
            .class
            .map_or(self.ranking.data_out, |class| self.ranking.ranks[class]);
        let has_page = !offer.is_wide && (offer.action != Action::Program || op.page_is_fixed());
        let candidate = Candidate {
            action: offer.action,
            level: op.level,
            cause: op.step.cause,
            die: op.kind().and_then(|kind| die_of_unit(view.flash, op, kind).ok()),
            page: has_page.then_some(op.page),
            lpn: op.step.lpn,
            sequence: op.sequence,
            ready: op.ready,
            arrival: arrival(op),
            deadline,
        };
        viewing.offer(rank, candidate, offer.choice);
    }

    /// Offers what a unit could start: each read of its queues as far as the scheduler looks ahead, and the heads of the others.
    fn offer_unit(
        &self,
        view: &ChannelView<'_>,
        viewing: &mut Viewing,
        (unit, urgent): (usize, bool),
        arrival: &dyn Fn(&Op) -> Option<SimTime>,
    ) {
        let held_back = urgent || self.urgent_waits(view.flash, unit);
        let mut work = view.flash.units[unit].startable_classes();
        while work != 0 {
            let class = work.trailing_zeros() as usize;
            work &= work - 1;
            if !accepts_class(view.flash, unit, class) {
                continue;
            }
            let queue = unit * CLASSES + class;
            if KINDS[class / LEVELS] == Kind::Read {
                let mut op = view.flash.queues[queue].head;
                for _ in 0..LOOK_AHEAD {
                    if op == NONE {
                        break;
                    }
                    let choice = Choice::Read { op };
                    if self.untried(choice) {
                        self.offer(view, viewing, &of_class(op, class, choice), arrival);
                    }
                    op = view.ops[op].next;
                }
                continue;
            }
            let op = view.flash.queues[queue].head;
            let choice = Choice::unit(unit, class);
            let waits = held_back && class == HOST_PROGRAMS && !self.is_overdue(view, queue);
            if !waits && self.untried(choice) {
                self.offer(view, viewing, &of_class(op, class, choice), arrival);
            }
        }
    }

    /// Offers the oldest programs that may go to this channel among others.
    fn offer_wide(
        &self,
        view: &ChannelView<'_>,
        viewing: &mut Viewing,
        urgent: bool,
        arrival: &dyn Fn(&Op) -> Option<SimTime>,
    ) {
        let (channel, flash) = (view.channel, view.flash);
        if !flash.any_open(channel) {
            return;
        }
        for queues in [WideQueues::DRIVE, WideQueues::of_channel(channel)]
            .into_iter()
            .chain(chip_queues_of(flash, channel))
        {
            let first = flash.first_of(queues);
            for level in 0..LEVELS {
                let is_host = level == Level::Host as usize;
                let choice = Choice::wide(first + level);
                if flash.wide_levels(queues) >> level & 1 == 0
                    || (is_host && !flash.any_roomy(channel))
                    || !self.untried(choice)
                {
                    continue;
                }
                if urgent && is_host && !self.is_overdue(view, first + level) {
                    continue;
                }
                let op = flash.queues[first + level].head;
                let offer = Offer {
                    is_wide: true,
                    ..of_class(op, class(Kind::Program, Level::Urgent) + level, choice)
                };
                self.offer(view, viewing, &offer, arrival);
            }
        }
    }
}

/// The offer of an operation of a class.
fn of_class(op: OpId, class: usize, choice: Choice) -> Offer {
    Offer {
        op,
        action: match KINDS[class / LEVELS] {
            Kind::Read => Action::Read,
            Kind::Program | Kind::CopyBack => Action::Program,
            Kind::Erase => Action::Erase,
        },
        class: Some(class),
        is_wide: false,
        choice,
    }
}

fn unit_view(view: &ChannelView<'_>, unit: usize) -> UnitView {
    let waiting = |row: usize, level: usize| view.flash.queues[unit * CLASSES + row * LEVELS + level].len;
    UnitView {
        first_die: DieId(unit as u32 * view.flash.dies_per_unit),
        is_idle: view.flash.is_idle(unit),
        free_at: view.flash.free_at(unit),
        waiting: std::array::from_fn(|row| std::array::from_fn(|level| waiting(row, level))),
    }
}
