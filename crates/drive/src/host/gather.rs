//! Pages of a write command that wait for each other on their way over the link, to be programmed together.

use wordline_ftl::{AllocationConfig, AllocationMode, DynamicMode, Level, PageRequest};
use wordline_nand::{CommandsConfig, Geometry, Use};
use wordline_units::{Duration, SimTime};

/// Which pages of a command wait for each other.
#[derive(Debug)]
pub(crate) struct Gather {
    /// Pages that are worth waiting for.
    most: usize,
    /// Longest wait of the first page of a group.
    wait: Duration,
    /// The group that is being made, with the times at which its data are in the drive.
    group: Vec<(PageRequest, SimTime)>,
}

impl Gather {
    /// For pages that allocation spreads in this order, waiting at most `wait`; none where no programs are joined.
    pub(crate) fn new(
        geometry: &Geometry,
        allocation: &AllocationConfig,
        commands: &CommandsConfig,
        chip_is_unit: bool,
        wait: Duration,
    ) -> Option<Self> {
        let most = pages_joined(geometry, allocation, commands, chip_is_unit);
        (most > 1 && wait > Duration::ZERO).then(|| Self {
            most: most as usize,
            wait,
            group: Vec::new(),
        })
    }

    /// Whether a page whose data are there at `at` comes too late for the group, or finds it full.
    pub(crate) fn is_over(&self, at: SimTime) -> bool {
        let first = self.group.first();
        first.is_some_and(|(_, first)| self.group.len() == self.most || at.since(*first) > self.wait)
    }

    /// Adds a page whose data are there at `at`, which is not before those of the others.
    pub(crate) fn add(&mut self, page: PageRequest, at: SimTime) {
        self.group.push((page, at));
    }

    /// The group, which begins anew; none where it is empty.
    pub(crate) fn take(&mut self) -> Option<Vec<(PageRequest, SimTime)>> {
        (!self.group.is_empty()).then(|| std::mem::take(&mut self.group))
    }

    /// Takes the place of the group back, so that nothing is allocated for the next.
    pub(crate) fn give_back(&mut self, mut group: Vec<(PageRequest, SimTime)>) {
        group.clear();
        self.group = group;
    }
}

/// Consecutive pages of a command among which those are that one command of a die (or chip) can program: all that lie
/// below the slowest level that commands join, in the order in which allocation spreads pages. 1 where none joins.
fn pages_joined(
    geometry: &Geometry,
    allocation: &AllocationConfig,
    commands: &CommandsConfig,
    chip_is_unit: bool,
) -> u32 {
    let joins_planes = commands.multi_plane_write != Use::Off && geometry.planes_per_die > 1;
    let joins_dies = commands.interleave && chip_is_unit && geometry.dies_per_chip > 1;
    let is_static = allocation.mode == AllocationMode::Static;
    let size = |level: Level| match level {
        Level::Channel => geometry.channels,
        Level::Chip => geometry.chips_per_channel,
        // dynamic allocation goes to one die of a chip at a time unless commands take several
        Level::Die if is_static || commands.interleave => geometry.dies_per_chip,
        Level::Plane if is_static || joins_planes => geometry.planes_per_die,
        Level::Die | Level::Plane => 1,
    };
    let levels = allocation.order.levels();
    let joined = |level: &Level| match level {
        Level::Die => joins_dies,
        Level::Plane => joins_planes,
        Level::Channel | Level::Chip => false,
    };
    let Some(last) = levels.iter().rposition(joined) else {
        return 1;
    };
    // pages bound to channels by their numbers go round the channels first, whatever the order says
    let bound = allocation.mode == AllocationMode::Dynamic
        && allocation.dynamic == DynamicMode::ChannelBound
        && !levels[..=last].contains(&Level::Channel);
    let channels = if bound { geometry.channels } else { 1 };
    levels[..=last].iter().map(|level| size(*level)).product::<u32>() * channels
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_nand::GeometryConfig;

    /// 8 channels of 4 chips of 2 dies of 4 planes, worked by hand.
    #[test]
    fn pages_that_are_worth_waiting_for() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 8,
            chips_per_channel: 4,
            dies_per_chip: 2,
            planes_per_die: 4,
            ..GeometryConfig::default()
        })
        .unwrap();
        let joined = |order: &str, mode, dynamic, planes, interleave, chip| {
            let allocation = AllocationConfig {
                mode,
                dynamic,
                order: order.parse().unwrap(),
                ..AllocationConfig::default()
            };
            let commands = CommandsConfig {
                multi_plane_write: if planes { Use::Wise } else { Use::Off },
                interleave,
                ..CommandsConfig::default()
            };
            pages_joined(&geometry, &allocation, &commands, chip)
        };
        let (dynamic, fixed) = (AllocationMode::Dynamic, AllocationMode::Static);
        let (full, bound) = (DynamicMode::Full, DynamicMode::ChannelBound);
        assert_eq!(joined("PCWD", dynamic, full, true, false, false), 4);
        assert_eq!(joined("CPWD", dynamic, full, true, false, false), 32);
        assert_eq!(joined("CWPD", dynamic, full, true, false, false), 128);
        // one die of a chip at a time, though D stands before P; a static map goes to both
        assert_eq!(joined("DPCW", dynamic, full, true, false, false), 4);
        assert_eq!(joined("DPCW", fixed, full, true, false, false), 8);
        assert_eq!(joined("PCWD", dynamic, bound, true, false, false), 32);
        // dies in one command
        assert_eq!(joined("PDCW", dynamic, full, true, true, true), 8);
        assert_eq!(joined("DCWP", dynamic, full, false, true, true), 2);
        // nothing joins
        assert_eq!(joined("PCWD", dynamic, full, false, false, false), 1);
        assert_eq!(joined("DCWP", dynamic, full, false, true, false), 1);
    }
}
