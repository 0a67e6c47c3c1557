//! The places in the user space at which synthetic requests start.

use rand::Rng;
use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, SECTOR_BYTES, Stream};

use super::classes::sectors;
use crate::config::{Region, WorkloadConfig, WorkloadKind};

/// Equally spaced places at which a request of any size of the workload fits into the region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// First sector of the first slot.
    first: u64,
    /// Sectors from slot to slot.
    step: u64,
    /// Number of slots, at least 1.
    count: u64,
    /// Sector after the region.
    end: u64,
}

impl Slots {
    /// The slots of the region of `config` on a drive of `capacity` sectors.
    ///
    /// # Errors
    /// A region that does not lie on the drive, or in which the largest request has no room.
    pub(crate) fn of(
        config: &WorkloadConfig,
        capacity: u64,
        smallest: u32,
        largest: u32,
    ) -> Result<Self, RefusedValue> {
        let step = u64::from(config.align.map_or(smallest, sectors)).max(1);
        let (from, end) = bounds(config.region, capacity)?;
        let first = from.div_ceil(step) * step;
        let room = end.saturating_sub(first);
        if room < u64::from(largest) {
            let bytes = |sectors: u64| ByteSize(sectors * u64::from(SECTOR_BYTES)).to_string();
            let (key, found) = match config.region {
                Some(region) => ("workload.region", region.to_string()),
                None if config.kind == WorkloadKind::Profile => ("workload.kind", "profile".to_owned()),
                None if config.kind == WorkloadKind::Mixed => ("workload.mix", bytes(u64::from(largest))),
                None => ("workload.request_size", bytes(u64::from(largest))),
            };
            return Err(RefusedValue::new(
                key,
                found,
                format!(
                    "a request of {} must find room at a multiple of {}, between bytes {} and {} of the user space",
                    bytes(u64::from(largest)),
                    bytes(step),
                    from * u64::from(SECTOR_BYTES),
                    end * u64::from(SECTOR_BYTES),
                ),
            ));
        }
        Ok(Self {
            first,
            step,
            count: (room - u64::from(largest)) / step + 1,
            end,
        })
    }

    /// Number of slots.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// First sector of slot `index`.
    #[inline]
    pub(crate) const fn sector(&self, index: u64) -> u64 {
        self.first + index * self.step
    }

    /// The slot at `sector` or the next one; the first if a request of `sectors` does not fit there.
    #[inline]
    pub(crate) fn at_or_after(&self, sector: u64, sectors: u32) -> u64 {
        let start = sector.next_multiple_of(self.step);
        self.going_on(start, sectors)
    }

    /// `sector` itself; the first slot if a request of `sectors` does not fit there.
    #[inline]
    pub(crate) const fn going_on(&self, sector: u64, sectors: u32) -> u64 {
        if sector + sectors as u64 > self.end {
            self.first
        } else {
            sector
        }
    }
}

/// A number from 0 to below 1, uniform.
#[inline]
pub(crate) fn unit(stream: &mut Stream) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A number below `count`, uniform (Lemire, 2019, without the rejection: the bias is below
/// `count` / 2^64).
#[inline]
pub(crate) fn below(count: u64, stream: &mut Stream) -> u64 {
    ((u128::from(stream.next_u64()) * u128::from(count)) >> 64) as u64
}

fn bounds(region: Option<Region>, capacity: u64) -> Result<(u64, u64), RefusedValue> {
    let Some(region) = region else {
        return Ok((0, capacity));
    };
    region.sectors(capacity).ok_or_else(|| {
        let accepted = format!(
            "at most the user space of {} B",
            capacity * u64::from(SECTOR_BYTES)
        );
        RefusedValue::new("workload.region", region, accepted)
    })
}
