//! Requests of the host, from a law of addresses or from a trace.

use std::ops::Range;

use wordline_units::SimTime;
use wordline_workload::{HostOp, Source, SourceError};

use crate::drive::Drive;
use crate::mapping::{Addresses, Draw, Mapping};
use crate::simulation::lru::Lru;

/// Pages of a request, at most.
const MOST_PAGES: u64 = 1 << 16;
/// Parts of a page that are told apart, at most.
const MOST_PARTS: u64 = 128;

/// Parts of a logical page, one bit each.
pub(crate) type Parts = u128;

/// A request: pages that follow one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) writes: bool,
    pub(crate) first: u64,
    pub(crate) pages: u64,
    /// Whether it goes to a page of the hot package.
    pub(crate) is_hot: bool,
    pub(crate) arrival: SimTime,
    /// Bytes from the first byte of the first page on; of a drawn request those of its page.
    bytes: Bytes,
}

/// A range of bytes.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    start: u64,
    end: u64,
}

/// How pages are divided into parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    page: u64,
    part: u64,
}

impl Division {
    fn new(page: u64, part: u64) -> Self {
        Self {
            page,
            part: part.max(page.div_ceil(MOST_PARTS)).max(1),
        }
    }

    /// The parts of a whole page.
    pub(crate) fn whole(self) -> Parts {
        let parts = self.page.div_ceil(self.part).min(MOST_PARTS) as u32;
        Parts::MAX >> (MOST_PARTS as u32 - parts)
    }

    /// The parts that a range of bytes of a page covers fully.
    fn covered(self, start: u64, end: u64) -> Parts {
        let first = start.div_ceil(self.part);
        let last = if end >= self.page {
            self.page.div_ceil(self.part)
        } else {
            end / self.part
        };
        (first..last.min(MOST_PARTS)).fold(0, |parts, part| parts | 1 << part)
    }
}

impl Request {
    /// The parts that it covers of its page of this number from 0.
    pub(crate) fn parts(&self, page: u64, division: Division) -> Parts {
        let first = page * division.page;
        let start = self.bytes.start.saturating_sub(first);
        let end = (self.bytes.end - first).min(division.page);
        division.covered(start, end)
    }
}

/// Where requests come from.
pub(crate) enum Host {
    /// They are drawn, one page each.
    Law {
        addresses: Addresses,
        mix: Draw,
        writes: f64,
        hot: Draw,
        hot_package: f64,
        dies_of_package: Range<u32>,
        part: Draw,
        bytes: u64,
        division: Division,
    },
    /// They are read.
    Trace {
        source: Box<dyn Source>,
        capacity: u64,
        division: Division,
        skipped: u64,
    },
}

impl Host {
    /// Requests of the workload.
    pub(crate) fn law(drive: &Drive, seed: u64) -> Self {
        let (load, page) = (&drive.workload, drive.logical_page.0);
        let dies = u64::from(drive.nand.dies_per_package).min(drive.dies()) as u32;
        Self::Law {
            addresses: Addresses::new(drive, seed, "fscale.address"),
            mix: Draw::new(seed, "fscale.mix"),
            writes: load.write_fraction,
            hot: Draw::new(seed, "fscale.hot_package"),
            hot_package: load.hot_package,
            dies_of_package: 0..dies,
            part: Draw::new(seed, "fscale.part"),
            bytes: drive.host_bytes(),
            division: Division::new(page, drive.host_bytes()),
        }
    }

    /// Requests of a trace.
    pub(crate) fn trace(drive: &Drive, source: Box<dyn Source>) -> Self {
        Self::Trace {
            source,
            capacity: drive.capacity.0,
            division: Division::new(drive.logical_page.0, 512),
            skipped: 0,
        }
    }

    /// The pages whose parts gather, as they are after many requests: full where requests are drawn, and empty before a trace.
    pub(crate) fn gathered(&self, drive: &Drive, seed: u64) -> Lru<Parts> {
        let most = drive.workload.coalesce_window as usize;
        let mut window = Lru::new(most);
        if let Self::Law { .. } = self {
            let mut addresses = Addresses::new(drive, seed, "fscale.gathered");
            for _ in 0..4 * most {
                let page = addresses.next();
                if window.touch(page).is_none() {
                    window.insert(page, 1);
                }
            }
        }
        window
    }

    /// How pages are divided into parts.
    pub(crate) fn division(&self) -> Division {
        match self {
            Self::Law { division, .. } | Self::Trace { division, .. } => *division,
        }
    }

    /// Requests that were passed over.
    pub(crate) fn skipped(&self) -> u64 {
        match self {
            Self::Law { .. } => 0,
            Self::Trace { skipped, .. } => *skipped,
        }
    }

    /// The next request; none at the end of a trace.
    ///
    /// # Errors
    /// A malformed row of a trace, or a request that is larger than accepted or not on the drive.
    pub(crate) fn next(&mut self, mapping: &mut impl Mapping) -> Result<Option<Request>, SourceError> {
        match self {
            Self::Law {
                addresses,
                mix,
                writes,
                hot,
                hot_package,
                dies_of_package,
                part,
                bytes,
                division,
            } => {
                let writes = mix.chance(*writes);
                let is_hot = hot.chance(*hot_package);
                let first = if is_hot {
                    mapping.page_on(dies_of_package, hot)
                } else {
                    addresses.next()
                };
                let start = if writes && *bytes < division.page {
                    part.below(division.page.div_ceil(*bytes)) * *bytes
                } else {
                    0
                };
                let end = (start + *bytes).min(division.page);
                Ok(Some(Request {
                    writes,
                    first,
                    pages: 1,
                    is_hot,
                    arrival: SimTime(0),
                    bytes: Bytes { start, end },
                }))
            }
            Self::Trace {
                source,
                capacity,
                division,
                skipped,
            } => loop {
                let Some(command) = source.next_command()? else {
                    return Ok(None);
                };
                let writes = match command.op {
                    HostOp::Read => false,
                    op if op.sends_data() => true,
                    _ => {
                        *skipped += 1;
                        continue;
                    }
                };
                let start = command.sector.saturating_mul(512);
                let end = start.saturating_add(512 * u64::from(command.sectors.max(1)));
                let first = start / division.page;
                let pages = end.div_ceil(division.page) - first;
                if end > *capacity || pages > MOST_PAGES {
                    return Err(SourceError(format!(
                        "a request of {} sectors at sector {}: accepted are requests within the {capacity} bytes of the drive, of at most \
                         {MOST_PAGES} logical pages of {} bytes",
                        command.sectors, command.sector, division.page
                    )));
                }
                let base = first * division.page;
                return Ok(Some(Request {
                    writes,
                    first,
                    pages,
                    is_hot: false,
                    arrival: command.arrival,
                    bytes: Bytes {
                        start: start - base,
                        end: end - base,
                    },
                }));
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_a_request_covers() {
        let division = Division::new(16384, 4096);
        assert_eq!(division.whole(), 0b1111);
        let request = Request {
            writes: true,
            first: 7,
            pages: 3,
            is_hot: false,
            arrival: SimTime(0),
            // from the middle of the second part to the middle of the second part of the third page
            bytes: Bytes {
                start: 6144,
                end: 2 * 16384 + 6144,
            },
        };
        assert_eq!(request.parts(0, division), 0b1100);
        assert_eq!(request.parts(1, division), 0b1111);
        assert_eq!(request.parts(2, division), 0b0001);
        // 128 parts at most
        assert_eq!(Division::new(1 << 20, 512).whole(), Parts::MAX);
    }
}
