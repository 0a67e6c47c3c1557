//! How long recovery takes after a power cut.

use std::path::Path;

use wordline_config::{ChannelOrder, Config};
use wordline_ftl::{FoundFlash, Recovery};
use wordline_units::{Duration, SimTime};

use super::aged_drive::build;
use super::recovered::scanning;
use crate::error::RunError;
use crate::features::Full;
use crate::tenants;

/// How long recovery takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecoveryTime {
    /// Until everything is read that says where the data are.
    pub reads: Duration,
    /// Until the host is served: with the erases and programs that come before.
    pub served: Duration,
}

/// Has the dies and channels of a drive execute what recovery does to a flash, and nothing else; how long that takes, and what it is.
///
/// Where `scheduler.channel_order` leaves the order to the policy, commands go before data (see [`LiveDrive::recovery_time`](crate::LiveDrive::recovery_time)).
///
/// # Errors
/// A mapping that cannot be built anew, a flash on which it cannot work.
pub(crate) fn recovery_time(
    config: &Config,
    base_dir: &Path,
    flash: &dyn FoundFlash,
) -> Result<(RecoveryTime, Recovery), RunError> {
    let mut config = config.clone();
    if config.scheduler.channel_order == ChannelOrder::Policy {
        config.scheduler.channel_order = ChannelOrder::CommandsFirst;
    }
    let (drive, recovery, reads_over) = scanning(&config, base_dir, flash)?;
    let mut drive = build::<Full>(&config, drive, vec![tenants::silent()])?;
    // the drive goes on until all is done, though nobody sends a command
    drive.host_mut().open_client(0);
    drive.start()?;
    while drive.step()? {}
    let served = drive.now().since(SimTime::ZERO);
    let reads = reads_over
        .get()
        .map_or(Duration::ZERO, |over| over.since(SimTime::ZERO));
    Ok((RecoveryTime { reads, served }, recovery))
}
