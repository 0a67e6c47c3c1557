//! Clients whose commands are injected while the drive runs, and counts that begin anew.

use wordline_workload::HostCommand;

use super::Clients;

impl Clients {
    /// What sources count begins at zero again.
    pub(crate) fn restart_counts(&mut self) {
        for client in &mut self.all {
            client.source.restart_counts();
        }
    }

    /// Opens a client to injected commands.
    pub(in crate::host) fn open(&mut self, client: u32) {
        self.all[client as usize].is_open = true;
    }

    /// An open client has one more command to send.
    pub(in crate::host) fn inject(&mut self, client: u32, command: HostCommand) {
        self.all[client as usize].ahead.list().push(command);
        self.wake(client);
    }

    /// A client is open no longer: it is done when what it has sent is completed.
    pub(in crate::host) fn shut(&mut self, client: u32) {
        self.all[client as usize].is_open = false;
        self.wake(client);
    }
}
