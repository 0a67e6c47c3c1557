//! `random_distribution`: how often which place of a region is chosen.

use std::sync::Arc;

use rand_distr::Distribution;
use wordline_units::Stream;

use super::sizes::{filled, optional_percent};
use super::values::Value;
use super::{Direction, Each};
use crate::synthetic::scatter::Scatter;
use crate::synthetic::slots::{below, unit};

/// Zones of a `zoned` distribution, as in fio.
const MOST_ZONES: usize = 256;

/// A distribution as the job file says it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Law {
    #[default]
    Uniform,
    Ranked {
        shape: Shape,
        /// Where the most popular block lies, 0 to 1 of the region; `None`: anywhere.
        center: Option<f64>,
    },
    Zoned(Each<Option<Zones>>),
}

/// How popular the ranks are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// The k-th block in proportion to 1/k^theta.
    Zipf(f64),
    /// The share `h` of the blocks gets the share `1 - h` of the commands, and so on in each part.
    Pareto(f64),
    /// The mean of twelve uniform draws, moved by a uniform one of this percentage of the region.
    Normal(f64),
}

/// Zones in the order of their addresses.
pub(crate) type Zones = Arc<[Zone]>;

/// A part of the region and the percentage of the commands that go there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Zone {
    access: f64,
    size: ZoneSize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ZoneSize {
    Percent(f64),
    Bytes(u64),
}

impl Law {
    /// `random`, `zipf:1.2`, `zipf:1.2:0.5`, `pareto:0.2`, `normal:10`, `zoned:60/10:40/`, `zoned_abs:60/1g:40/2g`.
    pub(crate) fn read(value: &Value<'_>) -> Result<Self, String> {
        const NAMES: &str = "random, zipf:theta, pareto:h, normal:deviation (each may go on with :center), \
                             zoned:access%/size%:... or zoned_abs:access%/bytes:...";
        let text = value.text()?;
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let ranked = |shape: fn(f64) -> Option<Shape>, default: f64, accepted: &str| {
            let default = rest.is_none().then_some(default);
            let rest = rest.unwrap_or("");
            let (first, center) = match rest.split_once([':', '/']) {
                Some((first, center)) => (first, Some(value.part(center).number()?)),
                None => (rest, None),
            };
            if center.is_some_and(|center| !(0.0..=1.0).contains(&center)) {
                return Err("a center from 0 to 1".to_owned());
            }
            let number = match (first, default) {
                ("", Some(default)) => Some(default),
                _ => value.part(first).number().ok(),
            };
            let shape = number.and_then(shape).ok_or_else(|| accepted.to_owned())?;
            Ok(Self::Ranked { shape, center })
        };
        match name {
            "random" if rest.is_none() => Ok(Self::Uniform),
            "zipf" => ranked(
                |theta| (theta > 0.0 && theta <= 10.0).then_some(Shape::Zipf(theta)),
                1.1,
                "zipf:theta with theta above 0 and up to 10",
            ),
            "pareto" => ranked(
                |h| (h > 0.0 && h < 1.0).then_some(Shape::Pareto(h)),
                0.2,
                "pareto:h with h above 0 and below 1",
            ),
            "normal" | "gauss" => ranked(
                |deviation| {
                    (0.0..=100.0)
                        .contains(&deviation)
                        .then_some(Shape::Normal(deviation))
                },
                0.0,
                "normal:deviation with a percentage from 0 to 100",
            ),
            "zoned" => value
                .part(rest.unwrap_or(""))
                .each(|part| zones(part, relative))
                .map(Self::Zoned),
            "zoned_abs" => value
                .part(rest.unwrap_or(""))
                .each(|part| zones(part, absolute))
                .map(Self::Zoned),
            _ => Err(NAMES.to_owned()),
        }
    }

    /// The law over `count` places whose ranks lie in their order, from one that `keys` draws on (from the first one with `normal`).
    ///
    /// # Errors
    /// What is accepted, where the law does not fit.
    pub(crate) fn in_order(&self, count: u64, keys: &mut Stream) -> Result<Places, String> {
        let Self::Ranked { shape, center } = self else {
            return Ok(Places::Uniform(count));
        };
        let anywhere = match shape {
            Shape::Normal(_) => None,
            Shape::Zipf(_) | Shape::Pareto(_) => Some(unit(keys)),
        };
        Ranked::over(*shape, center.or(anywhere), count, None).map(Places::Ranked)
    }

    /// Whether each block is visited once per pass where the map is on: fio switches it off for the
    /// other laws.
    pub(crate) const fn keeps_map(&self) -> bool {
        matches!(self, Self::Uniform)
    }
}

/// Reads the sizes of zones: a percentage or bytes each, `None` where one was left out.
type ReadSizes = for<'a> fn(&Value<'a>, &[&'a str]) -> Result<Vec<ZoneSize>, String>;

fn zones(value: &Value<'_>, sizes: ReadSizes) -> Result<Zones, String> {
    let entries: Vec<(&str, &str)> = value
        .text()?
        .split(':')
        .take(MOST_ZONES + 1)
        .map(|entry| entry.split_once('/').unwrap_or((entry, "")))
        .collect();
    if entries.len() > MOST_ZONES {
        return Err(format!("at most {MOST_ZONES} zones"));
    }
    let access = entries
        .iter()
        .map(|(access, _)| optional_percent(value, access))
        .collect::<Result<Vec<_>, _>>()?;
    let access = filled(&access)?;
    let total: f64 = access.iter().sum();
    if total < 99.999 {
        return Err(format!("accesses that add up to 100%, not {total}%"));
    }
    let sizes = sizes(value, &entries.iter().map(|(_, size)| *size).collect::<Vec<_>>())?;
    Ok(access
        .into_iter()
        .zip(sizes)
        .map(|(access, size)| Zone { access, size })
        .collect())
}

fn relative<'a>(value: &Value<'a>, sizes: &[&'a str]) -> Result<Vec<ZoneSize>, String> {
    let sizes = sizes
        .iter()
        .map(|size| optional_percent(value, size))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(filled(&sizes)?.into_iter().map(ZoneSize::Percent).collect())
}

fn absolute<'a>(value: &Value<'a>, sizes: &[&'a str]) -> Result<Vec<ZoneSize>, String> {
    sizes
        .iter()
        .map(|size| value.part(size).integer().map(ZoneSize::Bytes))
        .collect()
}

/// Draws places below a number of them.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    Uniform(u64),
    Ranked(Ranked),
    /// Cumulated percentage, first place and number of places of each zone.
    Zoned(Vec<(f64, u64, u64)>),
}

/// Ranks, and the places that they are scattered to.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    count: u64,
    shape: Ranks,
    /// `None`: the ranks lie in their order.
    scatter: Option<Scatter>,
    /// Added to every place.
    shift: u64,
}

#[derive(Clone, Copy, Debug)]
enum Ranks {
    Zipf(rand_distr::Zipf<f64>),
    Pareto { power: f64 },
    Normal { width: u64 },
}

impl Places {
    /// The law over `count` places (at least 1) that lie `step` sectors of `sector` bytes apart. `keys`
    /// scatter popular places: the same keys give the same places.
    ///
    /// # Errors
    /// What is accepted, where the law does not fit.
    pub(crate) fn new(
        law: &Law,
        direction: Direction,
        count: u64,
        step: u64,
        keys: &mut Stream,
    ) -> Result<Self, String> {
        match law {
            Law::Uniform => Ok(Self::Uniform(count)),
            Law::Ranked { shape, center } => Ranked::new(*shape, *center, count, keys).map(Self::Ranked),
            Law::Zoned(zones) => match zones.of(direction) {
                None => Ok(Self::Uniform(count)),
                Some(zones) => zoned(zones, count, step).map(Self::Zoned),
            },
        }
    }

    /// The next place.
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Self::Uniform(count) => below(*count, stream),
            Self::Ranked(ranked) => ranked.draw(stream),
            Self::Zoned(zones) => {
                let percent = unit(stream) * 100.0;
                let zone = zones.iter().find(|(upto, ..)| percent < *upto).or(zones.last());
                zone.map_or(0, |(_, first, count)| first + below(*count, stream))
            }
        }
    }
}

fn zoned(zones: &Zones, count: u64, step: u64) -> Result<Vec<(f64, u64, u64)>, String> {
    let (mut access, mut percent, mut bytes) = (0.0, 0.0, 0_u64);
    zones
        .iter()
        .map(|zone| {
            let edge = |percent: f64, bytes: u64| match zone.size {
                ZoneSize::Percent(_) => (percent / 100.0 * count as f64).round() as u64,
                ZoneSize::Bytes(_) => bytes / step,
            };
            let from = edge(percent, bytes);
            match zone.size {
                ZoneSize::Percent(size) => percent += size,
                ZoneSize::Bytes(size) => bytes = bytes.saturating_add(size),
            }
            let to = edge(percent, bytes);
            access += zone.access;
            if to > count {
                return Err(format!(
                    "zones within the region of {} B",
                    count.saturating_mul(step)
                ));
            }
            let from = from.min(count - 1);
            Ok((access, from, to.saturating_sub(from).max(1)))
        })
        .collect()
}

impl Ranked {
    fn new(shape: Shape, center: Option<f64>, count: u64, keys: &mut Stream) -> Result<Self, String> {
        Self::over(shape, center, count, Some(Scatter::of(count, keys)))
    }

    fn over(shape: Shape, center: Option<f64>, count: u64, scatter: Option<Scatter>) -> Result<Self, String> {
        let (shape, most_popular) = match shape {
            Shape::Zipf(theta) => {
                let law = rand_distr::Zipf::new(count as f64, theta).map_err(|error| error.to_string())?;
                (Ranks::Zipf(law), 0)
            }
            Shape::Pareto(h) => {
                let power = libm::log(h) / libm::log(1.0 - h);
                (Ranks::Pareto { power }, 0)
            }
            Shape::Normal(deviation) => {
                let width = (deviation / 100.0).min(0.5) * count as f64;
                (Ranks::Normal { width: width as u64 }, count / 2)
            }
        };
        let shift = center.map_or(0, |center| {
            let wanted = ((center * count as f64) as u64).min(count - 1);
            let most_popular = scatter.map_or(most_popular, |scatter| scatter.place(most_popular));
            (wanted + count - most_popular) % count
        });
        Ok(Self {
            count,
            shape,
            scatter,
            shift,
        })
    }

    fn draw(&self, stream: &mut Stream) -> u64 {
        let rank = self.rank(stream).min(self.count - 1);
        let place = self.scatter.map_or(rank, |scatter| scatter.place(rank));
        (place + self.shift) % self.count
    }

    fn rank(&self, stream: &mut Stream) -> u64 {
        match self.shape {
            Ranks::Zipf(law) => law.sample(stream) as u64 - 1,
            Ranks::Pareto { power } => (self.count as f64 * libm::pow(unit(stream), power)) as u64,
            Ranks::Normal { width } => {
                const DRAWS: u64 = 12;
                let sum: f64 = (0..DRAWS).map(|_| unit(stream)).sum();
                let rank = (sum / DRAWS as f64 * self.count as f64) as u64;
                let moved = (rank + below(width + 1, stream)).saturating_sub(width / 2);
                moved.min(self.count - 1)
            }
        }
    }
}
