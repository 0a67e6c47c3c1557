//! The lines of a job file: sections, and options with or without a value.

use super::error::Fault;
use super::options::find;

/// Longest line, as in fio.
const LONGEST_LINE: usize = 4096;

/// A line of a job file that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// `[name]`; `[global]` sets defaults for the jobs below it.
    Section(&'a str),
    /// `key=value`, or `key` alone.
    Option { key: &'a str, value: Option<&'a str> },
}

/// The lines of `text` that say something, each with its number from 1. `;` and `#` start a
/// comment, also behind a value.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Result<(usize, Line<'_>), Fault>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        read(line)
            .map_err(|problem| Fault::new(number, problem))
            .transpose()
            .map(|line| line.map(|line| (number, line)))
    })
}

/// Whether a text that is no TOML begins as a job file does: with a section, and an option of fio in it.
#[must_use]
pub fn is_job_file(text: &str) -> bool {
    let mut lines = lines(text).flatten();
    let is_section = lines
        .next()
        .is_some_and(|(_, line)| matches!(line, Line::Section(_)));
    let option = lines.find_map(|(_, line)| match line {
        Line::Option { key, .. } => Some(key),
        Line::Section(_) => None,
    });
    is_section && option.is_some_and(|key| find(key).is_some())
}

fn read(line: &str) -> Result<Option<Line<'_>>, String> {
    if line.len() > LONGEST_LINE {
        return Err(format!(
            "a line of {} characters; accepted: at most {LONGEST_LINE}",
            line.len()
        ));
    }
    let line = line.split([';', '#']).next().unwrap_or_default().trim();
    if line.is_empty() {
        return Ok(None);
    }
    if let Some(name) = line.strip_prefix('[') {
        let name = name
            .strip_suffix(']')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        return name.map(|name| Some(Line::Section(name))).ok_or_else(|| {
            format!(
                "`{}` is not a section; accepted: [name] alone on its line",
                line.escape_debug()
            )
        });
    }
    if line.starts_with("include ") {
        return Err(format!(
            "`{}`: other files are not read, so that a run follows from one job file; put their lines here",
            line.escape_debug()
        ));
    }
    let (key, value) = match line.split_once('=') {
        Some((key, value)) => (key.trim_end(), Some(value.trim_start())),
        None => (line, None),
    };
    Ok(Some(Line::Option { key, value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<(usize, Line<'_>)>, Fault> {
        lines(text).collect()
    }

    #[test]
    fn comments_blanks_and_line_ends_are_passed_over() {
        let text = "\u{feff}; a comment\r\n\r\n[global]\r\n  bs = 4k ; the size\r\ntime_based\n# x\n[ my job ]\nsize=1m#y\n";
        assert_eq!(
            all(text).unwrap(),
            [
                (3, Line::Section("global")),
                (
                    4,
                    Line::Option {
                        key: "bs",
                        value: Some("4k")
                    }
                ),
                (
                    5,
                    Line::Option {
                        key: "time_based",
                        value: None
                    }
                ),
                (7, Line::Section("my job")),
                (
                    8,
                    Line::Option {
                        key: "size",
                        value: Some("1m")
                    }
                ),
            ]
        );
    }

    #[test]
    fn job_files_are_told_from_other_text() {
        assert!(is_job_file("; two jobs\n[a]\n[b]\nrw=read\n"));
        for text in ["", "rw=read\n", "[a]\n", "[geometry]\nchannels = 8\n", "1,2,3\n"] {
            assert!(!is_job_file(text), "{text}");
        }
    }

    #[test]
    fn what_lies_outside_the_file_is_refused_with_its_line() {
        for (line, words) in [
            ("include other.fio", "other files are not read"),
            ("[job", "is not a section"),
            ("[]", "is not a section"),
        ] {
            let text = format!("[global]\n{line}\n");
            let fault = all(&text).unwrap_err();
            assert_eq!(fault.line, 2, "{line}");
            assert!(fault.problem.contains(words), "{}", fault.problem);
        }
        assert_eq!(all(&format!("a={}", "x".repeat(5000))).unwrap_err().line, 1);
    }
}
