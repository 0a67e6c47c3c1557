//! What hosts asked of a drive, with their data, with what was answered before they asked it, and with marks that they set, so that it can be asked again and cut at any event.
//!
//! A file begins with `MAGIC`, the bytes of the device (8, little-endian as all integers) and how many entries follow (8). An entry is the moment (8, ns), what it is
//! (1), forced unit access (1), first byte (8), bytes (8) and the bytes of what follows (8): data of a write, none where they are zeroes, or the text of a mark. In place of
//! the first byte an answer has the number of the request that it is for, counted from 0.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use wordline_units::SimTime;
use wordline_workload::HostOp;

use crate::ask::Ask;
use crate::error::LiveError;

const MAGIC: &[u8; 8] = b"WLASKED2";
/// Bytes of the longest piece of data.
const MOST_DATA: u64 = 64 << 20;
const MARK: u8 = 255;
const ANSWER: u8 = 254;

/// Something that a host did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It asked something; a write has its data, none where they are zeroes.
    Ask(Ask, Box<[u8]>),
    /// It hears the answer to the request of this number, counted from 0. What comes after it may come because of it.
    Answer(u64),
    /// It says what it knows now, such as the number of a transaction that is committed.
    Mark(Box<str>),
}

/// What hosts did, in the order in which it came, with its moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Bytes of the device.
    pub size: u64,
    /// What hosts did.
    pub entries: Vec<(SimTime, Entry)>,
}

const OPS: [HostOp; 5] = [
    HostOp::Read,
    HostOp::Write,
    HostOp::Trim,
    HostOp::WriteZeroes,
    HostOp::Flush,
];

impl Stream {
    /// Writes it to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), LiveError> {
        let save = || -> io::Result<()> {
            let mut file = BufWriter::new(File::create(path)?);
            file.write_all(MAGIC)?;
            file.write_all(&self.size.to_le_bytes())?;
            file.write_all(&(self.entries.len() as u64).to_le_bytes())?;
            for (at, entry) in &self.entries {
                let (kind, fua, offset, length, data): (u8, bool, u64, u64, &[u8]) = match entry {
                    Entry::Ask(ask, data) => {
                        let kind = OPS.iter().position(|op| *op == ask.op).unwrap_or_default();
                        (kind as u8, ask.fua, ask.offset, ask.length, data)
                    }
                    Entry::Answer(number) => (ANSWER, false, *number, 0, &[]),
                    Entry::Mark(text) => (MARK, false, 0, 0, text.as_bytes()),
                };
                file.write_all(&at.ns().to_le_bytes())?;
                file.write_all(&[kind, u8::from(fua)])?;
                for number in [offset, length, data.len() as u64] {
                    file.write_all(&number.to_le_bytes())?;
                }
                file.write_all(data)?;
            }
            file.into_inner()
                .map_err(io::IntoInnerError::into_error)?
                .sync_data()
        };
        save().map_err(|error| LiveError::Data(path.to_owned(), error))
    }

    /// Reads it from a file.
    ///
    /// # Errors
    /// A file that cannot be read or is none of these; which entry is wrong.
    pub fn load(path: &Path) -> Result<Self, LiveError> {
        let file = File::open(path).map_err(|error| LiveError::Data(path.to_owned(), error))?;
        Self::read(&mut BufReader::new(file))
            .map_err(|text| LiveError::Refused(format!("{}: {text}", path.display())))
    }

    /// Reads it from bytes.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(from: &mut dyn Read) -> Result<Self, String> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
            _ => error.to_string(),
        };
        let mut magic = [0; 8];
        from.read_exact(&mut magic).map_err(failed)?;
        if magic == *b"WLASKED1" {
            return Err(
                "a stream of a former version, which does not say what was answered: ask again (--command)"
                    .to_owned(),
            );
        }
        if magic != *MAGIC {
            return Err(
                "no stream of a live drive: accepted is what `wordline crash-test --stream` wrote".to_owned(),
            );
        }
        let number = |from: &mut dyn Read| {
            let mut bytes = [0; 8];
            from.read_exact(&mut bytes).map_err(failed)?;
            Ok::<_, String>(u64::from_le_bytes(bytes))
        };
        let (size, count) = (number(from)?, number(from)?);
        let mut stream = Self {
            size,
            entries: Vec::new(),
        };
        let mut latest = SimTime::ZERO;
        // requests, by whether they are answered
        let mut is_answered = Vec::new();
        for index in 0..count {
            let wrong = |what: String| format!("entry {index}: {what}");
            let at = SimTime(number(from).map_err(wrong)?);
            if at < latest {
                return Err(wrong(format!("at {at}, before the one before it")));
            }
            latest = at;
            let mut two = [0; 2];
            from.read_exact(&mut two).map_err(failed).map_err(wrong)?;
            let mut three = [0; 3];
            for each in &mut three {
                *each = number(from).map_err(wrong)?;
            }
            let [offset, length, bytes] = three;
            if bytes > MOST_DATA {
                return Err(wrong(format!(
                    "{bytes} bytes of data; accepted are at most {MOST_DATA}"
                )));
            }
            let mut data = Vec::new();
            // as much as there is, not as much as is said
            let got = from
                .take(bytes)
                .read_to_end(&mut data)
                .map_err(failed)
                .map_err(wrong)?;
            if (got as u64) < bytes {
                return Err(wrong("it ends too early".to_owned()));
            }
            let [kind, fua] = two;
            let entry = if kind == MARK {
                let text = String::from_utf8(data).map_err(|error| wrong(error.to_string()))?;
                Entry::Mark(text.into())
            } else if kind == ANSWER {
                let asked = is_answered.len();
                let is_new = usize::try_from(offset)
                    .ok()
                    .and_then(|number| is_answered.get_mut(number))
                    .is_some_and(|is_answered| !std::mem::replace(is_answered, true));
                if !is_new {
                    return Err(wrong(format!(
                        "an answer to request {offset}; accepted is one of the {asked} before it that has none"
                    )));
                }
                Entry::Answer(offset)
            } else {
                let op = *OPS.get(usize::from(kind)).ok_or_else(|| {
                    wrong(format!(
                        "of the kind {kind}; accepted are 0 to 4, {ANSWER} and {MARK}"
                    ))
                })?;
                let is_beyond = offset.checked_add(length).is_none_or(|end| end > size);
                if is_beyond || u32::try_from(length.div_ceil(512) + 1).is_err() {
                    return Err(wrong(format!(
                        "{length} bytes from {offset}; the device has {size}"
                    )));
                }
                if !data.is_empty() && (op != HostOp::Write || data.len() as u64 != length) {
                    return Err(wrong(format!("{} bytes of data for {length}", data.len())));
                }
                is_answered.push(false);
                let ask = Ask {
                    op,
                    fua: fua != 0,
                    offset,
                    length,
                };
                Entry::Ask(ask, data.into())
            };
            stream.entries.push((at, entry));
        }
        Ok(stream)
    }
}
