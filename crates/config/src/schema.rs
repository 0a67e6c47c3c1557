//! The schema of the configuration: derived from the serde types, the source of everything else.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use serde_json::Value;
use wordline_overlay::join;

use crate::Config;

/// The JSON Schema of a drive and workload, for editors (`wordline schema`).
#[must_use]
pub fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        let mut schema = settings
            .into_generator()
            .into_root_schema_for::<Config>()
            .to_value();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(
                "name".to_owned(),
                serde_json::json!({
                    "type": "string",
                    "description": "Name of the drive in reports; that of the preset or of the file if left out. It changes no result.",
                }),
            );
            for (key, description) in crate::capacity::KEYS {
                let schema = serde_json::json!({"type": "string", "description": description});
                properties.insert(key.to_owned(), schema);
            }
            properties.insert(
                "base".to_owned(),
                serde_json::json!({
                    "type": "string",
                    "description": "Preset that this drive starts from; its own keys replace those of the preset.",
                    "enum": crate::presets().iter().map(|preset| preset.name).collect::<Vec<_>>(),
                }),
            );
        }
        crate::share_counts::extend(&mut schema);
        schema
    })
}

/// The keys that a section of the schema knows, with their schemas; `None` for a value.
pub(crate) fn properties(schema: &Value) -> Option<Vec<(&str, &Value)>> {
    let mut found = Vec::new();
    gather(schema, &mut found);
    (!found.is_empty()).then_some(found)
}

/// Stands in a path for any name: a section whose keys the user chooses.
pub(crate) const ANY_NAME: &str = "<name>";

fn gather<'a>(schema: &'a Value, found: &mut Vec<(&'a str, &'a Value)>) {
    if let Some(Value::Object(properties)) = schema.get("properties") {
        found.extend(properties.iter().map(|(key, schema)| (key.as_str(), schema)));
    } else if let Some(named @ Value::Object(_)) = schema.get("additionalProperties") {
        found.push((ANY_NAME, named));
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for schema in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
            gather(schema, found);
        }
    }
}

/// Dotted paths of every value that the schema knows.
pub(crate) fn known_paths() -> &'static [String] {
    static PATHS: OnceLock<Vec<String>> = OnceLock::new();
    PATHS.get_or_init(|| {
        let mut paths = Vec::new();
        leaves(schema(), "", &mut paths);
        paths
    })
}

fn leaves(schema: &Value, path: &str, paths: &mut Vec<String>) {
    match properties(schema) {
        None => paths.push(path.to_owned()),
        Some(properties) => {
            for (key, schema) in properties {
                leaves(schema, &join(path, key), paths);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::schema;

    /// Sections that accept keys which they do not name.
    fn open_sections(schema: &Value, path: &str, found: &mut Vec<String>) {
        let Some(Value::Object(properties)) = schema.get("properties") else {
            return;
        };
        let refuses = |key: &str| schema.get(key) == Some(&Value::Bool(false));
        if !refuses("additionalProperties") && !refuses("unevaluatedProperties") {
            found.push(path.to_owned());
        }
        for (key, schema) in properties {
            open_sections(schema, &format!("{path}.{key}"), found);
        }
    }

    #[test]
    fn an_editor_is_told_of_unknown_keys_in_every_section() {
        let mut found = Vec::new();
        open_sections(schema(), "", &mut found);
        assert_eq!(found, [""; 0]);
    }
}
