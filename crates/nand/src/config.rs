//! `[nand]`: what the part can do beside the basic commands.

mod suspend_rules;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, On, Unset};
use wordline_keys::limits::{MANY, STEP};
use wordline_keys::{Rule, Section};
use wordline_units::Duration;

use crate::error::ConfigError;
use crate::program_order::ProgramOrder;
use crate::suspension::{Suspendable, VendorTimes};

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
    /// As in data sheets: a fixed latency, a minimum time between suspensions, a maximum number of them, and moments at which
    /// they are possible.
    Vendor,
}

/// `[nand]`: what the part can do beside the basic commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NandConfig {
    /// Operations that can be suspended.
    pub suspend: SuspendSupport,
    /// How operations are suspended.
    pub suspend_style: SuspendStyle,
    /// Whether the die has a second buffer that keeps the data of a suspended program, whose page
    /// buffer is used by the read (`timing.t_shadow` for each copy). Without it the data are sent
    /// over the channel again.
    pub shadow_buffer: bool,
    /// Whether the planes of a die execute different operations at the same time, which ordinary
    /// dies cannot. Each plane then takes the role of a die, and there are no multi-plane commands.
    pub independent_planes: bool,
    /// Whether each plane of a die reads on its own, beside reads of the other planes, whatever their addresses (independent-plane reads). Programs
    /// and erases take the whole die all the same.
    pub independent_plane_reads: bool,
    /// How the pages of a word line are programmed. `timing.t_prog` is the mean time of a page of a word line in any order. Where
    /// word lines are programmed as wholes, the data of open ones stay in the protected write buffer (`buffer.capacitor`), from
    /// where they are read.
    pub program: ProgramOrder,
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
            independent_plane_reads: false,
            program: ProgramOrder::Page,
            vendor: VendorConfig::default(),
        }
    }
}

impl Section for NandConfig {
    const RULES: &'static [Rule] = &[
        // what a part can do may be said of a drive that does not use it; how it does it may not
        Rule::all_but(
            &[
                "suspend",
                "independent_planes",
                "independent_plane_reads",
                "program",
            ],
            &[Is("scheduler.policy", &["pes", "dlv_pes"])],
        ),
        Rule::only(&["shadow_buffer"], &[Is("nand.suspend_style", &["phases"])]),
        Rule::only(&["vendor"], &[Is("nand.suspend_style", &["vendor"])]),
        Rule::only(
            &["vendor.program_limit", "vendor.program_safe_points"],
            &[IsNot("scheduler.suspension.program_suspend", &["none"])],
        ),
        Rule::only(
            &["vendor.erase_limit", "vendor.erase_safe_points"],
            &[On("scheduler.suspension.erase_suspend")],
        ),
        Rule::only(
            &["vendor.limit"],
            &[
                Unset("nand.vendor.program_limit"),
                Unset("nand.vendor.erase_limit"),
            ],
        ),
        Rule::only(
            &["shadow_buffer"],
            &[IsNot("scheduler.suspension.program_suspend", &["none"])],
        ),
    ];
}

/// `[nand.vendor]`: suspension as data sheets put it. Public data sheets leave these figures out;
/// the defaults are assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VendorConfig {
    /// Time from the suspend command until the array is free; assumed: 30 µs.
    #[schemars(extend("x-maximum" = STEP))]
    pub latency: Duration,
    /// Minimum time from a resumption to the next suspension; assumed: 100 µs.
    #[schemars(extend("x-maximum" = STEP))]
    pub interval: Duration,
    /// Maximum number of suspensions of one operation; 0 means no limit (assumed).
    #[schemars(range(max = MANY))]
    pub limit: u32,
    /// The same of a program; if unset, `limit` holds. Patents say that there is a limit and not which.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = MANY))]
    pub program_limit: Option<u32>,
    /// The same of an erase; if unset, `limit` holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = MANY))]
    pub erase_limit: Option<u32>,
    /// Array time between two safe points of a program, counted from its start: only there the program leaves the array, and
    /// a request to suspend waits for the next one before `latency` begins. A duration above 0 ns; if unset, a program can leave at any
    /// time. No source has a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub program_safe_points: Option<Duration>,
    /// The same of an erase. Safe points lie inside each erase loop in SSR (KICS 2025, 50(9), p. 1466).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub erase_safe_points: Option<Duration>,
}

impl Default for VendorConfig {
    fn default() -> Self {
        Self {
            latency: Duration::from_us(30),
            interval: Duration::from_us(100),
            limit: 0,
            program_limit: None,
            erase_limit: None,
            program_safe_points: None,
            erase_safe_points: None,
        }
    }
}

impl VendorConfig {
    /// Maximum number of suspensions of one operation of a kind; none without a limit.
    #[must_use]
    pub fn limit_of(&self, kind: Suspendable) -> Option<u32> {
        let own = match kind {
            Suspendable::Program => self.program_limit,
            Suspendable::Erase => self.erase_limit,
        };
        Some(own.unwrap_or(self.limit)).filter(|limit| *limit > 0)
    }

    /// Times of suspensions of operations of a kind.
    ///
    /// # Errors
    /// Safe points without time between them.
    pub(super) fn times_of(&self, kind: Suspendable) -> Result<VendorTimes, ConfigError> {
        let (key, safe_points) = match kind {
            Suspendable::Program => ("nand.vendor.program_safe_points", self.program_safe_points),
            Suspendable::Erase => ("nand.vendor.erase_safe_points", self.erase_safe_points),
        };
        if safe_points == Some(Duration::ZERO) {
            let accepted = "above 0 ns, or any moment if left out";
            return Err(ConfigError::new(key, Duration::ZERO, accepted.to_owned()));
        }
        Ok(VendorTimes {
            latency: self.latency,
            interval: self.interval,
            safe_points,
        })
    }
}
