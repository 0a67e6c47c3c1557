//! Where the response time of every request went.
//!
//! Each piece of a request has an *account*: how its time from arrival to now was spent, charged
//! stretch by stretch, so that nothing is left over by construction. A piece that becomes flash
//! operations hands its account on; the operation that a request waited for last settles it. What an
//! operation waited for is read off clocks that say how long each unit and channel was held by whom.

mod clocks;
mod family;
mod split;
mod suspended;

use slab::Slab;
use smallvec::SmallVec;
use wordline_ftl::Cause;
use wordline_metrics::{Holder, Part, Segment};
use wordline_units::SimTime;

use crate::drive::Drive;
use crate::host::Request;
use crate::operation::{Kind, NONE, Op, OpId, Owner};
use crate::table::Table;
use clocks::{ChannelClock, DriveClock, Reading, UnitClock};
use family::Family;

/// How the time of a piece was spent so far.
#[derive(Clone, Debug)]
struct Account {
    segments: SmallVec<[Segment; 10]>,
    /// Charged up to here.
    until: SimTime,
    /// The clocks when its operation began to wait.
    then: Reading,
    /// Times that the request itself had held the unit and the channel by then.
    own_then: [u64; 2],
}

impl Account {
    fn new(arrival: SimTime) -> Self {
        Self {
            segments: SmallVec::new(),
            until: arrival,
            then: Reading::default(),
            own_then: [0; 2],
        }
    }

    /// Charges the time up to `to`, if there is any.
    fn charge(&mut self, part: Part, to: SimTime) {
        let ns = to.since(self.until).ns();
        self.push(part, ns);
        self.until = self.until.max(to);
    }

    fn push(&mut self, part: Part, ns: u64) {
        if ns > 0 {
            self.segments.push(Segment { part, ns });
        }
    }
}

/// The accounts of a run, and the clocks.
#[derive(Debug)]
pub(crate) struct Attribution {
    accounts: Slab<Account>,
    families: Slab<Family>,
    units: Vec<UnitClock>,
    /// The family that holds each unit.
    unit_family: Vec<u32>,
    channels: Vec<ChannelClock>,
    drive: DriveClock,
}

impl Attribution {
    pub(crate) fn new(units: usize, channels: usize) -> Self {
        Self {
            accounts: Slab::new(),
            families: Slab::new(),
            units: vec![UnitClock::default(); units],
            unit_family: vec![NONE; units],
            channels: vec![ChannelClock::default(); channels],
            drive: DriveClock::default(),
        }
    }

    /// Whether every account was settled.
    pub(crate) fn is_settled(&self) -> bool {
        self.accounts.is_empty() && self.families.is_empty()
    }

    /// Charges the time of an account up to `to`.
    fn charge(&mut self, account: u32, part: Part, to: SimTime) {
        if let Some(account) = self.accounts.get_mut(account as usize) {
            account.charge(part, to);
        }
    }

    fn copy(&mut self, account: u32) -> u32 {
        match self.accounts.get(account as usize) {
            None => NONE,
            Some(account) => {
                let account = account.clone();
                self.accounts.insert(account) as u32
            }
        }
    }

    fn drop_account(&mut self, account: u32) {
        self.accounts.try_remove(account as usize);
    }
}

/// The holder that an operation is to others.
fn holder(op: &Op, kind: Kind) -> Holder {
    Holder::of(op.step.cause, kind.into(), !op.step.acknowledges)
}

impl Drive {
    /// Opens the account of a piece of a request that was admitted: its time before that.
    pub(crate) fn open_account(&mut self, request: u32) -> u32 {
        let Some(attribution) = &mut self.attribution else {
            return NONE;
        };
        let account = before_admission(&self.requests[request]);
        attribution.accounts.insert(account) as u32
    }

    /// A request of several pages, whose operations may stand in each other's way.
    pub(crate) fn found_family(&mut self, request: u32) {
        if let Some(attribution) = &mut self.attribution {
            let family = attribution.families.insert(Family::default());
            self.requests[request].family = family as u32;
        }
    }

    /// All operations of a request are done.
    pub(crate) fn part_family(&mut self, family: u32) {
        if let Some(attribution) = &mut self.attribution {
            attribution.families.try_remove(family as usize);
        }
    }

    /// Nothing waits for what this account tells.
    pub(crate) fn drop_account(&mut self, account: u32) {
        if let Some(attribution) = &mut self.attribution {
            attribution.drop_account(account);
        }
    }

    /// Charges the time of an account up to `to`, a moment that may be yet to come.
    pub(crate) fn charge(&mut self, account: u32, part: Part, to: SimTime) {
        if let Some(attribution) = &mut self.attribution {
            attribution.charge(account, part, to);
        }
    }

    /// Charges firmware work of `cycles` that is done at `done`: what is longer is waiting for a core.
    pub(crate) fn charge_firmware(&mut self, account: u32, cycles: u32, done: SimTime) {
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let Some(account) = attribution.accounts.get_mut(account as usize) else {
            return;
        };
        let delay = done.since(account.until).ns();
        let work = self.firmware.time_of(cycles).ns().min(delay);
        account.push(Part::FirmwareWait, delay - work);
        account.push(Part::Firmware, work);
        account.until = account.until.max(done);
    }

    /// The first account of a plan's steps, and copies of it for the others: `left` steps are to come.
    pub(crate) fn hand_on(&mut self, account: u32, left: usize) -> u32 {
        match &mut self.attribution {
            Some(attribution) if left > 0 => attribution.copy(account),
            _ => account,
        }
    }

    /// A step was set free by another one: its time before is that one's.
    pub(crate) fn inherit(&mut self, op: OpId, from: u32) {
        let to = self.ops[op].account;
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        if from == NONE || to == NONE {
            return;
        }
        if let Some((from, to)) = attribution.accounts.get2_mut(from as usize, to as usize) {
            to.segments.clone_from(&from.segments);
            to.until = from.until;
        }
    }

    /// A piece of a request is done with, or goes where no account follows: the latest account is
    /// the one that the request waited for.
    pub(crate) fn settle_account(&mut self, request: u32, account: u32) {
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let Some(until) = attribution
            .accounts
            .get(account as usize)
            .map(|account| account.until)
        else {
            return;
        };
        let critical = &mut self.requests[request].critical;
        let before = attribution.accounts.get(*critical as usize);
        let dropped = if before.is_none_or(|before| before.until <= until) {
            std::mem::replace(critical, account)
        } else {
            account
        };
        attribution.drop_account(dropped);
    }

    /// All that a request waited for is done: what no account followed was the buffer's.
    pub(crate) fn close_account(&mut self, request: u32) {
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let entry = &mut self.requests[request];
        if attribution.accounts.get(entry.critical as usize).is_none() {
            entry.critical = attribution.accounts.insert(before_admission(entry)) as u32;
        }
        let account = &mut attribution.accounts[entry.critical as usize];
        let rest = self.now.since(account.until).ns();
        let access = self.memory_access.ns().min(rest);
        account.push(Part::BufferWait, rest - access);
        account.push(Part::Memory, access);
        account.until = account.until.max(self.now);
    }

    /// The parts of a completed request, and the end of its accounts.
    pub(crate) fn take_account(&mut self, account: u32) -> SmallVec<[Segment; 10]> {
        self.attribution
            .as_mut()
            .and_then(|attribution| attribution.accounts.try_remove(account as usize))
            .map(|account| account.segments)
            .unwrap_or_default()
    }

    /// An operation is in its queue: reads the clocks of what it will wait for.
    pub(crate) fn begin_wait(&mut self, id: OpId) {
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let op = &self.ops[id];
        if op.account == NONE || op.queue == NONE {
            return;
        }
        let own = own_time(attribution, &self.requests, op.owner);
        let queue = op.queue as usize;
        if queue < self.flash.drive_queue() {
            let unit = queue / crate::scheduler::CLASSES;
            let channel = self.flash.channel_of_unit(unit);
            let own = own.map_or([0; 2], |family| family.read(unit, channel, self.now));
            let account = &mut attribution.accounts[op.account as usize];
            let clock = &attribution.channels[channel];
            attribution.units[unit].read_into(clock, self.now, &mut account.then);
            account.own_then = own;
        } else {
            attribution.accounts[op.account as usize].then = attribution.drive.read(self.now);
        }
    }

    /// The data of a read wait for the bus: what passed since the array was done was another die's
    /// or register's.
    pub(crate) fn begin_wait_for_bus(&mut self, id: OpId) {
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let op = &self.ops[id];
        let channel = self.flash.geometry.channel_of(op.die).index();
        let unit = self.flash.unit_of(op.die);
        let own = own_time(attribution, &self.requests, op.owner)
            .map_or([0; 2], |family| family.read(unit, channel, self.now));
        if let Some(account) = attribution.accounts.get_mut(op.account as usize) {
            account.charge(Part::Die(holder(op, Kind::Read)), self.now);
            account.then.channel = attribution.channels[channel].read(self.now);
            account.own_then = own;
        }
    }
}

/// The time of a request before its admission.
fn before_admission(request: &Request) -> Account {
    let mut account = Account::new(request.command.arrival);
    let whole = request.admitted.since(request.command.arrival).ns();
    let link = request.fetch_ns.min(whole);
    account.push(Part::HostQueue, whole - link);
    account.push(Part::Link, link);
    account.until = request.admitted;
    account
}

/// The family of an operation's request, where it has one.
fn own_time<'a>(attribution: &'a Attribution, requests: &Table<Request>, owner: Owner) -> Option<&'a Family> {
    let Owner::Request(request) = owner else {
        return None;
    };
    let family = requests.get(request)?.family;
    attribution.families.get(family as usize)
}

/// The part that the work of an operation itself is charged to.
fn work_part(op: &Op, part: Part) -> Part {
    match op.step.cause {
        _ if op.sensing.is_retry() => Part::Ecc,
        Cause::Mapping | Cause::Metadata => Part::MappingRead,
        _ if op.kind() == Some(Kind::Read) && !op.step.acknowledges => Part::UpdateRead,
        _ => part,
    }
}
