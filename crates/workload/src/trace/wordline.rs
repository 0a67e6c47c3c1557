//! Wordline's own binary trace: everything that a request says, in about eight bytes.
//!
//! A file is a start of 12 bytes (`MAGIC`, version, flags; integers are little-endian) and then
//! sections, each of a kind (1 byte), the length of its content (4), a CRC-32 of kind, length and
//! content (4), and the content:
//!
//! | kind | content |
//! |---|---|
//! | `T` | totals: ten integers of 8 bytes (`section::TOTALS`) |
//! | `D` | up to 1,024 devices, four integers of 8 bytes each: number, the byte after its highest request, the record of that request, requests; as many sections as there are devices |
//! | `R` | up to 4,096 requests: their number (4 bytes), then records of a byte of marks and varints (`record`) |
//! | `E` | nothing; the end of the trace |
//!
//! The totals come first, so that a replay need not read the file once before it starts. They are
//! no less checked for that: a record that they do not cover is refused.

mod decoder;
mod record;
mod section;
#[cfg(test)]
mod tests;
mod writer;

use super::format::{Format, unmistakable};
use super::row::TraceRow;
use crate::time_unit::TimeUnit;

pub use writer::TraceWriter;

pub(crate) const FORMAT: Format = Format {
    name: "wordline",
    title: "Wordline binary",
    description: "Wordline's own compact form, which `wordline convert` writes: arrival in ns, device, operation, FUA, \
                  start and length in bytes, queue, placement handle; checksummed, with the totals in front",
    example: "89574c540d0a1a0a01000000 \
              545000000028f2c3b40200000000000000000000000000000070fe8f010000000020709b010000000000000000000000 \
              0000000000000000000000000000000000001000000000000002000000000000000100000000000000 \
              442000000079021b6f000000000000000000ca43090000000002000000000000000200000000000000 \
              52130000002e2677b30200000061e0f9ff18ac87250760e0c65b0008 \
              450000000024203156",
    binary: true,
    extensions: &["wlt"],
    time_unit: TimeUnit::Nanoseconds,
    source: "Wordline; the layout is described in `crates/workload/src/trace/wordline.rs`",
    traps: &[
        "The totals are in the header, so that a replay starts immediately; a record that contradicts them is refused.",
    ],
    likeness: unmistakable,
    decoder: |reading| Box::new(decoder::WordlineDecoder::new(reading.unit)),
    actions: false,
};

/// What a file begins with. The first byte is no text, and the line ends do not survive a transfer
/// that takes the file for text.
pub(crate) const MAGIC: [u8; 8] = *b"\x89WLT\r\n\x1a\n";
/// The version that is written and read.
const VERSION: u16 = 1;

/// Requests end at or below this byte.
const ADDRESS_END: u64 = 1 << 63;
/// Bytes of the longest request: those of 2^32 - 2 sectors, so that a request that is not aligned
/// still counts its sectors in 32 bits.
const LONGEST: u64 = (u32::MAX as u64 - 1) * 512;

/// Whether the form has room for the extent of `row`.
fn has_room(row: &TraceRow) -> bool {
    row.bytes <= LONGEST && row.start < ADDRESS_END - LONGEST
}
