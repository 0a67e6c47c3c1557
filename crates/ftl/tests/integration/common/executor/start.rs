//! Steps start: planes are chosen, pages bound, contents settled.

use super::*;

impl Executor<'_> {
    /// Starts a random step that may start; false if none does.
    pub(super) fn start(&mut self) -> bool {
        let mut ready: Vec<(u64, usize)> = self
            .plans
            .iter()
            .flat_map(|(id, plan)| {
                (0..plan.steps.len())
                    .filter(|at| plan.started >> at & 1 == 0 && plan.steps[*at].after & !plan.done == 0)
                    .map(|at| (*id, at))
            })
            .collect();
        while !ready.is_empty() {
            let chosen = ready.swap_remove(self.random.below(ready.len() as u64) as usize);
            if self.options.multi_plane && self.random.one_in(2) && self.start_aligned(chosen, &ready) {
                return true;
            }
            if self.start_one(chosen) {
                return true;
            }
        }
        false
    }

    pub(super) fn is_free(&self, plane: PlaneId) -> bool {
        self.planes[plane.index()].is_empty()
    }

    pub(super) fn start_one(&mut self, id: (u64, usize)) -> bool {
        let step = self.step(id);
        match step.work {
            Work::Read { page, .. } => {
                let plane = self.geometry.plane_of(self.geometry.block_of(page));
                if !self.is_free(plane) {
                    return false;
                }
                self.medium.read(&[page]).unwrap();
                *self.done.reads.entry(step.cause).or_default() += 1;
                self.occupy(id, plane, None);
                true
            }
            Work::Erase { block } => {
                let plane = self.geometry.plane_of(block);
                if !self.is_free(plane) || self.is_outstanding(block, id) {
                    return false;
                }
                let facts = self.ftl.block(block);
                assert_eq!(facts.valid, 0, "J5: {block:?} is erased: {facts:?}");
                assert_eq!(facts.role, BlockRole::Closed, "{block:?} is erased: {facts:?}");
                self.done.erases += 1;
                self.occupy(id, plane, None);
                true
            }
            Work::Program { target, .. } => self.start_program(id, target, None),
            Work::CopyBack { source, target, .. } => self.start_program(id, target, Some(source)),
            Work::Compute { .. } | Work::Local { .. } => panic!("a page-level FTL asks for {step:?}"),
        }
    }

    /// Whether any other step under way concerns a page of the block.
    pub(super) fn is_outstanding(&self, block: BlockId, eraser: (u64, usize)) -> bool {
        let of_block = |page: Ppn| self.geometry.block_of(page) == block;
        let planned = self.plans.iter().any(|(id, plan)| {
            plan.steps.iter().enumerate().any(|(at, step)| {
                (*id, at) != eraser
                    && plan.done >> at & 1 == 0
                    && match step.work {
                        Work::Read { page, .. } | Work::CopyBack { source: page, .. } => of_block(page),
                        _ => false,
                    }
            })
        });
        planned
            || self
                .planes
                .iter()
                .flatten()
                .any(|busy| busy.page.is_some_and(of_block))
    }

    pub(super) fn planes_of(&self, scope: Scope) -> std::ops::Range<u32> {
        let g = &self.geometry;
        let (group, size) = match scope {
            Scope::Drive => (0, g.planes()),
            Scope::Channel(channel) => (channel.0, g.planes() / g.channels),
            Scope::Chip(chip) => (chip.0, g.dies_per_chip * g.planes_per_die),
            Scope::Die(die) => (die.0, g.planes_per_die),
            Scope::Plane(plane) => (plane.0, 1),
        };
        group * size..(group + 1) * size
    }

    pub(super) fn start_program(&mut self, id: (u64, usize), target: Target, source: Option<Ppn>) -> bool {
        if self.no_space.get(&id) == Some(&self.events) {
            return false;
        }
        let step = self.step(id);
        let Target::Frontier { scope, .. } = target else {
            panic!("a page-level FTL names a page: {step:?}");
        };
        let mut planes: Vec<u32> = self.planes_of(scope).collect();
        if let Some(source) = source {
            let home = self.geometry.plane_of(self.geometry.block_of(source)).0;
            assert!(planes.contains(&home), "{step:?} cannot stay in plane {home}");
            planes = vec![home];
        }
        let all = planes.len();
        let mut full = 0;
        while !planes.is_empty() {
            let plane = PlaneId(planes.swap_remove(self.random.below(planes.len() as u64) as usize));
            if !self.is_free(plane) {
                continue;
            }
            match self.ftl.bind(self.now, &step, plane) {
                Bind::NoSpace => {
                    full += 1;
                    self.done.no_space += 1;
                    self.collect_notices();
                }
                Bind::Declined => {
                    self.collect_notices();
                    self.done.declined += 1;
                    self.plans.get_mut(&id.0).unwrap().started |= 1 << id.1;
                    self.complete(id, None, Outcome::Declined);
                    return true;
                }
                Bind::Page(bound) => {
                    self.collect_notices();
                    self.program(id, plane, bound, source);
                    match source {
                        None => self.medium.program(&[bound.page]).unwrap(),
                        Some(source) => self.medium.copy_back(&[(source, bound.page)]).unwrap(),
                    }
                    return true;
                }
            }
        }
        if full == all {
            self.no_space.insert(id, self.events);
        }
        false
    }

    /// Tries one multi-plane program with `first` as its oldest step.
    pub(super) fn start_aligned(&mut self, first: (u64, usize), others: &[(u64, usize)]) -> bool {
        let Work::Program {
            target: Target::Frontier { scope, .. },
            ..
        } = self.step(first).work
        else {
            return false;
        };
        let planes = self.planes_of(scope);
        let plane = PlaneId(planes.start + self.random.below(u64::from(planes.end - planes.start)) as u32);
        let die = self.geometry.die_of(plane);
        let mut chosen = vec![(first, plane)];
        for sibling in self.planes_of(Scope::Die(die)).map(PlaneId) {
            let partner = others.iter().find(|id| {
                let fits = match self.step(**id).work {
                    Work::Program {
                        target: Target::Frontier { scope, .. },
                        ..
                    } => self.planes_of(scope).contains(&sibling.0),
                    _ => false,
                };
                fits && chosen
                    .iter()
                    .all(|(other, plane)| other != *id && *plane != sibling)
            });
            chosen.extend(partner.map(|id| (*id, sibling)));
        }
        if chosen.len() < 2 || chosen.iter().any(|(_, plane)| !self.is_free(*plane)) {
            return false;
        }
        let pairs: Vec<_> = chosen
            .iter()
            .map(|(id, plane)| (self.step(*id), *plane))
            .collect();
        let facts = |ftl: &dyn Inspect, geometry: &Geometry| -> Vec<_> {
            (0..geometry.blocks())
                .map(|block| ftl.block(BlockId(block)))
                .collect()
        };
        let before = facts(self.ftl, &self.geometry);
        let mut bound = Vec::new();
        let aligned = self.ftl.bind_aligned(self.now, &pairs, &mut bound);
        self.collect_notices();
        if !aligned {
            assert_eq!(
                before,
                facts(self.ftl, &self.geometry),
                "a failed alignment changed something"
            );
            return false;
        }
        assert_eq!(bound.len(), pairs.len());
        let pages: Vec<Ppn> = bound.iter().flatten().map(|bound| bound.page).collect();
        assert!(pages.len() >= 2);
        for ((id, plane), bound) in chosen.into_iter().zip(bound) {
            if let Some(bound) = bound {
                self.program(id, plane, bound, None);
            }
        }
        self.medium.program(&pages).unwrap();
        self.done.aligned += 1;
        true
    }

    /// A bound program starts: what the page will hold is settled.
    pub(super) fn program(&mut self, id: (u64, usize), plane: PlaneId, bound: Bound, source: Option<Ppn>) {
        let step = self.step(id);
        let block = self.geometry.block_of(bound.page);
        assert_eq!(self.geometry.plane_of(block), plane, "bound in another plane");
        let content = self.assemble(id, source);
        self.flash.insert(bound.page.0, content);
        *self.done.programs.entry(step.cause).or_default() += 1;
        self.done.copy_backs += u64::from(source.is_some());
        self.done.skipped += u64::from(bound.skipped);
        if source.is_some() {
            assert!(bound.skipped <= 1, "I8: a copy-back gives up one page at most");
            *self.done.reads.entry(step.cause).or_default() += 1;
        }
        self.digest(bound.page.0);
        self.occupy(id, plane, Some(bound.page));
    }

    /// What a program writes: what was read before it, under what the host brings.
    pub(super) fn assemble(&self, (plan, at): (u64, usize), source: Option<Ppn>) -> Content {
        let plan = &self.plans[&plan];
        let mut content = plan.base.clone();
        for (index, brought) in plan.brought.iter().enumerate() {
            if plan.steps[at].after >> index & 1 == 1
                && let Some(brought) = brought
            {
                content = overlay(&content, brought);
            }
        }
        if let Some(source) = source {
            content = overlay(&content, &self.flash[&source.0]);
        }
        if let Some(host) = &plan.host {
            content = overlay(&content, &host.data);
        }
        content
    }

    pub(super) fn occupy(&mut self, id: (u64, usize), plane: PlaneId, page: Option<Ppn>) {
        self.plans.get_mut(&id.0).unwrap().started |= 1 << id.1;
        let fails = self.left_to_fail > 0
            && !matches!(self.step(id).work, Work::Read { .. })
            && self.random.one_in(200);
        self.left_to_fail -= u64::from(fails);
        self.planes[plane.index()].push_back(Busy {
            plan: id.0,
            at: id.1,
            page,
            fails,
        });
    }
}
