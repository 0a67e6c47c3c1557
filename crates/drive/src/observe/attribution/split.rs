//! What an operation waited for, split by who held what, and the clocks of what it takes now.

use wordline_ftl::Work;
use wordline_metrics::{Array, Holder, Part};
use wordline_nand::DieId;
use wordline_units::SimTime;

use super::accounts::{Account, Segments, push_segment};
use super::clocks::Times;
use super::{holder, work_part};
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{Kind, NONE, Op, OpId, transferred_at};
use crate::table::Table;

/// What a command is to the operations that wait for it.
pub(crate) struct Issue<'a> {
    pub(crate) kind: Kind,
    /// Its operations, and for each whether it waited in a queue of its unit.
    pub(crate) members: &'a [OpId],
    pub(crate) waited_in_unit: &'a [bool],
    pub(crate) arrays: &'a [Array],
    pub(crate) bus_to: SimTime,
    /// Whether it leaves the channel alone.
    pub(crate) in_package: bool,
}

impl<F: Features> Observer<F> {
    /// A command was issued: charges what its operations waited for and what they do until their
    /// arrays are done, and sets the clocks of what the command holds.
    pub(crate) fn account_for(&mut self, now: SimTime, issue: &Issue<'_>, ops: &Table<Op>) {
        for (&id, &waited_in_unit) in issue.members.iter().zip(issue.waited_in_unit) {
            let op = &ops[id];
            if op.account != NONE {
                self.charge_wait(now, op, waited_in_unit);
                self.charge_work(op, issue.arrays, issue.bus_to, op.acknowledges_transfer);
            }
        }
        self.take_units(now, issue.kind, issue.members, ops);
        if let Some(&id) = issue.members.first()
            && !issue.in_package
        {
            self.take_channel(now, &ops[id], issue.kind, issue.bus_to);
        }
    }

    /// Charges the wait in a queue of a unit, or in one of several units.
    fn charge_wait(&mut self, now: SimTime, op: &Op, waited_in_unit: bool) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let (unit, channel) = attribution.place_of(op.die);
        let whole = now.since(attribution.accounts[op.account].until).ns();
        if whole == 0 {
            return;
        }
        let is_read = op.kind() == Some(Kind::Read);
        let lacking = match is_read {
            true => 0,
            false => attribution.power.read(now) - attribution.accounts[op.account].lacking_then,
        };
        let rest = if is_read { Part::Order } else { Part::Space };
        let first = class_of(op);
        if waited_in_unit {
            let own = attribution
                .family_of(op.owner)
                .map_or([0; 2], |family| family.read(unit, channel, now));
            let account = &mut attribution.accounts[op.account];
            let clock = &attribution.channels[channel];
            attribution.units[unit].difference_into(clock, now, &mut account.then);
            let own: [u64; 2] =
                std::array::from_fn(|index| own[index].saturating_sub(account.own_then[index]));
            let Account { segments, then, .. } = account;
            let mut left = push_times(segments, &then.held, own[0], first, Part::Die, whole);
            left = push_times(segments, &then.channel, own[1], first, Part::Channel, left);
            let lacking = lacking.min(left);
            account.push(Part::PowerLimit, lacking);
            account.push(rest, left - lacking);
            account.until = now;
        } else {
            let units = attribution.units.len() as u64;
            let channels = attribution.channels.len() as u64;
            let passed = attribution.drive.read(now);
            let account = &mut attribution.accounts[op.account];
            let passed = passed.since(&account.then);
            // any unit would have done, had there been power
            let lacking = lacking.min(whole);
            account.push(Part::PowerLimit, lacking);
            // of the rest, shares of what all units and channels did meanwhile
            let mut left = account.push_shares(&passed.held, units, whole, whole - lacking, Part::Die);
            left = account.push_shares(&passed.channel, channels, whole, left, Part::Channel);
            account.push(rest, left);
            account.until = now;
        }
    }

    /// Charges the bus step and the array step.
    fn charge_work(&mut self, op: &Op, arrays: &[Array], bus_to: SimTime, ends_with_transfer: bool) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let (unit, _) = attribution.place_of(op.die);
        let before = attribution.units[unit].holder();
        let account = &mut attribution.accounts[op.account];
        let array = arrays.iter().find(|array| array.die == op.die);
        let transfer = work_part(op, Part::Transfer);
        account.charge(transfer, transferred_at(array, bus_to));
        if ends_with_transfer {
            return;
        }
        if let Some(&Array { from, to, .. }) = array {
            // with cached registers the array may still work for the operation before
            let waits = before.map_or(transfer, Part::Die);
            account.charge(waits, from);
            account.charge(work_part(op, Part::Array), to);
        }
    }

    /// A command holds its units from now on.
    pub(super) fn take_units(&mut self, now: SimTime, kind: Kind, members: &[OpId], ops: &Table<Op>) {
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let mut last = usize::MAX;
        for &id in members {
            let op = &ops[id];
            let (unit, channel) = attribution.place_of(op.die);
            if unit == last {
                continue;
            }
            last = unit;
            let holder = holder(op, kind);
            attribution.leave_unit(unit, now);
            attribution.units[unit].take(holder, &attribution.channels[channel], now);
            attribution.drive.taken(holder.index(), now);
            if let Some((number, family)) = attribution.family_to_tell(op.owner) {
                family.take_unit(unit, now);
                attribution.unit_family[unit] = number;
            }
        }
    }

    /// The bus is an operation's until `to`.
    #[inline]
    pub(crate) fn take_channel(&mut self, now: SimTime, op: &Op, kind: Kind, to: SimTime) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.take_channel(now, op, kind, to);
        }
    }

    /// Data go over the bus until `to`: charges the wait for it and the transfer.
    #[inline]
    pub(crate) fn data_on_bus(&mut self, now: SimTime, op: &Op, to: SimTime) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.data_on_bus(now, op, to);
        }
    }

    /// A die was released, the last busy one of its unit: the unit is free now.
    #[inline]
    pub(crate) fn unit_released(&mut self, now: SimTime, die: DieId) {
        if let Some(attribution) = self.attribution.as_mut() {
            attribution.release_unit(now, die);
        }
    }

    /// An operation that is no flash command is done: its time was the controller's.
    pub(crate) fn charge_controller(&mut self, now: SimTime, op: &Op) {
        match op.step.work {
            Work::Compute { .. } | Work::Local { .. } => self.charge(op.account, Part::Firmware, now),
            Work::Read { .. } if op.kind().is_none() => self.charge(op.account, Part::Memory, now),
            Work::HostMemory { .. } => self.charge(op.account, work_part(op, Part::Link), now),
            _ => {}
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
    /// See [`Observer::take_channel`].
    fn take_channel(&mut self, now: SimTime, op: &Op, kind: Kind, to: SimTime) {
        let (_, channel) = self.place_of(op.die);
        let holder = holder(op, kind);
        self.channels[channel].take(holder, now, to);
        self.drive.channel.add(holder.index(), to.since(now).ns());
        if let Some((_, family)) = self.family_to_tell(op.owner) {
            family.take_channel(channel, now, to);
        }
    }

    /// See [`Observer::data_on_bus`].
    fn data_on_bus(&mut self, now: SimTime, op: &Op, to: SimTime) {
        let Some(kind) = op.kind() else { return };
        if let Some(account) = self.accounts.get(op.account) {
            let whole = now.since(account.until).ns();
            if whole > 0 {
                self.charge_wait_for_bus(now, op, whole);
            }
            self.accounts[op.account].charge(work_part(op, Part::Transfer), to);
        }
        self.take_channel(now, op, kind, to);
    }

    /// Charges a wait of `whole` for the bus.
    fn charge_wait_for_bus(&mut self, now: SimTime, op: &Op, whole: u64) {
        let (unit, channel) = self.place_of(op.die);
        let own = self
            .family_of(op.owner)
            .map_or(0, |family| family.read(unit, channel, now)[1]);
        let account = &mut self.accounts[op.account];
        let own = own.saturating_sub(account.own_then[1]);
        let Account { segments, then, .. } = account;
        self.channels[channel].difference_into(now, &mut then.channel);
        let left = push_times(segments, &then.channel, own, class_of(op), Part::Channel, whole);
        account.push(Part::Order, left);
        account.until = now;
    }

    /// See [`Observer::unit_released`].
    fn release_unit(&mut self, now: SimTime, die: DieId) {
        let (unit, channel) = self.place_of(die);
        self.leave_unit(unit, now);
        self.units[unit].free(&self.channels[channel], now);
    }

    /// Whoever held a unit holds it no longer.
    fn leave_unit(&mut self, unit: usize, now: SimTime) {
        if let Some(held) = self.units[unit].held_since() {
            self.drive.freed(held, now);
        }
        let family = self.unit_family[unit];
        if family == NONE {
            return;
        }
        self.unit_family[unit] = NONE;
        if let Some(family) = self.families.get_mut(family as usize) {
            family.free_unit(unit, now);
        }
    }
}

impl Account {
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
        for (holder, ns) in times.iter() {
            let share = u128::from(ns) * u128::from(whole) / all.max(1);
            let ns = left.min(share as u64);
            self.push(part(holder), ns);
            left -= ns;
        }
        left
    }
}

/// Charges times by holder, at most `most` in all; `own` of the host's, of `first` before the other, are
/// a sibling's. Tells what is left of `most`.
fn push_times(
    segments: &mut Segments,
    times: &Times,
    own: u64,
    first: Holder,
    part: fn(Holder) -> Part,
    most: u64,
) -> u64 {
    if most == 0 {
        return 0;
    }
    let mut left = most;
    let mut push = |holder: Holder, ns: u64| {
        let ns = ns.min(left);
        push_segment(segments, part(holder), ns);
        left -= ns;
    };
    if own == 0 {
        times.iter().for_each(|(holder, ns)| push(holder, ns));
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
        siblings += times.take(holder, own - siblings);
    }
    times.iter().for_each(|(holder, ns)| push(holder, ns));
    push(Holder::Sibling, siblings);
    left
}
