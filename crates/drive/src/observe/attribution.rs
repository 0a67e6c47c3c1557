//! Where the response time of every request went.
//!
//! Each piece of a request has an *account*: how its time from arrival to now was spent, charged
//! stretch by stretch, so that nothing is left over by construction. A piece that becomes flash
//! operations hands its account on; the operation that a request waited for last settles it. What an
//! operation waited for is read off clocks that say how long each unit and channel was held by whom.

mod accounts;
mod buffer_waits;
mod charging;
mod clocks;
mod family;
mod leaving;
mod power;
mod split;
mod suspended;
mod write_backs;

pub(crate) use leaving::{Leaving, Returning};
pub(crate) use split::Issue;

use slab::Slab;
use wordline_ftl::Cause;
use wordline_metrics::{Holder, Part, Segment};
use wordline_nand::{DieId, Geometry};
use wordline_units::SimTime;

use crate::operation::{Kind, NONE, Op, Owner};
use accounts::Accounts;
use clocks::{ChannelClock, DriveClock, UnitClock};
use family::Family;
use power::PowerClock;
use write_backs::WriteBacks;

/// The accounts of a run, and the clocks.
#[derive(Debug)]
pub(crate) struct Attribution {
    accounts: Accounts,
    families: Slab<Family>,
    units: Vec<UnitClock>,
    /// The family that holds each unit.
    unit_family: Vec<u32>,
    channels: Vec<ChannelClock>,
    drive: DriveClock,
    /// The unit and channel of each die, and the channel of each unit.
    places: Vec<(u32, u32)>,
    channel_of: Vec<u32>,
    /// Accounts of the requests in the drive, by their numbers there.
    requests: Vec<RequestAccounts>,
    write_backs: WriteBacks,
    power: PowerClock,
}

/// What is known of a request.
#[derive(Clone, Copy, Debug)]
struct RequestAccounts {
    /// Account of the piece that was done last.
    critical: u32,
    /// Its operations as they see each other, where it has several pages.
    family: u32,
}

/// A request that is unknown.
const UNKNOWN: RequestAccounts = RequestAccounts {
    critical: NONE,
    family: NONE,
};

/// How a request came into the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub(crate) arrival: SimTime,
    pub(crate) admitted: SimTime,
    /// Time from the doorbell to the end of the fetch, ns.
    pub(crate) fetch_ns: u64,
    /// Time from there to admission for which it was held back, ns.
    pub(crate) held_ns: u64,
    /// The same while the drive woke up from an idle state, ns.
    pub(crate) woke_ns: u64,
    /// Time from admission to the first step, ns.
    pub(crate) controller_ns: u64,
}

impl Attribution {
    /// For a drive whose units have so many dies.
    pub(super) fn new(geometry: &Geometry, dies_per_unit: u32) -> Self {
        let units = geometry.dies() / dies_per_unit;
        let channel_of = |unit| geometry.channel_of(DieId(unit * dies_per_unit)).0;
        Self {
            accounts: Accounts::default(),
            families: Slab::new(),
            units: vec![UnitClock::default(); units as usize],
            unit_family: vec![NONE; units as usize],
            channels: vec![ChannelClock::default(); geometry.channels as usize],
            drive: DriveClock::default(),
            places: (0..geometry.dies())
                .map(|die| (die / dies_per_unit, channel_of(die / dies_per_unit)))
                .collect(),
            channel_of: (0..units).map(channel_of).collect(),
            requests: Vec::new(),
            write_backs: WriteBacks::default(),
            power: PowerClock::default(),
        }
    }

    /// Whether every account was settled.
    fn is_settled(&self) -> bool {
        self.accounts.is_empty() && self.families.is_empty()
    }

    /// Unit and channel of a die.
    #[inline]
    fn place_of(&self, die: DieId) -> (usize, usize) {
        let (unit, channel) = self.places[die.index()];
        (unit as usize, channel as usize)
    }

    /// What is known of a request; of one that is not in the drive nothing is.
    #[inline]
    fn request(&self, request: u32) -> RequestAccounts {
        self.requests.get(request as usize).copied().unwrap_or(UNKNOWN)
    }

    /// What is known of a request, to be changed.
    fn request_mut(&mut self, request: u32) -> &mut RequestAccounts {
        let index = request as usize;
        if index >= self.requests.len() {
            self.requests.resize(index + 1, UNKNOWN);
        }
        &mut self.requests[index]
    }

    /// The family of an operation's request, where it has one.
    #[inline]
    fn family_of(&self, owner: Owner) -> Option<&Family> {
        if self.families.is_empty() {
            return None;
        }
        let Owner::Request(request) = owner else {
            return None;
        };
        self.families.get(self.request(request).family as usize)
    }

    /// The same with its number, to be told of what the operation holds.
    #[inline]
    fn family_to_tell(&mut self, owner: Owner) -> Option<(u32, &mut Family)> {
        if self.families.is_empty() {
            return None;
        }
        let Owner::Request(request) = owner else {
            return None;
        };
        let number = self.request(request).family;
        Some((number, self.families.get_mut(number as usize)?))
    }

    /// Charges the time of an account up to `to`.
    #[inline]
    fn charge(&mut self, account: u32, part: Part, to: SimTime) {
        if let Some(account) = self.accounts.get_mut(account) {
            account.charge(part, to);
        }
    }

    /// Opens an account with the time of a request before its first step.
    fn open(&mut self, request: &Admission) -> u32 {
        let number = self.accounts.open(request.arrival);
        let whole = request.admitted.since(request.arrival).ns();
        let held = request.held_ns.min(whole);
        let woke = request.woke_ns.min(whole - held);
        let link = request.fetch_ns.min(whole - held - woke);
        let account = &mut self.accounts[number];
        account.push(Part::HostQueue, whole - held - woke - link);
        account.push(Part::Link, link);
        account.push(Part::Wake, woke);
        account.push(Part::Throttle, held);
        account.push(Part::Controller, request.controller_ns);
        account.until = SimTime(request.admitted.ns() + request.controller_ns);
        number
    }

    /// The parts of the response time of a completed request.
    #[inline]
    pub(super) fn parts(&self, request: u32) -> &[Segment] {
        let account = self.accounts.get(self.request(request).critical);
        account.map_or(&[], |account| &account.segments)
    }

    fn copy(&mut self, account: u32) -> u32 {
        self.accounts.open_copy(account).unwrap_or(NONE)
    }

    fn drop_account(&mut self, account: u32) {
        self.accounts.close(account);
    }
}

/// The holder that an operation is to others.
fn holder(op: &Op, kind: Kind) -> Holder {
    Holder::of(op.step.cause, kind.into(), !op.step.acknowledges)
}

impl Attribution {
    /// See [`Observer::settle_account`].
    fn settle(&mut self, request: u32, account: u32) {
        let Some(until) = self.accounts.get(account).map(|account| account.until) else {
            return;
        };
        let critical = self.request(request).critical;
        let is_later = match self.accounts.get(critical) {
            None => return self.request_mut(request).critical = account,
            Some(before) => before.until <= until,
        };
        let dropped = if is_later {
            std::mem::replace(&mut self.request_mut(request).critical, account)
        } else {
            account
        };
        self.drop_account(dropped);
    }

    /// See [`Observer::begin_wait_for_bus`].
    fn begin_wait_for_bus(&mut self, now: SimTime, op: &Op) {
        let (unit, channel) = self.place_of(op.die);
        let own = self
            .family_of(op.owner)
            .map_or([0; 2], |family| family.read(unit, channel, now));
        if let Some(account) = self.accounts.get_mut(op.account) {
            account.charge(Part::Die(holder(op, Kind::Read)), now);
            account.then.channel = self.channels[channel].read(now);
            account.own_then = own;
        }
    }
}

/// The part that the work of an operation itself is charged to.
pub(super) fn work_part(op: &Op, part: Part) -> Part {
    match op.step.cause {
        _ if op.sensing.is_retry() => Part::Ecc,
        Cause::Mapping | Cause::Metadata => Part::MappingRead,
        _ if op.kind() == Some(Kind::Read) && !op.step.acknowledges => Part::UpdateRead,
        _ => part,
    }
}
