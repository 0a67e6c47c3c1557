//! Words of messages: keys as dotted paths, and what serde says as a user of a TOML file understands it.

use wordline_units::with_meant_choice;

/// Rust's names for kinds of values, and ours.
const KINDS: &[(&str, &str)] = &[
    ("expected u8", "expected a whole number from 0 to 255"),
    ("expected u16", "expected a whole number from 0 to 65535"),
    ("expected u32", "expected a whole number from 0 to 4294967295"),
    (
        "expected u64",
        "expected a whole number from 0 to 9223372036854775807",
    ),
    (
        "expected usize",
        "expected a whole number from 0 to 9223372036854775807",
    ),
    ("expected f64", "expected a number"),
    ("expected f32", "expected a number"),
    ("expected a boolean", "expected true or false"),
    ("expected a string", "expected a text in quotes"),
    ("expected a sequence", "expected a list"),
    ("expected struct", "expected a section for"),
    ("invalid type: sequence", "a list"),
    ("invalid type: map", "a section"),
    ("invalid type: floating point", "the number"),
    ("invalid type: integer", "the whole number"),
    ("invalid type: boolean", "the value"),
    ("invalid type: string", "the text"),
    ("invalid value: integer", "the whole number"),
    ("invalid value: string", "the text"),
    ("unknown variant", "no such choice:"),
];

/// A message of serde in words that name TOML values rather than Rust types.
#[must_use]
pub fn in_toml_words(message: &str) -> String {
    let words = KINDS
        .iter()
        .fold(with_meant_choice(message), |text, (theirs, ours)| {
            text.replace(theirs, ours)
        });
    // what the parser gives for a number that no integer of TOML can be
    match words
        .strip_prefix("the text \"")
        .and_then(|rest| rest.split_once('"'))
    {
        Some((digits, expected)) if exceeds_integers(digits) => {
            format!("the number {digits} is too large{expected}")
        }
        _ => words,
    }
}

/// Whether a text is a whole number in decimal digits that is larger, or more negative, than TOML's integers are.
fn exceeds_integers(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i64>().is_err()
}

/// `path.key`; the key alone at the top level.
#[must_use]
pub fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// A message of a library, which may span lines, as one paragraph.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}
