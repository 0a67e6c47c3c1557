//! Words that are encoded, disturbed and decoded.

use proptest::prelude::*;
use wordline_ecc::{Bch, Codec, exact_parity};

fn codec(n: u32, k: u32, t: u32) -> Codec {
    Codec::new(Bch::new(n, k, t).unwrap())
}

/// Bits of a number, the lowest first.
fn bits(value: u64, count: u32) -> Vec<bool> {
    (0..count).map(|place| value >> place & 1 == 1).collect()
}

fn flipped(word: &[bool], places: &[usize]) -> Vec<bool> {
    let mut word = word.to_vec();
    for place in places {
        word[*place] = !word[*place];
    }
    word
}

/// Generator polynomials as tabulated (S. Lin and D. J. Costello, Error Control Coding, 2nd edition 2004, table 6.1 and example 6.1):
/// the word of the lowest bit of information is the polynomial itself.
#[test]
fn generators_are_those_of_the_textbook() {
    for (n, k, t, generator) in [
        (7, 4, 1, 0b1011),
        (15, 11, 1, 0b1_0011),
        (15, 7, 2, 0b1_1101_0001),
        (15, 5, 3, 0b101_0011_0111),
        (31, 21, 2, 0b111_0110_1001),
    ] {
        let word = codec(n, k, t).encode(&bits(1, k)).unwrap();
        assert_eq!(word, bits(generator, n), "({n}, {k}, {t})");
    }
}

/// Every pattern of up to three errors in every place of (15, 5, 3), and of its code shortened to 12 bits.
#[test]
fn every_pattern_of_t_errors_is_corrected() {
    for (n, k) in [(15, 5), (12, 2)] {
        let codec = codec(n, k, 3);
        for information in 0..1_u64 << k {
            let sent = codec.encode(&bits(information, k)).unwrap();
            for pattern in (0..1_u32 << n).filter(|pattern| pattern.count_ones() <= 3) {
                let places: Vec<usize> = (0..n as usize)
                    .filter(|place| pattern >> place & 1 == 1)
                    .collect();
                let mut word = flipped(&sent, &places);
                assert_eq!(codec.decode(&mut word).unwrap(), Some(pattern.count_ones()));
                assert_eq!(word, sent);
            }
        }
    }
}

/// With more errors than are corrected the word is left as it was, or becomes another code word: never the one that was sent.
#[test]
fn more_errors_are_never_corrected() {
    let codec = codec(15, 7, 2);
    let sent = codec.encode(&bits(0b101_1001, 7)).unwrap();
    let (mut left, mut another) = (0, 0);
    for pattern in (0..1_u32 << 15).filter(|pattern| pattern.count_ones() > 2) {
        let places: Vec<usize> = (0..15).filter(|place| pattern >> place & 1 == 1).collect();
        let received = flipped(&sent, &places);
        let mut word = received.clone();
        match codec.decode(&mut word).unwrap() {
            None => {
                assert_eq!(word, received);
                left += 1;
            }
            Some(_) => {
                assert_ne!(word, sent);
                another += 1;
            }
        }
    }
    // 127 other code words, each with the 1 + 15 + 105 words around it
    assert_eq!((left, another), ((1 << 15) - 128 * 121, 127 * 121));
}

/// The generator has as many bits of parity as the code needs, for all codes of small fields: otherwise words would not have room.
#[test]
fn parity_is_that_of_the_cosets() {
    for degree in 3..=8 {
        let n = (1 << degree) - 1;
        for t in (1..n / 2).take_while(|t| exact_parity(degree, *t).is_some_and(|bits| bits < n)) {
            let parity = exact_parity(degree, t).unwrap();
            let codec = codec(n, n - parity, t);
            let mut information = vec![false; (n - parity) as usize];
            information[0] = true;
            let word = codec.encode(&information).unwrap();
            assert!(word[parity as usize] && !word[parity as usize + 1..].contains(&true));
            assert!(word[0], "a generator has no root at 0");
        }
    }
}

#[test]
fn words_of_another_length_are_refused() {
    let codec = codec(15, 7, 2);
    assert_eq!(codec.encode(&[true; 8]).unwrap_err().key, "information");
    let error = codec.decode(&mut [false; 14]).unwrap_err().to_string();
    assert_eq!(error, "word = 14: accepted are n = 15 bits");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The published codes of a page: any number of errors up to t is corrected, one more is not.
    #[test]
    fn published_codes_correct_t_errors(
        row in 0_usize..4,
        seed in prop::collection::vec(any::<u64>(), 513),
        places in prop::collection::hash_set(0_usize..4316, 16),
        spread in 0_usize..8,
    ) {
        let code = Bch::published()[row].code;
        let codec = Codec::new(code);
        prop_assert_eq!(codec.code(), code);
        let information: Vec<bool> = (0..code.k() as usize).map(|bit| seed[bit / 64] >> (bit % 64) & 1 == 1).collect();
        let sent = codec.encode(&information).unwrap();
        prop_assert_eq!(&sent[(code.n() - code.k()) as usize..], &information);
        // places of the shortest code, repeated through the longer ones
        let stretch = code.n() as usize / 4316;
        let all: Vec<usize> = (0..stretch).flat_map(|part| places.iter().map(move |place| part * 4316 + place)).collect();
        for errors in [all.len().min(code.t() as usize), spread] {
            let mut word = flipped(&sent, &all[..errors]);
            prop_assert_eq!(codec.decode(&mut word).unwrap(), Some(errors as u32));
            prop_assert_eq!(&word, &sent);
        }
    }
}
