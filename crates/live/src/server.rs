//! The server: one thread that waits for clients and for the drive, whichever has something next.

use std::io;
use std::time::{Duration as Real, Instant};

use rustc_hash::FxHashMap;
use rustix::event::PollFlags;
use wordline_metrics::Latency;
use wordline_units::{Seed, SimTime};
use wordline_workload::HostOp;

use crate::clients::{Client, answer_without_data, asked};
use crate::control::{Asked, Control};
use crate::device::{Device, SubmitError};
use crate::error::LiveError;
use crate::link::{Machine, Prompt};
use crate::listen::{Address, Listener};
use crate::pace::{Clocks, Lateness, Pace};
use crate::session::{Export, Step};
use crate::trigger::{CutAt, Triggers};
use crate::wire::{Command, Errno, REQUEST_BYTES, Request};

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;
/// Between two looks at the user.
pub(crate) const LOOK: Real = Real::from_millis(100);
/// At a virtual pace, how long a client has to follow up on its answers before time goes on without it: one that does is waited for longer the next time,
/// so that its queue stays as deep as it wants, and one that waits for more answers first less long.
pub(crate) const MOST_PATIENCE: Real = Real::from_micros(160);

/// How to serve a drive.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where clients come in.
    pub address: Address,
    /// Where `wordline live` comes in.
    pub control: Option<Address>,
    /// What is exported.
    pub export: Export,
    /// How time goes.
    pub pace: Pace,
    /// Flushes and forced unit access are answered without being carried out.
    pub lies_about_flush: bool,
    /// When the power fails by itself.
    pub cuts: Vec<CutAt>,
    /// What is drawn is drawn from this.
    pub seed: u64,
}

/// What the caller of [`Server::run`] is told now and then, and what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look<'a> {
    /// Time has passed.
    Passing,
    /// A result is asked for, or the state of the drive: whoever is asked may go two ways from here, as `fork` does.
    Wanted(&'a Asked),
}

/// What the caller wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The server goes on.
    GoOn,
    /// It ends here.
    End,
}

/// A request that waits for the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) client: usize,
    pub(crate) request: Request,
    /// When the client sent it, as far as the server knows.
    pub(crate) asked: Instant,
    /// Whether nothing else was under way.
    pub(crate) is_alone: bool,
}

/// A drive that is served.
pub struct Server {
    pub(crate) device: Device,
    pub(crate) options: ServeOptions,
    pub(crate) listener: Listener,
    pub(crate) control: Option<Control>,
    pub(crate) clients: Vec<Option<Client>>,
    pub(crate) waiting: FxHashMap<u64, Waiting>,
    pub(crate) clocks: Clocks,
    pub(crate) triggers: Triggers,
    scratch: Vec<u8>,
    /// Something was answered since the last wait.
    pub(crate) has_answered: bool,
    /// Answers since the last wait that no request has followed yet.
    pub(crate) owed: u64,
    /// How long clients have to follow up on answers, at a virtual pace.
    pub(crate) patience: Real,
    /// Somebody has said something at the control socket.
    pub(crate) is_asked: bool,
    /// How fast the machine is.
    pub(crate) machine: Machine,
    /// Response times by class, since the server began and since the last status.
    pub(crate) latency: [Latency; 3],
    pub(crate) recent: [Latency; 3],
    /// Why connections were closed, the last one.
    pub(crate) complaint: Option<String>,
    /// Clients that have come so far.
    pub(crate) came: u64,
}

impl Server {
    /// Serves a device; clients can come in from now on.
    ///
    /// # Errors
    /// An address that is taken or refused.
    pub fn new(device: Device, options: ServeOptions) -> Result<Self, LiveError> {
        let listener = Listener::bind(&options.address)?;
        let control = options.control.as_ref().map(Control::bind).transpose()?;
        let machine = match options.pace {
            Pace::Virtual => Machine::UNPACED,
            Pace::Real { .. } => {
                Machine::measured().map_err(|error| LiveError::System("a pair of sockets", error))?
            }
        };
        Ok(Self {
            device,
            listener,
            control,
            clients: Vec::new(),
            waiting: FxHashMap::default(),
            clocks: Clocks::start(options.pace),
            triggers: Triggers::new(&options.cuts, Seed(options.seed)),
            scratch: vec![0; CHUNK],
            has_answered: false,
            owed: 0,
            patience: MOST_PATIENCE,
            is_asked: false,
            machine,
            latency: std::array::from_fn(|_| Latency::new()),
            recent: std::array::from_fn(|_| Latency::new()),
            complaint: None,
            came: 0,
            options,
        })
    }

    /// Where clients come in, with the port that the machine chose.
    #[must_use]
    pub fn address(&self) -> String {
        self.listener
            .address()
            .unwrap_or_else(|| self.options.address.to_string())
    }

    /// How late answers were.
    #[must_use]
    pub const fn lateness(&self) -> &Lateness {
        &self.clocks.lateness
    }

    /// The drive.
    #[must_use]
    pub const fn device(&self) -> &Device {
        &self.device
    }

    /// The drive, for what is kept of it.
    pub const fn device_mut(&mut self) -> &mut Device {
        &mut self.device
    }

    /// The drive, without the server: clients are left.
    #[must_use]
    pub fn into_device(self) -> Device {
        self.device
    }

    /// The same in a copy of the process: sockets and trace belong to the other one.
    #[must_use]
    pub fn into_copied_device(mut self) -> Device {
        self.device.leave_trace();
        // dropping them would take the socket away from the other process
        std::mem::forget((self.listener, self.control, self.clients));
        self.device
    }

    /// Clients that are here.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.clients.iter().flatten().count()
    }

    /// Serves until `look` says that it is enough, ten times a second or when something is wanted.
    ///
    /// # Errors
    /// A defect of the drive, a machine that refuses to wait.
    pub fn run(&mut self, look: &mut dyn FnMut(&mut Self, Look<'_>) -> Verdict) -> Result<(), LiveError> {
        let _prompt = self.clocks.slow().map(|_| Prompt::begin());
        let mut looked = Instant::now();
        loop {
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                if look(self, Look::Passing) == Verdict::End {
                    return Ok(());
                }
            }
            let goes_on = self.wait()?;
            if std::mem::take(&mut self.is_asked) && self.attend_control(look)? == Verdict::End {
                return Ok(());
            }
            self.advance(goes_on)?;
            self.send();
        }
    }

    pub(crate) fn accept(&mut self) -> Result<(), LiveError> {
        let accepted = self.listener.accept();
        // a client that has gone again, or a machine out of descriptors: those that are here go on
        let Ok(Some(stream)) = accepted else { return Ok(()) };
        let client = Client::new(stream, &self.options.export, self.machine.link);
        self.came += 1;
        match self.clients.iter().position(Option::is_none) {
            // answers of the one before it may still come: its place is free only when they have
            Some(place) => self.clients[place] = Some(client),
            None => self.clients.push(Some(client)),
        }
        Ok(())
    }

    /// Reads what a client says, as was seen at `received`, and does it.
    pub(crate) fn attend(
        &mut self,
        place: usize,
        events: PollFlags,
        received: Instant,
    ) -> Result<(), LiveError> {
        let Some(client) = &mut self.clients[place] else {
            return Ok(());
        };
        if events.contains(PollFlags::OUT) {
            client.connection.send();
        }
        if events.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            client.connection.receive(&mut self.scratch);
        }
        client.follows_up(received);
        // it asked as much earlier as its requests and answers are on their way
        let asked = received.checked_sub(client.link.get()).unwrap_or(received);
        let arrival = self.clocks.arrival(asked);
        let arrival = arrival.unwrap_or_else(|| self.device.now());
        loop {
            let Some(client) = &mut self.clients[place] else {
                return Ok(());
            };
            let (input, output) = client.connection.parts();
            match client.session.next(input, output) {
                Ok(Step::More) => break,
                Ok(Step::Done(bytes)) => client.connection.take(bytes),
                Ok(Step::Request(request, bytes)) => {
                    self.take(place, &request, arrival, asked)?;
                    if let Some(client) = &mut self.clients[place] {
                        client.connection.take(bytes);
                    }
                }
                Ok(Step::End) => {
                    client.connection.close();
                    break;
                }
                Err(error) => {
                    self.complaint = Some(error.to_string());
                    client.connection.close();
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes a request of a client, whose data are behind its head in what has come.
    fn take(
        &mut self,
        place: usize,
        request: &Request,
        arrival: SimTime,
        sent: Instant,
    ) -> Result<(), LiveError> {
        self.owed = self.owed.saturating_sub(1);
        let Some(client) = &mut self.clients[place] else {
            return Ok(());
        };
        let ask = match asked(request, &self.options.export, self.options.lies_about_flush) {
            Ok(Some(ask)) => ask,
            Ok(None) => {
                answer_without_data(client, request, None);
                return Ok(());
            }
            Err(error) => {
                answer_without_data(client, request, Some(error));
                return Ok(());
            }
        };
        let (input, _) = client.connection.parts();
        let data = match request.command {
            Command::Write => &input[REQUEST_BYTES..][..request.length as usize],
            _ => &[],
        };
        match self.device.submit(arrival, &ask, data) {
            Ok(token) => {
                client.requests += 1;
                client.reading += if ask.op == HostOp::Read { ask.length } else { 0 };
                let waiting = Waiting {
                    client: place,
                    request: *request,
                    asked: sent,
                    is_alone: self.device.under_way() == 1,
                };
                self.waiting.insert(token, waiting);
                Ok(())
            }
            Err(SubmitError::Data(error)) => {
                self.complaint = Some(format!("the data could not be kept: {error}"));
                let full = matches!(
                    error.kind(),
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
                );
                answer_without_data(
                    client,
                    request,
                    Some(if full { Errno::NoSpace } else { Errno::Io }),
                );
                Ok(())
            }
            Err(SubmitError::Live(error)) => Err(error),
        }
    }

    /// Sends what clients take now; those that have gone are forgotten.
    fn send(&mut self) {
        for place in 0..self.clients.len() {
            let Some(client) = &mut self.clients[place] else {
                continue;
            };
            if client.connection.has_output() {
                client.connection.send();
            }
            // a place is given to somebody else only when nothing is under way for it
            if client.connection.is_over() && client.requests == 0 {
                self.clients[place] = None;
            }
        }
    }

    fn attend_control(
        &mut self,
        look: &mut dyn FnMut(&mut Self, Look<'_>) -> Verdict,
    ) -> Result<Verdict, LiveError> {
        let Some(mut control) = self.control.take() else {
            return Ok(Verdict::GoOn);
        };
        let asked = control.hear();
        self.control = Some(control);
        for asked in asked {
            if self.obey(&asked, look)? == Verdict::End {
                return Ok(Verdict::End);
            }
        }
        Ok(Verdict::GoOn)
    }
}
