//! The one table of the keys of `summary.json`.

use wordline_ftl::{Cause, ZoneState};
use wordline_power::{Component, Operation};

use crate::attribution::Part;
use crate::commands::COMMAND_NAMES;
use crate::key_names::{BIN_NAMES, LEVEL_NAMES, READER_NAMES, SUSPENDABLE_NAMES};
use crate::probe::{RequestClass, Status};

/// A key of the summary, or a family of keys with one or more `<placeholder>` segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The dotted name; a placeholder of [`PLACEHOLDERS`] stands for the names that [`names_of`] lists, `<tenant>`
    /// for any name.
    pub name: &'static str,
    /// Unit of the value; `1` for counts and shares, `text`, `flag`.
    pub unit: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
}

const fn key(name: &'static str, unit: &'static str, meaning: &'static str) -> Key {
    Key { name, unit, meaning }
}

/// Every key of the summary, in the order in which the documentation shows them. One key, one
/// line.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("sim.time_s", "s", "Simulated time from the start of the run, or the end of its warm-up, to the last acknowledgement or flash operation"),
    key("sim.window_s", "s", "Window from the first arrival, or the end of the warm-up for requests under way then, to the last acknowledgement; rates are relative to it"),
    key("sim.drain_s", "s", "Time from the last acknowledgement to the end of the last flash operation"),
    key("sim.snia_steady", "bool", "Whether the throughput in five equal parts of the run meets SNIA's criterion of a steady state: no two parts differ by more than 20 % of the mean, and a straight line through them rises or falls by at most 10 % of it; missing for short runs, and where the drive keeps up with requests that come at times of their own, so that the workload sets the rate"),
    key("sim.snia_spread", "1", "Largest throughput of the five parts less the smallest, as a share of their mean"),
    key("sim.snia_slope", "1", "How far the straight line through the throughputs of the five parts rises or falls over the run, as a share of their mean"),
    key("warm_up.time_s", "s", "Simulated time of the warm-up, which counts in no other key; missing without one, as all of warm_up"),
    key("warm_up.requests", "1", "Requests acknowledged in the warm-up"),
    key("warm_up.drive_writes", "1", "Bytes that the host wrote in the warm-up, for each byte that the drive exports"),
    key("warm_up.found", "flag", "Whether a steady state was found in the run, with run.warm_up = \"auto\": without one its second half is measured"),
    key("sim.seed", "1", "Seed of the run"),
    key("workload.surrogate", "flag", "Whether the requests are a surrogate, drawn from the statistics of a trace (kind = \"profile\")"),
    key("workload.zones.logical_pages", "1", "Pages that the workload can address; missing but with workload.translation = \"zones\", as all of workload.zones"),
    key("workload.zones.user_pages", "1", "Pages that the workload wrote, as far as the host has decided where"),
    key("workload.zones.moved_pages", "1", "Pages that the host moved out of zones before it reset them"),
    key("workload.zones.resets", "1", "Zones that the host reset"),
    key("workload.zones.unwritten_reads", "1", "Pages of reads for which no command was sent, as nothing was written there"),
    key("workload.zones.write_amplification", "1", "Pages that the host wrote for each page that the workload wrote"),
    key("host.requests", "1", "Requests acknowledged"),
    key("host.iops", "1/s", "Requests acknowledged for each second of sim.window_s"),
    key("host.bandwidth_mb_s", "MB/s", "Megabytes (10^6 B) read and written by the host for each second of sim.window_s"),
    key("host.<class>.count", "1", "Requests of the class acknowledged"),
    key("host.<class>.bytes", "B", "Bytes of the requests of the class that ended without an error; all: read and written"),
    key("host.<class>.iops", "1/s", "Requests of the class for each second of sim.window_s"),
    key("host.<class>.bandwidth_mb_s", "MB/s", "Megabytes (10^6 B) of the class for each second of sim.window_s"),
    key("host.<class>.latency.mean_us", "µs", "Exact mean latency from arrival to acknowledgement"),
    key("host.<class>.latency.min_us", "µs", "Shortest latency"),
    key("host.<class>.latency.p50_us", "µs", "Median latency, within 0.1 %"),
    key("host.<class>.latency.p95_us", "µs", "Latency that 95 % of the requests do not exceed, within 0.1 %"),
    key("host.<class>.latency.p99_us", "µs", "Latency that 99 % of the requests do not exceed, within 0.1 %"),
    key("host.<class>.latency.p999_us", "µs", "Latency that 99.9 % of the requests do not exceed, within 0.1 %"),
    key("host.<class>.latency.p9999_us", "µs", "Latency that 99.99 % of the requests do not exceed, within 0.1 %"),
    key("host.<class>.latency.p99999_us", "µs", "Latency that 99.999 % of the requests do not exceed, within 0.1 %"),
    key("host.<class>.latency.max_us", "µs", "Longest latency"),
    key("host.queue.mean_depth", "1", "Mean number of requests in the drive (admitted, not acknowledged) over sim.window_s"),
    key("host.queue.active_share", "1", "Share of sim.window_s with a request in the drive (admitted, not acknowledged)"),
    key("host.queue.max_depth", "1", "Most requests in the drive at once"),
    key("host.queue.wait_mean_us", "µs", "Mean time from arrival to admission"),
    key("host.queue.wait_max_us", "µs", "Longest time from arrival to admission"),
    key("host.unmapped_reads", "1", "Page reads of sectors without data, which need no flash operation"),
    key("host.in_memory_reads", "1", "Page reads answered from the controller's memory"),
    key("host.page_writes", "1", "Page-sized pieces of the host's writes, or pieces of the size of ftl.mapping_unit: the denominator of write amplification"),
    key("host.refused", "1", "Requests that the drive refused, such as those beyond its capacity: they are acknowledged with an error and count in latencies, but not in bytes"),
    key("host.uncorrectable", "1", "Reads acknowledged with an error, for a page could not be corrected: they count in latencies, but not in bytes"),
    key("host.commands", "1", "Commands sent to the drive: more than requests if host.max_transfer divides them"),
    key("host.link.to_drive_utilization", "1", "Share of sim.time_s that the link moved commands and data to the drive"),
    key("host.link.to_host_utilization", "1", "Share of sim.time_s that the link moved data and completions to the host"),
    key("host.fairness.iops", "1", "Jain's fairness index of the tenants' requests per second, each over its own window: 1 if all rates are equal, 1/n if one tenant has everything; only if all tenants ran at the same time"),
    key("host.fairness.bandwidth", "1", "Jain's fairness index of the tenants' bytes read and written per second; only if all tenants ran at the same time"),
    key("attribution.<requests>.<part>_us", "µs", "Mean time of a request of the class in the part; the parts add up to the mean latency"),
    key("tenants.<tenant>.window_s", "s", "First arrival to last acknowledgement of the tenant"),
    key("tenants.<tenant>.bytes", "B", "Bytes of the tenant's reads and writes"),
    key("tenants.<tenant>.iops", "1/s", "The tenant's requests for sectors for each second of its window: reads, writes, trims and Write Zeroes, as fio counts them, not flushes and zone management"),
    key("tenants.<tenant>.bandwidth_mb_s", "MB/s", "Megabytes (10^6 B) of the tenant for each second of its window"),
    key("tenants.<tenant>.<class>.count", "1", "The tenant's requests of the class acknowledged"),
    key("tenants.<tenant>.<class>.latency.mean_us", "µs", "Exact mean latency of the tenant's requests of the class"),
    key("tenants.<tenant>.<class>.latency.min_us", "µs", "Shortest latency"),
    key("tenants.<tenant>.<class>.latency.p50_us", "µs", "Median latency, within 0.1 %"),
    key("tenants.<tenant>.<class>.latency.p95_us", "µs", "Latency that 95 % do not exceed, within 0.1 %"),
    key("tenants.<tenant>.<class>.latency.p99_us", "µs", "Latency that 99 % do not exceed, within 0.1 %"),
    key("tenants.<tenant>.<class>.latency.p999_us", "µs", "Latency that 99.9 % do not exceed, within 0.1 %"),
    key("tenants.<tenant>.<class>.latency.p9999_us", "µs", "Latency that 99.99 % do not exceed, within 0.1 %"),
    key("tenants.<tenant>.<class>.latency.p99999_us", "µs", "Latency that 99.999 % do not exceed, within 0.1 %"),
    key("tenants.<tenant>.<class>.latency.max_us", "µs", "Longest latency"),
    key("tenants.<tenant>.<class>.iops", "1/s", "Requests of the kind for each second of the tenant's window, for `trim`, `zeroes`, `flush` and `zone`"),
    key("groups.<tenant>.jobs", "1", "Jobs of a fio file that are reported together (group_reporting), under the name of the first; their figures are those of all of them"),
    key("groups.<tenant>.window_s", "s", "First arrival to last acknowledgement of the jobs"),
    key("groups.<tenant>.bytes", "B", "Bytes of the jobs' reads and writes"),
    key("groups.<tenant>.iops", "1/s", "The jobs' requests for sectors for each second of their window: reads, writes, trims and Write Zeroes, as fio counts them, not flushes and zone management"),
    key("groups.<tenant>.bandwidth_mb_s", "MB/s", "Megabytes (10^6 B) of the jobs for each second of their window"),
    key("groups.<tenant>.<class>.count", "1", "The jobs' requests of the class acknowledged"),
    key("groups.<tenant>.<class>.latency.mean_us", "µs", "Exact mean latency of the jobs' requests of the class"),
    key("groups.<tenant>.<class>.latency.min_us", "µs", "Shortest latency"),
    key("groups.<tenant>.<class>.latency.p50_us", "µs", "Median latency, within 0.1 %"),
    key("groups.<tenant>.<class>.latency.p95_us", "µs", "Latency that 95 % do not exceed, within 0.1 %"),
    key("groups.<tenant>.<class>.latency.p99_us", "µs", "Latency that 99 % do not exceed, within 0.1 %"),
    key("groups.<tenant>.<class>.latency.p999_us", "µs", "Latency that 99.9 % do not exceed, within 0.1 %"),
    key("groups.<tenant>.<class>.latency.p9999_us", "µs", "Latency that 99.99 % do not exceed, within 0.1 %"),
    key("groups.<tenant>.<class>.latency.p99999_us", "µs", "Latency that 99.999 % do not exceed, within 0.1 %"),
    key("groups.<tenant>.<class>.latency.max_us", "µs", "Longest latency"),
    key("groups.<tenant>.<class>.iops", "1/s", "Requests of the kind for each second of the jobs' window, for `trim`, `zeroes`, `flush` and `zone`"),
    key("live.power_cuts", "1", "Power cuts of a drive that was served (`wordline serve`), the last of which the other figures are from; only of such drives"),
    key("ftl.write_amplification", "1", "Pages programmed with data (host, GC, fold, merge, wear, refresh, delta, repair) for each page the host wrote; with mapping units smaller than a page, bytes of these for each byte of units that the host wrote"),
    key("ftl.write_amplification.expected", "1", "Write amplification that preconditioning counted on: the closed form of the victim policy for uniform random writes, beside blocks that are open or kept free; missing unless age.method = \"steady_state\""),
    key("ftl.write_amplification_total", "1", "All pages programmed (map, metadata, parity, padding, recovery too) for each page the host wrote"),
    key("ftl.write_amplification_bytes", "1", "Bytes of all pages programmed for each byte of the host's acknowledged writes; pages are programmed whole, whatever part of them the host writes"),
    key("ftl.write_breakdown.<cause>", "1", "Pages programmed for the cause for each page the host wrote; together ftl.write_amplification_total; only with output.write_breakdown, as the next one"),
    key("ftl.write_breakdown.data_integrity", "1", "The same of all causes that keep data safe: refresh, parity, padding, metadata and repair"),
    key("ftl.pages_programmed", "1", "Pages programmed, copy-backs included"),
    key("ftl.pages_programmed.<cause>", "1", "Pages programmed for the cause, copy-backs included"),
    key("ftl.pages_read", "1", "Pages read from a die"),
    key("ftl.pages_read.<cause>", "1", "Pages read from a die for the cause"),
    key("ftl.copy_backs", "1", "Pages copied inside their plane"),
    key("ftl.copy_backs.<cause>", "1", "Pages copied inside their plane for the cause"),
    key("ftl.pages_skipped", "1", "Pages skipped without being programmed"),
    key("ftl.blocks_erased", "1", "Blocks erased"),
    key("ftl.blocks_erased.<cause>", "1", "Blocks erased for the cause"),
    key("ftl.erase_count.mean", "1", "Mean erase count over all blocks"),
    key("ftl.erase_count.min", "1", "Lowest erase count of a block"),
    key("ftl.erase_count.max", "1", "Highest erase count of a block"),
    key("ftl.erase_count.stddev", "1", "Standard deviation of the erase counts over all blocks"),
    key("ftl.erase_count.variation", "1", "Coefficient of variation of the erase counts: their standard deviation as a share of their mean"),
    key("ftl.erase_count.gini", "1", "Gini coefficient of the erase counts: 0 where all blocks are equally worn, near 1 where few have all erases"),
    key("ftl.covered_updates", "1", "Writes of mapped pages that replace all their valid sectors"),
    key("ftl.uncovered_updates", "1", "Writes of mapped pages that must first read the rest of the page"),
    key("ftl.uncovered_ratio", "1", "Un-covered updates for each page that the host wrote"),
    key("ftl.user_pages", "1", "Logical pages that the drive exports"),
    key("ftl.units_per_page", "1", "Logical pages, which are mapping units then, that share a page of flash; only if ftl.mapping_unit is smaller than the page. Counts of pages programmed and read are of flash pages, those of user, mapped, valid, invalid, free, skipped and moved pages of units"),
    key("ftl.pages_per_unit", "1", "Pages of flash that the map places together, which are read and written again whichever of them the host writes; only if ftl.mapping_unit is larger than the page"),
    key("ftl.padding.host_units", "1", "Units of host writes' pages that were programmed empty, for a flush or a write with forced unit access; only if ftl.mapping_unit is smaller than the page"),
    key("ftl.padding.moved_units", "1", "Units of pages of relocated data that were programmed empty; only if ftl.mapping_unit is smaller than the page"),
    key("ftl.mapped_pages", "1", "Logical pages that are mapped at the end"),
    key("ftl.pages.valid", "1", "Physical pages at the end with the current version of a logical page, of a part of the map (ftl.pages.translation) or of the parity of a superpage (ftl.pages.parity)"),
    key("ftl.pages.translation", "1", "Those of the valid pages that hold entries of the map (mappings with the map on flash), or deltas"),
    key("ftl.pages.parity", "1", "Pages with the parity of a superpage; only with ftl.parity"),
    key("ftl.pages.invalid", "1", "Programmed pages that hold no current version at the end"),
    key("ftl.pages.free", "1", "Physical pages that can still be programmed at the end"),
    key("ftl.pages.skipped", "1", "Physical pages skipped without being programmed at the end"),
    key("ftl.gc.victims", "1", "Victims of collection: blocks, or groups of blocks that are collected as one (superblocks, planes in step), of which each counts once here and block by block in ftl.blocks_erased"),
    key("ftl.gc.victim_valid_share.mean", "1", "Mean share of valid pages in the blocks collected"),
    key("ftl.gc.pages_moved", "1", "Pages that garbage collection moved"),
    key("ftl.merges.switch", "1", "Blocks erased without a copy since a newer block of their logical block held all that was current (mappings of blocks)"),
    key("ftl.merges.partial", "1", "Merges in which the newest block of a logical block took the pages that it lacked (mappings of blocks)"),
    key("ftl.merges.full", "1", "Merges that copied all current pages of a logical block to another block (mappings of blocks)"),
    key("ftl.merges.pages_copied", "1", "Pages that merges copied (mappings of blocks)"),
    key("ftl.table.memory_bytes", "B", "Memory of a controller that the mapping takes to find pages: the map of pages or of blocks, and what is cached of a map on flash"),
    key("ftl.table.host_memory_bytes", "B", "Memory that the host lends the controller for the cache of the map (`ftl.cache_location = \"host_memory\"`)"),
    key("ftl.table.flash_bytes", "B", "Bytes on flash that hold entries of the map at the end: translation pages, or parts of spare areas"),
    key("ftl.table.programs_per_write", "1", "Pages of the map programmed for each page that the host wrote"),
    key("ftl.recovery.checkpoints", "1", "Checkpoints of the map completed in the measured part (`ftl.recovery.kind = \"checkpoint_journal\"` or `\"delayed\"`); the one that a drive begins with is not among them"),
    key("ftl.recovery.cuts", "1", "Moments of the measured part at which recovery was timed, as if the power had failed (`output.recovery_every`)"),
    key("ftl.recovery.time.mean_s", "s", "Time that recovery reads after such a power cut; programs and erases after that and the time of processors are not in it"),
    key("ftl.recovery.time.max_s", "s", "The longest of these times"),
    key("ftl.recovery.until_served.mean_s", "s", "Time from such a power cut until the host is served: what recovery reads, erases and programs, without the time of processors"),
    key("ftl.recovery.until_served.max_s", "s", "The longest of these times"),
    key("ftl.recovery.pages_read.mean", "1", "Pages of which recovery reads the spare area or all"),
    key("ftl.recovery.pages_programmed.mean", "1", "Pages that recovery programs before the drive works again: a checkpoint, pages of the journal, or pages of a map on flash"),
    key("ftl.table.recovery_time_s", "s", "Time to read the spare areas that tell where every logical page is, after a sudden loss of power at the end of the run, without a journal or checkpoints; worked out, not simulated"),
    key("ftl.table.lookups", "1", "Entries of the map that requests of the host looked up (mappings with the map on flash)"),
    key("ftl.table.hit_ratio", "1", "Share of them that the cache held, in memory of the controller or of the host"),
    key("ftl.table.pages_fetched", "1", "Translation pages read to bring an entry"),
    key("ftl.table.prefetched", "1", "Entries that came beside the one that was looked up"),
    key("ftl.table.evicted", "1", "Entries, or whole translation pages, that left the controller's memory"),
    key("ftl.table.evicted_dirty", "1", "Those that were changed, so that a translation page was written"),
    key("ftl.table.collection_updates", "1", "Translation pages written for pages that garbage collection moved"),
    key("ftl.table.late_updates", "1", "Translation pages written because an entry left the controller's memory before the write of its page was done"),
    key("ftl.table.host_memory_bytes_read", "B", "Bytes of the cache of the map that the controller read from memory of the host, over the link"),
    key("ftl.table.host_memory_bytes_written", "B", "Those that it wrote there"),
    key("ftl.pages_moved_unreadable", "1", "Pages that garbage collection or wear levelling moved although their data could not be corrected"),
    key("ftl.gc.free_blocks.mean", "1", "Mean number of free blocks of a pool, over the host's programs"),
    key("ftl.gc.rho_effective", "1", "Share of the pages for data that hold data: mapped pages at the end over all pages without those of the mean number of free blocks and half of those of open blocks; missing where that leaves fewer pages than are mapped, as on a drive that was mostly empty when the run began"),
    key("ftl.wear.blocks_moved", "1", "Blocks that wear levelling emptied"),
    key("ftl.wear.pages_moved", "1", "Pages that wear levelling moved"),
    key("ftl.delta.candidates", "1", "Pages written that are write-hot and read-cold; missing with another mapping than delta, as all of ftl.delta"),
    key("ftl.delta.turned_away", "1", "Those that the gate had written as pages"),
    key("ftl.delta.without_room", "1", "Those that were written as pages, as pages of deltas had taken their share of the spare space"),
    key("ftl.delta.encoded", "1", "Pages written that were encoded"),
    key("ftl.delta.ratio", "1", "Mean bytes of what that made, as a share of the page"),
    key("ftl.delta.too_large", "1", "Those that were written as pages, as their deltas were too large"),
    key("ftl.delta.writes", "1", "Pages written that are kept as deltas"),
    key("ftl.delta.write_share", "1", "Those as a share of all pages that the host wrote"),
    key("ftl.delta.superseded", "1", "Deltas that a further delta of their page replaced"),
    key("ftl.delta.dropped", "1", "Deltas that a write of their page as a whole made needless"),
    key("ftl.delta.log_programs", "1", "Pages filled with deltas of the host's writes"),
    key("ftl.delta.log_fill", "1", "Mean share of them that deltas and their entries take"),
    key("ftl.delta.pages_per_delta", "1", "Pages filled with deltas for each delta of a write"),
    key("ftl.delta.repacked_pages", "1", "Pages into which collection packed deltas of others"),
    key("ftl.delta.repacked_from", "1", "Those others"),
    key("ftl.delta.merge_programs", "1", "Pages programmed by merges"),
    key("ftl.delta.merges.read_hot", "1", "Pages merged with their deltas as they had become read-hot"),
    key("ftl.delta.merges.write_cold", "1", "Pages merged as they were no longer write-hot"),
    key("ftl.delta.merges.page_victim", "1", "Pages merged as collection emptied their block"),
    key("ftl.delta.merges.log_victim", "1", "Pages merged as collection emptied the block of their delta"),
    key("ftl.delta.log_victims", "1", "Blocks of deltas chosen by garbage collection"),
    key("ftl.delta.victim_gain", "1", "Mean pages of a collected block that were not current, with parts of pages of deltas"),
    key("ftl.delta.log_victim_gain", "1", "The same of blocks of deltas"),
    key("ftl.delta.reads", "1", "Reads of pages with a delta"),
    key("ftl.delta.reads_in_memory", "1", "Those whose delta the controller had"),
    key("ftl.delta.reads_checked", "1", "Reads whose bytes were compared with what was written; missing without ftl.delta.versions"),
    key("ftl.delta.pages", "1", "Logical pages that have a delta at the end"),
    key("ftl.delta.log_pages", "1", "Pages of deltas at the end, those in the controller included"),
    key("ftl.delta.codec_utilization", "1", "Share of the time of the processors that encode and decode that was used"),
    key("ftl.zones.writes", "1", "Write commands to zones that were admitted; missing but with ftl.mapping = \"zoned\", as all of ftl.zones"),
    key("ftl.zones.appends", "1", "Zone appends that were admitted"),
    key("ftl.zones.resets", "1", "Zones that were reset and had been opened"),
    key("ftl.zones.finishes", "1", "Zones that the host finished"),
    key("ftl.zones.finished_pages", "1", "Pages that could not be written any more as their zone was finished"),
    key("ftl.zones.opens", "1", "Zones opened by a command of their own"),
    key("ftl.zones.closes", "1", "Zones closed by a command of their own"),
    key("ftl.zones.implicit_closes", "1", "Open zones that the drive closed, as another was to be opened"),
    key("ftl.zones.state.<state>", "1", "Zones in this state at the end: empty, implicitly_open, explicitly_open, closed, full, read_only, offline"),
    key("ftl.zones.write_faults", "1", "Requests that ended with a write fault, where programs and erases fail"),
    key("ftl.zones.refused.<status>", "1", "Requests that ended with this status: invalid_field, zone_boundary, zone_invalid_write, zone_full, zone_read_only, zone_offline, too_many_active_zones, too_many_open_zones, invalid_zone_transition"),
    key("ftl.placement.opened", "1", "Times that a placement handle was given open blocks of its own; missing with ftl.placement.directive = \"none\", as all of ftl.placement"),
    key("ftl.placement.evicted", "1", "Those for which another handle lost them"),
    key("ftl.placement.released", "1", "Placement handles with open blocks that the host released"),
    key("ftl.placement.blocks_opened", "1", "Blocks opened for placement handles, by the host or collection"),
    key("ftl.placement.blocks_closed", "1", "Blocks closed before they were full, since their handle lost them or was released"),
    key("ftl.placement.defaulted", "1", "Pages with a handle that were written among those without one, as the drive had no open blocks left for it"),
    key("ftl.placement.refused", "1", "Pages whose write was refused, as the drive had no open blocks left for their handle"),
    key("ftl.placement.fdp.host_bytes", "B", "Bytes of pages that the host wrote (HBMW of the FDP statistics); only with ftl.placement.directive = \"fdp\", as all of ftl.placement.fdp"),
    key("ftl.placement.fdp.media_bytes", "B", "Bytes programmed to flash (MBMW)"),
    key("ftl.placement.fdp.erased_bytes", "B", "Bytes of the blocks erased (MBE)"),
    key("ftl.placement.group.<group>.host_pages", "1", "Pages that the host wrote to the reclaim group; only of drives with several (ftl.placement.reclaim_group), as all of ftl.placement.group"),
    key("ftl.placement.group.<group>.pages_moved", "1", "Pages that collection and wear levelling moved inside the reclaim group"),
    key("ftl.placement.group.<group>.redirected_pages", "1", "Pages that the host wrote to the reclaim group and that went to another one, as it was full"),
    key("ftl.placement.handle.<handle>.host_pages", "1", "Pages that the host wrote with the handle; 0 stands for writes without one"),
    key("ftl.placement.handle.<handle>.pages_moved", "1", "Pages that collection and wear levelling moved out of blocks of the handle"),
    key("ftl.placement.handle.<handle>.write_amplification", "1", "Pages written by the host and moved for each that the host wrote with the handle; data that share a block with those of another handle count for 0"),
    key("ftl.trimmed_pages", "1", "Logical pages that were deallocated"),
    key("ftl.bad_blocks", "1", "Blocks that are marked as bad"),
    key("ftl.failures.programs", "1", "Programs that failed; only with ftl.failures"),
    key("ftl.failures.erases", "1", "Erases that failed; only with ftl.failures"),
    key("ftl.failures.retired_blocks", "1", "Blocks retired because a program or an erase of them failed; only with ftl.failures"),
    key("ftl.failures.read_only_at_s", "s", "When the drive took no more writes, since the start of the run; none where it took all; only with ftl.failures"),
    key("ftl.parity.recovered_reads", "1", "Reads whose data were computed from the other pages of their superpage; only with ftl.parity, as those below"),
    key("ftl.parity.unrecovered_reads", "1", "Reads that could not be corrected nor computed, as another page of the superpage could not be read either, or has no data"),
    key("ftl.parity.padded_pages", "1", "Pages without data with which flushes completed superpages (ftl.partial_superpages)"),
    key("ftl.parity.degraded_reads", "1", "Reads that were not attempted, as their block is not read any more; only with ftl.unreadable_pages or ftl.rewrite_recovered, as those below"),
    key("ftl.parity.unreadable_blocks", "1", "Blocks that are not read any more since so many of their pages could not be (ftl.unreadable_pages)"),
    key("ftl.parity.rebuilt_blocks", "1", "Blocks whose pages were all computed and programmed on a spare block"),
    key("ftl.parity.rebuilt_pages", "1", "Pages that were programmed for that"),
    key("ftl.parity.rewritten_pages", "1", "Pages that were programmed anew after the host had read them and their data had been computed (ftl.rewrite_recovered)"),
    key("ftl.refresh.blocks", "1", "Blocks refreshed; only with ftl.refresh, as those below"),
    key("ftl.refresh.pages", "1", "Pages programmed for that"),
    key("ftl.refresh.missed", "1", "Blocks that passed their deadline with data that were to be refreshed"),
    key("ftl.refresh.left_to_fade", "1", "Blocks whose data were readable as long as required and were left to fade"),
    key("ftl.refresh.retired_blocks", "1", "Blocks retired as they keep data too short"),
    key("ftl.refresh.disturbed", "1", "Those of the blocks refreshed that had been read too often; missing without ftl.refresh.read_limit"),
    key("ftl.refresh.most_queued", "1", "Most blocks in the queues of all pools at a time"),
    key("ftl.slc_cache.pages_written", "1", "Pages that the host wrote to blocks in SLC mode, in mapping units; only with ftl.slc_cache, as those below"),
    key("ftl.slc_cache.pages_bypassed", "1", "Pages that the host wrote to blocks in the normal mode, in mapping units"),
    key("ftl.slc_cache.share", "1", "Share of the former in both"),
    key("ftl.slc_cache.pages_folded", "1", "Pages moved from blocks in SLC mode to blocks in the normal mode, in mapping units"),
    key("ftl.slc_cache.blocks_folded", "1", "Blocks in SLC mode that were chosen for that"),
    key("ftl.slc_cache.full_at_s", "s", "Time of the run at which a page of the host first found no room in the cache, or folding began to keep pace with writes, since the warm-up was over; none where there was room without that"),
    key("ftl.slc_cache.waits", "1", "Times that a host program waited until a block had been folded; only with ftl.slc_cache.when_full = \"fold\""),
    key("nand.commands", "1", "Flash commands issued"),
    key("nand.commands.<kind>", "1", "Flash commands of the kind issued"),
    key("nand.reads_beside_reads", "1", "Reads that began while another plane of their die had one; only with nand.independent_plane_reads"),
    key("nand.wait.<operation>.mean_us", "µs", "Mean time from an operation being ready to its start"),
    key("nand.wait.<operation>.max_us", "µs", "Longest time from an operation being ready to its start"),
    key("nand.channel_utilization", "1", "Mean share of sim.time_s that a channel was busy"),
    key("nand.channel_utilization_max", "1", "Share of sim.time_s that the busiest channel was busy"),
    key("nand.die_utilization", "1", "Mean share of sim.time_s that a die's array was busy"),
    key("nand.die_utilization_max", "1", "Share of sim.time_s that the busiest die's array was busy"),
    key("suspension.<suspendable>.suspensions", "1", "Times that an operation of the kind was suspended"),
    key("suspension.<suspendable>.share", "1", "Share of the operations of the kind that were suspended at least once"),
    key("suspension.<suspendable>.mean", "1", "Mean number of suspensions of an operation that was suspended"),
    key("suspension.<suspendable>.most", "1", "Highest number of suspensions of one operation"),
    key("suspension.<suspendable>.added.mean_us", "µs", "Mean time that suspension added to an operation that was suspended: outside the array, and in it for what suspension costs"),
    key("suspension.<suspendable>.added_share", "1", "suspension.<suspendable>.added over the time of these operations without suspension"),
    key("suspension.<suspendable>.overhead.mean_us", "µs", "The part of the added time in which the operation occupied the array: resetting and ramping voltages, reloading data, what is repeated"),
    key("suspension.skipped.mean_us", "µs", "Mean time that a suspended program left out since its cancelled phases had done their work (redo = never or linear): it took longer by the added time less this"),
    key("suspension.redone_program_phases", "1", "Program phases that were cancelled and repeated"),
    key("suspension.redone_share", "1", "Repeated program phases over all program phases of the programs that were suspended: an indicator of their additional energy"),
    key("suspension.extra_verifies", "1", "Additional verify phases because of suspension, including cancelled ones"),
    key("suspension.reads_suspending", "1", "Page reads of the host that had a program or an erase suspended"),
    key("suspension.reads_suspending_share", "1", "suspension.reads_suspending over all page reads that commands of the host waited for, reads of updates and retries left out"),
    key("suspension.reads_ahead", "1", "Reads that started in a die while an operation was suspended there"),
    key("suspension.reads_saved.mean_us", "µs", "Mean time from the start of such a read to the time at which the operation would have ended"),
    key("buffer.hits", "1", "Page requests that the write buffer served"),
    key("buffer.misses", "1", "Page requests that the write buffer could not serve"),
    key("buffer.hit_ratio", "1", "Hits over hits and misses"),
    key("buffer.read_hits", "1", "Reads of a page whose data were all in the buffer"),
    key("buffer.read_misses", "1", "Reads of a page whose data were not all in the buffer"),
    key("buffer.write_hits", "1", "Writes of a page that was in the buffer"),
    key("buffer.write_misses", "1", "Writes of a page that was not in the buffer"),
    key("buffer.writes_waited", "1", "Writes of a page that had to wait for space in the buffer"),
    key("buffer.evictions", "1", "Pages that were evicted to make space"),
    key("buffer.evictions_clean", "1", "Of these, pages that were on flash already"),
    key("buffer.evictions_dirty", "1", "Of these, pages that had to be written to flash"),
    key("buffer.groups_evicted", "1", "Groups of pages that were evicted as a whole"),
    key("buffer.flushes", "1", "Pages that the write buffer wrote to flash because of a flush or a write with forced unit access"),
    key("buffer.background_writes", "1", "Pages that the buffer wrote to flash because too many were dirty"),
    key("buffer.pages_filled", "1", "Pages that were added to the buffer by reads"),
    key("buffer.padding_reads", "1", "Pages read from flash to complete groups"),
    key("buffer.padding_writes", "1", "Pages written to flash to complete groups"),
    key("buffer.dirty_pages", "1", "Pages in the write buffer that were not on flash at the end"),
    key("buffer.dirty_share.mean", "1", "Mean share of the buffer that held pages not on flash, over time"),
    key("firmware.utilization", "1", "Mean share of sim.time_s that a firmware core was busy"),
    key("firmware.share.read", "1", "Firmware work of reads over their latencies; above 1 where cores work on one side by side"),
    key("firmware.share.write", "1", "Firmware work of writes over their latencies; above 1 where cores work on one side by side"),
    key("firmware.share_max.read", "1", "Largest firmware work of a read over its latency; above 1 where cores work on it side by side"),
    key("firmware.share_max.write", "1", "Largest firmware work of a write over its latency; above 1 where cores work on it side by side"),
    key("local.utilization.mean", "1", "Mean share of sim.time_s that a core of a package's controller was busy; only with ftl.local.enabled, as the next five"),
    key("local.utilization.max", "1", "The same of the busiest package"),
    key("local.bus_utilization.mean", "1", "Mean share of sim.time_s that the bus of a package was used"),
    key("local.bus_utilization.max", "1", "The same of the busiest package"),
    key("local.pages_corrected", "1", "Pages read inside packages (moved, or nodes of tables) that the codecs of packages corrected"),
    key("local.pages_escalated", "1", "Pages read inside packages that went over the channel as the codec could not correct them"),
    key("scheduler.longest_wait_us", "µs", "Longest time from an operation being ready to its start"),
    key("scheduler.starved", "1", "Operations that waited longer than a limit, so that they count as starved"),
    key("scheduler.reordered.read", "1", "Share of the read requests that were let into the flash before one that came earlier and could have gone; only with scheduler.policy = \"dlv\", \"woo\", \"roo\", \"pv_reorder\" and \"pv_allocation\""),
    key("scheduler.reordered.write", "1", "The same of write requests"),
    key("scheduler.expired.read", "1", "Share of the read requests that were past their deadline when they were let into the flash; with the same policies"),
    key("scheduler.expired.write", "1", "The same of write requests"),
    key("scheduler.metadata.class_bytes", "B", "What the controller keeps to know the class of every block, as Cui et al. 2018 count it; with the same policies"),
    key("scheduler.metadata.plane_bytes", "B", "The same for free strong pages and the idle time of every plane"),
    key("scheduler.metadata.start_level_bytes", "B", "The same for tables of start levels by age"),
    key("scheduler.metadata.program_time_bytes", "B", "The same for the hours in which blocks were begun, by which their age is known"),
    key("check.little_residual", "1", "|L - lambda W| / L: relative difference between the mean number of requests in the drive and their rate times their mean time in it"),
    key("check.conservation", "flag", "Whether the totals of requests, pages and operations are consistent"),
    key("check.audited", "flag", "Whether the auditor checked the rules of the medium and the FTL"),
    key("modes.<mode>.pages_read", "1", "Pages of the mode that were read; missing without [[modes]], as all of modes"),
    key("modes.<mode>.pages_programmed", "1", "Pages programmed in the mode, copy-backs included"),
    key("modes.<mode>.pages_held", "1", "Logical pages that are held in the mode at the end of the run"),
    key("modes.<mode>.read_us", "µs", "Mean time of the reads from the issue of the first command to the data in the controller, corrected"),
    key("modes.<mode>.program_us", "µs", "Mean time of the programs from the issue of the command to the end of the program, without copy-backs"),
    key("modes.<mode>.host_read_share", "1", "Share of the pages read for the host that were of the mode; missing without such reads"),
    key("modes.<mode>.host_program_share", "1", "Share of the pages programmed for the host that were programmed in the mode; missing without such programs"),
    key("modes.<mode>.energy_mj", "mJ", "Energy of the reads and programs of pages of the mode, copy-backs included; only with power.chip or power.supply"),
    key("units.idle.count", "1", "Times without operations of the host, waiting or in execution, that ended in the units of the drive: its dies, or chips with scheduler.busy_grain = \"chip\"; missing without [[modes]], as all of units"),
    key("units.idle.mean_us", "µs", "Their mean length"),
    key("units.idle.p50_us", "µs", "Their median, within 0.1 %"),
    key("units.idle.p95_us", "µs", "The length that 95 % of them do not exceed, within 0.1 %"),
    key("units.idle.p99_us", "µs", "The length that 99 % of them do not exceed, within 0.1 %"),
    key("units.idle.max_us", "µs", "The longest"),
    key("units.idle.above_5ms", "1", "Share of them that are longer than 5 ms, within 0.1 % of that length"),
    key("drive.idle.count", "1", "Times without operations of the host, waiting or in execution, that ended in the drive as a whole; missing without [[modes]], as all of drive.idle"),
    key("drive.idle.mean_us", "µs", "Their mean length"),
    key("drive.idle.p50_us", "µs", "Their median, within 0.1 %"),
    key("drive.idle.p95_us", "µs", "The length that 95 % of them do not exceed, within 0.1 %"),
    key("drive.idle.p99_us", "µs", "The length that 99 % of them do not exceed, within 0.1 %"),
    key("drive.idle.max_us", "µs", "The longest"),
    key("drive.idle.above_5ms", "1", "Share of them that are longer than 5 ms, within 0.1 % of that length"),
    key("drive.idle.flash_share", "1", "Share of sim.time_s without any flash operation in the drive, of the host or not, waiting or in execution"),
    key("energy.total_mj", "mJ", "Energy of the run: flash operations, controller, DRAM, channels and idle time"),
    key("energy.flash_mj", "mJ", "Energy of all flash operations (FlashPower)"),
    key("energy.supply_mj", "mJ", "Energy that flash operations took from the supply of the dies; only with power.supply"),
    key("energy.cause.<cause>.supply_mj", "mJ", "Energy that flash operations for the cause took from the supply of the dies; only with power.supply"),
    key("energy.<component>_mj", "mJ", "Energy of the flash operations that this component dissipated"),
    key("energy.operation.<flash>_mj", "mJ", "Energy of the flash operations of the kind; a copy-back is a read and a program"),
    key("energy.cause.<cause>_mj", "mJ", "Energy of the flash operations for the cause"),
    key("energy.cause.<cause>.<component>_mj", "mJ", "Energy of the flash operations for the cause that this component dissipated"),
    key("energy.controller_mj", "mJ", "power.controller over the time with a request in the drive"),
    key("energy.dram_mj", "mJ", "power.dram, and that of power.dram_size, over sim.time_s less the time in idle states; and what the bytes took that went through it"),
    key("energy.channel_io_mj", "mJ", "power.channel_io over the busy time of every channel"),
    key("energy.idle_mj", "mJ", "power.idle over the time without a request in the drive, less that in idle states"),
    key("energy.idle_states_mj", "mJ", "Power of the idle states (power.ps3, power.ps4) over the time in them, where the drive was in one"),
    key("energy.codec_mj", "mJ", "power.codec over the time that codecs encode and decode, where it is set"),
    key("energy.per_host_byte_nj", "nJ", "energy.total_mj for each byte that the host read and wrote"),
    key("power.mean_mw", "mW", "energy.total_mj over sim.time_s"),
    key("power.max_window_mw", "mW", "Highest mean power of a window of the time series"),
    key("power.max_second_mw", "mW", "Highest mean power over a second, as far as the windows of the time series tell: of windows that are a second long together or, where one is longer, of one; the mean of a run that is shorter"),
    key("power.ps3.time_s", "s", "Time in the first idle state; only where the drive was in one, as power.ps4"),
    key("power.ps4.time_s", "s", "Time in the second idle state"),
    key("power.wakes", "1", "Times that a command found the drive in an idle state, or on the way there; only with power.ps3"),
    key("power.limit.time_s", "s", "Time in which programs and erases were held back by a limit of power; only where one can bind (power.cap, power.peak), as all of power.limit"),
    key("power.limit.share", "1", "The same over sim.time_s"),
    key("power.limit.waits", "1", "Times that they began to be held back"),
    key("power.limit.max_us", "µs", "Longest time for which they were"),
    key("power.limit.overrun", "1", "Times that one was let through above power.cap after a second, as reads alone took it"),
    key("thermal.temperature.mean_c", "°C", "Mean composite temperature of the drive over sim.time_s; only with thermal.enabled, as all of thermal"),
    key("thermal.temperature.max_c", "°C", "Highest composite temperature"),
    key("thermal.temperature.end_c", "°C", "Composite temperature at the end of the run"),
    key("thermal.tmt1.transitions", "1", "Times that the drive began to throttle lightly, from TMT1 on, out of a colder state"),
    key("thermal.tmt1.time_s", "s", "Time in which it throttled lightly"),
    key("thermal.tmt2.transitions", "1", "Times that the drive began to throttle heavily, from TMT2 on, out of a colder state"),
    key("thermal.tmt2.time_s", "s", "Time in which it throttled heavily"),
    key("thermal.cctemp.transitions", "1", "Times that the drive stopped taking up commands, from CCTEMP on"),
    key("thermal.cctemp.time_s", "s", "Time in which it took up none"),
    key("thermal.warning_time_s", "s", "Time with a composite temperature of WCTEMP or above"),
    key("thermal.critical_time_s", "s", "Time with a composite temperature of CCTEMP or above"),
    key("thermal.throttled_share", "1", "Share of sim.time_s in which the drive throttled or took up no command"),
    key("thermal.commands_held", "1", "Commands that were held back before the drive took them up"),
    key("thermal.held.mean_us", "µs", "Mean time for which they were held back"),
    key("thermal.held.max_us", "µs", "Longest time for which one was held back"),
    key("cell.rber.mean", "1", "Mean raw bit error rate of the pages read, without retries"),
    key("cell.rber.max", "1", "Highest raw bit error rate of a page read"),
    key("cell.rber.from.<rate>.reads", "1", "Reads of pages whose raw bit error rate is in the interval that starts here; four intervals for each power of ten; those without reads are left out"),
    key("ecc.level.<level>.reads", "1", "Page reads that succeeded with this number of reference voltages per boundary of states; 1 is a hard decision"),
    key("ecc.attempts.<level>.reads", "1", "Page reads that took this number of attempts, each a flash command"),
    key("ecc.attempts.mean", "1", "Mean attempts of a page read"),
    key("ecc.read_days.<reader>.mean", "days", "Mean age of the block, in whole days, at page reads for the host, or for moves of data; where reads start at a level by age"),
    key("ecc.read_days.<reader>.p50", "days", "Median of it"),
    key("ecc.read_days.<reader>.p95", "days", "Age that 95 % of these reads do not exceed"),
    key("ecc.uncorrectable_reads", "1", "Page reads that could not be corrected: they returned wrong data, unless parity brought these back (ftl.parity)"),
    key("ecc.uncorrectable_reads.<cause>", "1", "Page reads for the cause that could not be corrected"),
    key("ecc.lost_pages", "1", "Logical pages whose data are lost at the end: moved or partly updated when they could not be read, and not written since"),
    key("ecc.expected_failures", "1", "Sum of the failure probabilities of all codewords read; absent where failures are not random"),
    key("ecc.decoder_utilization", "1", "Mean share of sim.time_s that a decoder was busy"),
    key("run.wall_s", "s", "Wall-clock time of the run"),
    key("run.cpu_s", "s", "CPU time of the run"),
    key("run.requests_per_cpu_s", "1/s", "Requests simulated for each second of CPU time"),
    key("run.page_ops_per_cpu_s", "1/s", "Flash pages read and programmed for each second of CPU time"),
    key("run.peak_rss_mb", "MB", "Highest resident memory of the process, in 10^6 B"),
    key("run.version", "text", "Version of Wordline"),
    key("run.interrupted", "flag", "Whether the user stopped the run: the figures are those of the requests sent until then"),
];

/// Every placeholder, with what the names are that it stands for.
pub const PLACEHOLDERS: &[(&str, &str)] = &[
    (
        "class",
        "class of requests; `other` is what moves no data, `all` is all of them. `trim`, `zeroes` (Write Zeroes), `flush` and `zone` (management of zones) tell `other` apart: they have `count`, `iops` and latencies, and only in a run with some",
    ),
    ("requests", "class of requests with an attribution"),
    ("part", "part of the response time"),
    ("mode", "name of a mode of `[[modes]]`, or `normal`"),
    (
        "tenant",
        "name of a tenant or of a fio job, as the workload gives it",
    ),
    (
        "handle",
        "placement handle of writes, a number from 0 (none) to 65,535",
    ),
    ("group", "reclaim group, a number from 0"),
    ("state", "state of a zone"),
    ("status", "how a request ended that the rules of zones refuse"),
    ("cause", "why a flash operation runs"),
    ("kind", "kind of flash command"),
    ("operation", "kind of flash operation"),
    ("suspendable", "kind of operation that can be suspended"),
    ("component", "component of a flash operation's energy"),
    ("flash", "kind of flash operation in the energy model"),
    ("rate", "lower bound of an interval of raw bit error rates"),
    ("level", "number of reference voltages, or of attempts"),
    ("reader", "whom pages are read for: the host, or moves of data"),
];

/// The names that a placeholder stands for; `None` for an unknown placeholder.
#[must_use]
pub fn names_of(placeholder: &str) -> Option<Vec<&'static str>> {
    match placeholder {
        "class" => Some(vec![
            "read", "write", "other", "all", "trim", "zeroes", "flush", "zone",
        ]),
        // the classes alone: nothing is summed over all of them
        "requests" => Some(RequestClass::ALL.map(RequestClass::name).to_vec()),
        "state" => Some(ZoneState::ALL.map(ZoneState::name).to_vec()),
        "status" => {
            let of_zones = |status: &Status| status.is_refused() && *status != Status::Refused;
            let refused = Status::ALL.into_iter().filter(of_zones);
            Some(refused.map(|status| Status::NAMES[status.index()]).collect())
        }
        "cause" => Some(Cause::ALL.iter().map(|cause| cause.name()).collect()),
        "kind" => Some(COMMAND_NAMES.to_vec()),
        "component" => Some(Component::ALL.map(Component::name).to_vec()),
        "flash" => Some(Operation::ALL.map(Operation::name).to_vec()),
        "part" => Some(Part::all().into_iter().map(Part::name).collect()),
        "level" => Some(LEVEL_NAMES.to_vec()),
        "rate" => Some(BIN_NAMES.to_vec()),
        "reader" => Some(READER_NAMES.to_vec()),
        // any name: that of a tenant or of a job
        "tenant" => Some(vec!["<tenant>"]),
        "mode" => Some(vec!["<mode>"]),
        "handle" => Some(vec!["<handle>"]),
        "group" => Some(vec!["<group>"]),
        "suspendable" => Some(SUSPENDABLE_NAMES.to_vec()),
        "operation" => Some(vec!["read", "program", "copy_back", "erase"]),
        _ => None,
    }
}

/// The placeholder of a segment such as `<cause>` or `<part>_us`, and what follows it.
fn placeholder(segment: &str) -> Option<(&str, &str)> {
    segment.strip_prefix('<')?.split_once('>')
}

impl Key {
    /// Whether `name` is this key or one of its family.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut given = name.split('.');
        let all = self.name.split('.').all(|segment| {
            given.next().is_some_and(|given| match placeholder(segment) {
                Some(("tenant" | "mode" | "handle" | "group", _)) => !given.is_empty(),
                Some((kind, ending)) => given
                    .strip_suffix(ending)
                    .is_some_and(|given| names_of(kind).is_some_and(|names| names.contains(&given))),
                None => segment == given,
            })
        });
        all && given.next().is_none()
    }

    /// Every concrete name of the family; the name itself for a plain key.
    #[must_use]
    pub fn expand(&self) -> Vec<String> {
        self.name
            .split('.')
            .fold(vec![String::new()], |prefixes, segment| {
                let names: Vec<String> = match placeholder(segment) {
                    Some((kind, ending)) => names_of(kind)
                        .unwrap_or_default()
                        .iter()
                        .map(|name| format!("{name}{ending}"))
                        .collect(),
                    None => vec![segment.to_owned()],
                };
                let join = |prefix: &String, name: &String| match prefix.as_str() {
                    "" => name.clone(),
                    prefix => format!("{prefix}.{name}"),
                };
                prefixes
                    .iter()
                    .flat_map(|prefix| names.iter().map(move |name| join(prefix, name)))
                    .collect()
            })
    }
}

/// The entry that documents `name`.
#[must_use]
pub fn documented(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.matches(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_concrete_key_is_documented_once() {
        let mut seen = BTreeSet::new();
        for key in KEYS {
            assert!(
                !key.meaning.is_empty() && !key.meaning.ends_with('.'),
                "{}",
                key.name
            );
            let names = key.expand();
            assert!(!names.is_empty(), "{}: unknown placeholder", key.name);
            for name in names {
                assert_eq!(
                    KEYS.iter().filter(|other| other.matches(&name)).count(),
                    1,
                    "{name}"
                );
                assert!(seen.insert(name));
            }
        }
    }

    #[test]
    fn placeholders_are_listed_once_and_used() {
        let used: BTreeSet<&str> = KEYS
            .iter()
            .flat_map(|key| key.name.split('.'))
            .filter_map(placeholder)
            .map(|(kind, _)| kind)
            .collect();
        let listed: Vec<&str> = PLACEHOLDERS.iter().map(|(kind, _)| *kind).collect();

        assert_eq!(listed.iter().copied().collect::<BTreeSet<&str>>(), used);
        assert_eq!(listed.len(), used.len());
    }

    #[test]
    fn names_end_in_their_unit() {
        for key in KEYS {
            for (ending, unit) in [
                ("_us", "µs"),
                ("_mb_s", "MB/s"),
                ("_per_cpu_s", "1/s"),
                ("_mb", "MB"),
                ("_mj", "mJ"),
                ("_nj", "nJ"),
                ("_mw", "mW"),
            ] {
                if key.name.ends_with(ending) {
                    assert_eq!(key.unit, unit, "{}", key.name);
                }
            }
            if key.unit == "µs" {
                assert!(key.name.ends_with("_us"), "{}", key.name);
            }
            if key.unit == "s" {
                assert!(key.name.ends_with("_s"), "{}", key.name);
            }
        }
    }

    /// The names that the architecture page fixes.
    #[test]
    fn the_contract_of_the_face_is_covered() {
        let mut names: Vec<String> = [
            "sim.time_s",
            "host.requests",
            "host.iops",
            "host.bandwidth_mb_s",
            "ftl.write_amplification",
            "ftl.pages_programmed.gc",
            "ftl.pages_read.host",
            "ftl.pages_skipped",
            "ftl.blocks_erased",
            "ftl.erase_count.mean",
            "ftl.erase_count.max",
            "ftl.erase_count.stddev",
            "nand.commands.multi_plane_program",
            "nand.channel_utilization",
            "nand.die_utilization",
            "run.wall_s",
            "run.cpu_s",
            "run.requests_per_cpu_s",
            "run.page_ops_per_cpu_s",
            "run.peak_rss_mb",
        ]
        .map(str::to_owned)
        .to_vec();
        for class in ["read", "write", "all"] {
            names.push(format!("host.{class}.count"));
            for figure in ["mean", "p50", "p95", "p99", "p999", "max"] {
                names.push(format!("host.{class}.latency.{figure}_us"));
            }
        }
        for name in names {
            assert!(documented(&name).is_some(), "{name}");
        }
        for name in [
            "host",
            "host.read",
            "ftl.pages_programmed.nobody",
            "sim.time_s.x",
            "",
        ] {
            assert!(documented(name).is_none(), "{name}");
        }
    }
}
