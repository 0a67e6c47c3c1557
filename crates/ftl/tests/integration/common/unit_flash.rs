//! What the flash of a drive whose mapping units are not pages holds while plans are executed in any order, and what a power cut leaves of it.
//!
//! Which logical pages a program brings, and of which writes, is what the FTL says that it writes. That it says so of the right writes follows from the commands: a page register or unit register that is closed
//! has the newest write of each of its logical pages, and what is moved is on flash.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use wordline_ftl::any_order::{Origin, Started, StepId, StepObserver};
use wordline_ftl::{
    Cause, FoundBlock, FoundFlash, Inspect, Lpn, Mapping, Outcome, OwnPage, Repair, SpareArea, Step, Work,
    Written,
};
use wordline_nand::{BlockId, Geometry, Medium, PageState, Ppn, RestrictionsConfig, Violation};

use super::early_cuts::CutFlash;
use super::reference::{Content, Reference, bitmap_of};

/// What was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct DoneWithUnits {
    pub(crate) programs: BTreeMap<Cause, u64>,
    pub(crate) erases: u64,
    pub(crate) cuts: u64,
    /// Logical pages that showed an older content than the host had written last.
    pub(crate) older: u64,
    pub(crate) torn: u64,
    pub(crate) reads: u64,
    pub(crate) flushes: u64,
    /// Pages that brought logical pages of several host writes, or moved ones of several blocks.
    pub(crate) shared: u64,
}

/// A place on flash: its spare area, and what the logical page shows there.
type Held = (SpareArea, Content);

struct OpenPlan {
    /// The command for which it was opened, where its programs are of registers that were closed then; and writes and TRIMs up to then.
    closes_for: Option<u64>,
    accepted: u64,
    left: usize,
}

/// The flash.
pub(crate) struct UnitFlash {
    geometry: Geometry,
    /// Places of a page, and pages of a unit.
    per_page: u64,
    per_unit: u64,
    medium: Medium,
    reference: Reference,
    pub(crate) done: DoneWithUnits,
    places: HashMap<Ppn, Held>,
    /// The places of a logical page.
    places_of: HashMap<u64, BTreeSet<Ppn>>,
    written: HashMap<Ppn, Written>,
    /// Pages whose program has not ended.
    started: HashSet<Ppn>,
    first_written: HashMap<BlockId, u64>,
    programs: u64,
    erase_counts: HashMap<BlockId, u32>,
    plans: HashMap<u64, OpenPlan>,
    /// Page and sub-pages that the plan which was opened last reads for the host.
    read: Option<(Ppn, u64)>,
    /// Writes and TRIMs since power is there, and before: how the FTL numbers them is known once one was programmed.
    accepted: u64,
    before: Option<u64>,
    /// By logical page: its writes by their numbers, and what it showed after each write and TRIM.
    writes: HashMap<u64, Vec<u64>>,
    states: HashMap<u64, BTreeMap<u64, Content>>,
    /// The newest write of every sub-page (logical page, index) that is on flash, and the writes before the last TRIM of it.
    promised: BTreeMap<(u64, usize), u64>,
    trimmed: BTreeMap<(u64, usize), u64>,
    /// Whether TRIMs are kept that a flush follows, and by logical page the newest write that is gone for good.
    keeps_trims: bool,
    gone: HashMap<u64, u64>,
    /// Logical pages and writes that were read to be moved.
    collected: HashSet<(u64, u64)>,
}

impl UnitFlash {
    pub(crate) fn new(ftl: &dyn Mapping, restrictions: &RestrictionsConfig) -> Self {
        let (geometry, units) = (*ftl.geometry(), ftl.unit_geometry());
        Self {
            per_page: u64::from(units.pages_per_program),
            per_unit: u64::from(ftl.facts().pages_per_unit),
            medium: Medium::new(&geometry, restrictions),
            reference: Reference::new(units.sectors_per_page()),
            done: DoneWithUnits::default(),
            places: HashMap::new(),
            places_of: HashMap::new(),
            written: HashMap::new(),
            started: HashSet::new(),
            first_written: HashMap::new(),
            programs: 0,
            erase_counts: HashMap::new(),
            plans: HashMap::new(),
            read: None,
            accepted: 0,
            before: Some(0),
            writes: HashMap::new(),
            states: HashMap::new(),
            promised: BTreeMap::new(),
            trimmed: BTreeMap::new(),
            keeps_trims: ftl.identity().recovery.has_journal(),
            gone: HashMap::new(),
            collected: HashSet::new(),
            geometry,
        }
    }

    fn places_in(&self, page: Ppn) -> impl Iterator<Item = Ppn> + use<> {
        (page.0 * self.per_page..(page.0 + 1) * self.per_page).map(Ppn)
    }

    fn page_of(&self, place: Ppn) -> Ppn {
        Ppn(place.0 / self.per_page)
    }

    /// The logical pages of the unit of one.
    fn unit_of(&self, lpn: u64) -> std::ops::Range<u64> {
        let first = lpn / self.per_unit * self.per_unit;
        first..first + self.per_unit
    }

    fn is_readable(&self, place: Ppn) -> bool {
        let page = self.page_of(place);
        self.medium.page_state(page) == PageState::Programmed && !self.started.contains(&page)
    }

    /// The newest write of a unit among the first `accepted` ones.
    fn newest_write(&self, lpn: u64, accepted: u64) -> Option<u64> {
        let writes = self.unit_of(lpn).filter_map(|lpn| self.writes.get(&lpn));
        writes
            .flatten()
            .copied()
            .filter(|number| *number <= accepted)
            .max()
    }

    /// What a host write brings to a place.
    fn of_host(&mut self, started: &Started, spare: SpareArea) -> Content {
        let OpenPlan {
            closes_for, accepted, ..
        } = self.plans[&started.id.plan];
        let closes = closes_for.is_some();
        let newest = self.newest_write(spare.lpn.0, accepted);
        if let (None, true, Some(newest)) = (self.before, closes, newest) {
            self.before = Some(spare.write - newest);
        }
        let Some(before) = self.before else {
            panic!("the first program after a cut is of a register that was closed before: {started:?}")
        };
        let number = spare.write - before;
        assert_eq!(spare.version, spare.write, "{started:?}");
        assert!(!closes || newest == Some(number), "{spare:?} of {started:?}");
        let is_write = |lpn: u64| {
            let writes = self.writes.get(&lpn);
            writes.is_some_and(|writes| writes.contains(&number))
        };
        assert!(number <= accepted && self.unit_of(spare.lpn.0).any(is_write));
        let states = self.states.get(&spare.lpn.0);
        let state = states.and_then(|states| states.range(..=number).next_back());
        state.map_or_else(|| self.reference.blank(), |(_, content)| content.clone())
    }

    /// What is moved to a place.
    fn moved(&self, started: &Started, spare: SpareArea) -> Content {
        assert!(
            spare.sectors == 0 || self.collected.contains(&(spare.lpn.0, spare.write)),
            "{spare:?} of {started:?} was not read"
        );
        // a copy may lack sub-pages that were trimmed
        let is_it = |place: &&Ppn| {
            let (other, content) = &self.places[place];
            other.write == spare.write
                && spare.sectors & !bitmap_of(content) == 0
                && self.is_readable(**place)
        };
        let mut copies = self.places_of.get(&spare.lpn.0).into_iter().flatten();
        let source = copies.find(is_it);
        let source = source.unwrap_or_else(|| panic!("{spare:?} of {started:?} is not on flash"));
        self.places[source].1.clone()
    }

    fn program(&mut self, started: &Started, page: Ppn) {
        *self.done.programs.entry(started.step.cause).or_default() += 1;
        let units = match self.written.get(&page) {
            Some(Written::Units(units)) => units.clone(),
            Some(Written::Own(_)) => Vec::new(),
            other => panic!("{other:?} is written by {started:?}"),
        };
        for (place, spare) in self.places_in(page).zip(units) {
            let Some(spare) = spare else { continue };
            let mut content = if started.step.cause == Cause::Host {
                self.of_host(started, spare)
            } else {
                self.moved(started, spare)
            };
            for sector in (0..content.len()).filter(|sector| spare.sectors >> sector & 1 == 0) {
                content[sector] = 0;
            }
            assert_eq!(bitmap_of(&content), spare.sectors, "{spare:?} of {started:?}");
            self.places.insert(place, (spare, content));
            self.places_of.entry(spare.lpn.0).or_default().insert(place);
        }
        let held: HashSet<u64> = self
            .places_in(page)
            .filter_map(|place| Some(self.places.get(&place)?.0.write))
            .collect();
        self.done.shared += u64::from(held.len() > 1);
        self.hold(page);
        self.started.insert(page);
    }

    fn hold(&mut self, page: Ppn) {
        self.programs += 1;
        let first = self.first_written.entry(self.geometry.block_of(page));
        first.or_insert(self.programs);
    }

    /// A page is on flash. What it holds is promised, where its unit is there as a whole.
    fn promise(&mut self, page: Ppn) {
        let first = page.0 / self.per_unit * self.per_unit;
        let pages: Vec<Ppn> = (first..first + self.per_unit).map(Ppn).collect();
        let places: Vec<Ppn> = pages.iter().flat_map(|page| self.places_in(*page)).collect();
        let held = |place: &Ppn| Some(self.places.get(place)?.0.write);
        if self.per_unit > 1 {
            let writes: HashSet<Option<u64>> = places.iter().map(held).collect();
            if writes.len() > 1 || !places.iter().all(|place| self.is_readable(*place)) {
                return;
            }
        }
        for place in places {
            let Some((spare, content)) = self.places.get(&place) else {
                continue;
            };
            let lpn = spare.lpn.0;
            for (sector, write) in content.iter().enumerate().filter(|(_, write)| **write != 0) {
                let trimmed = self.trimmed.get(&(lpn, sector));
                if trimmed.is_none_or(|trimmed| trimmed < write) {
                    let promised = self.promised.entry((lpn, sector)).or_default();
                    *promised = (*promised).max(*write);
                }
            }
        }
    }

    fn erased(&mut self, block: BlockId) {
        self.first_written.remove(&block);
        *self.erase_counts.entry(block).or_default() += 1;
        for page in 0..self.geometry.pages_per_block {
            let page = self.geometry.page(block, page);
            self.written.remove(&page);
            for place in self.places_in(page) {
                if let Some((spare, _)) = self.places.remove(&place) {
                    self.places_of.get_mut(&spare.lpn.0).unwrap().remove(&place);
                }
            }
        }
    }

    /// No block is erased that holds the only copy of what was promised (D7).
    fn check_erase(&self, block: BlockId) {
        let pages = (0..self.geometry.pages_per_block).map(|page| self.geometry.page(block, page));
        for place in pages.flat_map(|page| self.places_in(page)) {
            let Some((spare, content)) = self.places.get(&place) else {
                continue;
            };
            let lpn = spare.lpn.0;
            for (sector, write) in content.iter().enumerate().filter(|(_, write)| **write != 0) {
                if self.promised.get(&(lpn, sector)) != Some(write) {
                    continue;
                }
                let holds = |other: &Ppn| {
                    self.places[other].1[sector] == *write
                        && self.geometry.block_of(self.page_of(*other)) != block
                        && self.is_readable(*other)
                };
                assert!(
                    self.places_of[&lpn].iter().any(holds),
                    "D7: sub-page {sector} of {lpn} in {block:?}"
                );
            }
        }
    }

    fn note_state(&mut self, lpn: u64) {
        let content = self.reference.content(lpn);
        self.states.entry(lpn).or_default().insert(self.accepted, content);
    }

    fn found(&self, page: Ppn) -> Option<&Written> {
        (self.medium.page_state(page) == PageState::Programmed).then(|| self.written.get(&page))?
    }
}

impl CutFlash for UnitFlash {
    fn is_unnumbered(&self) -> bool {
        self.before.is_none()
    }

    fn accept_write(&mut self, command: u64, lpn: u64, bitmap: u64) {
        self.accepted += 1;
        self.reference.write(lpn, bitmap);
        self.writes.entry(lpn).or_default().push(self.accepted);
        self.note_state(lpn);
        let own = |plan: &&mut OpenPlan| plan.closes_for == Some(command);
        for plan in self.plans.values_mut().filter(own) {
            plan.accepted = self.accepted;
        }
    }

    fn accept_other(&mut self) {
        self.accepted += 1;
    }

    fn accept_trim(&mut self, lpn: u64, bitmap: u64) {
        let before = self.reference.content(lpn);
        self.reference.trim(lpn, bitmap);
        self.note_state(lpn);
        for sector in (0..before.len()).filter(|sector| bitmap >> sector & 1 == 1) {
            self.promised.remove(&(lpn, sector));
            let trimmed = self.trimmed.entry((lpn, sector)).or_default();
            *trimmed = before[sector].max(*trimmed);
        }
    }

    fn check_read(&mut self, lpn: u64, _: u64, place: Option<Ppn>) {
        let place = place.expect("a read of a logical page that is nowhere");
        let (page, bitmap) = self.read.take().expect("a read that reads nothing");
        assert_eq!(page, self.page_of(place));
        let (spare, content) = &self.places[&place];
        assert_eq!(spare.lpn.0, lpn);
        let expected = self.reference.content(lpn);
        let first = (place.0 % self.per_page) as usize * expected.len();
        for sector in (0..expected.len()).filter(|sector| bitmap >> (first + sector) & 1 == 1) {
            assert_eq!(content[sector], expected[sector], "page {lpn}, sub-page {sector}");
        }
        self.done.reads += 1;
    }

    fn check_flushed(&mut self, user: u64) {
        for lpn in 0..user {
            for (sector, write) in self.reference.content(lpn).into_iter().enumerate() {
                let promised = self.promised.get(&(lpn, sector)).copied().unwrap_or(0);
                assert_eq!(promised, write, "page {lpn}, sub-page {sector} after a flush");
            }
        }
        if self.keeps_trims {
            for ((lpn, _), write) in &self.trimmed {
                if bitmap_of(&self.reference.content(*lpn)) == 0 {
                    let gone = self.gone.entry(*lpn).or_default();
                    *gone = (*gone).max(*write);
                }
            }
        }
        self.done.flushes += 1;
    }

    fn repair(&mut self, repair: &Repair) {
        match repair {
            Repair::Erase(block) => {
                self.check_erase(*block);
                self.medium.erase(&[*block]).unwrap();
                self.done.erases += 1;
                self.erased(*block);
            }
            Repair::Program(page, own) => {
                self.medium.program(&[*page]).unwrap();
                self.hold(*page);
                self.written.insert(*page, Written::Own(own.clone()));
            }
        }
    }

    fn tear(&mut self, repair: &Repair) {
        match repair {
            Repair::Erase(block) => self.medium.tear_block(*block),
            Repair::Program(page, _) => {
                self.medium.program(&[*page]).unwrap();
                self.medium.tear(*page);
            }
        }
    }

    fn recovered(&mut self, ftl: &dyn Inspect) {
        for lpn in 0..ftl.user_pages() {
            let mut found = self.reference.blank();
            // a unit of several pages may be somewhere without data of this one
            let is_there = self.per_unit == 1 || ftl.valid_sectors(Lpn(lpn)) != 0;
            if let Some(place) = ftl.lookup(Lpn(lpn)).filter(|_| is_there) {
                assert!(self.is_readable(place), "{place:?} of {lpn}");
                let (spare, content) = &self.places[&place];
                assert_eq!(spare.lpn.0, lpn, "D5: {place:?}");
                found.clone_from(content);
            }
            assert_eq!(ftl.valid_sectors(Lpn(lpn)), bitmap_of(&found), "page {lpn}");
            let gone = self.gone.get(&lpn).copied().unwrap_or(0);
            let is_back = |write: &&u64| **write != 0 && **write <= gone;
            assert_eq!(
                found.iter().find(is_back),
                None,
                "D3: page {lpn} was trimmed up to write {gone}"
            );
            self.done.older += u64::from(found != self.reference.content(lpn));
            for (sector, write) in found.iter().enumerate() {
                let promised = self.promised.get(&(lpn, sector)).copied();
                assert!(
                    promised.is_none_or(|promised| *write >= promised),
                    "D1: sub-page {sector} of page {lpn} holds {write}, promised was {promised:?}"
                );
                match write {
                    0 => _ = self.promised.remove(&(lpn, sector)),
                    _ => _ = self.promised.insert((lpn, sector), *write),
                }
            }
            self.reference.restore(lpn, found);
        }
        (self.accepted, self.before) = (0, None);
        self.trimmed.clear();
        self.collected.clear();
        self.writes.clear();
        self.states.clear();
        for lpn in 0..ftl.user_pages() {
            self.note_state(lpn);
        }
        self.plans.clear();
    }
}

impl StepObserver for UnitFlash {
    fn wrote(&mut self, step: &Started, written: Written) {
        if let Some(bound) = step.bound {
            self.written.insert(bound.page, written);
        }
    }

    fn opened(&mut self, plan: u64, origin: Origin, from: Option<StepId>, steps: &[Step]) {
        self.read = steps.iter().find_map(|step| match step.work {
            Work::Read { page, bitmap, .. } if step.cause == Cause::Host => Some((page, bitmap)),
            _ => None,
        });
        let closes_for = match origin {
            Origin::Request(command) if from.is_none() => Some(command),
            _ => None,
        };
        let open = OpenPlan {
            closes_for,
            accepted: self.accepted,
            left: steps.len(),
        };
        self.plans.insert(plan, open);
    }

    fn started(&mut self, steps: &[Started]) -> Result<(), Box<Violation>> {
        self.medium.started(steps)?;
        for started in steps {
            match started.step.work {
                Work::Erase { block } => {
                    self.done.erases += 1;
                    self.check_erase(block);
                }
                Work::Read { page, .. } => assert!(self.written.contains_key(&page)),
                _ => {}
            }
            if let Some(bound) = started.bound {
                self.program(started, bound.page);
            }
        }
        Ok(())
    }

    fn ended(&mut self, ended: &Started, outcome: Outcome) -> Result<(), Box<Violation>> {
        self.medium.ended(ended, outcome)?;
        if let (Work::Erase { block }, Outcome::Good) = (ended.step.work, outcome) {
            self.erased(block);
        }
        if let Work::Read { page, .. } = ended.step.work
            && !ended.step.cause.is_of_host()
        {
            let held = self.places_in(page).filter_map(|place| self.places.get(&place));
            let held: Vec<(u64, u64)> = held.map(|(spare, _)| (spare.lpn.0, spare.write)).collect();
            self.collected.extend(held);
        }
        if let (Some(bound), Outcome::Good) = (ended.bound, outcome) {
            self.started.remove(&bound.page);
            self.promise(bound.page);
        }
        if let Some(plan) = self.plans.get_mut(&ended.id.plan) {
            plan.left -= 1;
            if plan.left == 0 {
                self.plans.remove(&ended.id.plan);
            }
        }
        Ok(())
    }

    fn interrupted(&mut self, started: &Started) {
        self.done.torn += 1;
        self.medium.interrupted(started);
        if let Some(bound) = started.bound {
            self.started.remove(&bound.page);
        }
    }
}

impl FoundFlash for UnitFlash {
    fn block(&self, block: BlockId) -> FoundBlock {
        FoundBlock {
            passed: self.medium.write_pointer(block),
            erases: self.erase_counts.get(&block).copied().unwrap_or(0),
            sequence: self.first_written.get(&block).copied().unwrap_or(0),
            bad: false,
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        self.unit(page, 0)
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        match self.found(page)? {
            Written::Units(units) => units.get(place as usize).copied().flatten(),
            _ => None,
        }
    }

    fn own_page(&self, page: Ppn) -> Option<OwnPage> {
        match self.found(page)? {
            Written::Own(own) => Some(own.clone()),
            _ => None,
        }
    }
}
