//! The result of a lifetime study.

use serde::{Deserialize, Serialize};
use wordline_cell::fence::{Lookup, Representative, WearState};
use wordline_ftl::{BlockRole, Inspect, Subjects};
use wordline_nand::BlockId;
use wordline_units::{Duration, SimTime};

use crate::nearest_rank::nearest_rank;
use crate::refresh_report::RefreshReport;
use crate::timed::TimedReport;

/// Percentiles of retention over blocks that every snapshot keeps.
pub const PERCENTILES: [u32; 8] = [1, 5, 10, 25, 50, 75, 90, 99];
/// The place of the tenth percentile among them: the retention of the drive, whose spare blocks may fail first.
pub(crate) const TENTH: usize = 2;

/// A row of the result: the blocks of a drive at a time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Seconds since the start.
    pub time: f64,
    /// Retention in seconds at `PERCENTILES`, by nearest rank, of data written then.
    pub retention: [f64; PERCENTILES.len()],
    /// What is left of retention in seconds at `PERCENTILES`, by nearest rank: for how long blocks keep the data that they hold, or, where they hold none, data that are written then.
    /// Below 0 where data have faded.
    pub left: [f64; PERCENTILES.len()],
    /// Blocks of which less is left than required, and those of them of which nothing is.
    pub short: (u32, u32),
    /// Wear in equivalent events at `PERCENTILES`, by nearest rank.
    pub wear: [f64; PERCENTILES.len()],
    /// Erases of a block: mean, standard deviation, fewest, most.
    pub erases: (f64, f64, u32, u32),
    /// Tenth percentile of retention of each drive of the fleet, in seconds.
    pub fleet: Vec<f64>,
}

/// All blocks of a drive at a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockSnapshot {
    /// Its number among the snapshots that are taken at regular times, from 0.
    pub number: u64,
    /// Seconds since the start.
    pub time: f64,
    /// What identifies the study that it belongs to ([`identity`](crate::identity)).
    pub identity: String,
    /// Seed of the drive.
    pub seed: u64,
    /// Times that the workload has started over.
    pub passes: u64,
    /// Relative error of retention by the skips so far, as the engine estimates it.
    pub error: f64,
    /// The blocks.
    pub blocks: BlockColumns,
}

/// Every block at a time, by flat number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockColumns {
    /// Its collection pool.
    pub pool: Vec<u32>,
    /// Erases.
    pub erase_count: Vec<u32>,
    /// Wear in equivalent events.
    pub equivalent_events: Vec<f64>,
    /// Threshold shift after recovery in volts.
    pub vth_net: Vec<f64>,
    /// Retention in seconds of data written now.
    pub retention: Vec<f64>,
    /// For how many seconds from now it keeps the data that it holds, or data that are written now.
    pub left: Vec<f64>,
    /// Last rest before a program in seconds, 1 s where there was none.
    pub rest_erased: Vec<f64>,
    /// Last rest before an erase in seconds, 1 s where there was none.
    pub rest_data: Vec<f64>,
    /// Valid pages.
    pub valid_pages: Vec<u32>,
    /// When its last page was last programmed, in seconds since the start of the study, negative for a time before it; not a
    /// number where the block was erased since, or was never programmed in the study.
    pub last_program: Vec<f64>,
    /// Its role.
    pub role: Vec<BlockRole>,
}

/// The result of a lifetime study.
#[derive(Clone, Debug)]
pub struct LifetimeReport {
    /// The drive over time, from the start of the study to the horizon.
    pub snapshots: Vec<Snapshot>,
    /// Every block at the end.
    pub blocks: BlockColumns,
    /// Seconds until less is left of the retention of a tenth of the blocks than is required; `None` beyond the horizon.
    pub life: Option<f64>,
    /// Relative error of retention at the end by skipping, as the engine estimates it.
    pub error: f64,
    /// The same as an error of `life` (of the time at the horizon without one) in seconds, where retention falls.
    pub life_error: Option<f64>,
    /// Pages programmed for each page that the host wrote, while writes were simulated.
    pub write_amplification: f64,
    /// Pages programmed while writes were simulated.
    pub programmed: u64,
    /// Share of the time that was simulated write by write.
    pub simulated: f64,
    /// Skips that were kept, and skips that were discarded because their error was too large.
    pub skips: (u32, u32),
    /// Skips that were done in two half steps.
    pub halved: u32,
    /// Life of each drive of the fleet in seconds, `None` beyond the horizon.
    pub fleet: Vec<Option<f64>>,
    /// What refresh did; none where nothing is refreshed.
    pub refresh: Option<RefreshReport>,
    /// Samples with a clock; none where they were not asked for.
    pub timed: Option<TimedReport>,
    /// The raw bit error rate up to which data count as kept; none where retention follows FENCE, which knows no code.
    pub corrected: Option<f64>,
    /// What identifies the study ([`identity`](crate::identity)).
    pub identity: String,
    /// Seconds of CPU time, where the system counts it.
    pub cpu: Option<f64>,
}

/// The snapshot of all blocks at a time in seconds, of their retention and what is left of it in seconds.
pub(crate) fn snapshot(
    time: f64,
    states: &[WearState],
    (retentions, left): (Vec<f64>, Vec<f64>),
    required: Duration,
) -> Snapshot {
    let below = |limit: f64| left.iter().filter(|left| **left < limit).count() as u32;
    let short = (below(required.as_secs()), below(0.0));
    let retention = percentiles(retentions);
    let wear = percentiles(states.iter().map(WearState::equivalent_events).collect());
    let blocks = states.len();
    let cycles = || states.iter().map(WearState::cycles);
    let mean = cycles().map(f64::from).sum::<f64>() / blocks.max(1) as f64;
    let variance = cycles()
        .map(|count| (f64::from(count) - mean) * (f64::from(count) - mean))
        .sum::<f64>()
        / blocks.max(1) as f64;
    let erases = (
        mean,
        variance.sqrt(),
        cycles().min().unwrap_or_default(),
        cycles().max().unwrap_or_default(),
    );
    Snapshot {
        time,
        retention,
        left: percentiles(left),
        short,
        wear,
        erases,
        fleet: Vec::new(),
    }
}

/// The values at `PERCENTILES`, by nearest rank.
fn percentiles(mut values: Vec<f64>) -> [f64; PERCENTILES.len()] {
    values.sort_by(f64::total_cmp);
    PERCENTILES.map(|percent| {
        let rank = nearest_rank(percent as usize, values.len());
        values.get(rank).copied().unwrap_or_default()
    })
}

/// When, in seconds, less is left of the retention of a tenth of the blocks than `required` seconds; between snapshots its logarithm is interpolated linearly.
pub(crate) fn life(snapshots: &[Snapshot], required: f64) -> Option<f64> {
    crossing(snapshots, required, |snapshot| snapshot.left[TENTH].max(0.0))
}

/// Life of each drive of the fleet.
pub(crate) fn fleet_lives(snapshots: &[Snapshot], required: f64) -> Vec<Option<f64>> {
    let drives = snapshots.first().map_or(0, |snapshot| snapshot.fleet.len());
    (0..drives)
        .map(|drive| {
            let tenth = |snapshot: &Snapshot| snapshot.fleet.get(drive).copied().unwrap_or_default();
            crossing(snapshots, required, tenth)
        })
        .collect()
}

fn crossing(snapshots: &[Snapshot], required: f64, tenth: impl Fn(&Snapshot) -> f64) -> Option<f64> {
    let after = snapshots.iter().position(|snapshot| tenth(snapshot) < required)?;
    let Some(before) = after.checked_sub(1) else {
        return Some(snapshots[after].time);
    };
    let (before, after) = (&snapshots[before], &snapshots[after]);
    let fall = libm::log(tenth(before)) - libm::log(tenth(after));
    let share = (libm::log(tenth(before)) - libm::log(required)) / fall;
    // a fall to 0 is at the first of the two times
    let share = if fall.is_finite() { share } else { 0.0 };
    Some(before.time + share * (after.time - before.time))
}

/// A relative error of retention as an error of time in seconds, by how fast the tenth percentile falls at `time`.
pub(crate) fn in_time(snapshots: &[Snapshot], time: f64, error: f64) -> Option<f64> {
    let after = snapshots
        .iter()
        .position(|snapshot| snapshot.time >= time)
        .unwrap_or(snapshots.len().saturating_sub(1))
        .max(1);
    let (before, after) = (snapshots.get(after - 1)?, snapshots.get(after)?);
    let fall = libm::log(before.retention[TENTH]) - libm::log(after.retention[TENTH]);
    (fall.is_finite() && fall > 0.0).then(|| error * (after.time - before.time) / fall)
}

/// The table of blocks; `since` converts a time of the FTL to seconds of the study.
pub(crate) fn block_columns(
    ftl: &dyn Inspect,
    states: &[WearState],
    lookup: &Lookup,
    retention: Vec<f64>,
    left: Vec<f64>,
    since: impl Fn(SimTime) -> f64,
) -> BlockColumns {
    let mut columns = BlockColumns {
        retention,
        left,
        ..BlockColumns::default()
    };
    let blocks = ftl.geometry().blocks();
    let pools = ftl.collected_space().map_or(1, |collected| collected.pools());
    let blocks_per_pool = blocks / pools;
    for block in 0..blocks {
        columns.pool.push(block / blocks_per_pool);
        let facts = ftl.block(BlockId(block));
        columns.valid_pages.push(facts.valid);
        columns.role.push(facts.role);
    }
    for state in states {
        let (erased, data) = state.rests();
        columns.erase_count.push(state.cycles());
        columns.equivalent_events.push(state.equivalent_events());
        columns
            .vth_net
            .push(lookup.vth_net(state.equivalent_events(), state.rest(Representative::LastCycle)));
        let closed = state.last_event().filter(|_| state.is_programmed());
        columns.last_program.push(closed.map_or(f64::NAN, &since));
        columns.rest_erased.push(erased);
        columns.rest_data.push(data);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: f64, tenth: f64) -> Snapshot {
        let mut left = [1e9; PERCENTILES.len()];
        left[TENTH] = tenth;
        Snapshot {
            time,
            retention: left,
            left,
            short: (0, 0),
            wear: [0.0; PERCENTILES.len()],
            erases: (0.0, 0.0, 0, 0),
            fleet: Vec::new(),
        }
    }

    #[test]
    fn life_ends_where_the_logarithm_crosses() {
        let snapshots = [at(0.0, 1000.0), at(10.0, 100.0), at(20.0, 1.0), at(30.0, 0.0)];
        assert_eq!(life(&snapshots, 2000.0), Some(0.0));
        assert!((life(&snapshots, 10.0).unwrap() - 15.0).abs() < 1e-9);
        assert_eq!(life(&snapshots, 0.5), Some(20.0));
        assert_eq!(life(&snapshots[..2], 10.0), None);
        // a tenfold fall in ten seconds
        let error = in_time(&snapshots, 5.0, 0.01).unwrap();
        assert!((error - 0.01 * 10.0 / libm::log(10.0)).abs() < 1e-12);
        assert_eq!(in_time(&[at(0.0, 1.0), at(1.0, 1.0)], 1.0, 0.01), None);
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let lookup = Lookup::new(
            wordline_cell::fence::RetentionModel::new(
                Default::default(),
                wordline_cell::fence::CellKind::Slc,
                Default::default(),
            )
            .unwrap(),
        );
        let states: Vec<WearState> = (1..=20)
            .map(|wear| WearState::worn(1e3 * f64::from(wear), wear))
            .collect();
        let turned: Vec<WearState> = states.iter().rev().copied().collect();
        let of = |states: &[WearState]| {
            let of_state = |state: &WearState| 2.0 * lookup.retention_of(state, Representative::LastCycle);
            let kept: Vec<f64> = states.iter().map(of_state).collect();
            let left = kept.iter().map(|kept| kept - 1e3).collect();
            let third = Duration((kept.iter().copied().fold(0.0, f64::max) * 3e8) as u64);
            snapshot(5.0, states, (kept, left), third)
        };
        let (snapshot, other) = (of(&states), of(&turned));
        assert_eq!((snapshot.left, snapshot.short), (other.left, other.short));
        assert_eq!(snapshot.left[TENTH], snapshot.retention[TENTH] - 1e3);
        assert!((1..20).contains(&snapshot.short.0), "{:?}", snapshot.short);
        assert_eq!((snapshot.retention, snapshot.wear), (other.retention, other.wear));
        let of = |wear: f64| 2.0 * lookup.retention(1e3 * wear, 1.0);
        assert_eq!(snapshot.retention[TENTH], of(19.0));
        assert_eq!(snapshot.retention[0], of(20.0));
        assert_eq!(snapshot.retention[7], of(1.0));
        assert_eq!(
            (snapshot.erases.0, snapshot.erases.2, snapshot.erases.3),
            (10.5, 1, 20)
        );
    }
}
