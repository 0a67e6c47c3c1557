//! Clients: what their requests ask of the drive, and how they are answered.

use std::io;
use std::time::{Duration, Instant};

use wordline_metrics::Status;
use wordline_workload::HostOp;

use crate::ask::Ask;
use crate::connection::Connection;
use crate::device::Device;
use crate::link::Usual;
use crate::listen::Stream;
use crate::session::{Export, Session};
use crate::wire::{
    Command, Errno, MOST_BYTES, Request, data_chunk, error_chunk, hole_chunk, none_chunk, simple,
};

/// Bytes of answers that a client leaves unread, and of reads that it waits for, beyond which it is not heard.
const MOST_WAITING: u64 = 64 << 20;
/// Requests of a client that are under way beyond which it is not heard.
const MOST_REQUESTS: usize = 4_096;

/// A client and its requests.
pub(crate) struct Client {
    pub(crate) connection: Connection,
    pub(crate) session: Session,
    pub(crate) requests: usize,
    /// Bytes of its reads that are under way.
    pub(crate) reading: u64,
    /// The way to it and back: from an answer to a client that waits for it alone until its next request is there. What the client does in between is in it too, so
    /// that no more is taken for it than the machine needs for a client that sleeps; one that is awake is nearer.
    pub(crate) link: Usual,
    /// When it was answered while it waited for nothing else.
    answered: Option<Instant>,
}

impl Client {
    /// One that has just come.
    pub(crate) fn new(stream: Stream, export: &Export, link: Duration) -> Self {
        let mut connection = Connection::new(stream);
        let session = Session::greet(export.clone(), &mut connection.output);
        Self {
            connection,
            session,
            requests: 0,
            reading: 0,
            link: Usual::at_most(link),
            answered: None,
        }
    }

    /// An answer goes to it now.
    pub(crate) fn answers(&mut self, request: &Request) {
        self.requests -= 1;
        if request.command == Command::Read {
            self.reading -= u64::from(request.length);
        }
        self.answered = (self.requests == 0).then(Instant::now);
    }

    /// Something came of it.
    pub(crate) fn follows_up(&mut self, received: Instant) {
        if let Some(answered) = self.answered.take() {
            self.link
                .observe(received.saturating_duration_since(answered).as_nanos() as f64);
        }
    }

    /// Whether it is heard: its requests and what it leaves unread are bounded.
    pub(crate) fn is_heard(&self) -> bool {
        !self.connection.closes()
            && self.requests < MOST_REQUESTS
            && self.reading + (self.connection.waiting() as u64) < MOST_WAITING
    }
}

/// What a request asks of the drive; none where it is answered at once.
pub(crate) fn asked(
    request: &Request,
    export: &Export,
    lies_about_flush: bool,
) -> Result<Option<Ask>, Errno> {
    let op = match request.command {
        Command::Read => HostOp::Read,
        Command::Write => HostOp::Write,
        Command::Trim => HostOp::Trim,
        Command::WriteZeroes if request.no_hole => HostOp::Write,
        Command::WriteZeroes => HostOp::WriteZeroes,
        Command::Flush => HostOp::Flush,
        Command::Disconnect | Command::Other(_) => return Err(Errno::NotSupported),
    };
    if request.has_strange_flags {
        return Err(Errno::Inval);
    }
    if op == HostOp::Flush {
        let ask = Ask {
            op,
            fua: false,
            offset: 0,
            length: 0,
        };
        return Ok((!lies_about_flush).then_some(ask));
    }
    let writes = op != HostOp::Read;
    if writes && export.read_only {
        return Err(Errno::Perm);
    }
    let length = u64::from(request.length);
    if request
        .offset
        .checked_add(length)
        .is_none_or(|end| end > export.size)
    {
        return Err(if op == HostOp::Read || op == HostOp::Trim {
            Errno::Inval
        } else {
            Errno::NoSpace
        });
    }
    if op == HostOp::Read && request.length > MOST_BYTES {
        return Err(Errno::Inval);
    }
    Ok((length > 0).then_some(Ask {
        op,
        fua: request.fua && writes && !lies_about_flush,
        offset: request.offset,
        length,
    }))
}

/// Answers a request that brings no data, in the way that the client expects.
pub(crate) fn answer_without_data(client: &mut Client, request: &Request, error: Option<Errno>) {
    let (out, cookie) = (&mut client.connection.output, request.cookie);
    if request.command == Command::Read && client.session.is_structured() {
        match error {
            Some(error) => error_chunk(out, cookie, error),
            None => none_chunk(out, cookie),
        }
    } else {
        simple(out, cookie, error);
    }
}

pub(crate) fn send_data(device: &Device, client: &mut Client, request: &Request) -> io::Result<()> {
    let (offset, length) = (request.offset, request.length as usize);
    let is_structured = client.session.is_structured();
    let out = &mut client.connection.output;
    if is_structured && device.content().is_hole(offset, length) {
        hole_chunk(out, request.cookie, offset, request.length);
        return Ok(());
    }
    if is_structured {
        data_chunk(out, request.cookie, offset, request.length);
    } else {
        simple(out, request.cookie, None);
    }
    device.read(offset, length, out)
}

pub(crate) const fn error_of(status: Status, command: Command) -> Option<Errno> {
    match status {
        Status::Good => None,
        Status::Uncorrectable | Status::WriteFault => Some(Errno::Io),
        Status::Refused if matches!(command, Command::Write | Command::WriteZeroes) => Some(Errno::NoSpace),
        _ => Some(Errno::Inval),
    }
}
