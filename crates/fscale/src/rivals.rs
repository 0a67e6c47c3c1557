//! More cores in the centre, or FScale.

use serde::Serialize;

use crate::drive::{Design, Drive};
use crate::paths::Unit;

/// How many central cores a conventional drive needs to do as well as FScale does with its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// Operations of the host per second of FScale, with its own cores.
    pub fscale_iops: f64,
    /// The least number of central cores with which a conventional drive is at least as fast; none if no number up to the greatest one tried is.
    pub cores: Option<u32>,
    /// Operations of the host per second of a conventional drive with so many cores, or at its best.
    pub conventional_iops: f64,
    /// What limits that conventional drive; none is the queue depth.
    pub limited_by: Option<Unit>,
}

/// The number of central cores at which FScale stops winning, up to `most` cores. Both drives have the same load, memory and flash; FScale keeps the cores
/// of `drive`. With `processor.serial` or `processor.coherence` more cores may be slower than fewer.
#[must_use]
pub fn cores_to_match(drive: &Drive, most: u32) -> BreakEven {
    let fscale = drive.as_design(Design::FScale).outlook().iops;
    let mut rival = drive.as_design(Design::Conventional);
    let mut best: Option<BreakEven> = None;
    for cores in 1..=most.max(1) {
        rival.processor.cores = cores;
        let outlook = rival.outlook();
        let found = BreakEven {
            fscale_iops: fscale,
            cores: (outlook.iops >= fscale).then_some(cores),
            conventional_iops: outlook.iops,
            limited_by: outlook.limited_by,
        };
        if found.cores.is_some() {
            return found;
        }
        if best.is_none_or(|best| found.conventional_iops > best.conventional_iops) {
            best = Some(found);
        }
    }
    best.unwrap_or(BreakEven {
        fscale_iops: fscale,
        cores: None,
        conventional_iops: 0.0,
        limited_by: None,
    })
}
