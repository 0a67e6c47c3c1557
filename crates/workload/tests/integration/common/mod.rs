//! The folder of real traces, which is no part of the repository.

use std::path::PathBuf;

/// The folder of real traces: `WORDLINE_TRACES`, or `shared/traces` beside the repository.
/// `None`, with a message, where there is none.
pub(crate) fn traces() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    let folder = std::env::var_os("WORDLINE_TRACES").map_or(beside, PathBuf::from);
    if folder.join("manifest.csv").is_file() {
        return Some(folder);
    }
    #[allow(clippy::print_stderr, reason = "a skipped test must not be silent")]
    {
        eprintln!(
            "skipped: no real traces at {}; set WORDLINE_TRACES to their folder",
            folder.display()
        );
    }
    None
}
