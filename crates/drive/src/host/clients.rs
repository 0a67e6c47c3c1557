//! The clients of the drive: when each sends its next command.

mod completions;
mod conduct;
mod injecting;
mod sending;
mod upcoming;

use std::collections::VecDeque;

use wordline_config::Priority;
use wordline_units::{Duration, SimTime};
use wordline_workload::{Admission, Client, Conduct, HostCommand, Source, SourceError, Think};

use super::steady::Judge;
use crate::clock::{Clock, Event};
use upcoming::Upcoming;

/// Requests sent and not completed at once in an open loop, where the user sets no limit: NVMe's
/// largest queue. Later arrivals wait at the host, so that an overloaded run stays small.
const DEFAULT_OPEN_LIMIT: u32 = 65_536;

/// Commands of a closed loop that are known ahead on a large drive: what they will look at is fetched into the cache in
/// so many steps, since where each entry lies follows from the one before. On others one is, for its map entry.
const AHEAD: usize = 3;
/// Commands of a closed loop that are drawn at once, where that cannot be told from drawing them one by one.
const BATCH: usize = 32;
/// Pages of a drive that is large: its map alone takes 16 MiB, as much as the cache of a processor. Assumed.
const LARGE: u64 = 1 << 22;

/// A client together with what the drive's configuration says of it.
pub(crate) struct Tenant {
    pub(crate) client: Client,
    /// First sector of its part of the user space.
    pub(crate) offset: u64,
    pub(crate) priority: Priority,
    /// Time after which its commands go before all others, where the host says one.
    pub(crate) deadline: Option<Duration>,
    /// Clients of one chain start group by group.
    pub(crate) chain: u32,
    /// Commands that the source gave ahead of the run, and what it ended with.
    pub(crate) ahead: Vec<HostCommand>,
    pub(crate) end: Option<Result<(), SourceError>>,
}

impl Tenant {
    /// Gets the first commands of the source, at most so many; the run begins with them.
    pub(crate) fn look_ahead(&mut self, most: usize) -> &[HostCommand] {
        // a source that waits for completions gives nothing ahead of them
        while self.ahead.len() < most && self.end.is_none() && !self.client.source.follows_completions() {
            match self.client.source.next_command() {
                Ok(Some(command)) => self.ahead.push(command),
                Ok(None) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        &self.ahead
    }
}

/// What the arrival of a command means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clocking {
    /// Nothing: a command is sent as soon as there is room.
    Room,
    /// It is not sent earlier; its latency counts from sending.
    NotBefore,
    /// It comes then; its latency counts from there.
    At,
}

/// A client in the middle of a run.
pub(crate) struct ClientState {
    pub(crate) name: String,
    pub(crate) source: Box<dyn Source>,
    clock: Clocking,
    limit: u32,
    think: Option<Think>,
    group: u32,
    chain: u32,
    delay: Duration,
    time_limit: Option<Duration>,
    offset: u64,
    /// When it started; `NEVER` before.
    pub(super) start: SimTime,
    /// It sends nothing later.
    until: SimTime,
    /// Commands may be injected: it is not done while nothing is left to send.
    is_open: bool,
    /// Commands that the source gave and that are not sent, the next one first.
    ahead: Upcoming,
    /// How many of them were looked at ahead of their admission.
    looked_at: usize,
    /// Commands that the source is asked for at once.
    batch: usize,
    /// The source may have to wait for completions.
    follows: bool,
    /// The source gives no more.
    exhausted: bool,
    /// Why it broke off, until what it gave before is sent.
    broken: Option<SourceError>,
    pub(super) done: bool,
    /// What ends it once it is in a steady state.
    pub(super) judge: Option<Box<Judge>>,
    /// Requests sent and not completed.
    outstanding: u32,
    conduct: Conduct,
    /// Requests completed that the client has not taken up.
    untaken: u32,
    /// It takes up completions before it sends more.
    is_taking: bool,
    /// It waits until nothing is outstanding.
    is_quiescing: bool,
    /// Its group has started, and it waits for another client.
    waits: bool,
    /// How fast it is, where it must not be slow.
    pace: Option<Box<conduct::Pace>>,
    /// A completion may end it.
    has_limits: bool,
    /// What ended it before it had sent all.
    ended: Option<String>,
    /// Its source is told the time before each command.
    heeds_time: bool,
    deadline: Option<Duration>,
    sent_since_pause: u32,
    /// End of the pause that it is in.
    resume: Option<SimTime>,
    /// It is in the list of those to be looked at.
    awake: bool,
    /// An event will wake it.
    timer: bool,
}

impl ClientState {
    fn new(tenant: Tenant) -> Self {
        let Tenant {
            client,
            offset,
            chain,
            ahead,
            end,
            deadline,
            ..
        } = tenant;
        let (clock, limit, think) = match client.admission {
            Admission::ClosedLoop { depth } => (Clocking::Room, depth, None),
            Admission::Paced { depth, think } => (Clocking::NotBefore, depth, think),
            Admission::OpenLoop { limit } => (Clocking::At, limit.unwrap_or(DEFAULT_OPEN_LIMIT), None),
        };
        let is_drawn = clock == Clocking::Room && client.source.is_drawn();
        let follows = client.source.follows_completions();
        let heeds_time = client.source.heeds_time();
        Self {
            name: client.name,
            deadline,
            source: client.source,
            clock,
            limit: limit.max(1),
            think,
            group: client.group,
            chain,
            delay: client.delay,
            time_limit: client.time_limit,
            offset,
            start: SimTime::NEVER,
            until: SimTime::NEVER,
            is_open: false,
            looked_at: 0,
            batch: if is_drawn { BATCH } else { 1 },
            follows,
            ahead: Upcoming::from(ahead),
            exhausted: end.is_some(),
            broken: end.and_then(Result::err),
            done: false,
            judge: client.steady_state.map(Judge::new),
            outstanding: 0,
            pace: client.conduct.floor.clone().map(conduct::Pace::new),
            has_limits: client.conduct.floor.is_some() || client.conduct.longest.is_some(),
            conduct: client.conduct,
            untaken: 0,
            is_taking: false,
            is_quiescing: false,
            waits: false,
            ended: None,
            heeds_time,
            sent_since_pause: 0,
            resume: None,
            awake: false,
            timer: false,
        }
    }

    /// The command that comes next, if there is one.
    #[inline]
    fn next(&mut self, now: SimTime) -> Option<HostCommand> {
        if self.ahead.is_empty() {
            if self.heeds_time {
                self.source.time_is(SimTime::ZERO + now.since(self.start));
            }
            self.draw();
        }
        self.ahead.get(0).copied()
    }

    /// Why the source broke off, once what it gave before is sent.
    #[cold]
    fn failure(&mut self) -> Option<SourceError> {
        self.broken.take_if(|_| self.ahead.is_empty())
    }

    /// Gets more commands from the source; tells whether it has any.
    #[inline(never)]
    fn draw(&mut self) -> bool {
        if self.exhausted || (self.follows && self.source.is_held()) {
            return false;
        }
        let commands = self.ahead.list();
        let before = commands.len();
        if let Err(error) = self.source.next_commands(self.batch, commands) {
            self.broken = Some(error);
            self.exhausted = true;
        }
        let has_some = commands.len() > before;
        self.exhausted |= !has_some;
        has_some
    }

    /// The first command is sent.
    #[inline]
    fn take_first(&mut self) {
        self.ahead.take_first();
        self.looked_at = self.looked_at.saturating_sub(1);
    }

    /// The end of a pause that is due after the commands sent so far; `None` where none is.
    fn pause(&mut self, now: SimTime) -> Option<SimTime> {
        let think = self.think?;
        if self.sent_since_pause < think.commands {
            return None;
        }
        if self.outstanding > 0 {
            // what completes will bring it up again
            return Some(SimTime::NEVER);
        }
        let end = *self.resume.get_or_insert(now + think.time);
        if end > now {
            return Some(end);
        }
        self.resume = None;
        self.sent_since_pause = 0;
        self.untaken = 0;
        self.is_taking = false;
        None
    }
}

/// All clients.
pub(crate) struct Clients {
    pub(super) all: Vec<ClientState>,
    /// Clients that may have something to send now, in the order in which they woke.
    awake: VecDeque<u32>,
    /// Clients whose next command waits for room among those of all, or for a completion of another client.
    crowded: Vec<u32>,
    /// Clients that are not done.
    left: usize,
    /// Clients of each chain's present group that are not done.
    left_in_group: Vec<usize>,
    /// Commands of a closed loop that are known ahead.
    ahead: usize,
}

impl Clients {
    /// The clients of a drive of so many pages.
    pub(crate) fn new(tenants: Vec<Tenant>, pages: u64) -> Self {
        let chains = tenants
            .iter()
            .map(|tenant| tenant.chain as usize + 1)
            .max()
            .unwrap_or(0);
        Self {
            left: tenants.len(),
            all: tenants.into_iter().map(ClientState::new).collect(),
            awake: VecDeque::new(),
            crowded: Vec::new(),
            left_in_group: vec![0; chains],
            ahead: if pages < LARGE { 1 } else { AHEAD },
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ClientState> {
        self.all.iter()
    }

    /// Time after which the commands of a queue go before all others, where its host says one.
    pub(crate) fn deadline_of(&self, queue: u16) -> Option<Duration> {
        // a client alone may replay a trace with queues of its own
        let place = if self.several() { usize::from(queue) } else { 0 };
        self.all.get(place).and_then(|client| client.deadline)
    }

    pub(crate) fn several(&self) -> bool {
        self.all.len() > 1
    }

    /// Whether a client could send something now, or has to say when.
    #[inline]
    pub(crate) fn anyone_awake(&self) -> bool {
        !self.awake.is_empty()
    }

    /// Whether any client waits for a time to send something.
    pub(crate) fn anyone_timed(&self) -> bool {
        self.all.iter().any(|client| client.timer)
    }

    /// Every command of every client was sent and completed.
    pub(crate) fn finished(&self) -> bool {
        self.left == 0
    }

    /// Whether any client's commands come at times of their own, however many are inside.
    pub(crate) fn any_open_loop(&self) -> bool {
        self.all.iter().any(|client| client.clock == Clocking::At)
    }

    /// Commands in all, where every source knows.
    pub(crate) fn len_hint(&self) -> Option<u64> {
        self.all
            .iter()
            .try_fold(0_u64, |sum, client| Some(sum + client.source.len_hint()?))
    }

    #[inline]
    pub(crate) fn wake(&mut self, client: u32) {
        let state = &mut self.all[client as usize];
        if !state.awake {
            state.awake = true;
            self.awake.push_back(client);
        }
    }

    /// Nobody sends anything more: who has requests under way is done with the last of them.
    pub(crate) fn stop(&mut self) {
        for index in 0..self.all.len() {
            let client = &mut self.all[index];
            client.send_no_more();
            client.think = None;
            client.timer = false;
            if client.done {
                continue;
            }
            if client.start == SimTime::NEVER {
                // of a later group, which does not start, or one that waits
                self.leave_out(index);
            } else {
                self.wake(index as u32);
            }
        }
    }

    /// The timer of a client has run out.
    pub(crate) fn timer_ran_out(&mut self, client: u32) {
        self.all[client as usize].timer = false;
        self.wake(client);
    }
}

/// What a client has to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextCommand {
    pub(crate) command: HostCommand,
    /// Pages that it touches.
    pub(crate) pages: u64,
    /// Whether the client's next command is known as soon as this one is sent.
    pub(crate) is_closed_loop: bool,
}

impl Clients {
    /// Starts the first group of every chain.
    pub(crate) fn start(&mut self, clock: &mut Clock) {
        for chain in 0..self.left_in_group.len() {
            self.start_next_group(chain as u32, clock);
        }
    }

    /// Starts the clients of a chain that have the lowest group of those that have not started.
    fn start_next_group(&mut self, chain: u32, clock: &mut Clock) {
        let waiting = self
            .all
            .iter()
            .filter(|client| client.chain == chain && client.start == SimTime::NEVER);
        let Some(group) = waiting.map(|client| client.group).min() else {
            return;
        };
        let places = 0..self.all.len();
        let of_group = |index: &usize| {
            let client = &self.all[*index];
            client.chain == chain && client.group == group && !client.done
        };
        let members: Vec<usize> = places.filter(of_group).collect();
        self.left_in_group[chain as usize] += members.len();
        for index in &members {
            self.all[*index].waits = true;
        }
        for index in members {
            if self.may_start(index) {
                self.begin(index, clock);
            }
        }
    }

    /// A client of a group that has started begins.
    fn begin(&mut self, index: usize, clock: &mut Clock) {
        let client = &mut self.all[index];
        client.waits = false;
        client.start = clock.now() + client.delay;
        client.until = client
            .time_limit
            .map_or(SimTime::NEVER, |limit| client.start + limit);
        client.timer = client.start > clock.now();
        if client.timer {
            clock.schedule(client.start, Event::Client(index as u32));
        } else {
            self.wake(index as u32);
        }
        self.begin_intervals(index as u32, clock);
    }

    fn wait_until(&mut self, client: u32, time: SimTime, clock: &mut Clock) {
        self.all[client as usize].timer = true;
        clock.schedule(time, Event::Client(client));
    }

    /// A client has nothing more to send; with its last completion it is done.
    fn close(&mut self, index: u32, clock: &mut Clock) {
        let client = &mut self.all[index as usize];
        if client.done || client.outstanding > 0 || client.is_open {
            return;
        }
        client.done = true;
        let chain = client.chain;
        self.left -= 1;
        self.left_in_group[chain as usize] -= 1;
        self.end_others(index);
        self.start_waiting(chain, clock);
        if self.left_in_group[chain as usize] == 0 {
            self.start_next_group(chain, clock);
        }
    }
}
