//! Lays a drive, a workload and overrides over each other.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use toml::Value;
use wordline_units::nearest;
use wordline_workload::{is_job_file, variables_of};

use crate::error::ConfigError;
use crate::merged::{Merged, collect};
use crate::presets::{preset, presets};
use crate::source::{Document, Origin, Source, read_file};

/// Which drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveSource<'a> {
    /// The name of a preset, or the path of a TOML file.
    Named(&'a str),
    /// A TOML text.
    Text(&'a str),
}

/// What a drive is called that does not name itself: its preset, or its file without the ending.
pub(crate) fn name_of(drive: DriveSource<'_>) -> Option<String> {
    match drive {
        DriveSource::Text(_) => None,
        DriveSource::Named(name) if preset(name).is_some() => Some(name.to_owned()),
        DriveSource::Named(path) => Path::new(path)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned()),
    }
}

/// Lays a drive over what is there.
///
/// # Errors
/// A drive that does not exist, malformed TOML.
pub(crate) fn lay_drive(merged: &mut Merged, drive: DriveSource<'_>) -> Result<(), ConfigError> {
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
                let is_file = path.extension().is_some() || name.contains(['/', '\\']);
                let problem = if is_file {
                    "there is no such file".to_owned()
                } else {
                    let names = presets().iter().map(|preset| preset.name);
                    let hint = nearest(name, names)
                        .map_or_else(String::new, |name| format!("Did you mean `{name}`? "));
                    format!("neither a file nor a preset. {hint}`wordline presets` lists the presets")
                };
                return Err(ConfigError::at(format!("drive `{name}`"), problem));
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
/// job file, by its name or its content.
pub(crate) fn lay_workload(merged: &mut Merged, path: &Path) -> Result<(), ConfigError> {
    let source = file_source(Origin::Workload, path);
    let extension = path.extension().and_then(OsStr::to_str);
    if extension.is_some_and(|extension| JOB_FILES.contains(&extension)) {
        lay_job_file(merged, source, path);
        return Ok(());
    }
    let text = read_file(path)?;
    let mut document = match Document::parse(&text, &source) {
        Ok(document) => document,
        Err(_) if is_job_file(&text) => {
            lay_job_file(merged, source, path);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
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

/// A job file is a workload of its own; it is read when it is opened. What the environment has of its variables is taken now, so that the configuration tells
/// of all that the run depends on.
fn lay_job_file(merged: &mut Merged, source: Source, path: &Path) {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let text = read_file(path).unwrap_or_default();
    let variables = variables_of(&text).into_iter();
    let defined: toml::Table = variables
        .filter_map(|name| Some((name.clone(), Value::String(std::env::var(name).ok()?))))
        .collect();
    lay_file(merged, source, "fio", &name, defined);
}

/// Lays the replay of the trace at `path`.
pub(crate) fn lay_replay(merged: &mut Merged, path: &Path) {
    let source = Source {
        directory: PathBuf::new(),
        ..file_source(Origin::Workload, path)
    };
    lay_file(
        merged,
        source,
        "trace",
        &path.to_string_lossy(),
        toml::Table::new(),
    );
}

/// Lays a workload of this kind that plays the file at `path`, with what is defined for it.
fn lay_file(merged: &mut Merged, source: Source, kind: &str, path: &str, defined: toml::Table) {
    let mut table: toml::Table = [("kind", kind), ("path", path)]
        .map(|(key, value)| (key.to_owned(), Value::String(value.to_owned())))
        .into_iter()
        .collect();
    if !defined.is_empty() {
        table.insert("define".to_owned(), Value::Table(defined));
    }
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

/// Lays one override over what is there: a dotted key, and its value in TOML or as a bare word.
///
/// # Errors
/// A key that is no dotted path.
pub(crate) fn lay_override(merged: &mut Merged, key: &str, value: &str) -> Result<(), ConfigError> {
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
