//! The reference page: every key with its type, default and meaning, from the schema.

use std::fmt::Write;

use serde_json::Value;
use wordline_overlay::join;
use wordline_units::{
    ByteRate, ByteSize, Celsius, Duration, Energy, Frequency, HeatCapacity, Power, Share, Temperature,
    ThermalResistance, TransferRate,
};

use crate::schema::{properties, schema};
use crate::{Config, TenantConfig, bounds};

/// The configuration reference in Markdown: one table per section.
#[must_use]
pub fn reference() -> String {
    // writing to a String cannot fail, and a configuration always has a JSON form
    let defaults = serde_json::to_value(Config::default()).unwrap_or(Value::Null);
    let mut page = String::from(
        "# Configuration reference\n\nA TOML file describes a drive, another (or the same) a workload. Quantities \
         carry their unit, as in `\"25 us\"` or `\"16 KiB\"`: `kB` is 1,000 bytes and `KiB` 1,024, in capital and small letters alike, and \
         `mo` is a twelfth of a year. Shares are numbers or percentages, `0.07` or `\"7%\"`. Every key can be overridden by its dotted path: \
         `--set ftl.gc.victim=greedy`. A key left out has the default shown here; a key that has no effect in \
         the chosen combination is refused.\n",
    );
    section(&mut page, schema(), &defaults, "");
    page
}

fn section(page: &mut String, schema: &Value, defaults: &Value, path: &str) {
    let known = properties(schema).unwrap_or_default();
    let heading = if path.is_empty() {
        "Top level".to_owned()
    } else {
        format!("`[{path}]`")
    };
    let _ = write!(page, "\n## {heading}\n");
    if !path.is_empty()
        && let Some(text) = description(schema)
    {
        let text = text
            .strip_prefix(&format!("`[{path}]`: "))
            .unwrap_or(&text)
            .to_owned();
        let _ = write!(page, "\n{}\n", capitalised(&text));
    }
    let (sections, keys): (Vec<_>, Vec<_>) = known
        .into_iter()
        .partition(|(_, schema)| properties(schema).is_some());
    if !keys.is_empty() {
        page.push_str("\n| key | type | default | meaning |\n|---|---|---|---|\n");
        for (key, schema) in keys {
            let path = join(path, key);
            let default = defaults
                .get(key)
                .filter(|value| !value.is_null())
                .map_or_else(|| "unset".to_owned(), |value| format!("`{value}`"));
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} |",
                path,
                cell(&kind(schema)),
                cell(&default),
                cell(&meaning(schema, bounds::remark(schema)))
            );
        }
    }
    for (key, schema) in known_items(schema) {
        item_section(page, schema, &join(path, key));
    }
    for (key, schema) in sections {
        if path.starts_with("tenants.") && key == "workload" {
            let path = join(path, key);
            let _ = write!(
                page,
                "\n## `[{path}]`\n\nThe keys of `[workload]`, for this tenant.\n"
            );
            continue;
        }
        let tenant;
        let defaults = if path == "tenants" {
            tenant = serde_json::to_value(TenantConfig::default()).unwrap_or(Value::Null);
            &tenant
        } else {
            defaults.get(key).unwrap_or(&Value::Null)
        };
        self::section(page, schema, defaults, &join(path, key));
    }
}

/// The keys of a section that are lists of tables, each with the schema of a table.
fn known_items(schema: &Value) -> Vec<(&str, &Value)> {
    let known = properties(schema).unwrap_or_default();
    let items = known
        .into_iter()
        .filter_map(|(key, schema)| Some((key, list_item(schema)?)));
    items.filter(|(_, item)| properties(item).is_some()).collect()
}

/// What a list consists of.
fn list_item(schema: &Value) -> Option<&Value> {
    let alternatives = ["anyOf", "oneOf"].into_iter();
    schema.get("items").or_else(|| {
        alternatives
            .filter_map(|form| schema.get(form)?.as_array())
            .flatten()
            .find_map(|form| form.get("items"))
    })
}

/// The keys of the tables of a list.
fn item_section(page: &mut String, schema: &Value, path: &str) {
    let heading = format!("`[[{path}]]`");
    let _ = write!(page, "\n## {heading}\n");
    if let Some(text) = description(schema) {
        let text = text.strip_prefix(&format!("{heading}: ")).unwrap_or(&text);
        let _ = write!(page, "\n{}\n", capitalised(text));
    }
    page.push_str("\n| key | type | default | meaning |\n|---|---|---|---|\n");
    for (key, schema) in properties(schema).unwrap_or_default() {
        let default = schema.get("default").filter(|value| !value.is_null());
        let default = default.map_or_else(|| "unset".to_owned(), |value| format!("`{value}`"));
        let _ = writeln!(
            page,
            "| `{key}` | {} | {} | {} |",
            cell(&kind(schema)),
            cell(&default),
            cell(&meaning(schema, bounds::remark(schema)))
        );
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn description(schema: &Value) -> Option<String> {
    schema
        .get("description")
        .and_then(Value::as_str)
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What a value looks like.
fn kind(schema: &Value) -> String {
    let choices = choices(schema);
    if !choices.is_empty() && is_a_choice(schema) {
        return choices
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(pattern) = schema.get("pattern") {
        return quantity(pattern).to_owned();
    }
    for form in ["anyOf", "oneOf"] {
        if let Some(forms) = schema.get(form).and_then(Value::as_array) {
            let kinds: Vec<String> = forms.iter().map(kind).filter(|kind| kind != "null").collect();
            return kinds.join(" or ");
        }
    }
    let name = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or("null"),
        _ => "value",
    };
    match name {
        "integer" => "whole number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "text".to_owned(),
        "array" => {
            let item = schema.get("items").map_or_else(|| "value".to_owned(), kind);
            format!("list of {item}")
        }
        other => other.to_owned(),
    }
}

/// Whether a value is one of some words, and nothing else.
fn is_a_choice(schema: &Value) -> bool {
    let forms = ["anyOf", "oneOf"]
        .iter()
        .find_map(|form| schema.get(*form)?.as_array());
    match forms {
        Some(forms) => forms.iter().all(is_a_choice),
        None => {
            schema.get("const").is_some()
                || schema.get("enum").is_some()
                || schema.get("type").is_some_and(|kind| kind == "null")
        }
    }
}

/// Which quantity has this pattern.
fn quantity(pattern: &Value) -> &'static str {
    let is = |schema: schemars::Schema| schema.get("pattern") == Some(pattern);
    if is(schemars::schema_for!(Duration)) {
        "duration"
    } else if is(schemars::schema_for!(ByteSize)) {
        "size"
    } else if is(schemars::schema_for!(TransferRate)) {
        "transfer rate"
    } else if is(schemars::schema_for!(Frequency)) {
        "frequency"
    } else if is(schemars::schema_for!(Power)) {
        "power"
    } else if is(schemars::schema_for!(Energy)) {
        "energy"
    } else if is(schemars::schema_for!(Celsius)) || is(schemars::schema_for!(Temperature)) {
        "temperature"
    } else if is(schemars::schema_for!(ThermalResistance)) {
        "thermal resistance"
    } else if is(schemars::schema_for!(HeatCapacity)) {
        "heat capacity"
    } else if is(schemars::schema_for!(ByteRate)) {
        "rate of data"
    } else if pattern == Share::PERCENTAGE {
        "percentage"
    } else {
        "text"
    }
}

/// The words that a value may be, each with its meaning.
fn choices(schema: &Value) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    gather_choices(schema, &mut found);
    found
}

fn gather_choices(schema: &Value, found: &mut Vec<(String, Option<String>)>) {
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        found.push((word.to_owned(), description(schema)));
    }
    for word in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
        if let Some(word) = word.as_str() {
            found.push((word.to_owned(), None));
        }
    }
    for form in ["anyOf", "oneOf"] {
        for schema in schema.get(form).and_then(Value::as_array).into_iter().flatten() {
            gather_choices(schema, found);
        }
    }
}

fn meaning(schema: &Value, bound: Option<String>) -> String {
    let mut text = description(schema).unwrap_or_default();
    if let Some(bound) = bound {
        let _ = write!(text, " {bound}");
    }
    for (word, meaning) in choices(schema) {
        if let Some(meaning) = meaning {
            let _ = write!(text, "<br>`{word}`: {meaning}");
        }
    }
    text
}

/// Text that does not break out of a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
