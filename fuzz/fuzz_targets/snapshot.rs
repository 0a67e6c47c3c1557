//! Snapshots of arbitrary content: a drive starts from one or refuses it.
//!
//! With an odd first byte the rest is the file. Otherwise it is what the file holds inside its
//! compression and checksum, which no fuzzer finds.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wordline_config::{DriveSource, resolve};
use wordline_drive::{RunOptions, run};

/// The runner removes the folder of temporary files.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files").keep());

fuzz_target!(|input: &[u8]| {
    let Some((&raw, content)) = input.split_first() else {
        return;
    };
    let file = if raw & 1 == 1 {
        content.to_vec()
    } else {
        snapshot(content)
    };
    if std::fs::write(FOLDER.join("state"), file).is_err() {
        return;
    }
    let text = format!(
        "{}\n[age]\nmethod = \"snapshot\"\nsnapshot = \"state\"\n",
        include_str!("../drive.toml")
    );
    let resolved = resolve(DriveSource::Text(&text), None, &[]).expect("a drive");
    if let Err(error) = run(&resolved.config, &FOLDER, RunOptions::default(), &mut |_| true) {
        assert!(error.is_input(), "{error}");
    }
});

/// The file that holds `content`.
fn snapshot(content: &[u8]) -> Vec<u8> {
    let mut file = b"WLDRIVE\n\x01\0\0\0".to_vec();
    file.extend(zstd::encode_all(content, 1).expect("memory"));
    let sum = crc32fast::hash(&file);
    file.extend(sum.to_le_bytes());
    file
}
