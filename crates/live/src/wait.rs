//! How the server waits: for clients, for the drive, or for whichever comes first. Asleep where there is time, awake where a sleeper would be late.

use std::time::{Duration as Real, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::LiveError;
use crate::server::{LOOK, MOST_PATIENCE, Server};

/// Clients at a time.
const MOST_CLIENTS: usize = 256;
/// After the last answer a client may follow up at once, and is waited for awake: a sleeper would take its request late.
const AWAKE_AFTER: Real = Real::from_micros(300);
/// How much of the time that a client has to follow up is waited for awake.
const AWAKE_FOR_FOLLOW_UP: Real = Real::from_micros(50);
/// The shortest time that a client has to follow up on its answers.
const LEAST_PATIENCE: Real = Real::from_micros(20);

impl Server {
    /// Waits until a client says something or something happens in the drive. Whether the time of the drive may go on: at a virtual pace not while
    /// requests come in.
    pub(crate) fn wait(&mut self) -> Result<bool, LiveError> {
        let is_idle = self.device.under_way() == 0;
        let has_answered = std::mem::take(&mut self.has_answered);
        if self.clocks.slow().is_none() {
            return self.wait_unpaced(is_idle);
        }
        if has_answered && is_idle {
            self.listen(Instant::now() + AWAKE_AFTER, |_, heard| heard)?;
            return Ok(true);
        }
        let most = if is_idle {
            LOOK / 2
        } else {
            self.clocks.until(self.device.next_time()).min(LOOK / 2)
        };
        let end = Instant::now() + most;
        // awake for the last part, so that the answer leaves in time, however late a sleeper is
        let sleep = if is_idle {
            most
        } else {
            most.saturating_sub(self.machine.awake)
        };
        if !self.poll(sleep)? && sleep < most {
            self.listen(end, |_, heard| heard)?;
        }
        Ok(true)
    }

    /// The same at a virtual pace, where time waits for clients: until each answer is followed up by a request, but not for long.
    fn wait_unpaced(&mut self, is_idle: bool) -> Result<bool, LiveError> {
        if self.owed > 0 {
            let most = if is_idle { AWAKE_AFTER } else { self.patience };
            let end = Instant::now() + most;
            self.listen(Instant::now() + most.min(AWAKE_FOR_FOLLOW_UP), |server, _| {
                server.owed == 0
            })?;
            // it may wait for this core
            while self.owed > 0 && Instant::now() < end {
                self.poll(end.saturating_duration_since(Instant::now()))?;
            }
            let is_followed_up = self.owed == 0;
            self.patience = if is_followed_up {
                (2 * self.patience).min(MOST_PATIENCE)
            } else {
                (self.patience / 2).max(LEAST_PATIENCE)
            };
            self.owed = 0;
            // what else has come is taken first
            return Ok(is_followed_up || !self.poll(Real::ZERO)?);
        }
        let sleep = if is_idle { LOOK / 2 } else { Real::ZERO };
        Ok(!self.poll(sleep)?)
    }

    /// Polls without sleeping until `until`, or until `enough` says so, which receives whether a socket had something to read.
    fn listen(&mut self, until: Instant, enough: impl Fn(&Self, bool) -> bool) -> Result<(), LiveError> {
        loop {
            let heard = self.poll(Real::ZERO)?;
            if enough(self, heard) || Instant::now() >= until {
                return Ok(());
            }
        }
    }

    /// Polls the sockets once, and takes in what has come. True where anything has.
    fn poll(&mut self, sleep: Real) -> Result<bool, LiveError> {
        let mut places = Vec::with_capacity(self.clients.len());
        let mut fds = Vec::with_capacity(self.clients.len() + 4);
        if self.clients() < MOST_CLIENTS {
            fds.push(PollFd::new(&self.listener, PollFlags::IN));
        }
        let begin = fds.len();
        for (place, client) in self.clients.iter().enumerate() {
            // one that has gone has something to say all the time
            let Some(client) = client.as_ref().filter(|client| !client.connection.is_over()) else {
                continue;
            };
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, client.is_heard());
            flags.set(PollFlags::OUT, client.connection.has_output());
            places.push(place);
            fds.push(PollFd::new(&client.connection, flags));
        }
        let end = fds.len();
        if let Some(control) = &self.control {
            control.each_fd(&mut |fd| fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        }
        let timeout = Timespec {
            tv_sec: sleep.as_secs() as i64,
            tv_nsec: i64::from(sleep.subsec_nanos()),
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(false),
            Ok(_) => {}
            Err(error) => return Err(LiveError::System("poll", error.into())),
        }
        let received = Instant::now();
        let has_come = begin == 1 && !fds[0].revents().is_empty();
        let is_asked = fds[end..].iter().any(|fd| !fd.revents().is_empty());
        let ready: Vec<(usize, PollFlags)> = (places.into_iter())
            .zip(&fds[begin..end])
            .map(|(place, fd)| (place, fd.revents()))
            .filter(|(_, events)| !events.is_empty())
            .collect();
        drop(fds);
        self.is_asked |= is_asked;
        if has_come {
            self.accept()?;
        }
        for (place, events) in ready {
            self.attend(place, events, received)?;
        }
        Ok(true)
    }
}
