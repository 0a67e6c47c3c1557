//! Numbers for names: the hosts, files or volumes of a trace, in the order in which they appear.

use super::bytes::quoted;
use super::row::RowError;

/// Names that a trace may hold.
const MOST: usize = 1 << 16;
/// Longest name, in bytes.
const LONGEST: usize = 4096;

/// Names seen so far.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<Vec<u8>>,
    /// The name of the row before: nearly always that of this row.
    last: usize,
}

impl Names {
    /// The number of `name`, which column `column` (`what`) holds.
    ///
    /// # Errors
    /// A name that is too long, or too many of them.
    #[inline]
    pub(crate) fn number(&mut self, name: &[u8], column: u32, what: &'static str) -> Result<u64, RowError> {
        if self.names.get(self.last).is_none_or(|last| last != name) {
            self.last = self.look_up(name).ok_or_else(|| RowError {
                column,
                what,
                found: quoted(name),
                accepted: format!("at most {MOST} different names, none longer than {LONGEST} bytes").into(),
            })?;
        }
        Ok(self.last as u64)
    }

    fn look_up(&mut self, name: &[u8]) -> Option<usize> {
        self.names.iter().position(|known| known == name).or_else(|| {
            (self.names.len() < MOST && name.len() <= LONGEST).then(|| {
                self.names.push(name.to_vec());
                self.names.len() - 1
            })
        })
    }
}

/// Whether a row begins with these words, in any case and with or without quotes: a header line.
pub(crate) fn is_header(row: &[u8], words: &str) -> bool {
    let written = row
        .trim_ascii_start()
        .iter()
        .filter(|byte| !b"\" ".contains(byte));
    let mut written = written.map(u8::to_ascii_lowercase);
    words
        .bytes()
        .all(|byte| written.next() == Some(byte.to_ascii_lowercase()))
}
