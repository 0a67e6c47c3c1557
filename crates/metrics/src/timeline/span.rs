//! Spans: what one part of the drive did from when to when.

use wordline_ftl::Cause;
use wordline_nand::{ChannelId, DieId, Mode};
use wordline_units::SimTime;

use crate::probe::{CommandKind, FinishedRequest, RequestClass};

/// Where a span belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Track {
    /// The arrays and page registers of a die.
    Die(DieId),
    /// The bus of a channel.
    Channel(ChannelId),
    /// The requests of a submission queue.
    Host(u16),
    /// The background work of the FTL on a die.
    Background(DieId),
}

impl Track {
    /// Names of the kinds of tracks, in the order of their codes.
    pub const NAMES: [&'static str; 4] = ["die", "channel", "host", "background"];

    /// Index into [`Self::NAMES`].
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Die(_) => 0,
            Self::Channel(_) => 1,
            Self::Host(_) => 2,
            Self::Background(_) => 3,
        }
    }

    /// Which die, channel or queue.
    #[must_use]
    pub const fn unit(self) -> u32 {
        match self {
            Self::Die(die) | Self::Background(die) => die.0,
            Self::Channel(channel) => channel.0,
            Self::Host(queue) => queue as u32,
        }
    }
}

/// What is done in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// On a die: the array works. On a channel: command, address and data to the die.
    Command(CommandKind),
    /// Data cross the bus after the array step: out of a read, or into the second half of a
    /// copy-back.
    Data(CommandKind),
    /// A host request, from arrival to acknowledgement.
    Request(RequestClass),
    /// A job of the FTL empties a block and erases it.
    Reclaim,
}

impl Activity {
    /// Their names, in the order of their codes.
    pub const NAMES: [&'static str; 12] = [
        "read",
        "program",
        "copy_back",
        "erase",
        "read_data",
        "program_data",
        "copy_back_data",
        "erase_data",
        "read_request",
        "write_request",
        "other_request",
        "reclaim",
    ];

    /// Index into [`Self::NAMES`].
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Command(kind) => kind as u8,
            Self::Data(kind) => 4 + kind as u8,
            Self::Request(class) => 8 + class as u8,
            Self::Reclaim => 11,
        }
    }

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.code() as usize]
    }
}

/// Whom an operation serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serves {
    /// The host request of this number.
    Request(u64),
    /// A job of the FTL.
    Job(u32),
    /// The data buffer.
    Buffer,
}

impl Serves {
    /// The request, where it is one.
    #[must_use]
    pub const fn request(self) -> Option<u64> {
        match self {
            Self::Request(number) => Some(number),
            Self::Job(_) | Self::Buffer => None,
        }
    }
}

/// What one part of the drive did from when to when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Where.
    pub track: Track,
    /// What.
    pub activity: Activity,
    /// Why.
    pub cause: Cause,
    /// For whom.
    pub serves: Serves,
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
    /// First physical page; of a request the first sector; of reclaiming the first page of the block.
    pub address: u64,
    /// Pages of a command in the die, or on the bus; pages moved by reclaiming; sectors of a request.
    pub count: u32,
    /// Mode of the first page of a command, or of the data; the normal one for others.
    pub mode: Mode,
}

impl Span {
    /// The span of a finished request.
    #[must_use]
    pub fn of_request(request: &FinishedRequest) -> Self {
        Self {
            track: Track::Host(request.queue),
            activity: Activity::Request(request.class),
            cause: Cause::Host,
            serves: Serves::Request(request.number),
            from: request.arrival,
            to: request.completed,
            address: request.sector,
            count: request.sectors,
            mode: Mode::NORMAL,
        }
    }

    /// Whether any of it lies between two moments.
    #[must_use]
    pub fn overlaps(&self, from: SimTime, to: SimTime) -> bool {
        self.from < to && self.to > from
    }

    /// Its length, ns.
    #[must_use]
    pub fn ns(&self) -> u64 {
        self.to.since(self.from).ns()
    }
}

/// A table of spans, one vector per column.
#[derive(Clone, Debug, Default)]
pub struct SpanColumns {
    /// Kind of track: an index into [`Track::NAMES`].
    pub track: Vec<u8>,
    /// Die, channel or queue.
    pub unit: Vec<u32>,
    /// Activity: an index into [`Activity::NAMES`].
    pub activity: Vec<u8>,
    /// Cause: an index into `Cause::ALL`.
    pub cause: Vec<u8>,
    /// Start, ns since the start of the run.
    pub from_ns: Vec<u64>,
    /// End, ns since the start of the run.
    pub to_ns: Vec<u64>,
    /// See [`Span::address`].
    pub address: Vec<u64>,
    /// See [`Span::count`].
    pub count: Vec<u32>,
    /// Number of the mode; see [`Span::mode`].
    pub mode: Vec<u8>,
    /// Number of the host request that it serves, -1 for none.
    pub request: Vec<i64>,
}

impl SpanColumns {
    /// Adds a row.
    pub fn push(&mut self, span: &Span) {
        self.track.push(span.track.code());
        self.unit.push(span.track.unit());
        self.activity.push(span.activity.code());
        self.cause.push(span.cause as u8);
        self.from_ns.push(span.from.ns());
        self.to_ns.push(span.to.ns());
        self.address.push(span.address);
        self.count.push(span.count);
        self.mode.push(span.mode.0);
        let request = span.serves.request();
        self.request
            .push(request.map_or(-1, |number| i64::try_from(number).unwrap_or(i64::MAX)));
    }
}

impl<'a> FromIterator<&'a Span> for SpanColumns {
    fn from_iter<I: IntoIterator<Item = &'a Span>>(spans: I) -> Self {
        let mut columns = Self::default();
        for span in spans {
            columns.push(span);
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_go_together() {
        let commands = CommandKind::ALL.map(Activity::Command);
        let data = CommandKind::ALL.map(Activity::Data);
        let requests = RequestClass::ALL.map(Activity::Request);
        let all = commands
            .into_iter()
            .chain(data)
            .chain(requests)
            .chain([Activity::Reclaim]);
        for (code, activity) in all.enumerate() {
            assert_eq!(usize::from(activity.code()), code);
        }
        assert_eq!(Activity::Command(CommandKind::CopyBack).name(), "copy_back");
        assert_eq!(Activity::Data(CommandKind::Read).name(), "read_data");
        assert_eq!(Activity::Request(RequestClass::Write).name(), "write_request");
        assert_eq!(Activity::Reclaim.name(), "reclaim");
        for (code, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, code);
        }
    }

    #[test]
    fn spans_that_touch_do_not_overlap() {
        let request = FinishedRequest {
            other: None,
            number: 4,
            class: RequestClass::Read,
            status: crate::probe::Status::Good,
            arrival: SimTime(100),
            admitted: SimTime(120),
            served: SimTime(120),
            completed: SimTime(350),
            sector: 8,
            sectors: 3,
            queue: 2,
        };
        let span = Span::of_request(&request);
        assert_eq!((span.ns(), span.count, span.address), (250, 3, 8));
        assert_eq!(span.serves.request(), Some(4));
        let overlaps = |from, to| span.overlaps(SimTime(from), SimTime(to));
        assert!(overlaps(349, 400) && overlaps(0, 101) && overlaps(200, 201));
        assert!(!overlaps(350, 400) && !overlaps(0, 100));
    }
}
