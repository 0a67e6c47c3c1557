//! Volumes of MSR Cambridge: a week each, from 22 February 2007 on.

use wordline_units::ByteSize;

use super::Band;
use super::builtin::{Draft, Named};

/// What is published on a volume.
struct Volume {
    name: &'static str,
    requests: u64,
    count: Count,
    read_share: Option<f64>,
    days: Option<f64>,
    /// Distinct start offsets of all requests.
    offsets: Option<u64>,
    write_kb: Option<f64>,
    writes: Option<Skew>,
}

/// Where the number of requests comes from.
#[derive(Clone, Copy)]
enum Count {
    /// It agrees with an independent figure.
    Agreed,
    /// It is not checked.
    Usual,
    /// It follows from the writes that were counted, and from their share.
    OfWrites { percent: f64 },
}

impl Count {
    const fn mark(self) -> &'static str {
        match self {
            Self::Agreed => "P",
            Self::Usual => "L",
            Self::OfWrites { .. } => "T, L",
        }
    }

    fn source(self) -> String {
        let mark = self.mark();
        match self {
            Self::Agreed | Self::Usual => mark.to_owned(),
            Self::OfWrites { percent } => format!("{mark}: the writes over their share of {percent} %"),
        }
    }
}

/// How unevenly the start offsets of writes are used.
#[derive(Clone, Copy)]
struct Skew {
    offsets: u64,
    writes: u64,
    highest_gib: f64,
    /// Shares of the writes: on the hottest offset, on the top 1, 10 and 20 % of the offsets.
    hottest: f64,
    top: [f64; 3],
    /// Share of the offsets that are written once.
    once: f64,
}

/// Every volume of which more than its name is at hand.
const VOLUMES: &[Volume] = &[
    volume(
        "msr_hm_0",
        3_993_316,
        Count::Agreed,
        Some(0.36),
        Some(7.0),
        Some(439_187),
        Some(8.3),
        skew(167_301, 1_999_999, 13.94, 5.8, [70.4, 80.5, 85.8], 35.4),
    ),
    volume(
        "msr_hm_1",
        609_311,
        Count::Usual,
        Some(0.95),
        Some(6.89),
        None,
        None,
        None,
    ),
    volume(
        "msr_mds_0",
        1_211_034,
        Count::Agreed,
        Some(0.12),
        Some(7.0),
        None,
        Some(7.2),
        skew(33_141, 1_211_033, 33.91, 10.9, [80.6, 87.9, 90.8], 18.7),
    ),
    volume(
        "msr_mds_1",
        1_637_711,
        Count::Usual,
        Some(0.93),
        Some(6.95),
        None,
        None,
        None,
    ),
    volume(
        "msr_prn_0",
        5_585_886,
        Count::Agreed,
        Some(0.11),
        Some(7.0),
        Some(711_385),
        Some(9.7),
        None,
    ),
    volume(
        "msr_prn_1",
        11_233_411,
        Count::Agreed,
        None,
        None,
        Some(2_173_575),
        None,
        None,
    ),
    volume(
        "msr_proj_0",
        4_224_524,
        Count::Agreed,
        Some(0.12),
        Some(7.0),
        Some(286_228),
        Some(40.9),
        None,
    ),
    volume(
        "msr_proj_1",
        23_639_742,
        Count::Agreed,
        None,
        None,
        Some(15_452_001),
        None,
        None,
    ),
    volume(
        "msr_proj_2",
        29_266_482,
        Count::Agreed,
        None,
        None,
        Some(16_180_242),
        None,
        None,
    ),
    volume(
        "msr_proj_3",
        2_244_644,
        Count::Usual,
        Some(0.95),
        Some(7.0),
        None,
        None,
        None,
    ),
    volume(
        "msr_proj_4",
        6_465_639,
        Count::Agreed,
        None,
        None,
        Some(3_002_525),
        None,
        None,
    ),
    volume(
        "msr_prxy_0",
        12_518_968,
        Count::Agreed,
        None,
        None,
        Some(155_681),
        None,
        skew(47_694, 1_999_999, 20.71, 1.2, [37.2, 94.9, 96.0], 24.4),
    ),
    volume(
        "msr_rsrch_0",
        1_433_655,
        Count::Agreed,
        Some(0.09),
        Some(7.0),
        None,
        Some(8.7),
        None,
    ),
    volume(
        "msr_rsrch_2",
        207_587,
        Count::Usual,
        Some(0.66),
        Some(6.78),
        None,
        None,
        None,
    ),
    volume(
        "msr_src1_0",
        37_415_613,
        Count::Agreed,
        None,
        None,
        Some(5_659_341),
        None,
        None,
    ),
    volume(
        "msr_src1_1",
        45_746_222,
        Count::Agreed,
        None,
        None,
        Some(6_170_590),
        None,
        None,
    ),
    volume(
        "msr_src1_2",
        1_907_773,
        Count::Usual,
        Some(0.25),
        Some(7.0),
        None,
        Some(32.5),
        None,
    ),
    volume(
        "msr_src2_0",
        1_557_814,
        Count::Agreed,
        Some(0.11),
        Some(8.09),
        None,
        Some(7.1),
        skew(56_062, 1_381_084, 15.63, 9.1, [78.1, 86.4, 90.0], 29.8),
    ),
    volume(
        "msr_src2_1",
        657_627,
        Count::Usual,
        Some(0.98),
        Some(7.95),
        None,
        None,
        None,
    ),
    volume(
        "msr_stg_0",
        2_030_915,
        Count::Agreed,
        Some(0.15),
        Some(7.0),
        None,
        Some(9.2),
        skew(56_927, 1_722_477, 10.82, 8.2, [73.1, 83.8, 87.7], 18.1),
    ),
    volume(
        "msr_stg_1",
        2_196_861,
        Count::Usual,
        Some(0.64),
        Some(7.0),
        None,
        None,
        None,
    ),
    volume(
        "msr_ts_0",
        1_801_734,
        Count::Agreed,
        Some(0.18),
        Some(8.09),
        None,
        Some(8.0),
        None,
    ),
    volume(
        "msr_usr_0",
        2_237_889,
        Count::Agreed,
        Some(0.40),
        Some(7.0),
        None,
        Some(10.3),
        skew(91_906, 1_333_405, 15.89, 9.0, [70.8, 81.4, 86.7], 27.3),
    ),
    volume(
        "msr_usr_1",
        45_283_980,
        Count::Agreed,
        None,
        None,
        Some(13_966_057),
        None,
        None,
    ),
    volume(
        "msr_usr_2",
        10_570_046,
        Count::Agreed,
        None,
        None,
        Some(7_374_757),
        None,
        None,
    ),
    volume(
        "msr_wdev_0",
        1_143_593,
        Count::OfWrites { percent: 79.9 },
        Some(0.20),
        None,
        None,
        None,
        skew(33_731, 913_731, 16.96, 9.1, [72.3, 86.7, 89.8], 17.3),
    ),
    volume(
        "msr_web_0",
        2_029_945,
        Count::Agreed,
        Some(0.30),
        Some(7.0),
        None,
        Some(8.6),
        None,
    ),
    volume(
        "msr_web_2",
        5_175_368,
        Count::Agreed,
        Some(0.99),
        Some(7.0),
        Some(1_321_270),
        None,
        None,
    ),
];

#[allow(clippy::too_many_arguments, reason = "the columns of a table")]
const fn volume(
    name: &'static str,
    requests: u64,
    count: Count,
    read_share: Option<f64>,
    days: Option<f64>,
    offsets: Option<u64>,
    write_kb: Option<f64>,
    writes: Option<Skew>,
) -> Volume {
    Volume {
        name,
        requests,
        count,
        read_share,
        days,
        offsets,
        write_kb,
        writes,
    }
}

/// Shares in percent.
const fn skew(
    offsets: u64,
    writes: u64,
    highest_gib: f64,
    hottest: f64,
    top: [f64; 3],
    once: f64,
) -> Option<Skew> {
    Some(Skew {
        offsets,
        writes,
        highest_gib,
        hottest,
        top,
        once,
    })
}

pub(super) fn profiles() -> impl Iterator<Item = Named> {
    VOLUMES.iter().map(profile)
}

/// Read share from which on a volume is like `web_2`.
const READ_INTENSIVE: f64 = 0.9;
/// Distinct start offsets and requests of `web_2`, the one read-intensive volume whose offsets were counted.
const PLACES_OF_WEB_2: f64 = 1_321_270.0;
const REQUESTS_OF_WEB_2: f64 = 5_175_368.0;

fn profile(volume: &Volume) -> Named {
    const READS: (f64, &str) = (0.5, "assumed: half, as no share is published");
    const WEEK: f64 = 7.0;
    const KB: (f64, &str) = (8.7, "assumed: the median of the volumes whose mean is known; L");
    let count = volume.count.mark();
    let (reads, reads_source) = volume.read_share.map_or(READS, |share| (share, "D"));
    let (kb, kb_source) = volume.write_kb.map_or(KB, |kb| (kb, "L"));
    let days = volume.days.unwrap_or(WEEK);
    let days_source = volume.days.map_or("assumed: 7 days", |_| "D: days");
    let gap = days * 86_400e6 / volume.requests as f64;
    let title = format!("MSR Cambridge {}", &volume.name["msr_".len()..]);
    let mut draft = Draft::new(title)
        .requests(volume.requests, &volume.count.source())
        .reads(reads, reads_source)
        .gap(gap, &format!("{count}: requests; {days_source}"))
        .sizes((kb, "assumed: as the writes"), (kb, kb_source));
    let profile = &mut draft.profile;
    profile.reads.places = volume.offsets;
    profile.writes.places = volume.offsets;
    if let Some(skew) = &volume.writes {
        profile.reads.places = Some(volume.offsets.unwrap_or(skew.offsets));
        profile.writes.places = Some(skew.offsets);
        profile.writes.visits = Some(skew.writes);
        profile.writes.popularity = skew.bands();
        profile.writes.sequential = 0.0;
        profile.phases = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        // up to the highest offset, and room for the largest request there
        profile.space = Some(ByteSize(((skew.highest_gib * 1024.0).ceil() as u64 + 1) << 20));
        for key in ["writes.places", "writes.visits", "writes.popularity", "space"] {
            draft.source(key, "T");
        }
        draft.source(
            "writes.sequential",
            "assumed: none apart, the table covers the start of every write",
        );
        draft.source("phases", "assumed: places are pages");
    } else if volume.offsets.is_some() {
        draft.source("writes.places", "P: distinct start offsets of all requests");
    } else if reads >= READ_INTENSIVE {
        let places = (volume.requests as f64 * PLACES_OF_WEB_2 / REQUESTS_OF_WEB_2).round() as u64;
        profile.reads.places = Some(places);
        profile.writes.places = Some(places);
        for key in ["reads.places", "writes.places"] {
            draft.source(
                key,
                "assumed: as many for each request as in web_2, the read-intensive volume that was counted (P)",
            );
        }
    }
    if volume.offsets.is_some() || volume.writes.is_some() {
        let source = match volume.offsets {
            Some(_) => "P: distinct start offsets of all requests",
            None => "assumed: as many as of writes",
        };
        draft.source("reads.places", source);
    }
    Named {
        name: volume.name,
        profile: draft.profile,
    }
}

impl Skew {
    /// Bands between the published shares. Between two of them, use falls with rank.
    fn bands(&self) -> Vec<Band> {
        let places = self.offsets as f64;
        let [one, ten, twenty] = self.top.map(|percent| percent / 100.0);
        let once = self.once / 100.0;
        let once_writes = once * places / self.writes as f64;
        // share of the places, and of the writes on them and on all that are hotter
        let ends = [
            (1.0 / places, self.hottest / 100.0),
            (0.01, one),
            (0.1, ten),
            (0.2, twenty),
            (1.0 - once, 1.0 - once_writes),
            (1.0, 1.0),
        ];
        let (mut from, mut before, mut limit) = (0.0, 0.0, f64::INFINITY);
        let last = ends.len() - 1;
        (0..)
            .zip(ends)
            .map(|(index, (to, upto))| {
                let ranks = [from * places, to * places];
                let visits = upto - before;
                let exponent = if index == 0 || index == last {
                    0.0
                } else {
                    steepest(ranks, visits, limit)
                };
                limit = use_at(ranks[1], ranks, visits, exponent);
                let band = Band {
                    places: to - from,
                    visits,
                    exponent,
                    ..Band::default()
                };
                (from, before) = (to, upto);
                band
            })
            .collect()
    }
}

/// The exponent of a band from one rank to another, with these visits: that of whole volumes,
/// 1.06 to 1.20, of which the middle is taken, or less where the first place would be used more
/// than the place before it.
fn steepest(ranks: [f64; 2], visits: f64, limit: f64) -> f64 {
    const EXPONENT: f64 = 1.13;
    let (mut low, mut high) = (0.0, EXPONENT);
    if use_at(ranks[0], ranks, visits, high) <= limit {
        return high;
    }
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if use_at(ranks[0], ranks, visits, middle) <= limit {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Share of the visits on the place of a rank, in a band of these ranks.
fn use_at(rank: f64, [from, to]: [f64; 2], visits: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        return visits / (to - from);
    }
    // as if the exponent were never quite 1, where the integral is a logarithm
    let power = if (exponent - 1.0).abs() < 1e-6 {
        1e-6
    } else {
        1.0 - exponent
    };
    visits * power * libm::pow(rank, power - 1.0) / (libm::pow(to, power) - libm::pow(from, power))
}
