//! Pages of several codewords, and the search for a code.

use proptest::prelude::*;
use wordline_ecc::finder::{Need, Per, weakest};
use wordline_ecc::{Bch, EccError, ErrorCounts, Pipeline, Segmentation, ln_page_failure};

/// Wu (2013): 25 us of sensing, 40.96 us for a page of 4096 bytes at 100 MB/s.
fn pipeline(segments: u32) -> Pipeline {
    let row = Bch::published()
        .into_iter()
        .find(|row| row.segments == segments)
        .unwrap();
    Pipeline::new(25.0, 40.96 / f64::from(segments), row.decode_ns / 1e3).unwrap()
}

/// The recurrence that the closed form solves: a segment is decoded when it is transferred and the one
/// before it is decoded.
fn recurrence(sense: f64, transfer: f64, decode: f64, segments: u32) -> f64 {
    let mut decoded = 0.0_f64;
    for segment in 1..=segments {
        let transferred = sense + f64::from(segment) * transfer;
        decoded = decoded.max(transferred) + decode;
    }
    decoded
}

#[test]
fn segmented_reads() {
    let expected = [
        (1, 1, 107.16),
        (2, 1, 67.19),
        (2, 2, 88.90),
        (4, 1, 46.49),
        (4, 2, 57.74),
        (4, 3, 68.99),
        (4, 4, 80.24),
        (8, 1, 35.90),
        (8, 2, 41.68),
        (8, 4, 53.24),
        (8, 5, 59.02),
        (8, 8, 76.36),
    ];
    for (segments, requested, us) in expected {
        let found = pipeline(segments).latency_us(requested).unwrap();
        assert!((found - us).abs() < 1e-9, "{segments} {requested}: {found}");
    }
    let said = |error: EccError| error.to_string();
    assert_eq!(
        pipeline(8).latency_us(0).map_err(said),
        Err("segments = 0: accepted is 1 or more".to_owned())
    );
    for times in [[-1.0, 1.0, 1.0], [1.0, f64::NAN, 1.0], [1.0, 1.0, f64::INFINITY]] {
        assert!(Pipeline::new(times[0], times[1], times[2]).is_err());
    }
}

#[test]
fn sectors_and_segments() {
    let eight = Segmentation::new(8, 8).unwrap();
    let two = Segmentation::new(8, 2).unwrap();
    assert_eq!((two.segment_of(3), two.segment_of(4), two.segments()), (0, 1, 2));
    assert_eq!(
        (two.touched(3, 1), two.touched(3, 2), two.touched(0, 8)),
        (1, 2, 2)
    );
    assert_eq!(
        (eight.touched(5, 2), eight.touched(5, 99), eight.touched(8, 1)),
        (2, 3, 0)
    );
    assert_eq!(two.touched(0, 0), 0);
    for bad in [0, 3, 16] {
        let refused = Segmentation::new(8, bad).unwrap_err().to_string();
        assert!(refused.contains("8 sectors"), "{refused}");
    }
}

fn need(k: u32, rber: f64, target: f64) -> Need {
    Need {
        k,
        codewords: 1,
        rber,
        target,
        per: Per::Codeword,
        counts: ErrorCounts::Independent,
    }
}

/// Asked for what a published code just does, the search finds that code without its idle parity.
#[test]
fn published_codes_are_found_again() {
    for row in Bch::published() {
        let rber = row.code.p_max(1e-15, ErrorCounts::Independent).unwrap();
        let found = weakest(&need(row.code.k(), rber * 0.999, 1e-15))
            .unwrap()
            .unwrap();
        assert_eq!((found.t(), found.k()), (row.code.t(), row.code.k()));
        assert_eq!(found.n(), row.code.k() + row.code.parity());
    }
}

#[test]
fn the_search_is_the_least_of_all_codes() {
    for (k, rber, target) in [
        (64, 0.01, 1e-6),
        (11, 0.02, 1e-3),
        (1000, 0.003, 1e-9),
        (4, 1e-9, 1e-3),
    ] {
        let found = weakest(&need(k, rber, target)).unwrap().unwrap();
        let goal = f64::ln(target);
        let ln = |code: Bch| code.ln_failure(rber, ErrorCounts::Independent).unwrap();
        assert!(ln(found) <= goal);
        for n in (k + 1).max(3)..found.n() {
            let shorter = Bch::strongest(n, k).unwrap();
            assert!(shorter.t() == 0 || ln(shorter) > goal, "{shorter:?} {found:?}");
        }
    }
}

#[test]
fn pages_ask_for_more_than_codewords() {
    let codeword = need(4100, 2.307e-4, 1e-15);
    let page = Need {
        codewords: 8,
        per: Per::Page,
        ..codeword
    };
    let (one, eight) = (
        weakest(&codeword).unwrap().unwrap(),
        weakest(&page).unwrap().unwrap(),
    );
    assert!(eight.t() > one.t());
    let ln = eight.ln_failure(page.rber, page.counts).unwrap();
    assert!(ln_page_failure(ln, 8).unwrap() <= f64::ln(1e-15));
}

#[test]
fn what_no_code_does() {
    assert_eq!(weakest(&need(4096, 0.4, 1e-15)), Ok(None));
    for bad in [
        need(0, 0.1, 0.1),
        need(u32::MAX, 0.1, 0.1),
        need(10, 1.5, 0.1),
        need(10, 0.1, 0.0),
        Need {
            codewords: 0,
            ..need(10, 0.1, 0.1)
        },
    ] {
        assert!(weakest(&bad).is_err());
    }
}

proptest! {
    #[test]
    fn the_closed_form_is_the_recurrence(
        sense in 0.0_f64..1e5, transfer in 0.0_f64..1e5, decode in 0.0_f64..1e5, segments in 1_u32..64,
    ) {
        let found = Pipeline::new(sense, transfer, decode).unwrap().latency_us(segments).unwrap();
        let expected = recurrence(sense, transfer, decode, segments);
        prop_assert!((found - expected).abs() <= 1e-9 * expected.max(1.0));
    }

    #[test]
    fn touched_segments_are_distinct_segments(exponent in 0_u32..5, first in 0_u32..16, count in 0_u32..20) {
        let page = Segmentation::new(16, 1 << exponent).unwrap();
        let mut distinct: Vec<u32> = (first..(first + count).min(16)).map(|sector| page.segment_of(sector)).collect();
        distinct.dedup();
        prop_assert_eq!(page.touched(first, count) as usize, distinct.len());
    }
}
