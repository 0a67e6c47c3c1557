//! Keys that have no effect in the chosen combination: those of policies that are not selected, as their tables say, and those
//! of one table of rules (`rules.rs`). The refusal, the warning and the omission from a resolved configuration all follow.

mod rules;

use toml::Value;
use wordline_ftl::mappings;
use wordline_keys::AnyTable;

use super::error::ConfigError;
use super::merged::{Merged, collect, lookup};
use super::remarks::Remarks;
use super::schema::ANY_NAME;
use crate::buffer;
use rules::RULES;

/// When a key has an effect.
enum When<'a> {
    /// The governing key has one of these values.
    Is(&'static str, &'a [&'static str]),
    /// The governing key has none of these values.
    IsNot(&'static str, &'a [&'static str]),
    /// The governing key is `true`.
    On(&'static str),
    /// The governing key is not set.
    Unset(&'static str),
    /// The governing key is set.
    Set(&'static str),
}

/// Keys and the conditions of which one must hold.
struct Rule {
    keys: &'static [&'static str],
    any: &'static [When<'static>],
}

const fn rule(keys: &'static [&'static str], any: &'static [When<'static>]) -> Rule {
    Rule { keys, any }
}

use When::{Is, IsNot, On, Set, Unset};

impl When<'_> {
    fn governor(&self) -> &'static str {
        match self {
            Is(key, _) | IsNot(key, _) | On(key) | Unset(key) | Set(key) => key,
        }
    }

    fn holds(&self, values: &toml::Table, scope: &str) -> bool {
        let value = lookup(values, &scoped(self.governor(), scope));
        let word = value.and_then(Value::as_str);
        match self {
            Is(_, words) => word.is_some_and(|word| words.contains(&word)),
            IsNot(_, words) => word.is_some_and(|word| !words.contains(&word)),
            On(_) => value.and_then(Value::as_bool).unwrap_or(false),
            Unset(_) => value.is_none(),
            Set(_) => value.is_some(),
        }
    }

    /// The condition as a sentence goes on after "only".
    fn words(&self, scope: &str) -> String {
        let key = scoped(self.governor(), scope);
        let listed = |words: &[&str]| {
            words
                .iter()
                .map(|word| format!("\"{word}\""))
                .collect::<Vec<_>>()
                .join(" or ")
        };
        match self {
            Is(_, words) => format!("with {key} = {}", listed(words)),
            IsNot(_, words) => format!("with {key} other than {}", listed(words)),
            On(_) => format!("with {key} = true"),
            Unset(_) => format!("without {key}"),
            Set(_) => format!("with {key}"),
        }
    }
}

impl Rule {
    fn names(&self, path: &str) -> bool {
        self.keys.contains(&path)
    }

    /// Whether the key has its effect in one of the workloads at least.
    fn holds(&self, values: &toml::Table, scopes: &[String]) -> bool {
        scopes
            .iter()
            .any(|scope| self.any.iter().any(|when| when.holds(values, scope)))
    }
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
enum Idle {
    /// None of the mappings or policies that read the key is selected: their selectors and names.
    Rows(Vec<(&'static str, Vec<&'static str>)>),
    /// A rule takes it away, in these places.
    Rule(&'static Rule, Vec<String>),
    /// Tenants bring their own workloads.
    Tenants,
}

/// What takes a key's effect away, if anything does.
fn broken(path: &str, values: &toml::Table) -> Option<Idle> {
    let scopes = scopes(values);
    let in_tenants = scopes.iter().any(|scope| !scope.is_empty());
    if in_tenants && path.starts_with("workload.") {
        return Some(Idle::Tenants);
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
    let rule = RULES
        .iter()
        .find(|rule| rule.names(&path) && !rule.holds(values, &scopes));
    rule.map(|rule| Idle::Rule(rule, scopes))
        .or_else(|| unread(&path, values))
}

/// The mappings or the policies that read a key, if there are any and none of them is selected.
fn unread(path: &str, values: &toml::Table) -> Option<Idle> {
    unread_in(&[mappings()], path, values).or_else(|| unread_in(&policies(), path, values))
}

/// The tables of policies.
fn policies() -> Vec<&'static dyn AnyTable> {
    let of_ftl = wordline_ftl::policies();
    of_ftl.into_iter().chain([buffer::policies()]).collect()
}

/// The tables of all rows.
pub(super) fn tables() -> Vec<&'static dyn AnyTable> {
    policies().into_iter().chain([mappings()]).collect()
}

/// The rows of some tables that read a key, if there are any and none of them is selected.
fn unread_in(tables: &[&'static dyn AnyTable], path: &str, values: &toml::Table) -> Option<Idle> {
    let readers: Vec<(&str, Vec<&str>)> = tables
        .iter()
        .map(|table| (table.selector(), table.readers(path)))
        .filter(|(_, readers)| !readers.is_empty())
        .collect();
    let is_selected = |(selector, readers): &(&str, Vec<&str>)| {
        let selected = lookup(values, selector).and_then(Value::as_str);
        selected.is_some_and(|selected| readers.contains(&selected))
    };
    (!readers.is_empty() && !readers.iter().any(is_selected)).then_some(Idle::Rows(readers))
}

/// Dotted paths of the keys that have no effect.
pub(crate) fn paths(values: &toml::Table) -> Vec<String> {
    let mut all = Vec::new();
    collect(values, "", &mut all);
    all.retain(|path| broken(path, values).is_some());
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
        let Some(idle) = broken(&path, values) else {
            continue;
        };
        let (governors, conditions) = match &idle {
            Idle::Tenants => (
                vec!["tenants".to_owned()],
                vec!["without tenants, which have workloads of their own".to_owned()],
            ),
            Idle::Rows(readers) => readers
                .iter()
                .map(|(selector, names)| ((*selector).to_owned(), Is(selector, names).words("")))
                .unzip(),
            Idle::Rule(rule, scopes) => {
                let mut governors = Vec::new();
                let mut conditions = Vec::new();
                for scope in scopes {
                    governors.extend(rule.any.iter().map(|when| scoped(when.governor(), scope)));
                    conditions.extend(rule.any.iter().map(|when| when.words(scope)));
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

/// Every key that the rules mention, for a test.
#[cfg(test)]
pub(crate) fn named_keys() -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(|rule| {
        rule.keys
            .iter()
            .copied()
            .chain(rule.any.iter().map(When::governor))
    })
}
