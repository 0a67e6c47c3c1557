//! Where clients come in: a Unix socket, or a port.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use crate::error::LiveError;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// A port of this machine.
    Tcp(SocketAddr),
}

impl Address {
    /// An address as it is written: `HOST:PORT`, or anything with a slash or without a colon for the path of a Unix socket. `anyone` allows hosts that others can reach.
    ///
    /// # Errors
    /// A host that others can reach, one that is not known, no port.
    pub fn parse(text: &str, anyone: bool) -> Result<Self, LiveError> {
        if text.contains('/') || !text.contains(':') {
            return Ok(Self::Unix(text.into()));
        }
        let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
        let address = found.ok_or_else(|| {
            LiveError::Refused(format!(
                "{text}: no such address; accepted are a path for a Unix socket and HOST:PORT, such as localhost:10809"
            ))
        })?;
        if !anyone && !address.ip().is_loopback() {
            return Err(LiveError::Refused(format!(
                "{text}: anyone who reaches this machine could read and write the drive; accepted are a path for a Unix socket and ports of \
                 localhost, with --anyone any host"
            )));
        }
        Ok(Self::Tcp(address))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(address) => write!(f, "{address}"),
        }
    }
}

/// A place where clients come in; a Unix socket vanishes with it.
#[derive(Debug)]
pub(crate) enum Listener {
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener),
}

impl Listener {
    /// Listens at an address. A Unix socket that nobody listens at any more is replaced.
    ///
    /// # Errors
    /// Somebody listens there, something that is no socket is there, the machine refuses it.
    pub(crate) fn bind(address: &Address) -> Result<Self, LiveError> {
        let failed = |error: io::Error| match error.kind() {
            ErrorKind::AddrInUse => LiveError::SocketInUse(address.to_string()),
            _ => LiveError::Socket(address.to_string(), error),
        };
        let listener = match address {
            Address::Unix(path) => {
                let is_socket = path
                    .symlink_metadata()
                    .is_ok_and(|facts| facts.file_type().is_socket());
                if is_socket {
                    match UnixStream::connect(path) {
                        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                            std::fs::remove_file(path).map_err(failed)?;
                        }
                        _ => return Err(LiveError::SocketInUse(address.to_string())),
                    }
                } else if path.symlink_metadata().is_ok() {
                    return Err(LiveError::Refused(format!(
                        "{address}: is there and no socket, so nothing was replaced; name another path"
                    )));
                }
                let listener = UnixListener::bind(path).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                Self::Unix(listener, path.clone())
            }
            Address::Tcp(address) => {
                let listener = TcpListener::bind(address).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                Self::Tcp(listener)
            }
        };
        Ok(listener)
    }

    /// The next client, if one is waiting.
    pub(crate) fn accept(&self) -> io::Result<Option<Stream>> {
        let accepted = match self {
            Self::Unix(listener, _) => listener.accept().map(|(stream, _)| Stream::Unix(stream)),
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| Stream::Tcp(stream)),
        };
        match accepted {
            Ok(stream) => {
                stream.prepare()?;
                Ok(Some(stream))
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::ConnectionAborted) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The address that it has in the end, of a port 0 the port.
    pub(crate) fn address(&self) -> Option<String> {
        match self {
            Self::Unix(_, path) => Some(path.display().to_string()),
            Self::Tcp(listener) => listener.local_addr().ok().map(|address| address.to_string()),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            _ = std::fs::remove_file(path);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(listener, _) => listener.as_fd(),
            Self::Tcp(listener) => listener.as_fd(),
        }
    }
}

/// A client's end.
#[derive(Debug)]
pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    fn prepare(&self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_nonblocking(true),
            Self::Tcp(stream) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(into),
            Self::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(from),
            Self::Tcp(stream) => stream.write(from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}
