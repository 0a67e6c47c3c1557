//! Dynamic allocation: which idle slots of a channel the oldest pending programs take.

use wordline_nand::{ChannelId, DieId, Geometry, PlaneId};

use super::order::{Level, Order};

/// The round-robin tokens and the order of algorithm DA (allocation specification, 7.1).
#[derive(Clone, Debug)]
pub struct DynamicOrder {
    geometry: Geometry,
    /// The levels below the channel, highest-ranked first: where the step of each goes (chip, die, plane), and how many
    /// members of it one command can use.
    below: [(usize, u32); 3],
    /// Dies of a chip that one command can use: all of them, or 1 without interleave.
    usable_dies: u32,
    /// Planes of a die that one command can use: all of them, or 1 without multi-plane program.
    usable_planes: u32,
    /// q of step 3: usable slots in a channel of the levels ranked above the channel.
    above_channel: usize,
    /// Per channel: the chip to begin at.
    chip: Vec<u32>,
    /// Per chip: the die to begin at.
    die: Vec<u32>,
    /// Per die: the plane to begin at.
    plane: Vec<u32>,
}

impl DynamicOrder {
    /// Tokens at their start. `interleave_usable` and `multi_plane_usable` say whether programs
    /// of several dies of a chip, or several planes of a die, can be one command.
    #[must_use]
    pub fn new(geometry: Geometry, order: Order, interleave_usable: bool, multi_plane_usable: bool) -> Self {
        let usable_dies = if interleave_usable {
            geometry.dies_per_chip
        } else {
            1
        };
        let usable_planes = if multi_plane_usable {
            geometry.planes_per_die
        } else {
            1
        };
        let levels = order.levels();
        let size = |level: &Level| match level {
            Level::Channel => 1,
            Level::Chip => geometry.chips_per_channel as usize,
            Level::Die => usable_dies as usize,
            Level::Plane => usable_planes as usize,
        };
        let above_channel = levels
            .iter()
            .take_while(|level| **level != Level::Channel)
            .map(size)
            .product();
        let mut below = [(0, 1); 3];
        for (slot, level) in below
            .iter_mut()
            .zip(levels.into_iter().filter(|level| *level != Level::Channel))
        {
            *slot = match level {
                Level::Channel | Level::Chip => (0, geometry.chips_per_channel),
                Level::Die => (1, usable_dies),
                Level::Plane => (2, usable_planes),
            };
        }
        Self {
            below,
            usable_dies,
            usable_planes,
            above_channel,
            chip: vec![0; geometry.channels as usize],
            die: vec![0; geometry.chips() as usize],
            plane: vec![0; geometry.dies() as usize],
            geometry,
        }
    }

    /// The array.
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Step 3: how many of `pending` pages one channel takes, q * ceil(n / (C*q)), cut to n and
    /// to the slots of a channel.
    #[must_use]
    pub fn share(&self, pending: usize) -> usize {
        let q = self.above_channel;
        let slots = (self.geometry.chips_per_channel * self.usable_dies * self.usable_planes) as usize;
        (q * pending.div_ceil(self.geometry.channels as usize * q))
            .min(pending)
            .min(slots)
    }

    /// Step 2: appends to `out` up to `max` slots of `channel` whose dies are idle, from the
    /// tokens on, the higher-ranked level varying faster. With chip-wise busy states `idle`
    /// answers for the chip of the die. Levels that no command can use take one idle member per
    /// parent, the one that its token names or the next.
    pub fn slots(
        &self,
        channel: ChannelId,
        idle: impl FnMut(DieId) -> bool,
        max: usize,
        out: &mut Vec<PlaneId>,
    ) {
        let full = out.len() + max;
        if max > 0 {
            self.find_slot(channel, idle, |plane| {
                out.push(plane);
                out.len() == full
            });
        }
    }

    /// The first of these slots.
    #[inline]
    pub fn first_slot(&self, channel: ChannelId, idle: impl FnMut(DieId) -> bool) -> Option<PlaneId> {
        self.find_slot(channel, idle, |_| true)
    }

    /// The first of these slots that is `wanted`.
    #[inline]
    fn find_slot(
        &self,
        channel: ChannelId,
        mut idle: impl FnMut(DieId) -> bool,
        mut wanted: impl FnMut(PlaneId) -> bool,
    ) -> Option<PlaneId> {
        let geometry = &self.geometry;
        let [(first, fast_size), (second, middle_size), (third, slow_size)] = self.below;
        let first_chip = channel.0 * geometry.chips_per_channel;
        let chip_token = self.chip[channel.index()];
        let wrap = |at: u32, radix: u32| if at >= radix { at - radix } else { at };
        let mut step = [0_u32; 3];
        for slow in 0..slow_size {
            step[third] = slow;
            for middle in 0..middle_size {
                step[second] = middle;
                for fast in 0..fast_size {
                    step[first] = fast;
                    let chip = first_chip + wrap(chip_token + step[0], geometry.chips_per_channel);
                    let first_die = chip * geometry.dies_per_chip;
                    let token = self.die[chip as usize];
                    let die = if self.usable_dies == 1 {
                        // One die per chip: the first idle one from the token on.
                        (0..geometry.dies_per_chip)
                            .map(|at| first_die + wrap(token + at, geometry.dies_per_chip))
                            .find(|die| idle(DieId(*die)))
                    } else {
                        Some(first_die + wrap(token + step[1], geometry.dies_per_chip))
                            .filter(|die| idle(DieId(*die)))
                    };
                    let Some(die) = die else { continue };
                    let plane = wrap(self.plane[die as usize] + step[2], geometry.planes_per_die);
                    let plane = PlaneId(die * geometry.planes_per_die + plane);
                    if wanted(plane) {
                        return Some(plane);
                    }
                }
            }
        }
        None
    }

    /// Step 2 where `die` is the only idle one of its channel: as [`Self::slots`].
    pub fn slots_of_die(&self, die: DieId, max: usize, out: &mut Vec<PlaneId>) {
        let planes = self.geometry.planes_per_die;
        let token = self.plane[die.index()];
        for step in 0..self.usable_planes.min(u32::try_from(max).unwrap_or(u32::MAX)) {
            let plane = token + step;
            let plane = if plane < planes { plane } else { plane - planes };
            out.push(PlaneId(die.0 * planes + plane));
        }
    }

    /// Step 7: moves the tokens past a plane that was used.
    #[inline]
    pub fn advance(&mut self, plane: PlaneId) {
        let geometry = &self.geometry;
        let die = geometry.die_of(plane);
        let chip = geometry.chip_of(die);
        let channel = geometry.channel_of(die);
        // what follows `at` among the `count` members of the parent numbered `parent`
        let next = |at: u32, parent: u32, count: u32| {
            let following = at - parent * count + 1;
            if following == count { 0 } else { following }
        };
        self.plane[die.index()] = next(plane.0, die.0, geometry.planes_per_die);
        self.die[chip.0 as usize] = next(die.0, chip.0, geometry.dies_per_chip);
        self.chip[channel.index()] = next(chip.0, channel.0, geometry.chips_per_channel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use wordline_nand::GeometryConfig;

    fn geometry(channels: u32) -> Geometry {
        Geometry::new(&GeometryConfig {
            channels,
            ..GeometryConfig::default()
        })
        .unwrap()
    }

    /// (chip, die, plane) of the slots that `pages` pending pages take on an idle channel 0.
    fn taken(order: &DynamicOrder, pages: usize) -> Vec<(u32, u32, u32)> {
        let mut out = Vec::new();
        order.slots(ChannelId(0), |_| true, order.share(pages), &mut out);
        out.iter()
            .map(|plane| {
                let at = order
                    .geometry
                    .address(order.geometry.page(order.geometry.block(*plane, 0), 0));
                (at.chip, at.die, at.plane)
            })
            .collect()
    }

    fn order(channels: u32, letters: &str, interleave: bool, multi_plane: bool) -> DynamicOrder {
        DynamicOrder::new(
            geometry(channels),
            letters.parse().unwrap(),
            interleave,
            multi_plane,
        )
    }

    /// The examples of the allocation specification, 7.1, step 4: one channel, four chips.
    #[test]
    fn examples_of_one_idle_channel() {
        let ssd3 = order(1, "CWDP", true, true);
        assert_eq!(taken(&ssd3, 3), [(0, 0, 0), (1, 0, 0), (2, 0, 0)]);
        let mut chips = BTreeMap::<u32, Vec<u32>>::new();
        for (chip, die, plane) in taken(&ssd3, 6) {
            assert_eq!(plane, 0);
            chips.entry(chip).or_default().push(die);
        }
        assert_eq!(
            chips.into_values().collect::<Vec<_>>(),
            [vec![0, 1], vec![0, 1], vec![0], vec![0]]
        );
        let ssd4 = order(1, "CDWP", true, true);
        assert_eq!(taken(&ssd4, 4), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]);
        let ssd5 = order(1, "CDPW", true, true);
        assert_eq!(taken(&ssd5, 4), [(0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)]);
        let ssd6 = order(1, "CPDW", true, true);
        assert_eq!(taken(&ssd6, 2), [(0, 0, 0), (0, 0, 1)]);
    }

    #[test]
    fn share_of_a_channel() {
        let first = order(8, "CWDP", true, true);
        assert_eq!([1, 8, 9, 17].map(|n| first.share(n)), [1, 1, 2, 3]);
        // The channel last: one channel takes all its slots before the next gets a page.
        let last = order(8, "WDPC", true, true);
        assert_eq!([1, 9, 16, 100].map(|n| last.share(n)), [1, 9, 16, 16]);
        let middle = order(4, "DCWP", true, false);
        assert_eq!([1, 2, 8, 9].map(|n| middle.share(n)), [1, 2, 2, 4]);
        assert_eq!(order(4, "CWDP", false, false).share(1000), 4);
    }

    #[test]
    fn unusable_levels_rotate() {
        let mut basic = order(1, "CWDP", false, false);
        let mut seen = Vec::new();
        for _ in 0..16 {
            let (chip, die, plane) = taken(&basic, 1)[0];
            seen.push((chip, die, plane));
            basic.advance(basic.geometry.plane_at(0, chip, die, plane));
        }
        assert_eq!(seen[..5], [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (0, 1, 0)]);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 16);
        assert_eq!(taken(&basic, 9).len(), 4);
    }

    /// Whatever the order of the levels and the tokens, with a channel of which one die is idle.
    #[test]
    fn one_idle_die_has_the_same_slots_without_a_search() {
        for (letters, interleave, multi_plane) in [
            ("CWDP", true, true),
            ("PDWC", true, true),
            ("CPDW", false, true),
            ("WDPC", true, false),
            ("DCPW", false, false),
        ] {
            let mut order = order(2, letters, interleave, multi_plane);
            for step in 0..60_u32 {
                let die = DieId(8 + step * 5 % 8);
                for max in 1..6 {
                    let (mut searched, mut known) = (Vec::new(), Vec::new());
                    order.slots(ChannelId(1), |other| other == die, max, &mut searched);
                    order.slots_of_die(die, max, &mut known);
                    assert_eq!(searched, known, "{letters}, {max} at most");
                    assert!(!known.is_empty());
                }
                order.advance(PlaneId(16 + step * 7 % 16));
            }
        }
    }

    #[test]
    fn busy_dies_are_passed_over() {
        let mut order = order(2, "CWDP", true, false);
        let mut out = Vec::new();
        order.slots(ChannelId(1), |die| die.0 % 2 == 1, 16, &mut out);
        let dies: Vec<u32> = out.iter().map(|plane| plane.0 / 2).collect();
        assert_eq!(dies, [9, 11, 13, 15]);
        order.advance(out[0]);
        out.clear();
        order.slots(ChannelId(1), |_| true, 1, &mut out);
        // The chip token of channel 1 went on; that chip's own tokens did not.
        assert_eq!(out, [PlaneId(5 * 4)]);
    }
}
