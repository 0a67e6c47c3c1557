//! More cores in the centre, or FScale.

use serde::{Deserialize, Serialize};

use crate::drive::{Design, Drive};
use crate::paths::Unit;
use crate::table::HitRate;
use crate::throughput::Outlook;

/// Most cores of a local controller, as [`Drive::check`] accepts them.
const MOST_LOCAL_CORES: u32 = 64;

/// How many central cores a drive without local controllers needs to do as well as FScale does with its own, from the bounds of both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// Operations of the host per second of FScale at most, with its own cores; or what else is to be reached.
    pub fscale_iops_bound: f64,
    /// The least number of central cores with which the bound of the rival is no lower; none if it is with no number up to the greatest one tried.
    pub cores: Option<u32>,
    /// Operations of the host per second of the rival at most, with so many cores, or with the number that is best.
    pub rival_iops_bound: f64,
    /// What limits that rival; none is the queue depth.
    pub limited_by: Option<Unit>,
}

/// The number of central cores at which FScale stops winning against a rival design, up to `most` cores. Both drives have the same load, memory and flash;
/// FScale keeps the cores of `drive`. With `processor.serial` or `processor.coherence` more cores may be slower than fewer.
#[must_use]
pub fn cores_to_match(drive: &Drive, rival: Design, most: u32) -> BreakEven {
    let fscale = drive.as_design(Design::FScale).outlook().iops_bound;
    cores_to_reach(drive, rival, fscale, most)
}

/// The least number of central cores, up to `most`, with which the bound of a rival design is `iops` or more. No drive of fewer cores reaches it.
#[must_use]
pub fn cores_to_reach(drive: &Drive, rival: Design, iops: f64, most: u32) -> BreakEven {
    let mut best: Option<BreakEven> = None;
    for (cores, outlook) in with_cores(drive, rival, most) {
        let found = BreakEven {
            fscale_iops_bound: iops,
            cores: (outlook.iops_bound >= iops).then_some(cores),
            rival_iops_bound: outlook.iops_bound,
            limited_by: outlook.limited_by,
        };
        if found.cores.is_some() {
            return found;
        }
        if best.is_none_or(|best| found.rival_iops_bound > best.rival_iops_bound) {
            best = Some(found);
        }
    }
    best.unwrap_or(BreakEven {
        fscale_iops_bound: iops,
        cores: None,
        rival_iops_bound: 0.0,
        limited_by: None,
    })
}

/// The drive of a design. Its hit rate does not depend on its cores, and is computed once where it is not that of tiers.
fn with_known_hits(drive: &Drive, design: Design) -> Drive {
    let mut drive = drive.as_design(design);
    if drive.table.tiers.is_empty() {
        drive.table.hit_rate = drive.hit_rate();
        drive.table.hit = HitRate::Given;
    }
    drive
}

/// The rival with 1 to `most` cores, which is at least 1.
fn with_cores(drive: &Drive, rival: Design, most: u32) -> impl Iterator<Item = (u32, Outlook)> {
    let mut rival = with_known_hits(drive, rival);
    (1..=most.max(1)).map(move |cores| {
        rival.processor.cores = cores;
        (cores, rival.outlook())
    })
}

/// What two designs have the same of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Watts of all but dies and memory of the controller, each design at its own throughput.
    Power,
    /// Square millimetres of cores, and of what packages have beside their dies.
    Area,
}

/// What a design makes of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Cores of the central processor.
    pub cores: u32,
    /// Cores of each local controller; 0 in designs without.
    pub local_cores: u32,
    /// Watts or square millimetres that it takes.
    pub needed: f64,
    /// Operations of the host per second at most.
    pub iops_bound: f64,
    /// What limits them; none is the queue depth.
    pub limited_by: Option<Unit>,
}

/// FScale against a rival with the same power or area, each with the cores that suit it best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SameBudget {
    /// What both have the same of.
    pub budget: Budget,
    /// Watts or square millimetres that each may take.
    pub available: f64,
    /// FScale; none if its packages alone take more.
    pub fscale: Option<Share>,
    /// The rival; none if no core is within the budget.
    pub rival: Option<Share>,
}

/// FScale against a rival design within a budget: `available` watts or square millimetres, or where that is missing what FScale takes as `drive` is. Each
/// design has the number of central cores, up to `most`, and FScale the number of cores of a local controller, up to 64, with which its bound is highest; of
/// several that are as fast the one that takes least.
#[must_use]
pub fn same_budget(
    drive: &Drive,
    rival: Design,
    budget: Budget,
    available: Option<f64>,
    most: u32,
) -> SameBudget {
    let fscale = drive.as_design(Design::FScale);
    let available = available.unwrap_or_else(|| needed(&fscale, budget, fscale.outlook().iops_bound));
    SameBudget {
        budget,
        available,
        fscale: best_within(drive, Design::FScale, budget, available, most),
        rival: best_within(drive, rival, budget, available, most),
    }
}

fn needed(drive: &Drive, budget: Budget, iops: f64) -> f64 {
    match budget {
        Budget::Power => drive.power_at(iops).logic,
        Budget::Area => drive.logic_area(),
    }
}

/// The fastest drive of a design within a budget.
fn best_within(drive: &Drive, design: Design, budget: Budget, available: f64, most: u32) -> Option<Share> {
    let mut with = with_known_hits(drive, design);
    let is_local = design == Design::FScale;
    let mut best: Option<Share> = None;
    for local_cores in 1..=if is_local { MOST_LOCAL_CORES } else { 1 } {
        with.local.cores = local_cores;
        // whether local controllers limit a drive of any number of central cores
        let mut is_limit = false;
        for cores in 1..=most.max(1) {
            with.processor.cores = cores;
            let outlook = with.outlook();
            is_limit |= outlook.limited_by == Some(Unit::Local);
            let found = Share {
                cores,
                local_cores: if is_local { local_cores } else { 0 },
                needed: needed(&with, budget, outlook.iops_bound),
                iops_bound: outlook.iops_bound,
                limited_by: outlook.limited_by,
            };
            let rank = |share: &Share| (share.iops_bound, -share.needed);
            if found.needed <= available && best.is_none_or(|best| rank(&found) > rank(&best)) {
                best = Some(found);
            }
        }
        if !is_limit {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_units::ByteSize;

    use super::*;

    fn writing(tib: u64, writes: f64) -> Drive {
        let mut drive = Drive {
            capacity: ByteSize(tib << 40),
            ..Drive::default()
        };
        drive.workload.write_fraction = writes;
        drive
    }

    /// Section 13.5: the local controllers of 128 TB have 287 times 6.3 mm2, and two central cores of 1 mm2.
    #[test]
    fn worked_example_of_area() {
        let drive = writing(128, 1.0);
        let found = same_budget(&drive, Design::Conventional, Budget::Area, None, 4096);
        assert!((found.available - (2.0 + 287.0 * 6.3)).abs() < 1e-9);
        // two cores are all that is left beside the packages
        let fscale = found.fscale.unwrap();
        assert_eq!((fscale.cores, fscale.local_cores), (2, 1));
        // the rival takes as many as it has a use for, and no more
        let rival = found.rival.unwrap();
        let with = |cores: u32| {
            let mut rival = drive.as_design(Design::Conventional);
            rival.processor.cores = cores;
            rival.outlook().iops_bound
        };
        assert!(with(rival.cores - 1) < rival.iops_bound);
        assert_eq!(with(1810), rival.iops_bound);
        // a budget that the packages alone take leaves FScale nothing
        let small = same_budget(&drive, Design::Conventional, Budget::Area, Some(100.0), 4096);
        assert!(small.fscale.is_none() && small.rival.unwrap().cores <= 100);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// No other number of cores within the budget is faster, of either design.
        #[test]
        fn both_designs_are_at_their_best(
            tib in 1_u64..64, writes in 0.0_f64..=1.0, depth in 1_u32..2000, serial in 0.0_f64..0.1, times in 1.0_f64..2.0, power: bool,
        ) {
            let mut drive = writing(tib, writes);
            drive.workload.queue_depth = depth;
            drive.processor.serial = serial;
            let budget = if power { Budget::Power } else { Budget::Area };
            let available = times * same_budget(&drive, Design::Hybrid, budget, None, 1).available;
            let found = same_budget(&drive, Design::Hybrid, budget, Some(available), 40);
            for (design, share) in [(Design::FScale, found.fscale), (Design::Hybrid, found.rival)] {
                for local_cores in [1, 2, 3, 8] {
                    for cores in 1..=40 {
                        let mut other = drive.as_design(design);
                        other.processor.cores = cores;
                        if design == Design::FScale {
                            other.local.cores = local_cores;
                        }
                        let iops = other.outlook().iops_bound;
                        if needed(&other, budget, iops) <= available {
                            let best = share.expect("this one is within the budget");
                            prop_assert!(best.needed <= available);
                            prop_assert!(best.iops_bound >= iops * (1.0 - 1e-12), "{design:?} {cores} {local_cores}");
                        }
                    }
                }
            }
        }
    }
}
