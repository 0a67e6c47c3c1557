//! Random drives under random commands: every run is audited, conserves requests, pages and
//! operations, obeys Little's law and gives the same bytes twice.

use wordline_config::{Config, InterfaceKind};
use wordline_drive::{RunError, RunOptions, RunOutput, run_clients};

use crate::common::{self, Commands, command, drive, number};
use proptest::prelude::*;
use wordline_buffer::BufferRow;
use wordline_ftl::{AllocationMode, Pool};
use wordline_keys::Registered;
use wordline_metrics::Value;
use wordline_scheduler::SchedulerRow;
use wordline_workload::{Admission, Client, HostCommand, HostOp};

/// Reads went through the decoder once each, and succeeded or were counted.
fn check_reads(config: &Config, output: &RunOutput) -> Result<(), TestCaseError> {
    if config.ecc.kind == wordline_ecc::EccKind::None {
        prop_assert!(output.summary.get("ecc.attempts.mean").is_none());
        return Ok(());
    }
    let sum = |family: &str| {
        (1..=7)
            .map(|level| number(output, &format!("{family}.{level}.reads")))
            .sum::<f64>()
    };
    let failed = number(output, "ecc.uncorrectable_reads");
    prop_assert_eq!(sum("ecc.level") + failed, sum("ecc.attempts"));
    prop_assert_eq!(sum("ecc.attempts"), number(output, "ftl.pages_read"));
    let is_noted = output.notes.iter().any(|note| note.key == "uncorrectable");
    prop_assert_eq!(is_noted, failed > 0.0);
    Ok(())
}

fn pick(options: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(options)
}

/// A buffer, in TOML.
fn buffer() -> impl Strategy<Value = String> {
    let policies = prop::sample::select(BufferRow::table().names());
    let marks = pick(&[
        "",
        "",
        "dirty_high = 0.5\n",
        "dirty_high = 0.8\ndirty_low = 0.2\nbackground_limit = 2\n",
        "when_full = \"in_order\"\n",
        "dirty_high = 0.5\nwrite_back = \"inline\"\nwhen_full = \"in_order\"\n",
    ]);
    let size = pick(&["2 KiB", "4 KiB", "16 KiB"]);
    let unit = pick(&["page", "sector"]);
    (policies, (size, unit), any::<[bool; 2]>(), marks, 1_u32..12).prop_map(
        |(policy, (size, unit), [cache, capacitor], marks, group)| {
            let row = BufferRow::table().find(policy);
            let cache = cache && row.is_some_and(|row| row.entry.reads.contains(&"buffer.read_cache"));
            format!(
                "[buffer]\npolicy = \"{policy}\"\nsize = \"{size}\"\nunit = \"{unit}\"\nread_cache = {cache}\n\
                 capacitor = {capacitor}\ngroup_pages = {group}\n{marks}"
            )
        },
    )
}

/// Pieces of pages that the writes among some commands are cut into.
fn pieces_written(config: &Config, commands: &[HostCommand]) -> f64 {
    let page = config.geometry.page_size.bytes() / 512;
    let longest = config
        .host
        .max_transfer
        .map_or(u64::MAX, |size| size.bytes() / 512);
    let writes = commands.iter().filter(|command| command.op == HostOp::Write);
    let mut pieces = 0;
    for write in writes {
        let mut sector = write.sector;
        let end = sector + u64::from(write.sectors);
        while sector < end {
            let part = (end - sector).min(longest);
            pieces += (sector + part).div_ceil(page) - sector / page;
            sector += part;
        }
    }
    pieces as f64
}

/// What goes through the buffer adds up.
fn check_buffer(config: &Config, commands: &[HostCommand], output: &RunOutput) -> Result<(), TestCaseError> {
    let sum = |keys: &[&str]| keys.iter().map(|key| number(output, key)).sum::<f64>();
    let pieces = pieces_written(config, commands);
    let written = sum(&["host.page_writes"]);
    if config.buffer.policy.name() == "none" {
        prop_assert_eq!(written, pieces);
        return Ok(());
    }
    prop_assert!(written <= pieces, "{written} page writes of {pieces}");
    let causes = [
        "buffer.evictions_dirty",
        "buffer.flushes",
        "buffer.background_writes",
    ];
    prop_assert_eq!(written, sum(&causes));
    prop_assert_eq!(pieces, sum(&["buffer.write_hits", "buffer.write_misses"]));
    let padding = sum(&["buffer.padding_writes"]);
    prop_assert_eq!(padding, sum(&["ftl.pages_programmed.padding"]));
    prop_assert!(padding == 0.0 || config.buffer.policy.name() == "bplru");
    if !config.buffer.read_cache {
        prop_assert_eq!(sum(&["buffer.evictions_clean", "buffer.pages_filled"]), 0.0);
    }
    if config.buffer.capacitor {
        prop_assert_eq!(sum(&["buffer.flushes"]), 0.0);
    }
    Ok(())
}

/// A scheduler and what its part can suspend, in TOML.
fn scheduler() -> impl Strategy<Value = String> {
    let table = SchedulerRow::table();
    let suspends = |name: &&str| table.find(name).is_some_and(|row| row.suspends);
    let plain: Vec<_> = table.names().into_iter().filter(|name| !suspends(name)).collect();
    let plain = prop::sample::select(plain).prop_map(|policy| (policy, String::new()));
    let suspension = (
        pick(&["none", "ips", "ipc", "ipc", "vendor"]),
        pick(&["always", "never", "linear"]),
        any::<[bool; 3]>(),
        pick(&["", "overhead_limit = 0.5\n", "max_suspends_per_op = 2\n"]),
        pick(&["", "clean_watermark = 0.0\n", "clean_watermark = 0.1\n"]),
        pick(&["", "program_under_writes = \"not_saturated\"\n"]),
        pick(&["", ", program_limit = 3, erase_safe_points = \"300 us\"", ", program_safe_points = \"70 us\""]),
    )
        .prop_map(|(program, redo, [erases, writes, shadow], limit, watermark, under, vendor)| {
            let style = if program == "vendor" { "vendor" } else { "phases" };
            let keys = format!(
                "[scheduler.suspension]\nprogram_suspend = \"{program}\"\nredo = \"{redo}\"\nerase_suspend = {erases}\n\
                 write_suspend_erase = {writes}\n{limit}{watermark}{under}\
                 [nand]\nsuspend = \"program_erase\"\nsuspend_style = \"{style}\"\nshadow_buffer = {shadow}\n\
                 vendor = {{ latency = \"20 us\", interval = \"50 us\"{vendor} }}\n"
            );
            ("pes", keys)
        });
    (
        prop_oneof![2 => plain, 3 => suspension],
        pick(&["die", "chip"]),
        pick(&["", "max_wait = \"2 ms\"\n"]),
        pick(&["", "max_writes = 3\n"]),
        any::<bool>(),
        pick(&["memory", "after_program"]),
    )
        .prop_map(
            |((policy, suspension), grain, max_wait, max_writes, independent, in_flight)| {
                let planes = if suspension.is_empty() { "[nand]\n" } else { "" };
                format!(
                    "[scheduler]\npolicy = \"{policy}\"\nbusy_grain = \"{grain}\"\n\
                 read_in_flight = \"{in_flight}\"\n{max_wait}{max_writes}{suspension}\
                 {planes}independent_planes = {independent}\n"
                )
            },
        )
}

/// A code and cells that make reads of every kind, in TOML. Runs last milliseconds: errors come by wear.
fn reliability() -> impl Strategy<Value = String> {
    let bch = pick(&["sampled", "threshold"])
        .prop_map(|outcome| format!("[ecc]\nkind = \"bch\"\n[ecc.bch]\noutcome = \"{outcome}\"\n"));
    let start = pick(&["1", "3", "7", "\"needed\"", "\"by_age\"", "\"last_level\""]);
    let decode = pick(&["0 ns", "8 us"]);
    let times = pick(&[
        "",
        "",
        "sense_max = \"90 us\"\ntransfer_max = \"5 us\"\n",
        "steepness = 20.0\n",
    ]);
    let ldpc = (start, pick(&["full", "incremental"]), decode, times).prop_map(|(start, retry, decode, times)| {
        format!(
            "[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\nstart = {start}\nretry = \"{retry}\"\ndecode = \"{decode}\"\n{times}"
        )
    });
    let cycles = prop::sample::select(&[0_u32, 1000, 3000, 12_000][..]);
    let disturb = pick(&[
        "",
        "[cell.rber.read_disturb]\ngamma = 1e-9\ng = 1.0\nh = 1.0\n",
        "[cell.rber.program_disturb]\ninhibited = 1e-8\nadjacent = 1e-8\npass = 1e-9\ng = 1.0\nh = 0.5\nstrings = 2\n",
    ]);
    let on = (prop_oneof![bch, ldpc], cycles, disturb)
        .prop_map(|(code, cycles, disturb)| format!("[age]\ninitial_cycles = {cycles}\n{code}{disturb}"));
    prop_oneof![Just(String::new()), on]
}

/// Keys that say how a drive works, in TOML.
pub(crate) fn behaviour() -> impl Strategy<Value = String> {
    let commands = (
        pick(&["off", "blind", "wise"]),
        pick(&["off", "blind", "wise"]),
        any::<[bool; 5]>(),
    )
        .prop_map(
            |(copyback, multi_plane_write, [read, erase, interleave, cache_read, cache_program])| {
                format!(
                    "[commands]\ncopyback = \"{copyback}\"\nmulti_plane_write = \"{multi_plane_write}\"\n\
                 multi_plane_read = {read}\nmulti_plane_erase = {erase}\ninterleave = {interleave}\n\
                 cache_read = {cache_read}\ncache_program = {cache_program}\n"
                )
            },
        );
    let allocation = (
        pick(&["static", "dynamic"]),
        pick(&["full", "channel_bound"]),
        pick(&["CWDP", "WDPC", "CPDW", "DPWC", "PDWC"]),
        pick(&["next_index", "fifo", "lowest_erase_count"]),
    )
        .prop_map(|(mode, dynamic, order, active)| {
            format!(
                "[allocation]\nmode = \"{mode}\"\ndynamic = \"{dynamic}\"\norder = \"{order}\"\n\
                 active_block = \"{active}\"\n"
            )
        });
    let collection = (
        pick(&[
            "greedy",
            "fifo",
            "d_choices",
            "cost_benefit",
            "windowed_greedy",
            "random",
        ]),
        pick(&["plane", "die", "chip", "channel", "drive"]),
        pick(&["foreground", "background", "preemptible", "partial"]),
        pick(&["shared", "separate"]),
        any::<bool>(),
    )
        .prop_map(|(victim, pool, mode, frontier, distinct)| {
            format!(
                "[ftl]\nover_provisioning = 1.0\n[ftl.gc]\nvictim = \"{victim}\"\npool = \"{pool}\"\n\
                 mode = \"{mode}\"\nfrontier = \"{frontier}\"\ndistinct = {distinct}\nidle = \"100 us\"\n"
            )
        });
    let latencies = pick(&["", "", "read_latency = \"15 us\"\nwrite_latency = \"6 us\"\n"]);
    let rest = (scheduler(), buffer(), any::<bool>(), latencies, reliability()).prop_map(
        |(scheduler, buffer, firmware, latencies, reliability)| {
            format!(
                "{scheduler}{buffer}[firmware]\nenabled = {firmware}\ncores = 2\n{latencies}{reliability}"
            )
        },
    );
    (commands, allocation, collection, rest).prop_map(|(commands, allocation, collection, rest)| {
        // pages bound to a plane or channel cannot be collected beyond it
        let widest = match (
            allocation.contains("\"static\""),
            allocation.contains("channel_bound"),
        ) {
            (true, _) => vec!["die", "chip", "channel", "drive"],
            (false, true) => vec!["drive"],
            (false, false) => Vec::new(),
        };
        let collection = widest.into_iter().fold(collection, |text, pool| {
            text.replace(&format!("pool = \"{pool}\""), "pool = \"plane\"")
        });
        // the two halves of a cached program are not suspended
        let commands = if rest.contains("\"pes\"") {
            commands.replace("cache_program = true", "cache_program = false")
        } else {
            commands
        };
        format!("{commands}{allocation}{collection}{rest}")
    })
}

/// Has planes read on their own, where the rest of a drive allows that.
fn with_plane_reads(mut config: Config) -> Config {
    let several = config.geometry.planes_per_die > 1 && !config.nand.independent_planes;
    let one_by_one = config.geometry.dies_per_chip == 1
        || (config.commands.interleave && config.scheduler.busy_grain == wordline_config::BusyGrain::Die);
    if several && one_by_one && config.scheduler.policy.name() != "fcfs" {
        config.commands.multi_plane_read = false;
        config.commands.cache_read = false;
        config.nand.independent_plane_reads = true;
    }
    config
}

pub(crate) fn geometry() -> impl Strategy<Value = (String, u64)> {
    (
        1_u64..3,
        1_u64..3,
        1_u64..3,
        1_u64..3,
        8_u64..12,
        2_u64..6,
        1_u64..5,
    )
        .prop_map(|(channels, chips, dies, planes, blocks, half_pages, sectors)| {
            let pages = half_pages * 2;
            let text = format!(
                "[geometry]\nchannels = {channels}\nchips_per_channel = {chips}\ndies_per_chip = {dies}\n\
                 planes_per_die = {planes}\nblocks_per_plane = {blocks}\npages_per_block = {pages}\n\
                 page_size = \"{} B\"\n",
                sectors * 512
            );
            (
                text,
                channels * chips * dies * planes * blocks * pages * sectors / 2,
            )
        })
}

/// Commands inside `sectors` sectors.
fn commands(sectors: u64) -> impl Strategy<Value = Vec<HostCommand>> {
    let one = (0_u8..10, any::<u64>(), 1_u32..20, 0_u64..600_000, any::<bool>());
    prop::collection::vec(one, 1..400).prop_map(move |rows| {
        let mut at = 0;
        rows.into_iter()
            .map(|(op, place, length, gap, fua)| {
                at += gap;
                let length = u64::from(length).min(sectors);
                let sector = place % (sectors - length + 1);
                let op = match op {
                    0..5 => HostOp::Write,
                    5..8 => HostOp::Read,
                    8 if fua => HostOp::WriteZeroes,
                    8 => HostOp::Trim,
                    _ => HostOp::Flush,
                };
                let length = if op == HostOp::Flush { 0 } else { length as u32 };
                HostCommand {
                    fua: fua && op == HostOp::Write,
                    ..command(at, op, sector, length)
                }
            })
            .collect()
    })
}

/// How commands reach a drive.
const HOSTS: &[&str] = &[
    "",
    "interface = \"nvme\"\n",
    "interface = \"nvme\"\nnvme = { queue_depth = 2, command_slots = 3, burst = 2, doorbell = \"0 ns\" }\n",
    "interface = \"sata\"\nsata = { tags = 3 }\n",
];

/// How commands reach an embedded device.
const EMBEDDED: &[&str] = &[
    "interface = \"ufs\"\nufs = { tags = 3, max_data = \"1 KiB\" }\n",
    "interface = \"emmc\"\nemmc = { tags = 1, bus = \"hs200\" }\n",
];

fn host(kinds: &'static [&'static str]) -> impl Strategy<Value = String> {
    let kind = prop::sample::select(kinds);
    let acknowledge = pick(&["programmed", "transferred"]);
    (kind, 0_u32..6, acknowledge).prop_map(|(kind, sectors, acknowledge)| {
        let kind = format!("[host]\nwrite_acknowledge = \"{acknowledge}\"\n{kind}");
        match sectors {
            0 => kind,
            _ => format!("{kind}max_transfer = \"{} B\"\n", sectors * 512),
        }
    })
}

/// A drive as it is accepted: where requests wait for the scheduler, without what does not go with that.
pub(crate) fn accepted(mut config: Config) -> Config {
    if config.scheduler.holds_requests() {
        config.allocation.mode = AllocationMode::Static;
        config.ftl.gc.pool = Pool::Plane;
        config.buffer.policy = "none".into();
        config.host.interface = InterfaceKind::Ideal;
        config.firmware.enabled = false;
        (config.firmware.read_latency, config.firmware.write_latency) = Default::default();
    }
    config
}

/// A drive, its text, commands, how they enter and as how many clients.
pub(crate) type Case = (Config, String, Vec<HostCommand>, Admission, usize);

/// Any drive.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    case_behind(HOSTS)
}

/// Any drive behind one of these hosts.
fn case_behind(hosts: &'static [&'static str]) -> impl Strategy<Value = Case> {
    (
        geometry(),
        behaviour(),
        host(hosts),
        1_u32..20,
        any::<bool>(),
        1_usize..4,
    )
        .prop_flat_map(|((geometry, sectors), behaviour, host, depth, closed, clients)| {
            let text = format!("{geometry}{behaviour}{host}");
            let admission = if closed {
                Admission::ClosedLoop { depth }
            } else {
                Admission::OpenLoop { limit: Some(depth) }
            };
            commands(sectors).prop_map(move |commands| {
                (accepted(drive(&text)), text.clone(), commands, admission, clients)
            })
        })
}

fn check_run((config, text, commands, admission, clients): Case) -> Result<(), TestCaseError> {
    let client = |first| {
        let own = commands.iter().skip(first).step_by(clients).copied().collect();
        Client::alone(Box::new(Commands::new(own)), admission)
    };
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    let run = || run_clients(&config, (0..clients).map(client).collect(), options.clone());
    let first = match run() {
        // drawn at random, full blocks may use up what a tiny drive has to spare
        Err(RunError::Stalled { .. }) if text.contains("victim = \"random\"") => {
            return Err(TestCaseError::reject("stalled by random victims"));
        }
        other => other.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?,
    };
    prop_assert_eq!(
        first.summary.get("check.conservation"),
        Some(&Value::Flag(true)),
        "{}\n{}",
        &text,
        first.summary.to_json()
    );
    prop_assert!(number(&first, "check.little_residual") < 1e-9, "{}", &text);
    prop_assert_eq!(number(&first, "host.requests") as usize, commands.len());
    let log = &first.requests;
    let table = &first.attribution;
    let mut bands = std::collections::BTreeMap::new();
    for row in 0..table.part.len() {
        let band = bands
            .entry((table.class[row], table.band[row]))
            .or_insert((0, 0.0, 0.0));
        *band = (
            table.requests[row],
            table.latency_mean_us[row],
            band.2 + table.part_mean_us[row],
        );
    }
    prop_assert_eq!(
        bands.values().map(|band| band.0).sum::<u64>() as usize,
        log.number.len(),
        "{}",
        &text
    );
    for (_, latency, parts) in bands.values() {
        prop_assert!(
            (latency - parts).abs() < 1e-6 * latency,
            "{}: {} {}",
            &text,
            latency,
            parts
        );
    }
    check_buffer(&config, &commands, &first)?;
    check_reads(&config, &first)?;
    common::timeline::check(&first).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    let second = run().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    prop_assert_eq!(
        first.summary.reproducible().to_json(),
        second.summary.reproducible().to_json()
    );
    if text.contains("copyback = \"wise\"") && text.contains("multi_plane_write = \"wise\"") {
        prop_assert_eq!(number(&first, "ftl.pages_skipped"), 0.0);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn every_run_is_legal_complete_and_repeatable(case in case()) {
        check_run(case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_run_of_an_embedded_device_is_legal_complete_and_repeatable(case in case_behind(EMBEDDED)) {
        check_run(case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_run_with_reads_by_plane_is_legal_complete_and_repeatable(case in case()) {
        let (config, text, commands, admission, clients) = case;
        check_run((with_plane_reads(config), text, commands, admission, clients))?;
    }
}
