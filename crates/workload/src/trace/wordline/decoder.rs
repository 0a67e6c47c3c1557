//! Reads the binary form.

use super::record::{Expected, SHORTEST};
use super::section::{self, Found, HEAD, Kind, fault};
use super::{ADDRESS_END, LONGEST, MAGIC, VERSION, has_room};
use crate::time_unit::TimeUnit;
use crate::trace::row::{Decoded, Decoder, Parsed, RowError, TraceRow};
use crate::trace::scan::{Device, MOST_DEVICES, Scan};

/// Bytes before the first section.
const START: usize = MAGIC.len() + 4;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Start,
    Totals,
    Devices,
    Requests,
    Nothing,
}

/// Takes sections and records off a buffer.
pub(super) struct WordlineDecoder {
    unit: TimeUnit,
    next: Next,
    /// The totals; devices in the order of the table.
    totals: Scan,
    /// Devices that the totals announce.
    devices: u64,
    expected: Expected,
    /// Bytes and records that are left of a section of requests.
    bytes_left: usize,
    records_left: u32,
    /// What the records so far add up to.
    counted: Scan,
}

impl WordlineDecoder {
    pub(super) fn new(unit: TimeUnit) -> Self {
        Self {
            unit,
            next: Next::Start,
            totals: Scan::default(),
            devices: 0,
            expected: Expected::default(),
            bytes_left: 0,
            records_left: 0,
            counted: Scan::none_of(Vec::new()),
        }
    }

    /// Reads what every file begins with.
    fn start(&mut self, bytes: &[u8]) -> Result<Option<usize>, RowError> {
        let magic = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        if !MAGIC.starts_with(magic) {
            return Err(fault(
                "a file that begins otherwise",
                "a trace that `wordline convert` wrote",
            ));
        }
        let Some(&[.., v0, v1, f0, f1]) = bytes.first_chunk::<START>() else {
            return Ok(None);
        };
        let (version, flags) = (u16::from_le_bytes([v0, v1]), u16::from_le_bytes([f0, f1]));
        if version != VERSION || flags != 0 {
            return Err(fault(
                format!("version {version} of the form, with flags 0x{flags:04x}"),
                format!("version {VERSION} without flags; a newer Wordline may read it"),
            ));
        }
        if self.unit != TimeUnit::Nanoseconds {
            return Err(fault(
                format!("workload.time_unit = \"{}\"", self.unit.name()),
                "none: this form says its times in nanoseconds",
            ));
        }
        self.next = Next::Totals;
        Ok(Some(START))
    }

    /// Reads the head of a section, and all of it if it holds no requests. Answers the bytes taken.
    fn section(&mut self, bytes: &[u8]) -> Result<Option<usize>, RowError> {
        let (kind, content) = match section::find(bytes) {
            Found::Section { kind, content } => (kind, content),
            Found::Incomplete => return Ok(None),
            Found::Damaged(error) => return Err(error),
        };
        match (self.next, kind) {
            (Next::Totals, Kind::Totals) => {
                (self.totals, self.devices) = section::read_totals(content)?;
                if self.devices > MOST_DEVICES as u64 {
                    let found = format!("{} devices", self.devices);
                    return Err(fault(found, format!("at most {MOST_DEVICES}")));
                }
                let Scan {
                    requests,
                    earliest,
                    latest,
                    largest,
                    ..
                } = self.totals;
                if (requests > 0 && earliest > latest) || largest > LONGEST {
                    let found =
                        format!("arrivals from {earliest} to {latest} ns, requests of up to {largest} bytes");
                    return Err(fault(
                        found,
                        format!("times in order and at most {LONGEST} bytes"),
                    ));
                }
                self.next = if self.devices == 0 {
                    Next::Requests
                } else {
                    Next::Devices
                };
            }
            (Next::Devices, Kind::Devices) => self.add_devices(content)?,
            (Next::Requests, Kind::Requests) => {
                let Some((count, records)) = content.split_first_chunk::<4>() else {
                    return Err(fault(
                        "a section of requests without their number",
                        "4 bytes of it",
                    ));
                };
                let count = u32::from_le_bytes(*count);
                if count == 0 || records.len() / SHORTEST < count as usize {
                    let found = format!("{count} requests in {} bytes", records.len());
                    return Err(fault(
                        found,
                        format!("at least one, of at least {SHORTEST} bytes each"),
                    ));
                }
                (self.records_left, self.bytes_left) = (count, records.len());
                return Ok(Some(HEAD + 4));
            }
            (Next::Requests, Kind::End) if content.is_empty() => {
                if self.counted != self.totals {
                    let (requests, zero_length) = (self.counted.requests, self.counted.zero_length);
                    return Err(fault(
                        format!(
                            "totals that differ from those of its {requests} requests and {zero_length} without length"
                        ),
                        "totals of all requests",
                    ));
                }
                self.next = Next::Nothing;
            }
            (Next::Nothing, _) => return Err(fault("a section after the end", "nothing")),
            (next, kind) => {
                let found = format!("a section of {kind:?}").to_lowercase();
                return Err(fault(found, format!("one of {next:?}").to_lowercase()));
            }
        }
        Ok(Some(HEAD + content.len()))
    }

    fn add_devices(&mut self, content: &[u8]) -> Result<(), RowError> {
        let before = self.totals.devices.len();
        for device in section::read_devices(content) {
            if device.end >= ADDRESS_END {
                let found = format!(
                    "device {} with a request that ends at byte {}",
                    device.number, device.end
                );
                return Err(fault(found, "ends below 8 EiB"));
            }
            self.counted.devices.push(Device::unused(device.number));
            self.totals.devices.push(device);
            self.expected.add_device();
        }
        let devices = self.totals.devices.len();
        if devices == before || devices as u64 > self.devices {
            let found = format!("{devices} devices");
            return Err(fault(found, format!("{}, as its totals say", self.devices)));
        }
        if devices as u64 == self.devices {
            let mut numbers: Vec<u64> = self.totals.devices.iter().map(|device| device.number).collect();
            numbers.sort_unstable();
            if let Some([twice, ..]) = numbers.windows(2).find(|pair| matches!(pair, [a, b] if a == b)) {
                return Err(fault(format!("device {twice} twice"), "each device once"));
            }
            self.next = Next::Requests;
        }
        Ok(())
    }

    /// Reads a record of a section of requests.
    #[inline]
    fn record(&mut self, bytes: &[u8]) -> Decoded {
        let Some(records) = bytes.get(..self.bytes_left) else {
            return Decoded::Incomplete;
        };
        let Some((mut row, used)) = self.expected.read(records) else {
            return malformed(
                fault("bytes that are no record", "see the page on traces"),
                records.len(),
            );
        };
        self.bytes_left -= used;
        self.records_left -= 1;
        if self.records_left == 0 && self.bytes_left > 0 {
            let found = format!("{} bytes after the last record of a section", self.bytes_left);
            return malformed(fault(found, "nothing"), used);
        }
        match self.covered(&row) {
            Ok(number) => row.device = number,
            Err(error) => return malformed(error, used),
        }
        Decoded::Row {
            parsed: Ok(Parsed::Request(row)),
            used,
        }
    }

    /// Whether the totals, from which a replay starts, cover `row`; the number of its device.
    #[inline]
    fn covered(&mut self, row: &TraceRow) -> Result<u64, RowError> {
        let place = row.device as usize;
        let Some(device) = self.totals.devices.get(place) else {
            return Err(fault("an unknown device", "those of its table"));
        };
        if !has_room(row) {
            let found = format!("{} bytes from byte {}", row.bytes, row.start);
            return Err(fault(found, "at most 2 TiB that end below 8 EiB"));
        }
        let (totals, counted) = (&self.totals, &mut self.counted);
        let covered = if row.bytes == 0 && row.op.has_length() {
            counted.zero_length += 1;
            counted.zero_length <= totals.zero_length
        } else {
            counted.count(row, counted.requests + counted.zero_length + 1, place);
            row.end() <= device.end
                && (totals.earliest..=totals.latest).contains(&row.arrival)
                && row.bytes <= totals.largest
                && counted.requests <= totals.requests
                && counted.out_of_order <= totals.out_of_order
                && counted.within_sector <= totals.within_sector
        };
        if !covered {
            return Err(fault(
                format!(
                    "a request of {} bytes from byte {} of device {} at {} ns that the totals do not cover",
                    row.bytes, row.start, device.number, row.arrival
                ),
                "totals of all requests",
            ));
        }
        Ok(device.number)
    }
}

#[cold]
fn malformed(error: RowError, used: usize) -> Decoded {
    Decoded::Row {
        parsed: Err(error),
        used,
    }
}

impl Decoder for WordlineDecoder {
    #[inline]
    fn decode(&mut self, bytes: &[u8], _last: bool) -> Decoded {
        if self.records_left > 0 {
            return self.record(bytes);
        }
        let taken = match self.next {
            Next::Start => self.start(bytes),
            _ => self.section(bytes),
        };
        match taken {
            Ok(Some(used)) => Decoded::Framing { used },
            Ok(None) => Decoded::Incomplete,
            Err(error) => malformed(error, bytes.len()),
        }
    }

    fn finish(&self) -> Result<(), String> {
        if self.next == Next::Nothing {
            return Ok(());
        }
        let (read, of) = (self.counted.requests, self.totals.requests);
        Err(format!(
            "the file ends after {read} of its {of} requests; is it complete?"
        ))
    }

    fn totals(&self) -> Option<Scan> {
        matches!(self.next, Next::Requests | Next::Nothing).then(|| {
            let mut totals = self.totals.clone();
            // those of requests without length alone are no devices of a replay
            totals.devices.retain(|device| device.requests > 0);
            totals.devices.sort_unstable_by_key(|device| device.number);
            totals
        })
    }
}
