//! Paths as messages show them.

use std::path::{Path, PathBuf};

/// A path as a message shows it: from the working directory where it begins with it. Configurations hold absolute paths, and a message shows a path as its user
/// wrote it.
pub(crate) fn shown(path: &Path) -> String {
    std::env::current_dir()
        .ok()
        .and_then(|here| from(&here, path))
        .as_deref()
        .unwrap_or(path)
        .display()
        .to_string()
}

fn from(here: &Path, path: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix(here).ok()?;
    (!rest.as_os_str().is_empty()).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_from_the_working_directory() {
        let here = Path::new("/work/drives");
        let told = |path: &str| from(here, Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(told("/work/drives/a.csv").as_deref(), Some("a.csv"));
        assert_eq!(
            told("/work/drives/../traces/a.csv").as_deref(),
            Some("../traces/a.csv")
        );
        assert_eq!(told("/work/traces/a.csv"), None);
        assert_eq!(told("/work/drives"), None);
        let here = std::env::current_dir().unwrap();
        assert_eq!(shown(&here.join("x")), "x");
        assert_eq!(shown(Path::new("/nowhere/x")), "/nowhere/x");
    }
}
