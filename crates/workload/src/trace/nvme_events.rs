//! Text of ftrace, trace-cmd and perf with the events of the kernel's NVMe driver (drivers/nvme/host/trace.h).

use rustc_hash::FxHashMap;

use super::events::{Event, PassedOver, word, wrong};
use super::fields::{extent, hexadecimal, largest, whole};
use super::format::{Format, text, unmistakable};
use super::names::Names;
use super::row::{Attributes, Parsed, RowError, RowParser, TraceRow};
use crate::HostOp;
use crate::config::TraceAction;
use crate::time_unit::TimeUnit;

pub(crate) const FORMAT: Format = Format {
    name: "nvme_events",
    title: "NVMe events",
    description: "lines of ftrace, trace-cmd report or perf script with the events nvme_setup_cmd (D) or, for the times of completions (C), nvme_setup_cmd and \
                  nvme_complete_rq: process, CPU, flags, time in s, event, controller, disk, queue, command identifier, command with first logical block (slba) and blocks \
                  less one (len); events of one action are requests (workload.action, D if left out); each disk, or namespace of a controller, is a device",
    example: "   app-2000 [000] ..... 100.000000: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=12, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write \
              slba=43112, len=7, ctrl=0x0, dsmgmt=0, reftag=0)",
    binary: false,
    extensions: &["nvme-events"],
    time_unit: TimeUnit::Seconds,
    source: "the kernel's drivers/nvme/host/trace.h and trace.c, versions 4.17 (nvme_setup_nvm_cmd) to 6.12, which print the events",
    traps: &[
        "Addresses and lengths count logical blocks of the drive, whose size no event says: 512 bytes are taken, unless workload.logical_block says otherwise (`nvme id-ns` shows it).",
        "A length is the number of blocks less one, as in the command.",
        "Deallocations (nvme_cmd_dsm) say how many ranges they have, but not which: they are left out and counted. The block events of the same device have them (format `ftrace`).",
        "Commands of the administration (queue 0) and those that move no data are left out and counted.",
        "Where the recorder does not know how the kernel prints a command, it prints the fields: `opcode=` and `cdw10=` are read then.",
    ],
    likeness: unmistakable,
    decoder: |reading| {
        text(NvmeEvents {
            unit: reading.unit,
            block: reading.logical_block,
            completed: reading.action == Some(TraceAction::Completed),
            devices: Names::default(),
            outstanding: FxHashMap::default(),
            requests: 0,
            without_ranges: 0,
            left_out: 0,
            unmatched: 0,
            others: PassedOver::default(),
        })
    },
    actions: true,
};

/// Commands that wait for their completion at most; queues have 65,536 entries.
const MOST_OUTSTANDING: usize = 1 << 17;
/// Longest form of the bytes of a command that is looked at, in characters.
const RAW: usize = 160;
/// Bit of the control word of a write that asks for forced unit access.
const FUA: u64 = 1 << 14;

/// Controller, queue and command identifier.
type Identifier = (u64, u64, u64);

struct NvmeEvents {
    unit: TimeUnit,
    /// Bytes of a logical block.
    block: u64,
    /// Requests arrive when they are completed.
    completed: bool,
    devices: Names,
    /// With `completed`, the commands that were sent.
    outstanding: FxHashMap<Identifier, TraceRow>,
    requests: u64,
    /// Deallocations.
    without_ranges: u64,
    /// Commands that move no data, and those of the administration.
    left_out: u64,
    /// Completions of commands that were sent before the recording began.
    unmatched: u64,
    others: PassedOver,
}

/// What a command asks for.
enum Asked {
    Data(HostOp),
    Flush,
    /// The ranges are in memory, not in the command.
    Deallocate,
    Else,
}

impl Asked {
    /// By the kernel's name of the command.
    fn named(name: &[u8]) -> Self {
        match name.strip_prefix(b"nvme_cmd_").unwrap_or(name) {
            b"read" => Self::Data(HostOp::Read),
            b"write" => Self::Data(HostOp::Write),
            b"write_zeroes" => Self::Data(HostOp::WriteZeroes),
            b"zone_append" => Self::Data(HostOp::ZoneAppend),
            b"flush" => Self::Flush,
            b"dsm" => Self::Deallocate,
            _ => Self::Else,
        }
    }

    /// By its operation code (NVM Command Set Specification, Figure 21; Zoned Namespace Command Set Specification).
    const fn coded(code: u64) -> Self {
        match code {
            0x00 => Self::Flush,
            0x01 => Self::Data(HostOp::Write),
            0x02 => Self::Data(HostOp::Read),
            0x08 => Self::Data(HostOp::WriteZeroes),
            0x09 => Self::Deallocate,
            0x7d => Self::Data(HostOp::ZoneAppend),
            _ => Self::Else,
        }
    }
}

/// What stands behind `key=`, where `key` is no end of a longer word.
fn value<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut from = 0;
    loop {
        let found = text
            .get(from..)?
            .windows(key.len() + 1)
            .position(|part| part.starts_with(key) && part.ends_with(b"="))?
            + from;
        from = found + key.len() + 1;
        let is_word = found == 0 || !(text[found - 1].is_ascii_alphanumeric() || text[found - 1] == b'_');
        if is_word {
            return text.get(from..);
        }
    }
}

/// The word behind `key=`.
fn field<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let value = value(text, key)?;
    let end = value
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b",()".contains(byte))
        .unwrap_or(value.len());
    Some(&value[..end])
}

/// A number, decimal or with `0x` before it.
fn number(text: &[u8]) -> Option<u64> {
    match text.strip_prefix(b"0x") {
        Some(digits) => hexadecimal(digits),
        None => whole(text),
    }
}

/// First block, blocks less one and control word out of the bytes of a command from its tenth double word: `00 08 ..` or `ARRAY[00, 08, ..]`.
fn raw(text: &[u8]) -> Option<(u64, u64, u64)> {
    let text = &text[..text.len().min(RAW)];
    let text = text.strip_prefix(b"ARRAY[").unwrap_or(text);
    let mut bytes = [0_u8; 12];
    let mut words = text
        .split(|byte| byte.is_ascii_whitespace() || b",])".contains(byte))
        .filter(|word| !word.is_empty());
    for byte in &mut bytes {
        let word = words.next()?;
        let digits = word.strip_prefix(b"0x").unwrap_or(word);
        *byte = u8::try_from(hexadecimal(digits).filter(|_| digits.len() <= 2)?).ok()?;
    }
    let of = |range: std::ops::Range<usize>| {
        bytes[range]
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    Some((of(0..8), of(8..10), of(10..12)))
}

impl NvmeEvents {
    fn identifier(rest: &[u8]) -> Result<Identifier, RowError> {
        let of = |keys: [&'static str; 2], column, what| {
            let found = keys.iter().find_map(|key| field(rest, key.as_bytes()));
            found
                .and_then(number)
                .ok_or_else(|| wrong(column, what, found.unwrap_or_default(), "a whole number"))
        };
        // old kernels name no controller
        let controller =
            match word(rest).and_then(|(first, _)| first.strip_suffix(b":")?.strip_prefix(b"nvme")) {
                Some(digits) => whole(digits).unwrap_or_default(),
                None => field(rest, b"ctrl_id").and_then(number).unwrap_or_default(),
            };
        Ok((
            controller,
            of(["qid", "qid"], 7, "qid")?,
            of(["cmdid", "cid"], 8, "cmdid")?,
        ))
    }

    fn device(&mut self, controller: u64, rest: &[u8]) -> Result<u64, RowError> {
        match field(rest, b"disk").filter(|disk| !disk.is_empty()) {
            Some(disk) => self.devices.number(disk, 6, "disk"),
            None => {
                let namespace = field(rest, b"nsid").and_then(number).unwrap_or_default();
                let name = format!("nvme{controller}n{namespace}");
                self.devices.number(name.as_bytes(), 6, "nsid")
            }
        }
    }

    /// A command that is sent; `None` for one that is no request.
    fn command(&mut self, event: &Event<'_>) -> Result<Option<(Identifier, TraceRow)>, RowError> {
        let (arrival, rest) = (event.arrival(self.unit)?, event.rest);
        let identifier = Self::identifier(rest)?;
        if identifier.1 == 0 {
            self.left_out += 1;
            return Ok(None);
        }
        let command = value(rest, b"cmd").and_then(|text| text.strip_prefix(b"("));
        let asked = match (command.and_then(word), field(rest, b"opcode").and_then(number)) {
            (Some((name, _)), _) => Asked::named(name.strip_suffix(b")").unwrap_or(name)),
            (None, Some(code)) => Asked::coded(code),
            (None, None) => {
                return Err(RowError::whole(
                    "an event nvme_setup_cmd without a command",
                    "cmd=(nvme_cmd_read slba=8, len=7, ...), or opcode= and cdw10=",
                ));
            }
        };
        let op = match asked {
            Asked::Data(op) => op,
            Asked::Flush => {
                let device = self.device(identifier.0, rest)?;
                return Ok(Some((identifier, TraceRow::flush(arrival, device))));
            }
            Asked::Deallocate => {
                self.without_ranges += 1;
                return Ok(None);
            }
            Asked::Else => {
                self.left_out += 1;
                return Ok(None);
            }
        };
        let named = |key: &str| field(rest, key.as_bytes()).and_then(number);
        let place = match (named("slba"), named("len")) {
            (Some(first), Some(length)) => Some((first, length, named("ctrl").unwrap_or_default())),
            _ => value(rest, b"cdw10").and_then(raw),
        };
        let (first, length, control) = place.ok_or_else(|| {
            wrong(
                9,
                "command",
                command.unwrap_or(rest),
                "first logical block and blocks less one: slba=8, len=7, or cdw10= with at least 12 bytes",
            )
        })?;
        let (start, bytes) = extent(
            (9, "slba", first, self.block),
            (9, "len", length.saturating_add(1), self.block),
            largest(op),
        )?;
        let device = self.device(identifier.0, rest)?;
        let attributes = Attributes {
            fua: op.sends_data() && control & FUA != 0,
            ..Attributes::default()
        };
        let row = TraceRow::new(arrival, device, op, start, bytes);
        Ok(Some((identifier, TraceRow { attributes, ..row })))
    }

    /// A command that is complete.
    fn completion(&mut self, event: &Event<'_>) -> Result<Parsed, RowError> {
        let identifier = Self::identifier(event.rest)?;
        let arrival = event.arrival(self.unit)?;
        let Some(row) = self.outstanding.remove(&identifier) else {
            self.unmatched += u64::from(identifier.1 > 0);
            return Ok(Parsed::Other);
        };
        self.requests += 1;
        Ok(Parsed::Request(TraceRow { arrival, ..row }))
    }
}

impl RowParser for NvmeEvents {
    fn parse(&mut self, row: &[u8]) -> Result<Parsed, RowError> {
        let Some(event) = Event::of(row) else {
            self.others.line(
                row,
                "process, CPU, flags, time and event, such as `app-1 [000] ..... 1.5: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=3, nsid=1, flags=0x0, meta=0x0, \
                 cmd=(nvme_cmd_read slba=8, len=7, ctrl=0x0, dsmgmt=0, reftag=0)`",
            )?;
            return Ok(Parsed::Other);
        };
        match event.name {
            b"nvme_setup_cmd" | b"nvme_setup_nvm_cmd" => {
                let Some((identifier, row)) = self.command(&event)? else {
                    return Ok(Parsed::Other);
                };
                if !self.completed {
                    self.requests += 1;
                    return Ok(Parsed::Request(row));
                }
                if self.outstanding.len() < MOST_OUTSTANDING {
                    self.outstanding.insert(identifier, row);
                }
                Ok(Parsed::Other)
            }
            b"nvme_complete_rq" if self.completed => self.completion(&event),
            other => {
                self.others.event(other);
                Ok(Parsed::Other)
            }
        }
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.requests == 0
            && let Some(others) = self.others.listed()
        {
            remarks.push(format!(
                "as NVMe events it has no command with data among its {others}; see workload.action (\"D\" for nvme_setup_cmd, \"C\" for nvme_complete_rq)"
            ));
        }
        if self.requests > 0 {
            remarks.push(format!(
                "logical blocks of {} bytes are taken; set workload.logical_block if the drive had others",
                self.block
            ));
        }
        for (count, told) in [
            (
                self.without_ranges,
                "deallocations (nvme_cmd_dsm) do not say their ranges; they are left out",
            ),
            (
                self.left_out,
                "commands move no data (administration, zones, reservations); they are left out",
            ),
            (
                self.unmatched,
                "completions belong to commands that were sent before the recording began, or have no data; they are left out",
            ),
        ] {
            if count > 0 {
                remarks.push(format!("{count} {told}"));
            }
        }
        remarks.extend(self.others.lost());
        remarks
    }
}
