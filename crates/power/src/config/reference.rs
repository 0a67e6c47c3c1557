//! The reference page of chip files, from the schema.

use std::fmt::Write;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{ChipConfig, PARAMETERS};

/// The keys of a chip in Markdown: one table per section.
#[must_use]
pub fn reference() -> String {
    // writing to a String cannot fail
    let mut page = String::from(
        "# Chip files\n\nA TOML file describes a chip for `wordline power`. `base = \"NAME\"` starts from a built-in \
         chip (`wordline chips`); the file's own keys are laid over it. Quantities carry their unit, as in \
         `\"72 nm\"` or `\"17.2 V\"`; arrays in Python are numbers in the unit given here. Every key can be \
         overridden: `--set bias.vpgm='17 V'`. A key that has no effect in the chip is refused.\n",
    );
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let schema = settings
        .into_generator()
        .into_root_schema_for::<ChipConfig>()
        .to_value();
    for (section, schema) in entries(&schema, "properties") {
        let text = description(schema);
        let _ = write!(
            page,
            "\n## `[{section}]`\n\n{text}\n\n| key | unit | default | meaning |\n|---|---|---|---|\n"
        );
        let required = schema.get("required");
        for (key, schema) in entries(schema, "properties") {
            let path = format!("{section}.{key}");
            let unit = PARAMETERS
                .iter()
                .find(|parameter| parameter.key == path)
                .map_or("", |parameter| parameter.unit);
            let default = match (required.and_then(Value::as_array), schema.get("default")) {
                (Some(required), _) if required.iter().any(|name| name == key) => "required".to_owned(),
                (_, None | Some(Value::Null)) => "unset".to_owned(),
                (_, Some(value)) => format!("`{value}`"),
            };
            let _ = writeln!(page, "| `{path}` | {unit} | {default} | {} |", meaning(schema));
        }
    }
    page
}

fn entries<'a>(schema: &'a Value, of: &str) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    schema.get(of).and_then(Value::as_object).into_iter().flatten()
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
    for choice in schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(word) = choice.get("const").and_then(Value::as_str) {
            let _ = write!(text, "<br>`{word}`: {}", description(choice));
        }
    }
    text.replace('|', "\\|")
}
