//! Keys that have no effect in the chosen combination: those of policies that are not selected, as their tables say, and those
//! that the rules of their sections take away. The refusal, the warning and the omission from a resolved configuration all follow.

use toml::Value;
use wordline_ftl::mappings;
use wordline_keys::{AnyTable, Rule, When};

use crate::RULES;
use crate::error::ConfigError;
use crate::merged::{Merged, collect, lookup};
use crate::remarks::Remarks;
use crate::schema::ANY_NAME;

/// Whether one of the conditions of a rule holds in one of the workloads at least.
fn holds(rule: &Rule, values: &toml::Table, scopes: &[String]) -> bool {
    let holds = |when: &When<'_>, scope: &str| when.holds(lookup(values, &scoped(when.governor(), scope)));
    scopes
        .iter()
        .any(|scope| rule.any.iter().any(|when| holds(when, scope)))
}

/// The rules about a key, those of its section before those of sections in it.
fn rules_about(path: &str) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(move |(section, rules)| {
        let key = path.strip_prefix(section).and_then(|rest| rest.strip_prefix('.'));
        let about = move |rule: &&Rule| key.is_some_and(|key| rule.is_about(key));
        rules.iter().filter(about)
    })
}

/// A key of the rules inside a scope: that of a tenant's workload, or as it stands.
pub(crate) fn scoped(key: &str, scope: &str) -> String {
    if key.starts_with("workload.") {
        format!("{scope}{key}")
    } else {
        key.to_owned()
    }
}

/// The places of workloads: `tenants.<name>.` for each tenant, or the top level without tenants.
pub(crate) fn scopes(values: &toml::Table) -> Vec<String> {
    match values.get("tenants").and_then(Value::as_table) {
        Some(tenants) if !tenants.is_empty() => {
            tenants.keys().map(|name| format!("tenants.{name}.")).collect()
        }
        _ => vec![String::new()],
    }
}

/// Why a key has no effect.
enum Cause {
    /// None of the mappings or policies that read the key is selected: their selectors and names.
    Rows(Vec<(&'static str, Vec<&'static str>)>),
    /// A rule takes it away, in these places.
    Rule(&'static Rule, Vec<String>),
    /// Tenants bring their own workloads.
    Tenants,
}

/// What takes a key's effect away, if anything does.
fn cause(path: &str, values: &toml::Table) -> Option<Cause> {
    let scopes = scopes(values);
    let in_tenants = scopes.iter().any(|scope| !scope.is_empty());
    if in_tenants && path.starts_with("workload.") {
        return Some(Cause::Tenants);
    }
    let scope = scopes.iter().find(|scope| path.starts_with(scope.as_str()));
    let (path, scopes) = match scope {
        // a key of one tenant's workload depends on that workload only
        Some(scope) if !scope.is_empty() => match &path[scope.len()..] {
            inner if inner.starts_with("workload.") => (inner.to_owned(), vec![scope.clone()]),
            own => (format!("tenants.{ANY_NAME}.{own}"), scopes),
        },
        _ => (path.to_owned(), scopes),
    };
    let rule = rules_about(&path).find(|rule| !holds(rule, values, &scopes));
    rule.map(|rule| Cause::Rule(rule, scopes))
        .or_else(|| unread(&path, values))
}

/// The mappings or the policies that read a key, if there are any and none of them is selected.
fn unread(path: &str, values: &toml::Table) -> Option<Cause> {
    unread_in(&[mappings()], path, values).or_else(|| unread_in(&policies(), path, values))
}

/// The tables of policies.
fn policies() -> Vec<&'static dyn AnyTable> {
    let of_ftl = wordline_ftl::policies();
    let others = [wordline_buffer::policies(), wordline_scheduler::schedulers()];
    of_ftl.into_iter().chain(others).collect()
}

/// The tables of all rows.
pub(crate) fn tables() -> Vec<&'static dyn AnyTable> {
    policies().into_iter().chain([mappings()]).collect()
}

/// The rows of some tables that read a key, if there are any and none of them is selected.
fn unread_in(tables: &[&'static dyn AnyTable], path: &str, values: &toml::Table) -> Option<Cause> {
    let readers: Vec<(&str, Vec<&str>)> = tables
        .iter()
        .map(|table| (table.selector(), table.readers(path)))
        .filter(|(_, readers)| !readers.is_empty())
        .collect();
    let is_selected = |(selector, readers): &(&str, Vec<&str>)| {
        let selected = lookup(values, selector).and_then(Value::as_str);
        selected.is_some_and(|selected| readers.contains(&selected))
    };
    (!readers.is_empty() && !readers.iter().any(is_selected)).then_some(Cause::Rows(readers))
}

/// Dotted paths of the keys that have no effect.
pub(crate) fn paths(values: &toml::Table) -> Vec<String> {
    let mut all = Vec::new();
    collect(values, "", &mut all);
    all.retain(|path| cause(path, values).is_some());
    all
}

/// Checks the keys that were set: those without effect are refused where the user set them, reported where a later
/// source took their effect away, and counted where a preset brought them. In a workload
/// and an age that is not worth a word: a preset may say how it replays traces, and another kind
/// of workload or past was asked for on purpose. Returns the keys to be forgotten.
///
/// # Errors
/// A key that the user set and that has no effect.
pub(crate) fn check(
    merged: &Merged,
    values: &toml::Table,
    remarks: &mut Remarks,
) -> Result<Vec<String>, ConfigError> {
    let mut forgotten = Vec::new();
    for path in merged.leaves() {
        let Some(cause) = cause(&path, values) else {
            continue;
        };
        let (governors, conditions) = match &cause {
            Cause::Tenants => (
                vec!["tenants".to_owned()],
                vec!["without tenants, which have workloads of their own".to_owned()],
            ),
            Cause::Rows(readers) => readers
                .iter()
                .map(|(selector, names)| ((*selector).to_owned(), When::Is(selector, names).words(selector)))
                .unzip(),
            Cause::Rule(rule, scopes) => {
                let mut governors = Vec::new();
                let mut conditions = Vec::new();
                for scope in scopes {
                    for when in rule.any {
                        let governor = scoped(when.governor(), scope);
                        conditions.push(when.words(&governor));
                        governors.push(governor);
                    }
                }
                governors.dedup();
                conditions.dedup();
                (governors, conditions)
            }
        };
        let taken_away = governors.iter().any(|governor| merged.overrules(governor, &path));
        let found: Vec<String> = governors
            .iter()
            .map(|governor| found(governor, values, merged))
            .collect();
        let problem = format!(
            "has no effect here: it is used only {}; {}",
            conditions.join(", or "),
            found.join(", ")
        );
        if !taken_away && !merged.is_of_preset(&path) {
            return Err(merged.error(&path, problem));
        }
        if !(path.starts_with("workload.") || path.starts_with("age.")) {
            if merged.is_of_preset(&path) {
                remarks.unused_key_of_preset(&path);
            } else {
                remarks.say(merged.error(&path, problem).to_string());
            }
        }
        forgotten.push(path);
    }
    Ok(forgotten)
}

/// What a governing key is, and why.
fn found(key: &str, values: &toml::Table, merged: &Merged) -> String {
    let value = match lookup(values, key) {
        None => "unset".to_owned(),
        Some(Value::Table(_)) => "set".to_owned(),
        Some(value) => value.to_string(),
    };
    match merged.set_exactly(key).and_then(|_| merged.place(key)) {
        Some(place) => format!("{key} is {value} ({place})"),
        None => format!("{key} is {value} by default"),
    }
}
