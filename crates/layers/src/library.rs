//! Descriptions that come with Wordline, and how one is loaded.

use std::fs::File;
use std::io::Read;

use serde::de::DeserializeOwned;
use wordline_units::nearest;

use crate::layers::{Layers, Origin};
use crate::refusal::Refusal;

/// A file larger than this is refused.
const LARGEST: u64 = 1 << 20;

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

/// Where a description comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The name of a built-in one, or the path of a file.
    Named(&'a str),
    /// TOML text.
    Text(&'a str),
}

impl Library {
    /// Reads and composes a description; `overrides` are dotted keys with values in TOML or bare (`bias.vpgm` with
    /// `17 V`). Ranges are the business of what is described.
    ///
    /// # Errors
    /// A file that cannot be read, TOML that is none, a key that is unknown or missing, a value of the wrong kind.
    pub fn load<T: DeserializeOwned>(
        &self,
        source: Source<'_>,
        overrides: &[(String, String)],
    ) -> Result<(T, Layers), Refusal> {
        let mut layers = Layers::default();
        match source {
            Source::Text(text) => layers.lay(self, text, &Origin::Text)?,
            Source::Named(name) => match self.get(name) {
                Some(found) => layers.lay(self, found.text, &Origin::BuiltIn(name))?,
                None => layers.lay(self, &self.read(name)?, &Origin::File(name))?,
            },
        }
        for (key, value) in overrides {
            layers.override_key(self, key, value)?;
        }
        let described = layers.typed()?;
        Ok((described, layers))
    }

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

    /// Reads a file.
    fn read(&self, name: &str) -> Result<String, Refusal> {
        let noun = self.noun;
        let refuse = |accepted: String| Refusal::new(noun, format!("{name:?}"), accepted);
        let file = match File::open(name) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !name.contains(['/', '\\']) => {
                let mut refusal = self.unknown(noun, name);
                refusal.accepted = format!("no file and {}", refusal.accepted);
                return Err(refusal);
            }
            Err(error) => return Err(refuse(format!("cannot be opened: {error}"))),
        };
        let mut bytes = Vec::new();
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| refuse(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > LARGEST {
            return Err(refuse(format!(
                "larger than 1 MiB; accepted is the TOML text of a {noun}"
            )));
        }
        String::from_utf8(bytes)
            .map_err(|_| refuse(format!("not UTF-8; accepted is the TOML text of a {noun}")))
    }
}
