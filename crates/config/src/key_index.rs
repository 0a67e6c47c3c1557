//! Refuses keys that do not exist, and says which one was probably meant.

use serde_json::Value as Schema;
use toml::Value;
use wordline_overlay::join;
use wordline_units::nearest;

use crate::error::ConfigError;
use crate::merged::Merged;
use crate::schema::{ANY_NAME, known_paths, properties, schema};

/// Checks that every key of `merged` exists.
///
/// # Errors
/// The first key that does not, with the nearest one that does.
pub(crate) fn check(merged: &Merged) -> Result<(), ConfigError> {
    check_table(merged, &merged.table, schema(), "")
}

fn check_table(merged: &Merged, table: &toml::Table, schema: &Schema, path: &str) -> Result<(), ConfigError> {
    let Some(known) = properties(schema) else {
        return Ok(());
    };
    for (key, value) in table {
        let full = join(path, key);
        if known.iter().any(|(name, _)| *name == ANY_NAME) && !is_name(key) {
            let accepted = "a name of letters, digits, `-` and `_` is expected";
            return Err(merged.error(&full, accepted));
        }
        let Some((_, schema)) = known.iter().find(|(name, _)| name == key || *name == ANY_NAME) else {
            return Err(merged.error(&full, unknown(key, &full, path, &known)));
        };
        match (value, properties(schema)) {
            (Value::Table(table), Some(_)) => check_table(merged, table, schema, &full)?,
            (_, Some(known)) => {
                return Err(merged.error(
                    &full,
                    format!(
                        "a section is expected, with keys such as `{full}.{}`",
                        known.first().map_or("", |(name, _)| *name)
                    ),
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a dotted path and a summary key can hold this name.
fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    !name.is_empty() && name.chars().all(plain)
}

fn unknown(key: &str, full: &str, path: &str, known: &[(&str, &Schema)]) -> String {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let section = if path.is_empty() {
        "the top level".to_owned()
    } else {
        format!("[{path}]")
    };
    let hint = by_other_name(key, &names)
        .or_else(|| nearest(key, names.iter().copied()))
        .map(|name| join(path, name))
        .or_else(|| elsewhere(key, full))
        .map_or_else(|| ".".to_owned(), |name| format!("; did you mean `{name}`?"));
    format!("unknown key{hint} Accepted at {section}: {}", names.join(", "))
}

/// What readers of other tools call a key, and its name here. No misspelling leads from one to the other.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("trace", "path"),
    ("file", "path"),
    ("filename", "path"),
    ("bs", "request_size"),
    ("block_size", "request_size"),
    ("iodepth", "queue_depth"),
    ("rw", "kind"),
    ("rwmixread", "read_fraction"),
    ("runtime", "duration"),
];

/// The key of a section that other tools call `key`.
fn by_other_name<'a>(key: &str, names: &[&'a str]) -> Option<&'a str> {
    OTHER_NAMES
        .iter()
        .filter(|(other, _)| *other == key)
        .find_map(|(_, name)| names.iter().copied().find(|known| known == name))
}

/// The same key in another section, or the whole path misspelt.
fn elsewhere(key: &str, full: &str) -> Option<String> {
    let (section, last) = (format!(".{key}."), format!(".{key}"));
    let paths = known_paths();
    paths
        .iter()
        .find_map(|path| match path.find(&section) {
            Some(start) => Some(&path[..start + last.len()]),
            None => path.ends_with(&last).then_some(path.as_str()),
        })
        .or_else(|| nearest(full, paths.iter().map(String::as_str)))
        .map(str::to_owned)
}
