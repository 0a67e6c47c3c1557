//! Large numbers in sentences.

/// Digits from which a number is written with commas.
const LONG: usize = 4;

/// A sentence whose whole numbers of four and more digits have a comma between each three: `120,883,870 pages`. Numbers that are part of a name, a
/// value (`key = 100000`, `"100000"`, `` `100000` ``) or a fraction stay as they are.
#[must_use]
pub fn grouped(text: &str) -> String {
    let mut found = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(from) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(from);
        let length = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at(length);
        found.push_str(before);
        if length >= LONG && begins_number(&found) && ends_number(after) {
            for (place, digit) in digits.char_indices() {
                if place > 0 && (length - place).is_multiple_of(3) {
                    found.push(',');
                }
                found.push(digit);
            }
        } else {
            found.push_str(digits);
        }
        rest = after;
    }
    found.push_str(rest);
    found
}

/// Whether what stands before digits is that of a number in a sentence.
fn begins_number(before: &str) -> bool {
    let is_value = before.ends_with("= ");
    !is_value
        && before
            .chars()
            .next_back()
            .is_none_or(|last| last == ' ' || last == '(')
}

/// Whether what follows digits ends a number, or goes on with its decimals.
fn ends_number(after: &str) -> bool {
    let mut rest = after.chars();
    match rest.next() {
        None => true,
        Some('.' | ',') => true,
        Some(next) => " )%;:/".contains(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_sentences_have_commas() {
        for (text, expected) in [
            ("60040 of 1234567 requests.", "60,040 of 1,234,567 requests."),
            ("9615 of 10105 reads, 999", "9,615 of 10,105 reads, 999"),
            ("(120883870 pages)", "(120,883,870 pages)"),
            (
                "offered 12345/s, 1234/s served",
                "offered 12,345/s, 1,234/s served",
            ),
            ("took 123456.789 s, 99999", "took 123,456.789 s, 99,999"),
        ] {
            assert_eq!(grouped(text), expected);
        }
    }

    #[test]
    fn names_and_values_stay_as_they_are() {
        for text in [
            "`workload.requests = 100000` or `100000`",
            "workload.requests = 100000",
            "trace_100000.csv, /tmp/100000/a, 0.123456, v100000",
            "2026-11-27 \"56789\" 12345ms",
        ] {
            assert_eq!(grouped(text), text);
        }
    }
}
