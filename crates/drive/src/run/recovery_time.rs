//! How long the reads of recovery take after a power cut.

use std::path::Path;

use wordline_config::{ChannelOrder, Config};
use wordline_ftl::{FoundFlash, Recovery};
use wordline_units::{Duration, SimTime};

use super::aged_drive::build;
use super::recovered::scanning;
use crate::error::RunError;
use crate::features::Full;
use crate::tenants;

/// Has the dies and channels of a drive execute the reads of recovery from a flash, and nothing else; how long that takes, and what recovery reads and does.
///
/// Where `scheduler.channel_order` leaves the order to the policy, commands go before data (see [`LiveDrive::recovery_time`](crate::LiveDrive::recovery_time)).
///
/// # Errors
/// A mapping that cannot be built anew, a flash on which it cannot work.
pub(crate) fn recovery_time(
    config: &Config,
    base_dir: &Path,
    flash: &dyn FoundFlash,
) -> Result<(Duration, Recovery), RunError> {
    let mut config = config.clone();
    if config.scheduler.channel_order == ChannelOrder::Policy {
        config.scheduler.channel_order = ChannelOrder::CommandsFirst;
    }
    let (drive, recovery) = scanning(&config, base_dir, flash)?;
    let mut drive = build::<Full>(&config, drive, vec![tenants::silent()])?;
    // the drive goes on until the reads are done, though nobody sends a command
    drive.host_mut().open_client(0);
    drive.start()?;
    while drive.step()? {}
    Ok((drive.now().since(SimTime::ZERO), recovery))
}
