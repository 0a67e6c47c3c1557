//! The controller's encoders and decoders: as many as the mapping asks for, each of which works on one page at a time, in the order of
//! asking.

use wordline_units::{Duration, SimTime};

/// All of them; a drive whose mapping asks for none has none.
#[derive(Debug)]
pub(crate) struct Codec {
    /// When each has worked off what it was given.
    free_at: Vec<SimTime>,
    /// Work given to them since `since`, and what they had not done of earlier work then.
    busy: Duration,
    since: SimTime,
}

impl Codec {
    pub(crate) fn new(count: u32) -> Self {
        Self {
            free_at: vec![SimTime::ZERO; count as usize],
            busy: Duration::ZERO,
            since: SimTime::ZERO,
        }
    }

    /// Counts afresh from `now` on.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        let left = self.free_at.iter().map(|free_at| free_at.since(now).ns());
        self.busy = Duration(left.sum());
        self.since = now;
    }

    /// Hands work to the one that is free first; tells when it is done. None where there is none.
    pub(crate) fn charge(&mut self, now: SimTime, work: Duration) -> Option<SimTime> {
        let free_at = self.free_at.iter_mut().min()?;
        self.busy += work;
        *free_at = (*free_at).max(now) + work;
        Some(*free_at)
    }

    /// Share of their time that was used up to `now`, since counting began; none where there are none.
    pub(crate) fn utilization(&self, now: SimTime) -> Option<f64> {
        let available = now.since(self.since).ns() as f64 * self.free_at.len() as f64;
        (available > 0.0).then(|| {
            let ahead: u64 = self.free_at.iter().map(|free_at| free_at.since(now).ns()).sum();
            (self.busy.ns() - ahead) as f64 / available
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_is_free_first_works() {
        let mut codec = Codec::new(2);
        let mut at = |now: u64, work: u64| codec.charge(SimTime(now), Duration(work)).unwrap().ns();
        assert_eq!((at(0, 10), at(0, 30), at(0, 10), at(15, 10)), (10, 30, 20, 30));
        // both have worked from the start, and have 5 left
        assert_eq!(codec.utilization(SimTime(25)), Some(1.0));
        codec.restart_counts(SimTime(25));
        assert_eq!(codec.utilization(SimTime(35)), Some(0.5));
        assert_eq!(Codec::new(0).charge(SimTime(0), Duration(1)), None);
        assert_eq!(Codec::new(0).utilization(SimTime(9)), None);
    }
}
