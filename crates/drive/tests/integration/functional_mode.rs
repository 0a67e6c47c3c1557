//! The clocked drive and the functional mode take the same decisions for requests that never overlap in time.

use std::path::Path;
use wordline_config::Config;
use wordline_drive::{RunOptions, run_clients};

use crate::common::{Commands, command, drive};
use proptest::prelude::*;
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{AgeConfig, Ftl, Inspect, Lpn, PageFtl, PageOp, PageRequest, age};
use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::{Duration, Seed, SimTime};
use wordline_workload::{Admission, Client, HostOp};

/// Between two requests: longer than any of them takes, with all the collection that it causes.
const GAP: u64 = 1_000_000_000;

/// One request: whether it is a deallocation, its first page and its pages.
type Request = (bool, u64, u64);

fn fresh(config: &Config) -> PageFtl {
    let geometry = Geometry::new(&config.geometry).unwrap();
    let (commands, _) = config.commands.resolve(&geometry);
    let seed = Seed(config.seed);
    let restrictions = &config.restrictions;
    PageFtl::new(
        geometry,
        &config.ftl,
        &config.allocation,
        &commands,
        restrictions,
        seed,
    )
    .unwrap()
}

/// What is where, and how often every block was erased.
fn state(ftl: &PageFtl) -> (Vec<Option<Ppn>>, Vec<u32>) {
    let places = (0..ftl.user_pages()).map(|lpn| ftl.lookup(Lpn(lpn))).collect();
    let blocks = 0..ftl.geometry().blocks();
    let erases = blocks
        .map(|block| ftl.block(BlockId(block)).erase_count)
        .collect();
    (places, erases)
}

/// With the clock.
fn clocked(config: &Config, requests: &[Request]) -> (Vec<Option<Ppn>>, Vec<u32>) {
    let per_page = config.geometry.page_size.bytes() / 512;
    let commands = (1..)
        .zip(requests)
        .map(|(turn, (trims, page, pages))| {
            let op = if *trims { HostOp::Trim } else { HostOp::Write };
            command(turn * GAP, op, page * per_page, (pages * per_page) as u32)
        })
        .collect();
    let client = Client::alone(
        Box::new(Commands::new(commands)),
        Admission::OpenLoop { limit: None },
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let options = RunOptions {
        save_state: Some(file.clone()),
        ..RunOptions::default()
    };
    run_clients(config, vec![client], options).unwrap();
    loaded(config, &file)
}

fn loaded(config: &Config, file: &Path) -> (Vec<Option<Ppn>>, Vec<u32>) {
    let mut ftl = fresh(config);
    let snapshot = AgeConfig {
        method: wordline_ftl::AgeMethod::Snapshot,
        snapshot: Some(file.to_string_lossy().into_owned()),
        ..AgeConfig::default()
    };
    age(&mut ftl, &snapshot, config.allocation.order, Seed(config.seed)).unwrap();
    state(&ftl)
}

/// Without.
fn functional(config: &Config, requests: &[Request]) -> (Vec<Option<Ppn>>, Vec<u32>) {
    let mut ftl = fresh(config);
    let aged = age(&mut ftl, &config.age, config.allocation.order, Seed(config.seed)).unwrap();
    let full = ftl.geometry().full_bitmap();
    let options = FunctionalOptions {
        time_per_write: Duration::ZERO,
        order: config.allocation.order,
        ..FunctionalOptions::default()
    };
    let mut functional = Functional::new(&mut ftl, options);
    for (turn, (trims, page, pages)) in (1..).zip(requests) {
        // what waits for idle time gets it
        functional.finish_jobs().unwrap();
        functional.advance_to(SimTime(aged.now.ns() + turn * GAP));
        let request = |op, page, pages| PageRequest {
            op,
            lpn: Lpn(page),
            pages,
            bitmap: full,
            placement: 0,
            class: 0,
            command_sectors: full.count_ones(),
        };
        let op = if *trims { PageOp::Trim } else { PageOp::Write };
        functional.submit(&request(op, *page, *pages)).unwrap();
    }
    state(&ftl)
}

fn pick(options: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(options)
}

/// Drives where nothing but the order of requests decides: pages have a plane of their own, collection starts only when
/// nothing else is under way, and has room enough never to be pressing.
fn config() -> impl Strategy<Value = Config> {
    let dimensions = (1_u32..3, 1_u32..3, 1_u32..3, 24_u32..40, 2_u32..6);
    let allocation = (
        pick(&["CWDP", "PDWC"]),
        pick(&["next_index", "fifo", "lowest_erase_count"]),
    );
    let collection = (
        pick(&[
            "greedy",
            "fifo",
            "d_choices",
            "windowed_greedy",
            "random",
            "random_pp",
        ]),
        pick(&["shared", "separate"]),
        pick(&["off", "swap", "hot_cold_swap", "dual_pool"]),
    );
    (dimensions, allocation, collection).prop_map(|(dimensions, allocation, collection)| {
        let (channels, chips, planes, blocks, half_pages) = dimensions;
        let (order, active) = allocation;
        let (victim, frontier, wear) = collection;
        let levelling = match wear {
            "swap" => "gap = 3\ncheck_erases = 5\n",
            "off" => "",
            _ => "check_erases = 5\n",
        };
        drive(&format!(
            "seed = 5\n\
             [geometry]\nchannels = {channels}\nchips_per_channel = {chips}\ndies_per_chip = 1\nplanes_per_die = {planes}\n\
             blocks_per_plane = {blocks}\npages_per_block = {}\npage_size = \"4 KiB\"\n\
             [allocation]\nmode = \"static\"\norder = \"{order}\"\nactive_block = \"{active}\"\n\
             [ftl]\nover_provisioning = 1.0\n\
             [ftl.gc]\nvictim = \"{victim}\"\npool = \"plane\"\nfrontier = \"{frontier}\"\nmode = \"background\"\n\
             idle = \"1 ms\"\nbasis = \"blocks\"\nhard = 3.0\nlow = 7.0\nhigh = 9.0\n\
             [ftl.wear]\nstatic = \"{wear}\"\n{levelling}",
            half_pages * 2,
        ))
    })
}

fn requests(pages: u64) -> impl Strategy<Value = Vec<Request>> {
    let one = (0_u8..12, any::<u64>(), 1_u64..4);
    prop::collection::vec(one, 100..2000).prop_map(move |rows| {
        let of = |(op, place, length): (u8, u64, u64)| {
            let length = length.min(pages);
            // nearly all to a part of the drive, so that blocks differ
            let space = if place.is_multiple_of(4) {
                pages
            } else {
                pages.div_ceil(3).max(length)
            };
            // the pages of a request are under way together
            let length = if op == 0 { length } else { 1 };
            (op == 0, place / 4 % (space - length + 1), length)
        };
        rows.into_iter().map(of).collect()
    })
}

fn case() -> impl Strategy<Value = (Config, Vec<Request>)> {
    config().prop_flat_map(|config| {
        let pages = fresh(&config).user_pages();
        requests(pages).prop_map(move |requests| (config.clone(), requests))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Invariant 9 of the specification of lifetimes.
    #[test]
    fn both_modes_take_the_same_decisions((config, requests) in case()) {
        let (places, erases) = clocked(&config, &requests);
        let (found, counted) = functional(&config, &requests);
        prop_assert_eq!(erases, counted, "{:?} {:?}", config.ftl, config.allocation);
        prop_assert_eq!(places, found, "{:?} {:?}", config.ftl, config.allocation);
    }
}
