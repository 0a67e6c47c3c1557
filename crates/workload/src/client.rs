//! Who sends commands to the drive, and when they may enter it.

use wordline_units::Duration;

use crate::command::Source;
use crate::conduct::Conduct;
use crate::steady_state::SteadyState;

/// How the commands of a client enter the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A fixed number outstanding; arrivals of the source are ignored.
    ClosedLoop {
        /// Commands outstanding, at least 1.
        depth: u32,
    },
    /// A number outstanding, as in a closed loop, but no command is sent before its arrival, counted
    /// from the start of the client; a command that finds no room then is sent when one completes.
    Paced {
        /// Commands outstanding at most, at least 1.
        depth: u32,
        /// When the client pauses.
        think: Option<Think>,
    },
    /// At their arrival.
    OpenLoop {
        /// Commands inside the drive at once; later ones wait outside. `None`: no limit.
        limit: Option<u32>,
    },
}

/// A pause of a paced client: after every `commands` commands it waits until all of them are
/// completed, and then for `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// Commands between two pauses, at least 1.
    pub commands: u32,
    /// Length of the pause.
    pub time: Duration,
}

/// A sender of commands with a queue of its own: a tenant, a job.
pub struct Client {
    /// Its name in results.
    pub name: String,
    /// Its commands.
    pub source: Box<dyn Source>,
    /// How they enter the drive.
    pub admission: Admission,
    /// It starts when every client of a lower group has had its last command completed.
    pub group: u32,
    /// It starts this long after its group.
    pub delay: Duration,
    /// It sends nothing later than this after its start.
    pub time_limit: Option<Duration>,
    /// It sends nothing more once it is in a steady state.
    pub steady_state: Option<SteadyState>,
    /// What it does for so long after its start is not to be measured.
    pub ramp: Duration,
    /// What it does beside sending its commands.
    pub conduct: Conduct,
}

impl Client {
    /// A client that has the drive to itself.
    #[must_use]
    pub fn alone(source: Box<dyn Source>, admission: Admission) -> Self {
        Self {
            name: "workload".to_owned(),
            source,
            admission,
            group: 0,
            delay: Duration::ZERO,
            time_limit: None,
            steady_state: None,
            ramp: Duration::ZERO,
            conduct: Conduct::default(),
        }
    }
}
