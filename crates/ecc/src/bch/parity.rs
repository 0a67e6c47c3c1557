//! The parity bits that a number of correctable errors takes, exactly.

/// Degrees of Galois fields that are accepted.
pub const DEGREES: std::ops::RangeInclusive<u32> = 2..=20;

/// Parity bits of the narrow-sense primitive code over GF(2^`degree`) that corrects 1, 2, 3, … errors: the distinct
/// elements in the cyclotomic cosets of 1 to 2t modulo 2^`degree` - 1 (R. C. Bose and D. K. Ray-Chaudhuri, 1960; `degree * t`
/// is only an upper bound). Ends where the cosets have covered everything.
pub(crate) struct Parities {
    degree: u32,
    order: u64,
    seen: Vec<u64>,
    bits: u32,
    /// The next odd number whose coset is counted; even numbers lie in the cosets of their halves.
    next: u64,
}

impl Parities {
    pub(crate) fn new(degree: u32) -> Self {
        let order = (1_u64 << degree) - 1;
        Self {
            degree,
            order,
            seen: vec![0; (order as usize).div_ceil(64)],
            bits: 0,
            next: 1,
        }
    }
}

impl Iterator for Parities {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.next >= self.order {
            return None;
        }
        let mut element = self.next;
        for _ in 0..self.degree {
            let (word, bit) = ((element / 64) as usize, 1 << (element % 64));
            if self.seen[word] & bit != 0 {
                break;
            }
            self.seen[word] |= bit;
            self.bits += 1;
            element = element * 2 % self.order;
        }
        self.next += 2;
        Some(self.bits)
    }
}

/// Parity bits that a narrow-sense code over GF(2^`degree`) needs to correct `t` errors; none for a degree outside
/// [`DEGREES`], or where no code of that field corrects as many.
#[must_use]
pub fn exact_parity(degree: u32, t: u32) -> Option<u32> {
    if t == 0 {
        return Some(0);
    }
    let index = usize::try_from(t - 1).ok()?;
    DEGREES
        .contains(&degree)
        .then(|| Parities::new(degree).nth(index))?
}
