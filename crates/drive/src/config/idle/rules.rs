//! The table of keys that have an effect only under a condition.

use super::When::{Is, IsNot, On, Set, Unset};
use super::{Rule, rule};

/// Workloads whose requests are drawn.
const DRAWN: &[&str] = &["random", "sequential", "zipf", "hot_cold", "mixed"];
/// The same, and surrogates of traces.
const SYNTHETIC: &[&str] = &["random", "sequential", "zipf", "hot_cold", "mixed", "profile"];

/// The policy that suspends.
const PES: &[super::When<'static>] = &[Is("scheduler.policy", &["pes"])];

/// A key that several rules name needs all of them.
pub(super) const RULES: &[Rule] = &[
    // pages are waited for to be joined in one command, of planes or, where the chip is busy as one, of dies
    rule(&["host.gather"], &[IsNot("host.interface", &["ideal"])]),
    rule(
        &["host.gather"],
        &[
            IsNot("commands.multi_plane_write", &["off"]),
            Is("scheduler.busy_grain", &["chip"]),
        ],
    ),
    rule(
        &["host.gather"],
        &[
            IsNot("commands.multi_plane_write", &["off"]),
            On("commands.interleave"),
        ],
    ),
    rule(
        &["host.gather", "host.write_acknowledge"],
        &[Is("buffer.policy", &["none"])],
    ),
    rule(&["ftl.gc.idle"], &[Is("ftl.gc.mode", &["background"])]),
    rule(
        &["allocation.dynamic", "allocation.wear_aware"],
        &[Is("allocation.mode", &["dynamic"])],
    ),
    rule(&["allocation.active_block"], &[Is("ftl.wear.dynamic", &["off"])]),
    rule(
        &[
            "timing.t_wb",
            "timing.t_rr",
            "timing.t_adl",
            "timing.t_ccs",
            "timing.ddr_read_preamble",
            "timing.ddr_write_preamble",
        ],
        &[Is("timing.model", &["onfi"])],
    ),
    rule(&["timing.t_whr"], &[Is("timing.model", &["onfi"])]),
    rule(&["timing.t_rcbsy"], &[On("commands.cache_read")]),
    rule(&["timing.t_cbsy"], &[On("commands.cache_program")]),
    rule(
        &[
            "timing.cmd_cycles.copyback",
            "timing.cmd_cycles.copyback_random_in",
            "commands.copyback_max_hops",
        ],
        &[IsNot("commands.copyback", &["off"])],
    ),
    rule(
        &["timing.cmd_cycles.multi_plane_read2"],
        &[On("commands.multi_plane_read")],
    ),
    rule(
        &["timing.cmd_cycles.multi_plane_erase2"],
        &[On("commands.multi_plane_erase")],
    ),
    rule(
        &[
            "timing.cmd_cycles.interleave_read2",
            "timing.cmd_cycles.interleave_erase2",
        ],
        &[On("commands.interleave")],
    ),
    rule(
        &["timing.cmd_cycles.interleave_multi_plane_erase2"],
        &[On("commands.interleave")],
    ),
    rule(
        &["timing.cmd_cycles.interleave_multi_plane_erase2"],
        &[On("commands.multi_plane_erase")],
    ),
    // the combined command of two dies exists only where the chip is busy as one
    rule(
        &["compat.ssdsim_combined_bus"],
        &[Is("scheduler.busy_grain", &["chip"])],
    ),
    rule(&["compat.ssdsim_combined_bus"], &[On("commands.interleave")]),
    rule(
        &["compat.ssdsim_combined_bus"],
        &[IsNot("commands.multi_plane_write", &["off"])],
    ),
    // what a part can do may be said of a drive that does not use it; how it does it may not
    rule(
        &[
            "timing.program_iterations",
            "timing.t_verify",
            "timing.t_program_phase",
            "timing.t_vreset",
            "timing.t_shadow",
            "nand.suspend_style",
            "nand.shadow_buffer",
            "nand.vendor.latency",
            "nand.vendor.interval",
            "nand.vendor.limit",
            "scheduler.suspension.program_suspend",
            "scheduler.suspension.redo",
            "scheduler.suspension.erase_suspend",
            "scheduler.suspension.write_suspend_erase",
            "scheduler.suspension.clean_watermark",
            "scheduler.suspension.overhead_limit",
            "scheduler.suspension.max_suspends_per_op",
            "cell.rber.redone_phase",
        ],
        PES,
    ),
    rule(
        &[
            "timing.program_iterations",
            "timing.t_verify",
            "timing.t_program_phase",
            "timing.t_vreset",
            "timing.t_shadow",
            "nand.shadow_buffer",
        ],
        &[Is("nand.suspend_style", &["phases"])],
    ),
    rule(
        &["nand.vendor.latency", "nand.vendor.interval", "nand.vendor.limit"],
        &[Is("nand.suspend_style", &["vendor"])],
    ),
    rule(
        &["scheduler.suspension.redo", "cell.rber.redone_phase"],
        &[Is("scheduler.suspension.program_suspend", &["ipc"])],
    ),
    rule(
        &["nand.shadow_buffer"],
        &[IsNot("scheduler.suspension.program_suspend", &["none"])],
    ),
    rule(&["timing.t_shadow"], &[On("nand.shadow_buffer")]),
    rule(
        &["scheduler.suspension.write_suspend_erase"],
        &[On("scheduler.suspension.erase_suspend")],
    ),
    rule(
        &["scheduler.suspension.clean_watermark"],
        &[On("scheduler.suspension.write_suspend_erase")],
    ),
    rule(
        &["scheduler.max_writes"],
        &[Is("scheduler.policy", &["reads_first", "pes"])],
    ),
    rule(
        &["scheduler.reference"],
        &[Is("scheduler.policy", &["reads_first"])],
    ),
    rule(&["age.ratio"], &[Is("age.method", &["invalidated"])]),
    rule(&["age.random_factor"], &[Is("age.method", &["overwritten"])]),
    rule(
        &["age.fill", "age.time_per_write"],
        &[Is("age.method", &["overwritten", "steady_state"])],
    ),
    rule(&["age.snapshot"], &[Is("age.method", &["snapshot"])]),
    rule(&["age.initial_cycles"], &[IsNot("age.method", &["snapshot"])]),
    rule(
        &[
            "buffer.size",
            "buffer.access",
            "buffer.capacitor",
            "buffer.dirty_high",
        ],
        &[IsNot("buffer.policy", &["none"])],
    ),
    rule(
        &["buffer.dirty_low", "buffer.background_limit"],
        &[Set("buffer.dirty_high")],
    ),
    rule(
        &["host.queue_limit"],
        &[
            Set("workload.interarrival"),
            Is("workload.kind", &["trace", "profile"]),
        ],
    ),
    rule(
        &["host.queue_limit"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.replay", &["recorded"]),
        ],
    ),
    rule(
        &[
            "workload.read_fraction",
            "workload.trim_fraction",
            "workload.align",
            "workload.interarrival",
            "workload.arrival",
            "workload.gap_fraction",
            "workload.on",
            "workload.off",
        ],
        &[Is("workload.kind", DRAWN)],
    ),
    rule(
        &["workload.requests", "workload.duration", "workload.region"],
        &[Is("workload.kind", SYNTHETIC)],
    ),
    rule(
        &["workload.seed"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.format", &["offset_frequency"]),
        ],
    ),
    rule(
        &["workload.request_size"],
        &[Is("workload.kind", &["random", "sequential", "zipf", "hot_cold"])],
    ),
    rule(
        &["workload.queue_depth"],
        &[IsNot("workload.kind", &["profile", "fio"])],
    ),
    rule(
        &["workload.queue_depth"],
        &[Unset("workload.interarrival"), Is("workload.kind", &["trace"])],
    ),
    rule(
        &["workload.queue_depth"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.replay", &["closed_loop"]),
        ],
    ),
    rule(
        &[
            "workload.arrival",
            "workload.gap_fraction",
            "workload.on",
            "workload.off",
        ],
        &[Set("workload.interarrival")],
    ),
    rule(&["workload.gap_fraction"], &[Is("workload.arrival", &["fixed"])]),
    rule(
        &["workload.on", "workload.off"],
        &[Is("workload.arrival", &["on_off"])],
    ),
    rule(
        &["workload.duration"],
        &[Set("workload.interarrival"), Is("workload.kind", &["profile"])],
    ),
    rule(&["workload.theta"], &[Is("workload.kind", &["zipf"])]),
    rule(
        &["workload.hot_space", "workload.hot_requests"],
        &[Is("workload.kind", &["hot_cold"])],
    ),
    rule(&["workload.mix"], &[Is("workload.kind", &["mixed"])]),
    rule(
        &["workload.profile", "workload.profile_file"],
        &[Is("workload.kind", &["profile"])],
    ),
    rule(&["workload.path"], &[Is("workload.kind", &["trace", "fio"])]),
    rule(
        &[
            "workload.format",
            "workload.time_unit",
            "workload.action",
            "workload.replay",
            "workload.fold",
            "workload.devices",
            "workload.device_size",
            "workload.disorder",
            "workload.zero_length",
            "workload.skip",
            "workload.take",
            "workload.repeat",
        ],
        &[Is("workload.kind", &["trace"])],
    ),
    rule(
        &["workload.compress_time"],
        &[Is("workload.kind", &["trace", "profile"])],
    ),
    rule(
        &["workload.compress_time"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.replay", &["recorded"]),
        ],
    ),
    rule(
        &["workload.action"],
        &[
            Is("workload.format", &["blkparse", "wiscsee"]),
            Unset("workload.format"),
        ],
    ),
    rule(
        &[
            "workload.csv.time",
            "workload.csv.op",
            "workload.csv.offset",
            "workload.csv.size",
            "workload.csv.device",
            "workload.csv.offset_unit",
            "workload.csv.size_unit",
            "workload.csv.separator",
            "workload.csv.header",
            "workload.csv.read",
            "workload.csv.write",
            "workload.csv.trim",
            "workload.csv.flush",
        ],
        &[Is("workload.format", &["csv"])],
    ),
    rule(
        &["workload.device_size"],
        &[Is("workload.devices", &["side_by_side"])],
    ),
    rule(
        &[
            "host.nvme.queue_depth",
            "host.nvme.arbitration",
            "host.nvme.burst",
            "host.nvme.command_slots",
            "host.nvme.doorbell",
            "host.nvme.fetch",
            "host.nvme.completion",
            "host.pcie.generation",
            "host.pcie.lanes",
            "host.pcie.max_payload",
            "host.pcie.packet_overhead",
            "host.pcie.max_read_request",
            "host.pcie.read_latency",
        ],
        &[Is("host.interface", &["nvme"])],
    ),
    rule(
        &[
            "host.nvme.weight_high",
            "host.nvme.weight_medium",
            "host.nvme.weight_low",
        ],
        &[Is("host.interface", &["nvme"])],
    ),
    rule(
        &[
            "host.nvme.weight_high",
            "host.nvme.weight_medium",
            "host.nvme.weight_low",
        ],
        &[Is("host.nvme.arbitration", &["weighted_round_robin"])],
    ),
    rule(
        &["tenants.<name>.priority"],
        &[Is("host.nvme.arbitration", &["weighted_round_robin"])],
    ),
    rule(&["tenants.<name>.priority"], &[Is("host.interface", &["nvme"])]),
    rule(
        &["host.sata.generation", "host.sata.tags", "host.sata.turnaround"],
        &[Is("host.interface", &["sata"])],
    ),
    rule(
        &[
            "firmware.clock",
            "firmware.cores",
            "firmware.fetch_and_split",
            "firmware.map_lookup",
            "firmware.allocation",
            "firmware.buffer",
            "firmware.flash_command",
            "firmware.completion",
            "firmware.gc_per_page",
            "firmware.gc_victim",
            "firmware.merge",
            "firmware.merge_per_byte",
        ],
        &[On("firmware.enabled")],
    ),
    rule(
        &[
            "power.pattern",
            "power.ones",
            "power.ones_min",
            "power.ones_max",
            "power.controller",
            "power.dram",
            "power.channel_io",
            "power.idle",
        ],
        &[Set("power.chip")],
    ),
    rule(&["power.ones"], &[Is("power.pattern", &["fixed"])]),
    rule(
        &["power.ones_min", "power.ones_max"],
        &[Is("power.pattern", &["sampled"])],
    ),
    rule(&["age.storage"], &[IsNot("age.method", &["fresh"])]),
    rule(
        &[
            "ecc.bch.n",
            "ecc.bch.k",
            "ecc.bch.t",
            "ecc.bch.decode",
            "ecc.bch.outcome",
            "ecc.target",
        ],
        &[Is("ecc.kind", &["bch"])],
    ),
    rule(&["ecc.target"], &[Is("ecc.bch.outcome", &["threshold"])]),
    rule(
        &[
            "ecc.ldpc.thresholds",
            "ecc.ldpc.sense_max",
            "ecc.ldpc.transfer_max",
            "ecc.ldpc.decode",
            "ecc.ldpc.codewords",
            "ecc.ldpc.steepness",
            "ecc.ldpc.retry",
            "ecc.ldpc.start",
        ],
        &[Is("ecc.kind", &["ldpc"])],
    ),
    rule(
        &[
            "cell.ber_reading",
            "cell.vth.step",
            "cell.vth.sigma_erased",
            "cell.vth.sigma_programmed",
            "cell.vth.references",
            "cell.vth.gap",
            "cell.rber.model",
            "cell.rber.rate",
            "cell.rber.epsilon",
            "cell.rber.alpha",
            "cell.rber.k",
            "cell.rber.beta",
            "cell.rber.m",
            "cell.rber.n",
            "cell.rber.read_disturb.gamma",
            "cell.rber.read_disturb.g",
            "cell.rber.read_disturb.h",
            "cell.rber.redone_phase",
            "cell.rber.by_page_type",
            "cell.rber.vth_shift.k_scale",
            "cell.rber.vth_shift.k_mean",
            "cell.rber.vth_shift.k_variance",
            "cell.rber.vth_shift.mean_power",
            "cell.rber.vth_shift.variance_power",
            "cell.rber.vth_shift.v_erased",
            "cell.rber.vth_shift.first_verify",
            "cell.rber.vth_shift.t_0",
            "cell.process_variation.distribution",
            "cell.process_variation.mean",
            "cell.process_variation.sd",
            "cell.process_variation.bound_sd",
            "cell.process_variation.seed",
        ],
        &[IsNot("ecc.kind", &["none"])],
    ),
    rule(
        &[
            "cell.rber.epsilon",
            "cell.rber.alpha",
            "cell.rber.k",
            "cell.rber.beta",
            "cell.rber.m",
            "cell.rber.n",
            "cell.rber.read_disturb.gamma",
            "cell.rber.read_disturb.g",
            "cell.rber.read_disturb.h",
        ],
        &[Is("cell.rber.model", &["power_law"])],
    ),
    rule(&["cell.rber.rate"], &[Is("cell.rber.model", &["fixed"])]),
    rule(
        &[
            "cell.vth.gap",
            "cell.rber.vth_shift.k_scale",
            "cell.rber.vth_shift.k_mean",
            "cell.rber.vth_shift.k_variance",
            "cell.rber.vth_shift.mean_power",
            "cell.rber.vth_shift.variance_power",
            "cell.rber.vth_shift.v_erased",
            "cell.rber.vth_shift.first_verify",
            "cell.rber.vth_shift.t_0",
        ],
        &[Is("cell.rber.model", &["vth_shift"])],
    ),
    // threshold voltages give rates, or part the given ones among the pages of a cell
    rule(
        &["cell.vth.sigma_programmed"],
        &[Is("cell.rber.model", &["vth_shift", "fixed"])],
    ),
    rule(
        &["cell.vth.step", "cell.vth.sigma_erased", "cell.vth.references"],
        &[
            Is("cell.rber.model", &["vth_shift", "fixed"]),
            On("cell.rber.by_page_type"),
        ],
    ),
    rule(&["cell.ber_reading"], &[Is("cell.rber.model", &["fixed"])]),
    rule(
        &["cell.ber_reading", "cell.vth.sigma_programmed"],
        &[Unset("cell.rber.rate")],
    ),
];
