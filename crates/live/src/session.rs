//! What a server says to a client, byte by byte, without a socket: the handshake, the haggling over options, and where requests begin.

use thiserror::Error;

use crate::wire::{
    self, Command, FIXED_NEWSTYLE, MAGIC, MOST_BYTES, MOST_OPTION_BYTES, NO_ZEROES, OPTION_MAGIC,
    OPTION_REPLY_MAGIC, REQUEST_BYTES, Request, answer, can, eight, four, info, option,
};

/// Names of an export are not longer.
const MOST_NAME_BYTES: usize = 4_096;

/// What is exported.
#[derive(Clone, Debug)]
pub struct Export {
    /// Its name; a client that names none gets it too.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// Bytes.
    pub size: u64,
    /// Nothing can be written.
    pub read_only: bool,
    /// The size of requests that suits the drive best: its mapping unit, bytes; a power of two.
    pub preferred: u32,
}

impl Export {
    const fn flags(&self) -> u16 {
        let writes = if self.read_only {
            can::READ_ONLY
        } else {
            can::TRIM | can::WRITE_ZEROES
        };
        can::HAS_FLAGS | can::FLUSH | can::FUA | can::DONT_FRAGMENT | can::MULTI_CONN | writes
    }
}

/// Why a connection is closed: the client does not keep to the protocol.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProtocolError {
    /// The flags of the handshake.
    #[error("the client's first flags are {0:#x}; accepted are 1 (fixed newstyle) and 2 (no zeroes)")]
    Flags(u32),
    /// What an option begins with.
    #[error("an option begins with {0:#018x}; accepted is {OPTION_MAGIC:#018x} (`IHAVEOPT`)")]
    Option(u64),
    /// An option is too long to be skipped.
    #[error("an option of {0} bytes; accepted are at most {MOST_OPTION_BYTES}")]
    LongOption(u32),
    /// An export that is not there, asked for with the option that knows no refusal.
    #[error("the export {0:?} is asked for; accepted are {1:?} and the empty name")]
    Export(String, String),
    /// What a request begins with.
    #[error("a request begins with {0:#010x}; accepted is 0x25609513")]
    Request(u32),
    /// More data than the server takes.
    #[error("a write of {0} bytes; accepted are at most {MOST_BYTES}")]
    LongWrite(u32),
}

/// What comes next of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More bytes are needed.
    More,
    /// So many bytes are done with; there may be more to do with the next ones.
    Done(usize),
    /// A request in the first bytes, its data behind the head; they are done with when it is.
    Request(Request, usize),
    /// The client leaves.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Flags,
    Options,
    Transmission,
}

/// How far a client has come.
#[derive(Clone, Debug)]
pub struct Session {
    export: Export,
    stage: Stage,
    no_zeroes: bool,
    /// Whether reads are answered in chunks.
    structured: bool,
}

impl Session {
    /// A client that has just come; appends what it is greeted with.
    pub fn greet(export: Export, out: &mut Vec<u8>) -> Self {
        out.extend(MAGIC.to_be_bytes());
        out.extend(OPTION_MAGIC.to_be_bytes());
        out.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
        Self {
            export,
            stage: Stage::Flags,
            no_zeroes: false,
            structured: false,
        }
    }

    /// Whether reads are answered in chunks.
    #[must_use]
    pub const fn is_structured(&self) -> bool {
        self.structured
    }

    /// Whether requests are sent, and no options any more.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.stage == Stage::Transmission
    }

    /// What the first bytes of `input` are; appends what is said to them but for answers to requests.
    ///
    /// # Errors
    /// Anything after which nobody could say where the next message begins.
    pub fn next(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, ProtocolError> {
        match self.stage {
            Stage::Flags => self.flags(input),
            Stage::Options => self.option(input, out),
            Stage::Transmission => request(input),
        }
    }

    fn flags(&mut self, input: &[u8]) -> Result<Step, ProtocolError> {
        if input.len() < 4 {
            return Ok(Step::More);
        }
        let flags = four(input, 0);
        if flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
            return Err(ProtocolError::Flags(flags));
        }
        self.no_zeroes = flags & u32::from(NO_ZEROES) != 0;
        self.stage = Stage::Options;
        Ok(Step::Done(4))
    }

    fn option(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, ProtocolError> {
        if input.len() < 16 {
            return Ok(Step::More);
        }
        if eight(input, 0) != OPTION_MAGIC {
            return Err(ProtocolError::Option(eight(input, 0)));
        }
        let (kind, length) = (four(input, 8), four(input, 12));
        if length > MOST_OPTION_BYTES {
            return Err(ProtocolError::LongOption(length));
        }
        let end = 16 + length as usize;
        let Some(data) = input.get(16..end) else {
            return Ok(Step::More);
        };
        match kind {
            option::EXPORT_NAME => self.export_name(data, out)?,
            option::ABORT => {
                reply(out, kind, answer::ACK, &[]);
                return Ok(Step::End);
            }
            option::LIST if !data.is_empty() => refuse(out, kind, answer::ERR_INVALID, "a list has no data"),
            option::LIST => {
                let name = self.export.name.as_bytes();
                let length = (name.len() as u32).to_be_bytes();
                reply(
                    out,
                    kind,
                    answer::SERVER,
                    &[&length, name, self.export.description.as_bytes()],
                );
                reply(out, kind, answer::ACK, &[]);
            }
            option::INFO | option::GO => self.information(kind, data, out),
            option::STRUCTURED_REPLY if !data.is_empty() => {
                refuse(out, kind, answer::ERR_INVALID, "structured replies have no data");
            }
            option::STRUCTURED_REPLY => {
                self.structured = true;
                reply(out, kind, answer::ACK, &[]);
            }
            _ => refuse(out, kind, answer::ERR_UNSUP, "this server does not have it"),
        }
        Ok(Step::Done(end))
    }

    fn has(&self, name: &[u8]) -> bool {
        name.is_empty() || name == self.export.name.as_bytes()
    }

    fn export_name(&mut self, name: &[u8], out: &mut Vec<u8>) -> Result<(), ProtocolError> {
        if !self.has(name) {
            let name = String::from_utf8_lossy(name).into_owned();
            return Err(ProtocolError::Export(name, self.export.name.clone()));
        }
        out.extend(self.export.size.to_be_bytes());
        out.extend(self.export.flags().to_be_bytes());
        if !self.no_zeroes {
            out.extend([0; 124]);
        }
        self.stage = Stage::Transmission;
        Ok(())
    }

    /// Answers `NBD_OPT_INFO` and `NBD_OPT_GO`, after which requests follow.
    fn information(&mut self, kind: u32, data: &[u8], out: &mut Vec<u8>) {
        let Some((name, wanted)) = named(data) else {
            return refuse(
                out,
                kind,
                answer::ERR_INVALID,
                "accepted are a name, and as many items as are announced",
            );
        };
        if name.len() > MOST_NAME_BYTES {
            return refuse(out, kind, answer::ERR_TOO_BIG, "a name has at most 4096 bytes");
        }
        if !self.has(name) {
            let text = format!("accepted are {:?} and the empty name", self.export.name);
            return refuse(out, kind, answer::ERR_UNKNOWN, &text);
        }
        let export = &self.export;
        let item = |out: &mut Vec<u8>, item: u16, parts: &[&[u8]]| {
            let item = item.to_be_bytes();
            let parts: Vec<&[u8]> = std::iter::once(&item[..]).chain(parts.iter().copied()).collect();
            reply(out, kind, answer::INFO, &parts);
        };
        let (size, flags) = (export.size.to_be_bytes(), export.flags().to_be_bytes());
        item(out, info::EXPORT, &[&size, &flags]);
        if wanted.contains(&info::NAME) {
            item(out, info::NAME, &[export.name.as_bytes()]);
        }
        if wanted.contains(&info::DESCRIPTION) {
            item(out, info::DESCRIPTION, &[export.description.as_bytes()]);
        }
        if wanted.contains(&info::BLOCK_SIZE) {
            // any alignment is served; a sector is what the drive itself knows
            let sizes = [1_u32, export.preferred, MOST_BYTES].map(u32::to_be_bytes);
            item(out, info::BLOCK_SIZE, &[&sizes[0], &sizes[1], &sizes[2]]);
        }
        reply(out, kind, answer::ACK, &[]);
        if kind == option::GO {
            self.stage = Stage::Transmission;
        }
    }
}

/// A name with its length before it, and the items that are asked for.
fn named(data: &[u8]) -> Option<(&[u8], Vec<u16>)> {
    let length = four(data.get(..4)?, 0) as usize;
    let name = data.get(4..4_usize.checked_add(length)?)?;
    let rest = &data[4 + length..];
    let two = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
    let count = two(rest.get(..2)?) as usize;
    let items = &rest[2..];
    (items.len() == 2 * count).then(|| (name, items.chunks_exact(2).map(two).collect()))
}

fn request(input: &[u8]) -> Result<Step, ProtocolError> {
    let Some(head) = input.first_chunk::<REQUEST_BYTES>() else {
        return Ok(Step::More);
    };
    let request = wire::request(head).ok_or_else(|| ProtocolError::Request(four(head, 0)))?;
    let data = match request.command {
        Command::Write if request.length > MOST_BYTES => {
            return Err(ProtocolError::LongWrite(request.length));
        }
        Command::Write => request.length as usize,
        Command::Disconnect => return Ok(Step::End),
        _ => 0,
    };
    let end = REQUEST_BYTES + data;
    Ok(if input.len() < end {
        Step::More
    } else {
        Step::Request(request, end)
    })
}

fn reply(out: &mut Vec<u8>, kind: u32, answer: u32, parts: &[&[u8]]) {
    out.extend(OPTION_REPLY_MAGIC.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend(answer.to_be_bytes());
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.extend((length as u32).to_be_bytes());
    for part in parts {
        out.extend(*part);
    }
}

fn refuse(out: &mut Vec<u8>, kind: u32, answer: u32, why: &str) {
    reply(out, kind, answer, &[why.as_bytes()]);
}
