//! A buffer whose capacity counts sectors, under random loads: whole pages as where it counts pages, small writes within the capacity, and
//! together with everything else, audited: the sectors held are counted again all along the run.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wordline_buffer::{BufferRow, BufferUnit};
use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::{RunError, RunOptions, RunOutput, run, run_clients};
use wordline_keys::Registered;
use wordline_metrics::Value;
use wordline_units::ByteSize;
use wordline_workload::{Admission, Client, HostCommand, HostOp};

use crate::common::{Commands, command, drive, latencies, number};
use crate::random_runs::case;

const DIRTY: &str = "buffer.dirty_share.mean";

fn audited(config: &Config, commands: &[HostCommand], admission: Admission) -> Result<RunOutput, RunError> {
    let source = Box::new(Commands::new(commands.to_vec()));
    let options = RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    run_clients(config, vec![Client::alone(source, admission)], options)
}

/// The same command on the whole pages that it touches, within the first half of the drive.
fn whole_pages(command: &HostCommand, page: u64) -> HostCommand {
    let first = command.sector / page;
    let end = (command.sector + u64::from(command.sectors)).div_ceil(page);
    HostCommand {
        sector: first * page,
        sectors: ((end - first) * page) as u32,
        ..*command
    }
}

fn policies() -> Vec<&'static str> {
    let rows = BufferRow::table().rows().into_iter();
    rows.filter(|row| row.build.is_some())
        .map(|row| row.entry.name)
        .collect()
}

/// A buffer of so many pages of 16 KiB, with a policy, a read cache where it can have one, and a watermark.
fn small_writes(policy: &str, unit: &str, pages: u64, cache: bool, marks: &str) -> Config {
    let row = BufferRow::table().find(policy).expect("a policy");
    let cache = row.needs_clean_pages || cache && row.entry.reads.contains(&"buffer.read_cache");
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 8\npage_size = \"16 KiB\"\n[ftl]\nover_provisioning = 0.6\n\
         [buffer]\npolicy = \"{policy}\"\nsize = \"{} KiB\"\nunit = \"{unit}\"\nread_cache = {cache}\ngroup_pages = 4\n{marks}",
        16 * pages
    ))
}

/// Writes, reads, TRIMs and flushes of 512 B and 4 KiB, and rarely more than a page.
fn small_commands() -> impl Strategy<Value = Vec<HostCommand>> {
    let length = prop::sample::select(vec![1_u32, 1, 1, 8, 8, 40]);
    let one = (0_u8..12, 0_u64..600, length, 0_u64..400_000, any::<bool>());
    prop::collection::vec(one, 1..300).prop_map(|rows| {
        let mut at = 0;
        rows.into_iter()
            .map(|(op, place, length, gap, fua)| {
                at += gap;
                let op = match op {
                    0..8 => HostOp::Write,
                    8..10 => HostOp::Read,
                    10 => HostOp::Trim,
                    _ => HostOp::Flush,
                };
                let length = if op == HostOp::Flush { 0 } else { length };
                HostCommand {
                    fua: fua && op == HostOp::Write && place % 7 == 0,
                    ..command(at, op, place, length)
                }
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Requests of whole pages: to the byte what a buffer in pages does, with every policy and any drive.
    #[test]
    fn whole_pages_are_served_as_where_pages_are_counted(
        (config, text, commands, admission, _) in case(),
        policy in prop::sample::select(policies()),
        pages in 1_u64..9,
    ) {
        let mut config = config;
        let row = BufferRow::table().find(policy).unwrap();
        let page = config.geometry.page_size.bytes() / 512;
        config.host.max_transfer = None;
        if config.buffer.policy.name() != "none" {
            config.buffer.policy = policy.into();
            config.buffer.read_cache |= row.needs_clean_pages;
            config.buffer.read_cache &= row.entry.reads.contains(&"buffer.read_cache");
            config.buffer.size = ByteSize(pages * page * 512);
        }
        let commands: Vec<_> = commands.iter().map(|command| whole_pages(command, page)).collect();
        let outputs = [BufferUnit::Page, BufferUnit::Sector].map(|unit| {
            config.buffer.unit = unit;
            audited(&config, &commands, admission)
        });
        let [in_pages, in_sectors] = match outputs {
            [Ok(pages), Ok(sectors)] => [pages, sectors],
            [Err(RunError::Stalled { .. }), Err(RunError::Stalled { .. })] => return Ok(()),
            [pages, sectors] => {
                let errors = [pages.err(), sectors.err()];
                return Err(TestCaseError::fail(format!("{errors:?}\n{text}")));
            }
        };
        prop_assert_eq!(latencies(&in_pages), latencies(&in_sectors), "{}", &text);
        for (key, value) in in_pages.summary.reproducible().iter() {
            let other = in_sectors.summary.get(key);
            match value {
                // pages of three sectors make a mean of thrice the terms
                Value::Number(share) if key == DIRTY => {
                    prop_assert!((share - number(&in_sectors, DIRTY)).abs() <= 1e-12 * share);
                }
                _ => prop_assert_eq!(Some(value), other, "{} {}", key, &text),
            }
        }
    }

    /// Small writes, at times more than a page, into buffers of one page and more: every request is answered, what is dirty
    /// at the end is what the audit finds, and never more than fits.
    #[test]
    fn small_requests_keep_within_the_capacity(
        policy in prop::sample::select(policies()),
        pages in 1_u64..5,
        cache in any::<bool>(),
        marks in prop::sample::select(vec![
            "",
            "write_back = \"inline\"\nwhen_full = \"in_order\"\n",
            "dirty_high = 0.4\nwrite_back = \"inline\"\n",
            "dirty_high = 0.9\ndirty_low = 0.1\nbackground_limit = 2\n",
        ]),
        depth in 1_u32..20,
        commands in small_commands(),
    ) {
        let config = small_writes(policy, "sector", pages, cache, marks);
        let output = audited(&config, &commands, Admission::OpenLoop { limit: Some(depth) })
            .map_err(|error| TestCaseError::fail(format!("{policy}: {error}")))?;
        prop_assert_eq!(number(&output, "host.requests") as usize, commands.len());
        prop_assert_eq!(output.summary.get("check.conservation"), Some(&Value::Flag(true)));
        prop_assert!(number(&output, "buffer.dirty_pages") <= (pages * 32) as f64);
        prop_assert!(output.summary.number(DIRTY).is_none_or(|share| share <= 1.0));
        let kept = ["buffer.evictions_dirty", "buffer.flushes", "buffer.background_writes"];
        let written: f64 = kept.iter().map(|key| number(&output, key)).sum();
        prop_assert_eq!(number(&output, "host.page_writes"), written);
    }
}

/// Writes of 512 B and 4 KiB to pages of 16 KiB, drawn from 2 MiB: a buffer of four pages holds more of them in sectors, and writes less often
/// to flash, with every policy.
#[test]
fn small_writes_find_more_pages() {
    let mut state = 1_u64;
    let commands: Vec<_> = (0..2000)
        .map(|index| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = (state >> 33) % 512;
            let sectors = if state >> 20 & 1 == 0 { 1 } else { 8 };
            command(index * 300_000, HostOp::Write, 8 * place, sectors)
        })
        .collect();
    for policy in policies() {
        let [pages, sectors] = ["page", "sector"].map(|unit| {
            let config = small_writes(policy, unit, 4, false, "");
            audited(&config, &commands, Admission::ClosedLoop { depth: 1 }).unwrap()
        });
        let held = |output| number(output, "buffer.dirty_pages");
        assert!(
            held(&sectors) >= 2.0 * held(&pages),
            "{policy}: {} {}",
            held(&sectors),
            held(&pages)
        );
        let written = |output| number(output, "host.page_writes");
        assert!(written(&sectors) < written(&pages), "{policy}");
    }
}

fn resolved(keys: &[(&str, &str)]) -> Config {
    let common = [
        ("buffer.policy", "lru"),
        ("buffer.unit", "sector"),
        ("buffer.size", "64 KiB"),
        ("workload.requests", "3000"),
        ("workload.request_size", "[\"512 B\", \"4 KiB\", \"24 KiB\"]"),
        ("workload.align", "512 B"),
        ("workload.read_fraction", "0.3"),
        ("workload.trim_fraction", "0.05"),
        ("output.attribution", "true"),
    ];
    let overrides: Vec<_> = common
        .iter()
        .chain(keys)
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    resolve(DriveSource::Named("tiny"), None, &overrides)
        .unwrap_or_else(|error| panic!("{error}"))
        .config
}

fn run_audited(config: &Config, save: Option<PathBuf>) -> RunOutput {
    let options = RunOptions {
        audit: true,
        save_state: save,
        ..RunOptions::default()
    };
    let output = run(config, Path::new("."), options, &mut |_| true).unwrap();
    assert_eq!(output.summary.get("check.conservation"), Some(&Value::Flag(true)));
    output
}

/// On an aged drive with several dies, audited: mapping units, a cached map, suspension, a link, a read cache, a warm-up.
#[test]
fn it_goes_with_everything_else() {
    let combinations: &[&[(&str, &str)]] = &[
        // room for what is read again beside the pages that are being programmed
        &[
            ("geometry.page_size", "16 KiB"),
            ("ftl.mapping_unit", "4 KiB"),
            ("buffer.size", "1 MiB"),
        ],
        &[("ftl.mapping_unit", "16 KiB"), ("allocation.mode", "static")],
        &[("ftl.mapping", "dftl"), ("ftl.cached_entries", "2000")],
        &[
            ("ftl.mapping", "fast"),
            ("buffer.policy", "bplru"),
            ("buffer.size", "1 MiB"),
            ("age.method", "fresh"),
        ],
        &[
            ("scheduler.policy", "pes"),
            ("scheduler.suspension.program_suspend", "ipc"),
            ("nand.suspend", "program_erase"),
        ],
        &[("host.interface", "nvme"), ("host.max_transfer", "8 KiB")],
        &[
            ("buffer.policy", "cflru"),
            ("buffer.read_cache", "true"),
            ("buffer.dirty_high", "0.5"),
        ],
        &[("run.warm_up", "1000 requests"), ("buffer.policy", "slru")],
    ];
    for keys in combinations {
        let output = run_audited(&resolved(keys), None);
        assert!(number(&output, "buffer.hits") > 0.0, "{keys:?}");
    }
}

/// The state of a run can be saved and gone on from.
#[test]
fn a_drive_is_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drive.state");
    run_audited(&resolved(&[]), Some(file.clone()));
    let path = file.display().to_string();
    let config = resolved(&[
        ("age.method", "snapshot"),
        ("age.snapshot", &path),
        ("workload.seed", "7"),
    ]);
    run_audited(&config, None);
}
