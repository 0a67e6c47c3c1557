//! Galois fields GF(2^m), by tables of logarithms.

use super::DEGREES;

/// A primitive polynomial of each degree, bit i the coefficient of x^i: those with the fewest terms, as tabulated in
/// W. W. Peterson and E. J. Weldon, Error-Correcting Codes, 2nd edition 1972, appendix C.
const PRIMITIVE: [u32; 19] = [
    0x7, 0xB, 0x13, 0x25, 0x43, 0x89, 0x11D, 0x211, 0x409, 0x805, 0x1053, 0x201B, 0x4443, 0x8003, 0x1_100B,
    0x2_0009, 0x4_0081, 0x8_0027, 0x10_0009,
];

/// A field of 2^m elements; an element is a polynomial of degree below m, its coefficients the bits of a number.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Elements other than 0: the order of the primitive element.
    order: u32,
    /// The powers of the primitive element, twice, so that a sum of two logarithms needs no reduction.
    powers: Vec<u32>,
    /// The logarithm of each element but 0.
    logs: Vec<u32>,
}

impl Field {
    /// The field of 2^`degree` elements, for a degree in [`DEGREES`].
    pub(super) fn new(degree: u32) -> Self {
        let polynomial = PRIMITIVE[(degree - DEGREES.start()) as usize];
        let order = (1 << degree) - 1;
        let mut powers = Vec::with_capacity(2 * order as usize);
        let mut logs = vec![0; order as usize + 1];
        let mut element = 1_u32;
        for log in 0..order {
            powers.push(element);
            logs[element as usize] = log;
            element <<= 1;
            if element > order {
                element ^= polynomial;
            }
        }
        powers.extend_from_within(..);
        Self { order, powers, logs }
    }

    /// Elements other than 0.
    pub(super) fn order(&self) -> u32 {
        self.order
    }

    /// The primitive element to the power of `exponent`.
    pub(super) fn power(&self, exponent: u64) -> u32 {
        self.powers[(exponent % u64::from(self.order)) as usize]
    }

    /// The logarithm of an element other than 0.
    pub(super) fn log(&self, element: u32) -> u32 {
        self.logs[element as usize]
    }

    /// The element of a logarithm below twice the order.
    pub(super) fn of_log(&self, log: u32) -> u32 {
        self.powers[log as usize]
    }

    pub(super) fn multiply(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.of_log(self.log(a) + self.log(b))
    }

    /// `a` by `b`, which is not 0.
    pub(super) fn divide(&self, a: u32, b: u32) -> u32 {
        if a == 0 {
            return 0;
        }
        self.of_log(self.log(a) + self.order - self.log(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The powers of the primitive element are all elements but 0, each once; the next power is 1 again.
    #[test]
    fn every_polynomial_is_primitive() {
        for degree in DEGREES {
            let field = Field::new(degree);
            let mut elements = field.powers[..field.order as usize].to_vec();
            elements.sort_unstable();
            assert!(elements.iter().copied().eq(1..=field.order), "{degree}");
        }
    }

    /// In GF(8) with x^3 = x + 1: (x + 1)(x^2 + 1) = x^3 + x^2 + x + 1 = x^2.
    #[test]
    fn products_by_hand() {
        let field = Field::new(3);
        assert_eq!(field.multiply(0b011, 0b101), 0b100);
        assert_eq!(field.divide(0b100, 0b101), 0b011);
        assert_eq!((field.multiply(0, 5), field.divide(0, 5)), (0, 0));
        assert_eq!(field.power(10), 0b011);
    }
}
