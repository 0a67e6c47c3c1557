//! Misspelt words: the accepted one that was probably meant.

/// The candidate that `word` is most likely a misspelling of, if any is near. Capital and small letters count as
/// the same.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let farthest = (word.chars().count() / 3).max(1);
    let word = word.to_lowercase();
    candidates
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&word, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= farthest)
        .min()
        .map(|(_, candidate)| candidate)
}

/// "did you mean `greedy`? " for a word that is none of the candidates, nothing where none is near: to stand before
/// the list of what is accepted.
pub fn did_you_mean<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |name| format!("did you mean `{name}`? "))
}

/// Adds what was probably meant to a message of serde about a word that is none of the choices of a key; other
/// messages stay as they are.
#[must_use]
pub fn with_meant_choice(message: &str) -> String {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let meant = match words.as_slice() {
        [found, choices @ ..] if message.starts_with("unknown variant") => {
            nearest(found, choices.iter().copied())
        }
        _ => None,
    };
    meant.map_or_else(
        || message.to_owned(),
        |meant| format!("{message}; did you mean `{meant}`?"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 3] = ["greedy", "cost_benefit", "fifo"];

    #[test]
    fn the_nearest_word_is_meant() {
        for (word, meant) in [
            ("gredy", Some("greedy")),
            ("GREEDY", Some("greedy")),
            ("costbenefit", Some("cost_benefit")),
            ("lru", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, WORDS.into_iter()), meant, "{word}");
        }
        assert_eq!(did_you_mean("fife", WORDS.into_iter()), "did you mean `fifo`? ");
        assert_eq!(did_you_mean("lru", WORDS.into_iter()), "");
    }

    #[test]
    fn a_message_of_serde_gets_the_choice_that_was_meant() {
        for (message, ending) in [
            (
                "unknown variant `fifu`, expected one of `greedy`, `cost_benefit`, `fifo`",
                "`fifo`; did you mean `fifo`?",
            ),
            (
                "unknown variant `fifu`, expected `fifo` or `greedy`",
                "did you mean `fifo`?",
            ),
            (
                "unknown variant `lru`, expected `fifo` or `greedy`",
                "or `greedy`",
            ),
            ("unknown field `fifu`, expected `fifo`", "expected `fifo`"),
            ("invalid type: string, expected u32", "expected u32"),
        ] {
            assert!(with_meant_choice(message).ends_with(ending), "{message}");
        }
    }
}
