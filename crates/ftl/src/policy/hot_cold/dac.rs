//! Dynamic data clustering: pages wander between regions. One that is overwritten soon after its last write goes to the next hotter
//! region, one that collection moves to the next colder (Chiang, Lee and Chang, Software: Practice and Experience 29, 1999; FTL
//! specification, 5.1). Which region a page is in is told by the block that holds it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::SimTime;

use super::{Classifier, ClassifierRow, MOST_TEMPERATURES, check_at_least};
use crate::error::FtlError;
use crate::request::PageRequest;
use crate::state::archive::{Archive, ArchiveError};

/// Keys of `dac`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct RegionKeys {
    /// `dac`: regions, each with open blocks of its own, from 2 to 64.
    #[schemars(range(max = MANY))]
    regions: u32,
    /// `dac`: a page that is overwritten within so many writes of the host goes to the next hotter region.
    #[schemars(range(max = MANY))]
    region_age: u32,
}

impl Default for RegionKeys {
    /// The specification leaves both open: assumed.
    fn default() -> Self {
        Self {
            regions: 3,
            region_age: 16_384,
        }
    }
}

impl RegionKeys {
    /// # Errors
    /// More or fewer regions than there can be.
    fn regions(&self) -> Result<u8, FtlError> {
        u8::try_from(self.regions)
            .ok()
            .filter(|regions| (2..=MOST_TEMPERATURES).contains(regions))
            .ok_or_else(|| {
                let accepted = format!("from 2 to {MOST_TEMPERATURES}");
                FtlError::new("ftl.hot.regions", self.regions, accepted)
            })
    }
}

/// When each page was written last.
struct Regions {
    coldest: u8,
    age: u64,
    /// Writes so far.
    writes: u64,
    /// Per page: the number of its last write, from 1; 0 for none.
    last: Vec<u64>,
}

impl Regions {
    fn new(keys: &RegionKeys) -> Self {
        Self {
            coldest: keys.regions().unwrap_or(2) - 1,
            age: u64::from(keys.region_age),
            writes: 0,
            last: Vec::new(),
        }
    }
}

impl Classifier for Regions {
    fn temperature(&mut self, now: SimTime, write: &PageRequest) -> u8 {
        self.temperature_from(now, write, None)
    }

    fn temperature_from(&mut self, _now: SimTime, write: &PageRequest, held: Option<u8>) -> u8 {
        let at = write.lpn.0 as usize;
        if at >= self.last.len() {
            self.last.resize(at + 1, 0);
        }
        self.writes += 1;
        let last = std::mem::replace(&mut self.last[at], self.writes);
        let region = held.unwrap_or(self.coldest).min(self.coldest);
        if last > 0 && held.is_some() && self.writes - last <= self.age {
            region.saturating_sub(1)
        } else {
            region
        }
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.writes)?;
        archive.part(&mut self.last)
    }
}

/// `ftl.hot.classifier = "dac"`.
pub(crate) const DAC: ClassifierRow = {
    let help = "Pages overwritten soon go to the next hotter region, pages that collection moves to the next colder.";
    let mut row = ClassifierRow::new("dac", help, Keys::of::<RegionKeys>(), &|keys, _| {
        Some(Box::new(Regions::new(&keys.read::<RegionKeys>())))
    });
    row.temperatures = &|keys| keys.read::<RegionKeys>().regions().unwrap_or(2);
    row.check = |keys| {
        let keys = keys.read::<RegionKeys>();
        check_at_least("ftl.hot.region_age", keys.region_age, 1)?;
        keys.regions().map(|_| ())
    };
    row.cools_when_moved = true;
    row.asks_where_pages_are = true;
    row
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Lpn;
    use crate::request::PageOp;

    /// Three regions, and writes within three of each other are soon: page 7 comes from the coldest region to the hottest by two
    /// writes, stays where it is when it is late, and begins again where collection has put it; a page that was trimmed begins
    /// anew.
    #[test]
    fn pages_wander_by_their_writes() {
        let mut regions = Regions::new(&RegionKeys {
            regions: 3,
            region_age: 3,
        });
        let mut write = |lpn, held| {
            let request = PageRequest {
                op: PageOp::Write,
                lpn: Lpn(lpn),
                pages: 1,
                bitmap: 1,
                placement: 0,
                class: 0,
                command_sectors: 1,
            };
            regions.temperature_from(SimTime::ZERO, &request, held)
        };
        assert_eq!(write(7, None), 2);
        assert_eq!(write(7, Some(2)), 1);
        assert_eq!(write(8, None), 2);
        assert_eq!(write(9, None), 2);
        assert_eq!(write(7, Some(1)), 0, "three writes later");
        assert_eq!(write(7, Some(0)), 0, "none is hotter");
        for lpn in 10..13 {
            write(lpn, None);
        }
        assert_eq!(write(7, Some(0)), 0, "four writes later it stays");
        assert_eq!(write(7, Some(1)), 0, "collection had moved it");
        assert_eq!(write(7, None), 2);
        // in open blocks that are not those of host writes of any temperature
        assert_eq!(write(7, Some(u8::MAX)), 1);
    }
}
