//! Frontiers by number: host writes of each temperature, relocated pages, and cold data on their way to a worn block.

/// A write frontier: the stream or role whose pages share open blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frontier(pub u8);

/// Host writes of the hottest temperature: all of them where temperatures are not told apart.
pub(crate) const HOST: Frontier = Frontier(0);
/// Relocated pages, where they have open blocks of their own.
pub(crate) const GC: Frontier = Frontier(1);
/// Cold data on their way to a worn block.
pub(crate) const WEAR: Frontier = Frontier(2);
/// Frontiers of a drive whose host writes have one temperature.
pub(crate) const FIXED: u8 = 3;

/// The frontier of host writes of a temperature.
#[inline]
pub(crate) const fn host_frontier(temperature: u8) -> Frontier {
    match temperature {
        0 => HOST,
        _ => Frontier(FIXED - 1 + temperature),
    }
}

/// The temperature whose host writes a frontier takes, if it takes any.
#[inline]
pub(crate) const fn temperature_of(frontier: Frontier) -> Option<u8> {
    match frontier {
        HOST => Some(0),
        GC | WEAR => None,
        _ => Some(frontier.0 + 1 - FIXED),
    }
}

/// The frontier of the host writes that are one temperature colder than those of `frontier`.
#[inline]
pub(crate) const fn next_colder(frontier: Frontier) -> Frontier {
    match frontier {
        HOST => Frontier(FIXED),
        _ => Frontier(frontier.0 + 1),
    }
}
