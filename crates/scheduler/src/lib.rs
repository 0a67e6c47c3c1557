//! Which flash operation a free channel starts next, as far as that needs no drive: what a scheduler sees, and the schedulers
//! that come with Wordline, one file and one row each.
//!
//! When a channel's bus comes free, the drive collects what could start there and asks the scheduler of its configuration. How
//! the choice becomes a flash command (its planes, what joins it, how long bus and arrays are busy) is the drive's affair.
//! Some schedulers also have requests of the host wait until they let them into the flash one by one ([`RequestScheduler`]).

mod finish_times;
mod policy;
mod registry;
mod requests;
mod strong_pages;
mod view;
mod waiting;

pub use policy::{
    BuildRequestScheduler, BuildScheduler, Frame, MOST_RANKS, Order, Ranking, Scheduler, SchedulerRow,
};
pub use registry::schedulers;
pub use requests::{MOST_STRONG, RequestScheduler, RequestsView, StrongPages, UnitLoad};
pub use view::{Action, Candidate, ChannelView, Level, UnitView};
pub use waiting::{
    Member, RequestGroup, RequestKind, UnitShare, WaitingRequest, WaitingRequests, Wanted, add_page,
};
