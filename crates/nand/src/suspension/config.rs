//! `[nand]`: what the part can do beside the basic commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

/// Which operations a part can suspend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuspendSupport {
    /// None.
    #[default]
    None,
    /// Erases.
    Erase,
    /// Programs and erases.
    ProgramErase,
}

/// How a part suspends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuspendStyle {
    /// At or inside the phases of the operation, each with its own cost (Wu and He, FAST 2012).
    #[default]
    Phases,
    /// As data sheets put it: one latency, a least time between suspensions, a limit of them.
    Vendor,
}

/// What becomes of a program phase that was cancelled, once it was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Redo {
    /// It is done again: the slowest cell of the page decides, and it will not have got there.
    #[default]
    Always,
    /// It had done its work.
    Never,
    /// It had with a probability of its elapsed share.
    Linear,
}

/// `[nand]`: what the part can do beside the basic commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NandConfig {
    /// Operations that can be suspended.
    pub suspend: SuspendSupport,
    /// How they are.
    pub suspend_style: SuspendStyle,
    /// A suspended program gives up its page buffer: a second buffer in the part keeps a copy
    /// (`timing.t_shadow` each way). Without it the data are sent again over the channel.
    pub shadow_buffer: bool,
    /// Planes of a die do different things at once, which ordinary parts cannot. Each plane is then
    /// what a die is otherwise; planes are not joined into one command.
    pub independent_planes: bool,
    /// Figures of the data sheet, for `suspend_style = "vendor"`.
    pub vendor: VendorConfig,
}

impl Default for NandConfig {
    fn default() -> Self {
        Self {
            suspend: SuspendSupport::None,
            suspend_style: SuspendStyle::Phases,
            shadow_buffer: true,
            independent_planes: false,
            vendor: VendorConfig::default(),
        }
    }
}

/// `[nand.vendor]`: suspension as data sheets put it. Public data sheets leave these figures out;
/// the defaults are assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VendorConfig {
    /// From the suspend command to the array being free; assumed: 30 us.
    pub latency: Duration,
    /// Least time from a resumption to the next suspension; assumed: 100 us.
    pub interval: Duration,
    /// Suspensions of one operation, 0 without a limit; assumed: none.
    pub limit: u32,
}

impl Default for VendorConfig {
    fn default() -> Self {
        Self {
            latency: Duration::from_us(30),
            interval: Duration::from_us(100),
            limit: 0,
        }
    }
}
