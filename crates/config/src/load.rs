//! Resolves a configuration: preset, drive file, workload file and overrides, laid over each
//! other, checked, every default filled in.

use std::path::Path;

use sha2::{Digest, Sha256};
use toml::Value;
use wordline_overlay::{in_toml_words, join};
use wordline_units::nearest;

use crate::chip::is_built_in;
use crate::compose::{DriveSource, lay_drive, lay_override, lay_workload, name_of};
use crate::error::ConfigError;
use crate::key_index;
use crate::merged::{Merged, lookup, remove, replace};
use crate::remarks::Remarks;
use crate::schema::ANY_NAME;
use crate::{Config, bounds, capacity, check, ineffective_keys, share_counts};

/// A complete configuration: checked, every default filled in.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The configuration.
    pub config: Config,
    /// The same as TOML: every key that has an effect. Resolving it gives the same again.
    pub toml: String,
    /// Content hash of `toml` without the drive's name, 32 hexadecimal digits. A trace enters it by its file
    /// name only: what a trace holds is the trace's own identity.
    pub hash: String,
    /// What the user should be told, one sentence each.
    pub warnings: Vec<String>,
    values: toml::Table,
}

impl Resolved {
    /// The value at a dotted path, or the section, defaults included; `None` where there is no
    /// such key or it is unset.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Value> {
        lookup(&self.values, path)
    }

    /// Whether `path` is a key or a section of the configuration, set or not.
    #[must_use]
    pub fn knows(path: &str) -> bool {
        // whatever the tenant is called
        let generic = path
            .strip_prefix("tenants.")
            .and_then(|rest| rest.split_once('.'))
            .map(|(_, key)| format!("tenants.{ANY_NAME}.{key}"));
        let path = generic.as_deref().unwrap_or(path);
        let section = format!("{path}.");
        crate::schema::known_paths()
            .iter()
            .any(|known| known == path || known.starts_with(&section))
    }
}

/// Resolves a drive (its own `base` preset below it), then a workload file, then overrides
/// (`key`, `value` as TOML; a bare word is a string). A workload file stands in for the whole
/// workload of the drive. Relative paths inside a file start at the file.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn resolve(
    drive: DriveSource<'_>,
    workload: Option<&Path>,
    overrides: &[(String, String)],
) -> Result<Resolved, ConfigError> {
    let mut merged = Merged::default();
    lay_drive(&mut merged, drive)?;
    if let Some(path) = workload {
        lay_workload(&mut merged, path)?;
    }
    for (key, value) in overrides {
        lay_override(&mut merged, key, value)?;
    }
    if let Some(name) = name_of(drive)
        && merged.value("name").is_none()
    {
        merged.table.insert("name".to_owned(), Value::String(name));
    }
    finish(merged)
}

/// Checks what can be told of a workload without its drive: files can be read, keys exist, values are of their types.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn check_workload(path: Option<&Path>, overrides: &[(String, String)]) -> Result<(), ConfigError> {
    let mut merged = Merged::default();
    if let Some(path) = path {
        lay_workload(&mut merged, path)?;
    }
    for (key, value) in overrides {
        lay_override(&mut merged, key, value)?;
    }
    key_index::check(&merged)?;
    typed(&merged).map(|_| ())
}

/// Keys that are paths: relative ones start at the file that holds them.
const PATHS: &[&str] = &[
    "workload.path",
    "workload.profile_file",
    "age.snapshot",
    "ftl.delta.versions",
    CHIP,
];
/// May be the name of a built-in chip instead.
const CHIP: &str = "power.chip";

/// `(winner, loser)`: two ways to say one thing. Where a later source sets the winner, the loser
/// of an earlier one is forgotten.
const SUPERSEDES: &[(&str, &str)] = &[
    ("timing.transfer_rate", "timing.t_rc"),
    ("timing.transfer_rate", "timing.t_wc"),
    ("timing.t_rc", "timing.transfer_rate"),
    ("timing.t_wc", "timing.transfer_rate"),
    ("timing.interface", "timing.transfer_rate"),
    ("timing.interface", "timing.t_rc"),
    ("timing.interface", "timing.t_wc"),
    ("workload.queue_depth", "workload.interarrival"),
    ("workload.interarrival", "workload.queue_depth"),
    // the closed loop of another kind of workload is none of the profile
    ("workload.profile", "workload.queue_depth"),
    ("workload.profile_file", "workload.queue_depth"),
    ("workload.profile", "workload.profile_file"),
    ("workload.profile_file", "workload.profile"),
];

/// Checks what was laid together and fills in the defaults.
pub(crate) fn finish(mut merged: Merged) -> Result<Resolved, ConfigError> {
    key_index::check(&merged)?;
    let name = take_name(&mut merged)?;
    no_new_tenant(&merged)?;
    for scope in ineffective_keys::scopes(&merged.table) {
        for (winner, loser) in SUPERSEDES {
            let (winner, loser) = (
                ineffective_keys::scoped(winner, &scope),
                ineffective_keys::scoped(loser, &scope),
            );
            if merged.overrules(&winner, &loser) {
                merged.forget(&loser);
            }
        }
    }
    capacity::apply(&mut merged, |rest| typed(&share_counts::without(rest)))?;
    share_counts::apply(&mut merged, typed)?;
    let paths = paths(&merged.table);
    for path in &paths {
        absolute(&mut merged, path);
    }
    let mut remarks = Remarks::default();
    let mut config = typed(&merged)?;
    let forgotten = ineffective_keys::check(&merged, &table(&config)?, &mut remarks)?;
    if !forgotten.is_empty() {
        for path in forgotten {
            merged.forget(&path);
        }
        config = typed(&merged)?;
    }
    bounds::check(&merged)?;
    check::check(&mut config, &merged, &mut remarks)?;
    let mut values = table(&config)?;
    let mut effective = values.clone();
    if let Some(name) = &name {
        values.insert("name".to_owned(), Value::String(name.clone()));
    }
    for path in ineffective_keys::paths(&values) {
        remove(&mut effective, &path);
    }
    if !config.tenants.is_empty() {
        // of which no key is left
        effective.remove("workload");
    }
    let name_line = name.map_or_else(String::new, |name| format!("name = {}\n", Value::String(name)));
    let toml = name_line + &text(&effective)?;
    for path in &paths {
        let name = lookup(&effective, path)
            .and_then(Value::as_str)
            .and_then(|path| Path::new(path).file_name());
        if let Some(name) = name.map(|name| name.to_string_lossy().into_owned()) {
            replace(&mut effective, path, Value::String(name));
        }
    }
    let digest = Sha256::digest(text(&effective)?.as_bytes());
    let hash = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Ok(Resolved {
        config,
        toml,
        hash,
        warnings: remarks.into_texts(),
        values,
    })
}

/// Takes the name of the drive out of the document: it changes no result and is no part of the hash.
fn take_name(merged: &mut Merged) -> Result<Option<String>, ConfigError> {
    match merged.value("name").cloned() {
        None => Ok(None),
        Some(Value::String(name)) => {
            merged.forget("name");
            Ok(Some(name))
        }
        Some(_) => Err(merged.error("name", "a text is expected, such as \"drive A\"")),
    }
}

/// Refuses an override that adds a tenant to those of the files: most likely a name is misspelt.
fn no_new_tenant(merged: &Merged) -> Result<(), ConfigError> {
    let Some(tenants) = merged.value("tenants").and_then(Value::as_table) else {
        return Ok(());
    };
    let of_overrides = |name: &&String| merged.is_of_overrides(&format!("tenants.{name}"));
    let (new, known): (Vec<_>, Vec<_>) = tenants.keys().partition(of_overrides);
    match new.first() {
        Some(name) if !known.is_empty() => {
            let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
            let hint = nearest(name, known.iter().copied())
                .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let path = format!("tenants.{name}");
            let leaf = tenants[name.as_str()]
                .as_table()
                .and_then(|table| table.keys().next());
            let place = leaf.map_or_else(|| path.clone(), |key| format!("{path}.{key}"));
            Err(ConfigError::key(
                merged.place(&place),
                path,
                format!("no such tenant{hint} Tenants: {}", known.join(", ")),
            ))
        }
        _ => Ok(()),
    }
}

/// The keys of `PATHS`, for every workload.
fn paths(values: &toml::Table) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for scope in ineffective_keys::scopes(values) {
        paths.extend(PATHS.iter().map(|path| ineffective_keys::scoped(path, &scope)));
    }
    paths.dedup();
    paths
}

/// The merged document as typed values.
fn typed(merged: &Merged) -> Result<Config, ConfigError> {
    for table in ineffective_keys::tables() {
        let section = table.section();
        if let Some(values) = lookup(&merged.table, section).and_then(Value::as_table) {
            table
                .check(values)
                .map_err(|(key, problem)| merged.error(&join(section, &key), in_toml_words(&problem)))?;
        }
    }
    serde_path_to_error::deserialize(Value::Table(merged.table.clone())).map_err(|error| {
        let path = error.path().to_string();
        merged.error(&path, in_toml_words(error.inner().message()))
    })
}

fn table(config: &Config) -> Result<toml::Table, ConfigError> {
    toml::Table::try_from(config).map_err(cannot_write)
}

fn text(table: &toml::Table) -> Result<String, ConfigError> {
    toml::to_string(table).map_err(cannot_write)
}

fn cannot_write(error: toml::ser::Error) -> ConfigError {
    ConfigError::at("configuration", format!("cannot be written as TOML: {error}"))
}

/// Makes the path at `key` absolute, if there is one.
fn absolute(merged: &mut Merged, key: &str) {
    let Some(given) = merged.value(key).and_then(Value::as_str) else {
        return;
    };
    let Some((_, source)) = merged.source(key) else {
        return;
    };
    // a name that is misspelt is to be refused as a name
    if key == CHIP && (is_built_in(given) || !source.directory.join(given).exists()) {
        return;
    }
    // an empty path, or a working directory that is gone: left for whoever opens it to refuse
    if let Ok(path) = std::path::absolute(source.directory.join(given))
        && !given.is_empty()
        && let Some(path) = path.to_str()
    {
        let path = Value::String(path.to_owned());
        replace(&mut merged.table, key, path);
    }
}
