//! The layout of a page of flash that is filled with deltas (Delta-FTL specification, 5.1).
//!
//! Its header comes first, because a page that is read is transferred from its beginning: the number of deltas and a mark of two bytes each, then for each delta the logical page (4
//! bytes), offset and length (2 bytes each). The deltas follow without gaps. A delta is never divided between two pages.

use wordline_keys::RefusedValue;

use crate::codec::Corrupt;

/// Bytes in front of the entries.
const HEADER_BYTES: u32 = 4;
/// Bytes of an entry.
const ENTRY_BYTES: u32 = 8;
/// Tells such a page from others, and this layout from later ones.
const MARK: u16 = 0xd101;
/// Largest page: offsets and lengths are 16 bits wide.
pub const MOST_PAGE_BYTES: u32 = 65_535;

/// What a delta of so many bytes takes of a page.
#[must_use]
pub const fn room_for(delta_bytes: u32) -> u32 {
    ENTRY_BYTES + delta_bytes
}

/// What a page has for deltas and their entries.
pub(crate) const fn room_of(page_bytes: u32) -> u32 {
    page_bytes.saturating_sub(HEADER_BYTES)
}

/// Checks the size of a page.
///
/// # Errors
/// Not even one delta of a byte would fit, or offsets would be too small.
pub(crate) fn check_page_bytes(page_bytes: u32) -> Result<(), RefusedValue> {
    let accepted = HEADER_BYTES + room_for(1)..=MOST_PAGE_BYTES;
    if accepted.contains(&page_bytes) {
        Ok(())
    } else {
        let words = format!("accepted are {} to {} bytes", accepted.start(), accepted.end());
        Err(RefusedValue::new("page_size", page_bytes, words))
    }
}

/// Where a delta is in its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The logical page that it makes.
    pub logical_page: u32,
    /// Its first byte.
    pub offset: u16,
    /// Its bytes.
    pub length: u16,
}

/// A page that is being filled.
#[derive(Clone, Debug)]
pub struct LogPage {
    page_bytes: u32,
    owners: Vec<u32>,
    lengths: Vec<u16>,
    deltas: Vec<u8>,
}

impl LogPage {
    /// An empty page.
    ///
    /// # Errors
    /// A size that the layout does not serve.
    pub fn new(page_bytes: u32) -> Result<Self, RefusedValue> {
        check_page_bytes(page_bytes)?;
        Ok(Self {
            page_bytes,
            owners: Vec::new(),
            lengths: Vec::new(),
            deltas: Vec::new(),
        })
    }

    /// Bytes that are left for deltas and their entries.
    #[must_use]
    pub fn room(&self) -> u32 {
        let used = self.deltas.len() as u32 + ENTRY_BYTES * self.owners.len() as u32;
        room_of(self.page_bytes) - used
    }

    /// Whether no delta was put in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Puts a delta in; false, and nothing is changed, where it does not fit.
    #[must_use]
    pub fn push(&mut self, logical_page: u32, delta: &[u8]) -> bool {
        let fits = u32::try_from(delta.len()).is_ok_and(|bytes| {
            bytes <= MOST_PAGE_BYTES
                && room_for(bytes) <= self.room()
                && self.owners.len() < usize::from(u16::MAX)
        });
        if fits {
            self.owners.push(logical_page);
            self.lengths.push(delta.len() as u16);
            self.deltas.extend_from_slice(delta);
        }
        fits
    }

    /// The bytes of the page, padded with zeros; it is empty then.
    pub fn take(&mut self) -> Vec<u8> {
        let count = self.owners.len() as u16;
        let mut page = Vec::with_capacity(self.page_bytes as usize);
        page.extend_from_slice(&count.to_le_bytes());
        page.extend_from_slice(&MARK.to_le_bytes());
        let mut offset = HEADER_BYTES + ENTRY_BYTES * u32::from(count);
        for (owner, length) in self.owners.drain(..).zip(self.lengths.drain(..)) {
            page.extend_from_slice(&owner.to_le_bytes());
            page.extend_from_slice(&(offset as u16).to_le_bytes());
            page.extend_from_slice(&length.to_le_bytes());
            offset += u32::from(length);
        }
        page.append(&mut self.deltas);
        page.resize(self.page_bytes as usize, 0);
        page
    }
}

/// The entries of a page, whose deltas are inside of it, behind the entries, and do not overlap.
///
/// # Errors
/// No page of deltas, or a damaged one.
pub fn parse(page: &[u8]) -> Result<Vec<Entry>, Corrupt> {
    let ([count, mark], _) = fields::<2>(page).ok_or(Corrupt("no header"))?;
    if mark != MARK {
        return Err(Corrupt("no page of deltas"));
    }
    let entries = HEADER_BYTES as usize..HEADER_BYTES as usize + ENTRY_BYTES as usize * usize::from(count);
    let mut rest = page
        .get(entries.clone())
        .ok_or(Corrupt("more entries than fit"))?;
    let mut free_from = entries.end;
    let mut found = Vec::with_capacity(usize::from(count));
    while let Some(([low, high, offset, length], after)) = fields::<4>(rest) {
        let end = usize::from(offset) + usize::from(length);
        if usize::from(offset) < free_from || end > page.len() {
            return Err(Corrupt(
                "a delta that overlaps another one, or the end of the page",
            ));
        }
        free_from = end;
        rest = after;
        found.push(Entry {
            logical_page: u32::from(high) << 16 | u32::from(low),
            offset,
            length,
        });
    }
    Ok(found)
}

/// The next fields of 16 bits, and what follows.
fn fields<const N: usize>(bytes: &[u8]) -> Option<([u16; N], &[u8])> {
    let (fields, rest) = bytes.split_at_checked(2 * N)?;
    Some((
        std::array::from_fn(|field| u16::from_le_bytes([fields[2 * field], fields[2 * field + 1]])),
        rest,
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Five deltas of 819 bytes: four fill 4 + 4 x 827 = 3312 bytes, the fifth does not fit (Delta-FTL specification, 5.3).
    #[test]
    fn four_of_five_deltas_fit() {
        let mut page = LogPage::new(4096).unwrap();
        let delta = [7; 819];
        let fits: Vec<bool> = (0..5).map(|owner| page.push(owner, &delta)).collect();
        assert_eq!(fits, [true, true, true, true, false]);
        assert_eq!(page.room(), 4096 - 3312);
        let bytes = page.take();
        assert_eq!(bytes.len(), 4096);
        assert_eq!(&bytes[..4], [4, 0, 0x01, 0xd1]);
        assert!(page.is_empty() && page.push(4, &delta));
    }

    #[test]
    fn sizes_without_a_layout_are_refused() {
        let refused = |bytes| LogPage::new(bytes).err().map(|error| error.to_string());
        assert_eq!(refused(13), None);
        assert_eq!(
            refused(12).unwrap(),
            "page_size = 12: accepted are 13 to 65535 bytes"
        );
        assert!(refused(65_536).is_some());
    }

    #[test]
    fn damaged_pages_are_refused() {
        let mut page = LogPage::new(64).unwrap();
        assert!(page.push(1, &[1; 10]) && page.push(2, &[2; 10]));
        let good = page.take();
        assert_eq!(parse(&good).unwrap().len(), 2);
        let broken = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            parse(&bytes).unwrap_err()
        };
        assert_eq!(broken(2, 0), Corrupt("no page of deltas"));
        assert_eq!(broken(0, 8), Corrupt("more entries than fit"));
        let overlaps = Corrupt("a delta that overlaps another one, or the end of the page");
        assert_eq!(broken(8, 19), overlaps, "inside the entries");
        assert_eq!(broken(16, 29), overlaps, "inside the first delta");
        assert_eq!(broken(18, 35), overlaps, "beyond the page");
        assert_eq!(parse(&[1]).unwrap_err(), Corrupt("no header"));
    }

    proptest! {
        /// What was put in comes out, and parts of a page do not overlap (G3).
        #[test]
        fn deltas_come_out_as_they_went_in(
            deltas in prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u8>(), 0..400)), 0..40),
            page_bytes in 13_u32..8192,
        ) {
            let mut page = LogPage::new(page_bytes).unwrap();
            let kept: Vec<_> = deltas.iter().filter(|(owner, delta)| page.push(*owner, delta)).collect();
            let bytes = page.take();
            prop_assert_eq!(bytes.len(), page_bytes as usize);
            let entries = parse(&bytes).unwrap();
            prop_assert_eq!(entries.len(), kept.len());
            for (entry, (owner, delta)) in entries.iter().zip(kept) {
                let from = usize::from(entry.offset);
                prop_assert_eq!(entry.logical_page, *owner);
                prop_assert_eq!(&bytes[from..from + usize::from(entry.length)], &delta[..]);
            }
        }

        /// Any bytes are parsed or refused.
        #[test]
        fn no_page_leads_astray(mut page in prop::collection::vec(any::<u8>(), 0..300), marked in any::<bool>()) {
            if marked && page.len() > 4 {
                page[2..4].copy_from_slice(&MARK.to_le_bytes());
            }
            if let Ok(entries) = parse(&page) {
                for entry in entries {
                    prop_assert!(usize::from(entry.offset) + usize::from(entry.length) <= page.len());
                }
            }
        }
    }
}
