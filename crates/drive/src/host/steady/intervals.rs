//! The intervals of clients after which steady states are judged.

use crate::clock::{Clock, Event};
use crate::host::clients::{ClientState, Clients};

impl ClientState {
    /// What came of the steady state that was to end the client.
    pub(crate) fn steady_note(&self) -> Option<String> {
        let judge = self.judge.as_ref()?;
        let text = &judge.steady.text;
        Some(judge.attained.map_or_else(
            || format!("steadystate={text} was not attained"),
            |time| format!("steadystate={text} was attained after {}", time.rounded()),
        ))
    }
}

impl Clients {
    /// A client has started: the first interval begins.
    pub(in crate::host) fn begin_intervals(&mut self, index: u32, clock: &mut Clock) {
        let client = &mut self.all[index as usize];
        if let Some(judge) = &mut client.judge {
            judge.from = client.start + judge.steady.ramp;
            let end = client.start + judge.steady.interval;
            clock.schedule(end, Event::IntervalEnded(index));
        }
    }

    /// An interval of a client has ended, which may end the client.
    pub(crate) fn interval_ended(&mut self, index: u32, clock: &mut Clock) {
        let now = clock.now();
        let client = &mut self.all[index as usize];
        let Some(judge) = client.judge.as_mut().filter(|_| !client.done) else {
            return;
        };
        if judge.interval_ended(now) {
            judge.attained = Some(now.since(client.start));
            client.send_no_more();
            self.wake(index);
            self.wake_crowded();
        } else {
            let end = now + judge.steady.interval;
            clock.schedule(end, Event::IntervalEnded(index));
        }
    }
}
