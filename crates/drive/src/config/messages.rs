//! Turns what serde says into what a user of a drive file understands.

use wordline_units::with_meant_choice;

/// Rust's names for kinds of values, and ours.
const KINDS: &[(&str, &str)] = &[
    ("expected u8", "expected a whole number from 0 to 255"),
    ("expected u16", "expected a whole number from 0 to 65535"),
    ("expected u32", "expected a whole number from 0 to 4294967295"),
    ("expected u64", "expected a whole number, not negative"),
    ("expected usize", "expected a whole number, not negative"),
    ("expected f64", "expected a number"),
    ("expected f32", "expected a number"),
    ("expected a boolean", "expected true or false"),
    ("expected a string", "expected a text in quotes"),
    ("expected a sequence", "expected a list"),
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
pub(crate) fn of_serde(message: &str) -> String {
    KINDS
        .iter()
        .fold(with_meant_choice(message), |text, (theirs, ours)| {
            text.replace(theirs, ours)
        })
}
