//! The row that most simulators and replayers read: arrival, device, start, size, type (1 read,
//! 0 write), with blanks between. They differ in their units alone.

use super::fields::{Columns, Separator};
use super::row::{Parsed, RowError, RowParser, TraceRow};
use crate::time_unit::TimeUnit;

/// Reads rows of five columns.
pub(crate) struct FiveColumns {
    pub(crate) unit: TimeUnit,
    /// Name of the start, and the bytes that it counts in.
    pub(crate) start: (&'static str, u64),
    /// Name of the size, and the bytes that it counts in.
    pub(crate) size: (&'static str, u64),
}

impl FiveColumns {
    /// Reads the five columns; others may follow.
    #[inline]
    pub(crate) fn row(&self, columns: &mut Columns<'_>) -> Result<TraceRow, RowError> {
        let arrival = columns.time("arrival", self.unit)?;
        let device = columns.number("device")?;
        let (start, bytes) = columns.extent(self.start, self.size)?;
        let op = columns.one_is_read()?;
        Ok(TraceRow::new(arrival, device, op, start, bytes))
    }
}

impl RowParser for FiveColumns {
    #[inline]
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let mut columns = Columns::new(row, Separator::Blank);
        let row = self.row(&mut columns)?;
        columns.end()?;
        Ok(Parsed::Request(row))
    }
}
