//! What the server does that is asked over the control socket, and how it is doing.

use std::os::fd::BorrowedFd;

use serde_json::{Value, json};
use wordline_ftl::BlockRole;
use wordline_metrics::Latency;
use wordline_nand::BlockId;

use crate::control::{Asked, Request};
use crate::cut_report::CutReport;
use crate::error::LiveError;
use crate::server::{Look, Server, Verdict};

impl Server {
    /// Does what was asked over the control socket.
    pub(crate) fn obey(
        &mut self,
        asked: &Asked,
        look: &mut dyn FnMut(&mut Self, Look<'_>) -> Verdict,
    ) -> Result<Verdict, LiveError> {
        self.catch_up()?;
        let answer = match &asked.request {
            Request::Status => self.status(),
            Request::Cut => match self.cut() {
                Ok(report) => json!({"cut": of_cut(&report)}),
                Err(error) if error.is_input() => json!({"error": error.to_string()}),
                Err(error) => return Err(error),
            },
            Request::Heat(celsius) => {
                if self.device.set_ambient(*celsius) {
                    json!({"heat": celsius})
                } else {
                    json!({"error": "the drive has no temperature; accepted with thermal.enabled=true"})
                }
            }
            Request::Mark(text) => {
                let now = self.clocks.now().unwrap_or_else(|| self.device.now());
                if self.device.mark(now, text) {
                    json!({"mark": text})
                } else {
                    json!({"error": "nothing is kept of what is asked; marks are for `wordline crash-test`"})
                }
            }
            Request::Stop => {
                self.answer_asker(asked, &json!({"stop": true}));
                return Ok(Verdict::End);
            }
            // whoever does it answers
            Request::Report(_) | Request::Save(_) => return Ok(look(self, Look::Wanted(asked))),
        };
        self.answer_asker(asked, &answer);
        Ok(Verdict::GoOn)
    }

    /// The descriptor of whoever asked, if anybody waits for the answer still.
    #[must_use]
    pub fn asker(&self, asked: &Asked) -> Option<BorrowedFd<'_>> {
        self.control.as_ref().and_then(|control| control.asker(asked))
    }

    /// Answers somebody at the control socket.
    pub fn answer_asker(&mut self, asked: &Asked, answer: &Value) {
        if let Some(control) = &mut self.control {
            control.answer(asked, answer);
        }
    }

    /// Figures as they are now; `recent` is since the last call.
    pub fn status(&mut self) -> Value {
        let device = &self.device;
        let ftl = device.ftl();
        let blocks = (0..ftl.geometry().blocks()).map(BlockId);
        let free = blocks
            .filter(|block| ftl.block_use(*block).role == BlockRole::Free)
            .count();
        let recent = std::mem::replace(&mut self.recent, std::array::from_fn(|_| Latency::new()));
        let lateness = &self.clocks.lateness;
        let answered: u64 = self.latency.iter().map(Latency::count).sum();
        json!({
            "seconds": device.now().ns() as f64 / 1e9,
            "clients": self.clients(),
            "clients_came": self.came,
            "requests": answered,
            "under_way": device.under_way(),
            "read": of_latency(&self.latency[0]),
            "write": of_latency(&self.latency[1]),
            "recent": {"read": of_latency(&recent[0]), "write": of_latency(&recent[1])},
            "write_amplification": device.drive.write_amplification(),
            "free_blocks": free,
            "celsius": device.celsius(),
            "atomic_write_unit": device.atomic_write_unit(),
            "power_cuts": device.power_cuts().iter().map(of_cut).collect::<Vec<_>>(),
            "late": {
                "share": (answered > 0).then(|| lateness.late as f64 / answered as f64),
                "mean_us": lateness.by.mean_us(),
                "p99_us": lateness.by.quantile(0.99).map(|by| by.ns() as f64 / 1e3),
                "is_paced": self.clocks.slow().is_some(),
                "link_us": self.clocks.slow().map(|_| self.machine.link.as_nanos() as f64 / 1e3),
            },
            "complaint": self.complaint,
        })
    }
}

fn of_latency(latency: &Latency) -> Value {
    let us = |quantile| latency.quantile(quantile).map(|found| found.ns() as f64 / 1e3);
    json!({"requests": latency.count(), "mean_us": latency.mean_us(), "p50_us": us(0.5), "p99_us": us(0.99)})
}

/// A power cut, in words for a program.
#[must_use]
pub fn of_cut(report: &CutReport) -> Value {
    json!({
        "at_s": report.at.ns() as f64 / 1e9,
        "requests_lost": report.requests_lost,
        "torn_programs": report.torn.programs,
        "torn_erases": report.torn.erases,
        "hold_up_s": report.hold_up.map(|hold_up| hold_up.time.as_secs()),
        "hold_up_complete": report.hold_up.map(|hold_up| hold_up.is_complete),
        "ending_writes_s": report.ending_writes.as_secs(),
        "again": report.again,
        "recovery_s": report.recovery.as_secs(),
        "pages_read": report.pages_read,
        "pages_programmed": report.pages_programmed,
        "blocks_erased": report.blocks_erased,
        "pages_reverted": report.pages_reverted,
    })
}
