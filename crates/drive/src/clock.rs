//! The clock of a drive: the present moment, and what is to happen later.
//!
//! A part of the drive asks for something to happen later by putting an [`Event`] on the clock; the kernel takes the events in
//! their order and calls the parts that they concern.

mod queue;

use wordline_ftl::JobId;
use wordline_units::SimTime;

use queue::EventQueue;

/// What happens at a moment of simulated time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The array step of a die is over.
    ArrayDone(u32),
    /// The array step of a read is over in a plane that reads on its own.
    PlaneDone(u32),
    /// What a unit was asked to suspend has left its arrays.
    Suspended(u32),
    /// The register of a die that works on a cached program can take the next data.
    RegisterFree(u32),
    /// The data on a channel's bus have been moved.
    BusDone(u32),
    /// The data of a program are in the page register, which acknowledges it.
    Transferred(u32),
    /// A channel's bus is free again.
    Wake(u32),
    /// The firmware has prepared a page-sized piece of a command.
    SubRequestReady(u32),
    /// The firmware has prepared a flash command.
    OpReady(u32),
    /// The decoder of a channel is done with the data of a read.
    Decoded(u32),
    /// The data of a read have moved to the controller of its package.
    MovedInPackage(u32),
    /// A core of the controller of a package has done its work for a plan.
    LocalDone(u32),
    /// Work of a firmware core for a plan, an access to memory of the host, or the correction of a page inside its package is done.
    ComputeDone(u32),
    /// A piece of a request was served by the controller's memory.
    MemoryDone(u32),
    /// The firmware has completed a request.
    RequestDone(u32),
    /// The controller sees a command in its submission queue.
    Doorbell(u32),
    /// The commands that were being fetched are in the drive.
    Fetched,
    /// A command has spent its time in the controller.
    CommandBegins(u32),
    /// The host has taken up the completion of a command.
    Answered(u32),
    /// A client starts, goes on after a pause, or has a command that comes now.
    Client(u32),
    /// A job asked to be looked at.
    JobTimer(JobId),
    /// The FTL looks for blocks to be refreshed.
    RefreshLook,
    /// An interval in which the steady state of a client is judged has ended.
    IntervalEnded(u32),
    /// The temperature of the drive is looked at.
    ThermalStep,
    /// A command that was held back may enter.
    HeldCommand,
    /// The drive has woken up from an idle state.
    Awake,
    /// Programs and erases that waited for power may start.
    PowerIsBack,
    /// The warm-up is over.
    Measure,
}

/// Classes order the events of one moment: what ends goes before what starts.
impl Event {
    pub(crate) fn class(self) -> u8 {
        match self {
            Self::BusDone(_) | Self::Transferred(_) | Self::MovedInPackage(_) => 0,
            Self::ArrayDone(_) | Self::PlaneDone(_) | Self::RegisterFree(_) | Self::Suspended(_) => 1,
            Self::ComputeDone(_) | Self::LocalDone(_) | Self::MemoryDone(_) | Self::Decoded(_) => 2,
            Self::RequestDone(_) | Self::Answered(_) => 3,
            Self::SubRequestReady(_) | Self::OpReady(_) | Self::IntervalEnded(_) => 4,
            Self::Client(_)
            | Self::Doorbell(_)
            | Self::Fetched
            | Self::CommandBegins(_)
            | Self::HeldCommand
            | Self::Awake => 5,
            Self::JobTimer(_) | Self::RefreshLook | Self::ThermalStep => 6,
            Self::Wake(_) | Self::PowerIsBack => 7,
            Self::Measure => 8,
        }
    }
}

/// The present moment and the events to come.
#[derive(Debug)]
pub(crate) struct Clock {
    now: SimTime,
    events: EventQueue<Event>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            now: SimTime::ZERO,
            events: EventQueue::new(),
        }
    }

    /// The present moment.
    #[inline]
    pub(crate) fn now(&self) -> SimTime {
        self.now
    }

    /// Has an event happen at `time`, which is not past.
    #[inline]
    pub(crate) fn schedule(&mut self, time: SimTime, event: Event) {
        self.events.schedule(time, event.class(), event);
    }

    /// When the next event happens; `NEVER` without one.
    pub(crate) fn next_time(&self) -> SimTime {
        self.events.next_time()
    }

    /// Whether no other event happens at the present moment.
    #[inline]
    pub(crate) fn moment_is_over(&self) -> bool {
        self.events.next_time() > self.now
    }

    /// Goes on to the next event.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Option<Event> {
        let (time, event) = self.events.take()?;
        debug_assert!(time >= self.now, "time went backwards");
        self.now = time;
        Some(event)
    }
}
