//! Accounts: how the time of each piece of a request was spent so far.

use std::ops::{Index, IndexMut};

use smallvec::SmallVec;
use wordline_metrics::{Part, Segment};
use wordline_units::SimTime;

use super::clocks::Reading;

/// Stretches of time, one after the other.
pub(super) type Segments = SmallVec<[Segment; 10]>;

/// Adds a stretch of `ns`, if it has any length.
#[inline]
pub(super) fn push_segment(segments: &mut Segments, part: Part, ns: u64) {
    if ns > 0 {
        segments.push(Segment { part, ns });
    }
}

/// How the time of a piece was spent so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    pub(super) segments: Segments,
    /// Charged up to here.
    pub(super) until: SimTime,
    /// The clocks when its operation began to wait, which is where they are read first.
    pub(super) then: Reading,
    /// Times that the request itself had held the unit and the channel by then.
    pub(super) own_then: [u64; 2],
    /// Time for which power was lacking by then, over the whole run, ns.
    pub(super) lacking_then: u64,
    /// Whether it is of a page that the buffer writes back, which may be under way when the run ends.
    pub(super) is_of_write_back: bool,
    is_open: bool,
}

impl Account {
    /// Charges the time up to `to`, if there is any.
    pub(super) fn charge(&mut self, part: Part, to: SimTime) {
        let ns = to.since(self.until).ns();
        self.push(part, ns);
        self.until = self.until.max(to);
    }

    /// Charges `ns`, without moving [`Self::until`].
    pub(super) fn push(&mut self, part: Part, ns: u64) {
        push_segment(&mut self.segments, part, ns);
    }
}

/// The accounts of the pieces in the drive, numbered. An account that is closed keeps its place for the next one: accounts are
/// a few hundred bytes long, and are written where they stay.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    all: Vec<Account>,
    closed: Vec<u32>,
}

impl Accounts {
    /// Opens an account that begins at `arrival`. Tells its number, the one that was given up last if any was.
    pub(super) fn open(&mut self, arrival: SimTime) -> u32 {
        let number = self.closed.pop().unwrap_or_else(|| {
            self.all.push(Account::default());
            (self.all.len() - 1) as u32
        });
        let account = &mut self.all[number as usize];
        account.segments.clear();
        account.until = arrival;
        account.own_then = [0; 2];
        account.lacking_then = 0;
        account.is_of_write_back = false;
        account.is_open = true;
        number
    }

    /// Opens an account like another one; `None` without that.
    pub(super) fn open_copy(&mut self, of: u32) -> Option<u32> {
        let account = self.get(of)?.clone();
        let number = self.open(account.until);
        self.all[number as usize] = account;
        Some(number)
    }

    /// Closes an account, if it is open.
    #[inline]
    pub(super) fn close(&mut self, number: u32) {
        if let Some(account) = self.get_mut(number) {
            account.is_open = false;
            self.closed.push(number);
        }
    }

    /// An account, if it is open.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&Account> {
        self.all.get(number as usize).filter(|account| account.is_open)
    }

    /// The same, to be charged.
    #[inline]
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Account> {
        self.all
            .get_mut(number as usize)
            .filter(|account| account.is_open)
    }

    /// Gives an account the time that another one spent; nothing where either is missing, or both are one.
    pub(super) fn inherit(&mut self, to: u32, from: u32) {
        let Ok([to, from]) = self.all.get_disjoint_mut([to as usize, from as usize]) else {
            return;
        };
        if to.is_open && from.is_open {
            to.segments.clone_from(&from.segments);
            to.until = from.until;
        }
    }

    /// Whether every account of a request was closed.
    pub(super) fn is_empty(&self) -> bool {
        let mut open = self.all.iter().filter(|account| account.is_open);
        open.all(|account| account.is_of_write_back)
    }
}

impl Index<u32> for Accounts {
    type Output = Account;

    fn index(&self, number: u32) -> &Account {
        &self.all[number as usize]
    }
}

impl IndexMut<u32> for Accounts {
    fn index_mut(&mut self, number: u32) -> &mut Account {
        &mut self.all[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_that_was_given_up_begins_anew() {
        let mut accounts = Accounts::default();
        let first = accounts.open(SimTime(5));
        accounts.get_mut(first).unwrap().charge(Part::Array, SimTime(9));
        let copy = accounts.open_copy(first).unwrap();
        assert_eq!(accounts.get(copy).unwrap().segments.len(), 1);
        accounts.close(first);
        accounts.close(first);
        assert!(accounts.get(first).is_none() && accounts.open_copy(first).is_none());
        let second = accounts.open(SimTime(20));
        assert_eq!(second, first);
        accounts.inherit(second, first);
        let account = accounts.get(second).unwrap();
        assert_eq!((account.segments.len(), account.until), (0, SimTime(20)));
        accounts.inherit(second, copy);
        assert_eq!(accounts.get(second).unwrap().until, SimTime(9));
        accounts.close(copy);
        assert!(!accounts.is_empty());
        accounts.close(second);
        assert!(accounts.is_empty());
    }
}
