//! Job files and the commands that come of them.

mod beside;
mod commands;
mod files;
mod jobs;
mod overlap;
mod properties;
mod random;
mod refused;
mod timing;
mod zoned;

use crate::{Client, FioDrive, HostCommand, HostOp, fio_clients};

/// 1 GiB.
const DRIVE: u64 = 1 << 21;

fn clients(text: &str) -> Vec<Client> {
    clients_on(text, DRIVE)
}

fn clients_on(text: &str, sectors: u64) -> Vec<Client> {
    fio_clients(text, "job.fio", &FioDrive::plain(sectors), 1)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The message that refuses `text`.
fn refusal(text: &str) -> String {
    match fio_clients(text, "job.fio", &FioDrive::plain(DRIVE), 1) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The only client of one job on the whole drive, with these options.
fn job(options: &str) -> Client {
    let mut clients = clients(&format!("[job]\nfilename=/dev/nvme0n1\n{options}\n"));
    assert_eq!(clients.len(), 1);
    clients.remove(0)
}

/// Up to `most` commands of a client.
fn take(client: &mut Client, most: usize) -> Vec<HostCommand> {
    let mut commands = Vec::new();
    while commands.len() < most
        && let Some(command) = client.source.next_command().unwrap()
    {
        commands.push(command);
    }
    commands
}

fn run(options: &str) -> Vec<HostCommand> {
    take(&mut job(options), 1 << 20)
}

/// First sectors in blocks of `block` sectors.
fn starts(commands: &[HostCommand], block: u64) -> Vec<u64> {
    commands.iter().map(|command| command.sector / block).collect()
}

fn share(commands: &[HostCommand], what: impl Fn(&HostCommand) -> bool) -> f64 {
    commands.iter().filter(|command| what(command)).count() as f64 / commands.len() as f64
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{found}, not {wanted} within {tolerance}"
    );
}

fn ops(commands: &[HostCommand]) -> Vec<HostOp> {
    commands.iter().map(|command| command.op).collect()
}
