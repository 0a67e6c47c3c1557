//! Power cuts of a live drive: what is in flight is torn, the drive recovers by its `ftl.recovery.kind`, and shows what it finds.

use wordline_drive::{HoldUp, LiveDrive, RunError, RunOptions};
use wordline_ftl::Repair;
use wordline_units::{Duration, Seed, SimTime};
use wordline_workload::HostOp;

use crate::ask::Ask;
use crate::crash::of_submit;
use crate::cut_report::CutReport;
use crate::device::{Device, SubmitError};
use crate::error::LiveError;
use crate::medium::{Changed, Medium};

/// Longer than any step of an array, ns: where nothing is under way the next event may be far away.
const LONGEST_STEP: u64 = 10_000_000;

/// How the power comes back.
#[derive(Clone, Copy)]
struct ComeBack {
    /// When the drive stood still.
    at: SimTime,
    /// When the power failed, earlier if the drive had writes to end.
    failed: SimTime,
    /// Whether it fails once more while recovery repairs the flash.
    again: bool,
    /// Whether it is of interest how long recovery takes.
    is_timed: bool,
}

impl Device {
    /// The power fails now, and comes back. With `again`, it fails once more while recovery repairs the flash, at a moment that `seed` draws.
    /// Requests that are under way are not answered any more.
    ///
    /// # Errors
    /// Keys that do not go with power cuts ([`Device::new`] was not told of any), a defect of the drive.
    pub fn cut(&mut self, again: bool, seed: Seed) -> Result<CutReport, LiveError> {
        let medium = self.medium.clone().ok_or_else(no_cuts)?;
        let failed = self.drawn_moment(seed)?;
        let at = if self.end_halved_writes()? {
            self.drawn_moment(seed)?
        } else {
            failed
        };
        let hold_up = if self.config.buffer.is_present() && self.config.buffer.capacitor {
            Some(self.drive.hold_up()?)
        } else {
            None
        };
        let at = hold_up.map_or(at, |_| self.now());
        let medium = medium.taken();
        let come_back = ComeBack {
            at,
            failed,
            again,
            is_timed: true,
        };
        let (drive, changed, report) = self.come_back(&medium, hold_up, come_back, seed)?;
        self.restore(changed)?;
        self.under_way = 0;
        self.flushes.clear();
        self.on_since = at + report.recovery;
        self.power_cycles.push(report.clone());
        self.drive = drive;
        self.drive.add_probe(Box::new(medium.clone()));
        self.medium = Some(medium);
        Ok(report)
    }

    /// The drive ends the writes that a power cut must not leave half done, and on a capacitor all that are under way. Whether it had to.
    fn end_halved_writes(&mut self) -> Result<bool, LiveError> {
        let ends_all = self.config.buffer.is_present() && self.config.atomic_write_unit().is_some();
        let mut had_to = false;
        let mut is_flushed = false;
        while self.has_halved_writes() || ends_all && self.under_way > 0 {
            had_to = true;
            if !self.step_until(SimTime::NEVER)? {
                // a page waits in a register for others of its kind
                if is_flushed {
                    return Err(RunError::Data("a write stays half done after a flush".to_owned()).into());
                }
                is_flushed = true;
                self.flush().map_err(of_submit)?;
            }
            // nobody hears them
            self.answers();
        }
        Ok(had_to)
    }

    /// Asks for a flush of the device's own.
    pub(crate) fn flush(&mut self) -> Result<u64, SubmitError> {
        let ask = Ask {
            op: HostOp::Flush,
            fua: false,
            offset: 0,
            length: 0,
        };
        self.submit(self.now(), &ask, &[])
    }

    /// What pages show after a power cut becomes their content.
    fn restore(&mut self, changed: Changed) -> Result<(), LiveError> {
        let failed = |error| LiveError::System("the data after a power cut", error);
        let page_bytes = self.content.page_bytes() as u64;
        for (page, data) in changed {
            match data {
                Some(data) => self.content.write(page * page_bytes, &data),
                None => self.content.zero(page * page_bytes, page_bytes),
            }
            .map_err(failed)?;
        }
        Ok(())
    }

    /// What pages would show if the power failed at this moment and came back; the drive goes on. A drive with a capacitor has no time for it here.
    ///
    /// # Errors
    /// As those of [`Self::cut`].
    pub fn cut_copy(&mut self, again: bool, seed: Seed) -> Result<(CutReport, Changed), LiveError> {
        let at = self.drawn_moment(seed)?;
        let medium = self.medium.as_ref().ok_or_else(no_cuts)?.copied();
        // how long recovery takes changes nothing of an image
        let come_back = ComeBack {
            at,
            failed: at,
            again,
            is_timed: false,
        };
        let (_, changed, report) = self.come_back(&medium, None, come_back, seed)?;
        Ok((report, changed))
    }

    /// A moment before the next event, at which arrays are in the middle of what they do: what begins now has begun, and nothing has ended since the last event.
    fn drawn_moment(&mut self, seed: Seed) -> Result<SimTime, LiveError> {
        let now = self.now();
        self.drive.begin_what_waits()?;
        let gap = match self.next_time() {
            SimTime::NEVER => 0,
            next => next.since(now.min(next)).ns().min(LONGEST_STEP),
        };
        Ok(now + Duration(seed.draw("moment of a power cut", now.ns()) % gap.max(1)))
    }

    /// The power fails on a flash, and a drive comes back on it.
    fn come_back(
        &self,
        medium: &Medium,
        hold_up: Option<HoldUp>,
        come_back: ComeBack,
        seed: Seed,
    ) -> Result<(LiveDrive, Changed, CutReport), LiveError> {
        let ComeBack {
            at,
            failed,
            again,
            is_timed,
        } = come_back;
        let ends = hold_up.is_some_and(|hold_up| hold_up.is_complete);
        let mut report = CutReport {
            at,
            requests_lost: self.under_way,
            torn: medium.power_fails(self.drive.ftl(), self.of_drive(at), ends),
            hold_up,
            ending_writes: at.since(failed.min(at)),
            again: 0,
            recovery: Duration::ZERO,
            pages_read: 0,
            pages_programmed: 0,
            blocks_erased: 0,
            pages_reverted: 0,
        };
        let mut again = again.then(|| seed.draw("power cut of recovery", report.at.ns()));
        let drive = loop {
            let gone = || RunError::Data("the flash was taken".to_owned());
            if is_timed {
                let (time, _) = medium
                    .found(|flash| LiveDrive::recovery_time(&self.config, &self.base_dir, flash))
                    .ok_or_else(gone)??;
                report.recovery += time.served;
            }
            let (drive, recovery) = medium
                .found(|flash| {
                    LiveDrive::recovered(&self.config, &self.base_dir, RunOptions::default(), flash)
                })
                .ok_or_else(gone)??;
            report.pages_read += recovery.reads.len() as u64;
            let repairs = &recovery.repairs;
            let cut = again.take().filter(|_| !repairs.is_empty());
            let done = cut.map_or(repairs.len(), |drawn| (drawn % repairs.len() as u64) as usize);
            for repair in &repairs[..done] {
                medium.repair(repair, false);
                match repair {
                    Repair::Erase(_) => report.blocks_erased += 1,
                    Repair::Program(..) => report.pages_programmed += 1,
                }
            }
            if cut.is_none() {
                break drive;
            }
            medium.repair(&repairs[done], true);
            report.again += 1;
        };
        let changed = medium
            .recovered(drive.ftl(), &self.content, drive.numbered())
            .map_err(RunError::Data)?;
        report.pages_reverted = changed.len() as u64;
        Ok((drive, changed, report))
    }
}

fn no_cuts() -> LiveError {
    LiveError::Refused(
        "the drive is served without power cuts; accepted with --power-cuts, and a drive that has ftl.recovery".to_owned(),
    )
}
