//! The accounts of suspended operations.

use wordline_metrics::Part;
use wordline_units::SimTime;

use super::accounts::Account;
use super::leaving::{Leaving, Returning};
use super::work_part;
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{NONE, Op};
use crate::table::Table;

impl Account {
    /// Takes back what was charged beyond `to`.
    fn retract(&mut self, to: SimTime) {
        while self.until > to
            && let Some(last) = self.segments.last_mut()
        {
            let beyond = self.until.since(to).ns().min(last.ns);
            last.ns -= beyond;
            self.until = SimTime(self.until.ns() - beyond);
            if last.ns == 0 {
                self.segments.pop();
            }
        }
    }
}

impl<F: Features> Observer<F> {
    /// An operation has left the array, where it was since `since` and did `worked` of its own work;
    /// the rest was for its suspension. The array was charged for the whole of it.
    pub(in crate::observe) fn leave_account(&mut self, now: SimTime, away: &Leaving, ops: &Table<Op>) {
        let Leaving { first, since, worked } = *away;
        let Some(attribution) = self.attribution.as_mut() else {
            return;
        };
        let mut id = first;
        while id != NONE {
            let op = &ops[id];
            if let Some(account) = attribution.accounts.get_mut(op.account) {
                account.retract(since);
                let whole = now.since(account.until).ns();
                let worked = worked.ns().min(whole);
                account.push(work_part(op, Part::Array), worked);
                account.push(Part::SuspensionOverhead, whole - worked);
                account.until = account.until.max(now);
            }
            id = op.next;
        }
    }

    /// An operation is back in the array until `end`, `left` of which is its own work.
    pub(in crate::observe) fn return_account(&mut self, now: SimTime, back: &Returning, ops: &Table<Op>) {
        let Returning {
            first,
            kind,
            end,
            left,
        } = *back;
        if let Some(attribution) = self.attribution.as_mut() {
            let mut id = first;
            while id != NONE {
                let op = &ops[id];
                if let Some(account) = attribution.accounts.get_mut(op.account) {
                    account.charge(Part::Suspended, now);
                    let whole = end.since(now).ns();
                    let left = left.ns().min(whole);
                    account.push(Part::SuspensionOverhead, whole - left);
                    account.push(work_part(op, Part::Array), left);
                    account.until = account.until.max(end);
                }
                id = op.next;
            }
        }
        self.take_units(now, kind, &[first], ops);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_charged_ahead_is_taken_back() {
        let mut account = Account::default();
        account.charge(Part::Transfer, SimTime(40));
        account.charge(Part::Array, SimTime(700));
        account.retract(SimTime(90));
        assert_eq!((account.until, account.segments.len()), (SimTime(90), 2));
        account.retract(SimTime(40));
        assert_eq!((account.until, account.segments.len()), (SimTime(40), 1));
        account.retract(SimTime(40));
        assert_eq!(account.segments.len(), 1);
    }
}
