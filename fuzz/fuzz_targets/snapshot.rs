//! Snapshots of arbitrary content: the FTL takes one up or refuses it.
//!
//! With an odd first byte the rest is the file. Otherwise it is the front of the file, with the
//! version of its format, and what the file holds inside its compression and checksum, which no
//! fuzzer finds. Nothing is simulated from it: whether what is under a right checksum makes sense
//! is not checked.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wordline_config::{DriveSource, resolve};
use wordline_drive::AgedFtl;

/// The runner removes the folder of temporary files.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files").keep());

fuzz_target!(|input: &[u8]| {
    let Some((&raw, content)) = input.split_first() else {
        return;
    };
    let file = if raw & 1 == 1 {
        content.to_vec()
    } else if let Some((front, content)) = content.split_at_checked(FRONT) {
        snapshot(front, content)
    } else {
        return;
    };
    if std::fs::write(FOLDER.join("state"), file).is_err() {
        return;
    }
    let text = format!(
        "{}\n[age]\nmethod = \"snapshot\"\nsnapshot = \"state\"\n",
        include_str!("../drive.toml")
    );
    let resolved = resolve(DriveSource::Text(&text), None, &[]).expect("a drive");
    if let Err(error) = AgedFtl::new(&resolved.config, &FOLDER, &mut |_| true) {
        assert!(error.is_input(), "{error}");
    }
});

/// Bytes before the compressed part of a file.
const FRONT: usize = 12;

/// The file that begins with `front` and holds `content`.
fn snapshot(front: &[u8], content: &[u8]) -> Vec<u8> {
    let mut file = front.to_vec();
    file.extend(zstd::encode_all(content, 1).expect("memory"));
    let sum = crc32fast::hash(&file);
    file.extend(sum.to_le_bytes());
    file
}
