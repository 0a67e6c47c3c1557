//! Tests of the mapping of superblocks over several planes.

mod bad_members;

use rand::Rng;
use wordline_nand::{
    BlockId, CommandsConfig, Geometry, GeometryConfig, PlaneId, Ppn, RestrictionsConfig, Use,
};
use wordline_units::{ByteSize, Duration, Seed, SimTime};

use super::StripedFtl;
use super::keys::{Parity, Span};
use super::layout::Layout;
use super::parts::Parts;
use crate::allocation::AllocationConfig;
use crate::block::BlockRole;
use crate::config::{FlashRules, FtlConfig, MappingInput};
use crate::contract::{CollectedSpace, Ftl, Inspect, Persist};
use crate::error::FtlError;
use crate::exec::any_order::{AnyOrder, AnyOrderOptions};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::checks::check_pages_and_blocks;
use crate::plan::{Bind, Cause, Lpn, Outcome, Plan, Target, Work};
use crate::registry;
use crate::request::{PageOp, PageRequest};
use crate::state::archive::{Archive, Extent};

/// Two channels of two chips of one die of two planes of 12 blocks of four pages.
fn geometry() -> Geometry {
    Geometry::new(&GeometryConfig {
        channels: 2,
        chips_per_channel: 2,
        dies_per_chip: 1,
        planes_per_die: 2,
        blocks_per_plane: 12,
        pages_per_block: 4,
        page_size: ByteSize(2048),
        ..GeometryConfig::default()
    })
    .unwrap()
}

fn with<T>(
    change: impl Fn(&mut FtlConfig, &mut CommandsConfig),
    make: impl Fn(&MappingInput<'_>, &FlashRules<'_>) -> Result<T, FtlError>,
) -> Result<T, FtlError> {
    let geometry = geometry();
    let mut config = FtlConfig {
        mapping: "striped".into(),
        over_provisioning: 1.0,
        ..FtlConfig::default()
    };
    let mut commands = CommandsConfig::default();
    change(&mut config, &mut commands);
    let input = MappingInput {
        geometry: &geometry,
        config: &config,
        allocation: &AllocationConfig::default(),
        strong_classes: 0,
    };
    let rules = FlashRules {
        commands: &commands,
        restrictions: &RestrictionsConfig::default(),
        block_classes: None,
        slc: None,
        seed: Seed(1),
    };
    make(&input, &rules)
}

fn drive(span: &'static str) -> StripedFtl {
    with_parity(span, "none")
}

fn with_parity(span: &'static str, parity: &'static str) -> StripedFtl {
    let set = |config: &mut FtlConfig, _: &mut CommandsConfig| {
        config.keys.set("span", span);
        config.keys.set("parity", parity);
        if parity != "none" {
            config.over_provisioning = 2.0;
        }
    };
    with(set, StripedFtl::new).unwrap()
}

fn layout(span: &str, parity: Parity) -> Layout {
    Layout::new(&geometry(), &span.parse::<Span>().unwrap(), parity, 0)
}

/// Planes 0 and 1 are those of channel 0, chip 0; 2 and 3 of chip 1; 4 to 7 of channel 1.
#[test]
fn members_follow_the_letters_of_the_span() {
    let planes = |span: &str, group: u32| -> Vec<u32> {
        let layout = layout(span, Parity::None);
        let superblock = layout.superblocks().block(PlaneId(group), 3);
        let blocks = layout.members(superblock);
        blocks
            .map(|(_, block)| {
                assert_eq!(geometry().block_in_plane(block), 3);
                geometry().plane_of(block).0
            })
            .collect()
    };
    assert_eq!(planes("CP", 0), [0, 4, 1, 5]);
    assert_eq!(planes("CP", 1), [2, 6, 3, 7]);
    assert_eq!(planes("PC", 1), [2, 3, 6, 7]);
    assert_eq!(planes("C", 0), [0, 4]);
    assert_eq!(planes("C", 3), [3, 7]);
    assert_eq!(planes("D", 5), [5]);
    assert_eq!(planes("WCDP", 0), [0, 2, 4, 6, 1, 3, 5, 7]);
    for text in ["", "CC", "X", "cp", "C,P"] {
        assert!(
            text.parse::<Span>().unwrap_err().to_string().contains("\"CP\""),
            "{text}"
        );
    }
}

#[test]
fn pages_of_superblocks_are_pages_of_flash() {
    for span in ["C", "P", "CP", "PCW", "CWDP"] {
        for parity in [Parity::None, Parity::Fixed, Parity::Rotating] {
            let layout = layout(span, parity);
            let mut seen = vec![false; geometry().pages() as usize];
            let mut see = |page: Ppn| {
                let again = std::mem::replace(&mut seen[page.index()], true);
                assert!(!again, "{span}: {page} twice");
            };
            for page in (0..layout.superblocks().pages()).map(Ppn) {
                let found = layout.page_of_flash(page);
                see(found);
                assert_eq!(layout.page_of_superblock(found), Some(page));
                assert_eq!(layout.superpage_of_parity(found), None);
            }
            if parity != Parity::None {
                for number in 0..layout.superpages() {
                    let (_, _, page) = layout.superpage(number).unwrap();
                    see(page);
                    assert_eq!(layout.page_of_superblock(page), None);
                    assert_eq!(layout.superpage_of_parity(page), Some(number));
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{span}");
        }
    }
    // superpage 2 of superblock 3 of the second group, its third page: plane 3
    let layout = layout("CP", Parity::None);
    let superblock = layout.superblocks().block(PlaneId(1), 3);
    let page = layout.superblocks().page(superblock, 2 * 4 + 2);
    let flash = geometry();
    assert_eq!(
        layout.page_of_flash(page),
        flash.page(flash.block(PlaneId(3), 3), 2)
    );
}

/// Writes go superpage by superpage: a superpage of the first group, one of the second, the next of the first.
#[test]
fn writes_fill_superpages() {
    let mut ftl = drive("CP");
    let flash = geometry();
    let mut places = Vec::new();
    for lpn in 0..12 {
        let request = PageRequest {
            op: PageOp::Write,
            lpn: Lpn(lpn),
            pages: 1,
            bitmap: 0b1111,
            placement: 0,
            class: 0,
            command_sectors: 4,
        };
        let (mut plan, mut companions) = (Plan::new(), Plan::new());
        ftl.submit(SimTime::ZERO, &request, &mut plan);
        let [step] = plan[..] else { panic!("{plan:?}") };
        let Bind::Page(bound) = ftl.place(SimTime::ZERO, &step, &mut companions) else {
            panic!("no page");
        };
        assert!(companions.is_empty());
        let block = flash.block_of(bound.page);
        places.push((flash.plane_of(block).0, flash.page_in_block(bound.page)));
    }
    let planes = [0, 4, 1, 5, 2, 6, 3, 7, 0, 4, 1, 5];
    let expected: Vec<(u32, u32)> = planes.into_iter().zip([0; 8].into_iter().chain([1; 4])).collect();
    assert_eq!(places, expected);
}

/// The members of a group of four hold the parity in turn, or the last one always does.
#[test]
fn parity_rotates() {
    let members = |parity: Parity| [0, 1, 2, 3, 4].map(|superpage| parity.member(superpage, 4));
    assert_eq!(members(Parity::Rotating), [0, 1, 2, 3, 0].map(Some));
    assert_eq!(members(Parity::Fixed), [Some(3); 5]);
    assert_eq!(members(Parity::None), [None; 5]);
    // members 0 and 3 of a superblock of which five pages for data are written: three in superpage 0, whose parity has member 0, and two in
    // superpage 1, whose parity will have member 1
    let layout = layout("CP", Parity::Rotating);
    let written = [0, 1, 2, 3].map(|member| layout.written(BlockId(0), member, 5));
    assert_eq!(written, [2, 1, 2, 1]);
    assert_eq!(
        [0, 1, 2, 3].map(|member| layout.parities(BlockId(0), member, 1)),
        [1, 0, 0, 0]
    );
}

/// J14: the exclusive or of the pages of every superpage that is complete is zero. Each page holds a number of its own, and the parity the exclusive or of
/// what was placed in its superpage, as the controller has it then.
#[test]
fn stripes_are_even() {
    for (span, parity) in [
        ("CP", "rotating"),
        ("CP", "fixed"),
        ("C", "rotating"),
        ("CWDP", "rotating"),
    ] {
        let mut ftl = with_parity(span, parity);
        let flash = geometry();
        let (mut pages, mut parities) = (std::collections::BTreeMap::new(), 0);
        let superpage = |ftl: &StripedFtl, page: Ppn| {
            let block = flash.block_of(page);
            (ftl.collected_block(block), flash.page_in_block(page))
        };
        let mut sums = std::collections::BTreeMap::new();
        for number in 0..120_u64 {
            let request = PageRequest {
                op: PageOp::Write,
                lpn: Lpn(number),
                pages: 1,
                bitmap: 0b1111,
                placement: 0,
                class: 0,
                command_sectors: 4,
            };
            let (mut plan, mut companions) = (Plan::new(), Plan::new());
            ftl.submit(SimTime::ZERO, &request, &mut plan);
            let step = plan[0];
            let Bind::Page(bound) = ftl.place(SimTime::ZERO, &step, &mut companions) else {
                panic!("no page");
            };
            let content = Seed(1).draw("content", number);
            assert!(pages.insert(bound.page, content).is_none());
            *sums.entry(superpage(&ftl, bound.page)).or_insert(0) ^= content;
            ftl.done(
                SimTime::ZERO,
                &step,
                Some(bound.page),
                Outcome::Good,
                &mut Plan::new(),
            );
            for step in companions {
                let Work::Program {
                    target: Target::Page(page),
                    ..
                } = step.work
                else {
                    panic!("{step:?}");
                };
                assert_eq!((step.cause, step.acknowledges), (Cause::Parity, false));
                let content = sums[&superpage(&ftl, page)];
                assert!(pages.insert(page, content).is_none());
                assert_eq!(ftl.lookup(step.lpn), Some(page));
                ftl.done(SimTime::ZERO, &step, Some(page), Outcome::Good, &mut Plan::new());
                parities += 1;
            }
        }
        let mut stripes = std::collections::BTreeMap::<_, Vec<u64>>::new();
        for (page, content) in &pages {
            stripes.entry(superpage(&ftl, *page)).or_default().push(*content);
        }
        let width = ftl.layout.width() as usize;
        let complete: Vec<_> = stripes.values().filter(|pages| pages.len() == width).collect();
        assert_eq!(complete.len(), parities);
        assert!(parities >= 100 / width);
        assert!(
            complete
                .iter()
                .all(|pages| pages.iter().fold(0, |sum, page| sum ^ page) == 0)
        );
    }
}

/// One parity program for each k - 1 pages of data, of the host or of collection, and everything adds up.
#[test]
fn parity_is_programmed_with_every_superpage() {
    for (span, parity, data) in [("CP", "rotating", 3), ("C", "fixed", 1), ("CWDP", "rotating", 7)] {
        let mut ftl = with_parity(span, parity);
        // what is exported is a share of all pages, those with parity included
        assert_eq!(ftl.user_pages(), geometry().pages() / 3);
        let user = ftl.user_pages();
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for turn in 0..6 * user {
            run.write(Lpn(turn * 7 % (user / 2))).unwrap();
        }
        let programmed = run.counts().programmed;
        let of_data = programmed[Cause::Host as usize] + programmed[Cause::Gc as usize];
        let of_parity = programmed[Cause::Parity as usize];
        assert!(
            of_parity <= of_data / data && of_parity + 8 >= of_data / data,
            "{of_parity} {of_data}"
        );
        drop(run);
        check_pages_and_blocks(&ftl);
    }
}

fn padding(span: &'static str) -> StripedFtl {
    let set = |config: &mut FtlConfig, _: &mut CommandsConfig| {
        config.keys.set("span", span);
        config.keys.set("parity", "rotating");
        config.keys.set("partial_superpages", "pad");
        config.over_provisioning = 2.0;
    };
    with(set, StripedFtl::new).unwrap()
}

/// Three pages of data in a superpage: five writes leave two in the superpage of the second group, which a flush completes with one page, and its parity.
/// Without anything new another flush programs nothing.
#[test]
fn a_flush_completes_superpages() {
    let mut ftl = padding("CP");
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    let mut after = |writes: std::ops::Range<u64>| {
        for lpn in writes {
            run.write(Lpn(lpn)).unwrap();
        }
        run.flush().unwrap();
        let programmed = run.counts().programmed;
        [Cause::Host, Cause::Padding, Cause::Parity].map(|cause| programmed[cause as usize])
    };
    assert_eq!(after(0..5), [5, 1, 2]);
    assert_eq!(after(5..5), [5, 1, 2]);
    assert_eq!(after(5..8), [8, 1, 3]);
    // one page, and two without data
    assert_eq!(after(8..9), [9, 3, 4]);
    drop(run);
    check_pages_and_blocks(&ftl);
    assert_eq!(ftl.counters().parity.padded, 3);
    assert_eq!((ftl.mapped_pages(), ftl.census().own), (9, 4));
    // as many superpages as flushes: the drive goes on being collected
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for turn in 0..6 * user {
        run.write(Lpn(turn * 7 % user)).unwrap();
        if turn.is_multiple_of(4) {
            run.flush().unwrap();
        }
    }
    drop(run);
    check_pages_and_blocks(&ftl);
    let without_parity =
        |config: &mut FtlConfig, _: &mut CommandsConfig| config.keys.set("partial_superpages", "pad");
    let error = with(without_parity, StripedFtl::new).err().unwrap().to_string();
    assert!(error.starts_with("ftl.partial_superpages = \"pad\""), "{error}");
}

/// In any order, with flushes between the writes: all ends, and every flush is over then.
#[test]
fn flushes_end_in_any_order() {
    for seed in 0..20 {
        let mut ftl = padding(["CP", "C", "CWDP"][seed as usize % 3]);
        let options = AnyOrderOptions {
            seed: Seed(seed),
            aligned: false,
            fails_one_in: 100,
            most_failures: 2,
            unreadable_one_in: 10,
            time_per_turn: Duration(1),
        };
        let user = ftl.user_pages();
        let mut order = AnyOrder::new(&mut ftl, options, ());
        let mut random = Seed(seed).stream("flushes");
        let mut marks = Vec::new();
        for _ in 0..6 * user {
            let request = PageRequest {
                op: PageOp::Write,
                lpn: Lpn(random.next_u64() % user),
                pages: 1,
                bitmap: 0b1111,
                placement: 0,
                class: 0,
                command_sectors: 4,
            };
            order.submit(&request).unwrap();
            if random.next_u64().is_multiple_of(16) {
                order.flush().unwrap();
                marks.push(order.ftl().recovery.parity_mark());
            }
            for _ in 0..random.next_u64() % 8 {
                order.turn().unwrap();
            }
        }
        order.drain().unwrap();
        assert!(marks.iter().all(|mark| ftl.is_flushed(*mark)));
        // with two members a superpage has one page of data, and is complete at once
        assert_eq!(ftl.counters().parity.padded > 0, ftl.layout.data() > 1);
    }
}

/// Half of the pages are written again and again: superblocks are collected as a whole, and their blocks stay alike.
#[test]
fn superblocks_are_collected_as_a_whole() {
    for span in ["C", "P", "CP", "CWDP"] {
        let mut ftl = drive(span);
        let user = ftl.user_pages();
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for turn in 0..12 * user {
            run.write(Lpn(turn * 7 % user)).unwrap();
        }
        drop(run);
        check_pages_and_blocks(&ftl);
        let superblocks = *ftl.collected_geometry();
        let mut of_superblock = vec![None; superblocks.blocks() as usize];
        for block in (0..geometry().blocks()).map(BlockId) {
            let facts = ftl.block(block);
            let first = *of_superblock[ftl.collected_block(block).unwrap().index()].get_or_insert((
                facts.role,
                facts.erase_count,
                facts.free,
            ));
            assert_eq!((facts.role, facts.erase_count), (first.0, first.1));
            assert!(facts.free.abs_diff(first.2) <= 1, "members are in step");
        }
        let counters = ftl.counters();
        assert!(counters.erases > 0);
        assert_eq!(
            counters.erases,
            counters.gc_victims * u64::from(superblocks.pages_per_block / 4)
        );
    }
}

/// Aged by the closed form, saved and loaded.
#[test]
fn what_is_saved_comes_back() {
    let mut ftl = drive("CP");
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..150 {
        run.write(Lpn(lpn % 70)).unwrap();
    }
    run.finish_jobs().unwrap();
    drop(run);
    let saved = |ftl: &mut StripedFtl| {
        let mut bytes = Vec::new();
        ftl.archive(SimTime(9), Extent::Everything, &mut Archive::saving(&mut bytes))
            .unwrap();
        bytes
    };
    let bytes = saved(&mut ftl);
    let load = |span| {
        let mut other = drive(span);
        let read = &mut &bytes[..];
        let loaded = other.archive(SimTime(9), Extent::Everything, &mut Archive::loading(read));
        loaded.map(|()| other)
    };
    let mut other = load("CP").unwrap();
    assert_eq!(saved(&mut other), bytes);
    for block in (0..geometry().blocks()).map(BlockId) {
        assert_eq!(other.block(block), ftl.block(block));
    }
    assert!(load("C").err().unwrap().to_string().contains("ftl.span"));
    assert!(load("C").err().unwrap().to_string().contains("ftl.parity"));
}

/// The blocks of a superblock are consumed together; erase counts are those of superblocks.
#[test]
fn ageing_sees_blocks() {
    let mut ftl = drive("CP");
    let config = crate::ageing::AgeConfig {
        method: crate::ageing::AgeMethod::Invalidated,
        ratio: 0.5,
        initial_cycles: 3,
        ..Default::default()
    };
    crate::ageing::age(&mut ftl, &config, AllocationConfig::default().order, Seed(1)).unwrap();
    check_pages_and_blocks(&ftl);
    let closed = (0..geometry().blocks()).map(|block| ftl.block(BlockId(block)));
    let closed: Vec<_> = closed.filter(|facts| facts.role == BlockRole::Closed).collect();
    // eight planes of 48 pages: 24 are to be consumed, three of each block
    assert_eq!(closed.len(), 8 * 8);
    assert!(
        closed
            .iter()
            .all(|facts| (facts.invalid, facts.free, facts.erase_count) == (3, 1, 3))
    );
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refused = |change: fn(&mut FtlConfig, &mut CommandsConfig)| {
        let built = with(change, |input, rules| registry::build(input, rules).map(|_| ()));
        built.unwrap_err().to_string()
    };
    assert!(refused(|_, commands| commands.copyback = Use::Wise).starts_with("commands.copyback = in use"));
    assert!(refused(|config, _| config.over_provisioning = 0.05).starts_with("ftl.over_provisioning"));
    let large = Geometry::new(&GeometryConfig {
        channels: 16,
        chips_per_channel: 8,
        planes_per_die: 4,
        blocks_per_plane: 4,
        pages_per_block: 4,
        ..GeometryConfig::default()
    })
    .unwrap();
    let config = |span: &'static str| {
        let mut config = FtlConfig::default();
        config.keys.set("span", span);
        config
    };
    let check = |geometry: &Geometry, span| {
        let config = config(span);
        let input = MappingInput {
            geometry,
            config: &config,
            allocation: &AllocationConfig::default(),
            strong_classes: 0,
        };
        Parts::of(&input).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(check(&large, "CP"), Ok(()));
    let error = check(&large, "CWP").unwrap_err();
    assert!(
        error.starts_with("ftl.span = \"CWP\"") && error.contains("512 blocks"),
        "{error}"
    );
}
