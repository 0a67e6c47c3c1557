//! What the drive says of requests and operations, charged to their accounts.

use wordline_metrics::Part;
use wordline_units::{Duration, SimTime};

use super::family::Family;
use super::{Admission, Attribution, RequestAccounts};
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{NONE, Op};
impl<F: Features> Observer<F> {
    /// Whether response times are divided.
    #[inline]
    pub(crate) fn attributes(&self) -> bool {
        self.attribution.is_some()
    }

    /// Whether every account was settled.
    pub(crate) fn is_settled(&self) -> bool {
        self.attribution.as_ref().is_none_or(Attribution::is_settled)
    }

    /// Opens the account of a piece of a request that begins: its time before that.
    pub(crate) fn open_account(&mut self, admission: &Admission) -> u32 {
        let Some(attribution) = self.attribution.as_mut() else {
            return NONE;
        };
        attribution.open(admission)
    }

    /// A request has several pages, whose operations may stand in each other's way.
    pub(crate) fn has_several_pages(&mut self, request: u32) {
        if let Some(attribution) = self.attribution.as_mut() {
            let family = attribution.families.insert(Family::default());
            attribution.request_mut(request).family = family as u32;
        }
    }

    /// The host has the completion of a command, whose operations are done: what is left of its time was the link's.
    pub(in crate::observe) fn charge_link(&mut self, now: SimTime, request: u32) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let RequestAccounts { critical, family } = attribution.request(request);
        attribution.charge(critical, Part::Link, now);
        if family != NONE {
            attribution.request_mut(request).family = NONE;
            attribution.families.try_remove(family as usize);
        }
    }

    /// Nothing waits for what this account tells.
    #[inline]
    pub(crate) fn drop_account(&mut self, account: u32) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.drop_account(account);
        }
    }

    /// Nothing waits for what the account of a completed command tells.
    pub(crate) fn drop_request(&mut self, request: u32) {
        self.end_account(request);
    }

    /// Charges the time of an account up to `to`, a moment that may be yet to come.
    #[inline]
    pub(crate) fn charge(&mut self, account: u32, part: Part, to: SimTime) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.charge(account, part, to);
        }
    }

    /// Charges firmware work that is done at `done`: what is longer than `work` is waiting for a core.
    pub(crate) fn charge_firmware(&mut self, account: u32, work: Duration, done: SimTime) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let Some(account) = attribution.accounts.get_mut(account) else {
            return;
        };
        let delay = done.since(account.until).ns();
        let work = work.ns().min(delay);
        account.push(Part::FirmwareWait, delay - work);
        account.push(Part::Firmware, work);
        account.until = account.until.max(done);
    }

    /// The same of work for the completion of a request.
    pub(crate) fn charge_completion(&mut self, request: u32, work: Duration, done: SimTime) {
        if let Some(attribution) = self.attribution.as_ref() {
            let account = attribution.request(request).critical;
            self.charge_firmware(account, work, done);
        }
    }

    /// The first account of a plan's steps, and copies of it for the others: `left` steps are to come.
    #[inline]
    pub(crate) fn fork_account(&mut self, account: u32, left: usize) -> u32 {
        match self.attribution.as_mut() {
            Some(attribution) if left > 0 => attribution.copy(account),
            _ => account,
        }
    }

    /// A step was set free by another one: its time before is that one's.
    pub(crate) fn inherit(&mut self, to: u32, from: u32) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        if from == NONE || to == NONE {
            return;
        }
        attribution.accounts.inherit(to, from);
    }

    /// A piece of a request is done with, or goes where no account follows: the latest account is
    /// the one that the request waited for.
    #[inline]
    pub(crate) fn settle_account(&mut self, request: u32, account: u32) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.settle(request, account);
        }
    }

    /// All that a request waited for is done: what no account followed was the buffer's, which takes `memory_access`.
    pub(crate) fn close_account(
        &mut self,
        now: SimTime,
        request: u32,
        admission: &Admission,
        memory_access: Duration,
    ) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let mut critical = attribution.request(request).critical;
        if attribution.accounts.get(critical).is_none() {
            critical = attribution.open(admission);
            attribution.request_mut(request).critical = critical;
        }
        let account = &mut attribution.accounts[critical];
        let rest = now.since(account.until).ns();
        let access = memory_access.ns().min(rest);
        account.push(Part::BufferWait, rest - access);
        account.push(Part::Memory, access);
        account.until = account.until.max(now);
    }

    /// Ends the account of a completed request.
    #[inline]
    pub(in crate::observe) fn end_account(&mut self, request: u32) {
        if let Some(attribution) = self.attribution.as_mut() {
            let critical = std::mem::replace(&mut attribution.request_mut(request).critical, NONE);
            attribution.accounts.close(critical);
        }
    }

    /// An operation is in its queue, that of `unit` or else one of several units: reads the clocks of what it will wait for.
    pub(crate) fn begin_wait(&mut self, now: SimTime, op: &Op, unit: Option<usize>) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        if op.account == NONE || op.queue == NONE {
            return;
        }
        let account = op.account;
        attribution.accounts[account].lacking_then = attribution.power.read(now);
        if let Some(unit) = unit {
            let channel = attribution.channel_of[unit] as usize;
            let own = attribution
                .family_of(op.owner)
                .map(|family| family.read(unit, channel, now));
            let account = &mut attribution.accounts[account];
            let clock = &attribution.channels[channel];
            attribution.units[unit].read_into(clock, now, &mut account.then);
            account.own_then = own.unwrap_or([0; 2]);
        } else {
            attribution.accounts[account].then = attribution.drive.read(now);
        }
    }

    /// Programs and erases are held back from now on for want of power, or no longer.
    pub(crate) fn power_is_lacking(&mut self, now: SimTime, is_lacking: bool) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.power.turn(now, is_lacking);
        }
    }

    /// The data of a read wait for the bus: what passed since the array was done was another die's
    /// or register's.
    #[inline]
    pub(crate) fn begin_wait_for_bus(&mut self, now: SimTime, op: &Op) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.begin_wait_for_bus(now, op);
        }
    }
}
