//! The sources of a configuration laid over each other, each key with the place it came from.

use std::collections::BTreeMap;

use toml::Value;
use wordline_overlay::join;

use crate::error::ConfigError;
use crate::source::{Document, Origin, Source};

/// Sources laid over each other in order: tables merge, everything else replaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    pub(crate) table: toml::Table,
    sources: Vec<Source>,
    /// Source (its index) and line that last set each key, tables included.
    set_at: BTreeMap<String, (usize, usize)>,
}

impl Merged {
    /// Lays `document` over what is there.
    pub(crate) fn lay(&mut self, source: Source, document: Document) {
        let index = self.sources.len();
        self.sources.push(source);
        overlay(&mut self.table, document.table, "", &mut self.set_at);
        self.set_at
            .extend(document.lines.into_iter().map(|(key, line)| (key, (index, line))));
    }

    /// Sets a key to what follows from another one, which stands for where it was set.
    pub(crate) fn derive(&mut self, from: &str, path: &str, value: Value) {
        if let Some((section, _)) = path.rsplit_once('.') {
            self.table
                .entry(section)
                .or_insert_with(|| Value::Table(toml::Table::new()));
        }
        replace(&mut self.table, path, value);
        if let Some(place) = self.set_at.get(from) {
            self.set_at.insert(path.to_owned(), *place);
        }
    }

    /// Forgets a key or a whole section.
    pub(crate) fn forget(&mut self, path: &str) {
        remove(&mut self.table, path);
        forget_below(&mut self.set_at, path);
        self.set_at.remove(path);
    }

    /// Dotted paths of all values that are not tables.
    pub(crate) fn leaves(&self) -> Vec<String> {
        let mut paths = Vec::new();
        collect(&self.table, "", &mut paths);
        paths
    }

    /// The value at a dotted path.
    pub(crate) fn value(&self, path: &str) -> Option<&Value> {
        lookup(&self.table, path)
    }

    /// Index and source of a key, or of the nearest table above it.
    pub(crate) fn source(&self, path: &str) -> Option<(usize, &Source)> {
        self.nearest(path)
            .map(|(source, _)| (source, &self.sources[source]))
    }

    /// Index of the source that set the key itself.
    pub(crate) fn set_exactly(&self, path: &str) -> Option<usize> {
        self.set_at.get(path).map(|(source, _)| *source)
    }

    /// Whether `later` was set by a later source than `earlier`, if that was set at all. Overrides
    /// are one source in this respect: they were given together.
    pub(crate) fn overrules(&self, later: &str, earlier: &str) -> bool {
        let (later, earlier) = (self.set_exactly(later), self.set_exactly(earlier));
        let is_override = |source: Option<usize>| {
            source.is_some_and(|source| self.sources[source].origin == Origin::Override)
        };
        later > earlier && !(is_override(later) && is_override(earlier))
    }

    /// Whether overrides alone set what is below a section.
    pub(crate) fn is_of_overrides(&self, section: &str) -> bool {
        let prefix = format!("{section}.");
        let mut below = self.set_at.iter().filter(|(key, _)| key.starts_with(&prefix));
        below.all(|(_, (source, _))| self.sources[*source].origin == Origin::Override)
    }

    /// Where the user wrote the key, or the nearest table above it.
    pub(crate) fn place(&self, path: &str) -> Option<String> {
        self.nearest(path)
            .map(|(source, line)| self.sources[source].place(line))
    }

    /// Whether a preset, rather than the user, set the key.
    pub(crate) fn is_of_preset(&self, path: &str) -> bool {
        self.source(path)
            .is_some_and(|(_, source)| source.origin == Origin::Preset)
    }

    /// An error of `path` that shows the value found.
    pub(crate) fn error(&self, path: &str, problem: impl Into<String>) -> ConfigError {
        ConfigError::key(self.place(path), self.subject(path), problem)
    }

    /// `path = value`, or the path alone.
    pub(crate) fn subject(&self, path: &str) -> String {
        match self.value(path) {
            None | Some(Value::Table(_)) => path.to_owned(),
            // a text on one line, whatever it holds
            Some(Value::String(text)) => format!("{path} = {}", shortened(&format!("{text:?}"))),
            Some(value) => format!("{path} = {}", shortened(&value.to_string())),
        }
    }

    fn nearest(&self, path: &str) -> Option<(usize, usize)> {
        let mut path = path;
        loop {
            if let Some(found) = self.set_at.get(path) {
                return Some(*found);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }
}

/// The value at a dotted path of a table.
pub(crate) fn lookup<'a>(table: &'a toml::Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => table.get(path),
        Some((first, rest)) => lookup(table.get(first)?.as_table()?, rest),
    }
}

/// Sets the value at a dotted path of a table whose upper levels exist.
pub(crate) fn replace(table: &mut toml::Table, path: &str, value: Value) {
    if let Some((section, key)) = path.rsplit_once('.') {
        if let Some(section) = section_mut(table, section) {
            section.insert(key.to_owned(), value);
        }
    } else {
        table.insert(path.to_owned(), value);
    }
}

/// Removes the value at a dotted path.
pub(crate) fn remove(table: &mut toml::Table, path: &str) {
    match path.rsplit_once('.') {
        None => {
            table.remove(path);
        }
        Some((section, key)) => {
            if let Some(section) = section_mut(table, section) {
                section.remove(key);
            }
        }
    }
}

fn section_mut<'a>(table: &'a mut toml::Table, path: &str) -> Option<&'a mut toml::Table> {
    path.split('.')
        .try_fold(table, |table, key| table.get_mut(key)?.as_table_mut())
}

/// Dotted paths of all values below `table` that are not tables.
pub(crate) fn collect(table: &toml::Table, path: &str, paths: &mut Vec<String>) {
    for (key, value) in table {
        let path = join(path, key);
        match value {
            Value::Table(table) => collect(table, &path, paths),
            _ => paths.push(path),
        }
    }
}

fn overlay(
    below: &mut toml::Table,
    above: toml::Table,
    path: &str,
    set_at: &mut BTreeMap<String, (usize, usize)>,
) {
    for (key, value) in above {
        let path = join(path, &key);
        match (below.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above, &path, set_at),
            (_, value) => {
                forget_below(set_at, &path);
                below.insert(key, value);
            }
        }
    }
}

fn forget_below(set_at: &mut BTreeMap<String, (usize, usize)>, path: &str) {
    let prefix = format!("{path}.");
    set_at.retain(|key, _| !key.starts_with(&prefix));
}

/// A value for a message: long ones are cut.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain("...".chars()).collect()
    }
}
