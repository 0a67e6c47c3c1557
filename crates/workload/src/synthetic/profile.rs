//! `kind = "profile"`: surrogates of traces that are not at hand, made from the figures that are
//! published on them (Hu et al., ICS 2011, Table 1; array specification, section 10.1).
//!
//! Sizes are lognormal, addresses follow the 80/20 rule with 30 % sequential runs, arrivals are
//! Poisson. The last four mean gaps of the table are taken as microseconds.

use wordline_units::{SECTOR_BYTES, Seed, Stream};

use super::arrivals::Arrivals;
use super::classes::{draw, share};
use super::scatter::Scatter;
use super::schedule::Schedule;
use super::sizes::SizeLaw;
use super::slots::{Slots, below, unit};
use crate::config::{ProfileName, WorkloadConfig};
use crate::error::KeyError;
use crate::{HostCommand, HostOp, Source, SourceError};

/// Share of requests that start where the one before ended.
const SEQUENTIAL: f64 = 0.3;
/// The other requests: this share of the pages is asked for by the rest of the requests.
const HOT: f64 = 0.2;
/// Sectors of the pages that are hot or cold.
const PAGE: u32 = 8;
/// Largest request of a surrogate, in sectors: 1 MiB.
const LARGEST: u32 = 2048;

/// A row of the table.
struct Figures {
    title: &'static str,
    read_fraction: f64,
    /// Mean size of reads and of writes, in KiB.
    read_kib: f64,
    write_kib: f64,
    /// Mean gap in nanoseconds.
    gap: f64,
    /// Share of writes whose size is a multiple of 4 KiB, where it is published.
    whole_pages: Option<f64>,
}

fn figures(name: ProfileName) -> Figures {
    let row = |title, read_kib, write_kib, read_percent: f64, gap_us: f64, whole_pages| Figures {
        title,
        read_fraction: read_percent / 100.0,
        read_kib,
        write_kib,
        gap: gap_us * 1e3,
        whole_pages,
    };
    match name {
        ProfileName::Financial1 => row("Financial1", 2.25, 3.75, 23.2, 8_190.0, None),
        ProfileName::Financial2 => row("Financial2", 2.3, 2.9, 82.3, 11_080.0, None),
        ProfileName::Websearch => row("Websearch", 15.15, 8.6, 99.9, 2_990.0, None),
        ProfileName::Exchange => row("Exchange", 15.15, 14.5, 30.8, 1_179.0, Some(0.743)),
        ProfileName::Msn => row("MSN file server", 9.6, 11.1, 67.2, 513.0, Some(0.786)),
        ProfileName::Develop => row("Develop", 18.45, 10.95, 88.6, 1_985.0, Some(0.992)),
        ProfileName::Radius => row("Radius", 124.25, 12.45, 17.1, 9_475.0, Some(0.334)),
    }
}

/// A surrogate.
struct Profile {
    title: &'static str,
    reads: u64,
    read_sizes: SizeLaw,
    write_sizes: SizeLaw,
    sequential: u64,
    /// Exponent of the self-similar ranks.
    skew: f64,
    pages: Slots,
    scatter: Scatter,
    /// Where a sequential run goes on.
    next: u64,
    requests: Stream,
    addresses: Stream,
    schedule: Schedule,
}

/// The surrogate of `config`, which was checked, for a drive of `capacity` sectors.
///
/// # Errors
/// No profile, or a region without room.
pub(crate) fn open(config: &WorkloadConfig, capacity: u64) -> Result<Box<dyn Source>, KeyError> {
    let Some(name) = config.profile else {
        return Err(KeyError::new(
            "workload.profile",
            "unset",
            "the trace to stand in for",
        ));
    };
    let figures = figures(name);
    let seed = Seed(config.seed);
    let pages = Slots::of(config, capacity, PAGE, LARGEST)?;
    let mut addresses = seed.stream("workload.address");
    let arrivals = Arrivals::poisson(figures.gap / config.compress_time, seed);
    Ok(Box::new(Profile {
        title: figures.title,
        reads: share(figures.read_fraction),
        read_sizes: SizeLaw::new(figures.read_kib, None, LARGEST),
        write_sizes: SizeLaw::new(figures.write_kib, figures.whole_pages, LARGEST),
        sequential: share(SEQUENTIAL),
        skew: libm::log(HOT) / libm::log(1.0 - HOT),
        scatter: Scatter::of(pages.count(), &mut addresses),
        next: pages.sector(0),
        pages,
        requests: seed.stream("workload.request"),
        addresses,
        schedule: Schedule::with(config, arrivals),
    }))
}

impl Profile {
    /// A run goes on, or a page is drawn: self-similar ranks (Gray et al., SIGMOD 1994), by which
    /// any first share of the ranks is as unevenly used as the whole.
    fn address(&mut self, sectors: u32) -> u64 {
        if draw(&mut self.addresses) < self.sequential {
            return self.pages.going_on(self.next, sectors);
        }
        let rank = libm::pow(unit(&mut self.addresses), self.skew) * self.pages.count() as f64;
        let page = self.scatter.place((rank as u64).min(self.pages.count() - 1));
        let start = self.pages.sector(page);
        if sectors.is_multiple_of(PAGE) {
            return start;
        }
        // a request that is no multiple of a page may start at any sector of its page
        start + below(u64::from(PAGE), &mut self.addresses).min(u64::from(LARGEST - sectors))
    }
}

impl Source for Profile {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let Some(arrival) = self.schedule.next() else {
            return self.schedule.end();
        };
        let (op, sizes) = if draw(&mut self.requests) < self.reads {
            (HostOp::Read, &self.read_sizes)
        } else {
            (HostOp::Write, &self.write_sizes)
        };
        let sectors = sizes.draw(&mut self.requests);
        let sector = self.address(sectors);
        self.next = sector + u64::from(sectors);
        Ok(Some(HostCommand {
            arrival,
            op,
            fua: false,
            sector,
            sectors,
            queue: 0,
            placement: 0,
        }))
    }

    fn len_hint(&self) -> Option<u64> {
        self.schedule.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        vec![format!(
            "the requests are a surrogate of {}, made from its published means (read share, sizes, gap), not the trace \
             itself: sizes are lognormal up to {} KiB, addresses follow the 80/20 rule with 30 % sequential runs, \
             arrivals are Poisson",
            self.title,
            LARGEST * SECTOR_BYTES / 1024,
        )]
    }
}
