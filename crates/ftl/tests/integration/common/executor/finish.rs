//! Steps end, well or not.

use super::*;

impl Executor<'_> {
    /// Finishes what runs in a random busy plane.
    pub(super) fn finish(&mut self) -> bool {
        let busy: Vec<usize> = (0..self.planes.len())
            .filter(|plane| !self.planes[*plane].is_empty())
            .collect();
        if busy.is_empty() {
            return false;
        }
        let plane = self.random.pick(&busy);
        let Some(busy) = self.planes[plane].pop_front() else {
            return false;
        };
        let id = (busy.plan, busy.at);
        let outcome = if busy.fails {
            Outcome::Failed
        } else {
            Outcome::Good
        };
        match self.step(id).work {
            Work::Read { page, .. } => {
                let content = self.flash[&page.0].clone();
                let plan = self.plans.get_mut(&id.0).unwrap();
                if let Some((lpn, expected)) = &plan.expected {
                    for (sector, expected) in expected.iter().enumerate() {
                        if *expected != 0 {
                            assert_eq!(content[sector], *expected, "J4: page {lpn}, sub-page {sector}");
                        }
                    }
                }
                plan.brought[id.1] = Some(content);
                self.complete(id, None, Outcome::Good);
            }
            Work::Erase { block } => {
                if outcome == Outcome::Good {
                    self.medium.erase(&[block]).unwrap();
                    for page in 0..self.geometry.pages_per_block {
                        self.flash.remove(&self.geometry.page(block, page).0);
                    }
                }
                self.digest(u64::from(block.0) << 32);
                self.complete(id, None, outcome);
                // Known by its count: a block whose program failed is retired, not erased for use.
                self.good_erases = (0..self.geometry.blocks())
                    .map(|block| u64::from(self.ftl.block(BlockId(block)).erase_count))
                    .sum();
                if self.options.failures == 0 {
                    assert_eq!(self.good_erases, self.done.erases - self.running_erases(), "J8");
                }
            }
            _ => self.complete(id, busy.page, outcome),
        }
        true
    }

    pub(super) fn running_erases(&self) -> u64 {
        self.planes
            .iter()
            .flatten()
            .filter(|busy| matches!(self.step((busy.plan, busy.at)).work, Work::Erase { .. }))
            .count() as u64
    }

    /// Tells the FTL how a step ended, and takes what grows from it.
    pub(super) fn complete(&mut self, id: (u64, usize), page: Option<Ppn>, outcome: Outcome) {
        let step = self.step(id);
        let assembled = page.map(|page| self.flash[&page.0].clone());
        if outcome == Outcome::Failed
            && let Some(page) = page
        {
            let blank = self.reference.blank();
            self.flash.insert(page.0, blank);
        }
        let mut grown = Plan::new();
        self.ftl.done(self.now, &step, page, outcome, &mut grown);
        self.collect_notices();
        self.digest(step.lpn.0 ^ (outcome as u64) << 40);
        let plan = self.plans.get_mut(&id.0).unwrap();
        plan.done |= 1 << id.1;
        let (host, job) = (plan.host.clone(), plan.job);
        let over = plan.done.count_ones() as usize == plan.steps.len();
        let programs = matches!(step.work, Work::Program { .. } | Work::CopyBack { .. });
        if let Some(host) = host.as_ref().filter(|_| programs && outcome == Outcome::Good) {
            let writes = self.in_flight.get_mut(&host.lpn).unwrap();
            writes.retain(|write| write.data != host.data);
            if writes.is_empty() {
                self.in_flight.remove(&host.lpn);
            }
        }
        if host.is_some() && programs && outcome != Outcome::Good {
            assert!(!grown.is_empty(), "a host write that {outcome:?} was given up");
        }
        let base = assembled.filter(|_| outcome == Outcome::Failed);
        self.begin(grown, host, None, job, base);
        if over {
            self.plans.remove(&id.0);
            if let Some(job) = job {
                let plans = self.working.get_mut(&job).unwrap();
                *plans -= 1;
                if *plans == 0 {
                    self.working.remove(&job);
                }
            }
        }
    }

    /// At the end: every logical page shows what the reference says.
    pub(super) fn verify_all(&self) {
        for lpn in 0..self.ftl.user_pages() {
            let expected = self.reference.content(lpn);
            let valid = bitmap_of(&expected);
            assert_eq!(self.ftl.valid_sectors(Lpn(lpn)), valid, "sub-pages of page {lpn}");
            let Some(page) = self.ftl.lookup(Lpn(lpn)) else {
                assert_eq!(valid, 0, "J4: page {lpn} is lost");
                continue;
            };
            let content = &self.flash[&page.0];
            for (sector, expected) in expected.iter().enumerate() {
                if *expected != 0 {
                    assert_eq!(content[sector], *expected, "J4: page {lpn}, sub-page {sector}");
                }
            }
        }
    }
}
