//! How mappings and policies are registered: named rows with parameters of their own.
//!
//! A row says what it is called and what it does, which keys of its section it reads (a type with defaults, from which the
//! schema and the reference follow), and how it is built. The tables are in `registry`; rows of other crates are added
//! with the same call as the built-in ones, before the first configuration is read.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{OnceLock, PoisonError, RwLock};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::FtlError;

/// The keys that a row reads beside those that all rows of its table share.
#[derive(Clone, Copy)]
pub struct Keys {
    schema: fn() -> Value,
    /// The values of all keys: those that are given, in their canonical form, and defaults.
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

/// A row in its table, with the properties of its keys once they were asked for.
struct Listed<R> {
    row: R,
    properties: OnceLock<Map<String, Value>>,
}

impl<R: Row> Listed<R> {
    fn entry(&self) -> &Entry {
        self.row.entry()
    }

    fn properties(&self) -> &Map<String, Value> {
        self.properties.get_or_init(|| self.entry().keys.properties())
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
        }));
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        rows.retain(|other| other.entry().name != row.entry().name);
        rows.push(row);
    }

    fn listed(&self) -> Vec<&'static Listed<R>> {
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
                let Some(value) = section.get(key) else { continue };
                let one = toml::Table::from_iter([(key.clone(), value.clone())]);
                (row.entry().keys.complete)(one)
                    .map_err(|error| (key.clone(), error.message().to_owned()))?;
            }
        }
        Ok(())
    }
}

/// Whether a path is a key, or lies in a section.
fn is_in(path: &str, key_or_section: &str) -> bool {
    let rest = path.strip_prefix(key_or_section);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The name of a row, as the configuration has it.
pub struct Selected<R> {
    name: Cow<'static, str>,
    kind: PhantomData<fn() -> R>,
}

impl<R: Registered> Selected<R> {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The row.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn row(&self) -> Result<&'static R::Row, FtlError> {
        R::table().find(&self.name).ok_or_else(|| {
            let names = R::table().names().join(", ");
            FtlError::new(R::SELECTOR, &self.name, format!("one of {names}"))
        })
    }
}

impl<R> From<&'static str> for Selected<R> {
    fn from(name: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            kind: PhantomData,
        }
    }
}

impl<R: Registered> Default for Selected<R> {
    fn default() -> Self {
        R::DEFAULT.into()
    }
}

impl<R> Clone for Selected<R> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            kind: PhantomData,
        }
    }
}

impl<R> fmt::Debug for Selected<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.name)
    }
}

impl<R> PartialEq for Selected<R> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<R> Serialize for Selected<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

impl<'de, R: Registered> Deserialize<'de> for Selected<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let names = R::table().names();
        if names.contains(&name.as_str()) {
            return Ok(Self {
                name: Cow::Owned(name),
                kind: PhantomData,
            });
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        Err(D::Error::custom(format!(
            "unknown variant `{name}`, expected one of {names}"
        )))
    }
}

impl<R: Registered> JsonSchema for Selected<R> {
    fn schema_name() -> Cow<'static, str> {
        R::SELECTOR.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let choice = |row: &R::Row| {
            let Entry { name, help, .. } = row.entry();
            serde_json::json!({ "description": help, "type": "string", "const": name })
        };
        let choices: Vec<Value> = R::table().rows().into_iter().map(choice).collect();
        json_schema!({ "oneOf": choices })
    }
}

/// The values of the keys that rows of a kind have of their own.
pub struct Parameters<R> {
    values: toml::Table,
    kind: PhantomData<fn() -> R>,
}

impl<R: Registered> Parameters<R> {
    /// The values for a row that declared its keys as those of `T`; defaults where none are given or they are of another
    /// type, which [`AnyTable::check`] refuses.
    #[must_use]
    pub fn read<T: DeserializeOwned + Default>(&self) -> T {
        T::deserialize(self.values.clone()).unwrap_or_default()
    }

    /// Sets a value.
    pub fn set(&mut self, key: &str, value: impl Into<toml::Value>) {
        self.values.insert(key.to_owned(), value.into());
    }

    /// Values in their canonical form (a share of "15%" is 0.15), with the defaults of all rows.
    fn complete(given: &toml::Table) -> Result<Self, String> {
        let mut values = toml::Table::new();
        for row in R::table().rows() {
            let own = (row.entry().keys.complete)(given.clone());
            values.extend(own.map_err(|error| error.message().to_owned())?);
        }
        match given.keys().find(|key| !values.contains_key(*key)) {
            Some(key) => Err(format!("unknown field `{key}`")),
            None => Ok(Self {
                values,
                kind: PhantomData,
            }),
        }
    }
}

impl<R: Registered> Default for Parameters<R> {
    /// The defaults of all rows.
    fn default() -> Self {
        Self::complete(&toml::Table::new()).unwrap_or_else(|_| Self {
            values: toml::Table::new(),
            kind: PhantomData,
        })
    }
}

impl<R> Clone for Parameters<R> {
    fn clone(&self) -> Self {
        Self {
            values: self.values.clone(),
            kind: PhantomData,
        }
    }
}

impl<R> fmt::Debug for Parameters<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<R> PartialEq for Parameters<R> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<R> Serialize for Parameters<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

impl<'de, R: Registered> Deserialize<'de> for Parameters<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::complete(&toml::Table::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<R: Registered> JsonSchema for Parameters<R> {
    fn schema_name() -> Cow<'static, str> {
        format!("{} parameters", R::SELECTOR).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for row in R::table().listed() {
            properties.extend(row.properties().clone());
        }
        json_schema!({ "type": "object", "properties": properties })
    }
}
