//! Two versions of a file, page by page: what a drive that keeps deltas would have to keep.

use std::io::{self, Read};

use thiserror::Error;
use wordline_keys::RefusedValue;

use crate::codec::{Coder, Corrupt};
use crate::log_page::{LogPage, check_page_bytes, parse};

/// A page that both versions have and that is not the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which page of the file.
    pub page: u64,
    /// Bytes of its delta; a whole page where it cannot be made shorter.
    pub bytes: u32,
}

/// What two versions have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Pages that both have.
    pub pages: u64,
    /// Those of them that differ.
    pub changed: u64,
    /// Pages of the newer version beyond the end of the older one: never overwritten, so there is no delta.
    pub added: u64,
}

/// Why two versions could not be compared.
#[derive(Debug, Error)]
pub enum VersionError {
    /// A size that the layout of pages of deltas does not serve.
    #[error(transparent)]
    Refused(#[from] RefusedValue),
    /// A version could not be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// A delta did not give its page again: a defect of a codec.
    #[error("page {page} does not come back from its delta: {why}")]
    Lost {
        /// Which page of the file.
        page: u64,
        /// What was wrong.
        why: Corrupt,
    },
}

/// Compares two versions, and tells of every page that differs. The deltas are put into pages of deltas, and each of these is parsed, decoded and compared with
/// the newer version when it is full.
///
/// The last page of a file is filled up with zeros.
///
/// # Errors
/// See [`VersionError`]; what `found` answers.
pub fn compare<E: From<VersionError>>(
    (old, new): (&mut impl Read, &mut impl Read),
    page_bytes: u32,
    coder: &mut Coder,
    mut found: impl FnMut(Difference) -> Result<(), E>,
) -> Result<Versions, E> {
    check_page_bytes(page_bytes).map_err(VersionError::from)?;
    let mut before = vec![0; page_bytes as usize];
    let mut after = before.clone();
    let mut delta = Vec::new();
    let mut log = Log::new(page_bytes)?;
    let mut versions = Versions::default();
    loop {
        let has_old = fill(old, &mut before).map_err(VersionError::from)?;
        if !fill(new, &mut after).map_err(VersionError::from)? {
            break;
        }
        if !has_old {
            versions.added += 1;
            continue;
        }
        let page = versions.pages;
        versions.pages += 1;
        if before == after {
            continue;
        }
        versions.changed += 1;
        coder.encode(&before, &after, &mut delta);
        log.keep(coder, page, &before, &after, &delta)?;
        found(Difference {
            page,
            bytes: delta.len() as u32,
        })?;
    }
    log.check(coder)?;
    Ok(versions)
}

/// Reads the next page; false at the end.
pub(crate) fn fill(file: &mut impl Read, page: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < page.len() {
        match file.read(&mut page[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    page[filled..].fill(0);
    Ok(filled > 0)
}

/// A page of deltas, and what they must give.
struct Log {
    page: LogPage,
    /// Page of the file, both versions.
    kept: Vec<(u64, Vec<u8>, Vec<u8>)>,
}

impl Log {
    fn new(page_bytes: u32) -> Result<Self, VersionError> {
        Ok(Self {
            page: LogPage::new(page_bytes)?,
            kept: Vec::new(),
        })
    }

    /// Puts a delta in, after a full page was checked; one that fits into no page is a page itself.
    fn keep(
        &mut self,
        coder: &mut Coder,
        page: u64,
        old: &[u8],
        new: &[u8],
        delta: &[u8],
    ) -> Result<(), VersionError> {
        let owner = page as u32;
        if !self.page.push(owner, delta) {
            self.check(coder)?;
            if !self.page.push(owner, delta) {
                return Ok(());
            }
        }
        self.kept.push((page, old.to_vec(), new.to_vec()));
        Ok(())
    }

    /// Reads everything back.
    fn check(&mut self, coder: &mut Coder) -> Result<(), VersionError> {
        let page = self.page.take();
        let lost = |page, why| VersionError::Lost { page, why };
        let entries = parse(&page).map_err(|why| lost(0, why))?;
        let mut again = Vec::new();
        for (entry, (at, old, new)) in entries.iter().zip(self.kept.drain(..)) {
            let from = usize::from(entry.offset);
            let delta = &page[from..from + usize::from(entry.length)];
            coder
                .decode(&old, delta, &mut again)
                .map_err(|why| lost(at, why))?;
            if again != new {
                return Err(lost(at, Corrupt("another page")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Codec, codec};

    fn differences(old: &[u8], new: &[u8]) -> (Versions, Vec<(u64, u32)>) {
        let mut coder = Coder::new(codec("lzf").unwrap());
        let mut found = Vec::new();
        let versions = compare::<VersionError>((&mut &*old, &mut &*new), 64, &mut coder, |difference| {
            found.push((difference.page, difference.bytes));
            Ok(())
        });
        (versions.unwrap(), found)
    }

    #[test]
    fn pages_that_differ_are_told() {
        let old: Vec<u8> = (0..64 * 4 + 10).map(|byte| (byte * 7) as u8).collect();
        let mut new = old.clone();
        new[70] ^= 1;
        new[64 * 3 + 5] ^= 1;
        // page 4 has ten bytes in both, and two pages come to it
        new.resize(64 * 7, 0);
        let (versions, found) = differences(&old, &new);
        let expected = Versions {
            pages: 5,
            changed: 2,
            added: 2,
        };
        assert_eq!(versions, expected);
        assert_eq!(found.iter().map(|(page, _)| *page).collect::<Vec<_>>(), [1, 3]);
        assert!(
            found.iter().all(|(_, bytes)| (4..20).contains(bytes)),
            "{found:?}"
        );
    }

    #[test]
    fn a_shorter_version_ends_the_comparison() {
        let (versions, found) = differences(&[1; 300], &[1; 100]);
        // the rest of the last page is zeros in the new version
        assert_eq!((versions.pages, versions.changed, found.len()), (2, 1, 1));
    }

    /// A codec that loses a byte is found out, although only sizes are asked for.
    #[test]
    fn a_codec_that_loses_data_is_found_out() {
        struct Forgetful;
        impl Codec for Forgetful {
            fn encode(&mut self, _old: &[u8], _new: &[u8], delta: &mut Vec<u8>) {
                delta.push(1);
            }
            fn decode(&mut self, old: &[u8], _delta: &[u8], new: &mut Vec<u8>) -> Result<(), Corrupt> {
                new.extend_from_slice(old);
                Ok(())
            }
        }
        let row = crate::codec::CodecRow {
            name: "forgetful",
            about: "",
            compress_cycles: 0,
            make: || Box::new(Forgetful),
        };
        let mut coder = Coder::new(&row);
        let result = compare::<VersionError>(
            (&mut &[1_u8; 64][..], &mut &[2_u8; 64][..]),
            64,
            &mut coder,
            |_| Ok(()),
        );
        let error = result.unwrap_err().to_string();
        assert_eq!(error, "page 0 does not come back from its delta: another page");
    }

    #[test]
    fn a_size_without_a_layout_is_refused() {
        let mut coder = Coder::new(codec("none").unwrap());
        let result = compare::<VersionError>((&mut &[][..], &mut &[][..]), 1 << 16, &mut coder, |_| Ok(()));
        assert!(result.unwrap_err().to_string().starts_with("page_size = 65536"));
    }
}
