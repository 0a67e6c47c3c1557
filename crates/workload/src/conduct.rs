//! How a job behaves beside what it sends: when it takes up completions, whom it waits for, whose end its own is.

use wordline_units::Duration;

/// What a client does beside sending its commands one by one; the default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// Completions are taken up several at a time.
    pub batch: Option<Batch>,
    /// Before it waits for the time of a command it waits until all that it has sent is completed.
    pub quiesces: bool,
    /// It starts when these clients, by their places among those of its workload, are done; none has a later group.
    pub waits_for: Vec<u32>,
    /// Which clients end when it ends.
    pub ends: Option<Ends>,
    /// Its reporting group, by which jobs end together.
    pub reporting_group: u32,
    /// Its figures are given together with those of the clients before and behind it that are of its reporting group and have this set.
    pub is_reported_together: bool,
    /// Its own figures begin so long after its first command; the totals of the run do not heed it.
    pub ramp: Duration,
    /// It ends when it is slower.
    pub floor: Option<Floor>,
    /// It ends when a read, a write or a trim takes longer than this.
    pub longest: Option<[Duration; 3]>,
}

/// Rates below which a client ends, for reads, writes and trims: where a direction has one of bytes, that counts alone (`__check_min_rate` of fio's backend.c).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// Bytes per second; 0: any number.
    pub bytes: [u64; 3],
    /// Commands per second; 0: any number.
    pub commands: [u64; 3],
    /// Rates are those over so long, or longer where nothing is completed.
    pub cycle: Duration,
}

/// Completions taken up several at a time: a client whose commands are all outstanding sends nothing before it has taken up some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// It waits until so many are completed, at least 1.
    pub least: u32,
    /// It takes up so many of them at most, at least `least`.
    pub most: u32,
    /// It goes on taking up until no more than this many are left, at most the depth.
    pub low: u32,
}

/// Which clients end when one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Those of its reporting group.
    Group,
    /// Those that have started.
    Started,
    /// All.
    All,
}
