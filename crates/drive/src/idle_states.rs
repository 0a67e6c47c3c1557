//! Non-operational power states: where the drive goes when it has nothing to do, and commands that wait until it is back.
//!
//! Nothing happens in an idle drive, so nothing is on the clock for its states: what they were is told when something happens next.

use std::collections::VecDeque;

use wordline_config::{Config, IdleState};
use wordline_units::{Duration, SimTime};

/// The idle states of a drive.
#[derive(Debug)]
pub(crate) struct IdleStates {
    /// The deepest last.
    states: Vec<IdleState>,
    /// Up to when it has been told in which state the drive was.
    told: SimTime,
    /// When it was last awake without anything to do: since then it may have gone to a state.
    awake_from: SimTime,
    /// Commands that wait for it to wake up, and since when.
    waiting: VecDeque<(u32, SimTime)>,
    wakes: u64,
}

impl IdleStates {
    /// Those of a drive; none where it has none.
    pub(crate) fn new(config: &Config) -> Option<Self> {
        let states = config.power.idle_states();
        (!states.is_empty()).then(|| Self {
            states,
            told: SimTime::ZERO,
            awake_from: SimTime::ZERO,
            waiting: VecDeque::new(),
            wakes: 0,
        })
    }

    /// In which state a drive has been from when to when that has had nothing to do from `since` up to `now`, as far as that was not told before. A state is left for the next one when the
    /// drive is there.
    pub(crate) fn tell(
        &mut self,
        since: SimTime,
        now: SimTime,
    ) -> impl Iterator<Item = (usize, SimTime, SimTime)> + use<> {
        let since = since.max(self.awake_from);
        let told = self.told;
        self.told = told.max(now);
        let begins = |state: &IdleState| since + state.after + state.entry;
        let mut spans = [(0, SimTime::ZERO, SimTime::ZERO); 2];
        for (index, state) in self.states.iter().enumerate().take(spans.len()) {
            let ends = self.states.get(index + 1).map_or(now, begins);
            spans[index] = (index, begins(state).max(told), ends.min(now));
        }
        spans.into_iter().filter(|(_, from, to)| from < to)
    }

    /// How long it takes until a drive takes up commands that has had nothing to do from `since` up to `now`.
    fn latency(&self, since: SimTime, now: SimTime) -> Duration {
        let rested = now.since(since.max(self.awake_from));
        let state = self.states.iter().rev().find(|state| rested >= state.after);
        state.map_or(Duration::ZERO, |state| {
            let on_the_way = (state.after + state.entry).ns().saturating_sub(rested.ns());
            Duration(on_the_way) + state.exit
        })
    }

    /// Whether the drive is waking up.
    pub(crate) fn is_waking(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A command waits until the drive is awake.
    pub(crate) fn hold(&mut self, id: u32, now: SimTime) {
        self.waiting.push_back((id, now));
    }

    /// When a drive that has had nothing to do from `since` up to `now` takes up a command that comes now; `None` where that is at once.
    pub(crate) fn wake(&mut self, since: SimTime, now: SimTime) -> Option<SimTime> {
        let latency = self.latency(since, now);
        if latency == Duration::ZERO {
            return None;
        }
        self.wakes += 1;
        self.awake_from = now + latency;
        Some(self.awake_from)
    }

    /// The drive is awake: the commands that waited, the oldest first, with the moment when each came.
    pub(crate) fn take_waiting(&mut self) -> VecDeque<(u32, SimTime)> {
        std::mem::take(&mut self.waiting)
    }

    /// Times that a command found it in a state, or on the way there.
    pub(crate) fn wakes(&self) -> u64 {
        self.wakes
    }

    /// Counts afresh.
    pub(crate) fn restart_counts(&mut self) {
        self.wakes = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_config::{DriveSource, resolve};

    use super::*;

    const MS: u64 = 1_000_000;

    /// PS3 after 100 ms, 2 ms there and 1 ms back; PS4 after 500 ms, 1 ms there and 10 ms back.
    fn states() -> IdleStates {
        let text = "[power]\nsupply = \"2.5 V\"\nidle = \"1 W\"\nps3 = \"40 mW\"\nps3_after = \"100 ms\"\nps3_entry = \"2 ms\"\nps3_exit = \"1 ms\"\n\
                    ps4 = \"5 mW\"\nps4_after = \"500 ms\"\nps4_entry = \"1 ms\"\nps4_exit = \"10 ms\"";
        let resolved = resolve(DriveSource::Text(text), None, &[]).unwrap();
        IdleStates::new(&resolved.config).unwrap()
    }

    /// A command pays for what is left of the way in, and for the way out.
    #[test]
    fn waking_takes_what_is_left_of_the_way_in_and_the_way_out() {
        for (rested, latency) in [
            (0, 0),
            (99, 0),
            (100, 3),
            (101, 2),
            (102, 1),
            (499, 1),
            (500, 11),
            (501, 10),
            (90_000, 10),
        ] {
            let found = states().wake(SimTime(7), SimTime(7 + rested * MS));
            let expected = (latency > 0).then_some(SimTime(7 + (rested + latency) * MS));
            assert_eq!(found, expected, "after {rested} ms");
        }
    }

    /// Of a second without work 102 ms are awake, 399 in PS3 and 499 in PS4.
    #[test]
    fn a_second_without_work() {
        let mut found = states();
        let spans: Vec<_> = found.tell(SimTime::ZERO, SimTime(1_000 * MS)).collect();
        assert_eq!(
            spans,
            [
                (0, SimTime(102 * MS), SimTime(501 * MS)),
                (1, SimTime(501 * MS), SimTime(1_000 * MS))
            ]
        );
        assert_eq!(
            found.tell(SimTime::ZERO, SimTime(1_000 * MS)).count(),
            0,
            "it was told"
        );
        let awake = found.wake(SimTime::ZERO, SimTime(1_000 * MS)).unwrap();
        assert_eq!(awake, SimTime(1_010 * MS));
        assert_eq!(
            found.tell(SimTime::ZERO, SimTime(1_111 * MS)).count(),
            0,
            "it has been awake for 101 ms"
        );
    }

    proptest! {
        /// However often it is asked, the spans are those of one question, without a gap or an overlap.
        #[test]
        fn spans_do_not_depend_on_when_they_are_asked_for(mut asked in prop::collection::vec(0_u64..800, 0..20)) {
            asked.push(800);
            asked.sort_unstable();
            let mut found = states();
            let mut times = [0; 2];
            let mut last = 0;
            for at in asked {
                for (state, from, to) in found.tell(SimTime::ZERO, SimTime(at * MS)) {
                    prop_assert!(from.ns() >= last && to.ns() <= at * MS);
                    times[state] += to.since(from).ns();
                    last = to.ns();
                }
            }
            prop_assert_eq!(times, [399 * MS, 299 * MS]);
        }
    }
}
