//! How a description is loaded.

use std::fs::File;
use std::io::Read;

use serde::de::DeserializeOwned;

use crate::library::Library;
use crate::overlay::{Origin, Overlay};
use crate::refusal::Refusal;

/// A file larger than this is refused.
const LARGEST: u64 = 1 << 20;

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
    ) -> Result<(T, Overlay), Refusal> {
        let mut overlay = Overlay::default();
        match source {
            Source::Text(text) => overlay.lay(self, text, &Origin::Text)?,
            Source::Named(name) => match self.get(name) {
                Some(found) => overlay.lay(self, found.text, &Origin::BuiltIn(name))?,
                None => overlay.lay(self, &self.read(name)?, &Origin::File(name))?,
            },
        }
        for (key, value) in overrides {
            overlay.override_key(self, key, value)?;
        }
        let described = overlay.typed()?;
        Ok((described, overlay))
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
