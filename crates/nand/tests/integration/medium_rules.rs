//! The medium against a slow and obvious one, and each rule by example.

use proptest::prelude::*;
use wordline_nand::{
    Access, BlockId, Geometry, GeometryConfig, Medium, PageState, PlaneId, Ppn, RestrictionsConfig, Rule,
};

fn small() -> Geometry {
    Geometry::new(&GeometryConfig {
        channels: 1,
        chips_per_channel: 2,
        dies_per_chip: 2,
        planes_per_die: 2,
        blocks_per_plane: 3,
        pages_per_block: 6,
        ..GeometryConfig::default()
    })
    .unwrap()
}

/// The page of index `page` of block `block` of flat plane `plane`.
fn at(geometry: &Geometry, plane: u32, block: u32, page: u32) -> Ppn {
    geometry.page(geometry.block(PlaneId(plane), block), page)
}

fn rule(result: Result<(), Box<wordline_nand::Violation>>) -> Option<Rule> {
    result.err().map(|violation| violation.rule)
}

#[test]
fn programs_go_forward_only() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    let page = |index| at(&geometry, 0, 1, index);
    assert_eq!(rule(medium.program(&[page(0)])), None);
    assert_eq!(rule(medium.program(&[page(0)])), Some(Rule::NoOverwrite));
    assert_eq!(rule(medium.program(&[page(3)])), None);
    assert_eq!(medium.page_state(page(1)), PageState::Skipped);
    assert_eq!(medium.page_state(page(3)), PageState::Programmed);
    assert_eq!(medium.page_state(page(4)), PageState::Free);
    assert_eq!(medium.write_pointer(BlockId(1)), 4);
    assert_eq!(rule(medium.program(&[page(2)])), Some(Rule::InOrder));
    assert_eq!(rule(medium.read(&[page(2)])), Some(Rule::Unwritten));
    assert_eq!(rule(medium.read(&[page(4)])), Some(Rule::Unwritten));
    assert_eq!(rule(medium.read(&[page(3)])), None);
    assert_eq!(rule(medium.erase(&[BlockId(1)])), None);
    assert_eq!(medium.page_state(page(1)), PageState::Free);
    assert_eq!(rule(medium.program(&[page(1)])), None);
}

#[test]
fn violations_spell_the_address_out() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    let page = at(&geometry, 7, 2, 5);
    medium.program(&[page]).unwrap();
    let violation = medium.program(&[page]).unwrap_err().to_string();
    assert!(
        violation.contains("R-d (no overwrite)")
            && violation.contains("channel 0 chip 1 die 1 plane 1 block 2 page 5"),
        "{violation}"
    );
    assert_eq!(rule(medium.read(&[Ppn(geometry.pages())])), Some(Rule::Address));
    assert_eq!(
        rule(medium.erase(&[BlockId(geometry.blocks())])),
        Some(Rule::Address)
    );
}

#[test]
fn non_sequential_parts_fill_holes() {
    let geometry = small();
    let free = RestrictionsConfig {
        in_order: false,
        ..RestrictionsConfig::default()
    };
    let mut medium = Medium::new(&geometry, &free);
    for index in [5, 0, 2, 1, 4, 3] {
        let page = at(&geometry, 0, 0, index);
        assert_eq!(medium.page_state(page), PageState::Free);
        medium.program(&[page]).unwrap();
        assert_eq!(rule(medium.program(&[page])), Some(Rule::NoOverwrite));
    }
    assert_eq!(medium.write_pointer(BlockId(0)), 6);
}

#[test]
fn partial_programs_are_counted() {
    let geometry = small();
    let twice = RestrictionsConfig {
        partial_programs: 2,
        ..RestrictionsConfig::default()
    };
    let mut medium = Medium::new(&geometry, &twice);
    let page = |index| at(&geometry, 0, 0, index);
    medium.program(&[page(0)]).unwrap();
    medium.program(&[page(0)]).unwrap();
    assert_eq!(rule(medium.program(&[page(0)])), Some(Rule::NoOverwrite));
    medium.program(&[page(1)]).unwrap();
    medium.program(&[page(2)]).unwrap();
    assert_eq!(rule(medium.program(&[page(1)])), Some(Rule::InOrder));
    medium.erase(&[BlockId(0)]).unwrap();
    medium.program(&[page(0)]).unwrap();
    medium.program(&[page(0)]).unwrap();
}

#[test]
fn copy_back_keeps_plane_and_parity() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    medium.set_written(BlockId(0), 6);
    let (source, same) = (at(&geometry, 0, 0, 2), at(&geometry, 0, 1, 0));
    assert_eq!(
        rule(medium.copy_back(&[(at(&geometry, 0, 0, 3), same)])),
        Some(Rule::CopyBack)
    );
    assert_eq!(
        rule(medium.copy_back(&[(source, at(&geometry, 1, 1, 0))])),
        Some(Rule::CopyBack)
    );
    assert_eq!(
        rule(medium.copy_back(&[(at(&geometry, 0, 2, 0), same)])),
        Some(Rule::Unwritten)
    );
    assert_eq!(rule(medium.copy_back(&[(source, same)])), None);
    assert_eq!(rule(medium.copy_back(&[(source, same)])), Some(Rule::NoOverwrite));
    let relaxed = RestrictionsConfig {
        copyback_same_parity: false,
        ..RestrictionsConfig::default()
    };
    let mut medium = Medium::new(&geometry, &relaxed);
    medium.set_written(BlockId(0), 6);
    assert_eq!(rule(medium.copy_back(&[(at(&geometry, 0, 0, 3), same)])), None);
}

#[test]
fn multi_plane_is_aligned() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    let page = |plane, block, page| at(&geometry, plane, block, page);
    assert_eq!(
        rule(medium.program(&[page(0, 0, 0), page(1, 0, 1)])),
        Some(Rule::MultiPlane)
    );
    assert_eq!(
        rule(medium.program(&[page(0, 0, 0), page(1, 1, 0)])),
        Some(Rule::MultiPlane)
    );
    assert_eq!(
        rule(medium.program(&[page(0, 0, 0), page(0, 1, 0)])),
        Some(Rule::MultiPlane)
    );
    assert_eq!(
        rule(medium.program(&[page(0, 0, 0), page(4, 0, 0)])),
        Some(Rule::Interleave)
    );
    // nothing of a refused command happened
    assert_eq!(medium.page_state(page(0, 0, 0)), PageState::Free);
    assert_eq!(rule(medium.program(&[page(0, 0, 0), page(1, 0, 0)])), None);
    // two dies, each with two planes: alignment is a matter of each die
    let combined = [page(0, 1, 0), page(1, 1, 0), page(2, 2, 3), page(3, 2, 3)];
    assert_eq!(rule(medium.program(&combined)), None);
    let blocks = |a, b| [geometry.block(PlaneId(0), a), geometry.block(PlaneId(1), b)];
    assert_eq!(rule(medium.erase(&blocks(0, 1))), Some(Rule::MultiPlane));
    assert_eq!(rule(medium.erase(&blocks(1, 1))), None);
}

#[test]
fn relaxed_alignment() {
    let geometry = small();
    let relaxed = RestrictionsConfig {
        multi_plane_same_block: false,
        multi_plane_same_page: false,
        ..RestrictionsConfig::default()
    };
    let mut medium = Medium::new(&geometry, &relaxed);
    let page = |plane, block, page| at(&geometry, plane, block, page);
    assert_eq!(rule(medium.program(&[page(0, 0, 0), page(1, 2, 0)])), None);
    // page alignment of a program holds whatever the switch says; that of a read does not
    assert_eq!(
        rule(medium.program(&[page(0, 0, 1), page(1, 2, 2)])),
        Some(Rule::MultiPlane)
    );
    medium.set_written(geometry.block(PlaneId(1), 2), 3);
    assert_eq!(rule(medium.read(&[page(0, 0, 0), page(1, 2, 2)])), None);
}

/// Both ends of a multi-plane copy-back are aligned.
#[test]
fn multi_plane_copy_back() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    medium.set_written(geometry.block(PlaneId(0), 0), 6);
    medium.set_written(geometry.block(PlaneId(1), 0), 6);
    let page = |plane, block, page| at(&geometry, plane, block, page);
    let to = [page(0, 1, 0), page(1, 1, 0)];
    assert_eq!(
        rule(medium.copy_back(&[(page(0, 0, 0), to[0]), (page(1, 0, 2), to[1])])),
        Some(Rule::MultiPlane)
    );
    assert_eq!(
        rule(medium.copy_back(&[(page(0, 0, 2), to[0]), (page(1, 0, 2), to[1])])),
        None
    );
}

#[test]
fn kinds_mix_over_dies_only() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    medium.set_written(BlockId(0), 1);
    let read = Access::Read(at(&geometry, 0, 0, 0));
    assert_eq!(
        rule(medium.execute(&[read, Access::Program(at(&geometry, 1, 0, 0))])),
        Some(Rule::OneKind)
    );
    assert_eq!(
        rule(medium.execute(&[read, Access::Program(at(&geometry, 2, 0, 0))])),
        None
    );
}

#[test]
fn torn_pages_can_be_looked_at_only() {
    let geometry = small();
    let mut medium = Medium::new(&geometry, &RestrictionsConfig::default());
    let page = at(&geometry, 0, 0, 0);
    medium.tear(page);
    assert_eq!(medium.page_state(page), PageState::Free);
    medium.program(&[page]).unwrap();
    medium.tear(page);
    assert_eq!(medium.page_state(page), PageState::Torn);
    assert_eq!(rule(medium.read(&[page])), None);
    assert_eq!(rule(medium.program(&[page])), Some(Rule::NoOverwrite));
    medium.set_written(BlockId(0), 2);
    medium.tear_block(BlockId(0));
    let states = (0..3).map(|page| medium.page_state(at(&geometry, 0, 0, page)));
    assert_eq!(
        states.collect::<Vec<_>>(),
        [PageState::Torn, PageState::Torn, PageState::Free]
    );
    medium.set_written(BlockId(0), 2);
    medium.set_skipped(page);
    assert_eq!(medium.page_state(page), PageState::Skipped);
    assert_eq!(medium.page_state(Ppn(u64::MAX)), PageState::Free);
}

/// One list of pages, each with what it holds and how often it was programmed; every rule is read
/// off the levels of the address by plain division.
struct Obvious {
    geometry: Geometry,
    rules: RestrictionsConfig,
    pages: Vec<(PageState, u8)>,
}

impl Obvious {
    fn levels(&self, page: u64) -> [u64; 5] {
        let g = &self.geometry;
        let (b, n) = (u64::from(g.pages_per_block), u64::from(g.blocks_per_plane));
        let (p, d) = (u64::from(g.planes_per_die), u64::from(g.dies_per_chip));
        let plane = page / b / n;
        [plane / p / d, plane / p, plane, page / b % n, page % b]
    }

    fn readable(&self, page: u64) -> bool {
        self.pages[page as usize].0 == PageState::Programmed
    }

    fn programmable(&self, page: u64) -> bool {
        let b = u64::from(self.geometry.pages_per_block);
        let later = (page + 1..(page / b + 1) * b)
            .any(|later| matches!(self.pages[later as usize].0, PageState::Programmed));
        let (state, programs) = self.pages[page as usize];
        if state == PageState::Skipped || (self.rules.in_order && later) {
            return false;
        }
        state == PageState::Free || programs < self.rules.partial_programs
    }

    fn accepts(&self, command: &[Access]) -> bool {
        let place = |access: &Access| match access {
            Access::Read(page) | Access::Program(page) => page.0,
            Access::CopyBack { destination, .. } => destination.0,
            Access::Erase(block) => u64::from(block.0) * u64::from(self.geometry.pages_per_block),
        };
        let each = command.iter().all(|access| match access {
            Access::Read(page) => self.readable(page.0),
            Access::Program(page) => self.programmable(page.0),
            Access::CopyBack { source, destination } => {
                let (from, to) = (self.levels(source.0), self.levels(destination.0));
                self.readable(source.0)
                    && self.programmable(destination.0)
                    && from[2] == to[2]
                    && (!self.rules.copyback_same_parity || from[4] % 2 == to[4] % 2)
            }
            Access::Erase(_) => true,
        });
        let pairs = (0..command.len()).all(|j| {
            (0..j).all(|i| {
                let (a, b) = (self.levels(place(&command[i])), self.levels(place(&command[j])));
                if a[0] != b[0] || a[1] != b[1] {
                    return a[0] == b[0];
                }
                let same = |a: &[u64; 5], b: &[u64; 5], page: bool| {
                    (!self.rules.multi_plane_same_block || a[3] == b[3]) && (!page || a[4] == b[4])
                };
                let loose = !self.rules.multi_plane_same_page;
                a[2] != b[2]
                    && match (command[i], command[j]) {
                        (Access::Read(_), Access::Read(_)) => same(&a, &b, !loose),
                        (Access::Program(_), Access::Program(_)) => same(&a, &b, true),
                        (Access::Erase(_), Access::Erase(_)) => same(&a, &b, false),
                        (Access::CopyBack { source: s, .. }, Access::CopyBack { source: t, .. }) => {
                            same(&a, &b, true) && same(&self.levels(s.0), &self.levels(t.0), !loose)
                        }
                        _ => false,
                    }
            })
        });
        each && pairs
    }

    fn apply(&mut self, access: Access) {
        let b = u64::from(self.geometry.pages_per_block);
        match access {
            Access::Read(_) => {}
            Access::Program(page)
            | Access::CopyBack {
                destination: page, ..
            } => {
                if self.rules.in_order {
                    for before in page.0 / b * b..page.0 {
                        if self.pages[before as usize].0 == PageState::Free {
                            self.pages[before as usize].0 = PageState::Skipped;
                        }
                    }
                }
                let (state, programs) = &mut self.pages[page.0 as usize];
                (*state, *programs) = (PageState::Programmed, *programs + 1);
            }
            Access::Erase(block) => {
                for page in 0..b {
                    self.pages[(u64::from(block.0) * b + page) as usize] = (PageState::Free, 0);
                }
            }
        }
    }
}

fn restrictions() -> impl Strategy<Value = RestrictionsConfig> {
    (any::<[bool; 4]>(), 1..3_u8).prop_map(|(switches, partial_programs)| RestrictionsConfig {
        in_order: switches[0],
        copyback_same_parity: switches[1],
        multi_plane_same_block: switches[2],
        multi_plane_same_page: switches[3],
        partial_programs,
    })
}

/// Commands of one to three constituents, aligned half of the time so that many are legal.
fn command(pages: u64) -> impl Strategy<Value = (u8, Vec<(u64, u64)>, bool)> {
    (
        0..8_u8,
        prop::collection::vec((0..pages, 0..pages), 1..4),
        any::<bool>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// I3, I4, I5, R-a to R-f: what is accepted, and what every page holds afterwards, agree.
    #[test]
    fn agrees_with_the_obvious_medium(
        rules in restrictions(),
        commands in prop::collection::vec(command(8 * 3 * 6), 1..300),
    ) {
        let geometry = small();
        let mut medium = Medium::new(&geometry, &rules);
        let mut obvious = Obvious {
            geometry,
            rules,
            pages: vec![(PageState::Free, 0); geometry.pages() as usize],
        };
        let plane = geometry.pages_per_plane();
        for (kind, pages, aligned) in commands {
            let command: Vec<Access> = pages
                .iter()
                .enumerate()
                .map(|(index, &(page, other))| {
                    let (page, other) = if aligned {
                        let to = (pages[0].0 / plane + index as u64) % 8 * plane;
                        (to + pages[0].0 % plane, to + pages[0].1 % plane)
                    } else {
                        (page, other)
                    };
                    let kind = if aligned || index == 0 { kind } else { (kind + index as u8) % 8 };
                    match kind {
                        0..=3 => Access::Program(Ppn(page)),
                        4 | 5 => Access::Read(Ppn(page)),
                        6 => Access::CopyBack { source: Ppn(other), destination: Ppn(page) },
                        _ => Access::Erase(geometry.block_of(Ppn(page))),
                    }
                })
                .collect();
            let answer = medium.execute(&command);
            prop_assert_eq!(answer.is_ok(), obvious.accepts(&command), "{:?}: {:?}", &command, &answer);
            if answer.is_ok() {
                command.iter().for_each(|access| obvious.apply(*access));
            }
        }
        for (page, (state, _)) in obvious.pages.iter().enumerate() {
            prop_assert_eq!(medium.page_state(Ppn(page as u64)), *state, "page {}", page);
        }
        // I2: nothing programmed at or above the write pointer
        for block in (0..geometry.blocks()).map(BlockId) {
            for page in medium.write_pointer(block)..geometry.pages_per_block {
                prop_assert_eq!(medium.page_state(geometry.page(block, page)), PageState::Free);
            }
        }
    }

    /// I9: interleave changes no page state relative to the same pages written singly.
    #[test]
    fn interleave_is_the_sum_of_its_parts(first in 0..3 * 6_u64, second in 0..3 * 6_u64) {
        let geometry = small();
        let pages = [Ppn(first), Ppn(2 * geometry.pages_per_plane() + second)];
        let rules = RestrictionsConfig::default();
        let (mut together, mut singly) = (Medium::new(&geometry, &rules), Medium::new(&geometry, &rules));
        together.program(&pages).unwrap();
        pages.iter().for_each(|page| singly.program(&[*page]).unwrap());
        for page in (0..geometry.pages()).map(Ppn) {
            prop_assert_eq!(together.page_state(page), singly.page_state(page));
        }
    }
}
