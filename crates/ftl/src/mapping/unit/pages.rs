//! Pages on their way to flash: the open page register of each frontier and scope, and the pages whose programs are planned.

use crate::contract::FlushMark;
use crate::inflight::PendingProgram;
use crate::map::Relocate;
use crate::plan::{Cause, Frontier, Route, Scope, Step, Target, Work};

/// A unit of a page that is put together or programmed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) lpn: u64,
    /// Sub-pages that hold data once it is on flash.
    pub(super) sectors: u64,
    /// What is to become of its entry in the map.
    pub(super) change: Change,
}

/// What a unit is programmed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A write of the host.
    Write {
        /// Sub-pages that the controller has; the others are being read.
        here: u64,
        /// Number of the write among those of its logical page that are under way; 0 in a register.
        version: u32,
        /// Whether it was counted among the kinds of writes.
        counted: bool,
        /// The number of the newest write among all of the host's, where these are numbered; else 0.
        number: u64,
    },
    /// A relocation from this place.
    Move(u64),
}

impl Unit {
    /// Whether it is still where it is read, if it is relocated.
    pub(super) fn is_current(&self, map: &impl Relocate) -> bool {
        match self.change {
            Change::Move(source) => map.owner(source) == Some(self.lpn),
            Change::Write { .. } => true,
        }
    }
}

/// A page that is put together or programmed.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) units: Vec<Unit>,
    pub(super) target: Target,
    pub(super) cause: Cause,
    /// Identifier of the placement handle of host writes, 0 without one.
    pub(super) placement: u16,
    /// Pool of the job that asked for it, if one did.
    pub(super) pool: Option<u32>,
    /// Reads under way that bring sub-pages of its units.
    pub(super) reads: u32,
    /// How many pages of host writes were closed before it and with it; 0 of an open register, and of relocations.
    closed: u64,
}

impl Page {
    /// Whether nothing is added any more.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed > 0
    }

    /// What its program does as far as placement handles matter: a write of the host with the identifier of its page, or the relocation of its first unit that is still current.
    pub(super) fn pending(&self, map: &impl Relocate) -> Option<PendingProgram> {
        let Some(pool) = self.pool else {
            return Some(PendingProgram::Write {
                placement: self.placement,
                version: 0,
                after: 0,
                new: 0,
            });
        };
        let unit = self.units.iter().find(|unit| unit.is_current(map))?;
        match unit.change {
            Change::Move(source) => Some(PendingProgram::Move { source, pool }),
            Change::Write { .. } => None,
        }
    }

    /// Its program. The first unit names the step.
    pub(super) fn program(&self, token: u32, after: u64) -> Step {
        let sectors: u32 = self.units.iter().map(|unit| unit.sectors.count_ones()).sum();
        Step {
            work: Work::Program {
                target: self.target,
                sectors: sectors as u8,
                route: Route::Controller,
            },
            cause: self.cause,
            acknowledges: self.cause.is_of_host(),
            after,
            lpn: crate::plan::Lpn(self.units.first().map_or(0, |unit| unit.lpn)),
            token,
        }
    }
}

const NONE: u32 = u32::MAX;

/// All of them, by the tokens of their programs.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    table: Vec<Page>,
    vacant: Vec<u32>,
    /// Per frontier and scope: the page that is open, once there was one.
    open: Vec<u32>,
    scopes: u32,
    /// Pages of host writes that were closed.
    closed: u64,
    /// Pages whose programs are not done, but for open ones.
    under_way: u32,
}

impl Pages {
    pub(super) fn new(frontiers: u8, scopes: u32) -> Self {
        Self {
            table: Vec::new(),
            vacant: Vec::new(),
            open: vec![NONE; usize::from(frontiers) * scopes as usize],
            scopes,
            closed: 0,
            under_way: 0,
        }
    }

    /// Whether no program and no read for one is planned.
    pub(super) fn is_quiescent(&self) -> bool {
        let reading = |token: &u32| *token != NONE && self.table[*token as usize].reads > 0;
        self.under_way == 0 && !self.open.iter().any(reading)
    }

    pub(super) fn get(&self, token: u32) -> Option<&Page> {
        self.table.get(token as usize)
    }

    #[inline]
    pub(super) fn page_mut(&mut self, token: u32) -> &mut Page {
        &mut self.table[token as usize]
    }

    #[inline]
    pub(super) fn unit(&self, token: u32, at: usize) -> &Unit {
        &self.table[token as usize].units[at]
    }

    /// The place of a register.
    #[inline]
    fn register(&self, frontier: Frontier, scope: Scope) -> usize {
        let scope = match scope {
            Scope::Drive => 0,
            Scope::Channel(channel) => channel.0,
            Scope::Chip(chip) => chip.0,
            Scope::Die(die) => die.0,
            Scope::Plane(plane) => plane.0,
        };
        (u32::from(frontier.0) * self.scopes + scope) as usize
    }

    /// The open page of a frontier and a scope, made for a placement identifier if there is none.
    #[inline]
    pub(super) fn open(&mut self, frontier: Frontier, scope: Scope, placement: u16) -> u32 {
        let register = self.register(frontier, scope);
        match self.open[register] {
            NONE => {
                let target = Target::Frontier { frontier, scope };
                let token = self.add(target, Cause::Host, None);
                self.table[token as usize].placement = placement;
                self.open[register] = token;
                token
            }
            token => {
                let page = &mut self.table[token as usize];
                if page.units.is_empty() {
                    page.placement = placement;
                }
                token
            }
        }
    }

    /// The open page of a frontier and a scope that holds units of another placement identifier than this one.
    pub(super) fn open_of_other(&self, frontier: Frontier, scope: Scope, placement: u16) -> Option<u32> {
        let token = self.open[self.register(frontier, scope)];
        let page = self.table.get(token as usize)?;
        (page.placement != placement && !page.units.is_empty()).then_some(token)
    }

    /// An empty page.
    fn add(&mut self, target: Target, cause: Cause, pool: Option<u32>) -> u32 {
        let token = self.vacant.pop().unwrap_or_else(|| {
            self.table.push(Page {
                units: Vec::new(),
                target,
                cause,
                placement: 0,
                pool,
                reads: 0,
                closed: 0,
            });
            self.table.len() as u32 - 1
        });
        let page = &mut self.table[token as usize];
        page.units.clear();
        (page.target, page.cause, page.pool) = (target, cause, pool);
        page.placement = 0;
        (page.reads, page.closed) = (0, 0);
        token
    }

    /// A page of relocated units.
    pub(super) fn add_moved(
        &mut self,
        target: Target,
        cause: Cause,
        pool: u32,
        units: impl Iterator<Item = Unit>,
    ) -> u32 {
        let token = self.add(target, cause, Some(pool));
        self.table[token as usize].units.extend(units);
        self.under_way += 1;
        token
    }

    /// Nothing is added to an open page any more: it is to be programmed.
    pub(super) fn close(&mut self, token: u32) {
        if let Some(register) = self.open.iter_mut().find(|open| **open == token) {
            *register = NONE;
        }
        self.closed += 1;
        self.under_way += 1;
        self.table[token as usize].closed = self.closed;
    }

    /// Makes the first units of a closed register a page of their own, which is programmed: its token.
    pub(super) fn split(&mut self, token: u32, units: usize) -> u32 {
        let Page {
            target,
            cause,
            placement,
            pool,
            closed,
            ..
        } = self.table[token as usize];
        let first = self.add(target, cause, pool);
        let mut own = std::mem::take(&mut self.table[first as usize].units);
        own.extend(self.table[token as usize].units.drain(..units));
        let page = &mut self.table[first as usize];
        (page.units, page.closed) = (own, closed);
        page.placement = placement;
        self.under_way += 1;
        first
    }

    /// A page is on flash, or given up.
    pub(super) fn remove(&mut self, token: u32) {
        let page = &mut self.table[token as usize];
        page.units.clear();
        (page.pool, page.closed) = (None, 0);
        self.under_way -= 1;
        self.vacant.push(token);
    }

    /// The unit of a logical page in the open registers of its scope: page and place in it.
    #[inline]
    pub(super) fn find(&self, lpn: u64, scope: Scope) -> Option<(u32, usize)> {
        let mut register = self.register(Frontier(0), scope);
        while let Some(token) = self.open.get(register) {
            if let Some(page) = self.table.get(*token as usize)
                && let Some(at) = page.units.iter().position(|unit| unit.lpn == lpn)
            {
                return Some((*token, at));
            }
            register += self.scopes as usize;
        }
        None
    }

    /// The open registers that hold units, by frontier and scope.
    pub(super) fn registers(&self) -> impl Iterator<Item = (u32, u32)> {
        let open = (0..).zip(self.open.iter().copied());
        open.filter(|(_, token)| {
            let page = self.table.get(*token as usize);
            page.is_some_and(|page| !page.units.is_empty())
        })
    }

    /// The token of the page of a register, by its place in the order of [`Self::registers`].
    pub(super) fn frontier_and_scope(&self, register: u32) -> (u8, u32) {
        ((register / self.scopes) as u8, register % self.scopes)
    }

    /// The open page that holds units, if one is left.
    pub(super) fn next_register(&self) -> Option<u32> {
        self.registers().next().map(|(_, token)| token)
    }

    /// A page that was closed and whose program is not done, with this logical page in it: the logical page that names its program.
    pub(super) fn lead_of(&self, lpn: u64) -> Option<u64> {
        let holds = |page: &&Page| page.is_closed() && page.units.iter().any(|unit| unit.lpn == lpn);
        let page = self.table.iter().find(holds)?;
        page.units.first().map(|unit| unit.lpn)
    }

    /// How far closing has come.
    pub(super) const fn mark(&self) -> FlushMark {
        FlushMark(self.closed)
    }

    /// Whether every page that was closed up to a mark is on flash.
    pub(super) fn is_written(&self, mark: FlushMark) -> bool {
        let waits = |page: &Page| page.is_closed() && page.closed <= mark.0;
        !self.table.iter().any(waits)
    }
}
