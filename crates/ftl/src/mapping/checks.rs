//! What holds of every mapping, and of every mapping of whole logical blocks, for tests.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_nand::{BlockId, CommandsConfig, Geometry, GeometryConfig, Medium, RestrictionsConfig, Use};
use wordline_units::{ByteSize, Seed, SimTime};

use crate::allocation::AllocationConfig;
use crate::block::BlockRole;
use crate::config::{FlashRules, FtlConfig, GcMode, MappingInput};
use crate::contract::{Inspect, Mapping, Persist, Subjects};
use crate::error::FtlError;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::plan::{Cause, Lpn};
use crate::request::{Answer, PageOp, PageRequest};
use crate::state::archive::{Archive, Extent};

/// Checks J1 and J2 (FTL specification, 12) as far as they can be seen from outside; the free blocks of each plane.
pub(super) fn check_pages_and_blocks(ftl: &dyn Inspect) -> Vec<u32> {
    let geometry = *ftl.unit_geometry();
    let mut mapped = 0;
    for lpn in (0..ftl.user_pages()).map(Lpn) {
        let Some(page) = ftl.lookup(lpn) else {
            assert_eq!(ftl.valid_sectors(lpn), 0);
            continue;
        };
        mapped += 1;
        assert_eq!(ftl.owner(page), Some(lpn));
        assert!(ftl.valid_sectors(lpn) != 0);
    }
    let (mut valid, mut free) = (0, vec![0; geometry.planes() as usize]);
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        let owned = (0..geometry.pages_per_block)
            .filter(|page| ftl.owner(geometry.page(block, *page)).is_some())
            .count() as u32;
        assert_eq!(facts.valid, owned, "{block}");
        assert_eq!(
            facts.valid + facts.invalid + facts.free + facts.skipped,
            geometry.pages_per_block
        );
        match facts.role {
            BlockRole::Free => {
                assert_eq!(facts.free, geometry.pages_per_block);
                free[geometry.plane_of(block).index()] += 1;
            }
            // a member of an open superblock may be full
            BlockRole::Open => {
                assert!(facts.free > 0 || ftl.collected_space().unwrap().collected_geometry() != &geometry)
            }
            BlockRole::Closed | BlockRole::Bad => {}
        }
        valid += u64::from(facts.valid);
    }
    let own = (ftl.user_pages()..ftl.user_pages() + ftl.facts().own_pages).map(Lpn);
    let own = own.filter(|lpn| ftl.lookup(*lpn).is_some_and(|page| ftl.owner(page) == Some(*lpn)));
    let own = own.count() as u64;
    assert_eq!(valid, mapped + own);
    let census = ftl.census();
    assert_eq!((census.valid, census.mapped, census.own), (valid, mapped, own));
    assert_eq!(
        census.valid + census.invalid + census.free + census.skipped,
        geometry.pages()
    );
    free
}

/// All sub-pages of a page of [`Parts`].
const FULL: u64 = 0b1111;

/// What a drive of whole logical blocks is made of.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) geometry: GeometryConfig,
    pub(super) ftl: FtlConfig,
    pub(super) copyback: Use,
}

impl Parts {
    /// One channel and die of `planes` planes of `blocks` blocks of 64 pages of four sub-pages.
    pub(super) fn new(mapping: &'static str, planes: u32, blocks: u32) -> Self {
        Self {
            geometry: GeometryConfig {
                channels: 1,
                chips_per_channel: 1,
                dies_per_chip: 1,
                planes_per_die: planes,
                blocks_per_plane: blocks,
                pages_per_block: 64,
                page_size: ByteSize(2048),
                ..GeometryConfig::default()
            },
            ftl: FtlConfig {
                mapping: mapping.into(),
                ..FtlConfig::default()
            },
            copyback: Use::Off,
        }
    }

    /// A small drive in any mode.
    pub(super) fn any(mapping: &'static str) -> impl Strategy<Value = Self> {
        let modes = prop::sample::select(&[GcMode::Foreground, GcMode::Background, GcMode::Preemptible][..]);
        let copyback = prop::sample::select(&[Use::Off, Use::Wise][..]);
        (1..4_u32, 8..16_u32, modes, copyback, 1..9_u32).prop_map(
            move |(planes, blocks, mode, copyback, pages)| {
                let mut parts = Self::new(mapping, planes, blocks);
                parts.geometry.pages_per_block = 4 * pages;
                parts.ftl.over_provisioning = 1.0;
                parts.ftl.gc.mode = mode;
                parts.copyback = copyback;
                parts
            },
        )
    }

    pub(super) fn geometry(&self) -> Geometry {
        Geometry::new(&self.geometry).unwrap()
    }

    /// What `build` makes of the drive.
    pub(super) fn try_build<T>(
        &self,
        build: impl FnOnce(&MappingInput<'_>, &FlashRules<'_>) -> Result<T, FtlError>,
    ) -> Result<T, FtlError> {
        let geometry = self.geometry();
        let commands = CommandsConfig {
            copyback: self.copyback,
            ..CommandsConfig::default()
        };
        let input = MappingInput {
            geometry: &geometry,
            config: &self.ftl,
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
        build(&input, &rules)
    }

    pub(super) fn medium(&self) -> Medium {
        Medium::new(&self.geometry(), &RestrictionsConfig::default())
    }
}

/// The state of a drive.
pub(super) fn saved(ftl: &mut impl Persist, now: SimTime, extent: Extent) -> Vec<u8> {
    let mut bytes = Vec::new();
    ftl.archive(now, extent, &mut Archive::saving(&mut bytes))
        .unwrap();
    bytes
}

/// The host of a drive, and what each of its pages must hold.
#[derive(Clone)]
struct Host {
    /// The sub-pages of each logical page that hold data.
    reference: BTreeMap<u64, u64>,
    state: u64,
}

impl Host {
    const fn new(seed: u64) -> Self {
        Self {
            reference: BTreeMap::new(),
            state: seed,
        }
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((u128::from(self.state) * u128::from(below)) >> 64) as u64
    }

    /// Gives random commands for whole and partial pages, a third of the writes in sequence.
    fn give_commands<M: Mapping>(&mut self, run: &mut Functional<'_, M, Medium>, commands: u32) {
        let user = run.ftl().user_pages();
        let mut sequence = 0;
        for _ in 0..commands {
            let lpn = match self.draw(3) {
                0 => self.draw(user / 4 + 1),
                1 => self.draw(user),
                _ => {
                    sequence = (sequence + 1) % user;
                    sequence
                }
            };
            let bitmap = [FULL, 0b0011, 0b1110, 0b0100][self.draw(4) as usize];
            let request = |op| PageRequest {
                op,
                lpn: Lpn(lpn),
                pages: 1,
                bitmap,
                placement: 0,
                class: 0,
                command_sectors: bitmap.count_ones(),
            };
            match self.draw(16) {
                0..12 => {
                    run.submit(&request(PageOp::Write)).unwrap();
                    *self.reference.entry(lpn).or_default() |= bitmap;
                }
                12..15 => {
                    let answer = run.submit(&request(PageOp::Read)).unwrap();
                    let holds = self.reference.get(&lpn).is_some_and(|valid| valid & bitmap != 0);
                    assert_eq!(answer == Answer::Unmapped, !holds);
                }
                _ => {
                    run.submit(&request(PageOp::Trim)).unwrap();
                    *self.reference.entry(lpn).or_default() &= !bitmap;
                }
            }
        }
    }

    /// Compares what the pages hold.
    fn compare(&self, ftl: &impl Inspect) {
        for lpn in 0..ftl.user_pages() {
            let expected = self.reference.get(&lpn).copied().unwrap_or_default();
            assert_eq!(ftl.valid_sectors(Lpn(lpn)), expected, "{lpn}");
        }
    }
}

/// Random commands to a drive in functional mode: the rules of flash, what each page holds, and the costs of merges.
pub(super) fn check_random_commands<M: Mapping>(ftl: &mut M, parts: &Parts, seed: u64, check: &dyn Fn(&M)) {
    let mut host = Host::new(seed);
    let mut run = Functional::observed(ftl, FunctionalOptions::default(), parts.medium());
    host.give_commands(&mut run, 1500);
    run.finish_jobs().unwrap();
    let counts = run.counts().clone();
    drop(run);
    check(ftl);
    host.compare(ftl);
    // every copy of a merge or a collection is a page read and a page programmed
    let counters = ftl.counters();
    let of_jobs = |counted: &[u64]| counted[Cause::Merge as usize] + counted[Cause::Gc as usize];
    let copies = of_jobs(&counts.programmed);
    assert_eq!(copies, counters.merges.pages + counters.gc_moves);
    assert_eq!(of_jobs(&counts.read), copies + counters.superseded_moves);
    assert_eq!(of_jobs(&counts.erased), counters.erases);
}

/// Of three equal drives, the first works and is saved: the second continues from all of its state as the first does, and
/// the third from its content.
pub(super) fn check_continuation<M: Mapping>(
    [mut first, mut second, mut third]: [M; 3],
    parts: &Parts,
    seed: u64,
    check: &dyn Fn(&M),
) {
    let mut host = Host::new(seed);
    let mut run = Functional::observed(&mut first, FunctionalOptions::default(), parts.medium());
    host.give_commands(&mut run, 700);
    let now = run.now();
    let mut executor = Vec::new();
    run.archive(&mut Archive::saving(&mut executor)).unwrap();
    drop(run);
    let everything = saved(&mut first, now, Extent::Everything);
    let load = |ftl: &mut M, extent, bytes: &[u8]| {
        ftl.archive(now, extent, &mut Archive::loading(&mut &*bytes))
            .unwrap();
        check(ftl);
        host.compare(ftl);
    };
    load(&mut second, Extent::Everything, &everything);
    assert_eq!(saved(&mut second, now, Extent::Everything), everything);
    let content = saved(&mut first, now, Extent::Content);
    load(&mut third, Extent::Content, &content);
    let mut ends = Vec::new();
    for (at, ftl) in [&mut first, &mut second, &mut third].into_iter().enumerate() {
        let mut host = host.clone();
        let mut run = Functional::observed(ftl, FunctionalOptions::default(), ());
        if at < 2 {
            run.archive(&mut Archive::loading(&mut &executor[..])).unwrap();
        }
        run.advance_to(now);
        for _ in 0..700 {
            let lpn = host.draw(run.ftl().user_pages());
            run.write(Lpn(lpn)).unwrap();
            host.reference.insert(lpn, FULL);
        }
        run.finish_jobs().unwrap();
        drop(run);
        check(ftl);
        host.compare(ftl);
        ends.push(saved(ftl, SimTime::ZERO, Extent::Content));
    }
    assert_eq!(ends[0], ends[1]);
}
