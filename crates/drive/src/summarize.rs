//! What a finished run amounts to: summary, notes, tables.

mod breakdown;
mod collected;
mod course;
mod delta;
mod failures;
mod modes;
mod parity;
mod placement;
mod prediction;
mod processors;
mod refresh;
mod requests;
mod table;
mod thermal;

use wordline_config::{Config, WarmUp};
use wordline_ftl::{AgeMethod, BlockRole, Cause, Census, FtlCounters};
use wordline_metrics::{
    BlockTable, EraseCounts, Load, Note, RequestClass, Resource, RunCost, SeriesColumns, Status, Summary,
    TimelineTables,
};
use wordline_units::{Duration, SimTime};
use wordline_workload::WorkloadKind;

use crate::buffer::WriteBuffer;
use crate::control::Control;
use crate::features::Features;
use crate::kernel::Drive;
use crate::output::RunOutput;

/// Pages of the drive by state, and what else a walk over its blocks tells.
struct Blocks {
    census: Census,
    open: u64,
    bad: u64,
}

/// Sums a finished run up; gives the FTL back, whose state may be saved then.
pub(crate) fn summarize<F: Features>(
    config: &Config,
    mut drive: Drive<F>,
    mut notes: Vec<Note>,
    predicted_amplification: Option<f64>,
    cost: &RunCost,
    audited: bool,
) -> (RunOutput, Control<F>) {
    let end = drive.now();
    drive.count_sleep();
    drive.advance_temperature();
    drive.observe_mut().finish_figures(end);
    let mut summary = Summary::new();
    summary.set("run.version", env!("CARGO_PKG_VERSION"));
    summary.set("run.interrupted", drive.host().is_stopped());
    summary.set("sim.seed", config.seed);
    let is_drawn = config.workload.kind == WorkloadKind::Profile;
    summary.set("workload.surrogate", is_drawn);
    let recorder = drive.observe().recorder();
    recorder.summarize(&mut summary, end);
    drive.observe().set_warm_up(&mut summary, drive.user_bytes());
    summary.set("host.unmapped_reads", drive.control().unmapped_reads());
    summary.set("host.in_memory_reads", drive.control().in_memory_reads());
    summary.set("host.refused", recorder.refused());
    summary.set("host.uncorrectable", recorder.ended(Status::Uncorrectable));
    if config.nand.independent_plane_reads {
        summary.set("nand.reads_beside_reads", recorder.ledger.reads_beside());
    }
    set_interface(&mut summary, &drive);
    let blocks = walk(&drive);
    set_reliability(&mut summary, &drive);
    set_ftl(&mut summary, config, &drive, &blocks);
    set_controller(&mut summary, &drive);
    modes::set(&mut summary, config, &drive);
    thermal::set(&mut summary, &drive);
    if let Some(idle) = drive.idle() {
        summary.set("power.wakes", idle.wakes());
    }
    if let Some(limit) = drive.limit() {
        limit.summarize(&mut summary, end, drive.measured_time());
    }
    let inconsistent = inconsistent_totals(&drive, &blocks.census);
    summary.set("check.conservation", inconsistent.is_empty());
    notes.extend(Note::inconsistent(&inconsistent));
    summary.set("check.audited", audited);
    let completed = drive.host().counts().completed;
    summary.add_run(cost, completed, drive.observe().page_operations());
    summary.set("ftl.write_amplification.expected", predicted_amplification);
    let series = recorder.time_series();
    course::set(&mut summary, &drive, &series);
    notes.extend(drive.observe().warm_up_notes(&summary, drive.user_bytes()));
    notes.extend(notes_of(
        config,
        &drive,
        &summary,
        &series,
        predicted_amplification,
    ));
    let table = BlockTable::of(drive.control().ftl(), config.output.block_table);
    notes.extend(table_notes(config, &drive, &table));
    let latency = recorder.distributions();
    let interrupted = drive.host().is_stopped();
    let modes = drive.observe_mut().mode_columns(end);
    let temperature = thermal::columns(&drive);
    let (recorder, control) = drive.into_recorder();
    let output = RunOutput {
        interrupted,
        summary,
        notes,
        time_series: series,
        modes,
        start_levels: recorder.start_levels(),
        temperature,
        requests: recorder.log,
        timeline: TimelineTables::default(),
        blocks: table,
        attribution: recorder.breakdown.columns(),
        latency,
    };
    (output, control)
}

fn walk<F: Features>(drive: &Drive<F>) -> Blocks {
    let ftl = drive.control().ftl();
    let blocks = (0..ftl.geometry().blocks()).map(wordline_nand::BlockId);
    let roles: Vec<BlockRole> = blocks.map(|block| ftl.block_use(block).role).collect();
    let count = |wanted: BlockRole| roles.iter().filter(|role| **role == wanted).count() as u64;
    Blocks {
        census: ftl.census(),
        open: count(BlockRole::Open),
        bad: count(BlockRole::Bad),
    }
}

fn set_ftl<F: Features>(summary: &mut Summary, config: &Config, drive: &Drive<F>, blocks: &Blocks) {
    let ftl = drive.control().ftl();
    let units = ftl.unit_geometry();
    let facts: FtlCounters = drive.ftl_counters();
    let census = &blocks.census;
    summary.add_erase_counts(&EraseCounts::of(ftl));
    summary.set("ftl.covered_updates", facts.covered_writes);
    summary.set("ftl.uncovered_updates", facts.uncovered_writes);
    summary.set("ftl.uncovered_ratio", facts.uncovered_ratio());
    summary.set("ftl.user_pages", ftl.user_pages());
    if units.pages_per_program > 1 {
        summary.set("ftl.units_per_page", u64::from(units.pages_per_program));
        summary.set("ftl.padding.host_units", facts.padding.host_units);
        summary.set("ftl.padding.moved_units", facts.padding.moved_units);
    }
    let per_unit = ftl.facts().pages_per_unit;
    if per_unit > 1 {
        summary.set("ftl.pages_per_unit", u64::from(per_unit));
    }
    summary.set("ftl.mapped_pages", census.mapped);
    summary.set("ftl.pages.valid", census.valid);
    if ftl.facts().own_pages > 0 {
        summary.set(&format!("ftl.pages.{}", ftl.facts().own_pages_hold), census.own);
    }
    summary.set("ftl.pages.invalid", census.invalid);
    summary.set("ftl.pages.free", census.free);
    summary.set("ftl.pages.skipped", census.skipped);
    summary.set("ftl.gc.victims", facts.gc_victims);
    let valid = facts.mean_victim_valid_pages();
    let share = valid.map(|pages| pages / f64::from(collected::collected_geometry(ftl).pages_per_block));
    summary.set("ftl.gc.victim_valid_share.mean", share);
    summary.set("ftl.gc.pages_moved", facts.gc_moves);
    let free = facts.mean_free_blocks();
    let has_closed_form = config.ftl.mapping.row().is_ok_and(|row| row.has_closed_form);
    let rho = free
        .filter(|_| has_closed_form)
        .and_then(|free| collected::effective_utilization(config, drive, blocks, free));
    summary.set("ftl.gc.rho_effective", rho);
    summary.set("ftl.gc.free_blocks.mean", free);
    if !facts.merges.is_empty() {
        summary.set("ftl.merges.switch", facts.merges.switch);
        summary.set("ftl.merges.partial", facts.merges.partial);
        summary.set("ftl.merges.full", facts.merges.full);
        summary.set("ftl.merges.pages_copied", facts.merges.pages);
    }
    table::set(summary, drive, &facts.table);
    placement::set(summary, config, drive, &facts.placement);
    delta::set(summary, drive, &facts);
    summary.set("ftl.wear.blocks_moved", facts.wear_swaps);
    summary.set("ftl.wear.pages_moved", facts.wear_moves);
    summary.set("ftl.pages_moved_unreadable", facts.unreadable_moves);
    summary.set("ftl.trimmed_pages", facts.trimmed_pages);
    summary.set("ftl.bad_blocks", blocks.bad);
    if config.output.write_breakdown {
        breakdown::set(summary, drive);
    }
    if config.ftl.recovery.kind.has_journal() {
        summary.set("ftl.recovery.checkpoints", facts.checkpoints);
    }
    failures::set(summary, config, drive, &facts);
    parity::set(summary, drive, &facts.parity);
    refresh::set(summary, drive);
}

fn set_reliability<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    let record = &drive.observe().recorder().reliability;
    if let (Some(record), Some(reliability)) = (record, drive.array().reliability()) {
        let elapsed = drive.measured_time();
        record.summarize(summary, elapsed, reliability.lost_pages(drive.control().ftl()));
    }
}

fn set_interface<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    summary.set("host.commands", drive.host().counts().commands);
    if let Some((to_drive, to_host)) = drive.host().link_busy() {
        let elapsed = drive.measured_time();
        let share =
            |busy: Duration| (elapsed > Duration::ZERO).then(|| busy.ns() as f64 / elapsed.ns() as f64);
        summary.set("host.link.to_drive_utilization", share(to_drive));
        summary.set("host.link.to_host_utilization", share(to_host));
    }
}

fn set_controller<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    if let Some(buffer) = drive.buffer() {
        set_buffer(summary, buffer, drive.now());
    }
    processors::set(summary, drive);
    summary.set("scheduler.starved", drive.observe().starved());
    if let Some(queue) = drive.request_queue() {
        requests::set(summary, queue);
    }
}

fn set_buffer(summary: &mut Summary, buffer: &WriteBuffer, end: SimTime) {
    let counts = &buffer.counts;
    let hits = counts.read_hits + counts.write_hits;
    let all = hits + counts.read_misses + counts.write_misses;
    let hit_ratio = (all > 0).then(|| hits as f64 / all as f64);
    summary.set("buffer.hits", hits);
    summary.set("buffer.misses", all - hits);
    summary.set("buffer.hit_ratio", hit_ratio);
    summary.set("buffer.evictions", counts.evicted_dirty + counts.evicted_clean);
    summary.set("buffer.flushes", counts.flushes);
    summary.set("buffer.dirty_pages", buffer.dirty());
    summary.set("buffer.read_hits", counts.read_hits);
    summary.set("buffer.read_misses", counts.read_misses);
    summary.set("buffer.write_hits", counts.write_hits);
    summary.set("buffer.write_misses", counts.write_misses);
    summary.set("buffer.writes_waited", counts.waits);
    summary.set("buffer.evictions_clean", counts.evicted_clean);
    summary.set("buffer.evictions_dirty", counts.evicted_dirty);
    summary.set("buffer.groups_evicted", counts.groups);
    summary.set("buffer.background_writes", counts.background);
    summary.set("buffer.pages_filled", counts.fills);
    summary.set("buffer.padding_reads", counts.padding_reads);
    summary.set("buffer.padding_writes", counts.padding_writes);
    summary.set("buffer.dirty_share.mean", buffer.mean_dirty_share(end));
}

/// The totals of requests, pages and operations that do not add up; none in a run without a defect.
fn inconsistent_totals<F: Features>(drive: &Drive<F>, census: &Census) -> Vec<&'static str> {
    let pages = census.valid + census.invalid + census.free + census.skipped;
    let elapsed = drive.measured_time();
    let busiest_channel = drive.observe().recorder().ledger.channel_utilization(elapsed).max;
    [
        (
            "pages by state",
            pages == drive.control().ftl().unit_geometry().pages(),
        ),
        (
            "mapped and valid pages",
            census.valid == census.mapped + census.own,
        ),
        (
            "requests sent and completed",
            drive.host().counts().sent == drive.host().counts().completed
                && drive.host().requests_left() == 0,
        ),
        (
            "operations planned and done",
            drive.array().is_empty() && drive.control().has_no_plans(),
        ),
        ("parts of response times", drive.observe().is_settled()),
        ("busy time of channels", busiest_channel <= 1.0),
        ("suspended and resumed operations", drive.array().is_settled()),
    ]
    .into_iter()
    .filter_map(|(total, adds_up)| (!adds_up).then_some(total))
    .collect()
}

fn notes_of<F: Features>(
    config: &Config,
    drive: &Drive<F>,
    summary: &Summary,
    series: &SeriesColumns,
    predicted: Option<f64>,
) -> Vec<Note> {
    let recorder = drive.observe().recorder();
    let requests = recorder.requests();
    let facts = drive.ftl_counters();
    let end = drive.now();
    let mut notes = vec![Note::window_stated(
        recorder.window(),
        end.since(recorder.last_completion),
        drive.observe().had_warm_up(),
    )];
    notes.extend(Note::no_flash(requests, recorder.ledger.page_operations()));
    let refused = recorder.refused();
    match drive.control().read_only_since() {
        Some(since) => notes.push(Note::read_only(since, refused, requests)),
        None => notes.extend(Note::refused(refused, requests)),
    }
    notes.extend(Note::unmapped_reads(
        drive.control().unmapped_reads(),
        page_reads(drive),
    ));
    if let Some(unwritten) = summary.number("workload.zones.unwritten_reads") {
        let unwritten = unwritten as u64;
        notes.extend(Note::unwritten_reads(unwritten, unwritten + page_reads(drive)));
    }
    let collected = collected::collected_geometry(drive.control().ftl());
    let together = drive.array().geometry().blocks() / collected.blocks();
    let written = recorder.ledger.host_page_writes();
    notes.extend(Note::few_victims(
        starts_steady(config) || config.run.warm_up == Some(WarmUp::Auto),
        written,
        facts.gc_victims + facts.merges.all(),
        u64::from(collected.planes()),
        u64::from(together),
    ));
    let recovery = &config.ftl.recovery;
    notes.extend(Note::no_checkpoint(
        recovery.kind.has_journal().then_some(facts.checkpoints),
        written,
        recovery.checkpoint_interval.into(),
    ));
    notes.extend(course::notes(summary, drive, series));
    notes.extend(prediction::note(config, drive, summary, predicted));
    for (class, name) in [(RequestClass::Read, "read"), (RequestClass::Write, "write")] {
        notes.extend(Note::too_short(name, recorder.latency[class.index()].count()));
    }
    let overloaded = drive
        .host()
        .clients()
        .any_open_loop()
        .then(|| Note::overloaded(&load(drive)))
        .flatten();
    // of requests that come in bursts which are too much for the drive, the pauses say nothing
    if let Some(active) = summary
        .number("host.queue.active_share")
        .filter(|_| overloaded.is_none())
    {
        notes.extend(Note::mostly_idle(active));
    }
    notes.extend(overloaded);
    if let (Some(record), Some(reliability)) = (&recorder.reliability, drive.array().reliability()) {
        let lost = reliability.lost_pages(drive.control().ftl());
        notes.extend(record.note(lost, facts.parity.recovered));
    }
    if drive.control().firmware().enabled() {
        notes.extend(Note::bottleneck(
            Resource::Firmware,
            drive.control().firmware().utilization(end),
        ));
    }
    if let Some(busy) = summary.number("nand.channel_utilization_max") {
        notes.extend(Note::bottleneck(Resource::Channel, busy));
    }
    let policy = config.scheduler.policy.name();
    let buffer_policy = &config.buffer.policy;
    if let Some(parts) = buffer_policy.row().ok().and_then(|row| row.reconstructed) {
        let name = buffer_policy.name();
        let text = format!(
            "The buffer policy {name} is reconstructed from the abstract of its paper: where {parts} differ from \
             the original, so do the figures."
        );
        notes.push(Note::remark("buffer", text));
    }
    notes.extend(Note::starved(
        drive.observe().starved(),
        recorder.ledger.longest_wait(),
        policy,
    ));
    notes
}

/// Pages that the host asked for, wherever they were found; reads for un-covered updates count too.
fn page_reads<F: Features>(drive: &Drive<F>) -> u64 {
    drive.control().unmapped_reads()
        + drive.control().in_memory_reads()
        + drive.buffer().map_or(0, |buffer| buffer.counts.read_hits)
        + drive.observe().recorder().ledger.pages_read(Cause::Host)
}

/// The load of an open loop when its last command came.
fn load<F: Features>(drive: &Drive<F>) -> Load {
    let host = drive.host().counts();
    let recorder = drive.observe().recorder();
    let requests = recorder.requests();
    let arrivals = host.last_arrival.since(host.first_arrival.unwrap_or_default());
    // commands that had arrived but were not admitted, at the mean rate of arrival
    let outside = if arrivals > Duration::ZERO {
        u128::from(requests) * u128::from(host.last_wait.ns()) / u128::from(arrivals.ns())
    } else {
        0
    };
    Load {
        requests,
        unfinished: (u64::from(host.inside_at_last) + outside as u64).min(requests),
        depth: u64::from(drive.array().geometry().dies()),
        arrivals,
        window: recorder.window(),
    }
}

/// Whether the run starts from where collection should be at work.
fn starts_steady(config: &Config) -> bool {
    match config.age.method {
        AgeMethod::SteadyState => true,
        AgeMethod::Overwritten => config.age.random_factor > 0.0,
        AgeMethod::Fresh | AgeMethod::Invalidated | AgeMethod::Snapshot => false,
    }
}

fn table_notes<F: Features>(config: &Config, drive: &Drive<F>, blocks: &BlockTable) -> Vec<Note> {
    let log = &drive.observe().recorder().log;
    let all_blocks = u64::from(drive.array().geometry().blocks());
    let mut notes = Vec::new();
    if config.output.request_log > 0 {
        let all = log.rows() + log.left_out();
        notes.extend(Note::truncated("requests", "output.request_log", log.rows(), all));
    }
    if config.output.block_table > 0 {
        notes.extend(Note::truncated(
            "blocks",
            "output.block_table",
            blocks.rows(),
            all_blocks,
        ));
    }
    if let Some(from) = drive.observe().recorder().series.widened_from() {
        notes.extend(Note::widened(from, drive.observe().recorder().series.window()));
    }
    notes
}

/// A wait beyond which an operation counts as starved where no limit is set: a thousand times what
/// the longest single flash operation takes.
pub(crate) fn starvation(config: &Config, longest_array_step: Duration) -> Duration {
    config.scheduler.max_wait.unwrap_or(longest_array_step * 1_000)
}
