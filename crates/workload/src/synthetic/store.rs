//! A log-structured store: commit log, flushed tables, tiered compaction, each with the lifetime that it has (Kang et al., HotStorage 2014).
//!
//! Work is counted in pieces, each the size of a request. The store first writes all of its data as one table of the last tier, as a benchmark loads it. From then on each piece of
//! the log is followed by one of the table that is being flushed, if one is, and by as many of the merge under way as merges are due, so that merges keep pace.

mod files;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use wordline_keys::RefusedValue;
use wordline_units::{Seed, Stream};

use super::classes::{draw, sectors, share};
use super::schedule::Schedule;
use super::slots::{Slots, below};
use crate::config::{StorePlacement, WorkloadConfig};
use crate::{HostCommand, HostOp, Source, SourceError};
use files::{File, Files};
use tables::{Growth, Sizing};

/// Part of the region that holds system data: one piece in so many. Assumed.
const SYSTEM: u64 = 128;

/// What a file is, as far as its placement goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    System,
    Log,
    /// A table of this tier.
    Table(usize),
}

/// A piece that is to be written or read.
#[derive(Clone, Copy, Debug)]
enum Task {
    Flush,
    Merge,
}

/// A table that is being written.
#[derive(Debug)]
struct Output {
    file: File,
    /// Pieces that it will have, and those that are written.
    pieces: u64,
    written: u64,
}

/// A table of memory that is being flushed, and the log of its updates.
#[derive(Debug)]
struct Flush {
    output: Output,
    log: Vec<File>,
}

/// A merge under way.
#[derive(Debug)]
struct Merge {
    output: Output,
    tier: usize,
    inputs: Vec<File>,
    /// Pieces of the inputs that were read.
    read: u64,
}

/// The store.
pub(super) struct Store {
    schedule: Schedule,
    draws: Stream,
    placement: StorePlacement,
    /// Draws below it read; draws after a write that are below `system` write system data.
    reads: u64,
    system: u64,
    /// Whether the last request was a write.
    has_written: bool,
    trims: bool,
    fan: usize,
    sizing: Sizing,
    files: Files,
    /// Pieces of system data, the first ones of the region.
    system_pieces: u64,
    load: Option<Output>,
    log: Option<File>,
    segment: u64,
    /// Files of the log whose updates are in memory, and pieces of these.
    logged: Vec<File>,
    in_memory: u64,
    flushes: VecDeque<Flush>,
    tiers: Vec<Vec<File>>,
    merge: Option<Merge>,
    tasks: VecDeque<Task>,
    /// Deallocations that are to be sent: first sector and sectors.
    deleted: VecDeque<(u64, u32)>,
}

impl Store {
    /// The store of `config`, which was checked, on a drive of `capacity` sectors.
    ///
    /// # Errors
    /// A region without room for the data and for files being merged.
    pub(super) fn new(config: &WorkloadConfig, capacity: u64) -> Result<Self, RefusedValue> {
        let store = &config.store;
        let size = config.request_size.as_slice()[0];
        let piece = sectors(size);
        let slots = Slots::of(config, capacity, piece, piece)?;
        let per_extent = store.extent.bytes() / size.bytes();
        let system_pieces = slots.count().div_ceil(SYSTEM).next_multiple_of(per_extent);
        let extents = slots.count().saturating_sub(system_pieces) / per_extent;
        let data = (slots.count() as f64 * store.data).floor() as u64;
        let growth = Growth {
            data: data.max(1),
            memtable: store.memtable.bytes() / size.bytes(),
            segment: store.segment.bytes() / size.bytes(),
            fan: store.fan,
            tiers: store.tiers as usize,
            per_extent,
        };
        let needed = growth.most_extents();
        if needed > extents {
            return Err(RefusedValue::new(
                "workload.store.data",
                store.data,
                format!(
                    "data that leave room for {needed} extents of {} (workload.store.extent): log, tables and files being merged; the region has {extents} for them. Accepted are \
                     fewer data, a smaller workload.store.memtable, or a larger region",
                    store.extent
                ),
            ));
        }
        let sizing = growth.sizing();
        let files = Files::new(slots.sector(system_pieces), piece, per_extent, extents as u32);
        Ok(Self {
            schedule: Schedule::of(config),
            draws: Seed(config.seed).stream("workload.store"),
            placement: store.placement,
            reads: share(config.read_fraction),
            system: share(store.system),
            has_written: false,
            trims: store.trim,
            fan: store.fan as usize,
            load: Some(Output {
                file: File::default(),
                pieces: sizing.data,
                written: 0,
            }),
            sizing,
            system_pieces,
            log: None,
            segment: growth.segment,
            logged: Vec::new(),
            in_memory: 0,
            flushes: VecDeque::new(),
            tiers: (0..growth.tiers).map(|_| Vec::new()).collect(),
            merge: None,
            tasks: VecDeque::new(),
            deleted: VecDeque::new(),
            files,
        })
    }

    const fn handle(&self, role: Role) -> u16 {
        match (self.placement, role) {
            (StorePlacement::Normal, _) | (_, Role::System) => 0,
            (StorePlacement::Single, _) | (_, Role::Log) => 1,
            (StorePlacement::MultiLog, Role::Table(_)) | (StorePlacement::MultiData, Role::Table(0)) => 2,
            (StorePlacement::MultiData, Role::Table(1)) => 3,
            (StorePlacement::MultiData, Role::Table(_)) => 4,
        }
    }

    fn write(&self, sector: u64, role: Role) -> (HostOp, u64, u32, u16) {
        (HostOp::Write, sector, self.files.piece(), self.handle(role))
    }

    /// The next request: operation, first sector, sectors, placement handle.
    fn request(&mut self) -> Result<(HostOp, u64, u32, u16), SourceError> {
        if let Some((sector, sectors)) = self.deleted.pop_front() {
            return Ok((HostOp::Trim, sector, sectors, 0));
        }
        if let Some(mut load) = self.load.take() {
            let sector = self.files.extend(&mut load.file)?;
            load.written += 1;
            let last = self.tiers.len() - 1;
            if load.written < load.pieces {
                self.load = Some(load);
            } else {
                self.tiers[last].push(load.file);
            }
            return Ok(self.write(sector, Role::Table(last)));
        }
        if draw(&mut self.draws) < self.reads
            && let Some(sector) = self.any_piece()
        {
            return Ok((HostOp::Read, sector, self.files.piece(), 0));
        }
        // of the writes, system data are a share: after each one another may be theirs
        if self.has_written && draw(&mut self.draws) < self.system {
            let piece = below(self.system_pieces, &mut self.draws);
            return Ok(self.write(self.files.before(self.system_pieces - piece), Role::System));
        }
        self.has_written = false;
        while let Some(task) = self.tasks.pop_front() {
            let request = match task {
                Task::Flush => self.flush_piece()?,
                Task::Merge => self.merge_piece()?,
            };
            if let Some(request) = request {
                return Ok(request);
            }
        }
        self.log_piece()
    }

    /// A piece of a table, for a query.
    fn any_piece(&mut self) -> Option<u64> {
        let tables = || self.tiers.iter().flatten();
        let pieces: u64 = tables().map(File::len).sum();
        if pieces == 0 {
            return None;
        }
        let mut at = below(pieces, &mut self.draws);
        for table in tables() {
            if at < table.len() {
                return Some(self.files.sector(table, at));
            }
            at -= table.len();
        }
        None
    }

    fn log_piece(&mut self) -> Result<(HostOp, u64, u32, u16), SourceError> {
        let mut log = self.log.take().unwrap_or_default();
        let sector = self.files.extend(&mut log)?;
        self.in_memory += 1;
        let is_full = self.in_memory == self.sizing.memtable;
        if is_full || log.len() == self.segment {
            self.logged.push(log);
        } else {
            self.log = Some(log);
        }
        if is_full {
            self.in_memory = 0;
            self.flushes.push_back(Flush {
                output: Output {
                    file: File::default(),
                    pieces: self.sizing.flushed,
                    written: 0,
                },
                log: std::mem::take(&mut self.logged),
            });
        }
        if !self.flushes.is_empty() {
            self.tasks.push_back(Task::Flush);
        }
        let due: usize = self.tiers.iter().map(|tables| tables.len() / self.fan).sum();
        let due = due + usize::from(self.merge.is_some());
        self.tasks.extend(std::iter::repeat_n(Task::Merge, due));
        Ok(self.write(sector, Role::Log))
    }

    fn flush_piece(&mut self) -> Result<Option<(HostOp, u64, u32, u16)>, SourceError> {
        let Some(flush) = self.flushes.front_mut() else {
            return Ok(None);
        };
        let sector = self.files.extend(&mut flush.output.file)?;
        flush.output.written += 1;
        if flush.output.written == flush.output.pieces
            && let Some(flush) = self.flushes.pop_front()
        {
            self.tiers[0].push(flush.output.file);
            self.delete(flush.log);
        }
        Ok(Some(self.write(sector, Role::Table(0))))
    }

    /// The next piece of the merge under way: inputs are read ahead of what is written of them.
    fn merge_piece(&mut self) -> Result<Option<(HostOp, u64, u32, u16)>, SourceError> {
        if self.merge.is_none() {
            self.begin_merge();
        }
        let Some(mut merge) = self.merge.take() else {
            return Ok(None);
        };
        let all: u64 = merge.inputs.iter().map(File::len).sum();
        if merge.read * merge.output.pieces < (merge.output.written + 1) * all && merge.read < all {
            let mut at = merge.read;
            let mut inputs = merge.inputs.iter();
            let sector = inputs.find_map(|input| {
                if at < input.len() {
                    return Some(self.files.sector(input, at));
                }
                at -= input.len();
                None
            });
            merge.read += 1;
            self.merge = Some(merge);
            // the piece that it was read for is still to be written
            self.tasks.push_front(Task::Merge);
            return Ok(sector.map(|sector| (HostOp::Read, sector, self.files.piece(), 0)));
        }
        let sector = self.files.extend(&mut merge.output.file)?;
        merge.output.written += 1;
        let role = Role::Table(merge.tier);
        if merge.output.written < merge.output.pieces {
            self.merge = Some(merge);
        } else {
            self.tiers[merge.tier].push(merge.output.file);
            self.delete(merge.inputs);
        }
        Ok(Some(self.write(sector, role)))
    }

    /// Begins the merge of the highest tier that has enough tables, so that few wait above the flushed ones.
    fn begin_merge(&mut self) {
        let last = self.tiers.len() - 1;
        let Some(tier) = self.tiers.iter().rposition(|tables| tables.len() >= self.fan) else {
            return;
        };
        let inputs: Vec<File> = self.tiers[tier].drain(..self.fan).collect();
        let pieces = self.sizing.union(inputs.iter().map(File::len));
        self.merge = Some(Merge {
            output: Output {
                file: File::default(),
                pieces,
                written: 0,
            },
            tier: (tier + 1).min(last),
            inputs,
            read: 0,
        });
    }

    /// Files are deleted: their extents are free, and deallocated where the store says so.
    fn delete(&mut self, files: Vec<File>) {
        for file in files {
            let ranges = self.files.free(file);
            if self.trims {
                self.deleted.extend(ranges);
            }
        }
    }
}

impl Source for Store {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        let Some(arrival) = self.schedule.next() else {
            return self.schedule.end();
        };
        let (op, sector, sectors, placement) = self.request()?;
        self.has_written |= op == HostOp::Write;
        Ok(Some(HostCommand {
            arrival,
            op,
            fua: false,
            sector,
            sectors,
            queue: 0,
            placement,
        }))
    }

    fn len_hint(&self) -> Option<u64> {
        self.schedule.len_hint()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
