//! The inside of packages with controllers (`[ftl.local]`): a bus and a codec each, by which pages are moved without the channel.

use wordline_config::Config;
use wordline_ftl::{LocalConfig, Route, Work};
use wordline_metrics::PackageBusUse;
use wordline_nand::{ArrayStep, ChipId, ConfigError, Geometry, Operation, PageTypes, Part, Select, Timing};
use wordline_units::{Duration, Seed, SimTime, TransferRate};

use super::chips::in_reference;

/// What was done inside packages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PackageCounts {
    /// Pages that the codecs of packages corrected.
    pub(crate) corrected: u64,
    /// Pages that they could not correct.
    pub(crate) escalated: u64,
}

/// The buses and codecs of all packages.
#[derive(Debug)]
pub(crate) struct Packages {
    /// Times of commands on the bus of a package.
    pub(super) timing: Timing,
    /// When the bus of each package is free.
    buses: Vec<SimTime>,
    /// Time that each was used since counting began.
    busy: Vec<Duration>,
    /// When the codec of each is free.
    codecs: Vec<SimTime>,
    decode: Duration,
    /// Rate of the codec; that of the channel where it is none.
    decode_rate: Option<TransferRate>,
    /// Draws below this bound name pages that the codec of a package cannot correct.
    escalation: f64,
    seed: Seed,
    /// Pages read inside packages so far.
    reads: u64,
    counts: PackageCounts,
}

impl Packages {
    /// The packages of a drive; none where they have no controllers.
    ///
    /// # Errors
    /// Times that do not go together.
    pub(super) fn new(
        config: &Config,
        geometry: &Geometry,
        page_types: &PageTypes,
    ) -> Result<Option<Self>, ConfigError> {
        let local: &LocalConfig = &config.ftl.local;
        if !local.enabled {
            return Ok(None);
        }
        let mut times = config.timing.clone();
        if let Some(rate) = local.bus_rate {
            times.transfer_rate = Some(rate);
            (times.t_rc, times.t_wc) = (None, None);
        }
        let timing = Timing::new(&times, geometry, page_types)?;
        let packages = geometry.chips() as usize;
        Ok(Some(Self {
            timing: in_reference(config, timing),
            buses: vec![SimTime::ZERO; packages],
            busy: vec![Duration::ZERO; packages],
            codecs: vec![SimTime::ZERO; packages],
            decode: local.decode,
            decode_rate: local.decode_rate,
            escalation: local.escalation,
            seed: Seed(config.seed),
            reads: 0,
            counts: PackageCounts::default(),
        }))
    }

    pub(super) fn restart_counts(&mut self) {
        self.busy.fill(Duration::ZERO);
        self.counts = PackageCounts::default();
    }

    /// Whether the codec of a package cannot correct the page that is read next.
    pub(super) fn escalates(&mut self) -> bool {
        let draw = self.seed.draw("local.escalation", self.reads) >> 11;
        self.reads += 1;
        let escalates = (draw as f64) < self.escalation * (1_u64 << 53) as f64;
        if escalates {
            self.counts.escalated += 1;
        } else {
            self.counts.corrected += 1;
        }
        escalates
    }

    /// Takes the bus of a package for a time, as soon as it is free: from when to when.
    pub(super) fn take_bus(&mut self, chip: ChipId, now: SimTime, length: Duration) -> (SimTime, SimTime) {
        let bus = &mut self.buses[chip.index()];
        let from = (*bus).max(now);
        *bus = from + length;
        self.busy[chip.index()] += length;
        (from, *bus)
    }

    /// Takes the bus for a command of pages of one package: its array steps begin when the bus has brought them what they need.
    pub(super) fn command(
        &mut self,
        geometry: &Geometry,
        now: SimTime,
        operation: Operation,
        parts: &[Part],
        steps: &mut Vec<ArrayStep>,
    ) -> PackageBusUse {
        let length = self.timing.issue(operation, parts, steps);
        let die = parts.first().map(|part| part.die).unwrap_or_default();
        let chip = geometry.chip_of(die);
        let (from, to) = self.take_bus(chip, now, length);
        for step in steps {
            step.from += from.since(now);
        }
        PackageBusUse {
            chip,
            die,
            page: None,
            from,
            to,
        }
    }

    /// The codec of a package corrects a page: when it is done.
    pub(super) fn correct(&mut self, chip: ChipId, now: SimTime, bytes: u64) -> SimTime {
        let rate = self.decode_rate;
        let transfer = rate.map_or_else(
            || self.timing.data_out(bytes, Select::default()),
            |rate| rate.transfer(bytes),
        );
        let codec = &mut self.codecs[chip.index()];
        *codec = (*codec).max(now) + self.decode + transfer;
        *codec
    }

    /// Mean and largest share of `elapsed` that the bus of a package was used.
    pub(crate) fn utilization(&self, elapsed: Duration) -> (f64, f64) {
        let share = |busy: &Duration| {
            if elapsed > Duration::ZERO {
                (busy.ns() as f64 / elapsed.ns() as f64).min(1.0)
            } else {
                0.0
            }
        };
        let shares = self.busy.iter().map(share);
        let mean = shares.clone().sum::<f64>() / self.busy.len() as f64;
        (mean, shares.fold(0.0, f64::max))
    }

    pub(crate) fn counts(&self) -> PackageCounts {
        self.counts
    }
}

/// Whether the commands and data of a step stay in its package, where packages have controllers.
pub(super) fn stays_in_package(work: &Work) -> bool {
    match work {
        Work::Read { route, .. } | Work::Program { route, .. } => *route == Route::Package,
        Work::Erase { .. } => true,
        _ => false,
    }
}
