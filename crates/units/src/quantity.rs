//! Sizes and rates.

use crate::parse::{Kind, text_form};
use crate::time::Duration;

/// A size in bytes. Configuration writes it as `"16 KiB"`; `kB` is 1,000 bytes and `KiB` 1,024, in capital and
/// small letters alike, and `k` alone is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSize(pub u64);

/// A transfer rate of a bus in thousands of transfers per second. Configuration writes it as
/// `"333 MT/s"`; on an 8-bit bus one transfer moves one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferRate(pub u64);

/// A clock frequency in hertz. Configuration writes it as `"100 MHz"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(pub u64);

const DURATION: Kind = Kind {
    what: "a duration",
    example: "\"25 us\"",
    units: &[
        ("ns", 1),
        // read, and written for people; what is exact is written in ASCII
        ("µs", 1_000),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
        ("d", 86_400_000_000_000),
        // a twelfth of a year of 365 days
        ("mo", 2_628_000_000_000_000),
        ("y", 31_536_000_000_000_000),
    ],
    spelled: &[
        ("second", 1_000_000_000),
        ("minute", 60_000_000_000),
        ("hour", 3_600_000_000_000),
        ("day", 86_400_000_000_000),
        ("week", 604_800_000_000_000),
        ("month", 2_628_000_000_000_000),
        ("year", 31_536_000_000_000_000),
    ],
    any_case: false,
};
const BYTE_SIZE: Kind = Kind {
    what: "a size",
    example: "\"16 KiB\"",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
        ("TB", 1_000_000_000_000),
        ("TiB", 1 << 40),
        ("PB", 1_000_000_000_000_000),
        ("PiB", 1 << 50),
    ],
    spelled: &[],
    any_case: true,
};
const TRANSFER_RATE: Kind = Kind {
    what: "a transfer rate",
    example: "\"333 MT/s\"",
    units: &[("kT/s", 1), ("MT/s", 1_000), ("GT/s", 1_000_000)],
    spelled: &[],
    any_case: false,
};
const FREQUENCY: Kind = Kind {
    what: "a frequency",
    example: "\"100 MHz\"",
    units: &[
        ("Hz", 1),
        ("kHz", 1_000),
        ("MHz", 1_000_000),
        ("GHz", 1_000_000_000),
    ],
    spelled: &[],
    any_case: false,
};

text_form!(Duration, DURATION);
text_form!(ByteSize, BYTE_SIZE);
text_form!(TransferRate, TRANSFER_RATE);
text_form!(Frequency, FREQUENCY);

impl ByteSize {
    /// Size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The size to three digits for people to read, in powers of 1024: `"1.91 TiB"`. What must be
    /// exact is written with `Display`.
    #[must_use]
    pub fn rounded(self) -> String {
        BYTE_SIZE.rounded(&["B", "KiB", "MiB", "GiB", "TiB", "PiB"], self.0)
    }
}

impl Duration {
    /// The duration to three digits for people to read: `"6.61 s"`, `"17.2 ms"`. What must be
    /// exact is written with `Display`.
    #[must_use]
    pub fn rounded(self) -> String {
        DURATION.rounded(&["ns", "µs", "ms", "s", "h", "d"], self.0)
    }
}

impl TransferRate {
    /// Time to move `bytes` over an 8-bit bus, rounded up once per transfer to a nanosecond.
    #[must_use]
    pub const fn transfer(self, bytes: u64) -> Duration {
        Duration((bytes * 1_000_000).div_ceil(self.0))
    }
}

impl Frequency {
    /// Time that `cycles` take, rounded up to a nanosecond.
    #[must_use]
    pub const fn cycles(self, cycles: u64) -> Duration {
        Duration((cycles as u128 * 1_000_000_000).div_ceil(self.0 as u128) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_units() {
        assert_eq!("25 us".parse::<Duration>().unwrap(), Duration(25_000));
        assert_eq!("25 µs".parse::<Duration>().unwrap(), Duration(25_000));
        assert_eq!("1.5 ms".parse::<Duration>().unwrap(), Duration(1_500_000));
        assert_eq!("16 KiB".parse::<ByteSize>().unwrap().bytes(), 16_384);
        assert_eq!("166.7 MT/s".parse::<TransferRate>().unwrap().0, 166_700);
        assert_eq!(Duration(1_500_000).to_string(), "1500 us");
        assert_eq!(Duration(0).to_string(), "0 ns");
        assert_eq!("1e4 s".parse::<Duration>().unwrap(), Duration(10_000_000_000_000));
        assert_eq!("2.5E-3 s".parse::<Duration>().unwrap(), Duration(2_500_000));
        assert_eq!("0e99 s".parse::<Duration>().unwrap(), Duration(0));
        assert_eq!("12 mo".parse::<Duration>(), "1 y".parse());
        assert_eq!("1y".parse::<Duration>(), "365 d".parse());
    }

    #[test]
    fn durations_are_read_with_units_that_are_spelled_out() {
        for (spelled, short) in [
            ("3 months", "3 mo"),
            ("1 month", "1 mo"),
            ("5years", "5 y"),
            ("1 Year", "365 d"),
            ("2 weeks", "14 d"),
            ("10 days", "10 d"),
            ("36 hours", "36 h"),
            ("1.5 minutes", "90 s"),
            ("1 second", "1000 ms"),
        ] {
            assert_eq!(spelled.parse::<Duration>(), short.parse(), "{spelled}");
        }
        assert_eq!("3 months".parse::<Duration>().unwrap().to_string(), "3 mo");
        for wrong in ["3 monthss", "3 mos", "1 s s"] {
            assert!(wrong.parse::<Duration>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn rounds_for_people() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1 µs"),
            (17_204_999, "17.2 ms"),
            (6_611_732_180, "6.61 s"),
            (9_996_000_000, "10 s"),
            (59_960_000_000, "60 s"),
            (100_000_000, "100 ms"),
            (64_890_000_000, "64.9 s"),
            (5_400_000_000_000, "1.5 h"),
            (u64::MAX, "213504 d"),
        ] {
            assert_eq!(Duration(ns).rounded(), text);
        }
        for (bytes, text) in [
            (512, "512 B"),
            (1_536, "1.5 KiB"),
            (2_101_234_567_890, "1.91 TiB"),
        ] {
            assert_eq!(ByteSize(bytes).rounded(), text);
        }
    }

    #[test]
    fn refuses_what_it_cannot_hold() {
        for text in [
            "",
            "5",
            "us",
            "5 lightyears",
            "1.2.3 us",
            "0.0001 ns",
            "99999999999999999999 s",
            "-1 us",
            "1e99 s",
            "1e-10 s",
            "1e-99 s",
            "1e s",
            "1e99999999999 s",
        ] {
            let error = text.parse::<Duration>().unwrap_err().to_string();
            assert!(error.contains("accepted units: ns"), "{text}: {error}");
        }
    }

    #[test]
    fn sizes_are_read_in_any_case_of_letters() {
        for (texts, bytes) in [
            (["4kB", "4 KB", "4 kb"], 4_000),
            (["4KiB", "4 kib", "4 KIB"], 4_096),
            (["1.5 MB", "1.5 mb", "1.5Mb"], 1_500_000),
            (["2 GiB", "2 gib", "2 gIb"], 2 << 30),
            (["512 B", "512b", "512 b"], 512),
            (["1 pib", "1 PIB", "1PiB"], 1 << 50),
        ] {
            for text in texts {
                assert_eq!(text.parse::<ByteSize>(), Ok(ByteSize(bytes)), "{text}");
            }
        }
    }

    #[test]
    fn a_letter_alone_is_no_size() {
        for (text, spellings) in [
            ("16k", ["`16 kB` (16 times 1000)", "`16 KiB` (16 times 1024)"]),
            ("16 K", ["`16 kB`", "`16 KiB`"]),
            ("1.5 G", ["`1.5 GB`", "`1.5 GiB` (1.5 times 1073741824)"]),
            ("2t", ["`2 TB`", "`2 TiB`"]),
        ] {
            let error = text.parse::<ByteSize>().unwrap_err().to_string();
            for spelling in spellings {
                assert!(error.contains(spelling), "{text}: {error}");
            }
        }
        let error = "16 Ki".parse::<ByteSize>().unwrap_err().to_string();
        assert!(error.contains("did you mean `KiB`?"), "{error}");
    }

    #[test]
    fn other_units_keep_their_case() {
        for text in ["5 MS", "5 US", "5 D"] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
        assert!("100 MHZ".parse::<Frequency>().is_err());
    }

    /// The test values of the array specification, section 4.6.
    #[test]
    fn transfer_times_round_up_once() {
        for (rate, us) in [
            (133, 123.19),
            (200, 81.92),
            (400, 40.96),
            (533, 30.74),
            (800, 20.48),
            (1200, 13.65),
            (1600, 10.24),
            (2400, 6.83),
            (3600, 4.55),
        ] {
            let time = TransferRate(rate * 1_000).transfer(16_384).as_us();
            assert!((time - us).abs() < 0.005, "{rate}: {time}");
        }
    }
}
