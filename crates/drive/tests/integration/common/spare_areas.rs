//! What the pages of a drive hold, as far as its commands tell: the flash that is found after a power cut.
//!
//! Requests are whole pages here. What a program of the host's brings is known from the order in which the FTL accepted the writes, and a page that
//! is moved brings what was read of the logical page last. Beside that each page keeps what the FTL itself says that it writes.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_ftl::{
    BlockRole, Cause, DeltaEntry, FailuresConfig, FoundBlock, FoundFlash, Inspect, Lpn, OwnPage, PageOp,
    PageRequest, Repair, SpareArea, Subjects, Written,
};
use wordline_metrics::{BusUse, CommandKind, Constituent, IssuedCommand, Probe};
use wordline_nand::{BlockId, DieId, Geometry, PageTypes, Ppn};
use wordline_units::{Seed, SimTime};

/// What a page holds of the host's: a logical page, and the numbers of the first and the last write that it may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) lpn: u64,
    pub(crate) oldest: u64,
    pub(crate) newest: u64,
}

/// The number of the writes that have aged a drive.
pub(crate) const AGED: u64 = 1;

/// What ageing has written to a logical page.
pub(crate) const fn aged(lpn: Lpn) -> Content {
    Content {
        lpn: lpn.0,
        oldest: AGED,
        newest: AGED,
    }
}

/// A delta: what it shows, and what the page showed that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    pub(crate) shows: Content,
    pub(crate) base: Content,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Erased,
    /// Its program, or the erase of its block, was under way when the power failed.
    Torn,
    Holds(Option<Content>, Option<Written>),
    /// Parts of the page, or the page as a part of a unit: what each shows, unless all of it is trimmed.
    Units(Vec<Option<(Option<Content>, SpareArea)>>),
    /// Deltas, by logical page and number.
    Deltas(BTreeMap<(u64, u64), Delta>, SpareArea, Vec<DeltaEntry>),
}

/// A program, copy-back or erase that was issued and has not ended.
#[derive(Clone, Debug)]
struct Running {
    kind: CommandKind,
    page: Ppn,
    die: DieId,
    /// What a program brings.
    brings: Page,
    /// When the array begins, as soon as that is known.
    from: Option<SimTime>,
    is_suspended: bool,
}

/// What a power cut does to programs and erases that arrays are at work on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tearing {
    /// They come to their end: a capacitor lasts for that.
    pub(crate) ends: bool,
    /// One in so many programs that are cut off reads as the new data all the same; 0 is none.
    pub(crate) readable_one_in: u64,
    /// The pages of its word line that were programmed before are lost with a page.
    pub(crate) takes_pairs: bool,
    pub(crate) seed: u64,
}

/// What was at work when the power failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtWork {
    /// Dies with an array at work.
    pub(crate) dies: usize,
    pub(crate) programs: u64,
    pub(crate) erases: u64,
    /// Programs and erases that were suspended.
    pub(crate) suspended: u64,
    /// Programs of pages of the FTL's own.
    pub(crate) own: u64,
}

/// The flash of a drive.
#[derive(Clone)]
pub(crate) struct Flash {
    geometry: Geometry,
    /// Places of a page.
    per_page: u64,
    /// Which pages share their cells, where it is known.
    pub(crate) types: Option<PageTypes>,
    /// Writes of the ageing.
    numbers_of_age: u64,
    /// Whether pages say the numbers of their writes, also where these are 0.
    has_numbers: bool,
    pages: Vec<Page>,
    erases: Vec<u32>,
    /// When a block was written first since its last erase, as a number.
    first_written: HashMap<BlockId, u64>,
    programs: u64,
    /// Programs that were cut off.
    programs_cut: u64,
    running: Vec<Running>,
    /// What a write shows that the FTL accepts now, by logical page: the newest one that was acknowledged, and the newest that was sent.
    pub(crate) sent: HashMap<u64, (u64, u64)>,
    /// Writes that the FTL has accepted and no program has brought, oldest first, by logical page.
    accepted: HashMap<u64, VecDeque<Content>>,
    /// What was read last of a logical page to be moved.
    read: HashMap<u64, Content>,
    /// What was read last of a logical page for its delta. Its page may be moved meanwhile, or an older one may be.
    bases: HashMap<u64, Content>,
    /// What the FTL writes with the next programs.
    written: HashMap<Ppn, Written>,
    /// Writes and TRIMs that the FTL has accepted: it numbers them in this order.
    numbers: u64,
    /// What they show, by their numbers.
    numbered: HashMap<u64, Content>,
    /// What the units on flash show, by logical page and number, and what logical pages show since they were written, by the numbers of these writes.
    shown: HashMap<(u64, u64), Content>,
    written_as: HashMap<u64, BTreeMap<u64, Content>>,
    /// Deltas that were programmed, by logical page and number.
    made: HashMap<(u64, u64), Delta>,
    /// Whether word lines are programmed as wholes: what is moved from one that is not complete comes from the controller, without a command.
    pub(crate) has_word_lines: bool,
    /// What fails, as it is drawn with this seed.
    pub(crate) failures: (FailuresConfig, Seed),
    /// Programs and erases that have failed since the power came back.
    pub(crate) failed: (u64, u64),
    /// Those of them that were of blocks of journal, checkpoints and root.
    pub(crate) failed_of_area: u64,
    /// The operation that ends next has failed.
    has_failed: bool,
    /// Blocks that are marked as bad.
    pub(crate) bad: BTreeSet<BlockId>,
    /// Roots whose programs were issued: checkpoints that are complete.
    pub(crate) roots: u64,
}

impl Flash {
    /// That of a drive that has its age and has done nothing yet.
    pub(crate) fn of(ftl: &dyn Inspect) -> Self {
        let mut flash = Self::empty(ftl);
        let recoverable = ftl.recoverable();
        if let Some(recoverable) = recoverable {
            (flash.numbers, flash.numbers_of_age) = (recoverable.numbered(), recoverable.numbered());
            recoverable.at_rest(&mut |page, written| flash.age(page, written));
        }
        flash
    }

    /// A page holds this before the drive has done anything.
    fn age(&mut self, page: Ppn, written: Written) {
        self.has_numbers = true;
        let shown = |spare: &SpareArea| (spare.sectors != 0).then(|| aged(spare.lpn));
        let holds = match written {
            Written::Data(spare) => Page::Holds(shown(&spare), Some(Written::Data(spare))),
            Written::Units(units) => {
                let unit = |spare: SpareArea| (shown(&spare), spare);
                Page::Units(units.into_iter().map(|spare| spare.map(unit)).collect())
            }
            Written::Deltas(spare, entries) => self.brings_deltas(spare, entries),
            own @ Written::Own(_) => Page::Holds(None, Some(own)),
        };
        self.note(&holds);
        self.hold(page, holds);
    }

    /// All blocks erased.
    fn empty(ftl: &dyn Inspect) -> Self {
        let geometry = *ftl.geometry();
        let blocks = (0..geometry.blocks()).map(BlockId);
        Self {
            numbers_of_age: 0,
            has_numbers: false,
            geometry,
            per_page: u64::from(ftl.unit_geometry().pages_per_program),
            types: None,
            pages: vec![Page::Erased; geometry.pages() as usize],
            erases: blocks.map(|block| ftl.block(block).erase_count).collect(),
            first_written: HashMap::new(),
            programs: 0,
            programs_cut: 0,
            running: Vec::new(),
            sent: HashMap::new(),
            accepted: HashMap::new(),
            read: HashMap::new(),
            bases: HashMap::new(),
            written: HashMap::new(),
            numbers: 0,
            numbered: HashMap::new(),
            shown: HashMap::new(),
            written_as: HashMap::new(),
            made: HashMap::new(),
            has_word_lines: false,
            failures: (FailuresConfig::default(), Seed(0)),
            failed: (0, 0),
            failed_of_area: 0,
            has_failed: false,
            bad: BTreeSet::new(),
            roots: 0,
        }
    }

    fn pages_of(&self, block: BlockId) -> impl DoubleEndedIterator<Item = Ppn> + use<> {
        let geometry = self.geometry;
        (0..geometry.pages_per_block).map(move |page| geometry.page(block, page))
    }

    fn hold(&mut self, page: Ppn, content: Page) {
        self.programs += 1;
        let block = self.geometry.block_of(page);
        assert!(
            !self.bad.contains(&block),
            "a block that is marked as bad is programmed"
        );
        let first = self.first_written.entry(self.geometry.block_of(page));
        first.or_insert(self.programs);
        self.pages[page.index()] = content;
    }

    fn erased(&mut self, block: BlockId) {
        assert!(
            !self.bad.contains(&block),
            "a block that is marked as bad is erased"
        );
        self.first_written.remove(&block);
        for page in self.pages_of(block) {
            self.pages[page.index()] = Page::Erased;
        }
        self.erases[block.index()] += 1;
    }

    fn tear_block(&mut self, block: BlockId) {
        for page in self.pages_of(block) {
            self.pages[page.index()] = Page::Torn;
        }
    }

    /// The pages of its word line that were programmed before a page.
    fn tear_pairs(&mut self, page: Ppn) {
        let Some(types) = &self.types else { return };
        let block = self.geometry.block_of(page);
        let line = types.wordline(self.geometry.page_in_block(page));
        let pages = (0..self.geometry.pages_per_block).filter(|other| types.wordline(*other) == line);
        for other in pages.map(|other| self.geometry.page(block, other)) {
            if !matches!(self.pages[other.index()], Page::Erased) {
                self.pages[other.index()] = Page::Torn;
            }
        }
    }

    /// The array of a die was at work on this when the power failed.
    fn cut_off(&mut self, running: Running, tearing: Tearing) {
        let block = self.geometry.block_of(running.page);
        match running.kind {
            CommandKind::Erase if tearing.ends => self.erased(block),
            CommandKind::Erase => self.tear_block(block),
            _ => {
                self.programs_cut += 1;
                let drawn = Seed(tearing.seed).draw("readable", self.programs_cut);
                let is_readable =
                    tearing.readable_one_in > 0 && drawn.is_multiple_of(tearing.readable_one_in);
                let is_whole = tearing.ends || is_readable;
                if tearing.takes_pairs && !is_whole {
                    self.tear_pairs(running.page);
                }
                self.hold(running.page, if is_whole { running.brings } else { Page::Torn });
            }
        }
    }

    /// Nothing is under way any more; what was at work.
    pub(crate) fn power_fails(&mut self, now: SimTime, tearing: Tearing) -> AtWork {
        let running = std::mem::take(&mut self.running);
        let begun = |running: &Running| running.from.is_some_and(|from| from <= now);
        let running: Vec<Running> = running.into_iter().filter(begun).collect();
        let mut dies: Vec<_> = running.iter().map(|running| running.die).collect();
        let mut at_work = AtWork::default();
        for running in running {
            at_work.suspended += u64::from(running.is_suspended);
            if running.kind == CommandKind::Erase {
                at_work.erases += 1;
            } else {
                at_work.programs += 1;
                let is_own = matches!(running.brings, Page::Holds(_, Some(Written::Own(_))));
                at_work.own += u64::from(is_own);
            }
            self.cut_off(running, tearing);
        }
        dies.sort_unstable();
        dies.dedup();
        at_work.dies = dies.len();
        self.read.clear();
        self.bases.clear();
        self.accepted.clear();
        self.written.clear();
        self.numbered.clear();
        self.written_as.clear();
        self.made.clear();
        self.shown.clear();
        for page in self.pages.clone() {
            self.note(&page);
        }
        at_work
    }

    /// Bad blocks are marked; with a seed the programs of some marks have been cut off, of blocks that were not marked before.
    pub(crate) fn mark_bad(&mut self, ftl: &dyn Inspect, cuts: Option<Seed>) {
        let blocks = (0..self.geometry.blocks()).map(BlockId);
        let bad = blocks.filter(|block| ftl.block(*block).role == BlockRole::Bad);
        let is_cut = |block: &BlockId| {
            cuts.is_some_and(|seed| seed.draw("mark", u64::from(block.0)).is_multiple_of(4))
        };
        let marked = bad.filter(|block| self.bad.contains(block) || !is_cut(block));
        self.bad = marked.collect();
    }

    /// Recovery does this; it is torn where the power fails meanwhile.
    pub(crate) fn repair(&mut self, repair: &Repair, is_torn: bool) {
        match repair {
            Repair::Erase(block) if is_torn => self.tear_block(*block),
            Repair::Erase(block) => self.erased(*block),
            Repair::Program(page, own) => {
                assert_eq!(
                    self.pages[page.index()],
                    Page::Erased,
                    "recovery overwrites {page}"
                );
                let holds = Page::Holds(None, Some(Written::Own(own.clone())));
                self.hold(*page, if is_torn { Page::Torn } else { holds });
            }
        }
    }

    /// J14 after a power cut: the superpages that have parity are those of which every page holds what its program brought, since the same erase. Blocks that are bad are left out.
    pub(crate) fn check_parity(&self, ftl: &dyn Inspect) {
        if ftl.facts().own_pages == 0 || ftl.facts().own_pages_hold != "parity" {
            return;
        }
        let mut members: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
        for block in (0..self.geometry.blocks()).map(BlockId) {
            if ftl.block(block).role != BlockRole::Bad {
                let superblock = ftl.collected_space().unwrap().collected_block(block);
                superblock
                    .into_iter()
                    .for_each(|of| members.entry(of).or_default().push(block));
            }
        }
        let is_parity = |page: &Ppn| ftl.owner(*page).is_some_and(|owner| owner.0 >= ftl.user_pages());
        let is_whole =
            |page: &Ppn| matches!(self.pages[page.index()], Page::Holds(_, Some(Written::Data(_))));
        for blocks in members.values() {
            let are_equal = |erases: u32| blocks.iter().all(|block| self.erases[block.index()] == erases);
            for index in 0..self.geometry.pages_per_block {
                let pages: Vec<Ppn> = blocks
                    .iter()
                    .map(|block| self.geometry.page(*block, index))
                    .collect();
                let is_complete = are_equal(self.erases[blocks[0].index()]) && pages.iter().all(is_whole);
                let parities = pages.iter().filter(|page| is_parity(page)).count();
                assert_eq!(parities, usize::from(is_complete), "J14: {pages:?}");
            }
        }
    }

    /// Recovery has read the flash: the FTL numbers writes from the highest number on that anything on it names.
    pub(crate) fn read_by_recovery(&mut self) {
        let of_page = |page: &Page| match page {
            Page::Holds(_, Some(written)) => written.newest(),
            Page::Deltas(_, spare, _) => spare.version,
            Page::Units(units) => units
                .iter()
                .flatten()
                .map(|(_, spare)| spare.version)
                .max()
                .unwrap_or(0),
            _ => 0,
        };
        self.numbers = self.pages.iter().map(of_page).max().unwrap_or(0);
    }

    /// The newest delta of a logical page in a page of deltas.
    pub(crate) fn delta(&self, page: Ppn, lpn: u64) -> Option<Delta> {
        match &self.pages[page.index()] {
            Page::Deltas(deltas, ..) => {
                let of_page = deltas.range((lpn, 0)..=(lpn, u64::MAX));
                of_page.last().map(|(_, delta)| *delta)
            }
            _ => None,
        }
    }

    /// What the program of a page of deltas brings: those that the FTL lists, by their numbers.
    fn brings_deltas(&self, spare: SpareArea, entries: Vec<DeltaEntry>) -> Page {
        let mut deltas = BTreeMap::new();
        for entry in &entries {
            let key = (entry.lpn.0, entry.version);
            let made = self.made.get(&key).copied();
            let delta = made.unwrap_or_else(|| match self.numbered.get(&entry.version) {
                Some(shows) => Delta {
                    shows: *shows,
                    base: self.bases[&entry.lpn.0],
                },
                // of the ageing: it waited in the controller when that was over
                None => {
                    assert!(entry.version <= self.numbers_of_age);
                    let [shows, base] = [aged(entry.lpn); 2];
                    Delta { shows, base }
                }
            });
            assert_eq!(
                delta.shows.lpn, entry.lpn.0,
                "a delta by the number of another page"
            );
            deltas.insert(key, delta);
        }
        Page::Deltas(deltas, spare, entries)
    }

    /// What a host write, or a page that takes the place of base and delta, brings: that of its number.
    fn of_number(&self, lpn: u64, page: Ppn) -> Option<Content> {
        let Some(Written::Data(spare)) = self.written.get(&page) else {
            return None;
        };
        let made = self.made.get(&(lpn, spare.write)).map(|delta| delta.shows);
        let numbered = self.numbered.get(&spare.write).copied();
        numbered.filter(|content| content.lpn == lpn).or(made)
    }

    /// What a place holds of the host's.
    pub(crate) fn content(&self, place: Ppn) -> Option<Content> {
        match &self.pages[(place.0 / self.per_page) as usize] {
            Page::Holds(content, _) => *content,
            Page::Units(units) => units[(place.0 % self.per_page) as usize]?.0,
            _ => None,
        }
    }

    /// The newest data of a logical page on flash.
    fn newest(&self, lpn: u64) -> Option<Content> {
        let held = self.pages.iter().filter_map(|page| match page {
            Page::Holds(content, _) => *content,
            _ => None,
        });
        held.filter(|content| content.lpn == lpn)
            .max_by_key(|content| content.newest)
    }

    /// Power is back, and a logical page shows this: a write of another page of its unit writes it again.
    pub(crate) fn begin_with(&mut self, found: Content) {
        self.written_as.entry(found.lpn).or_default().insert(0, found);
    }

    /// Notes deltas and units that are on flash.
    fn note(&mut self, page: &Page) {
        match page {
            Page::Deltas(deltas, ..) => {
                self.made.extend(deltas.iter().map(|(key, delta)| (*key, *delta)));
            }
            Page::Units(units) => {
                for (content, spare) in units.iter().flatten() {
                    let key = (spare.lpn.0, spare.write);
                    self.shown.extend(content.map(|content| (key, content)));
                }
            }
            _ => {}
        }
    }

    /// What the program of a page of units brings: what their numbers say.
    fn brings_units(&self, units: Vec<Option<SpareArea>>, cause: Cause) -> Page {
        let shows = |spare: SpareArea| {
            if spare.sectors == 0 {
                return (None, spare);
            }
            let lpn = spare.lpn.0;
            let of_host = || {
                let written = self.written_as.get(&lpn)?;
                written
                    .range(..=spare.write)
                    .next_back()
                    .map(|(_, content)| *content)
            };
            let shown = match cause {
                Cause::Host => of_host(),
                _ => self.shown.get(&(lpn, spare.write)).copied(),
            };
            let content = shown.unwrap_or_else(|| panic!("nothing is known of {spare:?}"));
            assert_eq!(content.lpn, lpn);
            (Some(content), spare)
        };
        Page::Units(units.into_iter().map(|unit| unit.map(shows)).collect())
    }

    /// The FTL has accepted a write or TRIM.
    fn page_accepted(&mut self, request: &PageRequest) {
        self.numbers += 1;
        if request.op == PageOp::Write {
            let lpn = request.lpn.0;
            let (oldest, newest) = self.sent.get(&lpn).copied().unwrap_or_default();
            let content = Content { lpn, oldest, newest };
            self.numbered.insert(self.numbers, content);
            self.written_as
                .entry(lpn)
                .or_default()
                .insert(self.numbers, content);
            self.accepted.entry(lpn).or_default().push_back(content);
        }
    }

    /// What a program of the host's brings: its logical page may be written again before it ends, and the programs of a page are issued in any order.
    fn of_host(&mut self, lpn: u64, page: Ppn) -> Option<Content> {
        let accepted = self.accepted.get_mut(&lpn)?;
        let version = |written: &Written| match written {
            Written::Data(spare) => Some(spare.version),
            Written::Own(_) | Written::Deltas(..) | Written::Units(_) => None,
        };
        let version = self.written.get(&page).and_then(version);
        // where several are under way, which of them is known from the numbers that the FTL gave them in their order
        let at = match (accepted.len(), version) {
            (1, _) | (_, None) => 0,
            _ => {
                let (oldest, newest) = (accepted.front()?.oldest, accepted.back()?.newest);
                let content = Content { lpn, oldest, newest };
                return Some(content);
            }
        };
        accepted.get(at).copied()
    }

    fn issued(&mut self, command: &IssuedCommand<'_>) {
        for constituent in command.constituents {
            let (lpn, page) = (constituent.lpn.0, constituent.page);
            let content = match (command.kind, constituent.cause) {
                (CommandKind::Read, cause) => {
                    if !matches!(cause, Cause::Host | Cause::Mapping | Cause::Metadata) {
                        if matches!(self.pages[page.index()], Page::Deltas(..) | Page::Units(_)) {
                            continue;
                        }
                        let content = self.content(page).unwrap();
                        assert_eq!(content.lpn, lpn, "{constituent:?}");
                        let read = if cause == Cause::Delta {
                            &mut self.bases
                        } else {
                            &mut self.read
                        };
                        read.insert(lpn, content);
                    }
                    continue;
                }
                (CommandKind::Erase, _) | (_, Cause::Metadata | Cause::Mapping) => None,
                (CommandKind::CopyBack, _) => self.content(constituent.source.unwrap()),
                (CommandKind::Program, Cause::Host) => {
                    let content = self.of_number(lpn, page);
                    content.or_else(|| self.of_host(lpn, page))
                }
                // deltas and their pages come together, or pages of a logical block
                (CommandKind::Program, Cause::Merge) => {
                    let content = self.of_number(lpn, page);
                    content.or_else(|| self.read.get(&lpn).copied())
                }
                (CommandKind::Program, _) if self.has_word_lines => {
                    self.read.remove(&lpn).or_else(|| self.newest(lpn))
                }
                (CommandKind::Program, _) => self.read.get(&lpn).copied(),
            };
            let array = command.arrays.iter().find(|array| array.die == constituent.die);
            // the array of a copy-back reads first
            let array = array.filter(|_| command.kind != CommandKind::CopyBack);
            let written = self.written.remove(&page);
            self.roots += u64::from(matches!(written, Some(Written::Own(OwnPage::Root { .. }))));
            let brings = match written {
                Some(Written::Deltas(spare, entries)) => self.brings_deltas(spare, entries),
                Some(Written::Units(units)) => self.brings_units(units, constituent.cause),
                written => Page::Holds(content, written),
            };
            self.running.push(Running {
                kind: command.kind,
                page,
                die: constituent.die,
                brings,
                from: array.map(|array| array.from),
                is_suspended: false,
            });
        }
    }

    fn bus(&mut self, bus: &BusUse) {
        let Some(array) = bus.array else { return };
        let copies = self.running.iter_mut().filter(|running| {
            running.kind == CommandKind::CopyBack && running.die == array.die && running.from.is_none()
        });
        copies.for_each(|running| running.from = Some(array.from));
    }

    fn suspend(&mut self, die: DieId, is_suspended: bool) {
        for running in self.running.iter_mut().filter(|running| running.die == die) {
            running.is_suspended = is_suspended;
        }
    }

    fn done(&mut self, constituent: &Constituent, has_failed: bool) {
        let (page, running) = (constituent.page, &mut self.running);
        let Some(at) = running.iter().position(|running| running.page == page) else {
            return;
        };
        let ended = running.swap_remove(at);
        let block = constituent.block;
        let none = FailuresConfig::default();
        let (mut failures, seed) = (&self.failures.0, &self.failures.1);
        let erases = self.erases[block.index()];
        // of journal, checkpoints and root some do not fail that would: no spare block is left to take their place
        let is_of_area = match &ended.brings {
            Page::Holds(_, Some(Written::Own(own))) => {
                !matches!(own, OwnPage::Summary(_) | OwnPage::Translation)
            }
            _ => ended.kind == CommandKind::Erase && constituent.cause == Cause::Metadata,
        };
        if is_of_area && !has_failed {
            failures = &none;
        }
        if ended.kind == CommandKind::Erase {
            if failures.fails_erase(*seed, block, erases) {
                self.failed.1 += 1;
                self.failed_of_area += u64::from(is_of_area);
                self.tear_block(block);
                self.erases[block.index()] += 1;
            } else {
                self.erased(block);
            }
            return;
        }
        if failures.fails_program(*seed, page, erases) {
            // its data are programmed again
            self.failed.0 += 1;
            self.failed_of_area += u64::from(is_of_area);
            self.hold(page, Page::Torn);
            return;
        }
        if constituent.cause == Cause::Host
            && let Some(accepted) = self.accepted.get_mut(&constituent.lpn.0)
        {
            accepted.pop_front();
        }
        self.note(&ended.brings);
        self.hold(page, ended.brings);
    }
}

impl FoundFlash for Flash {
    fn block(&self, block: BlockId) -> FoundBlock {
        let last = self
            .pages_of(block)
            .rev()
            .position(|page| self.pages[page.index()] != Page::Erased);
        FoundBlock {
            passed: last.map_or(0, |last| self.geometry.pages_per_block - last as u32),
            erases: self.erases[block.index()],
            sequence: self.first_written.get(&block).copied().unwrap_or(0),
            bad: self.bad.contains(&block),
        }
    }

    /// As the FTL wrote it; without that, as the host's numbers of writes say.
    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        match &self.pages[page.index()] {
            Page::Holds(_, Some(Written::Data(spare)))
                if spare.version > 0 || spare.sectors == 0 || self.has_numbers =>
            {
                Some(*spare)
            }
            Page::Deltas(_, spare, _) => Some(*spare),
            Page::Holds(Some(content), written) if !matches!(written, Some(Written::Own(_))) => {
                Some(SpareArea {
                    lpn: wordline_ftl::Lpn(content.lpn),
                    version: content.newest,
                    write: content.newest,
                    sectors: self.geometry.full_bitmap(),
                    slc: false,
                })
            }
            _ => None,
        }
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        match &self.pages[page.index()] {
            Page::Units(units) => Some(units[place as usize]?.1),
            _ if place == 0 => self.spare_area(page),
            _ => None,
        }
    }

    fn deltas(&self, page: Ppn) -> Option<Vec<DeltaEntry>> {
        match &self.pages[page.index()] {
            Page::Deltas(_, _, entries) => Some(entries.clone()),
            _ => None,
        }
    }

    fn own_page(&self, page: Ppn) -> Option<OwnPage> {
        match &self.pages[page.index()] {
            Page::Holds(_, Some(Written::Own(own))) => Some(own.clone()),
            _ => None,
        }
    }
}

/// Watches a drive, and keeps what its flash holds.
#[derive(Clone)]
pub(crate) struct SpareAreas(Arc<Mutex<Flash>>);

impl SpareAreas {
    pub(crate) fn of(ftl: &dyn Inspect) -> Self {
        Self(Arc::new(Mutex::new(Flash::of(ftl))))
    }

    pub(crate) fn flash(&self) -> MutexGuard<'_, Flash> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe for SpareAreas {
    fn page_accepted(&mut self, _: SimTime, request: &PageRequest) {
        self.flash().page_accepted(request);
    }

    fn page_written(&mut self, page: Ppn, written: &Written) {
        self.flash().written.insert(page, written.clone());
    }

    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.flash().issued(command);
    }

    fn bus(&mut self, bus: &BusUse) {
        self.flash().bus(bus);
    }

    fn suspended(&mut self, array: &wordline_metrics::SuspendedArray) {
        self.flash().suspend(array.die, true);
    }

    fn resumed(&mut self, array: &wordline_metrics::ResumedArray) {
        self.flash().suspend(array.die, false);
    }

    fn operation_failed(&mut self, _: SimTime, _: CommandKind, _: &Constituent) {
        self.flash().has_failed = true;
    }

    fn operation_done(&mut self, _: SimTime, kind: CommandKind, constituent: &Constituent) {
        if kind != CommandKind::Read {
            let mut flash = self.flash();
            let has_failed = std::mem::take(&mut flash.has_failed);
            flash.done(constituent, has_failed);
        }
    }
}
