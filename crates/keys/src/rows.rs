//! How mappings and policies are registered: named rows with parameters of their own.
//!
//! A row says what it is called and what it does, which keys of its section it reads (a type with defaults, from which the
//! schema and the reference follow), and how it is built. Rows of other crates are added with the same call as the built-in
//! ones, before the first configuration is read.

use std::sync::{OnceLock, PoisonError, RwLock};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::conditions::is_in;

/// The keys that a row reads beside those that all rows of its table share.
#[derive(Clone, Copy)]
pub struct Keys {
    schema: fn() -> Value,
    /// The values of all keys: those that are given, in their canonical form (a share of "15%" is 0.15), and defaults.
    complete: fn(toml::Table) -> Result<toml::Table, toml::de::Error>,
}

impl Keys {
    /// None.
    pub const NONE: Self = Self::of::<NoKeys>();

    /// The fields of a type, with their documentation and defaults.
    #[must_use]
    pub const fn of<T: JsonSchema + Default + Serialize + DeserializeOwned>() -> Self {
        Self {
            schema: || {
                let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
                    settings.inline_subschemas = true;
                });
                settings.into_generator().into_root_schema_for::<T>().to_value()
            },
            complete: |given| Ok(toml::Table::try_from(T::deserialize(given)?).unwrap_or_default()),
        }
    }

    /// The properties of the schema.
    fn properties(&self) -> Map<String, Value> {
        let mut schema = (self.schema)();
        match schema.get_mut("properties").map(Value::take) {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        }
    }
}

/// No keys.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct NoKeys {}

/// What every row says of itself.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in the configuration.
    pub name: &'static str,
    /// What it does, as the reference says it.
    pub help: &'static str,
    /// The keys of its section that it reads.
    pub keys: Keys,
    /// Further keys that it reads, as dotted paths; a section stands for all of its keys.
    pub reads: &'static [&'static str],
}

/// A row of a table.
pub trait Row: Sync + 'static {
    /// What the row says of itself.
    fn entry(&self) -> &Entry;
}

/// A kind of rows: mappings, or policies of one kind.
pub trait Registered: 'static {
    /// The key that names a row, as a dotted path.
    const SELECTOR: &'static str;
    /// The row that is named where the key is left out.
    const DEFAULT: &'static str;

    /// What a row is.
    type Row: Row;

    /// All rows.
    fn table() -> &'static Table<Self::Row>;
}

/// A row in its table, with the properties and the defaults of its keys once they were asked for.
pub(crate) struct Listed<R> {
    row: R,
    properties: OnceLock<Map<String, Value>>,
    defaults: OnceLock<toml::Table>,
}

impl<R: Row> Listed<R> {
    fn entry(&self) -> &Entry {
        self.row.entry()
    }

    /// The schema of each key.
    pub(crate) fn properties(&self) -> &Map<String, Value> {
        self.properties.get_or_init(|| self.entry().keys.properties())
    }

    /// The values of keys that are not given; a key may have none.
    pub(crate) fn defaults(&self) -> &toml::Table {
        self.defaults
            .get_or_init(|| (self.entry().keys.complete)(toml::Table::new()).unwrap_or_default())
    }

    /// The canonical form of those of the values that are values of the row's keys; empty where none is.
    ///
    /// # Errors
    /// A value is of another type than its key.
    pub(crate) fn given(&self, values: &toml::Table) -> Result<toml::Table, String> {
        let is_own = |(key, _): &(&String, &toml::Value)| self.properties().contains_key(*key);
        let own: toml::Table = values
            .iter()
            .filter(is_own)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if own.is_empty() {
            return Ok(own);
        }
        (self.entry().keys.complete)(own).map_err(|error| error.message().to_owned())
    }
}

/// The rows of a kind, in the order of their registration.
pub struct Table<R: 'static> {
    selector: &'static str,
    rows: RwLock<Vec<&'static Listed<R>>>,
}

impl<R: Row> Table<R> {
    /// A table with these rows, of which a key names one.
    #[must_use]
    pub fn new(selector: &'static str, rows: impl IntoIterator<Item = R>) -> Self {
        let table = Self {
            selector,
            rows: RwLock::new(Vec::new()),
        };
        for row in rows {
            table.register(row);
        }
        table
    }

    /// Adds a row; one of the same name before it is replaced. Rows are never freed.
    pub fn register(&self, row: R) {
        let row: &'static Listed<R> = Box::leak(Box::new(Listed {
            row,
            properties: OnceLock::new(),
            defaults: OnceLock::new(),
        }));
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        rows.retain(|other| other.entry().name != row.entry().name);
        rows.push(row);
    }

    pub(crate) fn listed(&self) -> Vec<&'static Listed<R>> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> Vec<&'static R> {
        self.listed().into_iter().map(|listed| &listed.row).collect()
    }

    /// The names of the rows.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.rows().into_iter().map(|row| row.entry().name).collect()
    }

    /// The row of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static R> {
        self.rows().into_iter().find(|row| row.entry().name == name)
    }
}

/// A table, whatever its rows are.
pub trait AnyTable: Sync {
    /// The key that names a row, as a dotted path.
    fn selector(&self) -> &'static str;

    /// The section that the key is in, and the keys of the rows with it.
    fn section(&self) -> &'static str {
        self.selector()
            .rsplit_once('.')
            .map_or("", |(section, _)| section)
    }

    /// The names of the rows that read a key (a dotted path), be it one of their own or one of another section.
    fn readers(&self, path: &str) -> Vec<&'static str>;

    /// Checks that the values in the section of the selector are of the types that the rows declare.
    ///
    /// # Errors
    /// The first one that is not, with the name of its key.
    fn check(&self, section: &toml::Table) -> Result<(), (String, String)>;
}

impl<R: Row> AnyTable for Table<R> {
    fn selector(&self) -> &'static str {
        self.selector
    }

    fn readers(&self, path: &str) -> Vec<&'static str> {
        let below = path
            .strip_prefix(self.section())
            .and_then(|rest| rest.strip_prefix('.'));
        let own = below.and_then(|below| below.split('.').next());
        let reads = |row: &&Listed<R>| {
            let is_own = own.is_some_and(|key| row.properties().contains_key(key));
            is_own || row.entry().reads.iter().any(|prefix| is_in(path, prefix))
        };
        let readers = self.listed().into_iter().filter(reads);
        readers.map(|row| row.entry().name).collect()
    }

    fn check(&self, section: &toml::Table) -> Result<(), (String, String)> {
        for row in self.listed() {
            for key in row.properties().keys() {
                if let Some(value) = section.get(key) {
                    let one = toml::Table::from_iter([(key.clone(), value.clone())]);
                    row.given(&one).map_err(|problem| (key.clone(), problem))?;
                }
            }
        }
        Ok(())
    }
}
