//! Columns of a text row, read byte by byte: no allocation, no copy.

use super::bytes::quoted;
use super::row::RowError;
use crate::HostOp;
use crate::time_unit::TimeUnit;

/// Largest request that a trace may hold, in bytes: 1 GiB, far above any that hosts send.
pub(crate) const LARGEST: u64 = 1 << 30;
/// Largest deallocation that a trace may hold, in bytes: as many sectors as the 32 bits of a range of NVMe count, and one less, as it may begin within a sector.
pub(crate) const LARGEST_TRIM: u64 = (u32::MAX as u64 - 1) * SECTOR;
/// Addresses end below this byte.
pub(crate) const ADDRESS_END: u64 = 1 << 62;
/// Bytes of the sector that most formats count in.
pub(crate) const SECTOR: u64 = 512;

/// What stands between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// One such character, with blanks around it allowed.
    One(u8),
    /// Any number of blanks or tabs.
    Blank,
}

impl Separator {
    /// Commas.
    pub(crate) const COMMA: Self = Self::One(b',');
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
            Separator::One(_) => self.rest,
        };
        if self.ended || (rest.is_empty() && self.separator == Separator::Blank) {
            return None;
        }
        self.column += 1;
        let end = match self.separator {
            Separator::One(between) => rest.iter().position(|byte| *byte == between),
            Separator::Blank => rest.iter().position(|byte| is_blank(*byte)),
        };
        let Some(end) = end else {
            self.ended = true;
            return Some(rest.trim_ascii());
        };
        self.rest = &rest[end + 1..];
        let column = &rest[..end];
        Some(match self.separator {
            Separator::One(_) => column.trim_ascii(),
            Separator::Blank => column,
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

    /// A whole number, not negative; among commas also with zeroes behind a point, as data frames write columns with gaps.
    #[inline]
    pub(crate) fn number(&mut self, what: &'static str) -> Result<u64, RowError> {
        let column = self.need(what)?;
        match whole(column).or_else(|| even(column).filter(|_| self.separator == Separator::COMMA)) {
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
        let (first, column) = (self.number(start)?, self.column);
        let count = self.number(length)?;
        extent(
            (column, start, first, unit),
            (self.column, length, count, length_unit),
            LARGEST,
        )
    }

    /// The same of a request whose kind is known: a deallocation may be larger than one with data. `mark` stands between address and length, if anything does.
    #[inline]
    pub(crate) fn extent_of(
        &mut self,
        op: HostOp,
        (start, unit): (&'static str, u64),
        mark: Option<&'static [u8]>,
        (length, length_unit): (&'static str, u64),
    ) -> Result<(u64, u64), RowError> {
        let (first, column) = (self.number(start)?, self.column);
        if let Some(mark) = mark {
            let between = self.need("+")?;
            if between != mark {
                return Err(self.wrong("+", between, "a + between sector and sectors"));
            }
        }
        let count = self.number(length)?;
        extent(
            (column, start, first, unit),
            (self.column, length, count, length_unit),
            largest(op),
        )
    }

    /// `r` or `read`, `w` or `write`, of either case.
    #[inline]
    pub(crate) fn read_or_write(&mut self, what: &'static str) -> Result<HostOp, RowError> {
        let column = self.need(what)?;
        self.as_read_or_write(what, column)
    }

    /// The same of a column that is taken already.
    #[inline]
    pub(crate) fn as_read_or_write(&self, what: &'static str, column: &[u8]) -> Result<HostOp, RowError> {
        match column {
            b"r" | b"R" => Ok(HostOp::Read),
            b"w" | b"W" => Ok(HostOp::Write),
            word if word.eq_ignore_ascii_case(b"read") => Ok(HostOp::Read),
            word if word.eq_ignore_ascii_case(b"write") => Ok(HostOp::Write),
            other => Err(self.wrong(what, other, "r (read) or w (write)")),
        }
    }

    /// One half of a device's number.
    #[inline]
    pub(crate) fn device_number(&mut self, what: &'static str) -> Result<u64, RowError> {
        let number = self.number(what)?;
        if number < 1 << 32 {
            return Ok(number);
        }
        Err(self.wrong(what, number.to_string().as_bytes(), "a number below 2^32"))
    }

    /// Digests of contents, which are checked but not stored.
    #[inline]
    pub(crate) fn digests(&mut self) -> Result<(), RowError> {
        let digests = self.need("digests")?;
        if digests.len() >= 32 && digests.iter().all(u8::is_ascii_hexdigit) {
            return Ok(());
        }
        Err(self.wrong("digests", digests, "hexadecimal digests of 32 digits each"))
    }

    /// The column taken last, counted from 1.
    pub(crate) const fn column(&self) -> u32 {
        self.column
    }

    /// What follows the column taken last.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        if self.ended { &[] } else { self.rest }
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
        self.wrong_at(self.column, what, found, accepted)
    }

    /// An earlier column is wrong.
    #[cold]
    pub(crate) fn wrong_at(
        &self,
        column: u32,
        what: &'static str,
        found: &[u8],
        accepted: &'static str,
    ) -> RowError {
        RowError {
            column,
            what,
            found: quoted(found),
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
            Separator::One(b',') => "columns with commas between them",
            Separator::One(_) => "columns with the separator between them",
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

/// Bytes of the largest request of a kind.
pub(crate) const fn largest(op: HostOp) -> u64 {
    match op {
        HostOp::Trim | HostOp::WriteZeroes => LARGEST_TRIM,
        _ => LARGEST,
    }
}

/// First byte and bytes of a request of at most `largest` bytes: for address and length, the column, its name, the number that
/// stands there, and the bytes that it counts.
///
/// # Errors
/// An address or a length that no drive has.
#[inline]
pub(crate) fn extent(
    (column, start, first, unit): (u32, &'static str, u64, u64),
    (length_column, length, count, length_unit): (u32, &'static str, u64, u64),
    largest: u64,
) -> Result<(u64, u64), RowError> {
    let Some(first_byte) = first.checked_mul(unit).filter(|byte| *byte < ADDRESS_END) else {
        return Err(out_of_range(column, start, first, "an address below 4 EiB"));
    };
    let Some(bytes) = count.checked_mul(length_unit).filter(|bytes| *bytes <= largest) else {
        let accepted = match largest {
            LARGEST => "a request of at most 1 GiB",
            _ => "a deallocation of at most 4294967294 sectors",
        };
        return Err(out_of_range(length_column, length, count, accepted));
    };
    Ok((first_byte, bytes))
}

#[cold]
fn out_of_range(column: u32, what: &'static str, found: u64, accepted: &'static str) -> RowError {
    RowError {
        column,
        what,
        found: found.to_string(),
        accepted: accepted.into(),
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

/// A whole number with a point and zeroes behind it.
#[cold]
fn even(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|byte| *byte == b'.')?;
    let (before, behind) = (&text[..point], &text[point + 1..]);
    whole(before).filter(|_| behind.iter().all(|byte| *byte == b'0'))
}

/// A number in hexadecimal digits.
pub(crate) fn hexadecimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0, |value, byte| {
        Some(value << 4 | u64::from((*byte as char).to_digit(16)?))
    })
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
