//! Servers with their queues.

use crate::drive::Drive;
use crate::paths::{Kind, Unit};
use crate::processor::Shard;
use crate::simulation::operations::{NONE, Operation};

/// Classes of operations by priority.
pub(crate) const CLASSES: usize = 3;

/// Identical servers with one queue for each class. The queues are lists through the operations.
#[derive(Clone, Copy, Debug)]
struct Station {
    idle: u32,
    first: [u32; CLASSES],
    last: [u32; CLASSES],
    busy_ns: u64,
}

/// Stations of one kind of unit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    first: u32,
    pub(crate) stations: u32,
    /// Servers of each station.
    pub(crate) servers: u32,
    pub(crate) waited_ns: u64,
    pub(crate) busy_ns: u64,
}

/// All stations of a drive.
pub(crate) struct Stations {
    stations: Vec<Station>,
    pub(crate) groups: [Group; Unit::ALL.len()],
    dies_per_package: u32,
    channels: u32,
    shard: Shard,
    /// When counting began.
    since: u64,
}

impl Stations {
    pub(crate) fn new(drive: &Drive) -> Self {
        let packages = drive.packages() as u32;
        let mut groups = [Group::default(); Unit::ALL.len()];
        let mut stations = Vec::new();
        for unit in Unit::ALL {
            let (count, servers) = match unit {
                Unit::Host | Unit::HostWrites | Unit::Interconnect => (1, 1),
                Unit::Processor => match drive.processor.shard {
                    Shard::None => (1, drive.processor.cores),
                    Shard::Channel | Shard::LbaHash => (drive.processor.cores, 1),
                },
                Unit::Sram | Unit::Dram | Unit::Cxl | Unit::HostMemory => (1, drive.accesses_at_once(unit)),
                // its places are counted where writes are let in
                Unit::Buffer => (1, u32::try_from(drive.buffered_writes()).unwrap_or(u32::MAX)),
                Unit::Ecc => (1, drive.ecc_lanes()),
                Unit::Channel => (drive.used_channels() as u32, 1),
                Unit::Die => (drive.dies() as u32, 1),
                Unit::Local => (packages, drive.local.cores),
                Unit::Bus | Unit::MiniEcc => (packages, 1),
                // counted where moves are let in
                Unit::Moves => (packages, drive.max_moves),
            };
            groups[unit as usize] = Group {
                first: stations.len() as u32,
                stations: count,
                servers,
                waited_ns: 0,
                busy_ns: 0,
            };
            let station = Station {
                idle: servers,
                first: [NONE; CLASSES],
                last: [NONE; CLASSES],
                busy_ns: 0,
            };
            stations.resize(stations.len() + count as usize, station);
        }
        Self {
            stations,
            groups,
            dies_per_package: drive.nand.dies_per_package,
            channels: drive.channels.count,
            shard: drive.processor.shard,
            since: 0,
        }
    }

    /// The station of `unit` that serves a die, and of the processor a page.
    pub(crate) fn index(&self, unit: Unit, die: u32, page: u64) -> u32 {
        let channel = die / self.dies_per_package % self.channels;
        let within = match unit {
            Unit::Host
            | Unit::HostWrites
            | Unit::Sram
            | Unit::Dram
            | Unit::Cxl
            | Unit::HostMemory
            | Unit::Buffer
            | Unit::Ecc
            | Unit::Interconnect => 0,
            Unit::Processor => match self.shard {
                Shard::None => 0,
                Shard::Channel => channel % self.groups[unit as usize].stations,
                Shard::LbaHash => spread(page, self.groups[unit as usize].stations),
            },
            Unit::Die => die,
            Unit::Local | Unit::Bus | Unit::MiniEcc | Unit::Moves => die / self.dies_per_package,
            Unit::Channel => channel,
        };
        self.groups[unit as usize].first + within
    }

    /// An operation comes to a station: whether it is served at once; if not, it waits.
    pub(crate) fn arrive(
        &mut self,
        at: u32,
        class: usize,
        number: u32,
        operations: &mut [Operation],
    ) -> bool {
        let station = &mut self.stations[at as usize];
        if station.idle > 0 {
            station.idle -= 1;
            return true;
        }
        operations[number as usize].next = NONE;
        match station.last[class] {
            NONE => station.first[class] = number,
            last => operations[last as usize].next = number,
        }
        station.last[class] = number;
        false
    }

    /// An operation of `unit` that was served from `since` on leaves a station: which one is served next.
    pub(crate) fn leave(
        &mut self,
        at: u32,
        unit: Unit,
        since: u64,
        now: u64,
        operations: &[Operation],
    ) -> Option<u32> {
        self.count(at, unit, since, now);
        let station = &mut self.stations[at as usize];
        for class in 0..CLASSES {
            let number = station.first[class];
            if number != NONE {
                let next = &operations[number as usize];
                station.first[class] = next.next;
                if station.first[class] == NONE {
                    station.last[class] = NONE;
                }
                self.groups[unit as usize].waited_ns += now - next.since.max(self.since);
                return Some(number);
            }
        }
        station.idle += 1;
        None
    }

    /// A place of the write buffer, or of a package for moves, that was taken from `since` on is free again.
    pub(crate) fn place_left(&mut self, unit: Unit, die: u32, since: u64, now: u64) {
        self.count(self.index(unit, die, 0), unit, since, now);
    }

    /// A server was busy from `since` on: what was before counting began is left out, so that no share exceeds 1.
    fn count(&mut self, at: u32, unit: Unit, since: u64, now: u64) {
        let ns = now - since.max(self.since);
        self.groups[unit as usize].busy_ns += ns;
        self.stations[at as usize].busy_ns += ns;
    }

    /// Counts start afresh.
    pub(crate) fn restart(&mut self, now: u64) {
        self.since = now;
        for group in &mut self.groups {
            group.waited_ns = 0;
            group.busy_ns = 0;
        }
        for station in &mut self.stations {
            station.busy_ns = 0;
        }
    }

    /// The least and the greatest busy time of stations of a unit, per server.
    pub(crate) fn extremes(&self, unit: Unit) -> (f64, f64) {
        let group = &self.groups[unit as usize];
        let of_unit = &self.stations[group.first as usize..(group.first + group.stations) as usize];
        let busy = of_unit
            .iter()
            .map(|station| station.busy_ns as f64 / f64::from(group.servers));
        busy.fold((f64::INFINITY, 0.0_f64), |(low, high), busy| {
            (low.min(busy), high.max(busy))
        })
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        (self.stations.len() * size_of::<Station>()) as u64
    }
}

/// The core among `cores` that has a page: a multiplicative hash (Knuth), so that neighbours have different ones.
fn spread(page: u64, cores: u32) -> u32 {
    let mixed = page.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(mixed) * u128::from(cores)) >> 64) as u32
}

/// The priority class: host, table, collection.
pub(crate) fn class(kind: Kind) -> usize {
    match kind {
        Kind::HostRead | Kind::HostWrite | Kind::PartialWrite | Kind::MergedWrite => 0,
        Kind::PageIn
        | Kind::PageOut
        | Kind::Invalidate
        | Kind::NodeProgram
        | Kind::DirectoryCheck
        | Kind::SramLookUp
        | Kind::DramLookUp
        | Kind::CxlLookUp
        | Kind::HostMemoryLookUp => 1,
        Kind::Move | Kind::Erase => 2,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Work conservation (specification, 12): no server of a station is idle while an operation waits there, and the next one is the oldest of the first class that
        /// waits. Queues as such say the same.
        #[test]
        fn no_server_is_idle_while_an_operation_waits(steps in prop::collection::vec((any::<bool>(), 0..CLASSES), 1..300)) {
            let drive = crate::named::named("fscale-8tb").expect("a named drive");
            let mut stations = Stations::new(&drive);
            // with the cores of a local controller
            let (unit, servers) = (Unit::Local, drive.local.cores);
            let at = stations.index(unit, 0, 0);
            let mut operations = Vec::new();
            let mut served = 0;
            let mut waiting: [VecDeque<u32>; CLASSES] = Default::default();
            for (comes, class) in steps {
                if comes {
                    let number = operations.len() as u32;
                    operations.push(Operation::new(Kind::Move, 0, 0, 0, 0));
                    let at_once = stations.arrive(at, class, number, &mut operations);
                    prop_assert_eq!(at_once, served < servers);
                    if at_once {
                        served += 1;
                    } else {
                        waiting[class].push_back(number);
                    }
                } else if served > 0 {
                    let next = stations.leave(at, unit, 0, 1, &operations);
                    let oldest = waiting.iter_mut().find_map(VecDeque::pop_front);
                    prop_assert_eq!(next, oldest);
                    served -= u32::from(next.is_none());
                }
                let station = &stations.stations[at as usize];
                prop_assert_eq!(station.idle + served, servers);
                let waits = station.first.iter().any(|first| *first != NONE);
                prop_assert!(station.idle == 0 || !waits);
            }
        }
    }
}
