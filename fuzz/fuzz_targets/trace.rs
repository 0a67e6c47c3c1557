//! Every trace parser on arbitrary bytes: a file is read or refused, and never anything else.
//!
//! `cargo +nightly fuzz run trace` in the root of the repository. The first byte of the input
//! chooses the format (or recognition) and the options; the rest is the file, which may be
//! compressed.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use wordline_workload::{Fold, HostOp, WorkloadConfig, WorkloadKind, ZeroLength, formats, open, trace_stats};

/// Sectors of the drive.
const DRIVE: u64 = 100_000;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else {
        return;
    };
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("trace");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let (lenient, choice) = (choice & 0x80 != 0, usize::from(choice & 0x7f));
    // a number beyond the table: the format is to be recognised
    let format = formats().get(choice).map(|format| format.name);
    let _ = trace_stats(&path, format, None);
    let config = WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path),
        format: format.map(str::to_owned),
        fold: if lenient { Fold::Modulo } else { Fold::Refuse },
        zero_length: if lenient {
            ZeroLength::Skip
        } else {
            ZeroLength::Refuse
        },
        ..WorkloadConfig::default()
    };
    let Ok(mut source) = open(&config, DRIVE, Path::new(".")) else {
        return;
    };
    let (mut count, mut last) = (0, 0);
    while let Ok(Some(command)) = source.next_command() {
        assert!(command.sectors > 0 || command.op == HostOp::Flush);
        assert!(command.sector + u64::from(command.sectors) <= DRIVE);
        assert!(command.arrival.ns() >= last);
        (count, last) = (count + 1, command.arrival.ns());
    }
    assert_eq!(source.len_hint(), Some(count));
});
