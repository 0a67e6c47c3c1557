//! Disk events of Windows.

use super::*;

const ETW: &str = "\
BeginHeader
               DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID, CPU,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName
              DiskWrite,  TimeStamp,     Process Name ( PID),   ThreadID, CPU,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName
              DiskFlush,  TimeStamp,     Process Name ( PID),   ThreadID, CPU,             IrpPtr,                           ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri
           DiskReadInit,  TimeStamp,     Process Name ( PID),   ThreadID, CPU,             IrpPtr
EndHeader
OS Version: 10.0.19041  , Trace Size: 1024KB
               P-Start,          0,          app.exe (4242),         11,   2
          DiskReadInit,       8000,          app.exe (4242),      11844,   1, 0xffffe288b23f1b20
               DiskRead,       8612,          app.exe (4242),      11844,   1, 0xffffe288b23f1b20, 0x00000a0000, 0x00001000,         283,        0, 0x060043,         283,       3, Original, 0xffffe288272d0d20, \"C:\\a, b.txt\"
              DiskWrite,       8700,          app.exe (4242),      11844,   1, 0xffffe288b23f1b20, 0x0000000200, 0x00000200,         600,        0, 0x060043,         283,       3, Original, 0xffffe288272d0d20, \"C:\\a\"
              DiskFlush,       9000,          app.exe (4242),      11844,   1, 0xffffe288b23f1b20,                                  10,        0, 0x060043,          10,       3
";

#[test]
fn disk_events_of_windows_are_requests() {
    let trace = Trace::new(ETW);
    assert_eq!(trace.format(), "etw");
    // a request arrives its elapsed time before it is complete
    assert_eq!(
        trace.requests(),
        [(0, Write, 1, 1), (229, Read, 1280, 8), (890, Flush, 0, 0)]
    );
    let times = measured(&trace.path(), &TraceOptions::default(), 0, u64::MAX, &|| true).unwrap();
    let responses: Vec<_> = times.iter().map(|request| request.response).collect();
    assert_eq!(responses, [Some(600_000), Some(283_000), Some(10_000)]);
    // the traces of production servers have no column for the CPU, and here no header either
    let old = "  DiskWrite,  8700,  app.exe (4),  11,  0xffffe288b23f1b20, 0x0200, 0x0200,  600,  3, 0x060043, 283\n";
    assert_eq!(Trace::new(old).requests(), [(0, Write, 1, 1)]);
    // processes are listed before the first request, for longer than the sample
    let head = ETW.split_once("OS Version").unwrap().0;
    let tail = ETW.rsplit_once("P-Start").unwrap().1;
    let long = format!(
        "{head}{}P-Start{tail}",
        "T-DCStart,  0,  app.exe (4242),  1\n".repeat(8_000)
    );
    let long = Trace::new(long);
    assert_eq!((long.format().as_str(), long.requests().len()), ("etw", 3));
    let wrong = ETW.replace("0x00001000", "4 KiB");
    says(
        &Trace::new(wrong)
            .with(|config| config.format = Some("etw".into()))
            .refused(),
        &["row 10", "column 8 (IOSize)", "`4 KiB`", "hexadecimal"],
    );
}

const TRACERPT: &str = "\
Event Name,       Type,   Event ID,    Version,    Channel,      Level,     Opcode,       Task,            Keyword,        PID,        TID, Processor Number,    Instance ID, Parent Instance ID,         Activity ID, Related Activity ID,           Clock-Time,   Kernel(ms),     User(ms),  User Data
   EventTrace,     Header,          0,          2,          0,          0,          0,          0, 0x0000000000000000, 0x00000F90, 0x00002E44,          1,           ,           , {00000000-0000-0000-0000-000000000000},           , 133500000000000000,          0,          0,      65536,   83886090
       DiskIo,   ReadInit,          0,          3,          0,          0,         12,          0, 0x0000000000000000, 0x00000F90, 0x00002E44,          1,           ,           , {00000000-0000-0000-0000-000000000000},           , 133500000000010000,          0,          0, 0xFFFFE288B23F1B20,      11844
       DiskIo,       Read,          0,          3,          0,          0,         10,          0, 0x0000000000000000, 0x00000F90, 0x00002E44,          1,           ,           , {00000000-0000-0000-0000-000000000000},           , 133500000000012830,          0,          0,          0, 0x00060043,       4096,          0,     655360, 0xFFFFE288272D0D20, 0xFFFFE288B23F1B20,       2830,      11844
       DiskIo,      Write,          0,          3,          0,          0,         11,          0, 0x0000000000000000, 0x00000F90, 0x00002E44,          1,           ,           , {00000000-0000-0000-0000-000000000000},           , 133500000000013000,          0,          0,          0, 0x00060043,        512,          0, 0x00000200, 0xFFFFE288272D0D20, 0xFFFFE288B23F1B20,       6000,      11844
       DiskIo, FlushBuffers,        0,          3,          0,          0,         14,          0, 0x0000000000000000, 0x00000F90, 0x00002E44,          1,           ,           , {00000000-0000-0000-0000-000000000000},           , 133500000000020000,          0,          0,          0, 0x00060043,        100, 0xFFFFE288B23F1B20,      11844
";

#[test]
fn disk_events_of_tracerpt_are_requests() {
    let trace = Trace::new(TRACERPT);
    assert_eq!(trace.format(), "tracerpt");
    // a request arrives its response time before it is complete: 600 us before 1,300 us, 283 us before 1,283 us, 10 us before 2,000 us
    assert_eq!(
        trace.requests(),
        [(0, Write, 1, 1), (300, Read, 1280, 8), (1290, Flush, 0, 0)]
    );
    let times = measured(&trace.path(), &TraceOptions::default(), 0, u64::MAX, &|| true).unwrap();
    let responses: Vec<_> = times.iter().map(|request| request.response).collect();
    assert_eq!(responses, [Some(600_000), Some(283_000), Some(10_000)]);
    let refused = |text: String| {
        Trace::new(text)
            .with(|config| config.format = Some("tracerpt".into()))
            .refused()
    };
    says(
        &refused(TRACERPT.replace("  4096,", "  4 KiB,")),
        &["row 4", "column 22 (TransferSize)", "`4 KiB`", "a whole number"],
    );
    says(
        &refused(TRACERPT.replace("Clock-Time", "Clock")),
        &["Event Name, Type, Clock-Time and User Data"],
    );
}

const WPA: &str = "\u{feff}Line #,IO Type,Process,Disk,Path Name,Min Offset,Size (B),Init Time (s),Complete Time (s),IO Time (\u{b5}s),Count
1,Read,app.exe (3984),0,\"C:\\a, b.txt\",\"655,360\",\"4,096\",0.008329000,0.008612000,283.000,1
2,Write,app.exe (3984),0,C:\\a,0x200,512,0.008100000,0.008700000,600.000,1
3,Flush,System (4),0,,,,\"0.008990000\",0.009000000,10.000,1
";

#[test]
fn a_table_of_windows_performance_analyzer_is_requests() {
    let trace = Trace::new(WPA);
    assert_eq!(trace.format(), "wpa");
    assert_eq!(
        trace.requests(),
        [(0, Write, 1, 1), (229, Read, 1280, 8), (890, Flush, 0, 0)]
    );
    let times = measured(&trace.path(), &TraceOptions::default(), 0, u64::MAX, &|| true).unwrap();
    let responses: Vec<_> = times.iter().map(|request| request.response).collect();
    assert_eq!(responses, [Some(600_000), Some(283_000), Some(10_000)]);
    let refused = |from: &str, to: &str| {
        Trace::new(WPA.replace(from, to))
            .with(|config| config.format = Some("wpa".into()))
            .refused()
    };
    says(
        &refused("600.000,1", "600.000,2"),
        &["row 3", "column 11 (Count)", "a row for each request"],
    );
    says(
        &refused("Init Time (s)", "Init Time (ms)"),
        &["Init Time", "workload.time_unit"],
    );
    says(&refused("Min Offset", "Offset"), &["no column Min Offset"]);
    says(
        &refused("4,096", "4 KiB"),
        &["row 2", "column 7 (Size)", "`4 KiB`"],
    );
    says(&refused("2,Write", "2,"), &["row 3", "column 2 (IO Type)"]);
}
