//! A drive that is ready to run, with what is told of it when the run is over.

use std::path::Path;

use wordline_config::Config;
use wordline_ftl::snapshot::{self, SnapshotError};
use wordline_ftl::{AgeMethod, PageRequest, Subjects};
use wordline_metrics::{Note, SteadyFrom, Stopwatch, TimelineTables, available_memory_bytes};
use wordline_nand::WordLines;
use wordline_units::{Seed, SimTime};
use wordline_workload::WorkloadKind;

use super::aged_drive::{AgedDrive, build};
use crate::buffer::Traffic;
use crate::control::Control;
use crate::error::RunError;
use crate::features::Features;
use crate::host::clients::Tenant;
use crate::kernel::Drive;
use crate::observe::audit::Audit;
use crate::observe::warm_up::{Reached, Surroundings};
use crate::output::{RunOptions, RunOutput};
use crate::progress::{Phase, Progress};
use crate::summarize::summarize;
use crate::tenants;
use crate::trace_notes::trace_notes;

/// A drive at its age with its clients, and whatever observes it.
pub(crate) struct Simulation<F: Features> {
    pub(crate) drive: Drive<F>,
    /// What the ageing has to say.
    notes: Vec<Note>,
    /// Requests that will come, where that is known.
    expected: Option<u64>,
    /// Write amplification that ageing counted on.
    predicted_amplification: Option<f64>,
}

impl<F: Features> Simulation<F> {
    /// Puts an aged drive together with its clients.
    ///
    /// # Errors
    /// A drive that cannot be built, a file of the timeline that cannot be made, a warm-up as long as the workload.
    pub(crate) fn new(
        config: &Config,
        aged: AgedDrive,
        tenants: Vec<Tenant>,
        found: Option<SteadyFrom>,
        options: &RunOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Self, RunError> {
        let geometry = aged.geometry;
        let remarks = aged.aged.notes.iter();
        let notes = remarks
            .map(|text| Note::remark("age", text.clone()))
            .chain(same_seed_note(config))
            .collect();
        let ramp = tenants::ramp(&tenants);
        let traffic = aged.traffic;
        let predicted_amplification = aged.aged.amplification;
        let mut drive = build::<F>(config, aged, tenants)?;
        let path = options.timeline.as_deref();
        let suspends = drive.array().suspendable();
        drive
            .observe_mut()
            .record_timeline(&geometry, &config.output, path, suspends)?;
        if options.audit {
            audit(config, &mut drive, progress)?;
        }
        fill_buffer(config, &mut drive, traffic);
        let expected = drive.host().clients().len_hint();
        let surroundings = Surroundings {
            found,
            ramp,
            requests: expected,
            user_bytes: drive.user_bytes(),
        };
        if let Some(end) = drive.observe_mut().begin_warm_up(config, &surroundings)? {
            drive.measure_from(end);
        }
        Ok(Self {
            drive,
            notes,
            expected,
            predicted_amplification,
        })
    }

    /// Sums up a run that is over.
    ///
    /// # Errors
    /// Nothing was measured; a file that cannot be written.
    pub(crate) fn finish(
        self,
        config: &Config,
        options: &RunOptions,
        stopwatch: Stopwatch,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<RunOutput, RunError> {
        let Self {
            mut drive,
            mut notes,
            expected,
            predicted_amplification,
        } = self;
        drive.observe().check_measured(&Reached {
            now: drive.now(),
            requests: drive.host().counts().completed,
            user_bytes: drive.user_bytes(),
            interrupted: drive.host().is_stopped(),
        })?;
        let deltas = drive.control().ftl().delta_pages();
        let data = deltas.map_or(Ok(()), |deltas| deltas.check_data());
        data.map_err(RunError::Data)?;
        let is_stopped = drive.host().is_stopped();
        if is_stopped {
            notes.push(Note::interrupted(
                drive.host().counts().completed,
                expected,
                drive.now().since(SimTime::ZERO),
            ));
        }
        let lived = drive.control().lifetime(drive.now());
        let unsaved = match (&options.save_state, drive.buffer()) {
            (Some(_), Some(buffer)) => Some(buffer.unsaved()),
            _ => None,
        };
        notes.extend(unsaved.as_deref().and_then(flush_note));
        notes.extend(source_notes(&drive));
        notes.extend(trace_notes(&drive));
        notes.extend(drive.array().watermark_note(drive.control().ftl()));
        let now = drive.now();
        let timeline = drive.observe_mut().finish_timeline(now)?;
        notes.extend(timeline_notes(config, &timeline));
        let (mut output, mut control) = summarize(
            config,
            drive,
            notes,
            predicted_amplification,
            &stopwatch.cost(),
            options.audit,
        );
        output.timeline = timeline;
        if let Some(path) = &options.save_state {
            // what has ended the run does not end its saving too: that takes another signal
            let mut is_asked_anew = !is_stopped;
            let mut watch = || {
                let goes_on = progress(Progress::before(Phase::Saving, 0.0));
                is_asked_anew |= goes_on;
                goes_on || !is_asked_anew
            };
            match save_state(
                config,
                &mut control,
                unsaved.as_deref(),
                (lived, path),
                &mut watch,
            ) {
                Err(RunError::Snapshot(SnapshotError::Interrupted)) => {
                    output.notes.insert(0, Note::not_saved(path))
                }
                saved => saved?,
            }
        }
        Ok(output)
    }
}

/// Has every operation of a drive checked against the rules of the medium and the FTL's promises.
///
/// # Errors
/// Tables of the auditor that would not fit into memory; `RunError::Interrupted`.
pub(crate) fn audit<F: Features>(
    config: &Config,
    drive: &mut Drive<F>,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<(), RunError> {
    let ftl = drive.control().ftl();
    let needed = Audit::bytes(ftl);
    match available_memory_bytes() {
        Some(available) if needed > available => {
            return Err(RunError::AuditMemory {
                pages: ftl.geometry().pages(),
                needed_mb: needed / 1_000_000,
                available_mb: available / 1_000_000,
            });
        }
        _ => {}
    }
    let mut is_stopped = false;
    let mut watch = |share| {
        is_stopped |= !progress(Progress::before(Phase::Auditing, share));
        !is_stopped
    };
    let audit = Audit::watched(*drive.array().geometry(), &config.restrictions, ftl, &mut watch)
        .with_modes(config, drive.array().page_types(), ftl, &mut watch)
        .with_plane_reads(config.nand.independent_plane_reads)
        .with_word_lines(WordLines::new(config.nand.program, config.geometry.cell_type));
    if is_stopped {
        return Err(RunError::Interrupted);
    }
    drive.add_probe(Box::new(audit));
    if let Some((buffer, control)) = drive.buffer_mut() {
        buffer.watch(control.ftl().unit_geometry().sectors_per_page());
    }
    Ok(())
}

/// Fills the buffer of a drive that starts from a steady state, with pages of the region that the workload is in.
pub(super) fn fill_buffer<F: Features>(config: &Config, drive: &mut Drive<F>, traffic: Option<Traffic>) {
    let is_steady = config.age.method == AgeMethod::SteadyState;
    let (Some((buffer, control)), Some(traffic)) = (drive.buffer_mut(), traffic.filter(|_| is_steady)) else {
        return;
    };
    let pages = control.ftl().user_pages();
    let per_page = u64::from(control.ftl().unit_geometry().sectors_per_page());
    let region = config.workload.region.filter(|_| config.tenants.is_empty());
    let (from, end) = region
        .and_then(|region| region.sectors(pages * per_page))
        .map_or((0, pages), |(from, end)| {
            (from.div_ceil(per_page), end / per_page)
        });
    buffer.fill_at_start(control.ftl(), from..end, &traffic, Seed(config.seed));
}

/// Saves the state of a drive whose figures have been read, as after an orderly shutdown: what its buffer holds and flash does not is written first, in the
/// order of its addresses as a flush does, and then what the FTL has waiting for company is programmed.
fn save_state<F: Features>(
    config: &Config,
    control: &mut Control<F>,
    unsaved: Option<&[PageRequest]>,
    (lived, path): (SimTime, &Path),
    watch: &mut dyn FnMut() -> bool,
) -> Result<(), RunError> {
    let order = config.array_allocation().order;
    if let Some(pages) = unsaved {
        control
            .write_untimed(pages, lived, order)
            .map_err(RunError::Flush)?;
    }
    match snapshot::save_watched(control.ftl_mut(), lived, path, watch) {
        // jobs that nothing waited for any more when the last request was completed
        Err(SnapshotError::Busy) => {
            control
                .write_untimed(&[], lived, order)
                .map_err(RunError::Flush)?;
            Ok(snapshot::save_watched(control.ftl_mut(), lived, path, watch)?)
        }
        saved => Ok(saved?),
    }
}

/// What the state has that the figures of the run do not.
fn flush_note(unsaved: &[PageRequest]) -> Option<Note> {
    let pages = unsaved.len();
    (pages > 0).then(|| {
        Note::remark(
            "buffer",
            format!(
                "the saved state is that of the drive after an orderly shutdown: it has the {pages} pages on flash that were in the buffer alone at the end of \
                 the run; the figures of the run are those from before"
            ),
        )
    })
}

/// What a run that goes on from a snapshot has to know: random addresses with the seed of the run before are the same again.
fn same_seed_note(config: &Config) -> Option<Note> {
    let is_drawn = !matches!(
        config.workload.kind,
        WorkloadKind::Sequential | WorkloadKind::Trace | WorkloadKind::Fio
    );
    let goes_on = config.age.method == AgeMethod::Snapshot && is_drawn && config.tenants.is_empty();
    goes_on.then(|| {
        Note::remark(
            "workload",
            format!(
                "workload.seed = {}: if the run that saved the drive had the same seed, its requests come again, and pages \
                 overwritten in the order in which they were written lower the write amplification; another seed avoids that",
                config.workload.seed
            ),
        )
    })
}

/// What the sources of the clients have to say, each thing once.
fn source_notes<F: Features>(drive: &Drive<F>) -> Vec<Note> {
    let clients = drive.host().clients();
    let mut texts: Vec<String> = Vec::new();
    for client in clients.iter() {
        for text in client
            .source
            .notes()
            .into_iter()
            .chain(client.steady_note())
            .chain(client.end_note())
        {
            let text = if clients.several() {
                format!("{}: {text}", client.name)
            } else {
                text
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
        .into_iter()
        .map(|text| Note::remark("workload", text))
        .collect()
}

/// What of the timeline did not fit.
fn timeline_notes(config: &Config, timeline: &TimelineTables) -> Option<Note> {
    let left = timeline.events_left_out;
    (left > 0).then(|| {
        Note::remark(
            "timeline",
            format!(
                "the file of the timeline holds the first {} events; {left} more did not fit: choose a stretch \
                 with output.timeline_from and output.timeline_to, or raise output.timeline_events",
                config.output.timeline_events
            ),
        )
    })
}
