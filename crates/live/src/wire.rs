//! The numbers of the NBD protocol, and how requests and replies are laid out (the specification `doc/proto.md` of the project
//! NetworkBlockDevice/nbd). All integers are big-endian.

/// Bytes of the longest read or write: what the specification recommends that every server takes.
pub const MOST_BYTES: u32 = 32 << 20;
/// Bytes of a request without its data.
pub const REQUEST_BYTES: usize = 28;
/// Bytes of the longest option: a name of 4,096 bytes and more information items than there are.
pub(crate) const MOST_OPTION_BYTES: u32 = 8_192;

pub(crate) const MAGIC: u64 = 0x4e42_444d_4147_4943; // "NBDMAGIC"
pub(crate) const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054; // "IHAVEOPT"
pub(crate) const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
pub(crate) const REQUEST_MAGIC: u32 = 0x2560_9513;
const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;
const CHUNK_MAGIC: u32 = 0x668e_33ef;

/// Flags of the handshake, which both sides have: fixed newstyle, and no zeroes after `NBD_OPT_EXPORT_NAME`.
pub(crate) const FIXED_NEWSTYLE: u16 = 1;
pub(crate) const NO_ZEROES: u16 = 2;

/// Options.
pub(crate) mod option {
    pub(crate) const EXPORT_NAME: u32 = 1;
    pub(crate) const ABORT: u32 = 2;
    pub(crate) const LIST: u32 = 3;
    pub(crate) const INFO: u32 = 6;
    pub(crate) const GO: u32 = 7;
    pub(crate) const STRUCTURED_REPLY: u32 = 8;
}

/// Replies to options.
pub(crate) mod answer {
    pub(crate) const ACK: u32 = 1;
    pub(crate) const SERVER: u32 = 2;
    pub(crate) const INFO: u32 = 3;
    pub(crate) const ERR_UNSUP: u32 = (1 << 31) | 1;
    pub(crate) const ERR_INVALID: u32 = (1 << 31) | 3;
    pub(crate) const ERR_UNKNOWN: u32 = (1 << 31) | 6;
    pub(crate) const ERR_TOO_BIG: u32 = (1 << 31) | 9;
}

/// Items of information on an export.
pub(crate) mod info {
    pub(crate) const EXPORT: u16 = 0;
    pub(crate) const NAME: u16 = 1;
    pub(crate) const DESCRIPTION: u16 = 2;
    pub(crate) const BLOCK_SIZE: u16 = 3;
}

/// What an export can do, as flags of the transmission.
pub(crate) mod can {
    pub(crate) const HAS_FLAGS: u16 = 1;
    pub(crate) const READ_ONLY: u16 = 1 << 1;
    pub(crate) const FLUSH: u16 = 1 << 2;
    pub(crate) const FUA: u16 = 1 << 3;
    pub(crate) const TRIM: u16 = 1 << 5;
    pub(crate) const WRITE_ZEROES: u16 = 1 << 6;
    pub(crate) const DONT_FRAGMENT: u16 = 1 << 7;
    pub(crate) const MULTI_CONN: u16 = 1 << 8;
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Data of the device.
    Read,
    /// Data for the device.
    Write,
    /// The client leaves.
    Disconnect,
    /// All writes that were answered are to be on stable storage.
    Flush,
    /// The client has no use for the data any more.
    Trim,
    /// Zeroes, which are not sent.
    WriteZeroes,
    /// Any other.
    Other(u16),
}

/// A request, less its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it asks for.
    pub command: Command,
    /// Forced unit access: the data are to be on stable storage when it is answered.
    pub fua: bool,
    /// Zeroes are to take room as data do.
    pub no_hole: bool,
    /// Whether it has a flag that nobody asked for.
    pub has_strange_flags: bool,
    /// What the client calls it.
    pub cookie: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

/// A request, from its bytes; none where its magic is another.
pub(crate) fn request(bytes: &[u8; REQUEST_BYTES]) -> Option<Request> {
    let two = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    if four(bytes, 0) != REQUEST_MAGIC {
        return None;
    }
    let (flags, kind) = (two(4), two(6));
    let command = match kind {
        0 => Command::Read,
        1 => Command::Write,
        2 => Command::Disconnect,
        3 => Command::Flush,
        4 => Command::Trim,
        6 => Command::WriteZeroes,
        other => Command::Other(other),
    };
    // FUA goes with everything; "no hole" with zeroes, "do not fragment" with reads
    let known = 1 | match command {
        Command::WriteZeroes => 1 << 1,
        Command::Read => 1 << 2,
        _ => 0,
    };
    Some(Request {
        command,
        fua: flags & 1 != 0,
        no_hole: flags & 2 != 0,
        has_strange_flags: flags & !known != 0,
        cookie: eight(bytes, 8),
        offset: eight(bytes, 16),
        length: four(bytes, 24),
    })
}

pub(crate) fn four(bytes: &[u8], at: usize) -> u32 {
    let mut found = [0; 4];
    found.copy_from_slice(&bytes[at..at + 4]);
    u32::from_be_bytes(found)
}

pub(crate) fn eight(bytes: &[u8], at: usize) -> u64 {
    let mut found = [0; 8];
    found.copy_from_slice(&bytes[at..at + 8]);
    u64::from_be_bytes(found)
}

/// An error that a client is told, by its number in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// The export is read-only.
    Perm = 1,
    /// The drive could not do it.
    Io = 5,
    /// The request makes no sense here.
    Inval = 22,
    /// It reaches beyond the end of the export, or there is no room for its data.
    NoSpace = 28,
    /// The protocol has it, this server does not.
    NotSupported = 95,
}

/// Appends an answer without data.
pub(crate) fn simple(out: &mut Vec<u8>, cookie: u64, error: Option<Errno>) {
    out.extend(SIMPLE_REPLY_MAGIC.to_be_bytes());
    out.extend(error.map_or(0, |error| error as u32).to_be_bytes());
    out.extend(cookie.to_be_bytes());
}

fn chunk(out: &mut Vec<u8>, kind: u16, cookie: u64, bytes: u32) {
    const DONE: u16 = 1;
    out.extend(CHUNK_MAGIC.to_be_bytes());
    out.extend(DONE.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend(cookie.to_be_bytes());
    out.extend(bytes.to_be_bytes());
}

/// Appends the only chunk of an answer without data, or the head of one with `length` bytes from `offset`, which are to follow.
pub(crate) fn data_chunk(out: &mut Vec<u8>, cookie: u64, offset: u64, length: u32) {
    chunk(out, 1, cookie, length + 8);
    out.extend(offset.to_be_bytes());
}

/// Appends the only chunk of an answer to a read that finds zeroes only.
pub(crate) fn hole_chunk(out: &mut Vec<u8>, cookie: u64, offset: u64, length: u32) {
    chunk(out, 2, cookie, 12);
    out.extend(offset.to_be_bytes());
    out.extend(length.to_be_bytes());
}

/// Appends the only chunk of an answer to a read that failed.
pub(crate) fn error_chunk(out: &mut Vec<u8>, cookie: u64, error: Errno) {
    chunk(out, (1 << 15) | 1, cookie, 6);
    out.extend((error as u32).to_be_bytes());
    out.extend(0_u16.to_be_bytes());
}

/// Appends the only chunk of an answer to a read of nothing.
pub(crate) fn none_chunk(out: &mut Vec<u8>, cookie: u64) {
    chunk(out, 0, cookie, 0);
}
