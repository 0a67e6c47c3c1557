//! The bytes that a live drive holds, of which the simulator knows nothing: sparse, in memory or in a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use rustix::fs::{FallocateFlags, fallocate};

use crate::error::LiveError;

/// What was written, by page of the drive; everything else reads as zeroes.
#[derive(Debug)]
pub struct Content {
    page_bytes: usize,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Memory(FxHashMap<u64, Box<[u8]>>),
    File(File, PathBuf),
}

impl Content {
    /// Content in memory.
    #[must_use]
    pub fn in_memory(page_bytes: usize) -> Self {
        Self {
            page_bytes,
            place: Place::Memory(FxHashMap::default()),
        }
    }

    /// Content in a file of `size` bytes, which is made, or made longer, where it is not so long. Nobody else may have it open as content.
    ///
    /// # Errors
    /// A file that cannot be opened, is longer than the device, or is the content of another server.
    pub fn in_file(page_bytes: usize, path: &Path, size: u64) -> Result<Self, LiveError> {
        let failed = |error| LiveError::Data(path.to_owned(), error);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LiveError::DataInUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let length = file.metadata().map_err(failed)?.len();
        if length > size {
            return Err(LiveError::DataTooLong {
                path: path.to_owned(),
                length,
                size,
            });
        }
        file.set_len(size).map_err(failed)?;
        Ok(Self {
            page_bytes,
            place: Place::File(file, path.to_owned()),
        })
    }

    /// Bytes of a page.
    #[must_use]
    pub const fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// Whether anything may have been written to it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.place {
            Place::Memory(pages) => pages.is_empty(),
            Place::File(file, _) => {
                use std::os::unix::fs::MetadataExt;
                file.metadata().is_ok_and(|facts| facts.blocks() == 0)
            }
        }
    }

    /// The stretches of pages that `length` bytes from `offset` touch: page, first byte in it, bytes.
    fn stretches(&self, offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, usize)> + use<> {
        let (page_bytes, end) = (self.page_bytes as u64, offset + length as u64);
        let mut at = offset;
        std::iter::from_fn(move || {
            let (page, within) = (at / page_bytes, at % page_bytes);
            let bytes = (page_bytes - within).min(end - at);
            at += bytes;
            (bytes > 0).then_some((page, within as usize, bytes as usize))
        })
    }

    /// The pages that `length` bytes from `offset` touch.
    #[must_use]
    pub fn pages(&self, offset: u64, length: u64) -> std::ops::Range<u64> {
        let page_bytes = self.page_bytes as u64;
        offset / page_bytes..(offset + length).div_ceil(page_bytes)
    }

    /// Appends `length` bytes from `offset` on.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&self, offset: u64, length: usize, out: &mut Vec<u8>) -> io::Result<()> {
        match &self.place {
            Place::Memory(pages) => {
                out.reserve(length);
                for (page, within, bytes) in self.stretches(offset, length) {
                    match pages.get(&page) {
                        Some(data) => out.extend_from_slice(&data[within..within + bytes]),
                        None => out.resize(out.len() + bytes, 0),
                    }
                }
                Ok(())
            }
            Place::File(file, _) => {
                let before = out.len();
                out.resize(before + length, 0);
                file.read_exact_at(&mut out[before..], offset)
            }
        }
    }

    /// Whether nothing was written there, as far as that is known without a look at the data.
    #[must_use]
    pub fn is_hole(&self, offset: u64, length: usize) -> bool {
        match &self.place {
            Place::Memory(pages) => !self
                .stretches(offset, length)
                .any(|(page, ..)| pages.contains_key(&page)),
            Place::File(..) => false,
        }
    }

    /// Keeps data at `offset`.
    ///
    /// # Errors
    /// The file cannot be written; what it holds there is not known then.
    pub fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        let stretches = self.stretches(offset, data.len());
        match &mut self.place {
            Place::Memory(pages) => {
                let mut data = data;
                for (page, within, bytes) in stretches {
                    let (now, later) = data.split_at(bytes);
                    if bytes == self.page_bytes {
                        pages.insert(page, now.into());
                    } else {
                        let zeroes = || vec![0; self.page_bytes].into_boxed_slice();
                        pages.entry(page).or_insert_with(zeroes)[within..within + bytes].copy_from_slice(now);
                    }
                    data = later;
                }
                Ok(())
            }
            Place::File(file, _) => file.write_all_at(data, offset),
        }
    }

    /// Zeroes instead of what is there; whole pages take no room any more.
    ///
    /// # Errors
    /// As those of [`Self::write`].
    pub fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        match &mut self.place {
            Place::Memory(pages) => {
                let page_bytes = self.page_bytes as u64;
                let end = offset + length;
                let whole = offset.div_ceil(page_bytes)..end / page_bytes;
                if whole.start < whole.end && whole.end - whole.start > pages.len() as u64 {
                    pages.retain(|page, _| !whole.contains(page));
                } else {
                    whole.clone().for_each(|page| _ = pages.remove(&page));
                }
                let head = offset..end.min(whole.start * page_bytes);
                let tail = head.end.max(whole.end * page_bytes)..end;
                for part in [head, tail] {
                    if let Some(data) = pages
                        .get_mut(&(part.start / page_bytes))
                        .filter(|_| !part.is_empty())
                    {
                        let within = (part.start % page_bytes) as usize;
                        data[within..within + (part.end - part.start) as usize].fill(0);
                    }
                }
                Ok(())
            }
            Place::File(file, _) => {
                let punched = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                if length == 0 || fallocate(&*file, punched, offset, length).is_ok() {
                    return Ok(());
                }
                // a file system without holes
                let zeroes = vec![0; 1 << 20];
                let (mut at, end) = (offset, offset + length);
                while at < end {
                    let bytes = (end - at).min(zeroes.len() as u64);
                    file.write_all_at(&zeroes[..bytes as usize], at)?;
                    at += bytes;
                }
                Ok(())
            }
        }
    }

    /// A page.
    ///
    /// # Errors
    /// As those of [`Self::read`].
    pub fn page(&self, page: u64) -> io::Result<Vec<u8>> {
        let mut data = Vec::with_capacity(self.page_bytes);
        if let Place::File(file, _) = &self.place {
            // the last page of an export that is no multiple of pages
            data.resize(self.page_bytes, 0);
            let mut got = 0;
            while got < data.len() {
                match file.read_at(&mut data[got..], page * self.page_bytes as u64 + got as u64)? {
                    0 => break,
                    bytes => got += bytes,
                }
            }
            return Ok(data);
        }
        self.read(page * self.page_bytes as u64, self.page_bytes, &mut data)?;
        Ok(data)
    }

    /// The file is on the disk of the machine that serves it; nothing to do in memory.
    ///
    /// # Errors
    /// It could not be brought there.
    pub fn sync(&self) -> io::Result<()> {
        match &self.place {
            Place::Memory(_) => Ok(()),
            Place::File(file, _) => file.sync_data(),
        }
    }

    /// The same, with other content in some pages; none there reads as zeroes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save_changed(&self, path: &Path, size: u64, changed: &[(u64, Option<Vec<u8>>)]) -> io::Result<()> {
        self.save(path, size)?;
        let file = OpenOptions::new().write(true).open(path)?;
        let zeroes = vec![0; self.page_bytes];
        for (page, data) in changed {
            let at = page * self.page_bytes as u64;
            let bytes = size.saturating_sub(at).min(self.page_bytes as u64) as usize;
            file.write_all_at(&data.as_deref().unwrap_or(&zeroes)[..bytes], at)?;
        }
        Ok(())
    }

    /// Writes all that was written into a sparse file at `path` of `size` bytes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path, size: u64) -> io::Result<()> {
        let file = File::create(path)?;
        file.set_len(size)?;
        match &self.place {
            Place::Memory(pages) => {
                let mut numbers: Vec<u64> = pages.keys().copied().collect();
                numbers.sort_unstable();
                for page in numbers {
                    let at = page * self.page_bytes as u64;
                    let bytes = size.saturating_sub(at).min(self.page_bytes as u64);
                    file.write_all_at(&pages[&page][..bytes as usize], at)?;
                }
                Ok(())
            }
            Place::File(_, from) => std::fs::copy(from, path).map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: u64 = 100;

    #[derive(Clone, Debug)]
    enum Change {
        Write(u64, Vec<u8>),
        Zero(u64, u64),
    }

    fn change() -> impl Strategy<Value = Change> {
        let extent = (0..SIZE).prop_flat_map(|from| (Just(from), 0..=SIZE - from));
        prop_oneof![
            (0..SIZE)
                .prop_flat_map(|from| (
                    Just(from),
                    prop::collection::vec(1_u8.., 0..=(SIZE - from) as usize)
                ))
                .prop_map(|(from, data)| Change::Write(from, data)),
            extent.prop_map(|(from, length)| Change::Zero(from, length)),
        ]
    }

    proptest! {
        /// Whatever is written and zeroed, it reads as an array of bytes would, in memory and in a file.
        #[test]
        fn content_is_an_array_of_bytes(changes in prop::collection::vec(change(), 0..30)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("data");
            let mut places = [Content::in_memory(16), Content::in_file(16, &path, SIZE).unwrap()];
            let mut array = vec![0; SIZE as usize];
            for each in changes {
                for content in &mut places {
                    match &each {
                        Change::Write(at, data) => content.write(*at, data).unwrap(),
                        Change::Zero(at, length) => content.zero(*at, *length).unwrap(),
                    }
                }
                match each {
                    Change::Write(at, data) => array[at as usize..][..data.len()].copy_from_slice(&data),
                    Change::Zero(at, length) => array[at as usize..][..length as usize].fill(0),
                }
            }
            for content in &places {
                let mut found = Vec::new();
                content.read(0, SIZE as usize, &mut found).unwrap();
                prop_assert_eq!(&found, &array);
                let mut last = array[96..].to_vec();
                last.resize(16, 0);
                prop_assert_eq!(content.page(6).unwrap(), last);
                if content.is_hole(0, SIZE as usize) {
                    prop_assert!(array.iter().all(|byte| *byte == 0));
                }
            }
            let copy = folder.path().join("copy");
            places[0].save(&copy, SIZE).unwrap();
            prop_assert_eq!(std::fs::read(copy).unwrap(), array);
        }
    }

    #[test]
    fn a_file_has_one_user_and_is_no_longer_than_the_device() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let first = Content::in_file(16, &path, 64).unwrap();
        assert!(first.is_empty());
        let second = Content::in_file(16, &path, 64).unwrap_err();
        assert!(matches!(second, LiveError::DataInUse(_)), "{second}");
        drop(first);
        let short = Content::in_file(16, &path, 48).unwrap_err();
        assert!(
            matches!(
                short,
                LiveError::DataTooLong {
                    length: 64,
                    size: 48,
                    ..
                }
            ),
            "{short}"
        );
    }
}
