//! Keys of several sources laid over each other, and where each came from.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use toml::Value;
use toml::de::{DeTable, DeValue};
use wordline_units::nearest;

use crate::library::Library;
use crate::messages::{in_toml_words, join};
use crate::refusal::Refusal;

/// The keys of the sources laid over each other, and where each came from.
#[derive(Debug, Default)]
pub struct Overlay {
    table: toml::Table,
    places: BTreeMap<String, String>,
    /// Keys that the user set, and no built-in description.
    users: BTreeSet<String>,
}

/// Where a text comes from.
pub(crate) enum Origin<'a> {
    /// The user handed it over.
    Text,
    /// The user's file.
    File(&'a str),
    /// The built-in description that the user named.
    BuiltIn(&'a str),
    /// The built-in description that another text names as its base.
    Base(&'a str),
}

impl Origin<'_> {
    /// What comes before the line in the place of a value.
    fn label(&self, library: &Library) -> String {
        match self {
            Self::Text => "text, line ".to_owned(),
            Self::File(path) => format!("{path}:"),
            Self::BuiltIn(name) | Self::Base(name) => format!("{} {name}, line ", library.noun),
        }
    }
}

impl Overlay {
    /// Whether the description's own text or an override sets the key, or something below it.
    #[must_use]
    pub fn sets(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// The first key, at `section` or below it, that the user set in a file, a text or an override.
    #[must_use]
    pub fn user_set(&self, section: &str) -> Option<&str> {
        let inside = |key: &str| {
            key.strip_prefix(section)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        // leaves are more telling than the section they are in
        let mut keys = self.users.iter().map(String::as_str).filter(|key| inside(key));
        let first = keys.next()?;
        Some(keys.next().filter(|_| first == section).unwrap_or(first))
    }

    /// Where the key, or the nearest section above it, was set.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<String> {
        let mut key = key;
        loop {
            if let Some(place) = self.places.get(key) {
                return Some(place.clone());
            }
            key = key.rsplit_once('.')?.0;
        }
    }

    /// Adds the place to a refusal.
    #[must_use]
    pub fn locate(&self, error: Refusal) -> Refusal {
        let place = self.place(&error.key);
        error.at(place)
    }

    /// Lays a text over what is there; `label` followed by a line is how messages call a place in it.
    pub(crate) fn lay(&mut self, library: &Library, text: &str, origin: &Origin<'_>) -> Result<(), Refusal> {
        let label = origin.label(library);
        let place = |offset: usize| {
            let line = 1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
            format!("{label}{line}")
        };
        let tree = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            Refusal::new("the text", "no valid TOML", error.message()).at(Some(place(offset)))
        })?;
        let mut table: toml::Table = toml::from_str(text)
            .map_err(|error| Refusal::new("the text", "no valid TOML", error.message()).at(Some(place(0))))?;
        let mut places = BTreeMap::new();
        collect(tree.get_ref(), "", &place, &mut places);
        if let Some(base) = table.remove("base") {
            let at = places.remove("base");
            let name = base.as_str().unwrap_or_default();
            match library.get(name) {
                Some(base) if !matches!(origin, Origin::Base(_)) => {
                    self.lay(library, base.text, &Origin::Base(name))?;
                }
                Some(_) => {
                    return Err(Refusal::new("base", base, "a base has no base itself").at(at));
                }
                None => return Err(library.unknown("base", name).at(at)),
            }
        }
        merge(&mut self.table, table);
        if matches!(origin, Origin::File(_) | Origin::Text) {
            self.users.extend(places.keys().cloned());
        }
        self.places.extend(places);
        Ok(())
    }

    pub(crate) fn override_key(&mut self, library: &Library, key: &str, value: &str) -> Result<(), Refusal> {
        let (key, value) = (key.trim(), value.trim());
        let place = format!("override `{}`", format!("{key}={value}").escape_debug());
        // names of states hold spaces; quotes around them may be left out
        let parts: Vec<&str> = key.split('.').map(|part| part.trim_matches('"')).collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Err(Refusal::new(
                format!("{key:?}"),
                value,
                format!("accepted are dotted keys such as {}", library.example),
            )
            .at(Some(place)));
        }
        let value = match toml::from_str::<toml::Table>(&format!("value = {value}")) {
            Ok(mut table) if table.len() == 1 => table
                .remove("value")
                .unwrap_or_else(|| Value::String(value.to_owned())),
            // a bare word or a quantity
            _ => Value::String(value.to_owned()),
        };
        let nested = parts.iter().rev().fold(value, |value, part| {
            Value::Table([((*part).to_owned(), value)].into_iter().collect())
        });
        if let Value::Table(table) = nested {
            merge(&mut self.table, table);
        }
        let key = parts.join(".");
        self.users.insert(key.clone());
        self.places.insert(key, place);
        Ok(())
    }

    pub(crate) fn typed<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_path_to_error::deserialize(Value::Table(self.table.clone())).map_err(|error| {
            let path = match error.path().to_string().as_str() {
                "." => String::new(),
                path => path.to_owned(),
            };
            let message = error.inner().message();
            let quoted = |prefix: &str| {
                let (name, rest) = message.strip_prefix(prefix)?.split_once('`')?;
                Some((name.to_owned(), rest.trim_start_matches([',', ' ']).to_owned()))
            };
            let refusal = if let Some((name, _)) = quoted("missing field `") {
                Refusal::new(join(&path, &name), "nothing", "the key is required")
            } else if let Some((name, rest)) = quoted("unknown field `") {
                let section = path
                    .strip_suffix(&name)
                    .map_or(path.as_str(), |path| path.trim_end_matches('.'));
                let key = join(section, &name);
                let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
                let hint = nearest(&name, known.iter().copied())
                    .map_or_else(String::new, |name| format!("did you mean `{name}`? "));
                Refusal::new(
                    key,
                    "given",
                    format!("unknown key; {hint}accepted are {}", known.join(", ")),
                )
            } else {
                let found = self
                    .value(&path)
                    .map_or_else(|| "given".to_owned(), Value::to_string);
                Refusal::new(path.clone(), found, in_toml_words(message))
            };
            self.locate(refusal)
        })
    }

    fn value(&self, key: &str) -> Option<&Value> {
        let mut parts = key.split('.');
        let mut value = self.table.get(parts.next()?)?;
        for part in parts {
            value = value.get(part.split('[').next()?)?;
        }
        Some(value)
    }
}

/// Keys with their places, tables included.
fn collect(
    table: &DeTable<'_>,
    path: &str,
    place: &dyn Fn(usize) -> String,
    places: &mut BTreeMap<String, String>,
) {
    for (key, value) in table {
        let path = join(path, key.get_ref());
        places.insert(path.clone(), place(key.span().start));
        if let DeValue::Table(table) = value.get_ref() {
            collect(table, &path, place, places);
        }
    }
}

/// Lays `over` on `under`: tables key by key, anything else whole.
fn merge(under: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => merge(under, over),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}
