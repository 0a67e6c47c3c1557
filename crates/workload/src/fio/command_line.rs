//! A command line of fio as a job file.

use std::fmt::Write;

use super::options::find;

/// Job options whose value may be left out, so that the next word is no value (`FIO_OPT_STR_SET` of fio's options.c).
const ALONE: &[&str] = &[
    "time_based",
    "stonewall",
    "wait_for_previous",
    "group_reporting",
    "new_group",
    "norandommap",
    "thread",
    "threads",
    "exitall",
    "create_only",
    "verify_only",
    "hipri",
    "fixedbufs",
    "registerfiles",
    "nonvectored",
    "sqthread_poll",
    "uncached",
    "nowait",
    "force_async",
];
/// Options of fio itself that concern its report and its host, and take a value.
const OF_REPORT: &[&str] = &[
    "output",
    "output-format",
    "terse-version",
    "eta",
    "eta-interval",
    "eta-newline",
    "status-interval",
    "alloc-size",
    "max-jobs",
    "idle-prof",
    "aux-path",
    "trigger-file",
    "trigger-timeout",
    "trigger",
    "trigger-remote",
    "debug",
];
/// Those that take none.
const SWITCHES: &[&str] = &[
    "minimal",
    "append-terse",
    "bandwidth-log",
    "readonly",
    "warnings-fatal",
    "warnings_fatal",
];

/// The job file that a command line of fio stands for: its words, those of `fio` itself left out or in front. `read` gets a job file that it names.
///
/// # Errors
/// A word that is no option of a job, or one of fio that does something else than run jobs.
pub fn fio_command_line(
    words: &[String],
    read: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut text = String::new();
    let mut files: Vec<&str> = Vec::new();
    let mut sections: Vec<&str> = Vec::new();
    let mut is_global = false;
    let mut words = words.iter().map(String::as_str).peekable();
    if words
        .peek()
        .is_some_and(|word| *word == "fio" || word.ends_with("/fio"))
    {
        words.next();
    }
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            files.push(word);
            continue;
        };
        if option.is_empty() {
            continue;
        }
        let (key, given) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option, None),
        };
        if SWITCHES.contains(&key) {
            continue;
        }
        let is_known = find(key).is_some();
        if !is_known && !OF_REPORT.contains(&key) && key != "section" {
            return Err(format!(
                "--{}: no option of fio jobs; accepted: options of jobs, such as --name=a --rw=randread, and job files",
                key.escape_debug()
            ));
        }
        let value = match given {
            Some(value) => Some(value),
            None if ALONE.contains(&key) => None,
            None => Some(
                words
                    .next()
                    .ok_or_else(|| format!("--{key}: a value behind it"))?,
            ),
        };
        match (key, value) {
            ("section", Some(value)) => sections.push(value),
            ("name", Some(value)) => {
                one_line(key, value)?;
                is_global = true;
                let _ = writeln!(text, "[{value}]");
            }
            _ if OF_REPORT.contains(&key) => {}
            (key, value) => {
                // options in front of the first job are those of all
                if !std::mem::replace(&mut is_global, true) {
                    text.push_str("[global]\n");
                }
                match value {
                    Some(value) => {
                        one_line(key, value)?;
                        let _ = writeln!(text, "{key}={value}");
                    }
                    None => {
                        let _ = writeln!(text, "{key}");
                    }
                }
            }
        }
    }
    for (number, file) in files.into_iter().enumerate() {
        let jobs = read(file)?;
        text.push_str(&if number > 0 {
            behind_a_stonewall(&jobs)
        } else {
            jobs
        });
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if sections.is_empty() {
        return Ok(text);
    }
    Ok(only(&text, &sections))
}

/// A value that would begin another line, or a comment, is no value.
fn one_line(key: &str, value: &str) -> Result<(), String> {
    let is_plain = !value.contains(['\n', '\r', ';', '#']) && (key != "name" || !value.contains(']'));
    match is_plain {
        true => Ok(()),
        false => Err(format!(
            "--{key}={}: accepted: a value on one line without `;` and `#`",
            value.escape_debug()
        )),
    }
}

/// The name of the section that a line begins.
fn section(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix('[')
        .and_then(|line| line.split_once(']'))
        .map(|(name, _)| name.trim())
}

/// The jobs of a further file start when those before are completed.
fn behind_a_stonewall(jobs: &str) -> String {
    let mut found = String::new();
    let mut is_done = false;
    for line in jobs.lines() {
        found.push_str(line);
        found.push('\n');
        let is_job = section(line).is_some_and(|name| !name.eq_ignore_ascii_case("global"));
        if is_job && !is_done {
            found.push_str("stonewall\n");
            is_done = true;
        }
    }
    found
}

/// Only the jobs of these names, and what is said of all.
fn only(text: &str, names: &[&str]) -> String {
    let mut found = String::new();
    let mut is_kept = true;
    for line in text.lines() {
        if let Some(name) = section(line) {
            is_kept = name.eq_ignore_ascii_case("global") || names.contains(&name);
        }
        // lines keep their numbers
        if is_kept {
            found.push_str(line);
        }
        found.push('\n');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(line: &str) -> Result<String, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        fio_command_line(&words, &mut |file| match file {
            "one.fio" => Ok("[a]\nrw=read\n[b]\nrw=write".to_owned()),
            _ => Err(format!("{file}: no such file")),
        })
    }

    #[test]
    fn a_command_line_is_a_job_file() {
        assert_eq!(
            jobs("fio --bs=4k --direct=1 --name=a --rw randread --time_based --output-format=json --name=b -iodepth=4").unwrap(),
            "[global]\nbs=4k\ndirect=1\n[a]\nrw=randread\ntime_based\n[b]\niodepth=4\n"
        );
        assert_eq!(
            jobs("/usr/bin/fio --size=1m one.fio one.fio --minimal").unwrap(),
            "[global]\nsize=1m\n[a]\nrw=read\n[b]\nrw=write\n[a]\nstonewall\nrw=read\n[b]\nrw=write\n"
        );
        assert_eq!(jobs("one.fio --section=b").unwrap(), "\n\n[b]\nrw=write\n");
        assert_eq!(
            jobs("--name=a --stonewall --size=1m").unwrap(),
            "[a]\nstonewall\nsize=1m\n"
        );
    }

    #[test]
    fn other_words_are_refused() {
        for (line, words) in [
            ("--nmae=a", "--nmae: no option of fio jobs"),
            ("--server", "--server: no option"),
            ("--name", "--name: a value"),
            ("two.fio", "two.fio: no such file"),
            ("--name=a --rw=read;x", "without `;`"),
        ] {
            let problem = jobs(line).unwrap_err();
            assert!(problem.contains(words), "{problem}");
        }
    }
}
