//! MSR Cambridge CSV (Narayanan, Donnelly and Rowstron, "Write Off-Loading", FAST 2008).

use super::fields::{Columns, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "msr",
    title: "MSR Cambridge CSV",
    description: "timestamp in ticks of 100 ns since 1601 (Windows file time), host, disk number, Read or Write, \
                  offset in bytes, size in bytes, response time in ticks (ignored); each disk of each host is a \
                  device; a header line is allowed",
    example: "128166385295514663,hm,0,Write,9056014336,2048,2833",
    extensions: &["csv", "msr"],
    time_unit: TimeUnit::Ticks,
    likeness: unmistakable,
    decoder: |unit| {
        text(Msr {
            unit,
            hosts: Vec::new(),
            last: 0,
            first: true,
        })
    },
};

/// Hosts that a trace may name, and disks that a host may have.
const HOSTS: usize = 1 << 16;
const DISKS: u64 = 1 << 32;

struct Msr {
    unit: TimeUnit,
    /// Host names in the order in which they appear.
    hosts: Vec<Vec<u8>>,
    /// The host of the row before: nearly always that of this row.
    last: usize,
    first: bool,
}

impl Msr {
    #[inline]
    fn host(&mut self, name: &[u8]) -> Option<usize> {
        if self.hosts.get(self.last).is_some_and(|last| last == name) {
            return Some(self.last);
        }
        self.last = self.hosts.iter().position(|host| host == name).or_else(|| {
            (self.hosts.len() < HOSTS).then(|| {
                self.hosts.push(name.to_vec());
                self.hosts.len() - 1
            })
        })?;
        Some(self.last)
    }
}

impl RowParser for Msr {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        if std::mem::take(&mut self.first) && row.trim_ascii_start().starts_with(b"Timestamp,Hostname") {
            return Ok(Parsed::Other);
        }
        let mut columns = Columns::new(row, Separator::Comma);
        let arrival = columns.time("Timestamp", self.unit)?;
        let name = columns.need("Hostname")?;
        let Some(host) = self.host(name) else {
            return Err(columns.wrong("Hostname", name, "at most 65536 different hosts"));
        };
        let disk = columns.number("DiskNumber")?;
        if disk >= DISKS {
            return Err(columns.wrong(
                "DiskNumber",
                disk.to_string().as_bytes(),
                "a disk number below 2^32",
            ));
        }
        let op = match columns.need("Type")? {
            b"Read" | b"read" => HostOp::Read,
            b"Write" | b"write" => HostOp::Write,
            other => return Err(columns.wrong("Type", other, "Read or Write")),
        };
        let (start, bytes) = columns.extent(("Offset", 1), ("Size", 1))?;
        columns.time("ResponseTime", self.unit)?;
        columns.end()?;
        let device = (host as u64) << 32 | disk;
        Ok(Parsed::Request(TraceRow {
            arrival,
            device,
            op,
            start,
            bytes,
            attributes: Attributes::default(),
        }))
    }
}
