//! Columns of a text row, read byte by byte: no allocation, no copy.

use super::bytes::quoted;
use super::row::RowError;
use crate::HostOp;
use crate::config::TimeUnit;

/// Largest request that a trace may hold, in bytes: 1 GiB, far above any that hosts send.
pub(crate) const LARGEST: u64 = 1 << 30;
/// Addresses end below this byte.
const ADDRESS_END: u64 = 1 << 62;
/// Bytes of the sector that most formats count in.
pub(crate) const SECTOR: u64 = 512;

/// What stands between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// One comma, with blanks around it allowed.
    Comma,
    /// Any number of blanks or tabs.
    Blank,
}

/// The columns of a row, taken from the left.
pub(crate) struct Columns<'a> {
    rest: &'a [u8],
    separator: Separator,
    /// The column taken last, counted from 1.
    column: u32,
    ended: bool,
}

impl<'a> Columns<'a> {
    #[inline]
    pub(crate) fn new(row: &'a [u8], separator: Separator) -> Self {
        Self {
            rest: row,
            separator,
            column: 0,
            ended: false,
        }
    }

    /// The next column, trimmed; `None` at the end of the row.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let rest = match self.separator {
            Separator::Blank => trim_start(self.rest),
            Separator::Comma => self.rest,
        };
        if self.ended || (rest.is_empty() && self.separator == Separator::Blank) {
            return None;
        }
        self.column += 1;
        let end = match self.separator {
            Separator::Comma => rest.iter().position(|byte| *byte == b','),
            Separator::Blank => rest.iter().position(|byte| is_blank(*byte)),
        };
        let Some(end) = end else {
            self.ended = true;
            return Some(rest.trim_ascii());
        };
        self.rest = &rest[end + 1..];
        let column = &rest[..end];
        Some(if self.separator == Separator::Comma {
            column.trim_ascii()
        } else {
            column
        })
    }

    /// The next column, which the format requires.
    #[inline]
    pub(crate) fn need(&mut self, what: &'static str) -> Result<&'a [u8], RowError> {
        match self.next() {
            Some(column) => Ok(column),
            None => Err(self.missing(what)),
        }
    }

    /// A whole number, not negative.
    #[inline]
    pub(crate) fn number(&mut self, what: &'static str) -> Result<u64, RowError> {
        let column = self.need(what)?;
        match whole(column) {
            Some(value) => Ok(value),
            None => Err(self.wrong(what, column, "a whole number, not negative, below 2^64")),
        }
    }

    /// A time in `unit`, in whole nanoseconds (digits below are cut off).
    #[inline]
    pub(crate) fn time(&mut self, what: &'static str, unit: TimeUnit) -> Result<u64, RowError> {
        let column = self.need(what)?;
        match time(column, unit.ns()) {
            Some(value) => Ok(value),
            None => Err(self.wrong(
                what,
                column,
                "a decimal number, not negative, of at most 584 years in nanoseconds; see workload.time_unit",
            )),
        }
    }

    /// An address and a length, each a number of units of so many bytes.
    #[inline]
    pub(crate) fn extent(
        &mut self,
        (start, unit): (&'static str, u64),
        (length, length_unit): (&'static str, u64),
    ) -> Result<(u64, u64), RowError> {
        let first = self.number(start)?;
        let Some(first) = first.checked_mul(unit).filter(|first| *first < ADDRESS_END) else {
            return Err(self.out_of_range(start, first, "an address below 4 EiB"));
        };
        let count = self.number(length)?;
        let Some(bytes) = count.checked_mul(length_unit).filter(|bytes| *bytes <= LARGEST) else {
            return Err(self.out_of_range(length, count, "a request of at most 1 GiB"));
        };
        Ok((first, bytes))
    }

    /// `1` for a read, `0` for a write.
    #[inline]
    pub(crate) fn one_is_read(&mut self) -> Result<HostOp, RowError> {
        match self.need("type")? {
            b"1" => Ok(HostOp::Read),
            b"0" => Ok(HostOp::Write),
            other => Err(self.wrong("type", other, "1 (read) or 0 (write)")),
        }
    }

    /// Checks that no column follows.
    #[inline]
    pub(crate) fn end(&mut self) -> Result<(), RowError> {
        let columns = self.column;
        match self.next() {
            None => Ok(()),
            Some(extra) => {
                let found = format!("a further column, {}", quoted(extra));
                Err(RowError {
                    column: 0,
                    what: "",
                    found,
                    accepted: format!("{columns} columns").into(),
                })
            }
        }
    }

    /// The column taken last is wrong.
    #[cold]
    pub(crate) fn wrong(&self, what: &'static str, found: &[u8], accepted: &'static str) -> RowError {
        RowError {
            column: self.column,
            what,
            found: quoted(found),
            accepted: accepted.into(),
        }
    }

    #[cold]
    fn out_of_range(&self, what: &'static str, found: u64, accepted: &'static str) -> RowError {
        RowError {
            column: self.column,
            what,
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }

    #[cold]
    fn missing(&self, what: &'static str) -> RowError {
        let found = match self.column {
            1 => format!("the row ends after 1 column, where {what} should follow"),
            columns => format!("the row ends after {columns} columns, where {what} should follow"),
        };
        let between = match self.separator {
            Separator::Comma => "columns with commas between them",
            Separator::Blank => "columns with blanks between them",
        };
        RowError {
            column: 0,
            what,
            found,
            accepted: between.into(),
        }
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[inline]
fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// A whole decimal number.
#[inline]
pub(crate) fn whole(digits: &[u8]) -> Option<u64> {
    // 19 digits cannot overflow, and no real trace has more
    if digits.is_empty() || digits.len() > 19 {
        return slow_whole(digits);
    }
    let mut value = 0_u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

#[cold]
fn slow_whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A decimal number times `scale`, exact; what is less than 1 of the result is cut off.
#[inline]
pub(crate) fn time(text: &[u8], scale: u64) -> Option<u64> {
    let Some(point) = text.iter().position(|byte| *byte == b'.') else {
        return whole(text)?.checked_mul(scale);
    };
    let (before, after) = (&text[..point], &text[point + 1..]);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let whole_units = if before.is_empty() { 0 } else { whole(before)? };
    // every scale is a power of ten, so that dividing it digit by digit is exact
    let (mut place, mut below) = (scale, 0_u64);
    for byte in after {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        place /= 10;
        below += place * u64::from(digit);
    }
    whole_units.checked_mul(scale)?.checked_add(below)
}
