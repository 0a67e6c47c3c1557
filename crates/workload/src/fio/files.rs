//! `file_service_type`: which file of a job the next command goes to.

use wordline_units::Stream;

use super::distribution::{Law, Places};
use super::place::{File, Streams};
use super::values::Value;
use crate::synthetic::slots::below;

/// Parts of a file of which the law of popular files knows, as a power of two (`FIO_FSERVICE_SHIFT` of fio).
const FINE: u32 = 10;

/// How the next file is chosen, and for how many commands.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    order: Order,
    commands: u64,
}

#[derive(Clone, Debug)]
enum Order {
    RoundRobin,
    Random,
    /// One file to its end, then the next.
    Sequential,
    /// Some files more often than others; none comes to an end.
    Popular(Law),
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
    /// `roundrobin`, `random:8`, `sequential:8`, `zipf:1.2`, `pareto:0.2`, `normal:20`.
    pub(crate) fn read(value: &Value<'_>) -> Result<Self, String> {
        const ACCEPTED: &str = "roundrobin, random or sequential, each with :commands per turn, or zipf:theta, pareto:h or normal:deviation";
        let text = value.text()?;
        let (word, rest) = match text.split_once(':') {
            Some((word, rest)) => (word, Some(rest)),
            None => (text, None),
        };
        let order = match word {
            "roundrobin" => Order::RoundRobin,
            "random" => Order::Random,
            "sequential" => Order::Sequential,
            "zipf" | "pareto" | "normal" | "gauss" => {
                let order = Order::Popular(Law::read(value)?);
                return Ok(Self { order, commands: 1 });
            }
            _ => return Err(ACCEPTED.to_owned()),
        };
        let commands = rest.map_or(Ok(1), |commands| value.part(commands).count(1, u64::MAX))?;
        Ok(Self { order, commands })
    }
}

/// The files of a job.
pub(crate) struct Files {
    files: Vec<File>,
    service: Service,
    /// The law of popular files.
    places: Option<Places>,
    current: usize,
    /// Commands left for the current file.
    left: u64,
}

impl Files {
    /// `keys` say which files are popular where the service prefers some.
    ///
    /// # Errors
    /// What is accepted, where the law does not fit.
    pub(crate) fn new(files: Vec<File>, service: Service, keys: &mut Stream) -> Result<Self, String> {
        let places = match &service.order {
            Order::Popular(law) => Some(law.in_order((files.len() as u64) << FINE, keys)?),
            _ => None,
        };
        Ok(Self {
            // the first turn moves on to the first file
            current: match service.order {
                Order::RoundRobin => files.len().saturating_sub(1),
                _ => 0,
            },
            files,
            service,
            places,
            left: 0,
        })
    }

    /// Finds the file of the next command; `None` when all are done.
    pub(crate) fn turn(&mut self, streams: &mut Streams) -> Option<()> {
        let count = self.files.len();
        if self.are_done() {
            return None;
        }
        let stream = &mut streams.files;
        let mut current = match (&self.service.order, &self.places) {
            (Order::Sequential, _) => self.current,
            _ if self.left > 0 => self.current,
            (_, Some(places)) => (places.draw(stream) >> FINE) as usize,
            (Order::Random, _) => below(count as u64, stream) as usize,
            _ => (self.current + 1) % count,
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
        Some(())
    }

    /// The current file has nothing left in this pass; where some files are more popular than others, it starts over.
    pub(crate) fn end_file(&mut self, streams: &mut Streams) {
        let starts_over = self.places.is_some();
        if let Some(file) = self.files.get_mut(self.current) {
            if starts_over && file.has_begun() {
                file.restart(streams);
            } else {
                file.done = true;
            }
        }
        self.left = 0;
    }

    /// Whether each file has come to its end.
    pub(crate) fn are_done(&self) -> bool {
        self.files.iter().all(|file| file.done)
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
        self.left = 0;
        if matches!(self.service.order, Order::Sequential) {
            self.current = (self.current + 1) % self.files.len().max(1);
        }
    }
}
