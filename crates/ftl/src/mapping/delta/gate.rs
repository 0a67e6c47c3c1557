//! Whether encoding slows writes down (Delta-FTL specification, section 6).

use super::keys::{DeltaConfig, GateMode};
use crate::state::archive::{Archive, ArchiveError};

/// Weight of a new ratio in the mean (assumed, specification section 6).
const WEIGHT: f64 = 1.0 / 256.0;

/// Lets writes be encoded as long as that pays.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    mode: GateMode,
    /// Ratio below which it pays: 1 less the longest stage of encoding over the time of a program (equation 4.2).
    largest: f64,
    probe_period: u32,
    /// Mean ratio of what was encoded; none before the first.
    mean: Option<f64>,
    /// Writes that the closed gate turned away since the last probe.
    turned_away: u32,
}

impl Gate {
    pub(super) fn new(keys: &DeltaConfig, page_bytes: u32) -> Self {
        let encode = u64::from(keys.encode_ns(page_bytes));
        let longest = keys.read_time.ns().max(keys.bus_time.ns()).max(encode);
        Self {
            mode: keys.gate,
            largest: 1.0 - longest as f64 / keys.program_time.ns() as f64,
            probe_period: keys.probe_period,
            mean: None,
            turned_away: 0,
        }
    }

    /// Whether the next candidate is encoded.
    pub(super) fn admits(&mut self) -> bool {
        match self.mode {
            GateMode::Open => true,
            GateMode::Closed => false,
            GateMode::Auto if self.is_viable() => true,
            GateMode::Auto => {
                self.turned_away += 1;
                let probes = self.turned_away >= self.probe_period;
                if probes {
                    self.turned_away = 0;
                }
                probes
            }
        }
    }

    /// Whether the ratios so far leave writes as fast as they are without encoding.
    fn is_viable(&self) -> bool {
        self.mean.is_none_or(|mean| mean < self.largest)
    }

    /// A write was encoded with this ratio.
    pub(super) fn observe(&mut self, ratio: f64) {
        let mean = self.mean.get_or_insert(ratio);
        *mean += (ratio - *mean) * WEIGHT;
    }

    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.mean)?;
        archive.part(&mut self.turned_away)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(mhz: u32) -> Gate {
        let keys = DeltaConfig {
            cpu_mhz: mhz,
            probe_period: 3,
            ..DeltaConfig::default()
        };
        Gate::new(&keys, 4096)
    }

    /// 1 less 89.5, 44.0 and 40 us over 200 us (equation 4.2 and its values).
    #[test]
    fn the_longest_stage_decides() {
        for (mhz, largest) in [(304, 0.5524), (619, 0.7802), (934, 0.8000)] {
            assert!((gate(mhz).largest - largest).abs() < 1e-4, "{mhz}");
        }
    }

    #[test]
    fn a_closed_gate_is_probed_and_opens_again() {
        let mut gate = gate(304);
        assert!(gate.admits(), "nothing is known yet");
        gate.observe(0.6);
        let admitted: Vec<bool> = (0..6).map(|_| gate.admits()).collect();
        assert_eq!(admitted, [false, false, true, false, false, true]);
        // the mean falls from 0.6 to 0.55 when 0.2 was seen 31 times: 0.2 + 0.4 (255/256)^31 = 0.554, ^36 = 0.5475
        for _ in 0..36 {
            gate.observe(0.2);
        }
        assert!(gate.admits() && gate.admits());
    }
}
