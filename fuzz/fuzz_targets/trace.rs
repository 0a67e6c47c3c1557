//! A trace parser on arbitrary bytes: a file is read or refused, and never anything else.
//!
//! `WORDLINE_FUZZ` names the format; without it the format is recognised. The first byte of the
//! input chooses options; the rest is the file, which may be compressed.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use wordline_workload::{Fold, TraceOptions, WorkloadConfig, WorkloadKind, ZeroLength, convert, open};

/// Sectors of the drive.
const DRIVE: u64 = 100_000;
/// Bytes before the sections of a Wordline binary, before the content of a section, and of a
/// section's kind and length, which its checksum follows.
const START: usize = 12;
const HEAD: usize = 9;
const KIND_AND_LENGTH: usize = 5;

static FORMAT: LazyLock<Option<String>> = LazyLock::new(|| {
    std::env::var("WORDLINE_FUZZ")
        .ok()
        .filter(|name| name != "recognised")
});
/// The runner removes the folder of temporary files.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files").keep());

fuzz_target!(|input: &[u8]| {
    let Some((&options, bytes)) = input.split_first() else {
        return;
    };
    let mut bytes = bytes.to_vec();
    if options & 2 != 0 {
        mend(&mut bytes);
    }
    let path = FOLDER.join("trace");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let lenient = options & 1 != 0;
    let read = |path: &Path, format: Option<&str>| {
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(path.to_owned()),
            format: format.map(str::to_owned),
            fold: if lenient { Fold::Modulo } else { Fold::Refuse },
            zero_length: if lenient {
                ZeroLength::Skip
            } else {
                ZeroLength::Refuse
            },
            ..WorkloadConfig::default()
        };
        let mut source = open(&config, DRIVE, Path::new(".")).ok()?;
        let (mut commands, mut last) = (Vec::new(), 0);
        while let Some(command) = source.next_command().ok()? {
            assert!(command.sectors > 0 || !command.op.has_length());
            assert!(command.sector + u64::from(command.sectors) <= DRIVE);
            assert!(command.arrival.ns() >= last);
            last = command.arrival.ns();
            commands.push(command);
        }
        assert_eq!(source.len_hint(), Some(commands.len() as u64));
        Some(commands)
    };
    let commands = read(&path, FORMAT.as_deref());
    // what reads well says the same in the binary form
    let binary = FOLDER.join("trace.wlt");
    let options = TraceOptions {
        format: FORMAT.as_deref(),
        ..TraceOptions::default()
    };
    let converted = convert(&path, &binary, &options, &mut |_, _| true);
    if let Some(commands) = commands {
        assert!(converted.is_ok(), "{converted:?}");
        // the forms of text hold them too, or say what they cannot hold
        for name in ["trace.iolog", "trace.blkparse"] {
            let text = FOLDER.join(name);
            if convert(&path, &text, &options, &mut |_, _| true).is_ok() {
                let read_back = read(&text, None).map(|commands| commands.len());
                assert_eq!(read_back, Some(commands.len()), "{name}");
            }
        }
        assert_eq!(read(&binary, None), Some(commands));
    }
});

/// Puts right checksums into a Wordline binary: no fuzzer finds them.
fn mend(bytes: &mut [u8]) {
    let mut at = START;
    while let Some(head) = bytes.get(at..at + HEAD) {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let mut sum = crc32fast::Hasher::new();
        sum.update(&head[..KIND_AND_LENGTH]);
        let content = at + HEAD;
        let Some(part) = content
            .checked_add(length)
            .and_then(|end| bytes.get(content..end))
        else {
            return;
        };
        sum.update(part);
        bytes[at + KIND_AND_LENGTH..content].copy_from_slice(&sum.finalize().to_le_bytes());
        at = content + length;
    }
}
