//! The commands of fio job files, one a line, in the order in which each job sends them: `make fio-diff` compares them with those of fio.
//!
//! Each argument is a job file, or `NAME=VALUE`, a variable of the next one. What follows a file: `[job]` for each job, then `read`, `write`, `trim` or `flush`, the first byte, the bytes, and the nanosecond of
//! the job at which the command is sent at the earliest; or `refused` and why. With another drive (`WORDLINE_FIO_SECTORS`) commands are counted alone (not at all with
//! `WORDLINE_FIO_DRAINS=0`): `count`, what
//! they do, and how many. Notes stand behind `note`.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use wordline_units::{Duration, SimTime};
use wordline_workload::{FioDrive, HostOp, fio_clients};

/// Sectors of the drive: 1 GiB.
const DRIVE: u64 = 1 << 21;
/// Commands of a job at most where they are counted alone.
const MOST_COUNTED: usize = 40_000_000;
/// Commands of a job at most: one that runs until its time is up has no end here.
const MOST: usize = 1 << 18;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let sectors = std::env::var("WORDLINE_FIO_SECTORS").map_or(Ok(DRIVE), |sectors| sectors.parse())?;
    let counts_only = sectors != DRIVE;
    let drains = std::env::var("WORDLINE_FIO_DRAINS").map_or(true, |drains| drains != "0");
    let mut variables = BTreeMap::new();
    for path in std::env::args().skip(1) {
        if let Some((name, value)) = path.split_once('=') {
            variables.insert(name.to_owned(), value.to_owned());
            continue;
        }
        let drive = FioDrive {
            variables: std::mem::take(&mut variables),
            ..FioDrive::plain(sectors)
        };
        writeln!(out, "file {path}")?;
        let text = std::fs::read_to_string(&path)?;
        let clients = match fio_clients(&text, &path, &drive, 1) {
            Ok(clients) => clients,
            Err(error) => {
                writeln!(out, "refused {error}")?;
                continue;
            }
        };
        for mut client in clients {
            writeln!(out, "[{}]", client.name)?;
            for note in client.source.notes() {
                writeln!(out, "note {note}")?;
            }
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            let mut now = SimTime::ZERO;
            let most = match (drains, counts_only) {
                (false, _) => 0,
                (true, true) => MOST_COUNTED,
                (true, false) => MOST,
            };
            for _ in 0..most {
                let Some(command) = client.source.next_command()? else {
                    break;
                };
                // a command takes a millisecond, or waits for its time
                now = command.arrival.max(now + Duration::from_ms(1));
                client.source.time_is(now);
                client.source.completed(&command, false);
                let op = match command.op {
                    HostOp::Read => "read",
                    HostOp::Write | HostOp::WriteZeroes => "write",
                    HostOp::Trim => "trim",
                    HostOp::Flush => "flush",
                    _ => "other",
                };
                if counts_only {
                    *counts.entry(op).or_default() += 1;
                    continue;
                }
                let (first, bytes) = (command.sector * 512, u64::from(command.sectors) * 512);
                writeln!(out, "{op} {first} {bytes} {}", command.arrival.ns())?;
            }
            for (op, count) in counts {
                writeln!(out, "count {op} {count}")?;
            }
        }
    }
    Ok(())
}
