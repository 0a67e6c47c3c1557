//! Traces as the recorders of today write them: rows of their own, which mean what the recorder says.

mod windows;

use std::path::PathBuf;

use wordline_units::ByteSize;
use wordline_workload::HostOp::{Flush, Read, Trim, Write, WriteZeroes};
use wordline_workload::{
    CsvColumn, CsvConfig, HostCommand, HostOp, TraceAction, TraceOptions, WorkloadConfig, WorkloadKind,
    measured, open, trace_stats,
};

const DRIVE: u64 = 1 << 31;

/// A trace in a folder of its own.
struct Trace {
    folder: tempfile::TempDir,
    config: WorkloadConfig,
}

impl Trace {
    fn new(bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("trace"), bytes).unwrap();
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(folder.path().join("trace")),
            ..WorkloadConfig::default()
        };
        Self { folder, config }
    }

    fn with(mut self, change: impl FnOnce(&mut WorkloadConfig)) -> Self {
        change(&mut self.config);
        self
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn replay(&self) -> (Vec<HostCommand>, String) {
        let mut source =
            open(&self.config, DRIVE, self.folder.path()).unwrap_or_else(|error| panic!("{error}"));
        let commands = std::iter::from_fn(|| source.next_command().unwrap()).collect();
        (commands, source.notes().join("\n"))
    }

    /// Arrival in microseconds, operation, sector, sectors.
    fn requests(&self) -> Vec<(u64, HostOp, u64, u32)> {
        let commands = self.replay().0;
        let of = |command: &HostCommand| {
            (
                command.arrival.ns() / 1000,
                command.op,
                command.sector,
                command.sectors,
            )
        };
        commands.iter().map(of).collect()
    }

    /// The format that it is recognised as.
    fn format(&self) -> String {
        trace_stats(&self.path(), &TraceOptions::of(&self.config))
            .unwrap_or_else(|error| panic!("{error}"))
            .format
    }

    fn refused(&self) -> String {
        trace_stats(&self.path(), &TraceOptions::of(&self.config))
            .unwrap_err()
            .to_string()
    }
}

fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing: {text}");
    }
}

const NVME: &str = "\
# tracer: nop
     kworker/1:1H-90    [001] ..... 12.000000: nvme_setup_cmd: nvme0: qid=0, cmdid=9, nsid=0, flags=0x0, meta=0x0, cmd=(nvme_admin_identify cns=1, ctrlid=0)
           app-10       [001] ..... 12.000100: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=5, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=800, len=7, ctrl=0x0, dsmgmt=7, reftag=0)
           app-10       [001] ..... 12.000200: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=6, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=1600, len=15, ctrl=0x4000, dsmgmt=0, reftag=0)
           app-10       [001] ..... 12.000250: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=7, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_dsm nr=0, attributes=4)
           app-10       [001] ..... 12.000300: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=2, cmdid=5, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_flush cdw10=00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00)
           app-10       [001] ..... 12.000400: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=2, cmdid=6, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write_zeroes cdw10=80 0c 00 00 00 00 00 00 1f 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00)
        <idle>-0        [001] d.h.. 12.000500: nvme_complete_rq: nvme0: disk=nvme0n1, qid=1, cmdid=6, res=0x0, retries=0, flags=0x0, status=0x0
        <idle>-0        [001] d.h.. 12.000600: nvme_complete_rq: nvme0: disk=nvme0n1, qid=1, cmdid=5, res=0x0, retries=0, flags=0x0, status=0x0
        <idle>-0        [001] d.h.. 12.000700: nvme_complete_rq: nvme0: disk=nvme0n1, qid=3, cmdid=5, res=0x0, retries=0, flags=0x0, status=0x0
";

#[test]
fn commands_of_the_nvme_driver_are_requests() {
    let trace = Trace::new(NVME);
    assert_eq!(trace.format(), "nvme_events");
    assert_eq!(
        trace.requests(),
        [
            (0, Read, 800, 8),
            (100, Write, 1600, 16),
            (200, Flush, 0, 0),
            (300, WriteZeroes, 3200, 32),
        ]
    );
    let (commands, notes) = trace.replay();
    let fua: Vec<bool> = commands.iter().map(|command| command.fua).collect();
    assert_eq!(fua, [false, true, false, false]);
    says(
        &notes,
        &[
            "logical blocks of 512 bytes are taken",
            "1 deallocations (nvme_cmd_dsm)",
            "1 commands move no data",
        ],
    );
    // of a drive with blocks of 4 KiB
    let large = Trace::new(NVME).with(|config| config.logical_block = Some(ByteSize(4096)));
    assert_eq!(large.requests()[0], (0, Read, 6400, 64));
    // completions are in an order of their own; one is of a command before the recording
    let completed = Trace::new(NVME).with(|config| config.action = Some(TraceAction::Completed));
    assert_eq!(completed.requests(), [(0, Write, 1600, 16), (100, Read, 800, 8)]);
    says(&completed.replay().1, &["1 completions belong to commands"]);
    let times = measured(&trace.path(), &TraceOptions::default(), 0, u64::MAX, &|| true).unwrap();
    let responses: Vec<_> = times.iter().map(|request| request.response).collect();
    assert_eq!(responses, [Some(500_000), Some(300_000), None, None]);
}

#[test]
fn spellings_of_other_kernels_and_tools_are_read() {
    for (line, wanted) in [
        // Linux 4.17
        (
            "app-10 [001] .... 1.5: nvme_setup_nvm_cmd: qid=1, nsid=1, cmdid=5, flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=800, len=7, ctrl=0x0, dsmgmt=0, reftag=0)",
            (0, Read, 800, 8),
        ),
        // perf script
        (
            "app 10 [001] 1.500000: nvme:nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=5, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=8, len=0, ctrl=0x0, dsmgmt=0, reftag=0)",
            (0, Write, 8, 1),
        ),
        // fields in place of the command, where the recorder cannot print it
        (
            "app-10 [001] 1.500000: nvme_setup_cmd: [FAILED TO PARSE] disk=nvme0n1 ctrl_id=0 qid=1 opcode=2 flags=0 fctype=0 cid=5 nsid=1 metadata=0 cdw10=ARRAY[20, 03, 00, 00, 00, 00, 00, 00, 07, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00]",
            (0, Read, 800, 8),
        ),
    ] {
        let trace = Trace::new(format!("{line}\n"));
        assert_eq!(trace.format(), "nvme_events", "{line}");
        assert_eq!(trace.requests(), [wanted], "{line}");
    }
    let cut = "app-10 [001] 1.5: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=5, nsid=1, cmd=(nvme_cmd_read slba=800";
    says(
        &Trace::new(cut)
            .with(|config| config.format = Some("nvme_events".into()))
            .refused(),
        &["row 1", "slba=8, len=7"],
    );
}

#[test]
fn block_events_come_first_where_both_are_recorded() {
    let both = format!("{NVME}app-10 [001] ..... 12.000900: block_rq_issue: 259,0 W 4096 () 8 + 8 [app]\n");
    let trace = Trace::new(both);
    assert_eq!(trace.format(), "ftrace");
    assert_eq!(trace.requests(), [(0, Write, 8, 8)]);
}

#[test]
fn perf_script_prints_block_events() {
    let text = "\
app  2000 [000]   100.000000: block:block_rq_issue: 259,0 R 4096 () 43112 + 8 [app]
\tffffffff8b0a1234 submit_bio+0x20 ([kernel.kallsyms])
app  2000 [000]   100.000100:          1 block:block_rq_issue: 259,0 DS 65536 () 800 + 128 none,0,0 [app]
app  2000 [000]   100.000150: block:block_rq_issue: 259,0 N 0 () 0 + 0 [app]
CPU:2 [LOST 17 EVENTS]
app  2000 [000]   100.000200: block:block_rq_issue: 259,0 FF 0 () 18446744073709551615 + 0 [app]
";
    let trace = Trace::new(text);
    assert_eq!(trace.format(), "ftrace");
    assert_eq!(
        trace.requests(),
        [(0, Read, 43112, 8), (100, Trim, 800, 128), (200, Flush, 0, 0)]
    );
    says(
        &trace.replay().1,
        &[
            "lost events at 1 places",
            "1 events of requests neither read, write, trim nor flush",
        ],
    );
}

/// A record of version 2.
fn vscsi2(code: u16, bytes: u32, block: u64, time: u64, response: u64) -> Vec<u8> {
    let mut record = Vec::new();
    for part in [&code.to_le_bytes()[..], &512_u16.to_le_bytes()] {
        record.extend(part);
    }
    for number in [7, bytes, 1] {
        record.extend(number.to_le_bytes());
    }
    for number in [block, time, response] {
        record.extend(number.to_le_bytes());
    }
    record
}

#[test]
fn vscsi_records_of_version_2() {
    let records = [
        vscsi2(0x28, 4096, 63, 1_000, 120),
        vscsi2(0x2a, 512, 8, 1_500, 0),
        vscsi2(0x35, 0, 0, 1_600, 900),
        // UNMAP
        vscsi2(0x42, 24, 0, 1_700, 10),
    ];
    let trace = Trace::new(records.concat());
    assert_eq!(trace.format(), "vscsi2");
    assert_eq!(
        trace.requests(),
        [(0, Read, 63, 8), (500, Write, 8, 1), (600, Flush, 0, 0)]
    );
    let times = measured(&trace.path(), &TraceOptions::default(), 0, u64::MAX, &|| true).unwrap();
    assert_eq!(times[0].response, Some(120_000));
    let wrong =
        Trace::new(vscsi2(0x128, 4096, 63, 1_000, 120)).with(|config| config.format = Some("vscsi2".into()));
    says(&wrong.refused(), &["column 1 (SCSI operation code)", "296"]);
    let first = Trace::new(records.concat()).with(|config| config.format = Some("vscsi".into()));
    says(&first.refused(), &["version", "256"]);
}

#[test]
fn an_address_may_be_a_block_and_an_offset_within_it() {
    let rows = "when,op,block,within,bytes,queue,fua\n0.0,W,3,512,1024,2,1\n0.5,R,0,0,512,,\n";
    let name = |name: &str| Some(CsvColumn::Name(name.to_owned()));
    let csv = CsvConfig {
        time: name("when"),
        op: name("op"),
        block: name("block"),
        block_size: Some(ByteSize(4 << 20)),
        offset: name("within"),
        size: name("bytes"),
        queue: name("queue"),
        fua: name("fua"),
        ..CsvConfig::default()
    };
    let of = |rows: &str, csv: CsvConfig| {
        Trace::new(rows).with(|config| {
            config.format = Some("csv".into());
            config.csv = csv;
        })
    };
    let trace = of(rows, csv.clone());
    assert_eq!(
        trace.requests(),
        [(0, Write, 3 * 8192 + 1, 2), (500_000, Read, 0, 1)]
    );
    let commands = trace.replay().0;
    assert_eq!((commands[0].queue, commands[0].fua), (2, true));
    let blocks_alone = CsvConfig {
        offset: None,
        ..csv.clone()
    };
    assert_eq!(of(rows, blocks_alone).requests()[0], (0, Write, 3 * 8192, 2));
    let far = "when,op,block,within,bytes,queue,fua\n0.0,W,1099511627776,0,512,0,0\n";
    says(
        &of(far, csv.clone()).refused(),
        &["column 3 (workload.csv.block)", "1099511627776", "4 EiB"],
    );
    let forced = "when,op,block,within,bytes,queue,fua\n0.0,W,1,0,512,0,yes\n";
    says(
        &of(forced, csv.clone()).refused(),
        &["column 7 (workload.csv.fua)", "`yes`", "true or 1"],
    );
    for (wrong, words) in [
        (
            CsvConfig {
                block_size: None,
                ..csv.clone()
            },
            ["workload.csv.block_size", "unset"],
        ),
        (
            CsvConfig {
                block: None,
                ..csv.clone()
            },
            ["workload.csv.block_size", "without workload.csv.block"],
        ),
        (
            CsvConfig {
                block_size: Some(ByteSize(2 << 30)),
                ..csv
            },
            ["workload.csv.block_size", "1 GiB"],
        ),
    ] {
        let config = WorkloadConfig {
            kind: WorkloadKind::Trace,
            path: Some(PathBuf::from("a")),
            format: Some("csv".into()),
            csv: wrong,
            ..WorkloadConfig::default()
        };
        says(&config.check().unwrap_err().to_string(), &words);
    }
}

#[test]
fn tables_say_in_their_header_what_they_hold() {
    let rows = "time,op,offset,size\n0.5,W,4096,8192\n0.75,R,0,4096\n1,flush,,\n";
    let trace = Trace::new(rows);
    assert_eq!(trace.format(), "table");
    assert_eq!(
        trace.requests(),
        [(0, Write, 8, 16), (250_000, Read, 0, 8), (500_000, Flush, 0, 0)]
    );
    // the requests of a result
    let result = "number,arrival_ns,admitted_ns,completed_ns,class,status,sector,sectors,queue\n\
                  0,5000,5000,9000,write,good,8,16,1\n1,7000,7000,8000,other,good,0,8,0\n2,9000,9000,9500,other,good,0,0,0\n";
    let trace = Trace::new(result);
    assert_eq!(trace.format(), "table");
    assert_eq!(
        trace.requests(),
        [(0, Write, 8, 16), (2, Trim, 0, 8), (4, Flush, 0, 0)]
    );
    says(&trace.replay().1, &["1 requests of the class `other`"]);
    let lacking = Trace::new("time,op,offset\n0,W,0\n").with(|config| config.format = Some("table".into()));
    says(
        &lacking.refused(),
        &["row 1", "time,op,offset", "time, op, offset and size"],
    );
}

#[test]
fn files_of_columns_name_who_reads_them() {
    // nobody does in this program
    says(
        &Trace::new(b"PAR1 and so on").refused(),
        &["is a Parquet file", "Python package"],
    );
}

#[test]
fn logical_blocks_are_powers_of_two() {
    for size in [0, 256, 3000, 1 << 20] {
        let trace = Trace::new(NVME).with(|config| config.logical_block = Some(ByteSize(size)));
        says(
            &trace.config.check().unwrap_err().to_string(),
            &["workload.logical_block", "power of two"],
        );
    }
}
