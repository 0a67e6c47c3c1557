//! Block sizes: `bs`, `bsrange`, `bssplit`, and the shares that such lists are made of.

use std::sync::Arc;

use wordline_units::Stream;

use super::values::Value;
use crate::synthetic::classes::{draw, share};
use crate::synthetic::slots::below;

/// Entries of a `bssplit`, as in fio.
const MOST_SIZES: usize = 64;

/// Block sizes of one direction as the job file says them, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sizes {
    /// `bs`.
    One(u64),
    /// `bsrange`.
    Range(u64, u64),
    /// `bssplit`: sizes and their percentages, which may leave a rest to the last.
    Split(Arc<[(u64, f64)]>),
}

impl Sizes {
    /// `4k/50:16k/:64k/`.
    pub(crate) fn split(value: &Value<'_>) -> Result<Self, String> {
        let entries = value
            .text()?
            .split(':')
            .take(MOST_SIZES + 1)
            .map(|entry| {
                let (size, percent) = entry.split_once('/').unwrap_or((entry, ""));
                Ok((value.part(size).integer()?, optional_percent(value, percent)?))
            })
            .collect::<Result<Vec<_>, String>>()
            .map_err(|accepted| format!("size/percentage:size/percentage..., with {accepted}"))?;
        if entries.len() > MOST_SIZES {
            return Err(format!("at most {MOST_SIZES} sizes"));
        }
        let percents: Vec<_> = entries.iter().map(|(_, percent)| *percent).collect();
        let entries = entries.iter().zip(filled(&percents)?);
        Ok(Self::Split(
            entries.map(|((size, _), percent)| (*size, percent)).collect(),
        ))
    }

    /// Every size that is named.
    pub(crate) fn named(&self) -> Vec<u64> {
        match self {
            Self::One(size) => vec![*size],
            Self::Range(least, most) => vec![*least, *most],
            Self::Split(entries) => entries.iter().map(|(size, _)| *size).collect(),
        }
    }

    /// The sizes that are rounded down to a multiple of the smallest one, and to which: no other size is drawn.
    pub(crate) fn rounded(&self) -> Vec<(u64, u64)> {
        let least = self.named().into_iter().min().unwrap_or(1).max(1);
        let Self::Split(entries) = self else {
            return Vec::new();
        };
        let uneven = entries
            .iter()
            .filter(|(size, percent)| *percent > 0.0 && size % least > 0);
        uneven.map(|(size, _)| (*size, size / least * least)).collect()
    }

    /// The law by which sizes are drawn, of sizes that are whole sectors.
    pub(crate) fn law(&self, sector: u64) -> SizeLaw {
        let least = self.named().into_iter().min().unwrap_or(sector) / sector;
        match self {
            Self::Range(_, most) if most / sector > least => SizeLaw::Range {
                least,
                most: most / sector,
            },
            Self::One(_) | Self::Range(..) => SizeLaw::Fixed(least),
            Self::Split(entries) => {
                let mut sum = 0.0;
                let mut steps: Vec<(u64, u64)> = entries
                    .iter()
                    .filter(|(_, percent)| *percent > 0.0)
                    .map(|(size, percent)| {
                        sum += percent;
                        (share((sum / 100.0).min(1.0)), size / sector / least * least)
                    })
                    .collect();
                if let Some(last) = steps.last_mut() {
                    last.0 = u64::MAX;
                }
                match steps.as_slice() {
                    [] => SizeLaw::Fixed(least),
                    [(_, only)] if *only == least => SizeLaw::Fixed(least),
                    _ => SizeLaw::Split { least, steps },
                }
            }
        }
    }
}

/// A percentage, or nothing.
pub(crate) fn optional_percent<'a>(value: &Value<'a>, text: &'a str) -> Result<Option<u64>, String> {
    match text.trim() {
        "" => Ok(None),
        text => value.part(text.trim_end_matches('%')).percent().map(Some),
    }
}

/// Percentages of which those that were left out share what is left evenly.
pub(crate) fn filled(percents: &[Option<u64>]) -> Result<Vec<f64>, String> {
    let given: u64 = percents.iter().flatten().sum();
    let blank = percents.iter().filter(|percent| percent.is_none()).count();
    let left = 100_u64
        .checked_sub(given)
        .ok_or_else(|| format!("percentages that add up to at most 100, not {given}"))?;
    let each = left as f64 / blank.max(1) as f64;
    Ok(percents
        .iter()
        .map(|percent| percent.map_or(each, |percent| percent as f64))
        .collect())
}

/// How block sizes are drawn, in sectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SizeLaw {
    Fixed(u64),
    /// Multiples of `least` up to `most`, each equally likely; `most` itself, where it is none, gets the rest.
    Range {
        least: u64,
        most: u64,
    },
    /// Sizes below whose bound of 2^53 a draw falls first.
    Split {
        least: u64,
        steps: Vec<(u64, u64)>,
    },
}

impl SizeLaw {
    /// The unit of all sizes; a `bssplit` may name it with 0 % and never draw it.
    pub(crate) const fn least(&self) -> u64 {
        match self {
            Self::Fixed(least) | Self::Range { least, .. } | Self::Split { least, .. } => *least,
        }
    }

    /// The largest size that is drawn.
    pub(crate) fn most(&self) -> u64 {
        match self {
            Self::Fixed(size) => *size,
            Self::Range { most, .. } => *most,
            Self::Split { least, steps } => steps.iter().map(|(_, size)| *size).max().unwrap_or(*least),
        }
    }

    /// The next size, at most `room`, which holds the least one: a size that does not fit is drawn again, and
    /// cut after a few times.
    pub(crate) fn draw(&self, room: u64, stream: &mut Stream) -> u64 {
        /// Draws before a size is cut to the room.
        const TRIES: usize = 16;
        let one = |stream: &mut Stream| match self {
            Self::Fixed(size) => *size,
            Self::Range { least, most } => ((least + below(*most, stream)) / least * least).min(*most),
            Self::Split { least, steps } => {
                let draw = draw(stream);
                steps
                    .iter()
                    .find(|(upto, _)| draw < *upto)
                    .map_or(*least, |(_, size)| *size)
            }
        };
        for _ in 0..TRIES {
            let size = one(stream);
            if size <= room {
                return size;
            }
        }
        let least = self.least();
        (self.most().min(room) / least * least).max(least)
    }
}
