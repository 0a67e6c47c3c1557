//! What requests ask for: operation and size.

use rand::Rng;
use wordline_units::{ByteSize, SECTOR_BYTES, Stream};

use crate::HostOp;
use crate::config::WorkloadConfig;

/// One class of requests: below `reads` in 2^53 read, below `trims` deallocate, others write.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// Upper end of the draws that choose this class.
    upto: u64,
    reads: u64,
    trims: u64,
    sectors: u32,
    /// Placement handle of its writes.
    placement: u16,
}

/// Weighted classes of requests.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    classes: Vec<Class>,
}

/// A share as a number of 2^53: draws of 53 bits below it happen with this probability, exactly
/// never at 0 and always at 1.
pub(crate) fn share(share: f64) -> u64 {
    (share * (1_u64 << 53) as f64) as u64
}

/// A draw to compare with a [`share`].
#[inline]
pub(crate) fn draw(stream: &mut Stream) -> u64 {
    stream.next_u64() >> 11
}

/// Whole sectors of a size that was checked.
pub(crate) fn sectors(size: ByteSize) -> u32 {
    u32::try_from(size.bytes() / u64::from(SECTOR_BYTES)).unwrap_or(u32::MAX)
}

impl Classes {
    /// The sizes of `request_size`, each equally likely.
    pub(crate) fn of(config: &WorkloadConfig) -> Self {
        let sizes = config.request_size.as_slice();
        Self::weighted(
            config,
            sizes.iter().map(|size| (*size, 1.0, config.read_fraction)),
        )
    }

    /// Classes of `(size, weight, share of reads)`.
    pub(crate) fn weighted(
        config: &WorkloadConfig,
        classes: impl Iterator<Item = (ByteSize, f64, f64)> + Clone,
    ) -> Self {
        let total: f64 = classes.clone().map(|(_, weight, _)| weight).sum();
        let mut sum = 0.0;
        let mut classes: Vec<Class> = classes
            .map(|(size, weight, reads)| {
                sum += weight;
                Class {
                    upto: share(sum / total),
                    reads: share(reads),
                    trims: share((reads + config.trim_fraction).min(1.0)),
                    sectors: sectors(size),
                    placement: config.placement,
                }
            })
            .collect();
        if let Some(last) = classes.last_mut() {
            last.upto = u64::MAX;
        }
        Self { classes }
    }

    /// The same with placement handles of their own, as far as they have them.
    pub(crate) fn with_placement(mut self, handles: impl Iterator<Item = Option<u16>>) -> Self {
        for (class, handle) in self.classes.iter_mut().zip(handles) {
            class.placement = handle.unwrap_or(class.placement);
        }
        self
    }

    /// Sectors of the smallest request.
    pub(crate) fn smallest(&self) -> u32 {
        self.classes.iter().map(|class| class.sectors).min().unwrap_or(1)
    }

    /// Sectors of the largest request.
    pub(crate) fn largest(&self) -> u32 {
        self.classes.iter().map(|class| class.sectors).max().unwrap_or(1)
    }

    /// The operation, the sectors and the placement handle of the next request.
    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> (HostOp, u32, u16) {
        let class = match self.classes.as_slice() {
            // nothing to draw
            [class] if class.reads == 0 && class.trims == 0 => {
                return (HostOp::Write, class.sectors, class.placement);
            }
            [class] if class.reads == 1 << 53 => return (HostOp::Read, class.sectors, 0),
            [class] => class,
            classes => {
                let draw = draw(stream);
                &classes[classes.partition_point(|class| class.upto <= draw)]
            }
        };
        let draw = draw(stream);
        let (op, placement) = if draw < class.reads {
            (HostOp::Read, 0)
        } else if draw < class.trims {
            (HostOp::Trim, 0)
        } else {
            (HostOp::Write, class.placement)
        };
        (op, class.sectors, placement)
    }
}
