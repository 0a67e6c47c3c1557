//! hfplayer's CSV (Haghdoost et al., "On the Accuracy and Scalability of Intensive I/O Workload Replay", FAST 2017).

use super::fields::{Columns, SECTOR, Separator, time};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "hfplayer",
    title: "hfplayer CSV",
    description: "16 columns: dump offset, elapsed time in µs (the arrival), elapsed ticks, command (RD_IN or WR_IN), inflight, \
                  timestamp, sequence, LUN (each is a device), operation (0 read, 1 write), phase (0 start, 1 end: passed over), \
                  sector and sectors of 512 bytes, latency in ticks, host, host LUN, latency in us; a header line that begins \
                  with # is passed over",
    example: "3610768,81442951.096,173744962312,WR_IN,0,30736997642535324,1483333685,1,1,0,2254431928,8,121408,6,1,56.910",
    binary: false,
    extensions: &["hfplayer", "csv"],
    time_unit: TimeUnit::Microseconds,
    source: "Haghdoost et al., \"On the Accuracy and Scalability of Intensive I/O Workload Replay\", FAST 2017",
    traps: &["Only start records (phase 0) are requests; end records describe the same requests again."],
    likeness: unmistakable,
    decoder: |reading| text(HfPlayer { unit: reading.unit }),
    actions: false,
};

struct HfPlayer {
    unit: TimeUnit,
}

impl RowParser for HfPlayer {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::COMMA);
        columns.number("DUMP_OFFSET")?;
        let arrival = columns.time("ELAPSED_USECS", self.unit)?;
        columns.number("ELAPSED_TICKS")?;
        let ends = match columns.need("CMD")? {
            b"RD_IN" | b"WR_IN" => false,
            b"RD_OUT" | b"WR_OUT" => true,
            other => return Err(columns.wrong("CMD", other, "RD_IN, WR_IN, RD_OUT or WR_OUT")),
        };
        for what in ["INFLIGHT_IOS", "TS", "SEQID"] {
            columns.number(what)?;
        }
        let device = columns.number("LUN_SSID")?;
        let op = columns.need("OP")?;
        let phase = columns.need("PHASE")?;
        if ends || phase == b"1" {
            return Ok(Parsed::Other);
        }
        if phase != b"0" {
            return Err(columns.wrong("PHASE", phase, "0 (start) or 1 (end)"));
        }
        let op = match op {
            b"0" => HostOp::Read,
            b"1" => HostOp::Write,
            other => return Err(columns.wrong_at(9, "OP", other, "0 (read) or 1 (write)")),
        };
        let (start, bytes) = columns.extent(("LBA", SECTOR), ("NBLKS", SECTOR))?;
        for what in ["LATENCY_TICKS", "HOST_ID", "HOST_LUN"] {
            columns.need(what)?;
        }
        // what cannot be read as a time is none: replays have no use for it
        let response = time(columns.need("LATENCY_USECS")?, self.unit.ns()).unwrap_or_default();
        columns.end()?;
        let row = TraceRow::new(arrival, device, op, start, bytes);
        Ok(Parsed::Request(row.answered(response)))
    }
}
