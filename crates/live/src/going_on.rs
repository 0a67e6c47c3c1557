//! How the time of a served drive goes on: to an answer, to a moment, or to a power cut.

use wordline_metrics::RequestClass;
use wordline_units::{Seed, SimTime};

use crate::ask::Answer;
use crate::clients::{answer_without_data, error_of, send_data};
use crate::cut_report::CutReport;
use crate::error::LiveError;
use crate::server::Server;
use crate::wire::{Command, Errno, simple};

impl Server {
    /// Lets time go on where it may, and answers what is answered.
    pub(crate) fn advance(&mut self, goes_on: bool) -> Result<(), LiveError> {
        match self.clocks.now() {
            Some(now) => self.go_on_until(now)?,
            None if goes_on => self.go_on_to_an_answer()?,
            None => {}
        }
        let answers = self.device.answers();
        self.has_answered = !answers.is_empty();
        self.owed += answers.len() as u64;
        for answer in &answers {
            self.answer(answer)?;
        }
        Ok(())
    }

    /// At a real pace the present moment of the drive is that of the machine.
    pub(crate) fn catch_up(&mut self) -> Result<(), LiveError> {
        if let Some(now) = self.clocks.now() {
            self.go_on_until(now)?;
            self.device.advance_until(now)?;
        }
        Ok(())
    }

    fn go_on_until(&mut self, time: SimTime) -> Result<(), LiveError> {
        // the drive's own moment stays that of its last event, so that a request can arrive before it came through the socket
        while self.device.step_until(time)? {
            if self.triggers.are_set() && self.triggers.fires(&self.device) {
                self.cut()?;
                return Ok(());
            }
        }
        Ok(())
    }

    fn go_on_to_an_answer(&mut self) -> Result<(), LiveError> {
        while self.device.under_way() > 0 && !self.device.has_answers() {
            let goes_on = self.device.step_until(SimTime::NEVER)?;
            if self.triggers.are_set() && self.triggers.fires(&self.device) {
                self.cut()?;
            }
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// The power of the drive fails: its clients are gone, and it recovers.
    ///
    /// # Errors
    /// As those of [`Device::cut`].
    pub fn cut(&mut self) -> Result<CutReport, LiveError> {
        let number = self.device.power_cuts().len() as u64;
        let seed = Seed(Seed(self.options.seed).draw("power cut", number));
        let report = self.device.cut(self.triggers.during_recovery(), seed)?;
        self.clients.clear();
        self.waiting.clear();
        Ok(report)
    }

    fn answer(&mut self, answer: &Answer) -> Result<(), LiveError> {
        let Some(waiting) = self.waiting.remove(&answer.token) else {
            return Ok(());
        };
        let class = match waiting.request.command {
            Command::Read => RequestClass::Read,
            Command::Write => RequestClass::Write,
            _ => RequestClass::Other,
        };
        let response = answer.completed.since(answer.arrival);
        self.latency[class as usize].record(response);
        self.recent[class as usize].record(response);
        let request = &waiting.request;
        let is_durable = matches!(request.command, Command::Flush) || request.fua;
        let mut failed = error_of(answer.status, request.command);
        if is_durable && !self.options.lies_about_flush && self.device.content().sync().is_err() {
            failed = Some(Errno::Io);
        }
        let Some(client) = &mut self.clients[waiting.client] else {
            return Ok(());
        };
        self.clocks.answered(waiting.asked, response, waiting.is_alone);
        client.answers(request);
        if request.command != Command::Read {
            simple(&mut client.connection.output, request.cookie, failed);
        } else {
            let before = client.connection.output.len();
            if failed.is_none() && send_data(&self.device, client, request).is_err() {
                client.connection.output.truncate(before);
                failed = Some(Errno::Io);
            }
            if failed.is_some() {
                answer_without_data(client, request, failed);
            }
        }
        Ok(())
    }
}
