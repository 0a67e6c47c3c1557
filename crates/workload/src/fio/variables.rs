//! What stands for something outside a job file: `${NAME}` and fio's keywords (`$pagesize`, `$ncpus`, `$mb_memory`).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The page of the host that fio asks for; the host is not simulated, and 4 KiB is that of x86-64.
const PAGE: u64 = 4096;
/// Keywords that are the size of the host, which is not simulated.
const OF_HOST: [(&str, &str); 2] = [
    ("$ncpus", "the number of processors"),
    ("$mb_memory", "the size of the memory"),
];
/// Longest value after replacement, as a line.
const LONGEST: usize = 1 << 16;

/// The names between `${` and `}` in a job file, those of comments left out.
#[must_use]
pub fn variables_of(text: &str) -> BTreeSet<String> {
    let lines = text.lines();
    let lines = lines.map(|line| line.split([';', '#']).next().unwrap_or_default());
    lines.flat_map(names).map(str::to_owned).collect()
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("${").skip(1);
    parts.filter_map(|part| part.split_once('}').map(|(name, _)| name))
}

/// A value with what stands in it for something else replaced.
///
/// # Errors
/// What is wrong, and what is accepted.
pub(crate) fn replaced<'a>(
    value: &'a str,
    defined: &BTreeMap<String, String>,
) -> Result<Cow<'a, str>, String> {
    let mut value = Cow::Borrowed(value);
    if value.contains("${") {
        value = Cow::Owned(with_variables(&value, defined)?);
    }
    if let Some((word, what)) = OF_HOST.into_iter().find(|(word, _)| value.contains(word)) {
        return Err(format!(
            "`{word}` is {what} of the host, which is not simulated; accepted: the value itself, or a variable such as ${{SIZE}} (--define SIZE=VALUE)"
        ));
    }
    if value.contains("$pagesize") {
        let text = value.replace("$pagesize", &PAGE.to_string());
        // as fio, which has the text computed by bc where a keyword was replaced
        let has_sign = text.contains(['+', '-', '*', '/']) && !text.starts_with('(');
        value = Cow::Owned(if has_sign { format!("({text})") } else { text });
    }
    Ok(value)
}

fn with_variables(value: &str, defined: &BTreeMap<String, String>) -> Result<String, String> {
    let mut found = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once("${") {
        found.push_str(before);
        let (name, behind) = behind
            .split_once('}')
            .ok_or("`${` without `}`; accepted: ${NAME}")?;
        let text = defined.get(name).ok_or_else(|| {
            format!(
                "`{}` has no value; accepted: one in the environment, or by --define {}=VALUE (workload.define)",
                name.escape_debug(),
                name.escape_debug()
            )
        })?;
        found.push_str(text);
        if found.len() > LONGEST {
            return Err(format!(
                "longer than {LONGEST} characters with its variables replaced"
            ));
        }
        rest = behind;
    }
    found.push_str(rest);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined() -> BTreeMap<String, String> {
        [("BS", "4k"), ("DEV", "/dev/nvme0n1"), ("NONE", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    #[test]
    fn variables_and_keywords_are_replaced() {
        for (value, wanted) in [
            ("8k", "8k"),
            ("${BS}", "4k"),
            ("${DEV}p1:${DEV}p2", "/dev/nvme0n1p1:/dev/nvme0n1p2"),
            ("${NONE}8k", "8k"),
            ("(2 * ${BS})", "(2 * 4k)"),
            ("$pagesize", "4096"),
            ("8*$pagesize", "(8*4096)"),
            ("(8*$pagesize)", "(8*4096)"),
            ("$jobname.$jobnum", "$jobname.$jobnum"),
        ] {
            assert_eq!(replaced(value, &defined()).unwrap(), wanted, "{value}");
        }
    }

    #[test]
    fn what_has_no_value_is_refused() {
        for (value, words) in [
            ("${SIZE}", "--define SIZE=VALUE"),
            ("${BS", "without `}`"),
            ("8*$mb_memory", "the size of the memory"),
            ("$ncpus", "the number of processors"),
        ] {
            let problem = replaced(value, &defined()).unwrap_err();
            assert!(problem.contains(words), "{problem}");
        }
    }

    #[test]
    fn names_of_a_file_are_found() {
        let text = "[a]\nfilename=${DEV}\nbs=${BS} ; not ${COMMENT}\n# nor ${THIS}\nsize=${BS}${\n";
        let names: Vec<String> = variables_of(text).into_iter().collect();
        assert_eq!(names, ["BS", "DEV"]);
    }
}
