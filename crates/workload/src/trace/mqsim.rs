//! MQSim's ASCII format (Tavakkol et al., FAST 2018).

use super::detect::Signs;
use super::fields::{Columns, SECTOR, Separator};
use super::format::{Format, text};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::config::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "mqsim",
    title: "MQSim ASCII",
    description: "arrival in ns (other units: workload.time_unit), device, sector and sectors of 512 bytes, type (1 \
                  read, 0 write)",
    example: "11413000 0 657728 16 1",
    extensions: &["mqsim"],
    time_unit: TimeUnit::Nanoseconds,
    likeness: |signs| match signs {
        Signs { decimals: false, .. } => (2, "its arrivals are whole numbers"),
        _ => (0, "its columns fit"),
    },
    decoder: |unit| text(MqSim { unit }),
};

struct MqSim {
    unit: TimeUnit,
}

impl RowParser for MqSim {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let arrival = columns.time("arrival", self.unit)?;
        let device = columns.number("device")?;
        let (start, bytes) = columns.extent(("sector", SECTOR), ("sectors", SECTOR))?;
        let op = columns.one_is_read()?;
        columns.end()?;
        Ok(Parsed::Request(TraceRow {
            arrival,
            device,
            op,
            start,
            bytes,
        }))
    }
}
