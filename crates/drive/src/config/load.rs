//! Resolves a configuration: preset, drive file, workload file and overrides, laid over each
//! other, checked, every default filled in.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toml::Value;
use wordline_units::nearest;

use super::error::ConfigError;
use super::key_index;
use super::merged::{Merged, collect, lookup, remove, replace};
use super::presets::{preset, presets};
use super::remarks::Remarks;
use super::schema::ANY_NAME;
use super::source::{Document, Origin, Source, join, read_file};
use super::{Config, bounds, check, ineffective_keys, messages};
use crate::energy::is_built_in;

/// Which drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveSource<'a> {
    /// The name of a preset, or the path of a TOML file.
    Named(&'a str),
    /// A TOML text.
    Text(&'a str),
}

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
        super::schema::known_paths()
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

/// What a drive is called that does not name itself: its preset, or its file without the ending.
fn name_of(drive: DriveSource<'_>) -> Option<String> {
    match drive {
        DriveSource::Text(_) => None,
        DriveSource::Named(name) if preset(name).is_some() => Some(name.to_owned()),
        DriveSource::Named(path) => Path::new(path)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned()),
    }
}

fn lay_drive(merged: &mut Merged, drive: DriveSource<'_>) -> Result<(), ConfigError> {
    match drive {
        DriveSource::Text(text) => {
            let source = Source {
                origin: Origin::Drive,
                label: "drive text".to_owned(),
                directory: PathBuf::new(),
            };
            lay_with_base(merged, source, text)
        }
        DriveSource::Named(name) => {
            if let Some(preset) = preset(name) {
                return lay_preset(merged, preset.name);
            }
            let path = Path::new(name);
            if !path.exists() {
                let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
                let hint = nearest(name, names.iter().copied())
                    .map_or_else(String::new, |name| format!(" Did you mean `{name}`?"));
                return Err(ConfigError::at(
                    format!("drive `{name}`"),
                    format!("neither a file nor a preset.{hint} Presets: {}", names.join(", ")),
                ));
            }
            let text = read_file(path)?;
            lay_with_base(merged, file_source(Origin::Drive, path), &text)
        }
    }
}

fn file_source(origin: Origin, path: &Path) -> Source {
    Source {
        origin,
        label: path.display().to_string(),
        directory: path.parent().unwrap_or(Path::new("")).to_owned(),
    }
}

fn lay_preset(merged: &mut Merged, name: &str) -> Result<(), ConfigError> {
    let Some(preset) = preset(name) else { return Ok(()) };
    let source = Source {
        origin: Origin::Preset,
        label: preset.name.to_owned(),
        directory: PathBuf::new(),
    };
    lay_with_base(merged, source, preset.text)
}

/// Lays a drive over the preset that its `base` names.
fn lay_with_base(merged: &mut Merged, source: Source, text: &str) -> Result<(), ConfigError> {
    let mut document = Document::parse(text, &source)?;
    if let Some(base) = document.table.remove("base") {
        let line = document.lines.remove("base").unwrap_or(1);
        let name = base.as_str().unwrap_or_default();
        if preset(name).is_none() {
            let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
            let hint = nearest(name, names.iter().copied())
                .map_or_else(String::new, |name| format!("did you mean \"{name}\"? "));
            return Err(ConfigError::key(
                Some(source.place(line)),
                format!("base = {base}"),
                format!("not a preset; {hint}Presets: {}", names.join(", ")),
            ));
        }
        lay_preset(merged, name)?;
    }
    merged.lay(source, document);
    Ok(())
}

/// Sections of a workload file, which stands in for all of both.
const SECTIONS: [&str; 2] = ["workload", "tenants"];
/// File names that end so are fio job files.
const JOB_FILES: &[&str] = &["fio", "job"];

/// A workload file holds a `[workload]` table, or the keys of one, or `[tenants.<name>]` tables, or is a fio
/// job file.
fn lay_workload(merged: &mut Merged, path: &Path) -> Result<(), ConfigError> {
    let source = file_source(Origin::Workload, path);
    let extension = path.extension().and_then(OsStr::to_str);
    if extension.is_some_and(|extension| JOB_FILES.contains(&extension)) {
        lay_job_file(merged, source, path);
        return Ok(());
    }
    let text = read_file(path)?;
    let mut document = Document::parse(&text, &source)?;
    if !SECTIONS
        .iter()
        .any(|section| document.table.contains_key(*section))
    {
        document = document.below("workload");
    } else if let Some(other) = document
        .table
        .keys()
        .find(|key| !SECTIONS.contains(&key.as_str()))
    {
        let line = document.lines.get(other).copied().unwrap_or(1);
        return Err(ConfigError::key(
            Some(source.place(line)),
            other.as_str(),
            "a workload file holds a [workload] section, or [tenants.<name>] sections, and nothing else; the drive \
             is described by the first file",
        ));
    }
    for section in SECTIONS {
        merged.forget(section);
    }
    merged.lay(source, document);
    Ok(())
}

/// A job file is a workload of its own; it is read when it is opened.
fn lay_job_file(merged: &mut Merged, source: Source, path: &Path) {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    lay_file(merged, source, "fio", &name);
}

/// Lays the replay of the trace at `path`.
pub(super) fn lay_replay(merged: &mut Merged, path: &Path) {
    let source = Source {
        directory: PathBuf::new(),
        ..file_source(Origin::Workload, path)
    };
    lay_file(merged, source, "trace", &path.to_string_lossy());
}

/// Lays a workload of this kind that plays the file at `path`.
fn lay_file(merged: &mut Merged, source: Source, kind: &str, path: &str) {
    let table = [("kind", kind), ("path", path)]
        .map(|(key, value)| (key.to_owned(), Value::String(value.to_owned())))
        .into_iter()
        .collect();
    let mut document = Document {
        table,
        ..Document::default()
    };
    document
        .lines
        .extend(["kind", "path"].map(|key| (key.to_owned(), 1)));
    for section in SECTIONS {
        merged.forget(section);
    }
    merged.lay(source, document.below("workload"));
}

pub(super) fn lay_override(merged: &mut Merged, key: &str, value: &str) -> Result<(), ConfigError> {
    let key = key.trim();
    let source = Source {
        origin: Origin::Override,
        label: format!("`{}`", format!("{key}={value}").escape_debug()),
        directory: PathBuf::new(),
    };
    if key.is_empty() || key.split('.').any(|part| part.is_empty()) {
        return Err(ConfigError::at(
            source.place(1),
            "the key must be a dotted path such as `ftl.gc.victim`",
        ));
    }
    let value = match Document::parse(&format!("value = {value}"), &source) {
        Ok(mut document) if document.table.len() == 1 => document
            .table
            .remove("value")
            .unwrap_or_else(|| Value::String(value.to_owned())),
        // a bare word, a quantity, a path
        _ => Value::String(value.trim().to_owned()),
    };
    let mut document = Document::default();
    let mut paths = Vec::new();
    let (table, last) = nest(key, value);
    document.table = table;
    collect(&document.table, "", &mut paths);
    document.lines.extend(paths.into_iter().map(|path| (path, 1)));
    document.lines.insert(last, 1);
    merged.lay(source, document);
    Ok(())
}

/// The table that holds `value` at the dotted path `key`, and the path.
fn nest(key: &str, value: Value) -> (toml::Table, String) {
    let mut table = toml::Table::new();
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            table.insert(first.to_owned(), Value::Table(nest(rest, value).0));
        }
    }
    (table, key.to_owned())
}

/// Keys that are paths: relative ones start at the file that holds them.
const PATHS: &[&str] = &["workload.path", "workload.profile_file", "age.snapshot", CHIP];
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
    ("workload.profile", "workload.profile_file"),
    ("workload.profile_file", "workload.profile"),
];

/// Checks what was laid together and fills in the defaults.
pub(super) fn finish(mut merged: Merged) -> Result<Resolved, ConfigError> {
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
                .map_err(|(key, problem)| merged.error(&join(section, &key), messages::of_serde(&problem)))?;
        }
    }
    serde_path_to_error::deserialize(Value::Table(merged.table.clone())).map_err(|error| {
        let path = error.path().to_string();
        merged.error(&path, messages::of_serde(error.inner().message()))
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
