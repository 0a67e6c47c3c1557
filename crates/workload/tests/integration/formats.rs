//! What the rows of each format mean, where recorded traces do not show it.

use std::path::PathBuf;

use wordline_units::ByteSize;
use wordline_workload::HostOp::{Flush, Read, Trim, Write};
use wordline_workload::{
    CsvColumn, CsvConfig, DeviceLayout, HostCommand, HostOp, TimeUnit, TraceAction, TraceOptions,
    WorkloadConfig, WorkloadKind, ZeroLength, formats, open, trace_stats,
};

const DRIVE: u64 = 1 << 20;

/// A trace in a folder of its own.
struct Trace {
    folder: tempfile::TempDir,
    config: WorkloadConfig,
}

impl Trace {
    fn new(format: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("trace"), bytes).unwrap();
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(PathBuf::from("trace")),
            format: Some(format.to_owned()),
            devices: DeviceLayout::Fold,
            ..WorkloadConfig::default()
        };
        Self { folder, config }
    }

    fn with(mut self, change: impl FnOnce(&mut WorkloadConfig)) -> Self {
        change(&mut self.config);
        self
    }

    fn replay(&self) -> (Vec<HostCommand>, Vec<String>) {
        let mut source = open(&self.config, DRIVE, self.folder.path()).unwrap();
        let commands: Vec<HostCommand> = std::iter::from_fn(|| source.next_command().unwrap()).collect();
        assert_eq!(source.len_hint(), Some(commands.len() as u64));
        (commands, source.notes())
    }

    /// Arrival in nanoseconds, operation, sector, sectors.
    fn requests(&self) -> Vec<(u64, HostOp, u64, u32)> {
        let of = |command: &HostCommand| (command.arrival.ns(), command.op, command.sector, command.sectors);
        self.replay().0.iter().map(of).collect()
    }

    fn refused(&self) -> String {
        let error = open(&self.config, DRIVE, self.folder.path())
            .err()
            .expect("refused");
        error.to_string()
    }
}

fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing: {text}");
    }
}

#[test]
fn blkparse_reads_events_of_one_action() {
    let rows = "\
8,16 0 1 0.000000000 10 Q WS 100 + 8 [a]
8,16 0 2 0.000001000 10 G WS 100 + 8 [a]
8,16 0 3 0.000002000 10 P N [a]
8,16 0 4 0.000003000 10 U N [a] 1
8,16 0 5 0.000004000 10 m N cfq10 alloced
8,16 0 6 0.000010000 10 D WS 100 + 8 [a]
8,16 1 1 0.000030000 10 D WFS 200 + 16 [a]
8,16 1 2 0.000020000 10 D RAM 300 + 1 [a]
8,16 1 3 0.000040000 10 D D 400 + 64 [a]
8,16 1 4 0.000050000 10 D FN [a]
8,16 1 5 0.000060000 10 D FWFS 500 + 8 [a]
8,16 1 6 0.000070000 10 D N 0 (00 ..) [a]
8,16 1 7 0.000080000 0 C WS 100 + 8 [0]
CPU0 (8,16):
 Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB

Total (8,16):
 IO unplugs:             0
Throughput (R/W): 0KiB/s / 0KiB/s
Events (8,16): 13 entries
Skips: 0 forward (0 -   0.0%)
";
    let trace = Trace::new("blkparse", rows);
    assert_eq!(
        trace.requests(),
        [
            (0, Write, 100, 8),
            (10_000, Read, 300, 1),
            (20_000, Write, 200, 16),
            (30_000, Trim, 400, 64),
            (40_000, Flush, 0, 0),
            (50_000, Write, 500, 8),
        ]
    );
    let fua: Vec<bool> = trace.replay().0.iter().map(|command| command.fua).collect();
    assert_eq!(fua, [false, false, true, false, false, true]);
    for (action, arrivals) in [
        (TraceAction::Queued, 1),
        (TraceAction::Completed, 1),
        (TraceAction::Issued, 6),
    ] {
        let trace = Trace::new("blkparse", rows).with(|config| config.action = Some(action));
        assert_eq!(trace.requests().len(), arrivals);
    }
    // a flush is no request without length, whatever becomes of those
    let strict = Trace::new("blkparse", rows).with(|config| config.zero_length = ZeroLength::Refuse);
    assert_eq!(strict.requests().len(), 6);
}

#[test]
fn an_absurd_time_gives_way_to_the_time_before() {
    let rows = "\
8,0 0 1 0.5 1 D R 8 + 8 [a]
8,0 0 2 1266874889.7 1 D R 16 + 8 [a]
8,0 0 3 0.75 1 D R 24 + 8 [a]
";
    let trace = Trace::new("blkparse", rows);
    let arrivals: Vec<u64> = trace.requests().iter().map(|request| request.0).collect();
    assert_eq!(arrivals, [0, 0, 250_000_000]);
    says(
        &trace.replay().1.join("\n"),
        &["1 events have times more than a year after"],
    );
    let refused = |row: &str| Trace::new("blkparse", row).refused();
    says(
        &refused("8,0 0 1 0.5 1 D X 8 + 8 [a]"),
        &["column 7 (RWBS)", "`X`"],
    );
    says(&refused("8,0 0 1 0.5 1 D R 8 - 8 [a]"), &["column 9 (+)", "`-`"]);
    says(
        &refused("hello 0 1 0.5 1 D R 8 + 8 [a]"),
        &["column 1 (device)", "8,16"],
    );
    says(
        &refused("CPU0 (8,16):\n nothing but a summary\n"),
        &["none of its 2 rows is a request"],
    );
}

#[test]
fn an_action_needs_events() {
    let trace = Trace::new("spc", "0,8,512,r,1\n").with(|config| config.action = Some(TraceAction::Queued));
    says(&trace.refused(), &["workload.action", "Q", "SPC text"]);
}

#[test]
fn fio_logs() {
    let second = "\
fio version 2 iolog
/dev/sdb add
/dev/sdb open
/dev/sdb write 4096 512
/dev/sdb wait 250 0
/dev/sdb datasync 0 0
/dev/sdb trim 8192 4096
/dev/sdb sync_file_range 0 4096
fio version 2 iolog
/dev/sdc read 0 1024
/dev/sdb close
";
    let requests = [
        (0, Write, 8, 1),
        (250_000_000, Flush, 0, 0),
        (250_000_000, Trim, 16, 8),
        (250_000_000, Read, 0, 2),
    ];
    assert_eq!(Trace::new("fio_iolog2", second).requests(), requests);
    let third = "\
fio version 3 iolog
0 /dev/sdb add
7 /dev/sdb write 4096 512
250007 /dev/sdb sync 0 0
250007 /dev/sdb wait 7 0
250007 /dev/sdb trim 8192 4096
250007 /dev/sdc read 0 1024
";
    assert_eq!(Trace::new("fio_iolog3", third).requests(), requests);
    let refused = |format: &str, rows: &str| Trace::new(format, rows).refused();
    says(&refused("fio_iolog3", second), &["row 1", "fio version 3 iolog"]);
    says(
        &refused("fio_iolog3", "fio version 3 iolog\n1 /dev/sdb erase 7 0\n"),
        &["row 2", "column 3 (action)", "`erase`"],
    );
    let untimed = Trace::new("fio_iolog2", "fio version 2 iolog\na read 0 512\na read 0 512\n");
    says(
        &untimed.replay().1.join("\n"),
        &["arrive at the same time", "closed_loop"],
    );
}

#[test]
fn clocks_that_jump_keep_the_order_of_the_rows() {
    let row = |sector: u64, time: &str| format!("{sector}\t\t8\t\t4096\t\t5\t\t{time}\t\t0\t\t0\t\t0\n");
    let rows = row(8, "1.5")
        + &row(16, "1.75")
        + &row(24, "1398396748.25")
        + &row(32, "1398396748.5")
        + &row(40, "10363866.0")
        + &row(48, "10363865.875");
    let trace = Trace::new("biotracer", rows);
    let requests = trace.requests();
    let arrivals: Vec<(u64, u64)> = requests
        .iter()
        .map(|request| (request.0 / 1_000_000, request.2))
        .collect();
    // a row that is a little early is sorted, as in any trace
    assert_eq!(
        arrivals,
        [(0, 8), (250, 16), (250, 24), (375, 48), (500, 32), (500, 40)]
    );
    says(
        &trace.replay().1.join("\n"),
        &["jumps by more than a day 2 times"],
    );
    says(
        &Trace::new("biotracer", "8\t\t8\t\t4095\t\t5\t\t1\t\t1\t\t1\t\t1\n").refused(),
        &["column 3 (bytes)", "`4095`", "512 bytes for each"],
    );
}

#[test]
fn validation_rows_follow_each_other() {
    let rows = "R Hit 10 2 1000.5 2000.0\nW Miss 20 1 500 1\nR Hit 30 1 1 1\n";
    assert_eq!(
        Trace::new("disksim_validate", rows).requests(),
        [
            (0, Read, 10, 2),
            (3_000_500, Write, 20, 1),
            (3_501_500, Read, 30, 1)
        ]
    );
}

#[test]
fn cloud_and_desktop_rows() {
    assert_eq!(
        Trace::new(
            "alibaba",
            "device_id,opcode,offset,length,timestamp\n7,W,4096,8192,1000000\n3,R,512,512,1000250\n"
        )
        .requests(),
        [(0, Write, 8, 16), (250_000, Read, 1, 1)]
    );
    let systor =
        "Timestamp,Response,IOType,LUN,Offset,Size\n2.5,0.1,W,6,512,1024\n2.25,,,6,,\n2.0,0.1,R,6,0,512\n";
    assert_eq!(
        Trace::new("systor17", systor).requests(),
        [(0, Read, 0, 1), (500_000_000, Write, 1, 2)]
    );
    assert_eq!(
        Trace::new("tencent", "5,8,16,1,9\n4,24,8,0,9\n").requests(),
        [(0, Read, 24, 8), (1_000_000_000, Write, 8, 16)]
    );
    assert_eq!(
        Trace::new(
            "vscsi_csv",
            "version,time,op,size,lbn\n1,5,2A,1024,7\n1,6,28,512,9\n1,6,35,0,0\n1,6,12,36,0\n"
        )
        .requests(),
        [
            (0, Write, 7, 2),
            (1_000_000_000, Read, 9, 1),
            (1_000_000_000, Flush, 0, 0)
        ]
    );
    let ends = "1,81.5,7,WR_IN,0,3,4,1,1,0,64,8,9,6,1,56.9\n1,90,7,WR_OUT,0,3,4,1,3,1,64,8,9,6,1,56.9\n";
    assert_eq!(Trace::new("hfplayer", ends).requests(), [(0, Write, 64, 8)]);
    says(
        &Trace::new("alibaba", "7,X,4096,8192,1\n").refused(),
        &["column 2 (opcode)", "`X`"],
    );
    says(
        &Trace::new("vscsi_csv", "3,5,2a,512,7\n").refused(),
        &["column 1 (version)", "`3`", "1 or 2"],
    );
}

/// The same two requests in formats of one row for each: a write of 4 KiB at 32 KiB, and 1.25 ms later a read of 8 KiB at
/// 64 KiB.
#[test]
fn rows_mean_the_same_requests_in_every_format() {
    let digest = "2e568877a8c6b805f764462968f73f21";
    let fiu = format!("1000 427 rpc 64 8 W 6 0 {digest}\n1251000 427 rpc 128 16 R 6 0 {digest}{digest}\n");
    let hash = format!("1000 0 64 8 0 {digest}\n1251000 0 128 16 1 {digest}{digest}\n");
    for (format, rows) in [
        ("spc", "0,64,4096,w,0.0015\n0,128,8192,r,0.00275\n"),
        (
            "msr",
            "128166385295514663,hm,0,Write,32768,4096,28\n128166385295527163,hm,0,Read,65536,8192,28\n",
        ),
        ("disksim", "1.500 0 64 8 0\n2.750 0 128 16 1\n"),
        ("ssdsim", "1000 0 64 8 0\n1251000 0 128 16 1\n"),
        ("ssdsim_hash", &hash),
        ("mqsim", "1000 0 64 8 0\n1251000 0 128 16 1\n"),
        ("flashsim", "1.500000\t0\t64\t1\t0\n2.750000\t0\t128\t2\t1\n"),
        ("replayer", "1.500 0 32768 4096 0\n2.750 0 65536 8192 1\n"),
        ("fiu", &fiu),
        (
            "wiscsee",
            "39 D write 32768 4096 0.001500000 0 False\n39 D read 65536 8192 0.002750000 0.00125 False\n",
        ),
    ] {
        assert_eq!(
            Trace::new(format, rows).requests(),
            [(0, Write, 64, 8), (1_250_000, Read, 128, 16)],
            "{format}"
        );
    }
}

/// Arrivals of hfplayer are microseconds with decimals: 1.25 us apart.
#[test]
fn hfplayer_counts_in_microseconds() {
    let row = |us: &str, command: &str, op: u8, sector: u64| {
        format!("36,{us},1737,{command},0,307,14,1,{op},0,{sector},8,121408,6,1,56.910\n")
    };
    let rows = row("81442951.096", "WR_IN", 1, 64) + &row("81442952.346", "RD_IN", 0, 128);
    assert_eq!(
        Trace::new("hfplayer", rows).requests(),
        [(0, Write, 64, 8), (1_250, Read, 128, 8)]
    );
}

/// A vscsi record.
fn record(op: u16, bytes: u32, block: u64, time: u64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(7_u32.to_le_bytes());
    record.extend(bytes.to_le_bytes());
    record.extend(1_u32.to_le_bytes());
    record.extend(op.to_le_bytes());
    record.extend(256_u16.to_le_bytes());
    record.extend(block.to_le_bytes());
    record.extend(time.to_le_bytes());
    record
}

#[test]
fn vscsi_records() {
    let bytes = [
        record(0x2a, 1024, 7, 5_000_000),
        record(0x42, 24, 0, 5_000_001),
        record(0x88, 512, 9, 5_000_250),
        record(0x35, 0, 0, 5_000_300),
    ]
    .concat();
    assert_eq!(
        Trace::new("vscsi", &bytes).requests(),
        [(0, Write, 7, 2), (250_000, Read, 9, 1), (300_000, Flush, 0, 0)]
    );
    says(
        &Trace::new("vscsi", &bytes[..100]).refused(),
        &["after row 3", "ends within a record"],
    );
    let mut second = record(0x2a, 512, 1, 1);
    second[15] = 2;
    says(
        &Trace::new("vscsi", second).refused(),
        &["row 1", "(version)", "512", "256"],
    );
    says(
        &Trace::new("vscsi", record(0x2a, 512, u64::MAX, 1)).refused(),
        &["(logical block)", "below 4 EiB"],
    );
    says(
        &Trace::new("vscsi", record(0x2a, 512, 1, u64::MAX)).refused(),
        &["(time)", "584 years"],
    );
}

/// An SRT record: bytes, block, device word, flags, at second 1.
fn srt_record(bytes: i32, block: i32, device: i32, flags: i32) -> Vec<u8> {
    [
        56, 0x4_0001, 1, 250, 0, 0, bytes, block, device, 4, 0, flags, 0, 0,
    ]
    .into_iter()
    .flat_map(i32::to_be_bytes)
    .collect()
}

#[test]
fn srt_records() {
    let file = |header: &str, record: Vec<u8>| [header.as_bytes(), &record].concat();
    let header = "$$TR_IOREC-1.3 (test)\nsectorsize = 256,\nsectorsize  = 256;\n\x0c";
    let stats = |bytes: Vec<u8>| {
        let trace = Trace::new("srt", bytes);
        let srt = TraceOptions {
            format: Some("srt"),
            ..TraceOptions::default()
        };
        trace_stats(&trace.folder.path().join("trace"), &srt).map_err(|error| error.to_string())
    };
    let read = stats(file(header, srt_record(2048, 10, 0x0700_0107, 0x1b))).unwrap();
    assert_eq!(
        (read.reads, read.read_bytes, read.highest_byte),
        (1, 2048, 2560 + 2048)
    );
    let written = stats(file(header, srt_record(512, 10, 7, 0x1a))).unwrap();
    assert_eq!((written.writes, written.written_bytes), (1, 512));
    for (bytes, words) in [
        (
            file("$$TR_IOREC-1.2\n\x0c", vec![]),
            "begins with `$$TR_IOREC-1.2`",
        ),
        (
            file("$$TR_IOREC-1.3\n\x0c", srt_record(1, 1, 1, 1)),
            "names no sectorsize",
        ),
        (
            file(
                "$$TR_IOREC-1.3\nsectorsize = 256; sectorsize = 512;\x0c",
                srt_record(1, 1, 1, 1),
            ),
            "sectors of 256 and of 512 bytes",
        ),
        (
            file("$$TR_IOREC-1.3\nsectorsize = x\x0c", srt_record(1, 1, 1, 1)),
            "sectorsize = `x`",
        ),
        (file(header, srt_record(-1, 1, 1, 1)), "column 7 (bytes) is -1"),
        (
            file(header, srt_record(512, 1, 1, 1)[..40].to_vec()),
            "ends within a record",
        ),
        (file(header, vec![0; 56]), "record size and type"),
    ] {
        says(&stats(bytes).unwrap_err(), &[words]);
    }
}

fn mapped(change: impl FnOnce(&mut CsvConfig)) -> impl FnOnce(&mut WorkloadConfig) {
    let number = |number| Some(CsvColumn::Number(number));
    let mut csv = CsvConfig {
        time: number(1),
        op: number(2),
        offset: number(3),
        size: number(4),
        ..CsvConfig::default()
    };
    change(&mut csv);
    |config| config.csv = csv
}

#[test]
fn columns_as_the_user_says() {
    let name = |name: &str| Some(CsvColumn::Name(name.to_owned()));
    let rows = "len;disk;\"at\";what;start\n2;a;1.5;WRITE;10\n1;b;1.25;rd;0\n0;a;2;barrier;\n8;a;2.5;t;20\n";
    let trace = Trace::new("csv", rows).with(|config| {
        config.time_unit = Some(TimeUnit::Milliseconds);
        config.csv = CsvConfig {
            time: name("at"),
            op: name("What"),
            offset: name("start"),
            size: name("len"),
            device: name("disk"),
            separator: ";".into(),
            offset_unit: ByteSize(4096),
            size_unit: ByteSize(512),
            read: vec!["rd".into()],
            flush: vec!["barrier".into()],
            ..CsvConfig::default()
        };
    });
    assert_eq!(
        trace.requests(),
        [
            (0, Read, 0, 1),
            (250_000, Write, 80, 2),
            (750_000, Flush, 0, 0),
            (1_250_000, Trim, 160, 8),
        ]
    );
    let blanks = Trace::new("csv", "7  w\t 512   512\n").with(mapped(|csv| {
        csv.separator = "blank".into();
        csv.header = false;
    }));
    assert_eq!(blanks.requests(), [(0, Write, 1, 1)]);
}

#[test]
fn a_wrong_description_names_its_key() {
    let refused =
        |rows: &str, change: fn(&mut CsvConfig)| Trace::new("csv", rows).with(mapped(change)).refused();
    let rows = "t,o,a,l\n1,r,0,512\n";
    assert_eq!(Trace::new("csv", rows).with(mapped(|_| {})).requests().len(), 1);
    let unset = Trace::new("csv", rows).refused();
    says(&unset, &["workload.csv.op", "unset", "a column"]);
    says(
        &refused(rows, |csv| csv.offset = Some(CsvColumn::Number(0))),
        &["workload.csv.offset", "0", "from 1 to 1000"],
    );
    says(
        &refused(rows, |csv| csv.size = Some(CsvColumn::Name("length".into()))),
        &["row 1", "workload.csv.size", "\"length\"", "t,o,a,l"],
    );
    says(
        &refused(rows, |csv| {
            csv.header = false;
            csv.op = Some(CsvColumn::Name("o".into()));
        }),
        &["workload.csv.op", "workload.csv.header"],
    );
    says(
        &refused(rows, |csv| csv.separator = "ab".into()),
        &["workload.csv.separator", "\"ab\""],
    );
    says(
        &refused(rows, |csv| csv.size_unit = ByteSize(0)),
        &["workload.csv.size_unit"],
    );
    says(
        &refused(rows, |csv| csv.write = vec!["R".into()]),
        &["workload.csv.write", "workload.csv.read"],
    );
    says(
        &refused(rows, |csv| csv.device = Some(CsvColumn::Number(9))),
        &["row 2", "ends after 4 columns"],
    );
    says(
        &refused("t,o,a,l\n1,x,0,512\n", |_| {}),
        &["row 2", "column 2 (workload.csv.op)", "`x`"],
    );
    says(
        &refused("t,o,a,l\n1,r,-1,512\n", |_| {}),
        &["row 2", "column 3 (workload.csv.offset)", "`-1`"],
    );
}

#[test]
fn a_table_of_offsets_is_drawn_from() {
    let table = "LBA,Frequency\n8192,3\n0,1\n# remark\n8192,2\n4608,4\n";
    let trace = Trace::new("offset_frequency", table);
    let (commands, notes) = trace.replay();
    let at = |sector| commands.iter().filter(|command| command.sector == sector).count();
    assert_eq!((at(0), at(9), at(16), commands.len()), (1, 4, 5, 10));
    assert!(
        commands
            .iter()
            .all(|command| command.op == Write && command.sectors == 8)
    );
    says(
        &notes.join("\n"),
        &[
            "surrogate of 10 writes",
            "3 offsets",
            "workload.seed = 1",
            "closed_loop",
        ],
    );
    let other = Trace::new("offset_frequency", table).with(|config| config.seed = 2);
    assert_ne!(other.replay().0, commands);
    assert_eq!(
        Trace::new("offset_frequency", table.trim_end()).replay().0,
        commands
    );
    let stats = trace_stats(&trace.folder.path().join("trace"), &TraceOptions::default()).unwrap();
    let offsets = stats.start_offsets.unwrap();
    assert_eq!(
        (
            offsets.offsets,
            offsets.requests,
            offsets.pages,
            offsets.highest_offset
        ),
        (3, 10, 3, 8192)
    );
    assert_eq!(stats.format, "offset_frequency");
    for (table, words) in [
        ("0,1\n", "LBA,Frequency"),
        ("LBA,Frequency\n0,67108865\n", "at most 4194304 offsets"),
        ("LBA,Frequency\n0,x\n", "column 2 (Frequency)"),
        ("LBA,Frequency\n0,1,2\n", "a further column"),
        ("LBA,Frequency\n", "none of its 1 rows is a request"),
    ] {
        says(&Trace::new("offset_frequency", table).refused(), &[words]);
    }
}

/// Every format is described fully enough for a page of its own.
#[test]
fn formats_are_described() {
    for format in formats() {
        for text in [format.title, format.description, format.example, format.source] {
            assert!(!text.is_empty(), "{}", format.name);
        }
        assert!(!format.traps.is_empty(), "{}", format.name);
        assert!(
            format
                .name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        );
    }
}
