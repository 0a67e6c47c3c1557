//! More cores in the centre, or FScale.

use serde::{Deserialize, Serialize};

use crate::drive::{Design, Drive};
use crate::paths::Unit;
use crate::table::HitRate;
use crate::throughput::Outlook;

/// How many central cores a drive without local controllers needs to do as well as FScale does with its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// Operations of the host per second of FScale, with its own cores.
    pub fscale_iops: f64,
    /// The least number of central cores with which the rival is at least as fast; none if no number up to the greatest one tried is.
    pub cores: Option<u32>,
    /// Operations of the host per second of the rival with so many cores, or at its best.
    pub rival_iops: f64,
    /// What limits that rival; none is the queue depth.
    pub limited_by: Option<Unit>,
}

/// The number of central cores at which FScale stops winning against a rival design, up to `most` cores. Both drives have the same load, memory and flash;
/// FScale keeps the cores of `drive`. With `processor.serial` or `processor.coherence` more cores may be slower than fewer.
#[must_use]
pub fn cores_to_match(drive: &Drive, rival: Design, most: u32) -> BreakEven {
    let fscale = drive.as_design(Design::FScale).outlook().iops;
    let mut best: Option<BreakEven> = None;
    for (cores, outlook) in with_cores(drive, rival, most) {
        let found = BreakEven {
            fscale_iops: fscale,
            cores: (outlook.iops >= fscale).then_some(cores),
            rival_iops: outlook.iops,
            limited_by: outlook.limited_by,
        };
        if found.cores.is_some() {
            return found;
        }
        if best.is_none_or(|best| found.rival_iops > best.rival_iops) {
            best = Some(found);
        }
    }
    best.unwrap_or(BreakEven {
        fscale_iops: fscale,
        cores: None,
        rival_iops: 0.0,
        limited_by: None,
    })
}

/// The rival. Its hit rate does not depend on its cores, and is computed once where it is not that of tiers.
fn rival_of(drive: &Drive, rival: Design) -> Drive {
    let mut rival = drive.as_design(rival);
    if rival.table.tiers.is_empty() {
        rival.table.hit_rate = rival.hit_rate();
        rival.table.hit = HitRate::Given;
    }
    rival
}

/// The rival with 1 to `most` cores, which is at least 1.
fn with_cores(drive: &Drive, rival: Design, most: u32) -> impl Iterator<Item = (u32, Outlook)> {
    let mut rival = rival_of(drive, rival);
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

/// FScale against a rival that has as much power or area, in central cores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SameBudget {
    /// What both have the same of.
    pub budget: Budget,
    /// Watts or square millimetres of FScale.
    pub available: f64,
    /// The greatest number of central cores for which that is enough; none if it is for no core.
    pub cores: Option<u32>,
    /// Operations of the host per second of FScale.
    pub fscale_iops: f64,
    /// The same of the rival with so many cores; 0 without any.
    pub rival_iops: f64,
    /// What limits that rival; none is the queue depth.
    pub limited_by: Option<Unit>,
}

/// FScale against a rival design with the same budget, of at most `most` cores.
#[must_use]
pub fn same_budget(drive: &Drive, rival: Design, budget: Budget, most: u32) -> SameBudget {
    let fscale = drive.as_design(Design::FScale);
    let iops = fscale.outlook().iops;
    let needed = |drive: &Drive, iops: f64| match budget {
        Budget::Power => drive.power_at(iops).logic,
        Budget::Area => drive.logic_area(),
    };
    let available = needed(&fscale, iops);
    let mut found = SameBudget {
        budget,
        available,
        cores: None,
        fscale_iops: iops,
        rival_iops: 0.0,
        limited_by: None,
    };
    let mut with = rival_of(drive, rival);
    for (cores, outlook) in with_cores(drive, rival, most) {
        with.processor.cores = cores;
        if needed(&with, outlook.iops) <= available {
            found.cores = Some(cores);
            found.rival_iops = outlook.iops;
            found.limited_by = outlook.limited_by;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use wordline_units::ByteSize;

    use super::*;

    /// Section 13.5: the local controllers of 128 TB have 287 times 6.3 mm2, and two central cores.
    #[test]
    fn worked_example_of_area() {
        let mut drive = Drive {
            capacity: ByteSize(128 << 40),
            ..Drive::default()
        };
        drive.workload.write_fraction = 1.0;
        let found = same_budget(&drive, Design::Conventional, Budget::Area, 4096);
        assert!((found.available - (2.0 + 287.0 * 6.3)).abs() < 1e-9);
        assert_eq!(found.cores, Some(1810));
        drive.processor.cores = 1810;
        let rival = drive.as_design(Design::Conventional).outlook();
        assert_eq!(
            (found.rival_iops, found.limited_by),
            (rival.iops, rival.limited_by)
        );
        // the hybrid has codecs in its packages
        let hybrid = same_budget(&drive, Design::Hybrid, Budget::Area, 4096);
        assert!(hybrid.cores < Some(3618));
    }

    #[test]
    fn a_rival_within_the_power_of_fscale() {
        let mut drive = Drive {
            capacity: ByteSize(128 << 40),
            ..Drive::default()
        };
        drive.workload.write_fraction = 0.5;
        let found = same_budget(&drive, Design::Conventional, Budget::Power, 512);
        let cores = found.cores.unwrap();
        let mut rival = drive.as_design(Design::Conventional);
        let watts = |rival: &Drive| rival.power_at(rival.outlook().iops).logic;
        rival.processor.cores = cores;
        assert!(watts(&rival) <= found.available);
        rival.processor.cores = cores + 1;
        assert!(watts(&rival) > found.available);
    }
}
