//! Text formats: one row per line.

use memchr::memchr;

use super::row::{Decoded, Decoder, RowParser};

/// Cuts lines and hands them to the parser of a format. Blank lines and lines that start with `#`
/// are passed over; a carriage return before the line end is no part of the row.
pub(crate) struct Lines<P> {
    parser: P,
    /// A row as it would stand with commas and without quotes.
    plain: Vec<u8>,
}

impl<P: RowParser> Lines<P> {
    pub(crate) const fn new(parser: P) -> Self {
        Self {
            parser,
            plain: Vec::new(),
        }
    }
}

/// The row with commas between its columns and without quotes around them; `false` where it stands so already.
fn part_by_commas(row: &[u8], plain: &mut Vec<u8>) -> bool {
    let other = b";\t"
        .iter()
        .find(|mark| !row.contains(&b',') && row.contains(mark));
    if other.is_none() && !row.contains(&b'"') {
        return false;
    }
    plain.clear();
    plain.extend(
        row.iter()
            .filter(|byte| **byte != b'"')
            .map(|byte| if Some(byte) == other { b',' } else { *byte }),
    );
    true
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
        let parser = &mut self.parser;
        match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None | Some(b'#') => Decoded::Blank { used },
            Some(_) => Decoded::Row {
                parsed: if parser.is_parted_by_commas() && part_by_commas(line, &mut self.plain) {
                    parser.parse(&self.plain)
                } else {
                    parser.parse(line)
                },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_spreadsheets_are_parted_by_commas() {
        let plain = |row: &str| {
            let mut plain = Vec::new();
            part_by_commas(row.as_bytes(), &mut plain).then(|| String::from_utf8(plain).unwrap())
        };
        assert_eq!(plain("1,hm,0,Read,8"), None);
        assert_eq!(plain("\"1\",\"hm\",\"Read\"").as_deref(), Some("1,hm,Read"));
        assert_eq!(plain("1;hm;Read").as_deref(), Some("1,hm,Read"));
        assert_eq!(plain("1\thm\tRead").as_deref(), Some("1,hm,Read"));
        assert_eq!(plain("1 2 3"), None);
    }
}
