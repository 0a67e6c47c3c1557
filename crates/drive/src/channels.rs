//! Sets of channels.

/// Channels that a word has bits for.
const LOW: usize = u64::BITS as usize;

/// Some of the channels of a drive, a bit each.
#[derive(Debug)]
pub(crate) struct ChannelSet {
    low: u64,
    /// Those beyond the first 64; there is nothing here on drives that have no more.
    high: Box<[u64]>,
}

impl ChannelSet {
    /// An empty set of so many channels at most.
    pub(crate) fn new(channels: u32) -> Self {
        let words = channels.div_ceil(u64::BITS).saturating_sub(1);
        Self {
            low: 0,
            high: vec![0; words as usize].into_boxed_slice(),
        }
    }

    #[inline]
    fn word(&mut self, channel: usize) -> &mut u64 {
        if channel < LOW {
            &mut self.low
        } else {
            &mut self.high[channel / LOW - 1]
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, channel: usize) {
        *self.word(channel) |= 1 << (channel % LOW);
    }

    #[inline]
    pub(crate) fn remove(&mut self, channel: usize) {
        *self.word(channel) &= !(1 << (channel % LOW));
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.low == 0 && (self.high.is_empty() || self.high.iter().all(|word| *word == 0))
    }

    /// Takes out the only channel, where the set is of one.
    #[inline]
    pub(crate) fn take_only(&mut self) -> Option<usize> {
        if !self.high.is_empty() || !self.low.is_power_of_two() {
            return None;
        }
        Some(std::mem::take(&mut self.low).trailing_zeros() as usize)
    }

    /// Moves all channels into a set that has none.
    #[inline]
    pub(crate) fn move_into(&mut self, empty: &mut Self) {
        empty.low = std::mem::take(&mut self.low);
        if !self.high.is_empty() {
            std::mem::swap(&mut self.high, &mut empty.high);
        }
    }

    /// Takes out the first channel from `start` on, or else the first of all.
    #[inline]
    pub(crate) fn take_from(&mut self, start: u32) -> Option<usize> {
        if !self.high.is_empty() {
            return self.take_from_many(start as usize);
        }
        if self.low == 0 {
            return None;
        }
        let ahead = self.low >> start << start;
        let channel = if ahead != 0 { ahead } else { self.low }.trailing_zeros();
        self.low &= !(1 << channel);
        Some(channel as usize)
    }

    #[cold]
    fn take_from_many(&mut self, start: usize) -> Option<usize> {
        let channels = LOW * (1 + self.high.len());
        let channel = (start..channels)
            .chain(0..start)
            .find(|channel| *self.word(*channel) >> (channel % LOW) & 1 == 1)?;
        self.remove(channel);
        Some(channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn channels_leave_from_the_start_on_and_then_from_the_first(
            (most, mut channels, start) in prop::sample::select(vec![64_u32, 200])
                .prop_flat_map(|most| (Just(most), prop::collection::vec(0..most as usize, 0..12), 0..most)),
        ) {
            let mut set = ChannelSet::new(most);
            channels.iter().for_each(|channel| set.insert(*channel));
            set.insert(7);
            set.remove(7);
            channels.retain(|channel| *channel != 7);
            channels.sort_unstable_by_key(|channel| (*channel < start as usize, *channel));
            channels.dedup();
            prop_assert_eq!(set.is_empty(), channels.is_empty());
            if most == 64 && channels.len() == 1 {
                prop_assert_eq!(set.take_only(), channels.first().copied());
                prop_assert!(set.is_empty());
                set.insert(channels[0]);
            } else {
                prop_assert_eq!(set.take_only(), None);
            }
            let mut moved = ChannelSet::new(most);
            set.move_into(&mut moved);
            prop_assert!(set.is_empty());
            let mut set = moved;
            let left: Vec<usize> = std::iter::from_fn(|| set.take_from(start)).collect();
            prop_assert_eq!(left, channels);
            prop_assert!(set.is_empty());
        }
    }
}
