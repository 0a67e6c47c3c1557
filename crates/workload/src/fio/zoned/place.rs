//! Where in its zones the next command of a job falls, and what has to be done before it.

use super::table::ZoneTable;
use super::{Decision, Next, ZonedJob, is_write};
use crate::fio::Direction;
use crate::{HostCommand, HostOp};

impl ZonedJob {
    pub(super) fn place(&self, table: &ZoneTable, command: &HostCommand) -> Decision {
        if self.is_changing {
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
            table.can_open(self.number, self.rules.most_open, None)
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
        if table.can_open(self.number, self.rules.most_open, None) {
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
        if table
            .open_from(0.0, range.clone())
            .any(|zone| table.is_busy(zone))
        {
            return Err(Decision::Wait(None));
        }
        // what is left of a zone may be too small for this job, and no other job may come to fill it
        let mut held = table.open_from(0.0, range.clone());
        let held = held.find(|zone| {
            !table.has_room(*zone, least) && table.can_open(self.number, self.rules.most_open, Some(*zone))
        });
        match held {
            Some(zone) if !table.is_free_for(zone, self.number) => Err(Decision::Wait(Some(zone))),
            Some(zone) => {
                let behind = if named + 1 < range.end {
                    named + 1
                } else {
                    range.start
                };
                // the write does not come back to the zone, which would then be reset
                let sector = if named == zone {
                    table.start(behind)
                } else {
                    command.sector
                };
                Err(Decision::Give(Next::Finish(
                    HostCommand { sector, ..*command },
                    zone,
                )))
            }
            None => Err(Decision::Nowhere("none can be opened")),
        }
    }
}
