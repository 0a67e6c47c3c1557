//! Profiles of traces of the literature that are not at hand, made from what is published on them.
//! Every figure says where it comes from; what nobody published is assumed, and says that.

use std::collections::BTreeMap;

use wordline_units::{ByteSize, Duration};

use super::{Band, Profile, msr, servers};

/// Marks of the sources, and what they stand for.
pub const SOURCES: &[(&str, &str)] = &[
    ("S2", "Hu et al., ICS 2011 (SSDsim), Table 1"),
    ("D", "DLV, Table III: read share and days"),
    ("W", "Wu, tables 2.1, 3.2 and 4.4"),
    ("M", "Mohan, table 4.1"),
    (
        "P",
        "a count from the literature that agrees with at least one independent figure",
    ),
    ("L", "a usual figure in the literature, not checked"),
    (
        "T",
        "computed from offset-frequency tables of whole volumes, writes",
    ),
];

/// A share of the places that takes the rest of the requests: 20 % take 80 % (array specification,
/// section 10.1).
const HOT: f64 = 0.2;
/// Share of sequential requests (the same).
const SEQUENTIAL: f64 = 0.3;
const RULE: &str = "assumed";

/// A named profile.
#[derive(Clone, Debug)]
pub struct Named {
    /// Name, as in `workload.profile`.
    pub name: &'static str,
    /// The distribution.
    pub profile: Profile,
}

/// Every built-in profile: servers, then volumes of MSR Cambridge.
#[must_use]
pub fn profiles() -> Vec<Named> {
    servers::profiles().chain(msr::profiles()).collect()
}

/// The profile called `name`.
pub(crate) fn by_name(name: &str) -> Option<Profile> {
    profiles()
        .into_iter()
        .find(|named| named.name == name)
        .map(|named| named.profile)
}

/// The 80/20 rule, the same at every scale: visits fall with rank^-s, so that any first part of
/// the places is as unevenly used as the whole (Gray et al., SIGMOD 1994).
pub(crate) fn self_similar() -> Vec<Band> {
    vec![Band {
        places: 1.0,
        visits: 1.0,
        exponent: 1.0 - libm::log(1.0 - HOT) / libm::log(HOT),
        ..Band::default()
    }]
}

/// A profile in the making: the law of section 10.1, and the sources of its figures.
pub(super) struct Draft {
    pub(super) profile: Profile,
}

impl Draft {
    /// Poisson arrivals, lognormal sizes, 80/20 addresses and 30 % sequential requests.
    pub(super) fn new(title: String) -> Self {
        let mut draft = Self {
            profile: Profile {
                title,
                sources: BTreeMap::new(),
                ..Profile::default()
            },
        };
        for side in [&mut draft.profile.reads, &mut draft.profile.writes] {
            side.sequential = SEQUENTIAL;
            side.popularity = self_similar();
        }
        for key in [
            "align",
            "arrivals.cv",
            "reads.sequential",
            "reads.streams",
            "reads.popularity",
            "reads.size_spread",
            "reads.largest",
            "writes.sequential",
            "writes.streams",
            "writes.popularity",
            "writes.size_spread",
            "writes.largest",
        ] {
            draft.source(key, RULE);
        }
        draft
    }

    /// Says where the figure at `key` comes from.
    pub(super) fn source(&mut self, key: &str, source: &str) {
        self.profile.sources.insert(key.to_owned(), source.to_owned());
    }

    pub(super) fn reads(mut self, share: f64, source: &str) -> Self {
        self.profile.read_fraction = share;
        self.source("read_fraction", source);
        self
    }

    /// Mean sizes in KiB.
    pub(super) fn sizes(mut self, read: (f64, &str), write: (f64, &str)) -> Self {
        let bytes = |kib: f64| ByteSize((kib * 1024.0).round() as u64);
        self.profile.reads.mean_size = bytes(read.0);
        self.profile.writes.mean_size = bytes(write.0);
        self.source("reads.mean_size", read.1);
        self.source("writes.mean_size", write.1);
        self
    }

    /// Mean gap in microseconds.
    pub(super) fn gap(mut self, us: f64, source: &str) -> Self {
        self.profile.arrivals.mean_gap = Duration((us * 1e3).round() as u64);
        self.source("arrivals.mean_gap", source);
        self
    }

    pub(super) fn requests(mut self, requests: u64, source: &str) -> Self {
        self.profile.requests = Some(requests);
        self.source("requests", source);
        self
    }
}
