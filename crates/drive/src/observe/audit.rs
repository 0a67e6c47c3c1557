//! The auditor: replays the rules of the medium and the FTL's promises against what the drive did,
//! sharing nothing with the code that it checks but the addresses.

mod alignment;
mod finding;
mod modes;
mod owners;
mod packages;
mod pages;
mod planes;
mod promises;
mod retries;
mod suspension;
#[cfg(test)]
mod tests;

use wordline_config::Config;
use wordline_ftl::{Ageable, Inspect, Subjects};
use wordline_metrics::{
    BusUse, CommandKind, Constituent, IssuedCommand, PackageBusUse, Probe, ResumedArray, SuspendedArray,
};
use wordline_nand::{Geometry, PageTypes, Ppn, RestrictionsConfig, WordLines};
use wordline_units::SimTime;

use finding::Finding;
use modes::Modes;
use owners::Owners;
use pages::Pages;

/// A constituent that was issued and is not done.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    kind: CommandKind,
    page: Ppn,
    brings_data: bool,
    /// Its array step, and what it moved over the bus so far, end then.
    ready: SimTime,
}

/// What a die is doing.
#[derive(Clone, Debug, Default)]
struct DieUse {
    outstanding: Vec<Outstanding>,
    array_to: SimTime,
    /// Kind of the last command, if it was cached.
    cached: Option<CommandKind>,
    /// What left the array to come back, the last on top: an erase, a program, or both in this order.
    suspended: Vec<Vec<Outstanding>>,
    /// Reads whose data are in the decoder.
    decoding: Vec<Outstanding>,
    /// Pages that are to be read again.
    to_be_retried: Vec<Ppn>,
}

/// A probe that stops the run at the first broken rule.
///
/// Checked with every command: in-order programming, no overwrite, copy-back parity and plane,
/// alignment of multi-plane commands, one chip for interleaved ones (R-a to R-f); reads touch
/// programmed pages whose owner is the logical page asked for; erases touch blocks on which nothing
/// is under way, and nothing touches them until they are done; one command at a time in a die, cached and
/// suspended ones aside, and reads of its planes where these read on their own; at most an erase and a program on top of it suspended, which come back in turn;
/// one user at a time on a channel, and on the bus of a package with a controller, whose commands leave the channel alone; every operation done once, and not before its time; a read that could not
/// be decoded issued again; programs as long as their mode and page type ask for, reads in the mode of their page. At the end: nothing under way, the
/// map one-to-one and equal to the owners on the medium, counts of valid pages and the census right.
#[derive(Debug)]
pub struct Audit {
    geometry: Geometry,
    restrictions: RestrictionsConfig,
    pages: Pages,
    dies: Vec<DieUse>,
    /// When each channel is free.
    channels: Vec<SimTime>,
    /// When the bus of each package is free.
    packages: Vec<SimTime>,
    /// Nothing where times and modes are not checked.
    modes: Option<Modes>,
    /// Whether each plane of a die reads on its own.
    reads_by_plane: bool,
    /// How word lines are programmed as wholes, where they are.
    word_lines: Option<WordLines>,
    now: SimTime,
    found: Option<String>,
}

impl Audit {
    /// An auditor of a drive whose state now (fresh, aged or from a snapshot) is what `ftl` says:
    /// the run is checked against it.
    #[must_use]
    pub fn new(geometry: Geometry, restrictions: &RestrictionsConfig, ftl: &dyn Inspect) -> Self {
        Self::watched(geometry, restrictions, ftl, &mut |_| true)
    }

    /// The same; `watch` is told the share of the drive that was looked at and stops it by returning false, which leaves an auditor that is of no use.
    #[must_use]
    pub fn watched(
        geometry: Geometry,
        restrictions: &RestrictionsConfig,
        ftl: &dyn Inspect,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Self {
        let logical_pages = ftl.user_pages() + ftl.facts().own_pages;
        let mut pages = Pages::new(geometry, *ftl.unit_geometry(), logical_pages, restrictions);
        let found = pages
            .take_over(ftl, watch)
            .err()
            .map(|what| format!("before the run: {what}"));
        Self {
            geometry,
            restrictions: restrictions.clone(),
            pages,
            dies: vec![DieUse::default(); geometry.dies() as usize],
            channels: vec![SimTime::ZERO; geometry.channels as usize],
            packages: vec![SimTime::ZERO; geometry.chips() as usize],
            modes: None,
            reads_by_plane: false,
            word_lines: None,
            now: SimTime::ZERO,
            found,
        }
    }

    /// Bytes that it takes for a drive of that state, about: four or eight for each page, or unit of it, whose owner stands in a table, and for all others
    /// those of the rule.
    #[must_use]
    pub fn bytes(ftl: &dyn Inspect) -> u64 {
        let (units, logical_pages) = (ftl.unit_geometry(), ftl.user_pages() + ftl.facts().own_pages);
        let of_owners = if ftl.ageable().and_then(Ageable::owners_by_rule).is_some() {
            80 * u64::from(units.blocks())
        } else {
            Owners::bytes(units.pages(), logical_pages)
        };
        of_owners + logical_pages / 8 + 40 * u64::from(units.blocks())
    }

    /// The same, which checks the times of programs and the modes of pages too.
    #[must_use]
    pub fn with_modes(
        mut self,
        config: &Config,
        page_types: &PageTypes,
        ftl: &dyn Inspect,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Self {
        self.modes = Modes::new(config, page_types, ftl, watch);
        self
    }

    /// The same for dies whose planes read on their own, each beside reads of the others.
    #[must_use]
    pub fn with_plane_reads(mut self, on: bool) -> Self {
        self.reads_by_plane = on;
        self
    }

    /// The same for dies whose word lines are programmed as wholes: no read touches one whose program is suspended.
    #[must_use]
    pub fn with_word_lines(mut self, word_lines: Option<WordLines>) -> Self {
        self.word_lines = word_lines;
        self
    }

    /// Keeps the first finding.
    fn note(&mut self, at: SimTime, finding: Finding) {
        if let Err(what) = finding {
            self.found = Some(format!("at {at}: {what}"));
        }
    }

    fn check_clock(&mut self, at: SimTime) -> Finding {
        if at < self.now {
            return Err(format!("time went back from {}", self.now));
        }
        self.now = at;
        Ok(())
    }

    fn take_bus(&mut self, channel: u32, from: SimTime, to: SimTime) -> Finding {
        let Some(free) = self.channels.get_mut(channel as usize) else {
            return Err(format!("no channel {channel}"));
        };
        if to < from {
            return Err(format!(
                "the bus of channel {channel} is used from {from} back to {to}"
            ));
        }
        if from < *free {
            return Err(format!(
                "the bus of channel {channel} has two users: it is taken until {free}"
            ));
        }
        *free = to;
        Ok(())
    }

    fn check_command(&mut self, command: &IssuedCommand<'_>) -> Finding {
        self.check_clock(command.bus_from)?;
        if command.in_package {
            packages::check_command(command)?;
        } else {
            self.take_bus(command.channel.0, command.bus_from, command.bus_to)?;
        }
        alignment::check(&self.geometry, &self.restrictions, command)?;
        if let Some(modes) = &mut self.modes {
            modes.check(command)?;
        }
        for array in command.arrays {
            if array.from < command.bus_from || array.to < array.from {
                return Err(format!(
                    "the array step of {} does not follow its bus step",
                    array.die
                ));
            }
            let die = &mut self.dies[array.die.index()];
            let follows = command.cached && die.cached == Some(command.kind);
            let is_beside = self.reads_by_plane
                && !die.outstanding.is_empty()
                && planes::fits_beside(&self.geometry, die, array.die, command);
            let follows = follows || is_beside;
            if !die.outstanding.is_empty() && !follows {
                return Err(format!(
                    "two operations in {}: a {:?} starts before a {:?} is done",
                    array.die, command.kind, die.outstanding[0].kind
                ));
            }
            suspension::check_start(die, array.die, command.kind)?;
            if array.from < die.array_to && !is_beside {
                return Err(format!(
                    "two operations in the array of {}: it is busy until {}",
                    array.die, die.array_to
                ));
            }
            die.array_to = die.array_to.max(array.to);
            die.cached = command.cached.then_some(command.kind);
        }
        for constituent in command.constituents {
            if command.kind == CommandKind::Read {
                self.retry(constituent);
                let is_whole = self.check_cells(constituent);
                is_whole.map_err(|what| self.describe(command.kind, constituent, &what))?;
            }
            let starts = self.pages.start(command.kind, constituent);
            starts.map_err(|what| self.describe(command.kind, constituent, &what))?;
            let array = command.arrays.iter().find(|array| array.die == constituent.die);
            let die = &mut self.dies[constituent.die.index()];
            die.outstanding.push(Outstanding {
                kind: command.kind,
                page: constituent.page,
                brings_data: constituent.brings_data,
                ready: array.map_or(die.array_to, |array| array.to),
            });
        }
        Ok(())
    }

    fn check_bus_use(&mut self, use_: &BusUse) -> Finding {
        self.check_clock(use_.from)?;
        self.take_bus(use_.channel.0, use_.from, use_.to)?;
        let die = self.dies.get_mut(use_.die.index());
        let operation = die
            .into_iter()
            .flat_map(|die| {
                die.outstanding
                    .iter_mut()
                    .chain(die.suspended.last_mut().into_iter().flatten())
            })
            .find(|operation| operation.page == use_.page);
        match operation {
            Some(operation) if operation.ready <= use_.from => {
                operation.ready = use_.to;
                Ok(())
            }
            Some(operation) => Err(format!(
                "data of {} move before they are ready at {}",
                self.geometry.address(use_.page),
                operation.ready
            )),
            None => Err(format!(
                "data of {} move, on which nothing is under way in {}",
                self.geometry.address(use_.page),
                use_.die
            )),
        }
    }

    fn check_done(&mut self, at: SimTime, kind: CommandKind, constituent: &Constituent) -> Finding {
        self.check_clock(at)?;
        let die = &mut self.dies[constituent.die.index()];
        let found = retries::take(&mut die.decoding, kind, constituent)
            .or_else(|| retries::take(&mut die.outstanding, kind, constituent));
        let Some(operation) = found else {
            return Err(self.describe(kind, constituent, "it is done twice, or was never issued"));
        };
        if at < operation.ready {
            let what = format!("it is done before it can be, at {}", operation.ready);
            return Err(self.describe(kind, constituent, &what));
        }
        self.pages.end(constituent);
        Ok(())
    }

    fn describe(&self, kind: CommandKind, constituent: &Constituent, what: &str) -> String {
        format!(
            "{kind:?} ({}) of {}: {what}",
            constituent.cause.name(),
            self.geometry.address(constituent.page)
        )
    }

    fn check_end(&self, ftl: &dyn Inspect, watch: &mut dyn FnMut(f64) -> bool) -> Finding {
        for (die, use_) in self.dies.iter().enumerate() {
            if let Some(page) = use_.to_be_retried.first() {
                let page = self.geometry.address(*page);
                return Err(format!("the read of {page} was to be tried again and was not"));
            }
            if let Some(operation) = use_
                .outstanding
                .iter()
                .chain(&use_.decoding)
                .chain(use_.suspended.iter().flatten())
                .next()
            {
                return Err(format!(
                    "a {:?} of {} in die {die} was never done",
                    operation.kind,
                    self.geometry.address(operation.page)
                ));
            }
        }
        promises::check(&self.pages, ftl, watch)
    }
}

impl Probe for Audit {
    fn issued(&mut self, command: &IssuedCommand<'_>) {
        if self.found.is_none() {
            let finding = self.check_command(command);
            self.note(command.bus_from, finding);
        }
    }

    fn bus(&mut self, use_: &BusUse) {
        if self.found.is_none() {
            let finding = self.check_bus_use(use_);
            self.note(use_.from, finding);
        }
    }

    fn package_bus(&mut self, at: SimTime, use_: &PackageBusUse) {
        if self.found.is_none() {
            let finding = self.check_package_bus(at, use_);
            self.note(at, finding);
        }
    }

    fn suspended(&mut self, array: &SuspendedArray) {
        if self.found.is_none() {
            let finding = self.check_suspended(array);
            self.note(array.at, finding);
        }
    }

    fn resumed(&mut self, array: &ResumedArray) {
        if self.found.is_none() {
            let finding = self.check_resumed(array);
            self.note(array.at, finding);
        }
    }

    fn decoding(&mut self, at: SimTime, constituent: &Constituent) {
        if self.found.is_none() {
            let finding = self.check_decoding(at, constituent);
            self.note(at, finding);
        }
    }

    fn retried(&mut self, at: SimTime, constituent: &Constituent) {
        if self.found.is_none() {
            let finding = self.check_retried(at, constituent);
            self.note(at, finding);
        }
    }

    fn units_programmed(&mut self, page: Ppn, units: &[wordline_ftl::Lpn]) {
        if self.found.is_none() {
            self.pages.brings(page, units);
        }
    }

    fn operation_done(&mut self, at: SimTime, kind: CommandKind, constituent: &Constituent) {
        if self.found.is_none() {
            let finding = self.check_done(at, kind, constituent);
            self.note(at, finding);
        }
    }

    fn finish(
        &mut self,
        at: SimTime,
        ftl: &dyn Inspect,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), String> {
        if self.found.is_none() {
            let finding = self.check_end(ftl, watch);
            self.note(at, finding);
        }
        self.found.clone().map_or(Ok(()), Err)
    }

    fn violation(&self) -> Option<&str> {
        self.found.as_deref()
    }
}
