//! State written to a file and read back: one function lists what changes, for both directions.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// Why state cannot be written, or read back.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The file ends early, holds what does not belong there, or cannot be written.
    #[error("{0}")]
    Stream(#[from] postcard::Error),
    /// A table of another length than the drive's.
    #[error("a table of {found} entries where the drive has {expected}")]
    Length {
        /// Entries in the file.
        found: usize,
        /// Entries of the drive.
        expected: usize,
    },
    /// One part contradicts another, or is nothing that a drive comes to.
    #[error("it contradicts itself: {0}")]
    Content(&'static str),
    /// Operations are under way.
    #[error("the drive is in the middle of an operation")]
    Busy,
    /// The user does not want to go on.
    #[error("it was interrupted")]
    Interrupted,
}

/// Bytes of the longest text that may be part of a state.
const LONGEST_TEXT: usize = 64;

/// Refuses what was loaded unless something `holds` of it.
///
/// # Errors
/// It does not; `otherwise` says what is found then.
pub fn require(holds: bool, otherwise: &'static str) -> Result<(), ArchiveError> {
    if holds {
        Ok(())
    } else {
        Err(ArchiveError::Content(otherwise))
    }
}

/// Which part of the state of an FTL is saved or loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What the flash contains: any policy can continue from it. Random streams start afresh, and a job in the middle of
    /// its work is left there.
    Content,
    /// All that changes while the FTL works, so that it continues to the bit under the same configuration.
    Everything,
}

enum Direction<'a> {
    Save(&'a mut dyn Write),
    Load(&'a mut dyn Read),
}

/// State on its way to a file, or back from it. Whoever keeps state hands over each part of it, in the same order in
/// both directions; what follows from the configuration is no state.
pub struct Archive<'a> {
    direction: Direction<'a>,
    /// Asked now and then whether to go on.
    watch: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> Archive<'a> {
    /// Parts go to a writer.
    pub fn saving(to: &'a mut dyn Write) -> Self {
        Self {
            direction: Direction::Save(to),
            watch: None,
        }
    }

    /// Parts come from a reader.
    pub fn loading(from: &'a mut dyn Read) -> Self {
        Self {
            direction: Direction::Load(from),
            watch: None,
        }
    }

    /// Asks `watch` now and then whether to go on: the state of a large drive takes minutes.
    #[must_use]
    pub fn watched(mut self, watch: &'a mut dyn FnMut() -> bool) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Whether parts come from a reader.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        matches!(self.direction, Direction::Load(_))
    }

    /// Asks whether to go on, in the course of long work on a part.
    ///
    /// # Errors
    /// `Interrupted`: the user does not want to.
    pub fn go_on(&mut self) -> Result<(), ArchiveError> {
        if self.watch.as_mut().is_none_or(|watch| watch()) {
            Ok(())
        } else {
            Err(ArchiveError::Interrupted)
        }
    }

    /// One part of the state.
    ///
    /// # Errors
    /// The file ends early, holds something else, or cannot be written.
    pub fn part<T: Serialize + DeserializeOwned>(&mut self, value: &mut T) -> Result<(), ArchiveError> {
        let watch = &mut self.watch;
        let mut is_stopped = false;
        let mut go_on = || {
            is_stopped = is_stopped || watch.as_mut().is_some_and(|watch| !watch());
            !is_stopped
        };
        let passed = match &mut self.direction {
            Direction::Save(to) => postcard::to_io(value, Asking::new(to, &mut go_on)).map(|_| ()),
            Direction::Load(from) => {
                let mut scratch = [0; LONGEST_TEXT];
                postcard::from_io((Asking::new(from, &mut go_on), &mut scratch))
                    .map(|(found, _)| *value = found)
            }
        };
        if is_stopped {
            return Err(ArchiveError::Interrupted);
        }
        Ok(passed?)
    }

    /// A part whose length the configuration gives.
    ///
    /// # Errors
    /// As for `part`; another length.
    pub fn table<T: Serialize + DeserializeOwned>(
        &mut self,
        values: &mut Vec<T>,
    ) -> Result<(), ArchiveError> {
        let expected = values.len();
        self.part(values)?;
        if values.len() == expected {
            Ok(())
        } else {
            let found = values.len();
            Err(ArchiveError::Length { found, expected })
        }
    }

    /// Nothing follows.
    ///
    /// # Errors
    /// When loading: something does, or what follows cannot be read.
    pub fn end(&mut self) -> Result<(), ArchiveError> {
        match &mut self.direction {
            Direction::Save(_) => Ok(()),
            Direction::Load(from) => {
                let left = from
                    .read(&mut [0])
                    .map_err(|_| postcard::Error::DeserializeUnexpectedEnd)?;
                require(left == 0, "something comes after its end")
            }
        }
    }
}

/// Bytes between two questions whether to go on.
const ASKED_EVERY: usize = 1 << 20;

/// A stream that asks now and then whether to go on, and fails if not.
struct Asking<'a, S> {
    stream: S,
    go_on: &'a mut dyn FnMut() -> bool,
    bytes: usize,
}

impl<'a, S> Asking<'a, S> {
    fn new(stream: S, go_on: &'a mut dyn FnMut() -> bool) -> Self {
        Self {
            stream,
            go_on,
            bytes: 0,
        }
    }

    fn count(&mut self, bytes: usize) -> io::Result<usize> {
        self.bytes += bytes;
        if self.bytes >= ASKED_EVERY {
            self.bytes = 0;
            if !(self.go_on)() {
                // an error of the kind `Interrupted` would be tried again
                return Err(io::ErrorKind::Other.into());
            }
        }
        Ok(bytes)
    }
}

impl<W: Write> Write for Asking<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.stream.write(bytes)?;
        self.count(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<R: Read> Read for Asking<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(bytes)?;
        self.count(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of 4 MB, which asks four times in each direction.
    #[test]
    fn a_long_part_can_be_interrupted() {
        let mut part = vec![200_u8; 4 << 20];
        let mut saved = Vec::new();
        for allowed in [0, 3] {
            let mut left = allowed;
            let mut watch = || {
                left -= 1;
                left >= 0
            };
            let ended = Archive::saving(&mut saved).watched(&mut watch).part(&mut part);
            assert!(matches!(ended, Err(ArchiveError::Interrupted)), "{ended:?}");
        }
        saved.clear();
        Archive::saving(&mut saved)
            .watched(&mut || true)
            .part(&mut part)
            .unwrap();
        let mut from = &saved[..];
        let mut none = || false;
        let ended = Archive::loading(&mut from).watched(&mut none).part(&mut part);
        assert!(matches!(ended, Err(ArchiveError::Interrupted)), "{ended:?}");
    }
}
