//! What `biosnoop` prints (Gregg; bcc and bpftrace tools).

use super::fields::{Columns, SECTOR, Separator, time, whole};
use super::format::{Format, text, unmistakable};
use super::names::{Names, is_header};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "biosnoop",
    title: "biosnoop",
    description: "time of the completion in s, process, process id, disk, R or W, sector of 512 bytes, bytes, latency in ms, the last of which may have the time in the \
                  host's queue (QUE(ms)) before it; a header line is allowed; each disk is a device",
    example: "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)\n0.010000    app            1001    nvme0n1   W 5512       4096      0.11",
    binary: false,
    extensions: &["biosnoop"],
    time_unit: TimeUnit::Seconds,
    source: "biosnoop of bcc (https://github.com/iovisor/bcc), tools/biosnoop_example.txt",
    traps: &[
        "Times are those of completions: a request arrives its latency earlier. Rows are then not in the order of time, and are sorted (workload.disorder).",
        "Names of processes may hold blanks: rows are read from their end.",
        "What is neither read nor written (N, D) is skipped and counted.",
        "Latencies are milliseconds, whatever workload.time_unit says.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(BioSnoop {
            unit: reading.unit,
            disks: Names::default(),
            queued: false,
            first: true,
            skipped: 0,
        })
    },
    actions: false,
};

struct BioSnoop {
    unit: TimeUnit,
    disks: Names,
    /// A column QUE(ms) stands before the latency.
    queued: bool,
    first: bool,
    skipped: u64,
}

/// The last words of a row, from the left.
fn last<const N: usize>(mut row: &[u8]) -> Option<([&[u8]; N], &[u8])> {
    let mut words = [&b""[..]; N];
    for word in words.iter_mut().rev() {
        row = row.trim_ascii_end();
        let start = row
            .iter()
            .rposition(u8::is_ascii_whitespace)
            .map_or(0, |blank| blank + 1);
        (row, *word) = row.split_at(start);
        if word.is_empty() {
            return None;
        }
    }
    Some((words, row))
}

impl RowParser for BioSnoop {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && is_header(row, "TIME(s)") {
            self.queued = row.windows(3).any(|word| word == b"QUE");
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::Blank);
        let completed = columns.time("TIME(s)", self.unit)?;
        let too_short = || {
            RowError::whole(
                "a row of too few columns",
                "time, process, process id, disk, T, sector, bytes and latency",
            )
        };
        // what stands behind the name of the process
        let (words, before) = if self.queued {
            let ([pid, disk, kind, sector, bytes, _, latency], before) = last(row).ok_or_else(too_short)?;
            ([pid, disk, kind, sector, bytes, latency], before)
        } else {
            last(row).ok_or_else(too_short)?
        };
        let [pid, disk, kind, sector, bytes, latency] = words;
        if before.trim_ascii().is_empty() {
            return Err(too_short());
        }
        let wrong = |column, what, found, accepted| columns.wrong_at(column, what, found, accepted);
        whole(pid).ok_or_else(|| wrong(3, "PID", pid, "a whole number"))?;
        let device = self.disks.number(disk, 4, "DISK")?;
        let op = match kind {
            b"R" => HostOp::Read,
            b"W" => HostOp::Write,
            b"N" | b"D" | b"F" => {
                self.skipped += 1;
                return Ok(Parsed::Other);
            }
            other => return Err(wrong(5, "T", other, "R (read) or W (write)")),
        };
        let number = |column, what, found| {
            whole(found).ok_or_else(|| wrong(column, what, found, "a whole number, not negative, below 2^64"))
        };
        let (start, bytes) = super::fields::extent(
            (6, "SECTOR", number(6, "SECTOR", sector)?, SECTOR),
            (7, "BYTES", number(7, "BYTES", bytes)?, 1),
            super::fields::LARGEST,
        )?;
        let latency = time(latency, TimeUnit::Milliseconds.ns())
            .ok_or_else(|| wrong(8, "LAT(ms)", latency, "a decimal number of milliseconds"))?;
        let row = TraceRow::new(completed.saturating_sub(latency), device, op, start, bytes);
        Ok(Parsed::Request(row.answered(latency)))
    }

    fn remarks(&self) -> Vec<String> {
        if self.skipped == 0 {
            return Vec::new();
        }
        vec![format!(
            "{} events neither read nor write; they are left out",
            self.skipped
        )]
    }
}
