//! Numbers that carry their dimensions, and refuse to be mixed.

use std::ops::{Add, Div, Mul, Sub};

/// A number with twice the powers of metre, kilogram, second, ampere and kelvin, so that roots stay whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Q {
    value: f64,
    powers: [i32; 5],
}

const NONE: [i32; 5] = [0; 5];

pub(crate) fn pure(value: f64) -> Q {
    Q { value, powers: NONE }
}

pub(crate) fn metre(value: f64) -> Q {
    Q {
        value,
        powers: [2, 0, 0, 0, 0],
    }
}

pub(crate) fn second(value: f64) -> Q {
    Q {
        value,
        powers: [0, 0, 2, 0, 0],
    }
}

pub(crate) fn volt(value: f64) -> Q {
    Q::joule() * value / Q::coulomb()
}

impl Q {
    pub(crate) fn kilogram() -> Self {
        Self {
            value: 1.0,
            powers: [0, 2, 0, 0, 0],
        }
    }

    pub(crate) fn kelvin() -> Self {
        Self {
            value: 1.0,
            powers: [0, 0, 0, 0, 2],
        }
    }

    pub(crate) fn coulomb() -> Self {
        Self {
            value: 1.0,
            powers: [0, 0, 2, 2, 0],
        }
    }

    pub(crate) fn joule() -> Self {
        Self {
            value: 1.0,
            powers: [4, 2, -4, 0, 0],
        }
    }

    pub(crate) fn value(self) -> f64 {
        self.value
    }

    pub(crate) fn in_joules(self) -> f64 {
        assert_eq!(self.powers, Self::joule().powers, "no energy");
        self.value
    }

    pub(crate) fn sqrt(self) -> Self {
        assert!(self.powers.iter().all(|power| power % 2 == 0), "a root of a root");
        Self {
            value: self.value.sqrt(),
            powers: self.powers.map(|power| power / 2),
        }
    }

    pub(crate) fn exp(self) -> Self {
        assert_eq!(self.powers, NONE, "exponent with a dimension");
        pure(self.value.exp())
    }

    pub(crate) fn ln(self) -> Self {
        assert_eq!(self.powers, NONE, "logarithm of a dimension");
        pure(self.value.ln())
    }

    fn combine(self, other: Self, sign: i32) -> [i32; 5] {
        let mut powers = self.powers;
        for (mine, theirs) in powers.iter_mut().zip(other.powers) {
            *mine += sign * theirs;
        }
        powers
    }
}

impl Add for Q {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        assert_eq!(self.powers, other.powers, "a sum of unlike quantities");
        Self {
            value: self.value + other.value,
            ..self
        }
    }
}

impl Sub for Q {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul for Q {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            powers: self.combine(other, 1),
        }
    }
}

impl Div for Q {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self {
            value: self.value / other.value,
            powers: self.combine(other, -1),
        }
    }
}

impl Mul<f64> for Q {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self {
            value: self.value * times,
            ..self
        }
    }
}

impl Div<f64> for Q {
    type Output = Self;
    fn div(self, by: f64) -> Self {
        Self {
            value: self.value / by,
            ..self
        }
    }
}
