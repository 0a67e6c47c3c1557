//! The streams directive of NVM Express (base specification, directive type 01h; Kang et al., HotStorage 2014): the handle of a
//! write is the identifier of a stream, and the drive keeps so many streams open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;

use super::{Directive, DirectiveRow, GroupSpan, Isolation, MOST_UNITS, Placing};
use crate::error::FtlError;
use crate::state::archive::{Archive, ArchiveError};
use wordline_keys::{Entry, Parameters};

/// What happens to a write of a stream that is not open while as many are open as the drive keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Overflow {
    /// It is written as if it had no stream.
    #[default]
    DefaultStream,
    /// The stream that was written least recently is closed, and this one opened.
    CloseLru,
    /// The command is refused.
    Reject,
}

/// Keys of `streams`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct StreamKeys {
    /// `streams`: streams that may be open at once, each with open blocks of its own in every plane, from 1 to 64. A stream is opened
    /// by its first write.
    #[schemars(range(max = MANY))]
    max_streams: u32,
    /// `streams`: what happens to a write of a stream that is not open while `max_streams` are. A stream that is closed leaves the rest
    /// of its open blocks empty until they are collected; while collection moves pages to them it is not closed, and the write has
    /// no stream.
    on_overflow: Overflow,
}

impl Default for StreamKeys {
    /// FTL specification, 5.2: the prototype of Kang et al. had four streams beside the default one.
    fn default() -> Self {
        Self {
            max_streams: 4,
            on_overflow: Overflow::default(),
        }
    }
}

impl StreamKeys {
    /// # Errors
    /// More or fewer streams than there can be.
    fn streams(&self) -> Result<u8, FtlError> {
        u8::try_from(self.max_streams)
            .ok()
            .filter(|streams| (1..=MOST_UNITS).contains(streams))
            .ok_or_else(|| {
                let accepted = format!("from 1 to {MOST_UNITS}");
                FtlError::new("ftl.placement.max_streams", self.max_streams, accepted)
            })
    }
}

/// An open stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    handle: u16,
    /// Number of its last write.
    used: u64,
}

/// The open streams.
struct Streams {
    units: Vec<Option<Open>>,
    on_overflow: Overflow,
    writes: u64,
}

impl Streams {
    fn new(streams: u8, on_overflow: Overflow) -> Self {
        Self {
            units: vec![None; usize::from(streams)],
            on_overflow,
            writes: 0,
        }
    }

    fn unit_of(&self, handle: u16) -> Option<usize> {
        self.units
            .iter()
            .position(|unit| unit.is_some_and(|open| open.handle == handle))
    }

    fn least_recent(&self) -> usize {
        let used = |unit: &usize| self.units[*unit].map_or(0, |open| open.used);
        (0..self.units.len()).min_by_key(used).unwrap_or_default()
    }
}

impl Directive for Streams {
    fn place(&mut self, handle: u16, can_close: &dyn Fn(u8) -> bool) -> Placing {
        self.writes += 1;
        let used = self.writes;
        if let Some(unit) = self.unit_of(handle) {
            self.units[unit] = Some(Open { handle, used });
            return Placing::Unit(unit as u8);
        }
        let is_vacant = |unit: &usize| self.units[*unit].is_none();
        let vacant: Vec<usize> = (0..self.units.len()).filter(is_vacant).collect();
        let chosen = match (&vacant[..], self.on_overflow) {
            ([], Overflow::CloseLru) => Some(self.least_recent()),
            ([], Overflow::DefaultStream) => None,
            ([], Overflow::Reject) => return Placing::Refused,
            (vacant, _) => vacant.iter().copied().find(|unit| can_close(*unit as u8)),
        };
        let Some(unit) = chosen.filter(|unit| can_close(*unit as u8)) else {
            return Placing::Default;
        };
        self.units[unit] = Some(Open { handle, used });
        Placing::NewUnit(unit as u8)
    }

    fn release(&mut self, handle: u16) -> Option<u8> {
        let unit = self.unit_of(handle)?;
        self.units[unit] = None;
        Some(unit as u8)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut open: Vec<Option<(u16, u64)>> = self
            .units
            .iter()
            .map(|unit| unit.map(|open| (open.handle, open.used)))
            .collect();
        archive.part(&mut open)?;
        archive.part(&mut self.writes)?;
        if archive.is_loading() {
            let unit = |open: Option<(u16, u64)>| open.map(|(handle, used)| Open { handle, used });
            self.units = open.into_iter().map(unit).collect();
        }
        Ok(())
    }
}

/// `ftl.placement.directive = "streams"`.
pub(crate) const STREAMS: DirectiveRow = DirectiveRow {
    entry: Entry {
        name: "streams",
        help: "Handles are streams (NVM Express, directive type 01h): each open stream has open blocks of its own, and collection keeps \
               its data apart.",
        keys: Keys::of::<StreamKeys>(),
        reads: &[],
    },
    units: |keys| keys.read::<StreamKeys>().streams().unwrap_or(1),
    isolation: |_| Isolation::Persistent,
    refuses: |keys| keys.read::<StreamKeys>().on_overflow == Overflow::Reject,
    reported: |_| None,
    groups: |_| GroupSpan::Drive,
    check: |keys: &Parameters<DirectiveRow>| keys.read::<StreamKeys>().streams().map(|_| ()),
    build: |keys| {
        let keys = keys.read::<StreamKeys>();
        Some(Box::new(Streams::new(
            keys.streams().unwrap_or(1),
            keys.on_overflow,
        )))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Two streams may be open; the third one's fate, by hand.
    #[test]
    fn the_third_of_two_streams() {
        let placed = |overflow, handles: &[u16]| -> Vec<Placing> {
            let mut streams = Streams::new(2, overflow);
            handles
                .iter()
                .map(|handle| streams.place(*handle, &|_| true))
                .collect()
        };
        let (new, old) = (Placing::NewUnit, Placing::Unit);
        let third = placed(Overflow::DefaultStream, &[7, 9, 7, 8, 9]);
        assert_eq!(third, [new(0), new(1), old(0), Placing::Default, old(1)]);
        let third = placed(Overflow::Reject, &[7, 9, 8, 7]);
        assert_eq!(third, [new(0), new(1), Placing::Refused, old(0)]);
        // 9 was written least recently when 8 comes, then 7 when 9 comes again
        let third = placed(Overflow::CloseLru, &[7, 9, 7, 8, 9]);
        assert_eq!(third, [new(0), new(1), old(0), new(1), new(0)]);
        // not while pages are moved to what would be closed
        let mut streams = Streams::new(1, Overflow::CloseLru);
        assert_eq!(streams.place(7, &|_| true), new(0));
        assert_eq!(streams.place(8, &|unit| unit != 0), Placing::Default);
        assert_eq!(streams.place(7, &|_| false), old(0));
    }

    #[test]
    fn a_released_stream_leaves_its_place() {
        let mut streams = Streams::new(1, Overflow::Reject);
        assert_eq!(streams.place(5, &|_| true), Placing::NewUnit(0));
        assert_eq!(streams.release(6), None);
        assert_eq!(streams.place(6, &|_| true), Placing::Refused);
        assert_eq!(streams.release(5), Some(0));
        assert_eq!(streams.place(6, &|_| true), Placing::NewUnit(0));
    }
}
