//! What a finished run amounts to: summary, notes, tables.

use wordline_ftl::analytic::beside_reserve;
use wordline_ftl::{AgeMethod, BlockRole, Cause, Census, FtlCounters, GcMode, Pool};
use wordline_metrics::{
    BlockTable, Course, EraseCounts, Load, Note, RequestClass, Resource, RunCost, SeriesColumns, Status,
    Summary, TimelineTables,
};
use wordline_units::{Duration, SimTime};
use wordline_workload::WorkloadKind;

use crate::buffer::WriteBuffer;
use crate::config::{Config, WarmUp};
use crate::drive::Drive;
use crate::run::RunOutput;

/// Pages of the drive by state, and what else a walk over its blocks tells.
struct Blocks {
    census: Census,
    open: u64,
    bad: u64,
}

/// Sums a finished run up.
pub(crate) fn summarize(
    config: &Config,
    mut drive: Drive,
    mut notes: Vec<Note>,
    cost: &RunCost,
    audited: bool,
) -> RunOutput {
    let end = drive.now;
    drive.recorder.finish(end);
    let mut summary = Summary::new();
    summary.set("run.version", env!("CARGO_PKG_VERSION"));
    summary.set("run.interrupted", drive.interrupted);
    summary.set("sim.seed", config.seed);
    summary.set(
        "workload.surrogate",
        config.workload.kind == WorkloadKind::Profile,
    );
    let recorder = &drive.recorder;
    recorder.summarize(&mut summary, end);
    drive.set_warm_up(&mut summary);
    summary.set("host.unmapped_reads", drive.host.unmapped_reads);
    summary.set("host.in_memory_reads", drive.host.in_memory_reads);
    summary.set("host.refused", recorder.ended(Status::Refused));
    summary.set("host.uncorrectable", recorder.ended(Status::Uncorrectable));
    set_interface(&mut summary, &drive);
    let blocks = walk(&drive);
    set_reliability(&mut summary, &drive);
    set_ftl(&mut summary, config, &drive, &blocks);
    set_controller(&mut summary, &drive);
    let inconsistent = inconsistent_totals(&drive, &blocks.census);
    summary.set("check.conservation", inconsistent.is_empty());
    notes.extend(Note::inconsistent(&inconsistent));
    summary.set("check.audited", audited);
    let page_operations = drive
        .unmeasured
        .as_ref()
        .map_or(0, |before| before.page_operations);
    summary.add_run(
        cost,
        drive.host.completed,
        page_operations + recorder.ledger.page_operations(),
    );
    let series = drive.recorder.time_series();
    summary.set("sim.snia_steady", Course::is_steady_by_snia(&series));
    notes.extend(drive.warm_up_notes(&summary));
    notes.extend(notes_of(config, &drive, &summary, &series));
    let table = BlockTable::of(&*drive.ftl, config.output.block_table);
    notes.extend(table_notes(config, &drive, &table));
    let latency = [
        recorder.latency[RequestClass::Read.index()].cdf(),
        recorder.latency[RequestClass::Write.index()].cdf(),
        recorder.all().cdf(),
    ];
    RunOutput {
        interrupted: drive.interrupted,
        summary,
        notes,
        time_series: series,
        requests: drive.recorder.log,
        timeline: TimelineTables::default(),
        blocks: table,
        attribution: drive.recorder.breakdown.columns(),
        latency,
    }
}

fn walk(drive: &Drive) -> Blocks {
    let roles = |wanted: BlockRole| {
        let blocks = (0..drive.flash.geometry.blocks()).map(wordline_nand::BlockId);
        blocks
            .filter(|block| drive.ftl.block(*block).role == wanted)
            .count() as u64
    };
    Blocks {
        census: drive.ftl.census(),
        open: roles(BlockRole::Open),
        bad: roles(BlockRole::Bad),
    }
}

/// The reserve correction of write amplification (FTL specification, section 9.2): mapped pages over the pages that data
/// can occupy, with `free` mean free blocks in each pool and half of each open block deducted. `None` where the drive was
/// mostly empty for so long that less than its data now occupy is left by that.
fn effective_utilization(config: &Config, drive: &Drive, blocks: &Blocks, free: f64) -> Option<f64> {
    let geometry = &drive.flash.geometry;
    let pools = match config.ftl.gc.pool {
        Pool::Plane => geometry.planes(),
        Pool::Die => geometry.dies(),
        Pool::Chip => geometry.chips(),
        Pool::Channel => geometry.channels,
        Pool::Drive => 1,
    };
    let free = f64::from(pools) * free;
    let open = u32::try_from(blocks.open).unwrap_or(u32::MAX);
    beside_reserve(
        blocks.census.mapped,
        geometry.pages(),
        geometry.pages_per_block,
        free,
        open,
    )
    .ok()
}

fn set_ftl(summary: &mut Summary, config: &Config, drive: &Drive, blocks: &Blocks) {
    let geometry = &drive.flash.geometry;
    let facts: FtlCounters = drive.ftl_counters();
    let census = &blocks.census;
    summary.add_erase_counts(&EraseCounts::of(&*drive.ftl));
    summary.set("ftl.covered_updates", facts.covered_writes);
    summary.set("ftl.uncovered_updates", facts.uncovered_writes);
    summary.set("ftl.uncovered_ratio", facts.uncovered_ratio());
    summary.set("ftl.user_pages", drive.ftl.user_pages());
    summary.set("ftl.mapped_pages", census.mapped);
    summary.set("ftl.pages.valid", census.valid);
    summary.set("ftl.pages.invalid", census.invalid);
    summary.set("ftl.pages.free", census.free);
    summary.set("ftl.pages.skipped", census.skipped);
    summary.set("ftl.gc.victims", facts.gc_victims);
    let share = facts
        .mean_victim_valid_pages()
        .map(|pages| pages / f64::from(geometry.pages_per_block));
    summary.set("ftl.gc.victim_valid_share.mean", share);
    summary.set("ftl.gc.pages_moved", facts.gc_moves);
    let free = facts.mean_free_blocks();
    let has_closed_form = config.ftl.mapping.row().is_ok_and(|row| row.has_closed_form);
    let rho = free
        .filter(|_| has_closed_form)
        .and_then(|free| effective_utilization(config, drive, blocks, free));
    summary.set("ftl.gc.rho_effective", rho);
    summary.set("ftl.gc.free_blocks.mean", free);
    if !facts.merges.is_empty() {
        summary.set("ftl.merges.switch", facts.merges.switch);
        summary.set("ftl.merges.partial", facts.merges.partial);
        summary.set("ftl.merges.full", facts.merges.full);
        summary.set("ftl.merges.pages_copied", facts.merges.pages);
    }
    summary.set("ftl.wear.blocks_moved", facts.wear_swaps);
    summary.set("ftl.wear.pages_moved", facts.wear_moves);
    summary.set("ftl.pages_moved_unreadable", facts.unreadable_moves);
    summary.set("ftl.trimmed_pages", facts.trimmed_pages);
    summary.set("ftl.bad_blocks", blocks.bad);
}

fn set_reliability(summary: &mut Summary, drive: &Drive) {
    if let (Some(record), Some(reliability)) = (&drive.recorder.reliability, &drive.reliability) {
        let elapsed = drive.measured_time();
        record.summarize(summary, elapsed, reliability.lost_pages(&*drive.ftl));
    }
}

fn set_interface(summary: &mut Summary, drive: &Drive) {
    summary.set("host.commands", drive.host.commands);
    if let Some(interface) = &drive.interface {
        let elapsed = drive.measured_time();
        let share =
            |busy: Duration| (elapsed > Duration::ZERO).then(|| busy.ns() as f64 / elapsed.ns() as f64);
        let link = &interface.link;
        summary.set("host.link.to_drive_utilization", share(link.busy_to_drive));
        summary.set("host.link.to_host_utilization", share(link.busy_to_host));
    }
}

fn set_controller(summary: &mut Summary, drive: &Drive) {
    if let Some(buffer) = &drive.buffer {
        set_buffer(summary, buffer, drive.now);
    }
    if drive.firmware.enabled() {
        summary.set("firmware.utilization", drive.firmware.utilization(drive.now));
        for (class, name) in [(RequestClass::Read, "read"), (RequestClass::Write, "write")] {
            let share = drive.firmware.share(class);
            summary.set(&format!("firmware.share.{name}"), share.map(|(mean, _)| mean));
            summary.set(
                &format!("firmware.share_max.{name}"),
                share.map(|(_, largest)| largest),
            );
        }
    }
    summary.set("scheduler.starved", drive.starved_ops);
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
fn inconsistent_totals(drive: &Drive, census: &Census) -> Vec<&'static str> {
    let pages = census.valid + census.invalid + census.free + census.skipped;
    let accounts = drive.attribution.as_ref();
    let elapsed = drive.measured_time();
    let busiest_channel = drive.recorder.ledger.channel_utilization(elapsed).max;
    [
        ("pages by state", pages == drive.flash.geometry.pages()),
        ("mapped and valid pages", census.valid == census.mapped),
        (
            "requests sent and completed",
            drive.host.sent == drive.host.completed && drive.requests.is_empty(),
        ),
        (
            "operations planned and done",
            drive.ops.is_empty() && drive.plans.is_empty(),
        ),
        (
            "parts of response times",
            accounts.is_none_or(crate::attribution::Attribution::is_settled),
        ),
        ("busy time of channels", busiest_channel <= 1.0),
        (
            "suspended and resumed operations",
            drive.suspension.as_ref().is_none_or(|all| all.is_settled()),
        ),
    ]
    .into_iter()
    .filter_map(|(total, adds_up)| (!adds_up).then_some(total))
    .collect()
}

fn notes_of(config: &Config, drive: &Drive, summary: &Summary, series: &SeriesColumns) -> Vec<Note> {
    let recorder = &drive.recorder;
    let requests = recorder.requests();
    let facts = drive.ftl_counters();
    let end = drive.now;
    let mut notes = vec![Note::window_stated(
        recorder.window(),
        end.since(recorder.last_completion),
        drive.unmeasured.is_some(),
    )];
    notes.extend(Note::no_flash(requests, recorder.ledger.page_operations()));
    notes.extend(Note::refused(recorder.ended(Status::Refused), requests));
    notes.extend(Note::unmapped_reads(drive.host.unmapped_reads, page_reads(drive)));
    let planes = u64::from(drive.flash.geometry.planes());
    let written = recorder.ledger.host_page_writes();
    notes.extend(Note::few_victims(
        starts_steady(config) || config.run.warm_up == Some(WarmUp::Auto),
        written,
        facts.gc_victims + facts.merges.all(),
        planes,
    ));
    notes.extend(drift_note(drive, series));
    notes.extend(prediction_note(config, drive, summary));
    for (class, name) in [(RequestClass::Read, "read"), (RequestClass::Write, "write")] {
        notes.extend(Note::too_short(name, recorder.latency[class.index()].count()));
    }
    if drive.host.clients.any_open_loop() {
        notes.extend(Note::overloaded(&load(drive)));
    }
    if let (Some(record), Some(reliability)) = (&recorder.reliability, &drive.reliability) {
        notes.extend(record.note(reliability.lost_pages(&*drive.ftl)));
    }
    if drive.firmware.enabled() {
        notes.extend(Note::bottleneck(
            Resource::Firmware,
            drive.firmware.utilization(end),
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
        drive.starved_ops,
        recorder.ledger.longest_wait(),
        policy,
    ));
    notes
}

/// Whether the run changed on the way. Throughput tells of the drive in closed loops only.
fn drift_note(drive: &Drive, series: &SeriesColumns) -> Option<Note> {
    let [throughput, amplification] = Course::drifts(series);
    let throughput = throughput.filter(|_| !drive.host.clients.any_open_loop());
    Note::drifted([throughput, amplification])
}

/// Whether the write amplification is the one that the drive was aged for, once each plane has been collected.
fn prediction_note(config: &Config, drive: &Drive, summary: &Summary) -> Option<Note> {
    let measured = summary.number("ftl.write_amplification")?;
    if drive.ftl_counters().gc_victims < u64::from(drive.flash.geometry.planes()) {
        return None;
    }
    let mut reasons = Vec::new();
    let workload = &config.workload;
    if !config.tenants.is_empty() || workload.kind != WorkloadKind::Random {
        reasons.push("the writes are not uniformly random (workload.kind)");
    } else if workload.region.is_some() {
        reasons.push("the writes go to a part of the user space (workload.region)");
    }
    if workload.trim_fraction > 0.0 {
        reasons.push("pages are trimmed (workload.trim_fraction)");
    }
    if config.buffer.is_present() {
        reasons.push("the buffer changes what reaches flash (buffer.policy)");
    }
    if config.ftl.gc.mode != GcMode::Foreground {
        reasons.push("collection depends on the time that the host leaves (ftl.gc.mode)");
    }
    if config.ftl.wear.static_.row().is_ok_and(|row| row.moves_data) {
        reasons.push("wear levelling moves pages (ftl.wear)");
    }
    Note::amplification_differs(drive.predicted_amplification?, measured, &reasons)
}

/// Pages that the host asked for, wherever they were found; reads for un-covered updates count too.
fn page_reads(drive: &Drive) -> u64 {
    drive.host.unmapped_reads
        + drive.host.in_memory_reads
        + drive.buffer.as_ref().map_or(0, |buffer| buffer.counts.read_hits)
        + drive.recorder.ledger.pages_read(Cause::Host)
}

/// The load of an open loop when its last command came.
fn load(drive: &Drive) -> Load {
    let host = &drive.host;
    let recorder = &drive.recorder;
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
        depth: u64::from(drive.flash.geometry.dies()),
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

fn table_notes(config: &Config, drive: &Drive, blocks: &BlockTable) -> Vec<Note> {
    let log = &drive.recorder.log;
    let all_blocks = u64::from(drive.flash.geometry.blocks());
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
    if let Some(from) = drive.recorder.series.widened_from() {
        notes.extend(Note::widened(from, drive.recorder.series.window()));
    }
    notes
}

/// A wait beyond which an operation counts as starved where no limit is set: a thousand times what
/// the longest single flash operation takes.
pub(crate) fn starvation(config: &Config, longest_array_step: Duration) -> Duration {
    config.scheduler.max_wait.unwrap_or(longest_array_step * 1_000)
}
