//! `file_service_type`: which file of a job the next command goes to.

use wordline_units::Stream;

use super::place::{File, Streams};
use super::values::Value;
use crate::synthetic::slots::below;

/// How the next file is chosen, and for how many commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Service {
    order: Order,
    commands: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    RoundRobin,
    Random,
    /// One file to its end, then the next.
    Sequential,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            order: Order::RoundRobin,
            commands: 1,
        }
    }
}

impl Service {
    /// `roundrobin`, `random:8`, `sequential`.
    pub(crate) fn read(value: &Value<'_>) -> Result<Self, String> {
        let text = value.text()?;
        let (word, commands) = match text.split_once(':') {
            Some((word, commands)) => (word, value.part(commands).count(1, u64::MAX)?),
            None => (text, 1),
        };
        let order = value.part(word).word(&[
            ("roundrobin", Order::RoundRobin),
            ("random", Order::Random),
            ("sequential", Order::Sequential),
        ])?;
        Ok(Self { order, commands })
    }
}

/// The files of a job.
pub(crate) struct Files {
    files: Vec<File>,
    service: Service,
    current: usize,
    /// Commands left for the current file.
    left: u64,
}

impl Files {
    pub(crate) fn new(files: Vec<File>, service: Service) -> Self {
        Self {
            // the first turn moves on to the first file
            current: match service.order {
                Order::RoundRobin => files.len().saturating_sub(1),
                Order::Random | Order::Sequential => 0,
            },
            files,
            service,
            left: 0,
        }
    }

    /// The file of the next command, `None` when all are done.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> Option<&mut File> {
        let count = self.files.len();
        if self.files.iter().all(|file| file.done) {
            return None;
        }
        let sticks = self.left > 0 || self.service.order == Order::Sequential;
        let mut current = match self.service.order {
            _ if sticks => self.current,
            Order::Random => below(count as u64, stream) as usize,
            Order::RoundRobin | Order::Sequential => (self.current + 1) % count,
        };
        if self.left == 0 || current != self.current {
            self.left = self.service.commands;
        }
        while self.files.get(current)?.done {
            current = (current + 1) % count;
            self.left = self.service.commands;
        }
        self.left -= 1;
        self.current = current;
        self.files.get_mut(current)
    }

    /// The file of the last command.
    pub(crate) fn current(&mut self) -> Option<&mut File> {
        self.files.get_mut(self.current)
    }

    /// Starts the next pass.
    pub(crate) fn restart(&mut self, streams: &mut Streams) {
        for file in &mut self.files {
            file.restart(streams);
        }
        if self.service.order == Order::Sequential {
            self.current = 0;
        }
    }
}
