//! Servers: OLTP and search engines (UMass), Microsoft production servers, HP's Cello.

use wordline_units::ByteSize;

use super::SizeShare;
use super::builtin::{Draft, Named};

/// Wu counts in millions to two digits.
const MILLION: f64 = 1e6;

/// A row of Hu et al., Table 1: name, title, reads in percent, mean sizes in KiB, mean gap in
/// microseconds, share of the writes that are multiples of 4 KiB, requests of the trace. The table's
/// heading says ms; its four-digit gaps fit the traces only as us.
type Row = (
    &'static str,
    &'static str,
    f64,
    f64,
    f64,
    f64,
    Option<f64>,
    Option<u64>,
);

const SSDSIM: &[Row] = &[
    (
        "financial1",
        "Financial1 (UMass)",
        23.2,
        2.25,
        3.75,
        8_190.0,
        None,
        Some(5_334_987),
    ),
    (
        "financial2",
        "Financial2 (UMass)",
        82.3,
        2.3,
        2.9,
        11_080.0,
        None,
        Some(3_699_195),
    ),
    (
        "websearch",
        "Websearch (UMass)",
        99.9,
        15.15,
        8.6,
        2_990.0,
        None,
        Some(1_055_448),
    ),
    (
        "exchange",
        "Exchange mail server",
        30.8,
        15.15,
        14.5,
        1_179.0,
        Some(0.743),
        None,
    ),
    (
        "msn",
        "MSN storage back-end file server",
        67.2,
        9.6,
        11.1,
        513.0,
        Some(0.786),
        None,
    ),
    (
        "develop",
        "Developer-tools release server (DTRS)",
        88.6,
        18.45,
        10.95,
        1_985.0,
        Some(0.992),
        None,
    ),
    (
        "radius",
        "RADIUS authentication server",
        17.1,
        124.25,
        12.45,
        9_475.0,
        Some(0.334),
        None,
    ),
];

pub(super) fn profiles() -> impl Iterator<Item = Named> {
    SSDSIM.iter().map(ssdsim).chain(web()).chain(disks())
}

fn ssdsim(row: &Row) -> Named {
    let &(name, title, reads, read_kib, write_kib, gap, whole, requests) = row;
    let mut draft = Draft::new(title.to_owned())
        .reads(reads / 100.0, "S2")
        .sizes((read_kib, "S2"), (write_kib, "S2"))
        .gap(gap, "S2");
    if let Some(requests) = requests {
        draft = draft.requests(requests, "P");
    }
    if whole.is_some() {
        draft.profile.writes.whole_pages = whole;
        draft.source("writes.whole_pages", "S2: share of writes of 4 KiB or multiples");
    }
    Named {
        name,
        profile: draft.profile,
    }
}

/// The three WebSearch traces: reads of 8 KiB and multiples, at multiples of 8 KiB.
fn web() -> impl Iterator<Item = Named> {
    // name, requests, span in seconds, source of both, mean read in KiB and its source
    let rows = [
        ("websearch1", 1_055_448, 3_155.0, "P", 15.15, "S2"),
        ("websearch2", 4_579_809, 15_395.0, "P: rows; L: span", 15.0, "L"),
        ("websearch3", 4_261_709, 16_407.0, "L", 15.4, "L"),
    ];
    rows.into_iter()
        .map(|(name, requests, span, source, kib, size_source)| {
            let title = format!("WebSearch{} (UMass)", &name["websearch".len()..]);
            let mut draft = Draft::new(title)
                .reads(0.9998, "L")
                .requests(requests, source)
                .gap(
                    span * 1e6 / requests as f64,
                    &format!("{source}: span over requests"),
                )
                .sizes((kib, size_source), (8.6, "S2: Websearch"));
            // published: 8 to 32 KiB in steps of 8 KiB; weights fall by halves, which leaves one
            // number to be found from the mean
            let weights = falling([8.0, 16.0, 24.0, 32.0], kib);
            draft.profile.reads.sizes = (1..)
                .zip(weights)
                .map(|(blocks, weight)| SizeShare {
                    size: ByteSize(blocks * 8192),
                    weight,
                })
                .collect();
            draft.source(
                "reads.sizes",
                "L: 8 to 32 KiB in steps of 8 KiB; assumed: weights that fall geometrically to the mean",
            );
            draft.profile.align = ByteSize(8192);
            draft.source("align", "L: 8-KiB aligned");
            draft.profile.space = Some(ByteSize(3 * 16_700 * (1 << 20)));
            draft.source(
                "space",
                "L: 16.7 GiB on each of the three units that take practically all",
            );
            for side in [&mut draft.profile.reads, &mut draft.profile.writes] {
                side.sequential = 0.0;
            }
            for key in ["reads.sequential", "writes.sequential"] {
                draft.source(key, "L: random");
            }
            Named {
                name,
                profile: draft.profile,
            }
        })
}

/// Weights r^k of four sizes, with r such that their mean is `mean`.
fn falling(sizes: [f64; 4], mean: f64) -> [f64; 4] {
    let weights = |ratio: f64| [1.0, ratio, ratio * ratio, ratio * ratio * ratio];
    let mean_of = |ratio: f64| {
        let weights = weights(ratio);
        let sum: f64 = weights
            .iter()
            .zip(sizes)
            .map(|(weight, size)| weight * size)
            .sum();
        sum / weights.iter().sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if mean_of(middle) < mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    weights(low)
}

/// Single disks and LUNs: counts and mixes are published, sizes are not.
fn disks() -> impl Iterator<Item = Named> {
    const MSN: &str = "assumed: as the MSN file server of Hu et al., Table 1; not published for this disk";
    const EXCHANGE: &str =
        "assumed: as the Exchange server of Hu et al., Table 1; not published for this LUN";
    const HP: &str = "assumed: as the HP-UX workstation hplajw; not published";
    const COUNTS: &str = "W: span over requests";
    // name, title, reads of all, source, requests in millions, gap in us, source, sizes, source
    let rows = [
        (
            "exchange_lun",
            "Exchange mail server, busiest LUN",
            1.0 / 3.22,
            "M",
            5.50,
            15_790.0,
            "M",
            15.15,
            14.5,
            EXCHANGE,
        ),
        (
            "msnfs_lun",
            "MSN file server, busiest LUN",
            1.0 / 2.24,
            "M",
            2.22,
            9_780.0,
            "M",
            9.6,
            11.1,
            MSN,
        ),
        (
            "msn_cfs_lun",
            "MSN metadata server, LUN",
            1.0 / 1.64,
            "M",
            0.52,
            41_630.0,
            "M",
            9.6,
            11.1,
            MSN,
        ),
        (
            "msn_cfs",
            "MSN metadata server, first disk",
            0.75,
            "W",
            0.53,
            21_600.0 / 0.53,
            COUNTS,
            9.6,
            11.1,
            MSN,
        ),
        (
            "dap_ps",
            "Display-ads platform, payload server",
            0.562,
            "W",
            1.08,
            86_400.0 / 1.08,
            COUNTS,
            9.6,
            11.1,
            MSN,
        ),
        (
            "dap_ps_lun",
            "Display-ads platform, payload server, LUN",
            1.0 / 2.22,
            "M",
            1.09,
            79_630.0,
            "M",
            9.6,
            11.1,
            MSN,
        ),
        (
            "cello99_c3",
            "HP Cello99, disk C3, 17 July 1999",
            0.353,
            "W",
            2.12,
            40_800.0,
            "W",
            4.61,
            6.26,
            HP,
        ),
        (
            "cello99_c8",
            "HP Cello99, disk C8, 17 July 1999",
            0.274,
            "W",
            2.04,
            42_400.0,
            "W",
            4.61,
            6.26,
            HP,
        ),
    ];
    rows.into_iter().map(
        |(name, title, reads, read_source, millions, gap, gap_source, read_kib, write_kib, sizes)| {
            let profile = Draft::new(title.to_owned())
                .reads(reads, read_source)
                .requests((millions * MILLION).round() as u64, read_source)
                .gap(gap, gap_source)
                .sizes((read_kib, sizes), (write_kib, sizes))
                .profile;
            Named { name, profile }
        },
    )
}
