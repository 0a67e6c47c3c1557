//! A cell of one to five bits: its states, its read references and the bit error rates of its pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{CellError, require};
use crate::pages::{MAX_REFERENCES, PageRates, Reading, check_bits, page_of_boundary};
use crate::vth::{Erased, Programmed, crossing};

/// Where a read compares, in gaps between states above the centre of the erased state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum References {
    /// Half-way between the centres of the states.
    #[default]
    Midpoint,
    /// The lowest where the densities of the erased and the first programmed state cross; the others half-way, by
    /// symmetry.
    Optimal,
    /// A list, strictly increasing.
    #[serde(untagged)]
    At(Vec<f64>),
}

impl<'de> Deserialize<'de> for References {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrList;
        impl<'de> serde::de::Visitor<'de> for WordOrList {
            type Value = References;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"midpoint\", \"optimal\" or a list of numbers such as [0.45, 1.5, 2.5]")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<References, E> {
                match word {
                    "midpoint" => Ok(References::Midpoint),
                    "optimal" => Ok(References::Optimal),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<References, A::Error> {
                let mut found = Vec::new();
                while let Some(value) = list.next_element()? {
                    if found.len() == MAX_REFERENCES {
                        return Err(serde::de::Error::invalid_length(found.len() + 1, &self));
                    }
                    found.push(value);
                }
                Ok(References::At(found))
            }
        }
        deserializer.deserialize_any(WordOrList)
    }
}

/// A cell with its states and read references.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    bits: u32,
    erased: Erased,
    programmed: Programmed,
    references: [f64; MAX_REFERENCES],
    /// Whether all references lie half-way, so that the closed form holds.
    midpoint: bool,
}

impl Cell {
    /// A cell of `bits` bits whose programmed states all look like `programmed`.
    ///
    /// # Errors
    /// Bits outside 1 to 5; references that are not strictly increasing, not `2^bits - 1` of them or outside
    /// `(0, 2^bits - 1)`; optimal references where densities do not cross.
    pub fn new(
        bits: u32,
        erased: Erased,
        programmed: Programmed,
        references: &References,
    ) -> Result<Self, CellError> {
        check_bits(bits)?;
        let mut at = [0.0; MAX_REFERENCES];
        for (index, reference) in at.iter_mut().enumerate() {
            *reference = index as f64 + 0.5;
        }
        match references {
            References::Midpoint => {}
            References::Optimal => at[0] = crossing(&erased, &programmed, 1.0)?,
            References::At(list) => {
                check_references(list, bits)?;
                at[..list.len()].copy_from_slice(list);
            }
        }
        Ok(Self {
            bits,
            erased,
            programmed,
            references: at,
            midpoint: *references == References::Midpoint,
        })
    }

    /// Bits of the cell.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The erased state.
    #[must_use]
    pub const fn erased(&self) -> &Erased {
        &self.erased
    }

    /// Any of the programmed states, around its centre.
    #[must_use]
    pub const fn programmed(&self) -> &Programmed {
        &self.programmed
    }

    /// The read references, `2^bits - 1` of them.
    #[must_use]
    pub fn references(&self) -> &[f64] {
        &self.references[..(1 << self.bits) - 1]
    }

    /// Probability density of a state at `x`.
    #[must_use]
    pub fn density(&self, state: u32, x: f64) -> f64 {
        match state {
            0 => self.erased.density(x),
            state => self.programmed.density(x - f64::from(state)),
        }
    }

    /// Bit error rates of the pages, counting misreads into the neighbouring state: the closed form of Wu where
    /// references are midpoints.
    #[must_use]
    pub fn rates(&self) -> PageRates {
        self.rates_beyond(0.0)
    }

    /// The rates, with the tail of the erased state less `erased`.
    pub(crate) fn rates_beyond(&self, erased: f64) -> PageRates {
        let first = self.erased_tail() - erased;
        if self.midpoint {
            return PageRates::symmetric(self.bits, self.programmed.tail(0.5), first);
        }
        PageRates::of_boundaries(self.bits, |boundary| {
            let below = match boundary {
                1 => first,
                _ => self.above(boundary - 1, boundary),
            };
            (below, self.below(boundary, boundary))
        })
    }

    /// Share of erased cells above the lowest reference.
    pub(crate) fn erased_tail(&self) -> f64 {
        self.erased.tail(self.references[0])
    }

    /// Bit error rates of the pages with misreads across any number of boundaries; lower page first.
    #[must_use]
    pub fn exact_rates(&self) -> Vec<f64> {
        let states = 1_u32 << self.bits;
        let mut pages = vec![0.0; self.bits as usize];
        for state in 0..states {
            // a bit flips back at the next boundary of its page, so that tails alternate in sign
            let mut sign = vec![1.0; self.bits as usize];
            for boundary in state + 1..states {
                let page = page_of_boundary(self.bits, boundary) as usize;
                pages[page] += sign[page] * self.above(state, boundary);
                sign[page] = -sign[page];
            }
            sign.fill(1.0);
            for boundary in (1..=state).rev() {
                let page = page_of_boundary(self.bits, boundary) as usize;
                pages[page] += sign[page] * self.below(state, boundary);
                sign[page] = -sign[page];
            }
        }
        for rate in &mut pages {
            *rate /= f64::from(states);
        }
        pages
    }

    /// The bit error rate that `reading` means.
    #[must_use]
    pub fn rber(&self, reading: Reading) -> f64 {
        self.rates().reading(reading)
    }

    /// Share of the cells of `state` above a boundary, from 1.
    fn above(&self, state: u32, boundary: u32) -> f64 {
        let reference = self.references[boundary as usize - 1];
        match state {
            0 => self.erased.tail(reference),
            state => self.programmed.tail(reference - f64::from(state)),
        }
    }

    /// Share of the cells of a programmed `state` below a boundary, from 1.
    fn below(&self, state: u32, boundary: u32) -> f64 {
        self.programmed
            .tail(f64::from(state) - self.references[boundary as usize - 1])
    }
}

/// Checks a list of read references.
pub(crate) fn check_references(list: &[f64], bits: u32) -> Result<(), CellError> {
    let (count, highest) = ((1_usize << bits) - 1, f64::from((1_u32 << bits) - 1));
    let within = list.iter().all(|at| *at > 0.0 && *at < highest);
    let rising = list.windows(2).all(|pair| pair[0] < pair[1]);
    require(
        list.len() == count && within && rising,
        "cell.vth.references",
        format!("{list:?}"),
        &format!("{count} numbers between 0 and {highest}, strictly increasing, for {bits} bits per cell"),
    )
}
