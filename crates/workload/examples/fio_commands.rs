//! The commands of fio job files, one a line, in the order in which each job sends them: `make fio-diff` compares them with those of fio.
//!
//! Each argument is a job file. What follows it: `[job]` for each job, then `read`, `write`, `trim` or `flush`, the first byte, the bytes, and the nanosecond of
//! the job at which the command is sent at the earliest; or `refused` and why. Notes stand behind `note`.

use std::io::{BufWriter, Write};

use wordline_workload::{FioDrive, HostOp, fio_clients};

/// Sectors of the drive: 1 GiB.
const DRIVE: u64 = 1 << 21;
/// Commands of a job at most: one that runs until its time is up has no end here.
const MOST: usize = 1 << 18;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for path in std::env::args().skip(1) {
        writeln!(out, "file {path}")?;
        let text = std::fs::read_to_string(&path)?;
        let clients = match fio_clients(&text, &path, &FioDrive::plain(DRIVE), 1) {
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
            for _ in 0..MOST {
                let Some(command) = client.source.next_command()? else {
                    break;
                };
                let op = match command.op {
                    HostOp::Read => "read",
                    HostOp::Write | HostOp::WriteZeroes => "write",
                    HostOp::Trim => "trim",
                    HostOp::Flush => "flush",
                    _ => "other",
                };
                let (first, bytes) = (command.sector * 512, u64::from(command.sectors) * 512);
                writeln!(out, "{op} {first} {bytes} {}", command.arrival.ns())?;
            }
        }
    }
    Ok(())
}
