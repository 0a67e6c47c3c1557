//! Which deltas share a page of flash (Delta-FTL specification, 5.3).

use wordline_keys::RefusedValue;

use crate::log_page::{check_page_bytes, room_for, room_of};

/// How deltas become pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// A delta is in one page, with its entry in the header. So many pages are filled at a time, at least 1: a delta goes to the one with the least room that it fits, and where it fits none, the
    /// fullest one is programmed and it begins another.
    NoSplit {
        /// Pages that are filled at a time.
        buffers: u32,
    },
    /// Bytes are counted and a page is programmed whenever they fill one, as the formulas of the source charge them: no headers, no waste.
    Fractional,
}

/// Most pages that are filled at a time: more than any controller would have (assumed).
const MOST_BUFFERS: u32 = 1024;

/// What became of a sequence of deltas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Packed {
    /// Deltas that were packed.
    pub deltas: u64,
    /// Deltas that fit into no page: they are kept as pages.
    pub too_large: u64,
    /// Pages that were filled, and those that are not full yet as far as they are.
    pub pages: f64,
}

impl Packing {
    /// Packs deltas, by their sizes in bytes, in the order in which they are made, into pages of `page_bytes`.
    ///
    /// # Errors
    /// A size of the page that the layout does not serve; no buffer or too many.
    pub fn pack(self, page_bytes: u32, sizes: impl IntoIterator<Item = u32>) -> Result<Packed, RefusedValue> {
        check_page_bytes(page_bytes)?;
        let mut packed = Packed::default();
        match self {
            Self::Fractional => {
                let mut bytes = 0_u64;
                for size in sizes {
                    if size < page_bytes {
                        packed.deltas += 1;
                        bytes += u64::from(size);
                    } else {
                        packed.too_large += 1;
                    }
                }
                packed.pages = bytes as f64 / f64::from(page_bytes);
            }
            Self::NoSplit { buffers } => {
                if !(1..=MOST_BUFFERS).contains(&buffers) {
                    let accepted = format!("accepted are 1 to {MOST_BUFFERS}");
                    return Err(RefusedValue::new("temp_buffers", buffers, accepted));
                }
                let whole = room_of(page_bytes);
                let mut rooms = vec![whole; buffers as usize];
                for size in sizes {
                    let needed = room_for(size.min(page_bytes));
                    if needed > whole {
                        packed.too_large += 1;
                        continue;
                    }
                    packed.deltas += 1;
                    let best = rooms.iter_mut().filter(|room| **room >= needed).min();
                    if let Some(room) = best {
                        *room -= needed;
                    } else if let Some(fullest) = rooms.iter_mut().min() {
                        packed.pages += 1.0;
                        *fullest = whole - needed;
                    }
                }
                let open: u32 = rooms.iter().map(|room| whole - room).sum();
                packed.pages += f64::from(open) / f64::from(whole);
            }
        }
        Ok(packed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_units::Seed;

    use super::*;
    use crate::ratio::RatioLaw;

    fn per_delta(packing: Packing, sizes: impl IntoIterator<Item = u32>) -> f64 {
        let packed = packing.pack(4096, sizes).unwrap();
        packed.pages / packed.deltas as f64
    }

    /// The pages for a delta that the specification found for deltas of a normal law (5.3).
    #[test]
    fn fragmentation_is_that_of_the_specification() {
        let cases = [(0.50, 0.712, 0.591), (0.35, 0.436, 0.386), (0.20, 0.227, 0.211)];
        for (mean, one, four) in cases {
            let law = RatioLaw::new(mean, mean / 4.0).unwrap();
            let sizes = || (0..200_000).map(|page| law.bytes(4096, law.draw(Seed(3), page, 1)));
            let of_one = per_delta(Packing::NoSplit { buffers: 1 }, sizes());
            let of_four = per_delta(Packing::NoSplit { buffers: 4 }, sizes());
            let bytes = per_delta(Packing::Fractional, sizes());
            assert!((of_one - one).abs() < 0.003, "{mean}: {of_one}, not {one}");
            assert!((of_four - four).abs() < 0.003, "{mean}: {of_four}, not {four}");
            assert!((bytes - mean).abs() < 0.002, "{mean}: {bytes}");
        }
    }

    /// Deltas of one size: 1, 2 and 4 in a page.
    #[test]
    fn equal_deltas_share_pages() {
        for (ratio, in_a_page) in [(0.50, 1.0), (0.35, 2.0), (0.20, 4.0)] {
            let size = (ratio * 4096.0) as u32;
            let found = per_delta(Packing::NoSplit { buffers: 1 }, vec![size; 10_001]);
            assert!((1.0 / found - in_a_page).abs() < 0.001, "{found}");
        }
    }

    #[test]
    fn what_fits_no_page_is_told() {
        let pack = |packing: Packing| packing.pack(100, [87, 88, 89, 99, 100]).unwrap();
        let no_split = pack(Packing::NoSplit { buffers: 1 });
        assert_eq!((no_split.deltas, no_split.too_large, no_split.pages), (2, 3, 2.0));
        let fractional = pack(Packing::Fractional);
        assert_eq!(
            (fractional.deltas, fractional.too_large, fractional.pages),
            (4, 1, 3.63)
        );
    }

    #[test]
    fn impossible_packings_are_refused() {
        let error = Packing::NoSplit { buffers: 0 }.pack(4096, []).unwrap_err();
        assert_eq!(error.to_string(), "temp_buffers = 0: accepted are 1 to 1024");
        assert!(Packing::Fractional.pack(70_000, []).is_err());
    }

    proptest! {
        /// A page holds at least one delta and never more than fits; all bytes are in some page.
        #[test]
        fn no_page_holds_more_than_it_can(
            sizes in prop::collection::vec(1_u32..3000, 1..300),
            buffers in 1_u32..6,
        ) {
            let packed = Packing::NoSplit { buffers }.pack(4096, sizes.iter().copied()).unwrap();
            let needed: u64 = sizes.iter().map(|size| u64::from(room_for(*size))).sum();
            prop_assert!(packed.pages <= packed.deltas as f64);
            prop_assert!(packed.pages * f64::from(room_of(4096)) >= needed as f64 - 1e-6);
            let bytes = Packing::Fractional.pack(4096, sizes.iter().copied()).unwrap();
            prop_assert!(bytes.pages <= packed.pages);
        }
    }
}
