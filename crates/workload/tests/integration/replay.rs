//! Traces as users have them: compressed, shuffled, too large, broken.

use std::io::Write;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wordline_units::ByteSize;
use wordline_workload::{
    Admission, DeviceLayout, Disorder, Fold, HostCommand, Replay, Source, TimeUnit, TraceOptions,
    WorkloadConfig, WorkloadKind, ZeroLength, admission, open, trace_stats,
};

const DRIVE: u64 = 1 << 20;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn of(path: &Path) -> WorkloadConfig {
    WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path.to_owned()),
        ..WorkloadConfig::default()
    }
}

fn drain(source: &mut dyn Source) -> Vec<HostCommand> {
    std::iter::from_fn(|| source.next_command().unwrap()).collect()
}

fn replay(config: &WorkloadConfig) -> (Vec<HostCommand>, Vec<String>) {
    let mut source = open(config, DRIVE, Path::new(".")).unwrap();
    let commands = drain(&mut *source);
    assert_eq!(source.len_hint(), Some(commands.len() as u64));
    (commands, source.notes())
}

fn refused(config: &WorkloadConfig) -> String {
    let error = open(config, DRIVE, Path::new("."))
        .err()
        .expect("refused")
        .to_string();
    assert!(!error.contains('\n') && error.len() < 3_000, "{error}");
    error
}

fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing: {text}");
    }
}

fn arrivals(commands: &[HostCommand]) -> Vec<u64> {
    commands.iter().map(|command| command.arrival.ns()).collect()
}

const ROWS: &str = "0,8,4096,r,0.5\n0,16,512,w,0.6\n0,24,1024,r,1.5\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compression_is_recognised_by_content() {
    let folder = Folder::new();
    let plain = replay(&of(&folder.file("a.spc", ROWS))).0;
    assert_eq!(arrivals(&plain), [0, 100_000_000, 1_000_000_000]);
    assert_eq!(
        plain
            .iter()
            .map(|command| (command.sector, command.sectors))
            .collect::<Vec<_>>(),
        [(8, 8), (16, 1), (24, 2)]
    );
    let zstd = zstd::encode_all(ROWS.as_bytes(), 3).unwrap();
    let in_two = |compress: fn(&[u8]) -> Vec<u8>| {
        let (first, second) = ROWS.as_bytes().split_at(15);
        [compress(first), compress(second)].concat()
    };
    for (name, bytes) in [
        ("b.spc.gz", gzip(ROWS.as_bytes())),
        ("c.spc", zstd),
        ("d", in_two(gzip)),
        ("e.spc.bz2", bzip2(ROWS.as_bytes())),
        ("f", bzip2(ROWS.as_bytes())),
        ("g", in_two(bzip2)),
        ("h.spc.xz", xz(ROWS.as_bytes())),
        ("i", xz(ROWS.as_bytes())),
        ("j", in_two(xz)),
    ] {
        assert_eq!(replay(&of(&folder.file(name, bytes))).0, plain, "{name}");
    }
    // line ends of another system, blank lines, comments, no last newline
    let odd = ROWS.replace('\n', "\r\n\r\n# remark\r\n");
    assert_eq!(replay(&of(&folder.file("e.spc", odd.trim_end()))).0, plain);
}

#[test]
fn files_that_are_no_traces() {
    let folder = Folder::new();
    let compressed = gzip(ROWS.repeat(5_000).as_bytes());
    let zstd = zstd::encode_all(ROWS.repeat(5_000).as_bytes(), 3).unwrap();
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let (bzip2, xz) = (
        bzip2(ROWS.repeat(5_000).as_bytes()),
        xz(ROWS.repeat(5_000).as_bytes()),
    );
    let damaged = |bytes: &[u8], place: usize| {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= 0xff;
        bytes
    };
    let cases: [(&str, Vec<u8>, &[&str]); 14] = [
        (
            "empty.spc",
            vec![],
            &["empty.spc", "empty", "at least one request"],
        ),
        ("empty.csv.gz", gzip(b""), &["empty.csv.gz", "empty"]),
        ("blank.spc", b"\n\n \n".to_vec(), &["empty"]),
        (
            "half.spc.gz",
            half(&compressed),
            &["half.spc.gz", "gzip", "end too early"],
        ),
        (
            "half.spc.zst",
            half(&zstd),
            &["half.spc.zst", "zstd", "end too early"],
        ),
        (
            "damaged.spc.gz",
            damaged(&compressed, compressed.len() - 6),
            &["damaged.spc.gz", "gzip data are damaged"],
        ),
        (
            "half.spc.bz2",
            half(&bzip2),
            &["half.spc.bz2", "bzip2", "end too early"],
        ),
        (
            "damaged.spc.bz2",
            damaged(&bzip2, bzip2.len() / 2),
            &["damaged.spc.bz2", "bzip2 data are damaged"],
        ),
        ("half.spc.xz", half(&xz), &["half.spc.xz", "xz", "end too early"]),
        (
            "damaged.spc.xz",
            damaged(&xz, xz.len() / 2),
            &["damaged.spc.xz", "xz data are damaged"],
        ),
        (
            "binary.csv",
            b"\0\xff\xfe\x01".repeat(1_000),
            &["binary.csv", "not text", r"\x00\xff\xfe\x01"],
        ),
        (
            "words.txt",
            b"hello\nworld\n".to_vec(),
            &[
                "words.txt",
                "first row, `hello`",
                "none is near to it",
                "--format",
            ],
        ),
        (
            "short.csv",
            b"1,2\n1,2\n".to_vec(),
            &["short.csv", "first row, `1,2`", "ends after 2 columns"],
        ),
        ("endless", vec![b'x'; 5 << 20], &["endless", "first row"]),
    ];
    for (name, bytes, words) in cases {
        says(&refused(&of(&folder.file(name, bytes))), words);
    }
    says(
        &refused(&of(&folder.0.path().join("nowhere.spc"))),
        &["nowhere.spc", "cannot be read"],
    );
    says(&refused(&of(folder.0.path())), &["is a directory"]);
    let endless = folder.file("endless2", vec![b'7'; 5 << 20]);
    says(
        &refused(&WorkloadConfig {
            format: Some("spc".into()),
            ..of(&endless)
        }),
        &["line of more than 1024 KiB"],
    );
    let some = folder.file("a.spc", ROWS);
    says(
        &refused(&WorkloadConfig {
            format: Some("scp".into()),
            ..of(&some)
        }),
        &["workload.format", "scp", "spc, msr, disksim"],
    );
    says(
        &refused(&WorkloadConfig {
            format: Some("msr".into()),
            ..of(&some)
        }),
        &["a.spc", "row 1", "MSR Cambridge", "`0,8,4096,r,0.5`"],
    );
}

#[test]
fn a_malformed_row_is_named() {
    let folder = Folder::new();
    let early = folder.file("early.spc", format!("{ROWS}\n0,24,1024,q,1.5\n"));
    says(
        &refused(&of(&early)),
        &[
            "early.spc",
            "row 5",
            "column 4 (opcode)",
            "`q`",
            "r (read)",
            "3 requests before",
        ],
    );
    let late = folder.file("late.spc", format!("{}0,24,1024,r\n", ROWS.repeat(5_000)));
    says(
        &refused(&of(&late)),
        &["late.spc", "row 15001", "ends after 4 columns", "`0,24,1024,r`"],
    );
    says(
        &trace_stats(&late, &TraceOptions::default())
            .unwrap_err()
            .to_string(),
        &["row 15001"],
    );
}

#[test]
fn the_guess_is_stated() {
    let folder = Folder::new();
    let rows = "0 0 100 8 1\n30000 0 200 8 0\n60000 0 17 8 0\n";
    let note = |name: &str, rows: &str| replay(&of(&folder.file(name, rows))).1[0].clone();
    says(
        &note("a", rows),
        &[
            "read as SSDsim ASCII, times in ns",
            "whole numbers",
            "also fit DiskSim ASCII, MQSim",
            "--format",
        ],
    );
    says(&note("a.mqsim", rows), &["read as MQSim ASCII", "name says"]);
    says(&note("a.ssdsim-us", rows), &["read as SSDsim ASCII, times in us"]);
    says(
        &note("b", "0.1 0 100 8 1\n0.2 0 200 8 0\n"),
        &["read as DiskSim ASCII, times in ms", "decimals"],
    );
    says(
        &note("c", "0.1 0 512 4096 1\n0.2 0 1024 8192 0\n"),
        &["read as replayer ASCII"],
    );
    let runs = "1.5 0 8 2 1\n2.5 0 24 1 1\n3.5 0 32 4 0\n";
    says(&note("d", runs), &["read as FlashSim ASCII"]);
    says(
        &note("e.mqsim", ROWS),
        &[
            "read as SPC text",
            "its name suggests MQSim ASCII, but row 1 does not fit",
        ],
    );
    says(
        &note("f.CSV", "128166385295514663,hm,0,Write,905,2048,2833\n"),
        &["read as MSR Cambridge CSV"],
    );
    // the user's word needs no note
    let named = WorkloadConfig {
        format: Some("ssdsim".into()),
        ..of(&folder.file("g", rows))
    };
    assert_eq!(replay(&named).1, [""; 0]);
}

#[test]
fn the_time_unit_matters() {
    let folder = Folder::new();
    let path = folder.file("a.ssdsim", "0 0 100 8 1\n3 0 200 8 0\n");
    for (unit, ns) in [
        (TimeUnit::Seconds, 3_000_000_000),
        (TimeUnit::Milliseconds, 3_000_000),
        (TimeUnit::Microseconds, 3_000),
        (TimeUnit::Ticks, 300),
        (TimeUnit::Nanoseconds, 3),
    ] {
        let config = WorkloadConfig {
            time_unit: Some(unit),
            ..of(&path)
        };
        assert_eq!(arrivals(&replay(&config).0), [0, ns]);
    }
    let notes = replay(&of(&path)).1;
    says(
        &notes[1],
        &[
            "mean gap between arrivals is 3 ns",
            "workload.time_unit",
            "closed_loop",
        ],
    );
}

#[test]
fn rows_are_sorted_and_duplicates_keep_their_order() {
    let folder = Folder::new();
    let rows = "0,1,512,r,3\n0,2,512,r,1\n0,3,512,r,3\n0,4,512,r,1\n0,5,512,r,2\n";
    let path = folder.file("a.spc", rows);
    let (commands, notes) = replay(&of(&path));
    assert_eq!(
        commands.iter().map(|command| command.sector).collect::<Vec<_>>(),
        [2, 4, 5, 1, 3]
    );
    assert_eq!(
        arrivals(&commands),
        [0, 0, 1_000_000_000, 2_000_000_000, 2_000_000_000]
    );
    says(&notes[1], &["3 rows have an earlier time", "row 2", "sorted"]);
    let strict = WorkloadConfig {
        disorder: Disorder::Refuse,
        ..of(&path)
    };
    says(&refused(&strict), &["a.spc", "row 2", "workload.disorder"]);
    assert_eq!(
        trace_stats(&path, &TraceOptions::default()).unwrap().out_of_order,
        3
    );
}

#[test]
fn rows_later_than_the_window_arrive_at_once() {
    let folder = Folder::new();
    let mut rows: String = (0..70_000)
        .map(|index| format!("{} 0 {index} 1 1\n", 1_000 + index * 100))
        .collect();
    rows += "0 0 99999 1 1\n";
    let (commands, notes) = replay(&of(&folder.file("a.ssdsim", rows)));
    let arrivals = arrivals(&commands);
    assert!(arrivals.is_sorted());
    let late = commands
        .iter()
        .position(|command| command.sector == 99_999)
        .unwrap();
    assert!(late > 0 && arrivals[late] == arrivals[late - 1]);
    assert!(
        notes
            .iter()
            .any(|note| note.contains("1 rows were more than 65536 requests late")),
        "{notes:?}"
    );
}

#[test]
fn compression_and_repetition_keep_exact_times() {
    let folder = Folder::new();
    let path = folder.file("a.mqsim", "100 0 8 8 1\n400 0 16 8 1\n1000 0 24 8 1\n");
    let config = |compress_time, repeat| WorkloadConfig {
        compress_time,
        repeat,
        ..of(&path)
    };
    assert_eq!(arrivals(&replay(&config(3.0, 1)).0), [0, 100, 300]);
    assert_eq!(arrivals(&replay(&config(0.5, 1)).0), [0, 600, 1800]);
    // the next pass begins one mean gap, 450 ns, after the last arrival
    assert_eq!(
        arrivals(&replay(&config(1.0, 2)).0),
        [0, 300, 900, 1350, 1650, 2250]
    );
    says(&refused(&config(0.0, 1)), &["workload.compress_time", "0"]);
    says(&refused(&config(f64::NAN, 1)), &["workload.compress_time", "NaN"]);
    says(&refused(&config(1.0, 0)), &["workload.repeat", "0"]);
    let long = folder.file("b.spc", "0,8,512,r,0\n0,8,512,r,9000000000\n");
    says(
        &refused(&WorkloadConfig {
            compress_time: 0.001,
            ..of(&long)
        }),
        &["compress_time", "146 years"],
    );
}

/// Rows out of order, every pass of two, from the middle and from the end.
#[test]
fn a_trace_that_is_rewound_starts_over() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..40_u64)
        .map(|row| format!("{} 0 {} 8 0", (row ^ 1) * 1000, row * 8))
        .collect();
    let mut config = of(&folder.file("rows.ascii", rows.join("\n")));
    config.format = Some("ssdsim".into());
    config.repeat = 2;
    let (commands, _) = replay(&config);
    assert_eq!(commands.len(), 80);
    let mut source = open(&config, DRIVE, Path::new(".")).unwrap();
    for taken in [0, 55, 80] {
        let mut some = Vec::new();
        source.next_commands(taken, &mut some).unwrap();
        assert_eq!(some, commands[..taken]);
        source.rewind().unwrap();
    }
    assert_eq!(drain(&mut *source), commands);
    let mut drawn = open(&WorkloadConfig::default(), DRIVE, Path::new(".")).unwrap();
    assert!(drawn.rewind().is_err());
}

/// Batches are what single commands are, to the end.
#[test]
fn commands_come_in_batches_too() {
    let config = WorkloadConfig {
        requests: Some(100),
        ..WorkloadConfig::default()
    };
    let open = || open(&config, DRIVE, Path::new(".")).unwrap();
    let (mut source, mut batches) = (open(), Vec::new());
    for length in [64, 100, 100] {
        source.next_commands(64, &mut batches).unwrap();
        assert_eq!(batches.len(), length);
    }
    assert_eq!(batches, drain(&mut *open()));
}

#[test]
fn devices_lie_side_by_side_or_folded() {
    let folder = Folder::new();
    let path = folder.file("a.spc", "7,8,512,w,0\n3,0,512,w,1\n3,4000,512,r,2\n");
    let sectors = |config: &WorkloadConfig| {
        replay(config)
            .0
            .iter()
            .map(|command| command.sector)
            .collect::<Vec<_>>()
    };
    // device 3 comes first; its 4001 sectors take 2 MiB
    assert_eq!(sectors(&of(&path)), [4096 + 8, 0, 4000]);
    assert_eq!(
        sectors(&WorkloadConfig {
            devices: DeviceLayout::Fold,
            ..of(&path)
        }),
        [8, 0, 4000]
    );
    let sized = |size| WorkloadConfig {
        device_size: Some(ByteSize(size)),
        ..of(&path)
    };
    assert_eq!(sectors(&sized(512 * 10_000)), [10_008, 0, 4000]);
    says(
        &refused(&sized(512 * 4000)),
        &["row 3", "device 3", "workload.device_size"],
    );
    says(
        &refused(&sized(100)),
        &["workload.device_size", "100 B", "multiple of 512 B"],
    );
    says(&replay(&of(&path)).1[1], &["2 devices", "side by side"]);
    assert_eq!(
        trace_stats(&path, &TraceOptions::default())
            .unwrap()
            .laid_out_bytes,
        (4096 + 9) * 512
    );
}

#[test]
fn addresses_beyond_the_drive_are_refused_or_folded() {
    let folder = Folder::new();
    let path = folder.file(
        "a.spc",
        format!(
            "0,0,4096,w,0\n0,{},4096,w,1\n0,{},4096,r,2\n",
            DRIVE + 16,
            DRIVE - 4
        ),
    );
    says(
        &refused(&of(&path)),
        &[
            "a.spc",
            "row 2",
            "536883200",
            "536870912",
            "workload.fold",
            "geometry",
        ],
    );
    let wrapped = WorkloadConfig {
        fold: Fold::Modulo,
        ..of(&path)
    };
    let mut source = open(&wrapped, DRIVE, Path::new(".")).unwrap();
    let commands = drain(&mut *source);
    assert_eq!(
        commands.iter().map(|command| command.sector).collect::<Vec<_>>(),
        [0, 16, DRIVE - 8]
    );
    let facts = source.trace_facts().unwrap();
    assert_eq!((facts.folded, facts.requests), (2, 3));
    let huge = folder.file("b.spc", "0,0,1073741824,w,0\n");
    says(
        &refused(&WorkloadConfig {
            fold: Fold::Modulo,
            ..of(&huge)
        }),
        &["row 1", "1073741824", "536870912"],
    );
    // exactly full is no overflow
    replay(&of(&folder.file("c.spc", format!("0,{},4096,w,0\n", DRIVE - 8))));
}

#[test]
fn requests_without_length_and_within_sectors() {
    let folder = Folder::new();
    let path = folder.file("a.spc", "0,8,0,r,0\n0,8,100,r,1\n");
    says(
        &refused(&of(&path)),
        &["row 1", "without length", "workload.zero_length"],
    );
    let (commands, notes) = replay(&WorkloadConfig {
        zero_length: ZeroLength::Skip,
        ..of(&path)
    });
    assert_eq!(
        (commands[0].sector, commands[0].sectors, commands.len()),
        (8, 1, 1)
    );
    assert!(
        notes
            .iter()
            .any(|note| note.contains("1 requests without length")),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|note| note.contains("within a sector")),
        "{notes:?}"
    );
    let stats = trace_stats(&path, &TraceOptions::default()).unwrap();
    assert_eq!((stats.requests, stats.zero_length), (1, 1));
    let bytes = folder.file("b.replayer", "0 0 511 2 1\n1 0 1024 512 1\n");
    let (commands, _) = replay(&of(&bytes));
    assert_eq!((commands[0].sector, commands[0].sectors), (0, 2));
}

#[test]
fn parts_of_a_trace() {
    let folder = Folder::new();
    let path = folder.file("a.spc", ROWS);
    let part = |skip, take| WorkloadConfig {
        skip,
        take,
        ..of(&path)
    };
    assert_eq!(arrivals(&replay(&part(1, Some(1))).0), [0]);
    assert_eq!(replay(&part(1, None)).0[0].sector, 16);
    says(
        &refused(&part(3, None)),
        &["no request is left", "workload.skip = 3"],
    );
    says(&refused(&part(0, Some(0))), &["workload.take", "0"]);
}

#[test]
fn admission_follows_the_keys() {
    let trace = of(Path::new("a"));
    assert_eq!(admission(&trace, Some(9)), Admission::OpenLoop { limit: Some(9) });
    let closed = WorkloadConfig {
        replay: Replay::ClosedLoop,
        queue_depth: Some(4),
        ..trace.clone()
    };
    assert_eq!(admission(&closed, Some(9)), Admission::ClosedLoop { depth: 4 });
    says(
        &refused(&WorkloadConfig {
            queue_depth: Some(4),
            ..trace.clone()
        }),
        &["workload.queue_depth", "closed_loop"],
    );
    says(
        &refused(&WorkloadConfig { path: None, ..trace }),
        &["workload.path", "unset"],
    );
}

#[test]
fn statistics_of_a_small_trace() {
    let folder = Folder::new();
    let rows = "0,0,4096,r,0\n0,8,8192,r,1\n0,1,512,w,2\n1,0,4096,w,4\n";
    let stats = trace_stats(&folder.file("a.spc", rows), &TraceOptions::default()).unwrap();
    assert_eq!(
        (stats.requests, stats.reads, stats.writes, stats.devices),
        (4, 2, 2, 2)
    );
    assert_eq!((stats.read_bytes, stats.written_bytes), (12_288, 4_608));
    assert_eq!(
        (stats.mean_read_bytes, stats.mean_write_bytes),
        (Some(6_144.0), Some(2_304.0))
    );
    assert_eq!(
        (stats.pages_read, stats.pages_written, stats.highest_byte),
        (3, 2, 12_288)
    );
    assert_eq!(
        (
            stats.read_percent,
            stats.aligned_start_percent,
            stats.aligned_percent
        ),
        (50.0, 75.0, 75.0)
    );
    assert_eq!((stats.sequential_percent, stats.span_s), (25.0, 4.0));
    assert!((stats.mean_interarrival_ms.unwrap() - 4_000.0 / 3.0).abs() < 1e-9);
    assert_eq!(stats.top_tenth_percent, Some(50.0));
    let sizes: Vec<_> = stats
        .size_histogram
        .iter()
        .map(|bucket| (bucket.from, bucket.count))
        .collect();
    assert_eq!(sizes, [(512, 1), (1024, 0), (2048, 0), (4096, 2), (8192, 1)]);
    let one = trace_stats(&folder.file("b.spc", "0,0,4096,r,9\n"), &TraceOptions::default()).unwrap();
    assert_eq!(
        (
            one.mean_interarrival_ms,
            one.mean_write_bytes,
            one.top_tenth_percent
        ),
        (None, None, None)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a file holds, it is read or refused, with one paragraph.
    #[test]
    fn arbitrary_files_are_read_or_refused(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..500),
            "([0-9]{1,6}[ ,]){4}[01rw]\n".prop_map(String::into_bytes),
            prop::collection::vec("[0-9]{1,5}(\\.[0-9]{3})? [0-9] [0-9]{1,6} [0-9]{1,3} [01]\n", 1..40)
                .prop_map(|rows| rows.concat().into_bytes()),
            Just([0x1f, 0x8b, 8, 0, 1, 2, 3].to_vec()),
            Just([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3].to_vec()),
        ],
        name in prop_oneof![Just("a"), Just("a.spc"), Just("a.csv.gz"), Just("a.flashsim"), Just("a.ssdsim-us")],
        fold in any::<bool>(),
        skip in any::<bool>(),
    ) {
        let folder = Folder::new();
        let config = WorkloadConfig {
            fold: if fold { Fold::Modulo } else { Fold::Refuse },
            zero_length: if skip { ZeroLength::Skip } else { ZeroLength::Refuse },
            ..of(&folder.file(name, &bytes))
        };
        match open(&config, 10_000, Path::new(".")) {
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
            Ok(mut source) => {
                let commands = drain(&mut *source);
                prop_assert_eq!(source.len_hint(), Some(commands.len() as u64));
                prop_assert!(arrivals(&commands).is_sorted());
                prop_assert!(commands.iter().all(|command| command.sectors > 0
                    && command.sector + u64::from(command.sectors) <= 10_000));
            }
        }
    }
}
