//! A simulated drive as a block device that any program can use.
//!
//! [`Device`] is a drive with the data that its hosts keep on it ([`Content`]): requests by bytes go in, answers come out at moments of the
//! drive. [`Server`] lets clients of NBD use it ([`Session`] is what it says to them, without a socket) while the time of the machine and
//! that of the drive go together or not ([`Pace`]). The power may fail at any event ([`Device::cut`], [`CutAt`]); what a host finds then is what a drive
//! would show.

mod ask;
mod atomic;
mod clients;
mod connection;
mod content;
mod control;
mod crash;
mod cut;
mod cut_report;
mod device;
mod error;
mod going_on;
mod link;
mod listen;
mod medium;
mod obey;
mod pace;
mod server;
mod session;
mod stream;
mod trigger;
mod wait;
mod wire;

pub use ask::{Answer, Ask};
pub use content::Content;
pub use control::{Asked, Request as Wanted, parse as parse_wanted};
pub use crash::{Crash, During, Replay};
pub use cut_report::CutReport;
pub use device::{Device, SubmitError};
pub use error::LiveError;
pub use listen::Address;
pub use medium::Changed;
pub use obey::of_cut;
pub use pace::{LATE, Lateness, Pace};
pub use server::{Look, ServeOptions, Server, Verdict};
pub use session::{Export, ProtocolError, Session, Step};
pub use stream::{Entry, Stream};
pub use trigger::CutAt;
pub use wire::{Command, Errno, MOST_BYTES, REQUEST_BYTES, Request};
