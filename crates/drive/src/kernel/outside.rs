//! A drive from outside: how it is put together, what is seen of it, and what is left of it when its run is over.

use wordline_ftl::{ChannelTurns, JobNotice};
use wordline_metrics::{Probe, Recorder};
use wordline_units::SimTime;

use super::Drive;
use crate::array::FlashArray;
use crate::array::reliability::Reliability;
use crate::buffer::WriteBuffer;
use crate::clock::{Clock, Event};
use crate::control::Control;
use crate::door::WriteDoor;
use crate::features::{Features, Optional};
use crate::host::Host;
use crate::idle_states::IdleStates;
use crate::observe::Observer;
use crate::power_limit::PowerLimit;
use crate::request_queue::RequestQueue;
use crate::scheduler::Schedule;
use crate::thermal::Thermal;

impl<F: Features> Drive<F> {
    /// A drive at time zero of its parts.
    pub(crate) fn new(
        (host, requests, door): (Host<F>, Option<RequestQueue>, Option<WriteDoor>),
        buffer: Option<WriteBuffer>,
        control: Control<F>,
        schedule: Schedule,
        array: FlashArray<F>,
        (thermal, idle, limit): (Option<Thermal>, Option<IdleStates>, Option<PowerLimit>),
        observe: Observer<F>,
    ) -> Self {
        Self {
            clock: Clock::new(),
            host,
            requests: Optional::new(requests),
            door: Optional::new(door),
            buffer: Optional::new(buffer),
            control,
            schedule,
            array,
            thermal: Optional::new(thermal),
            idle: Optional::new(idle),
            limit: Optional::new(limit),
            observe,
            failure: None,
        }
    }

    /// The present moment.
    pub(crate) fn now(&self) -> SimTime {
        self.clock.now()
    }

    /// When the next event happens; `NEVER` without one.
    pub(crate) fn next_time(&self) -> SimTime {
        self.clock.next_time()
    }

    pub(crate) fn host(&self) -> &Host<F> {
        &self.host
    }

    pub(crate) fn host_mut(&mut self) -> &mut Host<F> {
        &mut self.host
    }

    /// Requests that wait until the scheduler lets them into the flash, where they do.
    pub(crate) fn request_queue(&self) -> Option<&RequestQueue> {
        self.requests.as_ref()
    }

    pub(crate) fn buffer(&self) -> Option<&WriteBuffer> {
        self.buffer.as_ref()
    }

    /// The buffer, if there is one, and what is behind it.
    pub(crate) fn buffer_mut(&mut self) -> Option<(&mut WriteBuffer, &Control<F>)> {
        Some((self.buffer.as_mut()?, &self.control))
    }

    pub(crate) fn control(&self) -> &Control<F> {
        &self.control
    }

    pub(crate) fn control_mut(&mut self) -> &mut Control<F> {
        &mut self.control
    }

    pub(crate) fn array(&self) -> &FlashArray<F> {
        &self.array
    }

    /// The temperature of the drive, where it has one.
    pub(crate) fn thermal(&self) -> Option<&Thermal> {
        self.thermal.as_ref()
    }

    /// Its idle states, where it has any.
    pub(crate) fn idle(&self) -> Option<&IdleStates> {
        self.idle.as_ref()
    }

    /// What the drive may take of power, where that is limited.
    pub(crate) fn limit(&self) -> Option<&PowerLimit> {
        self.limit.as_ref()
    }

    pub(crate) fn observe(&self) -> &Observer<F> {
        &self.observe
    }

    pub(crate) fn observe_mut(&mut self) -> &mut Observer<F> {
        &mut self.observe
    }

    /// Lets a probe see what happens from now on.
    pub(crate) fn add_probe(&mut self, probe: Box<dyn Probe>) {
        self.observe.add_probe(probe);
    }

    /// Measuring begins at `time`.
    pub(crate) fn measure_from(&mut self, time: SimTime) {
        if time == SimTime::ZERO {
            self.start_measuring();
        } else {
            self.clock.schedule(time, Event::Measure);
        }
    }

    /// The figures of a drive whose run is over, and its FTL.
    pub(crate) fn into_recorder(self) -> (Recorder, Control<F>) {
        (self.observe.into_recorder(), self.control)
    }

    /// Whose turn it is among channels and planes.
    pub(crate) fn turns(&self) -> ChannelTurns {
        ChannelTurns {
            order: self.array.order().clone(),
            first: self.schedule.first_channel(),
        }
    }

    /// Channels and planes take their turns as an executor before left them.
    pub(crate) fn go_on_in(&mut self, turns: ChannelTurns) {
        self.array.go_on_in(turns.order);
        self.schedule.look_first_at(turns.first);
    }

    /// What of a drive whose run is over an executor without a clock goes on with: its FTL, the jobs that want to be asked, and
    /// how reliable pages are.
    pub(crate) fn into_untimed(self) -> (Box<F::Ftl>, Vec<JobNotice>, Option<Box<Reliability>>) {
        let (ftl, jobs) = self.control.hand_over();
        (ftl, jobs, self.array.into_reliability())
    }
}
