//! What deltas in place of pages save: when encoding keeps up, and the work of collection (G. Wu, PhD dissertation, Virginia
//! Commonwealth University 2013, 4.2 and 4.4; Delta-FTL specification, 6 and 10).
//!
//! Times are microseconds. A ratio is bytes of deltas over bytes of the pages that they stand for.

use crate::error::FtlError;

/// The three stages of encoding a page, each of which works on one page at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoding {
    /// Reading the old version from the array.
    pub read_us: f64,
    /// Its transfer to the controller.
    pub transfer_us: f64,
    /// Difference and compression.
    pub encode_us: f64,
}

impl Encoding {
    /// Checks the times.
    ///
    /// # Errors
    /// A time that is negative or no number.
    pub fn check(&self) -> Result<(), FtlError> {
        not_negative("read_us", self.read_us)?;
        not_negative("transfer_us", self.transfer_us)?;
        not_negative("encode_us", self.encode_us)
    }

    /// The stage that holds up the others.
    #[must_use]
    pub fn longest_us(&self) -> f64 {
        self.read_us.max(self.transfer_us).max(self.encode_us)
    }

    /// Encoding so many pages one after the other, each stage at work on the next page as soon as it can; the source counts
    /// the longest stage of each page only, which is less by the two others of one page.
    #[must_use]
    pub fn pages_us(&self, pages: u64) -> f64 {
        match pages.checked_sub(1) {
            None => 0.0,
            Some(others) => {
                self.read_us + self.transfer_us + self.encode_us + others as f64 * self.longest_us()
            }
        }
    }

    /// The ratio below which deltas do not make writing slower (equation 4.2): above it, encoding takes longer than the programs that it saves.
    #[must_use]
    pub fn largest_ratio(&self, program_us: f64) -> f64 {
        1.0 - self.longest_us() / program_us
    }
}

/// Which writes become deltas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaWrites {
    /// Share of the writes that become deltas.
    pub share: f64,
    /// Mean ratio of these.
    pub ratio: f64,
}

impl DeltaWrites {
    /// A share and a ratio.
    ///
    /// # Errors
    /// A share outside of [0, 1), a ratio outside of (0, 1].
    pub fn new(share: f64, ratio: f64) -> Result<Self, FtlError> {
        if !(0.0..1.0).contains(&share) {
            return Err(FtlError::new("share", share, "from 0 to below 1"));
        }
        if !(ratio > 0.0 && ratio <= 1.0) {
            return Err(FtlError::new("ratio", ratio, "above 0 up to 1"));
        }
        Ok(Self { share, ratio })
    }

    /// Pages programmed for each page that is written.
    #[must_use]
    pub fn programs_per_write(&self) -> f64 {
        1.0 - self.share + self.share * self.ratio
    }
}

/// A load that overwrites what is there, and the blocks that it leaves behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overwrites {
    /// Pages that are written.
    pub writes: f64,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Programming a page.
    pub program_us: f64,
    /// Erasing a block.
    pub erase_us: f64,
}

/// What a victim is full of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victims {
    /// Pages.
    Pages,
    /// Deltas.
    Deltas,
}

impl Victims {
    /// The name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Deltas => "deltas",
        }
    }
}

/// The work of collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectionWork {
    /// Victims.
    pub collections: f64,
    /// Pages that each of them gives back, in the mean.
    pub gain_pages: f64,
    /// Erases, and programs of what was still valid.
    pub time_us: f64,
    /// Which blocks are the victims.
    pub victims: Victims,
}

impl Overwrites {
    fn check(&self) -> Result<(), FtlError> {
        if !(self.writes > 0.0 && self.writes.is_finite()) {
            return Err(FtlError::new("writes", self.writes, "a number above 0"));
        }
        if self.pages_per_block == 0 {
            return Err(FtlError::new("pages_per_block", 0, "1 and more"));
        }
        not_negative("program_us", self.program_us)?;
        not_negative("erase_us", self.erase_us)
    }

    /// So many collections of victims with this gain.
    fn work(&self, collections: f64, gain_pages: f64, victims: Victims) -> Result<CollectionWork, FtlError> {
        let block = f64::from(self.pages_per_block);
        if !(gain_pages > 0.0 && gain_pages <= block) {
            let found = format!("{gain_pages} pages");
            let accepted = format!(
                "above 0 up to the {block} pages of a block: too few or too many blocks for the writes"
            );
            return Err(FtlError::new("gain", found, accepted));
        }
        Ok(CollectionWork {
            collections,
            gain_pages,
            time_us: collections * (self.erase_us + self.program_us * (block - gain_pages)),
            victims,
        })
    }

    /// Without deltas, where the invalid pages are in so many blocks (equations 4.5 and 4.6).
    ///
    /// # Errors
    /// Numbers without sense; a mean gain that is not above 0 and at most a block.
    pub fn without_deltas(&self, blocks: f64) -> Result<CollectionWork, FtlError> {
        self.check()?;
        self.work(blocks, self.writes / blocks, Victims::Pages)
    }

    /// With deltas, where the invalid pages are in so many blocks and a share of the deltas is superseded by later ones: the victims are the blocks
    /// that gain more (equations 4.7 to 4.10).
    ///
    /// # Errors
    /// As [`Self::without_deltas`]; a share of superseded deltas outside of [0, 1].
    pub fn with_deltas(
        &self,
        deltas: DeltaWrites,
        blocks: f64,
        superseded: f64,
    ) -> Result<CollectionWork, FtlError> {
        self.check()?;
        if !(0.0..=1.0).contains(&superseded) {
            return Err(FtlError::new("superseded", superseded, "from 0 to 1"));
        }
        let programs = deltas.programs_per_write() * self.writes;
        let of_pages = (1.0 - deltas.share) * self.writes / blocks;
        let of_deltas = superseded * f64::from(self.pages_per_block);
        let (gain, victims) = if of_deltas > of_pages {
            (of_deltas, Victims::Deltas)
        } else {
            (of_pages, Victims::Pages)
        };
        self.work(programs / gain, gain, victims)
    }
}

fn not_negative(key: &'static str, value: f64) -> Result<(), FtlError> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(FtlError::new(key, value, "a number from 0 on"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LZF on the controller of the source: cycles for a page of 4 KiB.
    const COMPRESS_CYCLES: f64 = 27_212.0;

    fn encoding(cpu_mhz: f64) -> Encoding {
        Encoding {
            read_us: 25.0,
            transfer_us: 40.0,
            encode_us: COMPRESS_CYCLES / cpu_mhz,
        }
    }

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, not {expected}");
    }

    /// Section 6 of the specification: latencies, four pages in a row, and the largest ratios.
    #[test]
    fn encoding_takes_what_the_specification_says() {
        let cases = [
            (304.0, 89.513, 423.0, 0.5524),
            (619.0, 43.961, 241.0, 0.7802),
            (934.0, 29.135, 214.1, 0.8),
        ];
        for (cpu_mhz, encode_us, four_us, largest) in cases {
            let encoding = encoding(cpu_mhz);
            assert_near(encoding.encode_us, encode_us, 0.001);
            // the specification rounds the stages to 0.1 µs
            assert_near(encoding.pages_us(4), four_us, 0.2);
            assert_near(encoding.largest_ratio(200.0), largest, 0.0001);
        }
        assert_eq!(encoding(304.0).pages_us(0), 0.0);
        assert_near(encoding(304.0).pages_us(1), 25.0 + 40.0 + 89.513, 0.001);
    }

    /// 100 pages, 40 % of them deltas, at 304 MHz: 18 380 µs at a ratio of 0.35, 20 380 at 0.6 (equation 4.1).
    #[test]
    fn deltas_pay_below_the_largest_ratio() {
        let encoding = Encoding {
            encode_us: 89.5,
            ..encoding(304.0)
        };
        let writes = |ratio| {
            let deltas = DeltaWrites::new(0.4, ratio).unwrap();
            100.0 * (encoding.longest_us() * deltas.share + deltas.programs_per_write() * 200.0)
        };
        assert_near(writes(0.35), 18_380.0, 1e-9);
        assert_near(writes(0.6), 20_380.0, 1e-9);
        let largest = encoding.largest_ratio(200.0);
        assert_near(writes(largest), 20_000.0, 1e-9);
    }

    #[test]
    fn foreground_programs_follow_share_and_ratio() {
        let cases = [
            (0.3, [0.850, 0.805, 0.760]),
            (0.5, [0.750, 0.675, 0.600]),
            (0.7, [0.650, 0.545, 0.440]),
        ];
        for (share, factors) in cases {
            for (ratio, factor) in [0.50, 0.35, 0.20].into_iter().zip(factors) {
                assert_near(
                    DeltaWrites::new(share, ratio).unwrap().programs_per_write(),
                    factor,
                    1e-12,
                );
            }
        }
    }

    const LOAD: Overwrites = Overwrites {
        writes: 1e6,
        pages_per_block: 64,
        program_us: 200.0,
        erase_us: 1500.0,
    };

    /// The worked example of section 10.
    #[test]
    fn collection_takes_what_the_specification_says() {
        let without = LOAD.without_deltas(20_000.0).unwrap();
        assert_eq!((without.collections, without.gain_pages), (20_000.0, 50.0));
        assert_near(without.time_us, 8.6e7, 1.0);
        let deltas = DeltaWrites::new(0.4, 0.2).unwrap();
        let pages = LOAD.with_deltas(deltas, 12_000.0, 0.0).unwrap();
        assert_eq!(pages.victims, Victims::Pages);
        assert_near(pages.collections, 13_600.0, 1e-6);
        assert_near(pages.time_us, 5.848e7, 1.0);
        assert_near(pages.time_us / without.time_us, 0.680, 1e-12);
        let logs = LOAD.with_deltas(deltas, 12_000.0, 0.9).unwrap();
        assert_eq!(logs.victims, Victims::Deltas);
        assert_near(logs.collections, 11_805.6, 0.05);
        assert_near(logs.time_us, 3.282e7, 1e4);
        assert_near(logs.time_us / without.time_us, 0.3816, 0.0001);
    }

    #[test]
    fn numbers_without_sense_are_refused() {
        let key = |error: FtlError| error.key;
        assert_eq!(key(DeltaWrites::new(1.0, 0.5).unwrap_err()), "share");
        assert_eq!(key(DeltaWrites::new(0.5, 0.0).unwrap_err()), "ratio");
        assert_eq!(key(DeltaWrites::new(0.5, f64::NAN).unwrap_err()), "ratio");
        // 100 pages of each block would come back, which has 64
        assert_eq!(key(LOAD.without_deltas(10_000.0).unwrap_err()), "gain");
        assert_eq!(key(LOAD.without_deltas(-1.0).unwrap_err()), "gain");
        let deltas = DeltaWrites::new(0.4, 0.2).unwrap();
        assert_eq!(
            key(LOAD.with_deltas(deltas, 12_000.0, 1.1).unwrap_err()),
            "superseded"
        );
        let nothing = Overwrites { writes: 0.0, ..LOAD };
        assert_eq!(key(nothing.without_deltas(1.0).unwrap_err()), "writes");
        let empty = Overwrites {
            pages_per_block: 0,
            ..LOAD
        };
        assert_eq!(key(empty.without_deltas(1.0).unwrap_err()), "pages_per_block");
        let backwards = Overwrites {
            erase_us: -1.0,
            ..LOAD
        };
        assert_eq!(key(backwards.without_deltas(20_000.0).unwrap_err()), "erase_us");
        let encoding = Encoding {
            read_us: f64::NAN,
            ..encoding(304.0)
        };
        assert_eq!(key(encoding.check().unwrap_err()), "read_us");
    }
}
