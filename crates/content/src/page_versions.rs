//! Pages of successive versions of a file: what the pages of a drive hold when they are written again and again.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use wordline_keys::RefusedValue;

use crate::log_page::check_page_bytes;
use crate::versions::fill;

/// Most bytes that the contents of all versions take in memory.
const MOST_BYTES: u64 = 1 << 30;
/// What is accepted as versions.
const ACCEPTED: &str =
    "accepted is a directory with two or more files, the versions of one file in the order of their names";

/// The contents of the pages that change between the versions, each in the order of the versions. A page that is the same in two versions that
/// follow each other was not written between them, and one that never changes was not written at all: it is left out.
#[derive(Debug)]
pub struct PageVersions {
    page_bytes: usize,
    /// All contents, one after the other.
    bytes: Vec<u8>,
    /// Of each page: the numbers of its contents.
    pages: Vec<Vec<u32>>,
}

impl PageVersions {
    /// Reads a directory that holds the versions of a file, in the order of their names. The last page of a version is filled up with zeros; pages that one of the
    /// versions does not have are left out.
    ///
    /// # Errors
    /// What cannot be read; a directory with anything but files, or less than two of them; no page that changes; contents of more than 1 GiB; a size that pages of deltas cannot have.
    pub fn read(directory: &Path, page_bytes: u32) -> Result<Self, RefusedValue> {
        check_page_bytes(page_bytes)?;
        let found = directory.display();
        let unreadable = |path: &Path, error: &io::Error| {
            RefusedValue::new(
                "versions",
                format!("\"{found}\""),
                format!("{ACCEPTED}; {}: {error}", path.display()),
            )
        };
        let files = files_of(directory).map_err(|error| unreadable(directory, &error))?;
        if files.len() < 2 {
            return Err(RefusedValue::new(
                "versions",
                format!("\"{found}\""),
                format!("{ACCEPTED}; it holds {}", files.len()),
            ));
        }
        let mut lengths = Vec::with_capacity(files.len());
        for path in &files {
            lengths.push(
                fs::metadata(path)
                    .map_err(|error| unreadable(path, &error))?
                    .len(),
            );
        }
        let common = lengths
            .iter()
            .min()
            .copied()
            .unwrap_or(0)
            .div_ceil(u64::from(page_bytes));
        let mut versions = Self {
            page_bytes: page_bytes as usize,
            bytes: Vec::new(),
            pages: Vec::new(),
        };
        if common.saturating_mul(u64::from(page_bytes)) <= MOST_BYTES {
            for path in &files {
                versions
                    .add(path, common)
                    .map_err(|error| unreadable(path, &error))?;
                if versions.bytes.len() as u64 > MOST_BYTES {
                    break;
                }
            }
        }
        versions.pages.retain(|contents| contents.len() > 1);
        let what = if versions.bytes.len() as u64 > MOST_BYTES || common > MOST_BYTES / u64::from(page_bytes)
        {
            "their pages take more than 1 GiB"
        } else if versions.pages.is_empty() {
            "no page changes"
        } else {
            return Ok(versions);
        };
        Err(RefusedValue::new(
            "versions",
            format!("\"{found}\""),
            format!("{ACCEPTED}; {what}"),
        ))
    }

    /// Takes the pages of another version that differ from those of the one before.
    fn add(&mut self, path: &Path, common: u64) -> io::Result<()> {
        let mut file = BufReader::new(File::open(path)?);
        let mut page = vec![0; self.page_bytes];
        for at in 0..common as usize {
            fill(&mut file, &mut page)?;
            if self.pages.len() == at {
                self.pages.push(Vec::new());
            }
            let last = self.pages[at].last().map(|number| self.content(*number));
            if last != Some(&page[..]) {
                self.pages[at].push((self.bytes.len() / self.page_bytes) as u32);
                self.bytes.extend_from_slice(&page);
            }
        }
        Ok(())
    }

    /// The number of the content that the `write`-th write of a logical page brings, 0 for what it holds before the first. Logical pages have the pages of the file that change one after the
    /// other, and again from the first one on; after its last content a page goes on with its first.
    #[must_use]
    pub fn number(&self, logical_page: u64, write: u32) -> u32 {
        let contents = &self.pages[(logical_page % self.pages.len() as u64) as usize];
        contents[write as usize % contents.len()]
    }

    /// Whether there is a content of a number.
    #[must_use]
    pub fn has(&self, number: u32) -> bool {
        (number as usize) < self.bytes.len() / self.page_bytes
    }

    /// The content of a number that [`Self::number`] has told, as long as a page.
    #[must_use]
    pub fn content(&self, number: u32) -> &[u8] {
        let from = number as usize * self.page_bytes;
        &self.bytes[from..from + self.page_bytes]
    }

    /// Tells these versions from others: the 64-bit FNV-1a hash of all contents.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        self.bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
    }
}

/// The files of a directory in the order of their names.
fn files_of(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if !fs::metadata(entry.path())?.is_file() {
            let what = format!("{} is not a file", entry.path().display());
            return Err(io::Error::other(what));
        }
        files.push(entry.path());
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 64;

    /// Files of pages that are all of one byte, and what is found in them.
    fn read(name: &str, files: &[&[u8]]) -> Result<PageVersions, String> {
        let directory = std::env::temp_dir().join(format!("wordline-versions-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for (at, pages) in files.iter().enumerate() {
            let bytes: Vec<u8> = pages.iter().flat_map(|byte| [*byte; PAGE]).collect();
            fs::write(directory.join(format!("{at:02}")), bytes).unwrap();
        }
        let found = PageVersions::read(&directory, PAGE as u32).map_err(|error| error.to_string());
        fs::remove_dir_all(&directory).unwrap();
        found
    }

    /// The first page never changes, the second in the second and third version, the third in the third, and the fourth is not in all.
    #[test]
    fn a_page_has_the_contents_that_follow_each_other() {
        let versions = read("order", &[&[1, 2, 3, 9], &[1, 4, 3], &[1, 5, 6, 8]]).unwrap();
        let contents = |page: u64| -> Vec<u8> {
            let numbers = (0..4).map(|write| versions.number(page, write));
            numbers.map(|number| versions.content(number)[PAGE - 1]).collect()
        };
        assert_eq!(contents(0), [2, 4, 5, 2]);
        assert_eq!(contents(1), [3, 6, 3, 6]);
        assert_eq!(contents(2), contents(0), "the pages of the file again");
        assert_eq!(versions.content(versions.number(0, 0)).len(), PAGE);
        // three of the first version, one of the second, two of the third
        assert!(versions.has(5) && !versions.has(6));
    }

    #[test]
    fn what_is_no_set_of_versions_is_refused() {
        for (name, files, why) in [
            ("none", &[][..], "it holds 0"),
            ("one", &[&[1, 2][..]], "it holds 1"),
            ("same", &[&[1, 2], &[1, 2]], "no page changes"),
            ("empty", &[&[1, 2], &[]], "no page changes"),
        ] {
            let error = read(name, files).unwrap_err();
            assert!(
                error.starts_with("versions = ") && error.ends_with(why),
                "{error}"
            );
        }
        let error = PageVersions::read(Path::new("/nowhere"), 64)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("accepted is a directory") && error.contains("No such file"),
            "{error}"
        );
        assert!(
            PageVersions::read(Path::new("/"), 64)
                .unwrap_err()
                .to_string()
                .contains("is not a file")
        );
        assert_eq!(
            PageVersions::read(Path::new("/"), 1 << 16).unwrap_err().key,
            "page_size"
        );
    }

    #[test]
    fn fingerprints_tell_versions_apart() {
        let of = |name, last| read(name, &[&[1, 2], &[1, last]]).unwrap().fingerprint();
        assert_ne!(of("a", 3), of("b", 4));
        assert_eq!(of("c", 3), of("d", 3));
    }
}
