//! Descriptions that come with Wordline.

use wordline_units::nearest;

use crate::refusal::Refusal;

/// A description that comes with Wordline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name, as the command line takes it.
    pub name: &'static str,
    /// Its text: TOML, each value with its provenance.
    pub text: &'static str,
}

impl BuiltIn {
    /// What it describes, in a line: the first comment of its text.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches(['#', ' '])
    }
}

/// The descriptions of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// What is described: `chip`.
    pub noun: &'static str,
    /// A key, for messages: `bias.vpgm`.
    pub example: &'static str,
    /// The built-in ones, in the order in which they are listed.
    pub built_in: &'static [BuiltIn],
}

impl Library {
    /// The built-in description called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static BuiltIn> {
        self.built_in.iter().find(|known| known.name == name)
    }

    pub(crate) fn unknown(&self, key: &str, name: &str) -> Refusal {
        let names: Vec<&str> = self.built_in.iter().map(|known| known.name).collect();
        let hint = nearest(name, names.iter().copied())
            .map_or_else(String::new, |name| format!("did you mean \"{name}\"? "));
        let noun = self.noun;
        Refusal::new(
            key,
            format!("{name:?}"),
            format!("no built-in {noun}; {hint}accepted are {}", names.join(", ")),
        )
    }
}
