//! FIU traces: blkparse rows with MD5 digests of the content (Koller and Rangaswami, FAST 2010).

use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text, unmistakable};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "fiu",
    title: "FIU blkparse + MD5",
    description: "time in ns, process id, process, sector and sectors of 512 bytes, R or W, major and minor device number, \
                  MD5 digests of the content in hexadecimal (ignored); each pair of device numbers is a device",
    example: "89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221",
    binary: false,
    extensions: &["fiu", "blkparse"],
    time_unit: TimeUnit::Nanoseconds,
    source: "Koller and Rangaswami, \"I/O Deduplication\", FAST 2010",
    traps: &[
        "The number of digests differs: one per 4-KiB block (mail), or one per 512-byte sector without separators (homes). They are checked but not stored.",
        "Requests were recorded in pieces of 4 KiB.",
    ],
    likeness: unmistakable,
    decoder: |reading| text(Fiu { unit: reading.unit }),
    actions: false,
};

struct Fiu {
    unit: TimeUnit,
}

impl RowParser for Fiu {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let arrival = columns.time("time", self.unit)?;
        columns.number("process id")?;
        columns.need("process")?;
        let (start, bytes) = columns.extent(("sector", SECTOR), ("sectors", SECTOR))?;
        let op = columns.read_or_write("type")?;
        let device = columns.device_number("major")? << 32 | columns.device_number("minor")?;
        columns.digests()?;
        columns.end()?;
        Ok(Parsed::Request(TraceRow::new(arrival, device, op, start, bytes)))
    }
}
