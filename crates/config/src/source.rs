//! One source of configuration: its text, where it came from, and its keys with their lines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::Value;
use toml::de::{DeTable, DeValue};
use wordline_overlay::join;

use crate::error::ConfigError;

/// A configuration larger than this is refused: most likely a trace was named instead.
const LARGEST: u64 = 4 << 20;

/// What kind of source a key came from, in the order in which later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A preset of Wordline.
    Preset,
    /// The user's drive file or text.
    Drive,
    /// The user's workload file.
    Workload,
    /// A `--set key=value` override or a Python keyword.
    Override,
}

/// A source: what it is called in messages and where its relative paths start.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) origin: Origin,
    /// File name, preset name or override.
    pub(crate) label: String,
    /// Directory against which relative paths in this source are resolved.
    pub(crate) directory: PathBuf,
}

impl Source {
    /// How messages call line `line` of the source.
    pub(crate) fn place(&self, line: usize) -> String {
        match self.origin {
            Origin::Preset => format!("preset {}, line {line}", self.label),
            Origin::Drive | Origin::Workload => format!("{}:{line}", self.label),
            Origin::Override => format!("override {}", self.label),
        }
    }
}

/// The keys of one source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) table: toml::Table,
    /// Line of every key, tables included, by dotted path.
    pub(crate) lines: BTreeMap<String, usize>,
}

impl Document {
    /// Reads TOML.
    ///
    /// # Errors
    /// Malformed TOML, or a number that TOML can spell and Wordline cannot hold.
    pub(crate) fn parse(text: &str, source: &Source) -> Result<Self, ConfigError> {
        let tree = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            ConfigError::at(source.place(line), format!("not valid TOML: {}", error.message()))
        })?;
        let mut document = Self::default();
        let mut reader = Reader {
            text,
            source,
            lines: &mut document.lines,
        };
        document.table = reader.table(tree.get_ref(), "")?;
        Ok(document)
    }

    /// The same keys below `section`.
    pub(crate) fn below(self, section: &str) -> Self {
        let mut lines: BTreeMap<String, usize> = self
            .lines
            .into_iter()
            .map(|(key, line)| (format!("{section}.{key}"), line))
            .collect();
        lines.insert(section.to_owned(), 1);
        let table = [(section.to_owned(), Value::Table(self.table))]
            .into_iter()
            .collect();
        Self { table, lines }
    }
}

struct Reader<'a> {
    text: &'a str,
    source: &'a Source,
    lines: &'a mut BTreeMap<String, usize>,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, path: &str) -> Result<toml::Table, ConfigError> {
        // the parser sorts keys; a reader expects the order of the file
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut result = toml::Table::new();
        for (key, value) in entries {
            let path = join(path, key.get_ref());
            let line = line_of(self.text, key.span().start);
            self.lines.insert(path.clone(), line);
            result.insert(
                key.get_ref().to_string(),
                self.value(value.get_ref(), &path, line)?,
            );
        }
        Ok(result)
    }

    fn value(&mut self, value: &DeValue<'_>, path: &str, line: usize) -> Result<Value, ConfigError> {
        let refuse = |found: &dyn ToString, problem: &str| {
            ConfigError::key(
                Some(self.source.place(line)),
                format!("{path} = {}", found.to_string()),
                problem,
            )
        };
        Ok(match value {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(number) => Value::Integer(
                i64::from_str_radix(number.as_str(), number.radix())
                    .map_err(|_| refuse(number, "too large: whole numbers end at 9223372036854775807"))?,
            ),
            DeValue::Float(number) => {
                let float: f64 = number
                    .as_str()
                    .parse()
                    .map_err(|_| refuse(number, "not a number"))?;
                if !float.is_finite() {
                    return Err(refuse(number, "a finite number is needed"));
                }
                Value::Float(float)
            }
            DeValue::Boolean(flag) => Value::Boolean(*flag),
            DeValue::Datetime(time) => Value::Datetime(*time),
            DeValue::Array(items) => {
                let mut array = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let line = line_of(self.text, item.span().start);
                    array.push(self.value(item.get_ref(), &format!("{path}[{index}]"), line)?);
                }
                Value::Array(array)
            }
            DeValue::Table(table) => Value::Table(self.table(table, path)?),
        })
    }
}

/// Line, from 1, that holds the byte `offset`.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// Reads a configuration file.
///
/// # Errors
/// A file that cannot be opened, is a directory, is not text or is far too large.
pub(crate) fn read_file(path: &Path) -> Result<String, ConfigError> {
    let label = path.display().to_string();
    let cannot = |problem: String| ConfigError::at(label.clone(), problem);
    let file = File::open(path).map_err(|error| cannot(format!("cannot be opened: {error}")))?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(cannot(format!(
            "larger than {} MiB: a configuration is expected here, a TOML text of a few kilobytes; name a trace \
             with --trace or `workload.path`",
            LARGEST >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        cannot(format!(
            "not UTF-8 text (byte {}): a configuration is expected here, a TOML text",
            error.utf8_error().valid_up_to()
        ))
    })
}
