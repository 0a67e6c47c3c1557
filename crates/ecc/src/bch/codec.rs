//! A BCH code at work: words of bits are encoded and decoded.
//!
//! R. E. Blahut, Algebraic Codes for Data Transmission, Cambridge 2003: systematic encoding (section 5.3), syndromes, the algorithm of
//! Berlekamp and Massey (7.4), the search of Chien. Simulations do not decode: they need the probability of a failure alone, which
//! this shows to be right.

use super::field::Field;
use super::{Bch, degree_of};
use crate::error::{EccError, require};

/// An encoder and a decoder of a code. Bit i of a word is the coefficient of x^i: parity first, then the information. Parity
/// bits that the code does not need, n - k less [`Bch::parity`], stand between and are zero.
#[derive(Clone, Debug)]
pub struct Codec {
    code: Bch,
    field: Field,
    /// Bits of parity: the degree of the generator polynomial.
    parity: usize,
    /// The generator polynomial without its highest term.
    generator: Vec<u64>,
}

impl Codec {
    /// For a code: its generator polynomial is the product of the minimal polynomials of the first 2t powers of the primitive element.
    #[must_use]
    pub fn new(code: Bch) -> Self {
        let field = Field::new(degree_of(code.n()));
        let order = u64::from(field.order());
        let mut covered = vec![false; field.order() as usize];
        let mut generator = vec![true];
        for first in (1..2 * u64::from(code.t())).step_by(2) {
            let mut minimal = vec![1_u32];
            let mut exponent = first % order;
            while !covered[exponent as usize] {
                covered[exponent as usize] = true;
                minimal = times_root(&field, &minimal, field.power(exponent));
                exponent = exponent * 2 % order;
            }
            generator = times_binary(&generator, &minimal);
        }
        let parity = generator.len() - 1;
        Self {
            code,
            field,
            parity,
            generator: packed(&generator[..parity]),
        }
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> Bch {
        self.code
    }

    /// The word of k bits of information.
    ///
    /// # Errors
    /// They are not k bits.
    pub fn encode(&self, information: &[bool]) -> Result<Vec<bool>, EccError> {
        let (n, k) = (self.code.n() as usize, self.code.k() as usize);
        require(information.len() == k, "information", information.len(), || {
            format!("accepted are k = {k} bits")
        })?;
        let mut word = vec![false; n - k];
        word.extend_from_slice(information);
        let rest = self.remainder(&word);
        word[..self.parity].copy_from_slice(&rest);
        Ok(word)
    }

    /// Corrects a word of n bits that has t errors at most, and says how many there were. None, with the word as it was,
    /// where no code word lies within t errors. With more than t errors that is the usual answer; a word that happens to lie within t errors of
    /// another code word becomes that one.
    ///
    /// # Errors
    /// They are not n bits.
    pub fn decode(&self, word: &mut [bool]) -> Result<Option<u32>, EccError> {
        let n = self.code.n() as usize;
        require(word.len() == n, "word", word.len(), || {
            format!("accepted are n = {n} bits")
        })?;
        let syndromes = self.syndromes(&self.remainder(word));
        if syndromes.iter().all(|syndrome| *syndrome == 0) {
            return Ok(Some(0));
        }
        let locator = self.locator(&syndromes);
        let errors = locator.len() - 1;
        if errors > self.code.t() as usize {
            return Ok(None);
        }
        let places = self.roots(&locator);
        if places.len() != errors {
            return Ok(None);
        }
        for place in places {
            word[place] = !word[place];
        }
        Ok(Some(errors as u32))
    }

    /// What is left of a word, as a polynomial, divided by the generator.
    fn remainder(&self, word: &[bool]) -> Vec<bool> {
        let words = self.generator.len();
        let mut register = vec![0_u64; words];
        let top = self.parity.saturating_sub(1);
        for bit in word.iter().skip(self.parity).rev() {
            let carry = bit ^ (register.get(top / 64).copied().unwrap_or(0) >> (top % 64) & 1 == 1);
            let mut low = 0;
            for word in &mut register {
                (*word, low) = (*word << 1 | low, *word >> 63);
            }
            if carry {
                register
                    .iter_mut()
                    .zip(&self.generator)
                    .for_each(|(word, term)| *word ^= term);
            }
        }
        // the bits below the generator's degree are part of the remainder as they are
        (0..self.parity)
            .map(|place| word[place] ^ (register[place / 64] >> (place % 64) & 1 == 1))
            .collect()
    }

    /// The values of a word at the first 2t powers of the primitive element, from its remainder, which has the same.
    fn syndromes(&self, rest: &[bool]) -> Vec<u32> {
        let set: Vec<u64> = (0..)
            .zip(rest)
            .filter_map(|(place, bit)| bit.then_some(place))
            .collect();
        let mut found = vec![0; 2 * self.code.t() as usize];
        for index in 0..found.len() {
            let exponent = index as u64 + 1;
            found[index] = if exponent.is_multiple_of(2) {
                // of a polynomial over GF(2) the value at a square is the square of the value
                let root = found[index / 2];
                self.field.multiply(root, root)
            } else {
                set.iter()
                    .fold(0, |sum, place| sum ^ self.field.power(place * exponent))
            };
        }
        found
    }

    /// The shortest polynomial whose shift register gives the syndromes: its roots are the inverses of the places of errors.
    /// Berlekamp and Massey; its degree is the length of the register, also where the polynomial's is less.
    fn locator(&self, syndromes: &[u32]) -> Vec<u32> {
        let field = &self.field;
        let (mut present, mut before) = (vec![1_u32], vec![1_u32]);
        let (mut length, mut shift, mut last) = (0_usize, 1_usize, 1_u32);
        for (step, syndrome) in syndromes.iter().enumerate() {
            let terms = (1..=length.min(present.len() - 1))
                .map(|term| field.multiply(present[term], syndromes[step - term]));
            let discrepancy = terms.fold(*syndrome, |sum, term| sum ^ term);
            if discrepancy == 0 {
                shift += 1;
                continue;
            }
            let factor = field.divide(discrepancy, last);
            let mut next = present.clone();
            next.resize(next.len().max(before.len() + shift), 0);
            for (term, value) in before.iter().enumerate() {
                next[term + shift] ^= field.multiply(factor, *value);
            }
            if 2 * length <= step {
                length = step + 1 - length;
                before = present;
                last = discrepancy;
                shift = 1;
            } else {
                shift += 1;
            }
            present = next;
        }
        present.resize(length + 1, 0);
        present
    }

    /// The places within the word whose inverses are roots of the locator, each term of which is multiplied by a constant from one
    /// place to the next (Chien).
    fn roots(&self, locator: &[u32]) -> Vec<usize> {
        let order = self.field.order();
        // by term: the logarithm of its value, and by how much it falls from one place to the next
        let mut terms: Vec<(u32, u32)> = (0..)
            .zip(locator)
            .filter(|(_, value)| **value != 0)
            .map(|(term, value)| (self.field.log(*value), term))
            .collect();
        let mut places = Vec::new();
        for place in 0..self.code.n() as usize {
            let mut sum = 0;
            for (log, fall) in &mut terms {
                sum ^= self.field.of_log(*log);
                *log = if *log >= *fall {
                    *log - *fall
                } else {
                    *log + order - *fall
                };
            }
            if sum == 0 {
                places.push(place);
                if places.len() == locator.len() - 1 {
                    break;
                }
            }
        }
        places
    }
}

/// A polynomial over the field times (x - root).
fn times_root(field: &Field, polynomial: &[u32], root: u32) -> Vec<u32> {
    let mut product = vec![0; polynomial.len() + 1];
    for (term, value) in polynomial.iter().enumerate() {
        product[term + 1] ^= value;
        product[term] ^= field.multiply(*value, root);
    }
    product
}

/// A polynomial over GF(2) times a minimal polynomial, whose coefficients are 0 and 1.
fn times_binary(polynomial: &[bool], minimal: &[u32]) -> Vec<bool> {
    let mut product = vec![false; polynomial.len() + minimal.len() - 1];
    for (shift, value) in minimal.iter().enumerate() {
        if *value == 1 {
            for (term, bit) in polynomial.iter().enumerate() {
                product[term + shift] ^= bit;
            }
        }
    }
    product
}

/// Bits in words of 64, the lowest first.
fn packed(bits: &[bool]) -> Vec<u64> {
    bits.chunks(64)
        .map(|chunk| {
            chunk
                .iter()
                .rev()
                .fold(0, |word, bit| word << 1 | u64::from(*bit))
        })
        .collect()
}
