//! Which submission queue the controller fetches from next.

use wordline_config::{Arbitration, NvmeConfig, Priority};

/// Classes that share by weight, in the order of a round.
const WEIGHTED: [Priority; 3] = [Priority::High, Priority::Medium, Priority::Low];

/// Arbitration between submission queues (NVM Express base specification 2.0, section 3.4.4).
#[derive(Debug)]
pub(crate) struct Arbiter {
    urgent: Ring,
    classes: [Class; WEIGHTED.len()],
    /// The class whose turn it is.
    turn: usize,
    burst: u32,
}

/// Queues of one class with its weight.
#[derive(Debug)]
struct Class {
    queues: Ring,
    weight: u32,
    /// Commands that the class may still have fetched in this round.
    credits: u32,
}

/// Queues that take turns.
#[derive(Debug, Default)]
struct Ring {
    queues: Vec<usize>,
    next: usize,
}

impl Ring {
    /// The next queue of the ring that has something, if any.
    fn pick(&mut self, waiting: &impl Fn(usize) -> u32) -> Option<usize> {
        for step in 0..self.queues.len() {
            let place = (self.next + step) % self.queues.len();
            let queue = self.queues[place];
            if waiting(queue) > 0 {
                self.next = place + 1;
                return Some(queue);
            }
        }
        None
    }
}

impl Arbiter {
    /// Arbitration of `config` between queues of these priorities. Round robin is one class.
    pub(crate) fn new(config: &NvmeConfig, priorities: &[Priority]) -> Self {
        let weighted = config.arbitration == Arbitration::WeightedRoundRobin;
        let ring = |wanted: Priority| Ring {
            queues: (0..priorities.len())
                .filter(|queue| {
                    let priority = if weighted {
                        priorities[*queue]
                    } else {
                        Priority::Medium
                    };
                    priority == wanted
                })
                .collect(),
            next: 0,
        };
        let weights = [config.weight_high, config.weight_medium, config.weight_low];
        Self {
            urgent: ring(Priority::Urgent),
            classes: std::array::from_fn(|index| Class {
                queues: ring(WEIGHTED[index]),
                weight: if weighted { weights[index] } else { u32::MAX },
                credits: if weighted { weights[index] } else { u32::MAX },
            }),
            turn: 0,
            burst: config.burst,
        }
    }

    /// One queue, its commands in order and one at a time.
    pub(crate) fn single() -> Self {
        let config = NvmeConfig {
            burst: 1,
            ..NvmeConfig::default()
        };
        Self::new(&config, &[Priority::Medium])
    }

    /// The queue to fetch from and how many commands, at most `room`; `waiting` tells how many a
    /// queue has.
    pub(crate) fn next(&mut self, room: u32, waiting: impl Fn(usize) -> u32) -> Option<(usize, u32)> {
        if room == 0 {
            return None;
        }
        let most = room.min(self.burst);
        if let Some(queue) = self.urgent.pick(&waiting) {
            return Some((queue, waiting(queue).min(most)));
        }
        // a second look, with new credits, when every class that waits has used up its own
        for _ in 0..2 {
            for _ in 0..self.classes.len() {
                let class = &mut self.classes[self.turn];
                if class.credits > 0
                    && let Some(queue) = class.queues.pick(&waiting)
                {
                    let count = waiting(queue).min(most).min(class.credits);
                    if class.weight < u32::MAX {
                        class.credits -= count;
                    }
                    return Some((queue, count));
                }
                self.turn = (self.turn + 1) % self.classes.len();
            }
            for class in &mut self.classes {
                class.credits = class.weight;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Priority::{High, Low, Medium, Urgent};

    /// Commands that each queue gets when all always have some.
    fn shares(arbitration: Arbitration, priorities: &[Priority], rounds: usize) -> Vec<u32> {
        let config = NvmeConfig {
            arbitration,
            burst: 2,
            weight_high: 8,
            weight_medium: 4,
            weight_low: 1,
            ..NvmeConfig::default()
        };
        let mut arbiter = Arbiter::new(&config, priorities);
        let mut served = vec![0; priorities.len()];
        for _ in 0..rounds {
            let (queue, count) = arbiter.next(64, |_| 100).unwrap();
            served[queue] += count;
        }
        served
    }

    #[test]
    fn round_robin_knows_no_priorities() {
        assert_eq!(
            shares(Arbitration::RoundRobin, &[Urgent, High, Low], 30),
            [20, 20, 20]
        );
    }

    /// A round of 8 : 4 : 1 commands is 4 + 2 + 1 fetches of at most two.
    #[test]
    fn weights_are_kept_round_by_round() {
        assert_eq!(
            shares(Arbitration::WeightedRoundRobin, &[Low, High, Medium], 70),
            [10, 80, 40]
        );
        assert_eq!(
            shares(Arbitration::WeightedRoundRobin, &[High, High, Low], 50),
            [40, 40, 10]
        );
    }

    #[test]
    fn urgent_queues_go_first() {
        assert_eq!(
            shares(Arbitration::WeightedRoundRobin, &[High, Urgent], 10),
            [0, 20]
        );
    }

    #[test]
    fn empty_queues_cost_no_turn_and_room_is_kept() {
        let mut arbiter = Arbiter::new(&NvmeConfig::default(), &[Medium, Medium]);
        assert_eq!(
            arbiter.next(3, |queue| if queue == 1 { 5 } else { 0 }),
            Some((1, 3))
        );
        assert_eq!(arbiter.next(0, |_| 5), None);
        assert_eq!(arbiter.next(3, |_| 0), None);
    }
}
