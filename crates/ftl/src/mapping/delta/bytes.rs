//! The bytes of a drive whose pages have content (`ftl.delta.versions`): what every page of flash holds, the deltas that the controller has, and what the host
//! wrote last. Deltas are made and applied by a codec, pages of deltas have the layout of the specification (5.1), and what a read brings is compared with what
//! was written.

mod hooks;
mod persist;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use wordline_content::{CodecRow, Coder, LogPage, PageVersions, parse};
use wordline_nand::Geometry;

use super::keys::DeltaConfig;
use super::log::Page;
use crate::error::FtlError;

/// What a page holds.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// One of the contents of the versions.
    Version(u32),
    /// Other bytes: parts of several contents, or deltas.
    Bytes(Arc<[u8]>),
}

/// Where the delta of a logical page is.
#[derive(Clone, Debug)]
enum Place {
    /// It has none.
    Nowhere,
    /// The controller has it.
    Memory(Arc<[u8]>),
    /// In this page of deltas on flash.
    Flash(u64),
}

/// What the content of a logical page is made from.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    lpn: u64,
    base: u64,
    delta: Place,
}

/// A read that is under way.
#[derive(Debug)]
struct Reading {
    sources: Sources,
    expected: Content,
    bitmap: u64,
}

/// All bytes of a drive.
pub(super) struct Bytes {
    versions: PageVersions,
    row: &'static CodecRow,
    /// Made when it is first needed.
    coder: Option<Coder>,
    /// Of pages that were programmed. One that was not, and holds a logical page, has had its first content since the drive was filled.
    flash: FxHashMap<u64, Content>,
    /// What the host wrote last, of logical pages that it has written.
    written: FxHashMap<u64, Content>,
    /// What programs bring, by token: writes of the page-level FTL, and merges.
    of_writes: FxHashMap<u32, Content>,
    of_merges: FxHashMap<u32, Content>,
    /// Deltas by the token of the step that makes them.
    of_encodings: FxHashMap<u32, Arc<[u8]>>,
    /// Deltas that the controller has, by their stamps.
    deltas: FxHashMap<u64, Arc<[u8]>>,
    readings: FxHashMap<u32, Reading>,
    /// Reads that were compared with what was written.
    reads: u64,
    /// The first read, or page of deltas, that was not what it has to be.
    wrong: Option<String>,
    page_bytes: u32,
    /// Sub-pages of a page.
    parts: u32,
}

impl Bytes {
    /// Those of a drive, where its pages have content.
    ///
    /// # Errors
    /// Versions that cannot be read or do not change, an unknown codec.
    pub(super) fn of(keys: &DeltaConfig, geometry: &Geometry) -> Result<Option<Self>, FtlError> {
        let Some(directory) = &keys.versions else {
            return Ok(None);
        };
        let row = keys.codec_row()?;
        let versions = PageVersions::read(directory, geometry.page_bytes).map_err(|refused| {
            let key = match refused.key {
                "page_size" => "geometry.page_size",
                _ => "ftl.delta.versions",
            };
            FtlError::new(key, refused.found, refused.accepted)
        })?;
        let parts = geometry.full_bitmap().count_ones();
        Ok(Some(Self::new(versions, row, geometry.page_bytes, parts)))
    }

    pub(super) fn new(versions: PageVersions, row: &'static CodecRow, page_bytes: u32, parts: u32) -> Self {
        Self {
            versions,
            row,
            coder: None,
            flash: FxHashMap::default(),
            written: FxHashMap::default(),
            of_writes: FxHashMap::default(),
            of_merges: FxHashMap::default(),
            of_encodings: FxHashMap::default(),
            deltas: FxHashMap::default(),
            readings: FxHashMap::default(),
            reads: 0,
            wrong: None,
            page_bytes,
            parts,
        }
    }

    /// Reads that were compared with what was written.
    pub(super) const fn reads(&self) -> u64 {
        self.reads
    }

    /// What was counted is 0.
    pub(super) const fn reset_counters(&mut self) {
        self.reads = 0;
    }

    fn bytes<'a>(&'a self, content: &'a Content) -> &'a [u8] {
        match content {
            Content::Version(number) => self.versions.content(*number),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// What a page of flash holds that is of a logical page.
    fn on_flash(&self, page: u64, lpn: u64) -> Content {
        self.flash.get(&page).cloned().unwrap_or_else(|| self.first(lpn))
    }

    /// What a logical page holds before its first write.
    fn first(&self, lpn: u64) -> Content {
        Content::Version(self.versions.number(lpn, 0))
    }

    /// What a logical page has to show.
    fn expected(&self, lpn: u64) -> Content {
        self.written.get(&lpn).cloned().unwrap_or_else(|| self.first(lpn))
    }

    /// The content of a logical page, from the bytes that it is made from.
    fn content_of(&self, sources: &Sources, coder: &mut Coder) -> Result<Content, String> {
        let Sources { lpn, base, delta } = sources;
        let base = self.on_flash(*base, *lpn);
        let of_page;
        let delta = match delta {
            Place::Nowhere => return Ok(base),
            Place::Memory(delta) => &delta[..],
            Place::Flash(page) => {
                of_page = self.delta_in(*page, *lpn)?;
                &of_page
            }
        };
        let mut content = Vec::new();
        let decoded = coder.decode(self.bytes(&base), delta, &mut content);
        decoded.map_err(|why| format!("the delta of logical page {lpn} cannot be applied: {why}"))?;
        Ok(Content::Bytes(content.into()))
    }

    /// The delta of a logical page in a page of deltas.
    fn delta_in(&self, page: u64, lpn: u64) -> Result<Arc<[u8]>, String> {
        let Some(content) = self.flash.get(&page) else {
            return Err(format!(
                "page {page} of flash is said to hold deltas, and was never programmed"
            ));
        };
        let bytes = self.bytes(content);
        let entries = parse(bytes).map_err(|why| format!("page {page} of flash holds no deltas: {why}"))?;
        let of_page = entries
            .iter()
            .rev()
            .find(|entry| u64::from(entry.logical_page) == lpn);
        let Some(entry) = of_page else {
            return Err(format!(
                "page {page} of flash holds no delta of logical page {lpn}"
            ));
        };
        let from = usize::from(entry.offset);
        Ok(bytes[from..from + usize::from(entry.length)].into())
    }

    /// The content of a logical page.
    fn decoded(&mut self, sources: &Sources) -> Result<Content, String> {
        self.with_coder(|bytes, coder| bytes.content_of(sources, coder))
    }

    /// Uses the coder beside the bytes.
    fn with_coder<T>(&mut self, use_it: impl FnOnce(&Self, &mut Coder) -> T) -> T {
        let mut coder = self.coder.take().unwrap_or_else(|| Coder::new(self.row));
        let result = use_it(self, &mut coder);
        self.coder = Some(coder);
        result
    }

    /// What a write makes of a content: the sub-pages of a bitmap are of a new one.
    fn overlaid(&self, old: &Content, new: &Content, bitmap: u64) -> Content {
        let mut bytes = self.bytes(old).to_vec();
        let from = self.bytes(new);
        for part in (0..self.parts).filter(|part| bitmap >> part & 1 == 1) {
            let range = self.range(part);
            bytes[range.clone()].copy_from_slice(&from[range]);
        }
        Content::Bytes(bytes.into())
    }

    /// Whether two contents are the same in the sub-pages of a bitmap.
    fn agree(&self, one: &Content, other: &Content, bitmap: u64) -> bool {
        let (one, other) = (self.bytes(one), self.bytes(other));
        (0..self.parts)
            .filter(|part| bitmap >> part & 1 == 1)
            .all(|part| one[self.range(part)] == other[self.range(part)])
    }

    /// The bytes of a sub-page.
    fn range(&self, part: u32) -> std::ops::Range<usize> {
        let length = (self.page_bytes / self.parts) as usize;
        let from = part as usize * length;
        from..from + length
    }

    /// A page of deltas as it is programmed. One of its deltas that the controller does not have is a defect.
    fn page_of(&self, page: &Page) -> Result<Content, String> {
        let mut bytes = LogPage::new(self.page_bytes).map_err(|refused| refused.to_string())?;
        for (lpn, stamp) in &page.deltas {
            let Some(delta) = self.deltas.get(stamp) else {
                return Err(format!("the controller has no delta of logical page {lpn}"));
            };
            if !bytes.push(*lpn as u32, delta) {
                return Err(format!(
                    "a page of deltas has no room for that of logical page {lpn}"
                ));
            }
        }
        Ok(Content::Bytes(bytes.take().into()))
    }

    /// Changes a byte of a page of flash.
    #[cfg(test)]
    pub(super) fn spoil(&mut self, page: u64) {
        let mut bytes = self.bytes(&self.flash[&page]).to_vec();
        bytes[100] ^= 1;
        self.flash.insert(page, Content::Bytes(bytes.into()));
    }

    /// Keeps the first thing that is wrong.
    fn note<T>(&mut self, found: Result<T, String>) -> Option<T> {
        match found {
            Ok(value) => Some(value),
            Err(what) => {
                self.wrong.get_or_insert(what);
                None
            }
        }
    }
}
