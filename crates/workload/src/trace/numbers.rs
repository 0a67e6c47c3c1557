//! Numbers as people, spreadsheets and data frames write them: `4096.0`, `"4,096"`, `4.096,0`, `4.096e+03`, `0x1000`.

use super::dates::Dates;
use super::fields::{Separator, hexadecimal, time, whole};
use crate::time_unit::TimeUnit;

/// Bytes of the longest number that is read.
const LONGEST: usize = 48;
/// Marks between groups of three digits that mean nothing else: blanks of three widths, an apostrophe of two kinds, a low line.
const GROUPS: [&[u8]; 7] = [
    b" ",
    b"\xc2\xa0",
    b"\xe2\x80\xaf",
    b"\xe2\x80\x89",
    b"'",
    b"\xe2\x80\x99",
    b"_",
];
/// What any of them becomes.
const GROUP: u8 = b'\'';

/// Reads the numbers of one file, whose first ones show which mark is the decimal one.
#[derive(Debug)]
pub(super) struct Numbers {
    /// The mark before the parts of one, once a number has shown it.
    decimal: Option<u8>,
    /// Columns are parted by semicolons, as spreadsheets do where the comma is the decimal mark.
    by_semicolons: bool,
    /// Numbers whose last digits an exponent has cut off.
    rounded: u64,
    dates: Dates,
}

impl Numbers {
    pub(super) fn new(separator: Separator) -> Self {
        Self {
            decimal: None,
            by_semicolons: separator == Separator::One(b';'),
            rounded: 0,
            dates: Dates::default(),
        }
    }

    /// How many whole numbers have fewer digits than they count, and so may have been rounded.
    pub(super) const fn rounded(&self) -> u64 {
        self.rounded
    }

    /// A whole number, also with zeroes behind a decimal mark, with an exponent, or in hexadecimal digits.
    pub(super) fn whole(&mut self, text: &[u8]) -> Option<u64> {
        if let Some(number) = whole(text) {
            return Some(number);
        }
        if let [b'0', b'x' | b'X', digits @ ..] = text {
            return hexadecimal(digits);
        }
        let mut buffer = [0; LONGEST];
        let (plain, exponent) = self.plain(text, true, &mut buffer)?;
        let point = plain.iter().position(|byte| *byte == b'.').unwrap_or(plain.len());
        let (before, behind) = (&plain[..point], plain.get(point + 1..).unwrap_or_default());
        let Some(exponent) = exponent else {
            let is_even = behind.iter().all(|byte| *byte == b'0');
            return whole(before).filter(|_| is_even);
        };
        let mut digits = [0; LONGEST];
        let length = before.len() + behind.len();
        digits[..before.len()].copy_from_slice(before);
        digits[before.len()..length].copy_from_slice(behind);
        let zeroes = i64::from(exponent) - behind.len() as i64;
        if zeroes >= 0 {
            self.rounded += u64::from(zeroes > 0 && !behind.is_empty());
            let power = 10_u64.checked_pow(u32::try_from(zeroes).ok()?)?;
            return whole(&digits[..length])?.checked_mul(power);
        }
        let kept = length.checked_sub(usize::try_from(-zeroes).ok()?)?;
        let (digits, cut) = digits[..length].split_at(kept);
        let number = if digits.is_empty() { Some(0) } else { whole(digits) };
        number.filter(|_| cut.iter().all(|byte| *byte == b'0'))
    }

    /// A time in nanoseconds: a decimal number of `unit`, or a date and a time of day.
    pub(super) fn moment(&mut self, text: &[u8], unit: TimeUnit) -> Option<u64> {
        if let Some(ns) = time(text, unit.ns()).filter(|_| self.decimal != Some(b',')) {
            return Some(ns);
        }
        if text.contains(&b':') {
            return self.dates.moment(text);
        }
        let mut buffer = [0; LONGEST];
        let (plain, exponent) = self.plain(text, false, &mut buffer)?;
        let Some(exponent) = exponent else {
            return time(plain, unit.ns());
        };
        let number: f64 = std::str::from_utf8(plain).ok()?.parse().ok()?;
        let ns = number * 10_f64.powi(exponent) * unit.ns() as f64;
        (ns >= 0.0 && ns < u64::MAX as f64).then_some(ns.round() as u64)
    }

    /// The digits of a number, with a point as decimal mark and no others, and its exponent. `None` where it is no number, or one of two.
    fn plain<'a>(
        &mut self,
        text: &[u8],
        is_whole: bool,
        buffer: &'a mut [u8; LONGEST],
    ) -> Option<(&'a [u8], Option<i32>)> {
        let (mantissa, exponent) = match text.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e')) {
            None => (text, None),
            Some(end) => {
                let digits = std::str::from_utf8(&text[end + 1..]).ok()?;
                (&text[..end], Some(digits.parse().ok()?))
            }
        };
        let mut marked = [0; LONGEST];
        let mut length = 0;
        let mut rest = mantissa;
        while let [first, behind @ ..] = rest {
            let group = GROUPS.iter().find_map(|mark| rest.strip_prefix(*mark));
            let byte = match (group, first) {
                (Some(_), _) => GROUP,
                (None, b'0'..=b'9' | b'.' | b',') => *first,
                _ => return None,
            };
            rest = group.unwrap_or(behind);
            *marked.get_mut(length)? = byte;
            length += 1;
        }
        let marked = &marked[..length];
        let decimal = self.decimal_of(marked, is_whole)?;
        let point = marked.iter().rposition(|byte| *byte == decimal);
        let (before, behind) = match point {
            Some(point) => (&marked[..point], &marked[point + 1..]),
            None => (marked, &[][..]),
        };
        if !behind.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let groups: Vec<&[u8]> = before.split(|byte| !byte.is_ascii_digit()).collect();
        let is_grouped = groups.len() > 1;
        if is_grouped && (groups[0].len() > 3 || groups[0].is_empty() || groups[0][0] == b'0') {
            return None;
        }
        if groups[1..].iter().any(|group| group.len() != 3) {
            return None;
        }
        let mut length = 0;
        let behind = [&b"."[..], behind];
        for part in groups.iter().chain(behind.iter().filter(|_| point.is_some())) {
            buffer[length..length + part.len()].copy_from_slice(part);
            length += part.len();
        }
        (length > 0).then_some((&buffer[..length], exponent))
    }

    /// The decimal mark, as this number or an earlier one shows it; `None` where this one may mean two numbers.
    fn decimal_of(&mut self, marked: &[u8], is_whole: bool) -> Option<u8> {
        if let Some(decimal) = self.decimal {
            return Some(decimal);
        }
        let count = |mark: u8| marked.iter().filter(|byte| **byte == mark).count();
        let last = marked.iter().rposition(|byte| matches!(byte, b'.' | b','));
        let shown = match (count(b','), count(b'.')) {
            // a point alone is the usual decimal mark, and shows nothing
            (0, 0 | 1) => return Some(b'.'),
            (0, _) => b',',
            (1, 0) => {
                let (before, behind) = marked.split_at(last?);
                let may_group = behind.len() == 4 && before.len() <= 3 && !matches!(before, [] | [b'0', ..]);
                match (self.by_semicolons || !may_group, is_whole && behind != b",000") {
                    (true, _) => b',',
                    (false, true) => b'.',
                    (false, false) => return None,
                }
            }
            (_, 0) => b'.',
            // the last one of both
            _ => marked[last?],
        };
        self.decimal = Some(shown);
        Some(shown)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(separator: u8) -> Numbers {
        Numbers::new(Separator::One(separator))
    }

    #[test]
    fn whole_numbers_are_read_however_they_are_written() {
        for (text, number) in [
            ("4096", 4096),
            ("4096.0", 4096),
            ("4096,0", 4096),
            ("4,096", 4096),
            ("1.048.576", 1_048_576),
            ("1,048,576", 1_048_576),
            ("1,048,576.00", 1_048_576),
            ("1.048.576,00", 1_048_576),
            ("1 048 576", 1_048_576),
            ("1\u{202f}048\u{a0}576", 1_048_576),
            ("1'048'576", 1_048_576),
            ("1_048_576", 1_048_576),
            ("0x1000", 4096),
            ("0X1F", 31),
            ("4.096e+03", 4096),
            ("4.096000E+03", 4096),
            ("1,5e3", 1500),
            ("1e6", 1_000_000),
            ("0.000000e+00", 0),
            ("40960e-1", 4096),
        ] {
            assert_eq!(numbers(b',').whole(text.as_bytes()), Some(number), "{text}");
        }
        for text in [
            "",
            "-1",
            "4096.5",
            "4,096.5",
            "0,096",
            "12,34,567",
            "4,000",
            "1e40",
            "1e-3",
            "0x",
            "1.5e0",
            "e5",
            "4K",
            "NaN",
            ",",
            ".",
            "1e",
            "1'0000",
        ] {
            assert_eq!(numbers(b',').whole(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_decimal_mark_is_that_of_the_file() {
        let mut german = numbers(b';');
        assert_eq!(german.moment(b"0,001", TimeUnit::Seconds), Some(1_000_000));
        assert_eq!(german.whole(b"4.096"), Some(4096));
        assert_eq!(german.whole(b"4.000"), Some(4000));
        assert_eq!(
            german.moment(b"1.234,5", TimeUnit::Milliseconds),
            Some(1_234_500_000)
        );
        // without a number that shows it, a point is decimal, and a comma among tabs may be either
        assert_eq!(numbers(b';').whole(b"4.000"), Some(4));
        assert_eq!(numbers(b'\t').moment(b"12,345", TimeUnit::Seconds), None);
        assert_eq!(
            numbers(b';').moment(b"12,345", TimeUnit::Milliseconds),
            Some(12_345_000)
        );
        assert_eq!(
            numbers(b'\t').moment(b"0,345", TimeUnit::Milliseconds),
            Some(345_000)
        );
    }

    #[test]
    fn numbers_that_an_exponent_has_cut_are_counted() {
        let mut numbers = numbers(b',');
        assert_eq!(numbers.whole(b"4.29497E+09"), Some(4_294_970_000));
        assert_eq!(numbers.whole(b"4.096E+03"), Some(4096));
        assert_eq!(numbers.rounded(), 1);
    }

    #[test]
    fn moments_are_numbers_or_dates() {
        let read = |text: &str| numbers(b',').moment(text.as_bytes(), TimeUnit::Microseconds);
        assert_eq!(read("1.5e-02"), Some(15));
        assert_eq!(read("1.5"), Some(1500));
        assert_eq!(read("1970-01-01 00:00:01"), Some(1_000_000_000));
        for text in ["-1", "1e30", "nan", "inf", "1e999", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn groups_of_three_change_no_number(number: u64, mark in prop::sample::select(vec![",", "'", " ", "_"])) {
            let digits = number.to_string();
            let grouped: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
            let text = grouped.join(mark);
            let read = numbers(b';').whole(text.as_bytes());
            // two groups behind semicolons may be a decimal number
            let is_doubtful = mark == "," && grouped.len() == 2;
            prop_assert!(read == Some(number) || (is_doubtful && read != Some(number)), "{text}: {read:?}");
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let mut numbers = numbers(b',');
            let _ = (numbers.whole(text.as_bytes()), numbers.moment(text.as_bytes(), TimeUnit::Seconds));
        }

        #[test]
        fn exponents_are_exact(digits in 1_u64..1_000_000, zeroes in 0_u32..12) {
            let text = format!("{digits}e+{zeroes:02}");
            prop_assert_eq!(numbers(b',').whole(text.as_bytes()), Some(digits * 10_u64.pow(zeroes)));
        }
    }
}
