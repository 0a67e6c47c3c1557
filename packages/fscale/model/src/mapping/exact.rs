//! The exact back end: every page has its slot, and collection takes the block with fewest valid pages.

use std::ops::Range;

use crate::drive::{Design, Drive};
use crate::local::StaleCopies;
use crate::mapping::{Addresses, Draw, Job, Mapping, Target, Written};

/// Bytes for each logical page that the exact back end takes at most.
pub(crate) const BYTES_PER_PAGE: u64 = 10;

/// Blocks of a die that are kept free.
const SPARE_BLOCKS: usize = 2;

/// A slot without a page.
const NO_PAGE: u32 = u32::MAX;

/// A die: its blocks, and the block that is being collected.
struct Die {
    /// Valid pages of each block.
    valid: Vec<u32>,
    /// Whether a block can be collected: it is full, and not being collected.
    is_full: Vec<bool>,
    free: Vec<u32>,
    open: u32,
    /// Slots of the open block that are used.
    used: u32,
    /// Valid pages of all blocks.
    held: u64,
    victim: Option<Victim>,
}

/// A block that is being collected.
struct Victim {
    block: u32,
    /// The next slot that is looked at.
    slot: u32,
    /// Moves for each program of the die that leave its free space as it is.
    moves_per_program: f64,
    due: f64,
}

/// Dense tables from pages to slots and back. Collection goes along with programs: it never runs far ahead of the host or behind it.
pub(crate) struct Exact {
    slots_per_block: u32,
    slots_per_die: u64,
    slot_of: Vec<u32>,
    page_of: Vec<u32>,
    dies: Vec<Die>,
    /// Draws the dies that moved pages go to; none if they stay on their die.
    destination: Option<Draw>,
    /// A die for each move that is due. Which one goes next is drawn: a die collects when its turn comes, not when it is written.
    waiting: Vec<u32>,
    turn: Draw,
    /// Pages that some dies held when they were first asked for.
    held_at_first: Vec<u32>,
}

impl Exact {
    /// The drive in steady state: filled, and overwritten at random `rounds` times.
    pub(crate) fn aged(drive: &Drive, seed: u64, rounds: f64) -> Self {
        let mut exact = Self::empty(drive, seed);
        let pages = drive.logical_pages();
        let dies = drive.dies();
        let mut due = Vec::new();
        for page in 0..pages {
            exact.put(page as u32, (page % dies) as u32, &mut due);
            due.clear();
        }
        let mut addresses = Addresses::new(drive, seed, "fscale.ageing_page");
        let mut draw = Draw::new(seed, "fscale.ageing");
        let stays = drive.design == Design::FScale && drive.local.stale == StaleCopies::Sticky;
        for _ in 0..(pages as f64 * rounds) as u64 {
            let (page, die) = (addresses.next(), draw.below(dies) as u32);
            let target = if stays {
                Target::Same(exact.locate(page))
            } else {
                Target::Die(die)
            };
            exact.write(page, target, &mut due);
            due.clear();
        }
        exact
    }

    /// Bytes of the tables of a drive.
    pub(crate) fn bytes_for(drive: &Drive) -> u64 {
        drive.logical_pages().saturating_mul(BYTES_PER_PAGE)
    }

    fn empty(drive: &Drive, seed: u64) -> Self {
        let slots_per_page = (drive.nand.page.0 / drive.logical_page.0).max(1);
        let slots_per_block = drive.nand.pages_per_block * slots_per_page as u32;
        // physical bytes are divided evenly among the dies
        let blocks = (drive.slots() / drive.dies() / u64::from(slots_per_block)) as u32;
        let slots_per_die = u64::from(blocks) * u64::from(slots_per_block);
        let dies = drive.dies();
        Self {
            slots_per_block,
            slots_per_die,
            slot_of: vec![NO_PAGE; drive.logical_pages() as usize],
            page_of: vec![NO_PAGE; (slots_per_die * dies) as usize],
            dies: (0..dies)
                .map(|_| Die {
                    valid: vec![0; blocks as usize],
                    is_full: vec![false; blocks as usize],
                    free: (1..blocks).rev().collect(),
                    open: 0,
                    used: 0,
                    held: 0,
                    victim: None,
                })
                .collect(),
            destination: (!drive.moves_in_place()).then(|| Draw::new(seed, "fscale.destination")),
            waiting: Vec::new(),
            turn: Draw::new(seed, "fscale.turn"),
            held_at_first: Vec::new(),
        }
    }

    /// Puts a page in the open block of a die.
    fn append(&mut self, page: u32, number: u32) {
        let die = &mut self.dies[number as usize];
        let slot = u64::from(number) * self.slots_per_die
            + u64::from(die.open) * u64::from(self.slots_per_block)
            + u64::from(die.used);
        die.valid[die.open as usize] += 1;
        die.held += 1;
        die.used += 1;
        if die.used == self.slots_per_block {
            die.is_full[die.open as usize] = true;
            // collection keeps free blocks
            die.open = die.free.pop().unwrap_or(die.open);
            die.used = 0;
        }
        self.page_of[slot as usize] = page;
        self.slot_of[page as usize] = slot as u32;
    }

    fn invalidate(&mut self, page: u32) {
        let slot = u64::from(self.slot_of[page as usize]);
        let (die, within) = (slot / self.slots_per_die, slot % self.slots_per_die);
        self.page_of[slot as usize] = NO_PAGE;
        let die = &mut self.dies[die as usize];
        die.valid[(within / u64::from(self.slots_per_block)) as usize] -= 1;
        die.held -= 1;
    }

    /// The wanted die, or the next one that keeps free blocks with one page more.
    fn with_room(&self, wanted: u32) -> u32 {
        let reserved = (SPARE_BLOCKS as u64 + 1) * u64::from(self.slots_per_block);
        let dies = self.dies.len();
        (0..dies)
            .map(|step| (wanted as usize + step) % dies)
            .find(|die| self.dies[*die].held + reserved < self.slots_per_die)
            .map_or(wanted, |die| die as u32)
    }

    /// Puts a page on a die, and collects what has become due on any die.
    fn put(&mut self, page: u32, number: u32, due: &mut Vec<Job>) {
        self.append(page, number);
        self.count_program(number);
        self.relieve(number, due);
        while self.waiting.len() > self.dies.len() {
            let place = self.turn.below(self.waiting.len() as u64) as usize;
            let number = self.waiting.swap_remove(place);
            if let Some(to) = self.move_one(number, due) {
                self.relieve(to, due);
            }
        }
    }

    /// Notes how much must be moved for one program of a die.
    fn count_program(&mut self, number: u32) {
        self.choose_victim_of(number);
        if let Some(victim) = &mut self.dies[number as usize].victim {
            victim.due += victim.moves_per_program;
            while victim.due >= 1.0 {
                victim.due -= 1.0;
                self.waiting.push(number);
            }
        }
    }

    /// A die that has too few free blocks does not wait for its turn.
    fn relieve(&mut self, number: u32, due: &mut Vec<Job>) {
        while self.dies[number as usize].free.len() < SPARE_BLOCKS
            && self.dies[number as usize].victim.is_some()
        {
            self.move_one(number, due);
        }
    }

    fn choose_victim_of(&mut self, number: u32) {
        let die = &mut self.dies[number as usize];
        if die.victim.is_none() && die.free.len() <= SPARE_BLOCKS {
            die.victim = choose(die, self.slots_per_block);
        }
    }

    /// Moves the next valid page of a die's victim, and says where to; without one the block is erased.
    fn move_one(&mut self, number: u32, due: &mut Vec<Job>) -> Option<u32> {
        self.choose_victim_of(number);
        let slots = self.slots_per_block;
        while let Some(victim) = &mut self.dies[number as usize].victim {
            if victim.slot == slots {
                let block = victim.block;
                let die = &mut self.dies[number as usize];
                die.victim = None;
                die.free.insert(0, block);
                due.push(Job::Erase { die: number });
                return None;
            }
            let slot = u64::from(number) * self.slots_per_die
                + u64::from(victim.block) * u64::from(slots)
                + u64::from(victim.slot);
            victim.slot += 1;
            let moved = self.page_of[slot as usize];
            if moved != NO_PAGE {
                self.invalidate(moved);
                let to = match &mut self.destination {
                    None => number,
                    Some(draw) => {
                        let wanted = draw.below(self.dies.len() as u64) as u32;
                        self.with_room(wanted)
                    }
                };
                self.append(moved, to);
                due.push(Job::Move {
                    page: u64::from(moved),
                    from: number,
                    to,
                });
                self.count_program(to);
                return Some(to);
            }
        }
        None
    }
}

/// The full block with fewest valid pages.
fn choose(die: &mut Die, slots: u32) -> Option<Victim> {
    let block = (0..die.valid.len())
        .filter(|block| die.is_full[*block])
        .min_by_key(|block| die.valid[*block])?;
    die.is_full[block] = false;
    let valid = die.valid[block];
    Some(Victim {
        block: block as u32,
        slot: 0,
        moves_per_program: f64::from(valid) / f64::from(slots),
        due: 0.0,
    })
}

impl Mapping for Exact {
    fn locate(&mut self, page: u64) -> u32 {
        (u64::from(self.slot_of[page as usize]) / self.slots_per_die) as u32
    }

    fn write(&mut self, page: u64, target: Target, due: &mut Vec<Job>) -> Written {
        let old = self.locate(page);
        let (Target::Die(wanted) | Target::Same(wanted)) = target;
        self.invalidate(page as u32);
        let die = self.with_room(wanted);
        self.put(page as u32, die, due);
        Written { old, die }
    }

    fn page_on(&mut self, dies: &Range<u32>, draw: &mut Draw) -> u64 {
        if self.held_at_first.is_empty() {
            let (first, end) = (
                u64::from(dies.start) * self.slots_per_die,
                u64::from(dies.end) * self.slots_per_die,
            );
            let slots = &self.page_of[first as usize..end as usize];
            self.held_at_first = slots.iter().copied().filter(|page| *page != NO_PAGE).collect();
        }
        let held = &self.held_at_first;
        if held.is_empty() {
            return draw.below(self.slot_of.len() as u64);
        }
        u64::from(held[draw.below(held.len() as u64) as usize])
    }

    fn resident_bytes(&self) -> u64 {
        let tables = 4 * (self.slot_of.len() + self.page_of.len()) as u64;
        let blocks: usize = self.dies.iter().map(|die| die.valid.len()).sum();
        tables + (blocks * 9 + self.dies.len() * size_of::<Die>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_units::ByteSize;

    use super::*;
    use crate::waf::given_spare;

    /// 16 dies of 256 blocks.
    fn small() -> Drive {
        let mut drive = Drive {
            capacity: ByteSize(8 << 30),
            ..Drive::default()
        };
        drive.nand.page = ByteSize(4096);
        drive.nand.pages_per_block = 512;
        drive.nand.die = ByteSize(573 << 20);
        drive
    }

    /// Greedy collection has the write amplification of the closed form for the spare area that it can use: without free blocks, and as whole blocks.
    #[test]
    fn write_amplification_of_greedy_collection() {
        let drive = small();
        let mut exact = Exact::aged(&drive, 1, 4.0);
        let blocks = exact.dies[0].valid.len();
        let usable =
            (blocks - SPARE_BLOCKS - 1) as f64 * exact.slots_per_block as f64 * exact.dies.len() as f64;
        let expected = given_spare(usable / drive.logical_pages() as f64);
        let mut draw = Draw::new(2, "test");
        let (mut due, mut moves) = (Vec::new(), 0);
        let writes = 2 * drive.logical_pages();
        for _ in 0..writes {
            let die = draw.below(drive.dies()) as u32;
            exact.write(draw.below(drive.logical_pages()), Target::Die(die), &mut due);
            moves += due.iter().filter(|job| matches!(job, Job::Move { .. })).count();
            due.clear();
        }
        let found = 1.0 + moves as f64 / writes as f64;
        assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        /// Every page has a slot of its own, and valid pages are counted right.
        #[test]
        fn the_map_stays_one_to_one(seed: u64) {
            let mut drive = small();
            drive.capacity = ByteSize(1 << 30);
            drive.nand.pages_per_block = 64;
            drive.nand.die = ByteSize(72 << 20);
            let exact = Exact::aged(&drive, seed, 1.5);
            for (page, slot) in exact.slot_of.iter().enumerate() {
                prop_assert_eq!(exact.page_of[*slot as usize] as usize, page);
            }
            let held = exact.page_of.iter().filter(|page| **page != NO_PAGE).count();
            prop_assert_eq!(held, exact.slot_of.len());
            let valid: u32 = exact.dies.iter().flat_map(|die| &die.valid).sum();
            prop_assert_eq!(valid as usize, held);
        }
    }
}
