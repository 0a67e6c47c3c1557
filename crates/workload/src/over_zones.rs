//! A host that runs any workload on a drive with zones: it keeps a map of pages of its own, writes each zone from its start to its end, and collects zones
//! itself (FTL specification, 5.2: greedy over zones with host over-provisioning).
//!
//! Commands come in the order in which the host decides on them. The write of a page that is moved follows its read without waiting for the data, and
//! the reset of a zone follows the writes of what was in it; a drive executes them in an order that keeps what is read right.

use std::collections::VecDeque;

use wordline_keys::RefusedValue;
use wordline_units::SimTime;

use crate::config::HostZonesConfig;
use crate::{Collection, HostCommand, HostOp, Source, SourceError};

const NONE: u32 = u32::MAX;
/// Pages that are moved by one read and one write at most, or filled by one write. Assumed: 128 KiB of pages of 4 KiB, as the usual limit of a block layer.
const MOST_MOVED: usize = 32;

/// The zones that a host can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZonedSpace {
    /// First sector of each zone that can be written, at least one.
    pub starts: Vec<u64>,
    /// Pages of a zone that can be written.
    pub capacity_pages: u64,
    /// Sectors of a page.
    pub page_sectors: u32,
    /// Zones that can be written at once; none: any number.
    pub most_open: Option<u32>,
}

/// The host.
pub(crate) struct OverZones {
    inner: Box<dyn Source>,
    space: ZonedSpace,
    config: HostZonesConfig,
    /// Where each page of the workload is: a place counts pages over all zones.
    places: Vec<u32>,
    /// The page of the workload at each place; `NONE` where its data are not current.
    pages: Vec<u32>,
    zones: Vec<Zone>,
    /// Empty zones, in the order of their resets.
    free: VecDeque<u32>,
    /// The zones that are being written: of writes without a handle, of each handle, of pages that are moved.
    frontiers: Vec<Option<u32>>,
    /// Commands that are decided on and were not given.
    commands: VecDeque<HostCommand>,
    counts: Collection,
    /// Zones that have become full.
    filled: u64,
    /// The next page that the host fills the zones with, before the workload begins.
    next_to_fill: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Zone {
    /// Pages written.
    written: u32,
    /// Pages whose data are current.
    valid: u32,
    /// When it was filled, counted in zones.
    filled: u64,
}

/// Pages of a workload on zones with that configuration.
///
/// # Errors
/// Too little spare space for the zones that are kept free and written.
pub(crate) fn logical_pages(config: &HostZonesConfig, space: &ZonedSpace) -> Result<u64, RefusedValue> {
    let open = config.open_zones();
    if let Some(most) = space.most_open
        && open > most
    {
        return Err(RefusedValue::new(
            "workload.zones.handles",
            config.handles,
            format!(
                "so many that at most {most} zones are written at once (ftl.zones.max_open, max_active): these are {open}, one for each handle, one for writes without, and one for pages that are moved (workload.zones.separate)"
            ),
        ));
    }
    let zones = space.starts.len() as u64;
    let all = zones * space.capacity_pages;
    let pages = (all as f64 / (1.0 + config.over_provisioning)).floor() as u64;
    let kept = (u64::from(open) + u64::from(config.spare_zones)) * space.capacity_pages;
    if pages == 0 || pages + kept >= all || all > u64::from(u32::MAX) {
        let least = all as f64 / all.saturating_sub(kept + 1).max(1) as f64 - 1.0;
        return Err(RefusedValue::new(
            "workload.zones.over_provisioning",
            config.over_provisioning,
            format!(
                "more than {least:.3} with {zones} zones, of which {open} are written at once and {} are kept free, on a drive of fewer than 2^32 pages",
                config.spare_zones
            ),
        ));
    }
    Ok(pages)
}

impl OverZones {
    /// Runs `inner`, a workload of `pages` pages, on empty zones.
    pub(crate) fn new(
        inner: Box<dyn Source>,
        config: &HostZonesConfig,
        space: ZonedSpace,
        pages: u64,
    ) -> Self {
        let zones = space.starts.len();
        Self {
            inner,
            config: config.clone(),
            places: vec![NONE; pages as usize],
            pages: vec![NONE; zones * space.capacity_pages as usize],
            zones: vec![Zone::default(); zones],
            free: (0..zones as u32).collect(),
            frontiers: vec![None; config.open_zones() as usize],
            commands: VecDeque::new(),
            counts: Collection {
                logical_pages: pages,
                ..Collection::default()
            },
            filled: 0,
            next_to_fill: if config.fill { 0 } else { pages },
            space,
        }
    }

    /// The place among those that are written for writes with a handle.
    fn frontier_of(&self, handle: u16) -> usize {
        let handle = usize::from(handle);
        if handle <= self.config.handles as usize {
            handle
        } else {
            0
        }
    }

    fn command(&self, model: &HostCommand, op: HostOp, place: u64, pages: u64) -> HostCommand {
        let capacity = self.space.capacity_pages;
        let per_page = u64::from(self.space.page_sectors);
        let start = self.space.starts[(place / capacity) as usize];
        HostCommand {
            op,
            sector: start + place % capacity * per_page,
            sectors: (pages * per_page) as u32,
            ..*model
        }
    }

    fn translate(&mut self, command: &HostCommand) -> Result<(), SourceError> {
        let per_page = u64::from(self.space.page_sectors);
        let end = command.sector + u64::from(command.sectors);
        match command.op {
            HostOp::Flush => self.commands.push_back(*command),
            HostOp::Read => self.read(command),
            HostOp::Write => {
                let pages = command.sector / per_page..end.div_ceil(per_page);
                self.complete(command);
                let pages: Vec<u32> = pages.map(|page| page as u32).collect();
                self.counts.user_pages += pages.len() as u64;
                self.write(command, &pages)?;
            }
            HostOp::Trim | HostOp::WriteZeroes => {
                for page in command.sector.div_ceil(per_page)..end / per_page {
                    self.forget(page as u32);
                }
            }
            HostOp::ZoneAppend
            | HostOp::ZoneOpen
            | HostOp::ZoneClose
            | HostOp::ZoneFinish
            | HostOp::ZoneReset => {
                return Err(SourceError(
                    "a command to a zone in a workload that is translated to zones: accepted are commands without zones \
                     (workload.translation = \"none\" runs others as they are)"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// The parts of pages that a write leaves are read before.
    fn complete(&mut self, write: &HostCommand) {
        let per_page = u64::from(self.space.page_sectors);
        let end = write.sector + u64::from(write.sectors);
        let first = (!write.sector.is_multiple_of(per_page)).then_some(write.sector / per_page);
        let last = (!end.is_multiple_of(per_page)).then_some(end / per_page);
        for page in first.into_iter().chain(last.filter(|last| Some(*last) != first)) {
            let place = self.places[page as usize];
            if place != NONE {
                let read = self.command(write, HostOp::Read, u64::from(place), 1);
                self.commands.push_back(HostCommand { fua: false, ..read });
            }
        }
    }

    /// Reads what is written of a range, in as few commands as there are runs of places.
    fn read(&mut self, command: &HostCommand) {
        let per_page = u64::from(self.space.page_sectors);
        let capacity = self.space.capacity_pages;
        let end = command.sector + u64::from(command.sectors);
        let mut run: Option<(HostCommand, u64)> = None;
        for page in command.sector / per_page..end.div_ceil(per_page) {
            let place = self.places[page as usize];
            if place == NONE {
                self.counts.unwritten_reads += 1;
                self.commands.extend(run.take().map(|(read, _)| read));
                continue;
            }
            let place = u64::from(place);
            let (from, to) = (
                command.sector.max(page * per_page),
                end.min((page + 1) * per_page),
            );
            match &mut run {
                Some((read, next)) if *next == place && !place.is_multiple_of(capacity) => {
                    read.sectors += (to - from) as u32;
                    *next = place + 1;
                }
                _ => {
                    self.commands.extend(run.take().map(|(read, _)| read));
                    let mut read = self.command(command, HostOp::Read, place, 1);
                    read.sector += from - page * per_page;
                    read.sectors = (to - from) as u32;
                    run = Some((read, place + 1));
                }
            }
        }
        self.commands.extend(run.map(|(read, _)| read));
    }

    /// The data of a page are no longer current.
    fn forget(&mut self, page: u32) {
        let place = std::mem::replace(&mut self.places[page as usize], NONE);
        if place != NONE {
            self.pages[place as usize] = NONE;
            self.zones[(u64::from(place) / self.space.capacity_pages) as usize].valid -= 1;
        }
    }

    /// Writes the next pages that the zones are filled with.
    fn fill(&mut self) -> Result<(), SourceError> {
        let end = (self.next_to_fill + MOST_MOVED as u64).min(self.counts.logical_pages);
        let pages: Vec<u32> = (self.next_to_fill..end).map(|page| page as u32).collect();
        self.next_to_fill = end;
        let write = HostCommand {
            arrival: SimTime::ZERO,
            op: HostOp::Write,
            fua: false,
            sector: 0,
            sectors: 0,
            queue: 0,
            placement: 0,
        };
        self.write(&write, &pages)
    }

    /// Writes pages of the workload, as many at a time as the zone has room for.
    fn write(&mut self, command: &HostCommand, pages: &[u32]) -> Result<(), SourceError> {
        let frontier = self.frontier_of(command.placement);
        let mut left = pages;
        while !left.is_empty() {
            if self.frontiers[frontier].is_none() {
                // pages that are moved may begin a zone here
                self.make_room(command)?;
            }
            let written = self.frontiers[frontier].map_or(0, |zone| self.zones[zone as usize].written);
            let room = self.space.capacity_pages - u64::from(written);
            let (now, rest) = left.split_at(left.len().min(room as usize));
            self.append(command, frontier, now)?;
            left = rest;
        }
        Ok(())
    }

    /// Writes pages one after the other to the zone of a frontier, and to further ones as they become full.
    fn append(&mut self, model: &HostCommand, frontier: usize, pages: &[u32]) -> Result<(), SourceError> {
        let capacity = self.space.capacity_pages;
        let mut left = pages;
        while !left.is_empty() {
            let zone = match self.frontiers[frontier] {
                Some(zone) => zone,
                None => self.open(frontier)?,
            };
            let at = u64::from(self.zones[zone as usize].written);
            let (now, rest) = left.split_at(left.len().min((capacity - at) as usize));
            let place = u64::from(zone) * capacity + at;
            let mut write = self.command(model, HostOp::Write, place, now.len() as u64);
            if self.config.append {
                write.op = HostOp::ZoneAppend;
                write.sector = self.space.starts[zone as usize];
            }
            self.commands.push_back(write);
            for (place, page) in (place as u32..).zip(now) {
                self.forget(*page);
                self.places[*page as usize] = place;
                self.pages[place as usize] = *page;
            }
            let state = &mut self.zones[zone as usize];
            state.written += now.len() as u32;
            state.valid += now.len() as u32;
            if u64::from(state.written) == capacity {
                self.filled += 1;
                state.filled = self.filled;
                self.frontiers[frontier] = None;
            }
            left = rest;
        }
        Ok(())
    }

    /// Begins an empty zone for a frontier.
    ///
    /// # Errors
    /// There is none, which [`logical_pages`] rules out.
    fn open(&mut self, frontier: usize) -> Result<u32, SourceError> {
        let zone = self.free.pop_front();
        self.frontiers[frontier] = zone;
        zone.ok_or_else(|| SourceError("no empty zone is left".to_owned()))
    }

    /// Collects zones before writes that will begin one, where too few are empty.
    fn make_room(&mut self, model: &HostCommand) -> Result<(), SourceError> {
        while self.free.len() <= self.config.spare_zones as usize {
            self.collect(model)?;
        }
        Ok(())
    }

    /// Moves the current pages of the full zone that has the fewest, the oldest of several, and resets it.
    fn collect(&mut self, model: &HostCommand) -> Result<(), SourceError> {
        let capacity = self.space.capacity_pages;
        let full = (0..).zip(&self.zones);
        let full = full.filter(|(_, zone)| u64::from(zone.written) == capacity);
        let victim = full.min_by_key(|(_, zone)| (zone.valid, zone.filled));
        let Some((victim, _)) = victim.filter(|(_, zone)| u64::from(zone.valid) < capacity) else {
            return Err(SourceError(
                "no zone has a page that is no longer current".to_owned(),
            ));
        };
        let model = HostCommand {
            fua: false,
            placement: 0,
            ..*model
        };
        let frontier = if self.config.separate {
            self.frontiers.len() - 1
        } else {
            0
        };
        let from = u64::from(victim) * capacity;
        let mut at = from;
        while at < from + capacity {
            let current = &self.pages[at as usize..(from + capacity) as usize];
            let run = current.iter().take(MOST_MOVED).take_while(|page| **page != NONE);
            let run: Vec<u32> = run.copied().collect();
            if run.is_empty() {
                at += 1;
                continue;
            }
            let read = self.command(&model, HostOp::Read, at, run.len() as u64);
            self.commands.push_back(read);
            self.counts.moved_pages += run.len() as u64;
            at += run.len() as u64;
            self.append(&model, frontier, &run)?;
        }
        self.commands.push_back(HostCommand {
            sectors: 0,
            ..self.command(&model, HostOp::ZoneReset, from, 0)
        });
        self.zones[victim as usize] = Zone::default();
        self.free.push_back(victim);
        self.counts.resets += 1;
        Ok(())
    }
}

impl Source for OverZones {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        loop {
            if let Some(command) = self.commands.pop_front() {
                return Ok(Some(command));
            }
            if self.next_to_fill < self.counts.logical_pages {
                self.fill()?;
                continue;
            }
            match self.inner.next_command()? {
                Some(command) => self.translate(&command)?,
                None => return Ok(None),
            }
        }
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    fn trace_facts(&self) -> Option<crate::TraceFacts> {
        self.inner.trace_facts()
    }

    fn collection(&self) -> Option<Collection> {
        Some(self.counts)
    }

    fn restart_counts(&mut self) {
        self.counts = Collection {
            logical_pages: self.counts.logical_pages,
            ..Collection::default()
        };
        self.inner.restart_counts();
    }
}
