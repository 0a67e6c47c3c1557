//! A connection: bytes that have come, bytes that are to go, both bounded.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

use crate::listen::Stream;

/// A client's connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Stream,
    /// What has come and is not done with.
    input: Vec<u8>,
    /// How much of it is done with.
    taken: usize,
    /// What is to go, and how much of it has gone.
    pub(crate) output: Vec<u8>,
    gone: usize,
    is_over: bool,
    /// It goes as soon as all that is to go has gone.
    closes: bool,
}

impl Connection {
    pub(crate) const fn new(stream: Stream) -> Self {
        Self {
            stream,
            input: Vec::new(),
            taken: 0,
            output: Vec::new(),
            gone: 0,
            is_over: false,
            closes: false,
        }
    }

    /// Whether it has ended.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_over || self.closes && !self.has_output()
    }

    /// Nothing more is read, and it ends when all that is to go has gone.
    pub(crate) const fn close(&mut self) {
        self.closes = true;
    }

    pub(crate) const fn closes(&self) -> bool {
        self.closes
    }

    /// Whether bytes wait to go.
    pub(crate) const fn has_output(&self) -> bool {
        self.gone < self.output.len()
    }

    /// Bytes that wait to go.
    pub(crate) const fn waiting(&self) -> usize {
        self.output.len() - self.gone
    }

    /// Reads what has come, at most as much as `scratch` has room for. The client may end it.
    pub(crate) fn receive(&mut self, scratch: &mut [u8]) {
        if self.taken == self.input.len() {
            self.input.clear();
        } else {
            self.input.drain(..self.taken);
        }
        self.taken = 0;
        match self.stream.read(scratch) {
            Ok(0) => self.is_over = true,
            Ok(bytes) => self.input.extend_from_slice(&scratch[..bytes]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.is_over = true,
        }
    }

    /// What has come and is not done with, and where to put what is to go.
    pub(crate) fn parts(&mut self) -> (&[u8], &mut Vec<u8>) {
        (&self.input[self.taken..], &mut self.output)
    }

    /// So many of the bytes are done with.
    pub(crate) const fn take(&mut self, bytes: usize) {
        self.taken += bytes;
    }

    /// Sends what the client takes now.
    pub(crate) fn send(&mut self) {
        while self.has_output() && !self.is_over {
            match self.stream.write(&self.output[self.gone..]) {
                Ok(0) => self.is_over = true,
                Ok(bytes) => self.gone += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.is_over = true,
            }
        }
        self.output.clear();
        self.gone = 0;
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
