//! Observation: what a run records of the drive, and what checks it. Nothing here changes what the drive does.
//!
//! The drive tells an [`Observer`] what happens, each thing once; the observer passes it on to the recorder of figures, to the
//! accounts of response times ([`attribution`]), to the [`timeline`], and to probes, the auditor ([`audit`]) among them.
//! [`warm_up`] says when counting begins.

pub(crate) mod attribution;
pub(crate) mod audit;
mod energies;
pub(crate) mod finished;
mod held;
mod timeline;
pub(crate) mod warm_up;

use std::path::Path;

use wordline_ftl::{Cause, IdleInterval, Inspect, Lpn, PageRequest};
use wordline_metrics::{
    BusUse, Constituent, DecodedRead, EnergyLedger, FinishedRequest, IssuedCommand, ModeColumns, ModeLedger,
    OutputConfig, PackageBusUse, Part, Probe, Recorder, ReliabilityRecord, ResumedArray, Series,
    SuspendedArray, SuspensionLedger, TenantRecord, TimelineTables,
};
use wordline_nand::{DieId, Geometry, Ppn};
use wordline_units::{Duration, SimTime};

use crate::error::RunError;
use crate::features::{Features, Optional};
use crate::operation::{Kind, Level, Op, OpId};
use crate::table::Table;
use attribution::{Attribution, Leaving, Returning, work_part};
use timeline::Watch;
use warm_up::{Unmeasured, WarmUp};

/// What is observed beside the figures of the summary, and what that takes.
pub(crate) struct Observed {
    /// Names of the clients, where there are several.
    pub(crate) clients: Vec<TenantRecord>,
    pub(crate) energy: Option<Box<EnergyLedger>>,
    pub(crate) reliability: Option<Box<ReliabilityRecord>>,
    pub(crate) suspension: Option<Box<SuspensionLedger>>,
    pub(crate) modes: Option<Box<ModeLedger>>,
    /// Dies that become busy as one.
    pub(crate) dies_per_unit: u32,
    /// Wait beyond which an operation that a host waits for counts as starved.
    pub(crate) starvation: Duration,
}

/// Everything that observes a drive.
pub(crate) struct Observer<F: Features> {
    recorder: Recorder,
    /// Where response times go, if that is recorded.
    attribution: Optional<Attribution, F::Watching>,
    /// What the parts of the drive do from when to when, if that is recorded.
    timeline: Optional<Box<Watch>, F::Watching>,
    probes: Optional<Vec<Box<dyn Probe>>, F::Watching>,
    /// Operations by mode, where there are several modes.
    modes: Optional<Box<ModeLedger>, F::Options>,
    starvation: Duration,
    starved: u64,
    /// What ends the part of the run that is not measured, while it lasts.
    warm_up: Option<WarmUp>,
    /// What was in that part, once it is over.
    unmeasured: Option<Box<Unmeasured>>,
}

impl<F: Features> Observer<F> {
    /// `units` logical pages share a page.
    pub(crate) fn new(geometry: &Geometry, units: u32, output: &OutputConfig, observed: Observed) -> Self {
        let mut recorder = Recorder::new(geometry, output, observed.clients);
        recorder.ledger.set_units_per_page(units);
        recorder.energy = observed.energy;
        recorder.reliability = observed.reliability;
        recorder.suspension = observed.suspension;
        let attributes = output.attribution.unwrap_or(false);
        Self {
            recorder,
            attribution: Optional::new(
                attributes.then(|| Attribution::new(geometry, observed.dies_per_unit)),
            ),
            timeline: Optional::new(None),
            probes: Optional::new(None),
            modes: Optional::new(observed.modes),
            starvation: observed.starvation,
            starved: 0,
            warm_up: None,
            unmeasured: None,
        }
    }

    /// Records the timeline too, if the configuration or a file for trace events asks for it. `suspends` says whether
    /// programs, and erases, can be suspended.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(crate) fn record_timeline(
        &mut self,
        geometry: &Geometry,
        output: &OutputConfig,
        path: Option<&Path>,
        suspends: Option<(bool, bool)>,
    ) -> Result<(), RunError> {
        self.timeline = Optional::new(Watch::new(geometry, output, path)?);
        if let (Some(timeline), Some((programs, erases))) = (self.timeline.as_mut(), suspends) {
            timeline.suspends(geometry, programs, erases);
        }
        Ok(())
    }

    /// Windows over time as fine as the search for a steady state needs them.
    pub(crate) fn record_fine_series(&mut self) {
        self.recorder.series = Series::fine();
    }

    /// Lets a probe see what happens from now on.
    pub(crate) fn add_probe(&mut self, probe: Box<dyn Probe>) {
        self.probes.get_or_insert_default().push(probe);
    }

    /// The figures recorded so far.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Whether pages have modes beside the normal one.
    #[inline(always)]
    pub(crate) fn has_modes(&self) -> bool {
        self.modes.is_some()
    }

    /// Modes over time up to `end`; empty where there is one mode only.
    pub(crate) fn mode_columns(&mut self, end: SimTime) -> ModeColumns {
        let modes = self.modes.as_mut();
        modes.map(|modes| modes.columns(end)).unwrap_or_default()
    }

    /// Operations by mode, where there are several modes.
    pub(crate) fn modes(&self) -> Option<&ModeLedger> {
        self.modes.as_ref().map(|modes| &**modes)
    }

    /// Operations that waited so long that they count as starved.
    pub(crate) fn starved(&self) -> u64 {
        self.starved
    }

    /// What records the errors of reads, where reliability is modelled.
    pub(crate) fn reliability(&mut self) -> Option<&mut ReliabilityRecord> {
        self.recorder.reliability.as_deref_mut()
    }

    /// What records suspensions, where there are any.
    pub(crate) fn suspensions(&mut self) -> Option<&mut SuspensionLedger> {
        self.recorder.suspension.as_deref_mut()
    }

    /// The rule that a probe has found violated.
    #[inline]
    pub(crate) fn violation(&self) -> Option<&str> {
        self.probes.iter().find_map(|probe| probe.violation())
    }

    /// Whether probes look for violations.
    #[inline]
    pub(crate) fn has_probes(&self) -> bool {
        self.probes.iter().next().is_some()
    }

    /// The run is over: lets the probes have the last word, with `watch` as in [`Probe::finish`].
    ///
    /// # Errors
    /// What a probe has found.
    pub(crate) fn finish_probes(
        &mut self,
        now: SimTime,
        ftl: &dyn Inspect,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), RunError> {
        let mut probes = self.probes.iter_mut();
        let found = probes.try_for_each(|probe| probe.finish(now, ftl, watch));
        found.map_err(RunError::Audit)
    }

    /// The run is over: closes the figures.
    pub(crate) fn finish_figures(&mut self, now: SimTime) {
        self.recorder.finish(now);
    }

    /// The run is over: the tables of the timeline, empty where there is none.
    ///
    /// # Errors
    /// The file of the timeline cannot be written.
    pub(crate) fn finish_timeline(&mut self, now: SimTime) -> Result<TimelineTables, RunError> {
        match self.timeline.take() {
            Some(timeline) => timeline.finish(now),
            None => Ok(TimelineTables::default()),
        }
    }

    /// The recorder of a run that is over.
    pub(crate) fn into_recorder(self) -> Recorder {
        self.recorder
    }

    /// Whether commands are followed from the moment when they are sent.
    #[inline]
    pub(crate) fn follows_requests(&self) -> bool {
        self.timeline.is_some()
    }

    /// The host has sent a command; `slot` is its number in the drive.
    pub(crate) fn request_sent(&mut self, slot: u32, number: u64) {
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.sent(slot, number);
        }
    }

    /// A request has entered the drive.
    #[inline]
    pub(crate) fn request_admitted(&mut self, now: SimTime) {
        self.recorder.series.admitted(now);
    }

    /// The host has the completion of the command in `slot`.
    #[inline]
    pub(crate) fn command_completed(&mut self, now: SimTime, slot: u32) {
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.completed(slot);
        }
        if self.attribution.is_some() {
            self.charge_link(now, slot);
        }
    }

    /// A request is completed, the last of its commands that in `slot`; the buffer, if there is one, holds `dirty` pages
    /// that are not on flash.
    #[inline]
    pub(crate) fn request_done(&mut self, slot: u32, request: &FinishedRequest, dirty: Option<u64>) {
        let attribution = self.attribution.as_ref();
        let parts = attribution
            .map(|attribution| attribution.parts(slot))
            .unwrap_or_default();
        self.recorder.request(request, parts);
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.request(slot, request, parts);
            if let Some(dirty) = dirty {
                timeline.buffer(request.completed, dirty);
            }
        }
        self.end_account(slot);
        self.recorder.series.left(request.completed);
        for probe in self.probes.iter_mut() {
            probe.request_done(request);
        }
    }

    /// The FTL has accepted a page of the host.
    #[inline]
    pub(crate) fn host_page_written(&mut self) {
        self.recorder.ledger.host_wrote(1);
    }

    /// The FTL has accepted a write or TRIM.
    pub(crate) fn page_accepted(&mut self, now: SimTime, request: &PageRequest) {
        for probe in self.probes.iter_mut() {
            probe.page_accepted(now, request);
        }
    }

    /// An operation has waited until now, when it is issued.
    #[inline]
    pub(crate) fn waited(&mut self, kind: Kind, level: Level, waited: Duration) {
        self.recorder.ledger.waited(kind.into(), waited);
        // background work may wait as long as it likes
        if waited > self.starvation && level <= Level::Host {
            self.starved += 1;
        }
    }

    /// Whether anybody looks at what the commands that are issued are made of.
    #[inline]
    pub(crate) fn looks_at_constituents(&self) -> bool {
        self.has_probes() || self.timeline.is_some()
    }

    /// A flash command is issued.
    // so that what is told of it is not made where nobody looks at it
    #[inline(always)]
    pub(crate) fn command_issued(&mut self, command: &IssuedCommand<'_>, members: &[OpId], ops: &Table<Op>) {
        self.recorder.command(command);
        if let Some(modes) = self.modes.as_mut() {
            members
                .iter()
                .for_each(|member| modes.issued(command.bus_from, *member));
        }
        for probe in self.probes.iter_mut() {
            probe.issued(command);
        }
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.command(command, members, ops);
        }
    }

    /// The bus inside a package is used, from now or a later moment on.
    pub(crate) fn package_bus_used(&mut self, now: SimTime, used: &PackageBusUse) {
        for probe in self.probes.iter_mut() {
            probe.package_bus(now, used);
        }
    }

    /// The data of a read have moved inside their package, whose codec corrects them until `done`.
    pub(crate) fn corrects_in_package(&mut self, now: SimTime, op: &Op, done: SimTime) {
        self.charge(op.account, work_part(op, Part::Transfer), now);
        self.charge(op.account, work_part(op, Part::Ecc), done);
        for probe in self.probes.iter_mut() {
            probe.decoding(now, &op.constituent());
        }
    }

    /// A time without operations of the host has ended, in a unit or in the drive.
    pub(crate) fn idle_ended(&mut self, interval: &IdleInterval) {
        if let (Some(modes), Some(_)) = (self.modes.as_mut(), interval.unit) {
            modes.idle_ended(interval.to, interval.to.since(interval.from));
        }
    }

    /// A mode was decided on, with an idle time of this length expected.
    pub(crate) fn idle_expected(&mut self, now: SimTime, idle: Duration) {
        if let Some(modes) = self.modes.as_mut() {
            modes.idle_expected(now, idle);
        }
    }

    /// The command issued last is a read that began while another plane of its die was reading, and reads beside it for `beside`.
    pub(crate) fn read_beside(&mut self, die: DieId, beside: Duration) {
        self.recorder.ledger.read_beside(die, beside);
    }

    /// The bus of a channel is used for the data of an operation.
    #[inline]
    pub(crate) fn bus_used(&mut self, used: &BusUse, op: &Op) {
        self.recorder.bus_used(used);
        for probe in self.probes.iter_mut() {
            probe.bus(used);
        }
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.bus(used, op);
        }
    }

    /// The data of a program are in the page register, which acknowledges it.
    pub(crate) fn transferred(&mut self, now: SimTime, id: OpId, op: &Op) {
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.done(now, id, op, Kind::Program);
        }
    }

    /// A flash operation is done.
    #[inline]
    pub(crate) fn operation_done(&mut self, now: SimTime, id: OpId, op: &Op, kind: Kind) {
        self.recorder
            .operation(now, kind.into(), (op.step.cause, op.skipped), || op.constituent());
        if let Some(modes) = self.modes.as_mut() {
            modes.done(now, id, kind.into(), op.mode, op.step.cause == Cause::Host);
        }
        for probe in self.probes.iter_mut() {
            probe.operation_done(now, kind.into(), &op.constituent());
        }
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.done(now, id, op, kind);
        }
    }

    /// The page that was programmed brings these logical pages.
    pub(crate) fn units_programmed(&mut self, page: Ppn, units: &[Lpn]) {
        for probe in self.probes.iter_mut() {
            probe.units_programmed(page, units);
        }
    }

    /// The data of a read have come to the decoder of their channel, which takes `busy` for them.
    pub(crate) fn decoding(&mut self, now: SimTime, read: &Constituent, busy: Duration) {
        if let Some(record) = &mut self.recorder.reliability {
            record.decodes(busy);
        }
        for probe in self.probes.iter_mut() {
            probe.decoding(now, read);
        }
    }

    /// A codec of the mapping is given work.
    pub(crate) fn codec_works(&mut self, now: SimTime, work: Duration) {
        self.recorder.codec_works(now, work);
    }

    /// The decoder is done with the data of a read for good.
    pub(crate) fn decoded(&mut self, read: &DecodedRead) {
        if let Some(record) = &mut self.recorder.reliability {
            record.ends(read);
        }
    }

    /// The decoder is done with the data of a read, and whoever waits for them has waited for that.
    pub(crate) fn charge_decoder(&mut self, now: SimTime, op: &Op) {
        self.charge(op.account, Part::Ecc, now);
    }

    /// A read is attempted once more.
    pub(crate) fn retried(&mut self, now: SimTime, read: &Constituent) {
        self.recorder.retried(now, read);
        for probe in self.probes.iter_mut() {
            probe.retried(now, read);
        }
    }

    /// A suspended operation has left the array of its die.
    pub(crate) fn array_left(&mut self, array: &SuspendedArray, leaving: &Leaving, ops: &Table<Op>) {
        self.leave_account(array.at, leaving, ops);
        self.recorder.array_left(array);
        for probe in self.probes.iter_mut() {
            probe.suspended(array);
        }
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.array_left(array);
        }
    }

    /// A suspended operation is back in the array of its die.
    pub(crate) fn array_resumed(&mut self, array: &ResumedArray, returning: &Returning, ops: &Table<Op>) {
        self.return_account(array.at, returning, ops);
        self.recorder.array_resumed(array);
        for probe in self.probes.iter_mut() {
            probe.resumed(array);
        }
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.array_resumed(array);
        }
    }

    /// An array step that could be suspended is over.
    pub(crate) fn array_ended(&mut self, die: DieId) {
        if let Some(timeline) = self.timeline.as_mut() {
            timeline.array_ended(die);
        }
    }
}
