//! The reference of the keys of a description in Markdown, from its schema.

use std::fmt::Write;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// A table of keys for each section of `T`, with a column of units where `unit` is given.
#[must_use]
pub fn reference<T: JsonSchema>(unit: Option<&dyn Fn(&str) -> &'static str>) -> String {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut page = String::new();
    for (name, schema) in entries(&schema) {
        section(&mut page, name, schema, unit);
    }
    page
}

/// Keys of a section, then the sections below it.
fn section(page: &mut String, path: &str, schema: &Value, unit: Option<&dyn Fn(&str) -> &'static str>) {
    let text = description(schema);
    let (head, rule) = if unit.is_some() {
        (" unit |", "---|")
    } else {
        ("", "")
    };
    // writing to a String cannot fail
    let _ = write!(
        page,
        "\n## `[{path}]`\n\n{text}\n\n| key |{head} default | meaning |\n|---|{rule}---|---|\n"
    );
    let inner = object(schema);
    let required = inner.get("required").and_then(Value::as_array);
    for (key, schema) in entries(inner).filter(|(_, schema)| !is_section(schema)) {
        let path = format!("{path}.{key}");
        let unit = unit.map_or_else(String::new, |unit| format!(" {} |", unit(&path)));
        let default = match (required, schema.get("default")) {
            (Some(required), _) if required.iter().any(|name| name == key) => "required".to_owned(),
            (_, None | Some(Value::Null)) => "unset".to_owned(),
            (_, Some(value)) => format!("`{value}`"),
        };
        let _ = writeln!(page, "| `{path}` |{unit} {default} | {} |", meaning(schema));
    }
    for (key, schema) in entries(inner).filter(|(_, schema)| is_section(schema)) {
        section(page, &format!("{path}.{key}"), schema, unit);
    }
}

fn entries(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

/// The object itself, where a schema allows it to be left out.
fn object(schema: &Value) -> &Value {
    schema
        .get("anyOf")
        .and_then(Value::as_array)
        .and_then(|choices| choices.iter().find(|choice| choice.get("properties").is_some()))
        .unwrap_or(schema)
}

fn is_section(schema: &Value) -> bool {
    object(schema).get("properties").is_some()
}

fn description(schema: &Value) -> String {
    schema
        .get("description")
        .and_then(Value::as_str)
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .unwrap_or_default()
}

/// What a key means, and the words that it may be.
fn meaning(schema: &Value) -> String {
    let mut text = description(schema);
    for choice in ["oneOf", "anyOf"]
        .iter()
        .filter_map(|of| schema.get(of).and_then(Value::as_array))
        .flatten()
    {
        if let Some(word) = choice.get("const").and_then(Value::as_str) {
            let _ = write!(text, "<br>`{word}`: {}", description(choice));
        }
    }
    text.replace('|', "\\|")
}
