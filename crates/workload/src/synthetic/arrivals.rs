//! When synthetic requests arrive.

use rand_distr::{Distribution, Exp1};
use wordline_units::{Duration, Seed, SimTime, Stream};

use super::cascade::Cascade;
use super::classes::{draw, share};
use super::profile_arrivals::ProfileArrivals;
use crate::config::{ArrivalLaw, WorkloadConfig};
use crate::profile::ArrivalProfile;

/// The gaps that do not equal the interval of the "(75 %)" law are this much longer on average
/// (array specification, section 10.1).
const LONG_GAP: f64 = 10.0;

/// A bias that makes no bursts; a configuration with self-similar arrivals names one.
const EVEN: f64 = 0.5;

/// A law of arrival and its state.
pub(crate) struct Arrivals {
    /// None in a closed loop, where times do not matter.
    law: Option<Law>,
    stream: Stream,
    /// The next arrival of `Fixed`; the last of the others, in time during which requests come.
    clock: SimTime,
}

enum Law {
    /// The share `regular` of 2^53 of the gaps is `gap`, the others are exponential.
    Fixed {
        gap: Duration,
        regular: u64,
    },
    Poisson {
        mean: f64,
    },
    OnOff {
        mean: f64,
        on: u64,
        off: u64,
    },
    Profile(ProfileArrivals),
    SelfSimilar(Cascade),
}

impl Arrivals {
    /// The law of `config`.
    pub(crate) fn of(config: &WorkloadConfig, seed: Seed) -> Self {
        let law = match config.interarrival {
            None => None,
            Some(gap) => {
                let mean = gap.ns() as f64;
                Some(match config.arrival {
                    ArrivalLaw::Fixed => Law::Fixed {
                        gap,
                        regular: share(config.gap_fraction),
                    },
                    ArrivalLaw::Poisson => Law::Poisson { mean },
                    ArrivalLaw::OnOff => Law::OnOff {
                        mean,
                        on: config.on.ns().max(1),
                        off: config.off.ns(),
                    },
                    ArrivalLaw::SelfSimilar => {
                        Law::SelfSimilar(Cascade::new(mean, config.burst_bias.unwrap_or(EVEN)))
                    }
                })
            }
        };
        Self::new(law, seed)
    }

    /// The law of a profile, its times divided by `compress`; with a `bias`, or one of the profile where it has no gaps, self-similar arrivals of the
    /// same mean gap.
    pub(crate) fn of_profile(profile: &ArrivalProfile, compress: f64, bias: Option<f64>, seed: Seed) -> Self {
        let own = profile.burst_bias.filter(|_| profile.gaps.is_empty());
        let law = match bias.or(own) {
            None => Law::Profile(ProfileArrivals::new(profile, compress)),
            Some(bias) => Law::SelfSimilar(Cascade::new(profile.mean_gap.ns() as f64 / compress, bias)),
        };
        Self::new(Some(law), seed)
    }

    fn new(law: Option<Law>, seed: Seed) -> Self {
        Self {
            law,
            stream: seed.stream("workload.arrival"),
            clock: SimTime::ZERO,
        }
    }

    /// The next arrival.
    #[inline]
    pub(crate) fn next(&mut self) -> SimTime {
        match self.law {
            None => SimTime::ZERO,
            Some(_) => self.draw(),
        }
    }

    fn draw(&mut self) -> SimTime {
        let Some(law) = &mut self.law else {
            return SimTime::ZERO;
        };
        match law {
            &mut Law::Fixed { gap, regular } => {
                let arrival = self.clock;
                let regular = regular == 1 << 53 || draw(&mut self.stream) < regular;
                let gap = if regular {
                    gap
                } else {
                    self.exponential(gap.ns() as f64 * LONG_GAP)
                };
                self.clock += gap;
                arrival
            }
            &mut Law::Poisson { mean } => {
                let gap = self.exponential(mean);
                self.clock += gap;
                self.clock
            }
            &mut Law::OnOff { mean, on, off } => {
                let gap = self.exponential(mean);
                self.clock += gap;
                let bursts_before = self.clock.ns() / on;
                self.clock + Duration(bursts_before.saturating_mul(off))
            }
            Law::Profile(profile) => profile.next(&mut self.stream),
            Law::SelfSimilar(cascade) => cascade.next(&mut self.stream),
        }
    }

    /// An exponential gap in whole nanoseconds, rounded to the nearest so that the mean holds.
    fn exponential(&mut self, mean: f64) -> Duration {
        let unit: f64 = Exp1.sample(&mut self.stream);
        Duration((unit * mean).round() as u64)
    }
}
