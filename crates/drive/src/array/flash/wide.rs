//! Queues of programs that several units take from.

use wordline_nand::ChannelId;

use super::Flash;
use crate::array::classes::{CLASSES, LEVELS};
use crate::operation::Level;

/// The queues of programs that may go anywhere in the drive, in a channel or in a chip: one for each level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideQueues(usize);

impl WideQueues {
    /// Those of the whole drive.
    pub(crate) const DRIVE: Self = Self(0);

    /// Those of a channel.
    #[inline]
    pub(crate) fn of_channel(channel: usize) -> Self {
        Self(1 + channel)
    }
}

impl Flash {
    /// The queues of a chip.
    #[inline]
    pub(crate) fn queues_of_chip(&self, chip: u32) -> WideQueues {
        WideQueues(1 + self.channels.len() + chip as usize)
    }

    /// Index of the queue of level 0.
    #[inline]
    pub(crate) fn first_of(&self, queues: WideQueues) -> usize {
        self.units.len() * CLASSES + LEVELS * queues.0
    }

    /// Index of the drive-wide program queue of level 0.
    #[inline]
    pub(crate) fn drive_queue(&self) -> usize {
        self.first_of(WideQueues::DRIVE)
    }

    /// Index of a channel's program queue of level 0.
    pub(crate) fn channel_queue(&self, channel: ChannelId) -> usize {
        self.first_of(WideQueues::of_channel(channel.index()))
    }

    /// Index of a chip's program queue of level 0.
    pub(crate) fn chip_queue(&self, chip: u32) -> usize {
        self.first_of(self.queues_of_chip(chip))
    }

    /// The queues of programs that a unit may take beside its own, each by its level 0.
    pub(crate) fn wide_queues(&self, unit: usize) -> [usize; 3] {
        let chip = unit as u32 * self.dies_per_unit / self.geometry.dies_per_chip;
        let channel = ChannelId(self.channel_of_unit(unit) as u32);
        [
            self.drive_queue(),
            self.channel_queue(channel),
            self.chip_queue(chip),
        ]
    }

    /// Whether a queue that is not of one unit holds steps of host commands.
    pub(crate) fn is_of_host(&self, queue: usize) -> bool {
        (queue - self.drive_queue()) % LEVELS == Level::Host as usize
    }

    /// Notes that a queue that is not of one unit became empty or not.
    pub(crate) fn set_wide(&mut self, queue: usize, some: bool) {
        let queue = queue - self.drive_queue();
        let levels = &mut self.wide[queue / LEVELS];
        if some {
            *levels |= 1 << (queue % LEVELS);
        } else {
            *levels &= !(1 << (queue % LEVELS));
        }
    }

    /// The queue of the programs that may go to a channel among others, where they are all of the host and in one queue.
    #[inline]
    pub(crate) fn only_host_queue(&self, channel: usize) -> Option<usize> {
        let of_channel = WideQueues::of_channel(channel);
        let in_channel = self.wide_levels(of_channel);
        let queues = match self.wide_levels(WideQueues::DRIVE) {
            0 => of_channel,
            _ if in_channel == 0 => WideQueues::DRIVE,
            _ => return None,
        };
        let is_so = self.chip_ops == 0 && self.wide_levels(queues) == 1 << Level::Host as u8;
        is_so.then(|| self.first_of(queues) + Level::Host as usize)
    }

    /// The levels at which some of these queues hold something, a bit each.
    #[inline]
    pub(crate) fn wide_levels(&self, queues: WideQueues) -> u8 {
        self.wide[queues.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_nand::{Geometry, GeometryConfig};

    /// In all queues that several units take from, of the drive, its channels and its chips.
    #[test]
    fn one_queue_in_four_is_of_the_host() {
        let config = GeometryConfig {
            channels: 3,
            chips_per_channel: 2,
            ..GeometryConfig::default()
        };
        let flash = Flash::new(Geometry::new(&config).unwrap(), false);
        let queues: Vec<bool> = (flash.drive_queue()..flash.queues.len())
            .map(|queue| flash.is_of_host(queue))
            .collect();
        assert_eq!(queues, [false, true, false, false].repeat(1 + 3 + 6));
    }
}
