//! What clients learn of commands that are completed, and sources that wait for them.

use wordline_metrics::{FinishedRequest, Status};
use wordline_workload::HostCommand;

use super::{ClientState, Clients};

impl ClientState {
    /// Whether its source waits for completions before it gives another command.
    #[inline]
    pub(super) fn is_held(&mut self) -> bool {
        self.follows && !self.exhausted && self.source.is_held()
    }

    /// It sends nothing more.
    pub(in crate::host) fn send_no_more(&mut self) {
        if self.follows {
            self.source.stopped(self.ahead.unsent());
        }
        self.ahead.clear();
        self.looked_at = 0;
        self.broken = None;
        self.exhausted = true;
    }
}

impl Clients {
    /// A request of a client is completed.
    #[inline]
    pub(crate) fn completed(&mut self, client: u32, command: &HostCommand, request: &FinishedRequest) {
        let state = &mut self.all[client as usize];
        state.outstanding -= 1;
        state.untaken += u32::from(state.conduct.batch.is_some());
        if state.has_limits && state.is_ended_by(command.op, request) {
            state.send_no_more();
        }
        if let Some(judge) = &mut state.judge {
            judge.completed(command.op, request);
        }
        if state.follows {
            let own = HostCommand {
                sector: command.sector - state.offset,
                ..*command
            };
            state.source.completed(&own, request.status != Status::Good);
        }
        self.wake(client);
        self.wake_crowded();
    }

    /// A client has nothing more to send: others may have waited for what it sends next.
    pub(in crate::host) fn wake_followers(&mut self, client: u32) {
        if self.all[client as usize].follows {
            self.wake_crowded();
        }
    }

    /// Looks again at the clients that could not send for others.
    pub(in crate::host) fn wake_crowded(&mut self) {
        while let Some(other) = self.crowded.pop() {
            self.wake(other);
        }
    }
}
