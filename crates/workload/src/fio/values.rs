//! Values of options: numbers with fio's units, times, shares, lists.

use wordline_units::{Duration, nearest};

use super::{Each, expression};

/// A value as it stands in the file. The methods answer what is accepted where it cannot be used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    /// `None`: the option stands alone.
    pub(crate) text: Option<&'a str>,
    pub(crate) kb_base: KbBase,
}

/// What `k` means: `kb_base`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KbBase {
    /// `k` is 1024 and `ki` is 1000, fio's default.
    #[default]
    Binary,
    /// `k` is 1000 and `ki` is 1024.
    Decimal,
}

/// A number of bytes, or a share of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    Bytes(u64),
    /// 0 to 100.
    Percent(u64),
    /// Zones of `zonemode=zbd`.
    Zones(u64),
}

/// The space that amounts are parts of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    /// Bytes of the drive.
    pub(crate) bytes: u64,
    /// Bytes of a zone; 0 where jobs have none.
    pub(crate) zone: u64,
}

impl Amount {
    /// Bytes of it.
    pub(crate) fn of(self, space: Space) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => (u128::from(space.bytes) * u128::from(percent) / 100) as u64,
            Self::Zones(zones) => zones.saturating_mul(space.zone),
        }
    }

    /// Whether it follows the size of the drive.
    pub(crate) const fn is_share(self) -> bool {
        matches!(self, Self::Percent(_))
    }
}

pub(crate) const SECOND: u64 = 1_000_000_000;
pub(crate) const MICROSECOND: u64 = 1_000;

const TOO_LONG: &str = "a shorter time: simulated time ends after 584 years";
const INTEGER: &str = "a whole number such as 4096, 4k, 1m or 0x1000";

impl<'a> Value<'a> {
    /// The text behind the `=`.
    pub(crate) fn text(&self) -> Result<&'a str, String> {
        match self.text {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err("a value behind `=`".to_owned()),
        }
    }

    /// Another text of the same file.
    pub(crate) const fn part(&self, text: &'a str) -> Self {
        Self {
            text: Some(text),
            kb_base: self.kb_base,
        }
    }

    /// 1 or 0; an option alone is switched on.
    pub(crate) fn flag(&self) -> Result<bool, String> {
        match self.text {
            None | Some("1" | "true") => Ok(true),
            Some("0" | "false") => Ok(false),
            _ => Err("1 or 0".to_owned()),
        }
    }

    /// A whole number with fio's suffixes k, m, g, t, p (1024, or 1000 with `kb_base=1000`) and
    /// kib, mib, gib, tib, pib (the other way round).
    pub(crate) fn integer(&self) -> Result<u64, String> {
        let text = self.text()?;
        if text.starts_with('(') {
            return expression::whole(text, &|unit| self.factor(unit));
        }
        let text = text.to_ascii_lowercase();
        let hexadecimal = text.strip_prefix("0x");
        let (digits, radix) = hexadecimal.map_or((text.as_str(), 10), |digits| (digits, 16));
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let (number, unit) = digits.split_at(end);
        let number = u64::from_str_radix(number, radix).map_err(|_| INTEGER.to_owned())?;
        let factor = self.factor(unit.trim_start()).ok_or(INTEGER)?;
        number
            .checked_mul(factor)
            .ok_or_else(|| "a smaller number: this one does not fit 64 bits".to_owned())
    }

    /// What a unit multiplies a number by, in lower case.
    fn factor(&self, unit: &str) -> Option<u64> {
        // as fio 3.33 has it, whatever its manual says: `ki` is `k`, and only `kib` the other one
        let (unit, other) = unit.strip_suffix("ib").map_or((unit, false), |unit| (unit, true));
        let unit = unit.strip_suffix(['b', 'i']).unwrap_or(unit);
        let power = match unit {
            "" if !other => 0,
            "k" => 1,
            "m" => 2,
            "g" => 3,
            "t" => 4,
            "p" => 5,
            _ => return None,
        };
        let base: u64 = if (self.kb_base == KbBase::Binary) == other {
            1000
        } else {
            1024
        };
        Some(base.pow(power))
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn count(&self, least: u64, most: u64) -> Result<u64, String> {
        self.integer()
            .ok()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| match most {
                u64::MAX => format!("a whole number of at least {least}"),
                _ => format!("a whole number from {least} to {most}"),
            })
    }

    /// A whole number from 0 to 100, also with `%`, as fio accepts it.
    pub(crate) fn percent(&self) -> Result<u64, String> {
        match self.text.and_then(|text| text.strip_suffix('%')) {
            Some(share) => self.part(share).count(0, 100),
            None => self.count(0, 100),
        }
    }

    /// Bytes, or a share such as `20%`.
    pub(crate) fn amount(&self) -> Result<Amount, String> {
        let text = self.text()?;
        if let Some(zones) = text.strip_suffix('z') {
            return self.part(zones).integer().map(Amount::Zones);
        }
        match text.strip_suffix('%') {
            Some(share) => self
                .part(share)
                .percent()
                .map(Amount::Percent)
                .map_err(|_| "bytes such as 1g, or a share of the drive from 0% to 100%".to_owned()),
            None => self
                .integer()
                .map(Amount::Bytes)
                .map_err(|accepted| format!("{accepted}, a share such as 20%, or zones such as 2z")),
        }
    }

    /// A time; a number without unit counts units of `unit` nanoseconds.
    pub(crate) fn time(&self, unit: u64) -> Result<Duration, String> {
        const ACCEPTED: &str = "a time such as 60, 60s, 500ms, 100us, 10m, 1h or 1d";
        let text = self.text()?;
        if text.starts_with('(') {
            // an expression is computed in microseconds
            let factor = |suffix: &str| match suffix {
                "" => Some(1),
                suffix => time_factor(suffix)
                    .filter(|factor| *factor >= MICROSECOND)
                    .map(|factor| factor / MICROSECOND),
            };
            let time = expression::whole(text, &factor)?;
            return match time.checked_mul(MICROSECOND) {
                Some(ns) => Ok(Duration(ns)),
                None => Err(TOO_LONG.to_owned()),
            };
        }
        let text = text.to_ascii_lowercase();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let scale = match suffix.trim_start() {
            "" => unit,
            suffix => time_factor(suffix).ok_or(ACCEPTED)?,
        };
        let number: u64 = number.parse().map_err(|_| ACCEPTED.to_owned())?;
        number
            .checked_mul(scale)
            .map(Duration)
            .ok_or_else(|| TOO_LONG.to_owned())
    }

    /// A number that may have a fraction.
    pub(crate) fn number(&self) -> Result<f64, String> {
        let text = self.text()?;
        let number: f64 = if text.starts_with('(') {
            expression::float(text)?
        } else {
            text.parse().map_err(|_| "a number such as 1.2".to_owned())?
        };
        if number.is_finite() {
            Ok(number)
        } else {
            Err("a finite number".to_owned())
        }
    }

    /// Two values, the smaller one first: `read(1k)` and `read(4k)` of `1k-4k` or `1k:4k`.
    pub(crate) fn range<T: PartialOrd + Copy>(
        &self,
        read: impl Fn(&Self) -> Result<T, String>,
    ) -> Result<(T, T), String> {
        let text = self.text()?;
        let (low, high) = expression::split_outside(text, &['-', ':']).unwrap_or((text, text));
        let (low, high) = (read(&self.part(low))?, read(&self.part(high))?);
        Ok(if high < low { (high, low) } else { (low, high) })
    }

    /// Values for reads, writes and trims, parted by commas. One that is left out at the end is that
    /// of the direction before it; one that is empty is `None`.
    pub(crate) fn each<T: Clone>(
        &self,
        read: impl Fn(&Self) -> Result<T, String>,
    ) -> Result<Each<Option<T>>, String> {
        let mut values = [None, None, None];
        let mut parts = self.text()?.split(',');
        let mut last = None;
        for value in &mut values {
            if let Some(part) = parts.next() {
                last = match part.trim() {
                    "" => None,
                    part => Some(read(&self.part(part))?),
                };
            }
            value.clone_from(&last);
        }
        if parts.next().is_some() {
            return Err("at most three values, for reads, writes and trims".to_owned());
        }
        Ok(Each::new(values))
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, String> {
        let text = self.text()?;
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let hint = nearest(text, words.iter().copied())
                    .map_or_else(String::new, |word| format!("; did you mean `{word}`?"));
                format!("{}{hint}", words.join(", "))
            })
    }
}

/// Nanoseconds of a unit of time, in lower case.
fn time_factor(unit: &str) -> Option<u64> {
    Some(match unit {
        "d" => 86_400 * SECOND,
        "h" => 3_600 * SECOND,
        "m" => 60 * SECOND,
        "s" | "sec" => SECOND,
        "ms" | "msec" => 1_000_000,
        "us" | "usec" => MICROSECOND,
        "ns" | "nsec" => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value<'_> {
        Value {
            text: Some(text),
            kb_base: KbBase::Binary,
        }
    }

    /// The examples of fio's HOWTO, with either `kb_base`.
    #[test]
    fn sizes_have_the_units_of_fio() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4096b", 4096),
            ("4096B", 4096),
            ("4k", 4096),
            ("4kb", 4096),
            ("4kB", 4096),
            ("4K", 4096),
            ("4KB", 4096),
            ("1m", 1 << 20),
            ("1024k", 1 << 20),
            ("1mib", 1_000_000),
            ("1mi", 1 << 20),
            ("1000kib", 1_000_000),
            ("1t", 1 << 40),
            ("1g", 1 << 30),
            ("2p", 2 << 50),
            ("0x1000", 4096),
            ("4 k", 4096),
        ] {
            assert_eq!(value(text).integer(), Ok(bytes), "{text}");
        }
        let decimal = |text| Value {
            text: Some(text),
            kb_base: KbBase::Decimal,
        };
        for (text, bytes) in [
            ("4ki", 4000),
            ("4KiB", 4096),
            ("1mib", 1 << 20),
            ("1m", 1_000_000),
            ("1000k", 1_000_000),
        ] {
            assert_eq!(decimal(text).integer(), Ok(bytes), "{text}");
        }
        for (text, bytes) in [("(4k*2)", 8192), ("(4kib)", 4000), ("(1m/256)", 4096)] {
            assert_eq!(value(text).integer(), Ok(bytes), "{text}");
        }
        assert_eq!(decimal("(4kib)").integer(), Ok(4096));
        for text in ["", "k", "4x", "-1", "1.5k", "99999999999t", "0x"] {
            assert!(value(text).integer().is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_the_units_of_fio() {
        for (text, ns) in [
            ("60", 60 * SECOND),
            ("60s", 60 * SECOND),
            ("2m", 120 * SECOND),
            ("1h", 3_600 * SECOND),
            ("1D", 86_400 * SECOND),
            ("500ms", SECOND / 2),
            ("500msec", SECOND / 2),
            ("7us", 7_000),
        ] {
            assert_eq!(value(text).time(SECOND), Ok(Duration(ns)), "{text}");
        }
        assert_eq!(value("7").time(MICROSECOND), Ok(Duration(7_000)));
        // microseconds within an expression
        assert_eq!(value("(7*2)").time(SECOND), Ok(Duration(14_000)));
        assert_eq!(value("(2s + 500ms)").time(SECOND), Ok(Duration(5 * SECOND / 2)));
        for text in ["", "s", "1y", "1.5s", "999999999d"] {
            assert!(value(text).time(SECOND).is_err(), "{text}");
        }
    }

    /// The examples of `blocksize` in fio's HOWTO.
    #[test]
    fn values_are_listed_for_reads_writes_and_trims() {
        let k = |kib: u64| Some(kib << 10);
        for (text, wanted) in [
            ("256k", [k(256), k(256), k(256)]),
            ("8k,32k", [k(8), k(32), k(32)]),
            ("8k,32k,", [k(8), k(32), None]),
            (",8k", [None, k(8), k(8)]),
            (",8k,", [None, k(8), None]),
            ("500k,", [k(500), None, None]),
        ] {
            assert_eq!(value(text).each(Value::integer), Ok(Each::new(wanted)), "{text}");
        }
        assert!(value("1,2,3,4").each(Value::integer).is_err());
    }

    #[test]
    fn ranges_shares_and_flags_are_read() {
        assert_eq!(value("1k-4k").range(Value::integer), Ok((1024, 4096)));
        assert_eq!(value("4k:1k").range(Value::integer), Ok((1024, 4096)));
        assert_eq!(value("2k").range(Value::integer), Ok((2048, 2048)));
        assert_eq!(value("(2k-1k)-4k").range(Value::integer), Ok((1024, 4096)));
        assert_eq!(value("20%").amount(), Ok(Amount::Percent(20)));
        assert_eq!(value("1m").amount(), Ok(Amount::Bytes(1 << 20)));
        assert_eq!(value("3z").amount(), Ok(Amount::Zones(3)));
        assert!(value("101%").amount().is_err());
        assert_eq!(value("70%").percent(), Ok(70));
        assert!(value("70%%").percent().is_err());
        let alone = Value {
            text: None,
            kb_base: KbBase::Binary,
        };
        assert_eq!(alone.flag(), Ok(true));
        assert_eq!(value("0").flag(), Ok(false));
        assert!(value("2").flag().is_err());
        assert!(value("inf").number().is_err());
    }
}
