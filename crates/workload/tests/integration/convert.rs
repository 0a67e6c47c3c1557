//! Traces that are written in another form say the same.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::common;
use proptest::prelude::*;
use wordline_units::{ByteSize, SimTime};
use wordline_workload::{
    CsvColumn, CsvConfig, Fold, HostCommand, HostOp, TimeUnit, TraceOptions, TraceStats, TraceWriter,
    WorkloadConfig, WorkloadError, WorkloadKind, ZeroLength, convert, fit, formats, open, trace_stats,
};

const DRIVE: u64 = 1 << 40;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Names of what is in it, sorted.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

fn commands(path: &Path, format: Option<&str>) -> Result<Vec<HostCommand>, WorkloadError> {
    compressed(path, format, 1.0)
}

fn compressed(
    path: &Path,
    format: Option<&str>,
    compress_time: f64,
) -> Result<Vec<HostCommand>, WorkloadError> {
    let config = WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path.to_owned()),
        format: format.map(str::to_owned),
        fold: Fold::Modulo,
        zero_length: ZeroLength::Skip,
        compress_time,
        ..WorkloadConfig::default()
    };
    replayed(&config)
}

fn replayed(config: &WorkloadConfig) -> Result<Vec<HostCommand>, WorkloadError> {
    let mut source = open(config, DRIVE, Path::new("."))?;
    let mut commands = Vec::new();
    while let Some(command) = source.next_command()? {
        commands.push(command);
    }
    assert_eq!(source.len_hint(), Some(commands.len() as u64));
    Ok(commands)
}

/// A trace of the format, or of one that is recognised.
fn named(format: Option<&str>) -> TraceOptions<'_> {
    TraceOptions {
        format,
        ..TraceOptions::default()
    }
}

fn converted(input: &Path, output: &Path, format: Option<&str>) -> u64 {
    convert(input, output, &named(format), &mut |_, _| true)
        .unwrap()
        .requests
}

/// `path`, whose statistics are `theirs`, and its binary form replay the same and look the same.
fn same(folder: &Folder, path: &Path, format: Option<&str>, mut theirs: TraceStats) {
    let binary = folder.path("same.wlt");
    converted(path, &binary, format);
    // generated times may span more than the 146 years of a replay
    assert_eq!(
        compressed(path, format, 10.0).unwrap(),
        compressed(&binary, None, 10.0).unwrap(),
        "{}",
        path.display()
    );
    let mut ours = trace_stats(&binary, &named(None)).unwrap();
    for stats in [&mut ours, &mut theirs] {
        (stats.format, stats.time_unit) = Default::default();
        stats.notes.clear();
        // of the file, not of the requests that are drawn from it
        (stats.start_offsets, stats.unit_from_name) = (None, None);
    }
    assert_eq!(ours, theirs, "{}", path.display());
}

#[test]
#[ignore = "slow: several seconds"]
fn real_traces_survive() {
    let Some(traces) = common::traces() else { return };
    let folder = Folder::new();
    let mut survived = 0;
    let manifest = std::fs::read_to_string(traces.join("manifest.csv")).unwrap();
    let mut entries: Vec<_> = manifest
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .collect();
    // the shortest of each format: other tests read all of them
    entries.sort_by_key(|columns| columns[3].parse::<u64>().unwrap_or(0));
    entries.sort_by_key(|columns| columns[1]);
    entries.dedup_by_key(|columns| columns[1]);
    for columns in entries {
        let path = traces.join(columns[0]);
        // other tests say which traces must be recognised
        if let Ok(stats) = trace_stats(&path, &named(None)) {
            same(&folder, &path, None, stats);
            survived += 1;
        }
    }
    assert!(survived >= 10, "{survived}");
}

/// Rows like `row`, some of their digits changed.
fn variations(row: &str, seed: u64) -> impl Iterator<Item = String> {
    let row = row.to_owned();
    let mut state = seed | 1;
    std::iter::from_fn(move || {
        let mut bytes = row.clone().into_bytes();
        for byte in bytes.iter_mut().filter(|byte| byte.is_ascii_digit()) {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 == 0 {
                *byte = b'0' + (state >> 33) as u8 % 10;
            }
        }
        String::from_utf8(bytes).ok()
    })
}

proptest! {
    // a case is every format with 20 rows
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    #[ignore = "slow: several seconds"]
    fn rows_of_every_text_format_survive(seed in any::<u64>()) {
        let folder = Folder::new();
        let mut survived = 0;
        for format in formats() {
            let (before, last) = format.example.rsplit_once('\n').map_or(("", format.example), |(a, b)| (a, b));
            let mut text = format!("{before}\n{last}\n");
            let is_text = |text: &str| {
                let path = folder.file("trial", text);
                compressed(&path, Some(format.name), 10.0).is_ok()
            };
            if !is_text(&text) {
                continue;
            }
            for row in variations(last, seed).take(20) {
                if is_text(&format!("{before}\n{row}\n")) {
                    text += &row;
                    text.push('\n');
                }
            }
            let path = folder.file("trial", &text);
            let stats = trace_stats(&path, &named(Some(format.name))).unwrap();
            same(&folder, &path, Some(format.name), stats);
            survived += 1;
        }
        prop_assert!(survived >= 7);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn commands_survive(
        parts in prop::collection::vec(
            (0_u64..1 << 40, 0..5_usize, any::<bool>(), 0_u64..1 << 30, 1_u32..1 << 16, any::<u16>(), any::<u16>()),
            1..100,
        ),
        zipped in any::<bool>(),
    ) {
        let mut arrival = 0;
        let commands_in: Vec<HostCommand> = parts
            .into_iter()
            .enumerate()
            .map(|(index, (gap, op, fua, sector, sectors, queue, placement))| {
                arrival += if index == 0 { 0 } else { gap };
                let op = [HostOp::Read, HostOp::Write, HostOp::Trim, HostOp::WriteZeroes, HostOp::Flush][op];
                let (sector, sectors) = if op == HostOp::Flush { (0, 0) } else { (sector, sectors) };
                HostCommand { arrival: SimTime(arrival), op, fua, sector, sectors, queue, placement }
            })
            .collect();
        let folder = Folder::new();
        let path = folder.path(if zipped { "trace.wlt.zst" } else { "trace.wlt" });
        let mut writer = TraceWriter::create(&path).unwrap();
        for command in &commands_in {
            writer.write(command).unwrap();
        }
        prop_assert_eq!(writer.finish().unwrap(), commands_in.len() as u64);
        prop_assert_eq!(commands(&path, None).unwrap(), commands_in);
    }
}

const ROWS: &str = "0,8,4096,r,0.5\n3,16,512,w,0.6\n0,24,0,r,0.7\n0,24,1024,r,0.55\n";

#[test]
fn forms_follow_names_and_lead_back() {
    let folder = Folder::new();
    let text = folder.file("a.spc", ROWS);
    for name in [
        "a.wlt",
        "a.wlt.gz",
        "b.WLT.zst",
        "a.csv",
        "a.msr.gz",
        "c.wlt.bz2",
        "c.wlt.xz",
        "c.csv.XZ",
    ] {
        let output = folder.path(name);
        assert_eq!(converted(&text, &output, None), 4, "{name}");
        assert_eq!(
            commands(&output, None).unwrap(),
            commands(&text, None).unwrap(),
            "{name}"
        );
        let again = folder.path("again.wlt");
        converted(&output, &again, None);
        assert_eq!(trace_stats(&again, &named(None)).unwrap().zero_length, 1);
    }
    let rows = std::fs::read_to_string(folder.path("a.csv")).unwrap();
    assert_eq!(rows.lines().nth(1).unwrap(), "6000000,host0,3,Write,8192,512,0");
    // 1 ns is within a tick
    let fine = folder.file("fine.ssdsim", "101 0 8 8 1\n200 0 8 8 1\n");
    converted(&fine, &folder.path("fine.csv"), None);
    let rows = std::fs::read_to_string(folder.path("fine.csv")).unwrap();
    assert!(rows.starts_with("1.01,host0,0,Read,4096,4096,0\n2,"), "{rows}");
    assert_eq!(
        commands(&folder.path("fine.csv"), None).unwrap()[1].arrival,
        SimTime(99)
    );
}

/// Columns by name and by number, in other units and words than usual: every command of the text is
/// in the binary form, and the figures of both are the same.
#[test]
fn columns_as_the_user_says_lead_to_the_same_commands() {
    let folder = Folder::new();
    let text = folder.file(
        "a.txt",
        "id;when;what;lba;pages;disk\n1;0.5;put;8;1;b\n2;0.75;get;16;2;a\n3;0.75;drop;16;2;b\n4;2;put;0;3;a\n",
    );
    let column = |name: &str| Some(CsvColumn::Name(name.into()));
    let config = WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(text.clone()),
        format: Some("csv".into()),
        time_unit: Some(TimeUnit::Milliseconds),
        csv: CsvConfig {
            time: column("when"),
            op: Some(CsvColumn::Number(3)),
            offset: column("LBA"),
            size: column("pages"),
            device: column("disk"),
            offset_unit: ByteSize(512),
            size_unit: ByteSize(4096),
            separator: ";".into(),
            read: vec!["get".into()],
            write: vec!["put".into()],
            trim: vec!["drop".into()],
            ..CsvConfig::default()
        },
        ..WorkloadConfig::default()
    };
    let options = TraceOptions::of(&config);
    let binary = folder.path("a.wlt");
    let done = convert(&text, &binary, &options, &mut |_, _| true).unwrap();
    assert_eq!((done.requests, done.notes), (4, Vec::new()));

    let of_text = replayed(&config).unwrap();
    assert_eq!(of_text, commands(&binary, None).unwrap());
    let seen: Vec<_> = of_text
        .iter()
        .map(|command| (command.arrival.ns(), command.op, command.sectors))
        .collect();
    let wanted = [
        (0, HostOp::Write, 8),
        (250_000, HostOp::Read, 16),
        (250_000, HostOp::Trim, 16),
        (1_500_000, HostOp::Write, 24),
    ];
    assert_eq!(seen, wanted);

    let mut stats = trace_stats(&text, &options).unwrap();
    assert_eq!((stats.format.as_str(), stats.time_unit.as_str()), ("csv", "ms"));
    assert_eq!((stats.devices, stats.trims), (2, 1));
    (stats.format, stats.time_unit) = ("wordline".into(), "ns".into());
    assert_eq!(stats, trace_stats(&binary, &named(None)).unwrap());
    assert_eq!(fit(&text, &options, 1).unwrap().trace.requests, 4);
}

#[test]
fn what_cannot_be_converted_leaves_nothing() {
    let folder = Folder::new();
    let text = folder.file("a.spc", ROWS);
    let broken = folder.file("broken.spc", "0,8,4096,r,0.5\n0,8,4096,q,0.5\n");
    let before = folder.names();
    let refused = |input: &Path, output: &str, progress: &mut dyn FnMut(f64, u64) -> bool| {
        let error = convert(input, &folder.path(output), &named(Some("spc")), progress).unwrap_err();
        assert_eq!(folder.names(), before, "{error}");
        error
    };
    let go_on = &mut |_, _| true;
    for (input, output, word) in [
        (&broken, "out.wlt", "row 2"),
        (&broken, "out.csv", "row 2"),
        (&text, "out.tar", ".wlt"),
        (&text, "out", ".wlt"),
        (&text, "no/folder.wlt", "cannot be written"),
        (&folder.path("missing.spc"), "out.wlt", "cannot be read"),
    ] {
        let error = refused(input, output, go_on).to_string();
        assert!(error.contains(word), "{error}");
    }
    assert_eq!(
        refused(&text, "out.wlt", &mut |_, _| false),
        WorkloadError::Interrupted
    );

    let mut writer = TraceWriter::create(&folder.path("t.wlt")).unwrap();
    let trim = HostCommand {
        arrival: SimTime(0),
        op: HostOp::Trim,
        fua: false,
        sector: 8,
        sectors: 8,
        queue: 1,
        placement: 0,
    };
    writer.write(&trim).unwrap();
    writer
        .write(&HostCommand {
            op: HostOp::Read,
            ..trim
        })
        .unwrap();
    writer.finish().unwrap();
    let error = convert(&folder.path("t.wlt"), &folder.path("t.csv"), &named(None), go_on).unwrap_err();
    assert!(error.to_string().contains("Trim"), "{error}");
    assert!(!folder.path("t.csv").exists());
}

#[test]
fn what_the_output_cannot_hold_is_said() {
    let folder = Folder::new();
    let mut writer = TraceWriter::create(&folder.path("a.wlt")).unwrap();
    let read = HostCommand {
        arrival: SimTime(0),
        op: HostOp::Read,
        fua: false,
        sector: 8,
        sectors: 8,
        queue: 1,
        placement: 0,
    };
    writer.write(&read).unwrap();
    writer.finish().unwrap();
    let done = convert(
        &folder.path("a.wlt"),
        &folder.path("a.csv"),
        &named(None),
        &mut |_, _| true,
    )
    .unwrap();
    assert!(
        done.notes
            .concat()
            .contains("1 requests lost their FUA, queue or placement"),
        "{:?}",
        done.notes
    );
}

#[test]
fn damaged_and_foreign_files_are_named() {
    let folder = Folder::new();
    let text = folder.file("a.spc", ROWS);
    let path = folder.path("a.wlt");
    converted(&text, &path, None);
    let bytes = std::fs::read(&path).unwrap();
    let says = |bytes: &[u8], format: Option<&str>, words: &[&str]| {
        let error = commands(&folder.file("x.wlt", bytes), format)
            .unwrap_err()
            .to_string();
        assert!(error.len() < 1_000 && !error.contains('\n'), "{error}");
        for word in words {
            assert!(error.contains(word), "{word}: {error}");
        }
    };
    says(&bytes[..bytes.len() - 1], None, &["x.wlt", "is it complete?"]);
    says(&bytes[..20], None, &["within a record"]);
    let mut flipped = bytes.clone();
    flipped[30] ^= 1;
    says(&flipped, None, &["checksum", "the file is damaged"]);
    says(
        ROWS.as_bytes(),
        Some("wordline"),
        &["begins otherwise", "wordline convert"],
    );
    says(b"", Some("wordline"), &["x.wlt", "ends after 0"]);
    let config = WorkloadConfig {
        kind: WorkloadKind::Trace,
        path: Some(path),
        time_unit: Some(TimeUnit::Milliseconds),
        ..WorkloadConfig::default()
    };
    let error = open(&config, DRIVE, Path::new(".")).err().unwrap().to_string();
    assert!(error.contains("workload.time_unit = \"ms\""), "{error}");
}

/// The share that `progress` gets grows to 1.
#[test]
fn progress_is_reported() {
    let folder = Folder::new();
    let mut file = std::io::BufWriter::new(std::fs::File::create(folder.path("a.mqsim")).unwrap());
    for index in 0..200_000_u64 {
        writeln!(file, "{} 0 {} 8 1", index * 1_000, index * 8).unwrap();
    }
    drop(file);
    let mut shares = Vec::new();
    let mut note = |share: f64, requests: u64| {
        shares.push((share, requests));
        true
    };
    convert(
        &folder.path("a.mqsim"),
        &folder.path("a.wlt"),
        &named(None),
        &mut note,
    )
    .unwrap();
    assert_eq!(shares.len(), 4);
    assert!(
        shares.is_sorted() && shares[0].0 > 0.2 && shares[0].0 < 0.5,
        "{shares:?}"
    );
    assert_eq!(shares[3], (1.0, 200_000));
}
