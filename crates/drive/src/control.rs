//! The control of the drive: what is between the host's pieces and the flash.
//!
//! [`Control`] is the only way to the FTL. It keeps the plan that the FTL has just made until it is started, the plans of several
//! steps in execution ([`plans`]), the jobs that gave notice ([`jobs`]), pieces that wait for an earlier write of their page
//! ([`parked`]) and the time of the controller's cores ([`firmware`]) and codecs ([`codec`]).

mod admission;
mod ahead;
pub(crate) mod codec;
pub(crate) mod firmware;
mod flushes;
mod host_load;
pub(crate) mod jobs;
pub(crate) mod local;
pub(crate) mod parked;
mod placing;
pub(crate) mod plans;
pub(crate) mod refreshed_blocks;
pub(crate) mod unplaced;
mod untimed;

use wordline_config::{Config, ReadInFlight};
use wordline_ftl::{
    Answer, Bound, Facts, FlushMark, Ftl, FtlCounters, Inspect, JobId, JobNotice, Mapping, Outcome, Plan,
    PlanError, Step, Subject, Subjects, Urgency, ZonedHost,
};
use wordline_nand::{PlaneId, Ppn};
use wordline_units::{Duration, SimTime};

use crate::features::{Features, Optional};
use crate::host::SubRequest;
use crate::operation::OpId;
use codec::Codec;
use firmware::Firmware;
use jobs::Jobs;
use local::LocalControllers;
use parked::{Backing, Parked};
use plans::Plans;
use refreshed_blocks::RefreshedBlocks;
use unplaced::Unplaced;

/// What a job answers when it is asked for its next plan.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked {
    /// It has made a plan, which is to be started.
    Planned(JobId, Urgency),
    /// It has broken the contract of plans.
    Broken(PlanError),
}

/// Tables for programs that are bound together, kept so that nothing is allocated for each command.
#[derive(Debug, Default)]
struct Aligned {
    steps: Vec<(Step, PlaneId)>,
    bound: Vec<Option<Bound>>,
}

/// The FTL and what stands around it.
pub(crate) struct Control<F: Features> {
    ftl: Box<F::Ftl>,
    /// Time that the drive lived before the run.
    epoch: Duration,
    /// The FTL was called since its notices were last collected.
    is_called: bool,
    notices: Vec<JobNotice>,
    /// The plan that the FTL has made; empty but between its call and the start of its steps.
    plan: Plan,
    aligned: Aligned,
    plans: Plans,
    jobs: Jobs,
    parked: Parked,
    unplaced: Unplaced,
    firmware: Firmware,
    codec: Codec,
    /// Time to serve a piece from the controller's memory.
    memory_access: Duration,
    /// Whether a read of a page whose program has not ended waits for that.
    reads_after_program: bool,
    unmapped_reads: u64,
    in_memory_reads: u64,
    /// What does not change of the FTL.
    facts: Facts,
    /// Whether the FTL admits commands as wholes.
    admits: bool,
    /// Requests that wait until what left the page registers is on flash.
    flushes: Vec<(u32, FlushMark)>,
    /// Whether programs and erases can fail.
    has_failures: bool,
    /// How long blocks keep data, where they are refreshed.
    refreshed: Optional<RefreshedBlocks, F::Options>,
    /// The controllers of packages, where these have any.
    local: Optional<LocalControllers, F::Options>,
}

impl<F: Features> Control<F> {
    /// The control of a drive that has lived for `epoch`, and of whose units so many become busy by themselves.
    pub(crate) fn new(
        config: &Config,
        (ftl, refreshed): (Box<dyn Mapping>, Option<RefreshedBlocks>),
        epoch: Duration,
        units: usize,
    ) -> Self {
        let facts = ftl.facts();
        let codec = Codec::new(
            ftl.delta_pages()
                .map(|deltas| deltas.codecs())
                .unwrap_or_default(),
        );
        let admits = ftl.part(Subject::Zones).is_some();
        let local = LocalControllers::new(&config.ftl.local, ftl.geometry().chips());
        Self {
            ftl: F::take_ftl(ftl),
            epoch,
            is_called: true,
            notices: Vec::new(),
            plan: Vec::new(),
            aligned: Aligned::default(),
            plans: Plans::default(),
            jobs: Jobs::new(&config.ftl.gc, units, epoch),
            parked: Parked::default(),
            unplaced: Unplaced::default(),
            firmware: Firmware::new(&config.firmware),
            codec,
            memory_access: config.buffer.access,
            reads_after_program: config.scheduler.read_in_flight == ReadInFlight::AfterProgram,
            unmapped_reads: 0,
            in_memory_reads: 0,
            facts,
            admits,
            flushes: Vec::new(),
            has_failures: config.ftl.failures.is_on(),
            refreshed: Optional::new(refreshed),
            local: Optional::new(local),
        }
    }

    /// Counts afresh from `now` on; what the FTL counts goes on, but for placement handles.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        self.ftl.restart_subject_counts();
        self.unmapped_reads = 0;
        self.in_memory_reads = 0;
        self.firmware.restart_counts(now);
        self.codec.restart_counts(now);
        if let Some(local) = self.local.as_mut() {
            local.restart_counts(now);
        }
    }

    /// The time that the FTL is told: what ageing took lies before the run.
    #[inline]
    pub(crate) fn lifetime(&self, now: SimTime) -> SimTime {
        now + self.epoch
    }

    /// Whether programs and erases can fail.
    pub(crate) fn has_failures(&self) -> bool {
        self.has_failures
    }

    /// Whether the drive takes no more writes.
    #[inline]
    pub(crate) fn is_read_only(&self) -> bool {
        self.has_failures && self.ftl.read_only_since().is_some()
    }

    /// Since when the drive takes no more writes, in the time of the run.
    pub(crate) fn read_only_since(&self) -> Option<SimTime> {
        self.ftl.read_only_since().map(|since| self.time_of_run(since))
    }

    /// When a page of the host first found no room in the SLC cache, in the time of the run.
    pub(crate) fn cache_full_since(&self) -> Option<SimTime> {
        let since = self.ftl.cached_writes()?.full_since()?;
        Some(self.time_of_run(since))
    }

    /// A time that the FTL has said, without what ageing took.
    fn time_of_run(&self, told: SimTime) -> SimTime {
        SimTime::ZERO + told.since(SimTime::ZERO + self.epoch)
    }

    /// The FTL, to be looked at.
    #[inline]
    pub(crate) fn ftl(&self) -> &dyn Mapping {
        F::ftl(&self.ftl)
    }

    /// The FTL of a run that is over.
    pub(crate) fn ftl_mut(&mut self) -> &mut dyn Mapping {
        F::ftl_mut(&mut self.ftl)
    }

    /// What the FTL has counted.
    pub(crate) fn counters(&self) -> FtlCounters {
        self.ftl.counters()
    }

    /// What the flash holds, as the buffer sees it.
    pub(crate) fn backing(&self) -> Backing<'_> {
        Backing::new(self.ftl(), &self.parked)
    }

    pub(crate) fn firmware(&self) -> &Firmware {
        &self.firmware
    }

    pub(crate) fn firmware_mut(&mut self) -> &mut Firmware {
        &mut self.firmware
    }

    /// The encoders and decoders.
    pub(crate) fn codec(&self) -> &Codec {
        &self.codec
    }

    pub(crate) fn codec_mut(&mut self) -> &mut Codec {
        &mut self.codec
    }

    /// The controllers of packages, where these have any.
    pub(crate) fn local(&self) -> Option<&LocalControllers> {
        self.local.as_ref()
    }

    pub(crate) fn local_mut(&mut self) -> Option<&mut LocalControllers> {
        self.local.as_mut()
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    pub(crate) fn jobs_mut(&mut self) -> &mut Jobs {
        &mut self.jobs
    }

    /// Time to serve a piece from the controller's memory.
    #[inline]
    pub(crate) fn memory_access(&self) -> Duration {
        self.memory_access
    }

    /// Pieces of reads whose pages hold no data.
    pub(crate) fn unmapped_reads(&self) -> u64 {
        self.unmapped_reads
    }

    /// Pieces of reads that were answered from the controller's memory.
    pub(crate) fn in_memory_reads(&self) -> u64 {
        self.in_memory_reads
    }

    /// Submits a piece to the FTL, which may make a plan.
    #[inline]
    pub(crate) fn submit(&mut self, now: SimTime, piece: &SubRequest) -> Answer {
        self.is_called = true;
        self.ftl.submit(now + self.epoch, &piece.page, &mut self.plan)
    }

    /// The outcome of an answer, counted: whether the piece has to wait. It has no plan then.
    #[inline]
    pub(crate) fn must_wait(&mut self, answer: Answer) -> bool {
        match answer {
            Answer::Wait | Answer::WaitFor(_) => return true,
            Answer::InMemory | Answer::PartlyInMemory if self.reads_after_program => {
                self.drop_plan();
                return true;
            }
            Answer::InMemory => self.in_memory_reads += 1,
            Answer::Unmapped => self.unmapped_reads += 1,
            Answer::Accepted | Answer::PartlyInMemory | Answer::Refused(_) => {}
        }
        false
    }

    /// Whether a piece has to stand behind others that wait for its page.
    #[inline]
    pub(crate) fn is_behind_another(&self, piece: &SubRequest) -> bool {
        self.parked.waits_for(piece.page.lpn)
    }

    /// Pieces that wait for an earlier write of their page.
    pub(crate) fn parked(&self) -> &Parked {
        &self.parked
    }

    #[inline]
    pub(crate) fn parked_mut(&mut self) -> &mut Parked {
        &mut self.parked
    }

    /// Whether several logical pages share a page of flash.
    #[inline]
    pub(crate) fn gathers_writes(&self) -> bool {
        self.facts.gathers_writes
    }

    /// Whether what the host wants to be on flash takes programs of its own.
    #[inline]
    pub(crate) fn programs_on_flush(&self) -> bool {
        self.facts.programs_on_flush
    }

    /// A step has ended, a program at `page`; the FTL may make a plan of further steps.
    #[inline]
    pub(crate) fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome) {
        self.is_called = true;
        self.ftl
            .done(now + self.epoch, step, page, outcome, &mut self.plan);
        if let Some(refreshed) = self.refreshed.as_mut() {
            let ftl = F::ftl_mut(&mut self.ftl);
            refreshed.done(ftl, now + self.epoch, step, page, outcome);
        }
    }

    /// The same in a drive whose blocks may fail (`ftl.failures`): whether the step has failed.
    #[inline(never)]
    pub(crate) fn done_or_failed(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
    ) -> bool {
        let failed_before = self.failed_steps();
        self.done(now, step, page, outcome);
        self.failed_steps() > failed_before
    }

    /// Programs and erases that have failed.
    fn failed_steps(&self) -> u64 {
        let counters = self.counters();
        counters.failed_programs + counters.failed_erases
    }

    /// Whether the step that was done last is one that the host is told of as having failed.
    #[inline]
    pub(crate) fn take_write_fault(&mut self) -> bool {
        self.admits && self.ftl.zoned_host_mut().is_some_and(ZonedHost::take_write_fault)
    }

    /// Looks for blocks to be refreshed, and says after how long to look again; none where nothing is refreshed.
    pub(crate) fn look_for_refresh(&mut self, now: SimTime) -> Option<Duration> {
        let interval = self.refreshed.as_ref()?.interval();
        self.is_called = true;
        if let Some(refreshing) = self.ftl.refreshing_mut() {
            refreshing.look_for_refresh(now + self.epoch);
        }
        Some(interval)
    }

    /// Steps of the plan that is to be started.
    #[inline]
    pub(crate) fn planned(&self) -> usize {
        self.plan.len()
    }

    /// Gives up the plan that reads the rest of a page, of which the FTL keeps nothing.
    pub(crate) fn drop_plan(&mut self) {
        self.plan.clear();
    }

    /// A plan of the drive's own, of one step.
    pub(crate) fn plan_step(&mut self, step: Step) {
        self.plan.push(step);
    }

    /// The plan that is to be started.
    #[inline]
    pub(crate) fn plan(&self) -> &[Step] {
        &self.plan
    }

    /// The steps of the plan are operations now.
    #[inline]
    pub(crate) fn plan_started(&mut self) {
        self.plan.clear();
    }

    /// A step of the plan is this operation, in the record of the plan.
    #[inline]
    pub(crate) fn record_step(&mut self, record: u32, index: usize, op: OpId) {
        self.plans.add(record, op, self.plan[index].after);
    }

    /// The plans of several steps in execution.
    #[inline]
    pub(crate) fn plans_mut(&mut self) -> &mut Plans {
        &mut self.plans
    }

    /// Whether no plan of several steps is in execution.
    pub(crate) fn has_no_plans(&self) -> bool {
        self.plans.is_empty()
    }

    /// Whether programs that wait for a page, or notices of the FTL, are to be looked at.
    #[inline]
    pub(crate) fn has_notices(&self) -> bool {
        self.is_called || self.unplaced.is_space_freed()
    }

    /// The notices that the FTL has for the drive, if it was called; [`Self::noticed`] takes the list back.
    #[inline]
    pub(crate) fn take_notices(&mut self) -> Option<Vec<JobNotice>> {
        if !std::mem::take(&mut self.is_called) {
            return None;
        }
        self.ftl.notices(&mut self.notices);
        (!self.notices.is_empty()).then(|| std::mem::take(&mut self.notices))
    }

    /// Takes over the jobs that another executor of the FTL knows of, before the run begins.
    pub(crate) fn take_over(&mut self, notices: Vec<JobNotice>) {
        self.notices = notices;
    }

    /// The FTL of a run that is over, with the jobs that want to be asked, for the executor that goes on with it.
    pub(crate) fn hand_over(self) -> (Box<F::Ftl>, Vec<JobNotice>) {
        (self.ftl, self.jobs.waiting().collect())
    }

    /// Takes the place of notices back.
    pub(crate) fn noticed(&mut self, mut notices: Vec<JobNotice>) {
        notices.clear();
        self.notices = notices;
    }

    /// A job is asked for its next plan, if it is the turn of one.
    pub(crate) fn ask_next_job(&mut self, now: SimTime) -> Option<Asked> {
        let (job, urgency) = self.jobs.next_to_ask()?;
        self.is_called = true;
        let state = self.ftl.advance(now + self.epoch, job, &mut self.plan);
        Some(match self.jobs.answered(job, state, self.plan.len() as u32) {
            Ok(()) => Asked::Planned(job, urgency),
            Err(problem) => {
                self.plan.clear();
                Asked::Broken(problem)
            }
        })
    }
}
