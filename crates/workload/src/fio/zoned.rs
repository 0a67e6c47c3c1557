//! `zonemode=zbd`: the commands of a job on zones. The job says where a command would fall on any drive; here it moves to the write pointer of a zone, or to
//! what is written of one (HOWTO of fio, `zonemode`).
//!
//! Jobs of a file share what the host knows of the zones ([`table`]). One job at a time writes a zone: another one that comes to it waits until nothing is under
//! way there. Before it resets a zone a job waits for all that it has sent, and after it for the reset.

pub(crate) mod build;
pub(crate) mod options;
pub(crate) mod table;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use super::job::Job;
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
    /// A reset was given and is not completed.
    is_resetting: bool,
    /// The job found nothing to do, and has given no command since.
    is_stuck: bool,
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
            is_resetting: false,
            is_stuck: false,
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
                    self.job.only_writes = !table.has_data() && !self.rules.read_beyond;
                    let command = match self.job.next_command() {
                        Ok(Some(command)) => command,
                        ended => {
                            self.is_over = true;
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
                    self.is_over = self.is_stuck;
                    if self.is_over {
                        self.notes
                            .push(format!("fio: a job ended early: of its zones {why}"));
                    }
                    self.is_stuck = true;
                    self.job.end_pass();
                }
            }
        }
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

    fn place(&self, table: &ZoneTable, command: &HostCommand) -> Decision {
        if self.is_resetting {
            return Decision::Wait(None);
        }
        match command.op {
            HostOp::Read => self.place_read(table, command),
            HostOp::Trim => self.place_trim(table, command),
            op if is_write(op) => self.place_write(table, command),
            _ => Decision::Give(Next::Plain(*command)),
        }
    }

    /// A read of what is written: sequentially up to the pointer and from the start of the next zone that holds something, at random as far into the zone as
    /// it would have been, around.
    fn place_read(&self, table: &ZoneTable, command: &HostCommand) -> Decision {
        let least = *self.rules.least.of(Direction::Read);
        let zone = table.zone_of(command.sector);
        if self.rules.read_beyond && !table.zone(zone).is_lost {
            return Decision::Give(Next::Plain(*command));
        }
        let (offset, length) = (command.sector - table.start(zone), u64::from(command.sectors));
        let readable = |zone: u32| table.readable(zone, self.number);
        let holds = |zone: u32| readable(zone) >= least;
        let is_past = !self.rules.is_random && offset + least > readable(zone);
        let from = if holds(zone) && !is_past {
            Some(zone)
        } else {
            self.nearest(zone, &holds)
        };
        let Some(from) = from else {
            return Decision::Nowhere("nothing is left to read");
        };
        let written = readable(from);
        let offset = if written <= length || (from != zone && !self.rules.is_random) {
            0
        } else if self.rules.is_random {
            offset % (written - length) / least * least
        } else {
            offset
        };
        let length = length.min(written - offset) / least * least;
        Decision::Give(Next::Plain(HostCommand {
            sector: table.start(from) + offset,
            sectors: length as u32,
            ..*command
        }))
    }

    /// The nearest other zone of the region that something holds of: behind, and for a random job before as well.
    fn nearest(&self, zone: u32, holds: &dyn Fn(u32) -> bool) -> Option<u32> {
        let range = &self.rules.range;
        let most = range.end - range.start;
        (1..=most).find_map(|step| {
            let behind = zone.checked_add(step).filter(|zone| range.contains(zone));
            let before = zone
                .checked_sub(step)
                .filter(|zone| range.contains(zone) && self.rules.is_random);
            behind.into_iter().chain(before).find(|zone| holds(*zone))
        })
    }

    /// A trim resets a zone that is not empty.
    fn place_trim(&self, table: &ZoneTable, command: &HostCommand) -> Decision {
        let named = table.zone_of(command.sector);
        let is_written = |zone: u32| table.zone(zone).pointer > 0 && !table.zone(zone).is_lost;
        let zone = if is_written(named) || (!self.rules.is_random && !table.zone(named).is_lost) {
            Some(named)
        } else {
            self.nearest(named, &is_written)
        };
        let Some(zone) = zone else {
            return Decision::Nowhere("none is left to reset");
        };
        if !table.is_free_for(zone, self.number) {
            return Decision::Wait(Some(zone));
        }
        Decision::Give(Next::Reset {
            command: *command,
            zone,
            is_trim: true,
        })
    }

    /// A write at the pointer of a zone, which is reset before where it is full.
    fn place_write(&self, table: &ZoneTable, command: &HostCommand) -> Decision {
        let least = *self.rules.least.of(Direction::Write);
        let named = table.zone_of(command.sector);
        let zone = if self.may_write(table, named) {
            named
        } else {
            match self.another(table, command, least) {
                Ok(zone) => zone,
                Err(decision) => return decision,
            }
        };
        let resets = self.resets_early || !table.has_room(zone, least);
        if !table.is_free_for(zone, self.number) {
            return Decision::Wait(Some(zone));
        }
        if resets && self.in_flight > 0 {
            return Decision::Wait(None);
        }
        if resets && table.zone(zone).pointer > 0 {
            return Decision::Give(Next::Reset {
                command: *command,
                zone,
                is_trim: false,
            });
        }
        let pointer = table.zone(zone).pointer;
        let length = u64::from(command.sectors).min(table.sizes.capacity - pointer) / least * least;
        let write = HostCommand {
            sector: table.start(zone) + pointer,
            sectors: length as u32,
            ..*command
        };
        Decision::Give(Next::Write(write, zone))
    }

    /// Whether a write may go to the zone that it names.
    fn may_write(&self, table: &ZoneTable, zone: u32) -> bool {
        let least = *self.rules.least.of(Direction::Write);
        if table.zone(zone).is_lost {
            false
        } else if table.is_open(zone) {
            table.has_room(zone, least)
        } else {
            table.can_open(self.number, self.rules.most_open)
        }
    }

    /// Another zone for a write that cannot go to its own: an open one with room, else the next one that can be opened.
    fn another(&self, table: &ZoneTable, command: &HostCommand, least: u64) -> Result<u32, Decision> {
        let range = self.rules.range.clone();
        let region = f64::from(range.end - range.start) * table.sizes.size as f64;
        let share = (command.sector - table.start(range.start)) as f64 / region;
        let named = table.zone_of(command.sector);
        let mut open = table.open_from(share, range.clone());
        let open = open.find(|zone| table.has_room(*zone, least));
        if let Some(zone) = open.filter(|_| table.is_limited(self.rules.most_open)) {
            return Ok(zone);
        }
        if table.can_open(self.number, self.rules.most_open) {
            let behind = (named + 1..range.end).chain(range.start..=named);
            let mut closed = behind.filter(|zone| !table.zone(*zone).is_lost && !table.is_open(*zone));
            if let Some(zone) = closed.next() {
                return Ok(zone);
            }
        }
        if let Some(zone) = open {
            return Ok(zone);
        }
        // open zones that are full are closed when their last writes are completed
        let busy = table.open_from(0.0, range).find(|zone| table.is_busy(*zone));
        match busy {
            Some(_) => Err(Decision::Wait(None)),
            None => Err(Decision::Nowhere("none can be opened")),
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
            let next = table.start(zone) + table.sizes.size + self.rules.skip;
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
                command
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
                self.is_resetting = true;
                HostCommand {
                    op: HostOp::ZoneReset,
                    fua: false,
                    sector: table.start(zone),
                    sectors: 0,
                    placement: 0,
                    ..command
                }
            }
        };
        self.in_flight += 1;
        self.is_stuck = false;
        Some(command)
    }
}

/// Whether a command of a job writes to a zone.
const fn is_write(op: HostOp) -> bool {
    matches!(op, HostOp::Write | HostOp::WriteZeroes)
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
            HostOp::ZoneReset => {
                self.is_resetting = false;
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
                HostOp::ZoneReset => table.end(zone),
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
