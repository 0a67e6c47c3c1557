//! What the host does with its clients: whose turn it is, and the next command.

use wordline_ftl::Lpn;
use wordline_units::SimTime;
use wordline_workload::HostCommand;

use super::{Clocking, NextCommand};
use crate::clock::Clock;
use crate::error::RunError;
use crate::features::Features;
use crate::host::Host;

impl<F: Features> Host<F> {
    /// Starts the clients.
    pub(crate) fn start_clients(&mut self, clock: &mut Clock) {
        self.clients.start(clock);
    }

    /// A client that may have something to send, if one does.
    #[inline]
    pub(crate) fn next_awake(&mut self) -> Option<u32> {
        let client = self.clients.awake.pop_front()?;
        self.clients.all[client as usize].awake = false;
        Some(client)
    }

    /// Why the source of a client broke off, if one has: the run cannot go on.
    ///
    /// # Errors
    /// It broke off.
    #[inline]
    pub(crate) fn check_sources(&mut self) -> Result<(), RunError> {
        match self.broken {
            None => Ok(()),
            Some(_) => self.broken.take().map_or(Ok(()), |error| Err(error.into())),
        }
    }

    /// The command that a client sends now, if it sends one; otherwise it is clear what will wake it, or its source broke off
    /// ([`Self::check_sources`]).
    #[inline]
    pub(crate) fn next_command(&mut self, index: u32, clock: &mut Clock) -> Option<NextCommand> {
        let now = clock.now();
        loop {
            let client = &mut self.clients.all[index as usize];
            if client.timer || (client.is_quiescing && client.has_to_quiesce()) {
                return None;
            }
            let is_full = client.outstanding + client.untaken >= client.limit || client.is_taking;
            if is_full && !client.takes_up() {
                return None;
            }
            if let Some(end) = client.pause(now) {
                if end < SimTime::NEVER {
                    self.clients.wait_until(index, end, clock);
                }
                return None;
            }
            let Some(command) = client.next(now) else {
                if client.is_held() {
                    self.clients.crowded.push(index);
                    return None;
                }
                if self.broken.is_none() {
                    self.broken = client.failure();
                }
                if self.broken.is_none() {
                    self.clients.wake_followers(index);
                    self.clients.close(index, clock);
                }
                return None;
            };
            let due = match client.clock {
                Clocking::Room => now,
                Clocking::NotBefore | Clocking::At => client.start + command.arrival.since(SimTime::ZERO),
            };
            if due.max(now) > client.until {
                client.send_no_more();
                self.clients.wake_crowded();
                continue;
            }
            if due > now {
                if client.quiesces() {
                    return None;
                }
                self.clients.wait_until(index, due, clock);
                return None;
            }
            let pages = self.cutter.pages_of(&command);
            if !self.has_room(pages) {
                self.clients.crowded.push(index);
                return None;
            }
            let several = self.clients.several();
            let client = &mut self.clients.all[index as usize];
            client.take_first();
            client.outstanding += 1;
            client.sent_since_pause = client.sent_since_pause.saturating_add(1);
            return Some(NextCommand {
                command: HostCommand {
                    arrival: if client.clock == Clocking::At { due } else { now },
                    sector: command.sector + client.offset,
                    queue: if several { index as u16 } else { command.queue },
                    ..command
                },
                pages,
                is_closed_loop: client.clock == Clocking::Room,
            });
        }
    }

    /// Gets one more command of a closed loop ahead of its admission, so that what it will look at is in the cache by then: its
    /// first logical page. None where enough are known, or the source gives no more.
    #[inline]
    pub(crate) fn draw_ahead(&mut self, index: u32) -> Option<Lpn> {
        let client = &mut self.clients.all[index as usize];
        let place = client.looked_at;
        if place >= self.clients.ahead {
            return None;
        }
        if client.ahead.get(place).is_none() && !client.draw() {
            if self.broken.is_none() {
                self.broken = client.failure();
            }
            return None;
        }
        client.looked_at += 1;
        self.page_ahead(index, place)
    }

    /// Whether several commands of a closed loop are known ahead.
    #[inline]
    pub(crate) fn looks_far_ahead(&self) -> bool {
        self.clients.ahead > 1
    }

    /// First logical page of a command of a client that is not sent yet.
    #[inline]
    pub(crate) fn page_ahead(&self, client: u32, command: usize) -> Option<Lpn> {
        let client = &self.clients.all[client as usize];
        let command = client.ahead.get(command)?;
        Some(Lpn(self.cutter.page_of(command.sector + client.offset)))
    }

    /// The timer of a client has run out.
    pub(crate) fn timer_ran_out(&mut self, client: u32) {
        self.clients.timer_ran_out(client);
    }

    /// An interval of a client has ended, which may end the client.
    pub(crate) fn interval_ended(&mut self, client: u32, clock: &mut Clock) {
        self.clients.interval_ended(client, clock);
    }
}
