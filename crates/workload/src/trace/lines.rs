//! Text formats: one row per line.

use memchr::memchr;

use super::row::{Decoded, Decoder, RowParser};

/// Cuts lines and hands them to the parser of a format. Blank lines and lines that start with `#`
/// are passed over; a carriage return before the line end is no part of the row.
pub(crate) struct Lines<P> {
    parser: P,
}

impl<P: RowParser> Lines<P> {
    pub(crate) const fn new(parser: P) -> Self {
        Self { parser }
    }
}

impl<P: RowParser> Decoder for Lines<P> {
    fn decode(&mut self, bytes: &[u8], last: bool) -> Decoded {
        let (line, used) = match memchr(b'\n', bytes) {
            Some(end) => (&bytes[..end], end + 1),
            None if last => (bytes, bytes.len()),
            None => return Decoded::Incomplete,
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // spreadsheets put a byte order mark before the first line
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None | Some(b'#') => Decoded::Blank { used },
            Some(_) => Decoded::Row {
                parsed: self.parser.parse(line),
                used,
            },
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.parser.remarks()
    }

    fn is_certain(&self) -> bool {
        self.parser.is_certain()
    }
}
