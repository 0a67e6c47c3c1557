//! Sections: kind, length, checksum, content.

use crate::trace::row::RowError;
use crate::trace::scan::{Device, Scan};

/// Bytes before the content of a section.
pub(super) const HEAD: usize = 9;
/// Bytes that the content of a section has at most.
pub(super) const LONGEST: usize = 256 << 10;
/// Devices of a section of them at most.
pub(super) const DEVICES: usize = 1_024;
/// Integers of a device.
const DEVICE: usize = 4;
/// Integers of the totals: requests with a length, requests without, earliest and latest arrival in
/// nanoseconds, requests out of the order of time and the first of them, requests that start or end
/// within a sector, bytes of the largest request and its record, devices.
pub(super) const TOTALS: usize = 10;

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Totals,
    Devices,
    Requests,
    End,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Totals, Self::Devices, Self::Requests, Self::End];

    const fn code(self) -> u8 {
        match self {
            Self::Totals => b'T',
            Self::Devices => b'D',
            Self::Requests => b'R',
            Self::End => b'E',
        }
    }
}

/// A section at the start of a buffer.
pub(super) enum Found<'a> {
    Section { kind: Kind, content: &'a [u8] },
    Incomplete,
    Damaged(RowError),
}

/// Something that stands in the file and should not.
#[cold]
pub(super) fn fault(found: impl Into<String>, accepted: impl Into<String>) -> RowError {
    RowError {
        column: 0,
        what: "",
        found: found.into(),
        accepted: accepted.into().into(),
    }
}

fn checksum(kind: u8, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(&(content.len() as u32).to_le_bytes());
    hasher.update(content);
    hasher.finalize()
}

/// The section that `bytes` start with, its checksum compared.
pub(super) fn find(bytes: &[u8]) -> Found<'_> {
    let Some((&[code, l0, l1, l2, l3, c0, c1, c2, c3], rest)) = bytes.split_first_chunk::<HEAD>() else {
        return Found::Incomplete;
    };
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.code() == code) else {
        let found = format!("a section of kind 0x{code:02x}");
        return Found::Damaged(fault(found, "kinds T, D, R and E; is the file damaged?"));
    };
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if length > LONGEST {
        let found = format!("a section of {length} bytes");
        return Found::Damaged(fault(
            found,
            format!("at most {LONGEST} bytes; is the file damaged?"),
        ));
    }
    let Some(content) = rest.get(..length) else {
        return Found::Incomplete;
    };
    let (said, is) = (u32::from_le_bytes([c0, c1, c2, c3]), checksum(code, content));
    if said != is {
        let found = format!("a section whose checksum is 0x{is:08x}");
        return Found::Damaged(fault(found, format!("0x{said:08x}; the file is damaged")));
    }
    Found::Section { kind, content }
}

/// Appends a section to `out`.
pub(super) fn write(kind: Kind, content: &[u8], out: &mut Vec<u8>) {
    out.push(kind.code());
    out.extend((content.len() as u32).to_le_bytes());
    out.extend(checksum(kind.code(), content).to_le_bytes());
    out.extend_from_slice(content);
}

/// Appends the totals and the devices of `scan`, in the order in which its records number them.
pub(super) fn write_totals(scan: &Scan, out: &mut Vec<u8>) {
    let totals: [u64; TOTALS] = [
        scan.requests,
        scan.zero_length,
        scan.earliest,
        scan.latest,
        scan.out_of_order,
        scan.out_of_order_row,
        scan.within_sector,
        scan.largest,
        scan.largest_row,
        scan.devices.len() as u64,
    ];
    write(Kind::Totals, &bytes_of(&totals), out);
    for devices in scan.devices.chunks(DEVICES) {
        let numbers: Vec<u64> = devices
            .iter()
            .flat_map(|device| [device.number, device.end, device.row, device.requests])
            .collect();
        write(Kind::Devices, &bytes_of(&numbers), out);
    }
}

fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Totals without devices, and the number of devices.
pub(super) fn read_totals(content: &[u8]) -> Result<(Scan, u64), RowError> {
    let (numbers, rest) = content.as_chunks::<8>();
    let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    match (numbers.as_slice(), rest) {
        (
            &[
                requests,
                zero_length,
                earliest,
                latest,
                out_of_order,
                out_of_order_row,
                within_sector,
                largest,
                largest_row,
                devices,
            ],
            [],
        ) => Ok((
            Scan {
                requests,
                zero_length,
                earliest,
                latest,
                out_of_order,
                out_of_order_row,
                within_sector,
                largest,
                largest_row,
                devices: Vec::new(),
                remarks: Vec::new(),
                offsets: None,
            },
            devices,
        )),
        _ => Err(fault(
            format!("totals of {} bytes", content.len()),
            format!("{} bytes", 8 * TOTALS),
        )),
    }
}

/// The devices of a section of them.
pub(super) fn read_devices(content: &[u8]) -> impl Iterator<Item = Device> {
    content
        .as_chunks::<8>()
        .0
        .as_chunks::<DEVICE>()
        .0
        .iter()
        .map(|numbers| {
            let [number, end, row, requests] = numbers.map(u64::from_le_bytes);
            Device {
                number,
                end,
                row,
                requests,
            }
        })
}
