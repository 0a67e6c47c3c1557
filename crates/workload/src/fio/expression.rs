//! Arithmetic in parentheses, which stands for a number wherever fio reads one: `size=(4k * 2^3)` (HOWTO, "Job file parameters").
//!
//! Whole numbers are computed exactly; where a number has a fraction, with fractions. The result is rounded towards zero.

/// Deepest nesting of parentheses, so that no text makes the reader run out of stack.
const DEEPEST: u32 = 64;
const ACCEPTED: &str =
    "an expression in parentheses of numbers, units, + - * / % ^ and parentheses, such as (2 * 4k)";

/// A number while it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Whole(i128),
    Fraction(f64),
}

impl Number {
    #[allow(
        clippy::cast_precision_loss,
        reason = "a number with a fraction is meant to be inexact"
    )]
    fn float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Fraction(number) => number,
        }
    }
}

/// What a unit multiplies a number by; `""` is that of a number without one. `None`: there is no such unit.
pub(crate) type Units<'a> = &'a dyn Fn(&str) -> Option<u64>;

/// The value of an expression, parentheses included, rounded towards zero.
///
/// # Errors
/// What is accepted.
pub(crate) fn whole(text: &str, units: Units<'_>) -> Result<u64, String> {
    let number = match evaluate(text, units)? {
        Number::Whole(number) => u64::try_from(number).ok(),
        Number::Fraction(number) => (number >= 0.0 && number < u64::MAX as f64).then_some(number as u64),
    };
    number.ok_or_else(|| "an expression whose value is from 0 to 2^64 - 1".to_owned())
}

/// The value of an expression, with its fraction.
///
/// # Errors
/// What is accepted.
pub(crate) fn float(text: &str) -> Result<f64, String> {
    evaluate(text, &|unit| unit.is_empty().then_some(1)).map(Number::float)
}

fn evaluate(text: &str, units: Units<'_>) -> Result<Number, String> {
    let mut reader = Reader {
        rest: text,
        units,
        depth: 0,
    };
    let number = reader.atom()?;
    reader.skip();
    if reader.rest.is_empty() {
        Ok(number)
    } else {
        Err(ACCEPTED.to_owned())
    }
}

/// Where text splits at the first of `parts` that stands outside parentheses.
pub(crate) fn split_outside<'a>(text: &'a str, parts: &[char]) -> Option<(&'a str, &'a str)> {
    let mut depth = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            char if depth == 0 && parts.contains(&char) => {
                return Some((&text[..at], &text[at + char.len_utf8()..]));
            }
            _ => {}
        }
    }
    None
}

struct Reader<'a> {
    rest: &'a str,
    units: Units<'a>,
    depth: u32,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes one of these characters, if it comes next.
    fn take(&mut self, chars: &[char]) -> Option<char> {
        self.skip();
        let char = self.rest.chars().next().filter(|char| chars.contains(char))?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    fn sum(&mut self) -> Result<Number, String> {
        let mut left = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            left = apply(sign, left, self.product()?)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Number, String> {
        let mut left = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            left = apply(sign, left, self.power()?)?;
        }
        Ok(left)
    }

    /// Powers bind to the right: 2 ^ 3 ^ 2 is 2 ^ 9.
    fn power(&mut self) -> Result<Number, String> {
        let mut bases = vec![self.atom()?];
        while self.take(&['^']).is_some() {
            bases.push(self.atom()?);
        }
        let mut result = bases.pop().ok_or(ACCEPTED)?;
        while let Some(base) = bases.pop() {
            result = apply('^', base, result)?;
        }
        Ok(result)
    }

    fn atom(&mut self) -> Result<Number, String> {
        if self.depth == DEEPEST {
            return Err(format!("at most {DEEPEST} parentheses within each other"));
        }
        self.depth += 1;
        let found = match self.take(&['(', '-']) {
            Some('(') => {
                let inner = self.sum()?;
                self.take(&[')']).ok_or(ACCEPTED)?;
                Ok(inner)
            }
            Some(_) => apply('-', Number::Whole(0), self.atom()?),
            None => self.literal(),
        };
        self.depth -= 1;
        found
    }

    fn literal(&mut self) -> Result<Number, String> {
        let text = self.rest;
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let (digits, accepted): (&str, fn(char) -> bool) = match hexadecimal {
            Some(digits) => (digits, |char| char.is_ascii_hexdigit()),
            None => (text, |char| char.is_ascii_digit() || char == '.'),
        };
        let end = digits.find(|char| !accepted(char)).unwrap_or(digits.len());
        let (digits, rest) = digits.split_at(end);
        let number = if hexadecimal.is_some() {
            i128::from_str_radix(digits, 16).ok().map(Number::Whole)
        } else if digits.contains('.') {
            digits.parse().ok().map(Number::Fraction)
        } else {
            digits.parse().ok().map(Number::Whole)
        };
        let number = number.ok_or(ACCEPTED)?;
        self.rest = rest;
        self.skip();
        let end = self.rest.find(|char: char| !char.is_ascii_alphabetic());
        let (unit, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let factor = (self.units)(&unit.to_ascii_lowercase());
        let factor = factor.ok_or_else(|| format!("{ACCEPTED}: `{unit}` is no unit"))?;
        apply('*', number, Number::Whole(i128::from(factor)))
    }
}

/// One operation.
fn apply(sign: char, left: Number, right: Number) -> Result<Number, String> {
    if let (Number::Whole(left), Number::Whole(right)) = (left, right) {
        if right == 0 && matches!(sign, '/' | '%') {
            return Err("no division by zero".to_owned());
        }
        let result = match sign {
            '+' => left.checked_add(right),
            '-' => left.checked_sub(right),
            '*' => left.checked_mul(right),
            '/' => left.checked_div(right),
            '%' => left.checked_rem(right),
            _ if right < 0 => return Err("exponents of at least 0".to_owned()),
            _ => u32::try_from(right)
                .ok()
                .and_then(|right| left.checked_pow(right)),
        };
        return result
            .map(Number::Whole)
            .ok_or_else(|| "smaller numbers: these do not fit 128 bits".to_owned());
    }
    let (left, right) = (left.float(), right.float());
    let result = match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        '%' => left % right,
        _ => left.powf(right),
    };
    if result.is_finite() {
        Ok(Number::Fraction(result))
    } else {
        Err("finite numbers".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<u64, String> {
        whole(text, &|unit| match unit {
            "" => Some(1),
            "k" => Some(1024),
            _ => None,
        })
    }

    #[test]
    fn expressions_by_hand() {
        for (text, wanted) in [
            ("(1024*4)", 4096),
            ("(2+3*4)", 14),
            ("((2+3)*4)", 20),
            ("(8k - 4k)", 4096),
            ("(2^3*1k)", 8192),
            ("(2^3^2)", 512),
            ("(10000 % 4096)", 1808),
            ("(7/2*1k)", 3072),
            ("(3.5k)", 3584),
            ("(0x10 * 2)", 32),
            ("(-1k + 5k)", 4096),
            ("( 4 k )", 4096),
        ] {
            assert_eq!(value(text), Ok(wanted), "{text}");
        }
        for text in [
            "(",
            "()",
            "(1",
            "(1+)",
            "(1/0)",
            "(1%0)",
            "(5-6)",
            "(1)2",
            "(1 2)",
            "(4x)",
            "(2^-1)",
            "(9^99)",
            "(1.2.3)",
            "(2.0^9999)",
            "4",
            "(2^64)",
        ] {
            assert!(value(text).is_err() || text == "4", "{text}");
        }
        assert!(
            value(&"(".repeat(10_000))
                .unwrap_err()
                .contains("parentheses within")
        );
        assert!(value(&format!("({}1)", "-".repeat(10_000))).is_err());
        assert_eq!(float("(1/2.0)"), Ok(0.5));
    }

    #[test]
    fn text_splits_outside_parentheses() {
        assert_eq!(split_outside("(8-4)-9", &['-', ':']), Some(("(8-4)", "9")));
        assert_eq!(split_outside("(8-4)", &['-']), None);
        assert_eq!(split_outside("1:2", &['-', ':']), Some(("1", "2")));
    }

    proptest! {
        /// Sums and products agree with those of Rust, and no text makes it panic.
        #[test]
        fn whole_numbers_are_exact(a in 0_u32.., b in 0_u32.., c in 1_u32..) {
            let (x, y, z) = (u64::from(a), u64::from(b), u64::from(c));
            prop_assert_eq!(value(&format!("({a} + {b} * 3)")), Ok(x + y * 3));
            prop_assert_eq!(value(&format!("({a} * {b} / {c})")), Ok((u128::from(x) * u128::from(y) / u128::from(z)) as u64));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[(][-0-9a-z+*/%^(). ]{0,40}") {
            let _ = value(&text);
        }
    }
}
