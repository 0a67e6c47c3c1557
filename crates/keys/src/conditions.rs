//! Keys that have an effect only under conditions on other keys, said beside the type of the section that they are in.

use toml::Value;

/// When a key has an effect. The key that it depends on is a dotted path from the top of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When<'a> {
    /// The key has one of these values.
    Is(&'static str, &'a [&'static str]),
    /// The key has none of these values.
    IsNot(&'static str, &'a [&'static str]),
    /// The key is `true`.
    On(&'static str),
    /// The key is not set.
    Unset(&'static str),
    /// The key is set.
    Set(&'static str),
}

use When::{Is, IsNot, On, Set, Unset};

impl When<'_> {
    /// The key that it depends on.
    #[must_use]
    pub const fn governor(&self) -> &'static str {
        match self {
            Is(key, _) | IsNot(key, _) | On(key) | Unset(key) | Set(key) => key,
        }
    }

    /// Whether it holds with this value of its key; none where the key is not set.
    #[must_use]
    pub fn holds(&self, value: Option<&Value>) -> bool {
        let word = value.and_then(Value::as_str);
        match self {
            Is(_, words) => word.is_some_and(|word| words.contains(&word)),
            IsNot(_, words) => word.is_some_and(|word| !words.contains(&word)),
            On(_) => value.and_then(Value::as_bool).unwrap_or(false),
            Unset(_) => value.is_none(),
            Set(_) => value.is_some(),
        }
    }

    /// The condition as a sentence goes on after "only", with its key at the path `key`.
    #[must_use]
    pub fn words(&self, key: &str) -> String {
        let listed = |words: &[&str]| {
            let quoted = words.iter().map(|word| format!("\"{word}\""));
            quoted.collect::<Vec<_>>().join(" or ")
        };
        match self {
            Is(_, words) => format!("with {key} = {}", listed(words)),
            IsNot(_, words) => format!("with {key} other than {}", listed(words)),
            On(_) => format!("with {key} = true"),
            Unset(_) => format!("without {key}"),
            Set(_) => format!("with {key}"),
        }
    }
}

/// Keys of a section, and the conditions of which one must hold.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Keys below the section; a path stands for every key below it as well.
    keys: &'static [&'static str],
    /// Whether the rule is about all other keys instead.
    is_of_others: bool,
    /// The conditions.
    pub any: &'static [When<'static>],
}

impl Rule {
    /// These keys have an effect only if one of some conditions holds.
    #[must_use]
    pub const fn only(keys: &'static [&'static str], any: &'static [When<'static>]) -> Self {
        Self {
            keys,
            is_of_others: false,
            any,
        }
    }

    /// All keys of the section but these have an effect only if one of some conditions holds.
    #[must_use]
    pub const fn all_but(keys: &'static [&'static str], any: &'static [When<'static>]) -> Self {
        Self {
            keys,
            is_of_others: true,
            any,
        }
    }

    /// Whether the rule is about a key, a path below the section.
    #[must_use]
    pub fn is_about(&self, key: &str) -> bool {
        self.keys.iter().any(|named| is_in(key, named)) != self.is_of_others
    }

    /// The keys that the rule names.
    #[must_use]
    pub const fn named(&self) -> &'static [&'static str] {
        self.keys
    }
}

/// Whether a path is a key, or lies in a section.
pub(crate) fn is_in(path: &str, key_or_section: &str) -> bool {
    let rest = path.strip_prefix(key_or_section);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A section of the configuration in which some keys have an effect only under conditions.
pub trait Section {
    /// Its rules. A key that several of them are about needs all of them; the first that does not hold is told.
    const RULES: &'static [Rule];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_about_its_keys_and_what_is_below_them() {
        let rule = Rule::only(&["t_wb", "vendor"], &[On("a.b")]);
        let about = |key: &str| rule.is_about(key);
        assert!(about("t_wb") && about("vendor") && about("vendor.limit"));
        assert!(!about("t_wbx") && !about("vendors.limit") && !about("x.t_wb"));
        let others = Rule::all_but(&["enabled"], &[On("a.b")]);
        assert!(others.is_about("clock") && !others.is_about("enabled"));
        assert!(Rule::all_but(&[], &[]).is_about("anything"));
    }

    #[test]
    fn conditions_hold_and_are_told() {
        let word = Value::from("lru");
        let number = Value::from(3);
        let (yes, no) = (Value::from(true), Value::from(false));
        for (when, holding, failing, words) in [
            (
                Is("b.p", &["fifo", "lru"]),
                vec![Some(&word)],
                vec![None, Some(&number)],
                "with x = \"fifo\" or \"lru\"",
            ),
            // what is no word is no other word either
            (
                IsNot("b.p", &["none"]),
                vec![Some(&word)],
                vec![None, Some(&number)],
                "with x other than \"none\"",
            ),
            (
                On("b.p"),
                vec![Some(&yes)],
                vec![None, Some(&no)],
                "with x = true",
            ),
            (Unset("b.p"), vec![None], vec![Some(&no)], "without x"),
            (Set("b.p"), vec![Some(&no)], vec![None], "with x"),
        ] {
            assert_eq!(when.governor(), "b.p");
            assert!(holding.into_iter().all(|value| when.holds(value)), "{when:?}");
            assert!(!failing.into_iter().any(|value| when.holds(value)), "{when:?}");
            assert_eq!(when.words("x"), words);
        }
    }
}
