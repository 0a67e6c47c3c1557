//! Channel interfaces and their rates, as data.

use wordline_units::{Divider, Duration, TransferRate};

/// How long a run of bytes takes: `ns` nanoseconds move `bytes` bytes. A fraction, so that no rate
/// is rounded before the whole transfer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteTime {
    ns: u64,
    bytes: u64,
    /// Divides by `bytes` what is below `divided_below`.
    divider: Divider,
    divided_below: u64,
}

impl ByteTime {
    const fn new(ns: u64, bytes: u64) -> Self {
        let common = common_divisor(ns, bytes);
        let (ns, bytes) = (ns / common, bytes / common);
        let divides = 0 < bytes && bytes <= u32::MAX as u64;
        Self {
            ns,
            bytes,
            divider: Divider::new(if divides { bytes as u32 } else { 1 }),
            // rounding up, the divider sees up to bytes - 1 more
            divided_below: if divides {
                ((1_u64 << 63) / bytes).saturating_sub(bytes)
            } else {
                0
            },
        }
    }

    /// Each byte takes `time`.
    #[must_use]
    pub const fn per_byte(time: Duration) -> Self {
        Self::new(time.0, 1)
    }

    /// One byte per transfer (8-bit bus).
    #[must_use]
    pub const fn at_rate(rate: TransferRate) -> Self {
        Self::new(1_000_000, rate.0)
    }

    /// Two transfers in each clock of `time`.
    const fn per_clock(time: u64) -> Self {
        Self::new(time, 2)
    }

    /// Time to move `bytes` bytes, rounded up once to a nanosecond.
    #[must_use]
    #[inline]
    pub const fn of(self, bytes: u64) -> Duration {
        let ns = bytes * self.ns;
        if ns < self.divided_below {
            Duration(self.divider.divide(ns + (self.bytes - 1)))
        } else {
            Duration(ns.div_ceil(self.bytes))
        }
    }
}

/// The greatest common divisor, at least 1.
const fn common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    if a == 0 { 1 } else { a }
}

/// A channel interface at one speed, with the waits that its standard prescribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Configuration name.
    pub name: &'static str,
    /// Data from the flash.
    pub out: ByteTime,
    /// Data to the flash.
    pub into: ByteTime,
    /// One command or address cycle.
    pub cycle: Duration,
    /// Busy after the confirming command (tWB), maximum.
    pub t_wb: Duration,
    /// Ready to the first data (tRR), minimum.
    pub t_rr: Duration,
    /// Command to status (tWHR), minimum.
    pub t_whr: Duration,
    /// Whether a strobe needs its preamble and postamble.
    pub strobed: bool,
}

const fn sdr(name: &'static str, t_rc: u64, t_wc: u64, slow: bool) -> Interface {
    Interface {
        name,
        out: ByteTime::per_byte(Duration(t_rc)),
        into: ByteTime::per_byte(Duration(t_wc)),
        cycle: Duration(t_wc),
        t_wb: Duration(if slow { 200 } else { 100 }),
        t_rr: Duration(if slow { 40 } else { 20 }),
        t_whr: Duration(if slow { 120 } else { 80 }),
        strobed: false,
    }
}

const fn ddr(name: &'static str, data: ByteTime) -> Interface {
    Interface {
        name,
        out: data,
        into: data,
        // commands and addresses stay slow in every double data rate interface (tCAD)
        cycle: Duration(25),
        t_wb: Duration(100),
        t_rr: Duration(20),
        t_whr: Duration(80),
        strobed: true,
    }
}

const fn mts(name: &'static str, rate: u64) -> Interface {
    ddr(name, ByteTime::at_rate(TransferRate(rate * 1_000)))
}

/// Every interface: ONFI 1.0 to 5.1 and Toggle 1.0 to 6.0. SDR and NV-DDR are named by timing mode
/// (ONFI tables of cycle times), the others by their nominal rate in MT/s.
pub const INTERFACES: &[Interface] = &[
    sdr("sdr-0", 100, 100, true),
    sdr("sdr-1", 50, 45, false),
    sdr("sdr-2", 35, 35, false),
    sdr("sdr-3", 30, 30, false),
    sdr("sdr-4", 25, 25, false),
    sdr("sdr-5", 20, 20, false),
    ddr("nv-ddr-0", ByteTime::per_clock(50)),
    ddr("nv-ddr-1", ByteTime::per_clock(30)),
    ddr("nv-ddr-2", ByteTime::per_clock(20)),
    ddr("nv-ddr-3", ByteTime::per_clock(15)),
    ddr("nv-ddr-4", ByteTime::per_clock(12)),
    ddr("nv-ddr-5", ByteTime::per_clock(10)),
    mts("nv-ddr2-200", 200),
    mts("nv-ddr2-266", 266),
    mts("nv-ddr2-333", 333),
    mts("nv-ddr2-400", 400),
    mts("nv-ddr2-533", 533),
    mts("nv-ddr3-667", 667),
    mts("nv-ddr3-800", 800),
    mts("nv-ddr3-1066", 1066),
    mts("nv-ddr3-1200", 1200),
    mts("nv-ddr3-1333", 1333),
    mts("nv-ddr3-1466", 1466),
    mts("nv-ddr3-1600", 1600),
    mts("nv-lpddr4-1800", 1800),
    mts("nv-lpddr4-2000", 2000),
    mts("nv-lpddr4-2200", 2200),
    mts("nv-lpddr4-2400", 2400),
    mts("nv-lpddr4-2800", 2800),
    mts("nv-lpddr4-3200", 3200),
    mts("nv-lpddr4-3600", 3600),
    mts("toggle-133", 133),
    mts("toggle-400", 400),
    mts("toggle-533", 533),
    mts("toggle-800", 800),
    mts("toggle-1200", 1200),
    mts("toggle-1400", 1400),
    mts("toggle-2000", 2000),
    mts("toggle-2400", 2400),
    mts("toggle-3200", 3200),
    mts("toggle-3600", 3600),
];

impl Interface {
    /// The interface called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        INTERFACES.iter().find(|interface| interface.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, interface) in INTERFACES.iter().enumerate() {
            assert_eq!(
                INTERFACES.iter().position(|other| other.name == interface.name),
                Some(index)
            );
        }
    }

    /// The test values of the array specification, section 4.6, in units of 10 ns.
    #[test]
    fn page_of_16_kib() {
        for (name, us) in [
            ("toggle-133", 123.19),
            ("nv-ddr2-200", 81.92),
            ("nv-ddr2-400", 40.96),
            ("nv-ddr2-533", 30.74),
            ("nv-ddr3-800", 20.48),
            ("nv-ddr3-1200", 13.65),
            ("nv-ddr3-1600", 10.24),
            ("nv-lpddr4-2400", 6.83),
            ("nv-lpddr4-3600", 4.55),
        ] {
            let interface = Interface::named(name).unwrap();
            let time = interface.out.of(16_384).as_us();
            assert!((time - us).abs() < 0.005, "{name}: {time}");
        }
    }

    #[test]
    fn clocks_are_exact() {
        // 15 ns for two transfers: no 133.3 MT/s is rounded to 133
        let mode_3 = Interface::named("nv-ddr-3").unwrap();
        assert_eq!(mode_3.out.of(2_000_000), Duration(15_000_000));
        assert_eq!(mode_3.out.of(1), Duration(8));
    }

    #[test]
    fn times_are_rounded_up_at_any_rate() {
        let rates = [
            1,
            2,
            3,
            333_000,
            333_333,
            1_000_000,
            2_399_999,
            u64::from(u32::MAX),
            1 << 40,
        ];
        for rate in rates {
            let time = ByteTime::at_rate(TransferRate(rate));
            let bytes = [0, 1, 2, 511, 512, 2_048, 16_384, 18_432, 1 << 20, 1 << 40];
            for bytes in bytes {
                let exact = (u128::from(bytes) * 1_000_000).div_ceil(u128::from(rate));
                assert_eq!(u128::from(time.of(bytes).ns()), exact, "{bytes} bytes at {rate}");
            }
        }
        assert_eq!(ByteTime::per_byte(Duration(25)).of(4_096), Duration(102_400));
        assert_eq!(ByteTime::per_clock(30).of(3), Duration(45));
        assert_eq!(ByteTime::per_clock(0).of(3), Duration::ZERO);
    }
}
