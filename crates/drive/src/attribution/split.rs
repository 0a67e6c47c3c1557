//! What an operation waited for, split by who held what, and the clocks of what it takes now.

use wordline_ftl::Work;
use wordline_metrics::{Array, Holder, Part};
use wordline_nand::DieId;
use wordline_units::SimTime;

use super::clocks::{Times, difference};
use super::{Account, holder, own_time, work_part};
use crate::drive::Drive;
use crate::operation::{Kind, NONE, Op, OpId, Owner};
use crate::scheduler::issue::transferred_at;

impl Drive {
    /// A command was issued: charges what its operations waited for and what they do until their
    /// arrays are done, and sets the clocks of what the command holds.
    pub(crate) fn command_issued(
        &mut self,
        kind: Kind,
        members: &[OpId],
        queues: &[u32],
        arrays: &[Array],
        bus_to: SimTime,
    ) {
        for (&id, &queue) in members.iter().zip(queues) {
            if self.ops[id].account != NONE {
                self.charge_wait(id, queue);
                self.charge_work(id, arrays, bus_to);
            }
        }
        self.set_clocks(kind, members, bus_to);
    }

    /// Charges the wait in a queue of a unit, or in one of several units.
    fn charge_wait(&mut self, id: OpId, queue: u32) {
        let now = self.now;
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let op = &self.ops[id];
        let unit = self.flash.unit_of(op.die);
        let channel = self.flash.channel_of_unit(unit);
        let whole = now.since(attribution.accounts[op.account as usize].until).ns();
        if whole == 0 {
            return;
        }
        let is_read = op.kind() == Some(Kind::Read);
        let rest = if is_read { Part::Order } else { Part::Space };
        let first = class_of(op);
        if (queue as usize) < self.flash.drive_queue() {
            let own = own_time(attribution, &self.requests, op.owner)
                .map_or([0; 2], |family| family.read(unit, channel, now));
            let account = &mut attribution.accounts[op.account as usize];
            let clock = &attribution.channels[channel];
            attribution.units[unit].difference_into(clock, now, &mut account.then);
            let own: [u64; 2] =
                std::array::from_fn(|index| own[index].saturating_sub(account.own_then[index]));
            let passed = account.then;
            let mut left = account.push_times(&passed.held, own[0], first, Part::Die, whole);
            left = account.push_times(&passed.channel, own[1], first, Part::Channel, left);
            account.push(rest, left);
            account.until = now;
        } else {
            let units = self.flash.units.len() as u64;
            let channels = self.flash.channels.len() as u64;
            let passed = attribution.drive.read(now);
            let account = &mut attribution.accounts[op.account as usize];
            let passed = passed.since(&account.then);
            // shares of what all units and channels did meanwhile
            let mut left = account.push_shares(&passed.held, units, whole, whole, Part::Die);
            left = account.push_shares(&passed.channel, channels, whole, left, Part::Channel);
            account.push(rest, left);
            account.until = now;
        }
    }

    /// Charges the bus step and the array step.
    fn charge_work(&mut self, id: OpId, arrays: &[Array], bus_to: SimTime) {
        let ends_with_transfer = self.acknowledges_transfer(&self.ops[id]);
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let op = &self.ops[id];
        let unit = self.flash.unit_of(op.die);
        let before = attribution.units[unit].holder();
        let account = &mut attribution.accounts[op.account as usize];
        account.charge(
            work_part(op, Part::Transfer),
            transferred_at(op.die, arrays, bus_to),
        );
        if ends_with_transfer {
            return;
        }
        let array = arrays.iter().find(|array| array.die == op.die);
        if let Some(&Array { from, to, .. }) = array {
            // with cached registers the array may still work for the operation before
            let waits = before.map_or(work_part(op, Part::Transfer), Part::Die);
            account.charge(waits, from);
            account.charge(work_part(op, Part::Array), to);
        }
    }

    /// A command holds its units and the channel from now on.
    fn set_clocks(&mut self, kind: Kind, members: &[OpId], bus_to: SimTime) {
        self.take_units(kind, members);
        if let Some(&id) = members.first() {
            self.take_channel(id, kind, bus_to);
        }
    }

    /// A command holds its units from now on.
    pub(crate) fn take_units(&mut self, kind: Kind, members: &[OpId]) {
        let now = self.now;
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let mut last = usize::MAX;
        for &id in members {
            let op = &self.ops[id];
            let unit = self.flash.unit_of(op.die);
            if unit == last {
                continue;
            }
            last = unit;
            let channel = self.flash.channel_of_unit(unit);
            let holder = holder(op, kind);
            attribution.leave_unit(unit, now);
            attribution.units[unit].take(holder, &attribution.channels[channel], now);
            attribution.drive.taken(holder.index(), now);
            let Owner::Request(request) = op.owner else {
                continue;
            };
            let Some(family) = self.requests.get(request).map(|request| request.family) else {
                continue;
            };
            if let Some(entry) = attribution.families.get_mut(family as usize) {
                entry.take_unit(unit, now);
                attribution.unit_family[unit] = family;
            }
        }
    }

    /// The bus is an operation's until `to`.
    pub(crate) fn take_channel(&mut self, id: OpId, kind: Kind, to: SimTime) {
        let now = self.now;
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let op = &self.ops[id];
        let channel = self.flash.geometry.channel_of(op.die).index();
        let holder = holder(op, kind);
        attribution.channels[channel].take(holder, now, to);
        attribution.drive.channel[holder.index()] += to.since(now).ns();
        if let Owner::Request(request) = op.owner
            && let Some(request) = self.requests.get(request)
            && let Some(family) = attribution.families.get_mut(request.family as usize)
        {
            family.take_channel(channel, now, to);
        }
    }

    /// Data go over the bus until `to`: charges the wait for it and the transfer.
    pub(crate) fn data_on_bus(&mut self, id: OpId, to: SimTime) {
        let now = self.now;
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let op = &self.ops[id];
        let Some(kind) = op.kind() else { return };
        let channel = self.flash.geometry.channel_of(op.die).index();
        let unit = self.flash.unit_of(op.die);
        let own = own_time(attribution, &self.requests, op.owner)
            .map_or(0, |family| family.read(unit, channel, now)[1]);
        let reading = attribution.channels[channel].read(now);
        if let Some(account) = attribution.accounts.get_mut(op.account as usize) {
            let whole = now.since(account.until).ns();
            let passed = difference(&reading, &account.then.channel);
            let first = class_of(op);
            let own = own.saturating_sub(account.own_then[1]);
            let left = account.push_times(&passed, own, first, Part::Channel, whole);
            account.push(Part::Order, left);
            account.until = account.until.max(now);
            account.charge(work_part(op, Part::Transfer), to);
        }
        self.take_channel(id, kind, to);
    }

    /// A die was released: the clock of its unit, if that is free now.
    pub(crate) fn die_released(&mut self, die: DieId) {
        let now = self.now;
        let Some(attribution) = &mut self.attribution else {
            return;
        };
        let unit = self.flash.unit_of(die);
        if self.flash.units[unit].busy_dies == 0 {
            let channel = self.flash.channel_of_unit(unit);
            attribution.leave_unit(unit, now);
            attribution.units[unit].free(&attribution.channels[channel], now);
        }
    }

    /// An operation that is no flash command is done: its time was the controller's.
    pub(crate) fn charge_controller(&mut self, id: OpId) {
        let op = &self.ops[id];
        if matches!(op.step.work, Work::Compute { .. } | Work::Local { .. }) {
            let (account, now) = (op.account, self.now);
            self.charge(account, Part::Firmware, now);
        }
    }
}

/// What other operations of a request most likely are: of the class of this one.
fn class_of(op: &Op) -> Holder {
    if op.kind() == Some(Kind::Read) && op.step.acknowledges {
        Holder::HostRead
    } else {
        Holder::HostWrite
    }
}

impl super::Attribution {
    /// Whoever held a unit holds it no longer.
    fn leave_unit(&mut self, unit: usize, now: SimTime) {
        if let Some(held) = self.units[unit].held_since() {
            self.drive.freed(held, now);
        }
        let family = std::mem::replace(&mut self.unit_family[unit], NONE);
        if let Some(family) = self.families.get_mut(family as usize) {
            family.free_unit(unit, now);
        }
    }
}

impl Account {
    /// Charges times by holder, at most `most` in all; `own` of the host's, of `first` before the other, are
    /// a sibling's. Tells what is left of `most`.
    fn push_times(
        &mut self,
        times: &Times,
        own: u64,
        first: Holder,
        part: fn(Holder) -> Part,
        most: u64,
    ) -> u64 {
        if most == 0 {
            return 0;
        }
        if own == 0 {
            let mut left = most;
            for (holder, &ns) in Holder::ALL.into_iter().zip(times) {
                if ns > 0 {
                    let ns = ns.min(left);
                    self.push(part(holder), ns);
                    left -= ns;
                }
            }
            return left;
        }
        let mut times = *times;
        let second = if first == Holder::HostRead {
            Holder::HostWrite
        } else {
            Holder::HostRead
        };
        let mut siblings = 0;
        for holder in [first, second] {
            let taken = times[holder.index()].min(own - siblings);
            times[holder.index()] -= taken;
            siblings += taken;
        }
        let mut left = most;
        let all = times.into_iter().chain([siblings]);
        for (holder, ns) in Holder::ALL.into_iter().zip(all) {
            let ns = ns.min(left);
            self.push(part(holder), ns);
            left -= ns;
        }
        left
    }

    /// Charges shares of a wait of `whole` by what `count` resources did in it, at most `most` in all.
    /// Tells what is left of `most`.
    fn push_shares(
        &mut self,
        times: &Times,
        count: u64,
        whole: u64,
        most: u64,
        part: fn(Holder) -> Part,
    ) -> u64 {
        let all = u128::from(count) * u128::from(whole);
        let mut left = most;
        for (holder, ns) in Holder::ALL.into_iter().zip(times) {
            let share = u128::from(*ns) * u128::from(whole) / all.max(1);
            let ns = left.min(share as u64);
            self.push(part(holder), ns);
            left -= ns;
        }
        left
    }
}
