//! When the power of a live drive fails by itself.

use std::str::FromStr;

use wordline_units::Seed;

use crate::device::Device;
use crate::error::LiveError;

/// When the power fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutAt {
    /// At an event of the drive, counted from 1 since the server began.
    Event(u64),
    /// Again and again, at events drawn at random: one in so many on average.
    Random(u64),
    /// Once, at an event drawn at random while collection programs or erases.
    Collection,
    /// Once, at an event drawn at random while a flush is under way.
    Flush,
    /// With every other cut, once more while recovery repairs the flash.
    Recovery,
}

impl FromStr for CutAt {
    type Err = LiveError;

    /// `event:N`, `random:N`, `collection`, `flush`, `recovery`.
    fn from_str(text: &str) -> Result<Self, LiveError> {
        let (word, number) = text
            .split_once(':')
            .map_or((text, None), |(word, number)| (word, Some(number)));
        let number = number.map(str::parse::<u64>);
        match (word, number) {
            ("event", Some(Ok(number @ 1..))) => Ok(Self::Event(number)),
            ("random", Some(Ok(number @ 1..))) => Ok(Self::Random(number)),
            ("collection", None) => Ok(Self::Collection),
            ("flush", None) => Ok(Self::Flush),
            ("recovery", None) => Ok(Self::Recovery),
            _ => Err(LiveError::Refused(format!(
                "--cut {text}: accepted are event:N, random:N (one event in N), collection, flush and recovery, N from 1 on"
            ))),
        }
    }
}

/// Of so many events of a kind one is drawn.
const DRAWN_OF: u64 = 32;

/// The cuts that are still to come.
#[derive(Clone, Debug)]
pub(crate) struct Triggers {
    at: Option<u64>,
    /// The next random one, and how many events lie between two of them.
    random: Option<(u64, u64)>,
    /// Events of collection, and of a flush, until the power fails in one.
    collection: Option<u64>,
    flush: Option<u64>,
    recovery: bool,
    events: u64,
    seed: Seed,
}

impl Triggers {
    pub(crate) fn new(cuts: &[CutAt], seed: Seed) -> Self {
        let mut new = Self {
            at: None,
            random: None,
            collection: None,
            flush: None,
            recovery: false,
            events: 0,
            seed,
        };
        for cut in cuts {
            match cut {
                CutAt::Event(number) => new.at = Some(*number),
                CutAt::Random(mean) => new.random = Some((new.drawn(*mean), *mean)),
                CutAt::Collection => new.collection = Some(1 + seed.draw("cut of collection", 0) % DRAWN_OF),
                CutAt::Flush => new.flush = Some(1 + seed.draw("cut of a flush", 0) % DRAWN_OF),
                CutAt::Recovery => new.recovery = true,
            }
        }
        new
    }

    /// Events until the next random cut: `mean` on average.
    fn drawn(&self, mean: u64) -> u64 {
        self.events + 1 + self.seed.draw("random cut", self.events) % mean.saturating_mul(2).max(2)
    }

    /// Whether an event may bring a cut.
    pub(crate) const fn are_set(&self) -> bool {
        self.at.is_some() || self.random.is_some() || self.collection.is_some() || self.flush.is_some()
    }

    /// Whether the power fails again while recovery repairs the flash.
    pub(crate) const fn during_recovery(&self) -> bool {
        self.recovery
    }

    /// An event has happened: whether the power fails now.
    pub(crate) fn fires(&mut self, device: &Device) -> bool {
        self.events += 1;
        let mut fires = self.at.take_if(|at| *at <= self.events).is_some();
        if let Some((at, mean)) = self.random
            && at <= self.events
        {
            self.random = Some((self.drawn(mean), mean));
            fires = true;
        }
        let counts_down = |left: &mut Option<u64>, is_so: bool| {
            if is_so && let Some(left) = left.as_mut() {
                *left = left.saturating_sub(1);
            }
            left.take_if(|left| *left == 0).is_some()
        };
        fires |= counts_down(&mut self.collection, device.is_collecting());
        fires |= counts_down(&mut self.flush, device.is_flushing());
        fires
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_read_as_they_are_written() {
        let read = |text: &str| text.parse::<CutAt>().ok();
        assert_eq!(read("event:7"), Some(CutAt::Event(7)));
        assert_eq!(read("random:1000"), Some(CutAt::Random(1_000)));
        assert_eq!(read("flush"), Some(CutAt::Flush));
        for wrong in [
            "", "event", "event:", "event:0", "event:-1", "flush:3", "Flush", "random:x",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    /// Draws are even between 1 and twice the mean, so that they are the mean on average.
    #[test]
    fn random_cuts_are_as_frequent_as_was_asked() {
        let mut triggers = Triggers::new(&[CutAt::Random(50)], Seed(3));
        let mut gaps = Vec::new();
        for _ in 0..1_000 {
            let (next, mean) = triggers.random.unwrap();
            gaps.push(next - triggers.events);
            triggers.events = next;
            triggers.random = Some((triggers.drawn(mean), mean));
        }
        assert!(gaps.iter().all(|gap| (1..=100).contains(gap)));
        let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
        // the deviation of an even draw of 100 is 28.9; four of its standard errors
        assert!((mean - 50.5).abs() < 4.0 * 28.9 / 1000_f64.sqrt(), "{mean}");
    }
}
