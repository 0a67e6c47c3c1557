//! `[scheduler]`: in which order ready flash operations start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, On};
use wordline_keys::limits::{MANY, PAUSE};
use wordline_keys::{Parameters, Rule, Section, Selected};
use wordline_nand::{NandConfig, Redo, SuspendStyle, SuspendSupport};
use wordline_scheduler::{Order, SchedulerRow};
use wordline_units::Duration;

/// `[scheduler]`: which ready flash operation starts next on an idle channel and die.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SchedulerConfig {
    /// Order in which waiting operations are started.
    pub policy: Selected<SchedulerRow>,
    /// Which goes first on a free channel: the data of finished reads, or commands.
    pub channel_order: ChannelOrder,
    /// Whether commands of garbage collection, merges and wear levelling go before all others, reads of the host included. Those
    /// that wait until the drive is idle do not.
    pub collection_first: bool,
    /// Whether a command of garbage collection, merges or wear levelling that reads, programs or copies back keeps its channel until its array step has ended, so that
    /// the moves of a block go one after another and the channel does little else (SSDsim 2.x). Erases do not.
    pub collection_holds_channel: bool,
    /// What is busy until the last part of an advanced command has ended.
    pub busy_grain: BusyGrain,
    /// Time after which a waiting operation has priority over all others. If unset, only the policy
    /// decides, and starvation is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub max_wait: Option<Duration>,
    /// Programs of the host that may wait for a die: a write whose pages would be more waits at the door of the drive, behind those that came before it, and that
    /// wait is part of its latency. One of more pages than may wait goes in when none waits. What reads go before, and suspend, does not depend on it. If unset, any number waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = MANY))]
    pub max_writes: Option<u32>,
    /// Where a read of a page whose program has not ended gets its data.
    pub read_in_flight: ReadInFlight,
    /// Ideal reference for comparison: shorter array times of programs and erases than any real die
    /// has.
    pub reference: Reference,
    /// What `policy = "pes"` and `"dlv_pes"` suspend, and when.
    pub suspension: SuspensionConfig,
    /// The keys of schedulers.
    #[serde(flatten)]
    pub keys: Parameters<SchedulerRow>,
}

impl Section for SchedulerConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(&["suspension"], &[Is("scheduler.policy", &["pes", "dlv_pes"])]),
        Rule::only(
            &["suspension.redo"],
            &[Is("scheduler.suspension.program_suspend", &["ipc"])],
        ),
        Rule::only(
            &["suspension.program_under_writes"],
            &[IsNot("scheduler.suspension.program_suspend", &["none"])],
        ),
        Rule::only(
            &["suspension.program_under_writes"],
            &[IsNot("buffer.policy", &["none"])],
        ),
        Rule::only(
            &["suspension.write_suspend_erase"],
            &[On("scheduler.suspension.erase_suspend")],
        ),
        Rule::only(
            &["suspension.clean_watermark"],
            &[On("scheduler.suspension.write_suspend_erase")],
        ),
        Rule::only(
            &["max_writes"],
            &[IsNot(
                "scheduler.policy",
                &["dlv", "dlv_pes", "woo", "roo", "pv_reorder", "pv_allocation"],
            )],
        ),
        Rule::only(&["collection_holds_channel"], &[On("scheduler.collection_first")]),
        Rule::only(&["collection_holds_channel"], &[Is("nand.suspend", &["none"])]),
        Rule::only(&["reference"], &[Is("scheduler.policy", &["reads_first"])]),
    ];
}

/// Which goes first on a free channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelOrder {
    /// What the policy says: `reads_first`, `pes` and `dlv_pes` start reads, then move data, then start the rest; the others go by age.
    #[default]
    Policy,
    /// The data of finished reads, so that these are complete early and their dies come free.
    DataFirst,
    /// Commands that can start, so that dies are at work while data are moved.
    CommandsFirst,
}

/// Where a read of a page whose program has not ended gets its data, or the part of them that the program brings (with suspension and a shadow buffer, a program in
/// the array gives them to the read itself).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadInFlight {
    /// From the controller's memory, which keeps them until the program has ended. What else is read of the page comes from flash, and the controller merges both.
    #[default]
    Memory,
    /// From the flash page, after the program: the controller has no memory for them.
    AfterProgram,
}

/// Array times of programs and erases that no part has (Wu and He 2012, section 3). Transfers stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// Those of the die.
    #[default]
    None,
    /// As long as a read.
    Per,
    /// Zero.
    Pe0,
}

/// How programs are suspended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramSuspend {
    /// Not at all.
    None,
    /// Between two phases (inter-phase suspension).
    Ips,
    /// Within a phase, which is cancelled (intra-phase cancellation).
    #[default]
    Ipc,
    /// As in the data sheet; requires `nand.suspend_style = "vendor"`.
    Vendor,
}

/// When reads suspend programs although writes of the host are to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramUnderWrites {
    /// Whatever writes wait.
    #[default]
    Always,
    /// Unless writes wait for room in the write buffer, as under random writes beyond what the drive takes (US 12,131,064). Programs that
    /// are suspended are resumed as ever.
    NotSaturated,
}

/// `[scheduler.suspension]`: what `policy = "pes"` and `"dlv_pes"` suspend, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuspensionConfig {
    /// Whether, and where, reads suspend programs.
    pub program_suspend: ProgramSuspend,
    /// Whether reads suspend programs while writes wait for room in the write buffer; it is decided when the read is ready. Erases are suspended
    /// all the same.
    pub program_under_writes: ProgramUnderWrites,
    /// Whether a cancelled program phase must be repeated.
    pub redo: Redo,
    /// Reads suspend erases.
    pub erase_suspend: bool,
    /// Host writes suspend erases too, while enough blocks are free (`clean_watermark`).
    pub write_suspend_erase: bool,
    /// A write suspends an erase only if more than this share of the pool's blocks is free. If
    /// unset: half of the threshold at which garbage collection starts (assumed; the source gives
    /// no value).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub clean_watermark: Option<f64>,
    /// An operation that suspensions have delayed by this share of its length is not suspended
    /// again. If unset, there is no limit, as in the source; 1.0 is a reasonable value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "wordline_units::optional_share")]
    #[schemars(with = "Option<wordline_units::Share>")]
    pub overhead_limit: Option<f64>,
    /// Maximum number of suspensions of one operation; 0 means no limit.
    #[schemars(range(max = MANY))]
    pub max_suspends_per_op: u32,
}

impl Default for SuspensionConfig {
    fn default() -> Self {
        Self {
            program_suspend: ProgramSuspend::Ipc,
            program_under_writes: ProgramUnderWrites::Always,
            redo: Redo::Always,
            erase_suspend: true,
            write_suspend_erase: false,
            clean_watermark: None,
            overhead_limit: None,
            max_suspends_per_op: 0,
        }
    }
}

impl SchedulerConfig {
    /// Whether anything can be suspended.
    #[must_use]
    pub fn suspends(&self) -> bool {
        let suspension = &self.suspension;
        self.policy.row().is_ok_and(|row| row.suspends)
            && (suspension.program_suspend != ProgramSuspend::None || suspension.erase_suspend)
    }

    /// Whether requests of the host wait until the scheduler lets them into the flash.
    #[must_use]
    pub fn holds_requests(&self) -> bool {
        self.policy.row().is_ok_and(|row| row.requests.is_some())
    }

    /// Whether operations are not in one order by rank and age: the scheduler looks at what could start.
    #[must_use]
    pub fn has_view(&self) -> bool {
        let looks = |row: &SchedulerRow| matches!(row.order, Order::Scheduler(_));
        self.policy.row().is_ok_and(looks)
    }

    /// Checks the values, and that the part can do what is asked of it.
    ///
    /// # Errors
    /// A limit of nothing, a negative or endless share, an operation that the part cannot suspend, or
    /// not in this way: key, value found, what is accepted.
    pub(crate) fn check(&self, part: &NandConfig) -> Result<(), (&'static str, String, String)> {
        let refuse = |key, found: String, accepted: &str| Err((key, found, accepted.to_owned()));
        let row_check = self.policy.row().and_then(|row| (row.check)(&self.keys));
        row_check.map_err(|error| (error.key, error.found, error.accepted))?;
        if self.max_wait == Some(Duration::ZERO) {
            let accepted = "longer than 0 ns, or no limit if left out";
            return refuse("scheduler.max_wait", "0 ns".to_owned(), accepted);
        }
        if self.max_writes == Some(0) {
            let accepted = "at least 1, or no limit if left out";
            return refuse("scheduler.max_writes", "0".to_owned(), accepted);
        }
        let suspension = &self.suspension;
        if let Some(share) = suspension
            .clean_watermark
            .filter(|share| !(0.0..=1.0).contains(share))
        {
            let key = "scheduler.suspension.clean_watermark";
            return refuse(key, share.to_string(), "a share from 0 to 1");
        }
        if let Some(limit) = suspension
            .overhead_limit
            .filter(|limit| !(0.0..=1e6).contains(limit))
        {
            let key = "scheduler.suspension.overhead_limit";
            return refuse(
                key,
                limit.to_string(),
                "from 0 to 1000000 lengths of the operation",
            );
        }
        if !self.suspends() {
            return Ok(());
        }
        let programs = suspension.program_suspend != ProgramSuspend::None;
        let needed = if programs {
            "\"program_erase\""
        } else {
            "\"erase\" or \"program_erase\""
        };
        let can = match part.suspend {
            SuspendSupport::None => false,
            SuspendSupport::Erase => !programs,
            SuspendSupport::ProgramErase => true,
        };
        if !can {
            let found = format!("{:?}", spelt(part.suspend));
            let accepted = format!(
                "{needed}, for scheduler.policy = \"{}\" suspends more",
                self.policy.name()
            );
            return Err(("nand.suspend", found, accepted));
        }
        let by_data_sheet = suspension.program_suspend == ProgramSuspend::Vendor;
        match (part.suspend_style, programs) {
            (SuspendStyle::Vendor, true) if !by_data_sheet => refuse(
                "scheduler.suspension.program_suspend",
                format!("{:?}", spelt(suspension.program_suspend)),
                "\"vendor\" or \"none\" with nand.suspend_style = \"vendor\"",
            ),
            (SuspendStyle::Phases, _) if by_data_sheet => refuse(
                "scheduler.suspension.program_suspend",
                "\"vendor\"".to_owned(),
                "\"ips\", \"ipc\" or \"none\" with nand.suspend_style = \"phases\"",
            ),
            _ => Ok(()),
        }
    }
}

/// A choice as it is spelt in a configuration.
fn spelt(choice: impl Serialize) -> String {
    toml::Value::try_from(choice)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// What an advanced command keeps busy until its last part ends (Hu et al. 2011).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BusyGrain {
    /// Each die is free as soon as its own part is done: the controller polls every die.
    #[default]
    Die,
    /// The whole chip: the controller watches only its ready/busy wire.
    Chip,
}
