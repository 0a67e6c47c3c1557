//! `zonemode=zbd`: the commands of a job on zones. The job says where a command would fall on any drive; here it moves to the write pointer of a zone, or to
//! what is written of one (HOWTO of fio, `zonemode`).
//!
//! Jobs of a file share what the host knows of the zones ([`table`]). One job at a time writes a zone: another one that comes to it waits until nothing is under
//! way there. Before it resets a zone a job waits for all that it has sent, and after it for the reset. A zone whose rest is too small for a block of a job that
//! can open no other one is finished, as in fio.

pub(crate) mod build;
pub(crate) mod options;
mod place;
pub(crate) mod table;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use wordline_units::SimTime;

use super::job::{Job, Work};
use super::{Direction, Each};
use crate::{HostCommand, HostOp, Source, SourceError};
use table::ZoneTable;

/// What a job may do with zones.
#[derive(Clone, Debug)]
pub(crate) struct ZoneRules {
    /// The zones of its region.
    pub(crate) range: Range<u32>,
    /// Whether it goes to random places.
    pub(crate) is_random: bool,
    /// Smallest block of each direction, in sectors.
    pub(crate) least: Each<u64>,
    pub(crate) read_beyond: bool,
    /// Zones that it has opened and not filled, at most; 0: any number.
    pub(crate) most_open: usize,
    /// Sectors left out behind each zone by a sequential job.
    pub(crate) skip: u64,
    /// Sectors written from which on writes reset zones early, and one in how many does; none where none does.
    pub(crate) early_resets: Option<(f64, u64)>,
    /// Writes are appends: the drive writes them where the pointer is.
    pub(crate) appends: bool,
}

/// A job on zones.
pub(crate) struct ZonedJob {
    job: Job,
    number: usize,
    rules: ZoneRules,
    table: Arc<Mutex<ZoneTable>>,
    /// A command of the job that is to be placed.
    drawn: Option<HostCommand>,
    /// Whether it resets its zone though there is room.
    resets_early: bool,
    /// What comes next, as far as it is decided.
    next: Option<Next>,
    /// The zone that it waits for.
    waits_for: Option<u32>,
    /// Commands given and not completed.
    in_flight: u64,
    /// A reset or finish was given and is not completed.
    is_changing: bool,
    /// A zone of which the job may read.
    readable: Option<u32>,
    /// Why the job found nothing to do, until it gives a command for a zone again.
    stuck: Option<&'static str>,
    is_over: bool,
    /// Why the job breaks off, until it is told.
    broken: Option<SourceError>,
    notes: Vec<String>,
}

/// What the job gives next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// As it is: it concerns no zone, or a read.
    Plain(HostCommand),
    Write(HostCommand, u32),
    /// A reset, before the write that was drawn, or in place of a trim.
    Reset {
        command: HostCommand,
        zone: u32,
        is_trim: bool,
    },
    /// A finish of a zone, before this write: it makes room for another open zone.
    Finish(HostCommand, u32),
}

/// What becomes of a command that was drawn.
enum Decision {
    Give(Next),
    /// Until nothing is under way: of other jobs in this zone, or of the job itself.
    Wait(Option<u32>),
    /// There is no zone for it.
    Nowhere(&'static str),
}

impl ZonedJob {
    pub(crate) fn new(job: Job, number: usize, rules: ZoneRules, table: Arc<Mutex<ZoneTable>>) -> Self {
        Self {
            job,
            number,
            rules,
            table,
            drawn: None,
            resets_early: false,
            next: None,
            waits_for: None,
            in_flight: 0,
            is_changing: false,
            readable: None,
            stuck: None,
            is_over: false,
            broken: None,
            notes: Vec::new(),
        }
    }

    /// Decides on the next command, unless it has to wait.
    fn decide(&mut self) {
        let shared = Arc::clone(&self.table);
        let mut table = lock(&shared);
        while self.next.is_none() && !self.is_over {
            let command = match self.drawn {
                Some(command) => command,
                None => {
                    self.job.only_writes = self.only_writes(&table);
                    let command = match self.job.next_command() {
                        Ok(Some(command)) => command,
                        ended => {
                            self.end();
                            self.broken = ended.err();
                            return;
                        }
                    };
                    self.resets_early = is_write(command.op) && self.reset_is_due(&mut table);
                    *self.drawn.insert(command)
                }
            };
            match self.place(&table, &command) {
                Decision::Give(next) => {
                    self.stop_waiting(&mut table);
                    self.next = Some(next);
                }
                Decision::Wait(zone) => {
                    if self.waits_for != zone {
                        self.stop_waiting(&mut table);
                    }
                    if let Some(zone) = zone {
                        table.wait(zone, self.number);
                        self.waits_for = Some(zone);
                    }
                    return;
                }
                Decision::Nowhere(why) => {
                    self.stop_waiting(&mut table);
                    self.drawn = None;
                    if self.stuck.replace(why).is_some() {
                        self.end();
                    }
                    self.job
                        .end_pass(direction_of(command.op), u64::from(command.sectors));
                }
            }
        }
    }

    /// The job gives nothing more; where its last pass broke off, a note says why.
    fn end(&mut self) {
        self.is_over = true;
        let notes = self
            .stuck
            .map(|why| format!("fio: a job ended early: of its zones {why}"));
        self.notes.extend(notes);
    }

    /// Whether a job that reads and writes only writes for now: what others have under way, or wrote outside its region, is nothing that it may read.
    fn only_writes(&mut self, table: &ZoneTable) -> bool {
        if self.rules.read_beyond || !matches!(self.job.work, Work::Mixed { .. }) {
            return false;
        }
        let least = *self.rules.least.of(Direction::Read);
        let holds = |zone: &u32| table.readable(*zone, self.number) >= least;
        if !self.readable.as_ref().is_some_and(holds) {
            self.readable = self.rules.range.clone().find(holds);
        }
        self.readable.is_none()
    }

    fn reset_is_due(&self, table: &mut ZoneTable) -> bool {
        let early = self.rules.early_resets;
        early.is_some_and(|(threshold, period)| table.resets_early(threshold, period))
    }

    fn stop_waiting(&mut self, table: &mut ZoneTable) {
        if let Some(zone) = self.waits_for.take() {
            table.wait_no_more(zone, self.number);
        }
    }

    /// The job goes on from where a command was placed, which may be shorter than the one that was drawn.
    fn move_to(&mut self, direction: Direction, drawn: Option<&HostCommand>, placed: &HostCommand) {
        let lost = drawn.map_or(0, |drawn| drawn.sectors - placed.sectors);
        self.job.moved(
            direction,
            placed.sector,
            u64::from(placed.sectors),
            u64::from(lost),
        );
    }

    /// A sequential job goes on in another zone.
    fn leave(&mut self, direction: Direction, table: &ZoneTable, zone: u32) {
        if !self.rules.is_random {
            let behind = table.start(zone) + table.sizes.size;
            let next = behind.saturating_add(self.rules.skip);
            self.job.moved(direction, next, 0, 0);
        }
    }

    /// What was decided is given.
    fn give(&mut self, next: Next) -> Option<HostCommand> {
        let shared = Arc::clone(&self.table);
        let mut table = lock(&shared);
        let drawn = self.drawn.take();
        let command = match next {
            Next::Plain(command) => {
                if command.op == HostOp::Read {
                    self.move_to(Direction::Read, drawn.as_ref(), &command);
                    let zone = table.zone_of(command.sector);
                    let end = command.sector + u64::from(command.sectors);
                    if self.rules.skip > 0 && end >= table.start(zone) + table.readable(zone, self.number) {
                        self.leave(Direction::Read, &table, zone);
                    }
                }
                command
            }
            Next::Write(command, zone) => {
                let sectors = u64::from(command.sectors);
                table.write(zone, sectors, self.number);
                self.move_to(Direction::Write, drawn.as_ref(), &command);
                if !table.has_room(zone, *self.rules.least.of(Direction::Write)) {
                    self.leave(Direction::Write, &table, zone);
                }
                if self.rules.appends && command.op == HostOp::Write {
                    HostCommand {
                        op: HostOp::ZoneAppend,
                        sector: table.start(zone),
                        ..command
                    }
                } else {
                    command
                }
            }
            Next::Reset {
                command,
                zone,
                is_trim,
            } => {
                let is_sent = table.reset(zone, self.number, !is_trim);
                if !is_trim {
                    self.drawn = drawn;
                    self.resets_early = false;
                }
                if !is_sent {
                    return None;
                }
                self.is_changing = true;
                management(HostOp::ZoneReset, table.start(zone), command)
            }
            Next::Finish(command, zone) => {
                self.drawn = Some(command);
                if !table.finish(zone, self.number) {
                    return None;
                }
                self.is_changing = true;
                management(HostOp::ZoneFinish, table.start(zone), command)
            }
        };
        self.in_flight += 1;
        if command.op != HostOp::Flush {
            self.stuck = None;
        }
        Some(command)
    }
}

/// A command that changes the state of the zone at a sector, in place of or before another one.
const fn management(op: HostOp, sector: u64, command: HostCommand) -> HostCommand {
    HostCommand {
        op,
        fua: false,
        sector,
        sectors: 0,
        placement: 0,
        ..command
    }
}

/// What a command of a job does to blocks.
const fn direction_of(op: HostOp) -> Direction {
    match op {
        HostOp::Read => Direction::Read,
        HostOp::Trim => Direction::Trim,
        _ => Direction::Write,
    }
}

/// Whether a command of a job writes to a zone.
const fn is_write(op: HostOp) -> bool {
    matches!(op, HostOp::Write | HostOp::WriteZeroes | HostOp::ZoneAppend)
}

/// The zones; a panic elsewhere leaves them as they are.
fn lock(table: &Mutex<ZoneTable>) -> MutexGuard<'_, ZoneTable> {
    table.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Source for ZonedJob {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        loop {
            self.decide();
            if let Some(error) = self.broken.take() {
                return Err(error);
            }
            let Some(next) = self.next.take() else {
                return Ok(None);
            };
            if let Some(command) = self.give(next) {
                return Ok(Some(command));
            }
        }
    }

    fn heeds_time(&self) -> bool {
        self.job.heeds_time()
    }

    fn time_is(&mut self, now: SimTime) {
        self.job.time_is(now);
    }

    fn follows_completions(&self) -> bool {
        true
    }

    fn is_held(&mut self) -> bool {
        self.decide();
        self.next.is_none() && !self.is_over
    }

    fn completed(&mut self, command: &HostCommand, failed: bool) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let shared = Arc::clone(&self.table);
        let mut table = lock(&shared);
        let zone = table.zone_of(command.sector);
        match command.op {
            HostOp::ZoneReset | HostOp::ZoneFinish => {
                self.is_changing = false;
                table.completed(zone, failed);
            }
            op if is_write(op) => table.completed(zone, failed),
            _ => {}
        }
    }

    fn stopped(&mut self, unsent: &[HostCommand]) {
        let shared = Arc::clone(&self.table);
        let mut table = lock(&shared);
        self.stop_waiting(&mut table);
        self.is_over = true;
        self.next = None;
        for command in unsent.iter().rev() {
            let zone = table.zone_of(command.sector);
            match command.op {
                HostOp::ZoneReset | HostOp::ZoneFinish => table.withdraw_change(zone),
                op if is_write(op) => table.withdraw(zone, u64::from(command.sectors)),
                _ => {}
            }
        }
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        self.job
            .notes()
            .into_iter()
            .chain(self.notes.iter().cloned())
            .collect()
    }
}
