//! Codecs of deltas, one row each.

mod libraries;
mod lzf;
mod zero_run;

use thiserror::Error;
use wordline_keys::RefusedValue;

use libraries::{Bzip2, Lz4, Raw, Snappy, Zstd, ZstdOfOld};
use lzf::Lzf;
use zero_run::ZeroRun;

/// Bytes that no delta of this codec can be.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Corrupt(pub &'static str);

/// Keeps a page as what makes it from its older version.
pub trait Codec: Send {
    /// Appends the delta that makes `new` of `old`, which are of one length.
    fn encode(&mut self, old: &[u8], new: &[u8], delta: &mut Vec<u8>);

    /// Appends the new version, as long as `old`.
    ///
    /// # Errors
    /// `delta` is none that [`Self::encode`] gives.
    fn decode(&mut self, old: &[u8], delta: &[u8], new: &mut Vec<u8>) -> Result<(), Corrupt>;
}

/// A compressor of bytes; what it is given are differences of pages.
trait Compressor: Send {
    /// Appends the compressed input.
    fn compress(&mut self, input: &[u8], output: &mut Vec<u8>);

    /// Appends the `length` bytes that were compressed.
    fn decompress(&mut self, input: &[u8], length: usize, output: &mut Vec<u8>) -> Result<(), Corrupt>;
}

/// The exclusive or of both versions, compressed.
struct OfDifference<C> {
    compressor: C,
    difference: Vec<u8>,
}

impl<C: Compressor> OfDifference<C> {
    fn new(compressor: C) -> Self {
        Self {
            compressor,
            difference: Vec::new(),
        }
    }
}

impl<C: Compressor> Codec for OfDifference<C> {
    fn encode(&mut self, old: &[u8], new: &[u8], delta: &mut Vec<u8>) {
        self.difference.clear();
        self.difference
            .extend(old.iter().zip(new).map(|(old, new)| old ^ new));
        self.compressor.compress(&self.difference, delta);
    }

    fn decode(&mut self, old: &[u8], delta: &[u8], new: &mut Vec<u8>) -> Result<(), Corrupt> {
        self.difference.clear();
        self.compressor
            .decompress(delta, old.len(), &mut self.difference)?;
        if self.difference.len() != old.len() {
            return Err(Corrupt("a difference of another length than the page"));
        }
        new.extend(old.iter().zip(&self.difference).map(|(old, change)| old ^ change));
        Ok(())
    }
}

/// A codec by name.
#[derive(Clone, Copy)]
pub struct CodecRow {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Cycles of a controller like an ARM Cortex-R4 for a page of 4 KiB. That of LZF is the source's (4.3); that of another codec is LZF's times its
    /// instructions over those of LZF for the same pages on an x86-64 processor (`examples/codec_cost.rs`, 2026-11: 102 299 for LZF). That both
    /// processors need their cycles in that proportion is assumed.
    pub compress_cycles: u32,
    /// Makes one.
    pub make: fn() -> Box<dyn Codec>,
}

/// Every codec.
pub const CODECS: [CodecRow; 8] = [
    CodecRow {
        name: "lzf",
        about: "LZF of the exclusive or of both versions, as in the source.",
        compress_cycles: 27_212,
        make: || Box::new(OfDifference::new(Lzf::default())),
    },
    CodecRow {
        name: "lz4",
        about: "LZ4 of the exclusive or.",
        compress_cycles: 7276,
        make: || Box::new(OfDifference::new(Lz4)),
    },
    CodecRow {
        name: "snappy",
        about: "Snappy of the exclusive or.",
        compress_cycles: 15_326,
        make: || Box::new(OfDifference::new(Snappy)),
    },
    CodecRow {
        name: "bzip2",
        about: "Bzip2 of the exclusive or.",
        compress_cycles: 292_013,
        make: || Box::new(OfDifference::new(Bzip2)),
    },
    CodecRow {
        name: "zstd",
        about: "Zstandard at level 1 of the exclusive or.",
        compress_cycles: 21_317,
        make: || Box::new(OfDifference::new(Zstd)),
    },
    CodecRow {
        name: "zstd_of_old",
        about: "Zstandard at level 1 of the new version with the old one as dictionary: finds what has moved inside the page.",
        compress_cycles: 65_092,
        make: || Box::new(ZstdOfOld),
    },
    CodecRow {
        name: "zero_run",
        about: "Runs of zero bytes of the exclusive or; what has changed is kept as it is.",
        compress_cycles: 8456,
        make: || Box::new(OfDifference::new(ZeroRun)),
    },
    CodecRow {
        name: "none",
        about: "The new version as it is.",
        compress_cycles: 236,
        make: || Box::new(Raw),
    },
];

/// The codec of a name.
///
/// # Errors
/// There is none.
pub fn codec(name: &str) -> Result<&'static CodecRow, RefusedValue> {
    CODECS.iter().find(|row| row.name == name).ok_or_else(|| {
        let names: Vec<_> = CODECS.iter().map(|row| format!("\"{}\"", row.name)).collect();
        RefusedValue::new(
            "codec",
            format!("\"{name}\""),
            format!("accepted are {}", names.join(", ")),
        )
    })
}

/// A codec that never needs more than a page: what it cannot shorten is kept as the new version itself, as long as a page.
pub struct Coder {
    codec: Box<dyn Codec>,
}

impl Coder {
    /// A coder of a row.
    #[must_use]
    pub fn new(row: &CodecRow) -> Self {
        Self { codec: (row.make)() }
    }

    /// The delta that makes `new` of `old`, which are of one length, in place of what `delta` holds.
    pub fn encode(&mut self, old: &[u8], new: &[u8], delta: &mut Vec<u8>) {
        delta.clear();
        self.codec.encode(old, new, delta);
        if delta.len() >= new.len() {
            delta.clear();
            delta.extend_from_slice(new);
        }
    }

    /// The new version, in place of what `new` holds.
    ///
    /// # Errors
    /// `delta` is none that [`Self::encode`] gives for a page of this length.
    pub fn decode(&mut self, old: &[u8], delta: &[u8], new: &mut Vec<u8>) -> Result<(), Corrupt> {
        new.clear();
        if delta.len() == old.len() {
            new.extend_from_slice(delta);
            return Ok(());
        }
        self.codec.decode(old, delta, new)?;
        if new.len() == old.len() {
            Ok(())
        } else {
            Err(Corrupt("a page of another length"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE: usize = 4096;

    fn coders() -> impl Iterator<Item = (&'static str, Coder)> {
        CODECS.iter().map(|row| (row.name, Coder::new(row)))
    }

    /// Bytes without any pattern.
    fn noise(seed: u64, length: usize) -> Vec<u8> {
        let draw = |at: usize| (wordline_units::Seed(seed).draw("noise", at as u64) >> 24) as u8;
        (0..length).map(draw).collect()
    }

    fn size(coder: &mut Coder, old: &[u8], new: &[u8]) -> usize {
        let (mut delta, mut again) = (Vec::new(), Vec::new());
        coder.encode(old, new, &mut delta);
        coder.decode(old, &delta, &mut again).unwrap();
        assert!(again == new, "another page comes back");
        delta.len()
    }

    /// A page that did not change leaves less than 64 bytes (Delta-FTL specification, 9.2).
    #[test]
    fn equal_pages_leave_almost_nothing() {
        let page = noise(1, PAGE);
        for (name, mut coder) in coders() {
            let size = size(&mut coder, &page, &page);
            let most = match name {
                "none" => PAGE,
                "zero_run" => PAGE / 128,
                // a copy of at most 64 bytes takes three
                "snappy" => 3 * PAGE / 64 + 8,
                _ => 63,
            };
            assert!(size <= most, "{name}: {size} bytes");
        }
    }

    /// Pages that have nothing to do with each other are kept as they are.
    #[test]
    fn unrelated_pages_are_kept_whole() {
        for (name, mut coder) in coders() {
            assert_eq!(size(&mut coder, &noise(1, PAGE), &noise(2, PAGE)), PAGE, "{name}");
        }
    }

    /// Fields in place, as of a record in a database: the delta is about as long as they are.
    #[test]
    fn small_changes_leave_small_deltas() {
        let old = noise(1, PAGE);
        let mut new = old.clone();
        for (at, byte) in noise(3, 40).into_iter().enumerate() {
            new[at * 100 + 7] ^= byte | 1;
        }
        for (name, mut coder) in coders().filter(|(name, _)| *name != "none") {
            let size = size(&mut coder, &old, &new);
            assert!((40..PAGE / 4).contains(&size), "{name}: {size} bytes");
        }
    }

    /// What has moved is found with the old version as dictionary only: the exclusive or of a shifted page is as good as noise.
    #[test]
    fn a_shifted_page_needs_the_old_one_as_dictionary() {
        let old = noise(1, PAGE);
        let mut new = old.clone();
        new.rotate_right(9);
        for (name, mut coder) in coders() {
            let size = size(&mut coder, &old, &new);
            assert_eq!(size < PAGE / 8, name == "zstd_of_old", "{name}: {size} bytes");
        }
    }

    #[test]
    fn an_unknown_codec_is_refused_with_those_that_there_are() {
        let error = codec("gzip").err().unwrap().to_string();
        assert!(
            error.starts_with("codec = \"gzip\": accepted are \"lzf\", \"lz4\""),
            "{error}"
        );
        assert_eq!(codec("zstd").unwrap().name, "zstd");
    }

    proptest! {
        /// Every pair of versions comes back, of any length, whatever has changed.
        #[test]
        fn every_new_version_comes_back(
            old in prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 1..5000),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..200),
        ) {
            let mut new = old.clone();
            for (at, byte) in changes {
                new[at.index(old.len())] = byte;
            }
            for (_, mut coder) in coders() {
                prop_assert!(size(&mut coder, &old, &new) <= old.len());
            }
        }

        /// Bytes of no codec give an error or some page, and nothing worse.
        #[test]
        fn no_bytes_lead_astray(
            old in prop::collection::vec(any::<u8>(), 1..600),
            delta in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            for (_, mut coder) in coders() {
                let mut new = Vec::new();
                if coder.decode(&old, &delta, &mut new).is_ok() {
                    prop_assert_eq!(new.len(), old.len());
                }
            }
        }
    }
}
