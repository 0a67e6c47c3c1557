//! What clients do beside sending commands: completions taken up together, clients that wait for others, and what ends clients.

use wordline_metrics::{FinishedRequest, RequestClass, Status};
use wordline_units::{Duration, SECTOR_BYTES, SimTime};
use wordline_workload::{Ends, Floor, HostOp};

use super::{ClientState, Clients};
use crate::clock::Clock;

/// Time after the start of a client before which its rates are not judged, as in fio.
const SETTLES: Duration = Duration::from_ms(2_000);

/// How fast a client is, beside what it must not fall below.
#[derive(Debug)]
pub(super) struct Pace {
    floor: Floor,
    /// Completed so far of each direction: bytes, commands.
    done: [(u64, u64); 3],
    /// What was completed at the last look at each direction, and when.
    last: [Option<((u64, u64), SimTime)>; 3],
}

impl Pace {
    pub(super) fn new(floor: Floor) -> Box<Self> {
        Box::new(Self {
            floor,
            done: [(0, 0); 3],
            last: [None; 3],
        })
    }

    /// A command of this direction is completed; whether the client that started then is too slow.
    fn falls_short(&mut self, direction: usize, bytes: u64, start: SimTime, now: SimTime) -> bool {
        let done = &mut self.done[direction];
        *done = (done.0 + bytes, done.1 + 1);
        if now < start + SETTLES {
            return false;
        }
        (0..3).any(|direction| self.done[direction].1 > 0 && self.is_below(direction, now))
    }

    fn is_below(&mut self, direction: usize, now: SimTime) -> bool {
        let done = self.done[direction];
        let (bytes, commands) = (self.floor.bytes[direction], self.floor.commands[direction]);
        let is_below = match self.last[direction] {
            None => false,
            Some((before, at)) => {
                let passed = now.since(at);
                if passed < self.floor.cycle {
                    return false;
                }
                let below = |amount: u64, floor: u64| (amount as f64 / passed.as_secs()) < floor as f64;
                if bytes > 0 {
                    below(done.0 - before.0, bytes)
                } else {
                    below(done.1 - before.1, commands)
                }
            }
        };
        self.last[direction] = Some((done, now));
        is_below
    }
}

/// What a command does to blocks, as fio counts it: read, write, trim.
const fn direction_of(op: HostOp) -> Option<usize> {
    match op {
        HostOp::Read => Some(0),
        HostOp::Write | HostOp::WriteZeroes | HostOp::ZoneAppend => Some(1),
        HostOp::Trim => Some(2),
        _ => None,
    }
}

impl ClientState {
    /// Takes up completions where the client has no room and does so together; tells whether it has room then.
    #[cold]
    pub(super) fn takes_up(&mut self) -> bool {
        let Some(batch) = self.conduct.batch else {
            return false;
        };
        if self.outstanding + self.untaken >= self.limit {
            self.is_taking = true;
        }
        while self.is_taking {
            let all = self.outstanding + self.untaken;
            if self.untaken < batch.least.min(all) {
                return false;
            }
            self.untaken -= self.untaken.min(batch.most);
            self.is_taking = self.outstanding + self.untaken > batch.low;
        }
        true
    }

    /// Whether the client waits until nothing is outstanding, before it waits for the time of its next command.
    pub(super) fn quiesces(&mut self) -> bool {
        self.is_quiescing = self.conduct.quiesces;
        self.is_quiescing && self.has_to_quiesce()
    }

    /// Whether a client that waits until nothing is outstanding goes on waiting.
    pub(super) fn has_to_quiesce(&mut self) -> bool {
        self.is_quiescing = self.outstanding > 0;
        if !self.is_quiescing {
            self.untaken = 0;
            self.is_taking = false;
        }
        self.is_quiescing
    }

    /// A command of the client is completed; whether that ends the client.
    pub(super) fn is_ended_by(&mut self, op: HostOp, request: &FinishedRequest) -> bool {
        let Some(direction) = direction_of(op) else {
            return false;
        };
        let is_late = self
            .conduct
            .longest
            .is_some_and(|longest| request.latency() > longest[direction]);
        let bytes = match request.status {
            Status::Good => u64::from(request.sectors) * u64::from(SECTOR_BYTES),
            _ => 0,
        };
        let (start, now) = (self.start, request.completed);
        let is_slow = self
            .pace
            .as_mut()
            .is_some_and(|pace| pace.falls_short(direction, bytes, start, now));
        if (is_late || is_slow) && self.ended.is_none() {
            let option = if is_late { "max_latency" } else { "rate_min" };
            let class = RequestClass::ALL[direction.min(1)].name();
            let class = if direction == 2 { "trim" } else { class };
            self.ended = Some(format!(
                "{option} ended it {} after its start, at a {class}",
                now.since(start).rounded()
            ));
            return true;
        }
        false
    }

    /// What ended it before it had sent all.
    pub(crate) fn end_note(&self) -> Option<String> {
        self.ended.clone()
    }
}

impl Clients {
    /// Whether all that a client waits for are done.
    pub(super) fn may_start(&self, index: usize) -> bool {
        let waits_for = &self.all[index].conduct.waits_for;
        waits_for.iter().all(|other| self.all[*other as usize].done)
    }

    /// Starts those of a chain's present group that waited for a client.
    pub(super) fn start_waiting(&mut self, chain: u32, clock: &mut Clock) {
        for index in 0..self.all.len() {
            let client = &self.all[index];
            let waits = client.chain == chain && client.waits && !client.done;
            if waits && self.may_start(index) {
                self.begin(index, clock);
            }
        }
    }

    /// A client is done: those end that end with it.
    pub(super) fn end_others(&mut self, index: u32) {
        let ending = &self.all[index as usize];
        let Some(ends) = ending.conduct.ends else {
            return;
        };
        let (chain, group) = (ending.chain, ending.conduct.reporting_group);
        for other in 0..self.all.len() {
            let client = &mut self.all[other];
            let ends_too = match ends {
                Ends::Group => client.conduct.reporting_group == group,
                Ends::Started => client.start < SimTime::NEVER,
                Ends::All => true,
            };
            if client.done || client.chain != chain || !ends_too {
                continue;
            }
            client.send_no_more();
            client.think = None;
            if client.start < SimTime::NEVER {
                self.wake(other as u32);
            } else {
                self.leave_out(other);
            }
        }
        self.wake_crowded();
    }

    /// A client that has not started never does.
    pub(super) fn leave_out(&mut self, index: usize) {
        let client = &mut self.all[index];
        client.done = true;
        client.start = SimTime::ZERO;
        self.left -= 1;
        if std::mem::take(&mut client.waits) {
            let chain = client.chain as usize;
            self.left_in_group[chain] -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4 KiB a second until 4 s, then nothing for 3 s: at 1 KiB/s all is well, at 2 KiB/s the completion after the gap ends it.
    #[test]
    fn rates_are_judged_over_cycles() {
        for (floor, ends) in [(1_024, None), (2_048, Some(7))] {
            let mut pace = Pace::new(Floor {
                bytes: [floor, 0, 0],
                commands: [0; 3],
                cycle: Duration::from_ms(1_000),
            });
            let second = |s: u64| SimTime(s * 1_000_000_000);
            let times = [1, 2, 3, 4, 7, 8];
            let ended = times
                .into_iter()
                .find(|time| pace.falls_short(0, 4_096, SimTime::ZERO, second(*time)));
            assert_eq!(ended, ends, "{floor}");
        }
    }
}
