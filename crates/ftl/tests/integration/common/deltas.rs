//! What the flash of a drive with deltas holds while plans are executed in any order, and what a power cut leaves of it.
//!
//! A write of the host makes a content of its logical page: what every sub-page shows. A page of flash holds one, a delta gives one with the base that it was made from. Which
//! deltas a page of deltas holds is what the FTL says that it writes; what they are follows from the commands alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wordline_ftl::any_order::{Origin, Started, StepId, StepObserver};
use wordline_ftl::{
    Cause, FoundBlock, FoundFlash, Inspect, Lpn, Outcome, OwnPage, Repair, SpareArea, Step, Subjects, Work,
    Written,
};
use wordline_ftl::{DeltaEntry, Mapping};
use wordline_nand::{BlockId, Geometry, Medium, PageState, Ppn, RestrictionsConfig, Violation};

use super::cuts::marked_blocks;
use super::early_cuts::CutFlash;
use super::reference::{Content, Reference, bitmap_of, overlay};

/// A delta: the content that it gives, and the base that it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    content: Content,
    base: Content,
}

impl Made {
    /// What base and delta give: sub-pages that had no data when it was made are those of the base.
    fn applied(&self, page: &Content, sectors: u64, of: &str) -> Content {
        let mut found = vec![0; page.len()];
        for sector in (0..page.len()).filter(|sector| sectors >> sector & 1 == 1) {
            found[sector] = page[sector];
            if self.content[sector] != 0 {
                assert_eq!(
                    page[sector], self.base[sector],
                    "D5: a delta of another base, {of}"
                );
                found[sector] = self.content[sector];
            }
        }
        found
    }
}

/// What a page of flash holds.
#[derive(Clone, Debug)]
enum Held {
    /// Data of a logical page: what is in the cells.
    Page(u64, Content),
    /// Deltas, by logical page and number.
    Deltas(BTreeMap<(u64, u64), Made>),
    /// Something of the FTL's own.
    Own,
}

/// A write that was accepted.
#[derive(Clone, Debug)]
struct Accepted {
    lpn: u64,
    content: Content,
    /// What was read of the page that it is encoded against.
    base: Option<Content>,
}

struct OpenPlan {
    origin: Origin,
    /// What its reads have brought: the logical page that was asked for, and what the page held.
    brought: Vec<(u64, Held)>,
    left: usize,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct DoneWithDeltas {
    pub(crate) programs: BTreeMap<Cause, u64>,
    pub(crate) erases: u64,
    pub(crate) cuts: u64,
    /// Logical pages that were found with a delta.
    pub(crate) found_deltas: u64,
    /// Logical pages that showed an older content than the host had written last.
    pub(crate) older: u64,
    pub(crate) torn: u64,
    pub(crate) reads: u64,
    pub(crate) flushes: u64,
    /// Pages of deltas that collection packed.
    pub(crate) packed: u64,
    /// Programs and erases that failed.
    pub(crate) failed: u64,
}

/// The flash.
pub(crate) struct DeltaFlash {
    geometry: Geometry,
    pub(crate) medium: Medium,
    pub(crate) reference: Reference,
    pub(crate) done: DoneWithDeltas,
    flash: HashMap<Ppn, Held>,
    written: HashMap<Ppn, Written>,
    first_written: HashMap<BlockId, u64>,
    programs: u64,
    erase_counts: HashMap<BlockId, u32>,
    plans: HashMap<u64, OpenPlan>,
    /// What the plan of the step that ended last had read: a merge that it grows writes that.
    read_last: Vec<(u64, Held)>,
    /// Whether the step that ended last had failed: its program is made again.
    has_failed: bool,
    /// Blocks that are marked as bad.
    pub(crate) bad: BTreeSet<BlockId>,
    /// The steps of the plan that was opened last.
    pub(crate) opened: Vec<Step>,
    /// Writes by the numbers of their commands.
    commands: HashMap<u64, u64>,
    /// Writes by their numbers.
    writes: HashMap<u64, Accepted>,
    /// Writes and TRIMs so far.
    pub(crate) newest: u64,
    /// Whether it is known from which number on the FTL counts them: after a power cut the first program of a write tells. No write is encoded before, as no accesses
    /// are counted yet.
    is_numbered: bool,
    /// The newest write of every sub-page (logical page, index) that is on flash, and the writes before the last TRIM of it.
    promised: BTreeMap<(u64, usize), u64>,
    trimmed: HashMap<(u64, usize), u64>,
}

impl DeltaFlash {
    pub(crate) fn new(geometry: Geometry, restrictions: &RestrictionsConfig) -> Self {
        Self {
            medium: Medium::new(&geometry, restrictions),
            reference: Reference::new(geometry.sectors_per_page()),
            done: DoneWithDeltas::default(),
            flash: HashMap::new(),
            written: HashMap::new(),
            first_written: HashMap::new(),
            programs: 0,
            erase_counts: HashMap::new(),
            plans: HashMap::new(),
            read_last: Vec::new(),
            has_failed: false,
            bad: BTreeSet::new(),
            opened: Vec::new(),
            commands: HashMap::new(),
            writes: HashMap::new(),
            newest: 0,
            is_numbered: true,
            promised: BTreeMap::new(),
            trimmed: HashMap::new(),
            geometry,
        }
    }

    fn page_content(&self, page: Ppn, lpn: u64) -> &Content {
        match &self.flash[&page] {
            Held::Page(owner, content) => {
                assert_eq!(*owner, lpn, "D5: {page:?}");
                content
            }
            other => panic!("{page:?} holds {other:?}, no page of {lpn}"),
        }
    }

    /// The delta of a logical page in a page of deltas.
    fn newest_in(&self, page: Ppn, lpn: u64) -> Made {
        let Held::Deltas(deltas) = &self.flash[&page] else {
            panic!("{page:?} holds no deltas")
        };
        let of_page = deltas.range((lpn, 0)..=(lpn, u64::MAX)).next_back();
        of_page
            .unwrap_or_else(|| panic!("{page:?} holds no delta of {lpn}"))
            .1
            .clone()
    }

    /// The newest delta of a logical page that was made.
    fn newest_made(&self, lpn: u64) -> Made {
        let of_page = self
            .writes
            .iter()
            .filter(|(_, write)| write.lpn == lpn && write.base.is_some());
        let (_, write) = of_page
            .max_by_key(|(number, _)| **number)
            .expect("no delta was made");
        made(write)
    }

    fn promise(&mut self, lpn: u64, content: &Content) {
        for (sector, write) in content.iter().enumerate().filter(|(_, write)| **write != 0) {
            if self
                .trimmed
                .get(&(lpn, sector))
                .is_none_or(|trimmed| trimmed < write)
            {
                let promised = self.promised.entry((lpn, sector)).or_default();
                *promised = (*promised).max(*write);
            }
        }
    }

    /// What the plan of a step has read.
    fn read_before(&self, started: &Started) -> &[(u64, Held)] {
        &self.plans[&started.id.plan].brought
    }

    /// The number of the write that a program brings.
    fn number_of(&self, started: &Started) -> Option<u64> {
        match self.plans[&started.id.plan].origin {
            Origin::Request(number) if started.step.cause == Cause::Host => {
                self.commands.get(&number).copied()
            }
            _ => None,
        }
    }

    /// The FTL counts writes from this one on.
    fn number_from(&mut self, first: u64) {
        self.is_numbered = true;
        self.newest += first;
        self.commands.values_mut().for_each(|number| *number += first);
        let writes = std::mem::take(&mut self.writes);
        self.writes = writes
            .into_iter()
            .map(|(number, write)| (number + first, write))
            .collect();
    }

    /// What a program brings.
    fn brought(&mut self, started: &Started, page: Ppn) -> Held {
        let lpn = started.step.lpn.0;
        let (spare, entries) = match self.written.get(&page) {
            Some(Written::Data(spare)) => (*spare, None),
            Some(Written::Deltas(spare, entries)) => (*spare, Some(entries.clone())),
            Some(Written::Own(_)) => return Held::Own,
            other => panic!("{other:?} is written by {started:?}"),
        };
        assert_eq!(spare.lpn.0, lpn);
        if let Some(entries) = entries {
            let mut deltas = BTreeMap::new();
            let read = self.read_before(started).to_vec();
            self.done.packed += u64::from(!read.is_empty());
            for DeltaEntry { lpn, version, .. } in entries {
                let key = (lpn.0, version);
                let in_read = read.iter().find_map(|(_, held)| match held {
                    Held::Deltas(deltas) => deltas.get(&key),
                    _ => None,
                });
                let delta = match (read.is_empty(), in_read) {
                    (true, _) => {
                        let write = &self.writes[&version];
                        assert_eq!(write.lpn, lpn.0, "a delta by the number of another page");
                        made(write)
                    }
                    (false, made) => made.expect("a delta that was not read").clone(),
                };
                deltas.insert(key, delta);
            }
            return Held::Deltas(deltas);
        }
        if let Some(number) = self.number_of(started).filter(|_| !self.is_numbered) {
            self.number_from(spare.version - number);
        }
        let of_command = self.number_of(started);
        let mut content = if let Some(number) = of_command {
            assert_eq!((spare.version, spare.write), (number, number), "{started:?}");
            self.writes[&number].content.clone()
        } else if started.step.cause == Cause::Merge {
            self.merged(started, spare)
        } else {
            let read = self.read_before(started).iter().filter(|(of, _)| *of == lpn);
            let read: Vec<&Held> = read.map(|(_, held)| held).collect();
            let [Held::Page(owner, content)] = read[..] else {
                panic!("{read:?} is moved by {started:?}")
            };
            assert_eq!(*owner, lpn, "D5: {started:?}");
            content.clone()
        };
        for sector in (0..content.len()).filter(|sector| spare.sectors >> sector & 1 == 0) {
            content[sector] = 0;
        }
        Held::Page(lpn, content)
    }

    /// The content of a page that takes the place of base and delta.
    fn merged(&self, started: &Started, spare: SpareArea) -> Content {
        let lpn = started.step.lpn.0;
        let read = self.read_before(started);
        let base = read.iter().find_map(|(of, held)| match held {
            Held::Page(owner, content) if *of == lpn && *owner == lpn => Some(content),
            _ => None,
        });
        let in_read = read.iter().rev().find_map(|(_, held)| match held {
            Held::Deltas(deltas) => deltas.get(&(lpn, spare.write)),
            _ => None,
        });
        // a page that got a fresh number after a power cut is of the delta that was read with it
        let newest = || {
            read.iter().rev().find_map(|(_, held)| match held {
                Held::Deltas(deltas) => {
                    let of_page = deltas.range((lpn, 0)..=(lpn, u64::MAX));
                    of_page.last().map(|(_, made)| made.clone())
                }
                _ => None,
            })
        };
        let of_write = self.writes.get(&spare.write);
        let of_write = of_write.filter(|write| write.lpn == lpn && write.base.is_some());
        let delta = in_read.cloned().or_else(|| of_write.map(made)).or_else(newest);
        let delta = delta.unwrap_or_else(|| panic!("no delta of {spare:?} for {started:?}"));
        match base {
            Some(page) => delta.applied(page, bitmap_of(page), "a merge"),
            None => overlay(&delta.base, &delta.content),
        }
    }

    fn hold(&mut self, page: Ppn, held: Held) {
        self.programs += 1;
        let first = self.first_written.entry(self.geometry.block_of(page));
        first.or_insert(self.programs);
        self.flash.insert(page, held);
    }

    fn erased(&mut self, block: BlockId) {
        self.first_written.remove(&block);
        *self.erase_counts.entry(block).or_default() += 1;
        for page in 0..self.geometry.pages_per_block {
            let page = self.geometry.page(block, page);
            self.written.remove(&page);
            self.flash.remove(&page);
        }
    }
}

impl CutFlash for DeltaFlash {
    fn mark_bad(&mut self, ftl: &dyn Mapping, seed: u64) {
        self.bad = marked_blocks(ftl, &self.bad, seed);
    }

    fn accept_write(&mut self, command: u64, lpn: u64, bitmap: u64) {
        self.newest += 1;
        self.reference.write(lpn, bitmap);
        let content = self.reference.content(lpn);
        let is_encoded = self
            .opened
            .iter()
            .any(|step| matches!(step.work, Work::Compute { .. }) && step.acknowledges);
        let base = is_encoded.then(|| match self.opened[0].work {
            Work::Read { page, .. } => self.page_content(page, lpn).clone(),
            work => panic!("{work:?} before a delta is made"),
        });
        self.commands.insert(command, self.newest);
        self.writes.insert(self.newest, Accepted { lpn, content, base });
    }

    fn accept_other(&mut self) {
        // with a journal TRIMs stay, and these tests do not ask for it
        self.newest += 1;
    }

    fn accept_trim(&mut self, lpn: u64, bitmap: u64) {
        let before = self.reference.content(lpn);
        self.reference.trim(lpn, bitmap);
        for sector in (0..before.len()).filter(|sector| bitmap >> sector & 1 == 1) {
            self.promised.remove(&(lpn, sector));
            let trimmed = self.trimmed.entry((lpn, sector)).or_default();
            *trimmed = before[sector].max(*trimmed);
        }
    }

    fn check_read(&mut self, lpn: u64, bitmap: u64, _: Option<Ppn>) {
        let expected = self.reference.content(lpn);
        let Some(Work::Read {
            page, bitmap: read, ..
        }) = self.opened.first().map(|step| step.work)
        else {
            panic!("a read that reads nothing: {:?}", self.opened)
        };
        let base = self.page_content(page, lpn).clone();
        let is_decoded = self
            .opened
            .iter()
            .any(|step| matches!(step.work, Work::Compute { .. }));
        let of_deltas = self.opened[1..].iter().find_map(|step| match step.work {
            Work::Read { page, .. } => Some(page),
            _ => None,
        });
        let delta = match of_deltas {
            Some(page) => Some(self.newest_in(page, lpn)),
            None if is_decoded => Some(self.newest_made(lpn)),
            None => None,
        };
        let found = delta.map_or(base.clone(), |made| {
            made.applied(&base, bitmap_of(&base), "a read")
        });
        for sector in
            (0..expected.len()).filter(|sector| (bitmap & read) >> sector & 1 == 1 && expected[*sector] != 0)
        {
            assert_eq!(found[sector], expected[sector], "page {lpn}, sub-page {sector}");
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
        self.done.flushes += 1;
    }

    fn repair(&mut self, repair: &Repair) {
        match repair {
            Repair::Erase(block) => {
                self.medium.erase(&[*block]).unwrap();
                self.done.erases += 1;
                self.erased(*block);
            }
            Repair::Program(page, own) => {
                self.medium.program(&[*page]).unwrap();
                self.hold(*page, Held::Own);
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
        let readable = |flash: &Self, page: Ppn| flash.medium.page_state(page) == PageState::Programmed;
        for lpn in 0..ftl.user_pages() {
            let mut found = self.reference.blank();
            let delta = ftl.delta_pages().and_then(|deltas| deltas.delta_page(Lpn(lpn)));
            if let Some(page) = ftl.lookup(Lpn(lpn)) {
                assert!(readable(self, page));
                let Some(Written::Data(spare)) = self.written.get(&page) else {
                    panic!("{page:?}")
                };
                let base = self.page_content(page, lpn).clone();
                found = match delta {
                    Some(of_deltas) => {
                        assert!(readable(self, of_deltas));
                        self.done.found_deltas += 1;
                        let made = self.newest_in(of_deltas, lpn);
                        made.applied(&base, spare.sectors, "recovery")
                    }
                    None => base,
                };
            } else {
                assert_eq!(delta, None, "a delta without a base");
            }
            assert_eq!(ftl.valid_sectors(Lpn(lpn)), bitmap_of(&found), "page {lpn}");
            let expected = self.reference.content(lpn);
            self.done.older += u64::from(found != expected);
            for (sector, write) in found.iter().enumerate() {
                let promised = self.promised.get(&(lpn, sector)).copied();
                assert!(
                    promised.is_none_or(|promised| *write >= promised),
                    "D1: sub-page {sector} of page {lpn} holds {write}, promised was {promised:?}; delta {delta:?}"
                );
                match write {
                    0 => _ = self.promised.remove(&(lpn, sector)),
                    _ => _ = self.promised.insert((lpn, sector), *write),
                }
            }
            self.reference.restore(lpn, found);
        }
        (self.newest, self.is_numbered) = (0, false);
        self.trimmed.clear();
        self.writes.clear();
        self.commands.clear();
        self.plans.clear();
    }
}

fn made(write: &Accepted) -> Made {
    Made {
        content: write.content.clone(),
        base: write.base.clone().expect("a write that was not encoded"),
    }
}

impl StepObserver for DeltaFlash {
    fn wrote(&mut self, step: &Started, written: Written) {
        if let Some(bound) = step.bound {
            self.written.insert(bound.page, written);
        }
    }

    fn opened(&mut self, plan: u64, origin: Origin, from: Option<StepId>, steps: &[Step]) {
        self.opened = steps.to_vec();
        let reads = steps.iter().any(|step| matches!(step.work, Work::Read { .. }));
        let is_again = from.is_some() && self.has_failed && !reads;
        let merges = is_again || from.is_some() && steps.iter().any(|step| step.cause == Cause::Merge);
        let open = OpenPlan {
            origin,
            brought: if merges {
                self.read_last.clone()
            } else {
                Vec::new()
            },
            left: steps.len(),
        };
        self.plans.insert(plan, open);
    }

    fn started(&mut self, steps: &[Started]) -> Result<(), Box<Violation>> {
        self.medium.started(steps)?;
        for started in steps {
            if matches!(started.step.work, Work::Erase { .. }) {
                self.done.erases += 1;
            }
            if let Some(bound) = started.bound {
                let held = self.brought(started, bound.page);
                self.hold(bound.page, held);
                *self.done.programs.entry(started.step.cause).or_default() += 1;
            }
        }
        Ok(())
    }

    fn ended(&mut self, ended: &Started, outcome: Outcome) -> Result<(), Box<Violation>> {
        self.medium.ended(ended, outcome)?;
        self.has_failed = outcome == Outcome::Failed;
        if self.has_failed {
            self.done.failed += 1;
            match (ended.step.work, ended.bound) {
                (Work::Erase { block }, _) => *self.erase_counts.entry(block).or_default() += 1,
                (_, Some(bound)) => _ = self.written.remove(&bound.page),
                _ => {}
            }
        }
        if let (Work::Erase { block }, Outcome::Good) = (ended.step.work, outcome) {
            self.erased(block);
        }
        if let Work::Read { page, .. } = ended.step.work
            && let Some(plan) = self.plans.get_mut(&ended.id.plan)
        {
            plan.brought.push((ended.step.lpn.0, self.flash[&page].clone()));
        }
        if let (Some(bound), Outcome::Good) = (ended.bound, outcome) {
            match self.flash[&bound.page].clone() {
                Held::Page(lpn, content) => self.promise(lpn, &content),
                Held::Deltas(deltas) => {
                    for ((lpn, _), made) in deltas {
                        self.promise(lpn, &made.content);
                    }
                }
                Held::Own => {}
            }
        }
        if let Some(plan) = self.plans.get_mut(&ended.id.plan) {
            self.read_last.clone_from(&plan.brought);
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
    }
}

impl FoundFlash for DeltaFlash {
    fn block(&self, block: BlockId) -> FoundBlock {
        FoundBlock {
            passed: self.medium.write_pointer(block),
            erases: self.erase_counts.get(&block).copied().unwrap_or(0),
            sequence: self.first_written.get(&block).copied().unwrap_or(0),
            bad: self.bad.contains(&block),
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        match self.found(page)? {
            Written::Data(spare) | Written::Deltas(spare, _) => Some(*spare),
            Written::Own(_) | Written::Units(_) => None,
        }
    }

    fn deltas(&self, page: Ppn) -> Option<Vec<DeltaEntry>> {
        match self.found(page)? {
            Written::Deltas(_, entries) => Some(entries.clone()),
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

impl DeltaFlash {
    /// What can be read of a page.
    fn found(&self, page: Ppn) -> Option<&Written> {
        (self.medium.page_state(page) == PageState::Programmed).then(|| self.written.get(&page))?
    }
}
