//! Dates and times of day as spreadsheets, data frames and logs write them: ISO 8601 with its usual liberties.

use super::fields::{time, whole};

const SECOND: u64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// Reads moments of one column. Times of day alone go on past midnight.
#[derive(Debug, Default)]
pub(super) struct Dates {
    /// Nanoseconds of the midnights that have passed.
    midnights: u64,
    /// The time of day before.
    before: u64,
}

impl Dates {
    /// Nanoseconds since 1970, or since the midnight before the first row where a time of day stands alone: `2024-03-01T10:00:00.5Z`, `2024-03-01 10:00:00,5 +01:00`,
    /// `10:00:00.5`. `None` for anything else, and before 1970.
    pub(super) fn moment(&mut self, text: &[u8]) -> Option<u64> {
        let (date, clock) = match text.iter().position(|byte| matches!(byte, b'T' | b't' | b' ')) {
            Some(end) if text[..end].contains(&b'-') || text[..end].contains(&b'/') => {
                (Some(days(&text[..end])?), text[end + 1..].trim_ascii())
            }
            _ => (None, text),
        };
        let (clock, ahead) = zone(clock)?;
        let of_day = of_day(clock)?;
        let Some(days) = date else {
            // half a day back is a new day; less is disorder
            if of_day + (DAY as u64 / 2) * SECOND < self.before {
                self.midnights = self.midnights.checked_add(DAY as u64 * SECOND)?;
            }
            self.before = of_day;
            return self.midnights.checked_add(of_day);
        };
        let seconds = days.checked_mul(DAY)?.checked_sub(ahead)?;
        u64::try_from(i128::from(seconds) * i128::from(SECOND) + i128::from(of_day)).ok()
    }
}

/// Days from the first of 1970 to a date of the Gregorian calendar, year first (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`).
fn days(date: &[u8]) -> Option<i64> {
    let mut parts = date.split(|byte| matches!(byte, b'-' | b'/'));
    let year = parts.next().filter(|year| year.len() == 4).and_then(whole)? as i64;
    let mut next = |most| {
        let part = parts.next().filter(|part| part.len() <= 2).and_then(whole)?;
        (1..=most).contains(&part).then_some(part as i64)
    };
    let (month, day) = (next(12)?, next(31)?);
    if parts.next().is_some() {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The time without its zone, and the seconds by which that is ahead of UTC.
fn zone(clock: &[u8]) -> Option<(&[u8], i64)> {
    for utc in [&b"Z"[..], b"z", b"UTC", b"GMT"] {
        if let Some(clock) = clock.strip_suffix(utc) {
            return Some((clock.trim_ascii_end(), 0));
        }
    }
    let Some(sign) = clock.iter().rposition(|byte| matches!(byte, b'+' | b'-')) else {
        return Some((clock, 0));
    };
    let digits: Vec<u8> = clock[sign + 1..]
        .iter()
        .copied()
        .filter(|byte| *byte != b':')
        .collect();
    let (hours, minutes) = match digits.len() {
        2 => (whole(&digits)?, 0),
        4 => (whole(&digits[..2])?, whole(&digits[2..])?),
        _ => return None,
    };
    let ahead = (hours * 3600 + minutes * 60) as i64;
    let ahead = if clock[sign] == b'-' { -ahead } else { ahead };
    Some((clock[..sign].trim_ascii_end(), ahead))
}

/// Nanoseconds of `hours:minutes:seconds.parts`, or without seconds.
fn of_day(clock: &[u8]) -> Option<u64> {
    let mut parts = clock.splitn(3, |byte| *byte == b':');
    let mut next = |end: u64| {
        let part = parts.next().filter(|part| part.len() <= 2).and_then(whole)?;
        (part < end).then_some(part)
    };
    let (hours, minutes) = (next(24)?, next(60)?);
    let seconds = match parts.next() {
        None => 0,
        // logs of Python put a comma before the parts of a second
        Some(seconds) => {
            let point = seconds.iter().position(|byte| *byte == b',');
            let mut seconds = seconds.to_vec();
            if let Some(point) = point {
                seconds[point] = b'.';
            }
            // a leap second has the number 60
            time(&seconds, SECOND).filter(|ns| *ns < 61 * SECOND)?
        }
    };
    Some((hours * 3600 + minutes * 60) * SECOND + seconds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<u64> {
        Dates::default().moment(text.as_bytes())
    }

    /// `date --utc --date=TEXT +%s` says the seconds.
    #[test]
    fn dates_count_from_1970() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29 12:00:00", 951_825_600),
            ("2024-03-01T10:00:00+00:00", 1_709_287_200),
            ("2024-03-01 11:30:00 +01:30", 1_709_287_200),
            ("2024-03-01T05:00:00-0500", 1_709_287_200),
            ("2024/3/1 10:00", 1_709_287_200),
            ("2024-03-01 10:00:00 UTC", 1_709_287_200),
            ("2100-12-31T23:59:59Z", 4_133_980_799),
        ] {
            assert_eq!(read(text), Some(seconds * SECOND), "{text}");
        }
        assert_eq!(read("1970-01-01 00:00:01.000000007"), Some(SECOND + 7));
        assert_eq!(read("1970-01-01 00:00:01,5"), Some(3 * SECOND / 2));
        for text in [
            "01/03/2024 10:00:00",
            "2024-13-01 10:00:00",
            "2024-03-01",
            "2024-03-01 25:00:00",
            "1969-12-31 23:59:59",
            "10:61:00",
            ":",
            "2024-03-01 10:00:00+1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn times_of_day_go_on_past_midnight() {
        let mut dates = Dates::default();
        let mut of = |text: &str| dates.moment(text.as_bytes()).unwrap() / SECOND;
        assert_eq!(of("23:59:59.5"), 86_399);
        assert_eq!(of("23:59:58"), 86_398);
        assert_eq!(of("00:00:01"), 86_401);
        assert_eq!(of("00:00:02"), 86_402);
    }
    proptest! {
        #[test]
        fn no_text_panics(texts in prop::collection::vec("[0-9T:+,./ Z-]{0,30}", 1..4)) {
            let mut dates = Dates::default();
            for text in texts {
                let _ = dates.moment(text.as_bytes());
            }
        }

        #[test]
        fn days_follow_each_other(day in 0_i64..80_000) {
            // the other way round, day by day
            let (mut year, mut rest) = (1970, day);
            let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            while rest >= 365 + i64::from(leap(year)) {
                rest -= 365 + i64::from(leap(year));
                year += 1;
            }
            let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            let mut month = 0;
            while rest >= lengths[month] {
                rest -= lengths[month];
                month += 1;
            }
            let text = format!("{year}-{:02}-{:02}", month + 1, rest + 1);
            prop_assert_eq!(days(text.as_bytes()), Some(day), "{}", text);
        }
    }
}
