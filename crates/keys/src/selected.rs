//! Which row is selected, and the values of the keys of all rows, as sections of a configuration hold them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::refused::RefusedValue;
use crate::rows::{Entry, Registered, Row};

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
    pub fn row(&self) -> Result<&'static R::Row, RefusedValue> {
        R::table().find(&self.name).ok_or_else(|| {
            let names = R::table().names().join(", ");
            RefusedValue::new(R::SELECTOR, &self.name, format!("one of {names}"))
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

    /// Values in their canonical form, with the defaults of all rows.
    fn complete(given: &toml::Table) -> Result<Self, String> {
        let rows = R::table().listed();
        let mut values = toml::Table::new();
        for row in &rows {
            values.extend(row.defaults().clone());
        }
        for row in &rows {
            values.extend(row.given(given)?);
        }
        let is_unknown = |key: &&String| !rows.iter().any(|row| row.properties().contains_key(*key));
        match given.keys().find(is_unknown) {
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
