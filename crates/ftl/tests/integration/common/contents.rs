//! What every page of the flash holds while plans are executed in any order: every page that is read is compared with
//! the reference, and nothing that was acknowledged may be lost.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use wordline_ftl::any_order::{Origin, Started, StepId, StepObserver};
use wordline_ftl::{
    BlockRole, Cause, FoundBlock, FoundFlash, Inspect, Lpn, Outcome, OwnPage, Repair, SpareArea, Step, Work,
    Written,
};
use wordline_nand::{BlockId, Geometry, Medium, PageState, Ppn, RestrictionsConfig, Violation};

use super::reference::{Content, Reference, bitmap_of, overlay};

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Done {
    pub(crate) programs: BTreeMap<Cause, u64>,
    pub(crate) reads: BTreeMap<Cause, u64>,
    pub(crate) copy_backs: u64,
    /// Pages given up to get to the target of a copy-back, at most.
    pub(crate) most_skipped_to_copy: u32,
    pub(crate) erases: u64,
    /// Programs and erases that failed.
    pub(crate) failed: u64,
    /// Those of them that were of pages of the FTL's own: summaries, or journal, checkpoints and root.
    pub(crate) failed_metadata: u64,
    pub(crate) skipped: u64,
    pub(crate) host_writes: u64,
    pub(crate) waits: u64,
    pub(crate) in_memory: u64,
    /// Reads of which the controller had a part.
    pub(crate) merged: u64,
    pub(crate) aligned: u64,
    pub(crate) declined: u64,
    /// Computations of pages that could not be read.
    pub(crate) recovered: u64,
    /// Superpages that were found after power cuts: whether they have parity, and how many.
    pub(crate) parities: BTreeMap<bool, u64>,
    /// A digest of every event in order.
    pub(crate) digest: u64,
}

impl Done {
    fn note(&mut self, value: u64) {
        self.digest = (self.digest ^ value)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23);
    }
}

/// What a host command is about.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// A logical page, and the number of the write in each sub-page that is written.
    Write(u64, Content),
    /// A logical page, and what its sub-pages must show.
    Read(u64, Content),
}

/// Whether programs for a cause hold pages of the FTL's own.
const fn is_own(cause: Cause) -> bool {
    matches!(cause, Cause::Mapping | Cause::Metadata | Cause::Parity)
}

/// A plan under way.
struct OpenPlan {
    origin: Origin,
    /// What each read brought.
    brought: Vec<Option<Content>>,
    /// What a program that failed had assembled.
    base: Option<Content>,
    left: usize,
}

/// Content of the flash.
pub(crate) struct Contents {
    geometry: Geometry,
    pub(crate) medium: Medium,
    pub(crate) reference: Reference,
    pub(crate) done: Done,
    /// Content of each page whose program has started, and its logical page.
    flash: HashMap<u64, (u64, Content)>,
    plans: HashMap<u64, OpenPlan>,
    commands: HashMap<u64, Command>,
    /// Pages whose program has started and not ended.
    started: HashSet<Ppn>,
    /// What programs that failed had assembled.
    failed: HashMap<StepId, Content>,
    /// Writes that are not on the medium, oldest first, by logical page.
    pub(crate) under_way: BTreeMap<u64, Vec<Content>>,
    /// The newest write of a sub-page (logical page, index) that is on the medium.
    on_medium: BTreeMap<(u64, usize), u64>,
    /// When a block was written first since its last erase: the number of programs before.
    first_written: HashMap<BlockId, u64>,
    programs: u64,
    /// What the FTL has written to pages beside the data.
    written: HashMap<Ppn, Written>,
    /// Blocks whose erase count the host knows: those of repairs and of erases that ended.
    pub(crate) erase_counts: HashMap<BlockId, u32>,
    /// Blocks that are marked as bad.
    pub(crate) bad: BTreeSet<BlockId>,
    /// The pages in `flash` of a logical page.
    pages_of: HashMap<u64, BTreeSet<u64>>,
    /// By block: what is collected with it.
    pub(crate) superblocks: Vec<Option<BlockId>>,
    /// Programs before the last erase of a block.
    last_erased: HashMap<BlockId, u64>,
    /// Pages that could not be read: by logical page, and whether for a request of the host.
    unreadable: HashMap<(u64, bool), Ppn>,
    /// The page whose data a step that has ended without them needs.
    wanted: HashMap<StepId, (Ppn, Lpn)>,
    /// Those of these reads that were of a page which was read again where it was then.
    again: HashSet<StepId>,
    /// Reads that the FTL did not attempt: by logical page, and whether for a request of the host.
    avoided: HashSet<(u64, bool)>,
    /// The logical page whose data a program needs that were not read.
    sought: HashMap<StepId, u64>,
}

impl Contents {
    pub(crate) fn new(geometry: Geometry, restrictions: &RestrictionsConfig) -> Self {
        Self {
            medium: Medium::new(&geometry, restrictions),
            reference: Reference::new(geometry.sectors_per_page()),
            done: Done::default(),
            flash: HashMap::new(),
            plans: HashMap::new(),
            commands: HashMap::new(),
            started: HashSet::new(),
            failed: HashMap::new(),
            under_way: BTreeMap::new(),
            on_medium: BTreeMap::new(),
            pages_of: HashMap::new(),
            first_written: HashMap::new(),
            programs: 0,
            superblocks: Vec::new(),
            last_erased: HashMap::new(),
            unreadable: HashMap::new(),
            wanted: HashMap::new(),
            again: HashSet::new(),
            avoided: HashSet::new(),
            sought: HashMap::new(),
            written: HashMap::new(),
            erase_counts: HashMap::new(),
            bad: BTreeSet::new(),
            geometry,
        }
    }

    /// A host command was accepted as the `number`-th.
    pub(crate) fn accepted(&mut self, number: u64, command: Command) {
        if let Command::Write(lpn, data) = &command {
            self.under_way.entry(*lpn).or_default().push(data.clone());
            self.done.host_writes += 1;
        }
        self.commands.insert(number, command);
    }

    /// A logical page was trimmed.
    pub(crate) fn trim(&mut self, lpn: u64, bitmap: u64) {
        self.reference.trim(lpn, bitmap);
        for sector in (0..64).filter(|sector| bitmap >> sector & 1 == 1) {
            self.on_medium.remove(&(lpn, sector));
        }
    }

    /// Power is back, and an FTL was built from what the flash holds: every logical page shows what was acknowledged or something newer
    /// that was on its way (D1, D3 to D5); what was trimmed may show anything older. From now on that is what it holds.
    pub(crate) fn recovered(&mut self, ftl: &dyn Inspect) {
        for lpn in 0..ftl.user_pages() {
            let mut found = self.reference.blank();
            if let Some(page) = ftl.lookup(Lpn(lpn)) {
                assert_eq!(self.medium.page_state(page), PageState::Programmed);
                let (owner, content) = &self.flash[&page.0];
                assert_eq!(*owner, lpn, "D5: {page:?}");
                found.clone_from(content);
            }
            assert_eq!(ftl.valid_sectors(Lpn(lpn)), bitmap_of(&found), "page {lpn}");
            for (sector, write) in found.iter().enumerate() {
                let promised = self.on_medium.get(&(lpn, sector)).copied();
                let newer = || {
                    let writes = self.under_way.get(&lpn).into_iter().flatten();
                    writes.clone().any(|data| data[sector] == *write)
                };
                assert!(
                    promised.is_none_or(|promised| *write == promised || *write > promised && newer()),
                    "D1: sub-page {sector} of page {lpn} holds {write}, promised was {promised:?}"
                );
                match write {
                    0 => _ = self.on_medium.remove(&(lpn, sector)),
                    _ => _ = self.on_medium.insert((lpn, sector), *write),
                }
            }
            self.reference.restore(lpn, found);
        }
        self.check_parity(ftl);
        self.under_way.clear();
        self.started.clear();
        self.plans.clear();
        self.commands.clear();
        self.failed.clear();
    }

    /// J14 after a power cut: the superpages that have parity are those of which every page holds what its program brought, all since the same erase: then their exclusive or is 0. Blocks that are bad
    /// are left out.
    fn check_parity(&mut self, ftl: &dyn Inspect) {
        if ftl.facts().own_pages_hold != "parity" || ftl.facts().own_pages == 0 {
            return;
        }
        let mut members: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
        for block in (0..self.geometry.blocks()).map(BlockId) {
            if ftl.block(block).role != BlockRole::Bad {
                let superblock = self.superblocks[block.index()];
                superblock
                    .into_iter()
                    .for_each(|of| members.entry(of).or_default().push(block));
            }
        }
        for (blocks, index) in members
            .values()
            .flat_map(|blocks| (0..self.geometry.pages_per_block).map(move |index| (blocks, index)))
        {
            let pages: Vec<Ppn> = blocks
                .iter()
                .map(|block| self.geometry.page(*block, index))
                .collect();
            let is_whole = |page: &Ppn| {
                self.medium.page_state(*page) == PageState::Programmed
                    && matches!(self.written.get(page), Some(Written::Data(_)))
            };
            let erased = blocks
                .iter()
                .filter_map(|block| self.last_erased.get(block))
                .max()
                .copied();
            let is_of_now = |block: &BlockId| self.first_written.get(block) > erased.as_ref();
            let is_complete = pages.iter().all(is_whole) && blocks.iter().all(is_of_now);
            let is_parity = |page: &Ppn| ftl.owner(*page).is_some_and(|owner| owner.0 >= ftl.user_pages());
            assert_eq!(
                pages.iter().filter(|page| is_parity(page)).count(),
                usize::from(is_complete),
                "J14: {pages:?}"
            );
            *self.done.parities.entry(is_complete).or_default() += 1;
        }
    }

    /// Recovery does this to the flash.
    pub(crate) fn repair(&mut self, repair: &Repair) {
        match repair {
            Repair::Erase(block) => {
                assert!(!self.bad.contains(block), "a bad block is erased");
                self.medium.erase(&[*block]).unwrap();
                self.done.erases += 1;
                self.erased(*block);
            }
            Repair::Program(page, own) => {
                self.medium.program(&[*page]).unwrap();
                self.hold(*page, u64::MAX, self.reference.blank());
                self.written.insert(*page, Written::Own(own.clone()));
            }
        }
    }

    /// Power fails while recovery does this.
    pub(crate) fn tear(&mut self, repair: &Repair) {
        match repair {
            Repair::Erase(block) => self.medium.tear_block(*block),
            Repair::Program(page, _) => {
                self.medium.program(&[*page]).unwrap();
                self.medium.tear(*page);
            }
        }
    }

    /// A page holds the content of a logical page.
    fn hold(&mut self, page: Ppn, lpn: u64, content: Content) {
        self.programs += 1;
        self.first_written
            .entry(self.geometry.block_of(page))
            .or_insert(self.programs);
        self.flash.insert(page.0, (lpn, content));
        self.pages_of.entry(lpn).or_default().insert(page.0);
    }

    /// The content of a page.
    pub(crate) fn page(&self, page: Ppn) -> &Content {
        &self.flash[&page.0].1
    }

    /// The newest write of each sub-page is on a page that is programmed, also without a block that is being erased.
    pub(crate) fn check_nothing_lost(&self, erased: Option<BlockId>) {
        let newest: Vec<(u64, usize, u64)> = match erased {
            Some(block) => self.newest_of(block).collect(),
            None => {
                let newest = self.on_medium.iter();
                newest
                    .map(|((lpn, sector), write)| (*lpn, *sector, *write))
                    .collect()
            }
        };
        for (lpn, sector, write) in newest {
            let holds = |page: &u64| {
                let page = Ppn(*page);
                self.page(page)[sector] == write
                    && Some(self.geometry.block_of(page)) != erased
                    && self.medium.page_state(page) == PageState::Programmed
                    && !self.started.contains(&page)
            };
            assert!(
                self.pages_of[&lpn].iter().any(holds),
                "sub-page {sector} of page {lpn} is lost, write {write}; erased: {erased:?}"
            );
        }
    }

    /// What a block holds of the newest writes.
    fn newest_of(&self, block: BlockId) -> impl Iterator<Item = (u64, usize, u64)> {
        let pages = (0..self.geometry.pages_per_block).map(move |page| self.geometry.page(block, page));
        let held = pages.filter_map(|page| self.flash.get(&page.0));
        held.flat_map(|(lpn, content)| {
            let newest = |sector: &usize| self.on_medium.get(&(*lpn, *sector)) == Some(&content[*sector]);
            let sectors = (0..content.len()).filter(newest);
            sectors.map(|sector| (*lpn, sector, content[sector]))
        })
    }

    /// What a program writes: what was read before it, under what the host brings.
    fn assemble(&self, started: &Started) -> Content {
        let plan = &self.plans[&started.id.plan];
        let mut content = plan.base.clone().unwrap_or_else(|| self.reference.blank());
        for (at, brought) in plan.brought.iter().enumerate() {
            if started.step.after >> at & 1 == 1
                && let Some(brought) = brought
            {
                content = overlay(&content, brought);
            }
        }
        if let Some((source, _)) = started.copied() {
            content = overlay(&content, self.page(source));
        }
        if let Some(Command::Write(_, data)) = self.command(plan.origin) {
            content = overlay(&content, data);
        }
        content
    }

    /// The page of a logical page whose data steps bring by reading the others of its superpage.
    fn page_sought(&self, lpn: u64, steps: &[Step]) -> Option<Ppn> {
        let read: Vec<Ppn> = steps.iter().filter_map(|step| step.work.planned_page()).collect();
        let superpage = |page: Ppn| {
            let superblock = self.superblocks[self.geometry.block_of(page).index()];
            (superblock, self.geometry.page_in_block(page))
        };
        let mut pages = self.pages_of.get(&lpn)?.iter().map(|page| Ppn(*page));
        let Some(first) = read.first() else {
            // the controller has all others
            let there = pages.filter(|page| !self.started.contains(page));
            return there.max_by_key(|page| self.page(*page).iter().copied().max());
        };
        let wanted = superpage(*first);
        // an older version may be among those that are read
        pages.find(|page| superpage(*page) == wanted && !read.contains(page) && !self.started.contains(page))
    }

    /// What a page holds that is computed from others and programmed again: in its own plane, at the same place of another block; or where its data are now.
    fn content_again(&self, step: &Step, page: Ppn) -> Content {
        let place = |page: Ppn| {
            let block = self.geometry.block_of(page);
            (self.geometry.plane_of(block), self.geometry.page_in_block(page))
        };
        let pages = self
            .pages_of
            .get(&step.lpn.0)
            .into_iter()
            .flatten()
            .map(|page| Ppn(*page));
        let is_source = |other: &Ppn| step.cause == Cause::Repair || place(*other) == place(page);
        let is_there = |page: &Ppn| {
            self.medium.page_state(*page) == PageState::Programmed && !self.started.contains(page)
        };
        let newest = pages
            .filter(is_source)
            .filter(is_there)
            .max_by_key(|page| self.page(*page).iter().copied().max());
        newest.map_or_else(|| self.reference.blank(), |page| self.page(page).clone())
    }

    /// The data of a page can be computed (J14): all other pages of its superpage that are on flash are read, the controller has those that are on their way, and none has
    /// been erased.
    fn check_recovery(&mut self, wanted: Ppn, steps: &[Step]) {
        if steps
            .iter()
            .any(|step| step.work.brings_data() && step.cause != Cause::Parity)
        {
            // it has been moved, and is read where it is now
            return;
        }
        let read: BTreeSet<Ppn> = steps.iter().filter_map(|step| step.work.planned_page()).collect();
        let block = self.geometry.block_of(wanted);
        let superblock = self.superblocks[block.index()];
        assert!(superblock.is_some(), "{wanted:?} is of no superblock");
        let index = self.geometry.page_in_block(wanted);
        let members = (0..self.geometry.blocks()).map(BlockId);
        let others = members.filter(|other| self.superblocks[other.index()] == superblock && *other != block);
        let mut on_flash = BTreeSet::new();
        for other in others {
            let page = self.geometry.page(other, index);
            if self.medium.page_state(page) == PageState::Programmed && !self.started.contains(&page) {
                on_flash.insert(page);
            }
            let erased = self.last_erased.get(&other).copied().unwrap_or(0);
            assert!(
                erased < self.first_written[&block],
                "{other:?} was erased before {wanted:?} is read"
            );
        }
        assert_eq!(read, on_flash, "J14: {wanted:?}");
        self.done.recovered += 1;
    }

    /// A block holds nothing any more.
    fn erased(&mut self, block: BlockId) {
        self.first_written.remove(&block);
        self.last_erased.insert(block, self.programs);
        *self.erase_counts.entry(block).or_default() += 1;
        for page in 0..self.geometry.pages_per_block {
            let page = self.geometry.page(block, page).0;
            self.written.remove(&Ppn(page));
            if let Some((lpn, _)) = self.flash.remove(&page) {
                self.pages_of.get_mut(&lpn).unwrap().remove(&page);
            }
        }
    }

    fn command(&self, origin: Origin) -> Option<&Command> {
        match origin {
            Origin::Request(number) => self.commands.get(&number),
            Origin::Job(_) => None,
        }
    }

    /// What a read of the host brings is what it must show; a page that is read again where it is now may be newer.
    /// Moves of other pages may follow from the steps of a request.
    fn compare(&self, origin: Origin, of: Lpn, content: &Content, may_be_newer: bool) {
        let Some(Command::Read(lpn, expected)) = self
            .command(origin)
            .filter(|command| matches!(command, Command::Read(lpn, _) if *lpn == of.0))
        else {
            return;
        };
        for (sector, expected) in expected.iter().enumerate().filter(|(_, write)| **write != 0) {
            let found = content[sector];
            assert!(
                found == *expected || may_be_newer && found > *expected,
                "J4: page {lpn}, sub-page {sector} holds {found}, not {expected}"
            );
        }
    }

    fn program(&mut self, started: &Started) {
        let Some(bound) = started.bound else { return };
        let mut content = if started.step.cause == Cause::Repair || started.step.cause == Cause::Parity {
            self.content_again(&started.step, bound.page)
        } else if is_own(started.step.cause) {
            self.reference.blank()
        } else {
            self.assemble(started)
        };
        if let Some(Written::Data(spare)) = self.written.get(&bound.page) {
            // what was trimmed is not data
            let is_data = |sector: usize| spare.sectors >> sector & 1 == 1;
            for sector in (0..content.len()).filter(|sector| !is_data(*sector)) {
                content[sector] = 0;
            }
        }
        let lpn = started.step.lpn.0;
        self.hold(bound.page, lpn, content);
        self.started.insert(bound.page);
        *self.done.programs.entry(started.step.cause).or_default() += 1;
        self.done.skipped += u64::from(bound.skipped);
        if started.copied().is_some() {
            self.done.most_skipped_to_copy = self.done.most_skipped_to_copy.max(bound.skipped);
            self.done.copy_backs += 1;
            *self.done.reads.entry(started.step.cause).or_default() += 1;
        }
        self.done.note(bound.page.0);
    }

    /// A host write is on the medium.
    fn acknowledge(&mut self, lpn: u64, data: &Content) {
        if let Some(writes) = self.under_way.get_mut(&lpn) {
            writes.retain(|other| other != data);
            if writes.is_empty() {
                self.under_way.remove(&lpn);
            }
        }
        for (sector, write) in data.iter().enumerate().filter(|(_, write)| **write != 0) {
            let newest = self.on_medium.entry((lpn, sector)).or_default();
            *newest = (*newest).max(*write);
        }
    }

    /// A journal has pages on flash of which one names a block that is about to be erased, or a root does.
    fn check_is_named(&self, block: BlockId) {
        let on_flash = self.written.iter().filter(|(page, _)| {
            !self.started.contains(*page) && self.medium.page_state(**page) == PageState::Programmed
        });
        let mut unsettled = on_flash
            .filter_map(|(_, written)| match written {
                Written::Own(OwnPage::Journal { unsettled, .. } | OwnPage::Root { unsettled, .. }) => {
                    Some(unsettled)
                }
                _ => None,
            })
            .peekable();
        let has_journal = unsettled.peek().is_some();
        assert!(
            !has_journal || unsettled.any(|unsettled| unsettled.blocks.contains(&block)),
            "no page of the journal on flash names {block:?}, which is erased"
        );
    }
}

impl StepObserver for Contents {
    fn wrote(&mut self, step: &Started, written: Written) {
        if let Some(bound) = step.bound {
            self.written.insert(bound.page, written);
        }
    }

    fn opened(&mut self, plan: u64, origin: Origin, from: Option<StepId>, steps: &[Step]) {
        for step in steps {
            if let Work::Read { page, .. } | Work::CopyBack { source: page, .. } = step.work {
                assert!(
                    self.flash.contains_key(&page.0),
                    "{step:?} reads a page that holds nothing"
                );
            }
        }
        let of_program = from.and_then(|from| self.sought.remove(&from));
        let of_host = match (from, self.command(origin)) {
            (None, Some(Command::Read(lpn, _))) => Some(*lpn),
            _ => None,
        };
        let is_computed = |step: &Step| step.cause == Cause::Parity && step.work.brings_data();
        let is_read = steps
            .iter()
            .any(|step| step.work.brings_data() && !is_computed(step));
        let sought = of_program.or(of_host).filter(|_| !steps.is_empty() && !is_read);
        let sought = sought.and_then(|lpn| Some((self.page_sought(lpn, steps)?, Lpn(lpn))));
        let wanted = from.and_then(|from| self.wanted.remove(&from));
        let is_again = from.is_some_and(|from| self.again.remove(&from));
        // a program of data that are no longer current is not planned again, and what follows is of other pages
        let wanted = wanted.filter(|(_, lpn)| steps.is_empty() || steps.iter().any(|step| step.lpn == *lpn));
        let wanted = wanted.or(sought);
        // it may have been moved since, and its block erased
        let wanted = wanted.filter(|(page, _)| self.flash.contains_key(&page.0));
        let base = wanted.map(|(page, lpn)| {
            // of copies of a page one is as good as the other where nothing is read
            let is_known = of_program.or(of_host).is_none() || steps.iter().any(is_computed);
            if is_known {
                self.check_recovery(page, steps);
            }
            let content = self.page(page).clone();
            self.compare(origin, lpn, &content, is_again);
            content
        });
        let open = OpenPlan {
            origin,
            brought: vec![None; steps.len()],
            base: base.or_else(|| from.and_then(|from| self.failed.remove(&from))),
            left: steps.len(),
        };
        self.plans.insert(plan, open);
    }

    fn started(&mut self, steps: &[Started]) -> Result<(), Box<Violation>> {
        self.medium.started(steps)?;
        for started in steps {
            let page = started.bound.map(|bound| self.geometry.block_of(bound.page));
            let erased = match started.step.work {
                Work::Erase { block } => Some(block),
                _ => None,
            };
            let is_bad = page.or(erased).is_some_and(|block| self.bad.contains(&block));
            assert!(!is_bad, "a block that is marked as bad is used: {started:?}");
        }
        self.done.aligned += u64::from(steps.len() > 1);
        for started in steps {
            match started.step.work {
                Work::Read { .. } => *self.done.reads.entry(started.step.cause).or_default() += 1,
                Work::Erase { block } => {
                    self.done.erases += 1;
                    self.check_nothing_lost(Some(block));
                    if started.step.cause != Cause::Metadata {
                        self.check_is_named(block);
                    }
                }
                _ => self.program(started),
            }
        }
        Ok(())
    }

    fn ended(&mut self, ended: &Started, outcome: Outcome) -> Result<(), Box<Violation>> {
        self.medium.ended(ended, outcome)?;
        let Started { id, step, bound } = ended;
        self.done.note(step.lpn.0 ^ (outcome as u64) << 40);
        self.done.declined += u64::from(outcome == Outcome::Declined);
        if outcome == Outcome::Failed {
            self.done.failed += 1;
            self.done.failed_metadata += u64::from(step.cause == Cause::Metadata);
        }
        let origin = self.plans[&id.plan].origin;
        let key = (step.lpn.0, step.cause.is_of_host());
        let page = bound.map(|bound| bound.page);
        page.inspect(|page| assert!(self.started.remove(page)));
        match (step.work, page, outcome) {
            // the others look at the spare area
            (Work::Read { page, .. }, _, Outcome::Uncorrectable) if step.acknowledges => {
                self.wanted.insert(*id, (page, step.lpn));
                if self.plans[&id.plan].base.is_some() {
                    self.again.insert(*id);
                }
            }
            (Work::Read { page, .. }, _, Outcome::Uncorrectable) => {
                self.unreadable.insert(key, page);
            }
            (Work::Program { .. }, None, Outcome::Declined) => {
                if let Some(page) = self.unreadable.remove(&key) {
                    self.wanted.insert(*id, (page, step.lpn));
                } else if self.avoided.remove(&key) {
                    self.sought.insert(*id, step.lpn.0);
                }
            }
            (Work::Compute { .. }, ..) if !step.acknowledges && step.cause != Cause::Parity => {
                self.unreadable.remove(&key);
                self.avoided.insert(key);
            }
            (Work::Read { page, bitmap, .. }, ..) if bitmap != 0 && step.cause != Cause::Parity => {
                let content = self.page(page).clone();
                if !is_own(step.cause) {
                    let is_again = self.plans[&id.plan].base.is_some();
                    self.compare(origin, step.lpn, &content, is_again);
                }
                self.plans.get_mut(&id.plan).unwrap().brought[id.at] = Some(content);
            }
            (Work::Erase { block }, _, Outcome::Good) => self.erased(block),
            (Work::Erase { block }, ..) => *self.erase_counts.entry(block).or_default() += 1,
            (Work::Program { .. } | Work::CopyBack { .. }, Some(_), Outcome::Good) => {
                if let Some(Command::Write(lpn, data)) = self.command(origin).cloned()
                    && !is_own(step.cause)
                {
                    self.acknowledge(lpn, &data);
                }
            }
            (_, Some(page), _) => {
                let blank = (step.lpn.0, self.reference.blank());
                self.written.remove(&page);
                let (_, assembled) = self.flash.insert(page.0, blank).unwrap();
                self.failed.insert(*id, assembled);
            }
            _ => {}
        }
        let plan = self.plans.get_mut(&id.plan).unwrap();
        plan.left -= 1;
        if plan.left == 0 {
            self.plans.remove(&id.plan);
        }
        Ok(())
    }

    fn interrupted(&mut self, started: &Started) {
        self.medium.interrupted(started);
    }
}

/// The flash after a power cut.
pub(crate) struct Found<'a> {
    pub(crate) contents: &'a Contents,
    /// Whether versions are those that the FTL wrote; otherwise they are the host's numbers of writes.
    pub(crate) by_ftl: bool,
}

impl FoundFlash for Found<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        let contents = self.contents;
        FoundBlock {
            passed: contents.medium.write_pointer(block),
            erases: contents.erase_counts.get(&block).copied().unwrap_or(0),
            sequence: contents.first_written.get(&block).copied().unwrap_or(0),
            bad: contents.bad.contains(&block),
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        let contents = self.contents;
        if contents.medium.page_state(page) != PageState::Programmed {
            return None;
        }
        if self.by_ftl {
            return match contents.written.get(&page)? {
                Written::Data(spare) | Written::Deltas(spare, _) => Some(*spare),
                Written::Own(_) | Written::Units(_) => None,
            };
        }
        let (lpn, content) = contents.flash.get(&page.0)?;
        let sectors = bitmap_of(content);
        // a page whose program failed holds nothing
        (sectors != 0).then(|| SpareArea {
            lpn: Lpn(*lpn),
            version: content.iter().copied().max().unwrap_or(0),
            write: content.iter().copied().max().unwrap_or(0),
            sectors,
            slc: false,
        })
    }

    fn own_page(&self, page: Ppn) -> Option<OwnPage> {
        if self.contents.medium.page_state(page) != PageState::Programmed {
            return None;
        }
        match self.contents.written.get(&page)? {
            Written::Own(own) => Some(own.clone()),
            _ => None,
        }
    }
}
