//! What is saved of bytes: what mapped pages hold, the deltas that the controller has, and what was written last. Contents of the versions are saved by their
//! numbers.

use serde::{Deserialize, Serialize};

use super::super::DeltaFtl;
use super::{Bytes, Content};
use crate::state::archive::{Archive, ArchiveError, require};

/// A content in a file.
#[derive(Serialize, Deserialize)]
enum Saved {
    Version(u32),
    Bytes(Vec<u8>),
}

impl From<&Content> for Saved {
    fn from(content: &Content) -> Self {
        match content {
            Content::Version(number) => Self::Version(*number),
            Content::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

impl DeltaFtl {
    /// Which contents pages have, and which codec has made their deltas.
    pub(in super::super) fn keys_of_bytes(&self) -> [(&'static str, String); 2] {
        let none = || "none".to_owned();
        let (versions, codec) = match &self.bytes {
            Some(bytes) => (
                format!("contents {:016x}", bytes.versions.fingerprint()),
                bytes.row.name.to_owned(),
            ),
            None => (none(), none()),
        };
        [("ftl.delta.versions", versions), ("ftl.delta.codec", codec)]
    }

    /// Passes the bytes to a state file or takes them from it. Nothing of a drive whose pages have no content.
    pub(in super::super) fn archive_bytes(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let here = self.keys_of_bytes().map(|(_, value)| value);
        let mut saved = here.clone();
        archive.part(&mut saved)?;
        require(
            saved[0] == here[0],
            "contents of other versions than ftl.delta.versions",
        )?;
        require(
            saved[1] == here[1],
            "deltas of another codec than ftl.delta.codec",
        )?;
        let Some(bytes) = &mut self.bytes else {
            return Ok(());
        };
        let logical = self.user + u64::from(self.log.most());
        let (mut flash, mut written, mut deltas) = (Vec::new(), Vec::new(), Vec::new());
        if !archive.is_loading() {
            for lpn in 0..logical {
                if let Some(page) = self.data.map.lookup(lpn)
                    && let Some(content) = bytes.flash.get(&page)
                {
                    flash.push((page, Saved::from(content)));
                }
                if let Some(content) = bytes.written.get(&lpn) {
                    written.push((lpn, Saved::from(content)));
                }
                if let Some(delta) = self.log.get(lpn)
                    && let Some(made) = bytes.deltas.get(&delta.stamp)
                {
                    deltas.push((delta.stamp, made.to_vec()));
                }
            }
        }
        archive.part(&mut flash)?;
        archive.part(&mut written)?;
        archive.part(&mut deltas)?;
        if archive.is_loading() {
            let pages = self.data.space.geometry.pages();
            require(
                flash.iter().all(|(page, _)| *page < pages),
                "content of a page beyond the drive",
            )?;
            bytes.flash = flash
                .into_iter()
                .map(|(page, saved)| Ok((page, bytes.restored(saved)?)))
                .collect::<Result<_, ArchiveError>>()?;
            bytes.written = written
                .into_iter()
                .map(|(lpn, saved)| Ok((lpn, bytes.restored(saved)?)))
                .collect::<Result<_, ArchiveError>>()?;
            bytes.deltas = deltas
                .into_iter()
                .map(|(stamp, made)| (stamp, made.into()))
                .collect();
            // what was read back must give what was written, as at the end of a run
            require(
                self.check_bytes().is_ok(),
                "contents of pages that are not what was written",
            )?;
        }
        Ok(())
    }
}

impl Bytes {
    fn restored(&self, saved: Saved) -> Result<Content, ArchiveError> {
        match saved {
            Saved::Version(number) => {
                require(
                    self.versions.has(number),
                    "a content that the versions do not have",
                )?;
                Ok(Content::Version(number))
            }
            Saved::Bytes(bytes) => {
                require(
                    bytes.len() == self.page_bytes as usize,
                    "a page of another length",
                )?;
                Ok(Content::Bytes(bytes.into()))
            }
        }
    }
}
